//! `lookalike dedup`: the main job.

use std::path::Path;

use lookalike_core::{Given as _, Kernel};
use lookalike_engine as engine;
use lookalike_engine::numbers::{bytes, count, duration, grouped, percent};
use lookalike_engine::report::{Report, Tokens, Verify};
use lookalike_engine::{Error, ErrorKind, Existing, Plan, Written};

use crate::exit::{Outcome, is_quiet, say};
use crate::flags::{BatchJob, Dedup, ProgressForm, keep, unreadable};
use crate::output::{self, Align, Table};
use crate::progress::Watch;
use crate::{interrupt, recipe};

pub(crate) fn run(arguments: &Dedup, kernel: Kernel) -> anyhow::Result<Outcome> {
    let passages = arguments.passages.then(|| arguments.passage_rule.rule());
    let job = job(&arguments.inputs, &arguments.job, kernel)
        .recipe(recipe::with_secret(
            recipe::judging(&arguments.judging, arguments.job.documents.recipe())?,
            arguments.secret_seed.as_deref(),
        )?)
        .given(keep(&arguments.keep), engine::Dedup::keep)
        .keep_count(arguments.keep_count)
        .given(arguments.lost, engine::Dedup::lost)
        .clustering(arguments.cluster)
        .pairs(arguments.pairs)
        .when(arguments.exact_only, engine::Dedup::exact_only)
        .given(passages, engine::Dedup::passages)
        .removal_budget(arguments.budget.of_removals())
        .given(arguments.counts.count.clone(), engine::Dedup::count)
        .given(arguments.counts.date_field.clone(), engine::Dedup::date_field);
    let job = arguments.known.iter().fold(job, engine::Dedup::known);
    if arguments.dry_run {
        let plan = job.plan()?;
        return show_plan(&plan, arguments.job.json).map(|()| Outcome::Done);
    }
    let job = arguments.repeating.of_dedup(job);
    let BatchJob { progress, writing, json, .. } = &arguments.job;
    let (out, written) = (&arguments.out, writing.written());
    run_watched(progress.form, out, written, *json, |watch| job.run_observed(out, watch))
}

/// A job that leaves a folder with survivors, as these flags have it.
pub(super) fn job(inputs: &[String], flags: &BatchJob, kernel: Kernel) -> engine::Dedup {
    let job = engine::Dedup::new(inputs)
        .page(lookalike_pages::report)
        .known_indexes(lookalike_index::open_shelf)
        .running(flags.documents.running(flags.resources.running(kernel)))
        .given(flags.temp.clone(), engine::Dedup::temp)
        .when(flags.resume, engine::Dedup::resume)
        .existing(Existing::with_force(flags.force))
        .when(flags.strict, engine::Dedup::strict)
        .unreadable(unreadable(flags.drop_unreadable));
    flags.writing.of_dedup(job)
}

/// Runs a job that leaves a report, shows how it goes, and tells what came out.
pub(super) fn run_watched(
    progress: ProgressForm,
    out: &Path,
    written: Written,
    json: bool,
    job: impl FnOnce(&Watch) -> lookalike_engine::Result<Report>,
) -> anyhow::Result<Outcome> {
    interrupt::watch("interrupted\nhint: run the same command with --resume to go on", Vec::new())?;
    let report = Watch::over(progress, job);
    let report = report.map_err(|error| with_hint(error, out))?;
    if json {
        output::write_json(&serde_json::to_value(&report)?)?;
    } else if !is_quiet() {
        output::write(summary(&report, out, written))?;
        say(&cost(&report));
    }
    Ok(Outcome::after_skipping(report.skipped))
}

const MENDED: &str = "once that is fixed, run the same command with --resume to go on";

/// Says how to go on.
fn with_hint(error: Error, out: &Path) -> anyhow::Error {
    let hint = match error.kind() {
        ErrorKind::RunExists(_) => "--resume continues it; `dedup --force` replaces it",
        ErrorKind::FolderInUse(_) => "name another folder; it is made if it is missing",
        ErrorKind::Interrupted => {
            interrupt::exit_after(&format!(
                "interrupted; the stages that were complete are kept in `{}`\n\
                 hint: run the same command with --resume to go on from there",
                out.display()
            ));
        }
        ErrorKind::File(fault) if fault.is_io() => MENDED,
        ErrorKind::TooLittleMemory { .. } => MENDED,
        // An input that was never there is refused before anything is made.
        _ if error.is_io() && out.join("manifest.json").exists() => MENDED,
        _ => return error.into(),
    };
    anyhow::anyhow!("{error}\nhint: {hint}")
}

/// A recall that nobody expects.
const LOW_RECALL: f64 = 0.9;

/// A share that was given in decimals.
fn share(share: f64) -> String {
    // As many digits as it was given with: 0.07 is not 7.000000000000001 %.
    let percent = format!("{:.6}", 100.0 * share);
    format!("{} %", percent.trim_end_matches('0').trim_end_matches('.'))
}

/// Why documents went that are no copies.
fn near(report: &Report) -> String {
    match report.recipe.verify {
        _ if report.lost.is_some() => {
            "nearly all of each is in a longer one that stays, computed from the documents"
                .to_owned()
        }
        Verify::Exact => format!(
            "resemblance {} or more with one that stays, computed from the documents",
            output::threshold(report.recipe.threshold)
        ),
        Verify::Difference => format!(
            "{} or more of the words of both in the same order in one that stays, counted in the documents",
            output::threshold(report.recipe.threshold)
        ),
        Verify::Estimate => format!(
            "estimated resemblance {} or more; not verified, open to forgery",
            output::threshold(report.recipe.threshold)
        ),
        Verify::None => {
            "by the candidate rule of the recipe; not verified, open to forgery".to_owned()
        }
    }
}

/// What went with documents that are contained in others.
fn add_lost(table: &mut Table, report: &Report) {
    if let Some(lost) = report.lost.filter(|lost| lost.shingles > 0) {
        let what = format!(
            "of their shingles, {} of {}, and at most {} of one document",
            grouped(lost.shingles_lost),
            grouped(lost.shingles),
            share(lost.share),
        );
        table.row(["lost", &percent(lost.shingles_lost, lost.shingles), &what]);
    }
}

/// How many stay that another stands for.
fn add_kept_beside(table: &mut Table, report: &Report) {
    if report.kept_beside > 0 {
        let what = format!(
            "stay beside the document that stands for them, up to {} of a cluster",
            grouped(report.options.keep_count)
        );
        table.row(["kept beside", &grouped(report.kept_beside), &what]);
    }
}

/// How many went for known documents.
fn add_known(table: &mut Table, report: &Report) {
    if let Some(known) = &report.known {
        let what = format!(
            "went for one of the {}, which stay where they are",
            count(known.documents, "known document")
        );
        table.row(["known", &grouped(known.removed), &what]);
    }
}

/// What happened, in a few lines.
pub(super) fn summary(report: &Report, out: &Path, written: Written) -> String {
    let removed = report.removed();
    let text = format!(
        "{} of {} {}, {} {} ({})\n\n",
        grouped(report.kept),
        count(report.documents, "document"),
        if report.kept == 1 { "stays" } else { "stay" },
        grouped(removed),
        if removed == 1 { "goes" } else { "go" },
        percent(removed, report.documents),
    );
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]);
    table.row([
        "exact copies",
        &grouped(report.exact_removed),
        match report.recipe.tokens {
            Tokens::Items => "the same items as one that stays",
            _ => "the same words in the same order as one that stays",
        },
    ]);
    table.row(["near-duplicates", &grouped(report.near_removed), &near(report)]);
    add_known(&mut table, report);
    add_lost(&mut table, report);
    add_kept_beside(&mut table, report);
    table.row(["clusters", &grouped(report.clusters), &largest(report)]);
    table.row(["candidates", &grouped(report.candidates), "pairs that were compared"]);
    if let Some(recall) = report.recipe.recall.filter(|&recall| recall < LOW_RECALL) {
        let what = format!(
            "of the pairs at exactly {}, by the filter that the recipe pins",
            output::threshold(report.recipe.threshold)
        );
        table.row(["found", &format!("{:.1} %", 100.0 * recall), &what]);
    }
    if let Some(passages) = &report.passages {
        let what = if passages.annotated {
            format!("of words, in {}: annotated, not cut", count(passages.cuts, "piece"))
        } else {
            format!(
                "of words, {}: they stand elsewhere in what is kept",
                count(passages.cuts, "cut")
            )
        };
        let share = percent(passages.words_cut, passages.words);
        table.row(["passages", &share, &what]);
    }
    if report.empty > 0 {
        table.row(["empty", &grouped(report.empty), "no words: they resemble nothing, and stay"]);
    }
    if report.skipped > 0 {
        table.row([
            "skipped",
            &grouped(report.skipped),
            "could not be read; report.html names them",
        ]);
    }
    if !report.passed_over.is_empty() {
        let what =
            format!("records that are not documents: {}", output::frequent(&report.passed_over));
        table.row(["passed over", &grouped(report.records_passed_over()), &what]);
    }
    if let Some(limited) = &report.limited {
        let what = format!(
            "groups with more than {} that stay, as of a template: not all were compared",
            limited.limit
        );
        table.row(["limited", &grouped(limited.groups), &what]);
    }
    let alone = report.passages.as_ref().filter(|passages| passages.alone);
    let nothing_read = report.documents == 0 && report.skipped > 0;
    let decided = if nothing_read {
        // A table of noughts would hide it.
        format!(
            "nothing could be read: {} skipped; report.html names them\n",
            grouped(report.skipped)
        )
    } else if let Some(cut) = alone {
        cut_summary(report, cut)
    } else {
        text + &table.text()
    };
    let mut lines = vec![decided];
    lines.extend(report.notes.iter().map(|note| format!("note: {note}\n")));
    lines.push("\n".to_owned());
    let out = out.display();
    let what = match written {
        _ if nothing_read => None,
        Written::Kept => Some("kept         the documents that stay"),
        Written::All => Some("all          all documents"),
        Written::Removed => Some("removed      the documents that go"),
        Written::Nothing => None,
    };
    lines.extend(what.map(|what| format!("{out}/{what}\n")));
    lines.push(format!("{out}/report.html  what happened, with plots and differences\n"));
    lines.concat()
}

/// What was cut, in a few lines.
fn cut_summary(report: &Report, passages: &engine::report::Passages) -> String {
    let fate = if passages.annotated { "are annotated, not cut" } else { "are cut" };
    let text = format!(
        "{} of {} {fate} ({}); they stand elsewhere in what is kept\n\n",
        grouped(passages.words_cut),
        count(passages.words, "word"),
        percent(passages.words_cut, passages.words),
    );
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]);
    let pieces = if passages.annotated { "pieces" } else { "cuts" };
    table.row([pieces, &grouped(passages.cuts), "passages.parquet has each, and where it stays"]);
    table.row([
        "documents",
        &grouped(report.documents),
        &format!(
            "of which {} {}",
            grouped(passages.documents),
            if passages.annotated { "have such words" } else { "were cut" }
        ),
    ]);
    if passages.documents_gone > 0 {
        let lost = match passages.words_lost {
            0 => "all of their words stand elsewhere".to_owned(),
            lost => format!("with {} that were left of them", count(lost, "word")),
        };
        table.row(["gone", &grouped(passages.documents_gone), &lost]);
    }
    text + &table.text()
}

fn cost(report: &Report) -> String {
    let rate = report.text_bytes as f64 / 1e6 / report.seconds.total.max(1e-9);
    format!(
        "read {} of text in {} ({rate:.1} MB/s){}",
        bytes(report.text_bytes),
        duration(report.seconds.total),
        output::memory_at_most(report.peak_memory_bytes),
    )
}

fn largest(report: &Report) -> String {
    match report.cluster_sizes.last() {
        Some([size, _]) => format!("of two documents or more; the largest has {}", grouped(*size)),
        None => "of two documents or more".to_owned(),
    }
}

pub(super) fn show_plan(plan: &Plan, json: bool) -> anyhow::Result<()> {
    if json {
        return output::write_json(&serde_json::to_value(plan)?);
    }
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]);
    let sampled = if plan.sampled_bytes >= plan.stored_bytes {
        "all of it was looked at".to_owned()
    } else {
        format!("about, from the first {} of some files", bytes(plan.sampled_bytes))
    };
    table.row(["files", &grouped(plan.sources), ""]);
    table.row(["bytes", &bytes(plan.stored_bytes), "as they are stored"]);
    table.row(["documents", &grouped(plan.documents), &sampled]);
    if plan.known_documents > 0 {
        table.row(["known", &grouped(plan.known_documents), "documents that stay where they are"]);
    }
    table.row(["text", &bytes(plan.text_bytes), "unpacked"]);
    table.row([
        "disk for results",
        &bytes(plan.result_bytes),
        "and the survivors, at most as much as the inputs",
    ]);
    table.row([
        "disk for working",
        &bytes(plan.working_bytes),
        "at most, if every document were a candidate; freed in the end",
    ]);
    if plan.passage_bytes > 0 {
        table.row([
            "disk for passages",
            &bytes(plan.passage_bytes),
            "of it, if all words were in passages; without any, a tenth",
        ]);
    }
    let per_document = format!("{} bytes a document", plan.memory_bytes_per_document);
    table.row([
        "memory",
        &bytes(plan.least_memory_bytes),
        &format!("at least; of it {per_document}"),
    ]);
    output::write(table.text())?;
    say("dry run: nothing was written");
    Ok(())
}

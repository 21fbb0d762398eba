//! `lookalike eval`: recipes judged by labels, and pairs to label.

use std::path::Path;

use anyhow::{anyhow, bail};
use lookalike::core::Kernel;
use lookalike::engine::Observer as _;
use lookalike::engine::numbers::{count, duration, grouped};
use lookalike::eval::{Error, ErrorKind, Eval as Job, Evaluation, LabelFile, Sample, Share};
use lookalike::{engine, pages};
use serde_json::json;

use crate::exit::{Outcome, say};
use crate::flags::{Eval, EvalCommand, EvalInputs};
use crate::output::{self, Align, Table, printable};
use crate::progress::Watch;
use crate::{interrupt, recipe};

pub(crate) fn run(arguments: &Eval, kernel: Kernel) -> anyhow::Result<Outcome> {
    let common = arguments.inputs();
    let work = common.job.work_folder("eval");
    let job = job(common, kernel)?.temp(Some(work.clone()));
    match &arguments.command {
        None => {
            let differences = arguments.differences as usize;
            let job = job.against(arguments.against.clone()).differences(differences);
            check_out(&job, common, ["eval.json", "eval.html"])?;
            interrupt::watch(INTERRUPTED, vec![work])?;
            evaluate(&job, &arguments.label_file()?, common)
        }
        Some(EvalCommand::Sample { pairs, .. }) => {
            check_out(&job, common, ["pairs.jsonl", "judge.html"])?;
            interrupt::watch(INTERRUPTED, vec![work])?;
            sample(&job, *pairs as usize, common)
        }
    }
}

const INTERRUPTED: &str =
    "interrupted, and nothing was written\nhint: run the same command to start again";

fn job(common: &EvalInputs, kernel: Kernel) -> anyhow::Result<Job> {
    let mut recipes = Vec::new();
    for name in &common.recipes {
        let mut recipe = recipe::load(name)?;
        recipe.sites = common.sites.rule.unwrap_or(recipe.sites);
        recipes.push(recipe);
    }
    Ok(Job::new(common.documents.iter().cloned())
        .running(common.reading.running(common.job.resources.running(kernel)))
        .recipes(recipes)
        .sites(common.sites.rule.unwrap_or_default())
        .identical(common.identical)
        .seed(common.seed)
        .max_candidates(common.max_candidates)
        .strict(common.strict))
}

/// Refuses a folder that cannot be written to, before the work and not after it.
fn check_out(job: &Job, common: &EvalInputs, names: [&str; 2]) -> anyhow::Result<()> {
    let out = common.out();
    if out.exists() && !out.is_dir() {
        bail!("`{}`: is not a folder", out.display());
    }
    job.check_apart(out)?;
    for path in names.map(|name| out.join(name)) {
        if !common.force && path.exists() {
            bail!("`{}`: exists already\nhint: --force replaces it", path.display());
        }
    }
    Ok(())
}

fn evaluate(job: &Job, labels: &LabelFile, common: &EvalInputs) -> anyhow::Result<Outcome> {
    let (evaluation, seconds) =
        Watch::over(common.job.progress.form, |watch| (job.run(labels, watch), watch.seconds()));
    let evaluation = evaluation.map_err(told)?;
    evaluation.write(common.out(), pages::evaluation)?;
    if common.json {
        output::write_json(&serde_json::to_value(&evaluation)?)?;
    } else {
        output::write(summary(&evaluation, common.out()))?;
    }
    say(&format!(
        "{} and {} in {}",
        count(evaluation.documents, "document"),
        count(evaluation.labels.lines, "label"),
        duration(seconds),
    ));
    Ok(Outcome::after_skipping(evaluation.any_skipped().into()))
}

fn sample(job: &Job, pairs: usize, common: &EvalInputs) -> anyhow::Result<Outcome> {
    let sample = Watch::over(common.job.progress.form, |watch| job.sample(pairs, watch));
    let sample = sample.map_err(told)?;
    sample.write(common.out(), pages::judge)?;
    let Sample { pairs, returned, strata, skipped, .. } = &sample;
    if common.json {
        output::write_json(&json!({
            "pairs": pairs.len(),
            "returned": returned,
            "strata": strata,
            "skipped": skipped,
        }))?;
    } else {
        let out = common.out().display();
        output::write(format!(
            "{} of {} that the recipes return, from {}\n\n\
             {out}/judge.html   judge them in a browser; it saves labels.jsonl\n\
             {out}/pairs.jsonl  the pairs, with how many each stands for\n",
            count(pairs.len() as u64, "pair"),
            grouped(*returned),
            match strata {
                1 => "1 stratum".to_owned(),
                strata => format!("{} strata", grouped(*strata)),
            },
        ))?;
    }
    Ok(Outcome::of_search(pairs.len() as u64, *skipped))
}

/// An interrupt ends the program here.
fn told(error: Error) -> anyhow::Error {
    let ErrorKind::Engine(cause) = error.kind() else { return error.into() };
    match cause.kind() {
        engine::ErrorKind::Interrupted => interrupt::exit_after(INTERRUPTED),
        engine::ErrorKind::TooManyCandidates { .. } => {
            anyhow!("{error}, or allow more by --max-candidates")
        }
        _ => error.into(),
    }
}

fn summary(evaluation: &Evaluation, out: &Path) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[Left, Right, Right, Right, Left, Right, Right, Left, Left]);
    table.row([
        "recipe",
        "pairs",
        "pages",
        "judged",
        "precision",
        "same site",
        "different",
        "recall",
        "R",
    ]);
    for recipe in &evaluation.recipes {
        let row = |n: usize| recipe.rows.get(n);
        let brief = |share: Option<Share>| share.map_or("-".to_owned(), |s| two(s.share));
        let whole = |share: Option<Share>| {
            let shown = |s: Share| format!("{} [{}, {}]", two(s.share), two(s.low), two(s.high));
            share.map_or("-".to_owned(), shown)
        };
        table.row([
            &printable(&recipe.name),
            &grouped(recipe.pairs),
            &grouped(recipe.pages),
            &grouped(row(0).map_or(0, |row| row.judged)),
            &whole(row(0).and_then(|row| row.correct)),
            &brief(row(1).and_then(|row| row.correct)),
            &brief(row(2).and_then(|row| row.correct)),
            &whole(row(0).and_then(|row| row.recall)),
            &whole(row(0).and_then(|row| row.r)),
        ]);
    }
    let labels = &evaluation.labels;
    let mut lines = vec![
        table.text(),
        format!(
            "labels: {} correct, {} incorrect, {} undecided",
            grouped(labels.correct),
            grouped(labels.incorrect),
            grouped(labels.undecided)
        ),
    ];
    let left_out = labels.identical + labels.of_removed;
    if left_out > 0 {
        lines.push(format!(
            "left out: {} with the same words as an earlier one, and {} of such",
            count(evaluation.identical_removed, "document"),
            count(left_out, "label"),
        ));
    }
    if labels.skipped > 0 {
        lines.push(format!("skipped: {}", count(labels.skipped, "label")));
    }
    lines.push(format!("\n{}/eval.html  tables and figures\n", out.display()));
    lines.join("\n")
}

/// A share as the paper writes them.
fn two(share: f64) -> String {
    format!("{share:.2}")
}

//! `lookalike eval`: recipes judged by labels, and pairs to label.

mod agreement;
mod saying;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use lookalike_core::{Given as _, Kernel, Recipe};
use lookalike_engine::Observer as _;
use lookalike_engine::numbers::{bytes, count, duration, grouped, percent};
use lookalike_eval::{
    BitsRow, EqualRecall, Eval as Job, Evaluation, Hosts, LabelFile, PageQuality, RecipeEvaluation,
    Sample, SeedMean, SetEvaluation, SetsEvaluation, Share, baseline,
};
use lookalike_files::write_file;
use lookalike_pages as pages;
use serde_json::json;

use self::saying::{INTERRUPTED, check_absent, told, two, whole};
use crate::exit::{Outcome, say};
use crate::flags::{Eval, EvalCommand, EvalInputs, compare_command};
use crate::output::{self, Align, Table, printable};
use crate::progress::Watch;
use crate::{interrupt, recipe};

pub(crate) fn run(arguments: &Eval, kernel: Kernel) -> anyhow::Result<Outcome> {
    if let Some(EvalCommand::Agreement(agreement)) = &arguments.command {
        return agreement::run(agreement);
    }
    let common = arguments.inputs();
    let work = common.job.work_folder("eval");
    let of_inputs = |documents: &[String]| anyhow::Ok(job(common, documents, kernel)?.temp(&work));
    let of_labels = |job: Job| {
        let differences = arguments.differences as usize;
        let job = job.given(arguments.against.as_ref(), Job::against).differences(differences);
        let least = arguments.least_bits.map(|bits| bits as usize);
        job.repeats(arguments.repeats as usize)
            .given(arguments.equal_recall.as_ref(), Job::equal_recall)
            .given(least, Job::least_bits)
    };
    match &arguments.command {
        None if !arguments.sets.is_empty() => {
            let sets = sets(&arguments.sets, common)?;
            let mut jobs = Vec::new();
            for set in sets {
                let job = of_labels(of_inputs(&set.documents)?).learned_to(learned(&set.out));
                // Below the folder of all, which is apart if this one is.
                check_out(&job, common, &set.out, ["eval.json", "eval.html"])?;
                jobs.push((set, job));
            }
            check_names(common, common.out(), ["sets.json", "sets.html"])?;
            interrupt::watch(INTERRUPTED_AMONG_SETS, vec![work.clone()])?;
            evaluate_sets(&jobs, arguments, common)
        }
        None => {
            let job = of_labels(of_inputs(&common.documents)?).learned_to(learned(common.out()));
            check_out(&job, common, common.out(), ["eval.json", "eval.html"])?;
            check_more(&job, arguments, common)?;
            interrupt::watch(INTERRUPTED, vec![work.clone()])?;
            evaluate(&job, arguments, common)
        }
        Some(EvalCommand::Agreement(_)) => unreachable!("it was answered above"),
        Some(EvalCommand::Sample { pairs, .. }) => {
            let job = of_inputs(&common.documents)?;
            check_out(&job, common, common.out(), ["pairs.jsonl", "judge.html"])?;
            interrupt::watch(INTERRUPTED, vec![work.clone()])?;
            sample(&job, *pairs as usize, common)
        }
    }
}

const INTERRUPTED_AMONG_SETS: &str = "interrupted; sets that were named are written\n\
                                     hint: run the same command with --force to start again";

/// One of several sets.
struct Set {
    name: String,
    folder: PathBuf,
    documents: Vec<String>,
    out: PathBuf,
}

/// The sets of these folders, by their names, which differ.
fn sets(folders: &[PathBuf], common: &EvalInputs) -> anyhow::Result<Vec<Set>> {
    let mut sets: Vec<Set> = Vec::new();
    for folder in folders {
        let shown = folder.display();
        let name = folder.canonicalize().ok().filter(|folder| folder.is_dir());
        let name = name.with_context(|| format!("--sets `{shown}`: is not a folder"))?;
        let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.is_empty() || sets.iter().any(|set| set.name == name) {
            bail!("--sets `{shown}`: there are two sets of this name");
        }
        let document = |name: &String| folder.join(name).to_string_lossy().into_owned();
        let documents = common.documents.iter().map(document).collect();
        sets.push(Set { out: common.out().join(&name), name, folder: folder.clone(), documents });
    }
    Ok(sets)
}

fn evaluate_sets(
    jobs: &[(Set, Job)],
    arguments: &Eval,
    common: &EvalInputs,
) -> anyhow::Result<Outcome> {
    let (mut sets, mut recipes, mut skipped) = (Vec::new(), Vec::new(), 0);
    for (number, (set, job)) in jobs.iter().enumerate() {
        let labels = &arguments.label_file(Some(&set.folder))?;
        let run = |watch: &Watch| job.run_observed(labels, watch);
        let evaluation = Watch::over(common.job.progress.form, run).map_err(told)?;
        write(&evaluation, &set.out, common, &set.documents)?;
        say(&format!("{} of {}: {}", number + 1, jobs.len(), printable(&set.name)));
        sets.push(SetEvaluation::new(&set.name, &evaluation));
        recipes = evaluation.recipes.iter().map(|recipe| recipe.name.clone()).collect();
        skipped += u64::from(evaluation.any_skipped());
    }
    let sets = SetsEvaluation::new(recipes, sets);
    let (json, page) = (common.out().join("sets.json"), common.out().join("sets.html"));
    write_file(&json, serde_json::to_string_pretty(&sets)?.as_bytes())?;
    write_file(&page, pages::sets(&sets).as_bytes())?;
    if common.json {
        output::write_json(&serde_json::to_value(&sets)?)?;
    } else {
        let page = page.display();
        output::write(format!("{}\n{page}  a row for each set\n", sets_table(&sets)))?;
    }
    Ok(Outcome::after_skipping(skipped))
}

/// Recall and the share of incorrect pairs on each set.
fn sets_table(sets: &SetsEvaluation) -> String {
    let mut table = Table::new(&vec![Align::Left; sets.recipes.len() + 1]);
    let shown = |recall: Option<f64>, incorrect: f64| {
        let recall = recall.map_or("-".to_owned(), |recall| format!("{recall:.3}"));
        format!("{recall}, {:.1} %", 100.0 * incorrect)
    };
    let head = std::iter::once("recall, incorrect".to_owned());
    table.row_of(head.chain(sets.recipes.iter().map(|name| printable(name))).collect());
    let mut row = |name: &str, cells: Vec<String>| {
        table.row_of(std::iter::once(name.to_owned()).chain(cells).collect());
    };
    for set in &sets.sets {
        let cells = set.qualities.iter().map(|quality| shown(quality.recall, quality.incorrect));
        row(&printable(&set.name), cells.collect());
    }
    let over = sets.over_sets.iter();
    row("median", over.clone().map(|o| shown(o.median_recall, o.median_incorrect)).collect());
    let share = |worst: &Option<(String, f64)>| worst.as_ref().map(|(_, share)| *share);
    let worst =
        over.map(|o| shown(share(&o.worst_recall), share(&o.worst_incorrect).unwrap_or(0.0)));
    row("worst", worst.collect());
    table.text()
}

fn job(common: &EvalInputs, documents: &[String], kernel: Kernel) -> anyhow::Result<Job> {
    let mut recipes = Vec::new();
    for name in common.recipes.names() {
        let mut recipe: Recipe = baseline(name).map_or_else(|| recipe::load(name), Ok)?;
        recipe.sites = common.sites.rule.unwrap_or(recipe.sites);
        recipes.push(recipe::with_secret(recipe, common.secret_seed.as_deref())?);
    }
    Ok(Job::new(documents)
        .running(common.reading.running(common.job.resources.running(kernel)))
        .recipes(recipes)
        .sites(common.sites.rule.unwrap_or_default())
        .identical(common.identical)
        .seed(common.seed)
        .max_candidates(common.max_candidates)
        .when(common.strict, Job::strict))
}

/// Refuses a folder that cannot be written to, before the work and not after it.
fn check_out(job: &Job, common: &EvalInputs, out: &Path, names: [&str; 2]) -> anyhow::Result<()> {
    job.check_apart(out)?;
    check_names(common, out, names)
}

fn check_names(common: &EvalInputs, out: &Path, names: [&str; 2]) -> anyhow::Result<()> {
    if out.exists() && !out.is_dir() {
        bail!("`{}`: is not a folder", out.display());
    }
    names.iter().try_for_each(|name| check_new(&out.join(name), common))
}

/// The same for what is written beside the folder.
fn check_more(job: &Job, arguments: &Eval, common: &EvalInputs) -> anyhow::Result<()> {
    for path in [&arguments.csv, &arguments.figures].into_iter().flatten() {
        job.check_apart(path)?;
    }
    if let Some(file) = &arguments.csv {
        if file.is_dir() {
            bail!("--csv `{}`: is a folder", file.display());
        }
        check_new(file, common)?;
    }
    if let Some(folder) = &arguments.figures {
        if folder.exists() && !folder.is_dir() {
            bail!("--figures `{}`: is not a folder", folder.display());
        }
        check_new(&folder.join("recipes.svg"), common)?;
    }
    Ok(())
}

fn check_new(path: &Path, common: &EvalInputs) -> anyhow::Result<()> {
    check_absent(path, common.force)
}

/// Where what recipes have learned is, below the results.
fn learned(out: &Path) -> PathBuf {
    out.join("learned")
}

/// Writes the numbers and the page, on which every pair has the command that compares it.
fn write(
    evaluation: &Evaluation,
    out: &Path,
    common: &EvalInputs,
    documents: &[String],
) -> anyhow::Result<()> {
    let names: Vec<&str> = common.recipes.names().collect();
    let compare = |recipe: usize, ids: [&str; 2]| {
        let by = match &evaluation.recipes.get(recipe)?.learned {
            // The recipe is beside it.
            Some(learned) => ("--learned", learned.to_string_lossy().into_owned()),
            // A baseline is no recipe that `compare` knows.
            None => {
                ("--recipe", (*names.get(recipe).filter(|n| baseline(n).is_none())?).to_owned())
            }
        };
        // Standard input cannot be read again.
        let again = !documents.iter().any(|document| document == "-");
        again.then(|| compare_command(documents, &common.reading, by, ids))
    };
    let page = |evaluation: &Evaluation| pages::evaluation_with_commands(evaluation, &compare);
    Ok(evaluation.write(out, page)?)
}

/// Writes what was asked for beside the folder of results; what was written.
fn write_more(
    evaluation: &Evaluation,
    arguments: &Eval,
) -> anyhow::Result<Vec<(PathBuf, &'static str)>> {
    let mut written = Vec::new();
    if let Some(file) = &arguments.csv {
        write_file(file, evaluation.csv().as_bytes())?;
        written.push((file.clone(), "the numbers, one a row"));
    }
    if let Some(folder) = &arguments.figures {
        let name = folder.display();
        fs::create_dir_all(folder).with_context(|| format!("`{name}`: cannot be created"))?;
        for figure in pages::figures(evaluation)? {
            write_file(&folder.join(format!("{}.svg", figure.name)), figure.svg.as_bytes())?;
            write_file(&folder.join(format!("{}.png", figure.name)), &figure.png)?;
        }
        written.push((folder.clone(), "figures, SVG and PNG"));
    }
    Ok(written)
}

fn evaluate(job: &Job, arguments: &Eval, common: &EvalInputs) -> anyhow::Result<Outcome> {
    let labels: &LabelFile = &arguments.label_file(None)?;
    let (evaluation, seconds) = Watch::over(common.job.progress.form, |watch| {
        (job.run_observed(labels, watch), watch.seconds())
    });
    let evaluation = evaluation.map_err(told)?;
    write(&evaluation, common.out(), common, &common.documents)?;
    let mut written = vec![(common.out().join("eval.html"), "tables and figures")];
    written.extend(write_more(&evaluation, arguments)?);
    if common.json {
        output::write_json(&serde_json::to_value(&evaluation)?)?;
    } else {
        output::write(summary(&evaluation, &written))?;
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
    let sample = Watch::over(common.job.progress.form, |watch| job.sample_observed(pairs, watch));
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

fn summary(evaluation: &Evaluation, written: &[(PathBuf, &str)]) -> String {
    let labels = &evaluation.labels;
    let measured = format!(
        "measured on {}: {} same, {} different, {} undecided (in no share)",
        count(labels.correct + labels.incorrect + labels.undecided, "labelled pair"),
        grouped(labels.correct),
        grouped(labels.incorrect),
        grouped(labels.undecided)
    );
    let mut lines = vec![headline(evaluation), measured];
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
    lines.push(String::new());
    lines.push(quality_table(evaluation));
    if evaluation.recipes.iter().any(|recipe| recipe.over_seeds.is_some()) {
        lines.push(seed_table(evaluation));
    }
    lines.push(pair_table(evaluation));
    lines.extend(evaluation.equal_recall.as_ref().map(|of| equal_recall(evaluation, of)));
    lines.push(page_table(evaluation));
    lines.extend(site_table(evaluation));
    lines.push(host_line(&evaluation.hosts));
    lines.push(String::new());
    lines.push(cost_table(evaluation));
    let mut files = Table::new(&[Align::Left, Align::Left]);
    for (path, what) in written {
        files.row([&path.display().to_string(), what]);
    }
    lines.join("\n") + "\n" + &files.text()
}

/// The best recipe by F1, the first of equals.
fn headline(evaluation: &Evaluation) -> String {
    let with_f1 = evaluation.recipes.iter().filter_map(|recipe| Some((recipe, recipe.quality.f1?)));
    let best = with_f1.reduce(|best, next| if next.1.share > best.1.share { next } else { best });
    let Some((recipe, f1)) = best else {
        return "no F1: there is no correct pair among the labels".to_owned();
    };
    format!(
        "{}F1 {} for {}: precision {}, recall {}",
        if evaluation.recipes.len() > 1 { "best " } else { "" },
        whole(Some(f1)),
        printable(&recipe.name),
        whole(recipe.quality.precision),
        whole(recipe.quality.recall),
    )
}

fn quality_table(evaluation: &Evaluation) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[Left, Left, Left, Left, Right, Right, Right, Right]);
    table.row(["recipe", "F1", "precision", "recall", "right", "wrong", "undecided", "missed"]);
    for RecipeEvaluation { name, quality, .. } in &evaluation.recipes {
        table.row([
            &printable(name),
            &whole(quality.f1),
            &whole(quality.precision),
            &whole(quality.recall),
            &grouped(quality.right),
            &grouped(quality.wrong),
            &grouped(quality.undecided),
            &grouped(quality.missed),
        ]);
    }
    table.text()
}

fn seed_table(evaluation: &Evaluation) -> String {
    use Align::{Left, Right};
    let mean = |mean: &Option<SeedMean>| {
        let shown = |of: &SeedMean| format!("{} [{}, {}]", two(of.mean), two(of.low), two(of.high));
        mean.as_ref().map_or("-".to_owned(), shown)
    };
    let mut table = Table::new(&[Left, Right, Left, Left, Left]);
    table.row(["means over seeds", "seeds", "F1", "precision", "recall"]);
    for recipe in &evaluation.recipes {
        let Some(seeds) = &recipe.over_seeds else { continue };
        table.row([
            &printable(&recipe.name),
            &seeds.runs.len().to_string(),
            &mean(&seeds.f1),
            &mean(&seeds.precision),
            &mean(&seeds.recall),
        ]);
    }
    table.text()
}

fn pair_table(evaluation: &Evaluation) -> String {
    use Align::{Left, Right};
    let brief = |share: Option<Share>| share.map_or("-".to_owned(), |s| two(s.share));
    let mut table = Table::new(&[Left, Right, Right, Left, Right, Right, Right, Right]);
    table.row([
        "recipe",
        "pairs",
        "pages",
        "R",
        "precision: same site",
        "different",
        "clusters: pairwise F1",
        "B-cubed F1",
    ]);
    for recipe in &evaluation.recipes {
        let row = |n: usize| recipe.rows.get(n);
        let f1 = |f1: Option<f64>| f1.map_or("-".to_owned(), two);
        table.row([
            &printable(&recipe.name),
            &grouped(recipe.pairs),
            &grouped(recipe.pages),
            &whole(row(0).and_then(|row| row.r)),
            &brief(row(1).and_then(|row| row.precision)),
            &brief(row(2).and_then(|row| row.precision)),
            &f1(recipe.clusters.and_then(|clusters| clusters.pairwise.f1)),
            &f1(recipe.clusters.and_then(|clusters| clusters.b_cubed.f1)),
        ]);
    }
    table.text()
}

/// The bits that give as many correct pairs, and what precision is then.
fn equal_recall(evaluation: &Evaluation, of: &EqualRecall) -> String {
    let (recipe, against) = (printable(&of.recipe), printable(&of.against));
    let Some(chosen) = of.chosen else {
        let fewest = of.thresholds.first();
        let (bits, right) = fewest.map_or((0, 0), |row| (row.agree, right(row)));
        return match of.wanted {
            0 => format!("equal recall: no correct pair of {against} is known\n"),
            wanted => format!(
                "equal recall: {recipe} returns {} from {bits} equal bits on, fewer than the {} of \
                 {against}\nhint: --least-bits below {bits}\n",
                count(right, "correct pair"),
                grouped(wanted),
            ),
        };
    };
    let theirs = evaluation.recipes.iter().find(|recipe| recipe.name == of.against);
    let row = of.rows.first();
    format!(
        "equal recall: {recipe} returns at least as many correct pairs as {against} from {chosen} equal \
         bits on\n  {} of {}, precision {}; {against}: {}, precision {}\n  as a recipe: agree = \
         {chosen}, pieces = {} in [projection]\n",
        row.map_or(0, right),
        count(row.map_or(0, |row| row.pairs), "pair"),
        whole(row.and_then(|row| row.precision)),
        grouped(of.wanted),
        whole(theirs.and_then(|recipe| recipe.quality.precision)),
        of.pieces.unwrap_or_default(),
    )
}

/// The correct pairs of a row.
fn right(row: &BitsRow) -> u64 {
    row.correct.map_or(0, |correct| correct.number)
}

/// Precision in other ways: with forms as correct, if there are any, and by pages.
fn page_table(evaluation: &Evaluation) -> String {
    use Align::{Left, Right};
    let forms = evaluation.labels.forms > 0;
    let mut columns = vec![Left, Right, Right, Right, Right, Left, Left];
    let mut head =
        vec!["by pages", "right", "wrong", "undecided", "unknown", "at least", "precision"];
    if forms {
        columns.push(Left);
        head.push("pairs, forms as correct");
    }
    let mut table = Table::new(&columns);
    table.row_of(head.into_iter().map(str::to_owned).collect());
    for recipe in &evaluation.recipes {
        let PageQuality { right, wrong, undecided, unknown, at_least, precision, .. } =
            recipe.page_quality;
        let numbers = [right, wrong, undecided, unknown].map(grouped);
        let mut row = vec![printable(&recipe.name)];
        row.extend(numbers);
        row.extend([whole(at_least), whole(precision)]);
        if forms {
            row.push(whole(recipe.rows.first().and_then(|row| row.precision_with_forms)));
        }
        table.row_of(row);
    }
    table.text()
}

/// The sites with the most faults of each recipe; nothing if no document has a site.
fn site_table(evaluation: &Evaluation) -> Option<String> {
    use Align::{Left, Right};
    let mut table = Table::new(&[Left, Left, Right, Right, Right, Right]);
    table.row(["recipe", "sites with the most faults", "wrong", "missed", "pairs", "of its pairs"]);
    let mut any = false;
    for recipe in &evaluation.recipes {
        for site in recipe.faults.sites.iter().take(SITES_SHOWN) {
            any = true;
            table.row([
                &printable(&recipe.name),
                &printable(&site.site),
                &grouped(site.wrong),
                &grouped(site.missed),
                &grouped(site.pairs),
                &percent(site.pairs, recipe.pairs),
            ]);
        }
    }
    any.then(|| table.text())
}

/// Sites of a recipe that are shown; all that are told are in the files.
const SITES_SHOWN: usize = 2;

fn host_line(hosts: &Hosts) -> String {
    let Some(average) = hosts.average else { return "no document has a host".to_owned() };
    format!(
        "{}, {average:.1} pages each on average; half have at most {}, nine in ten at most {}",
        count(hosts.hosts, "host"),
        grouped(hosts.median.unwrap_or_default()),
        grouped(hosts.ninth_decile.unwrap_or_default()),
    )
}

fn cost_table(evaluation: &Evaluation) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[Left, Right, Right, Right, Right]);
    table.row(["recipe", "bytes a signature", "signing", "matching", "peak memory"]);
    for RecipeEvaluation { name, signature_bytes, cost, .. } in &evaluation.recipes {
        table.row([
            &printable(name),
            &grouped(*signature_bytes),
            &duration(cost.signing_seconds),
            &duration(cost.matching_seconds),
            &cost.peak_memory_bytes.map_or("-".to_owned(), bytes),
        ]);
    }
    table.text()
}

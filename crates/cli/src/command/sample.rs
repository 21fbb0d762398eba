//! `lookalike tune --sample`: how the rule of a recipe does on the user's own documents.

use lookalike_core::{Kernel, Recipe};
use lookalike_engine::check_sets;
use lookalike_eval::{FilterMeasurement, FilterSample, PairCandidates};

use crate::exit::say;
use crate::flags::Tune;
use crate::output::{self, Align, Table, count, percent, threshold};
use crate::skipped::SkipCount;

/// Signs and compares the documents of the sample.
pub(crate) fn measure(
    arguments: &Tune,
    recipe: &Recipe,
    threshold: f64,
    kernel: Kernel,
) -> anyhow::Result<FilterMeasurement> {
    let sample = FilterSample {
        recipe: recipe.clone(),
        threshold,
        seed: arguments.seed.unwrap_or(recipe.seed),
        seeds: arguments.seeds,
        limit: arguments.sample_limit.into(),
    };
    check_sets(recipe, &arguments.documents.options().fields)?;
    let mut skipped = SkipCount::default();
    let documents = arguments.documents.of(&arguments.sample)?;
    Ok(sample.measure(documents, kernel, |error| skipped.add(error, say))?)
}

/// What was found, as a table and sentences.
pub(crate) fn text(measured: &FilterMeasurement) -> String {
    let cut = if measured.cut { ", the first of more (--sample-limit)" } else { "" };
    let seeds = match measured.seeds.len() {
        1 => String::new(),
        seeds => format!(", under {seeds} seeds"),
    };
    let mut text = format!(
        "measured on {}{cut}, every pair compared exactly{seeds}:\n\n",
        count(measured.documents, "document")
    );
    let mut table =
        Table::new(&[Align::Left, Align::Right, Align::Right, Align::Left, Align::Right]);
    // A rule that is no filter predicts nothing.
    let is_filter = measured.bins.iter().any(|bin| bin.pairs.predicted().is_some());
    let last = if is_filter { "predicted" } else { "" };
    table.row(["resemblance", "pairs", "became candidates", "95 % interval", last]);
    let or_dash = |share: Option<f64>| share.map_or("-".to_owned(), percent);
    for bin in &measured.bins {
        let pairs = &bin.pairs;
        let range = format!("{:.2} to {:.2}", bin.range.start, bin.range.end);
        let cells = [output::grouped(pairs.pairs), or_dash(pairs.share())];
        let predicted = if is_filter { or_dash(pairs.predicted()) } else { String::new() };
        table.row([&range, &cells[0], &cells[1], &interval(pairs), &predicted]);
    }
    text += &table.text();
    let at = threshold(measured.threshold);
    let Some(share) = measured.wanted.share() else {
        return text
            + &format!(
                "\nno pair has a resemblance of {at} or more, so the sample tells nothing of \
                 recall\n"
            );
    };
    let about = if measured.seeds.len() > 1 {
        "intervals are over seeds: of what these documents give under others\n"
    } else {
        "intervals are over pairs, and too narrow: all pairs under one seed share its random\n\
         choices; --seeds 10 gives intervals over seeds\n"
    };
    let predicted = measured.wanted.predicted().map(percent);
    let predicted = predicted.map(|share| format!("; {share} were predicted")).unwrap_or_default();
    text + &format!(
        "\nof {} of resemblance {at} or more, {} became candidates ({}){predicted}\n",
        count(measured.wanted.pairs, "pair"),
        percent(share),
        interval(&measured.wanted),
    ) + about
}

/// The ends of an interval, as percentages.
fn interval(pairs: &PairCandidates) -> String {
    let shown = |(low, high): (f64, f64)| {
        format!("{} to {}", percent(low).trim_end_matches(" %"), percent(high))
    };
    pairs.interval().map_or("-".to_owned(), shown)
}

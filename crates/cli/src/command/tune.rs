//! `lookalike tune`: a filter for a purpose, or what a filter does.

use std::path::Path;

use anyhow::bail;
use lookalike_core::filter::Filter;
use lookalike_core::recipe::{MAX_SUPER_FEATURES, Verify};
use lookalike_core::{Kernel, Recipe};
use lookalike_eval::FilterMeasurement;
use lookalike_files::write_file;
use lookalike_pages::{FilterPlot, Scale};
use serde_json::json;

use super::sample;
use crate::exit::{Outcome, say};
use crate::flags::{PlotFormat, Tune, TuneGoal, plot_format};
use crate::output::{self, Align, Style, Table, grouped, percent, probability, threshold};
use crate::recipe;

/// Points of the curve in JSON: steps of 0.005, so that 0.77 and 0.975 are among them.
const CURVE: usize = 201;

/// Resemblances at which the text form says what the filter does.
const SHOWN: [f64; 10] = [0.5, 0.6, 0.7, 0.77, 0.8, 0.85, 0.9, 0.95, 0.975, 0.99];

pub(crate) fn run(arguments: &Tune, kernel: Kernel) -> anyhow::Result<Outcome> {
    let recipe = arguments.recipe.as_deref().map_or_else(|| Ok(Recipe::default()), recipe::load)?;
    let (filter, wanted) = match arguments.goal()? {
        TuneGoal::Filter(filter) => (filter, None),
        TuneGoal::Purpose(search) => (search.run()?.filter, Some(search.threshold)),
        TuneGoal::Recipe => {
            let Some(filter) = recipe.features else {
                bail!(
                    "the recipe `{}` has no filter: its candidates are made by `{}`\n\
                     hint: --threshold or --k, --s and --r give one",
                    recipe.name,
                    recipe.candidates.name()
                );
            };
            (filter, (recipe.verify != Verify::None).then_some(recipe.threshold))
        }
    };
    let measured = if arguments.sample.is_empty() {
        None
    } else {
        // A given filter has no threshold; half of the pairs is where it draws the line.
        let threshold = wanted.unwrap_or_else(|| (filter.half_point() * 100.0).round() / 100.0);
        Some(sample::measure(arguments, &recipe, filter, threshold.max(0.01), kernel)?)
    };
    if let Some(path) = &arguments.plot {
        draw(path, arguments.scale, filter, wanted, measured.as_ref())?;
    }
    if arguments.json {
        output::write_json(&json(filter, wanted, measured.as_ref()))?;
    } else {
        let mut text = text(filter, wanted, Style::of_stdout());
        if let Some(measured) = &measured {
            text.push('\n');
            text += &sample::text(measured);
        }
        output::write(text)?;
    }
    Ok(Outcome::after_skipping(measured.map_or(0, |measured| measured.skipped)))
}

/// Resemblances below the threshold at which candidates are only work.
fn to_verify(threshold: f64) -> impl Iterator<Item = f64> {
    // Rounded, so that 0.8 - 0.1 is 0.7 and not a neighbour of it.
    let below = [0.1, 0.2].map(|step| ((threshold - step) * 1e9).round() / 1e9);
    below.into_iter().filter(|&x| x > 0.0)
}

fn json(
    filter: Filter,
    wanted: Option<f64>,
    measured: Option<&FilterMeasurement>,
) -> serde_json::Value {
    let mut object = json!({
        "k": filter.k(),
        "s": filter.s(),
        "r": filter.r(),
        "permutations": filter.permutations(),
        "bytes_per_document": filter.bytes_per_document(),
        "super_features": filter.super_features(),
        "half_point": filter.half_point(),
        "steepest_at": filter.steepest_at(),
        "filter_steepest_at": filter.filter_steepest_at(),
        "curve": filter.curve(CURVE),
    });
    if let Some(threshold) = wanted {
        let points: Vec<_> = to_verify(threshold).map(|x| (x, filter.probability(x))).collect();
        object["threshold"] = json!(threshold);
        object["recall"] = json!(filter.probability(threshold));
        object["to_verify"] = json!(points);
    }
    if let Some(measured) = measured {
        object["sample"] = measured.to_json();
    }
    object
}

fn text(filter: Filter, wanted: Option<f64>, style: Style) -> String {
    let (k, s, r) = (filter.k(), filter.s(), filter.r());
    let shared = if r == 1 { "a feature".to_owned() } else { format!("{r} features") };
    let headline = format!(
        "filter {filter}: {k} features of {s} minvalues; to share {shared} makes a candidate"
    );
    let mut text = format!("{}\n\n", style.bold(&headline));

    let mut cost = Table::new(&[Align::Left, Align::Right, Align::Left]);
    let mut row = |name: &str, value: String, meaning: &str| cost.row([name, &value, meaning]);
    row("permutations", grouped(filter.permutations().into()), "what signing a document costs");
    row("bytes per document", grouped(filter.bytes_per_document().into()), "of features");
    if filter.super_features() > MAX_SUPER_FEATURES {
        row("features", grouped(k.into()), "records a document; those in common are counted");
    } else {
        row("super-features", grouped(filter.super_features()), "records a document when matching");
    }
    row(
        "half point",
        format!("{:.4}", filter.half_point()),
        "half of such pairs become candidates",
    );
    let power = format!("where x^{s} is the steepest of all powers of the resemblance x");
    row("steepest at", format!("{:.4}", filter.steepest_at()), &power);
    row(
        "filter steepest at",
        format!("{:.4}", filter.filter_steepest_at()),
        "where the filter itself is",
    );
    text += &cost.text();
    text.push('\n');

    let mut points = SHOWN.to_vec();
    if let Some(threshold) = wanted {
        points.push(threshold);
        points.extend(to_verify(threshold));
    }
    points.sort_by(f64::total_cmp);
    points.dedup();
    let mut curve = Table::new(&[Align::Left, Align::Right, Align::Right, Align::Left]);
    curve.row(["resemblance", "P(candidate)", "P(missed)", ""]);
    for x in points {
        let mark = if wanted == Some(x) { "<- threshold" } else { "" };
        let found = probability(filter.probability(x));
        curve.row([&threshold(x), &found, &probability(filter.miss(x)), mark]);
    }
    text += &curve.text();
    text.push('\n');
    text += &sentences(filter, wanted);
    text
}

/// What the table means.
fn sentences(filter: Filter, wanted: Option<f64>) -> String {
    let Some(at) = wanted else {
        let misses = [0.975, 0.99].map(|x| (x, filter.miss(x)));
        let miss =
            |(x, miss): (f64, f64)| format!("at {x}, {} of pairs are missed\n", percent(miss));
        return misses.map(miss).concat();
    };
    let mut text =
        format!("at the threshold {at}, {} of pairs are missed", percent(filter.miss(at)));
    let wasted: Vec<String> = to_verify(at)
        .map(|x| format!("{} of those at {x}", percent(filter.probability(x))))
        .collect();
    if !wasted.is_empty() {
        text.extend([";\nto be verified and refused: ", &wasted.join(", ")]);
    }
    text.push('\n');
    text
}

/// Draws the curve into a file that appears when it is complete.
fn draw(
    path: &Path,
    scale: Scale,
    filter: Filter,
    wanted: Option<f64>,
    measured: Option<&FilterMeasurement>,
) -> anyhow::Result<()> {
    let points = measured.map(FilterMeasurement::points).unwrap_or_default();
    let picture = FilterPlot {
        title: format!("The filter {filter}"),
        filter: &filter,
        threshold: wanted,
        scale,
        measured: &points,
    };
    let bytes = match plot_format(path)? {
        PlotFormat::Svg => picture.svg()?.into_bytes(),
        PlotFormat::Png => picture.png()?,
    };
    write_file(path, &bytes)?;
    say(&format!("drew the curve into `{}`", path.display()));
    Ok(())
}

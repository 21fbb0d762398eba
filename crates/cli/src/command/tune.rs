//! `lookalike tune`: a filter for a purpose, or what a filter does.

use std::path::Path;

use anyhow::bail;
use lookalike_core::filter::{ENOUGH_FOR, FINGERPRINT_BITS, Filter, fingerprint_bits};
use lookalike_core::recipe::{Candidates, MAX_SUPER_FEATURES, Verify};
use lookalike_core::{Kernel, Recipe};
use lookalike_eval::{FilterMeasurement, FilterSample};
use lookalike_files::write_file;
use lookalike_pages::{FilterPlot, Scale};
use serde_json::json;

use super::{lists, sample};
use crate::exit::{Outcome, say};
use crate::flags::{PlotFormat, Tune, TuneGoal, plot_format};
use crate::output::{self, Align, Style, Table, grouped, percent, probability, threshold};
use crate::recipe;

/// Points of the curve in JSON: steps of 0.005, so that 0.77 and 0.975 are among them.
const CURVE: usize = 201;

/// Resemblances at which the text form says what the filter does.
const SHOWN: [f64; 10] = [0.5, 0.6, 0.7, 0.77, 0.8, 0.85, 0.9, 0.95, 0.975, 0.99];

pub(crate) fn run(arguments: &Tune, kernel: Kernel) -> anyhow::Result<Outcome> {
    let name = arguments.recipe.as_deref().unwrap_or(arguments.documents.recipe());
    let recipe = recipe::load(name)?;
    let own_threshold = (recipe.verify != Verify::None).then(|| recipe.least_resemblance());
    let (filter, wanted) = match arguments.goal()? {
        TuneGoal::Filter(filter) => (filter, None),
        TuneGoal::Purpose(search) => (search.run()?.filter, Some(search.threshold)),
        TuneGoal::Lists(rule) => return lists::run(arguments, rule),
        TuneGoal::Recipe => match (recipe.candidates, recipe.features) {
            (Candidates::Features, Some(filter)) => (filter, own_threshold),
            _ if !arguments.sample.is_empty() => return of_rule(arguments, &recipe, kernel),
            (Candidates::Lists, _) => match lists::of_recipe(&recipe) {
                Some(rule) => return lists::run(arguments, rule),
                None => bail!("the recipe `{}` has no lists", recipe.name),
            },
            _ => bail!(
                "no filter alone makes the candidates of the recipe `{}`: its rule is `{}`\n\
                 hint: --sample INPUT measures what it finds; --threshold or --k, --s and --r give a filter",
                recipe.name,
                recipe.candidates.name()
            ),
        },
    };
    let measured = if arguments.sample.is_empty() {
        None
    } else {
        // A given filter has no threshold; half of the pairs is where it draws the line.
        let threshold = wanted.unwrap_or_else(|| (filter.half_point() * 100.0).round() / 100.0);
        let recipe = FilterSample::with_filter(&recipe, filter);
        Some(sample::measure(arguments, &recipe, threshold.max(0.01), kernel)?)
    };
    if let Some(path) = &arguments.plot {
        draw(path, arguments.scale, filter, wanted, measured.as_ref())?;
    }
    if arguments.json {
        output::write_json(&json(arguments, filter, wanted, measured.as_ref()))?;
    } else {
        let mut text = text(filter, wanted, Style::of_stdout());
        if let Some(documents) = arguments.collection {
            text.push('\n');
            text += &collisions(filter, documents);
        }
        if let Some(measured) = &measured {
            text.push('\n');
            text += &sample::text(measured);
        }
        output::write(text)?;
    }
    Ok(Outcome::after_skipping(measured.map_or(0, |measured| measured.skipped)))
}

/// A recipe whose candidates no filter alone makes, measured.
fn of_rule(arguments: &Tune, recipe: &Recipe, kernel: Kernel) -> anyhow::Result<Outcome> {
    if arguments.plot.is_some() {
        bail!(
            "--plot draws the curve of a filter, which the rule `{}` has not",
            recipe.candidates.name()
        );
    }
    let measured = sample::measure(arguments, recipe, recipe.threshold, kernel)?;
    if arguments.json {
        let rule = recipe.candidates.name();
        output::write_json(&json!({ "rule": rule, "sample": measured.to_json() }))?;
    } else {
        let what =
            format!("candidates of `{}`, by the rule `{}`", recipe.name, recipe.candidates.name());
        let text = format!("{}\n\n{}", Style::of_stdout().bold(&what), sample::text(&measured));
        output::write(text)?;
    }
    Ok(Outcome::after_skipping(measured.skipped))
}

/// What fingerprints of so many documents mean.
fn collisions(filter: Filter, documents: u64) -> String {
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]);
    let mut row = |name: &str, value: &str, meaning: &str| table.row([name, value, meaning]);
    let wanted = format!("{:.1}", fingerprint_bits(documents));
    let rule = format!("2 log2 m + 20 for {} documents", grouped(documents));
    row("bits wanted", &wanted, &rule);
    let enough = format!("which is that for {}", grouped(ENOUGH_FOR));
    row("bits here", &FINGERPRINT_BITS.to_string(), &enough);
    let meaning = "unlike pairs that become candidates because fingerprints collide";
    row("pairs by chance", &probability(filter.pairs_by_chance(documents)), meaning);
    format!(
        "{}verification refuses them; a recipe that does not verify takes them for look-alikes\n",
        table.text()
    )
}

/// Resemblances below the threshold at which candidates are only work.
fn to_verify(threshold: f64) -> impl Iterator<Item = f64> {
    // Rounded, so that 0.8 - 0.1 is 0.7 and not a neighbour of it.
    let below = [0.1, 0.2].map(|step| ((threshold - step) * 1e9).round() / 1e9);
    below.into_iter().filter(|&x| x > 0.0)
}

fn json(
    arguments: &Tune,
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
        "error": filter.error(wanted.unwrap_or(filter.half_point())),
        "curve": filter.curve(CURVE),
    });
    if let Some(documents) = arguments.collection {
        object["collisions"] = json!({
            "documents": documents,
            "bits_wanted": fingerprint_bits(documents),
            "bits": FINGERPRINT_BITS,
            "pairs_by_chance": filter.pairs_by_chance(documents),
        });
    }
    if let Some(threshold) = wanted {
        let points: Vec<_> = to_verify(threshold).map(|x| (x, filter.probability(x))).collect();
        object["threshold"] = json!(threshold);
        object["recall"] = json!(filter.probability(threshold));
        object["features_in_common"] = json!(filter.features_in_common(threshold));
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
        "filter {filter}: {} of {}; to share {shared} makes a candidate",
        output::count(k.into(), "feature"),
        output::count(s.into(), "minvalue")
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
    let at = wanted.unwrap_or(filter.half_point());
    let shown = wanted.map_or_else(|| format!("{at:.4}"), threshold);
    let common = format!("of {k} at {shown}, on average: Broder takes r near it");
    row("features in common", format!("{:.2}", filter.features_in_common(at)), &common);
    let [below, above] = filter.error(at);
    let error = format!(
        "{below:.4} pass below {shown} and {above:.4} are missed above, were all x equally frequent"
    );
    row("total error", format!("{:.4}", below + above), &error);
    text += &cost.text();
    text.push('\n');

    let mut points = SHOWN.to_vec();
    if let Some(threshold) = wanted {
        points.push(threshold);
        points.extend(to_verify(threshold));
    }
    points.sort_by(f64::total_cmp);
    points.dedup();
    let mut curve =
        Table::new(&[Align::Left, Align::Right, Align::Right, Align::Right, Align::Left]);
    let feature = format!("x^{s}");
    curve.row(["resemblance x", &feature, "P(candidate)", "P(missed)", ""]);
    for x in points {
        let mark = if wanted == Some(x) { "<- threshold" } else { "" };
        let found = probability(filter.probability(x));
        let feature = probability(filter.feature_probability(x));
        curve.row([&threshold(x), &feature, &found, &probability(filter.miss(x)), mark]);
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

//! `lookalike tune --lists`: how many edits Pugh's lists survive.

use std::path::Path;

use lookalike_core::Recipe;
use lookalike_core::filter::{lists_accept, lists_share};
use lookalike_core::recipe::SketchParameters;
use lookalike_files::write_file;
use lookalike_pages::ListsPlot;
use serde_json::json;

use crate::exit::{Outcome, say};
use crate::flags::{ListsRule, PlotFormat, Tune, plot_format};
use crate::output::{self, Align, Style, Table, count, grouped, probability};

/// Edits that the text form shows.
const SHOWN: [u64; 14] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48];

/// Edits of the curve in JSON.
const CURVE: u64 = 100;

/// The lists of a recipe.
pub(super) fn of_recipe(recipe: &Recipe) -> Option<ListsRule> {
    match recipe.sketch {
        SketchParameters::Lists { lists, repeats, agree, .. } => Some(ListsRule {
            lists: lists.try_into().ok()?,
            repeats: repeats.try_into().ok()?,
            agree: agree.try_into().ok()?,
        }),
        _ => None,
    }
}

pub(super) fn run(arguments: &Tune, rule: ListsRule) -> anyhow::Result<Outcome> {
    if let Some(path) = &arguments.plot {
        draw(path, rule)?;
    }
    if arguments.json {
        output::write_json(&json(rule, arguments.collection)?)?;
    } else {
        output::write(text(rule, arguments.collection)?)?;
    }
    Ok(Outcome::Done)
}

/// The chance that a pair with so many edits is found.
fn accept(rule: ListsRule, edits: u64) -> anyhow::Result<f64> {
    Ok(lists_accept(rule.lists, rule.repeats, rule.agree, edits)?)
}

/// The first number of edits at which so few are found, or fewer.
fn falls_to(rule: ListsRule, share: f64) -> anyhow::Result<u64> {
    let mut edits = 1;
    while accept(rule, edits)? > share {
        edits += 1;
    }
    Ok(edits)
}

fn json(rule: ListsRule, documents: Option<u64>) -> anyhow::Result<serde_json::Value> {
    let point = |edits| anyhow::Ok((edits, lists_share(rule.lists, edits)?, accept(rule, edits)?));
    let curve: Vec<_> = (0..=CURVE).map(point).collect::<anyhow::Result<_>>()?;
    let mut object = json!({
        "lists": rule.lists,
        "repeats": rule.repeats,
        "agree": rule.agree,
        "bytes_per_document": 8 * u64::from(rule.lists) * u64::from(rule.repeats),
        "half_at": falls_to(rule, 0.5)?,
        "one_in_a_thousand_at": falls_to(rule, 0.001)?,
        "curve": curve,
    });
    if let Some(documents) = documents {
        let points =
            SHOWN.map(|edits| anyhow::Ok((edits, accept(rule, edits)? * documents as f64)));
        let points: Vec<_> = points.into_iter().collect::<anyhow::Result<_>>()?;
        object["documents"] = json!(documents);
        object["found_of_documents"] = json!(points);
    }
    Ok(object)
}

fn text(rule: ListsRule, documents: Option<u64>) -> anyhow::Result<String> {
    let ListsRule { lists, repeats, agree } = rule;
    let deals = match repeats {
        1 => String::new(),
        _ => format!(
            ", dealt {repeats} times; to share one in {} makes a candidate",
            count(agree.into(), "deal")
        ),
    };
    let one = if repeats == 1 { "; to share one makes a candidate" } else { "" };
    let headline = format!("{}{deals}{one}", count(lists.into(), "list"));
    let mut text = format!("{}\n\n", Style::of_stdout().bold(&headline));
    let mut cost = Table::new(&[Align::Left, Align::Right, Align::Left]);
    let bytes = grouped(8 * u64::from(lists) * u64::from(repeats));
    cost.row(["bytes per document", &bytes, "of fingerprints, each a record when matching"]);
    let half = falls_to(rule, 0.5)?.to_string();
    cost.row(["half at", &half, "edits: half of such pairs are found, or fewer"]);
    let rare = falls_to(rule, 0.001)?.to_string();
    cost.row(["1 in 1,000 at", &rare, "edits, or fewer"]);
    text += &cost.text();
    text.push('\n');

    let mut table =
        Table::new(&[Align::Left, Align::Right, Align::Right, Align::Right, Align::Left]);
    let found = documents.map(|documents| format!("of {}", grouped(documents)));
    table.row(["edits", "P(share in a deal)", "P(candidate)", found.as_deref().unwrap_or(""), ""]);
    for edits in SHOWN {
        let share = probability(lists_share(lists, edits)?);
        let accepted = accept(rule, edits)?;
        let expected = documents.map(|documents| expected(accepted * documents as f64));
        let expected = expected.unwrap_or_default();
        table.row([&edits.to_string(), &share, &probability(accepted), &expected, ""]);
    }
    text += &table.text();
    text += "\nan edit removes or adds any number of occurrences of one word\n";
    if documents.is_some() {
        text += "the last column: if each document had another one so far from it, how many pairs were found; where such\n\
                 pairs are not look-alikes, these are the false positives\n";
    }
    Ok(text)
}

/// A number of pairs that may be far below one.
fn expected(pairs: f64) -> String {
    if pairs >= 100.0 { grouped(pairs.round() as u64) } else { probability(pairs) }
}

/// Draws the curve into a file that appears when it is complete.
fn draw(path: &Path, rule: ListsRule) -> anyhow::Result<()> {
    let ListsRule { lists, repeats, agree } = rule;
    let picture = ListsPlot { lists, repeats, agree };
    let bytes = match plot_format(path)? {
        PlotFormat::Svg => picture.svg()?.into_bytes(),
        PlotFormat::Png => picture.png()?,
    };
    write_file(path, &bytes)?;
    say(&format!("drew the curve into `{}`", path.display()));
    Ok(())
}

//! `lookalike compare`: everything that can be said of two documents.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use lookalike_core::recipe::{SketchParameters, Templates, Verify};
use lookalike_core::template::Template;
use lookalike_core::{Comparer, Comparison, Kernel, Recipe};
use lookalike_corpus::{Document, Limits, read_document};
use lookalike_engine::{Texts, check_sets};
use serde_json::json;

use super::difference;
use super::verdict::Verdict;
use crate::exit::{Outcome, say};
use crate::flags::Compare;
use crate::learned;
use crate::output::{self, Align, Style, Table, grouped};
use crate::recipe;
use crate::skipped::SkipCount;

pub(crate) fn run(arguments: &Compare, kernel: Kernel) -> anyhow::Result<Outcome> {
    let recipe = recipe(arguments)?;
    check_sets(&recipe, &arguments.documents.options().fields)?;
    let documents = documents(arguments)?;
    let mut comparer = match &arguments.learned {
        Some(run) => {
            let templates = templates(run, arguments.group.as_deref(), &recipe, &documents)?;
            Comparer::with_templates(&recipe, kernel, templates)?
        }
        None => Comparer::with_kernel(&recipe, kernel)?,
    };
    let [mut texts_a, mut texts_b] = [Texts::new(), Texts::new()];
    let [a, b] = &documents;
    let (a, b) = (texts_a.of_document(a), texts_b.of_document(b));
    let comparison = comparer.compare(a, b);
    let verdict = Verdict::of(&recipe, &comparison);

    if arguments.json {
        let mut answer = json(&comparison);
        if recipe.verify == Verify::Difference {
            answer["difference"] = comparison.difference.into();
        }
        if recipe.templates.leave_out() {
            let [a, b] = comparison.template_tokens;
            answer["template_tokens_a"] = a.into();
            answer["template_tokens_b"] = b.into();
        }
        output::write_json(&answer)?;
    } else {
        let style = Style::of_stdout();
        let mut text = format!("{}\n\n", style.bold(verdict.sentence()));
        text += &table(&recipe, &comparison);
        if let Some(limits) = difference::limits(arguments.diff) {
            text.push('\n');
            let [left_out_a, left_out_b] = comparer.left_out([a, b]);
            let (a, b) = ((a, &*left_out_a), (b, &*left_out_b));
            text += &difference::text(recipe.tokens, a, b, style, limits);
        }
        output::write(text)?;
    }
    Ok(if arguments.exit_code && !verdict.pair { Outcome::No } else { Outcome::Done })
}

/// The recipe that is named, that of the run whose templates are, or `text`.
fn recipe(arguments: &Compare) -> anyhow::Result<Recipe> {
    match (&arguments.recipe, &arguments.learned) {
        (Some(name), _) => recipe::load_with_ngram(name, arguments.ngram),
        (None, None) => recipe::load_with_ngram(arguments.documents.recipe(), arguments.ngram),
        (None, Some(path)) => {
            let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
            let file = folder.join("recipe.toml");
            if !file.is_file() {
                return Ok(Recipe::preset("sites")?);
            }
            let text = std::fs::read_to_string(&file);
            let text = text.with_context(|| format!("`{}`: cannot be read", file.display()))?;
            Recipe::from_toml(&text).with_context(|| format!("`{}`", file.display()))
        }
    }
}

/// The two documents: files, or records by their ids.
fn documents(arguments: &Compare) -> anyhow::Result<[Document; 2]> {
    let ids = [&arguments.a, &arguments.b];
    if arguments.of.is_empty() {
        let [a, b] = ids.map(|name| read_document(name, Limits::default()));
        return Ok([a?, b?]);
    }
    let mut found = [None, None];
    let mut skipped = SkipCount::default();
    for document in arguments.documents.of(&arguments.of)? {
        let document = match document {
            Ok(document) => document,
            Err(error) => {
                skipped.add(&error, say);
                continue;
            }
        };
        for (id, found) in ids.into_iter().zip(&mut found) {
            // The first of those with one id.
            if found.is_none() && *id == document.id {
                *found = Some(document.clone());
            }
        }
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    let missing = |id: &str| {
        anyhow!(
            "no document has the id `{}`\n\
             hint: it is the record's field --id-field names, or `path#record` where there is none",
            output::printable(id)
        )
    };
    let [a, b] = found;
    Ok([a.ok_or_else(|| missing(ids[0]))?, b.ok_or_else(|| missing(ids[1]))?])
}

/// The templates of both documents: that of the group that was named, else those of the sites of
/// their URLs, else the only one that there is.
fn templates(
    run: &Path,
    group: Option<&str>,
    recipe: &Recipe,
    documents: &[Document; 2],
) -> anyhow::Result<[Option<Arc<Template>>; 2]> {
    let file = learned::templates(run, recipe)?;
    let name = run.display();
    let groups = file.info().groups;
    if let Some(group) = group {
        let site = group.contains("://").then(|| recipe.sites.site(group)).flatten();
        let found = file.template_of(site.as_deref().unwrap_or(group))?;
        if found.is_none() {
            bail!(
                "`{name}`: has no template of `{}`\n\
                 hint: groups of a few documents have none; leave out --learned",
                output::printable(group)
            );
        }
        return Ok([found.clone(), found]);
    }
    let sites = documents
        .each_ref()
        .map(|document| document.url.as_deref().and_then(|url| recipe.sites.site(url)));
    if let [Some(a), Some(b)] = &sites {
        let found = [file.template_of(a)?, file.template_of(b)?];
        // Of a site without one nothing was learned; groups by a field have other names.
        if recipe.templates == Templates::BySite || found.iter().any(Option::is_some) {
            return Ok(found);
        }
    }
    if groups > 1 {
        bail!(
            "`{name}`: has the templates of {}\n\
             hint: --group says of which the documents are; if of none, leave out --learned",
            output::count(groups, "group")
        );
    }
    let only = file.only_template()?;
    Ok([only.clone(), only])
}

fn json(comparison: &Comparison) -> serde_json::Value {
    let overlap = comparison.overlap;
    json!({
        "resemblance": overlap.resemblance(),
        "containment_a": overlap.containment_a(),
        "containment_b": overlap.containment_b(),
        "estimate": comparison.estimate,
        "b_similarity": comparison.b_similarity,
        "c_similarity": comparison.c_similarity,
        "repeats_in_common": comparison.repeats_in_common,
        "same_tokens": comparison.same_tokens,
        "term_difference": comparison.term_difference,
        "edit_distance": difference::edits_json(comparison.edit_distance),
        "shingles_a": overlap.a,
        "shingles_b": overlap.b,
    })
}

fn table(recipe: &Recipe, comparison: &Comparison) -> String {
    let overlap = comparison.overlap;
    let share = |value: f64| format!("{value:.4}");
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let features = recipe.features.map_or("no features in this recipe".to_owned(), |filter| {
        format!("equal features, out of {}", filter.k())
    });
    let bits = recipe.projection.map_or("no projection in this recipe".to_owned(), |projection| {
        format!("equal bits of the projection, out of {}", projection.bits)
    });
    let estimate = match comparison.estimate {
        Some(_) => "resemblance as the sketches see it",
        None => "no estimate from this recipe",
    };
    let same = if comparison.same_tokens { "yes" } else { "no" };

    let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]);
    let mut row = |name: &str, value: String, meaning: &str| table.row([name, &value, meaning]);
    row("resemblance", share(overlap.resemblance()), "shingles of both, out of those of either");
    row(
        "containment_a",
        share(overlap.containment_a()),
        "share of the first that is in the second",
    );
    row(
        "containment_b",
        share(overlap.containment_b()),
        "share of the second that is in the first",
    );
    row("estimate", or_dash(comparison.estimate.map(share)), estimate);
    row("b_similarity", or_dash(comparison.b_similarity.map(|n| n.to_string())), &features);
    row("c_similarity", or_dash(comparison.c_similarity.map(|n| n.to_string())), &bits);
    if let (Some(equal), SketchParameters::Lists { repeats, .. }) =
        (comparison.repeats_in_common, recipe.sketch)
    {
        let meaning = format!("repeats with a list in common, out of {repeats}");
        row("repeats_in_common", equal.to_string(), &meaning);
    }
    let same_means = if recipe.is_of_sets() {
        "whether the two have the same items"
    } else {
        "whether the two differ at most in case, spaces and signs"
    };
    row("same_tokens", same.to_owned(), same_means);
    row("term_difference", grouped(comparison.term_difference), "tokens deleted or inserted");
    if recipe.verify == Verify::Difference {
        let share = or_dash(comparison.difference.map(share));
        row("difference", share, "share of the tokens of both that differ");
    }
    row(
        "edit_distance",
        difference::edits(comparison.edit_distance),
        if recipe.is_of_sets() {
            "items to remove or add"
        } else {
            "words to remove or add, however often each"
        },
    );
    let of = |side: usize, which: &str| {
        let tokens = output::count(comparison.tokens[side], "token");
        let template = match comparison.template_tokens[side] {
            0 => String::new(),
            left_out => format!(", of which {} are left out", grouped(left_out)),
        };
        format!("distinct shingles of the {which}, from {tokens}{template}")
    };
    row("shingles_a", grouped(overlap.a), &of(0, "first"));
    row("shingles_b", grouped(overlap.b), &of(1, "second"));
    table.text()
}

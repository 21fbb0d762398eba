//! `lookalike why`: what became of a document, or what joins two.

use anyhow::bail;
use lookalike_core::recipe::Verify;
use lookalike_core::template::LeftOut;
use lookalike_core::text::TextBuf;
use lookalike_core::{Comparer, Comparison, Kernel};
use lookalike_engine::Run;
use lookalike_engine::report::Kind;
use lookalike_engine::run::{
    DocumentsById, Explanation, Fate, Member, Removal, RunDocument, SHOWN_MEMBERS, Scores, Step,
};
use serde_json::{Value, json};

use super::place::{merged, place, places};
use super::{cuts, difference};
use crate::exit::Outcome;
use crate::flags::{DiffForm, Why};
use crate::output::{self, Align, Style, Table, beside, count, grouped, printable, threshold};

pub(crate) fn run(arguments: &Why) -> anyhow::Result<Outcome> {
    let run = Run::open(&arguments.run)?;
    let found = find(&run, arguments, &arguments.id)?;
    match &arguments.other {
        None => explain(&run, arguments, &found),
        Some(other) => join(&run, arguments, &found, other),
    }
}

fn find(run: &Run, arguments: &Why, id: &str) -> anyhow::Result<DocumentsById> {
    let found = run.find(id)?;
    if found.count == 0 {
        bail!(
            "`{}`: had no document `{}`\n\
             hint: `clusters.parquet` has the ids and the URLs; without an id field, an id is \
             `path#record`",
            arguments.run.display(),
            printable(id)
        );
    }
    Ok(found)
}

fn explain(run: &Run, arguments: &Why, found: &DocumentsById) -> anyhow::Result<Outcome> {
    let explanations = run.explain(&found.rows)?;
    if arguments.json {
        let counted = Some(run).filter(|_| arguments.diff.is_asked_for());
        let json = |explanation| explanation_json(explanation, counted);
        let documents: Vec<Value> = explanations.iter().map(json).collect();
        let count = found.count;
        output::write_json(&json!({ "id": arguments.id, "count": count, "documents": documents }))?;
    } else {
        let style = Style::of_stdout();
        let each = explanations.iter().map(|each| text(run, each, arguments.diff, style));
        let mut text = each.collect::<Vec<_>>().join("\n");
        if found.count > 1 {
            let same = count(found.count, "document");
            let shown = explanations.len() as u64;
            let more = match found.count - shown {
                0 => String::new(),
                _ => format!("; the first {shown} of them are below"),
            };
            let is_id = |explanation: &Explanation| explanation.document.id == arguments.id;
            let what = if explanations.iter().all(is_id) { "id" } else { "URL" };
            text = format!("{same} have the {what} `{}`{more}\n\n{text}", printable(&arguments.id));
        }
        output::write(text)?;
    }
    let alone = |explanation: &Explanation| {
        let touched = explanation.cuts.as_ref().is_some_and(|cuts| cuts.pieces + cuts.kept > 0);
        matches!(explanation.fate, Fate::Alone { .. }) && !touched
    };
    Ok(if explanations.iter().all(alone) { Outcome::No } else { Outcome::Done })
}

fn text(run: &Run, explanation: &Explanation, diff: DiffForm, style: Style) -> String {
    let Explanation { document, fate, cuts, .. } = explanation;
    let name = printable(&document.id);
    let cuts = match cuts {
        Some(cuts) if cuts.pieces + cuts.kept > 0 => cuts::text(run, document, cuts, diff, style),
        _ => String::new(),
    };
    match fate {
        Fate::Alone { .. } if !cuts.is_empty() => cuts,
        Fate::Alone { .. } if !run.compares_documents() => {
            let done = if run.annotates_passages() { "annotated" } else { "cut" };
            let sentence = style.bold(&format!("kept: nothing was {done} of `{name}`"));
            format!("{sentence}\n\n{}", places(&[("document", document)]))
        }
        Fate::Alone { empty } => {
            let reason = if *empty {
                "has no words, and an empty document resembles nothing"
            } else if document.known {
                "was known, and nothing went for it"
            } else {
                "has no look-alike in this run"
            };
            let sentence = style.bold(&format!("kept: `{name}` {reason}"));
            format!("{sentence}\n\n{}", places(&[("document", document)]))
        }
        Fate::Kept { others, first } => {
            let others = count(*others, "other document");
            let sentence = style.bold(&format!("kept: `{name}` stands for {others}"));
            let place = places(&[("document", document)]);
            let members = members(first, fate);
            if cuts.is_empty() {
                format!("{sentence}\n\n{place}\n{members}")
            } else {
                format!("{cuts}\nit stands for {others}\n{members}")
            }
        }
        Fate::Beside(removal) | Fate::Removed(removal) => {
            let keeper = printable(&removal.keeper.id);
            let is = match removal.kind {
                _ if removal.scores.is_none() => "is joined by other documents to",
                Kind::Exact if run.recipe().is_of_sets() => "has the same items as",
                Kind::Exact => "has the same words in the same order as",
                Kind::Near => "is a near-duplicate of",
            };
            let sentence = if matches!(fate, Fate::Beside(_)) {
                format!("kept: `{name}` {is} `{keeper}`, and stays beside it")
            } else {
                format!("removed: `{name}` {is} `{keeper}`, which stands for it")
            };
            let mut text = format!("{}\n\n", style.bold(&sentence));
            text += &places(&[("document", document), ("keeper", &removal.keeper)]);
            text.push('\n');
            text += &scores(run, removal);
            if !removal.path.is_empty() {
                text.push('\n');
                text += &steps(&removal.path);
            }
            text + &shown_difference(run, document, removal, diff, style)
        }
    }
}

fn members(first: &[Member], fate: &Fate) -> String {
    let mut table = Table::new(&[Align::Left; 5]);
    for Member { document, kept, kind, resemblance, .. } in first {
        let resemblance = resemblance.map_or("-".to_owned(), share);
        let id = printable(&document.id);
        table.row([
            kind.name(),
            &resemblance,
            &id,
            &place(document),
            if *kept { "stays" } else { "" },
        ]);
    }
    let mut text = table.text();
    if let Fate::Kept { others, .. } = fate
        && *others > first.len() as u64
    {
        let more = grouped(others - first.len() as u64);
        text.extend(["... and ", &more, " more; clusters.parquet has all of them\n"]);
    }
    text
}

fn scores(run: &Run, removal: &Removal) -> String {
    let recipe = run.recipe();
    let Removal { scores, agreement, cluster_size, .. } = removal;
    let Scores { resemblance, containment_a, containment_b, difference, estimate, .. } =
        scores.unwrap_or_default();
    let or_dash = |value: Option<f64>| value.map_or("-".to_owned(), share);
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]);
    let mut row = |name: &str, value: &str, meaning: &str| table.row([name, value, meaning]);
    let measured = match (scores, resemblance) {
        (None, _) => "the two are not a pair of this run".to_owned(),
        (_, None) => "not computed by this run".to_owned(),
        _ if run.lost().is_some() => "shingles of both, out of those of either".to_owned(),
        _ => format!(
            "{} of both, out of those of either; {} or more was wanted",
            if recipe.templates.leave_out() { "distinctive shingles" } else { "shingles" },
            threshold(recipe.threshold)
        ),
    };
    let value = match run.lost() {
        Some(_) => or_dash(resemblance),
        None => resemblance.map_or("-".to_owned(), |value| beside(value, recipe.threshold)),
    };
    row("resemblance", &value, &measured);
    let in_keeper = "share of the document that is in its keeper";
    let in_keeper = match run.lost() {
        Some(lost) => format!("{in_keeper}; at most {lost} of it may be lost"),
        None => in_keeper.to_owned(),
    };
    row("containment_a", &or_dash(containment_a), &in_keeper);
    row("containment_b", &or_dash(containment_b), "share of the keeper that is in the document");
    if recipe.verify == Verify::Difference {
        let most = threshold(recipe.threshold);
        let meaning = format!("share of the words of both that differ; {most} in order was wanted");
        row("difference", &or_dash(difference), &meaning);
    }
    let kept = match estimate {
        Some(_) => "resemblance as the sketches see it",
        None => "no estimate in this run",
    };
    row("estimate", &or_dash(estimate), kept);
    match &agreement.features {
        Some((equal, of)) => {
            let numbers: Vec<String> = equal.iter().map(ToString::to_string).collect();
            let which = if equal.is_empty() { String::new() } else { ": ".to_owned() };
            let meaning = format!("equal features, out of {of}{which}{}", numbers.join(", "));
            row("b_similarity", &equal.len().to_string(), &meaning);
        }
        None => row("b_similarity", "-", "no features in this recipe"),
    }
    match agreement.bits {
        Some((equal, of)) => {
            let meaning = format!("equal bits of the projection, out of {of}");
            row("c_similarity", &equal.to_string(), &meaning);
        }
        None if recipe.projection.is_some() => {
            row("c_similarity", "-", "no projection is kept by this recipe");
        }
        None => row("c_similarity", "-", "no projection in this recipe"),
    }
    if let Some((equal, of)) = agreement.repeats {
        row("lists", &equal.to_string(), &format!("repeats with a list in common, out of {of}"));
    }
    if let Some((common, of)) = agreement.elements {
        row("elements", &common.to_string(), &format!("of the sketches in common, out of {of}"));
    }
    let stay = if run.keeps_several() {
        "documents, of which several stay"
    } else {
        "documents, of which the keeper stays"
    };
    row("cluster", &grouped(*cluster_size), stay);
    table.text()
}

/// What differs between a document and its keeper, if that is to be shown and can be.
fn shown_difference(
    run: &Run,
    document: &RunDocument,
    removal: &Removal,
    diff: DiffForm,
    style: Style,
) -> String {
    let Some(limits) = difference::limits(diff) else { return String::new() };
    match both_texts(run, document, &removal.keeper) {
        Ok((texts, comparison)) => {
            let [a, b] = texts.each_ref().map(|(text, left_out)| (text.into(), &**left_out));
            let edits = difference::edits(comparison.edit_distance);
            let difference = difference::text(run.recipe().tokens, a, b, style, limits);
            format!("\nfrom the document to its keeper, an edit distance of {edits}: {difference}")
        }
        Err(error) => format!("\nnote: the difference is left out: {error}\n"),
    }
}

/// A text, and why its tokens are left out.
type Marked = (TextBuf, Vec<Option<LeftOut>>);

/// The texts of two documents as they are read again, and how they compare as they stand.
fn both_texts(
    run: &Run,
    a: &RunDocument,
    b: &RunDocument,
) -> anyhow::Result<([Marked; 2], Comparison)> {
    let texts = [run.text_and_left_out(a.row)?, run.text_and_left_out(b.row)?];
    let [a, b] = &texts;
    let mut comparer = Comparer::with_templates(
        &run.recipe().without_secret(),
        Kernel::best(),
        Default::default(),
    )?;
    let comparison = comparer.compare(&a.0, &b.0);
    Ok((texts, comparison))
}

fn join(run: &Run, arguments: &Why, found: &DocumentsById, other: &str) -> anyhow::Result<Outcome> {
    let (from, to) = if arguments.id == other {
        match found.rows.split_first() {
            Some((first, others)) if !others.is_empty() => (vec![*first], others.to_vec()),
            _ => bail!("`{}`: is one document; name two", printable(other)),
        }
    } else {
        (found.rows.clone(), find(run, arguments, other)?.rows)
    };
    let path = run.path(&from, &to)?;
    let outcome = if path.is_some() { Outcome::Done } else { Outcome::No };
    if arguments.json {
        let path = path.as_ref().map(|path| path.iter().map(step_json).collect::<Vec<_>>());
        output::write_json(&json!({ "from": arguments.id, "to": other, "path": path }))?;
        return Ok(outcome);
    }
    let style = Style::of_stdout();
    let (a, b) = (printable(&arguments.id), printable(other));
    output::write(match path {
        None => {
            format!("{}\n", style.bold(&format!("no stored pairs of this run join `{a}` to `{b}`")))
        }
        Some(path) => {
            let verb = if path.len() == 1 { "joins" } else { "join" };
            let pairs = count(path.len() as u64, "pair");
            let sentence = style.bold(&format!("{pairs} {verb} `{a}` to `{b}`"));
            format!("{sentence}\n\n{}", steps(&path))
        }
    })?;
    Ok(outcome)
}

/// The documents of a path, and between them what joins them.
fn steps(path: &[Step]) -> String {
    let line =
        |document: &RunDocument| format!("{}  {}\n", printable(&document.id), place(document));
    let mut text = path.first().map_or_else(String::new, |step| line(&step.from));
    for Step { to, kind, scores, .. } in path {
        let how = match (kind, scores) {
            (Kind::Exact, _) => "the same words in the same order".to_owned(),
            (_, Scores { resemblance: Some(resemblance), .. }) => {
                format!("resemblance {}", share(*resemblance))
            }
            (_, Scores { difference: Some(difference), .. }) => {
                format!("{} of the words of both differ", share(*difference))
            }
            (_, Scores { estimate: Some(estimate), .. }) => {
                format!("estimated resemblance {}", share(*estimate))
            }
            (_, Scores { b_similarity, c_similarity, repeats_in_common, .. }) => {
                let features = b_similarity.map(|n| format!("{n} equal features"));
                let bits = c_similarity.map(|n| format!("{n} equal bits"));
                let lists = repeats_in_common.map(|n| format!("{n} repeats with a list in common"));
                let counts: Vec<String> = features.into_iter().chain(bits).chain(lists).collect();
                let counts = counts.join(", ");
                if counts.is_empty() { "by the recipe's rule".to_owned() } else { counts }
            }
        };
        text.extend(["  ", kind.name(), ": ", &how, "\n", &line(to)]);
    }
    text
}

fn share(value: f64) -> String {
    format!("{value:.4}")
}

/// With the difference to the keeper counted, if there is a run to read both texts of.
fn explanation_json(explanation: &Explanation, counted: Option<&Run>) -> Value {
    let mut json = json!(explanation.document);
    let mut details = match &explanation.fate {
        Fate::Alone { empty } => json!({ "fate": "alone", "empty": empty }),
        Fate::Kept { others, first } => {
            let member = |member: &Member| {
                let details = json!({
                    "kept": member.kept,
                    "kind": member.kind,
                    "resemblance": member.resemblance,
                });
                merged(json!(member.document), details)
            };
            let first: Vec<Value> = first.iter().take(SHOWN_MEMBERS).map(member).collect();
            json!({ "fate": "kept", "stands_for": others, "first": first })
        }
        Fate::Beside(removal) => merged(removal_json(removal), json!({ "fate": "beside" })),
        Fate::Removed(removal) => removal_json(removal),
    };
    if let (Fate::Beside(removal) | Fate::Removed(removal), Some(run)) =
        (&explanation.fate, counted)
    {
        details = merged(details, difference_json(run, &explanation.document, removal));
    }
    json = merged(json, details);
    if let Some(cuts) = &explanation.cuts {
        json = merged(json, json!({ "passages": cuts::json(cuts) }));
        if cuts.gone {
            json = merged(json, json!({ "fate": "gone" }));
        }
    }
    json
}

/// What differs from the keeper, in numbers; null, and why, where a text cannot be read again.
fn difference_json(run: &Run, document: &RunDocument, removal: &Removal) -> Value {
    match both_texts(run, document, &removal.keeper) {
        Ok((_, comparison)) => json!({
            "term_difference": comparison.term_difference,
            "edit_distance": difference::edits_json(comparison.edit_distance),
        }),
        Err(error) => json!({
            "term_difference": null,
            "edit_distance": null,
            "difference_left_out": error.to_string(),
        }),
    }
}

fn removal_json(removal: &Removal) -> Value {
    let Removal { keeper, kind, cluster_size, scores, path, agreement, .. } = removal;
    let details = json!({
        "fate": "removed",
        "keeper": keeper,
        "kind": kind,
        "cluster_size": cluster_size,
    });
    let agreement = json!({
        "shared_features": agreement.features.as_ref().map(|(equal, _)| equal),
        "features": agreement.features.as_ref().map(|(_, of)| of),
        "path": path.iter().map(step_json).collect::<Vec<_>>(),
    });
    merged(merged(details, json!(scores.unwrap_or_default())), agreement)
}

fn step_json(step: &Step) -> Value {
    let Step { from, to, kind, scores, .. } = step;
    merged(json!({ "from": from, "to": to, "kind": kind }), json!(scores))
}

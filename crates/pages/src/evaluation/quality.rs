//! How good each recipe is: F1, precision and recall, over thresholds and over seeds; its clusters;
//! what it takes.

use std::fmt::Write as _;

use lookalike_engine::numbers::{bytes, count, grouped};
use lookalike_eval::{
    ClusterQuality, Curve, CurveBasis, CurvePoint, Evaluation, PrecisionRecall, Quality,
    RecipeEvaluation, SeedMean,
};

use super::parts::{
    CHART_BOTTOM, NONE, cell, cell_inline, chart, figure, interval, plots, says, scrolls, shown,
};
use crate::chart::Axis;
use crate::markup::{Table, Text, duration, key, number_columns, unfolds};

/// The best recipe by F1, and what that was measured on.
pub(super) fn lede(evaluation: &Evaluation) -> String {
    let labels = &evaluation.labels;
    let measured = format!(
        "<span>Measured on {} of {}: {} same, {} different, {} undecided, which are in no share. In \
         brackets stand 95&nbsp;% intervals over pairs.</span>",
        count(labels.correct + labels.incorrect + labels.undecided, "labelled pair"),
        count(evaluation.documents, "document"),
        grouped(labels.correct),
        grouped(labels.incorrect),
        grouped(labels.undecided),
    );
    let with_f1 = evaluation.recipes.iter().filter_map(|recipe| Some((recipe, recipe.quality.f1?)));
    // The first of equals.
    let best = with_f1.reduce(|best, next| if next.1.share > best.1.share { next } else { best });
    let Some((recipe, f1)) = best else {
        let judged = |q: &Quality| q.right + q.wrong + q.undecided > 0;
        let fault = if evaluation.recipes.iter().any(|recipe| judged(&recipe.quality)) {
            "no pair is labelled as correct, so there is neither recall nor F1."
        } else {
            "no pair that a recipe returns was judged."
        };
        return format!("On {}, {fault} {measured}", count(evaluation.documents, "document"));
    };
    let others = if evaluation.recipes.len() > 1 { "the best F1" } else { "an F1 of" };
    format!(
        "<b>{}</b> has {others} {}, by a precision of {} and a recall of {}. {measured}",
        Text(&recipe.name),
        cell_inline(Some(f1)),
        cell_inline(recipe.quality.precision),
        cell_inline(recipe.quality.recall),
    )
}

/// One row a recipe: how good it is, and then where.
pub(super) fn summary(evaluation: &Evaluation) -> String {
    let columns = number_columns(
        "Recipe",
        ["F1", "Precision", "Recall", "Right", "Wrong", "Undecided", "Missed", "Pairs", "Pages"],
    );
    let mut table = Table::titled("All recipes", &columns);
    for recipe in &evaluation.recipes {
        let Quality { right, wrong, undecided, missed, precision, recall, f1, .. } = recipe.quality;
        table.row([
            Text(&recipe.name).to_string(),
            cell(f1),
            cell(precision),
            cell(recall),
            grouped(right),
            grouped(wrong),
            grouped(undecided),
            grouped(missed),
            grouped(recipe.pairs),
            grouped(recipe.pages),
        ]);
    }
    scrolls(&table.html())
        + &says(
            "Right, wrong and undecided are the labelled pairs that a recipe returns, missed the \
             correct ones that it does not. Precision is the share of the right in right and wrong, \
             recall that in right and missed, F1 the harmonic mean of both; undecided pairs are in \
             none of them. Each share has its 95 % interval with it.",
        )
        + &sites_table(evaluation)
}

fn sites_table(evaluation: &Evaluation) -> String {
    let against = format!("R against {}", Text(&evaluation.against));
    let columns = number_columns(
        "Recipe",
        [
            "Precision on one site",
            "Recall there",
            "Precision across sites",
            "Recall there",
            &against,
        ],
    );
    let mut table = Table::titled("By sites", &columns);
    for recipe in &evaluation.recipes {
        let row = |n: usize| recipe.rows.get(n);
        table.row([
            Text(&recipe.name).to_string(),
            cell(row(1).and_then(|row| row.precision)),
            cell(row(1).and_then(|row| row.recall)),
            cell(row(2).and_then(|row| row.precision)),
            cell(row(2).and_then(|row| row.recall)),
            cell(row(0).and_then(|row| row.r)),
        ]);
    }
    scrolls(&table.html())
        + &says("R is the number of correct pairs for one of the recipe it is against.")
}

/// Curves of the recipes that have thresholds.
pub(super) fn thresholds(evaluation: &Evaluation) -> String {
    let (mut figures, mut tables) = (String::new(), String::new());
    for recipe in &evaluation.recipes {
        let Some(curve) = &recipe.curve else { continue };
        figures += &threshold_figure(recipe, curve);
        let title = format!("Every twentieth, {}", Text(&recipe.name));
        tables += &unfolds(&title, &scrolls(&threshold_table(recipe, curve)));
    }
    if figures.is_empty() {
        return figures;
    }
    let keys = format!("{} {} {}", key("s2", "F1"), key("s0", "precision"), key("s3", "recall"));
    format!("<p class=\"keys\">{keys}</p>")
        + &plots(&figures)
        + &says(
            "What a recipe would return if the least resemblance of its pairs were another one. The \
             line that is marked is its own threshold. Where all labelled pairs are counted, each \
             by its exact resemblance, it is as if every one of them were a candidate, so that \
             recall at the recipe's own threshold may be above that in the table of all recipes.",
        )
        + &tables
}

fn threshold_figure(recipe: &RecipeEvaluation, curve: &Curve) -> String {
    let mut chart = chart(
        "Precision, recall and F1 for each threshold of resemblance",
        (Axis::SHARES, "least resemblance"),
        (Axis::SHARES, "share"),
    );
    if let Some(threshold) = recipe.threshold {
        chart.mark(threshold, 24.0);
        let at = chart.across(threshold);
        chart.words((at - 5.0, CHART_BOTTOM - 8.0), "end", &format!("{threshold}, its own"));
    }
    let chart = chart
        .line("l0", curve.steps(|quality| quality.precision))
        .line("l3", curve.steps(|quality| quality.recall))
        .line("l2", curve.steps(|quality| quality.f1));
    let mut caption = format!("<b>{}</b>: ", Text(&recipe.name));
    caption += match curve.basis {
        CurveBasis::Labelled => "all labelled pairs by their exact resemblance",
        CurveBasis::Returned => "the pairs that it returns, from its threshold on",
    };
    if let Some(best) = best(curve) {
        let _ = write!(
            caption,
            "; the best F1 is {} at {}",
            cell_inline(best.quality.f1),
            best.threshold
        );
    }
    if curve.unknown > 0 {
        let _ = write!(caption, "; {} left out, too long", count(curve.unknown, "pair"));
    }
    figure(&chart.svg(), &(caption + "."))
}

/// The point of the best F1, the lowest of equals.
fn best(curve: &Curve) -> Option<&CurvePoint> {
    let share = |point: &CurvePoint| point.quality.f1.map(|f1| f1.share);
    let known = curve.points.iter().filter(|point| share(point).is_some());
    known.reduce(|best, next| if share(next) > share(best) { next } else { best })
}

fn threshold_table(recipe: &RecipeEvaluation, curve: &Curve) -> String {
    let columns = number_columns(
        "Least resemblance",
        ["F1", "Precision", "Recall", "Right", "Wrong", "Undecided", "Missed"],
    );
    let caption = Text(&recipe.name).to_string();
    let mut table = Table::titled(&caption, &columns);
    for CurvePoint { threshold, quality, .. } in &curve.points {
        // Twentieths as they were divided, and neighbours of nothing.
        if ((threshold * 20.0).round() / 20.0 - threshold).abs() > 1e-9 {
            continue;
        }
        table.row([
            format!("{threshold:.2}"),
            cell(quality.f1),
            cell(quality.precision),
            cell(quality.recall),
            grouped(quality.right),
            grouped(quality.wrong),
            grouped(quality.undecided),
            grouped(quality.missed),
        ]);
    }
    table.html()
}

/// Means over seeds; nothing without repeats.
pub(super) fn seeds(evaluation: &Evaluation) -> String {
    let columns = number_columns(
        "Recipe",
        [
            "Seeds",
            "F1",
            "Precision",
            "Recall",
            "Deviation of F1",
            "Pairwise F1 of clusters",
            "B-cubed F1",
        ],
    );
    let mut table = Table::titled("Means over seeds", &columns);
    let mean = |mean: &Option<SeedMean>| {
        mean.as_ref().map_or_else(
            || NONE.to_owned(),
            |of| {
                let ends = format!("{}&ndash;{}", shown(of.low), shown(of.high));
                shown(of.mean) + &interval(&ends)
            },
        )
    };
    let mut any = false;
    for recipe in &evaluation.recipes {
        let Some(seeds) = &recipe.over_seeds else { continue };
        any = true;
        table.row([
            Text(&recipe.name).to_string(),
            seeds.runs.len().to_string(),
            mean(&seeds.f1),
            mean(&seeds.precision),
            mean(&seeds.recall),
            seeds.f1.as_ref().map_or_else(|| NONE.to_owned(), |f1| format!("{:.4}", f1.deviation)),
            mean(&seeds.pairwise_f1),
            mean(&seeds.b_cubed_f1),
        ]);
    }
    if !any {
        return String::new();
    }
    scrolls(&table.html())
        + &says(
            "The same recipe under several seeds of its random choices, on the same labelled pairs. \
             Each mean has its 95 % interval over seeds with it, Student's: it says what chance in \
             the signatures does, and nothing of what other pairs would say, which the intervals \
             over pairs do.",
        )
}

/// Clusters against those of the labels; nothing if labels have none.
pub(super) fn clusters(evaluation: &Evaluation) -> String {
    let columns = number_columns(
        "Recipe",
        ["Clusters", "Pairwise F1", "precision", "recall", "B-cubed F1", "precision", "recall"],
    );
    let mut table = Table::titled("Clusters of the labelled documents", &columns);
    let share = |share: Option<f64>| share.map_or_else(|| NONE.to_owned(), shown);
    let mut labelled = None;
    for recipe in &evaluation.recipes {
        let Some(clusters) = recipe.clusters else { continue };
        let ClusterQuality { documents, labelled: truth, found, pairwise, b_cubed, .. } = clusters;
        labelled = Some((documents, truth));
        let of = |PrecisionRecall { precision, recall, f1, .. }: PrecisionRecall| {
            [f1, precision, recall].map(share)
        };
        let cells = [Text(&recipe.name).to_string(), grouped(found)].into_iter();
        table.row(cells.chain(of(pairwise)).chain(of(b_cubed)));
    }
    let Some((documents, truth)) = labelled else { return String::new() };
    scrolls(&table.html())
        + &says(&format!(
            "{} are in a correct or an incorrect pair of the labels; correct pairs join them to {}, \
             single documents included. A recipe's clusters are what its pairs join. Documents that no \
             correct pair joins count as different, judged or not: where only some pairs of a cluster \
             were judged, these numbers say little.",
            count(documents, "document"),
            count(truth, "cluster"),
        ))
}

/// What each recipe takes.
pub(super) fn cost(evaluation: &Evaluation) -> String {
    let columns =
        number_columns("Recipe", ["Bytes a signature", "Signing", "Matching", "Peak memory"]);
    let mut table = Table::titled("As measured in this run", &columns);
    for recipe in &evaluation.recipes {
        let cost = recipe.cost;
        table.row([
            Text(&recipe.name).to_string(),
            grouped(recipe.signature_bytes),
            duration(cost.signing_seconds),
            duration(cost.matching_seconds),
            cost.peak_memory_bytes.map_or_else(|| NONE.to_owned(), bytes),
        ]);
    }
    scrolls(&table.html())
        + &says(
            "Matching is all from signatures to pairs, verification included: of all pairs, not only \
             of those that a deduplication needs. Recipes with the same bits are signed once, and \
             each has the time of that. The peak is that of the process up to the end of a recipe, so \
             it never falls; a recipe's own is known where it runs alone.",
        )
}

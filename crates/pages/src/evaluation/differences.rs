//! Term differences: the paper's figures 2 and 4, and its table 8.

use std::fmt::Write as _;

use lookalike_engine::numbers::{count, grouped};
use lookalike_eval::{Evaluation, LARGE_DIFFERENCE, LabelledDifferences, RecipeEvaluation};

use super::parts::{NONE, cell, chart, figure, name_of, plots, says, scrolls};
use crate::chart::Axis;
use crate::markup::{Table, Text, number_columns};

/// Figures 2 and 4, and table 8.
pub(super) fn differences(evaluation: &Evaluation) -> String {
    let of_all = |recipe: &RecipeEvaluation| {
        recipe.term_differences.groups.first().is_some_and(|group| group.pairs > 0)
    };
    let recipes = || evaluation.recipes.iter().filter(|recipe| of_all(recipe));
    let mut figures = String::new();
    for recipe in recipes() {
        let differences = &recipe.term_differences;
        let most = differences.counts.iter().map(|[_, pairs]| *pairs).max().unwrap_or(1);
        let mut chart = chart(
            "How many pairs have which term difference",
            (Axis::Linear(-0.5..=LARGE_DIFFERENCE as f64 + 0.5), "term difference"),
            (Axis::Linear(0.0..=most as f64), "pairs"),
        );
        for &[terms, pairs] in &differences.counts {
            let (at, says) = (terms as f64, format!("{terms}: {}", count(pairs, "pair")));
            chart.bar("s0", at - 0.5..=at + 0.5, pairs as f64, &says);
        }
        let of = if differences.of_judged { "judged pairs" } else { "pairs, none of them judged" };
        let pairs = differences.groups.first().map_or(0, |group| group.pairs);
        let mut caption = format!("<b>{}</b>: {} {of}", Text(&recipe.name), grouped(pairs));
        if differences.too_long > 0 {
            let _ = write!(caption, "; {} more are too long", grouped(differences.too_long));
        }
        figures += &figure(&chart.svg(), &(caption + "."));
    }
    if figures.is_empty() {
        return figures;
    }
    let columns = number_columns(
        "Recipe and label",
        ["Pairs", "Mean", "Median", "9th decile", "Exactly 2", "Under 42", "Over 200"],
    );
    let mut table =
        Table::titled("Term differences; the last column is the paper's table 8", &columns);
    for recipe in recipes() {
        for group in recipe.term_differences.groups.iter().filter(|group| group.pairs > 0) {
            table.row(difference_cells(recipe, group));
        }
    }
    let without = pictures_table(evaluation);
    plots(&figures)
        + &says(
            "Figures 2 and 4: how many words are deleted or inserted between the two documents of \
             a pair, up to 200.",
        )
        + &scrolls(&table.html())
        + &says(
            "A pair that differs in many words is rarely correct; two is one word replaced. The \
             pairs are a random sample where there are more than were asked for.",
        )
        + &edits_table(evaluation)
        + &without
}

/// Pugh's edit distances.
fn edits_table(evaluation: &Evaluation) -> String {
    let columns =
        number_columns("Recipe and label", ["Pairs", "Exact", "Mean", "Median", "9th decile"]);
    let mut table = Table::titled("Edit distances", &columns);
    for recipe in &evaluation.recipes {
        for group in recipe.term_differences.groups.iter().filter(|group| group.pairs > 0) {
            let edits = &group.edits;
            table.row([
                name(recipe, group),
                grouped(group.pairs),
                grouped(edits.exact),
                mean(edits.mean_at_most),
                number(edits.median_at_most),
                number(edits.ninth_decile_at_most),
            ]);
        }
    }
    scrolls(&table.html())
        + &says(
            "Pugh's: an edit removes or adds any number of occurrences of one word. Of pairs whose distance is \
             not known exactly it is the upper bound; the mean of lower bounds is in eval.json.",
        )
}

/// Differences without the addresses of pictures; nothing if no pair differs in any.
fn pictures_table(evaluation: &Evaluation) -> String {
    let columns = number_columns(
        "Recipe and label",
        ["Pairs", "Differ in pictures", "Mean", "Median", "9th decile", "None", "Over 200"],
    );
    let mut table = Table::titled("Term differences without pictures", &columns);
    let mut any = false;
    for recipe in &evaluation.recipes {
        for group in recipe.term_differences.groups.iter().filter(|group| group.pairs > 0) {
            any |= group.in_pictures > 0;
            let without = &group.without_pictures;
            table.row([
                name(recipe, group),
                grouped(group.pairs),
                grouped(group.in_pictures),
                mean(without.mean),
                number(without.median),
                number(without.ninth_decile),
                grouped(without.none),
                grouped(without.over_200),
            ]);
        }
    }
    if !any {
        return String::new();
    }
    scrolls(&table.html())
        + &says(
            "The address of a picture is a term, and those that are there for the looks of a page differ \
             where nobody sees it. Here they are no terms. Section 3.4.3 of the paper takes pairs that \
             differ so from its table 8.",
        )
}

fn name(recipe: &RecipeEvaluation, group: &LabelledDifferences) -> String {
    match group.label {
        None => Text(&recipe.name).to_string(),
        Some(label) => format!("&emsp;{}", name_of(label)),
    }
}

fn mean(mean: Option<f64>) -> String {
    mean.map_or_else(|| NONE.to_owned(), |mean| format!("{mean:.1}"))
}

fn number(number: Option<u64>) -> String {
    number.map_or_else(|| NONE.to_owned(), grouped)
}

fn difference_cells(recipe: &RecipeEvaluation, group: &LabelledDifferences) -> [String; 8] {
    [
        name(recipe, group),
        grouped(group.pairs),
        mean(group.mean),
        number(group.median),
        number(group.ninth_decile),
        cell(group.two),
        cell(group.under_42),
        grouped(group.over_200),
    ]
}

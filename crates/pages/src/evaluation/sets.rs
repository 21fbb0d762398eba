//! The page of several sets: a row for each, and its evaluation behind it.

use lookalike_engine::numbers::{count, grouped};
use lookalike_eval::{OverSets, SetsEvaluation};

use super::parts::{NONE, says, scrolls};
use super::{MORE_STYLE, Page, Section};
use crate::markup::{Table, Text, number_columns};

/// The page of several sets. The evaluation of each is in `NAME/eval.html` beside it.
pub fn sets(sets: &SetsEvaluation) -> String {
    let sections = [Section::new("sets", "Recall, and incorrect pairs", table(sets))];
    Page {
        title: "Evaluation on several sets - Lookalike",
        heading: "Look-alikes: recipes on several sets",
        lede: &format!(
            "{} on {}.",
            count(sets.recipes.len() as u64, "recipe"),
            count(sets.sets.len() as u64, "set")
        ),
        summary: &summary(sets),
        style: MORE_STYLE,
        footer: &format!(
            "Made by Lookalike {} beside <code>sets.json</code>, which has all of these numbers for machines.",
            Text(&sets.version)
        ),
    }
    .html(sections)
}

fn summary(sets: &SetsEvaluation) -> String {
    let columns =
        number_columns("Recipe", ["Median recall", "worst", "Median incorrect", "worst "]);
    let mut table = Table::titled("Over all sets", &columns);
    for (recipe, over) in sets.recipes.iter().zip(&sets.over_sets) {
        let OverSets { median_recall, median_incorrect, worst_recall, worst_incorrect, .. } = over;
        let named = |worst: &Option<(String, f64)>, shown: fn(f64) -> String| {
            let told = |(set, share): &(String, f64)| {
                format!("{} <span class=\"soft\">{}</span>", shown(*share), Text(set))
            };
            worst.as_ref().map_or_else(|| NONE.to_owned(), told)
        };
        table.row([
            Text(recipe).to_string(),
            median_recall.map_or_else(|| NONE.to_owned(), recall),
            named(worst_recall, recall),
            incorrect(*median_incorrect),
            named(worst_incorrect, incorrect),
        ]);
    }
    scrolls(&table.html())
}

fn table(sets: &SetsEvaluation) -> String {
    let titles = sets.recipes.iter().map(|recipe| Text(recipe).to_string()).collect::<Vec<_>>();
    let titles = std::iter::once("Documents").chain(titles.iter().map(String::as_str));
    let columns = number_columns("Set", titles);
    let mut table =
        Table::titled("Recall of correct pairs, and the share of incorrect ones", &columns);
    for set in &sets.sets {
        let name = Text(&set.name).to_string();
        let cells = set.qualities.iter().map(|quality| {
            let recall = quality.recall.map_or_else(|| NONE.to_owned(), recall);
            format!("{recall}, {}", incorrect(quality.incorrect))
        });
        let named = format!("<a href=\"{}/eval.html\">{name}</a>", in_address(&set.name));
        table.row([named, grouped(set.documents)].into_iter().chain(cells));
    }
    scrolls(&table.html())
        + &says(
            "Recall is the share of correct pairs that is returned. Incorrect pairs are a share of all judged \
             ones that are returned, undecided ones included. Sets are never pooled: one with many pairs would hide the \
             others.",
        )
}

/// A folder's name as a part of an address: all but letters, digits and `-._~` by their bytes.
fn in_address(name: &str) -> String {
    let digit = |n: u8| char::from(b"0123456789ABCDEF"[usize::from(n)]);
    let mut address = String::new();
    for byte in name.bytes() {
        match byte {
            b'-' | b'.' | b'_' | b'~' => address.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => address.push(char::from(byte)),
            byte => address.extend(['%', digit(byte >> 4), digit(byte & 15)]),
        }
    }
    address
}

fn recall(share: f64) -> String {
    format!("{share:.3}")
}

fn incorrect(share: f64) -> String {
    format!("{:.1}&nbsp;%", 100.0 * share)
}

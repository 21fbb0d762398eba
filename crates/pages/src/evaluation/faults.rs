//! Where recipes are wrong: the sites, and pairs to look at.

use lookalike_engine::numbers::{count, grouped};
use lookalike_eval::{Evaluation, FaultyPair, RecipeEvaluation};

use super::parts::{interval, says, scrolls};
use crate::difference::{in_words, marked};
use crate::markup::{Table, Text, named, number_columns, percent, unfolds};

/// The command that compares a pair: by the number of the recipe, and the ids of the documents.
pub type CompareCommand<'a> = &'a dyn Fn(usize, [&str; 2]) -> Option<String>;

pub(super) fn faults(evaluation: &Evaluation, compare: CompareCommand<'_>) -> String {
    let recipes = evaluation.recipes.iter().enumerate();
    let recipes =
        recipes.map(|(n, recipe)| of_recipe(recipe, &|ids| compare(n, ids))).collect::<String>();
    if recipes.is_empty() {
        return String::new();
    }
    recipes
        + &says(
            "A fault is a pair that is returned and incorrect, or correct and not returned; it is of the \
             sites of both documents, as any pair is. Under the numbers of a site are their shares of all \
             wrong, missed and returned pairs of the recipe. Pairs are drawn at random. In a difference, \
             <del>struck out</del> is what only the first has, <ins>underlined</ins> what only the second has, \
             and <span class=\"template\">grey</span> what the recipe leaves out.",
        )
}

fn of_recipe(recipe: &RecipeEvaluation, compare: &dyn Fn([&str; 2]) -> Option<String>) -> String {
    let (faults, quality) = (&recipe.faults, &recipe.quality);
    if faults.wrong.is_empty() && faults.missed.is_empty() {
        return String::new();
    }
    let name = Text(&recipe.name).to_string();
    let mut out = String::new();
    if !faults.sites.is_empty() {
        let title = format!(
            "{name}: the sites with the most faults, of {}",
            count(faults.faulty_sites, "site")
        );
        let columns = number_columns("Site", ["Wrong", "Missed", "Pairs"]);
        let mut table = Table::titled(&title, &columns);
        for site in &faults.sites {
            let name =
                if site.site.is_empty() { "?".to_owned() } else { Text(&site.site).to_string() };
            let cell = |part: u64, whole: u64| {
                let share = if part == 0 { String::new() } else { interval(&percent(part, whole)) };
                grouped(part) + &share
            };
            table.row([
                name,
                cell(site.wrong, quality.wrong),
                cell(site.missed, quality.missed),
                cell(site.pairs, recipe.pairs),
            ]);
        }
        out += &scrolls(&table.html());
    }
    for (kind, all, pairs) in
        [("wrong", quality.wrong, &faults.wrong), ("missed", quality.missed, &faults.missed)]
    {
        if !pairs.is_empty() {
            let shown = pairs.iter().map(|fault| {
                let command = compare([&fault.a, &fault.b]);
                pair(fault) + &command.as_deref().map_or_else(String::new, command_line)
            });
            let shown = shown.collect::<String>();
            let of = match pairs.len() as u64 {
                shown if shown < all => format!("{} of {}", grouped(shown), count(all, "pair")),
                _ => count(all, "pair"),
            };
            out += &unfolds(&format!("{name}: {kind}, {of}"), &shown);
        }
    }
    out
}

fn pair(pair: &FaultyPair) -> String {
    let [url_a, url_b] = &pair.urls;
    let [a, b] = [named(&pair.a, url_a.as_deref()), named(&pair.b, url_b.as_deref())];
    let names = format!("<p class=\"pair\">{a}<br>{b}</p>\n");
    let difference = pair.difference.as_ref().map_or_else(String::new, |difference| {
        format!(
            "<p class=\"soft\">{}</p>\n{}",
            in_words(difference, "word", " but in what is left out"),
            marked(difference, "word")
        )
    });
    names + &difference
}

/// What a person would type to see all of a pair.
fn command_line(command: &str) -> String {
    format!("<p class=\"soft\"><code>{}</code></p>\n", Text(command))
}

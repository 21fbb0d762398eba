//! The page of an evaluation: how good each recipe is, then the paper's tables and figures, in its
//! order.
//!
//! Like the report's, it is one file without scripts, and its content policy
//! allows none. Tables and figures that the paper has once for each of its two
//! algorithms are there once for each recipe.

mod differences;
mod equal_recall;
mod faults;
mod laws;
mod parts;
mod quality;
mod sets;

pub use faults::CompareCommand;
pub use sets::sets;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use lookalike_engine::numbers::{count, grouped};
use lookalike_eval::{
    AbsentRule, BITS, C_RANGES, Evaluation, FEATURES, Label, PAPER_THRESHOLD, PageQuality,
    RecipeEvaluation, Row, ThresholdRow,
};

use parts::{
    CHART_BOTTOM, NONE, cell, cell_with, chart, figure, interval, name_of, names, plots, says,
    scrolls,
};

use crate::chart::{Axis, Chart};
use crate::frame::{Page, Section};
use crate::markup::{Column, Name, Table, Text, key, number_columns, percent, unfolds};

/// What the report's style does not have.
const MORE_STYLE: &str = include_str!("evaluation.css");

/// Reasons that are shown for each label.
const MAX_REASONS: usize = 20;

/// The thresholds of the paper's table 11.
const PAPER_THRESHOLDS: std::ops::RangeInclusive<usize> = 351..=359;

/// The page of an evaluation.
pub fn evaluation(evaluation: &Evaluation) -> String {
    evaluation_with_commands(evaluation, &|_, _| None)
}

/// The same, with the command to type under each pair that a recipe is wrong about.
pub fn evaluation_with_commands(evaluation: &Evaluation, compare: CompareCommand<'_>) -> String {
    let sections = [
        Section::new("thresholds", "Thresholds", quality::thresholds(evaluation)),
        Section::new("seeds", "Seeds", quality::seeds(evaluation)),
        Section::new("clusters", "Clusters", quality::clusters(evaluation)),
        Section::new("cost", "Time and memory", quality::cost(evaluation)),
        Section::new("faults", "Where they are wrong", faults::faults(evaluation, compare)),
        Section::new("pairs", "Pairs by B-similarity", pairs(evaluation)),
        Section::new("degrees", "Near-duplicates of a page", laws::degrees(evaluation)),
        Section::new("hosts", "Pages of a host", laws::hosts(&evaluation.hosts)),
        Section::new("precision", "What is correct", precision(evaluation)),
        Section::new("reasons", "Reasons", reasons(evaluation)),
        Section::new("differences", "Term differences", differences::differences(evaluation)),
        Section::new("correlation", "B against C", correlation(evaluation)),
        Section::new("combined", "The combined algorithm", combined(evaluation)),
        Section::new("equal-recall", "Equal recall", equal_recall::equal_recall(evaluation)),
        Section::new("method", "How it was made", method(evaluation)),
    ];
    Page {
        title: &format!(
            "Evaluation of {} - Lookalike",
            count(evaluation.recipes.len() as u64, "recipe")
        ),
        heading: "Look-alikes: evaluation of recipes",
        lede: &quality::lede(evaluation),
        summary: &quality::summary(evaluation),
        style: MORE_STYLE,
        footer: &format!(
            "Made by Lookalike {} beside <code>eval.json</code>, which has all of these numbers for \
             machines. Tables and figures are numbered as in Henzinger, Finding Near-Duplicate Web \
             Pages, 2006.",
            Text(&evaluation.version)
        ),
    }
    .html(sections)
}

/// Table 1.
fn pairs(evaluation: &Evaluation) -> String {
    let names: Vec<String> = names(evaluation);
    let columns = number_columns("B-similarity", names.iter().map(String::as_str));
    let mut table = Table::titled("Table 1: pairs of each B-similarity, for each recipe", &columns);
    for b in 0..=FEATURES {
        let of = |recipe: &RecipeEvaluation| recipe.by_b_similarity.get(b).map_or(0, |r| r.pairs);
        let mut cells = vec![b.to_string()];
        for recipe in &evaluation.recipes {
            let share = percent(of(recipe), recipe.pairs);
            let share = if recipe.pairs == 0 { String::new() } else { interval(&share) };
            cells.push(grouped(of(recipe)) + &share);
        }
        table.row(cells);
    }
    scrolls(&table.html())
        + &says(
            "How many equal features the two documents of a pair have, out of six. Algorithm B \
             returns pairs of two or more; the other recipes do not look at all of them, or at none.",
        )
}

/// Tables 2 and 5.
fn precision(evaluation: &Evaluation) -> String {
    let mut body = says(
        "Tables 2 and 5: the shares of correct, incorrect and undecided pairs in those that were \
         judged, for all pairs of a recipe and for each kind. So undecided pairs are in the whole, as \
         in the paper; precision above is without them. In parentheses stands the share of forms: pairs \
         that are undecided only because of other values in a form, as a share of all that were judged. \
         The column after them counts these as correct, as section 3.4.2 does. Recall and R are those \
         within the kind.",
    );
    body += &by_pages(evaluation);
    for recipe in &evaluation.recipes {
        let _ = writeln!(body, "<h3>{}</h3>", Text(&recipe.name));
        let caption = format!(
            "{}, {}",
            count(recipe.pairs, "pair"),
            match recipe.verify.as_str() {
                "exact" => "each verified from its documents",
                "difference" => "each verified by the words in their order",
                "estimate" => "each verified by its sketches",
                _ => "taken as they were found",
            }
        );
        body += &scrolls(&rows_table(&caption, &recipe.rows));
    }
    body
}

/// Footnote 3.
fn by_pages(evaluation: &Evaluation) -> String {
    let columns = number_columns(
        "Recipe",
        ["Judged pages", "Right", "Wrong", "Undecided", "Unknown", "At least", "Precision"],
    );
    let mut table = Table::titled("Footnote 3: pages in place of pairs", &columns);
    for recipe in &evaluation.recipes {
        let PageQuality { judged, right, wrong, undecided, unknown, at_least, precision, .. } =
            recipe.page_quality;
        table.row([
            Text(&recipe.name).to_string(),
            grouped(judged),
            grouped(right),
            grouped(wrong),
            grouped(undecided),
            grouped(unknown),
            cell(at_least),
            cell(precision),
        ]);
    }
    scrolls(&table.html())
        + &says(
            "A page is right if at least one of its pairs is correct, wrong if all of them are incorrect, and \
             unknown if none is correct but some were not judged. The share of the right is at least that \
             in right, wrong and unknown; precision is that in right and wrong, and too high where labels \
             are a sample of pairs.",
        )
}

/// A table of rows that have pairs; with recall and with forms, if these are known of any.
fn rows_table(caption: &str, rows: &[Row]) -> String {
    let with_recall = rows.iter().any(|row| row.recall.is_some());
    let with_forms = rows.iter().any(|row| row.forms.is_some_and(|forms| forms.number > 0));
    let always = ["Pairs", "Judged", "Correct", "Incorrect", "Undecided"].into_iter();
    let columns = always
        .chain(with_forms.then_some("Forms as correct"))
        .chain(with_recall.then_some("Recall"))
        .chain(["R"]);
    let columns = number_columns("Near-duplicates", columns);
    let mut table = Table::titled(caption, &columns);
    for (_, row) in rows.iter().enumerate().filter(|(n, row)| *n == 0 || row.pairs > 0) {
        let mut cells = vec![
            row.name.clone(),
            grouped(row.pairs),
            grouped(row.judged),
            cell(row.correct),
            cell(row.incorrect),
            cell_with(row.undecided, row.forms.filter(|_| with_forms)),
        ];
        cells.extend(with_forms.then(|| cell(row.correct_with_forms)));
        cells.extend(with_recall.then(|| cell(row.recall)));
        cells.push(cell(row.r));
        table.row(cells);
    }
    table.html()
}

/// Tables 3, 4, 6 and 7.
fn reasons(evaluation: &Evaluation) -> String {
    let body: String = Label::JUDGED.iter().map(|label| reason_table(evaluation, *label)).collect();
    if body.is_empty() {
        return says(
            "Tables 3, 4, 6 and 7 say why pairs were judged as they were. These labels have no \
             reasons; a field <code>reason</code> beside the label gives them.",
        );
    }
    body + &says(
        "Tables 3, 4, 6 and 7: why pairs were judged as they were, by the reasons that the labels \
         have, with the share of each in all pairs of the recipe with that label. Under them stand those on one \
         site, with their share in all such pairs on one site.",
    )
}

/// The reasons of one label, the most frequent first; nothing if there are none.
fn reason_table(evaluation: &Evaluation, label: Label) -> String {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    let rows = evaluation.recipes.iter().flat_map(|recipe| &recipe.reasons);
    for row in rows.filter(|row| row.label == label) {
        *sums.entry(&row.reason).or_default() += row.pairs;
    }
    let mut reasons: Vec<(&str, u64)> = sums.into_iter().collect();
    reasons.sort_by_key(|(_, pairs)| Reverse(*pairs));
    reasons.truncate(MAX_REASONS);
    if reasons.is_empty() {
        return String::new();
    }
    let names = names(evaluation);
    let columns = number_columns("Reason", names.iter().map(String::as_str));
    let caption = format!("Why pairs are {}", name_of(label));
    let mut table = Table::titled(&caption, &columns);
    for (reason, _) in reasons {
        let cell = |recipe: &RecipeEvaluation| {
            let of_label = recipe.reasons.iter().filter(|row| row.label == label);
            let all: u64 = of_label.clone().map(|row| row.pairs).sum();
            let all_same: u64 = of_label.clone().map(|row| row.same_site).sum();
            of_label.clone().find(|row| row.reason == reason).map_or_else(
                || NONE.to_owned(),
                |row| {
                    let share = percent(row.pairs, all);
                    let same = match row.same_site {
                        0 => "none on one site".to_owned(),
                        same => {
                            format!("{} on one site ({})", grouped(same), percent(same, all_same))
                        }
                    };
                    format!("{} ({share}){}", grouped(row.pairs), interval(&same))
                },
            )
        };
        let name =
            if reason.is_empty() { "none given".to_owned() } else { Name(reason).to_string() };
        table.row([name].into_iter().chain(evaluation.recipes.iter().map(cell)));
    }
    scrolls(&table.html())
}

/// Tables 9 and 10, and figure 5.
fn correlation(evaluation: &Evaluation) -> String {
    let names = names(evaluation);
    let average = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| NONE.to_owned(), |value| format!("{value:.digits$}"))
    };
    let columns = number_columns("B-similarity", names.iter().map(String::as_str));
    let mut nine =
        Table::titled("Table 9: the average C-similarity for each B-similarity", &columns);
    for b in 0..=FEATURES {
        let of = |recipe: &RecipeEvaluation| recipe.by_b_similarity.get(b)?.other_average;
        let cells = evaluation.recipes.iter().map(|recipe| average(of(recipe), 1));
        nine.row([b.to_string()].into_iter().chain(cells));
    }
    let columns = number_columns("C-similarity", names.iter().map(String::as_str));
    let mut ten = Table::titled("Table 10: the average B-similarity for ranges of C", &columns);
    for (n, [low, high]) in C_RANGES.into_iter().enumerate() {
        let of = |recipe: &RecipeEvaluation| recipe.by_c_similarity.get(n)?.other_average;
        let cells = evaluation.recipes.iter().map(|recipe| average(of(recipe), 2));
        ten.row([format!("{low} to {high}")].into_iter().chain(cells));
    }
    scrolls(&nine.html())
        + &scrolls(&ten.html())
        + &says(
            "The two similarities go together as far as these averages rise. A recipe has a number \
             only where it returns such pairs.",
        )
        + &c_distributions(evaluation)
}

/// Figure 5, for the recipe that R is against.
fn c_distributions(evaluation: &Evaluation) -> String {
    let recipe = evaluation.recipes.iter().find(|recipe| recipe.name == evaluation.against);
    let Some(recipe) = recipe else { return String::new() };
    let shown: Vec<(usize, &Vec<u64>)> = (0..)
        .zip(&recipe.c_similarity_counts)
        .filter(|(b, counts)| *b > 0 && counts.iter().any(|n| *n > 0))
        .collect();
    let all = || shown.iter().flat_map(|(_, counts)| (0..).zip(counts.iter()));
    let Some(least) = all().filter(|(_, n)| **n > 0).map(|(c, _)| c).min() else {
        return String::new();
    };
    let total = |counts: &[u64]| counts.iter().sum::<u64>().max(1) as f64;
    let shares = shown.iter().flat_map(|(_, counts)| {
        let total = total(counts);
        counts.iter().map(move |n| *n as f64 / total)
    });
    let most = shares.fold(0.01, f64::max);
    let low: i32 = least;
    let mut chart = chart(
        "The distribution of C-similarity for each B-similarity",
        (Axis::Linear(f64::from(low)..=BITS as f64), "C-similarity"),
        (Axis::Linear(0.0..=most), "share of the pairs of that B-similarity"),
    );
    let mut keys = String::new();
    for (b, counts) in shown {
        let points = (0..).zip(counts).skip(low as usize);
        let points = points.map(|(c, n)| (f64::from(c), *n as f64 / total(counts)));
        chart = chart.line(&format!("l{}", b % 6), points);
        keys += &(key(&format!("s{}", b % 6), &format!("B-similarity {b}")) + " ");
    }
    let caption = format!("<b>{}</b>: {keys}", Text(&recipe.name));
    plots(&figure(&chart.svg(), &caption))
        + &says("Figure 5: which C-similarities the pairs of each B-similarity have.")
}

/// Figures 6 and 7, and tables 11 and 12.
fn combined(evaluation: &Evaluation) -> String {
    let combined = &evaluation.combined;
    let known = |rows: &[ThresholdRow]| -> Vec<(f64, f64, f64)> {
        let share = |row: &ThresholdRow| {
            Some((row.c_similarity as f64, row.precision?.share, row.r?.share))
        };
        rows.iter().filter_map(share).collect()
    };
    let (all, training) = (known(&combined.thresholds), known(&combined.training));
    let name = Text(&evaluation.against).to_string();
    if all.is_empty() {
        return says(&format!(
            "No correct pair of {name} is known, so nothing can be said of its pairs with a \
             threshold of C-similarity."
        ));
    }
    let pairs_at = |c: f64| combined.thresholds.get(c as usize).map_or(0, |row| row.pairs);
    let whole = pairs_at(0.0);
    // Where nothing is lost yet, there is nothing to see.
    let least = all.iter().map(|at| at.0).rfind(|c| pairs_at(*c) == whole).unwrap_or(0.0);
    let least = (least / 10.0).floor() * 10.0;
    let mut six = chart(
        "Precision and R for each threshold of C-similarity",
        (Axis::Linear(least..=BITS as f64), "least C-similarity"),
        (Axis::SHARES, "precision, R"),
    );
    mark_paper_threshold(&mut six);
    let shown = || all.iter().filter(|at| at.0 >= least);
    let six =
        six.line("l0", shown().map(|at| (at.0, at.1))).line("l3", shown().map(|at| (at.0, at.2)));
    let keys = format!("{} {}", key("s0", "precision"), key("s3", "R"));
    let mut figures = figure(&six.svg(), &format!("Figure 6, all judged pairs: {keys}"));
    if !training.is_empty() {
        let best = training.iter().filter(|at| at.0 as usize == combined.best);
        let best = best.map(|at| (at.2, at.1));
        let seven = chart(
            "Precision against R for all thresholds of C-similarity",
            (Axis::SHARES, "R"),
            (Axis::SHARES, "precision"),
        )
        .line("l0", training.iter().map(|at| (at.2, at.1)))
        .dots(3.2, best, |_, _| format!("the best, {}", combined.best));
        let caption = format!(
            "Figure 7, the training half of the pairs: the dot is the threshold with the best \
             harmonic mean of both, {}.",
            combined.best
        );
        figures += &figure(&seven.svg(), &caption);
    }
    let mut tested = String::new();
    for at in &combined.testing {
        let caption = format!("Table 12: {name} with C-similarity at least {}", at.c_similarity);
        tested += &scrolls(&rows_table(&caption, &at.rows));
    }
    plots(&figures)
        + &says(&format!(
            "The pairs of {name}, without those whose C-similarity is below a threshold. R is the \
             share of its correct pairs that are left. Precision in this section is the paper's: \
             undecided pairs are in the whole."
        ))
        + &scrolls(&threshold_table(evaluation))
        + &says("Table 11: the same on the training half, for the thresholds of the paper.")
        + &tested
        + &says(&format!(
            "Table 12: on the other half of the pairs, which the threshold was not chosen by: \
             the paper's {PAPER_THRESHOLD}, and {}, the best of the training half.",
            combined.best
        ))
}

fn threshold_table(evaluation: &Evaluation) -> String {
    let columns = number_columns("Least C-similarity", ["Pairs", "Judged", "Precision", "R"]);
    let combined = &evaluation.combined;
    let table = |caption: &str, wanted: &dyn Fn(usize) -> bool| {
        let mut table = Table::titled(caption, &columns);
        for row in combined.training.iter().filter(|row| wanted(row.c_similarity)) {
            table.row([
                row.c_similarity.to_string(),
                grouped(row.pairs),
                grouped(row.judged),
                cell(row.precision),
                cell(row.r),
            ]);
        }
        table.html()
    };
    let paper = |c: usize| PAPER_THRESHOLDS.contains(&c) || c == combined.best;
    let every = |c: usize| c >= 300;
    table("Table 11: precision and R by threshold", &paper)
        + &unfolds("All thresholds of 300 or more", &table("Training half", &every))
}

fn method(evaluation: &Evaluation) -> String {
    let labels = &evaluation.labels;
    let mut table = Table::new("", &[Column::Words(""), Column::Words("")]);
    let mut fact = |name: &str, value: String| table.row([name.to_owned(), value]);
    fact("Documents", grouped(evaluation.documents));
    fact(
        "Identical",
        match evaluation.identical_removed {
            0 => "none was left out".to_owned(),
            n => format!("{} left out for an earlier one with the same words", grouped(n)),
        },
    );
    fact("Empty", format!("{}, which resemble nothing", grouped(evaluation.empty)));
    fact("Sites", grouped(evaluation.sites));
    fact("Hosts", grouped(evaluation.hosts.hosts));
    fact(
        "Labels",
        format!(
            "{} correct, {} incorrect, {} undecided",
            grouped(labels.correct),
            grouped(labels.incorrect),
            grouped(labels.undecided)
        ),
    );
    fact(
        "Labels left out",
        format!(
            "{} of identical documents, {} of documents that were left out, {} that could not be used",
            grouped(labels.identical),
            grouped(labels.of_removed),
            grouped(labels.skipped)
        ),
    );
    for (fault, number) in &labels.skipped_by_fault {
        fact("", format!("{}: {}", Text(fault), grouped(*number)));
    }
    fact(
        "Pairs without a label",
        match evaluation.absent {
            AbsentRule::Unlabelled => "are left out of every share".to_owned(),
            AbsentRule::Incorrect => "are incorrect".to_owned(),
        },
    );
    if labels.weighted {
        fact(
            "Weights",
            "a pair counts as many as it stands for; intervals are those of an even \
             sample that says as much (Kish)"
                .to_owned(),
        );
    }
    fact("Records skipped", grouped(evaluation.skipped));
    let mut recipes = String::new();
    for recipe in &evaluation.recipes {
        let _ = write!(recipes, "{} <code>{}</code><br>", Text(&recipe.name), Text(&recipe.digest));
    }
    fact("Recipes", recipes);
    let html = table.html().replacen("<table>", "<table class=\"facts\">", 1);
    html + &says(
        "B-similarity and C-similarity are Henzinger's for every recipe: 6 features of 14 minima \
         over 8-word shingles, 384 bits over words. Intervals are Wilson's, over labelled pairs; that \
         of F1 is the one of the share of right pairs in all that are right, wrong or missed. They \
         take pairs as independent, which the pairs of one page and all pairs under one seed are \
         not.",
    )
}

/// Marks the threshold of the paper, with words where the lines of the chart are not.
fn mark_paper_threshold(chart: &mut Chart) {
    let threshold = PAPER_THRESHOLD as f64;
    chart.mark(threshold, 24.0);
    let at = chart.across(threshold);
    let (x, anchor) = if at > 300.0 { (at - 5.0, "end") } else { (at + 5.0, "start") };
    chart.words((x, CHART_BOTTOM - 8.0), anchor, "355, the paper's");
}

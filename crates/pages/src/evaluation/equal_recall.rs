//! The bits by which a recipe returns as many correct pairs as another.

use lookalike_engine::numbers::{count, grouped};
use lookalike_eval::{BitsRow, Evaluation};

use super::parts::{CHART_BOTTOM, NONE, cell, chart, figure, plots, says, scrolls, shown};
use crate::chart::Axis;
use crate::markup::{Table, Text, key, number_columns, unfolds};

/// Nothing if that was not asked for.
pub(super) fn equal_recall(evaluation: &Evaluation) -> String {
    let Some(of) = &evaluation.equal_recall else { return String::new() };
    let (recipe, against) = (Text(&of.recipe), Text(&of.against));
    let told = match (of.chosen, of.wanted) {
        (Some(chosen), wanted) => format!(
            "{recipe} returns at least as many correct pairs as {against}, {}, if {chosen} of {} bits \
             must agree; its own are {}. In {} pieces no such pair is missed.",
            grouped(wanted),
            of.bits,
            of.own,
            of.pieces.unwrap_or_default(),
        ),
        (None, 0) => format!("No correct pair of {against} is known."),
        (None, wanted) => format!(
            "{recipe} does not return as many correct pairs as {against}, {}, by any number of bits \
             that was looked at.",
            grouped(wanted)
        ),
    };
    let [mut points, mut precisions] = [const { Vec::new() }; 2];
    for row in &of.thresholds {
        let agree = row.agree as f64;
        points.extend(row.r.map(|r| (agree, r.min(2.0))));
        precisions.extend(row.precision.map(|precision| (agree, precision.share)));
    }
    let least = of.thresholds.first().map_or(0, |row| row.agree) as f64;
    let most = points.iter().fold(1.0_f64, |most, (_, r)| most.max(*r));
    let mut chart = chart(
        "Precision and R for each number of equal bits",
        (Axis::Linear(least..=of.bits as f64), "least equal bits"),
        (Axis::Linear(0.0..=most), "precision, R"),
    );
    if let Some(chosen) = of.chosen {
        chart.mark(chosen as f64, 24.0);
        let at = chart.across(chosen as f64);
        chart.words((at + 5.0, CHART_BOTTOM - 8.0), "start", &chosen.to_string());
    }
    let chart = chart.line("l0", precisions).line("l3", points);
    let keys = format!("{} {}", key("s0", "precision"), key("s3", "R"));
    let figure = figure(&chart.svg(), &format!("<b>{recipe}</b>: {keys}"));
    let at_chosen = if of.rows.is_empty() {
        String::new()
    } else {
        scrolls(&table("At the chosen bits", "Near-duplicates", &of.rows, |row| row.name.clone()))
    };
    let all = table("For each number of bits", "Least equal bits", &of.thresholds, |row| {
        row.agree.to_string()
    });
    format!("<p>{told}</p>\n")
        + &at_chosen
        + &plots(&figure)
        + &says(
            "Section 3.3 of the paper chooses the bits of Algorithm C so, since recall cannot be known. R is \
             the number of correct pairs for one of the other recipe; up to 2 is drawn. Precision is the \
             share of the correct in correct and incorrect.",
        )
        + &unfolds(&count(of.thresholds.len() as u64, "threshold"), &scrolls(&all))
}

fn table(title: &str, first: &str, rows: &[BitsRow], name: impl Fn(&BitsRow) -> String) -> String {
    let columns =
        number_columns(first, ["Pairs", "Judged", "Correct", "Precision", "Share correct", "R"]);
    let mut table = Table::titled(title, &columns);
    for (_, row) in rows.iter().enumerate().filter(|(n, row)| *n == 0 || row.pairs > 0) {
        table.row([
            name(row),
            grouped(row.pairs),
            grouped(row.judged),
            grouped(row.correct.map_or(0, |correct| correct.number)),
            cell(row.precision),
            cell(row.correct),
            row.r.map_or_else(|| NONE.to_owned(), shown),
        ]);
    }
    table.html()
}

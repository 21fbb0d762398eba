//! How many pages have how many near-duplicates, and how many hosts how many pages: counts of
//! counts, with the power law fitted to them.

use std::fmt::Write as _;

use lookalike_engine::numbers::{count, grouped};
use lookalike_eval::{Evaluation, Hosts, PowerLaw, RecipeEvaluation};

use super::parts::{NONE, cell_inline, chart, figure, plots, says, scrolls};
use crate::chart::Axis;
use crate::markup::{Name, Table, Text, number_columns, percent, unfolds};

/// What the points of a figure count.
struct Points<'a> {
    description: &'a str,
    /// What is beside the axes.
    titles: [&'a str; 2],
    /// `[size, how many are of it]`.
    counts: &'a [[u64; 2]],
    law: Option<PowerLaw>,
    /// What a dot says.
    says: &'a dyn Fn(u64, u64) -> String,
}

impl Points<'_> {
    fn svg(&self) -> String {
        let most = self.counts.iter().fold([1; 2], |[a, b], &[d, n]| [a.max(d), b.max(n)]);
        let mut chart = chart(
            self.description,
            (Axis::of_counts(most[0]), self.titles[0]),
            (Axis::of_counts(most[1]), self.titles[1]),
        );
        if let Some(law) = self.law {
            let at = |d: f64| (d, 10_f64.powf(law.line_intercept + law.line_slope * d.log10()));
            chart = chart.line("fit", [at(1.0), at(most[0] as f64)]);
        }
        let points = self.counts.iter().map(|&[d, n]| (d as f64, n as f64));
        chart.dots(3.2, points, |size, number| (self.says)(size as u64, number as u64)).svg()
    }

    /// The law, and how far the points are from it.
    fn law_in_words(&self) -> String {
        self.law.map_or_else(
            || "too few points for a law".to_owned(),
            |law| {
                format!(
                    "exponent {:.2} &plusmn; {:.2}, the line {:.2}, R&sup2; {:.2}, spread {:.2}",
                    law.exponent,
                    1.96 * law.standard_error,
                    law.line_slope,
                    law.r_squared,
                    law.spread
                )
            },
        )
    }
}

/// What the fit is, in words.
const FITTED: &str = "The exponent is the one of greatest likelihood of a power law over all \
                      numbers that are possible; the line is that of least squares through the \
                      dots. R&sup2; is the share of the spread of the dots that the line explains; \
                      the spread is how far they are from it, in powers of ten.";

/// Figures 1 and 3.
pub(super) fn degrees(evaluation: &Evaluation) -> String {
    let of_recipe = |recipe: &RecipeEvaluation| {
        let points = Points {
            description: "How many pages have how many near-duplicates",
            titles: ["near-duplicates of a page", "pages"],
            counts: &recipe.degrees,
            law: recipe.power_law,
            says: &|degree, pages| {
                format!("{} of degree {}", count(pages, "page"), grouped(degree))
            },
        };
        let average = recipe.average_degree.unwrap_or(0.0);
        let high = cell_inline(recipe.degree_100);
        let caption = format!(
            "<b>{}</b>: {}, {average:.1} near-duplicates on average, {high} with at least 100; {}.",
            Text(&recipe.name),
            count(recipe.pages, "page"),
            points.law_in_words(),
        );
        figure(&points.svg(), &caption)
    };
    let recipes = evaluation.recipes.iter().filter(|recipe| recipe.pages > 0);
    let figures: String = recipes.map(of_recipe).collect();
    if figures.is_empty() {
        return figures;
    }
    plots(&figures)
        + &says(&format!(
            "Figures 1 and 3: each dot is a number of near-duplicates and how many pages have as \
             many. {FITTED} In the paper the line is about -1.3 for Algorithm B and -1.4 for \
             Algorithm C, and the dots of B spread much more."
        ))
}

/// The hosts of section 3.
pub(super) fn hosts(hosts: &Hosts) -> String {
    if hosts.hosts == 0 {
        return String::new();
    }
    let points = Points {
        description: "How many hosts have how many pages",
        titles: ["pages of a host", "hosts"],
        counts: &hosts.counts,
        law: hosts.power_law,
        says: &|pages, hosts| format!("{} of {}", count(hosts, "host"), count(pages, "page")),
    };
    let number = |number: Option<u64>| number.map_or_else(|| NONE.to_owned(), grouped);
    let mut caption = format!(
        "{} of {}, {:.1} on average; half of the hosts have at most {}, nine in ten at most {}, 99 \
         in 100 at most {}; {}.",
        count(hosts.pages, "page"),
        count(hosts.hosts, "host"),
        hosts.average.unwrap_or(0.0),
        number(hosts.median),
        number(hosts.ninth_decile),
        number(hosts.last_percentile),
        points.law_in_words(),
    );
    if hosts.without_host > 0 {
        let _ = write!(caption, " Addresses without a host: {}.", grouped(hosts.without_host));
    }
    let columns = number_columns("Host", ["Pages", "Share"]);
    let mut table = Table::titled("The hosts with the most pages", &columns);
    for host in &hosts.largest {
        let share = percent(host.pages, hosts.pages);
        table.row([Name(&host.host).to_string(), grouped(host.pages), share]);
    }
    plots(&figure(&points.svg(), &caption))
        + &says(&format!(
            "Each dot is a number of pages and how many hosts have as many, copies left out. {FITTED} \
             The paper's 1.6 billion pages are of 46.2 million hosts, 36.5 on average."
        ))
        + &unfolds("The largest hosts", &scrolls(&table.html()))
}

//! What the sections of an evaluation's page are made of: shares with their intervals, charts,
//! figures, tables that scroll.

use lookalike_eval::{Evaluation, Label, Share};

use crate::chart::{Axis, Chart};
use crate::markup::Text;

/// Where the panels of charts end.
pub(super) const CHART_BOTTOM: f64 = 306.0;

/// What stands for nothing.
pub(super) const NONE: &str = "&ndash;";

pub(super) fn names(evaluation: &Evaluation) -> Vec<String> {
    evaluation.recipes.iter().map(|recipe| Text(&recipe.name).to_string()).collect()
}

/// A share with its interval beneath.
pub(super) fn cell(share: Option<Share>) -> String {
    share.map_or_else(
        || NONE.to_owned(),
        |share| {
            let ends = format!("{}&ndash;{}", shown(share.low), shown(share.high));
            shown(share.share) + &interval(&ends)
        },
    )
}

/// The same, with the share of a part in parentheses behind the interval.
pub(super) fn cell_with(share: Option<Share>, part: Option<Share>) -> String {
    let part = part.filter(|_| share.is_some());
    cell(share)
        + &part.map_or_else(String::new, |part| interval(&format!("({})", shown(part.share))))
}

/// A share with its interval beside it.
pub(super) fn cell_inline(share: Option<Share>) -> String {
    share.map_or_else(
        || NONE.to_owned(),
        |s| format!("{} ({}&ndash;{})", shown(s.share), shown(s.low), shown(s.high)),
    )
}

pub(super) fn interval(text: &str) -> String {
    format!("<span class=\"interval\">{text}</span>")
}

/// A share as the paper writes them, with a digit more where two would say 1.
pub(super) fn shown(share: f64) -> String {
    if share > 0.985 && share < 1.0 {
        return format!("{:.3}", share.min(0.999));
    }
    format!("{share:.2}")
}

/// A chart with one panel.
pub(super) fn chart(
    description: &str,
    (x, x_title): (Axis, &str),
    (y, y_title): (Axis, &str),
) -> Chart {
    Chart::new(description, CHART_BOTTOM, x)
        .panel(30.0..=CHART_BOTTOM, y, y_title)
        .baseline("tick")
        .x_axis(x_title)
        .x_ticks()
}

pub(super) fn figure(svg: &str, caption: &str) -> String {
    format!("<figure>\n{svg}\n<figcaption>{caption}</figcaption>\n</figure>\n")
}

pub(super) fn plots(figures: &str) -> String {
    format!("<div class=\"plots\">\n{figures}</div>\n")
}

pub(super) fn scrolls(table: &str) -> String {
    format!("<div class=\"scrolls\">{table}</div>\n")
}

pub(super) fn says(text: &str) -> String {
    format!("<p class=\"says\">{text}</p>\n")
}

pub(super) fn name_of(label: Label) -> &'static str {
    match label {
        Label::Correct => "correct",
        Label::Incorrect => "incorrect",
        Label::Undecided => "undecided",
        Label::Unlabelled => "unlabelled",
    }
}

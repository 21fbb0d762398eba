//! Charts: one set of axes, lines, dots and bars for every page.
//!
//! They take their colours from the page's style, and are 480 units wide, so that
//! their letters stay readable on a phone. All words are ours, none from
//! outside. Bars in tables have no letters and stretch with the table.

mod axis;
mod svg;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

pub(crate) use axis::Axis;
pub(crate) use svg::{Svg, class};

const WIDTH: f64 = 480.0;
/// Where the axes are: room for numbers on the left, for half a number on the right.
pub(crate) const LEFT: f64 = 50.0;
pub(crate) const RIGHT: f64 = WIDTH - 14.0;
/// Room for the numbers and the title of the x axis.
const BELOW: f64 = 44.0;

/// A horizontal bar of parts, each a class of the style and its share of the whole.
pub(crate) fn bar<'a>(parts: impl IntoIterator<Item = (&'a str, f64)>) -> String {
    let mut svg = String::from(
        "<svg class=\"bar\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" \
         aria-hidden=\"true\"><rect class=\"track\" width=\"1000\" height=\"10\"/>",
    );
    let mut at = 0.0;
    for (class, share) in parts {
        let width = (Axis::SHARES.share(share) * 1000.0).min(1000.0 - at);
        // A part that exists can be seen.
        let width = if share > 0.0 { width.max(1.5) } else { width };
        let _ = write!(
            svg,
            "<rect class=\"{class}\" x=\"{at:.2}\" width=\"{width:.2}\" height=\"10\"/>"
        );
        at += width;
    }
    svg + "</svg>"
}

/// A chart in the making: panels above each other, on one x axis.
pub(crate) struct Chart {
    svg: Svg,
    x: Axis,
    /// What stands beside it.
    numbers: Vec<(f64, String)>,
    /// The last panel: its axis, and where it begins and ends.
    y: Axis,
    top: f64,
    bottom: f64,
}

impl Chart {
    /// A chart whose last panel ends at `bottom`.
    pub(crate) fn new(description: &str, bottom: f64, x: Axis) -> Self {
        let height = bottom + BELOW;
        let svg = Svg::new(format_args!(
            "class=\"plot\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             aria-label=\"{description}\""
        ));
        Self { svg, numbers: x.ticks(), x, y: Axis::SHARES, top: 0.0, bottom }
    }

    /// A number beside the x axis in place of those below it.
    pub(crate) fn first_number(mut self, value: f64, text: &str) -> Self {
        self.numbers.retain(|(number, _)| *number > value);
        self.numbers.insert(0, (value, text.to_owned()));
        self
    }

    /// A panel with its axis, for what is drawn next.
    pub(crate) fn panel(mut self, rows: RangeInclusive<f64>, y: Axis, title: &str) -> Self {
        (self.top, self.bottom, self.y) = (*rows.start(), *rows.end(), y);
        self.words((LEFT, self.top - 14.0), "start", title);
        for (value, text) in self.y.ticks() {
            let at = self.up(value);
            self.svg.line(class("grid"), (LEFT, at), (RIGHT, at));
            self.words((LEFT - 6.0, at + 4.0), "end", &text);
        }
        self
    }

    /// The numbers and the title of the x axis, below the last panel.
    pub(crate) fn x_axis(mut self, title: &str) -> Self {
        for (value, text) in self.numbers.clone() {
            self.words((self.across(value), self.bottom + 18.0), "middle", &text);
        }
        self.words((f64::midpoint(LEFT, RIGHT), self.bottom + BELOW - 6.0), "middle", title);
        self
    }

    /// Ticks at the numbers of the x axis.
    pub(crate) fn x_ticks(mut self) -> Self {
        for (value, _) in &self.numbers {
            let at = self.across(*value);
            self.svg.line(class("tick"), (at, self.bottom), (at, self.bottom + 4.0));
        }
        self
    }

    /// A line below the last panel.
    pub(crate) fn baseline(mut self, name: &str) -> Self {
        self.svg.line(class(name), (LEFT, self.bottom), (RIGHT, self.bottom));
        self
    }

    /// Where a value of the x axis is.
    pub(crate) fn across(&self, x: f64) -> f64 {
        LEFT + self.x.share(x) * (RIGHT - LEFT)
    }

    /// Where a value of the last panel is.
    pub(crate) fn up(&self, y: f64) -> f64 {
        self.bottom - self.y.share(y) * (self.bottom - self.top)
    }

    /// A line through points.
    pub(crate) fn line(mut self, name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let points: Vec<_> =
            points.into_iter().map(|(x, y)| (self.across(x), self.up(y))).collect();
        self.svg.path(class(format!("curve {name}").trim_end()), points.into_iter());
        self
    }

    /// A dot of this size for each point, with what it says. Dots that would hide each other are drawn once:
    /// there are thousands of them at most.
    pub(crate) fn dots(
        mut self,
        radius: f64,
        points: impl IntoIterator<Item = (f64, f64)>,
        says: impl Fn(f64, f64) -> String,
    ) -> Self {
        let mut drawn = BTreeSet::new();
        for (x, y) in points {
            let at = (self.across(x), self.up(y));
            if drawn.insert((at.0.round() as i64, at.1.round() as i64)) {
                self.svg.disc(class("dot"), at, radius, &says(x, y));
            }
        }
        self
    }

    /// A bar over a range of the x axis, with what it says.
    pub(crate) fn bar(&mut self, name: &str, x: RangeInclusive<f64>, y: f64, says: &str) {
        let (left, right) = (self.across(*x.start()), self.across(*x.end()));
        let top = self.up(y).min(self.bottom - 1.0);
        let corner = (right.max(left + 0.8), self.bottom);
        self.svg.rectangle(class(name), (left, top), corner, says);
    }

    /// A line at a place of the x axis, from this height down to the axis.
    pub(crate) fn mark(&mut self, x: f64, top: f64) {
        let at = self.across(x);
        self.svg.line(class("threshold"), (at, top), (at, self.bottom));
    }

    /// A ring at a place that is computed already.
    pub(crate) fn ring(&mut self, at: (f64, f64)) {
        self.svg.disc(class("mark"), at, 4.0, "");
    }

    /// Words at a place that is computed already: its `start`, `middle` or `end`.
    pub(crate) fn words(&mut self, at: (f64, f64), anchor: &str, text: &str) {
        self.svg.words(format_args!("text-anchor=\"{anchor}\""), at, text);
    }

    pub(crate) fn svg(self) -> String {
        self.svg.finish()
    }
}

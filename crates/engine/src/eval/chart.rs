//! Charts with two axes: lines, dots and bars, in the style of the report's plots.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

use crate::numbers::grouped;
use crate::report::charts::{self, LEFT, Logarithmic, Panel, RIGHT, label, line, short};

/// The height of a chart, and where its axes are.
const HEIGHT: f64 = 350.0;
const PANEL: Panel = Panel { top: 30.0, bottom: 306.0 };

/// Numbers on an axis, at most about.
const TICKS: usize = 6;

/// An axis.
#[derive(Clone, Debug)]
pub(super) enum Axis {
    /// In proportion.
    Linear(RangeInclusive<f64>),
    /// Each power of ten takes the same room.
    Logarithmic(RangeInclusive<f64>),
}

impl Axis {
    /// Shares from 0 to 1.
    pub(super) const SHARES: Self = Self::Linear(0.0..=1.0);

    /// Whole numbers from 1 on that differ much.
    pub(super) fn of_counts(most: u64) -> Self {
        Self::Logarithmic(0.7..=(most as f64 * 1.5).max(12.0))
    }

    fn share(&self, value: f64) -> f64 {
        let (low, high, value) = match self {
            Self::Linear(ends) => (*ends.start(), *ends.end(), value),
            Self::Logarithmic(ends) => {
                (ends.start().log10(), ends.end().log10(), value.max(f64::MIN_POSITIVE).log10())
            }
        };
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    }

    fn ticks(&self) -> Vec<(f64, String)> {
        match self {
            Self::Linear(ends) => linear_ticks(ends),
            Self::Logarithmic(ends) => {
                let ticks = Logarithmic { ends: ends.clone() }.ticks(TICKS);
                ticks.into_iter().map(|n| (n as f64, short(n))).collect()
            }
        }
    }
}

/// Multiples of the least step of 1, 2 or 5 times a power of ten that makes few of them.
fn linear_ticks(ends: &RangeInclusive<f64>) -> Vec<(f64, String)> {
    let (low, high) = (*ends.start(), *ends.end());
    let steps = (-3..=18).flat_map(|power| [1.0, 2.0, 5.0].map(|m| m * 10_f64.powi(power)));
    let few = |step: &f64| (high - low) / step <= TICKS as f64;
    let Some(step) = steps.into_iter().find(few) else { return Vec::new() };
    let digits = (-step.log10().floor()).max(0.0) as usize;
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last)
        .map(|n| {
            let value = n as f64 * step;
            let whole = digits == 0 && value >= 0.0;
            (value, if whole { grouped(value as u64) } else { format!("{value:.digits$}") })
        })
        .collect()
}

/// A chart in the making. All words are ours, none from outside.
pub(super) struct Chart {
    x: Axis,
    y: Axis,
    svg: String,
}

impl Chart {
    /// Draws the axes.
    pub(super) fn new(
        description: &str,
        (x, x_title): (Axis, &str),
        (y, y_title): (Axis, &str),
    ) -> Self {
        let mut svg = charts::open(HEIGHT, description);
        label(&mut svg, LEFT, 16.0, "start", y_title);
        for (value, text) in y.ticks() {
            let at = PANEL.at(y.share(value));
            line(&mut svg, "grid", LEFT..=RIGHT, at..=at);
            label(&mut svg, LEFT - 6.0, at + 4.0, "end", &text);
        }
        line(&mut svg, "tick", LEFT..=RIGHT, PANEL.bottom..=PANEL.bottom);
        let chart = Self { x, y, svg };
        let mut svg = String::new();
        for (value, text) in chart.x.ticks() {
            let at = chart.across(value);
            line(&mut svg, "tick", at..=at, PANEL.bottom..=PANEL.bottom + 4.0);
            label(&mut svg, at, PANEL.bottom + 18.0, "middle", &text);
        }
        label(&mut svg, f64::midpoint(LEFT, RIGHT), HEIGHT - 6.0, "middle", x_title);
        Self { svg: chart.svg + &svg, ..chart }
    }

    fn across(&self, x: f64) -> f64 {
        LEFT + self.x.share(x) * (RIGHT - LEFT)
    }

    fn up(&self, y: f64) -> f64 {
        PANEL.at(self.y.share(y))
    }

    /// A line through points.
    pub(super) fn line(mut self, class: &str, points: &[(f64, f64)]) -> Self {
        // Steps of less than a tenth of a unit cannot be seen.
        let mut path: Vec<String> = Vec::new();
        for &(x, y) in points {
            let at = format!("{:.1},{:.1}", self.across(x), self.up(y));
            if path.last() != Some(&at) {
                path.push(at);
            }
        }
        let _ =
            write!(self.svg, "<polyline class=\"curve {class}\" points=\"{}\"/>", path.join(" "));
        self
    }

    /// A dot for each point, with what it says. Dots that would hide each other are drawn once.
    pub(super) fn dots(
        mut self,
        points: impl IntoIterator<Item = (f64, f64)>,
        says: impl Fn(f64, f64) -> String,
    ) -> Self {
        let mut drawn = BTreeSet::new();
        for (x, y) in points {
            let (at_x, at_y) = (self.across(x), self.up(y));
            if drawn.insert((at_x.round() as i64, at_y.round() as i64)) {
                let _ = write!(
                    self.svg,
                    "<circle class=\"dot\" cx=\"{at_x:.1}\" cy=\"{at_y:.1}\" r=\"3.2\">\
                     <title>{}</title></circle>",
                    says(x, y)
                );
            }
        }
        self
    }

    /// A bar for each point, one unit of the x axis wide.
    pub(super) fn bars(
        mut self,
        points: impl IntoIterator<Item = (f64, f64)>,
        says: impl Fn(f64, f64) -> String,
    ) -> Self {
        for (x, y) in points {
            let (left, right) = (self.across(x - 0.5), self.across(x + 0.5));
            let top = self.up(y).min(PANEL.bottom - 1.0);
            let _ = write!(
                self.svg,
                "<rect class=\"s0\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" \
                 height=\"{:.1}\"><title>{}</title></rect>",
                (right - left).max(0.8),
                PANEL.bottom - top,
                says(x, y)
            );
        }
        self
    }

    /// A mark at a place of the x axis.
    pub(super) fn mark(mut self, x: f64, text: &str) -> Self {
        let at = self.across(x);
        line(&mut self.svg, "threshold", at..=at, PANEL.top - 6.0..=PANEL.bottom);
        let anchor = if self.x.share(x) > 0.6 { "end" } else { "start" };
        let beside = if anchor == "end" { at - 5.0 } else { at + 5.0 };
        label(&mut self.svg, beside, PANEL.bottom - 8.0, anchor, text);
        self
    }

    pub(super) fn svg(self) -> String {
        self.svg + "</svg>"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_a_few_round_numbers() {
        let axes = [
            (Axis::SHARES, vec!["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
            (Axis::Linear(300.0..=384.0), vec!["300", "320", "340", "360", "380"]),
            (Axis::Linear(-0.5..=200.5), vec!["0", "50", "100", "150", "200"]),
        ];
        for (axis, expected) in axes {
            let ticks: Vec<String> = axis.ticks().into_iter().map(|(_, text)| text).collect();
            assert_eq!(ticks, expected);
        }
        for most in [1, 9, 12_345, u64::MAX / 2] {
            assert!((2..=8).contains(&Axis::of_counts(most).ticks().len()), "{most}");
        }
    }

    #[test]
    fn places_stay_within_the_frame() {
        for axis in [Axis::SHARES, Axis::of_counts(100), Axis::Linear(0.0..=384.0)] {
            for value in [-5.0, 0.0, 0.5, 1.0, 1e12] {
                assert!((0.0..=1.0).contains(&axis.share(value)), "{axis:?} {value}");
            }
        }
    }
}

//! The plots of the page, as SVG that takes its colours from the page's style.
//!
//! Plots with axes are drawn 480 units wide, so that their letters stay readable
//! on a phone. Bars in tables have no letters and stretch with the table.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

use super::histogram::Histogram;
use super::{Report, Verify};
use crate::numbers::{count, grouped};

const WIDTH: f64 = 480.0;
/// Where the axes are: room for numbers on the left, for half a number on the right.
pub(crate) const LEFT: f64 = 50.0;
pub(crate) const RIGHT: f64 = WIDTH - 14.0;

/// A horizontal bar of parts, each a class of the style and its share of the whole.
pub(super) fn bar<'a>(parts: impl IntoIterator<Item = (&'a str, f64)>) -> String {
    let mut svg = String::from(
        "<svg class=\"bar\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" \
         aria-hidden=\"true\"><rect class=\"track\" width=\"1000\" height=\"10\"/>",
    );
    let mut at = 0.0;
    for (class, share) in parts {
        let width = (unit(share) * 1000.0).min(1000.0 - at);
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

/// The filter's curve above the resemblance of the pairs, on one axis; nothing if there is neither.
pub(super) fn curve_and_pairs(report: &Report) -> Option<String> {
    let has_curve = report.filter_curve.len() > 1;
    let has_pairs = most(report) > 0;
    if !has_curve && !has_pairs {
        return None;
    }
    let curve = Panel { top: 30.0, bottom: if has_pairs { 160.0 } else { 330.0 } };
    let pairs = Panel { top: if has_curve { 196.0 } else { 30.0 }, bottom: 330.0 };
    let mut svg = open(374.0, &description(report, has_curve, has_pairs));
    if has_curve {
        draw_curve(&mut svg, report, &curve);
    }
    if has_pairs {
        draw_pairs(&mut svg, report, &pairs);
    }
    for tenth in (0..=10).step_by(2) {
        let x = f64::from(tenth) / 10.0;
        label(&mut svg, across(x), 348.0, "middle", &format!("{x:.1}"));
    }
    label(&mut svg, f64::midpoint(LEFT, RIGHT), 368.0, "middle", "resemblance");
    if report.recipe.verify != Verify::None && report.recipe.threshold.is_finite() {
        let top = if has_curve { curve.top } else { pairs.top };
        draw_threshold(&mut svg, report, top, pairs.bottom, has_curve.then_some(&curve));
    }
    Some(svg + "</svg>")
}

/// How many clusters have which size, both on logarithmic axes; nothing without clusters.
pub(super) fn cluster_sizes(sizes: &[[u64; 2]]) -> Option<String> {
    let real = || sizes.iter().copied().filter(|&[size, clusters]| size > 0 && clusters > 0);
    let largest = real().map(|[size, _]| size).max()?;
    let most = real().map(|[_, clusters]| clusters).max()?;
    let panel = Panel { top: 30.0, bottom: 330.0 };
    let x_axis = Logarithmic { ends: 1.6..=(largest as f64 * 1.3).max(12.0) };
    let y_axis = Logarithmic { ends: 0.7..=(most as f64 * 1.5).max(12.0) };
    let across = |size: u64| LEFT + x_axis.share(size) * (RIGHT - LEFT);

    let mut svg = open(
        374.0,
        &format!(
            "How many clusters have which size. The largest cluster has {}.",
            count(largest, "document")
        ),
    );
    label(&mut svg, LEFT, 16.0, "start", "clusters of that size");
    for n in y_axis.ticks(6) {
        grid(&mut svg, panel.at(y_axis.share(n)), n);
    }
    // Two is where clusters begin.
    let ticks = x_axis.ticks(6).into_iter().filter(|&size| size > 2);
    for size in [2].into_iter().chain(ticks) {
        let x = across(size);
        let _ =
            write!(svg, "<line class=\"tick\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"330\" y2=\"335\"/>");
        label(&mut svg, x, 350.0, "middle", &short(size));
    }
    label(&mut svg, f64::midpoint(LEFT, RIGHT), 368.0, "middle", "documents in a cluster");
    // Dots that would hide each other are drawn once: a page has thousands of them at most.
    let mut drawn = BTreeSet::new();
    for [size, clusters] in real() {
        let (x, y) = (across(size), panel.at(y_axis.share(clusters)));
        if drawn.insert((x.round() as i64, y.round() as i64)) {
            let says = format!("{} of {}", count(clusters, "cluster"), count(size, "document"));
            let _ = write!(
                svg,
                "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.6\"><title>{says}</title></circle>"
            );
        }
    }
    Some(svg + "</svg>")
}

/// The chance of a pair of this resemblance to become a candidate, read off the curve.
pub(super) fn chance_at(curve: &[[f64; 2]], resemblance: f64) -> Option<f64> {
    let after = curve.iter().position(|&[x, _]| x >= resemblance)?;
    let [x1, p1] = curve[after];
    let Some(&[x0, p0]) = after.checked_sub(1).and_then(|before| curve.get(before)) else {
        return (x1 <= resemblance).then_some(p1);
    };
    let share = if x1 > x0 { (resemblance - x0) / (x1 - x0) } else { 1.0 };
    Some(p0 + share * (p1 - p0)).filter(|p| p.is_finite())
}

/// The vertical room of a plot.
pub(crate) struct Panel {
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

impl Panel {
    /// The place of a share of the height.
    pub(crate) fn at(&self, share: f64) -> f64 {
        self.bottom - unit(share) * (self.bottom - self.top)
    }
}

/// An axis on which each power of ten takes the same room.
pub(crate) struct Logarithmic {
    pub(crate) ends: RangeInclusive<f64>,
}

impl Logarithmic {
    pub(crate) fn share(&self, n: u64) -> f64 {
        let (low, high) = (self.ends.start().log10(), self.ends.end().log10());
        unit(((n as f64).log10() - low) / (high - low))
    }

    /// At most about `most` numbers: powers of ten, in between also 2 and 5 times these if few.
    pub(crate) fn ticks(&self, most: usize) -> Vec<u64> {
        let within = |n: &u64| self.ends.contains(&(*n as f64));
        let fine = powers().flat_map(|p| [1, 2, 5].map(|m| p.saturating_mul(m))).filter(within);
        let fine: Vec<u64> = fine.collect();
        if fine.len() <= most {
            return fine;
        }
        let powers: Vec<u64> = powers().filter(within).collect();
        let step = powers.len().div_ceil(most).max(1);
        powers.into_iter().step_by(step).collect()
    }
}

fn powers() -> impl Iterator<Item = u64> {
    (0..=19).map(|exponent| 10_u64.pow(exponent))
}

/// How counts become heights: in proportion, or by their logarithm where small ones could not be
/// seen beside large ones.
#[derive(Clone, Copy)]
enum Heights {
    Linear(u64),
    Logarithmic(u64),
}

impl Heights {
    /// Logarithmic from this ratio of the largest to the smallest on: the smallest would be a
    /// hundredth of the height, a line.
    const RATIO: u64 = 100;

    fn of(counts: impl Iterator<Item = u64> + Clone) -> Self {
        let most = counts.clone().max().unwrap_or(0);
        let least = counts.filter(|&n| n > 0).min().unwrap_or(0);
        if most / Self::RATIO >= least.max(1) {
            Self::Logarithmic(most)
        } else {
            Self::Linear(most)
        }
    }

    fn share(self, n: u64) -> f64 {
        match self {
            Self::Linear(most) => n as f64 / most.max(1) as f64,
            // The logarithm of one more, so that nothing has no height.
            Self::Logarithmic(most) => (n as f64).ln_1p() / (most.max(1) as f64).ln_1p(),
        }
    }

    fn ticks(self) -> Vec<u64> {
        match self {
            Self::Linear(most) => {
                let steps = powers().flat_map(|p| [1, 2, 5].map(|m| p.saturating_mul(m)));
                let step = steps.into_iter().find(|step| most / step <= 4).unwrap_or(u64::MAX);
                (1..=most / step).map(|n| n * step).collect()
            }
            Self::Logarithmic(most) => {
                let powers: Vec<u64> = powers().filter(|&p| p <= most).collect();
                let step = powers.len().div_ceil(5).max(1);
                powers.into_iter().step_by(step).collect()
            }
        }
    }
}

fn draw_curve(svg: &mut String, report: &Report, panel: &Panel) {
    label(svg, LEFT, 16.0, "start", "chance to become a candidate");
    for share in [0.0, 0.5, 1.0] {
        let y = panel.at(share);
        line(svg, "grid", LEFT..=RIGHT, y..=y);
        label(svg, LEFT - 6.0, y + 4.0, "end", &format!("{:.0} %", share * 100.0));
    }
    let points = report.filter_curve.iter().filter(|[x, p]| x.is_finite() && p.is_finite());
    let points: Vec<String> =
        points.map(|&[x, p]| format!("{:.1},{:.1}", across(x), panel.at(p))).collect();
    let _ = write!(svg, "<polyline class=\"curve\" points=\"{}\"/>", points.join(" "));
}

fn draw_pairs(svg: &mut String, report: &Report, panel: &Panel) {
    let heights = Heights::of(bins().flat_map(|bin| {
        let (accepted, refused) = counts(report, bin);
        [accepted, refused]
    }));
    let scale = if matches!(heights, Heights::Linear(_)) { "" } else { ", logarithmic" };
    let what = if refused_total(report) > 0 { "candidates" } else { "pairs" };
    label(svg, LEFT, panel.top - 12.0, "start", &format!("{what} of that resemblance{scale}"));
    line(svg, "grid", LEFT..=RIGHT, panel.bottom..=panel.bottom);
    for n in heights.ticks() {
        grid(svg, panel.at(heights.share(n)), n);
    }
    for bin in bins() {
        let (accepted, refused) = counts(report, bin);
        let mut bars = [("accepted", accepted), ("refused", refused)];
        // The threshold's own bin may have both: the lower bar stands before the higher one.
        bars.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
        for (class, n) in bars.into_iter().filter(|&(_, n)| n > 0) {
            let (left, right) = (across(Histogram::edge(bin)), across(Histogram::edge(bin + 1)));
            let top = panel.at(heights.share(n)).min(panel.bottom - 1.0);
            let _ = write!(
                svg,
                "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" \
                 height=\"{:.1}\"><title>{} to {}: {class} {}</title></rect>",
                right - left - 0.4,
                panel.bottom - top,
                Histogram::edge(bin),
                Histogram::edge(bin + 1),
                grouped(n),
            );
        }
    }
}

/// A line at the threshold from `top` to `bottom`, and what the curve says there.
fn draw_threshold(svg: &mut String, report: &Report, top: f64, bottom: f64, curve: Option<&Panel>) {
    let threshold = report.recipe.threshold;
    let x = across(threshold);
    line(svg, "threshold", x..=x, top - 8.0..=bottom);
    // The title of the axis stands on the left of the same line.
    let (anchor, place) = if unit(threshold) > 0.6 { ("end", RIGHT) } else { ("start", x) };
    label(svg, place, 16.0, anchor, &format!("threshold {threshold}"));
    let chance = chance_at(&report.filter_curve, threshold);
    if let (Some(panel), Some(chance)) = (curve, chance) {
        let y = panel.at(chance);
        let _ = write!(svg, "<circle class=\"mark\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>");
        // Below the curve, which rises, or above it if there is no room on the right.
        let (anchor, place, down) =
            if x + 60.0 < RIGHT { ("start", x + 9.0, 17.0) } else { ("end", x - 9.0, 4.0) };
        label(svg, place, y + down, anchor, &format!("{:.1} %", chance * 100.0));
    }
}

fn description(report: &Report, has_curve: bool, has_pairs: bool) -> String {
    let mut text = String::new();
    if has_curve {
        text += "The chance of two documents to become a candidate, by their resemblance. ";
    }
    if let Some(chance) = chance_at(&report.filter_curve, report.recipe.threshold) {
        let threshold = report.recipe.threshold;
        let _ = write!(text, "At the threshold of {threshold} it is {:.1} %. ", chance * 100.0);
    }
    if has_pairs {
        let accepted = count(report.resemblance_histogram.total(), "accepted pair");
        let _ = write!(text, "How often each resemblance occurs among {accepted}");
        match refused_total(report) {
            0 => text.push('.'),
            refused => {
                let _ = write!(text, " and {}.", count(refused, "refused candidate"));
            }
        }
    }
    text.trim_end().to_owned()
}

fn bins() -> std::ops::Range<usize> {
    0..Histogram::BINS
}

/// The accepted and the refused of a bin.
pub(super) fn counts(report: &Report, bin: usize) -> (u64, u64) {
    let refused = report.refused_histogram.as_ref();
    (report.resemblance_histogram.count(bin), refused.map_or(0, |refused| refused.count(bin)))
}

pub(super) fn refused_total(report: &Report) -> u64 {
    report.refused_histogram.as_ref().map_or(0, Histogram::total)
}

fn most(report: &Report) -> u64 {
    let larger = |(accepted, refused): (u64, u64)| accepted.max(refused);
    bins().map(|bin| larger(counts(report, bin))).max().unwrap_or(0)
}

/// Opens a plot of that height.
pub(crate) fn open(height: f64, description: &str) -> String {
    format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"{description}\">"
    )
}

/// Where a resemblance is on the axis.
fn across(resemblance: f64) -> f64 {
    LEFT + unit(resemblance) * (RIGHT - LEFT)
}

/// A number in [0, 1]; what is none counts as 0.
fn unit(x: f64) -> f64 {
    if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.0 }
}

fn grid(svg: &mut String, y: f64, n: u64) {
    line(svg, "grid", LEFT..=RIGHT, y..=y);
    label(svg, LEFT - 6.0, y + 4.0, "end", &short(n));
}

pub(crate) fn line(svg: &mut String, class: &str, x: RangeInclusive<f64>, y: RangeInclusive<f64>) {
    let _ = write!(
        svg,
        "<line class=\"{class}\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>",
        x.start(),
        x.end(),
        y.start(),
        y.end()
    );
}

/// Letters of our own; nothing from outside.
pub(crate) fn label(svg: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    let _ = write!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
}

/// A number on an axis: `500`, `20 k`, `1 M`.
pub(crate) fn short(n: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(10_u64.pow(12), "T"), (10_u64.pow(9), "G"), (10_u64.pow(6), "M"), (1000, "k")];
    let fits = UNITS.iter().find(|&&(unit, _)| n >= unit && n.is_multiple_of(unit));
    match fits {
        Some(&(unit, letter)) => format!("{} {letter}", grouped(n / unit)),
        None => grouped(n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_a_few_round_numbers() {
        for most in [1, 3, 7, 99, 12_345, 10_u64.pow(12), u64::MAX] {
            for heights in [Heights::Linear(most), Heights::Logarithmic(most)] {
                let ticks = heights.ticks();
                assert!((1..=6).contains(&ticks.len()), "{most}: {ticks:?}");
                assert!(ticks.iter().all(|&n| n <= most && heights.share(n) <= 1.0));
            }
            let axis = Logarithmic { ends: 1.0..=most as f64 + 1.0 };
            assert!((1..=7).contains(&axis.ticks(6).len()), "{most}: {:?}", axis.ticks(6));
        }
        assert_eq!(short(20_000), "20 k");
        assert_eq!(short(999), "999");
        assert_eq!(short(3_000_000), "3 M");
    }

    #[test]
    fn the_curve_is_read_between_its_points() {
        let curve = [[0.0, 0.0], [0.5, 0.2], [1.0, 1.0]];
        let near = |x: f64, p: f64| (chance_at(&curve, x).unwrap() - p).abs() < 1e-12;
        assert!(near(0.0, 0.0) && near(0.25, 0.1) && near(0.5, 0.2) && near(0.75, 0.6));
        assert!(near(1.0, 1.0));
        assert_eq!(chance_at(&[], 0.5), None);
        assert_eq!(chance_at(&[[0.6, 0.3]], 0.5), None);
        assert_eq!(chance_at(&curve, f64::NAN), None);
        assert_eq!(chance_at(&[[0.5, 0.1], [0.5, 0.2]], 0.5), Some(0.1));
    }
}

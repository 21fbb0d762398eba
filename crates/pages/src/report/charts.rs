//! The charts of a report.

use std::fmt::Write as _;

use lookalike_engine::numbers::{count, grouped};
use lookalike_engine::report::{Histogram, Report, Verify, class_end};

use crate::chart::{Axis, Chart, RIGHT};

/// Where the panels end.
const BOTTOM: f64 = 330.0;
/// Where those of cuts end, of which two stand side by side.
const CUTS_BOTTOM: f64 = 230.0;

/// The filter's curve above the resemblance of the pairs, on one axis; nothing if there is neither.
pub(super) fn curve_and_pairs(report: &Report) -> Option<String> {
    let has_curve = report.filter_curve.len() > 1;
    let has_pairs = most(report) > 0;
    if !has_curve && !has_pairs {
        return None;
    }
    let description = description(report, has_curve, has_pairs);
    let mut chart = Chart::new(&description, BOTTOM, Axis::SHARES);
    let mut at_threshold = None;
    if has_curve {
        let bottom = if has_pairs { 160.0 } else { BOTTOM };
        let points = report.filter_curve.iter().filter(|[x, p]| x.is_finite() && p.is_finite());
        chart = chart
            .panel(30.0..=bottom, Axis::Percent, "chance to become a candidate")
            .line("", points.map(|&[x, p]| (x, p)));
        let chance = chance_at(&report.filter_curve, report.recipe.threshold)
            .filter(|_| has_least_resemblance(report));
        at_threshold = chance.map(|chance| (chance, chart.up(chance)));
    }
    if has_pairs {
        chart = draw_pairs(chart, report, if has_curve { 196.0 } else { 30.0 });
    }
    let mut chart = chart.x_axis("resemblance");
    if has_least_resemblance(report) && report.recipe.threshold.is_finite() {
        draw_threshold(&mut chart, report.recipe.threshold, at_threshold);
    }
    Some(chart.svg())
}

/// Whether the threshold is one of resemblance.
fn has_least_resemblance(report: &Report) -> bool {
    matches!(report.recipe.verify, Verify::Exact | Verify::Estimate) && report.lost.is_none()
}

/// How many pairs differ in which share of their words; nothing where that was not what decided.
pub(super) fn differences(report: &Report) -> Option<String> {
    let pairs = report.difference_histogram.as_ref().filter(|pairs| pairs.total() > 0)?;
    let description = format!(
        "How often each share of words that differ occurs among {}.",
        count(pairs.total(), "pair")
    );
    let axis = Axis::of_bars(bins().map(|bin| pairs.count(bin)));
    let scale = if matches!(axis, Axis::Counts(_)) { "" } else { ", logarithmic" };
    let mut chart = Chart::new(&description, BOTTOM, Axis::SHARES)
        .panel(30.0..=BOTTOM, axis, &format!("pairs of that difference{scale}"))
        .baseline("grid");
    for bin in bins().filter(|bin| pairs.count(*bin) > 0) {
        let (from, to) = (Histogram::edge(bin), Histogram::edge(bin + 1));
        let says = format!("{from} to {to}: {}", count(pairs.count(bin), "pair"));
        chart.bar("accepted", from..=to - 0.001, pairs.count(bin) as f64, &says);
    }
    Some(chart.x_axis("share of the words of both that differ").svg())
}

/// How many clusters have which size, both on logarithmic axes; nothing without clusters.
pub(super) fn cluster_sizes(sizes: &[[u64; 2]]) -> Option<String> {
    let real = || sizes.iter().copied().filter(|&[size, clusters]| size > 0 && clusters > 0);
    let largest = real().map(|[size, _]| size).max()?;
    let most = real().map(|[_, clusters]| clusters).max()?;
    let x = Axis::Logarithmic(1.6..=(largest as f64 * 1.3).max(12.0));
    let description = format!(
        "How many clusters have which size. The largest cluster has {}.",
        count(largest, "document")
    );
    let chart = Chart::new(&description, BOTTOM, x)
        // Two is where clusters begin.
        .first_number(2.0, "2")
        .panel(30.0..=BOTTOM, Axis::of_counts(most), "clusters of that size")
        .x_axis("documents in a cluster")
        .x_ticks()
        .dots(
            3.6,
            real().map(|[size, clusters]| (size as f64, clusters as f64)),
            |size, clusters| {
                let documents = count(size as u64, "document");
                format!("{} of {documents}", count(clusters as u64, "cluster"))
            },
        );
    Some(chart.svg())
}

/// How many cuts, or what else `one` is, there are of each class of a number, on a logarithmic axis; nothing
/// without any.
pub(super) fn cuts((classes, one): (&[[u64; 2]], &str), thing: &str, axis: &str) -> Option<String> {
    let ([least, _], [last, _]) = (classes.first()?, classes.last()?);
    let ends = |[from, _]: [u64; 2]| (from.max(1) as f64, (class_end(from) + 1) as f64);
    let x = Axis::Logarithmic(ends([*least, 0]).0 * 0.9..=ends([*last, 0]).1 * 1.1);
    let description = format!("How many {one}s there are by {thing}, from {least} to {last}.");
    let y = Axis::of_bars(classes.iter().map(|[_, cuts]| *cuts));
    let scale = if matches!(y, Axis::Counts(_)) { "" } else { ", logarithmic" };
    let mut chart = Chart::new(&description, CUTS_BOTTOM, x)
        .panel(30.0..=CUTS_BOTTOM, y, &format!("{one}s{scale}"))
        .baseline("grid");
    for &[from, cuts] in classes {
        let (left, right) = ends([from, 0]);
        // A part of their room is between bars.
        let says = format!("{}: {}", range(from), count(cuts, one));
        chart.bar("accepted", left..=left + (right - left) * 0.9, cuts as f64, &says);
    }
    Some(chart.x_axis(axis).x_ticks().svg())
}

/// The numbers of a class.
pub(super) fn range(least: u64) -> String {
    match class_end(least) {
        most if most == least => grouped(least),
        most => format!("{} to {}", grouped(least), grouped(most)),
    }
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

fn draw_pairs(chart: Chart, report: &Report, top: f64) -> Chart {
    let axis = Axis::of_bars(bins().flat_map(|bin| {
        let (accepted, refused) = counts(report, bin);
        [accepted, refused]
    }));
    let scale = if matches!(axis, Axis::Counts(_)) { "" } else { ", logarithmic" };
    let what = if refused_total(report) > 0 { "candidates" } else { "pairs" };
    let title = format!("{what} of that resemblance{scale}");
    let mut chart = chart.panel(top..=BOTTOM, axis, &title).baseline("grid");
    for bin in bins() {
        let (accepted, refused) = counts(report, bin);
        let mut bars = [("accepted", accepted), ("refused", refused)];
        // The threshold's own bin may have both: the lower bar stands before the higher one.
        bars.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
        let (from, to) = (Histogram::edge(bin), Histogram::edge(bin + 1));
        for (class, n) in bars.into_iter().filter(|&(_, n)| n > 0) {
            let says = format!("{from} to {to}: {class} {}", grouped(n));
            // A tenth of their room is between bars.
            chart.bar(class, from..=to - 0.001, n as f64, &says);
        }
    }
    chart
}

/// A line at the threshold, and what the curve says there: the chance, and where that is.
fn draw_threshold(chart: &mut Chart, threshold: f64, on_curve: Option<(f64, f64)>) {
    let x = chart.across(threshold);
    chart.mark(threshold, 22.0);
    // The title of the axis stands on the left of the same line.
    let (anchor, place) = if threshold > 0.6 { ("end", RIGHT) } else { ("start", x) };
    chart.words((place, 16.0), anchor, &format!("threshold {threshold}"));
    if let Some((chance, y)) = on_curve {
        chart.ring((x, y));
        // Below the curve, which rises, or above it if there is no room on the right.
        let (anchor, place, down) =
            if x + 60.0 < RIGHT { ("start", x + 9.0, 17.0) } else { ("end", x - 9.0, 4.0) };
        chart.words((place, y + down), anchor, &format!("{:.1} %", chance * 100.0));
    }
}

fn description(report: &Report, has_curve: bool, has_pairs: bool) -> String {
    let mut text = String::new();
    if has_curve {
        text += "The chance of two documents to become a candidate, by their resemblance. ";
    }
    let chance = chance_at(&report.filter_curve, report.recipe.threshold);
    if let Some(chance) = chance.filter(|_| has_least_resemblance(report)) {
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

#[cfg(test)]
mod tests {
    use super::*;

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

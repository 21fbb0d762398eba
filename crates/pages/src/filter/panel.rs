//! What stands where: the title's band, then one or two panels.
//!
//! Labels cannot meet: the threshold's stands above the frame, the half point's
//! on the side of the curve where the curve is not, over white.

use lookalike_core::filter::Filter;

use super::plot::{BAND, FilterPlot, PANEL, Scale};
use crate::canvas::{self, Align, BLUE, Canvas, Frame, GREY, ORANGE, TICK, Words, width};
use crate::chart::Axis;

/// The lowest decade of the logarithmic scale. Below 1e-12 not one pair of a
/// million documents is expected.
const DECADES: i32 = 12;
const FLOOR: f64 = 1e-12;

/// Points of a curve: more than one for each pixel of a panel.
const SAMPLES: usize = 1201;

/// Draws the whole picture.
pub(super) fn draw(plot: &FilterPlot<'_>, canvas: &mut dyn Canvas) {
    let logarithmic = Axis::Logarithmic(FLOOR..=1.0);
    let scales = match plot.scale {
        Scale::Linear => vec![Axis::SHARES],
        Scale::Logarithmic => vec![logarithmic],
        Scale::Both => vec![Axis::SHARES, logarithmic],
    };
    title(plot, canvas, scales.len() as f64 * f64::from(PANEL.0));
    for (index, axis) in scales.into_iter().enumerate() {
        Panel::new(plot, canvas, axis, index as f64 * f64::from(PANEL.0)).draw();
    }
}

/// The title, and under it what the filter is.
fn title(plot: &FilterPlot<'_>, canvas: &mut dyn Canvas, total: f64) {
    let left = 76.0;
    canvas::title(canvas, &plot.title, (left, 24.0), total - left - 24.0);

    let filter = plot.filter;
    let (k, s, r) = (filter.k(), filter.s(), filter.r());
    let about = format!(
        "k = {k}, s = {s}, r = {r}: {} permutation{}, {} bytes a document",
        filter.permutations(),
        if filter.permutations() == 1 { "" } else { "s" },
        filter.bytes_per_document()
    );
    let look = Words { points: 12.5, color: GREY, align: Align::Left };
    canvas.words(&about, (left, 48.0), look);
    if !plot.measured.is_empty() {
        canvas.dot((total - 92.0, 48.0), 3.5, ORANGE, false);
        canvas.words("measured", (total - 82.0, 48.0), look);
    }
}

/// One frame with its axes and its curve.
struct Panel<'a> {
    plot: &'a FilterPlot<'a>,
    canvas: &'a mut dyn Canvas,
    axis: Axis,
    frame: Frame,
}

impl<'a> Panel<'a> {
    fn new(plot: &'a FilterPlot<'a>, canvas: &'a mut dyn Canvas, axis: Axis, left: f64) -> Self {
        let band = f64::from(BAND);
        Self {
            plot,
            canvas,
            axis,
            frame: Frame {
                left: left + 76.0,
                right: left + f64::from(PANEL.0) - 24.0,
                top: band + 26.0,
                bottom: band + f64::from(PANEL.1) - 56.0,
            },
        }
    }

    fn draw(&mut self) {
        self.grid();
        self.threshold_line();
        // Before the curve, since it stands on white.
        self.half_label();
        self.curve();
        self.measured();
        self.half_point();
        self.threshold_label();
    }

    fn x(&self, resemblance: f64) -> f64 {
        self.frame.x(resemblance)
    }

    /// The height of a probability; below the floor of the scale, the floor.
    fn y(&self, probability: f64) -> f64 {
        self.frame.y(self.axis.share(probability))
    }

    fn is_logarithmic(&self) -> bool {
        matches!(self.axis, Axis::Logarithmic(_))
    }

    fn grid(&mut self) {
        let frame = self.frame;
        frame.tenths(self.canvas);
        if self.is_logarithmic() {
            for decade in (0..=DECADES).step_by(2) {
                let at = self.axis.share(10.0_f64.powi(-decade));
                let y = frame.across(self.canvas, at);
                self.power(decade, y);
            }
        } else {
            for (value, text) in self.axis.ticks() {
                let y = frame.across(self.canvas, self.axis.share(value));
                let look = Words { align: Align::Right, ..TICK };
                self.canvas.words(&text, (frame.left - 8.0, y), look);
            }
        }
        frame.axes(self.canvas, "resemblance", "probability of becoming a candidate");
    }

    /// A power of ten, its exponent raised.
    fn power(&mut self, decade: i32, y: f64) {
        let right = self.frame.left - 8.0;
        if decade == 0 {
            return self.canvas.words("1", (right, y), Words { align: Align::Right, ..TICK });
        }
        let exponent = format!("-{decade}");
        let middle = right - width(&exponent, 9.0);
        self.canvas.words("10", (middle, y), Words { align: Align::Right, ..TICK });
        let small = Words { points: 9.0, align: Align::Left, ..TICK };
        self.canvas.words(&exponent, (middle + 0.5, y - 4.5), small);
    }

    fn curve(&mut self) {
        let mut curve = self.plot.filter.curve(SAMPLES);
        if self.is_logarithmic() {
            curve.retain(|&(_, p)| p > FLOOR);
            curve.insert(0, (reaches(self.plot.filter, FLOOR), FLOOR));
        }
        let mut path: Vec<(f64, f64)> = Vec::with_capacity(curve.len());
        for (x, p) in curve {
            let (x, y) = (self.x(x), self.y(p));
            // Steps of about a pixel would have the directions that rounding
            // leaves, and the line would be rough.
            if path.last().is_none_or(|&(a, b)| (x - a).hypot(y - b) >= 2.5)
                || x >= self.frame.right
            {
                path.push((x, y));
            }
        }
        self.canvas.line(&path, 2.2, BLUE);
    }

    fn measured(&mut self) {
        for &(x, p) in self.plot.measured {
            if (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&p) {
                // What lies below the floor stands on it, hollow.
                let (at, below) = ((self.x(x), self.y(p)), self.is_logarithmic() && p < FLOOR);
                self.canvas.dot(at, 3.5, ORANGE, below);
            }
        }
    }

    fn half_point(&mut self) {
        let at = (self.x(self.plot.filter.half_point()), self.y(0.5));
        self.canvas.dot(at, 4.5, BLUE, true);
    }

    fn half_label(&mut self) {
        let half = self.plot.filter.half_point();
        let (x, y) = (self.x(half), self.y(0.5));
        let text = format!("half at {half:.3}");
        let long = width(&text, TICK.points);
        // Left of a rising curve is above it, right of it is below. The
        // logarithmic curve is flat here, so that only below is always free;
        // where there is no room, the label keeps its distance.
        let (left, off) = if self.is_logarithmic() {
            (x + 16.0 + long > self.frame.right, 34.0)
        } else {
            (half >= 0.5, 12.0)
        };
        let (align, from, y) = if left {
            (Align::Right, x - off - long, (y - 8.0).max(self.frame.top + 9.0))
        } else {
            (Align::Left, x + 12.0, y + 11.0)
        };
        self.canvas.blank((from - 2.0, y - 8.0), (from + long + 2.0, y + 8.0));
        let at = if left { from + long } else { from };
        self.canvas.words(&text, (at, y), Words { color: BLUE, align, ..TICK });
    }

    fn threshold_line(&mut self) {
        let Some(threshold) = self.plot.threshold else { return };
        let x = self.x(threshold);
        self.canvas.dashes(x, (self.frame.top - 4.0, self.frame.bottom), 1.3, ORANGE);
    }

    fn threshold_label(&mut self) {
        let Some(threshold) = self.plot.threshold else { return };
        let p = self.plot.filter.probability(threshold);
        let text = format!("threshold {}: P = {}", brief(threshold), brief(p));
        let half = width(&text, TICK.points) / 2.0;
        // In the middle over its line, unless that leaves the frame.
        let x = self.x(threshold).min(self.frame.right + 8.0 - half).max(self.frame.left + half);
        self.canvas.words(&text, (x, self.frame.top - 13.0), Words { color: ORANGE, ..TICK });
    }
}

/// A number with at most four digits that mean something.
fn brief(value: f64) -> String {
    if value >= 0.001 || value == 0.0 {
        let text = format!("{value:.4}");
        let short = text.trim_end_matches('0').trim_end_matches('.');
        // 0.99997 is not 1.
        if short == "1" && value < 1.0 { "0.9999...".into() } else { short.into() }
    } else {
        format!("{value:.1e}")
    }
}

/// The resemblance at which the filter's probability is `p`.
fn reaches(filter: &Filter, p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if filter.probability(middle) < p { low = middle } else { high = middle }
    }
    high
}

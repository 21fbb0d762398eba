//! The curve of Pugh's lists: the chance to be found by the number of edits.

use lookalike_core::filter::{Error as FilterError, lists_accept, lists_share};

use super::plot::{BAND, PANEL};
use crate::canvas::{self, Align, BLUE, Canvas, Error, Frame, GREY, ORANGE, TICK, Words};
use crate::chart::Axis;

/// Pugh's lists, to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct ListsPlot {
    /// L.
    pub lists: u32,
    /// R.
    pub repeats: u32,
    /// Deals of the R in which a list must be shared.
    pub agree: u32,
}

/// Where the curve ends: hardly anything is found from there on.
const END: f64 = 1e-4;

impl ListsPlot {
    /// The picture as an SVG document.
    ///
    /// # Errors
    ///
    /// If there are no lists, or too many.
    pub fn svg(&self) -> Result<String, Error> {
        let curves = self.curves()?;
        let mut svg = canvas::document(SIZE);
        self.draw(&curves, &mut svg);
        Ok(svg.finish())
    }

    /// The picture as a PNG file, two pixels a point.
    ///
    /// # Errors
    ///
    /// As [`svg`](Self::svg).
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        let curves = self.curves()?;
        canvas::png(SIZE, |canvas| self.draw(&curves, canvas))
    }

    /// By edits: the chance to share a list in one deal, and to be found.
    fn curves(&self) -> Result<Vec<[f64; 2]>, Error> {
        let point = |edits| -> Result<[f64; 2], FilterError> {
            let accepted = lists_accept(self.lists, self.repeats, self.agree, edits)?;
            Ok([lists_share(self.lists, edits)?, accepted])
        };
        let mut curves = Vec::new();
        for edits in 0.. {
            let [share, accepted] = point(edits).map_err(Error::Lists)?;
            curves.push([share, accepted]);
            if share.max(accepted) < END {
                break;
            }
        }
        Ok(curves)
    }

    fn draw(&self, curves: &[[f64; 2]], canvas: &mut dyn Canvas) {
        let (width, height) = (f64::from(SIZE.0), f64::from(SIZE.1));
        let frame = Frame {
            left: 76.0,
            right: width - 24.0,
            top: f64::from(BAND) + 26.0,
            bottom: height - 56.0,
        };
        let Self { lists, repeats, agree } = self;
        let title = format!("{lists} lists, {repeats} deals, {agree} to agree");
        canvas::title(canvas, &title, (frame.left, 24.0), width - frame.left - 24.0);
        let mut x = frame.left;
        for (text, color) in [("a list in one deal", ORANGE), ("candidates", BLUE)] {
            canvas.line(&[(x, 48.0), (x + 16.0, 48.0)], 2.2, color);
            let look = Words { points: 12.5, color: GREY, align: Align::Left };
            canvas.words(text, (x + 22.0, 48.0), look);
            x += 50.0 + canvas::width(text, 12.5);
        }
        let last = (curves.len() - 1).max(1) as f64;
        let edits = Axis::Linear(0.0..=last);
        for (value, text) in edits.ticks() {
            let at = frame.x(edits.share(value));
            canvas.line(&[(at, frame.bottom), (at, frame.bottom + 4.0)], 1.0, GREY);
            canvas.words(&text, (at, frame.bottom + 16.0), TICK);
        }
        for (value, text) in Axis::SHARES.ticks() {
            let y = frame.across(canvas, value);
            canvas.words(&text, (frame.left - 8.0, y), Words { align: Align::Right, ..TICK });
        }
        frame.axes(canvas, "edits", "probability");
        for (curve, color) in [(0, ORANGE), (1, BLUE)] {
            let place = |(edits, shares): (usize, &[f64; 2])| {
                (frame.x(edits as f64 / last), frame.y(shares[curve]))
            };
            canvas.line(&curves.iter().enumerate().map(place).collect::<Vec<_>>(), 2.2, color);
        }
    }
}

const SIZE: (u32, u32) = (PANEL.0, PANEL.1 + BAND);

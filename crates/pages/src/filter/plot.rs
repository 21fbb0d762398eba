//! What is to be drawn.

use lookalike_core::filter::Filter;

/// Width and height of one panel in points, without the title's band.
pub(super) const PANEL: (u32, u32) = (640, 420);

/// Height of the band with the title, in points.
pub(super) const BAND: u32 = 64;

/// The scale of the probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scale {
    /// From 0 to 1: where the step is.
    Linear,
    /// From 1e-12 to 1: how little passes below it.
    Logarithmic,
    /// Both, side by side.
    Both,
}

/// What to draw.
#[derive(Clone, Debug)]
pub struct FilterPlot<'a> {
    /// Stands above the picture, cut to its width.
    pub title: String,
    /// The filter whose curve is drawn.
    pub filter: &'a Filter,
    /// A resemblance in [0, 1] to mark, with the probability there.
    pub threshold: Option<f64>,
    /// The scale of the probability.
    pub scale: Scale,
    /// Measured points (resemblance, share of candidates), drawn as dots.
    pub measured: &'a [(f64, f64)],
}

//! A filter's curve as a picture, SVG or PNG.
//!
//! "It is necessary to graph the filter" (Broder, section 4): the probability of
//! becoming a candidate against the resemblance, on a linear scale, a
//! logarithmic one, or both side by side, as the paper's figures 1 and 2.
//!
//! Both formats come from the same drawing in points; the PNG is drawn at thrice its size and
//! averaged down, which smooths lines and letters alike. Letters in the PNG come
//! from a font of 21 KB inside this crate, so that no font need be installed.
//!
//! A PNG takes a tenth of a second and 70 MB, an SVG a few milliseconds. A threshold
//! outside [0, 1] is refused; measured points outside the picture are left out.
//!
//! ```
//! use lookalike_core::filter::Filter;
//! use lookalike_pages::{FilterPlot, Scale};
//!
//! let filter = Filter::new(6, 14, 2)?;
//! let svg = FilterPlot {
//!     title: "AltaVista".into(),
//!     filter: &filter,
//!     threshold: Some(0.9),
//!     scale: Scale::Both,
//!     measured: &[],
//! }
//! .svg()?;
//! assert!(svg.contains("resemblance"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;

use lookalike_core::filter::Filter;

mod canvas;
mod panel;

/// Width and height of one panel in points, without the title's band.
const PANEL: (u32, u32) = (640, 420);

/// Height of the band with the title, in points.
const BAND: u32 = 64;

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

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The threshold is not in [0, 1].
    Threshold(f64),
    /// The drawing library failed.
    Draw(String),
    /// The PNG could not be encoded.
    Encode(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Threshold(value) => write!(f, "threshold {value} is not from 0 to 1"),
            Self::Draw(reason) => write!(f, "plot: {reason}"),
            Self::Encode(reason) => write!(f, "plot as PNG: {reason}"),
        }
    }
}

impl std::error::Error for Error {}

impl FilterPlot<'_> {
    /// The picture as an SVG document.
    ///
    /// # Errors
    ///
    /// If the threshold is not in [0, 1].
    pub fn svg(&self) -> Result<String, Error> {
        let mut out = String::new();
        self.write_svg(&mut out)?;
        Ok(out)
    }

    /// Appends the picture as an SVG document to `out`.
    ///
    /// # Errors
    ///
    /// If the threshold is not in [0, 1]; `out` is then as before.
    pub fn write_svg(&self, out: &mut String) -> Result<(), Error> {
        self.check()?;
        let mut svg = canvas::document(self.size());
        panel::draw(self, &mut svg);
        out.push_str(&svg.finish());
        Ok(())
    }

    /// The picture as a PNG file, two pixels a point.
    ///
    /// # Errors
    ///
    /// If the threshold is not in [0, 1].
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        self.check()?;
        canvas::png(self.size(), |canvas| panel::draw(self, canvas))
    }

    fn check(&self) -> Result<(), Error> {
        match self.threshold.filter(|threshold| !(0.0..=1.0).contains(threshold)) {
            Some(threshold) => Err(Error::Threshold(threshold)),
            None => Ok(()),
        }
    }

    /// Width and height in points.
    fn size(&self) -> (u32, u32) {
        let panels = if self.scale == Scale::Both { 2 } else { 1 };
        (panels * PANEL.0, PANEL.1 + BAND)
    }
}

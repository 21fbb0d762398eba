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

mod lists;
mod panel;
mod plot;

pub use lists::ListsPlot;
pub use plot::{FilterPlot, Scale};

use crate::canvas::{self, Error};
use plot::{BAND, PANEL};

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

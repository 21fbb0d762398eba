//! A filter's curve as a picture, SVG or PNG.
//!
//! "It is necessary to graph the filter" (Broder, section 4): the probability of
//! becoming a candidate against the resemblance, on a linear scale, a
//! logarithmic one, or both side by side, as the paper's figures 1 and 2.
//!
//! Both formats come from the same drawing in units of a fraction of a point:
//! the SVG keeps them in its `viewBox`, the PNG is drawn at thrice its size and
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
use plotters::prelude::{BitMapBackend, IntoDrawingArea, SVGBackend};

use canvas::Surface;

mod canvas;
mod panel;

/// Width and height of one panel in points, without the title's band.
const PANEL: (u32, u32) = (640, 420);

/// Height of the band with the title, in points.
const BAND: u32 = 64;

/// Pixels of the PNG per point.
const PNG_PIXELS: u32 = 2;

/// Drawn pixels per pixel of the PNG, in each direction.
const SMOOTHING: u32 = 3;

/// Plotters takes a font's size as its line height in an SVG (1.24 em), but as
/// ascent plus descent in a bitmap (1.164 em for our font), and there sets the
/// letters too high.
const PNG: Surface = Surface { units: PNG_PIXELS * SMOOTHING, letters: 0.94, raised: 0.13 };

/// Twenty units a point in the `viewBox`, since plotters rounds to whole units.
const SVG: Surface = Surface { units: 20, letters: 1.0, raised: 0.0 };

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
        let (width, height) = self.size();
        let units = (width * SVG.units, height * SVG.units);
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, units).into_drawing_area();
            panel::draw(self, &area, SVG)?;
            area.present().map_err(|error| Error::Draw(error.to_string()))?;
        }
        // The size in points; the units stay in the viewBox.
        let drawn = format!("width=\"{}\" height=\"{}\"", units.0, units.1);
        let shown = format!("width=\"{width}\" height=\"{height}\"");
        out.push_str(&svg.replacen(&drawn, &shown, 1));
        Ok(())
    }

    /// The picture as a PNG file, two pixels a point.
    ///
    /// # Errors
    ///
    /// If the threshold is not in [0, 1].
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        let (width, height) = self.size();
        let (wide, high) = (width * PNG.units, height * PNG.units);
        let mut pixels = vec![0xff; wide as usize * high as usize * 3];
        {
            let area = BitMapBackend::with_buffer(&mut pixels, (wide, high)).into_drawing_area();
            panel::draw(self, &area, PNG)?;
            area.present().map_err(|error| Error::Draw(error.to_string()))?;
        }
        let smooth = average(&pixels, wide as usize);
        let mut file = Vec::new();
        encode(&smooth, width * PNG_PIXELS, height * PNG_PIXELS, &mut file)
            .map_err(|error| Error::Encode(error.to_string()))?;
        Ok(file)
    }

    /// Width and height in points.
    fn size(&self) -> (u32, u32) {
        let panels = if self.scale == Scale::Both { 2 } else { 1 };
        (panels * PANEL.0, PANEL.1 + BAND)
    }
}

fn encode(
    rgb: &[u8],
    width: u32,
    height: u32,
    file: &mut Vec<u8>,
) -> Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(rgb)
}

/// Averages squares of `SMOOTHING` pixels of an RGB image `wide` pixels wide.
fn average(pixels: &[u8], wide: usize) -> Vec<u8> {
    let side = SMOOTHING as usize;
    let mut smooth = Vec::with_capacity(pixels.len() / (side * side));
    for rows in pixels.chunks_exact(wide * 3 * side) {
        for x in 0..wide / side {
            for channel in 0..3 {
                let sum: usize = (0..side * side)
                    .map(|i| (i / side * wide + x * side + i % side) * 3 + channel)
                    .map(|at| usize::from(rows[at]))
                    .sum();
                smooth.push((sum / (side * side)) as u8);
            }
        }
    }
    smooth
}

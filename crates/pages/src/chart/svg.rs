//! Writes SVG: lines, discs, rectangles and words.

use std::fmt::{Display, Write as _};

/// A picture in the making. What its parts look like is said by attributes, as they stand in the
/// file; words must be markup already.
pub(crate) struct Svg(String);

/// A class of the page's style, as an attribute.
pub(crate) fn class(name: &str) -> String {
    format!("class=\"{name}\"")
}

impl Svg {
    /// Begins a picture with these attributes.
    pub(crate) fn new(attributes: impl Display) -> Self {
        Self(format!("<svg {attributes}>"))
    }

    pub(crate) fn line(&mut self, look: impl Display, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let ends = format!("x1=\"{x1:.1}\" x2=\"{x2:.1}\" y1=\"{y1:.1}\" y2=\"{y2:.1}\"");
        let _ = write!(self.0, "<line {look} {ends}/>");
    }

    /// A line through points. Steps of less than a tenth of a unit cannot be seen.
    pub(crate) fn path(&mut self, look: impl Display, points: impl Iterator<Item = (f64, f64)>) {
        let mut path: Vec<String> = points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        path.dedup();
        let _ = write!(self.0, "<polyline {look} points=\"{}\"/>", path.join(" "));
    }

    /// A disc, and what it says when the mouse rests on it, if anything.
    pub(crate) fn disc(&mut self, look: impl Display, (x, y): (f64, f64), r: f64, says: &str) {
        let _ = write!(self.0, "<circle {look} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\"");
        self.end("circle", says);
    }

    /// A rectangle from its upper left corner to its lower right one.
    pub(crate) fn rectangle(
        &mut self,
        look: impl Display,
        (left, top): (f64, f64),
        (right, bottom): (f64, f64),
        says: &str,
    ) {
        let (width, height) = (right - left, bottom - top);
        let size = format!("width=\"{width:.1}\" height=\"{height:.1}\"");
        let _ = write!(self.0, "<rect {look} x=\"{left:.1}\" y=\"{top:.1}\" {size}");
        self.end("rect", says);
    }

    pub(crate) fn words(&mut self, look: impl Display, (x, y): (f64, f64), text: &str) {
        let _ = write!(self.0, "<text x=\"{x:.1}\" y=\"{y:.1}\" {look}>{text}</text>");
    }

    fn end(&mut self, name: &str, says: &str) {
        let _ = match says {
            "" => write!(self.0, "/>"),
            says => write!(self.0, "><title>{says}</title></{name}>"),
        };
    }

    /// The whole picture.
    pub(crate) fn finish(self) -> String {
        self.0 + "</svg>"
    }
}

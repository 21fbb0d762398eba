//! A drawing area in points: lines, dots and words.
//!
//! Plotters places everything on whole units; this multiplies points into units
//! and keeps the styles in one place.

use plotters::coord::Shift;
use plotters::element::{Circle, PathElement, Rectangle, Text};
use plotters::prelude::{DrawingArea, DrawingBackend, RGBColor, ShapeStyle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, FontTransform, TextStyle, register_font};

use super::Error;

/// Text.
pub(crate) const INK: RGBColor = RGBColor(0x22, 0x26, 0x2b);
/// Ticks and notes.
pub(crate) const GREY: RGBColor = RGBColor(0x5c, 0x64, 0x6e);
/// Grid lines.
pub(crate) const PALE: RGBColor = RGBColor(0xe4, 0xe7, 0xeb);
/// The curve.
pub(crate) const BLUE: RGBColor = RGBColor(0x1f, 0x5f, 0x99);
/// The threshold and what was measured: a pair with the blue that also the
/// colour-blind tell apart.
pub(crate) const ORANGE: RGBColor = RGBColor(0xc8, 0x5a, 0x11);
/// The paper.
pub(crate) const WHITE: RGBColor = RGBColor(0xff, 0xff, 0xff);

/// A list, as SVG understands it. The embedded font goes by the whole of it, so
/// that no other user of plotters in the process meets our subset by accident.
const FONTS: &str = "DejaVu Sans, Verdana, Arial, sans-serif";

static FONT: &[u8] = include_bytes!("../../assets/LookalikeSans.ttf");

/// Which end of a text its place is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Center,
    Right,
}

/// How a text looks.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    pub(crate) points: f64,
    pub(crate) color: RGBColor,
    pub(crate) align: Align,
}

/// How a backend differs from points and from the other backend.
#[derive(Clone, Copy)]
pub(crate) struct Surface {
    /// Its units per point.
    pub(crate) units: u32,
    /// The size of its letters, relative to plotters' SVG.
    pub(crate) letters: f64,
    /// How far they stand above their middle line, in their size.
    pub(crate) raised: f64,
}

/// A drawing area in points.
pub(crate) struct Canvas<'a, B: DrawingBackend> {
    area: &'a DrawingArea<B, Shift>,
    surface: Surface,
    units: f64,
}

impl<'a, B: DrawingBackend> Canvas<'a, B> {
    pub(crate) fn new(area: &'a DrawingArea<B, Shift>, surface: Surface) -> Result<Self, Error> {
        register_font(FONTS, FontStyle::Normal, FONT)
            .map_err(|_| Error::Draw("the embedded font is damaged".into()))?;
        area.fill(&WHITE).map_err(|error| Error::Draw(error.to_string()))?;
        Ok(Self { area, surface, units: f64::from(surface.units) })
    }

    pub(crate) fn line(
        &self,
        points: &[(f64, f64)],
        width: f64,
        color: RGBColor,
    ) -> Result<(), Error> {
        let path: Vec<_> = points.iter().map(|&point| self.place(point)).collect();
        self.draw(&PathElement::new(path, self.stroke(width, color)))
    }

    pub(crate) fn dashes(
        &self,
        x: f64,
        (top, bottom): (f64, f64),
        width: f64,
        color: RGBColor,
    ) -> Result<(), Error> {
        let mut y = top;
        while y < bottom {
            self.line(&[(x, y), (x, (y + 5.0).min(bottom))], width, color)?;
            y += 9.0;
        }
        Ok(())
    }

    /// A dot; a hollow one is a ring around white.
    pub(crate) fn dot(
        &self,
        at: (f64, f64),
        radius: f64,
        color: RGBColor,
        hollow: bool,
    ) -> Result<(), Error> {
        let disc = |radius: f64, color: RGBColor| {
            let style = ShapeStyle { color: color.into(), filled: true, stroke_width: 0 };
            self.draw(&Circle::new(self.place(at), self.length(radius), style))
        };
        disc(radius, color)?;
        if hollow { disc(radius - 1.4, WHITE) } else { Ok(()) }
    }

    /// A white rectangle, so that words stay readable over lines.
    pub(crate) fn blank(
        &self,
        (left, top): (f64, f64),
        (right, bottom): (f64, f64),
    ) -> Result<(), Error> {
        let style = ShapeStyle { color: WHITE.into(), filled: true, stroke_width: 0 };
        let corners = [self.place((left, top)), self.place((right, bottom))];
        self.draw(&Rectangle::new(corners, style))
    }

    /// Words whose middle line is at `at`.
    pub(crate) fn words(&self, text: &str, at: (f64, f64), look: Words) -> Result<(), Error> {
        self.turned(text, at, look, FontTransform::None)
    }

    /// Words that run upward.
    pub(crate) fn words_up(&self, text: &str, at: (f64, f64), look: Words) -> Result<(), Error> {
        self.turned(text, at, look, FontTransform::Rotate270)
    }

    fn turned(
        &self,
        text: &str,
        at: (f64, f64),
        look: Words,
        turn: FontTransform,
    ) -> Result<(), Error> {
        let size = look.points * self.surface.letters * self.units;
        let font = FontDesc::new(FontFamily::Name(FONTS), size, FontStyle::Normal);
        let lower = look.points * self.surface.raised;
        // Below is to the right for words that run upward.
        let at = match turn {
            FontTransform::Rotate270 => (at.0 + lower, at.1),
            _ => (at.0, at.1 + lower),
        };
        let side = match look.align {
            Align::Left => HPos::Left,
            Align::Center => HPos::Center,
            Align::Right => HPos::Right,
        };
        let style = TextStyle::from(font.transform(turn))
            .color(&look.color)
            .pos(Pos::new(side, VPos::Center));
        self.draw(&Text::new(text.to_string(), self.place(at), style))
    }

    fn stroke(&self, width: f64, color: RGBColor) -> ShapeStyle {
        let stroke_width = self.length(width).max(1);
        ShapeStyle { color: color.into(), filled: false, stroke_width }
    }

    fn place(&self, (x, y): (f64, f64)) -> (i32, i32) {
        ((x * self.units).round() as i32, (y * self.units).round() as i32)
    }

    fn length(&self, points: f64) -> u32 {
        (points * self.units).round() as u32
    }

    fn draw<E>(&self, element: &E) -> Result<(), Error>
    where
        for<'b> &'b E: plotters::element::PointCollection<'b, (i32, i32)>,
        E: plotters::element::Drawable<B>,
    {
        self.area.draw(element).map_err(|error| Error::Draw(error.to_string()))
    }
}

/// About how wide a text is, in points. Exact widths depend on the reader's
/// font in an SVG. The widest of the list has 0.58 em a letter, and
/// plotters makes an em of a size by dividing it by 1.24.
pub(crate) fn width(text: &str, points: f64) -> f64 {
    text.chars().count() as f64 * points * 0.5
}

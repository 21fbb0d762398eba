//! Where a picture is drawn, in points: lines, dots and words, as SVG by our own writer or as
//! a bitmap by plotters; and the frame of a chart in it.

use std::fmt;

use lookalike_core::difference::turns_direction;
use plotters::coord::Shift;
use plotters::element::{Circle, PathElement, Rectangle, Text};
use plotters::prelude::{BitMapBackend, DrawingArea, IntoDrawingArea, RGBColor, ShapeStyle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, FontTransform, TextStyle, register_font};

use crate::chart::Svg;

/// Red, green, blue.
pub(crate) type Color = [u8; 3];

/// Text.
pub(crate) const INK: Color = [0x22, 0x26, 0x2b];
/// Ticks and notes.
pub(crate) const GREY: Color = [0x5c, 0x64, 0x6e];
/// Grid lines.
pub(crate) const PALE: Color = [0xe4, 0xe7, 0xeb];
/// The curve.
pub(crate) const BLUE: Color = [0x1f, 0x5f, 0x99];
/// The threshold and what was measured: a pair with the blue that also the
/// colour-blind tell apart.
pub(crate) const ORANGE: Color = [0xc8, 0x5a, 0x11];
/// A third line beside the two.
pub(crate) const GREEN: Color = [0x3b, 0x7d, 0x4f];
/// The paper.
pub(crate) const WHITE: Color = [0xff; 3];

/// The size of a letter's em, in that of its words: the line's height is the size.
const EM: f64 = 1.0 / 1.24;

/// A list, as SVG understands it. The embedded font of the bitmap goes by the whole of it, so
/// that no other user of plotters in the process meets our subset by accident.
const FONTS: &str = "DejaVu Sans, Verdana, Arial, sans-serif";

static FONT: &[u8] = include_bytes!("../assets/LookalikeSans.ttf");

/// Which end of a text its place is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Center,
    Right,
    /// In the middle of words that run upward.
    Upward,
}

/// How a text looks.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    pub(crate) points: f64,
    pub(crate) color: Color,
    pub(crate) align: Align,
}

/// What can be drawn on, in points.
pub(crate) trait Canvas {
    fn line(&mut self, points: &[(f64, f64)], width: f64, color: Color);

    /// A dot; a hollow one is a ring around white.
    fn dot(&mut self, at: (f64, f64), radius: f64, color: Color, hollow: bool);

    /// A white rectangle, so that words stay readable over lines.
    fn blank(&mut self, from: (f64, f64), to: (f64, f64));

    /// Words whose middle line is at `at`.
    fn words(&mut self, text: &str, at: (f64, f64), look: Words);

    fn dashes(&mut self, x: f64, (top, bottom): (f64, f64), width: f64, color: Color) {
        let mut y = top;
        while y < bottom {
            self.line(&[(x, y), (x, (y + 5.0).min(bottom))], width, color);
            y += 9.0;
        }
    }
}

/// Numbers beside an axis.
pub(crate) const TICK: Words = Words { points: 12.0, color: GREY, align: Align::Center };

/// What an axis is of.
const AXIS: Words = Words { points: 13.0, color: INK, align: Align::Center };

/// A chart's frame, with shares from 0 to 1 across.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

impl Frame {
    /// Where a share is across.
    pub(crate) fn x(&self, share: f64) -> f64 {
        self.left + share * (self.right - self.left)
    }

    /// Where a share of the height is.
    pub(crate) fn y(&self, share: f64) -> f64 {
        self.bottom - share * (self.bottom - self.top)
    }

    /// The grid's upright lines, a tenth each, and their numbers.
    pub(crate) fn tenths(&self, canvas: &mut dyn Canvas) {
        for tenth in 0..=10 {
            let value = f64::from(tenth) / 10.0;
            let x = self.x(value);
            canvas.line(&[(x, self.top), (x, self.bottom)], 0.8, PALE);
            canvas.words(&format!("{value:.1}"), (x, self.bottom + 14.0), TICK);
        }
    }

    /// A line of the grid at a share of the height; where it is.
    pub(crate) fn across(&self, canvas: &mut dyn Canvas, share: f64) -> f64 {
        let y = self.y(share);
        canvas.line(&[(self.left, y), (self.right, y)], 0.8, PALE);
        y
    }

    /// The axes themselves, over the ends of the grid, and what they are of.
    pub(crate) fn axes(&self, canvas: &mut dyn Canvas, across: &str, upward: &str) {
        let frame = [(self.left, self.top), (self.left, self.bottom), (self.right, self.bottom)];
        canvas.line(&frame, 1.0, GREY);
        let middle = f64::midpoint(self.left, self.right);
        canvas.words(across, (middle, self.bottom + 37.0), AXIS);
        let middle = f64::midpoint(self.top, self.bottom);
        let look = Words { align: Align::Upward, ..AXIS };
        canvas.words(upward, (self.left - 54.0, middle), look);
    }
}

/// A text from outside without control characters, which are not allowed in XML and show nothing in
/// a PNG, and without those that turn the direction of writing.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || turns_direction(c) { ' ' } else { c }).collect()
}

/// A text from outside as a title, cut to a width.
pub(crate) fn title(canvas: &mut dyn Canvas, text: &str, at: (f64, f64), room: f64) {
    let look = Words { points: 17.0, color: INK, align: Align::Left };
    let clean = plain(text);
    let most = (room / width("x", look.points)) as usize;
    let shown = if clean.chars().count() > most {
        clean.chars().take(most.saturating_sub(3)).chain("...".chars()).collect()
    } else {
        clean
    };
    canvas.words(&shown, at, look);
}

/// An SVG document of that size, on white paper.
pub(crate) fn document((width, height): (u32, u32)) -> Svg {
    let mut svg = Svg::new(format_args!(
        "width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"{FONTS}\" xmlns=\"http://www.w3.org/2000/svg\""
    ));
    svg.rectangle(fill(WHITE), (0.0, 0.0), (f64::from(width), f64::from(height)), "");
    svg
}

fn hex([r, g, b]: Color) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn fill(color: Color) -> String {
    format!("fill=\"{}\"", hex(color))
}

impl Canvas for Svg {
    fn line(&mut self, points: &[(f64, f64)], width: f64, color: Color) {
        let color = hex(color);
        let look = format_args!("fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"");
        self.path(look, points.iter().copied());
    }

    fn dot(&mut self, at: (f64, f64), radius: f64, color: Color, hollow: bool) {
        self.disc(fill(color), at, radius, "");
        if hollow {
            self.disc(fill(WHITE), at, radius - 1.4, "");
        }
    }

    fn blank(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.rectangle(fill(WHITE), from, to, "");
    }

    fn words(&mut self, text: &str, (x, y): (f64, f64), look: Words) {
        let (anchor, turn) = match look.align {
            Align::Left => ("start", String::new()),
            Align::Center => ("middle", String::new()),
            Align::Right => ("end", String::new()),
            Align::Upward => ("middle", format!(" transform=\"rotate(270,{x:.1},{y:.1})\"")),
        };
        let (fill, size) = (fill(look.color), look.points * EM);
        let look = format_args!(
            "dy=\"0.5ex\" text-anchor=\"{anchor}\" font-size=\"{size:.2}\" {fill}{turn}"
        );
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        Svg::words(self, look, (x, y), &text);
    }
}

/// Pixels of the PNG per point.
const PNG_PIXELS: u32 = 2;

/// Drawn pixels per pixel of the PNG, in each direction, which smooths lines and letters alike.
const SMOOTHING: u32 = 3;

/// Drawn pixels per point.
const UNITS: f64 = (PNG_PIXELS * SMOOTHING) as f64;

/// Plotters takes a font's size as ascent plus descent in a bitmap (1.164 em for our font), where
/// an SVG takes it as the line's height (1.24 em), and sets the letters too high.
const LETTERS: f64 = 0.94;
const RAISED: f64 = 0.13;

/// A bitmap in the making, and what first went wrong with it.
struct Bitmap<'a> {
    area: DrawingArea<BitMapBackend<'a>, Shift>,
    result: Result<(), Error>,
}

/// Draws a picture of that size in points, and encodes it as a PNG file.
pub(crate) fn png(
    (width, height): (u32, u32),
    draw: impl FnOnce(&mut dyn Canvas),
) -> Result<Vec<u8>, Error> {
    let (wide, high) = (width * UNITS as u32, height * UNITS as u32);
    let mut pixels = vec![0xff; wide as usize * high as usize * 3];
    {
        register_font(FONTS, FontStyle::Normal, FONT)
            .map_err(|_| Error::Draw("the embedded font is damaged".into()))?;
        let area = BitMapBackend::with_buffer(&mut pixels, (wide, high)).into_drawing_area();
        let mut bitmap = Bitmap { area, result: Ok(()) };
        draw(&mut bitmap);
        bitmap.result?;
        bitmap.area.present().map_err(|error| Error::Draw(error.to_string()))?;
    }
    let smooth = average(&pixels, wide as usize);
    let mut file = Vec::new();
    encode(&smooth, (width * PNG_PIXELS, height * PNG_PIXELS), &mut file)
        .map_err(|error| Error::Encode(error.to_string()))?;
    Ok(file)
}

fn encode(
    rgb: &[u8],
    (width, height): (u32, u32),
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

impl<'a> Bitmap<'a> {
    fn place((x, y): (f64, f64)) -> (i32, i32) {
        ((x * UNITS).round() as i32, (y * UNITS).round() as i32)
    }

    fn length(points: f64) -> u32 {
        (points * UNITS).round() as u32
    }

    fn draw<E>(&mut self, element: &E)
    where
        E: plotters::element::Drawable<BitMapBackend<'a>>,
        for<'b> &'b E: plotters::element::PointCollection<'b, (i32, i32)>,
    {
        let drawn = self.area.draw(element).map_err(|error| Error::Draw(error.to_string()));
        self.result = std::mem::replace(&mut self.result, Ok(())).and(drawn);
    }
}

fn filled(color: Color) -> ShapeStyle {
    ShapeStyle { color: rgb(color).into(), filled: true, stroke_width: 0 }
}

fn rgb([r, g, b]: Color) -> RGBColor {
    RGBColor(r, g, b)
}

impl Canvas for Bitmap<'_> {
    fn line(&mut self, points: &[(f64, f64)], width: f64, color: Color) {
        let path: Vec<_> = points.iter().map(|&point| Self::place(point)).collect();
        let stroke_width = Self::length(width).max(1);
        let style = ShapeStyle { color: rgb(color).into(), filled: false, stroke_width };
        self.draw(&PathElement::new(path, style));
    }

    fn dot(&mut self, at: (f64, f64), radius: f64, color: Color, hollow: bool) {
        self.draw(&Circle::new(Self::place(at), Self::length(radius), filled(color)));
        if hollow {
            self.draw(&Circle::new(Self::place(at), Self::length(radius - 1.4), filled(WHITE)));
        }
    }

    fn blank(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.draw(&Rectangle::new([Self::place(from), Self::place(to)], filled(WHITE)));
    }

    fn words(&mut self, text: &str, (x, y): (f64, f64), look: Words) {
        let font = FontDesc::new(
            FontFamily::Name(FONTS),
            look.points * LETTERS * UNITS,
            FontStyle::Normal,
        );
        let (lower, color) = (look.points * RAISED, rgb(look.color));
        // Below is to the right for words that run upward.
        let (at, turn, side) = match look.align {
            Align::Left => ((x, y + lower), FontTransform::None, HPos::Left),
            Align::Center => ((x, y + lower), FontTransform::None, HPos::Center),
            Align::Right => ((x, y + lower), FontTransform::None, HPos::Right),
            Align::Upward => ((x + lower, y), FontTransform::Rotate270, HPos::Center),
        };
        let style =
            TextStyle::from(font.transform(turn)).color(&color).pos(Pos::new(side, VPos::Center));
        self.draw(&Text::new(text.to_owned(), Self::place(at), style));
    }
}

/// About how wide a text is, in points. Exact widths depend on the reader's
/// font in an SVG. The widest of the list has 0.58 em a letter.
pub(crate) fn width(text: &str, points: f64) -> f64 {
    text.chars().count() as f64 * points * 0.5
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The threshold is not in [0, 1].
    Threshold(f64),
    /// There are no such lists.
    Lists(lookalike_core::filter::Error),
    /// The drawing library failed.
    Draw(String),
    /// The PNG could not be encoded.
    Encode(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Threshold(value) => write!(f, "threshold {value} is not from 0 to 1"),
            Self::Lists(error) => error.fmt(f),
            Self::Draw(reason) => write!(f, "plot: {reason}"),
            Self::Encode(reason) => write!(f, "plot as PNG: {reason}"),
        }
    }
}

impl std::error::Error for Error {}

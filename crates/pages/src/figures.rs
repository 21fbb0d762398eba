//! The figures of an evaluation as pictures by themselves, SVG and PNG, for papers and slides: how
//! good each recipe is, and precision, recall and F1 over thresholds for each that has one.

use lookalike_engine::numbers::grouped;
use lookalike_eval::{Curve, CurveBasis, Evaluation, Quality, RecipeEvaluation, Share};

use crate::canvas::{
    self, Align, BLUE, Canvas, Color, Error, Frame, GREEN, GREY, ORANGE, TICK, Words,
};
use crate::chart::Axis;

/// A picture in both formats.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Figure {
    /// What it shows, as a name of a file without its ending.
    pub name: String,
    /// As an SVG document.
    pub svg: String,
    /// As a PNG file, two pixels a point.
    pub png: Vec<u8>,
}

/// The figures of an evaluation.
///
/// # Errors
/// If a picture cannot be drawn.
pub fn figures(evaluation: &Evaluation) -> Result<Vec<Figure>, Error> {
    let rows = evaluation.recipes.len() as u32;
    let size = (WIDTH, ROWS_TOP as u32 + rows * ROW as u32 + BELOW as u32);
    let mut figures =
        vec![figure("recipes".to_owned(), size, |canvas| recipes(evaluation, canvas))?];
    for (number, recipe) in evaluation.recipes.iter().enumerate() {
        if let Some(curve) = &recipe.curve {
            let name = format!("thresholds-{}-{}", number + 1, file_name(&recipe.name));
            let draw = |canvas: &mut dyn Canvas| thresholds(recipe, curve, canvas);
            figures.push(figure(name, (WIDTH, HEIGHT), draw)?);
        }
    }
    Ok(figures)
}

fn figure(name: String, size: (u32, u32), draw: impl Fn(&mut dyn Canvas)) -> Result<Figure, Error> {
    let mut svg = canvas::document(size);
    draw(&mut svg);
    Ok(Figure { name, svg: svg.finish(), png: canvas::png(size, draw)? })
}

/// A name without what means something in a path, and not too long for one.
fn file_name(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    name.chars().take(60).map(kept).collect()
}

const WIDTH: u32 = 640;
const HEIGHT: u32 = 460;
const LEFT: f64 = 76.0;
const RIGHT: f64 = WIDTH as f64 - 24.0;
/// Room for the numbers and the title of the axis below.
const BELOW: f64 = 56.0;

/// What is drawn of a quality: its name, its colour, and its share.
type Line = (&'static str, Color, fn(&Quality) -> Option<Share>);

const LINES: [Line; 3] = [
    ("F1", GREEN, |quality| quality.f1),
    ("precision", BLUE, |quality| quality.precision),
    ("recall", ORANGE, |quality| quality.recall),
];

const NOTE: Words = Words { points: 12.5, color: GREY, align: Align::Left };

/// What the colours mean, in a line of words.
fn keys(canvas: &mut dyn Canvas, y: f64) {
    let mut x = RIGHT - 232.0;
    for (name, color, _) in LINES {
        canvas.line(&[(x, y), (x + 16.0, y)], 2.2, color);
        canvas.words(name, (x + 22.0, y), NOTE);
        x += 46.0 + canvas::width(name, NOTE.points);
    }
}

/// Precision, recall and F1 over thresholds.
fn thresholds(recipe: &RecipeEvaluation, curve: &Curve, canvas: &mut dyn Canvas) {
    let frame = Frame { left: LEFT, right: RIGHT, top: 90.0, bottom: f64::from(HEIGHT) - BELOW };
    canvas::title(canvas, &recipe.name, (LEFT, 24.0), RIGHT - LEFT);
    let basis = match curve.basis {
        CurveBasis::Labelled => "all labelled pairs",
        CurveBasis::Returned => "pairs that are returned",
    };
    canvas.words(basis, (LEFT, 48.0), NOTE);
    keys(canvas, 48.0);
    frame.tenths(canvas);
    for (value, text) in Axis::SHARES.ticks() {
        let y = frame.across(canvas, value);
        canvas.words(&text, (LEFT - 8.0, y), Words { align: Align::Right, ..TICK });
    }
    frame.axes(canvas, "least resemblance", "share");
    if let Some(threshold) = recipe.threshold {
        let x = frame.x(threshold);
        canvas.dashes(x, (frame.top - 4.0, frame.bottom), 1.3, GREY);
        let half = canvas::width("threshold 0.80", TICK.points) / 2.0;
        let text = format!("threshold {threshold}");
        canvas.words(&text, (x.clamp(LEFT + half, RIGHT - half), frame.top - 13.0), TICK);
    }
    for (_, color, of) in LINES.into_iter().rev() {
        let steps = curve.steps(of).into_iter();
        let places = steps.map(|(threshold, share)| (frame.x(threshold), frame.y(share)));
        canvas.line(&places.collect::<Vec<_>>(), 2.2, color);
    }
}

/// The height of a recipe, and where the first is.
const ROW: f64 = 46.0;
const ROWS_TOP: f64 = 72.0;

/// F1, precision and recall of each recipe, with their intervals.
fn recipes(evaluation: &Evaluation, canvas: &mut dyn Canvas) {
    let bottom = ROWS_TOP + evaluation.recipes.len() as f64 * ROW;
    // Room for the names of recipes.
    let frame = Frame { left: 190.0, right: RIGHT, top: ROWS_TOP, bottom };
    let labels = &evaluation.labels;
    let title = format!(
        "{} same, {} different, {} undecided pairs",
        grouped(labels.correct),
        grouped(labels.incorrect),
        grouped(labels.undecided)
    );
    canvas::title(canvas, &title, (24.0, 24.0), RIGHT - 24.0);
    canvas.words("95 % intervals over pairs", (24.0, 48.0), NOTE);
    keys(canvas, 48.0);
    frame.tenths(canvas);
    frame.axes(canvas, "share", "");
    for (number, recipe) in evaluation.recipes.iter().enumerate() {
        let top = ROWS_TOP + number as f64 * ROW;
        let name: String = canvas::plain(&recipe.name).chars().take(24).collect();
        let look = Words { align: Align::Right, ..TICK };
        canvas.words(&name, (frame.left - 10.0, top + ROW / 2.0), look);
        for (line, (_, color, of)) in LINES.into_iter().enumerate() {
            let Some(share) = of(&recipe.quality) else { continue };
            let y = top + ROW * (line as f64 + 1.0) / 4.0;
            canvas.line(&[(frame.x(share.low), y), (frame.x(share.high), y)], 1.6, color);
            canvas.dot((frame.x(share.share), y), 3.5, color, false);
        }
    }
}

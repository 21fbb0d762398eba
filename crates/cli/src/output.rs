//! What standard output gets: tables, numbers, colour.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use anyhow::Context as _;
pub(crate) use lookalike_engine::numbers::{bytes, count, grouped};

use crate::env;

/// What is said when standard output cannot be written.
pub(crate) const STANDARD_OUTPUT: &str = "standard output: cannot be written";

/// What failed if a file, or `-` for standard output, could not be written, where the system does not say.
pub(crate) fn written_to(out: &Path) -> String {
    if out == Path::new("-") { STANDARD_OUTPUT.to_owned() } else { format!("`{}`", out.display()) }
}

/// Writes data to standard output, all of it or an error.
pub(crate) fn write(data: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(data.as_ref()).and_then(|()| out.flush()).context(STANDARD_OUTPUT)
}

/// Writes a JSON object on a line of its own.
pub(crate) fn write_json(value: &serde_json::Value) -> anyhow::Result<()> {
    write(format!("{value}\n"))
}

/// The end of a line that tells what a job took; nothing where the system does not say how much memory it was.
pub(crate) fn memory_at_most(peak_bytes: u64) -> String {
    if peak_bytes == 0 {
        String::new()
    } else {
        format!(", {} of memory at most", bytes(peak_bytes))
    }
}

/// The most frequent of some reasons, with how often each came up.
pub(crate) fn frequent(reasons: &BTreeMap<String, u64>) -> String {
    let mut reasons: Vec<_> = reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let named =
        reasons.iter().take(3).map(|(reason, count)| format!("{} {reason}", grouped(**count)));
    let named: Vec<String> = named.collect();
    named.join(", ") + if reasons.len() > named.len() { " and others" } else { "" }
}

/// Whether standard output is a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Colours, or nothing in their place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    color: bool,
}

impl Style {
    /// Colour on a terminal, unless refused.
    pub(crate) fn of_stdout() -> Self {
        Self { color: is_terminal() && !env::refuses_color() }
    }

    pub(crate) fn deleted(self, text: &str) -> String {
        self.paint("31", text)
    }

    pub(crate) fn inserted(self, text: &str) -> String {
        self.paint("32", text)
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// How a column is set.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows of cells, each column as wide as its widest cell.
#[derive(Debug)]
pub(crate) struct Table {
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(align: &[Align]) -> Self {
        Self { align: align.to_vec(), rows: Vec::new() }
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [&str; N]) {
        self.rows.push(cells.map(str::to_owned).to_vec());
    }

    /// A row of as many cells as there are columns, where that is not known before.
    pub(crate) fn row_of(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table, two spaces between columns and none at line ends.
    pub(crate) fn text(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.align.len()).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let cells = row.iter().zip(&self.align).zip(&widths);
            let cells = cells.map(|((cell, align), &width)| match align {
                Align::Left => format!("{cell:width$}"),
                Align::Right => format!("{cell:>width$}"),
            });
            text += cells.collect::<Vec<_>>().join("  ").trim_end();
            text.push('\n');
        }
        text
    }
}

/// A text from outside, without what would steer the terminal or turn the direction of writing.
pub(crate) fn printable(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if c.is_control() || turns(c) { '\u{fffd}' } else { c }).collect()
}

/// A share as a percentage: two digits after the point, three that count below one, and powers
/// of ten where zeros would be counted. Only all is shown as 100.
pub(crate) fn percent(share: f64) -> String {
    let value = share * 100.0;
    if value >= 99.995 && share < 1.0 {
        "> 99.99 %".to_owned()
    } else if value == 0.0 || value >= 1.0 {
        format!("{value:.2} %")
    } else if value >= 0.001 {
        let digits = (2.0 - value.log10().floor()) as usize;
        format!("{value:.digits$} %")
    } else {
        format!("{value:.2e} %")
    }
}

/// A probability: four digits that count, and powers of ten where zeros would be counted.
pub(crate) fn probability(value: f64) -> String {
    if value == 0.0 || value >= 0.1 {
        format!("{value:.4}")
    } else if value >= 0.001 {
        let digits = (3.0 - value.log10().floor()) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.3e}")
    }
}

/// A resemblance beside a threshold: four digits, or as many as tell the two apart.
pub(crate) fn beside(value: f64, threshold: f64) -> String {
    let shown = |digits: usize| format!("{value:.digits$}");
    let differs =
        |text: &String| text.parse().is_ok_and(|x: f64| (x < threshold) == (value < threshold));
    (4..=17).map(shown).find(differs).unwrap_or_else(|| value.to_string())
}

/// A threshold as people write it: at least two digits after the point.
pub(crate) fn threshold(value: f64) -> String {
    let short = value.to_string();
    let digits = short.split_once('.').map_or(0, |(_, digits)| digits.len());
    if digits < 2 { format!("{value:.2}") } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(percent(0.010_67), "1.07 %");
        assert_eq!(percent(5.59e-8), "5.59e-6 %");
        assert_eq!(percent(0.000_208), "0.0208 %");
        assert_eq!(percent(0.0), "0.00 %");
        assert_eq!(percent(1.0), "100.00 %");
        assert_eq!(percent(0.999_999), "> 99.99 %");
        assert_eq!(threshold(0.8), "0.80");
        assert_eq!(threshold(1.0), "1.00");
        assert_eq!(threshold(0.875), "0.875");
    }

    #[test]
    fn a_value_just_below_the_threshold_looks_below_it() {
        assert_eq!(beside(0.799_99, 0.8), "0.79999");
        assert_eq!(beside(0.8, 0.8), "0.8000");
        assert_eq!(beside(0.93, 0.8), "0.9300");
    }
}

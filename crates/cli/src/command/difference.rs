//! What differs between two documents, word by word, for people.
//!
//! Changes stand in their context, one passage a paragraph; what is equal for
//! long is only counted. White space is shown as single spaces, and characters
//! that would steer the terminal are not shown at all.

use std::ops::Range;

use lookalike_core::difference::{Hunk, hunks};
use lookalike_core::text::{Span, Unit, spans};

use crate::output::{Style, count};

/// How much to show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Changes.
    places: usize,
    /// Tokens of a deletion or insertion.
    change: usize,
}

impl Limits {
    /// A screen or two, whatever the documents are.
    pub(crate) const DEFAULT: Self = Self { places: 20, change: 60 };
    /// Everything.
    pub(crate) const NONE: Self = Self { places: usize::MAX, change: usize::MAX };
}

/// Equal tokens shown on each side of a change.
const CONTEXT: usize = 6;

/// The difference as a text that ends with a line feed.
pub(crate) fn text(unit: Unit, a: &[u8], b: &[u8], style: Style, limits: Limits) -> String {
    let sides = Sides { a: Side::new(unit, a), b: Side::new(unit, b), style, limits };
    let hunks = hunks(&sides.a.tokens(), &sides.b.tokens());
    let thing = match unit {
        Unit::Words => "word",
        Unit::Characters => "character",
        Unit::Lines => "line",
    };
    if hunks.is_empty() {
        return format!("no {thing} differs\n");
    }
    let deleted = count(hunks.iter().map(|hunk| hunk.a.len() as u64).sum(), thing);
    let inserted = count(hunks.iter().map(|hunk| hunk.b.len() as u64).sum(), thing);
    let mut out = format!(
        "{}, {} in {}\n",
        style.deleted(&format!("[-{deleted} deleted-]")),
        style.inserted(&format!("{{+{inserted} inserted+}}")),
        count(hunks.len() as u64, "place"),
    );
    let equal = |n: usize| match n {
        0 => String::new(),
        n => style.dim(&format!("... {} ...", count(n as u64, &format!("equal {thing}")))) + "\n",
    };
    let hunks = joined(hunks);
    let (shown, more) = hunks.split_at(hunks.len().min(limits.places));
    // Up to the first change that is not shown.
    let end = more.first().map_or(sides.a.spans.len(), |hunk| hunk.a.start);
    let mut at = 0;
    for passage in passages(shown, end) {
        out.push('\n');
        out += &equal(passage.context.start - at);
        out += &sides.passage(&passage);
        out.push('\n');
        at = passage.context.end;
    }
    if !more.is_empty() {
        let more = count(more.len() as u64, "more change");
        out.extend(["\n... and ", &more, "; `--diff all` shows everything\n"]);
    } else if at < end {
        out.push('\n');
        out += &equal(end - at);
    }
    out
}

/// Joins changes between which hardly anything is equal: a rewritten sentence is one change, not
/// one between each `the` that both versions have.
fn joined(hunks: Vec<Hunk>) -> Vec<Hunk> {
    let size = |hunk: &Hunk| hunk.a.len() + hunk.b.len();
    let mut out: Vec<Hunk> = Vec::new();
    for hunk in hunks {
        match out.last_mut() {
            Some(last) if is_noise(hunk.a.start - last.a.end, size(last), size(&hunk)) => {
                *last = Hunk { a: last.a.start..hunk.a.end, b: last.b.start..hunk.b.end };
            }
            _ => out.push(hunk),
        }
    }
    out
}

/// Whether so many equal tokens between two changes are chance: few for the smaller change, or
/// one or two beside a long one. A word between two replaced words stands on its own.
fn is_noise(equal: usize, before: usize, after: usize) -> bool {
    2 * equal < before.min(after) || (equal <= 2 && 8 * equal < before.max(after))
}

/// Changes that are close to each other, with the tokens of `a` around them, none from
/// `end_of_all` on.
struct Passage<'a> {
    hunks: &'a [Hunk],
    context: Range<usize>,
}

fn passages(hunks: &[Hunk], end_of_all: usize) -> Vec<Passage<'_>> {
    let near = |x: &Hunk, y: &Hunk| y.a.start - x.a.end <= 2 * CONTEXT;
    let passage = |hunks: &'_ [Hunk]| {
        let (start, end) = match hunks {
            [] => (0, 0),
            [first, .., last] => (first.a.start, last.a.end),
            [only] => (only.a.start, only.a.end),
        };
        start.saturating_sub(CONTEXT)..(end + CONTEXT).min(end_of_all)
    };
    hunks.chunk_by(near).map(|hunks| Passage { hunks, context: passage(hunks) }).collect()
}

struct Sides<'a> {
    a: Side<'a>,
    b: Side<'a>,
    style: Style,
    limits: Limits,
}

impl Sides<'_> {
    fn passage(&self, passage: &Passage<'_>) -> String {
        let mut parts = Vec::new();
        let mut at = passage.context.start;
        for hunk in passage.hunks {
            parts.push(self.a.text(at..hunk.a.start));
            let deleted = self.a.cut(hunk.a.clone(), self.limits.change);
            if !deleted.is_empty() {
                parts.push(self.style.deleted(&format!("[-{deleted}-]")));
            }
            let inserted = self.b.cut(hunk.b.clone(), self.limits.change);
            if !inserted.is_empty() {
                parts.push(self.style.inserted(&format!("{{+{inserted}+}}")));
            }
            at = hunk.a.end;
        }
        parts.push(self.a.text(at..passage.context.end));
        parts.retain(|part| !part.is_empty());
        parts.join(" ")
    }
}

/// A document and its tokens.
struct Side<'a> {
    text: &'a [u8],
    spans: Vec<Span>,
}

impl<'a> Side<'a> {
    fn new(unit: Unit, text: &'a [u8]) -> Self {
        Self { text, spans: spans(unit, text) }
    }

    fn tokens(&self) -> Vec<u64> {
        self.spans.iter().map(|span| span.token).collect()
    }

    /// The text from the first of these tokens to the last, with the signs in between and those
    /// that stick to the last.
    fn text(&self, tokens: Range<usize>) -> String {
        let (Some(first), Some(last)) =
            (self.spans.get(tokens.start), self.spans.get(tokens.end.wrapping_sub(1)))
        else {
            return String::new();
        };
        if tokens.is_empty() {
            return String::new();
        }
        let next = self.spans.get(tokens.end).map_or(self.text.len(), |span| span.start);
        let behind = self.text.get(last.end..next.max(last.end)).unwrap_or_default();
        let sticks = behind.iter().take_while(|byte| byte.is_ascii_punctuation()).count();
        // Signs before a space belong to this word; signs up to the next word may open it.
        let sticks = match behind.get(sticks) {
            Some(byte) if byte.is_ascii_whitespace() => sticks,
            None if next == self.text.len() => sticks,
            _ => 0,
        };
        harmless(self.text.get(first.start..last.end + sticks).unwrap_or_default())
    }

    /// As `text`, but of more than `most` tokens only both ends.
    fn cut(&self, tokens: Range<usize>, most: usize) -> String {
        if tokens.len() <= most {
            return self.text(tokens);
        }
        let end = most / 2;
        let (start, tail) = (tokens.start..tokens.start + end, tokens.end - end..tokens.end);
        let left_out = count((tokens.len() - 2 * end) as u64, "more");
        let left_out = left_out.trim_end_matches('s');
        format!("{} ... {left_out} ... {}", self.text(start), self.text(tail))
    }
}

/// Text that a terminal only shows: white space as single spaces, and no character that moves
/// the cursor, changes colours or turns the direction of writing.
fn harmless(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let words = text.split_whitespace().map(|word| {
        word.chars()
            .map(|c| if c.is_control() || turns_direction(c) { '\u{fffd}' } else { c })
            .collect::<String>()
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Unicode's explicit directional formatting characters.
fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

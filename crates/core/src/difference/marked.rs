//! What differs between two documents, for people.
//!
//! Changes stand in their context, and what is equal for long is only counted.
//! Changes between which hardly anything is equal are shown as one. White space
//! is shown as single spaces; characters that would steer a terminal or turn the
//! direction of writing are not shown at all. Whoever writes the pieces into a
//! page must still escape them.
//!
//! Where it is known what is left out of documents, that is told apart and what
//! differs in it is no change: it is shown as the first document writes it.

use std::ops::Range;

use super::{Hunk, hunks};
use crate::template::LeftOut;
use crate::text::{Span, Text, Unit, keyed_spans};
use crate::verification::VerificationKey;

/// Equal tokens shown on each side of a change.
const CONTEXT: usize = 6;

/// How much of a difference to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Changes.
    pub places: usize,
    /// Tokens of a deletion or insertion; of a longer one both ends are shown.
    pub change: usize,
}

impl Limits {
    /// A screen or two, whatever the documents are.
    pub const DEFAULT: Self = Self { places: 20, change: 60 };
    /// Everything.
    pub const NONE: Self = Self { places: usize::MAX, change: usize::MAX };
}

/// A part of a marked difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text of both documents, as the first one writes it.
    Equal(String),
    /// What is left out for a reason, as the first document writes it.
    LeftOut(LeftOut, String),
    /// Text that only the first document has.
    Deleted(Excerpt),
    /// Text that only the second document has.
    Inserted(Excerpt),
    /// So many tokens that are not shown; they are equal, or left out.
    Gap(usize),
}

/// A text, or its two ends if it is long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text, or its first part.
    pub head: String,
    /// How many tokens are not shown, and what follows them.
    pub rest: Option<(usize, String)>,
}

impl Excerpt {
    /// As one text.
    fn ends(self) -> String {
        match self.rest {
            None => self.head,
            Some((_, tail)) => format!("{} ... {tail}", self.head),
        }
    }
}

/// The difference of two documents, in pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarkedDifference {
    /// In the order of the documents. Between two pieces of text stands a space.
    pub pieces: Vec<Piece>,
    /// Deleted tokens, shown or not.
    pub deleted: u64,
    /// Inserted tokens, shown or not.
    pub inserted: u64,
    /// Places where the documents differ, shown or not.
    pub places: u64,
    /// Changes behind those that are shown.
    pub more: u64,
}

/// Marks what turns document `a` into document `b`.
///
/// ```
/// use lookalike_core::difference::{Limits, Piece, marked};
/// use lookalike_core::text::Unit;
///
/// let marked = marked(Unit::Words, b"Dear Ann, come!", b"Dear Bob, come!", Limits::DEFAULT);
/// assert_eq!(marked.pieces[0], Piece::Equal("Dear".to_owned()));
/// assert_eq!((marked.deleted, marked.inserted, marked.places), (1, 1, 1));
/// ```
pub fn marked<'a, 'b>(
    unit: Unit,
    a: impl Into<Text<'a>>,
    b: impl Into<Text<'b>>,
    limits: Limits,
) -> MarkedDifference {
    marked_distinctive(unit, (a.into(), &[]), (b.into(), &[]), limits)
}

/// As [`marked`], where each document comes with why its tokens are left out, if they are, as
/// [`Distinctive::left_out`](crate::template::Distinctive::left_out) tells; those that it does not
/// tell of are not.
pub fn marked_distinctive(
    unit: Unit,
    (a, left_out_a): (Text<'_>, &[Option<LeftOut>]),
    (b, left_out_b): (Text<'_>, &[Option<LeftOut>]),
    limits: Limits,
) -> MarkedDifference {
    // By codes: that two words have one fingerprint does not make them equal.
    let key = VerificationKey::random();
    let (a, b) = (Side::new(unit, a, left_out_a, &key), Side::new(unit, b, left_out_b, &key));
    let mut hunks = hunks(&a.tokens(), &b.tokens());
    hunks.retain(|hunk| a.own(&hunk.a) + b.own(&hunk.b) > 0);
    let deleted = hunks.iter().map(|hunk| a.own(&hunk.a)).sum();
    let inserted = hunks.iter().map(|hunk| b.own(&hunk.b)).sum();
    let places = hunks.len() as u64;

    let hunks = joined(hunks);
    let (shown, more) = hunks.split_at(hunks.len().min(limits.places));
    // Up to the first change that is not shown.
    let end = more.first().map_or(a.spans.len(), |hunk| hunk.a.start);
    let mut pieces = Vec::new();
    let mut at = 0;
    for passage in passages(shown, end) {
        pieces.extend(gap(passage.context.start - at));
        at = passage.context.end;
        push_passage(&passage, &a, &b, limits.change, &mut pieces);
    }
    if more.is_empty() && places > 0 {
        pieces.extend(gap(end - at));
    }
    MarkedDifference { pieces, deleted, inserted, places, more: more.len() as u64 }
}

fn gap(tokens: usize) -> Option<Piece> {
    (tokens > 0).then_some(Piece::Gap(tokens))
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

fn push_passage(
    passage: &Passage<'_>,
    a: &Side<'_>,
    b: &Side<'_>,
    most: usize,
    pieces: &mut Vec<Piece>,
) {
    let mut at = passage.context.start;
    for hunk in passage.hunks {
        a.push_equal(at..hunk.a.start, pieces);
        for (reason, run) in a.runs(hunk.a.clone()) {
            let cut = a.cut(run, most);
            pieces.extend(cut.map(|cut| match reason {
                Some(reason) => Piece::LeftOut(reason, cut.ends()),
                None => Piece::Deleted(cut),
            }));
        }
        let own = b.runs(hunk.b.clone()).filter(|(reason, _)| reason.is_none());
        pieces.extend(own.filter_map(|(_, run)| b.cut(run, most)).map(Piece::Inserted));
        at = hunk.a.end;
    }
    a.push_equal(at..passage.context.end, pieces);
}

/// A document and its tokens.
struct Side<'a> {
    text: &'a [u8],
    spans: Vec<Span>,
    /// Why each of the first tokens is left out, if it is.
    left_out: &'a [Option<LeftOut>],
}

impl<'a> Side<'a> {
    fn new(
        unit: Unit,
        text: Text<'a>,
        left_out: &'a [Option<LeftOut>],
        key: &VerificationKey,
    ) -> Self {
        Self { text: text.bytes(), spans: keyed_spans(unit, text, key), left_out }
    }

    fn left_out(&self, token: usize) -> Option<LeftOut> {
        self.left_out.get(token).copied().flatten()
    }

    /// How many of these tokens are not left out.
    fn own(&self, tokens: &Range<usize>) -> u64 {
        tokens.clone().filter(|token| self.left_out(*token).is_none()).count() as u64
    }

    /// The stretches of these tokens that are left out for one reason, and those that are not.
    fn runs(
        &self,
        mut tokens: Range<usize>,
    ) -> impl Iterator<Item = (Option<LeftOut>, Range<usize>)> {
        std::iter::from_fn(move || {
            let start = tokens.next()?;
            let reason = self.left_out(start);
            let more = tokens.clone().take_while(|token| self.left_out(*token) == reason);
            tokens.start += more.count();
            Some((reason, start..tokens.start))
        })
    }

    fn tokens(&self) -> Vec<u64> {
        self.spans.iter().map(|span| span.token).collect()
    }

    fn push_equal(&self, tokens: Range<usize>, pieces: &mut Vec<Piece>) {
        let texts = self.runs(tokens).map(|(reason, run)| (reason, self.text(run)));
        let texts = texts.filter(|(_, text)| !text.is_empty());
        pieces.extend(texts.map(|(reason, text)| match reason {
            Some(reason) => Piece::LeftOut(reason, text),
            None => Piece::Equal(text),
        }));
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

    /// As `text`, but of more than `most` tokens only both ends; nothing if there is nothing to
    /// see, as of a space between characters.
    fn cut(&self, tokens: Range<usize>, most: usize) -> Option<Excerpt> {
        if tokens.len() <= most {
            let head = self.text(tokens);
            return (!head.is_empty()).then_some(Excerpt { head, rest: None });
        }
        let end = most / 2;
        let (start, tail) = (tokens.start..tokens.start + end, tokens.end - end..tokens.end);
        let left_out = tokens.len() - 2 * end;
        Some(Excerpt { head: self.text(start), rest: Some((left_out, self.text(tail))) })
    }
}

/// Text that is only shown: white space as single spaces, and no character that moves the cursor
/// of a terminal, changes colours or turns the direction of writing.
fn harmless(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let words = text.split_whitespace().map(|word| {
        word.chars()
            .map(|c| if c.is_control() || turns_direction(c) { '\u{fffd}' } else { c })
            .collect::<String>()
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether `c` is one of Unicode's explicit directional formatting characters, which reorder
/// what stands behind them.
pub fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

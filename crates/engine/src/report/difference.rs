//! What differs between two documents, small enough for a report.

use lookalike_core::difference::{self, Excerpt, Limits, MarkedDifference, marked_distinctive};
use lookalike_core::template::LeftOut;
use lookalike_core::text::{Text, Unit};
use serde::{Deserialize, Serialize};

use crate::numbers::grouped;

/// The most characters of text that a difference keeps.
const MAX_CHARACTERS: usize = 4000;

/// The most characters of one piece: a word may be as long as the document.
const MAX_PIECE: usize = 500;

/// The most bytes of each document that are compared. Larger documents would take memory and
/// seconds for twenty places that the beginning has as well.
const MAX_BYTES: usize = 1 << 20;

/// The difference between a keeper and a document that resembles it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Difference {
    /// The id of the document that the keeper is compared with.
    pub with: String,
    /// The difference, from the keeper to the other.
    pub pieces: Vec<Piece>,
    /// The numbers of the pieces, from 0, that are left out: template, or beside the content. They are
    /// not compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub template: Vec<usize>,
    /// Why each of these is left out, as [`LeftOut::name`](lookalike_core::template::LeftOut::name) has
    /// it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Tokens that only the keeper has.
    pub deleted: u64,
    /// Tokens that only the other has.
    pub inserted: u64,
    /// Places where the two differ.
    pub places: u64,
    /// Whether the pieces show less than that.
    pub shortened: bool,
    /// If the documents are large: the bytes at their beginnings that were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared_bytes: Option<u64>,
}

/// A part of a difference. Between two pieces of text stands a space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Piece {
    /// Text of both.
    Equal(String),
    /// Text that only the keeper has.
    Deleted(String),
    /// Text that only the other has.
    Inserted(String),
    /// So many equal tokens left out.
    Gap(u64),
}

/// Marks what differs between the keeper's text and the text of the document `with`, at most some
/// 4,000 characters of it.
pub fn marked_difference<'a, 'b>(
    unit: Unit,
    keeper: impl Into<Text<'a>>,
    with: &str,
    other: impl Into<Text<'b>>,
) -> Difference {
    distinctive_difference(unit, (keeper.into(), &[]), with, (other.into(), &[]))
}

/// As [`marked_difference`], where each text comes with why its tokens are left out, if they are.
pub fn distinctive_difference(
    unit: Unit,
    (keeper, left_out_of_keeper): (Text<'_>, &[Option<LeftOut>]),
    with: &str,
    (other, left_out_of_other): (Text<'_>, &[Option<LeftOut>]),
) -> Difference {
    let whole = keeper.bytes().len().max(other.bytes().len()) <= MAX_BYTES;
    let (keeper, other) = (beginning(keeper), beginning(other));
    let (keeper, other) = ((keeper, left_out_of_keeper), (other, left_out_of_other));
    let mut marked = marked_distinctive(unit, keeper, other, Limits::DEFAULT);
    if !whole {
        drop_last_change(&mut marked);
    }
    let left_out = marked.pieces.iter().enumerate().filter_map(|(number, piece)| match piece {
        difference::Piece::LeftOut(reason, _) => Some((number, reason.name().to_owned())),
        _ => None,
    });
    let mut left_out: Vec<(usize, String)> = left_out.collect();
    let (pieces, cut) = bounded(marked.pieces);
    left_out.retain(|(number, _)| *number < pieces.len());
    let (template, reasons) = left_out.into_iter().unzip();
    Difference {
        with: with.to_owned(),
        pieces,
        template,
        reasons,
        deleted: marked.deleted,
        inserted: marked.inserted,
        places: marked.places,
        shortened: cut || marked.more > 0 || !whole,
        compared_bytes: (!whole).then_some(MAX_BYTES as u64),
    }
}

/// The first [`MAX_BYTES`], up to the last space, so that no word is cut.
fn beginning(text: Text<'_>) -> Text<'_> {
    let bytes = text.bytes();
    let Some(start) = bytes.get(..MAX_BYTES).filter(|start| start.len() < bytes.len()) else {
        return text;
    };
    let space = start.iter().rposition(u8::is_ascii_whitespace);
    // Text without spaces is cut between two characters.
    let character = || start.iter().rposition(|&byte| byte & 0xc0 != 0x80).unwrap_or(0);
    text.beginning(space.unwrap_or_else(character))
}

/// Of two beginnings, one often reaches further than the other: what stands at their ends is
/// no change.
fn drop_last_change(marked: &mut MarkedDifference) {
    use difference::Piece::{Deleted, Inserted};
    while marked.more == 0 && matches!(marked.pieces.last(), Some(Deleted(_) | Inserted(_))) {
        marked.pieces.pop();
    }
}

/// The pieces up to [`MAX_CHARACTERS`], and whether that left something out.
fn bounded(pieces: Vec<difference::Piece>) -> (Vec<Piece>, bool) {
    let mut left = MAX_CHARACTERS;
    let mut shortened = false;
    let mut out = Vec::new();
    for piece in pieces {
        if left == 0 {
            return (out, true);
        }
        let mut fit = |text: &str| {
            let (text, cut) = fitting(text, left.min(MAX_PIECE));
            left -= text.chars().count().min(left);
            shortened |= cut;
            text
        };
        out.push(match piece {
            difference::Piece::Equal(text) | difference::Piece::LeftOut(_, text) => {
                Piece::Equal(fit(&text))
            }
            difference::Piece::Deleted(excerpt) => Piece::Deleted(fit(&joined(excerpt))),
            difference::Piece::Inserted(excerpt) => Piece::Inserted(fit(&joined(excerpt))),
            difference::Piece::Gap(tokens) => Piece::Gap(tokens as u64),
        });
    }
    (out, shortened)
}

fn joined(excerpt: Excerpt) -> String {
    match excerpt.rest {
        None => excerpt.head,
        Some((left_out, tail)) => {
            format!("{} ... {} more ... {tail}", excerpt.head, grouped(left_out as u64))
        }
    }
}

/// The text, or its first `most` characters, and whether it was cut.
fn fitting(text: &str, most: usize) -> (String, bool) {
    match text.char_indices().nth(most) {
        None => (text.to_owned(), false),
        Some((end, _)) => (format!("{} ...", &text[..end]), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn characters(difference: &Difference) -> usize {
        let text = |piece: &Piece| match piece {
            Piece::Equal(text) | Piece::Deleted(text) | Piece::Inserted(text) => {
                text.chars().count()
            }
            Piece::Gap(_) => 0,
        };
        difference.pieces.iter().map(text).sum()
    }

    #[test]
    fn a_replaced_word_stands_in_its_context() {
        let (a, b) = ("the price is 40 euros today", "the price is 55 euros today");
        let difference = marked_difference(Unit::Words, a.as_bytes(), "b", b.as_bytes());
        let expected = [
            Piece::Equal("the price is".to_owned()),
            Piece::Deleted("40".to_owned()),
            Piece::Inserted("55".to_owned()),
            Piece::Equal("euros today".to_owned()),
        ];
        assert_eq!(difference.pieces, expected);
        assert_eq!((difference.deleted, difference.inserted, difference.places), (1, 1, 1));
        assert!(!difference.shortened);
        assert_eq!(difference.with, "b");
    }

    #[test]
    fn no_difference_is_long() {
        let word = "x".repeat(300_000);
        let many: Vec<String> = (0..5000).map(|n| format!("{n}{}", "y".repeat(90))).collect();
        let many = many.join(" ");
        for (a, b) in [(word.as_str(), "short"), ("short", &word), (&many, ""), (&many, &word)] {
            let difference = marked_difference(Unit::Words, a.as_bytes(), "b", b.as_bytes());
            assert!(difference.shortened);
            assert!(characters(&difference) < MAX_CHARACTERS + 20 * 4, "{}", a.len());
        }
    }

    #[test]
    fn large_documents_are_compared_at_their_beginnings() {
        let tail = "and the same words again ".repeat(60_000);
        let (a, b) = (format!("one {tail}"), format!("two more words {tail}"));
        let difference = marked_difference(Unit::Words, a.as_bytes(), "b", b.as_bytes());
        assert_eq!(difference.compared_bytes, Some(MAX_BYTES as u64));
        let changes = difference.pieces.iter().filter(|p| matches!(p, Piece::Deleted(_)));
        assert_eq!(changes.count(), 1, "{difference:?}");

        let unbroken = "\u{6f22}".repeat(MAX_BYTES);
        let difference = marked_difference(Unit::Words, unbroken.as_bytes(), "b", b"");
        assert!(!format!("{difference:?}").contains('\u{fffd}'));
    }
}

//! A text in which what was cut is marked, short enough to be looked at.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// How much of a text is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarkLimits {
    /// Bytes that stay before and behind each cut.
    pub around: usize,
    /// Bytes at both ends of a cut.
    pub within: usize,
    /// Cuts.
    pub cuts: usize,
}

impl MarkLimits {
    /// A screen or two.
    pub const DEFAULT: Self = Self { around: 240, within: 400, cuts: 20 };
    /// Everything.
    pub const NONE: Self = Self { around: usize::MAX, within: usize::MAX, cuts: usize::MAX };

    /// With so many bytes before and behind each cut, and at both ends of it.
    #[must_use]
    pub fn bytes(self, around: usize, within: usize) -> Self {
        Self { around, within, ..self }
    }

    /// With so many cuts.
    #[must_use]
    pub fn cuts(self, cuts: usize) -> Self {
        Self { cuts, ..self }
    }
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkedPiece {
    /// What stays.
    Kept(String),
    /// What was cut, and the number of the cut, from 0.
    Cut(usize, String),
    /// So many bytes that are not shown.
    Gap(usize),
}

/// Marks the cuts of a text, which are ascending and do not overlap. What reaches beyond the text is
/// left out.
pub fn marked_cuts(text: &[u8], cuts: &[Range<u64>], limits: MarkLimits) -> Vec<MarkedPiece> {
    let mut marked = Marked { pieces: Vec::new() };
    let place = |byte: u64| usize::try_from(byte).unwrap_or(usize::MAX).min(text.len());
    let mut at = 0;
    for (number, cut) in cuts.iter().enumerate().take(limits.cuts) {
        let (begin, end) = (place(cut.start).max(at), place(cut.end));
        if begin >= end {
            continue;
        }
        let head = if at > 0 { limits.around } else { 0 };
        marked.add(&text[at..begin], [head, limits.around], MarkedPiece::Kept);
        let within = [limits.within; 2];
        marked.add(&text[begin..end], within, |text| MarkedPiece::Cut(number, text));
        at = end;
    }
    marked.add(&text[at..], [limits.around, 0], MarkedPiece::Kept);
    marked.pieces
}

struct Marked {
    pieces: Vec<MarkedPiece>,
}

impl Marked {
    /// Adds a stretch of the text: all of it, or so many bytes at its ends.
    fn add(
        &mut self,
        stretch: &[u8],
        [head, tail]: [usize; 2],
        piece: impl Fn(String) -> MarkedPiece,
    ) {
        if stretch.is_empty() {
            return;
        }
        let room = head.saturating_add(tail);
        // Half as much again, before a few words are left out.
        if stretch.len() <= room.saturating_add(room / 2) {
            self.pieces.push(piece(shown(stretch)));
            return;
        }
        let from = parting(stretch, head);
        let upto = if tail == 0 { stretch.len() } else { parting(stretch, stretch.len() - tail) };
        if upto <= from {
            self.pieces.push(piece(shown(stretch)));
            return;
        }
        if from > 0 {
            self.pieces.push(piece(shown(&stretch[..from])));
        }
        self.pieces.push(MarkedPiece::Gap(upto - from));
        if upto < stretch.len() {
            self.pieces.push(piece(shown(&stretch[upto..])));
        }
    }
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// How far before a place a space is looked for, to part the text there: a long word.
const LONG_WORD: usize = 40;

/// A place to part a text at, this one or somewhat before it: behind a space, or between two characters.
/// What follows the text is not known.
pub(crate) fn parting(text: &[u8], at: usize) -> usize {
    let at = at.min(text.len());
    let near = at.saturating_sub(LONG_WORD);
    if let Some(space) = text[near..at].iter().rposition(u8::is_ascii_whitespace) {
        return near + space + 1;
    }
    let begins = |&at: &usize| text.get(at).is_some_and(|byte| byte & 0xc0 != 0x80);
    (0..=at).rev().find(begins).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use proptest::prelude::*;

    use super::*;

    fn limits(around: usize, within: usize) -> MarkLimits {
        MarkLimits::DEFAULT.bytes(around, within)
    }

    #[test]
    fn cuts_stand_in_their_context() {
        use MarkedPiece::{Cut, Gap, Kept};
        let text = b"one two three four five six seven eight nine ten";
        let kept = |text: &str| Kept(text.to_owned());
        let cut = |text: &str| Cut(0, text.to_owned());
        let found = marked_cuts(text, from_ref(&(8..24)), limits(9, 100));
        let expected = [kept("one two "), cut("three four five "), kept("six "), Gap(20)];
        assert_eq!(found, expected);
        let found = marked_cuts(text, from_ref(&(8..48)), limits(4, 9));
        assert_eq!(found, [Gap(4), kept("two "), cut("three "), Gap(20), cut("eight nine ten")],);
        assert_eq!(
            marked_cuts(text, &[], MarkLimits::NONE),
            [kept(std::str::from_utf8(text).unwrap())]
        );
        assert_eq!(marked_cuts(b"", &[0..4, 9..12], limits(1, 1)), []);
    }

    proptest! {
        /// Nothing is lost or said twice, and no character is broken.
        #[test]
        fn pieces_add_up_to_the_text(
            text in "[a-c \u{e4}\u{6f22}\n]{0,80}",
            marks in prop::collection::vec(0_u64..200, 0..6),
            around in 0_usize..20,
            within in 0_usize..20,
        ) {
            let mut marks = marks;
            marks.sort_unstable();
            let on_character = |at: u64| {
                let at = (at as usize).min(text.len());
                (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap() as u64
            };
            let cuts: Vec<Range<u64>> = marks
                .chunks_exact(2)
                .map(|pair| on_character(pair[0])..on_character(pair[1]))
                .collect();
            let mut at = 0;
            for piece in marked_cuts(text.as_bytes(), &cuts, limits(around, within)) {
                match piece {
                    MarkedPiece::Gap(bytes) => at += bytes,
                    MarkedPiece::Kept(shown) => {
                        prop_assert_eq!(&text[at..at + shown.len()], &shown);
                        at += shown.len();
                    }
                    MarkedPiece::Cut(number, shown) => {
                        prop_assert_eq!(&text[at..at + shown.len()], &shown);
                        at += shown.len();
                        prop_assert!(at as u64 <= cuts[number].end);
                    }
                }
            }
            prop_assert_eq!(at, text.len());
        }
    }
}

//! From the original text to the characters of the canonical text.
//!
//! The simple form is: map every character, normalise the whole to NFC, feed
//! what comes out. NFC needs the whole only in theory. Say that a character
//! *joins* if its mapping is empty or begins with a character that is not a
//! starter or is the second part of a primary composite, before or after
//! canonical decomposition. Then the text may be cut before every character
//! that does not join, and the pieces normalised apart: the first character
//! of a piece's decomposition is a starter, so that nothing is reordered
//! across it, and it composes with nothing before it, so that it is the last
//! starter for everything that follows. These pieces, the *segments*, are
//! nearly always one character, which is its own NFC.
//!
//! So the walk looks one character ahead. If that one does not join, the
//! current one is fed as it is; no token is ever taken back. Else the segment
//! is read to its end and checked; only if NFC could change it does it go
//! through the normaliser. A segment has no bound but the document's size, and
//! with it the memory for a normalised one; everything else needs none. Each
//! byte is read at most three times.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::compose;

use super::ascii::{LOWER, is_ascii_ahead};
use super::character::{Character, entry, utf8};
use super::feed::{Feed, Out, Place};
use super::tables::{CLASS, DECOMPOSES, JOINS, MAPPED, MAY_COMPOSE, PAYLOAD, SOLO, STRING, WORD};
use super::url;

/// Characters of a segment kept between uses: 16 KB.
const SCRATCH: usize = 4096;

/// Feeds the canonical text of `text`, all of it, and a separator at its end.
/// `scratch` is for the segment that is normalised.
pub(super) fn walk<O: Out, F: Feed<O>>(
    text: &[u8],
    mut feed: F,
    out: &mut O,
    scratch: &mut Vec<char>,
) {
    let mut at = 0;
    // No word is open at the beginning of each round, and what precedes is
    // nothing, an ASCII separator or a URL.
    while at < text.len() {
        if F::URLS && is_ascii_ahead(text, at) {
            at += out.ascii_words(&text[at..]);
        }
        let mut current = Character::at(text, at);
        if current.entry & JOINS != 0 {
            (at, feed) = segment(text, at, feed, out, scratch);
            current = Character::at(text, at);
        }
        while current.length != 0 {
            let start = at;
            at += current.length;
            let next = Character::at(text, at);
            if next.entry & JOINS != 0 || current.entry & CLASS == STRING {
                (at, feed) = segment(text, start, feed, out, scratch);
                current = Character::at(text, at);
                continue;
            }
            let place = O::Place::new(start, at);
            if current.code < 0x80 {
                let lower = LOWER[current.code as usize];
                if lower != 0 {
                    feed.ascii(lower, place, out);
                } else {
                    let in_url = F::URLS
                        && current.code == u32::from(b':')
                        && feed.is_ascii_word()
                        && url::follows(text, start);
                    feed.separator(out);
                    if in_url {
                        // The open word was the URL's first piece.
                        at = url::end(text, start);
                        url::pieces(text, start, at, |token, start, end| {
                            out.push(token, O::Place::new(start, end));
                        });
                        break;
                    }
                    if F::URLS && is_ascii_ahead(text, at) {
                        break;
                    }
                }
            } else {
                let (bytes, length) = if current.entry & MAPPED == 0 {
                    (current.bytes, current.length)
                } else {
                    utf8(current.entry >> PAYLOAD)
                };
                give(&mut feed, current.entry, (bytes, length), place, out);
            }
            current = next;
        }
    }
    feed.separator(out);
}

#[inline(always)]
fn give<O: Out, F: Feed<O>>(
    feed: &mut F,
    entry: u32,
    (bytes, length): (u32, usize),
    place: O::Place,
    out: &mut O,
) {
    match entry & CLASS {
        WORD => feed.word(bytes, length, place, out),
        SOLO => feed.solo(bytes, length, place, out),
        _ => feed.separator(out),
    }
}

/// Feeds the segment that begins at `start`, and returns where it ends.
#[inline(never)]
fn segment<O: Out, F: Feed<O>>(
    text: &[u8],
    start: usize,
    mut feed: F,
    out: &mut O,
    scratch: &mut Vec<char>,
) -> (usize, F) {
    let mut check = Check::default();
    let mut end = start;
    let mut current = Character::at(text, start);
    loop {
        current.for_each_mapped(|c, entry| check.take(c, entry));
        end += current.length;
        current = Character::at(text, end);
        if current.entry & JOINS == 0 {
            break;
        }
    }

    if check.changes {
        let place = O::Place::new(start, end);
        scratch.clear();
        for_each_mapped(text, start, end, |c, _, _| scratch.push(c));
        for c in scratch.iter().copied().nfc() {
            let code = u32::from(c);
            give(&mut feed, entry(code), utf8(code), place, out);
        }
        scratch.clear();
        scratch.shrink_to(SCRATCH);
    } else {
        for_each_mapped(text, start, end, |c, entry, (start, end)| {
            give(&mut feed, entry, utf8(u32::from(c)), O::Place::new(start, end), out);
        });
    }
    (end, feed)
}

#[inline(always)]
fn for_each_mapped(
    text: &[u8],
    mut at: usize,
    end: usize,
    mut each: impl FnMut(char, u32, (usize, usize)),
) {
    while at < end {
        let current = Character::at(text, at);
        let place = (at, at + current.length);
        current.for_each_mapped(|c, entry| each(c, entry, place));
        at = place.1;
    }
}

/// Could NFC change a sequence of mapped characters?
///
/// Unicode's quick check (UAX 15, section 9) says no if the combining classes
/// are in order and no character may compose with what precedes. A character
/// that may compose is let pass in one more case, the common one in Indic
/// scripts: neither it nor the character just before it decomposes, that one
/// is a starter, and the two do not compose. Then the starter before it is the
/// last one in the decomposed text too, the only one it could compose with,
/// and it stays where it is as other characters of its class do.
#[derive(Default)]
struct Check {
    /// What precedes: the character, its combining class, its entry.
    last: Option<(char, u32, u32)>,
    changes: bool,
}

impl Check {
    #[inline]
    fn take(&mut self, c: char, entry: u32) {
        let class = entry >> PAYLOAD;
        if let Some((last, last_class, last_entry)) = self.last {
            self.changes |= if entry & MAY_COMPOSE != 0 {
                (entry | last_entry) & DECOMPOSES != 0
                    || last_class != 0
                    || compose(last, c).is_some()
            } else {
                class != 0 && last_class > class
            };
        }
        self.last = Some((c, class, entry));
    }
}

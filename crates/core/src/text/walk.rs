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
//! through the normaliser, or through our own if it is long. Each byte is read
//! a bounded number of times, and memory is bounded.

use lookalike_kernels::letters;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::compose;

use super::ascii::{LOWER, near_end_of_ascii};
use super::character::{Character, OTHER, entry, joins, three, two, utf8};
use super::compose::for_each_composed;
use super::feed::{Feed, Out, Place};
use super::tables::{CLASS, DECOMPOSES, JOINS, MAPPED, MAY_COMPOSE, PAYLOAD, SOLO, STRING, WORD};
use super::url;

/// Bytes of a segment that is not held to be normalised, but read again for each combining class.
const LONG: usize = 4096;

/// Feeds the canonical text of `text`, all of it, and a separator at its end.
/// `scratch` is for the segment that is normalised.
pub(super) fn walk<O: Out, F: Feed<O>>(
    text: &[u8],
    mut feed: F,
    out: &mut O,
    scratch: &mut Vec<char>,
) {
    let mut at = 0;
    // Up to here it is known that ASCII ends soon.
    let mut soon = 0;
    while at < text.len() {
        // No word is open here, and what precedes is nothing, an ASCII
        // separator or a URL.
        if F::URLS && near_end_of_ascii(text, at).is_none() {
            at += out.ascii_words(&text[at..]);
        }
        if Character::at(text, at).entry & JOINS != 0 {
            feed = segment(text, &mut at, feed, out, scratch);
        }
        // And from here on, what stands at `at` does not join what precedes.
        while let Some(&byte) = text.get(at) {
            let start = at;
            if byte < 0x80 {
                if LOWER[usize::from(byte)] != 0 {
                    let (lower, length) = letters(&text[at..]);
                    // A mark may follow the last letter, and none another one.
                    let safe = length - usize::from(joins(&text[at + length..]));
                    if safe > 0 {
                        feed.ascii(lower >> (8 * (length - safe)), safe, at, out);
                        at += safe;
                        continue;
                    }
                } else if !joins(&text[at + 1..]) {
                    let in_url =
                        F::URLS && byte == b':' && feed.is_ascii_word() && url::follows(text, at);
                    feed.separator(out);
                    if in_url {
                        // The open word was the URL's first piece.
                        at = url::end(text, start);
                        url::pieces(text, start, at, |token, start, end| {
                            for byte in &text[start..end] {
                                out.letters(u64::from(byte.to_ascii_lowercase()), 1);
                            }
                            out.push(token, O::Place::new(start, end));
                        });
                        break;
                    }
                    at += 1;
                    if F::URLS && at > soon {
                        let Some(end) = near_end_of_ascii(text, at) else { break };
                        soon = end;
                    }
                    continue;
                }
            } else if byte < 0xe0 {
                feed = two_byte_run(text, &mut at, feed, out);
            } else {
                feed = three_byte_run(text, &mut at, feed, out);
            }
            if at == start {
                feed = one(text, &mut at, feed, out, scratch);
            }
        }
    }
    feed.separator(out);
}

/// Feeds simple characters of two bytes, while what follows them does not join.
/// One by one: four at a time, with no branch on how many are simple, was
/// slower, since then the place of the next word waits for the end of this one.
#[inline(always)]
fn two_byte_run<O: Out, F: Feed<O>>(text: &[u8], at: &mut usize, mut feed: F, out: &mut O) -> F {
    let mut rest = &text[*at..];
    let mut current = two(rest);
    while current != 0 {
        let after = rest.get(2..).unwrap_or_default();
        let next = two(after);
        if next == 0 && joins(after) {
            break;
        }
        let start = text.len() - rest.len();
        feed.word(current, 2, O::Place::new(start, start + 2), out);
        rest = after;
        current = next;
    }
    *at = text.len() - rest.len();
    feed
}

/// Feeds simple characters of three bytes, while what follows does not join.
#[inline(always)]
fn three_byte_run<O: Out, F: Feed<O>>(text: &[u8], at: &mut usize, mut feed: F, out: &mut O) -> F {
    let mut rest = &text[*at..];
    let (mut class, mut bytes) = three(rest);
    while class != OTHER {
        let after = rest.get(3..).unwrap_or_default();
        let (next_class, next_bytes) = three(after);
        if next_class == OTHER && joins(after) {
            break;
        }
        let start = text.len() - rest.len();
        give(&mut feed, class, (bytes, 3), O::Place::new(start, start + 3), out);
        rest = after;
        (class, bytes) = (next_class, next_bytes);
    }
    *at = text.len() - rest.len();
    feed
}

/// Feeds one character, or its segment if it does not stand alone.
#[inline(never)]
fn one<O: Out, F: Feed<O>>(
    text: &[u8],
    at: &mut usize,
    mut feed: F,
    out: &mut O,
    scratch: &mut Vec<char>,
) -> F {
    let current = Character::at(text, *at);
    let end = *at + current.length;
    let next = Character::at(text, end);
    // ASCII has no entry here, and comes here only before one that joins.
    let simple = current.code >= 0x80 && current.entry & CLASS != STRING;
    if !simple || next.entry & JOINS != 0 {
        return segment(text, at, feed, out, scratch);
    }
    let bytes = if current.entry & MAPPED == 0 {
        (current.bytes, current.length)
    } else {
        utf8(current.entry >> PAYLOAD)
    };
    give(&mut feed, current.entry, bytes, O::Place::new(*at, end), out);
    *at = end;
    feed
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

/// Feeds the segment that begins at `at`, and moves `at` to where it ends.
#[inline(never)]
fn segment<O: Out, F: Feed<O>>(
    text: &[u8],
    at: &mut usize,
    mut feed: F,
    out: &mut O,
    scratch: &mut Vec<char>,
) -> F {
    let start = *at;
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
        let mut take = |c| {
            let code = u32::from(c);
            give(&mut feed, entry(code), utf8(code), place, out);
        };
        if end - start > LONG {
            for_each_composed(mapped(text, start, end), take);
        } else {
            scratch.clear();
            scratch.extend(mapped(text, start, end));
            scratch.iter().copied().nfc().for_each(&mut take);
        }
    } else {
        for_each_mapped(text, start, end, |c, entry, (start, end)| {
            give(&mut feed, entry, utf8(u32::from(c)), O::Place::new(start, end), out);
        });
    }
    *at = end;
    feed
}

fn mapped(text: &[u8], start: usize, end: usize) -> impl Iterator<Item = char> + Clone {
    let mut at = start;
    let next = move || {
        let current = (at < end).then(|| Character::at(text, at));
        at += current.map_or(0, |current| current.length);
        current
    };
    std::iter::from_fn(next).flat_map(Character::mapped)
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

//! Words of ASCII runs, up to eight letters at a time in one integer.

use crate::aes::Aes;
use crate::keyed::{SHORT, long_code};
use crate::positions::Positions;
use crate::rabin::{Rabin, TOKENS};

/// See [`crate::Kernel::ascii_words`].
pub(crate) fn ascii_words(_: &mut Positions, text: &[u8], tokens: &mut [u64]) -> (usize, usize) {
    words(text, tokens, |_, _, _| {})
}

/// See [`crate::Kernel::keyed_ascii_words`].
pub(crate) fn keyed_ascii_words(
    aes: &Aes,
    _: &mut Positions,
    text: &[u8],
    tokens: &mut [u64],
    codes: &mut [u64],
) -> (usize, usize) {
    words(text, tokens, |number, token, word| {
        codes[number] =
            if word.len() <= SHORT { token } else { long_code(aes, &word.to_ascii_lowercase()) };
    })
}

/// Calls `each` with the number of each word, its token, and its bytes as they stand.
#[inline(always)]
fn words(
    text: &[u8],
    tokens: &mut [u64],
    mut each: impl FnMut(usize, u64, &[u8]),
) -> (usize, usize) {
    let (mut consumed, mut produced) = (0, 0);
    while consumed < text.len() {
        let mut at = consumed;
        let (mut word, mut is_word) = (Rabin::EMPTY, false);
        loop {
            let (letters, count) = letters(&text[at..]);
            word = TOKENS.push_bytes(word, letters, count);
            is_word |= count > 0;
            at += count;
            if count < 8 {
                break;
            }
        }
        if is_word {
            if produced == tokens.len() || text[at..].starts_with(b"://") {
                break;
            }
            // Written before it is known to end here; counted only then.
            tokens[produced] = word;
        }
        // The separator itself may belong to what follows it, so that must be ASCII too.
        if !text[at..].iter().take(2).all(u8::is_ascii) {
            break;
        }
        if is_word {
            each(produced, word, &text[consumed..at]);
            produced += 1;
        }
        consumed = text.len().min(at + 1);
    }
    (consumed, produced)
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The ASCII letters and digits at the start of `text`, at most eight of them,
/// lower-cased: as the low bytes of an integer, first byte highest, and their number.
///
/// All eight bytes at once: a byte below 0x80 plus 0x80 - c has its high bit
/// set if and only if it is at least c.
#[inline(always)]
pub fn letters(text: &[u8]) -> (u64, usize) {
    let bytes = match text.first_chunk::<8>() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => last_bytes(text),
    };
    let in_range = |bytes: u64, first: u8, last: u8| {
        let at_least_first = bytes + ONES * u64::from(0x80 - first);
        let above_last = bytes + ONES * u64::from(0x7f - last);
        at_least_first & !above_last & HIGH
    };
    // Setting this bit lower-cases letters and leaves digits alone.
    let lower = (bytes | (ONES * 0x20)) & !HIGH;
    let digits = in_range(bytes & !HIGH, b'0', b'9');
    let alphanumeric = (in_range(lower, b'a', b'z') | digits) & !bytes;
    let count = (!alphanumeric & HIGH).leading_zeros() as usize / 8;
    (if count == 0 { 0 } else { lower >> (64 - 8 * count) }, count)
}

/// Fewer than eight bytes, and zeros behind them.
#[cold]
fn last_bytes(text: &[u8]) -> u64 {
    text.iter().rev().fold(0, |bytes, &byte| bytes >> 8 | u64::from(byte) << 56)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_found_and_lowered() {
        for byte in 0..=255u8 {
            let expected = if byte.is_ascii_alphanumeric() {
                (u64::from(byte.to_ascii_lowercase()), 1)
            } else {
                (0, 0)
            };
            assert_eq!(letters(&[byte, b' ', 1, 2, 3, 4, 5, 6, 7]), expected);
            assert_eq!(letters(&[byte]), expected);
        }
        assert_eq!(letters(b"aBc9 def"), (0x6162_6339, 4));
        assert_eq!(letters(b"aBc9\xc3def"), (0x6162_6339, 4));
        assert_eq!(letters(b"ABCDEFGHI"), (0x6162_6364_6566_6768, 8));
        assert_eq!(letters(b""), (0, 0));
    }
}

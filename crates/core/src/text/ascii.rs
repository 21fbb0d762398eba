//! Words of plain ASCII text.

use super::fingerprint::Fingerprint;
use super::url;

/// The lower-case form of ASCII letters and digits, 0 for everything else.
pub(super) static LOWER: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        if byte.is_ascii_alphanumeric() {
            table[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    table
};

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The high bit of each byte of `bytes`, all below 0x80, that is in the range.
#[inline(always)]
fn in_range(bytes: u64, first: u8, last: u8) -> u64 {
    let least = bytes + ONES * u64::from(0x80 - first);
    let above = bytes + ONES * u64::from(0x7f - last);
    least & !above & HIGH
}

/// The ASCII letters and digits at the beginning of `text`, at most eight of
/// them: in lower case, as the low bytes of an integer, the first highest; and
/// how many.
#[inline(always)]
pub(super) fn letters(text: &[u8]) -> (u64, usize) {
    let bytes = match text.first_chunk::<8>() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => last_bytes(text),
    };
    let seven = bytes & !HIGH;
    // The bit 0x20 is the difference of the cases.
    let lower = seven | in_range(seven, b'A', b'Z') >> 2;
    let good = (in_range(lower, b'a', b'z') | in_range(lower, b'0', b'9')) & !bytes;
    let length = (!good & HIGH).leading_zeros() as usize / 8;
    (if length == 0 { 0 } else { lower >> (64 - 8 * length) }, length)
}

/// The last bytes of the text, and zeros, the first highest.
#[cold]
fn last_bytes(text: &[u8]) -> u64 {
    text.iter().rev().fold(0, |bytes, &byte| bytes >> 8 | u64::from(byte) << 56)
}

/// Writes the tokens of a prefix of `text` to `out`, and returns how many
/// bytes it read and how many tokens it wrote.
///
/// `text` begins a document or follows an ASCII separator. The prefix is empty
/// or all of `text`, or ends after an ASCII character that is no letter or
/// digit and before another ASCII character. It is ASCII, has no `://` after a
/// letter or digit, and stops before the run of letters and digits that
/// touches either, or whose token has no room in `out`.
pub(super) fn ascii_words(text: &[u8], out: &mut [u64]) -> (usize, usize) {
    let (mut consumed, mut produced) = (0, 0);
    while let Some(&byte) = text.get(consumed) {
        let mut at = consumed;
        if LOWER[usize::from(byte)] != 0 {
            let mut word = Fingerprint::EMPTY;
            loop {
                let (bytes, length) = letters(&text[at..]);
                word.push_word(bytes, length);
                at += length;
                if length < 8 {
                    break;
                }
            }
            if produced == out.len() || url::follows(text, at) {
                break;
            }
            // Written before it is known to end here; counted only then.
            out[produced] = word.finish();
        }
        // A mark may follow what separates and change it: `=` and U+0338 are
        // one character.
        if !(is_ascii_at(text, at) && is_ascii_at(text, at + 1)) {
            break;
        }
        produced += usize::from(at > consumed);
        consumed = text.len().min(at + 1);
    }
    (consumed, produced)
}

/// Is the byte at `at` ASCII, or the text at its end?
#[inline(always)]
pub(super) fn is_ascii_at(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(u8::is_ascii)
}

/// Where the ASCII bytes from `at` on end, if that is too near for
/// [`ascii_words`] to be worth its call. 32: an ASCII word or two of Latin text
/// with accents, and more than the digits and names in other scripts.
#[inline(always)]
pub(super) fn near_end_of_ascii(text: &[u8], at: usize) -> Option<usize> {
    let near = &text[at..text.len().min(at + 32)];
    let (eights, rest) = near.as_chunks::<8>();
    let mut end = at;
    for eight in eights {
        let other = u64::from_le_bytes(*eight) & HIGH;
        if other != 0 {
            return Some(end + other.trailing_zeros() as usize / 8);
        }
        end += 8;
    }
    rest.iter().position(|byte| !byte.is_ascii()).map(|length| end + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_found_and_lowered() {
        for byte in 0..=255_u8 {
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

    fn read(text: &str, room: usize) -> (usize, usize) {
        ascii_words(text.as_bytes(), &mut vec![0; room])
    }

    #[test]
    fn stops_before_what_it_must_not_read() {
        assert_eq!(read("", 9), (0, 0));
        assert_eq!(read("A rose", 9), (6, 2));
        assert_eq!(read(" a rose. ", 9), (9, 2));
        assert_eq!(read("foo bar\u{e9}", 9), (4, 1));
        assert_eq!(read("foo \u{e9}", 9), (0, 0));
        assert_eq!(read("foo, \u{e9}", 9), (4, 1));
        assert_eq!(read("see http://x", 9), (4, 1));
        assert_eq!(read("see ://x", 9), (8, 2));
        assert_eq!(read("a b c d", 2), (4, 2));
        assert_eq!(read("a b ,,", 2), (6, 2));
    }
}

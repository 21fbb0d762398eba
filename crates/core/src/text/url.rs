//! URLs inside text.
//!
//! A URL begins with a run of ASCII letters and digits that `://` follows,
//! and goes on to the first byte that is not visible ASCII or is one of
//! `` < > " ' ` ( ) { } [ ] | \ ^ ``, which enclose URLs more often than they
//! stand in them. It is broken at slashes and dots; each piece without the
//! punctuation at its ends is a token, in lower case.

use super::fingerprint::{Fingerprint, Token};

/// Does a URL begin with the run of letters and digits that ends at `at`?
#[inline(always)]
pub(super) fn follows(text: &[u8], at: usize) -> bool {
    text[at..].starts_with(b"://")
}

/// Where the URL that holds the byte before `at` ends.
pub(super) fn end(text: &[u8], at: usize) -> usize {
    text[at..].iter().position(|&byte| ends(byte)).map_or(text.len(), |length| at + length)
}

/// Whether a URL ends before this byte.
#[inline(always)]
pub(super) fn ends(byte: u8) -> bool {
    ENDS[usize::from(byte)]
}

static ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        ends[byte] = !(byte as u8).is_ascii_graphic();
        byte += 1;
    }
    let marks = b"<>\"'`(){}[]|\\^";
    let mut mark = 0;
    while mark < marks.len() {
        ends[marks[mark] as usize] = true;
        mark += 1;
    }
    ends
};

/// Calls `piece` with the token and the range of each piece of
/// `text[start..end]`, a URL or what is left of one after a slash or dot.
pub(super) fn pieces(
    text: &[u8],
    start: usize,
    end: usize,
    mut piece: impl FnMut(Token, usize, usize),
) {
    let mut from = start;
    for part in text[start..end].split(|&byte| byte == b'/' || byte == b'.') {
        if let Some(first) = part.iter().position(u8::is_ascii_alphanumeric)
            && let Some(last) = part.iter().rposition(u8::is_ascii_alphanumeric)
        {
            let mut word = Fingerprint::EMPTY;
            for byte in &part[first..=last] {
                word.push_byte(byte.to_ascii_lowercase());
            }
            piece(word.finish(), from + first, from + last + 1);
        }
        from += part.len() + 1;
    }
}

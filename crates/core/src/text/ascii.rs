//! Words of plain ASCII text.

use super::fingerprint::Fingerprint;

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
    let mut at = 0;
    loop {
        let start = at;
        let mut word = Fingerprint::EMPTY;
        while let Some(&byte) = text.get(at) {
            let lower = LOWER[usize::from(byte)];
            if lower == 0 {
                break;
            }
            word.push_byte(lower);
            at += 1;
        }
        let in_url = at > start && text[at..].starts_with(b"://");
        // The word ends here only if what separates it stays a separator, and
        // a mark may follow to change it: `=` and U+0338 are one character.
        let safe = text[at..].iter().take(2).all(u8::is_ascii);
        if in_url || !safe {
            return (consumed, produced);
        }
        if at > start {
            let Some(slot) = out.get_mut(produced) else { return (consumed, produced) };
            *slot = word.finish();
            produced += 1;
        }
        at = text.len().min(at + 1);
        consumed = at;
        if at == text.len() {
            return (consumed, produced);
        }
    }
}

/// Are the bytes from `at` on ASCII for long enough that [`ascii_words`] is
/// worth its call? 32: an ASCII word or two of Latin text with accents, and
/// more than the digits and names in other scripts.
#[inline(always)]
pub(super) fn is_ascii_ahead(text: &[u8], at: usize) -> bool {
    match text[at..].first_chunk::<8>() {
        Some(near) if u64::from_le_bytes(*near) & 0x8080_8080_8080_8080 == 0 => {
            text[at..text.len().min(at + 32)].is_ascii()
        }
        Some(_) => false,
        None => text[at..].is_ascii(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

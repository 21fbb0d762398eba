//! Words of ASCII runs, a byte at a time.

use crate::rabin::{Rabin, TOKENS};

/// See [`crate::Kernel::ascii_words`].
pub(crate) fn ascii_words(text: &[u8], tokens: &mut [u64]) -> (usize, usize) {
    // The last two places where it may stop, each with the tokens before it: the byte before a
    // stop must not touch what comes next, so the newest place may have to be given up.
    let (mut before, mut last) = ((0, 0), (0, 0));
    let mut produced = 0;
    let mut word = Rabin::EMPTY;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if byte.is_ascii_alphanumeric() {
            word = TOKENS.push_byte(word, byte | 0x20);
        } else {
            let ends_a_word = at > last.0;
            if !byte.is_ascii() || ends_a_word && text[at..].starts_with(b"://") {
                break;
            }
            if ends_a_word {
                let Some(token) = tokens.get_mut(produced) else { break };
                *token = word;
                produced += 1;
                word = Rabin::EMPTY;
            }
            (before, last) = (last, (at + 1, produced));
        }
        at += 1;
    }
    if at == text.len() {
        let ends_a_word = at > last.0;
        if !ends_a_word {
            return (at, produced);
        }
        if let Some(token) = tokens.get_mut(produced) {
            *token = word;
            return (at, produced + 1);
        }
    }
    if last.0 == at { before } else { last }
}

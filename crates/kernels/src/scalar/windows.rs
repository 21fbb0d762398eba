//! Rolling Rabin fingerprints by tables: sixteen look-ups a window, whatever its width.

use crate::rabin::{Rabin, Windows};

/// See [`crate::Kernel::append_words`].
pub(crate) fn append_words(rabin: &Rabin, f: u64, words: &[u64]) -> u64 {
    words.iter().fold(f, |f, &word| rabin.push_word(f, word))
}

/// See [`crate::Kernel::windows`].
pub(crate) fn windows(windows: &Windows, tokens: &[u64], out: &mut [u64]) {
    let rabin = windows.rabin();
    let mut f = windows.first(tokens);
    out[0] = f ^ windows.leaving();
    let entering = &tokens[windows.width()..];
    for ((out, &enters), &leaves) in out[1..].iter_mut().zip(entering).zip(tokens) {
        f = rabin.push_word(f, enters) ^ windows.leave(leaves);
        *out = f ^ windows.leaving();
    }
}

//! Codes by the portable AES.

use crate::aes::Aes;
use crate::keyed::{LongWord, long_code};

/// See [`crate::Kernel::long_codes`].
pub(crate) fn long_codes(aes: &Aes, buffer: &[u8], words: &[LongWord], codes: &mut [u64]) {
    for word in words {
        let bytes = &buffer[word.start as usize..word.end as usize];
        codes[word.number as usize] = long_code(aes, bytes);
    }
}

/// See [`crate::Kernel::seal`].
pub(crate) fn seal(aes: &Aes, tokens: &mut [u64]) {
    for token in tokens {
        *token = aes.encrypt(u128::from(*token)) as u64;
    }
}

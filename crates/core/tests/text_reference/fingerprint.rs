//! Rabin fingerprints, bit by bit.

use lookalike_core::text::Token;

/// A one bit and the bytes, divided bit by bit by x^64 + 0x243f6a8885a30907.
pub(crate) fn fingerprint(bytes: &[u8]) -> Token {
    let bits = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    bits.fold(1, |rest: u64, bit| {
        let carry = if rest >> 63 == 1 { 0x243f_6a88_85a3_0907 } else { 0 };
        (rest << 1 | u64::from(bit)) ^ carry
    })
}

//! The naive reference: each operation as its definition says, for the tests.
//!
//! Readable for ever; speed goes into the kernels.

use crate::{Aes, Permutations, Projection, mix};

/// A * B over GF(2), all 128 bits.
pub fn carryless_product(a: u64, b: u64) -> u128 {
    (0..64).filter(|bit| b >> bit & 1 == 1).fold(0, |sum, bit| sum ^ u128::from(a) << bit)
}

/// (high x^64 + low) mod (x^64 + tail).
pub fn remainder(value: u128, tail: u64) -> u64 {
    let divisor = 1u128 << 64 | u128::from(tail);
    let value = (64..128).rev().fold(value, |value, bit| {
        if value >> bit & 1 == 1 { value ^ divisor << (bit - 64) } else { value }
    });
    value as u64
}

/// The Rabin fingerprint of a byte string: a one bit, then the bytes.
pub fn rabin_bytes(tail: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(1, |f, &byte| remainder(u128::from(f) << 8 | u128::from(byte), tail))
}

/// The Rabin fingerprint of a sequence of words: a one bit, then the words.
pub fn rabin_words(tail: u64, words: &[u64]) -> u64 {
    words.iter().fold(1, |f, &word| remainder(u128::from(f) << 64 | u128::from(word), tail))
}

/// Rabin's test: x^64 + tail has no factor, because x^(2^64) = x modulo it
/// while x^(2^32) - x has no common factor with it.
pub fn irreducible(tail: u64) -> bool {
    let frobenius =
        |times| (0..times).fold(2, |power, _| remainder(carryless_product(power, power), tail));
    let (mut a, mut b) = (1u128 << 64 | u128::from(tail), u128::from(frobenius(32) ^ 2));
    while b != 0 {
        while a != 0 && a.leading_zeros() <= b.leading_zeros() {
            a ^= b << (b.leading_zeros() - a.leading_zeros());
        }
        (a, b) = (b, a);
    }
    frobenius(64) == 2 && a == 1
}

/// The words of ASCII text, folded and fingerprinted.
pub fn ascii_words(tail: u64, text: &[u8]) -> Vec<u64> {
    text.split(|byte| !byte.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| rabin_bytes(tail, &word.to_ascii_lowercase()))
        .collect()
}

/// The code of a word: itself behind a one bit, or its CBC-MAC.
pub fn code(aes: &Aes, word: &[u8]) -> u64 {
    if word.len() <= 7 {
        return word.iter().fold(1, |code, &byte| code << 8 | u64::from(byte));
    }
    let mut padded = word.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(16), 0);
    let number = |block: &[u8]| block.iter().rev().fold(0, |n, &b| n << 8 | u128::from(b));
    padded.chunks(16).fold(0, |chain, block| aes.encrypt(chain ^ number(block))) as u64
}

/// The codes of the words of ASCII text.
pub fn ascii_codes(aes: &Aes, text: &[u8]) -> Vec<u64> {
    text.split(|byte| !byte.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| code(aes, &word.to_ascii_lowercase()))
        .collect()
}

/// The fingerprint of every window.
pub fn windows(tail: u64, width: usize, tokens: &[u64]) -> Vec<u64> {
    tokens.windows(width).map(|window| rabin_words(tail, window)).collect()
}

/// The minimum of each permutation over all elements.
pub fn minima(permutations: &Permutations, elements: &[u64]) -> Vec<u64> {
    let minimum = |i| elements.iter().map(|&x| permutations.apply(i, x)).min();
    (0..permutations.len()).map(|i| minimum(i).unwrap_or(u64::MAX)).collect()
}

/// The projection, with a counter for each place.
pub fn project(projection: &Projection, tokens: &[u64]) -> Vec<bool> {
    let sign = |place, x| projection.signs(place / 64, x) >> (place % 64) & 1 == 1;
    let sum = |place| tokens.iter().map(|&x| if sign(place, x) { 1i64 } else { -1 }).sum::<i64>();
    (0..projection.bits()).map(|place| sum(place) > 0).collect()
}

/// [`crate::mix`] of each value xor `seed`.
pub fn mixed(seed: u64, values: &[u64]) -> Vec<u64> {
    values.iter().map(|&x| mix(x ^ seed)).collect()
}

/// Bits that differ.
pub fn hamming(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// Places that agree.
pub fn equal_slots(a: &[u64], b: &[u64]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a == b).count()
}

/// Elements of both.
pub fn intersection(a: &[u64], b: &[u64]) -> usize {
    a.iter().filter(|x| b.contains(x)).count()
}

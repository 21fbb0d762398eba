//! Codes by the processor's AES: a round is one instruction. One word waits for
//! its own last round; the next words do not.

use std::arch::x86_64::{
    __m128i, _mm_aesenc_si128, _mm_aesenclast_si128, _mm_and_si128, _mm_cvtsi64_si128,
    _mm_cvtsi128_si64, _mm_loadu_si128, _mm_or_si128, _mm_setzero_si128, _mm_xor_si128,
};

use crate::aes::{Aes, ROUNDS};
use crate::keyed::LongWord;

/// Round keys in registers.
type Keys = [__m128i; ROUNDS + 1];

#[target_feature(enable = "sse2")]
#[inline]
pub(crate) fn keys(aes: &Aes) -> Keys {
    std::array::from_fn(|round| load(&aes.rounds[round]))
}

#[target_feature(enable = "sse2")]
#[inline]
fn load(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: the array has 16 bytes; loads are unaligned.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "aes")]
#[inline]
fn encrypt(keys: &Keys, block: __m128i) -> __m128i {
    let [first, middle @ .., last] = keys;
    let mut state = _mm_xor_si128(block, *first);
    for key in middle {
        state = _mm_aesenc_si128(state, *key);
    }
    _mm_aesenclast_si128(state, *last)
}

/// From byte 16 - n on: n bytes of ones, then zeros.
static ONES: [u8; 32] = {
    let mut bytes = [0; 32];
    let mut at = 0;
    while at < 16 {
        bytes[at] = 0xff;
        at += 1;
    }
    bytes
};

/// From byte 16 - n on: n zeros, then the byte that ends a word.
static END: [u8; 32] = {
    let mut bytes = [0; 32];
    bytes[16] = 0x80;
    bytes
};

/// The code of the word at `start..end` of a buffer that goes on for 16 bytes after it.
#[target_feature(enable = "aes")]
#[inline]
pub(crate) fn long_code(keys: &Keys, buffer: &[u8], start: usize, end: usize) -> u64 {
    let block = |bytes: &[u8]| load(bytes.first_chunk().expect("whole blocks are there"));
    let mut chain = _mm_setzero_si128();
    let mut at = start;
    while at + 16 <= end {
        chain = encrypt(keys, _mm_xor_si128(chain, block(&buffer[at..])));
        at += 16;
    }
    let before = 16 - (end - at);
    let rest = _mm_and_si128(block(&buffer[at..]), block(&ONES[before..]));
    let last = _mm_or_si128(rest, block(&END[before..]));
    _mm_cvtsi128_si64(encrypt(keys, _mm_xor_si128(chain, last))).cast_unsigned()
}

/// See [`crate::Kernel::long_codes`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes")]
pub(crate) fn long_codes(aes: &Aes, buffer: &[u8], words: &[LongWord], codes: &mut [u64]) {
    let keys = keys(aes);
    for word in words {
        codes[word.number as usize] =
            long_code(&keys, buffer, word.start as usize, word.end as usize);
    }
}

/// See [`crate::Kernel::seal`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes")]
pub(crate) fn seal(aes: &Aes, tokens: &mut [u64]) {
    /// As many as hide the latency of a round.
    const SIDE_BY_SIDE: usize = 8;
    let keys = keys(aes);
    let [first, middle @ .., last] = &keys;
    let (blocks, rest) = tokens.as_chunks_mut::<SIDE_BY_SIDE>();
    for block in blocks {
        let mut states =
            block.map(|token| _mm_xor_si128(_mm_cvtsi64_si128(token.cast_signed()), *first));
        for key in middle {
            for state in &mut states {
                *state = _mm_aesenc_si128(*state, *key);
            }
        }
        for (token, state) in block.iter_mut().zip(states) {
            *token = _mm_cvtsi128_si64(_mm_aesenclast_si128(state, *last)).cast_unsigned();
        }
    }
    for token in rest {
        let sealed = encrypt(&keys, _mm_cvtsi64_si128(token.cast_signed()));
        *token = _mm_cvtsi128_si64(sealed).cast_unsigned();
    }
}

//! Rabin fingerprints by carry-less multiplication.
//!
//! A product of two fingerprints has 128 bits; Barrett's method brings it back
//! to 64 with two more multiplications: `times` = how often P goes into it,
//! then minus `times` * P. One rolling window waits for the last, so four
//! windows roll at once, each through a quarter of the tokens.

use std::arch::x86_64::{
    __m128i, _mm_clmulepi64_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_loadu_si128,
    _mm_set_epi64x, _mm_setzero_si128, _mm_shuffle_epi32, _mm_unpacklo_epi64, _mm_xor_si128,
};

use crate::rabin::{Rabin, Windows};
use crate::scalar;

/// Barrett's constants: the quotient low, the tail of P high.
#[target_feature(enable = "sse2")]
#[inline]
pub(crate) fn constants(rabin: &Rabin) -> __m128i {
    _mm_set_epi64x(rabin.tail().cast_signed(), rabin.quotient().cast_signed())
}

/// The low half of the result is `value` mod P.
#[target_feature(enable = "pclmulqdq")]
#[inline]
fn reduce(value: __m128i, constants: __m128i) -> __m128i {
    let times = _mm_xor_si128(_mm_clmulepi64_si128::<0x01>(value, constants), value);
    _mm_xor_si128(_mm_clmulepi64_si128::<0x11>(times, constants), value)
}

#[target_feature(enable = "sse2")]
#[inline]
fn low(value: u64) -> __m128i {
    _mm_cvtsi64_si128(value.cast_signed())
}

/// How many windows roll side by side: enough to hide the latency of three
/// multiplications in a row.
const CHAINS: usize = 4;

/// See [`crate::Kernel::windows`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
pub(crate) fn windows(windows: &Windows, tokens: &[u64], out: &mut [u64]) {
    let width = windows.width();
    let steps = out.len() / CHAINS;
    // Below this the starts of the chains would cost more than they save.
    if steps < 8 {
        return scalar::windows(windows, tokens, out);
    }
    let constants = constants(windows.rabin());
    let leaving = low(windows.leaving());
    let mut chains: [__m128i; CHAINS] =
        std::array::from_fn(|c| low(windows.first(&tokens[c * steps..])));
    for step in 0..steps {
        for (c, f) in chains.iter_mut().enumerate() {
            let at = c * steps + step;
            out[at] = _mm_cvtsi128_si64(*f).cast_unsigned() ^ windows.leaving();
            // The last step of a chain may have nothing to enter; what it rolls to is not used.
            let enters = tokens.get(at + width).copied().unwrap_or(0);
            let shifted = _mm_unpacklo_epi64(low(enters), *f);
            let left = _mm_clmulepi64_si128::<0x00>(low(tokens[at]), leaving);
            *f = reduce(_mm_xor_si128(shifted, left), constants);
        }
    }
    let done = CHAINS * steps;
    if done < out.len() {
        scalar::windows(windows, &tokens[done..], &mut out[done..]);
    }
}

/// Words folded at once by [`append_words`].
const FOLD: usize = 8;

/// See [`crate::Kernel::append_words`].
///
/// Four sums of two words each stride over the input; only at the end do they
/// become one.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
pub(crate) fn append_words(rabin: &Rabin, f: u64, words: &[u64]) -> u64 {
    let (blocks, rest) = words.as_chunks::<FOLD>();
    let Some((first, blocks)) = blocks.split_first() else {
        return scalar::append_words(rabin, f, words);
    };
    let load = |block: &[u64; FOLD], pair: usize| {
        // SAFETY: two words from 2 * pair lie within the block for pair < 4; loads are unaligned.
        let words = unsafe { _mm_loadu_si128(block.as_ptr().add(2 * pair).cast()) };
        // The first word has the higher power.
        _mm_shuffle_epi32::<0x4e>(words)
    };
    let stride = pair(rabin.stride(FOLD));
    let mut sums: [__m128i; FOLD / 2] = [_mm_setzero_si128(); _];
    for (pair, sum) in sums.iter_mut().enumerate() {
        *sum = load(first, pair);
    }
    // The fingerprint so far stands before the first word.
    sums[0] = _mm_xor_si128(sums[0], _mm_set_epi64x(rabin.shift(f).cast_signed(), 0));
    for block in blocks {
        for (pair, sum) in sums.iter_mut().enumerate() {
            *sum = _mm_xor_si128(fold(*sum, stride), load(block, pair));
        }
    }
    let f = join(rabin, sums);
    scalar::append_words(rabin, f, rest)
}

/// Two constants as a vector, the first one low.
#[target_feature(enable = "sse2")]
#[inline]
pub(crate) fn pair([low, high]: [u64; 2]) -> __m128i {
    _mm_set_epi64x(high.cast_signed(), low.cast_signed())
}

/// A pair of words (or an unreduced sum) times x^(64 n), given [`Rabin::stride`] of n.
#[target_feature(enable = "pclmulqdq")]
#[inline]
fn fold(sum: __m128i, stride: __m128i) -> __m128i {
    let low = _mm_clmulepi64_si128::<0x00>(sum, stride);
    let high = _mm_clmulepi64_si128::<0x11>(sum, stride);
    _mm_xor_si128(low, high)
}

/// The fingerprint of pairs of words that stand one after the other.
#[target_feature(enable = "avx2,pclmulqdq")]
#[inline]
pub(crate) fn join(rabin: &Rabin, sums: [__m128i; 4]) -> u64 {
    let next = pair(rabin.stride(2));
    let [first, rest @ ..] = sums;
    let sum = rest.iter().fold(first, |sum, &next_sum| _mm_xor_si128(fold(sum, next), next_sum));
    _mm_cvtsi128_si64(reduce(sum, constants(rabin))).cast_unsigned()
}

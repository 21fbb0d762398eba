//! Rabin fingerprints of windows: eight at a time, summed place by place.
//!
//! A vector multiplication takes every other token of eight, so two make the
//! products of eight windows with one place's weight. The products are summed
//! unreduced and brought back to 64 bits once. For windows of up to eight
//! tokens this takes 2.25 multiplications a window at most, none waiting for
//! another; wider ones roll, as in AVX2.

use std::arch::x86_64::{
    __m512i, _mm_set_epi64x, _mm512_broadcast_i32x4, _mm512_clmulepi64_epi128,
    _mm512_extracti64x2_epi64, _mm512_inserti64x2, _mm512_loadu_si512, _mm512_mask_storeu_epi64,
    _mm512_maskz_loadu_epi64, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_shuffle_epi32,
    _mm512_ternarylogic_epi64, _mm512_unpacklo_epi64, _mm512_xor_si512,
};

use crate::avx2;
use crate::rabin::{DIRECT_WIDTH, Rabin, Windows};

const LANES: usize = 8;

/// See [`crate::Kernel::windows`].
#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,vpclmulqdq"
)]
pub(crate) fn windows(windows: &Windows, tokens: &[u64], out: &mut [u64]) {
    if windows.width() > DIRECT_WIDTH {
        return avx2::windows(windows, tokens, out);
    }
    let constants = _mm512_broadcast_i32x4(avx2::constants(windows.rabin()));
    let leaving = _mm512_set1_epi64(windows.leaving().cast_signed());
    // The last place has weight one.
    let last = windows.width() - 1;
    let mut weights = [_mm512_setzero_si512(); DIRECT_WIDTH];
    for (lanes, &weight) in weights.iter_mut().zip(&windows.weights) {
        *lanes = _mm512_set1_epi64(weight.cast_signed());
    }
    for (n, out) in out.chunks_mut(LANES).enumerate() {
        let mask = u8::MAX >> (LANES - out.len());
        let load = |place: usize| {
            let tokens = &tokens[n * LANES + place..][..out.len()];
            // SAFETY: the mask admits only the lanes of the slice.
            unsafe { _mm512_maskz_loadu_epi64(mask, tokens.as_ptr().cast()) }
        };
        let (mut even, mut odd) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        for (place, &weight) in weights[..last].iter().enumerate() {
            let tokens = load(place);
            even = _mm512_xor_si512(even, _mm512_clmulepi64_epi128::<0x00>(tokens, weight));
            odd = _mm512_xor_si512(odd, _mm512_clmulepi64_epi128::<0x01>(tokens, weight));
        }
        let sums = _mm512_unpacklo_epi64(reduce(even, constants), reduce(odd, constants));
        let shingles = _mm512_xor_si512(_mm512_xor_si512(sums, load(last)), leaving);
        // SAFETY: the mask admits only the lanes of the slice.
        unsafe { _mm512_mask_storeu_epi64(out.as_mut_ptr().cast(), mask, shingles) };
    }
}

/// The low half of each 128 bits of the result is that of `value` mod P.
#[target_feature(enable = "avx512f,vpclmulqdq")]
#[inline]
fn reduce(value: __m512i, constants: __m512i) -> __m512i {
    let times = _mm512_xor_si512(_mm512_clmulepi64_epi128::<0x01>(value, constants), value);
    _mm512_xor_si512(_mm512_clmulepi64_epi128::<0x11>(times, constants), value)
}

/// Words folded at once by [`append_words`]: two vectors.
const FOLD: usize = 16;

/// See [`crate::Kernel::append_words`].
///
/// Eight sums of two words each stride over the input; only at the end do they
/// become one.
#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,vpclmulqdq"
)]
pub(crate) fn append_words(rabin: &Rabin, f: u64, words: &[u64]) -> u64 {
    let (blocks, rest) = words.as_chunks::<FOLD>();
    // Below this the end costs more than wider vectors save.
    if blocks.len() < 4 {
        return avx2::append_words(rabin, f, words);
    }
    let load = |block: &[u64; FOLD], half: usize| {
        // SAFETY: eight words from 8 * half lie within the block for half < 2; loads are
        // unaligned.
        let words = unsafe { _mm512_loadu_si512(block.as_ptr().add(8 * half).cast()) };
        // The first word of a pair has the higher power.
        _mm512_shuffle_epi32::<0x4e>(words)
    };
    let stride = _mm512_broadcast_i32x4(avx2::pair(rabin.stride(FOLD)));
    let mut sums = [_mm512_setzero_si512(); 2];
    // The fingerprint so far stands before the first word: it enters with the zeros of the
    // first step.
    sums[1] = _mm512_inserti64x2::<3>(sums[1], _mm_set_epi64x(0, f.cast_signed()));
    for block in blocks {
        for (half, sum) in sums.iter_mut().enumerate() {
            *sum = fold(*sum, stride, load(block, half));
        }
    }
    let half = _mm512_broadcast_i32x4(avx2::pair(rabin.stride(FOLD / 2)));
    let sum = fold(sums[0], half, sums[1]);
    let quarters = [
        _mm512_extracti64x2_epi64::<0>(sum),
        _mm512_extracti64x2_epi64::<1>(sum),
        _mm512_extracti64x2_epi64::<2>(sum),
        _mm512_extracti64x2_epi64::<3>(sum),
    ];
    let f = avx2::join(rabin, quarters);
    avx2::append_words(rabin, f, rest)
}

/// Four pairs of words times the power that `stride` stands for, plus what follows them.
#[target_feature(enable = "avx512f,vpclmulqdq")]
#[inline]
fn fold(sum: __m512i, stride: __m512i, next: __m512i) -> __m512i {
    let low = _mm512_clmulepi64_epi128::<0x00>(sum, stride);
    let high = _mm512_clmulepi64_epi128::<0x11>(sum, stride);
    _mm512_ternarylogic_epi64::<0x96>(low, high, next)
}

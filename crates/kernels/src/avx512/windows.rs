//! Rabin fingerprints by carry-less multiplication: eight words at once. Windows roll as in AVX2.

use std::arch::x86_64::{
    __m512i, _mm_set_epi64x, _mm512_broadcast_i32x4, _mm512_clmulepi64_epi128,
    _mm512_extracti64x2_epi64, _mm512_inserti64x2, _mm512_loadu_si512, _mm512_setzero_si512,
    _mm512_shuffle_epi32, _mm512_ternarylogic_epi64,
};

use crate::avx2;
use crate::rabin::Rabin;

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

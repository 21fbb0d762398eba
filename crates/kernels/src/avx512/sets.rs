//! Comparisons of projections, sketches and sorted sets.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_alignr_epi64, _mm512_cmpeq_epi64_mask, _mm512_loadu_si512,
    _mm512_maskz_loadu_epi64, _mm512_popcnt_epi64, _mm512_reduce_add_epi64, _mm512_setzero_si512,
    _mm512_xor_si512,
};

use crate::{avx2, scalar};

const LANES: usize = 8;

/// See [`crate::Kernel::hamming`].
#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,vpclmulqdq"
)]
pub(crate) fn hamming(a: &[u64], b: &[u64]) -> u32 {
    let mut sum = _mm512_setzero_si512();
    for (a, b) in a.chunks(LANES).zip(b.chunks(LANES)) {
        let differ = _mm512_xor_si512(load_some(a), load_some(b));
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(differ));
    }
    _mm512_reduce_add_epi64(sum) as u32
}

/// See [`crate::Kernel::equal_slots`].
#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,vpclmulqdq"
)]
pub(crate) fn equal_slots(a: &[u64], b: &[u64]) -> usize {
    let (eights_a, rest_a) = a.as_chunks::<LANES>();
    let (eights_b, rest_b) = b.as_chunks::<LANES>();
    let equal = |(a, b)| _mm512_cmpeq_epi64_mask(load(a), load(b)).count_ones() as usize;
    eights_a.iter().zip(eights_b).map(equal).sum::<usize>() + scalar::equal_slots(rest_a, rest_b)
}

/// See [`crate::Kernel::intersection`].
///
/// Eight elements of each side are compared all with all, then the side whose
/// last element is smaller moves on.
#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,vpclmulqdq"
)]
pub(crate) fn intersection(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(eight_a), Some(eight_b)) =
        (a[i..].first_chunk::<LANES>(), b[j..].first_chunk::<LANES>())
    {
        let (x, y) = (load(eight_a), load(eight_b));
        let equal = _mm512_cmpeq_epi64_mask(x, y)
            | _mm512_cmpeq_epi64_mask(x, _mm512_alignr_epi64::<1>(y, y))
            | _mm512_cmpeq_epi64_mask(x, _mm512_alignr_epi64::<2>(y, y))
            | _mm512_cmpeq_epi64_mask(x, _mm512_alignr_epi64::<3>(y, y))
            | _mm512_cmpeq_epi64_mask(x, _mm512_alignr_epi64::<4>(y, y))
            | _mm512_cmpeq_epi64_mask(x, _mm512_alignr_epi64::<5>(y, y))
            | _mm512_cmpeq_epi64_mask(x, _mm512_alignr_epi64::<6>(y, y))
            | _mm512_cmpeq_epi64_mask(x, _mm512_alignr_epi64::<7>(y, y));
        common += equal.count_ones() as usize;
        i += LANES * usize::from(eight_a[7] <= eight_b[7]);
        j += LANES * usize::from(eight_b[7] <= eight_a[7]);
    }
    common + avx2::intersection(&a[i..], &b[j..])
}

/// Up to eight words; the other lanes are zero.
#[target_feature(enable = "avx512f")]
#[inline]
fn load_some(words: &[u64]) -> __m512i {
    let mask = u8::MAX >> (LANES - words.len());
    // SAFETY: the mask admits only the words of the slice, at most eight.
    unsafe { _mm512_maskz_loadu_epi64(mask, words.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(words: &[u64; LANES]) -> __m512i {
    // SAFETY: the array has eight words; loads are unaligned.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

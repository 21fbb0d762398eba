//! Comparisons of projections, sketches and sorted sets.

use std::arch::x86_64::{
    __m256i, _mm256_castsi256_pd, _mm256_cmpeq_epi64, _mm256_loadu_si256, _mm256_movemask_pd,
    _mm256_or_si256, _mm256_permute4x64_epi64,
};

use crate::scalar;

/// See [`crate::Kernel::hamming`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
pub(crate) fn hamming(a: &[u64], b: &[u64]) -> u32 {
    // With the instruction enabled here, this counts each word in one.
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// See [`crate::Kernel::equal_slots`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
pub(crate) fn equal_slots(a: &[u64], b: &[u64]) -> usize {
    // The compiler makes vector compares of it once it may use them.
    a.iter().zip(b).map(|(a, b)| usize::from(a == b)).sum()
}

/// See [`crate::Kernel::intersection`].
///
/// Four elements of each side are compared all with all, then the side whose
/// last element is smaller moves on.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
pub(crate) fn intersection(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(four_a), Some(four_b)) = (a[i..].first_chunk(), b[j..].first_chunk()) {
        let (x, y) = (load(four_a), load(four_b));
        let equal = _mm256_or_si256(
            _mm256_or_si256(
                _mm256_cmpeq_epi64(x, y),
                _mm256_cmpeq_epi64(x, _mm256_permute4x64_epi64::<0b00_11_10_01>(y)),
            ),
            _mm256_or_si256(
                _mm256_cmpeq_epi64(x, _mm256_permute4x64_epi64::<0b01_00_11_10>(y)),
                _mm256_cmpeq_epi64(x, _mm256_permute4x64_epi64::<0b10_01_00_11>(y)),
            ),
        );
        common += _mm256_movemask_pd(_mm256_castsi256_pd(equal)).count_ones() as usize;
        i += 4 * usize::from(four_a[3] <= four_b[3]);
        j += 4 * usize::from(four_b[3] <= four_a[3]);
    }
    common + scalar::intersection(&a[i..], &b[j..])
}

#[target_feature(enable = "avx2")]
#[inline]
fn load(words: &[u64; 4]) -> __m256i {
    // SAFETY: the array has four words; loads are unaligned.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

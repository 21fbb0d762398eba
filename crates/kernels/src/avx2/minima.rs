//! Minima of linear permutations, eight to a vector.
//!
//! The order of images is decided by their high halves, so the elements are
//! reduced to the smallest high half of each slot by 32-bit arithmetic alone;
//! the low halves follow for the few elements that are smallest somewhere.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_loadu_si256, _mm256_min_epu32, _mm256_mullo_epi32,
    _mm256_set1_epi32, _mm256_storeu_si256,
};

use crate::Permutations;
use crate::permutations::LowHalves;

const LANES: usize = 8;

/// See [`crate::Kernel::mix`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
pub(crate) fn mix(seed: u64, values: &mut [u64]) {
    for value in values {
        *value = crate::mix(*value ^ seed);
    }
}

/// See [`crate::Kernel::minima`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
pub(crate) fn minima(permutations: &Permutations, elements: &[u64], minima: &mut [u64]) {
    if elements.is_empty() {
        return;
    }
    for (group, minima) in minima.chunks_mut(LowHalves::MOST).enumerate() {
        let first = group * LowHalves::MOST;
        let mut lowest = [u32::MAX; LowHalves::MOST];
        let vectors = minima.len().div_ceil(LANES);
        for from in (0..vectors).step_by(MOST_VECTORS) {
            let first = first + from * LANES;
            let lowest = &mut lowest[from * LANES..];
            match vectors - from {
                1 => lowest_high::<1>(permutations, first, elements, lowest),
                2 => lowest_high::<2>(permutations, first, elements, lowest),
                3 => lowest_high::<3>(permutations, first, elements, lowest),
                _ => lowest_high::<4>(permutations, first, elements, lowest),
            }
        }
        LowHalves::lower(permutations, first, &lowest, elements, minima);
    }
}

/// Vectors of permutations at once: three registers each leave a few of sixteen for the rest.
const MOST_VECTORS: usize = 4;

/// The smallest high half among the images under each of N * 8 permutations.
#[target_feature(enable = "avx2")]
#[inline]
fn lowest_high<const N: usize>(
    permutations: &Permutations,
    first: usize,
    elements: &[u64],
    lowest: &mut [u32],
) {
    let constant = |of: &[u32], n: usize| {
        load(of[first + n * LANES..].first_chunk().expect("constants are padded"))
    };
    let multipliers: [__m256i; N] = std::array::from_fn(|n| constant(&permutations.multipliers, n));
    let offsets: [__m256i; N] = std::array::from_fn(|n| constant(&permutations.offsets, n));
    let mut minima = [_mm256_set1_epi32(-1); N];
    for &x in elements {
        let high = _mm256_set1_epi32((x >> 32) as i32);
        for n in 0..N {
            let image = _mm256_add_epi32(_mm256_mullo_epi32(multipliers[n], high), offsets[n]);
            minima[n] = _mm256_min_epu32(minima[n], image);
        }
    }
    for (lanes, minimum) in lowest.as_chunks_mut::<LANES>().0.iter_mut().zip(minima) {
        // SAFETY: the array has room for eight lanes; stores are unaligned.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), minimum) };
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn load(lanes: &[u32; LANES]) -> __m256i {
    // SAFETY: the array has eight lanes; loads are unaligned.
    unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
}

//! Minima of linear permutations, eight to a vector.
//!
//! The order of images is decided by their high halves, so a block of elements
//! is reduced to the smallest high half of each slot by 32-bit arithmetic. The
//! permutation is then inverted to learn which element that was, and only for
//! slots that the block may lower is the element's low half looked up.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_cmpeq_epi32, _mm256_loadu_si256, _mm256_min_epu32,
    _mm256_movemask_ps, _mm256_mullo_epi32, _mm256_set1_epi32, _mm256_storeu_si256,
};

use super::BLOCK;
use crate::Permutations;

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
    for elements in elements.chunks(BLOCK) {
        let block = Halves::of(elements);
        // Four vectors: three registers each for constants and minimum leave a few for the rest.
        for (group, minima) in minima.chunks_mut(4 * LANES).enumerate() {
            let first = group * 4 * LANES;
            let mut lowest = [0; 4 * LANES];
            match minima.len().div_ceil(LANES) {
                4 => lowest_high::<4>(permutations, first, block.high(), &mut lowest),
                3 => lowest_high::<3>(permutations, first, block.high(), &mut lowest),
                2 => lowest_high::<2>(permutations, first, block.high(), &mut lowest),
                _ => lowest_high::<1>(permutations, first, block.high(), &mut lowest),
            }
            block.lower(permutations, first, &lowest, minima, |high, wanted| {
                let wanted = _mm256_set1_epi32(wanted.cast_signed());
                let equal = _mm256_cmpeq_epi32(load(high), wanted);
                _mm256_movemask_ps(std::arch::x86_64::_mm256_castsi256_ps(equal)).cast_unsigned()
            });
        }
    }
}

/// The smallest high half among the images under each of N * 8 permutations.
#[target_feature(enable = "avx2")]
#[inline]
fn lowest_high<const N: usize>(
    permutations: &Permutations,
    first: usize,
    high: &[u32],
    lowest: &mut [u32; 4 * LANES],
) {
    let constant = |of: &[u32], n: usize| {
        load(of[first + n * LANES..].first_chunk().expect("constants are padded"))
    };
    let multipliers: [__m256i; N] = std::array::from_fn(|n| constant(&permutations.multipliers, n));
    let offsets: [__m256i; N] = std::array::from_fn(|n| constant(&permutations.offsets, n));
    let mut minima = [_mm256_set1_epi32(-1); N];
    for &high in high {
        let high = _mm256_set1_epi32(high.cast_signed());
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

/// A block of elements, cut into halves.
pub(crate) struct Halves {
    high: [u32; BLOCK],
    low: [u32; BLOCK],
    length: usize,
}

impl Halves {
    #[inline(always)]
    pub(crate) fn of(elements: &[u64]) -> Self {
        let mut halves = Self { high: [0; BLOCK], low: [u32::MAX; BLOCK], length: elements.len() };
        for (i, &x) in elements.iter().enumerate() {
            halves.high[i] = (x >> 32) as u32;
            halves.low[i] = x as u32;
        }
        halves
    }

    #[inline(always)]
    pub(crate) fn high(&self) -> &[u32] {
        &self.high[..self.length]
    }

    /// Lowers the minima of the permutations from `first` on, given the lowest
    /// high half of each in this block.
    ///
    /// `equal` compares L high halves with one, a bit for each.
    #[inline(always)]
    pub(crate) fn lower<const L: usize>(
        &self,
        permutations: &Permutations,
        first: usize,
        lowest: &[u32],
        minima: &mut [u64],
        equal: impl Fn(&[u32; L], u32) -> u32,
    ) {
        for (i, (minimum, &high)) in minima.iter_mut().zip(lowest).enumerate() {
            if high > (*minimum >> 32) as u32 {
                continue;
            }
            let wanted = permutations.origin(first + i, high);
            // Elements that share a high half are rare, but then the lowest of them counts.
            // Padding has the highest low half, so that it never does.
            let mut low = u32::MAX;
            let blocks = self.length.div_ceil(L);
            for (n, lanes) in self.high.as_chunks::<L>().0[..blocks].iter().enumerate() {
                let mut found = equal(lanes, wanted);
                while found != 0 {
                    low = low.min(self.low[n * L + found.trailing_zeros() as usize]);
                    found &= found - 1;
                }
            }
            *minimum = (*minimum).min(u64::from(high) << 32 | u64::from(low));
        }
    }
}

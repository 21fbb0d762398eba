//! Minima of linear permutations, sixteen to a vector. See the AVX2 kernel for the idea.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_cmpeq_epi32_mask, _mm512_loadu_si512, _mm512_min_epu32,
    _mm512_mullo_epi32, _mm512_set1_epi32, _mm512_storeu_si512,
};

use crate::Permutations;
use crate::avx2::{BLOCK, Halves};

const LANES: usize = 16;

/// Vectors of permutations at once: three registers each leave room for the rest in 32.
const GROUP: usize = 6;

/// See [`crate::Kernel::mix`].
#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,vpclmulqdq"
)]
pub(crate) fn mix(seed: u64, values: &mut [u64]) {
    // The compiler makes vectors of it once it may use 64-bit products.
    for value in values {
        *value = crate::mix(*value ^ seed);
    }
}

/// See [`crate::Kernel::minima`].
#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,vpclmulqdq"
)]
pub(crate) fn minima(permutations: &Permutations, elements: &[u64], minima: &mut [u64]) {
    for elements in elements.chunks(BLOCK) {
        let block = Halves::of(elements);
        for (group, minima) in minima.chunks_mut(GROUP * LANES).enumerate() {
            let first = group * GROUP * LANES;
            let mut lowest = [0; GROUP * LANES];
            match minima.len().div_ceil(LANES) {
                6 => lowest_high::<6>(permutations, first, block.high(), &mut lowest),
                5 => lowest_high::<5>(permutations, first, block.high(), &mut lowest),
                4 => lowest_high::<4>(permutations, first, block.high(), &mut lowest),
                3 => lowest_high::<3>(permutations, first, block.high(), &mut lowest),
                2 => lowest_high::<2>(permutations, first, block.high(), &mut lowest),
                _ => lowest_high::<1>(permutations, first, block.high(), &mut lowest),
            }
            block.lower(permutations, first, &lowest, minima, |high, wanted| {
                u32::from(_mm512_cmpeq_epi32_mask(
                    load(high),
                    _mm512_set1_epi32(wanted.cast_signed()),
                ))
            });
        }
    }
}

/// The smallest high half among the images under each of N * 16 permutations.
#[target_feature(enable = "avx512f")]
#[inline]
fn lowest_high<const N: usize>(
    permutations: &Permutations,
    first: usize,
    high: &[u32],
    lowest: &mut [u32; GROUP * LANES],
) {
    let constant = |of: &[u32], n: usize| {
        load(of[first + n * LANES..].first_chunk().expect("constants are padded"))
    };
    let multipliers: [__m512i; N] = std::array::from_fn(|n| constant(&permutations.multipliers, n));
    let offsets: [__m512i; N] = std::array::from_fn(|n| constant(&permutations.offsets, n));
    let mut minima = [_mm512_set1_epi32(-1); N];
    for &high in high {
        let high = _mm512_set1_epi32(high.cast_signed());
        for n in 0..N {
            let image = _mm512_add_epi32(_mm512_mullo_epi32(multipliers[n], high), offsets[n]);
            minima[n] = _mm512_min_epu32(minima[n], image);
        }
    }
    for (lanes, minimum) in lowest.as_chunks_mut::<LANES>().0.iter_mut().zip(minima) {
        // SAFETY: the array has room for sixteen lanes; stores are unaligned.
        unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), minimum) };
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(lanes: &[u32; LANES]) -> __m512i {
    // SAFETY: the array has sixteen lanes; loads are unaligned.
    unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
}

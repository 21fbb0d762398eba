//! Minima of linear permutations, sixteen to a vector. See the AVX2 kernel for the idea.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_loadu_si512, _mm512_min_epu32, _mm512_mullo_epi32,
    _mm512_set1_epi32, _mm512_storeu_si512,
};

use crate::Permutations;
use crate::permutations::LowHalves;

const LANES: usize = 16;

/// See [`crate::Kernel::mix`].
#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,vpclmulqdq"
)]
pub(crate) fn mix(seed: u64, values: &mut [u64]) {
    // The compiler makes vectors of it once it may use 64-bit products.
    for value in values {
        *value = crate::mix(*value ^ seed);
    }
}

/// See [`crate::Kernel::minima`].
#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,vpclmulqdq"
)]
pub(crate) fn minima(permutations: &Permutations, elements: &[u64], minima: &mut [u64]) {
    if elements.is_empty() {
        return;
    }
    // Six vectors at once: three registers each leave enough of 32 for the rest.
    for (group, minima) in minima.chunks_mut(LowHalves::MOST).enumerate() {
        let first = group * LowHalves::MOST;
        let mut lowest = [u32::MAX; LowHalves::MOST];
        match minima.len().div_ceil(LANES) {
            1 => lowest_high::<1>(permutations, first, elements, &mut lowest),
            2 => lowest_high::<2>(permutations, first, elements, &mut lowest),
            3 => lowest_high::<3>(permutations, first, elements, &mut lowest),
            4 => lowest_high::<4>(permutations, first, elements, &mut lowest),
            5 => lowest_high::<5>(permutations, first, elements, &mut lowest),
            _ => lowest_high::<6>(permutations, first, elements, &mut lowest),
        }
        LowHalves::lower(permutations, first, &lowest, elements, minima);
    }
}

/// The smallest high half among the images under each of N * 16 permutations.
#[target_feature(enable = "avx512f")]
#[inline]
fn lowest_high<const N: usize>(
    permutations: &Permutations,
    first: usize,
    elements: &[u64],
    lowest: &mut [u32; LowHalves::MOST],
) {
    let constant = |of: &[u32], n: usize| {
        load(of[first + n * LANES..].first_chunk().expect("constants are padded"))
    };
    let multipliers: [__m512i; N] = std::array::from_fn(|n| constant(&permutations.multipliers, n));
    let offsets: [__m512i; N] = std::array::from_fn(|n| constant(&permutations.offsets, n));
    let mut minima = [_mm512_set1_epi32(-1); N];
    for &x in elements {
        let high = _mm512_set1_epi32((x >> 32) as i32);
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

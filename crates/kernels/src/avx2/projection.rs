//! Bit-sliced counting in vectors of 256 places.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi64, _mm256_and_si256, _mm256_loadu_si256, _mm256_mul_epu32,
    _mm256_or_si256, _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_shuffle_epi32,
    _mm256_slli_epi64, _mm256_srli_epi64, _mm256_storeu_si256, _mm256_testz_si256,
    _mm256_xor_si256,
};

use crate::projection::{Counters, PLANES, Projection, add_sixteen, add_sixty_four, padded};

/// See [`crate::Kernel::project`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
pub(crate) fn project(projection: &Projection, tokens: &[u64], counters: &mut Counters) {
    let halves = projection.bits().div_ceil(256);
    for half in 0..halves {
        let used = count_half(projection, tokens, &mut counters.planes, half);
        counters.used = counters.used.max(used);
    }
    counters.total += tokens.len() as u64;
}

/// Counts 256 of the places; says how many planes it touched.
#[target_feature(enable = "avx2")]
#[inline]
fn count_half(
    projection: &Projection,
    tokens: &[u64],
    planes: &mut [[u64; 8]; PLANES],
    half: usize,
) -> usize {
    let load = |words: &[u64; 8]| {
        // SAFETY: four words from 4 * half lie within eight, for half < 2; loads are unaligned.
        unsafe { _mm256_loadu_si256(words.as_ptr().add(4 * half).cast()) }
    };
    let store = |words: &mut [u64; 8], value: __m256i| {
        // SAFETY: as above.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().add(4 * half).cast(), value) };
    };
    let multipliers = load(&projection.multipliers);
    let multipliers_high = _mm256_srli_epi64::<32>(multipliers);
    let signs = |x: &u64| {
        let low = _mm256_set1_epi64x(x.cast_signed());
        // Of each lane the low half counts. Not by a shift of x: to move another number into a
        // vector takes longer.
        let high = _mm256_shuffle_epi32::<0b11_11_01_01>(low);
        // x * m mod 2^64 from 32-bit products.
        let cross = _mm256_add_epi64(
            _mm256_mul_epu32(low, multipliers_high),
            _mm256_mul_epu32(high, multipliers),
        );
        let y =
            _mm256_add_epi64(_mm256_mul_epu32(low, multipliers), _mm256_slli_epi64::<32>(cross));
        _mm256_xor_si256(y, _mm256_srli_epi64::<32>(y))
    };
    let mut used = 6;
    let mut ripple = |planes: &mut [[u64; 8]; PLANES], mut p: usize, mut carry: __m256i| {
        while _mm256_testz_si256(carry, carry) == 0 {
            let plane = load(&planes[p]);
            store(&mut planes[p], _mm256_xor_si256(plane, carry));
            carry = _mm256_and_si256(plane, carry);
            p += 1;
        }
        used = used.max(p);
    };
    let (sixty_fours, rest) = tokens.as_chunks::<64>();
    let mut low = [_mm256_setzero_si256(); 6];
    for (plane, value) in planes.iter().zip(&mut low) {
        *value = load(plane);
    }
    for tokens in sixty_fours {
        let carry;
        (low, carry) = add_sixty_four(low, tokens, signs, |a, b, c| full_adder(a, b, c));
        ripple(planes, 6, carry);
    }
    for (plane, value) in planes.iter_mut().zip(low) {
        store(plane, value);
    }
    let mut low = [low[0], low[1], low[2], low[3]];
    let (sixteens, rest) = rest.as_chunks::<16>();
    for tokens in sixteens.iter().chain((!rest.is_empty()).then_some(&padded(rest))) {
        let carry;
        (low, carry) = add_sixteen(low, tokens, signs, |a, b, c| full_adder(a, b, c));
        ripple(planes, 4, carry);
    }
    for (plane, value) in planes.iter_mut().zip(low) {
        store(plane, value);
    }
    used
}

/// Sum and carry of three bits, in each of 256 places.
#[target_feature(enable = "avx2")]
#[inline]
fn full_adder(a: __m256i, b: __m256i, c: __m256i) -> (__m256i, __m256i) {
    let either = _mm256_xor_si256(a, b);
    let carry = _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(either, c));
    (_mm256_xor_si256(either, c), carry)
}

//! Bit-sliced counting: all 512 places in one vector, three-input logic for the adders.

use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_loadu_si512, _mm512_mullo_epi64, _mm512_set1_epi64,
    _mm512_setzero_si512, _mm512_srli_epi64, _mm512_storeu_si512, _mm512_ternarylogic_epi64,
    _mm512_test_epi64_mask, _mm512_xor_si512,
};

use crate::projection::{Counters, PLANES, Projection, add_sixteen, add_sixty_four, padded};

/// See [`crate::Kernel::project`].
///
/// The six lowest planes stay in registers; what overflows them, one vector
/// for sixty-four tokens, ripples through the planes above.
#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,vpclmulqdq"
)]
pub(crate) fn project(projection: &Projection, tokens: &[u64], counters: &mut Counters) {
    let multipliers = load(&projection.multipliers);
    let signs = |x: &u64| {
        let y = _mm512_mullo_epi64(_mm512_set1_epi64(x.cast_signed()), multipliers);
        _mm512_xor_si512(y, _mm512_srli_epi64::<32>(y))
    };
    let planes = &mut *counters.planes;
    let mut used = counters.used.max(6);
    let (sixty_fours, rest) = tokens.as_chunks::<64>();
    let mut low = [_mm512_setzero_si512(); 6];
    for (plane, value) in planes.iter().zip(&mut low) {
        *value = load(plane);
    }
    for tokens in sixty_fours {
        let carry;
        (low, carry) = add_sixty_four(low, tokens, signs, |a, b, c| full_adder(a, b, c));
        used = used.max(ripple(planes, 6, carry));
    }
    for (plane, value) in planes.iter_mut().zip(low) {
        store(plane, value);
    }
    let mut low = [low[0], low[1], low[2], low[3]];
    let (sixteens, rest) = rest.as_chunks::<16>();
    for tokens in sixteens.iter().chain((!rest.is_empty()).then_some(&padded(rest))) {
        let carry;
        (low, carry) = add_sixteen(low, tokens, signs, |a, b, c| full_adder(a, b, c));
        used = used.max(ripple(planes, 4, carry));
    }
    for (plane, value) in planes.iter_mut().zip(low) {
        store(plane, value);
    }
    counters.used = used;
    counters.total += tokens.len() as u64;
}

/// Adds one where `carry` has a one, from plane `p` up; says how many planes may not be zero.
#[target_feature(enable = "avx512f")]
#[inline]
fn ripple(planes: &mut [[u64; 8]; PLANES], mut p: usize, mut carry: __m512i) -> usize {
    while _mm512_test_epi64_mask(carry, carry) != 0 {
        let plane = load(&planes[p]);
        store(&mut planes[p], _mm512_xor_si512(plane, carry));
        carry = _mm512_and_si512(plane, carry);
        p += 1;
    }
    p
}

/// Sum and carry of three bits, in each of 512 places: parity and majority.
#[target_feature(enable = "avx512f")]
#[inline]
fn full_adder(a: __m512i, b: __m512i, c: __m512i) -> (__m512i, __m512i) {
    (_mm512_ternarylogic_epi64::<0x96>(a, b, c), _mm512_ternarylogic_epi64::<0xe8>(a, b, c))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(words: &[u64; 8]) -> __m512i {
    // SAFETY: the array has eight words; loads are unaligned.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store(words: &mut [u64; 8], value: __m512i) {
    // SAFETY: as for loads.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), value) };
}

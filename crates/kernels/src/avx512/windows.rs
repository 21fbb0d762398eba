//! Rabin fingerprints of windows: eight at a time, summed place by place.
//!
//! A vector multiplication takes every other token of eight, so two make the
//! products of eight windows with one place's weight. The products are summed
//! unreduced and brought back to 64 bits once. For windows of up to eight
//! tokens this takes 2.25 multiplications a window at most, none waiting for
//! another; wider ones roll, as in AVX2.

use std::arch::x86_64::{
    __m128i, __m512i, _mm_set_epi64x, _mm512_broadcast_i32x4, _mm512_clmulepi64_epi128,
    _mm512_mask_storeu_epi64, _mm512_maskz_loadu_epi64, _mm512_set1_epi64, _mm512_setzero_si512,
    _mm512_unpacklo_epi64, _mm512_xor_si512,
};

use crate::avx2;
use crate::rabin::{DIRECT_WIDTH, TOKENS, Windows};

const LANES: usize = 8;

/// See [`crate::Kernel::windows`].
#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,vpclmulqdq"
)]
pub(crate) fn windows(windows: &Windows, tokens: &[u64], out: &mut [u64]) {
    if windows.width() > DIRECT_WIDTH {
        return avx2::windows(windows, tokens, out);
    }
    let constants: __m128i =
        _mm_set_epi64x(TOKENS.tail().cast_signed(), TOKENS.quotient().cast_signed());
    let constants = _mm512_broadcast_i32x4(constants);
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

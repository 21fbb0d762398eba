//! Rabin fingerprints by carry-less multiplication.
//!
//! A product of two fingerprints has 128 bits; Barrett's method brings it back
//! to 64 with two more multiplications: `times` = how often P goes into it,
//! then minus `times` * P. One rolling window waits for the last, so several
//! roll at once, each through its part of the tokens, one or two to a vector.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_alignr_epi8, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_loadu_si128,
    _mm_set_epi64x, _mm_set1_epi64x, _mm_setzero_si128, _mm_shuffle_epi32, _mm_storel_epi64,
    _mm_storeu_si128, _mm_unpacklo_epi64, _mm_xor_si128, _mm256_alignr_epi8,
    _mm256_broadcastsi128_si256, _mm256_castsi256_si128, _mm256_clmulepi64_epi128,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_set_m128i, _mm256_set1_epi64x,
    _mm256_shuffle_epi32, _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use crate::rabin::{Rabin, Windows};
use crate::scalar;

/// Barrett's constants: the quotient low, the tail of P high.
#[target_feature(enable = "sse2")]
#[inline]
fn constants(rabin: &Rabin) -> __m128i {
    _mm_set_epi64x(rabin.tail().cast_signed(), rabin.quotient().cast_signed())
}

/// The low half of the result is `value` mod P.
#[target_feature(enable = "pclmulqdq")]
#[inline]
fn reduce(value: __m128i, constants: __m128i) -> __m128i {
    let times = _mm_xor_si128(_mm_clmulepi64_si128::<0x01>(value, constants), value);
    _mm_xor_si128(_mm_clmulepi64_si128::<0x11>(times, constants), value)
}

/// See [`crate::Kernel::windows`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
pub(crate) fn windows(windows: &Windows, tokens: &[u64], out: &mut [u64]) {
    if is_x86_feature_detected!("vpclmulqdq") {
        // SAFETY: the one feature more that the function enables is there.
        unsafe { windows_two_to_a_vector(windows, tokens, out) }
    } else {
        windows_one_to_a_vector(windows, tokens, out);
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn windows_one_to_a_vector(windows: &Windows, tokens: &[u64], out: &mut [u64]) {
    let constants = constants(windows.rabin());
    let leaving = _mm_set1_epi64x(windows.leaving().cast_signed());
    roll_all(
        windows,
        tokens,
        out,
        |[words]| pair(words),
        |f, enters, leaves| {
            let shifted = _mm_alignr_epi8::<8>(f, enters);
            let left = _mm_clmulepi64_si128::<0x00>(leaves, leaving);
            reduce(_mm_xor_si128(shifted, left), constants)
        },
        |f, next| [_mm_xor_si128(_mm_unpacklo_epi64(f, next), leaving)],
    );
}

/// For processors that multiply in both halves of a vector at once: Zen 3 and Alder Lake on, and
/// those with AVX-512.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,vpclmulqdq")]
fn windows_two_to_a_vector(windows: &Windows, tokens: &[u64], out: &mut [u64]) {
    let constants = _mm256_broadcastsi128_si256(constants(windows.rabin()));
    let leaving = _mm256_set1_epi64x(windows.leaving().cast_signed());
    roll_all(
        windows,
        tokens,
        out,
        |[a, b]| _mm256_set_m128i(pair(b), pair(a)),
        |f, enters, leaves| {
            let shifted = _mm256_alignr_epi8::<8>(f, enters);
            let left = _mm256_clmulepi64_epi128::<0x00>(leaves, leaving);
            let value = _mm256_xor_si256(shifted, left);
            let times = _mm256_clmulepi64_epi128::<0x01>(value, constants);
            let times = _mm256_xor_si256(times, value);
            _mm256_xor_si256(_mm256_clmulepi64_epi128::<0x11>(times, constants), value)
        },
        |f, next| {
            let both = _mm256_xor_si256(_mm256_unpacklo_epi64(f, next), leaving);
            [_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both)]
        },
    );
}

/// Vectors that roll side by side: enough to hide the latency of three multiplications in a row.
const SIDE_BY_SIDE: usize = 4;

/// Rolls a chain of windows in each lane, of 128 bits, of `SIDE_BY_SIDE` vectors.
///
/// `load` makes a vector of two words for each lane. `roll` makes the next windows, low in each lane,
/// of the last ones, of what enters, high, and of what leaves, low; so what is loaded is always two
/// words that are there, without any work to single out one. `finish` has the fingerprints of two
/// windows of each chain.
#[inline(always)]
fn roll_all<V: Copy, const LANES: usize>(
    windows: &Windows,
    tokens: &[u64],
    out: &mut [u64],
    load: impl Fn([[u64; 2]; LANES]) -> V,
    roll: impl Fn(V, V, V) -> V,
    finish: impl Fn(V, V) -> [__m128i; LANES],
) {
    let (width, count) = (windows.width(), out.len());
    assert!(tokens.len() + 1 == count + width, "a place for each window");
    if count < LANES * SIDE_BY_SIDE {
        return scalar::windows(windows, tokens, out);
    }
    // The last chains overlap, so that nothing is left over.
    let steps = count.div_ceil(LANES * SIDE_BY_SIDE);
    let starts: [[usize; LANES]; SIDE_BY_SIDE] = std::array::from_fn(|vector| {
        std::array::from_fn(|lane| ((vector * LANES + lane) * steps).min(count - steps))
    });
    let nothing = load([[0; 2]; LANES]);
    let next = |f, vector: usize, step: usize| {
        let two = |place: usize| {
            // SAFETY: a chain has `steps` - 1 + `width` tokens from its start on, and there is a next
            // window for `step` + 1 < `steps` only. So the tokens at `step` and behind it are there,
            // and the one at `step` + `width` and before it; reads are unaligned.
            load(starts[vector].map(|start| unsafe {
                tokens.as_ptr().add(start).add(place).cast::<[u64; 2]>().read_unaligned()
            }))
        };
        roll(f, two(step + width - 1), two(step))
    };
    let mut sums = [nothing; SIDE_BY_SIDE];
    for place in 0..width {
        for (vector, f) in sums.iter_mut().enumerate() {
            *f = roll(*f, load(starts[vector].map(|start| [0, tokens[start + place]])), nothing);
        }
    }
    let out = out.as_mut_ptr();
    let mut step = 0;
    while step + 2 < steps {
        for (vector, f) in sums.iter_mut().enumerate() {
            let second = next(*f, vector, step);
            for (both, start) in finish(*f, second).into_iter().zip(starts[vector]) {
                // SAFETY: a chain has `steps` windows from its start on, so that there is room for
                // two at `step`.
                unsafe { _mm_storeu_si128(out.add(start).add(step).cast(), both) };
            }
            *f = next(second, vector, step + 1);
        }
        step += 2;
    }
    // The last or the last two; behind the last one, nothing enters.
    while step < steps {
        for (vector, f) in sums.iter_mut().enumerate() {
            for (both, start) in finish(*f, *f).into_iter().zip(starts[vector]) {
                // SAFETY: as above, for one.
                unsafe { _mm_storel_epi64(out.add(start).add(step).cast(), both) };
            }
            if step + 1 < steps {
                *f = next(*f, vector, step);
            }
        }
        step += 1;
    }
}

/// See [`crate::Kernel::append_words`].
///
/// Four vectors, of one or two sums of two words each, stride over the input; only at the end do
/// they become one.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
pub(crate) fn append_words(rabin: &Rabin, f: u64, words: &[u64]) -> u64 {
    // Below this the end costs more than it saves.
    if words.len() < FEWEST {
        scalar::append_words(rabin, f, words)
    } else if is_x86_feature_detected!("vpclmulqdq") {
        // SAFETY: the one feature more that the function enables is there.
        unsafe { append_two_to_a_vector(rabin, f, words) }
    } else {
        append_one_to_a_vector(rabin, f, words)
    }
}

/// Fewest words that are worth it.
const FEWEST: usize = 8;

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn append_one_to_a_vector(rabin: &Rabin, f: u64, words: &[u64]) -> u64 {
    const FOLD: usize = 2 * SIDE_BY_SIDE;
    let stride = pair(rabin.stride(FOLD));
    let load = |block: &[u64; FOLD], n: usize| {
        // SAFETY: two words from 2 n lie within the block for n < 4; loads are unaligned.
        let words = unsafe { _mm_loadu_si128(block.as_ptr().add(2 * n).cast()) };
        // The first word has the higher power.
        _mm_shuffle_epi32::<0x4e>(words)
    };
    let sums = fold_all(f, words, load, |sum, next| _mm_xor_si128(fold(sum, stride), next));
    join(rabin, sums)
}

/// See [`windows_two_to_a_vector`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,vpclmulqdq")]
fn append_two_to_a_vector(rabin: &Rabin, f: u64, words: &[u64]) -> u64 {
    const FOLD: usize = 4 * SIDE_BY_SIDE;
    let load = |block: &[u64; FOLD], n: usize| {
        // SAFETY: four words from 4 n lie within the block for n < 4; loads are unaligned.
        let words = unsafe { _mm256_loadu_si256(block.as_ptr().add(4 * n).cast()) };
        _mm256_shuffle_epi32::<0x4e>(words)
    };
    let fold = |sum: __m256i, stride: __m256i, next: __m256i| {
        let low = _mm256_clmulepi64_epi128::<0x00>(sum, stride);
        let high = _mm256_clmulepi64_epi128::<0x11>(sum, stride);
        _mm256_xor_si256(_mm256_xor_si256(low, high), next)
    };
    let stride = |words| _mm256_broadcastsi128_si256(pair(rabin.stride(words)));
    let far = stride(FOLD);
    let [first, rest @ ..] = fold_all(f, words, load, |sum, next| fold(sum, far, next));
    let near = stride(4);
    let sum = rest.into_iter().fold(first, |sum, next| fold(sum, near, next));
    join(rabin, [_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum)])
}

/// Strides over the words after the fingerprint `f`, `FOLD` words at a time; `load` makes one of the
/// vectors of a block, and `fold` moves a sum over a block and adds what is there.
#[inline(always)]
fn fold_all<V: Copy, const FOLD: usize>(
    f: u64,
    words: &[u64],
    load: impl Fn(&[u64; FOLD], usize) -> V,
    fold: impl Fn(V, V) -> V,
) -> [V; SIDE_BY_SIDE] {
    let (rest, blocks) = words.as_rchunks::<FOLD>();
    // What makes no whole block stands at the beginning, where zeros before the fingerprint count
    // for nothing.
    let mut head = [0; FOLD];
    head[FOLD - rest.len()..].copy_from_slice(rest);
    head[FOLD - rest.len() - 1] = f;
    let mut sums = std::array::from_fn(|n| load(&head, n));
    for block in blocks {
        for (n, sum) in sums.iter_mut().enumerate() {
            *sum = fold(*sum, load(block, n));
        }
    }
    sums
}

/// Two constants as a vector, the first one low.
#[target_feature(enable = "sse2")]
#[inline]
pub(crate) fn pair([low, high]: [u64; 2]) -> __m128i {
    _mm_set_epi64x(high.cast_signed(), low.cast_signed())
}

/// A pair of words (or an unreduced sum) times x^(64 n), given [`Rabin::stride`] of n.
#[target_feature(enable = "pclmulqdq")]
#[inline]
fn fold(sum: __m128i, stride: __m128i) -> __m128i {
    let low = _mm_clmulepi64_si128::<0x00>(sum, stride);
    let high = _mm_clmulepi64_si128::<0x11>(sum, stride);
    _mm_xor_si128(low, high)
}

/// The fingerprint of pairs of words that stand one after the other.
#[target_feature(enable = "avx2,pclmulqdq")]
#[inline]
pub(crate) fn join<const N: usize>(rabin: &Rabin, sums: [__m128i; N]) -> u64 {
    let next = pair(rabin.stride(2));
    let sum = sums.into_iter().reduce(|sum, next_sum| _mm_xor_si128(fold(sum, next), next_sum));
    let sum = sum.unwrap_or(_mm_setzero_si128());
    _mm_cvtsi128_si64(reduce(sum, constants(rabin))).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rabin::TOKENS;
    use crate::{Sequence, reference};

    /// This machine may multiply two at once; what others do is tested as well.
    #[test]
    fn windows_agree_one_and_two_to_a_vector() {
        if !is_x86_feature_detected!("avx2") || !is_x86_feature_detected!("pclmulqdq") {
            return;
        }
        let mut random = Sequence::new(5, 5);
        for width in (1..10).chain([31, 100]) {
            let windows = Windows::new(width);
            for count in (1..70).chain([500]) {
                let tokens: Vec<u64> = (0..count + width - 1).map(|_| random.next()).collect();
                let expected = reference::windows(windows.rabin().tail(), width, &tokens);
                let mut out = vec![0; count];
                // SAFETY: the features are there, and every processor that has these two has the
                // others that the functions enable.
                unsafe { windows_one_to_a_vector(&windows, &tokens, &mut out) };
                assert_eq!(out, expected, "one to a vector: width {width}, {count} windows");
                if is_x86_feature_detected!("vpclmulqdq") {
                    out.fill(0);
                    // SAFETY: as above.
                    unsafe { windows_two_to_a_vector(&windows, &tokens, &mut out) };
                    assert_eq!(out, expected, "two to a vector: width {width}, {count} windows");
                }
            }
        }
    }

    #[test]
    fn words_are_appended_one_and_two_to_a_vector() {
        if !is_x86_feature_detected!("avx2") || !is_x86_feature_detected!("pclmulqdq") {
            return;
        }
        let mut random = Sequence::new(6, 6);
        for count in (0..100).chain([500]) {
            let words: Vec<u64> = (0..count).map(|_| random.next()).collect();
            let f = random.next();
            let expected = scalar::append_words(&TOKENS, f, &words);
            // SAFETY: as above.
            unsafe {
                assert_eq!(append_one_to_a_vector(&TOKENS, f, &words), expected, "{count} words");
                if is_x86_feature_detected!("vpclmulqdq") {
                    let two = append_two_to_a_vector(&TOKENS, f, &words);
                    assert_eq!(two, expected, "{count} words, two to a vector");
                }
            }
        }
    }
}

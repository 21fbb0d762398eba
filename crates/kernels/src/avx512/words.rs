//! Words of ASCII runs: as in AVX2, but 64 bytes are one vector, and the
//! positions of a whole mask are written by one compression.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_castsi512_si256, _mm512_cmpeq_epi8_mask,
    _mm512_cmplt_epu8_mask, _mm512_cvtepu8_epi16, _mm512_extracti64x4_epi64, _mm512_loadu_si512,
    _mm512_maskz_compress_epi8, _mm512_maskz_loadu_epi8, _mm512_movepi8_mask, _mm512_or_si512,
    _mm512_set1_epi8, _mm512_set1_epi16, _mm512_storeu_si512, _mm512_sub_epi8,
};

use crate::aes::Aes;
use crate::avx2::{Block, WindowScan, Words, windows_of_words};
use crate::positions::Positions;

/// See [`crate::Kernel::ascii_words`].
#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,vpclmulqdq"
)]
pub(crate) fn ascii_words(
    positions: &mut Positions,
    text: &[u8],
    tokens: &mut [u64],
) -> (usize, usize) {
    words(positions, text, Words { tokens, codes: None })
}

/// See [`crate::Kernel::keyed_ascii_words`].
#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,vpclmulqdq"
)]
pub(crate) fn keyed_ascii_words(
    aes: &Aes,
    positions: &mut Positions,
    text: &[u8],
    tokens: &mut [u64],
    codes: &mut [u64],
) -> (usize, usize) {
    words(positions, text, Words { tokens, codes: Some((aes, codes)) })
}

#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,vpclmulqdq"
)]
#[inline]
fn words(positions: &mut Positions, text: &[u8], words: Words<'_>) -> (usize, usize) {
    windows_of_words(positions, text, words, |view, length, positions| {
        let classify = |bytes: &[u8], folded: &mut [u8; 64]| classify(bytes, folded);
        let push = |places: &mut [u16; 64], bits, base| push_positions(places, bits, base);
        WindowScan::scan(view, length, positions, classify, push)
    })
}

/// Lower-cases up to 64 bytes into `folded` and says what they are.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn classify(bytes: &[u8], folded: &mut [u8; 64]) -> Block {
    let valid = u64::MAX >> (64 - bytes.len());
    // SAFETY: the mask admits only the bytes of the slice, at most 64.
    let chars = unsafe { _mm512_maskz_loadu_epi8(valid, bytes.as_ptr().cast()) };
    // Setting this bit lower-cases letters and leaves digits alone; what it does to other bytes
    // does not matter, no word has them.
    let lower = _mm512_or_si512(chars, _mm512_set1_epi8(0x20));
    // SAFETY: the array has 64 bytes; stores are unaligned.
    unsafe { _mm512_storeu_si512(folded.as_mut_ptr().cast(), lower) };
    let alphanumeric = in_range(lower, b'a', 26) | in_range(chars, b'0', 10);
    let not_ascii = _mm512_movepi8_mask(chars);
    let colon = _mm512_cmpeq_epi8_mask(chars, _mm512_set1_epi8(b':'.cast_signed()));
    Block { alphanumeric, not_ascii, colon, valid }
}

/// Which bytes are from `first` on, `count` of them.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn in_range(bytes: __m512i, first: u8, count: u8) -> u64 {
    let from_first = _mm512_sub_epi8(bytes, _mm512_set1_epi8(first.cast_signed()));
    _mm512_cmplt_epu8_mask(from_first, _mm512_set1_epi8(count.cast_signed()))
}

/// Writes the places of the set bits, counted from `base`, and whatever into the rest of the room.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
#[inline]
fn push_positions(places: &mut [u16; 64], bits: u64, base: usize) {
    const PLACES: [u8; 64] = {
        let mut places = [0; 64];
        let mut i = 0;
        while i < 64 {
            places[i] = i as u8;
            i += 1;
        }
        places
    };
    // SAFETY: the array has 64 bytes; loads are unaligned.
    let all = unsafe { _mm512_loadu_si512(PLACES.as_ptr().cast()) };
    let set = _mm512_maskz_compress_epi8(bits, all);
    let base = _mm512_set1_epi16(base as i16);
    let halves = [_mm512_castsi512_si256(set), _mm512_extracti64x4_epi64::<1>(set)];
    for (half, room) in halves.into_iter().zip(places.as_chunks_mut::<32>().0) {
        let half = _mm512_add_epi16(_mm512_cvtepu8_epi16(half), base);
        // SAFETY: the array has room for 32 lanes of 16 bits; stores are unaligned.
        unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), half) };
    }
}

//! Words of ASCII runs: 64 bytes are classified at once, then a word at a time
//! is fingerprinted without looking at its bytes.
//!
//! A word of up to seven bytes is its own fingerprint with a leading one bit:
//! one unaligned load that ends where the word ends, one byte swap, one mask, the
//! last two for four words at once. Longer words, about one in eight in English,
//! are collected and follow afterwards, so that no branch depends on a word's length.

use std::arch::x86_64::{
    __m128i, __m256i, _bzhi_u64, _mm_add_epi16, _mm_and_si128, _mm_castsi128_ps,
    _mm_clmulepi64_si128, _mm_cmpgt_epi32, _mm_cvtepu8_epi16, _mm_cvtsi64_si128, _mm_cvtsi128_si64,
    _mm_loadl_epi64, _mm_loadu_si128, _mm_madd_epi16, _mm_movemask_ps, _mm_set_epi64x,
    _mm_set1_epi16, _mm_set1_epi32, _mm_setr_epi16, _mm_setzero_si128, _mm_slli_si128,
    _mm_storel_epi64, _mm_storeu_si128, _mm_xor_si128, _mm256_add_epi8, _mm256_add_epi64,
    _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_cvtepu32_epi64,
    _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
    _mm256_set1_epi64x, _mm256_setr_epi8, _mm256_setr_epi64x, _mm256_shuffle_epi8,
    _mm256_sllv_epi64, _mm256_storeu_si256,
};
use std::ops::Range;

use super::keyed;
use crate::aes::Aes;
use crate::positions::{Positions, WINDOW};
use crate::rabin::TOKENS;

/// Bytes for whose words there must be room, except in the first window.
const LEAST_ROOM: usize = 512;

/// Where words go.
pub(crate) struct Words<'a> {
    pub(crate) tokens: &'a mut [u64],
    /// A key and room for as many codes, if they are wanted.
    pub(crate) codes: Option<(&'a Aes, &'a mut [u64])>,
}

impl Words<'_> {
    /// Fingerprints the words of a window.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes")]
    #[inline]
    fn take(&mut self, positions: &mut Positions, window: Range<usize>) {
        let tokens = &mut self.tokens[window.clone()];
        let long = fingerprint(positions, tokens);
        if let Some((aes, codes)) = &mut self.codes {
            let codes = &mut codes[window];
            codes.copy_from_slice(tokens);
            let keys = keyed::keys(aes);
            for &i in &positions.long[..long] {
                let (start, end) = positions.word(i.into());
                codes[i as usize] = keyed::long_code(&keys, positions.window(), start, end);
            }
        }
    }
}

/// Fingerprints the first `tokens.len()` words; how many are long, the first of `positions.long`.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes")]
#[inline]
fn fingerprint(positions: &mut Positions, tokens: &mut [u64]) -> usize {
    let mut long = 0;
    let (fours, rest) = tokens.as_chunks_mut::<4>();
    let done = 4 * fours.len();
    let mut numbers = _mm_setzero_si128();
    for (n, tokens) in fours.iter_mut().enumerate() {
        let are_long = fingerprint_four(positions, n, tokens);
        // SAFETY: an entry has four numbers of 16 bits; loads are unaligned.
        let places = unsafe { _mm_loadl_epi64(SET_BITS[are_long].as_ptr().cast()) };
        let room = &mut positions.long[long..long + 4];
        // SAFETY: there is room for four numbers of 16 bits; stores are unaligned.
        unsafe { _mm_storel_epi64(room.as_mut_ptr().cast(), _mm_add_epi16(places, numbers)) };
        numbers = _mm_add_epi16(numbers, _mm_set1_epi16(4));
        long += are_long.count_ones() as usize;
    }
    for (i, token) in (done..).zip(rest) {
        let (start, end) = positions.word(i);
        let bits = 8 * (end - start) as u32;
        let word = positions.word_ending_at(end);
        // For a word of eight bytes or more the shift has no meaning; it comes again below.
        *token = _bzhi_u64(word, bits) | 1u64.wrapping_shl(bits);
        positions.long[long] = i as u16;
        long += usize::from(bits >= 64);
    }
    for &i in &positions.long[..long] {
        let (start, end) = positions.word(i.into());
        let head = (end - start) % 8;
        let mut at = start + head;
        // Without a branch on whether there is a head: one long word in three has none.
        let mut f = _bzhi_u64(positions.word_ending_at(at), 8 * head as u32) | 1 << (8 * head);
        while at < end {
            at += 8;
            f = push_word(f, positions.word_ending_at(at));
        }
        tokens[i as usize] = f;
    }
    long
}

/// Places of the set bits of a number below 16, and zeros.
static SET_BITS: [[u16; 4]; 16] = {
    let mut table = [[0; 4]; 16];
    let mut number = 0;
    while number < 16 {
        let (mut bit, mut count) = (0, 0);
        while bit < 4 {
            if number >> bit & 1 == 1 {
                table[number][count] = bit;
                count += 1;
            }
            bit += 1;
        }
        number += 1;
    }
    table
};

/// Fingerprints the four words from number 4 `n` on that are short; a set bit for each that is long.
#[target_feature(enable = "avx2")]
#[inline]
fn fingerprint_four(positions: &Positions, n: usize, tokens: &mut [u64; 4]) -> usize {
    let bounds = &positions.bounds.as_chunks::<8>().0[n];
    // Before the whole: the compiler would take them out of the vector, which takes longer.
    let [a, b, c, d] = [1, 3, 5, 7].map(|end| {
        let bytes = positions.bytes_before(bounds[end].into());
        bytes.cast_signed()
    });
    // SAFETY: the array has eight numbers of 16 bits; loads are unaligned.
    let places = unsafe { _mm_loadu_si128(bounds.as_ptr().cast()) };
    // Eight times the end less eight times the start.
    let bits = _mm_madd_epi16(places, _mm_setr_epi16(-8, 8, -8, 8, -8, 8, -8, 8));
    let reversed = _mm256_setr_epi8(
        7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, //
        7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8,
    );
    let words = _mm256_shuffle_epi8(_mm256_setr_epi64x(a, b, c, d), reversed);
    // What becomes of long words has no meaning. The compiler makes one instruction of the shift if
    // it knows that none is too far.
    let shifts = _mm256_cvtepu32_epi64(_mm_and_si128(bits, _mm_set1_epi32(63)));
    let leading = _mm256_sllv_epi64(_mm256_set1_epi64x(1), shifts);
    let below = _mm256_add_epi64(leading, _mm256_set1_epi64x(-1));
    let fingerprints = _mm256_or_si256(_mm256_and_si256(words, below), leading);
    // SAFETY: the array has room for four lanes; stores are unaligned.
    unsafe { _mm256_storeu_si256(tokens.as_mut_ptr().cast(), fingerprints) };
    let are_long = _mm_cmpgt_epi32(bits, _mm_set1_epi32(63));
    _mm_movemask_ps(_mm_castsi128_ps(are_long)) as usize
}

/// f * x^64 + word mod P of tokens, by Barrett's two multiplications.
#[target_feature(enable = "pclmulqdq")]
#[inline]
fn push_word(f: u64, word: u64) -> u64 {
    let constants: __m128i =
        _mm_set_epi64x(TOKENS.tail().cast_signed(), TOKENS.quotient().cast_signed());
    let f = _mm_cvtsi64_si128(f.cast_signed());
    // The high half is floor(f * quotient / x^64) + f: how often P goes into f * x^64.
    let times = _mm_xor_si128(_mm_clmulepi64_si128::<0x00>(f, constants), _mm_slli_si128::<8>(f));
    let product = _mm_clmulepi64_si128::<0x11>(times, constants);
    _mm_cvtsi128_si64(product).cast_unsigned() ^ word
}

/// See [`crate::Kernel::ascii_words`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes")]
pub(crate) fn ascii_words(
    positions: &mut Positions,
    text: &[u8],
    tokens: &mut [u64],
) -> (usize, usize) {
    words(positions, text, Words { tokens, codes: None })
}

/// See [`crate::Kernel::keyed_ascii_words`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes")]
pub(crate) fn keyed_ascii_words(
    aes: &Aes,
    positions: &mut Positions,
    text: &[u8],
    tokens: &mut [u64],
    codes: &mut [u64],
) -> (usize, usize) {
    words(positions, text, Words { tokens, codes: Some((aes, codes)) })
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes")]
#[inline]
fn words(positions: &mut Positions, text: &[u8], words: Words<'_>) -> (usize, usize) {
    windows_of_words(positions, text, words, |view, length, positions| {
        let classify = |bytes: &[u8], folded: &mut [u8; 64]| classify(bytes, folded);
        let push = |places: &mut [u16; 64], bits, base| push_positions(places, bits, base);
        WindowScan::scan(view, length, positions, classify, push)
    })
}

/// Lower-cases up to 64 bytes into `folded` and says what they are.
#[target_feature(enable = "avx2")]
#[inline]
fn classify(bytes: &[u8], folded: &mut [u8; 64]) -> Block {
    let valid = u64::MAX >> (64 - bytes.len());
    let mut padded = [0; 64];
    let bytes = if let Some(all) = bytes.first_chunk::<64>() {
        all
    } else {
        padded[..bytes.len()].copy_from_slice(bytes);
        &padded
    };
    let (mut alphanumeric, mut not_ascii, mut colon) = (0, 0, 0);
    for half in 0..2 {
        // SAFETY: 32 bytes from 32 * half lie within the array of 64; loads are unaligned.
        let chars = unsafe { _mm256_loadu_si256(bytes.as_ptr().add(32 * half).cast()) };
        // Setting this bit lower-cases letters and leaves digits alone; what it does to other
        // bytes does not matter, no word has them.
        let lower = _mm256_or_si256(chars, _mm256_set1_epi8(0x20));
        // SAFETY: as above, for the array of 64 that is written.
        unsafe { _mm256_storeu_si256(folded.as_mut_ptr().add(32 * half).cast(), lower) };
        let words = _mm256_or_si256(in_range(lower, b'a', 26), in_range(chars, b'0', 10));
        let colons = _mm256_cmpeq_epi8(chars, _mm256_set1_epi8(b':'.cast_signed()));
        alphanumeric |= bits(words) << (32 * half);
        not_ascii |= bits(chars) << (32 * half);
        colon |= bits(colons) << (32 * half);
    }
    Block { alphanumeric, not_ascii, colon, valid }
}

/// All ones in the bytes from `first` on, `count` of them, all ASCII.
#[target_feature(enable = "avx2")]
#[inline]
fn in_range(bytes: __m256i, first: u8, count: u8) -> __m256i {
    // The last of them becomes the greatest signed byte, and what follows it wraps around. Bytes
    // that are not ASCII are negative and stay below.
    let from_last = 127 - (first + count - 1);
    let moved = _mm256_add_epi8(bytes, _mm256_set1_epi8(from_last.cast_signed()));
    _mm256_cmpgt_epi8(moved, _mm256_set1_epi8((127 - count).cast_signed()))
}

/// The highest bit of each byte.
#[target_feature(enable = "avx2")]
#[inline]
fn bits(bytes: __m256i) -> u64 {
    u64::from(_mm256_movemask_epi8(bytes).cast_unsigned())
}

/// Places of the set bits of each byte.
static PLACES: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut count) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][count] = bit;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Writes the places of the set bits, counted from `base`, and whatever into the rest of the room.
///
/// Eight places for each byte, however many it has: a branch on the number of bits would often be
/// mispredicted.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn push_positions(places: &mut [u16; 64], bits: u64, base: usize) {
    let mut count = 0;
    let mut base = _mm_set1_epi16(base as i16);
    for byte in bits.to_le_bytes() {
        // SAFETY: an entry has eight bytes; loads are unaligned.
        let entry = unsafe { _mm_loadl_epi64(PLACES[byte as usize].as_ptr().cast()) };
        let set = _mm_add_epi16(_mm_cvtepu8_epi16(entry), base);
        // SAFETY: the bytes before this one, seven at most, have 56 bits at most, so that there is
        // room for eight lanes of 16 bits; stores are unaligned.
        unsafe { _mm_storeu_si128(places.as_mut_ptr().add(count).cast(), set) };
        count += byte.count_ones() as usize;
        base = _mm_add_epi16(base, _mm_set1_epi16(8));
    }
}

/// What 64 bytes are: bit i stands for byte i.
pub(crate) struct Block {
    pub(crate) alphanumeric: u64,
    pub(crate) not_ascii: u64,
    pub(crate) colon: u64,
    pub(crate) valid: u64,
}

/// What a scan of a window found.
#[derive(Default)]
pub(crate) struct WindowScan {
    /// Starts and ends of words.
    bounds: usize,
    /// Whether the last byte seen belongs to a word.
    inside: bool,
    /// The places after the last separator but one and after the last one.
    resume: [usize; 2],
    /// Where words may not be read on: a byte that is not ASCII, or the colon of a URL.
    stop: Option<usize>,
}

impl WindowScan {
    /// Reads the window of `length` bytes that `view` starts with, until it must stop.
    ///
    /// `classify` lower-cases up to 64 bytes and says what they are; `push` writes the places
    /// of set bits.
    #[inline(always)]
    pub(crate) fn scan(
        view: &[u8],
        length: usize,
        positions: &mut Positions,
        classify: impl Fn(&[u8], &mut [u8; 64]) -> Block,
        push: impl Fn(&mut [u16; 64], u64, usize),
    ) -> Self {
        let mut found = Self::default();
        for base in (0..length).step_by(64) {
            let bytes = &view[base..length.min(base + 64)];
            let block = classify(bytes, positions.folded(base));
            found.add(positions, &block, view, base, &push);
            if found.stop.is_some() {
                break;
            }
        }
        found
    }

    /// Takes in the block at `base` of the window that `view` starts with.
    #[inline(always)]
    fn add(
        &mut self,
        positions: &mut Positions,
        block: &Block,
        view: &[u8],
        base: usize,
        push: impl Fn(&mut [u16; 64], u64, usize),
    ) {
        let mut valid = block.valid;
        if block.not_ascii | block.colon != 0 {
            self.stop = first_stop(block, view, base);
            if let Some(stop) = self.stop {
                valid &= (1 << (stop - base)) - 1;
            }
        }
        let words = block.alphanumeric & valid;
        let shifted = words << 1 | u64::from(self.inside);
        let bounds = (words ^ shifted) & valid;
        let room = positions.bounds[self.bounds..].first_chunk_mut();
        push(room.expect("room for the bounds of one block"), bounds, base);
        self.bounds += bounds.count_ones() as usize;
        self.inside = words >> 63 == 1;
        let separators = !words & valid;
        if separators != 0 {
            let last = separators.ilog2();
            let others = separators ^ 1 << last;
            let before = if others == 0 {
                self.resume[1]
            } else {
                base + 64 - others.leading_zeros() as usize
            };
            self.resume = [before, base + last as usize + 1];
        }
    }

    /// Where to go on after a window of `length` bytes, and how many words stand before that.
    fn settle(&self, positions: &mut Positions, length: usize, is_last: bool) -> (usize, usize) {
        if is_last && self.stop.is_none() {
            // The text ends here, and so does its last word.
            positions.bounds[self.bounds] = length as u16;
            return (length, self.bounds.div_ceil(2));
        }
        // The byte before the end may belong to what follows it: resume after a separator that
        // has another byte between it and the end.
        let end = self.stop.unwrap_or(length);
        let at = if self.resume[1] < end { self.resume[1] } else { self.resume[0] };
        let mut words = self.bounds.div_ceil(2);
        while words > 0 && positions.word(words - 1).0 >= at {
            words -= 1;
        }
        (at, words)
    }
}

/// The first byte of the block that is not ASCII, or the colon of a URL if one comes before it.
#[cold]
fn first_stop(block: &Block, view: &[u8], base: usize) -> Option<usize> {
    let mut colons = block.colon;
    let mut stop = (block.not_ascii != 0).then(|| base + block.not_ascii.trailing_zeros() as usize);
    while colons != 0 {
        let at = base + colons.trailing_zeros() as usize;
        // A window starts after a separator: there is no word before its first byte.
        let after_a_word = at > 0 && view[at - 1].is_ascii_alphanumeric();
        if after_a_word && view[at..].starts_with(b"://") {
            stop = Some(stop.map_or(at, |stop| stop.min(at)));
            break;
        }
        colons &= colons - 1;
    }
    stop
}

/// Reads `text` window by window, as far as `scan` can.
///
/// `scan` is given a view, the length of the window it starts with, and the
/// positions to fill; the view has two bytes more if there are any, to know a
/// URL at the window's end.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq,aes")]
#[inline]
pub(crate) fn windows_of_words(
    positions: &mut Positions,
    text: &[u8],
    mut words: Words<'_>,
    scan: impl Fn(&[u8], usize, &mut Positions) -> WindowScan,
) -> (usize, usize) {
    let (mut consumed, mut produced) = (0, 0);
    loop {
        let rest = &text[consumed..];
        // n bytes hold at most (n + 1) / 2 words.
        let room = 2 * (words.tokens.len() - produced);
        let length = rest.len().min(WINDOW).min(room);
        // Rather than in smaller and smaller windows, the caller goes on with new room.
        if length == 0 || produced > 0 && length == room && room < LEAST_ROOM {
            break;
        }
        let view = &rest[..rest.len().min(length + 2)];
        let found = scan(view, length, positions);
        let (at, count) = found.settle(positions, length, length == rest.len());
        words.take(positions, produced..produced + count);
        consumed += at;
        produced += count;
        if found.stop.is_some() || at == 0 {
            break;
        }
    }
    (consumed, produced)
}

//! Rabin fingerprints: polynomials over GF(2) modulo an irreducible one.
//!
//! A string of bits is the polynomial whose coefficients are its bits, first
//! bit highest; its fingerprint is the remainder modulo an irreducible P of
//! degree 64 (Broder, section 2). Every string here starts with a one bit of
//! its own, so that strings of different lengths differ: a word of up to seven
//! bytes is then its own fingerprint, and no two such words collide.
//!
//! A fingerprint is proof against chance, and against people only if they do not
//! know P (Rabin, 1981): the difference of two sequences of n words has at most n
//! of the 2^58 irreducible polynomials as factors, whoever chose them. With a
//! public P anyone can write a string of a given fingerprint, so public ones only
//! propose; verification draws a polynomial of its own.
//!
//! Two ways to divide: eight table look-ups for each 64 bits (this file), or
//! two carry-less multiplications after Barrett (the SIMD kernels).

use std::sync::Arc;

/// The polynomial of tokens and shingles: x^64 plus the first irreducible
/// tail at or after the 64 leading bits of the fraction of pi.
pub static TOKENS: Rabin = Rabin::new(0x243f_6a88_85a3_0907);

/// The polynomial of features, a different one "to avoid dependencies"
/// (Broder, section 3); its tail starts from the fraction of e.
pub static FEATURES: Rabin = Rabin::new(0xb7e1_5162_8aed_2a9f);

/// Whether x^64 + `tail` is irreducible, by Rabin's test: x^(2^64) = x modulo it, while
/// x^(2^32) - x has no common factor with it.
pub fn is_irreducible(tail: u64) -> bool {
    // x divides those without a constant term, x + 1 those of an even number of terms.
    if tail & 1 == 0 || !tail.count_ones().is_multiple_of(2) {
        return false;
    }
    let squared = |value, times| (0..times).fold(value, |value, _| square(value, tail));
    let half = squared(2, 32);
    let (mut a, mut b) = (1 << 64 | u128::from(tail), u128::from(half ^ 2));
    while b != 0 {
        while a != 0 && a.leading_zeros() <= b.leading_zeros() {
            a ^= b << (b.leading_zeros() - a.leading_zeros());
        }
        (a, b) = (b, a);
    }
    a == 1 && squared(half, 32) == 2
}

/// The square of a polynomial modulo x^64 + `tail`: a zero between any two of its bits.
fn square(value: u64, tail: u64) -> u64 {
    let spread = |half: u64| {
        [(16, 0x0000_ffff_0000_ffff), (8, 0x00ff_00ff_00ff_00ff), (4, 0x0f0f_0f0f_0f0f_0f0f)]
            .into_iter()
            .chain([(2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)])
            .fold(half, |bits, (by, mask)| (bits | bits << by) & mask)
    };
    let (mut high, low) = (spread(value >> 32), spread(value & 0xffff_ffff));
    // x^64 is the tail: the high half, multiplied by it from its highest bit on.
    let mut product = 0;
    for _ in 0..64 {
        product = double(product, tail) ^ ((high >> 63) * tail);
        high <<= 1;
    }
    product ^ low
}

/// Arithmetic modulo one polynomial of degree 64.
///
/// 16 KiB of tables, made at compile time.
#[derive(Debug)]
pub struct Rabin {
    /// P without its leading x^64.
    tail: u64,
    /// floor(x^128 / P) without its leading x^64: Barrett's constant.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "for vector kernels"))]
    quotient: u64,
    /// `tables[k][b]` = b * x^(64 + 8k) mod P.
    tables: [[u64; 256]; 8],
    /// x^(64 n) mod P: with them whole vectors of words are folded at once.
    powers: [u64; 18],
}

impl Rabin {
    /// What an empty string hashes to: the leading one bit.
    pub const EMPTY: u64 = 1;

    /// Arithmetic modulo x^64 + `tail`. It is for the caller to choose an
    /// irreducible one; [`is_irreducible`] tells.
    pub const fn new(tail: u64) -> Self {
        let mut tables = [[0; 256]; 8];
        // x^64 mod P is the tail itself; each further power is one doubling.
        let mut power = tail;
        let mut bit = 0;
        while bit < 64 {
            let table = &mut tables[bit / 8];
            let mut byte = 1 << (bit % 8);
            // Every byte whose highest set bit is this one: the sum with the part below it.
            let top = byte;
            while byte < 2 * top {
                table[byte] = table[byte ^ top] ^ power;
                byte += 1;
            }
            power = double(power, tail);
            bit += 1;
        }
        let mut rabin = Self { tail, quotient: barrett(tail), tables, powers: [1; 18] };
        let mut n = 1;
        while n < rabin.powers.len() {
            rabin.powers[n] = rabin.shift(rabin.powers[n - 1]);
            n += 1;
        }
        rabin
    }

    /// P without its leading x^64.
    pub const fn tail(&self) -> u64 {
        self.tail
    }

    /// Barrett's constant for P.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn quotient(&self) -> u64 {
        self.quotient
    }

    /// x^(64 n) and x^(64 (n + 1)) mod P, for n up to 16: what a pair of words is
    /// multiplied by when n more words follow.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn stride(&self, n: usize) -> [u64; 2] {
        [self.powers[n], self.powers[n + 1]]
    }

    /// f * x^64 mod P.
    #[inline(always)]
    pub const fn shift(&self, f: u64) -> u64 {
        let b = f.to_le_bytes();
        self.tables[0][b[0] as usize]
            ^ self.tables[1][b[1] as usize]
            ^ self.tables[2][b[2] as usize]
            ^ self.tables[3][b[3] as usize]
            ^ self.tables[4][b[4] as usize]
            ^ self.tables[5][b[5] as usize]
            ^ self.tables[6][b[6] as usize]
            ^ self.tables[7][b[7] as usize]
    }

    /// The fingerprint `f` of some bits, with eight more bits appended.
    #[inline(always)]
    pub const fn push_byte(&self, f: u64, byte: u8) -> u64 {
        (f << 8 | byte as u64) ^ self.tables[0][(f >> 56) as usize]
    }

    /// The fingerprint `f` of some bits, with the low `count` bytes of `bytes`
    /// appended, at most eight; the others must be zero.
    ///
    /// Without a branch on whether anything overflows: that cannot be
    /// predicted, and eight look-ups side by side take less than a wrong guess.
    #[inline(always)]
    pub const fn push_bytes(&self, f: u64, bytes: u64, count: usize) -> u64 {
        // In two steps each, as no shift goes as far as 64.
        let (half, rest) = (4 * count, 32 - 4 * count);
        self.shift(f >> rest >> rest) ^ (f << half << half | bytes)
    }

    /// The fingerprint `f` of some bits, with 64 more bits appended.
    #[inline(always)]
    pub const fn push_word(&self, f: u64, word: u64) -> u64 {
        self.shift(f) ^ word
    }

    /// The fingerprint of a byte string.
    pub fn bytes(&self, bytes: &[u8]) -> u64 {
        let (head, words) = bytes.as_rchunks::<8>();
        let f = head.iter().fold(Self::EMPTY, |f, &byte| f << 8 | u64::from(byte));
        words.iter().fold(f, |f, word| self.push_word(f, u64::from_be_bytes(*word)))
    }

    /// The fingerprint of a sequence of 64-bit words.
    pub fn words(&self, words: &[u64]) -> u64 {
        words.iter().fold(Self::EMPTY, |f, &word| self.push_word(f, word))
    }

    /// x^(64 n) mod P.
    pub const fn power_of_words(&self, n: usize) -> u64 {
        let mut power = 1;
        let mut i = 0;
        while i < n {
            power = self.shift(power);
            i += 1;
        }
        power
    }

    /// a * b mod P, bit by bit: for making constants, not for data.
    pub const fn multiply(&self, a: u64, b: u64) -> u64 {
        let mut product = 0;
        let mut bit = 64;
        while bit > 0 {
            bit -= 1;
            product = double(product, self.tail);
            if b >> bit & 1 == 1 {
                product ^= a;
            }
        }
        product
    }
}

/// f * x mod P.
const fn double(f: u64, tail: u64) -> u64 {
    (f << 1) ^ (if f >> 63 == 1 { tail } else { 0 })
}

/// floor(x^128 / (x^64 + tail)) without its leading x^64, by long division.
const fn barrett(tail: u64) -> u64 {
    let mut quotient = 0;
    // After the leading step the dividend is tail * x^64.
    let mut remainder = tail;
    let mut bit = 64;
    while bit > 0 {
        bit -= 1;
        if remainder >> 63 == 1 {
            quotient |= 1 << bit;
        }
        remainder = double(remainder, tail);
    }
    quotient
}

/// Windows of a fixed number of tokens, each fingerprinted: w-shingles.
///
/// Holds what depends on the width and the polynomial only: x^(64 w), with which
/// the oldest token leaves a rolling window, as a number and as tables.
#[derive(Debug)]
pub struct Windows {
    width: usize,
    /// Of another polynomial than that of tokens.
    other: Option<Arc<Rabin>>,
    /// x^(64 w) mod P: the weight of the token that leaves, and of the leading one bit.
    leaving: u64,
    /// `tables[k][b]` = b * x^(64 w + 8k) mod P.
    tables: Box<[[u64; 256]; 8]>,
}

impl Windows {
    /// Windows of `width` tokens.
    ///
    /// # Panics
    /// If `width` is zero: a window of nothing has no meaning.
    pub fn new(width: usize) -> Self {
        Self::of(width, None)
    }

    /// Windows of `width` tokens, fingerprinted modulo another polynomial.
    ///
    /// # Panics
    /// As [`Windows::new`].
    pub fn modulo(rabin: Arc<Rabin>, width: usize) -> Self {
        Self::of(width, Some(rabin))
    }

    fn of(width: usize, other: Option<Arc<Rabin>>) -> Self {
        assert!(width > 0, "a shingle has at least one token");
        let rabin = other.as_deref().unwrap_or(&TOKENS);
        let leaving = rabin.power_of_words(width);
        let mut tables = Box::new([[0; 256]; 8]);
        for (place, table) in tables.iter_mut().enumerate() {
            for (byte, entry) in table.iter_mut().enumerate() {
                *entry = rabin.multiply((byte as u64) << (8 * place), leaving);
            }
        }
        Self { width, other, leaving, tables }
    }

    /// What fingerprints them.
    pub fn rabin(&self) -> &Rabin {
        self.other.as_deref().unwrap_or(&TOKENS)
    }

    /// Tokens in a window.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Windows in a sequence of `tokens` tokens.
    pub fn count(&self, tokens: usize) -> usize {
        (tokens + 1).saturating_sub(self.width)
    }

    /// x^(64 w) mod P.
    pub(crate) fn leaving(&self) -> u64 {
        self.leaving
    }

    /// token * x^(64 w) mod P, by tables.
    #[inline(always)]
    pub(crate) fn leave(&self, token: u64) -> u64 {
        let b = token.to_le_bytes();
        let t = &*self.tables;
        t[0][b[0] as usize]
            ^ t[1][b[1] as usize]
            ^ t[2][b[2] as usize]
            ^ t[3][b[3] as usize]
            ^ t[4][b[4] as usize]
            ^ t[5][b[5] as usize]
            ^ t[6][b[6] as usize]
            ^ t[7][b[7] as usize]
    }

    /// The window's fingerprint without the leading one bit, as it rolls.
    pub(crate) fn first(&self, tokens: &[u64]) -> u64 {
        tokens[..self.width].iter().fold(0, |f, &token| self.rabin().push_word(f, token))
    }
}

//! Rabin fingerprints of byte strings, streamed.
//!
//! The string is the polynomial A(x) over GF(2) whose coefficients are a one
//! and then the bits of the bytes, highest first; its fingerprint is A(x) mod
//! P(x), with P(x) = x^64 + [`POLYNOMIAL`]. The leading one makes strings that
//! differ only in leading zero bytes differ. Up to seven bytes, A(x) is its
//! own remainder.

/// P(x) without its leading term. It is irreducible.
const POLYNOMIAL: u64 = 0x243f_6a88_85a3_0907;

/// `REDUCED[k][b]` is b(x) * x^(64 + 8k) mod P(x).
static REDUCED: [[u64; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut remainder = byte as u64;
        let mut shifts = 0;
        while shifts < 64 + 56 {
            let carry = remainder >> 63 != 0;
            remainder = (remainder << 1) ^ if carry { POLYNOMIAL } else { 0 };
            shifts += 1;
            if shifts >= 64 && shifts % 8 == 0 {
                table[(shifts - 64) / 8][byte] = remainder;
            }
        }
        byte += 1;
    }
    table
};

/// The fingerprint of the bytes so far.
#[derive(Clone, Copy)]
pub(super) struct Fingerprint(u64);

impl Fingerprint {
    /// Of the empty string.
    pub(super) const EMPTY: Self = Self(1);

    #[inline(always)]
    pub(super) fn push_byte(&mut self, byte: u8) {
        let over = (self.0 >> 56) as usize;
        self.0 = (self.0 << 8 | u64::from(byte)) ^ REDUCED[0][over];
    }

    /// Appends the low `length` bytes of `bytes`, the highest of them first;
    /// the others are zero. `length` is 1 to 4.
    #[inline(always)]
    pub(super) fn push(&mut self, bytes: u32, length: usize) {
        let over = |place: u32| (self.0 >> place) as usize & 0xff;
        let bytes = u64::from(bytes);
        self.0 = match length {
            1 => (self.0 << 8 | bytes) ^ REDUCED[0][over(56)],
            2 => (self.0 << 16 | bytes) ^ REDUCED[1][over(56)] ^ REDUCED[0][over(48)],
            3 => {
                (self.0 << 24 | bytes)
                    ^ REDUCED[2][over(56)]
                    ^ REDUCED[1][over(48)]
                    ^ REDUCED[0][over(40)]
            }
            _ => {
                (self.0 << 32 | bytes)
                    ^ REDUCED[3][over(56)]
                    ^ REDUCED[2][over(48)]
                    ^ REDUCED[1][over(40)]
                    ^ REDUCED[0][over(32)]
            }
        };
    }

    /// Appends the low `length` bytes of `bytes`, 0 to 8, as [`Self::push`]
    /// does. There is no branch on whether the string has more than seven
    /// bytes: it is not to be predicted, and eight look-ups side by side take
    /// less than a wrong guess.
    #[inline(always)]
    pub(super) fn push_word(&mut self, bytes: u64, length: usize) {
        // In two steps each, as no shift goes as far as 64.
        let (half, rest) = (4 * length, 32 - 4 * length);
        let over = self.0 >> rest >> rest;
        let byte = |place: usize| (over >> (8 * place)) as usize & 0xff;
        self.0 = (self.0 << half << half | bytes)
            ^ (REDUCED[0][byte(0)] ^ REDUCED[1][byte(1)])
            ^ (REDUCED[2][byte(2)] ^ REDUCED[3][byte(3)])
            ^ (REDUCED[4][byte(4)] ^ REDUCED[5][byte(5)])
            ^ (REDUCED[6][byte(6)] ^ REDUCED[7][byte(7)]);
    }

    /// Appends the eight bytes of `token`, highest first.
    pub(super) fn push_token(&mut self, token: u64) {
        self.push_word(token, 8);
    }

    #[inline(always)]
    pub(super) fn finish(self) -> u64 {
        self.0
    }

    /// Of one string of `length` bytes, 1 to 4, given as in [`Self::push`].
    #[inline(always)]
    pub(super) fn of_short(bytes: u32, length: usize) -> u64 {
        1 << (8 * length) | u64::from(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> u64 {
        let mut fingerprint = Fingerprint::EMPTY;
        for &byte in bytes {
            fingerprint.push_byte(byte);
        }
        fingerprint.finish()
    }

    #[test]
    fn short_strings_are_their_own_remainder() {
        assert_eq!(of(b""), 1);
        assert_eq!(of(b"a"), 0x161);
        assert_eq!(of(b"abcdefg"), 0x0161_6263_6465_6667);
        assert_eq!(of(b"abcdefgh"), 0x6162_6364_6566_6768 ^ POLYNOMIAL);
    }

    /// Long division, one bit at a time.
    fn divided(bytes: &[u8]) -> u64 {
        let bits = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
        bits.fold(1, |rest, bit| {
            let carry = if rest >> 63 == 1 { POLYNOMIAL } else { 0 };
            (rest << 1 | u64::from(bit)) ^ carry
        })
    }

    #[test]
    fn every_step_is_the_remainder() {
        let bytes: Vec<u8> = (0..61_u8).map(|i| i.wrapping_mul(89) ^ 0xa5).collect();
        assert_eq!(of(&bytes), divided(&bytes));
        for length in 1..=4 {
            let mut fingerprint = Fingerprint::EMPTY;
            for piece in bytes[..60].chunks(length) {
                let value = piece.iter().fold(0, |value, &byte| value << 8 | u32::from(byte));
                fingerprint.push(value, length);
            }
            assert_eq!(fingerprint.finish(), divided(&bytes[..60]));
        }
        for length in 1..=8 {
            let mut fingerprint = Fingerprint::EMPTY;
            for piece in bytes.chunks(length) {
                let value = piece.iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
                fingerprint.push_word(value, piece.len());
                fingerprint.push_word(0, 0);
            }
            assert_eq!(fingerprint.finish(), divided(&bytes));
        }
    }
}

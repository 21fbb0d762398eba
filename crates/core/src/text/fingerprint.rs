//! The fingerprint of a token, streamed: however long a word is, no buffer holds it.

use lookalike_kernels::rabin::{Rabin, TOKENS};

/// The fingerprint of a canonical piece of text.
pub type Token = u64;

/// The token of what is one as it stands: an atom, an item.
pub(super) fn atom_token(atom: &[u8]) -> Token {
    TOKENS.bytes(atom)
}

/// The Rabin fingerprint of the bytes so far.
#[derive(Clone, Copy)]
pub(super) struct Fingerprint(u64);

impl Fingerprint {
    /// Of the empty string.
    pub(super) const EMPTY: Self = Self(Rabin::EMPTY);

    #[inline(always)]
    pub(super) fn push_byte(&mut self, byte: u8) {
        self.0 = TOKENS.push_byte(self.0, byte);
    }

    /// Appends the low `length` bytes of `bytes`, 0 to 8, the highest of them
    /// first; the others are zero.
    #[inline(always)]
    pub(super) fn push(&mut self, bytes: u64, length: usize) {
        self.0 = TOKENS.push_bytes(self.0, bytes, length);
    }

    /// Appends the eight bytes of `token`, highest first.
    pub(super) fn push_token(&mut self, token: Token) {
        self.0 = TOKENS.push_word(self.0, token);
    }

    #[inline(always)]
    pub(super) fn finish(self) -> Token {
        self.0
    }

    /// Of one string of `length` bytes, 1 to 4, given as in [`Self::push`].
    #[inline(always)]
    pub(super) fn of_short(bytes: u32, length: usize) -> Token {
        1 << (8 * length) | u64::from(bytes)
    }
}

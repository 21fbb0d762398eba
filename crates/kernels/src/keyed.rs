//! Words under a key: what decides cannot be forged by who does not know it.
//!
//! Rabin fingerprints are linear and public, so anyone can write a word of a
//! given fingerprint. They propose; what is verified goes by *codes*. A word of
//! up to seven bytes is its own fingerprint, which no other such word has, and so
//! its own code. The code of a longer one is the low half of its CBC-MAC under
//! AES-128: blocks of 16 bytes, each added to what the last one was encrypted
//! to, after a byte 0x80 and zeros have filled the last.

use crate::aes::Aes;

/// The longest word that is its own code.
pub const SHORT: usize = 7;

/// A word of more than [`SHORT`] bytes, in a buffer of bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct LongWord {
    /// Which of the tokens it is.
    pub number: u32,
    /// Where it begins.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

/// Bytes that must follow the last word of a buffer: whole blocks are read.
pub const BEHIND: usize = 16;

/// Makes the code of a word whose bytes come in pieces of any length.
#[derive(Clone, Copy, Debug, Default)]
pub struct CodeStream {
    chain: u128,
}

impl CodeStream {
    /// Takes the whole blocks at the start of `bytes`; how many bytes they have.
    pub fn push(&mut self, aes: &Aes, bytes: &[u8]) -> usize {
        let blocks = bytes.as_chunks::<16>().0;
        for block in blocks {
            self.chain = aes.encrypt(self.chain ^ u128::from_le_bytes(*block));
        }
        16 * blocks.len()
    }

    /// The code, after the rest of the bytes.
    pub fn finish(mut self, aes: &Aes, bytes: &[u8]) -> u64 {
        let rest = &bytes[self.push(aes, bytes)..];
        let mut last = [0; 16];
        last[..rest.len()].copy_from_slice(rest);
        last[rest.len()] = 0x80;
        aes.encrypt(self.chain ^ u128::from_le_bytes(last)) as u64
    }
}

/// The code of a word of more than [`SHORT`] bytes.
pub fn long_code(aes: &Aes, word: &[u8]) -> u64 {
    CodeStream::default().finish(aes, word)
}

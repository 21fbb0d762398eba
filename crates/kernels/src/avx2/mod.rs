//! The AVX2 kernel: 256-bit vectors, bit manipulation, carry-less multiplication and AES.
//!
//! Every function enables features that `Isa::Avx2` checks, and no others. They
//! are safe to call where these features are known, so the AVX-512 kernel
//! calls some of them.

mod keyed;
mod minima;
mod projection;
mod sets;
mod windows;
mod words;

pub(crate) use keyed::{long_codes, seal};
pub(crate) use minima::{minima, mix};
pub(crate) use projection::project;
pub(crate) use sets::{equal_slots, hamming, intersection};
pub(crate) use windows::{append_words, join, pair, windows};
pub(crate) use words::{
    Block, WindowScan, Words, ascii_words, keyed_ascii_words, windows_of_words,
};

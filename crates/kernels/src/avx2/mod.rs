//! The AVX2 kernel: 256-bit vectors, bit manipulation and carry-less multiplication.
//!
//! Every function enables exactly the features that `Isa::Avx2` checks. They
//! are safe to call where these features are known, so the AVX-512 kernel
//! calls some of them.

mod minima;
mod projection;
mod sets;
mod windows;
mod words;

pub(crate) use minima::{minima, mix};
pub(crate) use projection::project;
pub(crate) use sets::{equal_slots, hamming, intersection};
pub(crate) use windows::{append_words, join, pair, windows};
pub(crate) use words::{Block, Found, ascii_words, windows_of_words};

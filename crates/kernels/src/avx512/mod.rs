//! The AVX-512 kernel, for Ice Lake, Zen 4 and later.
//!
//! Where 512-bit vectors bring nothing, it calls the AVX2 kernel.

mod minima;
mod projection;
mod sets;
mod windows;
mod words;

pub(crate) use crate::avx2::{long_codes, seal, windows};
pub(crate) use minima::{minima, mix};
pub(crate) use projection::project;
pub(crate) use sets::{equal_slots, hamming, intersection};
pub(crate) use windows::append_words;
pub(crate) use words::{ascii_words, keyed_ascii_words};

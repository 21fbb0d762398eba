//! The portable kernel: no instruction beyond the language's own.
//!
//! Used where no other is available, and the twin that the others are measured
//! against.

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
pub(crate) use windows::{append_words, windows};
pub use words::letters;
pub(crate) use words::{ascii_words, keyed_ascii_words};

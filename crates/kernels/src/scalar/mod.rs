//! The portable kernel: no instruction beyond the language's own.
//!
//! Used where no other is available, and the twin that the others are measured
//! against.

mod minima;
mod projection;
mod sets;
mod windows;
mod words;

pub(crate) use minima::{minima, mix};
pub(crate) use projection::project;
pub(crate) use sets::{equal_slots, hamming, intersection};
pub(crate) use windows::{append_words, windows};
pub(crate) use words::ascii_words;
pub use words::letters;

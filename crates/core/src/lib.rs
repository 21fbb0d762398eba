//! The mathematics of near-duplicate detection.
//!
//! No files, no clock, no threads: every function here is pure, and gives the
//! same bits on every machine.

pub mod difference;
pub mod filter;
pub mod text;

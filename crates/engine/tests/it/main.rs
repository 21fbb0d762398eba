//! Jobs and what they are made of.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod components;
mod dedup;
mod group;
mod matching;
mod occurrences;
mod signature_file;
mod sort;
mod tampering;

//! What must hold for any bytes, whoever made them.
//!
//! Each module has one `check`, which panics if its promise is broken. `fuzz` gives them to a fuzzer;
//! `tests/replay.rs` gives them the fuzzer's seeds and what chance makes of those.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a finding")]
#![expect(clippy::missing_panics_doc, reason = "that they panic is what they are for")]

mod folders;
pub mod html;
pub mod http;
pub mod index;
pub mod recipe;
pub mod requests;
mod service;
pub mod warc;

pub use folders::remove_folders;

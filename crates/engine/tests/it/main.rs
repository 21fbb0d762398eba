//! Jobs and what they are made of.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod components;
mod dedup;
mod identity_sets;
mod matching;
mod occurrences;
mod signature_file;
mod sort;
mod tampering;

use std::fs;
use std::path::{Path, PathBuf};

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("engine").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

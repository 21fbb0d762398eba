//! Pages and pictures: whole, and harmless whatever documents say.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod comparison;
mod evaluation;
#[cfg(feature = "filter-plots")]
mod figures;
#[cfg(feature = "filter-plots")]
mod filter;
mod report;

use std::fs;
use std::path::PathBuf;

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pages").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

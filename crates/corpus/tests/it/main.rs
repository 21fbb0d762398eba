//! Documents in and out, on a real file system and from a real object store.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod copies;
mod formats;
mod inputs;
#[cfg(feature = "object-stores")]
mod object_stores;

use std::fs;
use std::path::{Path, PathBuf};

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

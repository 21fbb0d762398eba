//! Makes the character tables of the tokeniser, `crates/core/src/text/tables.rs`.
//!
//! They are made from ICU4X's compiled Unicode data, at pinned versions, and
//! committed, so that building Lookalike needs none of it. A test compares the
//! committed file with a fresh one.

mod characters;
#[cfg(test)]
mod tests;
mod trie;

use std::path::{Path, PathBuf};

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src/text/tables.rs")
}

fn main() -> std::io::Result<()> {
    std::fs::write(path(), trie::generate())
}

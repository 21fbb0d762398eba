//! Signature files: the ids and signatures of documents, under one recipe.
//!
//! `docs/design/format.md` has the bytes. The header carries the whole recipe
//! and its digests, so that a file explains itself and two recipes never mix
//! silently. Rows come in blocks, each with its checksum, and an end block with
//! the number of rows proves that nothing was cut off. Both sides hold one block
//! in memory, whatever the file says.

mod lookup;
mod reader;
mod writer;

use std::path::Path;

use lookalike_core::{Layout, Recipe};
use lookalike_files::{CHECKSUM, Format, checksum};

use crate::error::Result;

pub use lookup::{BlockIds, SignatureLookup};
pub use reader::SignatureReader;
pub(crate) use writer::check_id;
pub use writer::{SignatureWriter, WriteSummary};

/// The format version that is written and read.
pub const FORMAT_VERSION: u32 = 1;

const FORMAT: Format = Format { magic: *b"LOOKSIGS", version: FORMAT_VERSION };

/// The most rows of a block.
pub const MAX_ROWS: usize = 4096;

/// The longest id: longer than any path, and than URLs that servers accept.
pub const MAX_ID_BYTES: usize = 64 << 10;

/// The most bytes of ids in a block.
const MAX_BLOCK_IDS: usize = 1 << 20;

/// The most bytes of signatures in a block, unless a single one is longer.
const MAX_BLOCK_SIGNATURES: usize = 4 << 20;

/// The longest recipe. The longest that [`Recipe::to_toml`] writes has about 700 bytes and a name.
const MAX_RECIPE: usize = 64 << 10;

/// Bytes of the header before the recipe: magic, version, length, two digests.
const HEADER: usize = 8 + 4 + 4 + 32 + 32;

/// Bytes of a block's header: rows, bytes of ids.
const BLOCK_HEADER: usize = 4 + 4;

/// The most rows in a block of this recipe's signatures.
fn rows_per_block(layout: Layout) -> usize {
    (MAX_BLOCK_SIGNATURES / layout.bytes()).clamp(1, MAX_ROWS)
}

/// The header of a file of this recipe, with its checksum.
fn header(recipe: &Recipe) -> Vec<u8> {
    let toml = recipe.to_toml();
    let mut out = Vec::with_capacity(HEADER + toml.len() + CHECKSUM);
    out.extend(FORMAT.start());
    out.extend((toml.len() as u32).to_le_bytes());
    out.extend(recipe.digest().0);
    out.extend(recipe.signing_digest().0);
    out.extend(toml.as_bytes());
    out.extend(checksum(&out));
    out
}

/// Whether a file begins like a signature file.
///
/// # Errors
/// If it cannot be read.
pub fn is_signature_file(path: impl AsRef<Path>) -> Result<bool> {
    let path = path.as_ref();
    Ok(FORMAT.is_at(path)?)
}

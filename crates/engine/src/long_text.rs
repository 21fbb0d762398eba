//! Texts that are too long to be held in memory, in pieces that have the same tokens.

use std::io::Read as _;

use lookalike_core::text::{Unit, last_cut};
use lookalike_corpus::{Error, ReadOptions, Source};

/// How much of a text is in memory, unless a single word is longer.
const PIECE_BYTES: usize = 4 << 20;

/// Calls `each` with the pieces of a text file, one after another.
///
/// # Errors
/// If the file cannot be read, or is longer than the limit.
pub(crate) fn for_each_piece(
    source: &Source,
    options: &ReadOptions,
    unit: Unit,
    mut each: impl FnMut(&[u8]),
) -> Result<(), Error> {
    let mut reader = source.text_reader(options)?;
    let mut piece = Vec::with_capacity(2 * PIECE_BYTES);
    loop {
        let read = reader.by_ref().take(PIECE_BYTES as u64).read_to_end(&mut piece);
        let read = read.map_err(|error| Error::reading(source.path(), error))?;
        if read == 0 {
            each(&piece);
            return Ok(());
        }
        if let Some(cut) = last_cut(unit, &piece) {
            each(&piece[..cut]);
            piece.drain(..cut);
        }
    }
}

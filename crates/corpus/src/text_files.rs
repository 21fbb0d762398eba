//! Plain text: a file is a document.

use std::io::{self, Read};
use std::path::Path;

use crate::error::{Error, ErrorKind, Operation, Result};
use crate::{Document, Limits, source};

/// The name of standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// Reads a file whole.
pub(crate) fn read_file(id: String, path: &Path, limits: Limits) -> Result<Document> {
    let file = source::open_file(path)?;
    let metadata = file.metadata().map_err(|error| Error::io(path, Operation::Read, error))?;
    // Room for the whole file at once, as far as the limit goes: the size of a file that is
    // still growing, or that is no regular file, is only a hint.
    let limit = limits.max_document_bytes;
    let room = metadata.len().min(limit) as usize;
    Ok(Document { id, bytes: read(path, file, room, limit)? })
}

/// Reads standard input to its end.
pub(crate) fn read_standard_input(limits: Limits) -> Result<Document> {
    let path = Path::new("standard input");
    let bytes = read(path, io::stdin().lock(), 0, limits.max_document_bytes)?;
    Ok(Document { id: STANDARD_INPUT.to_owned(), bytes })
}

/// Reads to the end, with room for so many bytes to begin with.
pub(crate) fn read(path: &Path, from: impl Read, room: usize, limit: u64) -> Result<Vec<u8>> {
    let failed = |source| Error::io(path, Operation::Read, source);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(room).map_err(|error| failed(io::Error::other(error)))?;
    // One byte more than allowed, to see whether there is more.
    let read = from.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| Error::decoding(path, error))?;
    if bytes.len() as u64 > limit {
        return Err(Error::new(ErrorKind::TooLong { path: path.to_owned(), limit }));
    }
    Ok(bytes)
}

//! Plain text: a file is a document.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::{Error, ErrorKind, Operation, Result};
use crate::{Document, Limits};

/// The name of standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// What a folder's plain text files are called.
const EXTENSIONS: [&str; 2] = ["txt", "md"];

/// Whether a walk takes the file of this name.
pub(crate) fn is_text_file(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|given| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(given)))
}

/// Reads a file whole.
pub(crate) fn read_file(id: String, path: &Path, limits: Limits) -> Result<Document> {
    let failed = |source| Error::io(path, Operation::Read, source);
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_dir() {
        return Err(Error::new(ErrorKind::Folder(path.to_owned())));
    }
    // Room for the whole file at once, as far as the limit goes: the size of a file that is
    // still growing, or that is no regular file, is only a hint.
    let room = metadata.len().min(limits.max_document_bytes);
    read(id, path, file, room as usize, limits)
}

/// Reads standard input to its end.
pub(crate) fn read_standard_input(limits: Limits) -> Result<Document> {
    let path = Path::new("standard input");
    read(STANDARD_INPUT.to_owned(), path, io::stdin().lock(), 0, limits)
}

fn read(
    id: String,
    path: &Path,
    source: impl Read,
    room: usize,
    limits: Limits,
) -> Result<Document> {
    let failed = |source| Error::io(path, Operation::Read, source);
    let limit = limits.max_document_bytes;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(room).map_err(|error| failed(io::Error::other(error)))?;
    // One byte more than allowed, to see whether there is more.
    source.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(Error::new(ErrorKind::TooLong { path: path.to_owned(), limit }));
    }
    Ok(Document { id, bytes })
}

//! The folder of an index: the names in it, and the making of one.

use std::path::Path;
use std::{fs, io};

use lookalike_files::{remove_folder, sync_folder};

use crate::error::{Error, ErrorKind, Operation, Result};
use crate::header::Header;

/// The names of the files and folders of an index.
pub(crate) const HEADER: &str = "index";
pub(crate) const ACKNOWLEDGED: &str = "acknowledged";
pub(crate) const STORE: &str = "store";
/// Of the segments of postings.
pub(crate) const SEGMENTS: &str = "runs";
pub(crate) const LOCK: &str = "lock";
/// Made first and removed last when an index is made: what is beside it may be thrown away.
const CREATING: &str = "creating";

/// Whether an index can be made here: the folder is empty but for a lock, or what is in it is an index
/// whose making was interrupted.
pub(crate) fn is_free(path: &Path) -> Result<bool> {
    const PARTS: [&str; 7] = [
        LOCK,
        CREATING,
        STORE,
        SEGMENTS,
        ACKNOWLEDGED,
        "acknowledged.partial", // as `write_file` names what it has not finished
        "index.partial",
    ];
    let failed = |error| Error::io(path, Operation::Read, error);
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        names.push(entry.map_err(failed)?.file_name());
    }
    let interrupted = names.iter().any(|name| name == CREATING);
    let parts = if interrupted { &PARTS[..] } else { &PARTS[..1] };
    let is_part = |name: &std::ffi::OsString| parts.iter().any(|part| name == part);
    if names.iter().all(is_part) {
        Ok(interrupted)
    } else {
        Err(Error::from(ErrorKind::Exists(path.to_owned())))
    }
}

/// Marks a folder as an index in the making, and removes what an interrupted one left.
pub(crate) fn begin_creating(path: &Path) -> Result<()> {
    let interrupted = is_free(path)?;
    let marker = path.join(CREATING);
    // Nothing is in it, so that its name is all that must be on disk.
    fs::File::create(&marker).map_err(|error| Error::io(&marker, Operation::Create, error))?;
    sync_folder(path)?;
    if interrupted {
        remove_folder(&path.join(STORE))?;
        remove_folder(&path.join(SEGMENTS))?;
    }
    Ok(())
}

/// An index that has its header is made.
pub(crate) fn end_creating(path: &Path) -> Result<()> {
    let marker = path.join(CREATING);
    match fs::remove_file(&marker) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::io(&marker, Operation::Remove, error))
        }
        _ => Ok(()),
    }
}

/// The header of an index, or what there is in its place.
pub(crate) fn read_header(path: &Path) -> Result<Header> {
    let header = path.join(HEADER);
    Header::read(&header, path).map_err(|error| match error.kind() {
        ErrorKind::NoIndex(_) if path.join(CREATING).exists() => {
            Error::from(ErrorKind::Unfinished(path.to_owned()))
        }
        ErrorKind::NoIndex(_) if path.join(STORE).exists() => {
            let fault = "it is missing, and the documents beside it cannot be read without it\n\
                         hint: nothing was changed; put the file back from a copy";
            Error::corruption(&header, fault)
        }
        _ => error,
    })
}

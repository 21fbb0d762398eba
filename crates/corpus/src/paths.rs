//! Local paths: as ids, from bytes, and what is asked of the system by them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Operation, Result};

pub(crate) fn open_file(path: &Path) -> Result<File> {
    let failed = |error| Error::io(path, Operation::Read, error);
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(Error::from(ErrorKind::Folder(path.to_owned())));
    }
    Ok(file)
}

pub(crate) fn metadata(path: &Path) -> Result<fs::Metadata> {
    fs::metadata(path).map_err(|error| Error::io(path, Operation::Read, error))
}

#[cfg(unix)]
pub(crate) fn path_from_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    std::ffi::OsString::from_vec(bytes).into()
}

/// Names are Unicode there.
#[cfg(not(unix))]
pub(crate) fn path_from_bytes(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// The path with `/` between folders on every system.
pub(crate) fn path_id(path: &Path) -> String {
    let id = path.to_string_lossy();
    if cfg!(windows) { id.replace('\\', "/") } else { id.into_owned() }
}

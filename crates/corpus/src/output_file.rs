//! Mirrors in the making, with this crate's errors.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::error::{Error, ErrorKind, Operation, Result};
use crate::partial_file::{PartialFile, folder_of, sync_folder};

/// 256 KiB: few calls to the system.
const COPY_BYTES: usize = 256 << 10;

/// A file that appears when it is committed.
#[derive(Debug)]
pub(crate) struct OutputFile(PartialFile);

impl OutputFile {
    /// Starts the file, and the folders that it is in.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let failed = |source| Error::io(path, Operation::Write, source);
        // A folder of that name or a path without one is refused before anything is made.
        if !path.is_dir()
            && path.file_name().is_some()
            && let Some(folder) = path.parent()
        {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        PartialFile::create(path).map(Self).map_err(|source| match source.kind() {
            io::ErrorKind::WouldBlock => Error::new(ErrorKind::Busy(path.to_owned())),
            _ => failed(source),
        })
    }

    /// Writes everything that is read from the file at this path, and tells how much it was.
    pub(crate) fn copy_from(&mut self, mut from: impl Read, path: &Path) -> Result<u64> {
        // Not `io::copy`, which does not tell whether it was reading or writing that failed.
        let mut buffer = vec![0; COPY_BYTES];
        let mut copied = 0;
        loop {
            match from.read(&mut buffer) {
                Ok(0) => return Ok(copied),
                Ok(read) => {
                    let written = self.0.write_all(&buffer[..read]);
                    written.map_err(|source| Error::io(self.0.path(), Operation::Write, source))?;
                    copied += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(Error::io(path, Operation::Read, source)),
            }
        }
    }

    /// Gives the complete file its name.
    pub(crate) fn commit(self) -> Result<()> {
        commit_all(vec![self])
    }

    /// Hands what was written to the system, and keeps no memory for more.
    pub(crate) fn rest(&mut self) -> Result<()> {
        self.0.rest().map_err(|source| Error::io(self.0.path(), Operation::Write, source))
    }
}

/// Gives complete files their names. All of them are brought to the disk before the first gets
/// its name: a file system writes many small ones in one go, but each by itself if it is asked to
/// after each.
pub(crate) fn commit_all(mut files: Vec<OutputFile>) -> Result<()> {
    for OutputFile(file) in &mut files {
        file.sync().map_err(|source| Error::io(file.path(), Operation::Write, source))?;
    }
    let mut folders = BTreeSet::new();
    for OutputFile(file) in files {
        let path = file.path().to_owned();
        file.rename().map_err(|source| Error::io(&path, Operation::Write, source))?;
        folders.insert(folder_of(&path).to_owned());
    }
    folders.iter().try_for_each(|folder| {
        sync_folder(folder).map_err(|source| Error::io(folder, Operation::Write, source))
    })
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

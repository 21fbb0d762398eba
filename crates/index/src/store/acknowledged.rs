//! How many operations were acknowledged.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use lookalike_files::{checksum, write_file};

use crate::error::{Error, Operation, Result};
use crate::postings::REBUILD;

/// How many operations were acknowledged, in a file of its own, if the index has files.
///
/// It is written after each and not synced: after a loss of power it may lag behind the store, and
/// then only fewer losses are found. It is never ahead of what is on disk.
///
/// Nor is it what makes an operation durable: one that is on disk is done, whether this can be written
/// or not. If it cannot, the next change tries again first, and is not made if that fails.
pub(crate) struct AcknowledgedOperations {
    file: Option<(PathBuf, File)>,
    operations: u64,
    /// Whether the file has the number.
    written: bool,
}

impl AcknowledgedOperations {
    const BYTES: usize = 16;

    /// Makes the file, in the place of one that is there, and sees it on disk.
    pub(crate) fn create(path: &Path, operations: u64) -> Result<Self> {
        write_file(path, &Self::encode(operations))?;
        Self::opened(path, operations)
    }

    fn opened(path: &Path, operations: u64) -> Result<Self> {
        let file = OpenOptions::new().write(true).open(path);
        let file = file.map_err(|e| Error::io(path, Operation::Write, e))?;
        Ok(Self { file: Some((path.to_owned(), file)), operations, written: true })
    }

    /// Of an index that is gone when the process is.
    pub(crate) fn in_memory() -> Self {
        Self { file: None, operations: 0, written: true }
    }

    /// Opens the file and reads the number.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let hint = format!("how many operations were acknowledged is not known\n{REBUILD}");
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::corruption(path, format!("it is missing: {hint}")));
            }
            Err(error) => return Err(Error::io(path, Operation::Read, error)),
        };
        let number = bytes.first_chunk().map(|number| u64::from_le_bytes(*number));
        match number.filter(|&number| bytes == Self::encode(number)) {
            Some(number) => Self::opened(path, number),
            None => Err(Error::corruption(path, hint)),
        }
    }

    fn encode(operations: u64) -> [u8; Self::BYTES] {
        let number = operations.to_le_bytes();
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&number);
        bytes[8..].copy_from_slice(&checksum(&number));
        bytes
    }

    /// The number that was read or set last.
    pub(crate) fn operations(&self) -> u64 {
        self.operations
    }

    /// Sets the number, now or, if it cannot be written, with the next change.
    pub(crate) fn set(&mut self, operations: u64) {
        self.operations = operations;
        self.written = false;
        let _ = self.catch_up();
    }

    /// Writes the number if it could not be written when it was set.
    pub(crate) fn catch_up(&mut self) -> Result<()> {
        if let Some((path, file)) = &mut self.file
            && !self.written
        {
            let bytes = Self::encode(self.operations);
            let written = file.rewind().and_then(|()| file.write_all(&bytes));
            written.map_err(|error| Error::io(path, Operation::Write, error))?;
        }
        self.written = true;
        Ok(())
    }

    /// As on a disk that has no room for it any more.
    #[cfg(test)]
    pub(crate) fn refuse_writes(&mut self) {
        let (path, file) = self.file.as_mut().unwrap();
        *file = File::open(path).unwrap();
    }

    /// As on a disk that has room again.
    #[cfg(test)]
    pub(crate) fn allow_writes(&mut self) {
        let (path, file) = self.file.as_mut().unwrap();
        *file = OpenOptions::new().write(true).open(path).unwrap();
    }
}

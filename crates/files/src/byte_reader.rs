//! The bytes of a file that is not believed, in order, with where they are.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::bytes::check_sum;
use crate::error::{Error, Operation, Result};

/// A file of a known length, read from its start.
#[derive(Debug)]
pub struct ByteReader<R> {
    inner: R,
    path: PathBuf,
    offset: u64,
    length: u64,
}

impl ByteReader<BufReader<File>> {
    /// Opens a file.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |source| Error::io(path, Operation::Read, source);
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        Ok(Self::new(BufReader::with_capacity(1 << 16, file), length, path))
    }
}

impl<R: Read> ByteReader<R> {
    /// `length` bytes from any source; `path` is for messages.
    pub fn new(inner: R, length: u64, path: &Path) -> Self {
        Self { inner, path: path.to_owned(), offset: 0, length }
    }

    /// What it was opened as.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes before the next one.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Appends the next `count` bytes. Allocates nothing for bytes that are not there.
    ///
    /// # Errors
    /// If the system refuses, or the file ends before that; `what` is for messages.
    pub fn read(&mut self, count: usize, what: &str, bytes: &mut Vec<u8>) -> Result<()> {
        let left = self.length.saturating_sub(self.offset);
        if (count as u64) <= left {
            let before = bytes.len();
            let taken = self.inner.by_ref().take(count as u64).read_to_end(bytes);
            taken.map_err(|error| self.failed(error))?;
            let read = bytes.len() - before;
            self.offset += read as u64;
            if read == count {
                return Ok(());
            }
            let expected = format!("{what} of {count} bytes");
            return Err(self.corrupt_at(self.offset, expected, "the end of the file"));
        }
        let expected = format!("{what} of {count} bytes");
        let found = format!("only {left} more bytes");
        Err(self.corrupt_at(self.offset, expected, found))
    }

    /// Checks the checksum at the end of `bytes`, which begin at `offset`.
    ///
    /// # Errors
    /// If it is another one.
    pub fn check(&self, bytes: &[u8], offset: u64) -> Result<()> {
        check_sum(&self.path, bytes, offset)
    }

    /// Checks that nothing follows.
    ///
    /// # Errors
    /// If something does, or the system refuses.
    pub fn check_end(&mut self) -> Result<()> {
        let mut one = [0];
        let more = self.inner.read(&mut one);
        if more.map_err(|error| self.failed(error))? > 0 || self.offset < self.length {
            return Err(self.corrupt_at(self.offset, "the end of the file", "more bytes"));
        }
        Ok(())
    }

    /// What was found at a place is not what was expected there.
    pub fn corrupt_at(
        &self,
        offset: u64,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Error {
        Error::corruption(&self.path, offset, expected, found)
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::io(&self.path, Operation::Read, source)
    }
}

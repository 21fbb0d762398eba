//! The bytes of a file that is not believed, with where they are.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, ErrorKind, Operation, Result};

/// Bytes of a checksum.
pub(crate) const CHECKSUM: usize = 8;

pub(crate) fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    xxh3_64(bytes).to_le_bytes()
}

/// Checks the checksum at the end of `bytes`, which begin at `offset` of a file.
pub(crate) fn check_sum(path: &Path, bytes: &[u8], offset: u64) -> Result<()> {
    let Some((body, found)) = bytes.split_last_chunk::<CHECKSUM>() else {
        unreachable!("a checksum was read")
    };
    let expected = checksum(body);
    if expected == *found {
        return Ok(());
    }
    let hex = |bytes: [u8; CHECKSUM]| format!("{:016x}", u64::from_le_bytes(bytes));
    Err(Error::new(ErrorKind::Corruption {
        path: path.to_owned(),
        offset: offset + body.len() as u64,
        expected: format!("the checksum {}", hex(expected)),
        found: hex(*found),
    }))
}

/// A file of a known length, read from some place on.
pub(crate) struct Source<R> {
    inner: R,
    path: PathBuf,
    offset: u64,
    length: u64,
}

impl Source<BufReader<File>> {
    /// Opens a file.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let failed = |source| Error::io(path, Operation::Read, source);
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        Ok(Self::new(BufReader::with_capacity(1 << 16, file), length, path))
    }

    /// Goes on at another place.
    pub(crate) fn seek(&mut self, offset: u64) -> Result<()> {
        self.inner.seek(SeekFrom::Start(offset)).map_err(|error| self.failed(error))?;
        self.offset = offset;
        Ok(())
    }
}

impl<R: Read> Source<R> {
    /// `length` bytes from any source; `path` is for messages.
    pub(crate) fn new(inner: R, length: u64, path: &Path) -> Self {
        Self { inner, path: path.to_owned(), offset: 0, length }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes before the next one.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes of the file.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Appends the next `count` bytes. Allocates nothing for bytes that are not there.
    pub(crate) fn read(&mut self, count: usize, what: &str, bytes: &mut Vec<u8>) -> Result<()> {
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
            return Err(self.corrupt_at(self.offset, &expected, "the end of the file".into()));
        }
        let expected = format!("{what} of {count} bytes");
        let found = format!("only {left} more bytes");
        Err(self.corrupt_at(self.offset, &expected, found))
    }

    /// Checks the first bytes of a file.
    pub(crate) fn check_magic(&self, bytes: &[u8], magic: [u8; 8]) -> Result<()> {
        if bytes.starts_with(&magic) {
            return Ok(());
        }
        let found = bytes.get(..magic.len()).unwrap_or_default().escape_ascii();
        let expected = format!("the magic `{}`", magic.escape_ascii());
        Err(self.corrupt_at(0, &expected, format!("`{found}`")))
    }

    /// Checks a file's format version.
    pub(crate) fn check_version(&self, found: u32, known: u32) -> Result<()> {
        if found == known {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Version { path: self.path.clone(), found, known }))
    }

    /// Checks the checksum at the end of `bytes`, which begin at `offset`.
    pub(crate) fn check(&self, bytes: &[u8], offset: u64) -> Result<()> {
        check_sum(&self.path, bytes, offset)
    }

    /// Checks that nothing follows.
    pub(crate) fn check_end(&mut self) -> Result<()> {
        let mut one = [0];
        let more = self.inner.read(&mut one);
        if more.map_err(|error| self.failed(error))? > 0 || self.offset < self.length {
            return Err(self.corrupt_at(self.offset, "the end of the file", "more bytes".into()));
        }
        Ok(())
    }

    pub(crate) fn corrupt_at(&self, offset: u64, expected: &str, found: String) -> Error {
        Error::new(ErrorKind::Corruption {
            path: self.path.clone(),
            offset,
            expected: expected.to_owned(),
            found,
        })
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::io(&self.path, Operation::Read, source)
    }
}

/// The word at a place of bytes that were read and checked.
pub(crate) fn word(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk);
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// The double word at a place of bytes that were read and checked.
pub(crate) fn double_word(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk);
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

//! How all of our files begin: eight letters and a version.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::bytes::word;
use crate::error::{Error, ErrorKind, Operation, Result};

/// What kind of file it is, and of which version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The first bytes of its files.
    pub magic: [u8; 8],
    /// The version that is written and read.
    pub version: u32,
}

impl Format {
    /// Bytes of both.
    pub const BYTES: usize = 8 + 4;

    /// The first bytes of a file.
    pub fn start(&self) -> Vec<u8> {
        [&self.magic[..], &self.version.to_le_bytes()].concat()
    }

    /// Checks the first bytes of a file.
    ///
    /// # Errors
    /// If they are those of another format or version.
    pub fn check(&self, path: &Path, start: &[u8]) -> Result<()> {
        self.check_magic(path, start)?;
        let (found, known) = (word(start, self.magic.len()), self.version);
        if found == known {
            return Ok(());
        }
        Err(Error::from(ErrorKind::Version { path: path.to_owned(), found, known }))
    }

    pub(crate) fn check_magic(&self, path: &Path, start: &[u8]) -> Result<()> {
        if start.starts_with(&self.magic) {
            return Ok(());
        }
        let found = start.get(..self.magic.len()).unwrap_or(start).escape_ascii();
        let expected = format!("the magic `{}`", self.magic.escape_ascii());
        Err(Error::corruption(path, 0, expected, format!("`{found}`")))
    }

    /// Whether a file begins like one of this format, of whatever version.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn is_at(&self, path: &Path) -> Result<bool> {
        let mut start = Vec::new();
        File::open(path)
            .and_then(|file| file.take(self.magic.len() as u64).read_to_end(&mut start))
            .map_err(|source| Error::io(path, Operation::Read, source))?;
        Ok(start == self.magic)
    }
}

//! Where the records of web archives are stored: a number for each row, in a file.
//!
//! Whoever wants a removed record back goes straight to it. A job without web archives has no such
//! file.

use std::fs;
use std::io::ErrorKind as IoErrorKind;
use std::path::{Path, PathBuf};

use lookalike_files::{Rows, RowsKind, RowsWriter};

use crate::error::Result;
use crate::files;
use crate::places::Row;

const KIND: RowsKind = *b"offsets ";

/// Of a row whose place is not known.
const NONE: u64 = u64::MAX;

/// Writes the file, if there is anything to be in it.
pub(crate) struct OffsetsWriter {
    path: PathBuf,
    file: Option<RowsWriter>,
    rows: u64,
}

impl OffsetsWriter {
    /// Removes what an earlier job left under this name; nothing is made before the first offset.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        files::remove(path)?;
        Ok(Self { path: path.to_owned(), file: None, rows: 0 })
    }

    /// The next rows.
    pub(crate) fn push(&mut self, offsets: &[Option<u64>]) -> Result<()> {
        if self.file.is_none() && offsets.iter().any(Option::is_some) {
            let mut file = RowsWriter::create(&self.path, KIND, 8)?;
            for _ in 0..self.rows {
                file.push(&NONE.to_le_bytes())?;
            }
            self.file = Some(file);
        }
        self.rows += offsets.len() as u64;
        let Some(file) = &mut self.file else { return Ok(()) };
        for offset in offsets {
            file.push(&offset.unwrap_or(NONE).to_le_bytes())?;
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<()> {
        Ok(self.file.map_or(Ok(()), RowsWriter::finish)?)
    }
}

/// The file, complete.
pub(crate) struct StoredOffsets(Rows);

impl StoredOffsets {
    /// Opens the file; `None` if no record had a place.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>> {
        if fs::metadata(path).is_err_and(|error| error.kind() == IoErrorKind::NotFound) {
            return Ok(None);
        }
        Ok(Some(Self(Rows::open(path, KIND, 8)?)))
    }

    /// Where the record of a row begins, if that is known.
    pub(crate) fn get(&self, row: Row) -> Result<Option<u64>> {
        let mut bytes = [0; 8];
        self.0.rows(row.into(), &mut bytes)?;
        Ok(Some(u64::from_le_bytes(bytes)).filter(|offset| *offset != NONE))
    }
}

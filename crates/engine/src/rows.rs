//! Tables of rows of one width, in files: what the stages leave for each other.
//!
//! A header (magic, version, kind, width), the rows, and an end with their
//! number and a checksum of everything before. Rows are read in order, or any
//! of them by its number.

use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3Default;

use crate::atomic_file::{AtomicFile, Existing};
use crate::error::{Error, ErrorKind, Operation, Result};

const MAGIC: [u8; 8] = *b"LOOKROWS";
const VERSION: u32 = 1;
/// Magic, version, width, kind.
const HEADER: usize = 8 + 4 + 4 + 8;
/// Number of rows, checksum.
const END: usize = 8 + 8;

/// What a table holds, in eight letters.
pub(crate) type Kind = [u8; 8];

/// Writes a table.
pub(crate) struct RowsWriter {
    file: AtomicFile,
    checksum: Xxh3Default,
    rows: u64,
    width: usize,
}

impl RowsWriter {
    pub(crate) fn create(path: &Path, kind: Kind, width: usize) -> Result<Self> {
        let file = AtomicFile::create(path, Existing::Replace)?;
        let mut writer = Self { file, checksum: Xxh3Default::new(), rows: 0, width };
        writer.write(&header(kind, width))?;
        Ok(writer)
    }

    /// Appends a row, or several.
    pub(crate) fn push(&mut self, rows: &[u8]) -> Result<()> {
        debug_assert!(rows.len().is_multiple_of(self.width), "whole rows");
        self.rows += (rows.len() / self.width) as u64;
        self.write(rows)
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        let rows = self.rows.to_le_bytes();
        self.write(&rows)?;
        let checksum = self.checksum.digest().to_le_bytes();
        self.file.write(&checksum)?;
        self.file.commit()
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.checksum.update(bytes);
        self.file.write(bytes)
    }
}

fn header(kind: Kind, width: usize) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend(VERSION.to_le_bytes());
    header.extend((width as u32).to_le_bytes());
    header.extend(kind);
    header
}

/// A complete table.
pub(crate) struct Rows {
    path: PathBuf,
    file: File,
    width: usize,
    length: u64,
}

impl Rows {
    /// Opens a table; its header, its length and its number of rows are checked here.
    pub(crate) fn open(path: &Path, kind: Kind, width: usize) -> Result<Self> {
        let failed = |source| Error::io(path, Operation::Read, source);
        let mut file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut found = vec![0; HEADER];
        let read = file.read_exact(&mut found);
        let corrupt = |offset, expected: String, found: String| {
            Error::new(ErrorKind::Corruption { path: path.to_owned(), offset, expected, found })
        };
        if read.is_err() || found != header(kind, width) {
            let kind = kind.escape_ascii();
            let expected = format!("the header of a table `{kind}` of {width} bytes a row");
            return Err(corrupt(0, expected, "other bytes".to_owned()));
        }
        let body = length.saturating_sub((HEADER + END) as u64);
        let rows = body / width as u64;
        let mut counted = [0; 8];
        read_at(&file, &mut counted, HEADER as u64 + rows * width as u64).map_err(failed)?;
        let counted = u64::from_le_bytes(counted);
        if body % width as u64 != 0 || counted != rows {
            let found = format!("{rows} and the number {counted}");
            return Err(corrupt(length, "as many rows as it says".to_owned(), found));
        }
        Ok(Self { path: path.to_owned(), file, width, length: rows })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// Reads as many rows as fit into `out`, from this one on.
    pub(crate) fn rows(&self, number: u64, out: &mut [u8]) -> Result<()> {
        let (wanted, width) = ((out.len() / self.width) as u64, self.width as u64);
        if number.checked_add(wanted).is_none_or(|end| end > self.length) {
            return Err(Error::new(ErrorKind::Corruption {
                path: self.path.clone(),
                offset: HEADER as u64 + self.length * width,
                expected: format!("{wanted} rows from row {number} on"),
                found: format!("{} rows in all", self.length),
            }));
        }
        let at = HEADER as u64 + number * width;
        read_at(&self.file, out, at).map_err(|e| Error::io(&self.path, Operation::Read, e))
    }

    /// Calls `each` with every row in order, and checks the checksum in the end.
    pub(crate) fn for_each(&self, mut each: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
        let failed = |source| Error::io(&self.path, Operation::Read, source);
        let file = File::open(&self.path).map_err(failed)?;
        let mut file = BufReader::with_capacity(1 << 18, file);
        let mut checksum = Xxh3Default::new();
        let mut bytes = vec![0; HEADER.max(self.width)];
        file.read_exact(&mut bytes[..HEADER]).map_err(failed)?;
        checksum.update(&bytes[..HEADER]);
        for row in 0..self.length {
            let bytes = &mut bytes[..self.width];
            file.read_exact(bytes).map_err(failed)?;
            checksum.update(bytes);
            each(row, bytes)?;
        }
        let mut end = [0; END];
        file.read_exact(&mut end).map_err(failed)?;
        let (rows, found) = end.split_at(8);
        checksum.update(rows);
        let expected = checksum.digest().to_le_bytes();
        if expected == *found {
            return Ok(());
        }
        let hex = |bytes: &[u8]| {
            let word = bytes.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
            format!("{word:016x}")
        };
        Err(Error::new(ErrorKind::Corruption {
            path: self.path.clone(),
            offset: HEADER as u64 + self.length * self.width as u64 + 8,
            expected: hex(&expected),
            found: hex(found),
        }))
    }
}

/// Fills `out` from a place in the file, whoever else reads from it.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, out: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, offset)
}

/// Fills `out` from a place in the file, whoever else reads from it.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, mut out: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !out.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, out, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                out = &mut out[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_and_damage_is_found() {
        let folder = std::env::temp_dir().join(format!("lookalike-rows-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("table");
        let mut writer = RowsWriter::create(&path, *b"testrows", 3).unwrap();
        for row in 0..1000_u32 {
            writer.push(&row.to_le_bytes()[..3]).unwrap();
        }
        writer.finish().unwrap();
        let rows = Rows::open(&path, *b"testrows", 3).unwrap();
        let mut one = [0; 3];
        rows.rows(700, &mut one).unwrap();
        assert_eq!((rows.len(), one), (1000, [188, 2, 0]));
        for beyond in [1000, u64::MAX, u64::MAX / 3] {
            assert!(rows.rows(beyond, &mut one).is_err_and(|error| error.is_corruption()));
        }
        let mut seen = 0;
        rows.for_each(|number, row| {
            assert_eq!(row, &(number as u32).to_le_bytes()[..3]);
            seen += 1;
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, 1000);
        assert!(Rows::open(&path, *b"otherrow", 3).is_err());
        assert!(Rows::open(&path, *b"testrows", 4).is_err());

        let whole = std::fs::read(&path).unwrap();
        for cut in [0, 10, HEADER, whole.len() - 1] {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert!(Rows::open(&path, *b"testrows", 3).is_err(), "cut at {cut}");
        }
        for at in [HEADER, 500, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            std::fs::write(&path, &damaged).unwrap();
            let read = Rows::open(&path, *b"testrows", 3).and_then(|r| r.for_each(|_, _| Ok(())));
            assert!(read.is_err_and(|error| error.is_corruption()), "damaged at {at}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}

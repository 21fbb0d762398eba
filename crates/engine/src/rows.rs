//! Tables of rows of one width, in files: what the stages leave for each other.
//!
//! A checked file: a header (magic, version, width, kind) and the rows, which
//! are read in order, or any of them by its number.

use std::path::Path;

use crate::checked_file::{CheckedFile, CheckedWriter};
use crate::error::Result;

const MAGIC: [u8; 8] = *b"LOOKROWS";
const VERSION: u32 = 2;
/// Magic, version, width, kind.
const HEADER: usize = 8 + 4 + 4 + 8;

/// Bytes of rows that are read at once, about.
const READ: usize = 256 << 10;

/// What a table holds, in eight letters.
pub type Kind = [u8; 8];

/// Writes a table.
pub struct RowsWriter {
    file: CheckedWriter,
    width: usize,
}

impl RowsWriter {
    /// Begins a table of rows of that many bytes.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn create(path: &Path, kind: Kind, width: usize) -> Result<Self> {
        let mut file = CheckedWriter::create(path)?;
        file.write(&header(kind, width))?;
        Ok(Self { file, width })
    }

    /// Appends a row, or several.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn push(&mut self, rows: &[u8]) -> Result<()> {
        debug_assert!(rows.len().is_multiple_of(self.width), "whole rows");
        self.file.write(rows)
    }

    /// Ends the table, which can be opened then.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn finish(self) -> Result<()> {
        self.file.finish()
    }
}

fn header(kind: Kind, width: usize) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..16].copy_from_slice(&(width as u32).to_le_bytes());
    header[16..].copy_from_slice(&kind);
    header
}

/// A complete table.
pub struct Rows {
    file: CheckedFile,
    width: usize,
    length: u64,
}

impl Rows {
    /// Opens a table; its header and its length are checked here, and rows when they are read.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or is another table.
    pub fn open(path: &Path, kind: Kind, width: usize) -> Result<Self> {
        let file = CheckedFile::open(path)?;
        let mut found = [0; HEADER];
        file.read_at(0, &mut found)?;
        if found != header(kind, width) {
            let kind = kind.escape_ascii();
            let expected = format!("the header of a table `{kind}` of {width} bytes a row");
            return Err(file.corrupt(0, &expected, "other bytes".to_owned()));
        }
        let body = file.len() - HEADER as u64;
        if !body.is_multiple_of(width as u64) {
            let expected = format!("rows of {width} bytes");
            return Err(file.corrupt(file.len(), &expected, format!("{body} bytes")));
        }
        Ok(Self { file, width, length: body / width as u64 })
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// Reads as many rows as fit into `out`, from this one on.
    ///
    /// # Errors
    /// If there are fewer, the file cannot be read, or it is damaged.
    pub fn rows(&self, number: u64, out: &mut [u8]) -> Result<()> {
        let (wanted, width) = ((out.len() / self.width) as u64, self.width as u64);
        if number.checked_add(wanted).is_none_or(|end| end > self.length) {
            let expected = format!("{wanted} rows from row {number} on");
            let found = format!("{} rows in all", self.length);
            return Err(self.file.corrupt(self.file.len(), &expected, found));
        }
        self.file.read_at(HEADER as u64 + number * width, out)
    }

    /// Calls `each` with every row in order.
    pub(crate) fn for_each(&self, mut each: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
        let at_once = (READ / self.width).max(1) as u64;
        let mut bytes = Vec::new();
        let mut row = 0;
        while row < self.length {
            let count = at_once.min(self.length - row);
            bytes.resize(count as usize * self.width, 0);
            self.rows(row, &mut bytes)?;
            for bytes in bytes.chunks_exact(self.width) {
                each(row, bytes)?;
                row += 1;
            }
        }
        Ok(())
    }
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
        for cut in [0, 10, HEADER, whole.len() - 3, whole.len() - 1] {
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

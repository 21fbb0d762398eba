//! Tables of rows of one width, in the container: what the stages of a job leave for each other, and
//! for a job that goes on where a killed one stopped.
//!
//! Behind the header (format, width, kind) come the rows, and behind them the
//! counts, of which each kind has its own number. Rows are read in order
//! ([`RowsReader`]), or any of them by its number ([`Rows`]).
//!
//! Whose table it is, the file does not say: the manifest of a job has the
//! checksums of its files.

use std::path::Path;

use crate::bytes::double_word;
use crate::checked_file::{CheckedFile, CheckedWriter};
use crate::error::{Error, Result};
use crate::format::Format;

const FORMAT: Format = Format { magic: *b"LOOKROWS", version: 3 };
/// Format, width, kind.
const HEADER: usize = Format::BYTES + 4 + 8;
/// Bytes of a count.
const COUNT: usize = 8;

/// Bytes of rows that are read at once, about.
const READ: usize = 256 << 10;

/// What a table holds, in eight letters.
pub type RowsKind = [u8; 8];

/// Writes a table. Nothing is under the final name before it is finished.
#[derive(Debug)]
pub struct RowsWriter {
    file: CheckedWriter,
    width: usize,
}

impl RowsWriter {
    /// Starts a table in place of any that is there.
    ///
    /// # Errors
    /// If somebody else is writing it, or the system refuses.
    pub fn create(path: &Path, kind: RowsKind, width: usize) -> Result<Self> {
        let mut file = CheckedWriter::create(path, &FORMAT)?;
        file.write(&header(kind, width)[Format::BYTES..])?;
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

    /// Completes a table that has no counts, and gives it its name.
    ///
    /// # Errors
    /// If the system refuses; then nothing is left behind.
    pub fn finish(self) -> Result<()> {
        self.finish_with([])
    }

    /// Completes a table with the counts of its kind, and gives it its name.
    ///
    /// # Errors
    /// If the system refuses; then nothing is left behind.
    pub fn finish_with<const COUNTS: usize>(mut self, counts: [u64; COUNTS]) -> Result<()> {
        counts.iter().try_for_each(|count| self.file.write(&count.to_le_bytes()))?;
        self.file.finish()
    }
}

fn header(kind: RowsKind, width: usize) -> Vec<u8> {
    [&FORMAT.start()[..], &(width as u32).to_le_bytes(), &kind].concat()
}

/// A complete table.
#[derive(Debug)]
pub struct Rows {
    file: CheckedFile,
    width: usize,
    length: u64,
}

impl Rows {
    /// Opens a table that has no counts; its header and its length are checked here, and rows when
    /// they are read.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or of another kind or version.
    pub fn open(path: &Path, kind: RowsKind, width: usize) -> Result<Self> {
        Ok(Self::open_with::<0>(path, kind, width)?.0)
    }

    fn open_with<const COUNTS: usize>(
        path: &Path,
        kind: RowsKind,
        width: usize,
    ) -> Result<(Self, [u64; COUNTS])> {
        let file = CheckedFile::open(path, &FORMAT)?;
        let bytes = file.bytes();
        let mut found = [0; HEADER];
        file.read_at(0, &mut found)?;
        if found[..] != header(kind, width) {
            let kind = kind.escape_ascii();
            let expected = format!("the header of a table `{kind}` of {width} bytes a row");
            return Err(file.corrupt(0, expected, "other bytes"));
        }
        let body = (bytes - HEADER as u64).checked_sub((COUNTS * COUNT) as u64);
        let Some(body) = body.filter(|body| body.is_multiple_of(width as u64)) else {
            let expected = format!("rows of {width} bytes and {COUNTS} counts");
            let found = format!("{} bytes", bytes - HEADER as u64);
            return Err(file.corrupt(bytes, expected, found));
        };
        let mut counts = vec![0; COUNTS * COUNT];
        file.read_at(HEADER as u64 + body, &mut counts)?;
        let counts = std::array::from_fn(|number| double_word(&counts, number * COUNT));
        Ok((Self { file, width, length: body / width as u64 }, counts))
    }

    /// What it was opened as.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Number of rows.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Where a row begins, or what follows the last one.
    fn place(&self, row: u64) -> u64 {
        HEADER as u64 + row * self.width as u64
    }

    /// Reads as many rows as fit into `out`, from this one on.
    ///
    /// # Errors
    /// If there are fewer, they are damaged, or the system refuses.
    pub fn rows(&self, number: u64, out: &mut [u8]) -> Result<()> {
        let wanted = (out.len() / self.width) as u64;
        if number.checked_add(wanted).is_none_or(|end| end > self.length) {
            let expected = format!("{wanted} rows from row {number} on");
            let found = format!("{} rows in all", self.length);
            return Err(self.file.corrupt(self.file.bytes(), expected, found));
        }
        self.file.read_at(self.place(number), out)
    }

    /// How many rows come before the first that is not `before`, in a table where none is behind it.
    ///
    /// # Errors
    /// If the table is damaged, or the system refuses.
    pub fn partition_point(&self, mut before: impl FnMut(&[u8]) -> bool) -> Result<u64> {
        let (mut low, mut high) = (0, self.length);
        let mut row = vec![0; self.width];
        while low < high {
            let middle = low.midpoint(high);
            self.rows(middle, &mut row)?;
            if before(&row) { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }

    /// How many rows are read at once from this one on; none at the end.
    fn at_once(&self, number: u64) -> usize {
        (READ / self.width).max(1).min((self.length - number) as usize)
    }

    /// Calls `each` with every row in order.
    ///
    /// # Errors
    /// If the table is damaged, the system refuses, or what `each` gives.
    pub fn for_each<E: From<Error>>(
        &self,
        mut each: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut bytes = Vec::new();
        let mut row = 0;
        while row < self.length {
            bytes.resize(self.at_once(row) * self.width, 0);
            self.rows(row, &mut bytes)?;
            for bytes in bytes.chunks_exact(self.width) {
                each(row, bytes)?;
                row += 1;
            }
        }
        Ok(())
    }
}

/// Reads a table in order.
///
/// The end is checked when it is opened: whoever has a reader knows that the table was completed,
/// and its counts.
#[derive(Debug)]
pub struct RowsReader<const WIDTH: usize, const COUNTS: usize> {
    rows: Rows,
    counts: [u64; COUNTS],
    /// Rows that are at hand, and the number of the first behind them.
    buffer: Vec<[u8; WIDTH]>,
    behind: u64,
    /// How many of those at hand were given.
    given: usize,
}

impl<const WIDTH: usize, const COUNTS: usize> RowsReader<WIDTH, COUNTS> {
    /// Opens a table.
    ///
    /// # Errors
    /// As [`Rows::open`].
    pub fn open(path: &Path, kind: RowsKind) -> Result<Self> {
        let (rows, counts) = Rows::open_with(path, kind, WIDTH)?;
        Ok(Self { rows, counts, buffer: Vec::new(), behind: 0, given: 0 })
    }

    /// The counts of the table.
    pub fn counts(&self) -> [u64; COUNTS] {
        self.counts
    }

    /// The next row; `None` after the last.
    ///
    /// # Errors
    /// If the table is damaged or the system refuses.
    #[expect(clippy::should_implement_trait, reason = "an iterator's item would be a result")]
    #[inline]
    pub fn next(&mut self) -> Result<Option<[u8; WIDTH]>> {
        if self.given == self.buffer.len() {
            self.read_more()?;
        }
        let row = self.buffer.get(self.given).copied();
        self.given += usize::from(row.is_some());
        Ok(row)
    }

    fn read_more(&mut self) -> Result<()> {
        let count = self.rows.at_once(self.behind);
        self.given = 0;
        self.buffer.resize(count, [0; WIDTH]);
        self.rows.rows(self.behind, self.buffer.as_flattened_mut())?;
        self.behind += count as u64;
        Ok(())
    }

    /// A fault in the last row that was read, from one of its bytes on.
    pub fn corrupt(
        &self,
        byte: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Error {
        let next = self.behind - (self.buffer.len() - self.given) as u64;
        let at = self.rows.place(next.saturating_sub(1)) + byte as u64;
        self.rows.file.corrupt(at, expected, found)
    }

    /// Checks, when all was read, that a count is what was found.
    ///
    /// # Errors
    /// If it is another.
    pub fn check_count(&self, number: usize, what: &str, found: u64) -> Result<()> {
        if self.counts[number] == found {
            return Ok(());
        }
        Err(self.wrong_count(number, format!("{found} {what}")))
    }

    /// Checks that a count is not above a limit.
    ///
    /// # Errors
    /// If it is.
    pub fn check_limit(&self, number: usize, what: &str, limit: u64) -> Result<()> {
        if self.counts[number] <= limit {
            return Ok(());
        }
        Err(self.wrong_count(number, format!("at most {limit} {what}")))
    }

    fn wrong_count(&self, number: usize, expected: String) -> Error {
        let at = self.rows.place(self.rows.length) + (number * COUNT) as u64;
        self.rows.file.corrupt(at, expected, self.counts[number].to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::WorkFolder;

    #[test]
    fn rows_come_back_and_damage_is_found() {
        let folder = WorkFolder::create(None).unwrap();
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
        rows.for_each(|number, row| -> Result<()> {
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
    }
}

//! Documents that go as a whole, since too little is left of them: their rows, ascending.

use lookalike_files::{Rows, RowsKind, RowsWriter};

use crate::document_set::RowSet;
use crate::error::Result;
use crate::files::Files;
use crate::places::Row;

const GONE: RowsKind = *b"passgone";
const ROW_BYTES: usize = 4;

/// Writes the file.
pub(super) fn write(files: &Files, documents: u64, gone: &RowSet) -> Result<()> {
    let mut file = RowsWriter::create(&files.gone(), GONE, ROW_BYTES)?;
    for row in Row::between(Row::nth(0)..Row::nth(documents)).filter(|row| gone.contains(*row)) {
        file.push(&row.to_le_bytes())?;
    }
    Ok(file.finish()?)
}

/// The file.
pub(crate) struct Gone(Rows);

impl Gone {
    pub(crate) fn open(files: &Files) -> Result<Self> {
        Ok(Self(Rows::open(&files.gone(), GONE, ROW_BYTES)?))
    }

    /// Calls `each` with all of them.
    pub(crate) fn for_each(&self, mut each: impl FnMut(Row)) -> Result<()> {
        self.0.for_each(|_, bytes| {
            each(Row::read(bytes, 0));
            Ok(())
        })
    }

    /// Whether a document is among them: by a few reads.
    pub(crate) fn contains(&self, row: Row) -> Result<bool> {
        let number = self.0.partition_point(|bytes| Row::read(bytes, 0) < row)?;
        let mut found = [0; ROW_BYTES];
        if number == self.0.len() {
            return Ok(false);
        }
        self.0.rows(number, &mut found)?;
        Ok(Row::read(&found, 0) == row)
    }
}

#[cfg(test)]
mod tests {
    use lookalike_files::WorkFolder;

    use super::*;

    #[test]
    fn those_that_went_are_found_without_reading_all() {
        let folder = WorkFolder::create(None).unwrap();
        for rows in [vec![], vec![0], vec![2, 3, 70, 99]] {
            let files = Files::new(&folder, None);
            let mut gone = RowSet::none(100);
            for &row in &rows {
                gone.insert(Row::nth(row));
            }
            write(&files, 100, &gone).unwrap();
            let file = Gone::open(&files).unwrap();
            let found: Vec<u64> =
                (0..100).filter(|row| file.contains(Row::nth(*row)).unwrap()).collect();
            assert_eq!(found, rows);
            let mut all = Vec::new();
            file.for_each(|row| all.push(u64::from(row))).unwrap();
            assert_eq!(all, rows);
        }
    }
}

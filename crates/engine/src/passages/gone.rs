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

/// Calls `each` with all of them.
pub(crate) fn gone_rows(files: &Files, mut each: impl FnMut(Row)) -> Result<()> {
    let rows = Rows::open(&files.gone(), GONE, ROW_BYTES)?;
    rows.for_each(|_, bytes| {
        each(Row::read(bytes, 0));
        Ok(())
    })
}

//! Changes of a record of CSV or TSV: one cell is written again, others follow the last.

use csv_core::{ReadFieldResult, ReaderBuilder};

use crate::edits::{AddedField, AddedValue, Change, Cutter};
use crate::error::EditFault;
use crate::format::BYTE_ORDER_MARK;
use crate::json_edit::write_json;
use crate::record::Context;
use crate::split;
use crate::table::{StoredRow, Table};

impl Table {
    /// The header with the names of added columns.
    pub(crate) fn write_header(&self, stored: &[u8], added: &[AddedField], out: &mut Vec<u8>) {
        self.write_with_cells(
            stored,
            out,
            |at, cell| {
                cell.extend_from_slice(added[at].name.as_bytes());
            },
            added.len(),
        );
    }

    /// A record that stays as it is, with nothing in the added columns.
    ///
    /// So does one with more or fewer columns than the header, or one of a few too many would be sound.
    pub(crate) fn write_kept(&self, row: StoredRow<'_>, added: &[AddedField], out: &mut Vec<u8>) {
        let cells = if row.is_open { 0 } else { added.len() };
        self.write_with_cells(row.bytes, out, |_, _| {}, cells);
    }

    /// A record with the changes.
    pub(crate) fn write_changed(
        &self,
        row: StoredRow<'_>,
        change: &Change,
        added: &[AddedField],
        context: &Context,
        out: &mut Vec<u8>,
    ) -> Result<(), EditFault> {
        let mut text = Vec::new();
        self.with_row(row, context, |record| {
            let record = record.map_err(EditFault::Unreadable)?;
            change.check_record(&record)?;
            if !change.keeps_text() {
                Cutter::new(&change.cuts)
                    .kept(&record.content)
                    .for_each(|kept| text.extend_from_slice(kept));
            }
            Ok(())
        })?;
        let mut changed = Vec::new();
        let mut stored = row.bytes;
        if let (Some(column), false) = (self.text_column(), change.keeps_text()) {
            let content = split::content(stored);
            let (cell, is_only) = self.cell_range(content, column);
            let is_quoted =
                content[cell.clone()].starts_with(b"\"") || (is_only && text.is_empty());
            changed.extend_from_slice(&content[..cell.start]);
            self.write_cell(&text, is_quoted, &mut changed);
            changed.extend_from_slice(&stored[cell.end..]);
            stored = &changed;
        }
        self.write_with_cells(
            stored,
            out,
            |at, cell| match change.value(at) {
                AddedValue::Null => {}
                AddedValue::Float(value) if !value.is_finite() => {}
                AddedValue::String(value) => cell.extend_from_slice(value.as_bytes()),
                value => write_json(value, cell),
            },
            added.len(),
        );
        Ok(())
    }

    /// A record with so many cells more before its line end.
    fn write_with_cells(
        &self,
        stored: &[u8],
        out: &mut Vec<u8>,
        fill: impl Fn(usize, &mut Vec<u8>),
        cells: usize,
    ) {
        let (content, end) = stored.split_at(split::content(stored).len());
        out.extend_from_slice(content);
        for at in 0..cells {
            let mut cell = Vec::new();
            fill(at, &mut cell);
            out.push(self.delimiter());
            self.write_cell(&cell, false, out);
        }
        out.extend_from_slice(end);
    }

    /// A cell, in quotes if it was or has to be.
    fn write_cell(&self, cell: &[u8], is_quoted: bool, out: &mut Vec<u8>) {
        let is_special = |byte: &u8| b"\"\r\n".contains(byte) || *byte == self.delimiter();
        // A mark at the beginning of a record would be taken for that of a file.
        let is_plain = !cell.iter().any(is_special) && !cell.starts_with(BYTE_ORDER_MARK);
        if is_plain && !is_quoted {
            return out.extend_from_slice(cell);
        }
        out.push(b'"');
        for part in cell.split_inclusive(|byte| *byte == b'"') {
            out.extend_from_slice(part);
            if part.ends_with(b"\"") {
                out.push(b'"');
            }
        }
        out.push(b'"');
    }

    /// Where a cell stands in a sound record, and whether it is the only one. The same parser finds it
    /// that reads it.
    fn cell_range(&self, content: &[u8], column: usize) -> (std::ops::Range<usize>, bool) {
        let mut reader = ReaderBuilder::new().delimiter(self.delimiter()).build();
        let mut decoded = vec![0; content.len()];
        let mut start = 0;
        for at in 0.. {
            let (result, read, _) = reader.read_field(&content[start..], &mut decoded);
            let ends_within = matches!(result, ReadFieldResult::Field { record_end: false });
            // Up to the delimiter, or to where the record ends.
            let end = if ends_within { start + read - 1 } else { content.len() };
            if at == column || !ends_within {
                return (start..end, at == 0 && !ends_within);
            }
            start += read;
        }
        (start..content.len(), false)
    }
}

//! The rows of a table that are wanted, batch by batch: the next are read while some are written.

use arrow_array::{BooleanArray, RecordBatch};

use crate::edits::{Change, Edit, Edits};
use crate::error::{Error, Result};
use crate::parquet::{Batch, Column};
use crate::read_ahead::read_ahead;
use crate::record::Context;
use crate::row_edit::RowEditor;

/// Bytes of batches that may be in memory while a selection is written.
const WRITTEN_AHEAD: usize = 16 << 20;

/// Bytes that are made of changed rows before they are written, and no more of them are taken.
const MADE_BYTES: usize = 16 << 20;

/// Calls `write` with the rows of each batch that stay, by their numbers from 1 on, in order.
/// Gives back the fault of a file that is broken on the way.
pub(crate) fn write_kept_rows(
    batches: impl Iterator<Item = Result<RecordBatch>> + Send,
    context: &Context,
    edits: &mut Edits<'_>,
    editor: &RowEditor,
    mut write: impl FnMut(&RecordBatch) -> Result<()>,
) -> Result<Option<Error>> {
    let mut next = 1;
    let size =
        |batch: &Result<RecordBatch>| batch.as_ref().map_or(0, RecordBatch::get_array_memory_size);
    read_ahead(batches, size, WRITTEN_AHEAD, |batches| {
        for batch in batches {
            let batch = match batch {
                Ok(batch) => batch,
                Err(error) => return Ok(Some(error)),
            };
            let mut from = 0;
            while from < batch.num_rows() {
                let rows = KeptRows::take(&batch, from, next, context, edits, editor)?;
                (from, next) = (from + rows.taken(), next + rows.taken() as u64);
                if let Some(rows) = rows.selected(context, edits, editor)? {
                    write(&rows)?;
                }
            }
        }
        Ok(None)
    })
}

/// Some rows of a batch, and what becomes of them.
struct KeptRows {
    rows: Batch,
    keeps: Vec<bool>,
    /// Of each row, if there is one.
    changes: Vec<Option<Change>>,
}

impl KeptRows {
    /// Takes rows of a batch, of which the first has this number, as long as little is made of them.
    fn take(
        batch: &RecordBatch,
        from: usize,
        first_record: u64,
        context: &Context,
        edits: &mut Edits<'_>,
        editor: &RowEditor,
    ) -> Result<Self> {
        let (mut keeps, mut changes, mut bytes) = (Vec::new(), Vec::new(), 0);
        let text = Column::of(batch, &context.options.fields.text);
        for (row, number) in (from..batch.num_rows()).zip(first_record..) {
            let edit = edits.take(number)?;
            keeps.push(edit != Edit::Drop);
            let change = match edit {
                Edit::Change(change) => Some(change),
                Edit::Keep | Edit::Drop => None,
            };
            if keeps.last() == Some(&true) {
                bytes += editor.bytes_made(text.as_ref(), row, change.as_ref());
            }
            changes.push(change);
            if bytes >= MADE_BYTES {
                break;
            }
        }
        let rows = Batch::new(batch.slice(from, keeps.len()), first_record, bytes);
        Ok(Self { rows, keeps, changes })
    }

    /// How many of the batch these are.
    fn taken(&self) -> usize {
        self.keeps.len()
    }

    /// Those that stay, with their changes, if there are any.
    fn selected(
        self,
        context: &Context,
        edits: &Edits<'_>,
        editor: &RowEditor,
    ) -> Result<Option<RecordBatch>> {
        let Self { rows, keeps, changes } = self;
        if changes.iter().any(Option::is_some) {
            let checked = editor.check(&rows, &changes, context);
            checked.map_err(|(number, fault)| edits.refused(number, fault))?;
        }
        let changes: Vec<_> = keeps
            .iter()
            .zip(changes)
            .filter(|(keeps, _)| **keeps)
            .map(|(_, change)| change)
            .collect();
        let keeps = BooleanArray::from(keeps);
        let selected = arrow_select::filter::filter_record_batch(rows.columns(), &keeps);
        let selected = selected.map_err(|error| Error::broken(&context.path, error.to_string()))?;
        if selected.num_rows() == 0 {
            return Ok(None);
        }
        if !edits.may_change() {
            return Ok(Some(selected));
        }
        editor.changed(&selected, &changes, &context.path).map(Some)
    }
}

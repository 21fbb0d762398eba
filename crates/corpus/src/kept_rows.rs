//! The rows of a table that are wanted, batch by batch: the next are read while some are written.

use arrow_array::{BooleanArray, RecordBatch, UInt32Array};
use arrow_select::take::take_record_batch;

use crate::column::Column;
use crate::edits::{Change, Edit, Edits};
use crate::error::{Error, Result};
use crate::parquet::Batch;
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
                if let Some((rows, repeats)) = rows.selected(context, edits, editor)? {
                    write_repeated(&rows, &repeats, context, &mut write)?;
                }
            }
        }
        Ok(None)
    })
}

/// Writes rows, each as often as it is wanted, some at a time.
fn write_repeated(
    rows: &RecordBatch,
    repeats: &[u32],
    context: &Context,
    write: &mut impl FnMut(&RecordBatch) -> Result<()>,
) -> Result<()> {
    if repeats.iter().all(|&repeats| repeats == 0) {
        return write(rows);
    }
    let text = Column::of(rows, &context.options.fields.text);
    let usual = rows.get_array_memory_size() / rows.num_rows().max(1);
    let (mut taken, mut bytes) = (Vec::new(), 0);
    let mut flush = |taken: &mut Vec<u32>| {
        let some = take_record_batch(rows, &UInt32Array::from(std::mem::take(taken)));
        write(&some.map_err(|error| Error::broken(&context.path, error.to_string()))?)
    };
    for (row, &repeats) in repeats.iter().enumerate() {
        let row_bytes = usual + text.as_ref().map_or(0, |text| text.length(row));
        for _ in 0..=repeats {
            taken.push(row as u32);
            bytes += row_bytes;
            if bytes >= MADE_BYTES {
                flush(&mut taken)?;
                bytes = 0;
            }
        }
    }
    if taken.is_empty() { Ok(()) } else { flush(&mut taken) }
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
            keeps.push(!matches!(edit, Edit::Drop | Edit::Revisit(_)));
            let change = match edit {
                Edit::Change(change) => Some(change),
                Edit::Keep | Edit::Drop | Edit::Revisit(_) => None,
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

    /// Those that stay, with their changes, if there are any, and how often each is written once more.
    fn selected(
        self,
        context: &Context,
        edits: &Edits<'_>,
        editor: &RowEditor,
    ) -> Result<Option<(RecordBatch, Vec<u32>)>> {
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
            return Ok(Some((selected, Vec::new())));
        }
        let repeats = changes.iter().map(|change| change.as_ref().map_or(0, |c| c.repeats));
        let repeats = repeats.collect();
        Ok(Some((editor.changed(&selected, &changes, &context.path)?, repeats)))
    }
}

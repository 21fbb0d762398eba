//! The rows of a table that are wanted, batch by batch: the next are read while some are written.

use std::path::Path;

use arrow_array::{BooleanArray, RecordBatch};

use crate::edits::Edits;
use crate::error::{Error, Result};
use crate::read_ahead::read_ahead;

/// Bytes of batches that may be in memory while a selection is written.
const WRITTEN_AHEAD: usize = 16 << 20;

/// Calls `write` with the rows of each batch that stay, by their numbers from 1 on, in order.
/// Gives back the fault of a file that is broken on the way.
pub(crate) fn write_kept_rows(
    path: &Path,
    batches: impl Iterator<Item = Result<RecordBatch>> + Send,
    edits: &mut Edits<'_>,
    mut write: impl FnMut(&RecordBatch) -> Result<()>,
) -> Result<Option<Error>> {
    let mut numbers = 1..;
    let size =
        |batch: &Result<RecordBatch>| batch.as_ref().map_or(0, RecordBatch::get_array_memory_size);
    read_ahead(batches, size, WRITTEN_AHEAD, |batches| {
        for batch in batches {
            let batch = match batch {
                Ok(batch) => batch,
                Err(error) => return Ok(Some(error)),
            };
            let rows = numbers.by_ref().take(batch.num_rows());
            let kept: BooleanArray =
                rows.map(|number| edits.keeps_whole(number).map(Some)).collect::<Result<_>>()?;
            let selected = arrow_select::filter::filter_record_batch(&batch, &kept);
            let selected = selected.map_err(|error| Error::broken(path, error.to_string()))?;
            if selected.num_rows() > 0 {
                write(&selected)?;
            }
        }
        Ok(None)
    })
}

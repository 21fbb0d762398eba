//! Sorting more records than fit in memory.
//!
//! Records of a fixed width fill a buffer; a full buffer is sorted and becomes
//! a run on disk; in the end the runs are merged as they are read. What fits
//! into the buffer never touches the disk. The order is that of the records
//! alone: it depends neither on the budget nor on the order they came in.
//!
//! Memory stays within the budget, whatever the number of records, and however
//! often one key occurs. Time is O(n log n); every record is written and read
//! once, and once more for each further pass that very many runs take.

mod merge;
mod record;
mod run;
mod union;

use std::path::{Path, PathBuf};

use crate::error::Result;
use merge::Merge;
pub use record::Record;
use run::IO_BYTES;
pub(crate) use run::{SortedRun, SortedRunReader, SortedRunWriter};
pub(crate) use union::Union;

/// Takes records in any order.
pub struct Sorter<R> {
    folder: PathBuf,
    budget: usize,
    capacity: usize,
    buffer: Vec<R>,
    runs: Vec<SortedRun<R>>,
}

impl<R: Record> Sorter<R> {
    /// A sorter that holds at most `budget` bytes in memory and puts its runs into `folder`,
    /// which must exist.
    ///
    /// A budget under 256 KiB is taken for 256 KiB.
    pub fn new(folder: &Path, budget: usize) -> Self {
        let budget = budget.max(4 * IO_BYTES);
        let capacity = (budget - IO_BYTES) / size_of::<R>();
        let (folder, buffer, runs) = (folder.to_owned(), Vec::new(), Vec::new());
        Self { folder, budget, capacity, buffer, runs }
    }

    /// Takes a record.
    ///
    /// # Errors
    /// If a run cannot be written.
    pub fn push(&mut self, record: R) -> Result<()> {
        if self.buffer.len() == self.capacity {
            self.write_run()?;
        }
        if self.buffer.capacity() == 0 {
            // All at once: growing would hold two copies. Pages that are not used cost nothing.
            self.buffer.reserve_exact(self.capacity);
        }
        self.buffer.push(record);
        Ok(())
    }

    /// Whether no record came yet.
    pub fn is_empty(&self) -> bool {
        // A full buffer becomes a run only when another record follows.
        self.buffer.is_empty()
    }

    /// Runs on disk so far.
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    fn write_run(&mut self) -> Result<()> {
        self.buffer.sort_unstable();
        let mut run = SortedRunWriter::create(&self.folder)?;
        for &record in &self.buffer {
            run.push(record)?;
        }
        self.buffer.clear();
        self.runs.push(run.finish()?);
        Ok(())
    }

    /// All records, in order.
    ///
    /// # Errors
    /// If a run cannot be written or read.
    pub fn finish(mut self) -> Result<SortedRecords<R>> {
        if self.runs.is_empty() {
            self.buffer.sort_unstable();
            return Ok(SortedRecords(RecordSource::Memory(self.buffer.into_iter())));
        }
        if !self.buffer.is_empty() {
            self.write_run()?;
        }
        self.buffer = Vec::new();
        // Each run that is merged needs a buffer, and so does the run they become.
        let most = self.budget / IO_BYTES - 1;
        while self.runs.len() > most {
            let rest = self.runs.split_off(most);
            let mut merge = Merge::new(std::mem::replace(&mut self.runs, rest), IO_BYTES)?;
            let mut run = SortedRunWriter::create(&self.folder)?;
            while let Some(record) = merge.next()? {
                run.push(record)?;
            }
            self.runs.push(run.finish()?);
        }
        // Few runs get larger buffers, but no larger than a disk can use.
        let buffer = (self.budget / self.runs.len()).clamp(IO_BYTES, 16 * IO_BYTES);
        Ok(SortedRecords(RecordSource::Disk(Merge::new(self.runs, buffer)?)))
    }
}

/// Records in ascending order. Its runs are removed with it.
pub struct SortedRecords<R>(RecordSource<R>);

enum RecordSource<R> {
    Memory(std::vec::IntoIter<R>),
    Disk(Merge<R>),
}

impl<R: Record> SortedRecords<R> {
    /// The next record; `None` after the last.
    ///
    /// # Errors
    /// If a run cannot be read, or is shorter than it was written.
    #[expect(clippy::should_implement_trait, reason = "an iterator's item would be a result")]
    pub fn next(&mut self) -> Result<Option<R>> {
        match &mut self.0 {
            RecordSource::Memory(records) => Ok(records.next()),
            RecordSource::Disk(merge) => merge.next(),
        }
    }
}

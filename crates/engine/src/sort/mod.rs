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
mod run;
mod union;

use std::path::{Path, PathBuf};

use crate::error::Result;
use lookalike_files::double_word;
use merge::Merge;
pub(crate) use run::{Run, RunReader, RunWriter};
pub(crate) use union::Union;

/// A record of fixed width.
pub trait Record: Copy + Ord {
    /// Its bytes in a run.
    const BYTES: usize;

    /// Writes it into `BYTES` bytes.
    fn encode(self, out: &mut [u8]);

    /// Reads it from `BYTES` bytes.
    fn decode(bytes: &[u8]) -> Self;
}

impl Record for u64 {
    const BYTES: usize = 8;

    fn encode(self, out: &mut [u8]) {
        out.copy_from_slice(&self.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        double_word(bytes, 0)
    }
}

/// Words, the first of which come first.
impl<const N: usize> Record for [u64; N] {
    const BYTES: usize = 8 * N;

    fn encode(self, out: &mut [u8]) {
        for (bytes, word) in out.as_chunks_mut().0.iter_mut().zip(self) {
            *bytes = word.to_le_bytes();
        }
    }

    fn decode(bytes: &[u8]) -> Self {
        std::array::from_fn(|n| double_word(bytes, 8 * n))
    }
}

/// The buffer of a run that is written or read. 64 KiB: a disk is as fast with
/// it as with more, and a budget of 256 MiB can hold thousands.
const IO_BYTES: usize = 64 << 10;

/// Takes records in any order.
pub struct Sorter<R> {
    folder: PathBuf,
    budget: usize,
    capacity: usize,
    buffer: Vec<R>,
    runs: Vec<Run<R>>,
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
        let mut run = RunWriter::create(&self.folder)?;
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
    pub fn finish(mut self) -> Result<Sorted<R>> {
        if self.runs.is_empty() {
            self.buffer.sort_unstable();
            return Ok(Sorted(Source::Memory(self.buffer.into_iter())));
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
            let mut run = RunWriter::create(&self.folder)?;
            while let Some(record) = merge.next()? {
                run.push(record)?;
            }
            self.runs.push(run.finish()?);
        }
        // Few runs get larger buffers, but no larger than a disk can use.
        let buffer = (self.budget / self.runs.len()).clamp(IO_BYTES, 16 * IO_BYTES);
        Ok(Sorted(Source::Disk(Merge::new(self.runs, buffer)?)))
    }
}

/// Records in ascending order. Its runs are removed with it.
pub struct Sorted<R>(Source<R>);

enum Source<R> {
    Memory(std::vec::IntoIter<R>),
    Disk(Merge<R>),
}

impl<R: Record> Sorted<R> {
    /// The next record; `None` after the last.
    ///
    /// # Errors
    /// If a run cannot be read, or is shorter than it was written.
    #[expect(clippy::should_implement_trait, reason = "an iterator's item would be a result")]
    pub fn next(&mut self) -> Result<Option<R>> {
        match &mut self.0 {
            Source::Memory(records) => Ok(records.next()),
            Source::Disk(merge) => merge.next(),
        }
    }
}

//! Sorting more records than fit in memory.
//!
//! Records of a fixed width fill a buffer; a full buffer is sorted and becomes
//! a run on disk; in the end the runs are put together, section by section, as they are read. What fits
//! into the buffer never touches the disk. The order is that of the records
//! alone: it depends neither on the budget nor on the order they came in, and not on the number of
//! threads, which sort the buffer in parts and make sections side by side.
//!
//! Memory stays within the budget, whatever the number of records, and however
//! often one key occurs. Time is O(n log n); every record is written and read
//! once, and once more for each further pass that very many runs take.

mod record;
mod run;
mod sections;
mod union;

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use crate::error::Result;
use crate::team;
pub use record::Record;
use run::BLOCK_BYTES;
pub(crate) use run::{SortedRun, SortedRunReader, SortedRunWriter};
use sections::{Section, Sections};
pub(crate) use union::Union;

/// The least that is worth a thread of its own to sort: a millisecond.
const LEAST_PART: usize = 1 << 14;

/// Blocks of a section, about: 2 MiB, for the second-level cache.
const SECTION_BLOCKS: usize = 64;

/// Takes records in any order.
pub struct Sorter<R> {
    folder: PathBuf,
    threads: usize,
    budget: usize,
    block: usize,
    capacity: usize,
    buffer: Vec<R>,
    /// Each in several files that follow each other.
    runs: Vec<Vec<SortedRun<R>>>,
}

impl<R: Record> Sorter<R> {
    /// A sorter that holds at most `budget` bytes in memory and puts its runs into `folder`,
    /// which must exist.
    ///
    /// A budget under 256 KiB is taken for 256 KiB.
    pub fn new(folder: &Path, budget: usize) -> Self {
        Self::on_threads(1, folder, budget)
    }

    /// The same, sorting on so many threads.
    pub fn on_threads(threads: usize, folder: &Path, budget: usize) -> Self {
        let budget = budget.max(256 << 10);
        // A 64th for each block that is written or read, so that enough runs can be put together.
        let block = (budget / 64).min(BLOCK_BYTES);
        let threads = threads.clamp(1, budget / 4 / block);
        let capacity = (budget - threads * block) / size_of::<R>();
        let (folder, buffer, runs) = (folder.to_owned(), Vec::new(), Vec::new());
        Self { folder, threads, budget, block, capacity, buffer, runs }
    }

    /// Takes a record.
    ///
    /// # Errors
    /// If a run cannot be written.
    #[inline]
    pub fn push(&mut self, record: R) -> Result<()> {
        if self.buffer.len() == self.buffer.capacity() {
            self.make_room()?;
        }
        self.buffer.push(record);
        Ok(())
    }

    /// Takes records that are sorted already.
    pub(crate) fn take_run(&mut self, run: SortedRun<R>) {
        self.runs.push(vec![run]);
    }

    /// Whether no record came yet.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty() && self.runs.is_empty()
    }

    /// Runs on disk so far.
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    fn make_room(&mut self) -> Result<()> {
        if self.buffer.capacity() == 0 {
            // All at once: growing would hold two copies. Pages that are not used cost nothing.
            self.buffer.reserve_exact(self.capacity);
        } else {
            self.write_run()?;
        }
        Ok(())
    }

    fn write_run(&mut self) -> Result<()> {
        let (folder, block) = (&self.folder, self.block);
        let write = |part: &mut [R]| {
            part.sort_unstable();
            let mut run = SortedRunWriter::with_blocks(folder, block)?;
            part.iter().try_for_each(|&record| run.push(record))?;
            run.finish()
        };
        let files = in_parts(&mut self.buffer, self.threads, &write);
        self.runs.push(files.into_iter().collect::<Result<_>>()?);
        self.buffer.clear();
        Ok(())
    }

    /// All records, in order.
    ///
    /// # Errors
    /// If a run cannot be written or read.
    pub fn finish(mut self) -> Result<SortedRecords<R>> {
        if self.runs.is_empty() {
            in_parts(&mut self.buffer, self.threads, &<[R]>::sort_unstable);
            return Ok(SortedRecords(RecordSource::Memory(self.buffer.into_iter())));
        }
        if !self.buffer.is_empty() {
            self.write_run()?;
        }
        self.buffer = Vec::new();
        // Sections that are in memory at once, one of them with as much again to sort it in.
        let sections = team::under_way(self.threads) + self.threads + 1;
        let block = self.block / R::BYTES * size_of::<R>();
        let blocks = self.budget / sections / block;
        // Every run may have a block more than its share, and one that is constant but for its end.
        // Sections of twice as many blocks as there are runs do not read too many of them twice.
        let most = (blocks / 4).max(2);
        while self.runs.len() > most {
            let rest = self.runs.split_off(most);
            let runs = std::mem::replace(&mut self.runs, rest);
            let mut run = SortedRunWriter::with_blocks(&self.folder, self.block)?;
            self.merged(runs, most)?.for_each(|record| run.push(record))?;
            self.runs.push(vec![run.finish()?]);
        }
        let runs = std::mem::take(&mut self.runs);
        let longer = runs.len().max(SECTION_BLOCKS / 2).min(most);
        self.merged(runs, longer)
    }

    /// Runs as one, in sections of twice so many blocks.
    fn merged(&self, runs: Vec<Vec<SortedRun<R>>>, blocks: usize) -> Result<SortedRecords<R>> {
        let sections = Sections::of(runs.into_iter().flatten().collect(), 2 * blocks)?;
        let (threads, next, section) = (self.threads, 0, Section::none());
        Ok(SortedRecords(RecordSource::Disk(Merge { threads, sections, next, section })))
    }
}

/// Does `each` with parts of the records, side by side: a record of a part is not larger than one of
/// a later part.
fn in_parts<R: Record, U: Send>(
    records: &mut [R],
    parts: usize,
    each: &(impl Fn(&mut [R]) -> U + Sync),
) -> Vec<U> {
    if parts < 2 || records.len() < 2 * LEAST_PART {
        return vec![each(records)];
    }
    let lower = parts / 2;
    let middle = records.len() / parts * lower;
    records.select_nth_unstable(middle);
    let (low, high) = records.split_at_mut(middle);
    thread::scope(|scope| {
        let low = scope.spawn(|| in_parts(low, lower, each));
        let high = in_parts(high, parts - lower, each);
        let mut all = low.join().unwrap_or_else(|panic| resume_unwind(panic));
        all.extend(high);
        all
    })
}

/// Records in ascending order. Its runs are removed with it.
pub struct SortedRecords<R>(RecordSource<R>);

enum RecordSource<R> {
    Memory(std::vec::IntoIter<R>),
    Disk(Merge<R>),
}

/// Runs as one.
struct Merge<R> {
    threads: usize,
    sections: Sections<R>,
    /// The section that comes next, and what is left of the one at hand.
    next: usize,
    section: Section<R>,
}

impl<R: Record> SortedRecords<R> {
    /// The next record; `None` after the last.
    ///
    /// # Errors
    /// If a run cannot be read, or is not what was written.
    #[expect(clippy::should_implement_trait, reason = "an iterator's item would be a result")]
    #[inline]
    pub fn next(&mut self) -> Result<Option<R>> {
        match &mut self.0 {
            RecordSource::Memory(records) => Ok(records.next()),
            RecordSource::Disk(merge) => merge.next(),
        }
    }

    /// Calls `each` with all that are left, in order, while threads make those that follow.
    ///
    /// # Errors
    /// As [`next`](Self::next); and what `each` gives, which ends it.
    pub fn for_each(self, mut each: impl FnMut(R) -> Result<()>) -> Result<()> {
        match self.0 {
            RecordSource::Memory(mut records) => records.try_for_each(each),
            RecordSource::Disk(Merge { threads, sections, next, mut section }) => {
                section.try_for_each(&mut each)?;
                team::in_order(
                    threads,
                    || |number| sections.section(number),
                    |mut section: Section<R>| section.try_for_each(&mut each),
                    |give| (next..sections.len()).try_for_each(give),
                )
            }
        }
    }
}

impl<R: Record> Merge<R> {
    #[inline]
    fn next(&mut self) -> Result<Option<R>> {
        loop {
            let record = self.section.next();
            if record.is_some() || self.next == self.sections.len() {
                return Ok(record);
            }
            // Before the next is made: only one is in memory.
            self.section = Section::none();
            self.section = self.sections.section(self.next)?;
            self.next += 1;
        }
    }
}

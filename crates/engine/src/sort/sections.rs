//! Many sorted runs as one: in sections, each of which is put together by itself.
//!
//! ```text
//! run 1   a c f | h i k | m p q        the first records of all blocks, in order:   a b h k m r
//! run 2   b d e | k l n | r s t        every third of them begins a section:        a    k
//! ```
//!
//! A section has the records from its beginning up to that of the next one. It is read from the
//! blocks of all runs that may have such records, of which those at its ends are read for its
//! neighbours too, and sorted: runs that are in order already cost a comparison a record and run.
//! So sections can be made on several threads, and one after another they are all records.
//!
//! Whatever occurs very often takes no memory: blocks that have nothing but the first record of a
//! section are counted, and not read.

use super::record::Record;
use super::run::{OpenRun, SortedRun};
use crate::error::Result;

/// Sorted runs, and where sections begin.
pub(super) struct Sections<R> {
    runs: Vec<OpenRun<R>>,
    begins: Vec<R>,
}

/// Some of all records: first one that is there so often, then the others.
pub(super) struct Section<R> {
    repeated: Option<R>,
    times: u64,
    records: std::vec::IntoIter<R>,
}

impl<R: Record> Sections<R> {
    /// The sections of these runs, each of the records of about so many blocks. Where a run may have
    /// several files, they follow each other.
    pub(super) fn of(runs: Vec<SortedRun<R>>, blocks: usize) -> Result<Self> {
        let mut begins: Vec<R> = runs.iter().flat_map(SortedRun::block_begins).collect();
        begins.sort_unstable();
        begins = begins.into_iter().step_by(blocks.max(1)).collect();
        begins.dedup();
        let runs = runs.into_iter().map(SortedRun::open).collect::<Result<_>>()?;
        Ok(Self { runs, begins })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.begins.len()
    }

    /// Makes one of them.
    pub(super) fn section(&self, number: usize) -> Result<Section<R>> {
        let (begin, end) = (self.begins[number], self.begins.get(number + 1).copied());
        let (mut times, mut records, mut bytes) = (0, Vec::new(), Vec::new());
        for run in &self.runs {
            times += run.read_between(begin, end, &mut records, &mut bytes)?;
        }
        // Not the unstable sort: this one finds what is in order already.
        records.sort();
        Ok(Section { repeated: Some(begin), times, records: records.into_iter() })
    }
}

impl<R> Section<R> {
    /// Nothing.
    pub(super) fn none() -> Self {
        Self { repeated: None, times: 0, records: Vec::new().into_iter() }
    }
}

impl<R: Record> Iterator for Section<R> {
    type Item = R;

    #[inline]
    fn next(&mut self) -> Option<R> {
        if self.times > 0 {
            self.times -= 1;
            return self.repeated;
        }
        self.records.next()
    }
}

//! Many sorted runs as one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::record::Record;
use super::run::{SortedRun, SortedRunReader};
use crate::error::Result;

/// Always gives the smallest of the runs' first records.
pub(super) struct Merge<R> {
    runs: Vec<SortedRunReader<R>>,
    /// The first record of each run that has one, with the run's number.
    heads: BinaryHeap<Reverse<(R, usize)>>,
}

impl<R: Record> Merge<R> {
    /// Merges `runs`, each through a buffer of this many bytes.
    pub(super) fn new(runs: Vec<SortedRun<R>>, buffer: usize) -> Result<Self> {
        let runs =
            runs.into_iter().map(|run| run.read_through(buffer)).collect::<Result<Vec<_>>>()?;
        let mut merge = Self { heads: BinaryHeap::with_capacity(runs.len()), runs };
        for (number, run) in merge.runs.iter_mut().enumerate() {
            merge.heads.extend(run.next()?.map(|record| Reverse((record, number))));
        }
        Ok(merge)
    }

    pub(super) fn next(&mut self) -> Result<Option<R>> {
        let Some(mut head) = self.heads.peek_mut() else { return Ok(None) };
        let Reverse((smallest, number)) = *head;
        // The run's next record takes its place; the heap sinks it once.
        match self.runs[number].next()? {
            Some(record) => *head = Reverse((record, number)),
            None => {
                PeekMut::pop(head);
            }
        }
        Ok(Some(smallest))
    }
}

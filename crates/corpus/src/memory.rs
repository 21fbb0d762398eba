//! Tables in memory: Arrow record batches as inputs.
//!
//! They are read as Parquet files are, without the file: the same columns, the same types, the
//! same faults of rows. Chunks are slices, so that no text is copied.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::RecordBatch;

use crate::error::{Error, ErrorKind, Result};

/// The most rows of a chunk, for tables of very short ones.
const MAX_ROWS: usize = 8192;

/// What a row takes besides its text, about.
const ROW_BYTES: usize = 64;

/// Tables in memory, by their names. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Tables(Arc<BTreeMap<String, Batches>>);

/// The rows of a table, in order.
pub(crate) type Batches = Arc<[RecordBatch]>;

impl Tables {
    /// One table. Its name is what ids of rows without one begin with.
    pub fn one(name: &str, batches: Vec<RecordBatch>) -> Self {
        Self(Arc::new([(name.to_owned(), batches.into())].into()))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Batches> {
        self.0.get(name)
    }

    /// The tables in the order of their names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &Batches)> {
        self.0.iter()
    }
}

/// A table of a name, which may be only a name: one that was written down.
#[derive(Clone, Debug)]
pub(crate) struct MemoryTable {
    pub(crate) name: String,
    pub(crate) batches: Option<Batches>,
}

impl MemoryTable {
    pub(crate) fn batches(&self) -> Result<&Batches> {
        let gone = || Error::from(ErrorKind::NotInMemory(self.name.clone()));
        self.batches.as_ref().ok_or_else(gone)
    }
}

/// Rows in all.
pub(crate) fn rows(batches: &[RecordBatch]) -> u64 {
    batches.iter().map(|batch| batch.num_rows() as u64).sum()
}

/// Bytes of memory, those of buffers that are shared counted each time.
pub(crate) fn bytes(batches: &[RecordBatch]) -> u64 {
    batches.iter().map(|batch| batch.get_array_memory_size() as u64).sum()
}

/// The rows of a table, some at a time.
pub(crate) struct Slices {
    batches: Batches,
    chunk_bytes: usize,
    /// The batch and the row in it that come next.
    next: (usize, usize),
}

impl Slices {
    pub(crate) fn new(batches: Batches, chunk_bytes: usize) -> Self {
        Self { batches, chunk_bytes, next: (0, 0) }
    }

    /// The next rows, and about how many bytes they have. `lengths` hands on the length of
    /// each row's text in turn, as long as more are wanted.
    pub(crate) fn next(
        &mut self,
        lengths: impl FnOnce(&RecordBatch, &mut dyn FnMut(usize) -> ControlFlow<()>),
    ) -> Option<(RecordBatch, usize)> {
        let batch = loop {
            let batch = self.batches.get(self.next.0)?;
            if self.next.1 < batch.num_rows() {
                break batch;
            }
            self.next = (self.next.0 + 1, 0);
        };
        let from = self.next.1;
        let ahead = batch.slice(from, MAX_ROWS.min(batch.num_rows() - from));
        let (mut rows, mut bytes) = (0, 0);
        lengths(&ahead, &mut |length| {
            rows += 1;
            bytes += length + ROW_BYTES;
            if bytes < self.chunk_bytes {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        self.next.1 += rows;
        Some((ahead.slice(0, rows), bytes))
    }
}

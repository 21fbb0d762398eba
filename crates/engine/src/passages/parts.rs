//! The second pass over documents: the parts that have anchors which stand elsewhere.

use std::sync::{Mutex, PoisonError};

use lookalike_core::text::{Unit, keyed_spans};
use lookalike_files::RowsWriter;

use super::anchors::Anchors;
use super::links::{LinkSorter, Spot};
use super::part::{ClassKey, PART_BYTES, PART_STARTS, Part, PartMaker, Rest, START_BYTES};
use super::read::{Reading, Text};
use super::windows::WindowMaker;
use crate::error::Result;
use crate::files::Files;
use crate::means::Means;
use crate::order::Order;
use crate::pipeline::Payload;
use crate::places::Row;
use crate::sort::{Record as _, Sorter};

/// Bytes of a batch. What is more goes on before the document ends, so that one of any length takes no more.
const KEPT: usize = 1 << 20;

impl Reading<'_> {
    /// Writes the parts of documents that have such anchors, and takes down their windows.
    pub(super) fn parts(&self, order: &Order) -> Result<LinkSorter> {
        let Means { files, budget, .. } = self.means;
        let anchors = Anchors::open(files)?;
        let wanted = anchors.documents(self.documents)?;
        let sink = Mutex::new(PartSink::create(files, order, budget / 4)?);
        let take = |batch: &mut PartBatch| {
            let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
            sink.take(batch)
        };
        self.run(
            budget / 2,
            &wanted,
            || {
                let windows = WindowMaker::new(self.means.key, self.rule.min_words);
                let mut maker = PartMaker::new(windows, self.rule.cut);
                let mut rest = Rest::default();
                let (anchors, take) = (&anchors, &take);
                move |row: Row, text: Text<'_>, batch: &mut PartBatch| {
                    rest.begin(!text.is_cut());
                    let wanted = |tokens| anchors.of(row, tokens);
                    let mut made = Ok(());
                    let mut more = |rest: &mut Rest, is_end| {
                        maker.parts(rest, is_end, wanted, |part, keys| {
                            batch.add(row, part, keys);
                            if batch.bytes() > KEPT { take(batch) } else { Ok(()) }
                        })
                    };
                    text.for_each_piece(self.means, |piece| {
                        if made.is_ok() {
                            let spans = keyed_spans(Unit::Words, piece, self.means.key);
                            rest.add(piece.bytes(), spans);
                            made = more(&mut rest, false);
                        }
                    })?;
                    made?;
                    more(&mut rest, true)
                }
            },
            |mut batch: PartBatch| take(&mut batch),
        )?;
        sink.into_inner().unwrap_or_else(PoisonError::into_inner).finish()
    }
}

/// Parts of some documents.
#[derive(Default)]
struct PartBatch {
    bytes: Vec<u8>,
    parts: Vec<BatchPart>,
    keys: Vec<(u32, ClassKey)>,
}

struct BatchPart {
    row: Row,
    first: u32,
    bytes: usize,
    keys: usize,
}

impl PartBatch {
    fn add(&mut self, row: Row, part: &Part, keys: &[ClassKey]) {
        let start = self.bytes.len();
        part.encode(&mut self.bytes);
        let (first, bytes) = (part.first, self.bytes.len() - start);
        self.keys.extend(part.classes.iter().map(|at| first + at).zip(keys.iter().copied()));
        self.parts.push(BatchPart { row, first, bytes, keys: keys.len() });
    }
}

impl Payload for PartBatch {
    fn bytes(&self) -> usize {
        self.bytes.len() + size_of::<(u32, ClassKey)>() * self.keys.len()
    }
}

/// What writes parts, in any order.
struct PartSink<'a> {
    order: &'a Order,
    bytes: RowsWriter,
    written: u64,
    /// The row and the first token of each part, where it begins, and how long it is.
    starts: Sorter<[u64; 3]>,
    starts_file: RowsWriter,
    windows: LinkSorter,
}

impl<'a> PartSink<'a> {
    fn create(files: &Files, order: &'a Order, budget: usize) -> Result<Self> {
        Ok(Self {
            order,
            bytes: RowsWriter::create(&files.passage_parts(), PART_BYTES, 1)?,
            written: 0,
            starts: Sorter::new(&files.sorting(), budget / 8),
            starts_file: RowsWriter::create(
                &files.passage_part_starts(),
                PART_STARTS,
                START_BYTES,
            )?,
            windows: LinkSorter::new(&files.sorting(), budget / 8 * 7),
        })
    }

    /// Empties a batch.
    fn take(&mut self, batch: &mut PartBatch) -> Result<()> {
        self.bytes.push(&batch.bytes)?;
        batch.bytes.clear();
        let mut all_keys = batch.keys.drain(..);
        for BatchPart { row, first, bytes, keys } in batch.parts.drain(..) {
            let bytes = bytes as u64;
            self.starts.push([u64::from(row) << 32 | u64::from(first), self.written, bytes])?;
            self.written += bytes;
            let document = self.order.place(row).index() as u32;
            for (token, key) in all_keys.by_ref().take(keys) {
                self.windows.push(Spot { document, token }, key)?;
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<LinkSorter> {
        let Self { bytes, starts, mut starts_file, windows, .. } = self;
        bytes.finish()?;
        let mut starts = starts.finish()?;
        let mut row = [0; START_BYTES];
        while let Some(start) = starts.next()? {
            start.encode(&mut row);
            starts_file.push(&row)?;
        }
        starts_file.finish()?;
        Ok(windows)
    }
}

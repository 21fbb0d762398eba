//! How documents are read, and the second pass over them: the parts that have anchors which stand elsewhere.

use std::sync::{Mutex, PoisonError};

use lookalike_core::text::{Unit, keyed_spans};
use lookalike_corpus::{ContentKind, Format, Record, Source};
use lookalike_files::RowsWriter;

use super::anchors::Anchors;
use super::links::{LinkSorter, Spot};
use super::part::{ClassKey, PART_BYTES, PART_STARTS, Part, PartMaker, Rest, START_BYTES};
use super::rule::PassageRule;
use super::windows::WindowMaker;
use crate::document_set::RowSet;
use crate::error::{Error, Result};
use crate::files::Files;
use crate::long_text;
use crate::means::Means;
use crate::order::Order;
use crate::pipeline::{Event, Payload, Piece};
use crate::places::Row;
use crate::sort::{Record as _, Sorter};
use crate::sources::{SourceAtHand, SourceTable};

/// What the passes read.
pub(super) struct Reading<'a> {
    pub(super) means: Means<'a>,
    pub(super) rule: &'a PassageRule,
    pub(super) sources: &'a SourceTable,
    /// How many documents there are, and those that are looked at.
    pub(super) documents: u64,
    pub(super) wanted: RowSet,
}

/// Whether texts of a source can be cut: pages and archives stay as they are, and so do columns whose
/// texts are put together of lists.
pub(crate) fn can_be_cut(format: Format, field: &str) -> bool {
    match format {
        Format::Html | Format::Warc => false,
        Format::Parquet | Format::Arrow => !field.contains("[]"),
        _ => true,
    }
}

impl Reading<'_> {
    /// Writes the parts of documents that have such anchors, and takes down their windows.
    pub(super) fn parts(&self, wanted: &RowSet, order: &Order) -> Result<LinkSorter> {
        let Means { files, budget, .. } = self.means;
        let anchors = Anchors::open(files)?;
        let sink = Mutex::new(PartSink::create(files, order, budget / 4)?);
        let take = |batch: &mut PartBatch| {
            let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
            sink.take(batch)
        };
        self.run(
            budget / 2,
            wanted,
            || {
                let windows = WindowMaker::new(self.means.key, self.rule.min_words);
                let mut maker = PartMaker::new(windows, self.rule.cut);
                let mut rest = Rest::default();
                let (anchors, take) = (&anchors, &take);
                move |row: Row, text: Text<'_>, batch: &mut PartBatch| {
                    rest.begin();
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
                            rest.add(piece, keyed_spans(Unit::Words, piece, self.means.key));
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

    /// Reads the texts that can be cut, on all threads, and hands on what is made of them, in order.
    pub(super) fn run<T: Payload + Default, W: FnMut(Row, Text<'_>, &mut T) -> Result<()>>(
        &self,
        budget: usize,
        wanted: &RowSet,
        worker: impl Fn() -> W + Sync,
        mut sink: impl FnMut(T) -> Result<()> + Send,
    ) -> Result<()> {
        let observer = self.means.observer;
        let needed = self.sources.to_read_again(|row| {
            can_be_cut(row.source.format(), &self.means.read.fields.text) && wanted.any(&row.rows())
        });
        self.means.pipeline(budget).run(
            needed,
            || {
                let mut source = self.sources.at_hand();
                let mut work = worker();
                Ok(move |number, piece: Piece| {
                    Self::piece(wanted, &mut source, number, &piece, &mut work)
                })
            },
            |event| match event {
                Event::Result(Counted { made, bytes, documents }) => {
                    observer.advance(bytes, documents);
                    sink(made)
                }
                Event::End { number, fault, .. } => self.sources.check_end(number, fault),
            },
        )
    }

    fn piece<T: Payload + Default>(
        wanted: &RowSet,
        source: &mut SourceAtHand<'_>,
        number: u64,
        piece: &Piece,
        work: &mut impl FnMut(Row, Text<'_>, &mut T) -> Result<()>,
    ) -> Result<Counted<T>> {
        let row = source.get(number)?;
        let mut counted = Counted::default();
        match piece {
            Piece::LongText(text) => {
                if let Some(row) = row.row_of(1).filter(|row| wanted.contains(*row)) {
                    work(row, Text::Long(text), &mut counted.made)?;
                    counted.documents = 1;
                }
            }
            Piece::Chunk(chunk) => {
                let stays = |record| row.row_of(record).filter(|row| wanted.contains(*row));
                let mut made = Ok(());
                chunk.for_each_wanted(
                    |record| stays(record).is_some(),
                    |record| {
                        let one = record.map_err(Error::from).and_then(|record: Record<'_>| {
                            counted.bytes += record.content.len() as u64;
                            counted.documents += 1;
                            match stays(record.number) {
                                Some(row) if record.kind == ContentKind::Text => {
                                    work(row, Text::Whole(&record.content), &mut counted.made)
                                }
                                _ => Ok(()),
                            }
                        });
                        made = std::mem::replace(&mut made, Ok(())).and(one);
                    },
                );
                made?;
            }
        }
        Ok(counted)
    }
}

/// Bytes of a batch. What is more goes on before the document ends, so that one of any length takes no more.
const KEPT: usize = 1 << 20;

/// A text, whole or in a file that is too long for memory.
pub(super) enum Text<'a> {
    Whole(&'a [u8]),
    Long(&'a Source),
}

impl Text<'_> {
    /// Calls `each` with the pieces of a text, which have its tokens. What is made of one that is in memory
    /// takes a multiple of it, so that it comes in pieces as well.
    pub(super) fn for_each_piece(&self, means: Means<'_>, each: impl FnMut(&[u8])) -> Result<()> {
        match self {
            Text::Whole(text) => long_text::for_each_piece_of(text, Unit::Words, each)?,
            Text::Long(source) => {
                let mut read = means.read.clone();
                // Places in texts are of four bytes.
                let limit = &mut read.limits.max_document_bytes;
                *limit = (*limit).min(u32::MAX.into());
                long_text::for_each_piece(source, &read, Unit::Words, each)?;
            }
        }
        Ok(())
    }
}

/// What was made of some documents.
#[derive(Default)]
struct Counted<T> {
    made: T,
    bytes: u64,
    documents: u64,
}

impl<T: Payload> Payload for Counted<T> {
    fn bytes(&self) -> usize {
        self.made.bytes()
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

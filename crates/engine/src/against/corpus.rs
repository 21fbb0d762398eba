//! Reading one of the two sides: the first time by its names, later by what was found then.

use std::ops::Range;
use std::path::{Path, PathBuf};

use lookalike_core::text::{self, Unit};
use lookalike_corpus::{ReadOptions, Source};

use crate::bad_records::BadRecords;
use crate::error::{Error, ErrorKind, Result};
use crate::inputs::Inputs;
use crate::long_text;
use crate::observe::Observer;
use crate::pipeline::{Event, Payload, Piece, Pipeline};
use crate::places::Row;
use crate::skips::{Faults, Skips};
use crate::sources::{InputVersions, SourceRow, SourceTable, SourcesWriter};
use crate::texts::Texts;

/// One side.
pub(super) struct Corpus<'a> {
    pub(super) inputs: Inputs<'a>,
    pub(super) options: &'a ReadOptions,
    pub(super) unit: Unit,
    pub(super) threads: usize,
    /// Bytes of results that may wait for earlier ones.
    pub(super) ahead: usize,
    pub(super) strict: bool,
    pub(super) observer: &'a dyn Observer,
    /// For standard input, which can be read only once.
    pub(super) spool: &'a Path,
    /// The file of what was found in the first reading.
    pub(super) table: PathBuf,
}

/// What the first reading found.
#[derive(Clone, Debug, Default)]
pub(super) struct ReferenceCounts {
    pub(super) documents: u64,
    pub(super) bytes: u64,
    pub(super) other_files: u64,
    pub(super) skips: Skips,
}

/// A document that can be read as often as needed, and its bytes.
pub(super) enum Text<'a> {
    Whole(text::Text<'a>, u64),
    /// Too long to be in memory.
    Long(&'a Source, &'a ReadOptions, Unit),
}

impl Text<'_> {
    /// Calls `each` with pieces that have the tokens of the whole; the bytes of all of them.
    pub(super) fn for_each_piece(&self, mut each: impl FnMut(text::Text<'_>)) -> Result<u64> {
        match self {
            Self::Whole(text, bytes) => {
                each(*text);
                Ok(*bytes)
            }
            Self::Long(source, options, unit) => {
                let mut bytes = 0;
                let read = long_text::for_each_piece(source, options, *unit, |piece| {
                    bytes += piece.len() as u64;
                    each(piece.into());
                });
                read.map(|()| bytes).map_err(Error::from)
            }
        }
    }
}

/// What is made of documents, on one thread.
pub(super) trait Reader {
    type Product: Payload + Default;

    /// Takes a document; `number` counts those of a batch. Its bytes.
    fn document(
        &mut self,
        number: u64,
        id: &str,
        text: &Text<'_>,
        made: &mut Self::Product,
    ) -> Result<u64>;
}

/// What was made of a piece of a source.
#[derive(Default)]
struct Batch<M> {
    /// The source's number.
    number: u64,
    made: M,
    documents: u64,
    bytes: u64,
    /// Records that cannot be read.
    bad: Faults,
}

impl<M: Payload> Payload for Batch<M> {
    fn bytes(&self) -> usize {
        self.made.bytes() + self.bad.bytes()
    }
}

impl Corpus<'_> {
    /// Reads everything for the first time; `sink` gets what was made and the row of the first
    /// document of it, in order.
    pub(super) fn read<R: Reader>(
        &self,
        reader: impl Fn() -> R + Sync,
        mut sink: impl FnMut(Row, R::Product) -> Result<()> + Send,
    ) -> Result<ReferenceCounts> {
        let mut listing = self.inputs.list(self.strict, self.observer)?;
        let listed = listing.by_ref().map(|listed| {
            let (number, source) = listed?;
            Ok((number, source.spool(self.spool)?))
        });
        let mut table = SourcesWriter::create(&self.table)?;
        let mut counted = ReferenceCounts::default();
        // Documents and bad records of the source so far.
        let (mut documents, mut bad) = (0, BadRecords::default());
        let watched = InputVersions::default();
        self.pipeline().run(
            watched.watch(listed),
            || Ok(self.worker(reader())),
            |event| match event {
                Event::Result(batch) => {
                    let row = Row::nth(counted.documents);
                    documents += batch.documents;
                    counted.documents += batch.documents;
                    Row::check_count(counted.documents)?;
                    counted.bytes += batch.bytes;
                    bad.append(&batch.bad.records);
                    counted.skips.skip_records(batch.bad, self.strict, self.observer)?;
                    self.observer.advance(batch.bytes, batch.documents);
                    sink(row, batch.made)
                }
                Event::End { source, fault, .. } => {
                    let broken = fault.is_some();
                    if let Some(fault) = fault {
                        counted.skips.skip(Error::from(fault), self.strict, self.observer)?;
                    }
                    let (bytes, modified) = watched.ended(&source)?;
                    let first_row = Row::nth(counted.documents - documents);
                    let (documents, bad) =
                        (std::mem::take(&mut documents), std::mem::take(&mut bad));
                    let row = SourceRow {
                        source,
                        bytes,
                        modified,
                        first_row,
                        documents,
                        bad,
                        broken,
                        fields: None,
                        of_run: None,
                    };
                    table.push(&row)
                }
            },
        )?;
        table.finish()?;
        let listed = listing.finish();
        counted.other_files = listed.other_files;
        counted.skips.merge(listed.skips);
        Ok(counted)
    }

    /// Reads the sources that have any of these rows again; more rows than these may come.
    pub(super) fn read_again<R: Reader>(
        &self,
        rows: Range<Row>,
        reader: impl Fn() -> R + Sync,
        mut sink: impl FnMut(Row, R::Product) -> Result<()> + Send,
    ) -> Result<()> {
        let table = SourceTable::open(&self.table)?;
        let wanted = |row: &SourceRow| row.first_row < rows.end && rows.start < row.rows().end;
        let listed = table.to_read_again(wanted);
        // The source at hand, and the row of its next document.
        let (mut at_hand, mut next) = (None, Row::nth(0));
        self.pipeline().run(
            listed,
            || Ok(self.worker(reader())),
            |event| match event {
                Event::Result(batch) => {
                    if at_hand != Some(batch.number) {
                        at_hand = Some(batch.number);
                        next = table.get(batch.number as usize)?.first_row;
                    }
                    let row = next;
                    next = row.after(batch.documents);
                    self.observer.advance(batch.bytes, batch.documents);
                    sink(row, batch.made)
                }
                Event::End { number, fault, .. } => table.check_end(number, fault),
            },
        )
    }

    fn pipeline(&self) -> Pipeline<'_> {
        let Self { options, threads, ahead, observer, .. } = *self;
        Pipeline { options, threads, ahead, at_once: 2 * ahead, observer }
    }

    fn worker<R: Reader>(
        &self,
        mut reader: R,
    ) -> impl FnMut(u64, Piece) -> Result<Batch<R::Product>> {
        let mut texts = Texts::new();
        move |number, piece| {
            let mut batch = Batch { number, ..Batch::default() };
            let mut failure = Ok(());
            let mut take =
                |batch: &mut Batch<R::Product>, record, id: &str, text: &Text<'_>| match reader
                    .document(batch.documents, id, text, &mut batch.made)
                {
                    Ok(bytes) => {
                        batch.documents += 1;
                        batch.bytes += bytes;
                    }
                    Err(fault) if matches!(fault.kind(), ErrorKind::Input(_)) => {
                        batch.bad.push(record, fault);
                    }
                    Err(error) => failure = Err(error),
                };
            match piece {
                Piece::LongText(source) => {
                    let text = Text::Long(&source, self.options, self.unit);
                    take(&mut batch, 1, source.id(), &text);
                }
                Piece::Chunk(chunk) => {
                    let mut record = chunk.first_record();
                    chunk.for_each(|result| {
                        match result {
                            Ok(document) => {
                                let text = texts.of_record(&document);
                                let bytes = document.content.len() as u64;
                                let text = Text::Whole(text, bytes);
                                take(&mut batch, record, &document.id, &text);
                            }
                            Err(fault) => batch.bad.push(record, Error::from(fault)),
                        }
                        record += 1;
                    });
                }
            }
            failure.map(|()| batch)
        }
    }
}

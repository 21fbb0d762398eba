//! How the passes read documents, on all threads.

use lookalike_core::text::{self, Unit};
use lookalike_corpus::{ContentKind, Format, Limits, Record, Source};

use super::rule::PassageRule;
use crate::document_set::RowSet;
use crate::error::{Error, Result};
use crate::long_text;
use crate::means::Means;
use crate::pipeline::{Event, Payload, Piece};
use crate::places::Row;
use crate::sources::{SourceRow, SourceTable};
use crate::texts::Texts;

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
/// texts are put together of lists. What repeats in these is only annotated.
pub(crate) fn can_be_cut(format: Format, field: &str) -> bool {
    match format {
        Format::Html | Format::Warc => false,
        Format::Parquet | Format::Arrow => !field.contains("[]"),
        _ => true,
    }
}

/// The longest text that can be cut: places in it are of four bytes.
pub(crate) fn longest_cut(limits: &Limits) -> u64 {
    limits.max_document_bytes.min(u32::MAX.into())
}

impl Reading<'_> {
    /// Reads the texts, on all threads, and hands on what is made of them, in order.
    pub(super) fn run<T: Payload + Default, W: FnMut(Row, Text<'_>, &mut T) -> Result<()>>(
        &self,
        budget: usize,
        wanted: &RowSet,
        worker: impl Fn() -> W + Sync,
        mut sink: impl FnMut(T) -> Result<()> + Send,
    ) -> Result<()> {
        let observer = self.means.observer;
        let needed = self.sources.to_read_again(|row| wanted.any(&row.rows()));
        self.means.pipeline(budget).run(
            needed,
            || {
                let (mut source, mut texts) = (self.sources.at_hand(), Texts::new());
                let mut work = worker();
                Ok(move |number, piece: Piece| {
                    let row = source.get(number)?;
                    self.piece(wanted, row, &piece, &mut texts, &mut work)
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
        &self,
        wanted: &RowSet,
        row: &SourceRow,
        piece: &Piece,
        texts: &mut Texts,
        work: &mut impl FnMut(Row, Text<'_>, &mut T) -> Result<()>,
    ) -> Result<Counted<T>> {
        let is_cut = can_be_cut(row.source.format(), &self.means.read.fields.text);
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
                            let Some(row) = stays(record.number) else { return Ok(()) };
                            let text = texts.of_record(&record);
                            let text = if is_cut && record.kind == ContentKind::Text {
                                Text::Whole(text)
                            } else {
                                Text::Annotated(text)
                            };
                            work(row, text, &mut counted.made)
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

/// A text, whole or in a file that is too long for memory.
pub(super) enum Text<'a> {
    Whole(text::Text<'a>),
    /// What a visitor sees of a page, or another text that is not written again: nothing is cut of it.
    Annotated(text::Text<'a>),
    Long(&'a Source),
}

impl Text<'_> {
    pub(super) fn is_cut(&self) -> bool {
        !matches!(self, Self::Annotated(_))
    }

    /// Calls `each` with the pieces of a text, which have its tokens. What is made of one that is in memory
    /// takes a multiple of it, so that it comes in pieces as well.
    pub(super) fn for_each_piece(
        &self,
        means: Means<'_>,
        mut each: impl FnMut(text::Text<'_>),
    ) -> Result<()> {
        match self {
            Text::Whole(text) | Text::Annotated(text) => {
                let mut read = Ok(());
                text.for_each_piece(|piece| {
                    if piece.atoms().is_empty() {
                        let cut =
                            long_text::for_each_piece_of(piece.bytes(), Unit::Words, |piece| {
                                each(piece.into());
                            });
                        read = std::mem::replace(&mut read, Ok(())).and(cut);
                    } else {
                        each(piece);
                    }
                });
                read?;
            }
            Text::Long(source) => {
                let mut read = means.read.clone();
                read.limits.max_document_bytes = longest_cut(&read.limits);
                long_text::for_each_piece(source, &read, Unit::Words, |piece| each(piece.into()))?;
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

//! The two passes over documents: anchors, and the parts that have those which stand elsewhere.

use lookalike_core::text::{KeyedTokenizer, Unit, keyed_spans};
use lookalike_corpus::{ContentKind, Format, Record, Source};
use lookalike_files::{Rows, RowsKind, RowsWriter, double_word};

use super::links::{LinkSorter, Spot};
use super::part::{ClassKey, PART_BYTES, PART_STARTS, PartMaker, Rest, START_BYTES};
use super::rule::PassageRule;
use super::windows::WindowMaker;
use crate::document_set::RowSet;
use crate::error::{Error, Result};
use crate::long_text;
use crate::means::Means;
use crate::order::Order;
use crate::pipeline::{Event, Payload, Piece};
use crate::places::Row;
use crate::sort::{Record as _, Sorter};
use crate::sources::{SourceAtHand, SourceTable};

/// Anchors that stand at two places or more: row and token, ascending.
const ANCHORS: RowsKind = *b"anchors ";
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
    /// Finds the anchors that stand at two places or more, and the documents that have them; how many words
    /// there are in all.
    pub(super) fn anchors(&self) -> Result<(RowSet, u64)> {
        let Means { files, budget, observer, .. } = self.means;
        let mut sorter: Sorter<[u64; 2]> = Sorter::new(&files.sorting(), budget / 4);
        let mut words = 0;
        self.run(
            budget / 2,
            &self.wanted,
            || {
                let mut maker = WindowMaker::new(self.means.key, self.rule.min_words);
                let mut tokenizer =
                    KeyedTokenizer::new(Unit::Words, self.means.kernel, self.means.key);
                let mut codes: Vec<u64> = Vec::new();
                move |row: Row, text: Text<'_>, batch: &mut AnchorBatch| {
                    codes.clear();
                    text.for_each_piece(self.means, |piece| tokenizer.codes(piece, &mut codes))?;
                    batch.words += codes.len() as u64;
                    let row = u64::from(row) << 32;
                    let mut last = None;
                    maker.for_each_anchor(&codes, |anchor, at| {
                        if last.replace(at) != Some(at) {
                            batch.anchors.push([anchor, row | u64::from(at)]);
                        }
                    });
                    codes.shrink_to(KEPT_CODES);
                    Ok(())
                }
            },
            |batch: AnchorBatch| {
                words += batch.words;
                batch.anchors.into_iter().try_for_each(|anchor| sorter.push(anchor))
            },
        )?;
        let mut sorted = sorter.finish()?;
        let mut repeated: Sorter<u64> = Sorter::new(&files.sorting(), budget / 4);
        let mut last: Option<([u64; 2], bool)> = None;
        let mut number = 0;
        while let Some(anchor) = sorted.next()? {
            observer.tick(number)?;
            number += 1;
            let mut again = false;
            if let Some((before, pushed)) = last.filter(|(before, _)| before[0] == anchor[0]) {
                again = true;
                if !pushed {
                    repeated.push(before[1])?;
                }
                repeated.push(anchor[1])?;
            }
            last = Some((anchor, again));
        }
        drop(sorted);
        let mut repeated = repeated.finish()?;
        let mut file = RowsWriter::create(&files.passage_anchors(), ANCHORS, 8)?;
        let mut found = RowSet::none(self.documents);
        while let Some(spot) = repeated.next()? {
            file.push(&spot.to_le_bytes())?;
            found.insert(Row::nth(spot >> 32));
        }
        file.finish()?;
        Ok((found.count(), words))
    }

    /// Writes the parts of documents that have such anchors, and takes down their windows.
    pub(super) fn parts(&self, wanted: &RowSet, order: &Order) -> Result<LinkSorter> {
        let Means { files, budget, .. } = self.means;
        let anchors = Rows::open(&files.passage_anchors(), ANCHORS, 8)?;
        let mut bytes = RowsWriter::create(&files.passage_parts(), PART_BYTES, 1)?;
        let mut starts =
            RowsWriter::create(&files.passage_part_starts(), PART_STARTS, START_BYTES)?;
        let mut sorter = LinkSorter::new(&files.sorting(), budget / 4);
        let mut written = 0_u64;
        self.run(
            budget / 2,
            wanted,
            || {
                let maker = WindowMaker::new(self.means.key, self.rule.min_words);
                let mut maker = PartMaker::new(maker, self.rule.min_words, self.rule.cut);
                let mut rest = Rest::default();
                let anchors = &anchors;
                move |row: Row, text: Text<'_>, batch: &mut PartBatch| {
                    let wanted = anchors_of(anchors, row)?;
                    if wanted.is_empty() {
                        return Ok(());
                    }
                    rest.begin();
                    let mut each = |part: &super::part::Part, keys: &[ClassKey]| {
                        let start = batch.bytes.len();
                        part.encode(&mut batch.bytes);
                        let keys = part.classes.iter().zip(keys);
                        let keys = keys.map(|(at, key)| (part.first + at, *key)).collect();
                        let bytes = batch.bytes.len() - start;
                        batch.parts.push(BatchPart { row, first: part.first, bytes, keys });
                    };
                    text.for_each_piece(self.means, |piece| {
                        let from = rest.text.len();
                        rest.text.extend_from_slice(piece);
                        let spans = keyed_spans(Unit::Words, piece, self.means.key).into_iter();
                        rest.spans.extend(spans.map(|mut span| {
                            span.start += from;
                            span.end += from;
                            span
                        }));
                        maker.parts(&mut rest, &wanted, false, &mut each);
                    })?;
                    maker.parts(&mut rest, &wanted, true, &mut each);
                    Ok(())
                }
            },
            |batch: PartBatch| {
                bytes.push(&batch.bytes)?;
                for part in batch.parts {
                    let spot = u64::from(part.row) << 32 | u64::from(part.first);
                    let mut start = [0; START_BYTES];
                    [spot, written].encode(&mut start);
                    starts.push(&start)?;
                    written += part.bytes as u64;
                    let document = order.place(part.row).index() as u32;
                    for (token, key) in part.keys {
                        sorter.push(Spot { document, token }, key)?;
                    }
                }
                Ok(())
            },
        )?;
        bytes.finish()?;
        starts.finish()?;
        Ok(sorter)
    }

    /// Reads the texts that can be cut, on all threads, and hands on what is made of them, in order.
    fn run<T: Payload + Default, W: FnMut(Row, Text<'_>, &mut T) -> Result<()>>(
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

/// Codes that there is room for between documents.
const KEPT_CODES: usize = 64 << 10;

/// A text, whole or in a file that is too long for memory.
enum Text<'a> {
    Whole(&'a [u8]),
    Long(&'a Source),
}

impl Text<'_> {
    fn for_each_piece(&self, means: Means<'_>, mut each: impl FnMut(&[u8])) -> Result<()> {
        match self {
            Text::Whole(text) => each(text),
            Text::Long(source) => {
                long_text::for_each_piece(source, means.read, Unit::Words, each)?;
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

/// Fingerprints of anchors, and where they stand.
#[derive(Default)]
struct AnchorBatch {
    anchors: Vec<[u64; 2]>,
    words: u64,
}

impl Payload for AnchorBatch {
    fn bytes(&self) -> usize {
        16 * self.anchors.len()
    }
}

/// Parts of some documents.
#[derive(Default)]
struct PartBatch {
    bytes: Vec<u8>,
    parts: Vec<BatchPart>,
}

struct BatchPart {
    row: Row,
    first: u32,
    bytes: usize,
    keys: Vec<(u32, ClassKey)>,
}

impl Payload for PartBatch {
    fn bytes(&self) -> usize {
        let keys: usize = self.parts.iter().map(|part| part.keys.len()).sum();
        self.bytes.len() + size_of::<(u32, ClassKey)>() * keys
    }
}

/// The number of the first anchor of a row or one after it.
fn first_anchor(anchors: &Rows, row: Row) -> Result<u64> {
    Ok(anchors.partition_point(|anchor| double_word(anchor, 0) < u64::from(row) << 32)?)
}

/// The tokens at which anchors of a row begin.
fn anchors_of(anchors: &Rows, row: Row) -> Result<Vec<u32>> {
    let [from, upto] = [row, row.after(1)].map(|row| first_anchor(anchors, row));
    let (from, upto) = (from?, upto?);
    let mut bytes = vec![0; 8 * (upto - from) as usize];
    anchors.rows(from, &mut bytes)?;
    Ok((0..bytes.len()).step_by(8).map(|at| double_word(&bytes, at) as u32).collect())
}

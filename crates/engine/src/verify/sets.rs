//! The shingle sets of documents, in a file.
//!
//! All sets lie one after another, in the order of rows, each ascending; a
//! second table has where each begins. Documents whose sets are too large to be
//! sorted in memory are sorted out of core.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_core::Kernel;
use lookalike_core::resemblance::Overlap;
use lookalike_core::shingle::{ShingleSorter, Shingler};
use lookalike_core::template::{self, Distinctive};
use lookalike_core::text::{DocumentTokens, KeyedTokenizer, Text};
use lookalike_corpus::{Record as Document, Source};
use lookalike_files::{Rows, RowsKind, RowsWriter, double_word};

use crate::document_set::RowSet;
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::files::Files;
use crate::learn::{LearnedFiles, LearnedReader};
use crate::long_text;
use crate::means::Means;
use crate::pipeline::{Event, Payload, Piece};
use crate::places::Row;
use crate::sort::Sorter;
use crate::sources::{SourceAtHand, SourceTable};
use crate::texts::Texts;

const SHINGLES: RowsKind = *b"shingles";
const STARTS: RowsKind = *b"setstart";

/// Shingles of a set that are sorted in memory. 2 Mi: documents of about 12 MB.
const IN_MEMORY: usize = 2 << 20;

/// Shingles that there is room for between documents; what a longer one took is given back, or
/// every thread would hold as much as the longest of all.
const KEPT: usize = 64 << 10;

/// Shingles of a set that are in memory when two are compared.
const BLOCK: usize = 32 << 10;

impl Means<'_> {
    /// Reads the documents of the `wanted` rows again and writes their shingle sets.
    pub(crate) fn write_sets(&self, sources: &SourceTable, wanted: &RowSet) -> Result<()> {
        let learned = LearnedFiles::open(self.files, self.recipe)?;
        let mut sink = Sink::create(self.files)?;
        let spills = AtomicU64::new(0);
        sources.for_each_reading(self.read, |numbers, read| {
            let means = Means { read, ..*self };
            let needed = sources.to_read_again_of(numbers, |row| wanted.any(&row.rows()));
            means.pipeline(self.budget).run(
                needed,
                || {
                    let maker = SetMaker::new(&means, &spills, learned.as_ref());
                    let mut worker = Worker { source: sources.at_hand(), wanted, maker };
                    Ok(move |number, piece| worker.piece(number, &piece))
                },
                |event| match event {
                    Event::Result(batch) => {
                        self.observer.advance(batch.bytes, batch.counts.len() as u64);
                        sink.take(&batch)
                    }
                    Event::End { number, fault, .. } => sources.check_end(number, fault),
                },
            )
        })?;
        sink.finish(wanted.len())
    }
}

/// The sets of some documents, in order.
#[derive(Default)]
struct Batch {
    /// Of each document.
    counts: Vec<u64>,
    /// Those that are in memory, one after another.
    shingles: Vec<u8>,
    /// Those that are in files, by their number in `counts`.
    spilled: Vec<(usize, SetFile)>,
    bytes: u64,
}

impl Payload for Batch {
    fn bytes(&self) -> usize {
        self.shingles.len() + 8 * self.counts.len()
    }
}

/// A sorted set in a file of its own, which goes with it.
struct SetFile(PathBuf);

impl Drop for SetFile {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What finds the documents of a chunk, on one thread.
struct Worker<'a> {
    source: SourceAtHand<'a>,
    wanted: &'a RowSet,
    maker: SetMaker<'a>,
}

impl Worker<'_> {
    fn piece(&mut self, number: u64, piece: &Piece) -> Result<Batch> {
        let row = self.source.get(number)?;
        let mut batch = Batch::default();
        let mut made = Ok(());
        match piece {
            Piece::LongText(source) => self.maker.long_text(source, &mut batch)?,
            Piece::Chunk(chunk) => chunk.for_each_wanted(
                |record| row.row_of(record).is_some_and(|row| self.wanted.contains(row)),
                |document| {
                    let document = document.map_err(Error::from);
                    let set = document.and_then(|d| self.maker.document(number, &d, &mut batch));
                    made = std::mem::replace(&mut made, Ok(())).and(set);
                },
            ),
        }
        made.map(|()| batch)
    }
}

/// What makes sets of texts.
struct SetMaker<'a> {
    means: &'a Means<'a>,
    /// Names the folders of sets that are sorted out of core.
    spills: &'a AtomicU64,
    texts: Texts,
    tokenizer: KeyedTokenizer,
    shingler: Shingler,
    sorter: ShingleSorter,
    shingles: Vec<u64>,
    /// The set is getting too large for memory.
    spill: Option<Spill>,
    learned: LearnedReader<'a>,
    distinctive: Distinctive,
    document: DocumentTokens,
}

/// A large set in the making.
struct Spill {
    folder: SetFile,
    sorter: Sorter<u64>,
}

impl<'a> SetMaker<'a> {
    fn new(means: &'a Means<'a>, spills: &'a AtomicU64, learned: Option<&'a LearnedFiles>) -> Self {
        let Means { recipe, kernel, key, .. } = means;
        let (width, counting) = (recipe.shingles.width, recipe.shingles.counting);
        Self {
            means,
            spills,
            texts: Texts::new(),
            tokenizer: KeyedTokenizer::new(recipe.tokens, *kernel, key),
            shingler: Shingler::keyed(*kernel, width, counting, key),
            sorter: ShingleSorter::default(),
            shingles: Vec::new(),
            spill: None,
            learned: LearnedReader::new(recipe, learned),
            distinctive: Distinctive::keyed(*kernel, width, key),
            document: DocumentTokens::default(),
        }
    }

    fn document(&mut self, source: u64, document: &Document<'_>, batch: &mut Batch) -> Result<()> {
        let mut texts = std::mem::take(&mut self.texts);
        let made = if self.means.recipe.templates.leave_out() {
            self.distinctive(source, document, &mut texts)
        } else {
            self.text(texts.of_record(document))
        };
        self.texts = texts;
        made?;
        self.finish(document.content.len() as u64, batch)
    }

    fn long_text(&mut self, source: &Source, batch: &mut Batch) -> Result<()> {
        let Means { read: options, recipe, .. } = *self.means;
        let (mut bytes, mut made) = (0, Ok(()));
        let read = long_text::for_each_piece(source, options, recipe.tokens, |piece| {
            bytes += piece.len() as u64;
            if made.is_ok() {
                made = self.text(piece.into());
            }
        });
        read?;
        made?;
        self.finish(bytes, batch)
    }

    /// Takes what is a document's own.
    fn distinctive(&mut self, source: u64, record: &Document<'_>, texts: &mut Texts) -> Result<()> {
        let Self { tokenizer, learned, distinctive, document, shingles, .. } = self;
        let template = learned.template(record)?;
        let template = template.as_deref();
        if let Some(document) = learned.tokens(source, record)? {
            shingles.extend_from_slice(distinctive.shingles(template, document, &document.codes));
            return Ok(());
        }
        let text = texts.of_record(record);
        tokenizer.document(text, document);
        if document.tokens.len() > template::MAX_TOKENS {
            *document = DocumentTokens::default();
            return self.text(text);
        }
        shingles.extend_from_slice(distinctive.shingles(template, document, &document.codes));
        Ok(())
    }

    /// Takes the next piece of a text.
    fn text(&mut self, piece: Text<'_>) -> Result<()> {
        let Self { tokenizer, shingler, shingles, spill, .. } = self;
        let mut sorted = Ok(());
        tokenizer.for_each_block(piece, &mut |_, codes| {
            shingler.push(codes, |block| shingles.extend_from_slice(block));
            if shingles.len() >= IN_MEMORY && sorted.is_ok() {
                let spill = match spill {
                    Some(spill) => Ok(spill),
                    None => {
                        Spill::new(&self.means.files.work, self.spills).map(|new| spill.insert(new))
                    }
                };
                sorted = spill.and_then(|spill| spill.take(shingles));
            }
        });
        sorted
    }

    /// Ends the document and adds its set.
    fn finish(&mut self, bytes: u64, batch: &mut Batch) -> Result<()> {
        let Self { shingler, shingles, .. } = self;
        shingler.finish(|block| shingles.extend_from_slice(block));
        batch.bytes += bytes;
        if let Some(mut spill) = self.spill.take() {
            spill.take(&mut self.shingles)?;
            let (spilled, count) = spill.finish()?;
            batch.spilled.push((batch.counts.len(), spilled));
            batch.counts.push(count);
            self.shingles.shrink_to(KEPT);
            return Ok(());
        }
        self.sorter.distinct(shingles);
        batch.counts.push(shingles.len() as u64);
        batch.shingles.extend(shingles.drain(..).flat_map(u64::to_le_bytes));
        shingles.shrink_to(KEPT);
        Ok(())
    }
}

/// Memory of a sort of one large set.
const SPILL_BYTES: usize = 32 << 20;

impl Spill {
    fn new(work: &Path, spills: &AtomicU64) -> Result<Self> {
        let folder = work.join(format!("set-{}", spills.fetch_add(1, Ordering::Relaxed)));
        fs::create_dir_all(&folder).map_err(|e| Error::io(&folder, Operation::Create, e))?;
        let sorter = Sorter::new(&folder, SPILL_BYTES);
        Ok(Self { folder: SetFile(folder), sorter })
    }

    fn take(&mut self, shingles: &mut Vec<u64>) -> Result<()> {
        shingles.drain(..).try_for_each(|shingle| self.sorter.push(shingle))
    }

    /// Writes the set without repeats; how many there are.
    fn finish(self) -> Result<(SetFile, u64)> {
        let mut sorted = self.sorter.finish()?;
        let mut set = RowsWriter::create(&self.folder.file(), SHINGLES, 8)?;
        let (mut last, mut count) = (None, 0);
        while let Some(shingle) = sorted.next()? {
            if last.replace(shingle) != Some(shingle) {
                set.push(&shingle.to_le_bytes())?;
                count += 1;
            }
        }
        set.finish()?;
        Ok((self.folder, count))
    }
}

impl SetFile {
    fn file(&self) -> PathBuf {
        self.0.join("set")
    }
}

/// What writes the sets, in order.
struct Sink {
    shingles: RowsWriter,
    starts: RowsWriter,
    written: u64,
    sets: u64,
}

impl Sink {
    fn create(files: &Files) -> Result<Self> {
        let shingles = RowsWriter::create(&files.shingles(), SHINGLES, 8)?;
        let starts = RowsWriter::create(&files.set_starts(), STARTS, 8)?;
        Ok(Self { shingles, starts, written: 0, sets: 0 })
    }

    fn take(&mut self, batch: &Batch) -> Result<()> {
        let mut in_memory = &*batch.shingles;
        let mut spilled = batch.spilled.iter().peekable();
        for (number, &count) in batch.counts.iter().enumerate() {
            self.starts.push(&self.written.to_le_bytes())?;
            self.written += count;
            self.sets += 1;
            if let Some((_, set)) = spilled.next_if(|(spilled, _)| *spilled == number) {
                let set = Rows::open(&set.file(), SHINGLES, 8)?;
                set.for_each(|_, shingle| self.shingles.push(shingle))?;
            } else {
                let (set, rest) = in_memory.split_at(8 * count as usize);
                self.shingles.push(set)?;
                in_memory = rest;
            }
        }
        Ok(())
    }

    fn finish(mut self, wanted: u64) -> Result<()> {
        if self.sets != wanted {
            return Err(Error::from(ErrorKind::DocumentsMissing { found: self.sets, wanted }));
        }
        self.starts.push(&self.written.to_le_bytes())?;
        self.shingles.finish()?;
        // Last: when it is there, both are.
        Ok(self.starts.finish()?)
    }
}

/// The sets that [`Means::write_sets`] wrote.
pub(crate) struct Sets<'a> {
    shingles: Rows,
    starts: Rows,
    wanted: &'a RowSet,
}

impl<'a> Sets<'a> {
    pub(crate) fn open(files: &Files, wanted: &'a RowSet) -> Result<Self> {
        let shingles = Rows::open(&files.shingles(), SHINGLES, 8)?;
        let starts = Rows::open(&files.set_starts(), STARTS, 8)?;
        Ok(Self { shingles, starts, wanted })
    }

    /// Where the set of a row is.
    pub(crate) fn range(&self, row: Row) -> Result<Range<u64>> {
        let mut bytes = [0; 16];
        self.starts.rows(self.wanted.rank(row), &mut bytes)?;
        let [start, end] = [0, 8].map(|at| double_word(&bytes, at));
        if start > end || end > self.shingles.len() {
            return Err(Error::corruption(
                self.starts.path(),
                0,
                format!("a set of the {} shingles for row {row}", self.shingles.len()),
                format!("{start} to {end}"),
            ));
        }
        Ok(start..end)
    }
}

/// One side of a comparison: a set that is read block by block.
#[derive(Default)]
pub(crate) struct Side {
    range: Range<u64>,
    /// The block at hand, where it begins in the file, and what is left of it.
    block: Vec<u64>,
    block_at: u64,
    used: usize,
    bytes: Vec<u8>,
}

impl Side {
    /// Turns to the beginning of a set. A small one that is at hand is not read again.
    fn begin(&mut self, range: Range<u64>) {
        let at_hand = self.range == range && self.block_at == range.start;
        if !at_hand {
            self.block.clear();
            self.block_at = range.start;
        }
        self.used = 0;
        self.range = range;
    }

    /// What is left of the block, or the next one; empty at the end.
    fn rest(&mut self, sets: &Sets<'_>) -> Result<&[u64]> {
        if self.used == self.block.len() {
            let next = self.block_at + self.block.len() as u64;
            let count = (self.range.end - next).min(BLOCK as u64) as usize;
            if count > 0 {
                self.bytes.resize(8 * count, 0);
                sets.shingles.rows(next, &mut self.bytes)?;
                self.block.clear();
                let words = self.bytes.as_chunks::<8>().0.iter();
                self.block.extend(words.map(|word| u64::from_le_bytes(*word)));
                self.block_at = next;
                self.used = 0;
            }
        }
        Ok(&self.block[self.used..])
    }
}

/// What two sets have in common.
pub(crate) fn overlap(
    kernel: Kernel,
    sets: &Sets<'_>,
    [a, b]: [&mut Side; 2],
    [range_a, range_b]: [Range<u64>; 2],
) -> Result<Overlap> {
    let mut overlap =
        Overlap { a: range_a.end - range_a.start, b: range_b.end - range_b.start, common: 0 };
    a.begin(range_a);
    b.begin(range_b);
    loop {
        let (rest_a, rest_b) = (a.rest(sets)?, b.rest(sets)?);
        let (Some(last_a), Some(last_b)) = (rest_a.last(), rest_b.last()) else {
            return Ok(overlap);
        };
        // Whatever is beyond the smaller end may have its equal in the next block.
        let end = *last_a.min(last_b);
        let upto = |rest: &[u64]| rest.partition_point(|shingle| *shingle <= end);
        let (upto_a, upto_b) = (upto(rest_a), upto(rest_b));
        overlap.common += kernel.intersection(&rest_a[..upto_a], &rest_b[..upto_b]) as u64;
        a.used += upto_a;
        b.used += upto_b;
    }
}

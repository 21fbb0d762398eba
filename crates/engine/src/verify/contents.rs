//! What documents are compared by, in a file: their shingle sets, or their tokens.
//!
//! All lie one after another, in the order of rows; a second table has where each begins. The elements
//! of a shingle set are ascending; those of documents whose sets are too large to be sorted in memory are
//! sorted out of core. Tokens stand as they do in the document, without those that are left out.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_core::recipe::Verify;
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

const ELEMENTS: RowsKind = *b"elements";
const STARTS: RowsKind = *b"elestart";

/// Elements of a document that are in memory. 2 Mi: documents of about 12 MB.
const IN_MEMORY: usize = 2 << 20;

/// Elements that there is room for between documents; what a longer one took is given back, or
/// every thread would hold as much as the longest of all.
const KEPT: usize = 64 << 10;

impl Means<'_> {
    /// Reads the documents of the `wanted` rows again and writes what they are compared by.
    pub(crate) fn write_contents(&self, sources: &SourceTable, wanted: &RowSet) -> Result<()> {
        let learned = LearnedFiles::open(self.files, self.recipe)?;
        let mut sink = Sink::create(self.files)?;
        let spills = AtomicU64::new(0);
        sources.for_each_reading(self.read, |numbers, read| {
            let means = Means { read, ..*self };
            let needed = sources.to_read_again_of(numbers, |row| wanted.any(&row.rows()));
            means.pipeline(self.budget).run(
                needed,
                || {
                    let maker = Maker::new(&means, &spills, learned.as_ref());
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

/// The elements of some documents, in order.
#[derive(Default)]
struct Batch {
    /// Of each document.
    counts: Vec<u64>,
    /// Those that are in memory, one after another.
    elements: Vec<u8>,
    /// Those that are in files, by their number in `counts`.
    spilled: Vec<(usize, SpillFile)>,
    bytes: u64,
}

impl Payload for Batch {
    fn bytes(&self) -> usize {
        self.elements.len() + 8 * self.counts.len()
    }
}

/// The elements of one document in a file of their own, which goes with this.
struct SpillFile(PathBuf);

impl Drop for SpillFile {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What finds the documents of a chunk, on one thread.
struct Worker<'a> {
    source: SourceAtHand<'a>,
    wanted: &'a RowSet,
    maker: Maker<'a>,
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
                    let taken = document.and_then(|d| self.maker.document(number, &d, &mut batch));
                    made = std::mem::replace(&mut made, Ok(())).and(taken);
                },
            ),
        }
        made.map(|()| batch)
    }
}

/// What makes elements of texts.
struct Maker<'a> {
    means: &'a Means<'a>,
    /// Whether the tokens themselves are the elements, and not the shingles that they make.
    in_order: bool,
    /// Names the folders of documents that are too large for memory.
    spills: &'a AtomicU64,
    texts: Texts,
    tokenizer: KeyedTokenizer,
    shingler: Shingler,
    sorter: ShingleSorter,
    elements: Vec<u64>,
    /// The document is getting too large for memory.
    spill: Option<Spill>,
    learned: LearnedReader<'a>,
    distinctive: Distinctive,
    document: DocumentTokens,
}

/// A large document in the making.
struct Spill {
    folder: SpillFile,
    elements: Spilled,
}

enum Spilled {
    /// To be sorted.
    Set(Sorter<u64>),
    /// As they stand.
    Sequence(RowsWriter),
}

impl<'a> Maker<'a> {
    fn new(means: &'a Means<'a>, spills: &'a AtomicU64, learned: Option<&'a LearnedFiles>) -> Self {
        let Means { recipe, kernel, key, .. } = means;
        let (width, counting) = (recipe.shingles.width, recipe.shingles.counting);
        Self {
            means,
            in_order: recipe.verify == Verify::Difference,
            spills,
            texts: Texts::new(),
            tokenizer: KeyedTokenizer::new(recipe.tokens, *kernel, key),
            shingler: Shingler::keyed(*kernel, width, counting, key),
            sorter: ShingleSorter::default(),
            elements: Vec::new(),
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
        let Self { tokenizer, learned, distinctive, document, elements, in_order, .. } = self;
        let template = learned.template(record)?;
        let template = template.as_deref();
        let mut take = |document: &DocumentTokens| {
            elements.extend_from_slice(if *in_order {
                distinctive.sequence(template, document)
            } else {
                distinctive.shingles(template, document, &document.codes)
            });
        };
        if let Some(document) = learned.tokens(source, record)? {
            take(document);
            return Ok(());
        }
        let text = texts.of_record(record);
        tokenizer.document(text, document);
        if document.tokens.len() > template::MAX_TOKENS {
            *document = DocumentTokens::default();
            return self.text(text);
        }
        take(document);
        Ok(())
    }

    /// Takes the next piece of a text.
    fn text(&mut self, piece: Text<'_>) -> Result<()> {
        let Self { tokenizer, shingler, elements, spill, in_order, .. } = self;
        let mut spilled = Ok(());
        tokenizer.for_each_block(piece, &mut |_, codes| {
            if *in_order {
                elements.extend_from_slice(codes);
            } else {
                shingler.push(codes, |block| elements.extend_from_slice(block));
            }
            if elements.len() >= IN_MEMORY && spilled.is_ok() {
                let spill = match spill {
                    Some(spill) => Ok(spill),
                    None => Spill::new(&self.means.files.work, self.spills, *in_order)
                        .map(|new| spill.insert(new)),
                };
                spilled = spill.and_then(|spill| spill.take(elements));
            }
        });
        spilled
    }

    /// Ends the document and adds its elements.
    fn finish(&mut self, bytes: u64, batch: &mut Batch) -> Result<()> {
        let Self { shingler, elements, .. } = self;
        if !self.in_order {
            shingler.finish(|block| elements.extend_from_slice(block));
        }
        batch.bytes += bytes;
        if let Some(mut spill) = self.spill.take() {
            spill.take(&mut self.elements)?;
            let (spilled, count) = spill.finish()?;
            batch.spilled.push((batch.counts.len(), spilled));
            batch.counts.push(count);
            self.elements.shrink_to(KEPT);
            return Ok(());
        }
        if !self.in_order {
            self.sorter.distinct(elements);
        }
        batch.counts.push(elements.len() as u64);
        batch.elements.extend(elements.drain(..).flat_map(u64::to_le_bytes));
        elements.shrink_to(KEPT);
        Ok(())
    }
}

/// Memory of a sort of one large set.
const SPILL_BYTES: usize = 32 << 20;

impl Spill {
    fn new(work: &Path, spills: &AtomicU64, in_order: bool) -> Result<Self> {
        let folder = work.join(format!("long-{}", spills.fetch_add(1, Ordering::Relaxed)));
        fs::create_dir_all(&folder).map_err(|e| Error::io(&folder, Operation::Create, e))?;
        let folder = SpillFile(folder);
        let elements = if in_order {
            Spilled::Sequence(RowsWriter::create(&folder.file(), ELEMENTS, 8)?)
        } else {
            Spilled::Set(Sorter::new(&folder.0, SPILL_BYTES))
        };
        Ok(Self { folder, elements })
    }

    fn take(&mut self, elements: &mut Vec<u64>) -> Result<()> {
        let mut elements = elements.drain(..);
        match &mut self.elements {
            Spilled::Set(sorter) => elements.try_for_each(|element| sorter.push(element)),
            Spilled::Sequence(file) => {
                elements.try_for_each(|element| Ok(file.push(&element.to_le_bytes())?))
            }
        }
    }

    /// Writes what there is, a set without repeats; how many elements there are.
    fn finish(self) -> Result<(SpillFile, u64)> {
        let sorter = match self.elements {
            Spilled::Sequence(file) => {
                file.finish()?;
                let count = Rows::open(&self.folder.file(), ELEMENTS, 8)?.len();
                return Ok((self.folder, count));
            }
            Spilled::Set(sorter) => sorter,
        };
        let mut sorted = sorter.finish()?;
        let mut set = RowsWriter::create(&self.folder.file(), ELEMENTS, 8)?;
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

impl SpillFile {
    fn file(&self) -> PathBuf {
        self.0.join("elements")
    }
}

/// What writes the elements, in order.
struct Sink {
    elements: RowsWriter,
    starts: RowsWriter,
    written: u64,
    documents: u64,
}

impl Sink {
    fn create(files: &Files) -> Result<Self> {
        let elements = RowsWriter::create(&files.elements(), ELEMENTS, 8)?;
        let starts = RowsWriter::create(&files.element_starts(), STARTS, 8)?;
        Ok(Self { elements, starts, written: 0, documents: 0 })
    }

    fn take(&mut self, batch: &Batch) -> Result<()> {
        let mut in_memory = &*batch.elements;
        let mut spilled = batch.spilled.iter().peekable();
        for (number, &count) in batch.counts.iter().enumerate() {
            self.starts.push(&self.written.to_le_bytes())?;
            self.written += count;
            self.documents += 1;
            if let Some((_, spill)) = spilled.next_if(|(spilled, _)| *spilled == number) {
                let spill = Rows::open(&spill.file(), ELEMENTS, 8)?;
                spill.for_each(|_, element| self.elements.push(element))?;
            } else {
                let (elements, rest) = in_memory.split_at(8 * count as usize);
                self.elements.push(elements)?;
                in_memory = rest;
            }
        }
        Ok(())
    }

    fn finish(mut self, wanted: u64) -> Result<()> {
        if self.documents != wanted {
            let found = self.documents;
            return Err(Error::from(ErrorKind::DocumentsMissing { found, wanted }));
        }
        self.starts.push(&self.written.to_le_bytes())?;
        self.elements.finish()?;
        // Last: when it is there, both are.
        Ok(self.starts.finish()?)
    }
}

/// What [`Means::write_contents`] wrote.
pub(crate) struct Contents<'a> {
    elements: Rows,
    starts: Rows,
    wanted: &'a RowSet,
}

impl<'a> Contents<'a> {
    pub(crate) fn open(files: &Files, wanted: &'a RowSet) -> Result<Self> {
        let elements = Rows::open(&files.elements(), ELEMENTS, 8)?;
        let starts = Rows::open(&files.element_starts(), STARTS, 8)?;
        Ok(Self { elements, starts, wanted })
    }

    /// Where the elements of a row are.
    pub(crate) fn range(&self, row: Row) -> Result<Range<u64>> {
        let mut bytes = [0; 16];
        self.starts.rows(self.wanted.rank(row), &mut bytes)?;
        let [start, end] = [0, 8].map(|at| double_word(&bytes, at));
        if start > end || end > self.elements.len() {
            return Err(Error::corruption(
                self.starts.path(),
                0,
                format!("a part of the {} elements for row {row}", self.elements.len()),
                format!("{start} to {end}"),
            ));
        }
        Ok(start..end)
    }

    /// Reads so many elements from this one on.
    pub(super) fn read(&self, from: u64, count: usize, block: &mut Block) -> Result<()> {
        self.read_into(from, count, &mut block.elements, &mut block.bytes)
    }

    /// The same into a room that shares its bytes with others.
    pub(super) fn read_into(
        &self,
        from: u64,
        count: usize,
        elements: &mut Vec<u64>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        bytes.resize(8 * count, 0);
        self.elements.rows(from, bytes)?;
        elements.clear();
        elements.extend(bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)));
        Ok(())
    }
}

/// Elements that were read, and the bytes that they were read as.
#[derive(Default)]
pub(super) struct Block {
    pub(super) elements: Vec<u64>,
    bytes: Vec<u8>,
}

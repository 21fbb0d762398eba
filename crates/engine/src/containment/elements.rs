//! The elements of documents, read again: their public shingles, mixed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use lookalike_core::shingle::Shingler;
use lookalike_core::sketch::Bottom;
use lookalike_core::text::{Text, Tokenizer};
use lookalike_core::{Kernel, mix};

use crate::document_set::RowSet;
use crate::error::{Error, ErrorKind, Result};
use crate::long_text;
use crate::matching::Holder;
use crate::means::Means;
use crate::order::Order;
use crate::pipeline::{Event, Payload, Piece};
use crate::places::Row;
use crate::sort::Sorter;
use crate::sources::{SourceAtHand, SourceTable};
use crate::texts::Texts;

/// Elements of a document that its probes are chosen from: its least.
pub(crate) const POOL: usize = 32;

/// Elements of a document that are held before they are sorted with the others.
const HELD: usize = 1 << 16;

impl Means<'_> {
    /// Reads the wanted documents again; what `taker` makes takes their elements on one thread.
    pub(super) fn read_elements<T: Taker>(
        &self,
        sources: &SourceTable,
        wanted: &RowSet,
        taker: impl Fn() -> T + Sync,
    ) -> Result<()> {
        let mut found = 0;
        sources.for_each_reading(self.read, |numbers, read| {
            let means = Means { read, ..*self };
            means.pipeline(self.budget / 4).run(
                sources.to_read_again_of(numbers, |row| wanted.any(&row.rows())),
                || {
                    let mut worker = Worker::new(&means, sources.at_hand(), wanted, taker());
                    Ok(move |number, piece| worker.piece(number, &piece))
                },
                |event| match event {
                    Event::Result(Taken { bytes, documents }) => {
                        self.observer.advance(bytes, documents);
                        found += documents;
                        Ok(())
                    }
                    Event::End { number, fault, .. } => sources.check_end(number, fault),
                },
            )
        })?;
        if found != wanted.len() {
            return Err(Error::from(ErrorKind::DocumentsMissing { found, wanted: wanted.len() }));
        }
        Ok(())
    }
}

/// Which elements may be in a pool. It takes them from all threads at once: bits are only ever set.
pub(super) struct PoolFilter(Vec<AtomicU64>);

impl PoolFilter {
    pub(super) fn with_bytes(bytes: usize) -> Self {
        Self((0..(bytes / 8).max(1)).map(|_| AtomicU64::new(0)).collect())
    }

    /// The word of an element, and four bits of it: one wait for memory each time. Those of
    /// pools are small numbers, so that they are mixed again.
    fn place(&self, element: u64) -> (&AtomicU64, u64) {
        let mixed = mix(element);
        let word = (u128::from(mixed) * self.0.len() as u128) >> 64;
        let bits =
            [0, 6, 12, 18].into_iter().fold(0, |bits, shift| bits | 1 << (mixed >> shift & 63));
        (&self.0[word as usize], bits)
    }

    fn insert(&self, element: u64) {
        let (word, bits) = self.place(element);
        word.fetch_or(bits, Ordering::Relaxed);
    }

    fn may_have(&self, element: u64) -> bool {
        let (word, bits) = self.place(element);
        word.load(Ordering::Relaxed) & bits == bits
    }
}

/// What takes the elements of documents, one document after another.
pub(super) trait Taker {
    /// The next elements of the document of a row, in any order, each any number of times.
    fn take(&mut self, row: Row, elements: &[u64]) -> Result<()>;

    /// The document has no more.
    fn end(&mut self, row: Row) -> Result<()>;
}

/// Puts the pools of new documents into the filter.
pub(super) struct Asking<'a> {
    filter: &'a PoolFilter,
    order: &'a Order,
    pool: Bottom,
}

impl<'a> Asking<'a> {
    pub(super) fn new(filter: &'a PoolFilter, order: &'a Order) -> Self {
        Self { filter, order, pool: Bottom::new(POOL) }
    }
}

impl Taker for Asking<'_> {
    fn take(&mut self, _: Row, elements: &[u64]) -> Result<()> {
        self.pool.push(elements);
        Ok(())
    }

    fn end(&mut self, row: Row) -> Result<()> {
        // A known document stays, and is not looked for.
        if !self.order.sides().knows_row(row) {
            self.pool.elements().iter().for_each(|&element| self.filter.insert(element));
        }
        self.pool.clear();
        Ok(())
    }
}

/// Hands on the elements of documents that may be in a pool.
pub(super) struct Holding<'a> {
    filter: &'a PoolFilter,
    order: &'a Order,
    holders: &'a Mutex<Sorter<[u64; 2]>>,
    pool: Bottom,
    held: Vec<u64>,
}

impl<'a> Holding<'a> {
    pub(super) fn new(
        filter: &'a PoolFilter,
        order: &'a Order,
        holders: &'a Mutex<Sorter<[u64; 2]>>,
    ) -> Self {
        Self { filter, order, holders, pool: Bottom::new(POOL), held: Vec::new() }
    }

    /// Hands on what is held.
    fn hand_on(&mut self, row: Row, look: &[u64]) -> Result<()> {
        let place = self.order.place(row);
        self.held.sort_unstable();
        self.held.dedup();
        let held = self.held.drain(..).map(|element| Holder { element, place, looks: false });
        let look = look.iter().map(|&element| Holder { element, place, looks: true });
        // In the order of threads, which the sorter forgets.
        let mut holders = self.holders.lock().unwrap_or_else(PoisonError::into_inner);
        held.chain(look).try_for_each(|holder| holders.push(holder.pack()))
    }
}

impl Taker for Holding<'_> {
    fn take(&mut self, row: Row, elements: &[u64]) -> Result<()> {
        self.pool.push(elements);
        self.held.extend(elements.iter().filter(|element| self.filter.may_have(**element)));
        if self.held.len() > HELD { self.hand_on(row, &[]) } else { Ok(()) }
    }

    fn end(&mut self, row: Row) -> Result<()> {
        let mut pool = std::mem::replace(&mut self.pool, Bottom::new(POOL));
        let looks = if self.order.sides().knows_row(row) { &[] } else { pool.elements() };
        // One that looks is a holder, too.
        self.held.retain(|element| looks.binary_search(element).is_err());
        let handed_on = self.hand_on(row, looks);
        pool.clear();
        self.pool = pool;
        handed_on
    }
}

/// How much was taken.
#[derive(Default)]
struct Taken {
    bytes: u64,
    documents: u64,
}

impl Payload for Taken {
    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

/// What reads on one thread.
struct Worker<'a, T> {
    means: &'a Means<'a>,
    source: SourceAtHand<'a>,
    wanted: &'a RowSet,
    texts: Texts,
    elements: Elements<T>,
}

impl<'a, T: Taker> Worker<'a, T> {
    fn new(means: &'a Means<'a>, source: SourceAtHand<'a>, wanted: &'a RowSet, taker: T) -> Self {
        let Means { recipe, kernel, .. } = *means;
        let (width, counting) = (recipe.shingles.width, recipe.shingles.counting);
        let elements = Elements {
            kernel,
            tokenizer: Tokenizer::with_kernel(recipe.tokens, kernel),
            shingler: Shingler::new(kernel, width, counting),
            taker,
        };
        Self { means, source, wanted, texts: Texts::new(), elements }
    }

    fn piece(&mut self, number: u64, piece: &Piece) -> Result<Taken> {
        let source = self.source.get(number)?;
        let Self { means, wanted, texts, elements, .. } = self;
        let (mut taken, mut read) = (Taken::default(), Ok(()));
        match piece {
            Piece::LongText(text) => {
                let row = source.rows().start;
                long_text::for_each_piece(text, means.read, means.recipe.tokens, |piece| {
                    taken.bytes += piece.len() as u64;
                    if read.is_ok() {
                        read = elements.text(row, piece.into());
                    }
                })?;
                read = read.and_then(|()| elements.end(row));
                taken.documents = 1;
            }
            Piece::Chunk(chunk) => {
                let row = |record| source.row_of(record).filter(|row| wanted.contains(*row));
                chunk.for_each_wanted(
                    |record| row(record).is_some(),
                    |record| {
                        if read.is_err() {
                            return;
                        }
                        read = record.map_err(Error::from).and_then(|record| {
                            let Some(row) = row(record.number) else { return Ok(()) };
                            taken.documents += 1;
                            taken.bytes += record.content.len() as u64;
                            elements.text(row, texts.of_record(&record))?;
                            elements.end(row)
                        });
                    },
                );
            }
        }
        read.map(|()| taken)
    }
}

/// Makes the elements of texts.
struct Elements<T> {
    kernel: Kernel,
    tokenizer: Tokenizer,
    shingler: Shingler,
    taker: T,
}

impl<T: Taker> Elements<T> {
    /// The next piece of a text.
    fn text(&mut self, row: Row, piece: Text<'_>) -> Result<()> {
        let Self { kernel, tokenizer, shingler, taker } = self;
        let mut taken = Ok(());
        tokenizer.for_each_block(piece, &mut |tokens| {
            shingler.push(tokens, |shingles| {
                if taken.is_ok() {
                    kernel.mix(0, shingles);
                    taken = taker.take(row, shingles);
                }
            });
        });
        taken
    }

    /// The text has no more pieces.
    fn end(&mut self, row: Row) -> Result<()> {
        let Self { kernel, shingler, taker, .. } = self;
        let mut taken = Ok(());
        shingler.finish(|shingles| {
            kernel.mix(0, shingles);
            taken = taker.take(row, shingles);
        });
        taken.and_then(|()| taker.end(row))
    }
}

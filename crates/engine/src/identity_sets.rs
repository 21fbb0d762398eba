//! Identity sets: documents with the same token sequence.
//!
//! They are found by sorting the exact fingerprints out of core. The first
//! place of a set stands for it; the others are copies of it, and take no part
//! in anything that costs more. A known document stands for others, and is never
//! a copy itself.
//!
//! Memory: the budget, and a bit a document.

use std::path::{Path, PathBuf};

use lookalike_files::{RowsKind, RowsReader, RowsWriter, double_word};

use crate::document_set::PlaceSet;
use crate::error::Result;
use crate::places::{Place, Sides};
use crate::sort::{Record, Sorter};

/// Files of copies. The counts are those of all documents and of the copies.
const COPIES: RowsKind = *b"copiesof";

/// A document and its exact fingerprint, which is in halves: together they would take 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FingerprintRow {
    high: u64,
    low: u64,
    place: Place,
}

impl Record for FingerprintRow {
    const BYTES: usize = 20;

    fn encode(self, out: &mut [u8]) {
        let (words, place) = out.split_at_mut(16);
        let (high, low) = words.split_at_mut(8);
        high.copy_from_slice(&self.high.to_le_bytes());
        low.copy_from_slice(&self.low.to_le_bytes());
        place.copy_from_slice(&self.place.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        let place = Place::read(bytes, 16);
        Self { high: double_word(bytes, 0), low: double_word(bytes, 8), place }
    }
}

/// A document that has the token sequence of a preferred one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CopyOf {
    /// Its place.
    pub copy: Place,
    /// The first place of its identity set.
    pub representative: Place,
}

impl Record for CopyOf {
    const BYTES: usize = 8;

    fn encode(self, out: &mut [u8]) {
        [self.copy, self.representative].encode(out);
    }

    fn decode(bytes: &[u8]) -> Self {
        let [copy, representative] = Record::decode(bytes);
        Self { copy, representative }
    }
}

/// Where identity sets go, and what may be used to find them.
#[derive(Clone, Copy, Debug)]
pub struct SetTask<'a> {
    /// Where the copies go.
    pub path: &'a Path,
    /// Where what does not fit into memory goes.
    pub folder: &'a Path,
    /// Bytes of memory.
    pub budget: usize,
    /// Threads that work.
    pub threads: usize,
    /// Documents in all: every place is smaller.
    pub documents: Sides,
}

/// Finds the identity sets of documents and writes the copies.
///
/// `each` hands on the place and the exact fingerprint of every document that is not empty, in
/// any order.
///
/// # Errors
/// What `each` gives; or if a file cannot be written or read.
///
/// # Panics
/// If there is no document of a place.
pub fn find(
    task: &SetTask<'_>,
    each: impl FnOnce(&mut dyn FnMut(Place, u128) -> Result<()>) -> Result<()>,
) -> Result<Copies> {
    let SetTask { path, folder, budget, threads, documents: sides } = *task;
    let documents = sides.all();
    // The copies are sorted while the fingerprints are still being merged. They take a third as
    // much for each, and there are fewer of them.
    let mut fingerprints = Sorter::on_threads(threads, folder, budget / 4 * 3);
    each(&mut |place, exact| {
        let (high, low) = ((exact >> 64) as u64, exact as u64);
        fingerprints.push(FingerprintRow { high, low, place })
    })?;
    let mut copies = Sorter::on_threads(threads, folder, budget / 4);
    let mut first: Option<FingerprintRow> = None;
    fingerprints.finish()?.for_each(|next| {
        match first.filter(|first| (first.high, first.low) == (next.high, next.low)) {
            Some(_) if sides.knows(next.place) => {}
            Some(first) if first.place == next.place => {}
            Some(first) => {
                copies.push(CopyOf { copy: next.place, representative: first.place })?;
            }
            None => first = Some(next),
        }
        Ok(())
    })?;

    let mut file = RowsWriter::create(path, COPIES, CopyOf::BYTES)?;
    let (mut places, mut count) = (PlaceSet::none(documents), 0);
    let mut bytes = [0; CopyOf::BYTES];
    copies.finish()?.for_each(|copy| {
        // Once, however often `each` handed it on.
        if places.insert(copy.copy) {
            count += 1;
            copy.encode(&mut bytes);
            file.push(&bytes)?;
        }
        Ok(())
    })?;
    file.finish_with([documents, count])?;
    Ok(Copies { path: path.to_owned(), documents, places, count })
}

/// Which documents are copies of others.
#[derive(Debug)]
pub struct Copies {
    path: PathBuf,
    documents: u64,
    places: PlaceSet,
    count: u64,
}

impl Copies {
    /// Reads what [`find`] wrote.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, of another kind, or of a later version.
    pub fn open(path: &Path) -> Result<Self> {
        let mut list = CopyReader::open(path)?;
        let (documents, mut places) = (list.documents(), PlaceSet::none(list.documents()));
        while let Some(CopyOf { copy, representative }) = list.next()? {
            if places.contains(representative) {
                let found = format!("{representative}, which is a copy itself");
                return Err(list.file.corrupt(0, "the first of a set", found).into());
            }
            places.insert(copy);
        }
        Ok(Self { path: path.to_owned(), documents, places, count: list.count })
    }

    /// Documents in all.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// How many are copies.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether a document is a copy.
    ///
    /// # Panics
    /// If there is no such document.
    pub fn is_copy(&self, place: Place) -> bool {
        self.places.contains(place)
    }

    /// The copies in ascending order, each with the one that stands for it.
    ///
    /// # Errors
    /// As [`Copies::open`].
    pub fn list(&self) -> Result<CopyReader> {
        CopyReader::open(&self.path)
    }
}

/// Streams copies in ascending order.
pub struct CopyReader {
    file: RowsReader<{ CopyOf::BYTES }, 2>,
    last: Option<Place>,
    count: u64,
}

impl CopyReader {
    fn open(path: &Path) -> Result<Self> {
        let file: RowsReader<_, _> = RowsReader::open(path, COPIES)?;
        file.check_limit(0, "documents", u32::MAX.into())?;
        Ok(Self { file, last: None, count: 0 })
    }

    fn documents(&self) -> u64 {
        self.file.counts()[0]
    }

    /// The next copy; `None` after the last.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    #[expect(clippy::should_implement_trait, reason = "an iterator's item would be a result")]
    pub fn next(&mut self) -> Result<Option<CopyOf>> {
        let Some(bytes) = self.file.next()? else {
            self.file.check_count(1, "copies", self.count)?;
            return Ok(None);
        };
        let next = CopyOf::decode(&bytes);
        let CopyOf { copy, representative } = next;
        let right =
            self.last < Some(copy) && u64::from(copy) < self.documents() && representative < copy;
        if !right {
            let expected = "a copy of a preferred document, in ascending order";
            let found = format!("{copy} as a copy of {representative}");
            return Err(self.file.corrupt(0, expected, found).into());
        }
        self.last = Some(copy);
        self.count += 1;
        Ok(Some(next))
    }
}

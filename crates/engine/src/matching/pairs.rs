//! Candidates, who judges them, and the file of pairs.

use std::cmp::Ordering;
use std::path::Path;

use lookalike_core::{Evidence, Verdict};
use lookalike_files::{RowsKind, RowsReader, RowsWriter};

use crate::error::Result;
use crate::places::{KeepOrder, Number, Place};
use crate::sort::Record;

/// Files of pairs. The counts are those of all documents and of the pairs.
const PAIRS: RowsKind = *b"docpairs";

/// Two documents that share a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The place of the preferred one.
    pub earlier: Place,
    /// The place of the other.
    pub later: Place,
}

/// Says which candidates are pairs.
pub trait Judge {
    /// Judges candidates that come sorted by (earlier, later), each once.
    ///
    /// Takes all of them and calls `verdict` once for each, in any order. The verdict on a pair
    /// depends on nothing but the pair.
    ///
    /// # Errors
    /// What the arguments give, and what goes wrong in judging.
    fn judge(
        &mut self,
        candidates: &mut dyn FnMut() -> Result<Option<Candidate>>,
        verdict: &mut dyn FnMut(Candidate, Verdict) -> Result<()>,
    ) -> Result<()>;
}

/// Two documents that look alike, and why. Ordered by the earlier one, then by the later one.
#[derive(Clone, Copy, Debug)]
pub struct Pair<Order = KeepOrder> {
    /// The one that comes first in the order.
    pub earlier: Number<Order>,
    /// The other.
    pub later: Number<Order>,
    /// Why it is a pair.
    pub evidence: Evidence,
}

/// Bytes of the documents of a pair.
const DOCUMENTS: usize = 8;

/// Bytes of a pair.
const PAIR: usize = DOCUMENTS + Evidence::BYTES;

impl<O: Copy + Ord> Pair<O> {
    /// Of two documents in either order; the evidence is that of `a` with `b`.
    pub(crate) fn new([a, b]: [Number<O>; 2], evidence: Evidence) -> Self {
        if a < b {
            Self { earlier: a, later: b, evidence }
        } else {
            Self { earlier: b, later: a, evidence: evidence.turned() }
        }
    }
}

impl<O: Ord> Ord for Pair<O> {
    fn cmp(&self, other: &Self) -> Ordering {
        let documents = self.earlier.cmp(&other.earlier).then(self.later.cmp(&other.later));
        documents.then_with(|| self.evidence.to_bytes().cmp(&other.evidence.to_bytes()))
    }
}

impl<O: Ord> PartialOrd for Pair<O> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<O: Ord> PartialEq for Pair<O> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<O: Ord> Eq for Pair<O> {}

impl<O: Copy + Ord> Record for Pair<O> {
    const BYTES: usize = PAIR;

    fn encode(self, out: &mut [u8]) {
        [self.earlier, self.later].encode(&mut out[..DOCUMENTS]);
        out[DOCUMENTS..].copy_from_slice(&self.evidence.to_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        let [earlier, later] = Record::decode(bytes);
        Self { earlier, later, evidence: evidence(bytes).unwrap_or(Evidence::Rule) }
    }
}

/// The evidence of an encoded pair; `None` if there is no such evidence.
fn evidence(pair: &[u8]) -> Option<Evidence> {
    Evidence::from_bytes(pair.get(DOCUMENTS..)?.first_chunk()?)
}

/// A pair as it is decided from and stored: by the later one, so that all that could remove it come
/// together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ByLater(pub(super) Pair);

impl Ord for ByLater {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.later.cmp(&other.0.later).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for ByLater {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Record for ByLater {
    const BYTES: usize = PAIR;

    fn encode(self, out: &mut [u8]) {
        self.0.encode(out);
        [self.0.later, self.0.earlier].encode(&mut out[..DOCUMENTS]);
    }

    fn decode(bytes: &[u8]) -> Self {
        let Pair { earlier: later, later: earlier, evidence } = Pair::decode(bytes);
        Self(Pair { earlier, later, evidence })
    }
}

/// Writes pairs that come sorted by (later, earlier).
pub(super) struct PairWriter {
    file: RowsWriter,
    documents: u64,
    pairs: u64,
}

impl PairWriter {
    pub(super) fn create(path: &Path, documents: u64) -> Result<Self> {
        let file = RowsWriter::create(path, PAIRS, PAIR)?;
        Ok(Self { file, documents, pairs: 0 })
    }

    pub(super) fn push(&mut self, pair: ByLater) -> Result<()> {
        self.pairs += 1;
        let mut bytes = [0; PAIR];
        pair.encode(&mut bytes);
        Ok(self.file.push(&bytes)?)
    }

    pub(super) fn finish(self) -> Result<u64> {
        self.file.finish_with([self.documents, self.pairs])?;
        Ok(self.pairs)
    }
}

/// Streams pairs, sorted by (later, earlier).
pub struct PairReader<Order = KeepOrder> {
    file: RowsReader<PAIR, 2>,
    read: u64,
    last: Option<(Number<Order>, Number<Order>)>,
}

impl<O: Copy + Ord> PairReader<O> {
    /// Opens a file of pairs.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, of another kind, or of a later version.
    pub fn open(path: &Path) -> Result<Self> {
        let file: RowsReader<_, _> = RowsReader::open(path, PAIRS)?;
        file.check_limit(0, "documents", u32::MAX.into())?;
        Ok(Self { file, read: 0, last: None })
    }

    /// Documents in all: every place is smaller.
    pub fn documents(&self) -> u64 {
        self.file.counts()[0]
    }

    /// Pairs in all.
    pub fn pairs(&self) -> u64 {
        self.file.counts()[1]
    }

    /// The next pair; `None` after the last.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    #[expect(clippy::should_implement_trait, reason = "an iterator's item would be a result")]
    pub fn next(&mut self) -> Result<Option<Pair<O>>> {
        let Some(bytes) = self.file.next()? else {
            self.file.check_count(1, "pairs", self.read)?;
            return Ok(None);
        };
        let [later, earlier] = Record::decode(&bytes);
        let in_order = self.last < Some((later, earlier));
        if !in_order || earlier >= later || u64::from(later) >= self.documents() {
            let expected = "the next pair of a later and an earlier document";
            let found = format!("{later} and {earlier}");
            return Err(self.file.corrupt(0, expected, found).into());
        }
        let Some(evidence) = evidence(&bytes) else {
            let found = bytes[DOCUMENTS].to_string();
            return Err(self.file.corrupt(DOCUMENTS, "evidence of kind 0 to 3", found).into());
        };
        self.last = Some((later, earlier));
        self.read += 1;
        Ok(Some(Pair { earlier, later, evidence }))
    }
}

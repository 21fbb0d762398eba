//! Candidates, who judges them, and the file of pairs.

use std::path::Path;

use lookalike_core::{Evidence, Verdict};
use lookalike_files::{RowsKind, RowsReader, RowsWriter, word};

use crate::error::Result;
use crate::sort::Record;

/// Files of pairs. The counts are those of all documents and of the pairs.
const PAIRS: RowsKind = *b"docpairs";

/// Two documents that share a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The place of the preferred one.
    pub earlier: u32,
    /// The place of the other.
    pub later: u32,
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

/// A candidate that was accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The place of the preferred document.
    pub earlier: u32,
    /// The place of the other.
    pub later: u32,
    /// Why it is a pair.
    pub evidence: Evidence,
}

/// A pair as it is sorted: by the later one, so that all that could remove it come together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Accepted {
    pub(super) later: u32,
    pub(super) earlier: u32,
    evidence: [u8; Evidence::BYTES],
}

impl Accepted {
    pub(super) fn new(candidate: Candidate, evidence: Evidence) -> Self {
        let Candidate { earlier, later } = candidate;
        Self { later, earlier, evidence: evidence.to_bytes() }
    }

    fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        self.encode(&mut bytes);
        bytes
    }
}

impl Record for Accepted {
    const BYTES: usize = 4 + 4 + Evidence::BYTES;

    fn encode(self, out: &mut [u8]) {
        out[..4].copy_from_slice(&self.later.to_le_bytes());
        out[4..8].copy_from_slice(&self.earlier.to_le_bytes());
        out[8..].copy_from_slice(&self.evidence);
    }

    fn decode(bytes: &[u8]) -> Self {
        let evidence = bytes.get(8..).and_then(<[u8]>::first_chunk).copied();
        let evidence = evidence.unwrap_or([0; Evidence::BYTES]);
        Self { later: word(bytes, 0), earlier: word(bytes, 4), evidence }
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
        let file = RowsWriter::create(path, PAIRS, Accepted::BYTES)?;
        Ok(Self { file, documents, pairs: 0 })
    }

    pub(super) fn push(&mut self, pair: Accepted) -> Result<()> {
        self.pairs += 1;
        Ok(self.file.push(&pair.to_bytes())?)
    }

    pub(super) fn finish(self) -> Result<u64> {
        self.file.finish_with([self.documents, self.pairs])?;
        Ok(self.pairs)
    }
}

/// Streams pairs, sorted by (later, earlier).
pub struct PairReader {
    file: RowsReader<{ Accepted::BYTES }, 2>,
    read: u64,
    last: Option<(u32, u32)>,
}

impl PairReader {
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
    pub fn next(&mut self) -> Result<Option<Pair>> {
        let Some(bytes) = self.file.next()? else {
            self.file.check_count(1, "pairs", self.read)?;
            return Ok(None);
        };
        let Accepted { later, earlier, evidence } = Accepted::decode(&bytes);
        let in_order = self.last < Some((later, earlier));
        if !in_order || earlier >= later || u64::from(later) >= self.documents() {
            let expected = "the next pair of a later and an earlier document";
            let found = format!("{later} and {earlier}");
            return Err(self.file.corrupt(0, expected, found).into());
        }
        let Some(evidence) = Evidence::from_bytes(&evidence) else {
            let found = evidence[0].to_string();
            let at = Accepted::BYTES - Evidence::BYTES;
            return Err(self.file.corrupt(at, "evidence of kind 0 to 3", found).into());
        };
        self.last = Some((later, earlier));
        self.read += 1;
        Ok(Some(Pair { earlier, later, evidence }))
    }
}

//! Who stays: from verified pairs to keepers.
//!
//! Documents are named by their place in the order of the keep policy, the
//! preferred first. [`anchored`] goes through them in that order: a document
//! stays unless it has a verified pair with one that stays already. So nothing
//! is removed without a verified look-alike that is kept, and no chain of
//! pairs removes what is only like something that is like a keeper.
//! [`components`] is the papers' way: whatever pairs connect is one cluster,
//! and its first document stays.
//!
//! Memory: a bit a document for `anchored`; eight bytes a document for
//! `components`, and 24 for each that goes. The pairs stream past, sorted out
//! of core.

use crate::components::Components;
use crate::error::Result;
use crate::sort::{Record, Sorted};

/// A verified pair of documents, by their places in the order of the keep policy.
///
/// Sorted by the later one, so that all that could remove it come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlacedPair {
    later: u64,
    earlier: u64,
    /// The resemblance as an integer: for numbers in [0, 1] in the same order.
    resemblance: u64,
}

impl PlacedPair {
    /// A pair of two different documents, in any order.
    pub fn new(a: u64, b: u64, resemblance: f64) -> Self {
        Self { later: a.max(b), earlier: a.min(b), resemblance: resemblance.to_bits() }
    }

    /// The exact resemblance.
    pub fn resemblance(self) -> f64 {
        f64::from_bits(self.resemblance)
    }
}

impl Record for PlacedPair {
    const BYTES: usize = 24;

    fn encode(self, out: &mut [u8]) {
        let words = [self.later, self.earlier, self.resemblance];
        for (bytes, word) in out.as_chunks_mut::<8>().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
    }

    fn decode(bytes: &[u8]) -> Self {
        let word = |n: usize| bytes.as_chunks::<8>().0.get(n).map_or(0, |w| u64::from_le_bytes(*w));
        Self { later: word(0), earlier: word(1), resemblance: word(2) }
    }
}

/// A document that goes, and the one that stands for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Removal {
    /// The document's place.
    pub document: u64,
    /// The place of the one that stays.
    pub keeper: u64,
    /// Their resemblance; `None` if only other documents connect the two.
    pub resemblance: Option<f64>,
}

/// Decides in the order of the keep policy; calls `remove` for each of
/// `documents` documents that goes, in order.
///
/// Among several keepers that a document resembles, the most similar one
/// stands for it; of equally similar ones the most preferred.
///
/// # Errors
/// If the pairs cannot be read.
pub fn anchored(
    documents: u64,
    pairs: &mut Sorted<PlacedPair>,
    mut remove: impl FnMut(Removal) -> Result<()>,
) -> Result<()> {
    let mut removed = Places::none(documents);
    let mut best: Option<PlacedPair> = None;
    loop {
        let pair = pairs.next()?;
        // All pairs of a document have been seen when another one's begin.
        if let Some(done) = best.filter(|best| pair.is_none_or(|pair| pair.later != best.later)) {
            removed.set(done.later);
            let resemblance = Some(done.resemblance());
            remove(Removal { document: done.later, keeper: done.earlier, resemblance })?;
            best = None;
        }
        let Some(pair) = pair else { return Ok(()) };
        // Whether the earlier one stays has been decided: all its pairs came before.
        if !removed.has(pair.earlier) && best.is_none_or(|b| pair.resemblance > b.resemblance) {
            best = Some(pair);
        }
    }
}

/// Decides by connected components; calls `remove` for every document but the
/// first of each, in order.
///
/// # Errors
/// If the pairs cannot be read.
pub fn components(
    documents: u64,
    pairs: &mut Sorted<PlacedPair>,
    mut remove: impl FnMut(Removal) -> Result<()>,
) -> Result<()> {
    let mut components = Components::new(documents);
    // Of pairs only those with a component's first document carry its resemblance, and which
    // that is shows only in the end: they are kept aside, at most one a document.
    let mut direct: Vec<PlacedPair> = Vec::new();
    while let Some(pair) = pairs.next()? {
        components.join(pair.later, pair.earlier);
        // Sorted by the later, then the earlier: the first pair of a document has its most
        // preferred neighbour, which is the component's first if any of its pairs is.
        if direct.last().is_none_or(|last| last.later != pair.later) {
            direct.push(pair);
        }
    }
    let mut direct = direct.into_iter().peekable();
    for document in 0..documents {
        let own = direct.next_if(|pair| pair.later == document);
        let keeper = components.find(document);
        if keeper != document {
            let resemblance =
                own.filter(|pair| pair.earlier == keeper).map(PlacedPair::resemblance);
            remove(Removal { document, keeper, resemblance })?;
        }
    }
    Ok(())
}

/// A set of places, a bit each.
struct Places(Vec<u64>);

impl Places {
    fn none(documents: u64) -> Self {
        Self(vec![0; documents.div_ceil(64) as usize])
    }

    fn set(&mut self, place: u64) {
        self.0[(place / 64) as usize] |= 1 << (place % 64);
    }

    fn has(&self, place: u64) -> bool {
        self.0[(place / 64) as usize] >> (place % 64) & 1 == 1
    }
}

//! Pugh's lists: tokens dealt to L lists by a hash, one fingerprint for each list.
//!
//! An edit (some or all occurrences of one word added or removed) changes one
//! list, so documents a few edits apart still have a list in common; one
//! common list in each of several independent repeats makes chance matches
//! rare. A list to which no token was dealt has no fingerprint and matches
//! nothing: otherwise all short documents would look alike.

use lookalike_kernels::rabin::{FEATURES, Rabin};
use lookalike_kernels::{Sequence, mix};

use crate::error::{Error, ErrorKind, Result};

/// Whether the order of tokens within a list matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListOrder {
    /// It does: moving a large part of the text is a large change.
    #[default]
    Sequence,
    /// It does not: a list is a bag of tokens.
    Bag,
}

/// Makes list sketches.
#[derive(Clone, Debug)]
pub struct Lists {
    count: usize,
    order: ListOrder,
    /// A key for each repeat.
    keys: Vec<u64>,
    /// L states for each repeat.
    fingerprints: Vec<u64>,
}

impl Lists {
    /// `lists` lists, `repeats` times, with hashes drawn from `seed`.
    pub fn new(lists: usize, repeats: usize, order: ListOrder, seed: u64) -> Self {
        let mut sequence = Sequence::new(seed, PURPOSE);
        let keys = (0..repeats).map(|_| sequence.next()).collect();
        Self { count: lists, order, keys, fingerprints: vec![ListsSketch::NONE; lists * repeats] }
    }

    /// Takes the next tokens (or shingles) of the document, in order.
    pub fn push(&mut self, tokens: &[u64]) {
        for (&key, lists) in self.keys.iter().zip(self.fingerprints.chunks_mut(self.count)) {
            for &token in tokens {
                let hash = mix(token ^ key);
                // The high part of a product deals evenly without a division.
                let list = ((u128::from(hash) * lists.len() as u128) >> 64) as usize;
                let fingerprint = &mut lists[list];
                *fingerprint = match self.order {
                    ListOrder::Sequence => FEATURES.push_word(*fingerprint, token),
                    // A sum does not depend on the order; mixing again makes it independent
                    // of the dealing.
                    ListOrder::Bag => fingerprint.wrapping_add(mix(hash)),
                };
            }
        }
    }

    /// Forgets the document.
    pub fn clear(&mut self) {
        self.fingerprints.fill(ListsSketch::NONE);
    }

    /// One for each list of each repeat; [`ListsSketch::NONE`] where a list is empty.
    pub fn fingerprints(&self) -> &[u64] {
        &self.fingerprints
    }

    /// The sketch so far.
    pub fn sketch(&self) -> ListsSketch {
        ListsSketch { lists: self.count, fingerprints: self.fingerprints.clone() }
    }
}

/// Names this use of the seed.
const PURPOSE: u64 = 4;

/// The fingerprints of R times L lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListsSketch {
    lists: usize,
    fingerprints: Vec<u64>,
}

impl ListsSketch {
    /// An empty list: the fingerprint of nothing.
    pub const NONE: u64 = Rabin::EMPTY;

    /// One for each list of each repeat.
    pub fn fingerprints(&self) -> &[u64] {
        &self.fingerprints
    }

    /// In how many repeats the two documents have a list in common.
    ///
    /// # Errors
    /// If the sketches have different numbers of lists or repeats.
    pub fn repeats_in_common(&self, other: &Self) -> Result<usize> {
        let sizes = |sketch: &Self| (sketch.lists, sketch.fingerprints.len());
        if sizes(self) != sizes(other) {
            let text = |sketch: &Self| {
                let repeats = sketch.fingerprints.len() / sketch.lists.max(1);
                format!("{} x {repeats}", sketch.lists)
            };
            return Err(Error::from(ErrorKind::Mismatch {
                parameter: "sketch.lists x repeats".to_owned(),
                left: text(self),
                right: text(other),
            }));
        }
        Ok(lists_in_common(self.lists, &self.fingerprints, &other.fingerprints))
    }
}

/// In how many repeats of `lists` fingerprints there is one in common.
pub(crate) fn lists_in_common(lists: usize, a: &[u64], b: &[u64]) -> usize {
    let repeats = a.chunks(lists.max(1)).zip(b.chunks(lists.max(1)));
    let shares =
        |a: &[u64], b: &[u64]| a.iter().zip(b).any(|(a, b)| a == b && *a != ListsSketch::NONE);
    repeats.filter(|(a, b)| shares(a, b)).count()
}

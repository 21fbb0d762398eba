//! Shingles: windows of w tokens, as 64-bit fingerprints.
//!
//! A document is the set of its shingles (Broder, section 2). As an option it
//! is the multiset: the i-th occurrence of a shingle is an element of its own,
//! so that a list repeated twice no longer looks like the same list once
//! (Henzinger, sections 3.2 and 4). A document of fewer than w tokens has one
//! shingle, of all its tokens; an empty document has none.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use lookalike_kernels::rabin::Windows;
use lookalike_kernels::{Kernel, mix};

use crate::text::Token;
use crate::verification::VerificationKey;

/// A shingle: the Rabin fingerprint of its tokens, or that of their codes under a key.
#[doc(alias = "n-gram")]
pub type Shingle = u64;

/// Whether a shingle that occurs again counts again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    /// No: a document is the set of its shingles.
    #[default]
    Set,
    /// Yes: the i-th occurrence is an element of its own.
    Multiset,
}

/// Makes shingles from tokens that come in blocks. Memory: w tokens and one
/// block; for multisets also a counter for each distinct shingle.
#[doc(alias = "n-gram")]
pub struct Shingler {
    kernel: Kernel,
    windows: Windows,
    counting: Counting,
    /// If it makes elements that nobody else can.
    key: Option<VerificationKey>,
    /// The last tokens, fewer than w before each block.
    tokens: Vec<Token>,
    shingles: Vec<Shingle>,
    occurrences: HashMap<Shingle, u32, BuildHasherDefault<MixHasher>>,
    /// Whether a whole window has been seen.
    any: bool,
}

impl Shingler {
    /// For shingles of `width` tokens.
    ///
    /// # Panics
    /// If `width` is zero; a recipe never has such a width.
    pub fn new(kernel: Kernel, width: usize, counting: Counting) -> Self {
        Self::of(kernel, Windows::new(width), counting, None)
    }

    /// For shingles of `width` tokens that are given by their codes under this key, and go by what
    /// only who knows it can tell: for the sets that resemblance is computed from.
    ///
    /// # Panics
    /// As [`Shingler::new`].
    pub fn keyed(kernel: Kernel, width: usize, counting: Counting, key: &VerificationKey) -> Self {
        let windows = Windows::modulo(key.rabin().clone(), width);
        Self::of(kernel, windows, counting, Some(key.clone()))
    }

    fn of(
        kernel: Kernel,
        windows: Windows,
        counting: Counting,
        key: Option<VerificationKey>,
    ) -> Self {
        Self {
            kernel,
            windows,
            counting,
            key,
            tokens: Vec::new(),
            shingles: Vec::new(),
            occurrences: HashMap::default(),
            any: false,
        }
    }

    /// Takes the next tokens of the document, or their codes, and hands on the shingles that end
    /// in them. The sink may use the block as its own.
    pub fn push(&mut self, tokens: &[Token], sink: impl FnOnce(&mut [Shingle])) {
        let before = self.tokens.len();
        self.tokens.extend_from_slice(tokens);
        if let Some(key) = &self.key {
            self.kernel.seal(key.tokens(), &mut self.tokens[before..]);
        }
        let count = self.windows.count(self.tokens.len());
        if count == 0 {
            return;
        }
        self.any = true;
        self.shingles.resize(count, 0);
        self.kernel.windows(&self.windows, &self.tokens, &mut self.shingles);
        self.tokens.drain(..count);
        self.distinguish_occurrences();
        sink(&mut self.shingles);
    }

    /// Ends the document: hands on the shingle of a short one, and is ready for the next.
    pub fn finish(&mut self, sink: impl FnOnce(&mut [Shingle])) {
        if !self.any && !self.tokens.is_empty() {
            sink(&mut [self.windows.rabin().words(&self.tokens)]);
        }
        self.any = false;
        self.tokens.clear();
        self.occurrences.clear();
    }

    /// Turns the i-th occurrence of a shingle into an element of its own.
    fn distinguish_occurrences(&mut self) {
        if self.counting == Counting::Set {
            return;
        }
        for shingle in &mut self.shingles {
            let occurrences = self.occurrences.entry(*shingle).or_insert(0);
            if *occurrences > 0 {
                *shingle = self.windows.rabin().words(&[*shingle, u64::from(*occurrences)]);
            }
            *occurrences = occurrences.saturating_add(1);
        }
    }
}

/// Hashes a fingerprint by mixing it: faster than the default, and fingerprints are not chosen
/// by those who could profit from a full bucket more than from a full cluster.
#[derive(Default)]
struct MixHasher(u64);

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = mix(self.0 ^ value);
    }
}

/// Sorts shingles and drops repeats, nearly twice as fast as a comparing sort. It keeps its buffer.
///
/// Fingerprints are evenly spread: by their first bits, a few more than number them, nearly all are in
/// order. So they are sorted by these, in two passes, and then each is moved to its place among its
/// neighbours. Where they are not spread, that takes too long, and a comparing sort does it.
#[derive(Default)]
pub struct ShingleSorter {
    buffer: Vec<Shingle>,
}

impl ShingleSorter {
    /// For fewer, it is not worth while.
    const FEW: usize = 128;
    /// Bits of a pass at most: its counts stay in the first-level cache.
    const MAX_BITS: u32 = 11;
    /// Memory of more shingles than these is given back.
    const KEPT: usize = 1 << 16;

    /// Leaves every shingle once, in ascending order.
    pub fn distinct(&mut self, shingles: &mut Vec<Shingle>) {
        let sorted = shingles.len() >= Self::FEW && {
            self.sort_by_first_bits(shingles);
            settle(shingles)
        };
        if !sorted {
            shingles.sort_unstable();
        }
        shingles.dedup();
    }

    fn sort_by_first_bits(&mut self, shingles: &mut [Shingle]) {
        let bits = (shingles.len().ilog2() / 2 + 1).min(Self::MAX_BITS);
        let buffer = &mut self.buffer;
        buffer.resize(buffer.len().max(shingles.len()), 0);
        let between = &mut buffer[..shingles.len()];
        sort_by_bits(shingles, between, u64::BITS - 2 * bits, bits);
        sort_by_bits(between, shingles, u64::BITS - bits, bits);
        buffer.truncate(Self::KEPT);
        buffer.shrink_to(Self::KEPT);
    }
}

/// Sorts by some bits of each, and leaves the order of those in which they are equal.
fn sort_by_bits(from: &[Shingle], to: &mut [Shingle], shift: u32, bits: u32) {
    let mut places = [0_usize; 1 << ShingleSorter::MAX_BITS];
    let places = &mut places[..1 << bits];
    let place = |shingle: Shingle| (shingle >> shift) as usize & ((1 << bits) - 1);
    for &shingle in from {
        places[place(shingle)] += 1;
    }
    let mut before = 0;
    for place in &mut *places {
        before += std::mem::replace(place, before);
    }
    for &shingle in from {
        let next = &mut places[place(shingle)];
        to[*next] = shingle;
        *next += 1;
    }
}

/// Sorts what is nearly sorted; `false` if it is not, and not sorted then.
fn settle(shingles: &mut [Shingle]) -> bool {
    let mut moves = 4 * shingles.len();
    for number in 1..shingles.len() {
        let shingle = shingles[number];
        let mut at = number;
        while at > 0 && shingles[at - 1] > shingle {
            shingles[at] = shingles[at - 1];
            at -= 1;
        }
        shingles[at] = shingle;
        let Some(left) = moves.checked_sub(number - at) else { return false };
        moves = left;
    }
    true
}

/// The shingles of a document, sorted and without repeats: what resemblance is defined on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[doc(alias = "n-gram")]
pub struct ShingleSet(Vec<Shingle>);

impl ShingleSet {
    /// The set of these shingles, in any order and with repeats.
    pub fn new(mut shingles: Vec<Shingle>) -> Self {
        ShingleSorter::default().distinct(&mut shingles);
        Self(shingles)
    }

    /// The shingles of a whole document.
    pub fn of_tokens(shingler: &mut Shingler, tokens: &[Token]) -> Self {
        let mut shingles = Vec::with_capacity(tokens.len());
        shingler.push(tokens, |block| shingles.extend_from_slice(block));
        shingler.finish(|block| shingles.extend_from_slice(block));
        Self::new(shingles)
    }

    /// In ascending order.
    pub fn as_slice(&self) -> &[Shingle] {
        &self.0
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the document was empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Spread as fingerprints are, or all in a few places, with repeats.
        #[test]
        fn sorted_shingles_are_those_of_a_comparing_sort(
            numbers in prop::collection::vec(0_u64..5_000, 0..3_000),
            spread in prop::bool::ANY,
        ) {
            let mut shingles: Vec<u64> = numbers;
            if spread {
                for shingle in &mut shingles {
                    *shingle = mix(*shingle);
                }
            }
            let mut expected = shingles.clone();
            expected.sort_unstable();
            expected.dedup();
            let mut sorter = ShingleSorter::default();
            sorter.distinct(&mut vec![7; 100]);
            sorter.distinct(&mut shingles);
            prop_assert_eq!(shingles, expected);
        }
    }
}

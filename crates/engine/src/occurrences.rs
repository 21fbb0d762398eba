//! Which keys occur more than once, in two bits each.
//!
//! Pugh's bitmaps: a first pass counts every key into one of many counters
//! that know 0, 1 and many; in a second pass the keys whose counter says 1 are
//! dropped before they cost a byte of disk. A key that occurs twice is never
//! dropped. One that occurs once is kept if another shares its counter: with
//! four counters a key, about one in five.

use lookalike_core::mix;

use crate::error::Result;

/// Counters that know 0, 1 and many.
pub struct Occurrences {
    /// 32 counters of two bits in each word.
    words: Vec<u64>,
}

/// Counters in a word.
const COUNTERS: u64 = 32;

impl Occurrences {
    /// As many counters as fit into `bytes`: four a byte.
    pub fn with_bytes(bytes: usize) -> Self {
        Self { words: vec![0; (bytes / 8).max(1)] }
    }

    /// The word and the bits of a key's counter.
    #[inline]
    fn place(&self, key: u64) -> (usize, u32) {
        // Mixed: keys may be linear in each other. The high part of a product deals evenly to
        // any number of counters, without a division.
        let counters = self.words.len() as u64 * COUNTERS;
        let counter = ((u128::from(mix(key)) * u128::from(counters)) >> 64) as u64;
        ((counter / COUNTERS) as usize, (counter % COUNTERS * 2) as u32)
    }

    /// Counts a key.
    #[inline]
    pub fn count(&mut self, key: u64) {
        let (word, bits) = self.place(key);
        let word = &mut self.words[word];
        // 0 becomes 1, 1 becomes 2, and 2 stays: many.
        let counter = *word >> bits & 3;
        *word += u64::from(counter < 2) << bits;
    }

    /// Counts keys.
    pub(crate) fn count_all(&mut self, keys: &[u64]) {
        for &key in keys {
            self.count(key);
        }
    }

    /// Counts keys that may have been counted before, and no others.
    pub(crate) fn count_those_met(&mut self, keys: &[u64]) {
        for &key in keys {
            let (word, bits) = self.place(key);
            let word = &mut self.words[word];
            *word += u64::from(*word >> bits & 3 == 1) << bits;
        }
    }

    /// Counts a key that is counted no more than once.
    #[inline]
    pub(crate) fn count_once(&mut self, key: u64) {
        let (word, bits) = self.place(key);
        let word = &mut self.words[word];
        let counter = *word >> bits & 3;
        *word += u64::from(counter < 1) << bits;
    }

    /// Counts a key once more if it may have been counted, and says whether it may.
    #[inline]
    pub(crate) fn meet(&mut self, key: u64) -> bool {
        let (word, bits) = self.place(key);
        let word = &mut self.words[word];
        let counter = *word >> bits & 3;
        *word += u64::from(counter == 1) << bits;
        counter > 0
    }

    /// Whether a key may have been counted more than once. Never false for one that was.
    #[inline]
    pub fn may_be_many(&self, key: u64) -> bool {
        let (word, bits) = self.place(key);
        self.words[word] >> bits & 3 == 2
    }
}

/// Bytes of counters that a batch goes to: as many pages as the first-level TLB knows.
const WINDOW_BYTES: usize = 256 << 10;

/// Items of a batch: so many waits for memory overlap.
const BATCH: usize = 1024;

/// Items gathered by where the counters of their keys are.
///
/// Counters are many times larger than any cache, and each key waits for memory. In batches whose
/// counters are near each other the processor has many of these waits at once.
pub(crate) struct Batches<T> {
    batches: Vec<Vec<T>>,
}

impl<T> Batches<T> {
    /// For the counters of `occurrences`.
    pub(crate) fn new(occurrences: &Occurrences) -> Self {
        let bytes = occurrences.words.len() * size_of::<u64>();
        let windows = bytes.div_ceil(WINDOW_BYTES);
        Self { batches: (0..windows).map(|_| Vec::with_capacity(BATCH)).collect() }
    }

    /// Bytes of batches for this many bytes of counters.
    pub(crate) fn bytes(counters: usize) -> usize {
        counters.div_ceil(WINDOW_BYTES) * BATCH * size_of::<T>()
    }

    /// Takes an item; hands on its batch if that is full.
    #[inline]
    pub(crate) fn push(
        &mut self,
        key: u64,
        item: T,
        mut full: impl FnMut(&[T]) -> Result<()>,
    ) -> Result<()> {
        // Counters are dealt by the high part of a product too, and so in the same order.
        let batch = (u128::from(mix(key)) * self.batches.len() as u128) >> 64;
        let batch = &mut self.batches[batch as usize];
        batch.push(item);
        if batch.len() == BATCH {
            full(batch)?;
            batch.clear();
        }
        Ok(())
    }

    /// Hands on what has come.
    pub(crate) fn drain(&mut self, mut rest: impl FnMut(&[T]) -> Result<()>) -> Result<()> {
        for batch in &mut self.batches {
            rest(batch)?;
            batch.clear();
        }
        Ok(())
    }

    /// Hands on what is left.
    pub(crate) fn finish(mut self, rest: impl FnMut(&[T]) -> Result<()>) -> Result<()> {
        self.drain(rest)
    }
}

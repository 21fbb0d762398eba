//! Which keys occur more than once, in two bits each.
//!
//! Pugh's bitmaps: a first pass counts every key into one of many counters
//! that know 0, 1 and many; in a second pass the keys whose counter says 1 are
//! dropped before they cost a byte of disk. A key that occurs twice is never
//! dropped. One that occurs once is kept if another shares its counter: with
//! four counters a key, about one in five.

use lookalike_core::mix;

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
    fn place(&self, key: u64) -> (usize, u32) {
        // Mixed: keys may be linear in each other. The high part of a product deals evenly to
        // any number of counters, without a division.
        let counters = self.words.len() as u64 * COUNTERS;
        let counter = ((u128::from(mix(key)) * u128::from(counters)) >> 64) as u64;
        ((counter / COUNTERS) as usize, (counter % COUNTERS * 2) as u32)
    }

    /// Counts a key.
    pub fn count(&mut self, key: u64) {
        let (word, bits) = self.place(key);
        let word = &mut self.words[word];
        // 0 becomes 1, 1 becomes 2, and 2 stays: many.
        let counter = *word >> bits & 3;
        *word += u64::from(counter < 2) << bits;
    }

    /// Whether a key may have been counted more than once. Never false for one that was.
    pub fn may_be_many(&self, key: u64) -> bool {
        let (word, bits) = self.place(key);
        self.words[word] >> bits & 3 == 2
    }
}

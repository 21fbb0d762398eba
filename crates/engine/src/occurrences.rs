//! Which keys occur more than once, in two bits each.
//!
//! Pugh's bitmaps: a first pass counts every key into one of many counters
//! that know 0, 1 and many; in a second pass the keys whose counter says 1 are
//! dropped before they cost a byte of disk. A key that occurs twice is never
//! dropped. One that occurs once is kept if another shares its counter: with
//! four counters a key, about one in five.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use lookalike_core::mix;

/// Counters that know 0, 1 and many.
pub struct Occurrences {
    /// 32 counters of two bits in each word. What several threads count goes to one window after
    /// another, of which each has a lock: no counting is lost, though no word is changed atomically.
    words: Vec<AtomicU64>,
    windows: Vec<Mutex<()>>,
}

/// Counters in a word.
const COUNTERS: u64 = 32;

/// Words of a window: as many pages as the first-level TLB knows.
const WINDOW: usize = (256 << 10) / size_of::<u64>();

/// Whose key is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// A document's that is compared with all others.
    New,
    /// A document's that is compared with new ones only: its key may be many if a new one has it.
    Known,
}

/// A counter of a window, and whose key is to be counted there.
#[derive(Clone, Copy)]
pub(crate) struct CountOf(u32);

impl Occurrences {
    /// As many counters as fit into `bytes`: four a byte.
    pub fn with_bytes(bytes: usize) -> Self {
        let words: Vec<AtomicU64> = (0..(bytes / 8).max(1)).map(|_| AtomicU64::new(0)).collect();
        let windows = (0..words.len().div_ceil(WINDOW)).map(|_| Mutex::new(())).collect();
        Self { words, windows }
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

    /// How many windows there are.
    pub(crate) fn windows(&self) -> usize {
        self.windows.len()
    }

    /// The window that the counter of a key is in.
    #[inline]
    pub(crate) fn window_of(&self, key: u64) -> usize {
        self.place(key).0 / WINDOW
    }

    /// The window and the counter of a key.
    #[inline]
    pub(crate) fn count_of(&self, key: u64, side: Side) -> (usize, CountOf) {
        let (word, bits) = self.place(key);
        let counter = (word % WINDOW) as u32 * COUNTERS as u32 + bits / 2;
        (word / WINDOW, CountOf(counter << 1 | u32::from(side == Side::Known)))
    }

    /// Counts a key.
    #[inline]
    pub fn count(&mut self, key: u64) {
        let (window, count) = self.count_of(key, Side::New);
        self.count_all(window, &[count]);
    }

    /// Counts keys whose counters are in this window. What comes of it does not depend on the order.
    pub(crate) fn count_all(&self, window: usize, counts: &[CountOf]) {
        // What becomes of a counter, by whose key it is and what the counter says: two bits each, to
        // be turned. By new keys 0 becomes 1, 1 becomes 2, which is many and stays, and so does 3, which
        // is what known keys make of 0: they make 2 of 1, and leave 3.
        const TURNED: u32 = 0b00_00_11_11_01_00_11_01;
        let words = &self.words[window * WINDOW..];
        let _locked = self.windows[window].lock().unwrap_or_else(PoisonError::into_inner);
        for &CountOf(count) in counts {
            let (counter, known) = (count >> 1, count & 1);
            let (word, bits) = (&words[(counter / 32) as usize], counter % 32 * 2);
            let value = word.load(Ordering::Relaxed);
            let state = (value >> bits) as u32 & 3;
            let turned = TURNED >> (8 * known + 2 * state) & 3;
            word.store(value ^ u64::from(turned) << bits, Ordering::Relaxed);
        }
    }

    /// Counts a key that is counted no more than once.
    #[inline]
    pub(crate) fn count_once(&mut self, key: u64) {
        let (word, bits) = self.place(key);
        let word = self.words[word].get_mut();
        let counter = *word >> bits & 3;
        *word += u64::from(counter < 1) << bits;
    }

    /// Counts a key once more if it may have been counted, and says whether it may.
    #[inline]
    pub(crate) fn meet(&mut self, key: u64) -> bool {
        let (word, bits) = self.place(key);
        let word = self.words[word].get_mut();
        let counter = *word >> bits & 3;
        *word += u64::from(counter == 1) << bits;
        counter > 0
    }

    /// Whether a key may have been counted more than once. Never false for one that was.
    #[inline]
    pub fn may_be_many(&self, key: u64) -> bool {
        let (word, bits) = self.place(key);
        self.words[word].load(Ordering::Relaxed) >> bits & 3 == 2
    }
}

/// The most items of a batch: so many waits for memory overlap. The least still have some of it.
const BATCH: usize = 1024;
const LEAST_BATCH: usize = 16;

/// Items gathered by the windows that the counters of their keys are in.
///
/// Counters are many times larger than any cache, and each key waits for memory. In batches whose
/// counters are near each other the processor has many of these waits at once.
pub(crate) struct Batches<T> {
    batches: Vec<Vec<T>>,
    items: usize,
}

impl<T> Batches<T> {
    /// For so many windows, with up to so many items of each.
    pub(crate) fn new(windows: usize, items: usize) -> Self {
        Self { batches: (0..windows).map(|_| Vec::with_capacity(items)).collect(), items }
    }

    /// How many items of each window the batches of all threads may have within so many bytes.
    pub(crate) fn items(windows: usize, threads: usize, bytes: usize) -> usize {
        (bytes / (windows * threads * size_of::<T>())).clamp(LEAST_BATCH, BATCH)
    }

    /// Takes an item; hands on its batch if that is full.
    #[inline]
    pub(crate) fn push(&mut self, window: usize, item: T, full: impl FnOnce(&[T])) {
        let batch = &mut self.batches[window];
        batch.push(item);
        if batch.len() == self.items {
            full(batch);
            batch.clear();
        }
    }

    /// Hands on what is left, with its windows.
    pub(crate) fn drain(&mut self, mut rest: impl FnMut(usize, &[T])) {
        for (window, batch) in self.batches.iter_mut().enumerate() {
            rest(window, batch);
            batch.clear();
        }
    }
}

//! Sets of documents, a bit each.

/// A set of places in the order of the keep policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places(Vec<u64>);

impl Places {
    /// No place of `documents`.
    pub fn none(documents: u64) -> Self {
        Self(vec![0; documents.div_ceil(64) as usize])
    }

    /// Takes a place in; false if it was in already.
    ///
    /// # Panics
    /// If there is no such document.
    pub fn insert(&mut self, place: u32) -> bool {
        let (word, bit) = (&mut self.0[place as usize / 64], 1 << (place % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Whether a place is in.
    ///
    /// # Panics
    /// If there is no such document.
    pub fn contains(&self, place: u32) -> bool {
        self.0[place as usize / 64] >> (place % 64) & 1 == 1
    }

    /// Takes all places out.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }
}

//! Which keys a segment may have: a Bloom filter in blocks of a cache line.
//!
//! Eight bits a posting and six of a block's 512 bits for each key: about three
//! in a hundred keys that are not there seem to be, and a look costs one wait
//! for memory. Blocks follow each other as their keys do, so that a segment, whose
//! keys ascend, fills its filter from one end to the other.

use lookalike_core::mix;

use super::KEY_BITS;

/// Words of a block.
const BLOCK: usize = 8;
/// Bits a posting.
const BITS: u64 = 8;
/// Bits that a key sets.
const PROBES: u32 = 6;

/// The filter of a segment.
pub(super) struct Bloom {
    words: Vec<u64>,
}

impl Bloom {
    /// With room for so many postings.
    pub(super) fn for_postings(postings: u64) -> Self {
        let blocks = (postings * BITS).div_ceil(64 * BLOCK as u64).max(1);
        Self { words: vec![0; blocks as usize * BLOCK] }
    }

    /// From its words; `None` if they are not whole blocks.
    pub(super) fn from_words(words: Vec<u64>) -> Option<Self> {
        (!words.is_empty() && words.len().is_multiple_of(BLOCK)).then_some(Self { words })
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Where the block of a key begins, and the random bits that choose within it.
    fn block(&self, key: u64) -> (usize, u64) {
        let blocks = (self.words.len() / BLOCK) as u128;
        let block = ((u128::from(key) * blocks) >> KEY_BITS) as usize;
        (block * BLOCK, mix(key ^ 0x626c_6f6f_6d00_0000))
    }

    pub(super) fn insert(&mut self, key: u64) {
        let (block, mut random) = self.block(key);
        for _ in 0..PROBES {
            self.words[block + (random >> 6) as usize % BLOCK] |= 1 << (random % 64);
            random >>= 9;
        }
    }

    /// False only if the key was never inserted.
    pub(super) fn may_have(&self, key: u64) -> bool {
        let (block, mut random) = self.block(key);
        (0..PROBES).all(|_| {
            let word = self.words[block + (random >> 6) as usize % BLOCK];
            let set = word >> (random % 64) & 1 == 1;
            random >>= 9;
            set
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_there_are_found_and_few_others() {
        let key = |n: u64| mix(n) >> (64 - KEY_BITS);
        let mut bloom = Bloom::for_postings(100_000);
        (0..100_000).for_each(|n| bloom.insert(key(n)));
        assert!((0..100_000).all(|n| bloom.may_have(key(n))));
        let wrong = (100_000..200_000).filter(|&n| bloom.may_have(key(n))).count();
        assert!(wrong < 5_000, "{wrong}");
    }
}

//! The postings of the last documents, in memory.

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::{BuildHasher, Hasher};

use lookalike_core::mix;

use super::Posting;

/// Postings that are in no segment yet. Most keys have one document, so lists are kept apart.
#[derive(Default)]
pub(crate) struct RecentPostings {
    /// A number shifted left, or the place of a list shifted left and a one.
    keys: HashMap<u64, u64, SecretHasherState>,
    lists: Vec<Vec<u64>>,
    postings: usize,
}

impl RecentPostings {
    /// Empty, with room for as many keys as this one has.
    pub(crate) fn of_the_size(other: &Self) -> Self {
        let keys =
            HashMap::with_capacity_and_hasher(other.keys.len(), SecretHasherState::default());
        Self { keys, ..Self::default() }
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.postings
    }

    /// Appends a document to a key's list. Numbers ascend, and none comes twice.
    pub(crate) fn push(&mut self, Posting { key, number }: Posting) {
        self.postings += 1;
        match self.keys.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(number << 1);
            }
            Entry::Occupied(mut entry) => match *entry.get() {
                list if list & 1 == 1 => self.lists[(list >> 1) as usize].push(number),
                single => {
                    entry.insert((self.lists.len() as u64) << 1 | 1);
                    self.lists.push(vec![single >> 1, number]);
                }
            },
        }
    }

    /// The list of a key.
    pub(crate) fn list(&self, key: u64) -> impl Iterator<Item = u64> {
        let value = self.keys.get(&key).copied();
        let single = value.filter(|value| value & 1 == 0).map(|value| value >> 1);
        let list = value.filter(|value| value & 1 == 1);
        let list = list.and_then(|value| self.lists.get((value >> 1) as usize));
        single.into_iter().chain(list.into_iter().flatten().copied())
    }

    /// All of them, in the order of segments.
    pub(crate) fn sorted(&self) -> Vec<Posting> {
        let mut all = Vec::with_capacity(self.postings);
        for &key in self.keys.keys() {
            all.extend(self.list(key).map(|number| Posting { key, number }));
        }
        all.sort_unstable();
        all
    }
}

/// Where keys stand in the table: mixed with a number that nobody knows, so that whoever sends
/// documents cannot have their keys meet. Keys are as good as random, and need no more than that.
#[derive(Clone)]
struct SecretHasherState {
    secret: u64,
}

impl Default for SecretHasherState {
    fn default() -> Self {
        Self { secret: RandomState::new().hash_one(0) }
    }
}

impl BuildHasher for SecretHasherState {
    type Hasher = MixHasher;

    fn build_hasher(&self) -> MixHasher {
        MixHasher(self.secret)
    }
}

struct MixHasher(u64);

impl Hasher for MixHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = mix(self.0 ^ key);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

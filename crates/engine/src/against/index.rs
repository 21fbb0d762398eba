//! The inverted index of the references: which of them have a shingle.
//!
//! Elements (mixed shingles) lie in one ascending list; a directory over their
//! highest bits says where to look, and a filter of 16 bits an element answers
//! most questions before that, so that a shingle of no reference costs one
//! cache miss. About 20 bytes an element, and 40 while it is made.
//!
//! References with the same set of shingles are one set here.
//!
//! Boilerplate, which very many sets have, must not make every document a
//! candidate of all of them. A match has at least m of a set's n shingles, so
//! whichever n - m + 1 of them are posted, a match has one of those. All rare
//! shingles are posted. Hot ones are posted only for sets that have too few rare
//! ones, the rarest first; the others a set remembers by itself, and they are
//! counted when something else has made it a candidate. Nothing is missed.

use std::collections::HashMap;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_128;

use super::passages::Words;
use super::references::Reference;
use crate::places::Row;

/// Bytes that a shingle of a reference takes while the index is made, at most.
pub(super) const BYTES_PER_ELEMENT: u64 = 40;

/// Bytes of a reference beside its shingles and its id; with the counters of each thread.
pub(super) fn bytes_per_reference(threads: usize) -> u64 {
    192 + 4 * threads as u64
}

/// References that have one set of shingles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Set {
    /// How many shingles.
    pub(super) elements: u32,
    /// The fewest that a match has.
    pub(super) needed: u32,
    /// Tokens in a shingle.
    pub(super) width: u32,
}

/// A reference and its set.
#[derive(Clone, Debug)]
pub(super) struct Member {
    set: u32,
    pub(super) row: Row,
    pub(super) id: String,
    /// As in [`Reference`].
    pub(super) words: Words,
}

/// Collects references.
pub(super) struct Builder {
    /// The least share of a set that a match has.
    least_share: f64,
    pairs: Vec<(u64, u32)>,
    /// Sets by what is in them.
    known: HashMap<u128, u32>,
    sets: Vec<Set>,
    members: Vec<Member>,
}

impl Builder {
    pub(super) fn new(least_share: f64) -> Self {
        Self {
            least_share,
            pairs: Vec::new(),
            known: HashMap::new(),
            sets: Vec::new(),
            members: Vec::new(),
        }
    }

    /// Adds a reference that has elements.
    pub(super) fn add(&mut self, row: Row, reference: Reference) {
        let Reference { id, width, elements, words, .. } = reference;
        let bytes: Vec<u8> = elements.iter().flat_map(|element| element.to_le_bytes()).collect();
        let next = self.sets.len() as u32;
        let set = *self.known.entry(xxh3_128(&bytes)).or_insert(next);
        if set == next {
            self.sets.push(Set {
                elements: elements.len() as u32,
                needed: least_common(elements.len() as u64, self.least_share) as u32,
                width: width as u32,
            });
            self.pairs.extend(elements.iter().map(|element| (*element, set)));
        }
        self.members.push(Member { set, row, id, words });
    }

    /// Makes the index. An element of more than `hot` sets is hot.
    pub(super) fn build(self, hot: usize) -> Index {
        let Self { mut pairs, sets, mut members, .. } = self;
        pairs.sort_unstable();
        members.sort_unstable_by_key(|member| (member.set, member.row));
        // Where each element's pairs begin.
        let mut runs: Vec<u32> = Vec::new();
        let mut keys: Vec<u64> = Vec::new();
        for (at, (element, _)) in pairs.iter().enumerate() {
            if keys.last() != Some(element) {
                keys.push(*element);
                runs.push(at as u32);
            }
        }
        runs.push(pairs.len() as u32);
        let run = |key: usize| runs[key] as usize..runs[key + 1] as usize;
        let is_hot = |key: usize| run(key).len() > hot;

        let mut held =
            Lists::of_hot(sets.len(), (0..keys.len()).filter(|key| is_hot(*key)), |key| {
                pairs[run(key)].iter().map(|pair| pair.1)
            });
        let mut slow_sets = 0;
        // Hot elements that have to be posted, with their sets.
        let mut posted: Vec<(u32, u32)> = Vec::new();
        for (number, set) in sets.iter().enumerate() {
            let hot = held.list(number);
            let rare = set.elements as usize - hot.len();
            let enough = (set.elements - set.needed + 1) as usize;
            if rare >= enough {
                continue;
            }
            slow_sets += 1;
            let mut by_rarity = hot.to_vec();
            by_rarity.sort_unstable_by_key(|key| (run(*key as usize).len(), *key));
            by_rarity.truncate(enough - rare);
            posted.extend(by_rarity.iter().map(|key| (*key, number as u32)));
            by_rarity.sort_unstable();
            held.remove(number, &by_rarity);
        }
        posted.sort_unstable();

        let mut postings = Vec::with_capacity(pairs.len());
        let mut starts = vec![0];
        let mut posted = posted.into_iter().peekable();
        for key in 0..keys.len() {
            if is_hot(key) {
                while let Some((_, set)) = posted.next_if(|(k, _)| *k as usize == key) {
                    postings.push(set);
                }
            } else {
                postings.extend(pairs[run(key)].iter().map(|pair| pair.1));
            }
            starts.push(postings.len() as u32);
        }
        drop(pairs);
        Index {
            filter: BloomFilter::new(&keys),
            directory: Directory::new(&keys),
            keys,
            starts,
            postings,
            held,
            member_starts: starts_of(sets.len(), members.iter().map(|member| member.set)),
            sets,
            members,
            slow_sets,
        }
    }
}

/// The smallest number of `of` elements that is at least this share of them, and at least one.
fn least_common(of: u64, share: f64) -> u64 {
    let mut common = ((of as f64 * share) as u64).saturating_sub(1).max(1);
    while common < of && (common as f64 / of as f64) < share {
        common += 1;
    }
    common
}

/// Where the runs of ascending numbers below `count` begin, and the end.
fn starts_of(count: usize, numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0; count + 1];
    for number in numbers {
        starts[number as usize + 1] += 1;
    }
    for at in 0..count {
        starts[at + 1] += starts[at];
    }
    starts
}

/// A list of keys for each set.
#[derive(Debug)]
struct Lists {
    starts: Vec<u32>,
    /// How much of each list is still in it.
    lengths: Vec<u32>,
    keys: Vec<u32>,
}

impl Lists {
    /// The hot keys of each set, ascending.
    fn of_hot<S: Iterator<Item = u32>>(
        sets: usize,
        hot: impl Iterator<Item = usize> + Clone,
        sets_of: impl Fn(usize) -> S,
    ) -> Self {
        let starts = starts_of(sets, hot.clone().flat_map(&sets_of));
        let mut lengths = vec![0; sets];
        let mut keys = vec![0; starts.last().map_or(0, |end| *end as usize)];
        for key in hot {
            for set in sets_of(key) {
                let set = set as usize;
                keys[(starts[set] + lengths[set]) as usize] = key as u32;
                lengths[set] += 1;
            }
        }
        Self { starts, lengths, keys }
    }

    fn range(&self, set: usize) -> Range<usize> {
        let start = self.starts[set] as usize;
        start..start + self.lengths[set] as usize
    }

    fn list(&self, set: usize) -> &[u32] {
        &self.keys[self.range(set)]
    }

    /// Takes keys, which are ascending, out of a list.
    fn remove(&mut self, set: usize, out: &[u32]) {
        let range = self.range(set);
        let mut left = range.start;
        for at in range {
            let key = self.keys[at];
            if out.binary_search(&key).is_err() {
                self.keys[left] = key;
                left += 1;
            }
        }
        self.lengths[set] = left as u32 - self.starts[set];
    }
}

/// The index of some references.
pub(super) struct Index {
    filter: BloomFilter,
    directory: Directory,
    /// The elements, ascending; a key is an element's place here.
    keys: Vec<u64>,
    /// Where each key's postings begin, and the end.
    starts: Vec<u32>,
    /// Numbers of sets.
    postings: Vec<u32>,
    /// The keys of each set that are not posted for it.
    held: Lists,
    sets: Vec<Set>,
    member_starts: Vec<u32>,
    /// By set, then by row.
    members: Vec<Member>,
    /// Sets that are searched by hot shingles too.
    slow_sets: u64,
}

impl Index {
    /// The key of an element that some reference has.
    #[inline]
    pub(super) fn key(&self, element: u64) -> Option<u32> {
        if !self.filter.may_have(element) {
            return None;
        }
        let range = self.directory.range(element);
        let found = self.keys[range.clone()].binary_search(&element).ok()?;
        Some((range.start + found) as u32)
    }

    /// The sets that are looked for by a key.
    pub(super) fn postings(&self, key: u32) -> &[u32] {
        let key = key as usize;
        &self.postings[self.starts[key] as usize..self.starts[key + 1] as usize]
    }

    /// The keys of a set that it is not looked for by.
    pub(super) fn held(&self, set: u32) -> &[u32] {
        self.held.list(set as usize)
    }

    pub(super) fn sets(&self) -> &[Set] {
        &self.sets
    }

    /// The references of a set, as numbers for [`member`](Self::member).
    pub(super) fn members(&self, set: u32) -> Range<u32> {
        self.member_starts[set as usize]..self.member_starts[set as usize + 1]
    }

    pub(super) fn member(&self, number: u32) -> &Member {
        &self.members[number as usize]
    }

    /// Tokens in a shingle of a reference.
    pub(super) fn width(&self, member: &Member) -> usize {
        self.sets[member.set as usize].width as usize
    }

    pub(super) fn slow_sets(&self) -> u64 {
        self.slow_sets
    }

    /// The widths of shingles that are not the recipe's, ascending.
    pub(super) fn short_widths(&self, width: usize) -> Vec<usize> {
        let widths = self.sets.iter().map(|set| set.width as usize);
        let mut widths: Vec<usize> = widths.filter(|short| *short < width).collect();
        widths.sort_unstable();
        widths.dedup();
        widths
    }
}

/// Two bits of one word for each element: 16 bits an element let about one in fifty others pass.
struct BloomFilter(Vec<u64>);

impl BloomFilter {
    fn new(elements: &[u64]) -> Self {
        let mut filter = Self(vec![0; elements.len() / 4 + 1]);
        for element in elements {
            let at = filter.place(*element);
            filter.0[at] |= Self::bits(*element);
        }
        filter
    }

    #[inline]
    fn place(&self, element: u64) -> usize {
        ((u128::from(element) * self.0.len() as u128) >> 64) as usize
    }

    #[inline]
    fn bits(element: u64) -> u64 {
        1 << (element & 63) | 1 << (element >> 6 & 63)
    }

    #[inline]
    fn may_have(&self, element: u64) -> bool {
        let bits = Self::bits(element);
        self.0[self.place(element)] & bits == bits
    }
}

/// Where the elements with some highest bits are. They are mixed, so that each place has a few.
struct Directory {
    shift: u32,
    starts: Vec<u32>,
}

impl Directory {
    /// About four elements a place.
    fn new(elements: &[u64]) -> Self {
        let bits = (elements.len() / 4).max(2).ilog2();
        let shift = u64::BITS - bits;
        let places = elements.iter().map(|element| (element >> shift) as u32);
        Self { shift, starts: starts_of(1 << bits, places) }
    }

    #[inline]
    fn range(&self, element: u64) -> Range<usize> {
        let place = (element >> self.shift) as usize;
        self.starts[place] as usize..self.starts[place + 1] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_is_the_first_that_is_enough() {
        for of in 1..200_u64 {
            for share in [1e-9, 0.1, 0.5, 0.7, 0.8, 0.95, 1.0] {
                let naive = (1..=of).find(|common| *common as f64 / of as f64 >= share);
                assert_eq!(Some(least_common(of, share)), naive, "{share} of {of}");
            }
        }
    }

    #[test]
    fn keys_are_found_and_others_are_not() {
        for count in [0_u64, 1, 2, 7, 8, 100, 5000] {
            let mut builder = Builder::new(0.8);
            for row in 0..count {
                let elements = vec![lookalike_core::mix(2 * row)];
                let (id, words) = (String::new(), Words::default());
                builder.add(Row::nth(row), Reference { id, tokens: 8, width: 8, elements, words });
            }
            let index = builder.build(10);
            for row in 0..count {
                let key = index.key(lookalike_core::mix(2 * row)).unwrap();
                let [set] = index.postings(key) else { panic!("one set") };
                assert_eq!(index.member(index.members(*set).start).row, Row::nth(row));
                assert_eq!(index.key(lookalike_core::mix(2 * row + 1)), None);
            }
        }
    }
}

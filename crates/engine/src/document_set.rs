//! Sets of documents that know how many come before each: a bit a document, and a little more.

use std::marker::PhantomData;
use std::ops::Range;

use crate::places::{InputOrder, KeepOrder, Number};

/// Bits between two counts.
const STEP: usize = 512;

/// A set of documents, by their numbers in one of the two orders.
#[derive(Clone, Debug)]
pub(crate) struct DocumentSet<Order> {
    words: Vec<u64>,
    /// Members before each step; made by [`DocumentSet::count`].
    before: Vec<u64>,
    order: PhantomData<Order>,
}

/// A set of rows.
pub(crate) type RowSet = DocumentSet<InputOrder>;

/// A set of places.
pub(crate) type PlaceSet = DocumentSet<KeepOrder>;

impl<O: Copy> DocumentSet<O> {
    /// None of so many documents.
    pub(crate) fn none(documents: u64) -> Self {
        let words = vec![0; documents.div_ceil(64) as usize];
        Self { words, before: Vec::new(), order: PhantomData }
    }

    /// Makes room for so many documents, if there is less.
    pub(crate) fn extend_to(&mut self, documents: u64) {
        let words = documents.div_ceil(64) as usize;
        if words > self.words.len() {
            self.words.resize(words, 0);
        }
    }

    /// Takes a document in; false if it was in already.
    pub(crate) fn insert(&mut self, document: Number<O>) -> bool {
        let (word, bit) = (&mut self.words[document.index() / 64], 1 << (document.index() % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Takes all out.
    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    pub(crate) fn contains(&self, document: Number<O>) -> bool {
        self.words[document.index() / 64] >> (document.index() % 64) & 1 == 1
    }

    /// Counts the members, for [`rank`](Self::rank) and [`len`](Self::len); to be done when all
    /// are in.
    pub(crate) fn count(mut self) -> Self {
        let mut members = 0;
        self.before = vec![0];
        for step in self.words.chunks(STEP / 64) {
            members += step.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
            self.before.push(members);
        }
        self
    }

    /// How many members there are.
    pub(crate) fn len(&self) -> u64 {
        self.before.last().copied().unwrap_or(0)
    }

    /// As they are stored: a bit a document.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// What was stored, counted.
    pub(crate) fn of_words(words: Vec<u64>) -> Self {
        Self { words, before: Vec::new(), order: PhantomData }.count()
    }

    /// The member that so many come before; none if there are not more.
    pub(crate) fn nth(&self, rank: u64) -> Option<Number<O>> {
        let step = self.before.partition_point(|before| *before <= rank).checked_sub(1)?;
        let mut left = rank - self.before.get(step)?;
        let from = step * (STEP / 64);
        for (at, &word) in self.words.iter().enumerate().skip(from) {
            let members = u64::from(word.count_ones());
            if left < members {
                let bit = (0..64).filter(|bit| word >> bit & 1 == 1).nth(left as usize)?;
                return Some(Number::nth(64 * at as u64 + bit));
            }
            left -= members;
        }
        None
    }

    /// The members, ascending.
    pub(crate) fn members(&self) -> impl Iterator<Item = Number<O>> {
        let words = self.words.iter().enumerate();
        words.flat_map(|(at, &word)| {
            let bits = (0..64).filter(move |bit| word >> bit & 1 == 1);
            bits.map(move |bit| Number::nth(64 * at as u64 + bit))
        })
    }

    /// How many members come before a document.
    pub(crate) fn rank(&self, document: Number<O>) -> u64 {
        let (step, word) = (document.index() / STEP, document.index() / 64);
        let whole = self.words[step * (STEP / 64)..word].iter();
        let whole: u64 = whole.map(|word| u64::from(word.count_ones())).sum();
        let below = (1 << (document.index() % 64)) - 1;
        let part = self.words.get(word).map_or(0, |word| word & below);
        self.before[step] + whole + u64::from(part.count_ones())
    }

    /// How many documents of a range are in.
    pub(crate) fn count_in(&self, range: &Range<Number<O>>) -> u64 {
        self.rank(range.end) - self.rank(range.start)
    }

    /// Whether any document of a range is in.
    pub(crate) fn any(&self, range: &Range<Number<O>>) -> bool {
        self.count_in(range) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::Row;

    #[test]
    fn ranks_are_counts() {
        for rows in [0, 1, 63, 64, 65, 512, 5000] {
            let mut set = RowSet::none(rows);
            let (start, end) = (Row::nth(0), Row::nth(rows));
            let member = |row: Row| lookalike_core::mix(row.into()).is_multiple_of(3);
            Row::between(start..end).filter(|row| member(*row)).for_each(|row| {
                assert!(set.insert(row) && !set.insert(row));
            });
            let set = set.count();
            let mut rank = 0;
            for row in Row::between(start..end) {
                assert_eq!((set.rank(row), set.contains(row)), (rank, member(row)));
                assert!(!member(row) || set.nth(rank) == Some(row));
                rank += u64::from(member(row));
            }
            assert_eq!((set.rank(end), set.len()), (rank, rank));
            assert_eq!((set.nth(rank), set.members().count() as u64), (None, rank));
            assert!(set.members().eq(RowSet::of_words(set.words().to_vec()).members()));
            assert!(!set.any(&(start..start)) && set.any(&(start..end)) == (rank > 0));
        }
    }
}

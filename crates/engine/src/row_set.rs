//! A set of rows that knows how many come before each: a bit a row, and a little more.

use std::ops::Range;

/// Bits between two counts.
const STEP: usize = 512;

/// A set of rows.
#[derive(Clone, Debug)]
pub(crate) struct RowSet {
    words: Vec<u64>,
    /// Members before each step; made by [`RowSet::count`].
    before: Vec<u64>,
}

impl RowSet {
    /// No row of so many.
    pub(crate) fn none(rows: u64) -> Self {
        Self { words: vec![0; rows.div_ceil(64) as usize], before: Vec::new() }
    }

    /// Makes room for so many rows, if there is less.
    pub(crate) fn extend_to(&mut self, rows: u64) {
        let words = rows.div_ceil(64) as usize;
        if words > self.words.len() {
            self.words.resize(words, 0);
        }
    }

    pub(crate) fn insert(&mut self, row: u64) {
        self.words[row as usize / 64] |= 1 << (row % 64);
    }

    /// Takes all out.
    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    pub(crate) fn contains(&self, row: u64) -> bool {
        self.words[row as usize / 64] >> (row % 64) & 1 == 1
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

    /// How many members come before a row.
    pub(crate) fn rank(&self, row: u64) -> u64 {
        let (step, word) = (row as usize / STEP, row as usize / 64);
        let whole = self.words[step * (STEP / 64)..word].iter();
        let whole: u64 = whole.map(|word| u64::from(word.count_ones())).sum();
        let part = self.words.get(word).map_or(0, |word| word & ((1 << (row % 64)) - 1));
        self.before[step] + whole + u64::from(part.count_ones())
    }

    /// Whether any row of a range is in.
    pub(crate) fn any(&self, range: Range<u64>) -> bool {
        !range.is_empty() && self.rank(range.end) > self.rank(range.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_counts() {
        for rows in [0, 1, 63, 64, 65, 512, 5000] {
            let mut set = RowSet::none(rows);
            let member = |row: u64| lookalike_core::mix(row).is_multiple_of(3);
            (0..rows).filter(|row| member(*row)).for_each(|row| set.insert(row));
            let set = set.count();
            let mut rank = 0;
            for row in 0..rows {
                assert_eq!((set.rank(row), set.contains(row)), (rank, member(row)));
                rank += u64::from(member(row));
            }
            assert_eq!((set.rank(rows), set.len()), (rank, rank));
            assert!(!set.any(0..0) && set.any(0..rows) == (rank > 0));
        }
    }
}

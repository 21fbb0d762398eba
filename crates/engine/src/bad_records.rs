//! The records of a source that cannot be read: a list of runs, since a file with one bad record
//! in a row often has a million.

use serde::{Deserialize, Serialize};

/// Bad records, by number, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(u64, u64)>", into = "Vec<(u64, u64)>")]
pub(crate) struct BadRecords {
    runs: Vec<BadStretch>,
    count: u64,
}

/// Consecutive bad records: as many as there are between its `before` and that of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BadStretch {
    first: u64,
    /// Bad records before this run.
    before: u64,
}

impl BadRecords {
    pub(crate) fn len(&self) -> u64 {
        self.count
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<BadStretch>() * self.runs.len()
    }

    /// Appends a record, whose number is higher than those before.
    pub(crate) fn push(&mut self, record: u64) {
        self.extend(record, 1);
    }

    /// Appends all of another list, whose numbers are higher.
    pub(crate) fn append(&mut self, other: &Self) {
        other.runs().for_each(|(first, length)| self.extend(first, length));
    }

    /// How many are before `record`, which is not one of them; `None` if it is.
    pub(crate) fn before(&self, record: u64) -> Option<u64> {
        let after = self.runs.partition_point(|run| run.first <= record);
        let Some(run) = after.checked_sub(1).and_then(|index| self.runs.get(index)) else {
            return Some(0);
        };
        let through = self.runs.get(after).map_or(self.count, |next| next.before);
        (record - run.first >= through - run.before).then_some(through)
    }

    /// How many are before the good record that is the `good`th, from 1 on.
    pub(crate) fn before_good(&self, good: u64) -> u64 {
        // A run before it has fewer than `good` good ones before itself.
        let after = self.runs.partition_point(|run| run.first - run.before <= good);
        self.runs.get(after).map_or(self.count, |next| next.before)
    }

    fn extend(&mut self, first: u64, length: u64) {
        let goes_on =
            self.runs.last().is_some_and(|last| first - last.first == self.count - last.before);
        if !goes_on {
            self.runs.push(BadStretch { first, before: self.count });
        }
        self.count += length;
    }

    /// The first of each run, and its length.
    fn runs(&self) -> impl Iterator<Item = (u64, u64)> {
        let ends = self.runs.iter().skip(1).map(|next| next.before).chain([self.count]);
        self.runs.iter().zip(ends).map(|(run, end)| (run.first, end - run.before))
    }
}

impl From<Vec<(u64, u64)>> for BadRecords {
    fn from(runs: Vec<(u64, u64)>) -> Self {
        let mut records = Self::default();
        for (first, length) in runs {
            records.extend(first, length);
        }
        records
    }
}

impl From<BadRecords> for Vec<(u64, u64)> {
    fn from(records: BadRecords) -> Self {
        records.runs().collect()
    }
}

impl FromIterator<u64> for BadRecords {
    fn from_iter<T: IntoIterator<Item = u64>>(numbers: T) -> Self {
        let mut records = Self::default();
        for record in numbers {
            records.push(record);
        }
        records
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// As a list of numbers says it.
        #[test]
        fn they_answer_as_a_list_does(is_bad: Vec<bool>, cut in 0_usize..40) {
            let numbers = |good| (1..).zip(&is_bad).filter(move |(_, bad)| **bad != good);
            let list: Vec<u64> = numbers(false).map(|(number, _)| number).collect();
            let (first, second) = list.split_at(cut.min(list.len()));
            let mut records: BadRecords = first.iter().copied().collect();
            records.append(&second.iter().copied().collect());
            prop_assert_eq!(&records, &list.iter().copied().collect());
            prop_assert_eq!(records.len(), list.len() as u64);

            for record in 1..=is_bad.len() as u64 + 2 {
                let before = list.iter().filter(|bad| **bad < record).count() as u64;
                let expected = (!list.contains(&record)).then_some(before);
                prop_assert_eq!(records.before(record), expected);
            }
            for (good, (record, _)) in (1..).zip(numbers(true)) {
                prop_assert_eq!(good + records.before_good(good), record);
            }

            let json = serde_json::to_string(&records).unwrap();
            prop_assert_eq!(serde_json::from_str::<BadRecords>(&json).unwrap(), records);
        }
    }
}

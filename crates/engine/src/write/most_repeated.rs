//! What the report says of counts: how many documents were found how often, and the most repeated.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::counts::ClusterCounts;
use crate::report::MAX_REPEATED;

/// Counts of keepers, taken together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repeats {
    /// How many have so many copies, and so many sources.
    pub(crate) copies: BTreeMap<u64, u64>,
    pub(crate) sources: BTreeMap<u64, u64>,
    /// Those of most copies, the first in the input first among equals.
    pub(crate) most: Vec<ClusterCounts>,
}

impl Repeats {
    /// Takes the next keeper, in the order of rows.
    pub(crate) fn add(&mut self, counts: &ClusterCounts) {
        *self.copies.entry(counts.copies).or_default() += 1;
        *self.sources.entry(counts.sources).or_default() += 1;
        let at = self.most.partition_point(|other| Reverse(other.copies) <= Reverse(counts.copies));
        if at < MAX_REPEATED {
            self.most.insert(at, *counts);
            self.most.truncate(MAX_REPEATED);
        }
    }
}

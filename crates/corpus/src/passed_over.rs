//! Records that are not documents, counted by why.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How many reasons are told apart; files from outside can have any number of them.
const MAX_REASONS: usize = 1000;

/// What stands for all reasons beyond those that are told apart.
const OTHER: &str = "other";

/// Records that were passed over because they are no documents, such as the pictures of a web
/// archive: how many for which reason. They are not bad, and have no numbers.
///
/// The first thousand reasons are told apart, in the order in which they are added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PassedOverCounts(BTreeMap<String, u64>);

impl PassedOverCounts {
    /// Counts one record.
    pub fn add(&mut self, reason: &str) {
        if let Some(count) = self.0.get_mut(reason) {
            *count += 1;
        } else if self.0.len() < MAX_REASONS {
            self.0.insert(reason.to_owned(), 1);
        } else {
            *self.0.entry(OTHER.to_owned()).or_default() += 1;
        }
    }

    /// How many records there are, for whatever reason.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// The most frequent reasons, at most so many, with how often they came up; the others are
    /// taken together as `other`.
    pub fn most_frequent(&self, most: usize) -> BTreeMap<String, u64> {
        let mut reasons: Vec<_> = self.0.iter().collect();
        // Names are in order, and stay so among equals.
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let rest = reasons.split_off(most.min(reasons.len()));
        let mut listed: BTreeMap<_, _> =
            reasons.into_iter().map(|(reason, &count)| (reason.clone(), count)).collect();
        let rest: u64 = rest.into_iter().map(|(_, count)| count).sum();
        if rest > 0 {
            *listed.entry(OTHER.to_owned()).or_default() += rest;
        }
        listed
    }
}

impl From<BTreeMap<String, u64>> for PassedOverCounts {
    fn from(reasons: BTreeMap<String, u64>) -> Self {
        Self(reasons)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_reasons_are_told_apart() {
        let mut passed_over = PassedOverCounts::default();
        for i in 0..MAX_REASONS + 500 {
            passed_over.add(&format!("type/{i}"));
        }
        for _ in 0..3 {
            passed_over.add("type/7");
            passed_over.add("image/png");
        }
        assert_eq!(passed_over.total(), MAX_REASONS as u64 + 506);
        let listed = passed_over.most_frequent(2);
        assert_eq!(listed.len(), 2);
        assert_eq!(listed["type/7"], 4);
        assert_eq!(listed["other"], MAX_REASONS as u64 + 502);
        assert_eq!(PassedOverCounts::default().most_frequent(2).len(), 0);
    }
}

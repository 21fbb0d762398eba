//! What verification refused: how similar, and the pairs that nearly were one.

use lookalike_core::resemblance::Overlap;
use serde::{Deserialize, Serialize};

use crate::places::Row;
use crate::report::Histogram;

/// The most pairs that are kept.
const NEAREST: usize = 20;

/// Candidates whose resemblance was computed and is below the threshold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Refusals {
    pub(crate) histogram: Histogram,
    /// The most similar ones, each once: by resemblance, then by rows, so that they are the same
    /// whoever found them and when.
    pub(crate) nearest: Vec<NearMiss>,
    /// Candidates that would have taken too long to be compared: no pairs, since nothing says that they are.
    #[serde(default)]
    pub(crate) undecided: u64,
}

/// Two documents that are nearly a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct NearMiss {
    pub(crate) resemblance: f64,
    pub(crate) rows: [Row; 2],
}

impl Refusals {
    pub(crate) fn add(&mut self, a: Row, b: Row, overlap: &Overlap) {
        let resemblance = overlap.resemblance();
        self.histogram.add(resemblance);
        self.insert(NearMiss { resemblance, rows: [a.min(b), a.max(b)] });
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.histogram.merge(&other.histogram);
        self.undecided += other.undecided;
        other.nearest.into_iter().for_each(|miss| self.insert(miss));
    }

    fn insert(&mut self, miss: NearMiss) {
        let order = |other: &NearMiss| {
            miss.resemblance.total_cmp(&other.resemblance).then(other.rows.cmp(&miss.rows))
        };
        if self.nearest.len() == NEAREST
            && self.nearest.last().is_some_and(|last| order(last).is_lt())
        {
            return;
        }
        // A pair that shares several keys may come several times.
        if let Err(place) = self.nearest.binary_search_by(order) {
            self.nearest.insert(place, miss);
            self.nearest.truncate(NEAREST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the order they come in, and however they are shared among threads.
    #[test]
    fn the_nearest_are_the_same_in_any_order() {
        let overlaps: Vec<(Row, Row, Overlap)> = (0..300_u64)
            .map(|n| {
                let overlap = Overlap { a: 100, b: 100, common: n * 7 % 60 };
                (Row::nth(n % 50), Row::nth(50 + n % 41), overlap)
            })
            .collect();
        let mut forward = Refusals::default();
        let mut parts = [Refusals::default(), Refusals::default()];
        for (n, (a, b, overlap)) in overlaps.iter().enumerate() {
            forward.add(*a, *b, overlap);
            parts[n % 2].add(*b, *a, overlap);
        }
        let [mut merged, other] = parts;
        merged.merge(other);
        assert_eq!(merged, forward);
        assert_eq!((forward.nearest.len(), forward.histogram.total()), (NEAREST, 300));
        let mut naive: Vec<(f64, Row, Row)> =
            overlaps.iter().map(|(a, b, overlap)| (overlap.resemblance(), *a, *b)).collect();
        naive.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        naive.dedup();
        let found =
            forward.nearest.iter().map(|miss| (miss.resemblance, miss.rows[0], miss.rows[1]));
        assert!(found.eq(naive.into_iter().take(NEAREST)));
    }
}

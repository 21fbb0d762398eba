//! How often each resemblance occurs, in steps of a hundredth.

use serde::{Deserialize, Serialize};

/// Counts of resemblances: bin `i` has those from `i / 100` on, below `(i + 1) / 100`; the last
/// one has 1 as well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Histogram(Vec<u64>);

impl Histogram {
    /// The number of bins.
    pub const BINS: usize = 100;

    /// Counts a resemblance. One outside [0, 1] counts as the nearer end; NaN does not count.
    pub fn add(&mut self, resemblance: f64) {
        self.add_many(resemblance, 1);
    }

    /// Counts a resemblance that occurs `times` times.
    pub fn add_many(&mut self, resemblance: f64, times: u64) {
        if resemblance.is_nan() {
            return;
        }
        // Rounding may put x * 100 on the wrong side of a whole number: 0.57 * 100 is below 57.
        let near = (resemblance.clamp(0.0, 1.0) * 100.0).round() as usize;
        let below = Self::edge(near) > resemblance;
        let bin = near.saturating_sub(usize::from(below)).min(Self::BINS - 1);
        self.0.resize(Self::BINS, 0);
        self.0[bin] = self.0[bin].saturating_add(times);
    }

    /// Adds the counts of another one.
    pub fn merge(&mut self, other: &Self) {
        self.0.resize(Self::BINS, 0);
        for (count, more) in self.0.iter_mut().zip(&other.0) {
            *count = count.saturating_add(*more);
        }
    }

    /// The resemblance that bin `bin` begins with.
    pub fn edge(bin: usize) -> f64 {
        bin as f64 / 100.0
    }

    /// The count of a bin; 0 of one that does not exist.
    pub fn count(&self, bin: usize) -> u64 {
        self.0.get(bin).copied().unwrap_or(0)
    }

    /// All counts together.
    pub fn total(&self) -> u64 {
        self.0.iter().fold(0, |sum, &count| sum.saturating_add(count))
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self(vec![0; Self::BINS])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bin_of(resemblance: f64) -> Option<usize> {
        let mut histogram = Histogram::default();
        histogram.add(resemblance);
        (0..Histogram::BINS).find(|&bin| histogram.count(bin) == 1)
    }

    fn naive_bin(resemblance: f64) -> usize {
        (0..Histogram::BINS).rev().find(|&bin| Histogram::edge(bin) <= resemblance).unwrap_or(0)
    }

    #[test]
    fn hundredths_begin_their_bins() {
        for hundredth in 0..=100_u32 {
            let expected = (hundredth as usize).min(99);
            assert_eq!(bin_of(f64::from(hundredth) / 100.0), Some(expected));
        }
        assert_eq!(bin_of(f64::NAN), None);
        assert_eq!(bin_of(f64::INFINITY), Some(99));
        assert_eq!(bin_of(-3.0), Some(0));
    }

    proptest! {
        #[test]
        fn bins_equal_the_naive_search(n in 0..2000_u32, m in 1..2000_u32, x in -0.5..1.5_f64) {
            let share = f64::from(n.min(m)) / f64::from(m);
            prop_assert_eq!(bin_of(share), Some(naive_bin(share)));
            prop_assert_eq!(bin_of(x), Some(naive_bin(x)));
        }
    }
}

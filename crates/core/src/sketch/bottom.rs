//! The bottom sketch: the m smallest elements under one permutation.
//!
//! The mixing of elements is that permutation. Sketches merge: the m smallest
//! of two sketches are those of the union of their sets. Which is also how
//! resemblance is estimated: of the m smallest elements of the union, each is
//! in both sets with probability equal to the resemblance (Radinsky, option 1).

use lookalike_kernels::Kernel;

use super::{Sampled, union};
use crate::error::{Error, ErrorKind, Result};
use crate::resemblance::share;

/// Makes bottom sketches.
#[derive(Clone, Debug)]
#[doc(alias = "bottom-k")]
pub struct Bottom {
    size: usize,
    /// The smallest so far, with newcomers behind them that are not yet sorted in.
    kept: Vec<u64>,
    /// Nothing at or above this can be among the m smallest.
    limit: u64,
}

impl Bottom {
    /// Of the `size` smallest elements.
    pub fn new(size: usize) -> Self {
        Self { size, kept: Vec::with_capacity(2 * size), limit: u64::MAX }
    }

    /// Takes elements of the set, in any order and any number of times.
    pub fn push(&mut self, elements: &[u64]) {
        for &x in elements {
            // The largest number of all is never kept: it stands for an empty place in files.
            if x < self.limit {
                self.kept.push(x);
                if self.kept.len() >= 2 * self.size.max(1) {
                    self.settle();
                }
            }
        }
    }

    /// Sorts the newcomers in: m of them at a time, so that each costs O(log m).
    fn settle(&mut self) {
        self.kept.sort_unstable();
        self.kept.dedup();
        self.kept.truncate(self.size);
        if self.kept.len() == self.size {
            self.limit = self.kept.last().copied().unwrap_or(0);
        }
    }

    /// Forgets the set.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.limit = u64::MAX;
    }

    /// The smallest so far, in ascending order.
    pub fn elements(&mut self) -> &[u64] {
        self.settle();
        &self.kept
    }

    /// The sketch so far.
    pub fn sketch(&mut self) -> BottomSketch {
        BottomSketch { size: self.size, elements: self.elements().to_vec() }
    }
}

/// The m smallest elements of a set, or all of them if there are fewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BottomSketch {
    size: usize,
    elements: Vec<u64>,
}

impl BottomSketch {
    /// m.
    pub fn size(&self) -> usize {
        self.size
    }

    /// In ascending order.
    pub fn elements(&self) -> &[u64] {
        &self.elements
    }

    /// Whether the set was empty.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The sketch of the union of the two sets.
    ///
    /// # Errors
    /// If the sketches have different sizes.
    pub fn merge(&self, other: &Self) -> Result<Self> {
        self.check(other)?;
        let mut elements = union(&self.elements, &other.elements);
        elements.truncate(self.size);
        Ok(Self { size: self.size, elements })
    }

    /// Estimates the resemblance: of the m smallest of the union, the share that both have.
    /// Exact if the union has no more than m. An empty set resembles nothing.
    ///
    /// # Errors
    /// As [`BottomSketch::merge`].
    pub fn resemblance(&self, other: &Self, kernel: Kernel) -> Result<f64> {
        self.check(other)?;
        let sampled = bottom_sampled(kernel, self.size, &self.elements, &other.elements);
        Ok(share(sampled.common as u64, sampled.of as u64))
    }

    fn check(&self, other: &Self) -> Result<()> {
        if self.size == other.size {
            return Ok(());
        }
        Err(Error::from(ErrorKind::Mismatch {
            parameter: "sketch.size".to_owned(),
            left: self.size.to_string(),
            right: other.size.to_string(),
        }))
    }
}

/// Of the `size` smallest elements of the union those that both sets have.
pub(crate) fn bottom_sampled(kernel: Kernel, size: usize, a: &[u64], b: &[u64]) -> Sampled {
    let mut smallest = union(a, b);
    smallest.truncate(size);
    let Some(&limit) = smallest.last() else { return Sampled::default() };
    let up_to_limit = |elements: &[u64]| elements.partition_point(|&x| x <= limit);
    let (a, b) = (&a[..up_to_limit(a)], &b[..up_to_limit(b)]);
    Sampled { common: kernel.intersection(a, b), of: smallest.len() }
}

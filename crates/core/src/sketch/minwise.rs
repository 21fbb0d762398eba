//! The minwise sketch: the smallest image under each of t permutations.
//!
//! Two sketches agree in a slot with probability equal to the resemblance
//! (Broder, equation 1), so the share of equal slots estimates it, without
//! bias and with the variance r (1 - r) / t of t coin tosses.

use lookalike_kernels::{Kernel, Permutations};

use crate::error::{Error, ErrorKind, Result};

/// Makes minwise sketches.
#[derive(Clone, Debug)]
#[doc(alias = "MinHash")]
pub struct Minwise {
    kernel: Kernel,
    permutations: Permutations,
    minima: Vec<u64>,
}

impl Minwise {
    /// Of `permutations` permutations drawn from `seed`.
    pub fn new(kernel: Kernel, permutations: usize, seed: u64) -> Self {
        let permutations = Permutations::new(permutations, seed);
        let minima = permutations.start();
        Self { kernel, permutations, minima }
    }

    /// Takes elements of the set, in any order and any number of times.
    pub fn push(&mut self, elements: &[u64]) {
        self.kernel.minima(&self.permutations, elements, &mut self.minima);
    }

    /// The minvalues so far.
    pub fn minima(&self) -> &[u64] {
        &self.minima
    }

    /// Forgets the set.
    pub fn clear(&mut self) {
        self.minima.fill(u64::MAX);
    }

    /// The sketch so far.
    pub fn sketch(&self) -> MinwiseSketch {
        MinwiseSketch(self.minima.clone())
    }
}

/// The minima of a set under permutations of any kind, in one pass over its
/// elements: every slot starts at infinity (Radinsky, "Implementation Trick").
///
/// [`Minwise`] is this for the permutations of a seed, at the speed of the machine.
pub fn minima_under<P: Fn(u64) -> u64>(
    permutations: &[P],
    elements: impl IntoIterator<Item = u64>,
) -> MinwiseSketch {
    let mut slots = vec![u64::MAX; permutations.len()];
    for x in elements {
        for (slot, permutation) in slots.iter_mut().zip(permutations) {
            *slot = (*slot).min(permutation(x));
        }
    }
    MinwiseSketch(slots)
}

/// The minvalues of a set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[doc(alias = "MinHash")]
pub struct MinwiseSketch(Vec<u64>);

impl MinwiseSketch {
    /// A sketch from its minvalues.
    pub fn new(minima: Vec<u64>) -> Self {
        Self(minima)
    }

    /// One for each permutation.
    pub fn minima(&self) -> &[u64] {
        &self.0
    }

    /// Whether the set was empty: every slot is still at infinity.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&minimum| minimum == u64::MAX)
    }

    /// Estimates the resemblance: the share of equal slots. An empty set resembles nothing.
    ///
    /// # Errors
    /// If the sketches have different numbers of permutations.
    pub fn resemblance(&self, other: &Self, kernel: Kernel) -> Result<f64> {
        if self.0.len() != other.0.len() {
            return Err(Error::from(ErrorKind::Mismatch {
                parameter: "sketch.permutations".to_owned(),
                left: self.0.len().to_string(),
                right: other.0.len().to_string(),
            }));
        }
        if self.is_empty() || other.is_empty() {
            return Ok(0.0);
        }
        Ok(kernel.equal_slots(&self.0, &other.0) as f64 / self.0.len() as f64)
    }
}

//! The modular sketch: every element that is 0 mod n.
//!
//! About one element in n, whatever the other document is; so it grows with
//! the document, but estimates containment too (Radinsky, option 2), and
//! merges by union.

use lookalike_kernels::Kernel;

use super::union;
use crate::error::{Error, ErrorKind, Result};

/// Makes modular sketches.
#[derive(Clone, Debug)]
#[doc(alias = "FracMinHash")]
pub struct Modular {
    divisor: Divisor,
    elements: Vec<u64>,
}

impl Modular {
    /// Of the elements that `modulus` divides.
    ///
    /// # Panics
    /// If `modulus` is zero; a recipe never has such a modulus.
    pub fn new(modulus: u64) -> Self {
        Self { divisor: Divisor::new(modulus), elements: Vec::new() }
    }

    /// Takes elements of the set, in any order and any number of times.
    pub fn push(&mut self, elements: &[u64]) {
        let divisor = self.divisor;
        self.elements.extend(elements.iter().copied().filter(|&x| divisor.divides(x)));
    }

    /// Forgets the set.
    pub fn clear(&mut self) {
        self.elements.clear();
    }

    /// The elements so far, in ascending order.
    pub fn elements(&mut self) -> &[u64] {
        self.elements.sort_unstable();
        self.elements.dedup();
        &self.elements
    }

    /// The sketch so far.
    pub fn sketch(&mut self) -> ModularSketch {
        ModularSketch { modulus: self.divisor.modulus, elements: self.elements().to_vec() }
    }
}

/// Tells multiples by one multiplication: n = 2^k d with d odd divides x if
/// and only if x / d mod 2^64, rotated right by k, is at most (2^64 - 1) / n.
#[derive(Clone, Copy, Debug)]
struct Divisor {
    modulus: u64,
    inverse: u64,
    twos: u32,
    most: u64,
}

impl Divisor {
    fn new(modulus: u64) -> Self {
        assert!(modulus > 0, "nothing is a multiple of zero but zero");
        let twos = modulus.trailing_zeros();
        let odd = modulus >> twos;
        // Newton's iteration doubles the correct bits, starting from three.
        let inverse =
            (0..5).fold(odd, |x, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))));
        Self { modulus, inverse, twos, most: u64::MAX / modulus }
    }

    fn divides(self, x: u64) -> bool {
        x.wrapping_mul(self.inverse).rotate_right(self.twos) <= self.most
    }
}

/// The elements of a set that are 0 mod n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModularSketch {
    modulus: u64,
    elements: Vec<u64>,
}

impl ModularSketch {
    /// n.
    pub fn modulus(&self) -> u64 {
        self.modulus
    }

    /// In ascending order.
    pub fn elements(&self) -> &[u64] {
        &self.elements
    }

    fn check(&self, other: &Self) -> Result<()> {
        if self.modulus == other.modulus {
            return Ok(());
        }
        Err(Error::from(ErrorKind::Mismatch {
            parameter: "sketch.modulus".to_owned(),
            left: self.modulus.to_string(),
            right: other.modulus.to_string(),
        }))
    }

    /// The sketch of the union of the two sets.
    ///
    /// # Errors
    /// If the sketches have different moduli.
    pub fn merge(&self, other: &Self) -> Result<Self> {
        self.check(other)?;
        Ok(Self { modulus: self.modulus, elements: union(&self.elements, &other.elements) })
    }

    /// Estimates the resemblance; `None` if no element of either was sampled, so
    /// that nothing can be said.
    ///
    /// # Errors
    /// As [`ModularSketch::merge`].
    pub fn resemblance(&self, other: &Self, kernel: Kernel) -> Result<Option<f64>> {
        self.check(other)?;
        Ok(modular_resemblance(kernel, &self.elements, &other.elements))
    }

    /// Estimates the share of this set that is in the other; `None` if no element
    /// of this one was sampled.
    ///
    /// # Errors
    /// As [`ModularSketch::merge`].
    pub fn containment(&self, other: &Self, kernel: Kernel) -> Result<Option<f64>> {
        self.check(other)?;
        let common = kernel.intersection(&self.elements, &other.elements);
        let own = self.elements.len();
        Ok((own > 0).then(|| common as f64 / own as f64))
    }
}

/// The share of all sampled elements that both sets have; `None` of none.
pub(crate) fn modular_resemblance(kernel: Kernel, a: &[u64], b: &[u64]) -> Option<f64> {
    let common = kernel.intersection(a, b);
    let union = a.len() + b.len() - common;
    (union > 0).then(|| common as f64 / union as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_told_as_division_tells_them() {
        for modulus in (1..70).chain([128, 1000, 4096, 1 << 63, u64::MAX]) {
            let divisor = Divisor::new(modulus);
            let near = |x: u64| (x.wrapping_sub(70)..=x).chain(x..=x.saturating_add(70));
            for x in (0..500).chain(near(u64::MAX)).chain(near(modulus)) {
                assert_eq!(divisor.divides(x), x.is_multiple_of(modulus), "{x} mod {modulus}");
            }
        }
    }
}

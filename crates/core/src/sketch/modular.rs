//! The modular sketch: every element that is 0 mod n.
//!
//! About one element in n, whatever the other document is; so it grows with
//! the document, but estimates containment too (Radinsky, option 2), and
//! merges by union.
//!
//! Where there is room for so many only, n is doubled until they fit: what is 0 mod 2n is 0 mod n too, so
//! that sketches of documents of any two sizes are compared by the larger n of theirs.

use std::borrow::Cow;
use std::cmp::Ordering;

use lookalike_kernels::Kernel;

use super::{Sampled, union};
use crate::error::{Error, ErrorKind, Result};

/// Makes modular sketches.
#[derive(Clone, Debug)]
#[doc(alias = "FracMinHash")]
pub struct Modular {
    /// n, as it was given.
    modulus: u64,
    /// By what n has become.
    divisor: Divisor,
    /// Elements that there is room for.
    room: usize,
    elements: Vec<u64>,
}

impl Modular {
    /// Of the elements that `modulus` divides.
    ///
    /// # Panics
    /// If `modulus` is zero; a recipe never has such a modulus.
    pub fn new(modulus: u64) -> Self {
        let divisor = Divisor::new(modulus);
        Self { modulus, divisor, room: usize::MAX, elements: Vec::new() }
    }

    /// Doubles n while there are more elements than this.
    #[must_use]
    pub fn at_most(mut self, room: usize) -> Self {
        self.room = room;
        self
    }

    /// Takes elements of the set, in any order and any number of times.
    pub fn push(&mut self, elements: &[u64]) {
        let divisor = self.divisor;
        // The largest number of all stands for an empty place in files.
        let kept = |&x: &u64| x < u64::MAX && divisor.divides(x);
        self.elements.extend(elements.iter().copied().filter(kept));
        // So many at a time, so that each costs O(log m).
        if self.elements.len() / 2 >= self.room {
            self.settle();
        }
    }

    /// Sorts the newcomers in. If there is no room for all so far, there is none for those of the whole set.
    fn settle(&mut self) {
        self.elements.sort_unstable();
        self.elements.dedup();
        while self.elements.len() > self.room {
            let Some(modulus) = self.divisor.modulus.checked_mul(2) else {
                return self.elements.truncate(self.room);
            };
            self.divisor = Divisor::new(modulus);
            self.elements = multiples(&self.elements, modulus).into_owned();
        }
    }

    /// Forgets the set.
    pub fn clear(&mut self) {
        self.elements.clear();
        if self.divisor.modulus != self.modulus {
            self.divisor = Divisor::new(self.modulus);
        }
    }

    /// The elements so far, in ascending order.
    pub fn elements(&mut self) -> &[u64] {
        self.settle();
        &self.elements
    }

    /// What n has become so far.
    pub fn modulus(&mut self) -> u64 {
        self.settle();
        self.divisor.modulus
    }

    /// The sketch so far.
    pub fn sketch(&mut self) -> ModularSketch {
        ModularSketch { modulus: self.modulus(), elements: self.elements().to_vec() }
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

    /// Both with the larger n of the two.
    fn alike<'a>(&'a self, other: &'a Self) -> Result<(u64, [Cow<'a, [u64]>; 2])> {
        let (less, more) = (self.modulus.min(other.modulus), self.modulus.max(other.modulus));
        if more.is_multiple_of(less) && (more / less).is_power_of_two() {
            let of = |sketch: &'a Self| {
                if sketch.modulus == more {
                    return Cow::Borrowed(&sketch.elements[..]);
                }
                multiples(&sketch.elements, more)
            };
            return Ok((more, [of(self), of(other)]));
        }
        Err(Error::from(ErrorKind::Mismatch {
            parameter: "sketch.modulus".to_owned(),
            left: self.modulus.to_string(),
            right: other.modulus.to_string(),
        }))
    }

    /// The sketch of the union of the two sets, by the larger n of theirs.
    ///
    /// # Errors
    /// If the one n is not the other, doubled some times.
    pub fn merge(&self, other: &Self) -> Result<Self> {
        let (modulus, [a, b]) = self.alike(other)?;
        Ok(Self { modulus, elements: union(&a, &b) })
    }

    /// Estimates the resemblance; `None` if no element of either was sampled, so
    /// that nothing can be said.
    ///
    /// # Errors
    /// As [`ModularSketch::merge`].
    pub fn resemblance(&self, other: &Self, kernel: Kernel) -> Result<Option<f64>> {
        let (_, [a, b]) = self.alike(other)?;
        let Sampled { common, of } = common_of_all(kernel, &a, &b);
        Ok((of > 0).then(|| common as f64 / of as f64))
    }

    /// Estimates the share of this set that is in the other; `None` if no element
    /// of this one was sampled.
    ///
    /// # Errors
    /// As [`ModularSketch::merge`].
    pub fn containment(&self, other: &Self, kernel: Kernel) -> Result<Option<f64>> {
        let (_, [a, b]) = self.alike(other)?;
        let (common, own) = (kernel.intersection(&a, &b), a.len());
        Ok((own > 0).then(|| common as f64 / own as f64))
    }
}

/// Of all sampled elements those that both sets have.
fn common_of_all(kernel: Kernel, a: &[u64], b: &[u64]) -> Sampled {
    let common = kernel.intersection(a, b);
    Sampled { common, of: a.len() + b.len() - common }
}

/// The same of sketches as signatures have them: n, and the elements.
pub(crate) fn modular_sampled(kernel: Kernel, a: &[u64], b: &[u64]) -> Sampled {
    let (Some((&n, a)), Some((&m, b))) = (a.split_first(), b.split_first()) else {
        return Sampled::default();
    };
    match n.cmp(&m) {
        Ordering::Less => common_of_all(kernel, &multiples(a, m), b),
        Ordering::Equal => common_of_all(kernel, a, b),
        Ordering::Greater => common_of_all(kernel, a, &multiples(b, n)),
    }
}

/// Those that are 0 mod n.
fn multiples(elements: &[u64], modulus: u64) -> Cow<'_, [u64]> {
    let divisor = Divisor::new(modulus);
    elements.iter().copied().filter(|&x| divisor.divides(x)).collect()
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

//! Sketches: small samples of a shingle set from which resemblance can be estimated.
//!
//! | sketch | what it keeps | estimates | source |
//! | --- | --- | --- | --- |
//! | [`MinwiseSketch`] | the minimum under each of t permutations | resemblance | Broder, section 2 |
//! | [`BitSketch`] | one bit of each of these minima | resemblance | Li and König, 2010 |
//! | [`BottomSketch`] | the m smallest under one permutation | resemblance; merges | Radinsky, option 1 |
//! | [`ModularSketch`] | all that are 0 mod n | resemblance, containment; merges | Radinsky, option 2 |
//! | [`ListsSketch`] | a fingerprint for each of L lists of tokens, R times | few edits or not | Pugh |
//!
//! All work on *elements*: shingles (or tokens, for lists) that have been
//! mixed, so that structure in the input does not bias them.

mod bits;
mod bottom;
mod lists;
mod minwise;
mod modular;

pub use bits::{BitSketch, bit_resemblance};
pub use bottom::{Bottom, BottomSketch};
pub use lists::{ListOrder, Lists, ListsSketch};
pub use minwise::{Minwise, MinwiseSketch, minima_under};
pub use modular::{Modular, ModularSketch};

pub(crate) use bottom::bottom_sampled;
pub(crate) use lists::lists_in_common;
pub(crate) use modular::modular_sampled;

use lookalike_kernels::{Kernel, Sequence};

/// What two sketches sampled of the union of their sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sampled {
    /// Elements that both sets have,
    pub common: usize,
    /// out of so many.
    pub of: usize,
}

/// The key with which a seed enters mixing.
pub(crate) fn mixing_key(seed: u64) -> u64 {
    Sequence::new(seed, MIXING).next()
}

/// Names this use of the seed.
const MIXING: u64 = 3;

/// Turns shingles (or any fingerprints) into the elements that sketches sample.
pub fn mix_elements(kernel: Kernel, seed: u64, fingerprints: &mut [u64]) {
    kernel.mix(mixing_key(seed), fingerprints);
}

/// The union of two sorted sets, sorted.
pub(crate) fn union(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut union = [a, b].concat();
    union.sort_unstable();
    union.dedup();
    union
}

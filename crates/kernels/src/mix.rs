//! Mixing: a fixed nonlinear permutation of the 64-bit numbers.
//!
//! Rabin fingerprints are linear, short words are nearly their own
//! fingerprints, and people sketch sets of consecutive integers. A linear
//! permutation of such input is biased on large sets; so every choice that is
//! meant to be random is made on mixed values.

/// Maps `x` to a number that looks unrelated: the finaliser of `SplitMix64`.
///
/// A bijection: equal results mean equal arguments, nothing is lost.
#[inline(always)]
pub const fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A stream of constants from a seed: `SplitMix64` itself.
///
/// Multipliers and offsets are drawn from it, so that a recipe needs to store
/// only its seed.
#[derive(Clone, Debug)]
pub struct Sequence(u64);

impl Sequence {
    /// The stream for this seed and purpose; streams of different purposes are unrelated.
    pub const fn new(seed: u64, purpose: u64) -> Self {
        Self(mix(seed ^ mix(purpose)))
    }

    /// The next constant.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }
}

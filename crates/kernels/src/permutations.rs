//! Random linear permutations of [2^64], in a form that 32-bit lanes can compute.
//!
//! The i-th permutation maps a mixed element x = (u, v), two halves of 32 bits,
//! to (a_i u + b_i mod 2^32, v), the first half weighing most. With a_i odd it
//! is a bijection, and its minimum over a set is decided by 32-bit arithmetic
//! alone, sixteen permutations to a vector; v only breaks ties and makes the
//! minvalue name its element exactly. So the minvalues of two sets agree if
//! and only if the same element is the smallest: a 32-bit minvalue alone would
//! agree by chance once in 2^32 / n, which shows from a million elements on.

use crate::mix::Sequence;

/// Lanes of the widest kernel: constants are padded to a multiple of it.
pub(crate) const LANES: usize = 16;

/// The constants of t permutations.
#[derive(Clone, Debug)]
#[doc(alias = "MinHash")]
pub struct Permutations {
    count: usize,
    /// a_i, odd; padded with ones.
    pub(crate) multipliers: Vec<u32>,
    /// b_i; padded with zeros.
    pub(crate) offsets: Vec<u32>,
    /// 1 / a_i mod 2^32: finds the element from its minimum.
    pub(crate) inverses: Vec<u32>,
}

impl Permutations {
    /// `count` permutations drawn from `seed`.
    pub fn new(count: usize, seed: u64) -> Self {
        let padded = count.next_multiple_of(LANES);
        let (mut multipliers, mut offsets) = (vec![1; padded], vec![0; padded]);
        let mut sequence = Sequence::new(seed, PURPOSE);
        for (multiplier, offset) in multipliers.iter_mut().zip(&mut offsets).take(count) {
            let constant = sequence.next();
            *multiplier = (constant >> 32) as u32 | 1;
            *offset = constant as u32;
        }
        let inverses = multipliers.iter().map(|&a| inverse(a)).collect();
        Self { count, multipliers, offsets, inverses }
    }

    /// How many permutations.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The minima of the empty set: every slot at infinity.
    pub fn start(&self) -> Vec<u64> {
        vec![u64::MAX; self.count]
    }

    /// The image of `x` under permutation `i`.
    #[inline(always)]
    pub fn apply(&self, i: usize, x: u64) -> u64 {
        let high = self.multipliers[i].wrapping_mul((x >> 32) as u32).wrapping_add(self.offsets[i]);
        u64::from(high) << 32 | x & 0xffff_ffff
    }

    /// The element whose image under permutation `i` is `y`.
    pub fn invert(&self, i: usize, y: u64) -> u64 {
        let high = self.origin(i, (y >> 32) as u32);
        u64::from(high) << 32 | y & 0xffff_ffff
    }

    /// The high half that permutation `i` maps to `high`.
    #[inline(always)]
    pub(crate) fn origin(&self, i: usize, high: u32) -> u32 {
        high.wrapping_sub(self.offsets[i]).wrapping_mul(self.inverses[i])
    }
}

/// Names this use of the seed.
const PURPOSE: u64 = 1;

/// 1 / a mod 2^32 for odd a, by Newton's iteration: each step doubles the
/// correct bits, starting from three.
const fn inverse(a: u32) -> u32 {
    let mut x = a;
    let mut step = 0;
    while step < 4 {
        x = x.wrapping_mul(2u32.wrapping_sub(a.wrapping_mul(x)));
        step += 1;
    }
    x
}

/// The low halves of the elements that are smallest under up to `MOST` permutations.
///
/// The vector kernels find the smallest high half of each slot and invert the
/// permutation to learn which element that was; this finds its low half, in
/// one more pass over the elements that passes nearly all of them by.
pub(crate) struct LowHalves {
    /// For each value of the first twelve bits of a high half, the first entry that wants one with
    /// these bits, or 0. Two seldom want the same: there are 43 values for each entry.
    first: [u8; 1 << Self::BITS],
    /// From 1 on: the high half that is wanted, the smallest low half seen with it, and the next
    /// entry that wants one with the same first bits, or 0.
    entries: [(u32, u32, u8); Self::MOST + 1],
    count: u8,
}

impl LowHalves {
    /// Most slots at once: six vectors of sixteen.
    pub(crate) const MOST: usize = 96;
    /// Elements filtered at once.
    const BLOCK: usize = 256;
    const BITS: u32 = 12;

    /// The first entry that wants a high half with these first bits.
    #[inline(always)]
    fn first(&self, high: u32) -> u8 {
        self.first[(high >> (u32::BITS - Self::BITS)) as usize]
    }

    /// The entry that wants this high half, new or not.
    #[inline(always)]
    fn want(&mut self, high: u32) -> u8 {
        let first = self.first(high);
        let mut at = first;
        while at != 0 {
            let (wanted, _, next) = self.entries[at as usize];
            if wanted == high {
                return at;
            }
            at = next;
        }
        self.count += 1;
        self.entries[self.count as usize] = (high, u32::MAX, first);
        self.first[(high >> (u32::BITS - Self::BITS)) as usize] = self.count;
        self.count
    }

    /// Lowers what is wanted to the low half of this element.
    #[inline(always)]
    fn see(&mut self, x: u64) {
        let mut at = self.first((x >> 32) as u32);
        while at != 0 {
            let (wanted, low, next) = &mut self.entries[at as usize];
            // Whether the rest of the bits agree is not to be predicted.
            let seen = if *wanted == (x >> 32) as u32 { x as u32 } else { u32::MAX };
            *low = (*low).min(seen);
            at = *next;
        }
    }

    /// Lowers the minima of the permutations from `first` on to those of
    /// `elements`, given the lowest high half of each.
    #[inline(always)]
    pub(crate) fn lower(
        permutations: &Permutations,
        first: usize,
        lowest: &[u32; Self::MOST],
        elements: &[u64],
        minima: &mut [u64],
    ) {
        debug_assert!(minima.len() <= Self::MOST, "an entry for each");
        let mut wanted = Self {
            first: [0; 1 << Self::BITS],
            entries: [(0, u32::MAX, 0); Self::MOST + 1],
            count: 0,
        };
        let mut entries = [0; Self::MOST];
        for (i, (minimum, &high)) in minima.iter().zip(lowest).enumerate() {
            if high <= (*minimum >> 32) as u32 {
                entries[i] = wanted.want(permutations.origin(first + i, high));
            }
        }
        if wanted.count == 0 {
            return;
        }
        // Which elements are wanted is not to be predicted, so they are set aside without a
        // branch and looked at afterwards.
        let mut passed = [0; Self::BLOCK];
        for block in elements.chunks(Self::BLOCK) {
            let mut count = 0;
            for &x in block {
                passed[count] = x;
                count += usize::from(wanted.first((x >> 32) as u32) != 0);
            }
            for &x in &passed[..count] {
                wanted.see(x);
            }
        }
        for ((minimum, &high), &entry) in minima.iter_mut().zip(lowest).zip(&entries) {
            // Where nothing was wanted, the high half alone is too high.
            let (_, low, _) = wanted.entries[entry as usize];
            *minimum = (*minimum).min(u64::from(high) << 32 | u64::from(low));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_are_bijections() {
        let permutations = Permutations::new(100, 7);
        for i in 0..100 {
            assert_eq!(permutations.multipliers[i].wrapping_mul(permutations.inverses[i]), 1);
            for x in [0, 1, u64::MAX, 1 << 63, 0x0123_4567_89ab_cdef] {
                assert_eq!(permutations.invert(i, permutations.apply(i, x)), x);
            }
        }
    }

    #[test]
    fn no_two_permutations_are_nearly_the_same() {
        // Two slots would pick the same elements if one multiplier were a small
        // multiple of another; then they would not count as independent samples.
        let permutations = Permutations::new(512, 0);
        for i in 0..512 {
            for j in 0..i {
                let ratio = permutations.multipliers[i]
                    .wrapping_mul(permutations.inverses[j])
                    .cast_signed();
                for small in 1..=8i32 {
                    assert!(ratio.wrapping_mul(small).unsigned_abs() > 64, "{i} {j} {small}");
                }
            }
        }
    }
}

//! The random projection of Algorithm C, with bit-sliced counters.
//!
//! Every token adds a vector of b signs (Henzinger, section 2). The signs of a
//! mixed token x come in words of 64: word j is y ^ (y >> 32) for
//! y = x * m_j mod 2^64 with an odd random m_j. Instead of b integers, the sums
//! are kept as bit planes: plane p holds bit p of the number of ones seen at
//! each of the b places, so that one vector operation counts for 512 places.

use crate::mix::Sequence;

/// Largest b.
pub const MAX_BITS: usize = 512;

/// Words of 64 signs in the widest projection.
pub(crate) const WORDS: usize = MAX_BITS / 64;

/// The constants of a projection to b bits.
#[derive(Clone, Debug)]
#[doc(alias = "SimHash")]
pub struct Projection {
    bits: usize,
    pub(crate) multipliers: [u64; WORDS],
}

impl Projection {
    /// A projection to `bits` bits, drawn from `seed`.
    ///
    /// # Panics
    /// Unless `bits` is a multiple of 32 from 32 to 512.
    pub fn new(bits: usize, seed: u64) -> Self {
        assert!(
            bits.is_multiple_of(32) && (32..=MAX_BITS).contains(&bits),
            "a projection has a multiple of 32 bits, from 32 to {MAX_BITS}"
        );
        let mut sequence = Sequence::new(seed, PURPOSE);
        Self { bits, multipliers: std::array::from_fn(|_| sequence.next() | 1) }
    }

    /// b.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Words of 64 that hold b bits.
    pub fn words(&self) -> usize {
        self.bits.div_ceil(64)
    }

    /// The signs of a mixed token at places 64 `word` .. 64 `word` + 64; a set bit is +1.
    #[inline(always)]
    pub fn signs(&self, word: usize, x: u64) -> u64 {
        let y = x.wrapping_mul(self.multipliers[word]);
        y ^ (y >> 32)
    }
}

/// Names this use of the seed.
const PURPOSE: u64 = 2;

/// Planes: enough to count 2^64 tokens.
pub(crate) const PLANES: usize = 64;

/// How many tokens had a one at each place, as bit planes.
#[derive(Clone, Debug)]
pub struct Counters {
    pub(crate) planes: Box<[[u64; WORDS]; PLANES]>,
    /// Planes above this one are all zero.
    pub(crate) used: usize,
    pub(crate) total: u64,
}

impl Default for Counters {
    fn default() -> Self {
        Self { planes: Box::new([[0; WORDS]; PLANES]), used: 0, total: 0 }
    }
}

impl Counters {
    /// Back to no tokens.
    pub fn clear(&mut self) {
        self.planes[..self.used].fill([0; WORDS]);
        (self.used, self.total) = (0, 0);
    }

    /// Tokens counted.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Ones at a place.
    pub fn ones(&self, place: usize) -> u64 {
        (0..self.used).map(|p| (self.planes[p][place / 64] >> (place % 64) & 1) << p).sum()
    }

    /// The projection so far: a bit is set where the sum of signs is positive,
    /// that is where more than half of the tokens had a one.
    ///
    /// Compares all places at once with half the total, from the highest plane
    /// down: a place is above as soon as it has a one where half has a zero.
    pub fn signs(&self, projection: &Projection) -> [u64; WORDS] {
        let half = self.total / 2;
        let planes = self.used.max((64 - half.leading_zeros()) as usize);
        let (mut above, mut equal) = ([0; WORDS], [u64::MAX; WORDS]);
        for p in (0..planes).rev() {
            let half_bit = if half >> p & 1 == 1 { u64::MAX } else { 0 };
            for word in 0..WORDS {
                let ones = self.planes[p][word];
                above[word] |= equal[word] & ones & !half_bit;
                equal[word] &= !(ones ^ half_bit);
            }
        }
        // count > floor(total / 2) is 2 count > total for odd and even totals alike.
        for (word, bits) in above.iter_mut().enumerate() {
            let kept = projection.bits.saturating_sub(64 * word).min(64);
            *bits &= if kept == 64 { u64::MAX } else { (1 << kept) - 1 };
        }
        above
    }
}

/// Adds the signs of sixteen tokens to the four lowest planes; returns these
/// and what overflows them.
///
/// A tree of full adders, for vectors V of any width: fifteen adders for
/// sixteen tokens, where counting them one by one takes a ripple each.
#[inline(always)]
pub(crate) fn add_sixteen<V: Copy>(
    [ones, twos, fours, eights]: [V; 4],
    tokens: &[u64; 16],
    signs: impl Fn(&u64) -> V,
    full_adder: impl Fn(V, V, V) -> (V, V),
) -> ([V; 4], V) {
    let add_four = |ones: V, twos: V, t: &[u64]| {
        let (ones, twos_a) = full_adder(ones, signs(&t[0]), signs(&t[1]));
        let (ones, twos_b) = full_adder(ones, signs(&t[2]), signs(&t[3]));
        let (twos, fours) = full_adder(twos, twos_a, twos_b);
        (ones, twos, fours)
    };
    let (ones, twos, fours_a) = add_four(ones, twos, &tokens[0..4]);
    let (ones, twos, fours_b) = add_four(ones, twos, &tokens[4..8]);
    let (fours, eights_a) = full_adder(fours, fours_a, fours_b);
    let (ones, twos, fours_a) = add_four(ones, twos, &tokens[8..12]);
    let (ones, twos, fours_b) = add_four(ones, twos, &tokens[12..16]);
    let (fours, eights_b) = full_adder(fours, fours_a, fours_b);
    let (eights, sixteens) = full_adder(eights, eights_a, eights_b);
    ([ones, twos, fours, eights], sixteens)
}

/// The same for sixty-four tokens and the six lowest planes: what overflows four planes is seldom zero
/// everywhere, and how far it goes on from there is not to be predicted, so that to do it for each
/// sixteen tokens takes as long as to count them.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn add_sixty_four<V: Copy>(
    [ones, twos, fours, eights, sixteens, thirty_twos]: [V; 6],
    tokens: &[u64; 64],
    signs: impl Fn(&u64) -> V,
    full_adder: impl Fn(V, V, V) -> (V, V),
) -> ([V; 6], V) {
    let mut low = [ones, twos, fours, eights];
    let mut carries = [ones; 4];
    for (carry, tokens) in carries.iter_mut().zip(tokens.as_chunks::<16>().0) {
        (low, *carry) = add_sixteen(low, tokens, &signs, &full_adder);
    }
    let [a, b, c, d] = carries;
    let (sixteens, a) = full_adder(sixteens, a, b);
    let (sixteens, b) = full_adder(sixteens, c, d);
    let (thirty_twos, sixty_fours) = full_adder(thirty_twos, a, b);
    let [ones, twos, fours, eights] = low;
    ([ones, twos, fours, eights, sixteens, thirty_twos], sixty_fours)
}

/// The last tokens, fewer than sixteen, as sixteen: a zero has no signs that count.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn padded(rest: &[u64]) -> [u64; 16] {
    let mut tokens = [0; 16];
    tokens[..rest.len()].copy_from_slice(rest);
    tokens
}

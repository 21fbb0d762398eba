//! Bit-sliced counting, 64 places at a time.

use crate::projection::{Counters, PLANES, Projection, WORDS, add_sixteen};

/// See [`crate::Kernel::project`].
pub(crate) fn project(projection: &Projection, tokens: &[u64], counters: &mut Counters) {
    let (sixteens, rest) = tokens.as_chunks::<16>();
    for word in 0..projection.words() {
        let signs = |x| projection.signs(word, x);
        let planes = &mut *counters.planes;
        let mut used = 4;
        let mut low: [u64; 4] = std::array::from_fn(|p| planes[p][word]);
        for tokens in sixteens {
            let carry;
            (low, carry) = add_sixteen(low, tokens, |&x| signs(x), full_adder);
            used = used.max(ripple(planes, word, 4, carry));
        }
        for (plane, value) in planes.iter_mut().zip(low) {
            plane[word] = value;
        }
        for &x in rest {
            used = used.max(ripple(planes, word, 0, signs(x)));
        }
        counters.used = counters.used.max(used);
    }
    counters.total += tokens.len() as u64;
}

/// Adds one where `carry` has a one, from plane `p` up; says how many planes may not be zero.
#[inline(always)]
fn ripple(planes: &mut [[u64; WORDS]; PLANES], word: usize, mut p: usize, mut carry: u64) -> usize {
    while carry != 0 {
        let plane = &mut planes[p][word];
        (*plane, carry) = (*plane ^ carry, *plane & carry);
        p += 1;
    }
    p
}

/// Sum and carry of three bits, in each of 64 places.
#[inline(always)]
const fn full_adder(a: u64, b: u64, c: u64) -> (u64, u64) {
    let either = a ^ b;
    (either ^ c, a & b | either & c)
}

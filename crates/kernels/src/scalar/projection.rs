//! Bit-sliced counting in words of 64 places.

use crate::projection::{Counters, Projection, WORDS};

/// See [`crate::Kernel::project`].
pub(crate) fn project(projection: &Projection, tokens: &[u64], counters: &mut Counters) {
    let words = projection.words();
    let signs = |x| -> [u64; WORDS] {
        std::array::from_fn(|word| if word < words { projection.signs(word, x) } else { 0 })
    };
    let (sevens, rest) = tokens.as_chunks::<7>();
    for seven in sevens {
        // Seven bits add up to three planes: four full adders.
        let [a, b, c, d, e, f, g] = seven.map(signs);
        let (mut carry1, mut carry2, mut carry4) = ([0; WORDS], [0; WORDS], [0; WORDS]);
        for w in 0..words {
            let (s1, c1) = full_adder(a[w], b[w], c[w]);
            let (s2, c2) = full_adder(d[w], e[w], f[w]);
            let (one, c3) = full_adder(s1, s2, g[w]);
            let (two, four) = full_adder(c1, c2, c3);
            (carry1[w], carry2[w], carry4[w]) = (one, two, four);
        }
        counters.ripple(0, carry1);
        counters.ripple(1, carry2);
        counters.ripple(2, carry4);
    }
    for &x in rest {
        counters.ripple(0, signs(x));
    }
    counters.total += tokens.len() as u64;
}

/// Sum and carry of three bits, in each of 64 places.
#[inline(always)]
const fn full_adder(a: u64, b: u64, c: u64) -> (u64, u64) {
    (a ^ b ^ c, a & b | (a ^ b) & c)
}

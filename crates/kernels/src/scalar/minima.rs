//! Minima of linear permutations.

use crate::Permutations;

/// See [`crate::Kernel::mix`].
pub(crate) fn mix(seed: u64, values: &mut [u64]) {
    for value in values {
        *value = crate::mix(*value ^ seed);
    }
}

/// See [`crate::Kernel::minima`].
///
/// Slot by slot: its constants and its minimum stay in registers while the
/// elements, in blocks that fit the first-level cache, stream past.
pub(crate) fn minima(permutations: &Permutations, elements: &[u64], minima: &mut [u64]) {
    for block in elements.chunks(1024) {
        for (i, minimum) in minima.iter_mut().enumerate() {
            *minimum = block.iter().fold(*minimum, |m, &x| m.min(permutations.apply(i, x)));
        }
    }
}

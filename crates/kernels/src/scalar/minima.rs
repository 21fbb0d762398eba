//! Minima of linear permutations.

use crate::Permutations;
use crate::permutations::{LANES, LowHalves};

/// See [`crate::Kernel::mix`].
pub(crate) fn mix(seed: u64, values: &mut [u64]) {
    for value in values {
        *value = crate::mix(*value ^ seed);
    }
}

/// See [`crate::Kernel::minima`].
///
/// Sixteen slots at a time in plain arrays of 32-bit numbers, which compilers
/// turn into whatever vectors the target has; the low halves follow.
pub(crate) fn minima(permutations: &Permutations, elements: &[u64], minima: &mut [u64]) {
    if elements.is_empty() {
        return;
    }
    for (group, minima) in minima.chunks_mut(LowHalves::MOST).enumerate() {
        let first = group * LowHalves::MOST;
        let mut lowest = [u32::MAX; LowHalves::MOST];
        let constants = permutations.multipliers[first..].as_chunks::<LANES>().0.iter();
        let constants = constants.zip(permutations.offsets[first..].as_chunks::<LANES>().0);
        for (lowest, (multipliers, offsets)) in
            lowest.as_chunks_mut::<LANES>().0.iter_mut().zip(constants)
        {
            for &x in elements {
                let high = (x >> 32) as u32;
                for lane in 0..LANES {
                    let image = multipliers[lane].wrapping_mul(high).wrapping_add(offsets[lane]);
                    lowest[lane] = lowest[lane].min(image);
                }
            }
        }
        LowHalves::lower(permutations, first, &lowest, elements, minima);
    }
}

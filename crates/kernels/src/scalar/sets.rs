//! Comparisons of projections, sketches and sorted sets.

/// See [`crate::Kernel::hamming`].
pub(crate) fn hamming(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// See [`crate::Kernel::equal_slots`].
pub(crate) fn equal_slots(a: &[u64], b: &[u64]) -> usize {
    a.iter().zip(b).map(|(a, b)| usize::from(a == b)).sum()
}

/// See [`crate::Kernel::intersection`].
///
/// A merge without branches on the data: which side is smaller is a coin toss
/// that no predictor can learn.
pub(crate) fn intersection(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(&x), Some(&y)) = (a.get(i), b.get(j)) {
        common += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    common
}

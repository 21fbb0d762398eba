//! Features: the fingerprints of groups of s minvalues.
//!
//! Two documents share a feature with probability r^s, so that sharing enough
//! of k features is a sharp filter for high resemblance (Broder, section 3).
//! Sharing r of k features is sharing one of C(k, r) super-features, each the
//! fingerprint of r features: then nothing needs to be counted.

use lookalike_kernels::rabin::{FEATURES, Rabin};

/// A feature: Henzinger's supershingle, elsewhere a band key.
#[doc(alias = "LSH")]
#[doc(alias = "band")]
pub type Feature = u64;

/// Fingerprints each group of `minima` with its number in front; `features`
/// has one place for each group, and the groups split `minima` evenly.
#[doc(alias = "LSH")]
#[doc(alias = "band")]
pub fn features(minima: &[u64], features: &mut [Feature]) {
    let size = minima.len() / features.len().max(1);
    for ((group, feature), minima) in
        features.iter_mut().enumerate().zip(minima.chunks(size.max(1)))
    {
        let f = FEATURES.push_word(Rabin::EMPTY, group as u64);
        *feature = minima.iter().fold(f, |f, &minimum| FEATURES.push_word(f, minimum));
    }
}

/// B-similarity: in how many features two documents agree.
pub fn b_similarity(a: &[Feature], b: &[Feature]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a == b).count()
}

/// Hands on the super-features: one for each choice of `required` features, in
/// the order of the choices. With `required` = 1 these are the features.
pub fn super_features(features: &[Feature], required: usize, mut sink: impl FnMut(Feature)) {
    if required == 0 || required > features.len() {
        return;
    }
    if required == 1 {
        features.iter().copied().for_each(sink);
        return;
    }
    // The chosen places, ascending: an odometer whose last place turns fastest.
    let mut chosen: Vec<usize> = (0..required).collect();
    let mut number = 0;
    loop {
        let f = FEATURES.push_word(Rabin::EMPTY, number);
        sink(chosen.iter().fold(f, |f, &place| FEATURES.push_word(f, features[place])));
        number += 1;
        let last_place = |i: usize| features.len() - required + i;
        let Some(turn) = (0..required).rev().find(|&i| chosen[i] < last_place(i)) else { return };
        chosen[turn] += 1;
        for i in turn + 1..required {
            chosen[i] = chosen[i - 1] + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(features: &[Feature], required: usize) -> Vec<Feature> {
        let mut out = Vec::new();
        super_features(features, required, |f| out.push(f));
        out
    }

    #[test]
    fn there_are_as_many_super_features_as_choices() {
        let features: Vec<u64> = (100..106).collect();
        let counts: Vec<usize> = (0..=7).map(|r| all(&features, r).len()).collect();
        assert_eq!(counts, [0, 6, 15, 20, 15, 6, 1, 0]);
        let mut distinct = all(&features, 2);
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 15);
    }

    #[test]
    fn sharing_a_super_feature_is_sharing_that_many_features() {
        let a: Vec<u64> = (0..6).map(|i| 1000 + i).collect();
        for mask in 0..64u32 {
            let b: Vec<u64> = (0..6).map(|i| a[i] + 10 * u64::from(mask >> i & 1)).collect();
            for required in 1..=6 {
                let (x, y) = (all(&a, required), all(&b, required));
                let share_one = x.iter().zip(&y).any(|(x, y)| x == y);
                assert_eq!(share_one, b_similarity(&a, &b) >= required);
                assert!(
                    !x.iter()
                        .enumerate()
                        .any(|(i, f)| y.iter().enumerate().any(|(j, g)| i != j && f == g))
                );
            }
        }
    }

    #[test]
    fn the_same_minima_in_another_group_make_another_feature() {
        let mut out = [0; 3];
        features(&[7; 42], &mut out);
        assert!(out[0] != out[1] && out[1] != out[2] && out[0] != out[2]);
    }
}

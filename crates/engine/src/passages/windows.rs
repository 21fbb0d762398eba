//! Windows of a document, and the anchors that they are found by.
//!
//! The anchor of a window of N words is the run of two thirds as many words in it whose fingerprint is the
//! least, and of those the first. Windows that follow each other mostly have the same one, so that a document has one
//! in about N / 6 words; and equal windows have equal anchors. Shorter runs would be fewer, and stand more often in
//! documents that have no window in common: on texts in many languages halves brought 36 % of the
//! bytes to the second pass.

use std::hash::Hasher;

use lookalike_core::{VerificationKey, mix};

use crate::polynomial::Polynomial;

/// Finds anchors and fingerprints, on one thread.
pub(super) struct WindowMaker {
    pub(super) width: usize,
    anchor_width: usize,
    anchors: Rolling,
    fingerprints: [Polynomial; 2],
    /// Of each run that may be an anchor, its fingerprint.
    runs: Vec<u64>,
    /// Of each run of a block, the least from it to the end of the block.
    least: Vec<u32>,
}

/// A fingerprint of a window: 61 bits and 32 of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Fingerprint(pub(super) u64, pub(super) u32);

impl WindowMaker {
    pub(super) fn new(key: &VerificationKey, width: u32) -> Self {
        let polynomial = |name: &str| Polynomial::new(key, name.as_bytes());
        Self {
            width: width as usize,
            anchor_width: (2 * width as usize / 3).max(1),
            anchors: Rolling { factor: key.code(b"anchors of windows") | 1 },
            fingerprints: [polynomial("windows, first"), polynomial("windows, second")],
            runs: Vec::new(),
            least: Vec::new(),
        }
    }

    /// How many windows so many tokens have.
    pub(super) fn count(&self, tokens: usize) -> usize {
        (tokens + 1).saturating_sub(self.width)
    }

    /// Calls `each` with the anchor of every window, in order: its fingerprint, and where it begins.
    ///
    /// Windows are ranges of as many runs. These are taken in blocks of that many, so that a window is the end of
    /// one block and the beginning of the next, and two comparisons find the least of each, whatever the words.
    pub(super) fn for_each_anchor(&mut self, codes: &[u64], mut each: impl FnMut(u64, u32)) {
        if codes.len() < self.width {
            return;
        }
        let Self { runs, least, .. } = self;
        runs.clear();
        runs.extend(self.anchors.runs(codes, self.anchor_width));
        let in_window = self.width - self.anchor_width + 1;
        let windows = runs.len() - in_window + 1;
        for block in (0..windows).step_by(in_window) {
            let end = block + in_window;
            least.clear();
            least.resize(in_window, 0);
            let mut best = end - 1;
            for at in (block..end).rev() {
                if runs[at] <= runs[best] {
                    best = at;
                }
                least[at - block] = best as u32;
            }
            // The least of those behind the block that are in the window.
            let mut behind = None;
            for window in block..end.min(windows) {
                let last = window + in_window - 1;
                if last >= end && behind.is_none_or(|behind| runs[last] < runs[behind]) {
                    behind = Some(last);
                }
                let own = least[window - block] as usize;
                let anchor = behind.filter(|behind| runs[*behind] < runs[own]).unwrap_or(own);
                each(runs[anchor], anchor as u32);
            }
        }
    }

    /// The fingerprints of the windows that begin at these places, in order.
    pub(super) fn fingerprints(&mut self, codes: &[u64], places: &[u32]) -> Vec<Fingerprint> {
        let width = self.width;
        let mut found = Vec::with_capacity(places.len());
        // Windows that overlap are found together.
        for group in places.chunk_by(|a, b| (b - a) as usize <= width) {
            let first = group[0] as usize;
            let codes = &codes[first..group[group.len() - 1] as usize + width];
            let [one, other] = self.fingerprints.each_mut().map(|p| p.windows(codes, width));
            let mut wanted = group.iter().map(|place| *place as usize - first).peekable();
            for (at, (one, other)) in one.zip(other).enumerate() {
                if wanted.next_if_eq(&at).is_some() {
                    found.push(Fingerprint(one, other as u32));
                }
            }
        }
        found
    }
}

/// Fingerprints of runs that say only which may be equal: polynomials at an odd point, modulo 2^64.
struct Rolling {
    factor: u64,
}

impl Rolling {
    /// Those of all runs of `length` words, in order.
    fn runs(&self, codes: &[u64], length: usize) -> impl Iterator<Item = u64> {
        let factor = self.factor;
        let add = move |sum: u64, code: &u64| sum.wrapping_mul(factor).wrapping_add(*code);
        let highest = (0..length).fold(1, |power: u64, _| power.wrapping_mul(factor));
        let first = codes.get(..length).map(|run| run.iter().fold(0, add));
        let others = codes.iter().zip(codes.iter().skip(length)).scan(
            first.unwrap_or_default(),
            move |sum, (gone, code)| {
                *sum = add(*sum, code).wrapping_sub(gone.wrapping_mul(highest));
                Some(*sum)
            },
        );
        first.into_iter().chain(others)
    }
}

/// A hasher of fingerprints, which nobody can choose.
#[derive(Default)]
pub(super) struct FingerprintHasher(u64);

impl Hasher for FingerprintHasher {
    fn finish(&self) -> u64 {
        mix(self.0)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = self.0.rotate_left(8) ^ number;
    }

    /// The other one tells them apart well enough.
    fn write_u32(&mut self, _: u32) {}
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// By trying all runs of all windows.
        #[test]
        fn anchors_are_the_least_runs_of_their_windows(
            codes in prop::collection::vec(0..4_u64, 0..60),
            width in 1..12_u32,
        ) {
            let key = VerificationKey::from_bytes([5; 16]);
            let mut maker = WindowMaker::new(&key, width);
            let mut found = Vec::new();
            maker.for_each_anchor(&codes, |run, at| found.push((run, at)));
            let length = maker.anchor_width;
            let factor = maker.anchors.factor;
            let runs: Vec<u64> = codes
                .windows(length)
                .map(|run| {
                    run.iter().fold(0_u64, |sum, code| sum.wrapping_mul(factor).wrapping_add(*code))
                })
                .collect();
            prop_assert!(maker.anchors.runs(&codes, length).eq(runs.iter().copied()));
            let naive: Vec<(u64, u32)> = (0..(codes.len() + 1).saturating_sub(width as usize))
                .map(|start| {
                    let last = start + width as usize - length;
                    (start..=last).map(|at| (runs[at], at as u32)).min().unwrap()
                })
                .collect();
            prop_assert_eq!(found, naive);
        }

        /// By the polynomials of all windows.
        #[test]
        fn fingerprints_are_those_of_their_windows(
            codes in prop::collection::vec(any::<u64>(), 0..90),
            width in 1..12_u32,
            wanted in any::<u64>(),
        ) {
            let key = VerificationKey::from_bytes([5; 16]);
            let mut maker = WindowMaker::new(&key, width);
            let is_wanted = |place: &u32| wanted >> (place * 7 % 64) & 1 == 1;
            let places: Vec<u32> =
                (0..maker.count(codes.len()) as u32).filter(is_wanted).collect();
            let found = maker.fingerprints(&codes, &places);
            let [one, other] = maker.fingerprints.each_mut().map(|p| p.windows(&codes, width as usize).collect::<Vec<_>>());
            let all: Vec<Fingerprint> = places
                .iter()
                .map(|place| Fingerprint(one[*place as usize], other[*place as usize] as u32))
                .collect();
            prop_assert_eq!(found, all);
        }
    }
}

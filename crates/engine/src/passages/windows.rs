//! Windows of a document, and the anchors that they are found by.
//!
//! The anchor of a window of N words is the run of half as many words in it whose fingerprint is the
//! least, and of those the first. Windows that follow each other mostly have the same one, so that a document has one
//! in about N / 4 words; and equal windows have equal anchors.

use std::collections::VecDeque;

use lookalike_core::VerificationKey;

use crate::polynomial::Polynomial;

/// Finds anchors and fingerprints, on one thread.
pub(super) struct WindowMaker {
    pub(super) width: usize,
    anchor_width: usize,
    anchors: Polynomial,
    fingerprints: [Polynomial; 2],
    /// Runs that may become anchors: their fingerprints, ascending, and where they begin.
    least: VecDeque<(u64, u32)>,
}

/// A fingerprint of a window: 61 bits and 32 of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Fingerprint(pub(super) u64, pub(super) u32);

impl WindowMaker {
    pub(super) fn new(key: &VerificationKey, width: u32) -> Self {
        let polynomial = |name: &str| Polynomial::new(key, name.as_bytes());
        Self {
            width: width as usize,
            anchor_width: (width as usize).div_ceil(2),
            anchors: polynomial("anchors of windows"),
            fingerprints: [polynomial("windows, first"), polynomial("windows, second")],
            least: VecDeque::new(),
        }
    }

    /// How many windows so many tokens have.
    pub(super) fn count(&self, tokens: usize) -> usize {
        (tokens + 1).saturating_sub(self.width)
    }

    /// Calls `each` with the anchor of every window, in order: its fingerprint, and where it begins.
    pub(super) fn for_each_anchor(&mut self, codes: &[u64], mut each: impl FnMut(u64, u32)) {
        if codes.len() < self.width {
            return;
        }
        // Runs of a window.
        let runs = (self.width - self.anchor_width + 1) as u32;
        self.least.clear();
        for (run, at) in self.anchors.windows(codes, self.anchor_width).zip(0_u32..) {
            while self.least.back().is_some_and(|(other, _)| *other > run) {
                self.least.pop_back();
            }
            self.least.push_back((run, at));
            if at + 1 < runs {
                continue;
            }
            while self.least.front().is_some_and(|(_, other)| *other + runs <= at) {
                self.least.pop_front();
            }
            if let Some(&(run, at)) = self.least.front() {
                each(run, at);
            }
        }
    }

    /// The fingerprints of the windows that begin at these places, in order.
    pub(super) fn fingerprints(&mut self, codes: &[u64], places: &[u32]) -> Vec<Fingerprint> {
        let width = self.width;
        let [first, second] = &mut self.fingerprints;
        let prefixes = [&mut *first, &mut *second].map(|p| p.prefixes(codes.iter().copied()));
        let fingerprint = |&at: &u32| {
            let at = at as usize;
            let second = second.window(&prefixes[1], at, width);
            Fingerprint(first.window(&prefixes[0], at, width), second as u32)
        };
        places.iter().map(fingerprint).collect()
    }
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
            let runs: Vec<u64> = maker.anchors.windows(&codes, length).collect();
            let naive: Vec<(u64, u32)> = (0..(codes.len() + 1).saturating_sub(width as usize))
                .map(|start| {
                    let last = start + width as usize - length;
                    (start..=last).map(|at| (runs[at], at as u32)).min().unwrap()
                })
                .collect();
            prop_assert_eq!(found, naive);
        }
    }
}

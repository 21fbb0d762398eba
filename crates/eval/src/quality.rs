//! How good what is returned is, by the labels of pairs: precision, recall and F1.
//!
//! Undecided pairs are counted, and in no share: a person who could not say is no
//! evidence that a recipe is wrong, nor that it is right.

use serde::Serialize;

use crate::statistics::{Count, Share};

/// How good what is returned is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Quality {
    /// Pairs that are returned and correct.
    pub right: u64,
    /// Pairs that are returned and incorrect.
    pub wrong: u64,
    /// Pairs that are returned and that nobody could decide about; in no share.
    pub undecided: u64,
    /// Correct pairs that are not returned.
    pub missed: u64,
    /// The share of the right in right and wrong.
    pub precision: Option<Share>,
    /// The share of the right in right and missed.
    pub recall: Option<Share>,
    /// The harmonic mean of the two.
    pub f1: Option<Share>,
}

/// What it is made of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QualityCounts {
    pub(crate) right: Count,
    pub(crate) wrong: Count,
    pub(crate) undecided: Count,
    pub(crate) missed: Count,
}

impl QualityCounts {
    pub(crate) fn quality(self) -> Quality {
        let Self { right, wrong, undecided, missed } = self;
        let share = |other: Count| {
            let mut whole = right;
            whole += other;
            Share::of(right, whole)
        };
        Quality {
            right: right.number,
            wrong: wrong.number,
            undecided: undecided.number,
            missed: missed.number,
            precision: share(wrong),
            recall: share(missed),
            f1: Share::f1(right, wrong, missed),
        }
    }
}

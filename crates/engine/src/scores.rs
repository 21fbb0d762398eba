//! Pairs as `pairs.parquet` has them.

use serde::Serialize;

use crate::places::Row;
use crate::report::Kind;

/// How similar the two documents of a pair are; `None` for what the recipe does not have or did
/// not compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Scores {
    /// Shingles of both, out of those of either.
    pub resemblance: Option<f64>,
    /// The share of the first that is in the second.
    pub containment_a: Option<f64>,
    /// The share of the second that is in the first.
    pub containment_b: Option<f64>,
    /// The resemblance as the sketches see it.
    pub estimate: Option<f64>,
    /// The share of the words of both that differ.
    pub difference: Option<f64>,
    /// Equal features.
    pub b_similarity: Option<u32>,
    /// Equal bits of the projection.
    pub c_similarity: Option<u32>,
    /// Repeats of Pugh's lists that share one.
    pub repeats_in_common: Option<u32>,
}

impl Scores {
    /// Seen from the second document.
    pub(crate) fn turned(self) -> Self {
        let (containment_a, containment_b) = (self.containment_b, self.containment_a);
        Self { containment_a, containment_b, ..self }
    }
}

/// A pair with all that is known of it, of which a [`Pair`](crate::matching::Pair) has only what it
/// was accepted for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScoredPair {
    /// The first of the two in the input.
    pub(crate) a: Row,
    pub(crate) b: Row,
    pub(crate) kind: Kind,
    pub(crate) scores: Scores,
}

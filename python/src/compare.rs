//! Two documents side by side.

use lookalike::core;
use pyo3::prelude::*;

/// Everything that can be said of two documents.
#[pyclass(frozen, get_all, eq, module = "lookalike")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Comparison {
    /// Shingles of both, out of those of either.
    resemblance: f64,
    /// The share of a that is in b.
    containment_a: f64,
    /// The share of b that is in a.
    containment_b: f64,
    /// The resemblance estimated from sketches, if the recipe's can.
    estimate: Option<f64>,
    /// Equal features, if the recipe has any.
    b_similarity: Option<usize>,
    /// Equal bits of the projections, if the recipe has one.
    c_similarity: Option<usize>,
    /// Whether the token sequences are the same.
    same_tokens: bool,
    /// Tokens in the difference of the two sequences.
    term_difference: u64,
    /// Shingles of a.
    shingles_a: u64,
    /// Shingles of b.
    shingles_b: u64,
    /// Tokens of a.
    tokens_a: u64,
    /// Tokens of b.
    tokens_b: u64,
}

impl From<core::Comparison> for Comparison {
    fn from(pair: core::Comparison) -> Self {
        Self {
            resemblance: pair.overlap.resemblance(),
            containment_a: pair.overlap.containment_a(),
            containment_b: pair.overlap.containment_b(),
            estimate: pair.estimate,
            b_similarity: pair.b_similarity,
            c_similarity: pair.c_similarity,
            same_tokens: pair.same_tokens,
            term_difference: pair.term_difference,
            shingles_a: pair.overlap.a,
            shingles_b: pair.overlap.b,
            tokens_a: pair.tokens[0],
            tokens_b: pair.tokens[1],
        }
    }
}

#[pymethods]
impl Comparison {
    fn __repr__(&self) -> String {
        let Self { resemblance, containment_a, containment_b, .. } = self;
        format!(
            "<lookalike.Comparison resemblance {resemblance:.4}, containment {containment_a:.4} \
             and {containment_b:.4}>"
        )
    }
}

//! Two documents side by side.

use std::sync::Arc;

use lookalike_core as core;
use lookalike_core::text::{Text, TextBuf, Unit};
use lookalike_engine::report::marked_difference;
use lookalike_pages::{ComparisonView, comparison};
use pyo3::prelude::*;

/// Everything that can be said of two documents. In a notebook it shows what differs.
#[pyclass(frozen, eq, skip_from_py_object, module = "lookalike")]
#[derive(Clone, PartialEq)]
pub(crate) struct Comparison {
    /// Shingles of both, out of those of either.
    #[pyo3(get)]
    resemblance: f64,
    /// The share of a that is in b.
    #[pyo3(get)]
    containment_a: f64,
    /// The share of b that is in a.
    #[pyo3(get)]
    containment_b: f64,
    /// The resemblance estimated from sketches, if the recipe's can.
    #[pyo3(get)]
    estimate: Option<f64>,
    /// Equal features, if the recipe has any.
    #[pyo3(get)]
    b_similarity: Option<usize>,
    /// Equal bits of the projections, if the recipe has one.
    #[pyo3(get)]
    c_similarity: Option<usize>,
    /// Whether the token sequences are the same.
    #[pyo3(get)]
    same_tokens: bool,
    /// Tokens in the difference of the two sequences.
    #[pyo3(get)]
    term_difference: u64,
    /// The share of the tokens of both that differ, if the recipe judges by it; None also where it would take
    /// too long to find out.
    #[pyo3(get)]
    difference: Option<f64>,
    /// The fewest edits that turn a into b, or two bounds of them: at least and at most. An edit
    /// removes or adds any number of occurrences of one word.
    #[pyo3(get)]
    edit_distance: (u64, u64),
    /// Repeats of the lists that share a list, if the recipe has lists.
    #[pyo3(get)]
    repeats_in_common: Option<usize>,
    /// Shingles of a.
    #[pyo3(get)]
    shingles_a: u64,
    /// Shingles of b.
    #[pyo3(get)]
    shingles_b: u64,
    /// Tokens of a.
    #[pyo3(get)]
    tokens_a: u64,
    /// Tokens of b.
    #[pyo3(get)]
    tokens_b: u64,
    compared: Compared,
}

/// What was compared, to show what differs. Two comparisons with the same numbers are equal.
#[derive(Clone)]
struct Compared {
    unit: Unit,
    texts: Arc<[TextBuf; 2]>,
}

impl PartialEq for Compared {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Comparison {
    pub(crate) fn new(pair: &core::Comparison, unit: Unit, texts: [Text<'_>; 2]) -> Self {
        Self {
            resemblance: pair.overlap.resemblance(),
            containment_a: pair.overlap.containment_a(),
            containment_b: pair.overlap.containment_b(),
            estimate: pair.estimate,
            b_similarity: pair.b_similarity,
            c_similarity: pair.c_similarity,
            same_tokens: pair.same_tokens,
            term_difference: pair.term_difference,
            difference: pair.difference,
            edit_distance: (pair.edit_distance.at_least, pair.edit_distance.at_most),
            repeats_in_common: pair.repeats_in_common,
            shingles_a: pair.overlap.a,
            shingles_b: pair.overlap.b,
            tokens_a: pair.tokens[0],
            tokens_b: pair.tokens[1],
            compared: Compared { unit, texts: Arc::new(texts.map(Text::to_buf)) },
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

    /// The numbers, and what differs, marked.
    fn _repr_html_(&self, py: Python<'_>) -> String {
        py.detach(|| {
            let Compared { unit, texts } = &self.compared;
            let [a, b] = &**texts;
            comparison(&ComparisonView {
                resemblance: self.resemblance,
                containment_a: self.containment_a,
                containment_b: self.containment_b,
                tokens: (*unit).into(),
                difference: &marked_difference(*unit, a, "b", b),
            })
        })
    }
}

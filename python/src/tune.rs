//! Filters: which pairs become candidates.

use lookalike_core::filter::{self, Search};
use pyo3::prelude::*;

use crate::error::{Raise, parameter};
use crate::options::checked_share;

/// A filter [k, s, r]: k features of s minvalues, of which a candidate has r in common. Elsewhere:
/// k bands of s rows, with r = 1.
#[pyclass(frozen, eq, module = "lookalike")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Filter {
    filter: filter::Filter,
    /// The resemblance that it was chosen for, if it was.
    #[pyo3(get)]
    threshold: Option<f64>,
}

/// Steps of 0.005, so that 0.77 and 0.975 are among them.
const CURVE: usize = 201;

#[pymethods]
impl Filter {
    /// Features of a document.
    #[getter]
    fn k(&self) -> u32 {
        self.filter.k()
    }

    /// Minvalues in a feature.
    #[getter]
    fn s(&self) -> u32 {
        self.filter.s()
    }

    /// Features that a candidate has in common.
    #[getter]
    fn r(&self) -> u32 {
        self.filter.r()
    }

    /// What signing a document costs.
    #[getter]
    fn permutations(&self) -> u32 {
        self.filter.permutations()
    }

    /// Bytes of features of a document.
    #[getter]
    fn bytes_per_document(&self) -> u32 {
        self.filter.bytes_per_document()
    }

    /// Records of a document when matching.
    #[getter]
    fn super_features(&self) -> u64 {
        self.filter.super_features()
    }

    /// The resemblance of which half of the pairs become candidates.
    #[getter]
    fn half_point(&self) -> f64 {
        self.filter.half_point()
    }

    /// Where x^s is the steepest of all powers of the resemblance x.
    #[getter]
    fn steepest_at(&self) -> f64 {
        self.filter.steepest_at()
    }

    /// Where the filter itself is the steepest.
    #[getter]
    fn filter_steepest_at(&self) -> f64 {
        self.filter.filter_steepest_at()
    }

    /// The share of pairs at exactly the threshold that become candidates, if there is one.
    #[getter]
    fn recall(&self) -> Option<f64> {
        self.threshold.map(|threshold| self.filter.probability(threshold))
    }

    /// Resemblances from 0 to 1, and the probability at each that a pair becomes a candidate.
    #[getter]
    fn curve(&self) -> Vec<(f64, f64)> {
        self.filter.curve(CURVE)
    }

    /// The probability that two documents of this resemblance become a candidate.
    fn probability(&self, resemblance: f64) -> PyResult<f64> {
        Ok(self.filter.probability(checked_share("resemblance", resemblance)?))
    }

    fn __repr__(&self) -> String {
        let Self { filter, threshold } = self;
        let chosen = match threshold {
            Some(at) => format!(" for {at}, recall {:.4}", filter.probability(*at)),
            None => String::new(),
        };
        let permutations = filter.permutations();
        format!("<lookalike.Filter {filter}{chosen}, {permutations} permutations>")
    }
}

/// A filter for a threshold and a recall, or a given one.
#[pyfunction]
#[pyo3(signature = (
    threshold=None, recall=0.95, *, permutations=None, bytes=None, unwanted=None,
    k=None, s=None, r=None
))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn tune(
    py: Python<'_>,
    threshold: Option<f64>,
    recall: f64,
    permutations: Option<u32>,
    bytes: Option<u32>,
    unwanted: Option<f64>,
    k: Option<u32>,
    s: Option<u32>,
    r: Option<u32>,
) -> PyResult<Filter> {
    match (threshold, k, s, r) {
        (Some(threshold), None, None, None) => {
            let mut search = Search::new(threshold, recall);
            search.max_permutations = permutations;
            search.max_bytes = bytes;
            search.unwanted = unwanted;
            let found = py.detach(|| search.run()).map_err(lookalike_core::Error::from).raise()?;
            Ok(Filter { filter: found.filter, threshold: Some(threshold) })
        }
        (None, Some(k), Some(s), Some(r)) => {
            let filter = filter::Filter::new(k, s, r).map_err(lookalike_core::Error::from);
            Ok(Filter { filter: filter.raise()?, threshold: None })
        }
        _ => Err(parameter("say what is wanted, with threshold and recall, or give k, s and r")),
    }
}

//! Filters: which pairs become candidates.

use lookalike_core::filter::{self, Search};
use lookalike_core::recipe::Verify;
use lookalike_corpus::{Inputs, Sources};
use lookalike_eval as eval;
use pyo3::prelude::*;

use crate::error::{Raise, parameter};
use crate::options::{ReadingOptions, ResourceOptions, checked_share};
use crate::recipe::{GivenJudging, judged};

/// A filter [k, s, r]: k features of s minvalues, of which a candidate has r in common. Elsewhere:
/// k bands of s rows, with r = 1.
#[pyclass(frozen, eq, skip_from_py_object, module = "lookalike")]
#[derive(Clone, PartialEq)]
pub(crate) struct Filter {
    core: filter::Filter,
    /// The resemblance that it was chosen for, if it was.
    #[pyo3(get)]
    threshold: Option<f64>,
    /// What it does on the documents of a sample, if there was one.
    #[pyo3(get)]
    sample: Option<FilterMeasurement>,
}

/// What a filter does on documents, every pair of which was compared exactly.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "lookalike")]
#[derive(Clone, PartialEq)]
pub(crate) struct FilterMeasurement {
    /// Documents that were compared.
    documents: u64,
    /// Those of them without words.
    empty: u64,
    /// Records and files that could not be read.
    skipped: u64,
    /// Whether there were more documents than the limit.
    cut: bool,
    /// The least resemblance of the pairs that are wanted.
    threshold: f64,
    /// Pairs at or above it.
    pairs: u64,
    /// The share of them that became candidates, the mean over seeds; None if there are none.
    recall: Option<f64>,
    /// Its 95 % interval.
    recall_low: Option<f64>,
    /// The upper end.
    recall_high: Option<f64>,
    /// What intervals are over: seeds, or pairs under one seed, which makes them too narrow.
    interval_over: &'static str,
    /// The seeds.
    seeds: Vec<u64>,
    /// The share under each.
    recall_by_seed: Vec<f64>,
    /// The share that the filter's polynomial gives.
    predicted_recall: Option<f64>,
    /// Pairs by their resemblance.
    bins: Vec<FilterBin>,
}

/// Pairs of resemblances in a range.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "lookalike")]
#[derive(Clone, PartialEq)]
pub(crate) struct FilterBin {
    /// The least resemblance.
    start: f64,
    /// Up to here; 1 is in the last.
    end: f64,
    /// How many pairs.
    pairs: u64,
    /// The share of them that became candidates; None if there are none.
    candidates: Option<f64>,
    /// Its 95 % interval.
    low: Option<f64>,
    /// The upper end.
    high: Option<f64>,
    /// The share that the filter's polynomial gives.
    predicted: Option<f64>,
}

impl From<eval::FilterMeasurement> for FilterMeasurement {
    fn from(measured: eval::FilterMeasurement) -> Self {
        let (wanted, interval) = (&measured.wanted, measured.wanted.interval());
        Self {
            documents: measured.documents,
            empty: measured.empty,
            skipped: measured.skipped,
            cut: measured.cut,
            threshold: measured.threshold,
            pairs: wanted.pairs,
            recall: wanted.share(),
            recall_low: interval.map(|(low, _)| low),
            recall_high: interval.map(|(_, high)| high),
            interval_over: measured.interval_over(),
            recall_by_seed: wanted.shares(),
            predicted_recall: wanted.predicted(),
            bins: measured.bins.iter().map(FilterBin::from).collect(),
            seeds: measured.seeds,
        }
    }
}

impl From<&eval::FilterBin> for FilterBin {
    fn from(bin: &eval::FilterBin) -> Self {
        let interval = bin.pairs.interval();
        Self {
            start: bin.range.start,
            end: bin.range.end,
            pairs: bin.pairs.pairs,
            candidates: bin.pairs.share(),
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            predicted: bin.pairs.predicted(),
        }
    }
}

#[pymethods]
impl FilterMeasurement {
    fn __repr__(&self) -> String {
        let Self { documents, pairs, threshold, recall, .. } = self;
        let recall =
            recall.map_or("nothing known of recall".to_owned(), |r| format!("recall {r:.4}"));
        format!(
            "<lookalike.FilterMeasurement: {pairs} pairs of {threshold} or more in {documents} \
             documents, {recall}>"
        )
    }
}

#[pymethods]
impl FilterBin {
    fn __repr__(&self) -> String {
        let Self { start, end, pairs, .. } = self;
        format!("<lookalike.FilterBin {start:.2} to {end:.2}: {pairs} pairs>")
    }
}

/// How a filter is measured.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct SampleOptions {
    sample_limit: u64,
    seed: Option<u64>,
    seeds: u32,
}

/// Steps of 0.005, so that 0.77 and 0.975 are among them.
const CURVE: usize = 201;

#[pymethods]
impl Filter {
    /// Features of a document.
    #[getter]
    fn k(&self) -> u32 {
        self.core.k()
    }

    /// Minvalues in a feature.
    #[getter]
    fn s(&self) -> u32 {
        self.core.s()
    }

    /// Features that a candidate has in common.
    #[getter]
    fn r(&self) -> u32 {
        self.core.r()
    }

    /// What signing a document costs.
    #[getter]
    fn permutations(&self) -> u32 {
        self.core.permutations()
    }

    /// Bytes of features of a document.
    #[getter]
    fn bytes_per_document(&self) -> u32 {
        self.core.bytes_per_document()
    }

    /// Records of a document when matching.
    #[getter]
    fn super_features(&self) -> u64 {
        self.core.super_features()
    }

    /// The resemblance of which half of the pairs become candidates.
    #[getter]
    fn half_point(&self) -> f64 {
        self.core.half_point()
    }

    /// Where x^s is the steepest of all powers of the resemblance x.
    #[getter]
    fn steepest_at(&self) -> f64 {
        self.core.steepest_at()
    }

    /// Where the filter itself is the steepest.
    #[getter]
    fn filter_steepest_at(&self) -> f64 {
        self.core.filter_steepest_at()
    }

    /// The share of pairs at exactly the threshold that become candidates, if there is one.
    #[getter]
    fn recall(&self) -> Option<f64> {
        self.threshold.map(|threshold| self.core.probability(threshold))
    }

    /// Resemblances from 0 to 1, and the probability at each that a pair becomes a candidate.
    #[getter]
    fn curve(&self) -> Vec<(f64, f64)> {
        self.core.curve(CURVE)
    }

    /// The probability that two documents of this resemblance become a candidate.
    fn probability(&self, resemblance: f64) -> PyResult<f64> {
        Ok(self.core.probability(checked_share("resemblance", resemblance)?))
    }

    /// The same filter, with what it does on the documents of these inputs.
    #[pyo3(signature = (
        inputs: "collections.abc.Sequence[str]", options: "collections.abc.Mapping[str, object]"
    ))]
    fn measured_on(
        &self,
        py: Python<'_>,
        inputs: Vec<String>,
        options: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let own: SampleOptions = options.extract()?;
        let (reading, resources): (ReadingOptions, ResourceOptions<'_>) =
            (options.extract()?, options.extract()?);
        if own.sample_limit < 2 || !(1..=100).contains(&own.seeds) {
            return Err(parameter("sample_limit must be at least 2, and seeds from 1 to 100"));
        }
        let running = reading.running(&resources)?;
        let recipe = judged(&options.get_item("recipe")?, GivenJudging::default())?;
        let seed = own.seed.unwrap_or(recipe.seed);
        if seed >= 1 << 63 {
            return Err(parameter(format!("seed is {seed}, but must be below 2^63")));
        }
        // A given filter has no threshold; half of the pairs is where it draws the line.
        let half = (self.core.half_point() * 100.0).round() / 100.0;
        let threshold = self.threshold.unwrap_or(half).max(0.01);
        let sample = eval::FilterSample {
            recipe: eval::FilterSample::with_filter(&recipe, self.core),
            threshold,
            seed,
            seeds: own.seeds,
            limit: own.sample_limit,
        };
        let sources = Sources::new(&inputs, running.format).raise()?;
        let documents = Inputs::of(sources, running.read);
        let measured = py.detach(|| sample.measure(documents, running.kernel, |_| {})).raise()?;
        Ok(Self { sample: Some(measured.into()), ..self.clone() })
    }

    fn __repr__(&self) -> String {
        let Self { core: filter, threshold, .. } = self;
        let chosen = match threshold {
            Some(at) => format!(" for {at}, recall {:.4}", filter.probability(*at)),
            None => String::new(),
        };
        let permutations = filter.permutations();
        format!("<lookalike.Filter {filter}{chosen}, {permutations} permutations>")
    }
}

/// A filter for a threshold and a recall, a given one, or that of a recipe.
#[pyfunction]
#[pyo3(signature = (
    threshold=None, recall=0.95, *, permutations=None, bytes=None, unwanted=None,
    k=None, s=None, r=None, recipe: "Recipe | str | os.PathLike[str] | None" = None
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
    recipe: Option<Bound<'_, PyAny>>,
) -> PyResult<Filter> {
    match (threshold, k, s, r, recipe) {
        (Some(threshold), None, None, None, _) => {
            let mut search = Search::new(threshold, recall);
            search.max_permutations = permutations;
            search.max_bytes = bytes;
            search.unwanted = unwanted;
            let found = py.detach(|| search.run()).map_err(lookalike_core::Error::from).raise()?;
            Ok(Filter { core: found.filter, threshold: Some(threshold), sample: None })
        }
        (None, Some(k), Some(s), Some(r), _) => {
            let filter = filter::Filter::new(k, s, r).map_err(lookalike_core::Error::from);
            Ok(Filter { core: filter.raise()?, threshold: None, sample: None })
        }
        (None, None, None, None, Some(recipe)) => {
            let recipe = judged(&recipe, GivenJudging::default())?;
            let Some(filter) = recipe.features else {
                let name = &recipe.name;
                return Err(parameter(format!("the recipe `{name}` has no filter")));
            };
            let threshold = (recipe.verify != Verify::None).then(|| recipe.least_resemblance());
            Ok(Filter { core: filter, threshold, sample: None })
        }
        _ => Err(parameter(
            "say what is wanted, with threshold and recall, or give k, s and r, or a recipe",
        )),
    }
}

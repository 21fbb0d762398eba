//! Hosts and folders that replicate each other.

use lookalike_engine::mirrors as engine;
use pyo3::prelude::*;

use crate::error::{Raise, parameter};
use crate::names::MirrorKindName;
use crate::observe::Watch;
use crate::options::{JudgingOptions, ReadingOptions, ResourceOptions, positive_share};

/// Two roots, hosts or hosts with folders, that replicate each other.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "lookalike")]
#[derive(Clone, PartialEq)]
pub(crate) struct Mirror {
    /// A host, or a host and folders, with a slash in the end; the first of the two by name.
    a: String,
    /// The other.
    b: String,
    /// What is replicated: a whole host, or a folder (prefix).
    kind: MirrorKindName,
    /// Pages under the first.
    pages_a: u64,
    /// Pages under the second.
    pages_b: u64,
    /// Pages under either that have a look-alike under the other at the same rest of the path.
    matched: u64,
    /// Their share of the pages under the first.
    share_a: f64,
    /// Their share of the pages under the second.
    share_b: f64,
    /// Some of them: both URLs, and the resemblance where it was computed.
    examples: Vec<(String, String, Option<f64>)>,
}

impl From<engine::Mirror> for Mirror {
    fn from(mirror: engine::Mirror) -> Self {
        let engine::Mirror { a, b, kind, pages_a, pages_b, matched, share_a, share_b, examples } =
            mirror;
        let kind = kind.into();
        Self { a, b, kind, pages_a, pages_b, matched, share_a, share_b, examples }
    }
}

#[pymethods]
impl Mirror {
    fn __repr__(&self) -> String {
        let Self { a, b, matched, share_a, share_b, .. } = self;
        format!(
            "<lookalike.Mirror {a:?} and {b:?}: {matched} pages, {share_a:.4} and {share_b:.4} of \
             each>"
        )
    }
}

/// What a search for mirrors found.
#[pyclass(frozen, get_all, module = "lookalike")]
pub(crate) struct MirrorFindings {
    /// The mirrors of most pages, the largest first.
    mirrors: Vec<Mirror>,
    /// Mirrors in all.
    found: u64,
    /// Documents that could be read.
    documents: u64,
    /// Those of them without a URL that has a host: they are part of nothing here.
    without_url: u64,
    /// Documents without a token: they resemble nothing.
    empty: u64,
    /// Records and files that were passed over.
    skipped: u64,
    /// Files in folders that are of an unknown kind.
    other_files: u64,
    /// Pairs of documents that were compared.
    candidates: u64,
    /// Those of them that look alike.
    pairs: u64,
    /// Groups so large that look-alikes in them may have been missed.
    limited_groups: u64,
    /// How long it took.
    seconds: f64,
    /// The most memory that was used, where the system tells.
    peak_memory_bytes: u64,
}

impl From<engine::MirrorFindings> for MirrorFindings {
    fn from(findings: engine::MirrorFindings) -> Self {
        Self {
            mirrors: findings.mirrors.into_iter().map(Mirror::from).collect(),
            found: findings.found,
            documents: findings.documents,
            without_url: findings.without_url,
            empty: findings.empty,
            skipped: findings.skipped,
            other_files: findings.other_files,
            candidates: findings.candidates,
            pairs: findings.pairs,
            limited_groups: findings.limited_groups,
            seconds: findings.seconds,
            peak_memory_bytes: findings.peak_memory_bytes,
        }
    }
}

#[pymethods]
impl MirrorFindings {
    fn __repr__(&self) -> String {
        let Self { found, documents, pairs, .. } = self;
        format!(
            "<lookalike.MirrorFindings: {found} mirrors in {documents} documents and {pairs} pairs>"
        )
    }
}

/// The options that only this job has.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct MirrorOptions {
    min_pages: u64,
    min_share: f64,
    limit: usize,
}

/// Finds hosts and folders that replicate each other.
#[pyfunction]
#[pyo3(signature = (
    inputs: "collections.abc.Sequence[str]", options: "collections.abc.Mapping[str, object]",
    progress: "collections.abc.Callable[[Progress], object] | None" = None
))]
pub(crate) fn mirrors(
    py: Python<'_>,
    inputs: Vec<String>,
    options: &Bound<'_, PyAny>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<MirrorFindings> {
    let own: MirrorOptions = options.extract()?;
    let (reading, resources): (ReadingOptions, ResourceOptions<'_>) =
        (options.extract()?, options.extract()?);
    if own.min_pages == 0 || own.limit == 0 {
        return Err(parameter("min_pages and limit must be at least 1"));
    }
    let job = engine::Mirrors::new(inputs)
        .running(reading.running(&resources)?)
        .recipe(options.extract::<JudgingOptions<'_>>()?.recipe()?)
        .min_pages(own.min_pages)
        .min_share(positive_share("min_share", own.min_share)?)
        .limit(own.limit)
        .temp(resources.work_folder("mirrors"));
    let watch = Watch::new(progress.map(Bound::unbind));
    let findings = watch.run(py, |observer| job.run_observed(observer))?.raise()?;
    Ok(MirrorFindings::from(findings))
}

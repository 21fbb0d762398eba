//! One corpus searched for another.

use std::ops::ControlFlow;
use std::path::PathBuf;

use lookalike_core::Given as _;
use lookalike_engine::{self as engine, Against, Existing, Match};
use pyo3::prelude::*;

use crate::error::{Raise, parameter};
use crate::observe::Watch;
use crate::options::{JudgingOptions, ReadingOptions, ResourceOptions, positive_share, unreadable};

/// A document that resembles or contains a reference.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "lookalike")]
#[derive(Clone, PartialEq)]
pub(crate) struct Finding {
    /// The id of the document.
    input: String,
    /// The id of the reference.
    reference: String,
    /// Shingles of both, out of those of either.
    resemblance: f64,
    /// The share of the reference that is in the document.
    containment_reference: f64,
    /// The share of the document that is in the reference.
    containment_input: f64,
    /// The number of the document among all that could be read, from 0.
    input_row: u64,
    /// The number of the reference, likewise.
    reference_row: u64,
    /// Shingles in common.
    common: u64,
    /// Shingles of the document.
    shingles_input: u64,
    /// Shingles of the reference.
    shingles_reference: u64,
    /// The longest run of words that both have, if `ngram` was given; with `passages`, one of their runs.
    passage: Option<Passage>,
}

/// A run of words that a document and a reference have in common.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "lookalike")]
#[derive(Clone, PartialEq)]
pub(crate) struct Passage {
    /// How many words.
    words: u64,
    /// The number of its first word in the document, from 0.
    input_word: u64,
    /// The number of its first word in the reference, likewise.
    reference_word: u64,
    /// Its first byte in the text of the document.
    input_begin: u64,
    /// Where it ends there.
    input_end: u64,
    /// Its first byte in the text of the reference.
    reference_begin: u64,
    /// Where it ends there.
    reference_end: u64,
    /// Its beginning as it stands in the document: a hundred words at most, with what is between.
    input_text: String,
    /// Its beginning as it stands in the reference.
    reference_text: String,
}

impl From<&engine::Passage> for Passage {
    fn from(passage: &engine::Passage) -> Self {
        Self {
            words: passage.words,
            input_word: passage.input_word,
            reference_word: passage.reference_word,
            input_begin: passage.input_bytes.start,
            input_end: passage.input_bytes.end,
            reference_begin: passage.reference_bytes.start,
            reference_end: passage.reference_bytes.end,
            input_text: passage.input_text.clone(),
            reference_text: passage.reference_text.clone(),
        }
    }
}

#[pymethods]
impl Passage {
    fn __repr__(&self) -> String {
        format!("<lookalike.Passage of {} words: {:?}>", self.words, self.input_text)
    }
}

impl From<&Match<'_>> for Finding {
    fn from(found: &Match<'_>) -> Self {
        Self {
            input: found.input.to_owned(),
            reference: found.reference.to_owned(),
            resemblance: found.resemblance(),
            containment_reference: found.containment_reference(),
            containment_input: found.containment_input(),
            input_row: found.input_row.into(),
            reference_row: found.reference_row.into(),
            common: found.overlap.common,
            shingles_input: found.overlap.a,
            shingles_reference: found.overlap.b,
            passage: found.passage.map(Passage::from),
        }
    }
}

#[pymethods]
impl Finding {
    fn __repr__(&self) -> String {
        let Self { input, reference, resemblance, containment_reference, .. } = self;
        format!(
            "<lookalike.Finding {input:?} has {containment_reference:.4} of {reference:?}, \
             resemblance {resemblance:.4}>"
        )
    }
}

/// What a search for references found.
#[pyclass(frozen, get_all, module = "lookalike")]
pub(crate) struct Findings {
    /// Each match, in the order of the inputs; none if they went to a file.
    found: Vec<Finding>,
    /// Documents of the input that could be read.
    documents: u64,
    /// References that could be read.
    references: u64,
    /// Pairs of a document and a reference, or runs of words of these, also those that went to a file.
    matches: u64,
    /// Runs of words that are not told, since a document has very many.
    left_out: u64,
    /// Documents that are in a pair.
    documents_found: u64,
    /// References that are in a pair.
    references_found: u64,
    /// References without tokens: they match nothing.
    empty_references: u64,
    /// References that were not looked for: they have fewer tokens than asked for.
    short_references: u64,
    /// The ids of the first of them.
    short_examples: Vec<String>,
    /// References that are mostly boilerplate of other references: slower, nothing missed.
    slow_references: u64,
    /// How often the inputs were read.
    passes: u64,
    /// Records and files of both sides that were passed over.
    skipped: u64,
    /// Files in folders that are of an unknown kind.
    other_files: u64,
    /// Bytes of text of the input.
    bytes: u64,
    /// Bytes of text of the references.
    reference_bytes: u64,
    /// How long it took.
    seconds: f64,
    /// The most memory that was used, where the system tells.
    peak_memory_bytes: u64,
}

impl Findings {
    fn new(found: Vec<Finding>, counts: engine::Findings) -> Self {
        Self {
            found,
            documents: counts.documents,
            references: counts.references,
            matches: counts.matches,
            left_out: counts.left_out,
            documents_found: counts.documents_found,
            references_found: counts.references_found,
            empty_references: counts.empty_references,
            short_references: counts.short_references,
            short_examples: counts.short_examples,
            slow_references: counts.slow_references,
            passes: counts.passes,
            skipped: counts.skipped,
            other_files: counts.other_files,
            bytes: counts.bytes,
            reference_bytes: counts.reference_bytes,
            seconds: counts.seconds,
            peak_memory_bytes: counts.peak_memory_bytes,
        }
    }
}

#[pymethods]
impl Findings {
    fn __repr__(&self) -> String {
        let Self { documents, references, matches, documents_found, references_found, .. } = self;
        format!(
            "<lookalike.Findings: {documents_found} of {documents} documents and \
             {references_found} of {references} references, {matches} matches>"
        )
    }
}

/// The options that only this job has.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct AgainstOptions {
    out: Option<PathBuf>,
    clean: Option<PathBuf>,
    containment: Option<f64>,
    ngram: Option<usize>,
    passages: Option<usize>,
    threshold: Option<f64>,
    min_tokens: u64,
    drop_unreadable: bool,
    force: bool,
}

/// Finds the documents of inputs that resemble or contain a reference.
#[pyfunction]
#[pyo3(signature = (
    references: "collections.abc.Sequence[str]", inputs: "collections.abc.Sequence[str]",
    options: "collections.abc.Mapping[str, object]",
    progress: "collections.abc.Callable[[Progress], object] | None" = None
))]
pub(crate) fn against(
    py: Python<'_>,
    references: Vec<String>,
    inputs: Vec<String>,
    options: &Bound<'_, PyAny>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Findings> {
    let own: AgainstOptions = options.extract()?;
    let (reading, resources): (ReadingOptions, ResourceOptions<'_>) =
        (options.extract()?, options.extract()?);
    if own.min_tokens == 0 {
        return Err(parameter("min_tokens is 0, but must be at least 1"));
    }
    let extension = own.out.as_ref().map(|path| path.extension().unwrap_or_default());
    if extension.is_some_and(|name| name != "jsonl" && name != "parquet") {
        return Err(parameter("the file of out must end in .jsonl or .parquet"));
    }
    if let (Some(_), Some(_)) = (own.ngram.or(own.passages), own.threshold) {
        return Err(parameter("either runs of words or a threshold make a match, not both"));
    }
    if let (Some(_), Some(_)) = (own.ngram, own.passages) {
        return Err(parameter("either ngram or passages makes a match, not both"));
    }
    if own.passages == Some(0) {
        return Err(parameter("passages is 0, but must be at least 1"));
    }
    let mut job = Against::new(references, inputs)
        .running(reading.running(&resources)?)
        .recipe(options.extract::<JudgingOptions<'_>>()?.recipe()?)
        .min_tokens(own.min_tokens)
        .temp(resources.work_folder("against"))
        .unreadable(unreadable(own.drop_unreadable))
        .given(own.ngram, Against::ngram)
        .given(own.passages, Against::passages)
        .given(own.clean.as_ref(), Against::clean);
    job = match own.containment {
        Some(share) => job.containment(positive_share("containment", share)?),
        None => job.resemblance_alone(),
    };
    let mut file = match &own.out {
        Some(path) => Some(job.create_file(path, Existing::with_force(own.force)).raise()?),
        None => None,
    };
    let mut found = Vec::new();
    let mut failure = None;
    let watch = Watch::new(progress.map(Bound::unbind));
    let counts = watch.run(py, |observer| {
        job.run_observed(observer, |each| match &mut file {
            None => {
                found.push(Finding::from(each));
                ControlFlow::Continue(())
            }
            Some(file) => match file.push(each) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            },
        })
    })?;
    // What could not be written is why the job ended.
    if let Some(error) = failure {
        return Err(error).raise();
    }
    let counts = counts.raise()?;
    if let Some(file) = file {
        file.finish().raise()?;
    }
    Ok(Findings::new(found, counts))
}

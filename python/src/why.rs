//! What became of the documents of a run, and why.

use std::path::{Path, PathBuf};

use lookalike_core::Comparer;
use lookalike_engine::{Run, run};
use pyo3::prelude::*;

use crate::compare::Comparison;
use crate::error::{Raise, parameter};
use crate::interrupt;
use crate::names::{FateKind, FateName, KindName};

/// A document of a run, and where it is.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "lookalike")]
#[derive(Clone, PartialEq)]
pub(crate) struct RunDocument {
    /// Its id.
    id: String,
    /// The path of its file, as it was named.
    source: String,
    /// Its place in the file, from 1.
    record: u64,
    /// Its place among all documents, from 0.
    row: u64,
    /// Its URL, if it has one.
    url: Option<String>,
    /// Of a web archive: the byte of its file at which its record begins, if that is known.
    offset: Option<u64>,
}

impl From<run::RunDocument> for RunDocument {
    fn from(document: run::RunDocument) -> Self {
        let run::RunDocument { id, source, record, row, url, offset, .. } = document;
        Self { id, source, record, row: row.into(), url, offset }
    }
}

#[pymethods]
impl RunDocument {
    fn __repr__(&self) -> String {
        let Self { id, source, record, .. } = self;
        format!("<lookalike.RunDocument {id:?}, record {record} of {source:?}>")
    }
}

/// How similar the two documents of a pair are; None for what the recipe does not have or the run
/// did not compute.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "lookalike")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Scores {
    /// Shingles of both, out of those of either.
    resemblance: Option<f64>,
    /// The share of the first that is in the second.
    containment_a: Option<f64>,
    /// The share of the second that is in the first.
    containment_b: Option<f64>,
    /// The share of the words of both that differ, if the recipe goes by that.
    difference: Option<f64>,
    /// The resemblance as the sketches see it.
    estimate: Option<f64>,
    /// Equal features.
    b_similarity: Option<u32>,
    /// Equal bits of the projection.
    c_similarity: Option<u32>,
    /// Repeats of Pugh's lists that share one.
    repeats_in_common: Option<u32>,
}

impl From<run::Scores> for Scores {
    fn from(scores: run::Scores) -> Self {
        let run::Scores {
            resemblance,
            containment_a,
            containment_b,
            difference,
            estimate,
            b_similarity,
            c_similarity,
            repeats_in_common,
            ..
        } = scores;
        Self {
            resemblance,
            containment_a,
            containment_b,
            difference,
            estimate,
            b_similarity,
            c_similarity,
            repeats_in_common,
        }
    }
}

#[pymethods]
impl Scores {
    fn __repr__(&self) -> String {
        format!("<lookalike.Scores resemblance {}>", shown(self.resemblance))
    }
}

fn shown(resemblance: Option<f64>) -> String {
    resemblance.map_or_else(|| "not computed".to_owned(), |value| format!("{value:.4}"))
}

/// A pair on the way from one document to another.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "lookalike")]
#[derive(Clone, PartialEq)]
pub(crate) struct Step {
    /// Where it begins.
    a: RunDocument,
    /// Where it ends.
    b: RunDocument,
    /// How the two resemble each other.
    kind: KindName,
    /// How much.
    scores: Scores,
}

impl From<run::Step> for Step {
    fn from(step: run::Step) -> Self {
        let (a, b) = (step.from.into(), step.to.into());
        Self { a, b, kind: step.kind.into(), scores: step.scores.into() }
    }
}

#[pymethods]
impl Step {
    fn __repr__(&self) -> String {
        let (a, b, kind) = (&self.a.id, &self.b.id, self.kind.0);
        format!("<lookalike.Step {a:?} to {b:?}, {kind}, {}>", shown(self.scores.resemblance))
    }
}

/// A document that a keeper stands for.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "lookalike")]
#[derive(Clone, PartialEq)]
pub(crate) struct Member {
    /// The document.
    document: RunDocument,
    /// Whether it stays beside its keeper.
    kept: bool,
    /// How it resembles its keeper.
    kind: KindName,
    /// How much, if that is known.
    resemblance: Option<f64>,
}

impl From<run::Member> for Member {
    fn from(member: run::Member) -> Self {
        let run::Member { document, kept, kind, resemblance, .. } = member;
        Self { document: document.into(), kept, kind: kind.into(), resemblance }
    }
}

#[pymethods]
impl Member {
    fn __repr__(&self) -> String {
        let (id, kind) = (&self.document.id, self.kind.0);
        format!("<lookalike.Member {id:?}, {kind}, {}>", shown(self.resemblance))
    }
}

/// Why a document went.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "lookalike")]
#[derive(Clone, PartialEq)]
pub(crate) struct Removal {
    /// The document that stands for it.
    keeper: RunDocument,
    /// How it resembles its keeper.
    kind: KindName,
    /// Documents of the cluster, the keeper among them.
    cluster_size: u64,
    /// How similar the document and its keeper are; None if only other documents join them.
    scores: Option<Scores>,
    /// If they are no pair: the pairs that join the document to its keeper.
    path: Vec<Step>,
    /// The numbers of the features that both have, from 1, if the recipe has features.
    shared_features: Option<Vec<usize>>,
    /// How many features there are.
    features: Option<usize>,
}

impl From<run::Removal> for Removal {
    fn from(removal: run::Removal) -> Self {
        let (shared_features, features) = removal.agreement.features.unzip();
        Self {
            keeper: removal.keeper.into(),
            kind: removal.kind.into(),
            cluster_size: removal.cluster_size,
            scores: removal.scores.map(Scores::from),
            path: removal.path.into_iter().map(Step::from).collect(),
            shared_features,
            features,
        }
    }
}

#[pymethods]
impl Removal {
    fn __repr__(&self) -> String {
        let (keeper, kind) = (&self.keeper.id, self.kind.0);
        let resemblance = shown(self.scores.and_then(|scores| scores.resemblance));
        format!("<lookalike.Removal for {keeper:?}, {kind}, resemblance {resemblance}>")
    }
}

/// A piece of a document that was cut, and where the same words stay.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "lookalike")]
#[derive(Clone, PartialEq)]
pub(crate) struct Cut {
    /// The document that it was cut of.
    document: RunDocument,
    /// Its first byte in the text.
    begin: u64,
    /// Where it ends.
    end: u64,
    /// Its words.
    words: u64,
    /// How often they stand in the corpus.
    copies: u64,
    /// The document in which they stay.
    keeper: RunDocument,
    /// Their first byte there.
    keeper_begin: u64,
    /// Where they end.
    keeper_end: u64,
}

impl From<run::Cut> for Cut {
    fn from(cut: run::Cut) -> Self {
        let run::Cut {
            document, begin, end, words, copies, keeper, keeper_begin, keeper_end, ..
        } = cut;
        let (document, keeper) = (document.into(), keeper.into());
        Self { document, begin, end, words, copies, keeper, keeper_begin, keeper_end }
    }
}

#[pymethods]
impl Cut {
    fn __repr__(&self) -> String {
        let Self { begin, end, words, .. } = self;
        let (document, keeper) = (&self.document.id, &self.keeper.id);
        format!("<lookalike.Cut {document:?} {begin}:{end}, {words} words, kept in {keeper:?}>")
    }
}

/// What became of a document.
#[pyclass(frozen, eq, module = "lookalike")]
#[derive(PartialEq)]
pub(crate) struct Explanation {
    /// The document.
    #[pyo3(get)]
    document: RunDocument,
    /// Whether it has no look-alike (alone), stands for others (kept), stays beside the one that stands
    /// for it (beside), went for another one (removed), or went because too little was left of it when
    /// passages were cut (gone).
    #[pyo3(get)]
    fate: FateName,
    /// Whether it has no tokens, and so resembles nothing.
    #[pyo3(get)]
    empty: bool,
    /// How many others it stands for.
    #[pyo3(get)]
    stands_for: u64,
    /// The first of them in the input, at most 20.
    #[pyo3(get)]
    first: Vec<Member>,
    /// Why it went, if it did, or which document it stays beside.
    #[pyo3(get)]
    removal: Option<Removal>,
    /// How many of its words were cut.
    #[pyo3(get)]
    words_cut: u64,
    /// What was cut of it, the first 1000 pieces.
    #[pyo3(get)]
    cuts: Vec<Cut>,
    /// What was cut elsewhere because it has the same words, the first 1000 pieces.
    #[pyo3(get)]
    kept_pieces: Vec<Cut>,
    run: PathBuf,
}

impl Explanation {
    fn new(explanation: run::Explanation, run: &Path) -> Self {
        let run::Explanation { document, fate, cuts, .. } = explanation;
        let gone = cuts.as_ref().is_some_and(|cuts| cuts.gone);
        let stays = |fate: FateKind| FateName::from(if gone { FateKind::Gone } else { fate });
        let words_cut = cuts.as_ref().map_or(0, |cuts| cuts.words_cut);
        let (cuts, kept) = cuts.map(|cuts| (cuts.first, cuts.first_kept)).unwrap_or_default();
        let alone = Self {
            document: document.into(),
            fate: stays(FateKind::Alone),
            empty: false,
            stands_for: 0,
            first: Vec::new(),
            removal: None,
            words_cut,
            cuts: cuts.into_iter().map(Cut::from).collect(),
            kept_pieces: kept.into_iter().map(Cut::from).collect(),
            run: run.to_owned(),
        };
        match fate {
            run::Fate::Alone { empty } => Self { empty, ..alone },
            run::Fate::Kept { others, first } => {
                let first = first.into_iter().map(Member::from).collect();
                Self { fate: stays(FateKind::Kept), stands_for: others, first, ..alone }
            }
            run::Fate::Beside(removal) => {
                let removal = Some(Removal::from(*removal));
                Self { fate: stays(FateKind::Beside), removal, ..alone }
            }
            run::Fate::Removed(removal) => {
                let removal = Some(Removal::from(*removal));
                Self { fate: FateKind::Removed.into(), removal, ..alone }
            }
        }
    }
}

#[pymethods]
impl Explanation {
    /// The document and its keeper side by side, both read from the inputs again. Where templates
    /// were learned, they count here as well.
    fn compare(&self, py: Python<'_>) -> PyResult<Comparison> {
        let id = &self.document.id;
        let Some(removal) = &self.removal else {
            return Err(parameter(format!(
                "`{id}` has no other document for its keeper: there is nothing to compare it with"
            )));
        };
        let rows = [self.document.row, removal.keeper.row].map(lookalike_engine::Row::nth);
        let compared = interrupt::listen(py, |_| {
            let run = Run::open(&self.run)?;
            let texts = [run.text(rows[0])?, run.text(rows[1])?];
            let [a, b] = texts.each_ref().map(Into::into);
            let comparison = Comparer::new(run.recipe())?.compare(a, b);
            Ok::<_, lookalike_engine::Error>(Comparison::new(
                &comparison,
                run.recipe().tokens,
                [a, b],
            ))
        });
        compared?.raise()
    }

    fn __repr__(&self) -> String {
        let (id, fate) = (&self.document.id, self.fate.0);
        let more = match (&self.removal, self.stands_for) {
            (Some(removal), _) => {
                let resemblance = removal.scores.and_then(|scores| scores.resemblance);
                let (kind, keeper) = (removal.kind.0, &removal.keeper.id);
                format!(", {kind} look-alike of {keeper:?}, resemblance {}", shown(resemblance))
            }
            (None, 0) => String::new(),
            (None, others) => format!(", stands for {others} more"),
        };
        format!("<lookalike.Explanation {id:?} {fate}{more}>")
    }
}

/// What became of the documents of an id, or of a URL: those that the run tells of, the first 100.
#[pyfunction]
pub(crate) fn why(py: Python<'_>, folder: PathBuf, id: &str) -> PyResult<Vec<Explanation>> {
    let explained = interrupt::listen(py, |_| {
        let run = Run::open(&folder).raise()?;
        let found = rows(&run, &folder, id)?;
        let explanations = run.explain(&found).raise()?;
        Ok(explanations.into_iter().map(|each| Explanation::new(each, &folder)).collect())
    });
    explained?
}

/// The shortest path of stored pairs from one document to another; None if nothing joins them.
#[pyfunction]
pub(crate) fn path_between(
    py: Python<'_>,
    folder: PathBuf,
    a: &str,
    b: &str,
) -> PyResult<Option<Vec<Step>>> {
    let path = interrupt::listen(py, |_| {
        let run = Run::open(&folder).raise()?;
        let (mut from, mut to) = (rows(&run, &folder, a)?, rows(&run, &folder, b)?);
        if a == b {
            to = from.split_off(1);
            if to.is_empty() {
                return Err(parameter(format!("`{a}`: is one document; name two")));
            }
        }
        let path = run.path(&from, &to).raise()?;
        Ok(path.map(|steps| steps.into_iter().map(Step::from).collect()))
    });
    path?
}

/// The rows of an id or URL that the run has.
fn rows(run: &Run, folder: &Path, id: &str) -> PyResult<Vec<lookalike_engine::Row>> {
    let found = run.find(id).raise()?;
    if found.count == 0 {
        return Err(parameter(format!(
            "`{}`: had no document `{id}`\nhint: `clusters.parquet` has the ids and the URLs; \
             without an id field, an id is `path#record`",
            folder.display()
        )));
    }
    Ok(found.rows)
}

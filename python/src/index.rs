//! The persistent index.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use lookalike_cli::{ExportWriter, ExportedDocument};
use lookalike_core::Given as _;
use lookalike_core::text::items;
use lookalike_engine::TemplateFile;
use lookalike_index::{
    self as index, AddIf, Content, Counts, CreateOptions, Document, Index as CoreIndex,
    OpenOptions, RankedEntry, Secret, Standing,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyString};

use crate::env;
use crate::error::{Raise, parameter};
use crate::names::{ContentKindName, MatchKindName};
use crate::recipe::{GivenJudging, Recipe, judged};
use crate::signature::Signature;
use crate::text;

/// Documents that a load hands on together.
const LOAD_BATCH: usize = 1000;

/// Records that an iteration reads at a time.
const PAGE: usize = 256;

/// A persistent index of documents. Any number of threads may use it at once.
#[pyclass(frozen, module = "lookalike")]
pub(crate) struct Index {
    /// `None` once it is closed.
    index: RwLock<Option<Arc<CoreIndex>>>,
    path: PathBuf,
}

/// A known document that the one asked about is a look-alike of.
#[pyclass(frozen, get_all, skip_from_py_object, module = "lookalike")]
#[derive(Clone)]
pub(crate) struct Match {
    /// Its id.
    id: String,
    /// Its URL, if it has one.
    url: Option<String>,
    /// Whether it is the same (exact) or only near.
    kind: MatchKindName,
    /// The exact resemblance, where it is known.
    resemblance: Option<f64>,
    /// The resemblance estimated from sketches, where both are known.
    estimate: Option<f64>,
    /// Equal features, if the recipe has any.
    b_similarity: Option<usize>,
    /// Equal bits of the projections, if the recipe has one.
    c_similarity: Option<usize>,
    /// Repeats of Pugh's lists that share one, if the recipe has lists.
    repeats_in_common: Option<usize>,
    /// The share of the document that was asked about that is in this one, where it is known.
    containment_a: Option<f64>,
    /// The share of this one that is in the document that was asked about, where it is known.
    containment_b: Option<f64>,
    /// The share of the words of both that differ, if the recipe goes by that.
    difference: Option<f64>,
    /// Whether the words themselves were compared; signatures alone can be forged.
    verified: bool,
    /// The time it was given, in seconds since 1970; 0 if that is not known.
    time: u64,
    /// Its number: smaller for those that were added earlier.
    number: u64,
    /// Documents that it stands for, itself included.
    copies: u64,
    /// Those of them with its words in its order, itself included.
    exact_copies: u64,
    /// The different sources of all of them.
    sources: u64,
    /// The earliest date of them, in seconds since 1970.
    first: Option<i64>,
    /// The latest.
    last: Option<i64>,
    /// Whether there may have been more: before the index counted, or in what was damaged.
    at_least: bool,
}

impl From<index::Match> for Match {
    fn from(found: index::Match) -> Self {
        Self {
            id: found.id,
            url: found.url,
            kind: found.kind.into(),
            resemblance: found.resemblance,
            estimate: found.estimate,
            b_similarity: found.b_similarity,
            c_similarity: found.c_similarity,
            repeats_in_common: found.repeats_in_common,
            containment_a: found.containment_a,
            containment_b: found.containment_b,
            difference: found.difference,
            verified: found.verified,
            time: found.time,
            number: found.number,
            copies: found.counts.copies,
            exact_copies: found.counts.exact_copies,
            sources: found.counts.sources,
            first: found.counts.first,
            last: found.counts.last,
            at_least: found.counts.at_least,
        }
    }
}

#[pymethods]
impl Match {
    fn __repr__(&self) -> String {
        let score = match (self.difference, self.resemblance, self.estimate) {
            (Some(difference), ..) => format!("{difference:.4} differ"),
            (_, Some(resemblance), _) => format!("{resemblance:.4}"),
            (.., Some(estimate)) => format!("about {estimate:.4}"),
            _ => "not verified".to_owned(),
        };
        format!("<lookalike.Match {:?}, {}, {score}>", self.id, self.kind.0)
    }
}

/// What a check found.
#[pyclass(frozen, skip_from_py_object, module = "lookalike")]
#[derive(Clone)]
pub(crate) struct Answer {
    /// The look-alikes, the best first.
    #[pyo3(get)]
    matches: Vec<Match>,
    /// Whether more documents share a key than are looked at, so that there may be more matches.
    #[pyo3(get)]
    limited: bool,
}

impl From<index::Answer> for Answer {
    fn from(answer: index::Answer) -> Self {
        let matches = answer.matches.into_iter().map(Match::from).collect();
        Self { matches, limited: answer.limited }
    }
}

#[pymethods]
impl Answer {
    /// Whether nothing like it is known.
    #[getter]
    fn is_new(&self) -> bool {
        self.matches.is_empty()
    }

    /// The match that was added first: the one that stands for the document.
    #[getter]
    fn keeper(&self) -> Option<Match> {
        self.matches.iter().min_by_key(|found| found.number).cloned()
    }

    fn __repr__(&self) -> String {
        match self.matches.first() {
            None => "<lookalike.Answer: new>".to_owned(),
            Some(best) => {
                format!("<lookalike.Answer: {} known, the best {:?}>", self.matches.len(), best.id)
            }
        }
    }
}

/// What an addition did.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "lookalike")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Added {
    /// The document's number.
    number: u64,
    /// Whether it stands in the place of one with the same id.
    replaced: bool,
}

impl From<index::Addition> for Added {
    fn from(added: index::Addition) -> Self {
        Self { number: added.number, replaced: added.replaced }
    }
}

/// What a check found, and what was added.
#[pyclass(frozen, get_all, module = "lookalike")]
pub(crate) struct CheckedAndAdded {
    /// What was there before.
    answer: Answer,
    /// `None` if it was not added.
    added: Option<Added>,
    /// Whether it is one more for its keeper: not if it was added, nor if its id counts already.
    counted: bool,
}

impl From<index::CheckedAddition> for CheckedAndAdded {
    fn from(done: index::CheckedAddition) -> Self {
        let (added, counted) = (done.added.map(Added::from), done.counted);
        Self { answer: done.answer.into(), added, counted }
    }
}

/// What a rebuild found.
#[pyclass(frozen, get_all, module = "lookalike")]
pub(crate) struct Rebuilt {
    /// Documents that could be read, all of which are there again.
    documents: u64,
    /// Documents that are there but cannot be read; they were left out.
    damaged: u64,
    /// Documents of which nothing is left.
    missing: u64,
    /// Acknowledged operations whose end of a journal is lost.
    lost_operations: u64,
    /// Documents whose counts begin again, and ids and sources that may count again.
    uncounted: u64,
    /// What is wrong with each damaged document, for the first of them.
    faults: Vec<String>,
}

impl From<&index::RebuildReport> for Rebuilt {
    fn from(rebuilt: &index::RebuildReport) -> Self {
        Self {
            documents: rebuilt.documents,
            damaged: rebuilt.damaged,
            missing: rebuilt.missing,
            lost_operations: rebuilt.lost_operations,
            uncounted: rebuilt.uncounted,
            faults: rebuilt.faults.clone(),
        }
    }
}

/// A document of the index.
#[pyclass(frozen, get_all, module = "lookalike")]
pub(crate) struct Record {
    /// Its number: ascending in the order of adding.
    number: u64,
    /// Its id.
    id: String,
    /// Its URL, if it has one.
    url: Option<String>,
    /// Its length in bytes.
    bytes: u64,
    /// The time it was given, in seconds since 1970; 0 if none was.
    time: u64,
    /// Tokens of its text.
    tokens: u64,
    /// What is stored of its content: text, html, items or nothing.
    stored: Option<ContentKindName>,
    /// Documents that it stands for, itself included.
    copies: u64,
    /// Those of them with its words in its order, itself included.
    exact_copies: u64,
    /// The different sources of all of them.
    sources: u64,
    /// The earliest date of them, in seconds since 1970.
    first: Option<i64>,
    /// The latest.
    last: Option<i64>,
    /// Whether there may have been more: before the index counted, or in what was damaged.
    at_least: bool,
}

impl Record {
    fn new(record: index::Record, counts: Counts) -> Self {
        Self {
            copies: counts.copies,
            exact_copies: counts.exact_copies,
            sources: counts.sources,
            first: counts.first,
            last: counts.last,
            at_least: counts.at_least,
            number: record.number,
            url: record.url,
            bytes: record.bytes,
            time: record.time,
            tokens: record.signature.tokens,
            stored: record.stored.map(Into::into),
            id: record.id,
        }
    }
}

#[pymethods]
impl Record {
    fn __repr__(&self) -> String {
        format!("<lookalike.Record {:?}, {} tokens>", self.id, self.tokens)
    }
}

/// The documents of an index, in the order of adding.
#[pyclass(frozen, module = "lookalike")]
pub(crate) struct Records {
    index: Arc<CoreIndex>,
    read: Mutex<Reading>,
}

#[derive(Default)]
struct Reading {
    ready: VecDeque<index::Record>,
    /// The number that the next page begins with; `None` after the last one.
    next: Option<u64>,
}

#[pymethods]
impl Records {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Record>> {
        let record = py.detach(|| {
            let mut reading = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            if let (true, Some(next)) = (reading.ready.is_empty(), reading.next) {
                let page = self.index.page(next, PAGE)?;
                reading.next = page.last().map(|last| last.number + 1);
                reading.ready = page.into();
            }
            let Some(record) = reading.ready.pop_front() else { return Ok(None) };
            let counts = self.index.counts(&record)?;
            Ok::<_, index::Error>(Some((record, counts)))
        });
        Ok(record.raise()?.map(|(record, counts)| Record::new(record, counts)))
    }
}

/// The content that is given under one of the names.
fn content(
    texts: Option<&Bound<'_, PyAny>>,
    html: Option<&Bound<'_, PyAny>>,
    items: Option<&Bound<'_, PyAny>>,
    signature: Option<&Bound<'_, Signature>>,
    index: &CoreIndex,
) -> PyResult<Content<'static>> {
    match (texts, html, items, signature) {
        (Some(given), None, None, None) => {
            Ok(Content::Text(Cow::Owned(text::bytes(given, "text")?.into_owned())))
        }
        (None, Some(page), None, None) => {
            Ok(Content::Html(Cow::Owned(text::page(page)?.into_owned())))
        }
        (None, None, Some(set), None) => {
            Ok(Content::Items(Cow::Owned(items::of(text::items(set)?))))
        }
        (None, None, None, Some(signature)) => {
            let signature = signature.get();
            index.recipe().check_same_bits(signature.recipe().core()).raise()?;
            Ok(Content::Signed { signature: Cow::Owned(signature.core().clone()), bytes: 0 })
        }
        _ => Err(parameter("exactly one of text, html, items and signature must be given")),
    }
}

/// A document in a mapping, as the HTTP service has them in JSON.
fn document(given: &Bound<'_, PyAny>, index: &CoreIndex) -> PyResult<Document<'static>> {
    let Ok(mapping) = given.cast::<PyMapping>() else {
        let found = given.get_type().name()?;
        return Err(PyTypeError::new_err(format!("a document must be a mapping, not {found}")));
    };
    for key in mapping.keys()?.iter() {
        let known = ["id", "text", "html", "items", "signature", "url", "time", "source", "date"];
        let key: String = key.extract()?;
        if !known.contains(&&*key) {
            return Err(parameter(format!(
                "a document has no field `{key}`; it may have: {}",
                known.join(", ")
            )));
        }
    }
    let field = |name: &str| -> PyResult<Option<Bound<'_, PyAny>>> {
        let value = if mapping.contains(name)? { Some(mapping.get_item(name)?) } else { None };
        Ok(value.filter(|value| !value.is_none()))
    };
    let signature = field("signature")?;
    let signature = signature.as_ref().map(|s| s.cast::<Signature>()).transpose()?;
    let [texts, html, items] = ["text", "html", "items"].map(field);
    let content = content(texts?.as_ref(), html?.as_ref(), items?.as_ref(), signature, index)?;
    let id: String = field("id")?.map(|id| id.extract()).transpose()?.unwrap_or_default();
    let url: Option<String> = field("url")?.map(|url| url.extract()).transpose()?;
    let time: Option<u64> = field("time")?.map(|time| time.extract()).transpose()?;
    let source: Option<String> = field("source")?.map(|source| source.extract()).transpose()?;
    let date: Option<i64> = field("date")?.map(|date| date.extract()).transpose()?;
    Ok(Document { source: source.map(Cow::Owned), date, ..assemble(id, content, url, time) })
}

fn assemble(
    id: String,
    content: Content<'static>,
    url: Option<String>,
    time: Option<u64>,
) -> Document<'static> {
    let document = Document::new(id, content).with_time(time.unwrap_or(0));
    url.into_iter().fold(document, Document::with_url)
}

fn add_if(name: &str) -> PyResult<AddIf> {
    match name {
        "new" => Ok(AddIf::New),
        "any" => Ok(AddIf::Any),
        _ => Err(parameter(format!("add_if is `{name}`, but must be `new` or `any`"))),
    }
}

fn opening(
    secret: Option<PathBuf>,
    cache_bytes: Option<u64>,
    rebuild: bool,
) -> PyResult<OpenOptions> {
    let mut options = OpenOptions::new().kernel(env::kernel()?).when(rebuild, OpenOptions::rebuild);
    if let Some(path) = secret {
        options = options.secret(Secret::from_file(&path).raise()?);
    }
    if let Some(bytes) = cache_bytes {
        options = options.cache_bytes(bytes);
    }
    Ok(options)
}

impl Index {
    fn new(index: CoreIndex) -> Self {
        let path = index.path().to_owned();
        Self { index: RwLock::new(Some(Arc::new(index))), path }
    }

    fn open_index(&self) -> PyResult<Arc<CoreIndex>> {
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        index.clone().ok_or_else(|| PyValueError::new_err("the index is closed"))
    }

    /// Does something with the index, without Python's lock.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&CoreIndex) -> index::Result<T> + Send,
    ) -> PyResult<T> {
        let index = self.open_index()?;
        py.detach(|| work(&index)).raise()
    }

    fn documents(&self, given: &Bound<'_, PyAny>) -> PyResult<Vec<Document<'static>>> {
        let index = self.open_index()?;
        given.try_iter()?.map(|given| document(&given?, &index)).collect()
    }
}

#[pymethods]
impl Index {
    /// Makes an index in a folder that is empty or does not exist. A recipe with templates needs
    /// those that a run has learned.
    #[staticmethod]
    #[pyo3(signature = (
        path, recipe: "Recipe | str | os.PathLike[str] | None" = None, *,
        store_text=true, learned=None, secret=None, cache_bytes=None
    ))]
    fn create(
        py: Python<'_>,
        path: PathBuf,
        recipe: Option<Bound<'_, PyAny>>,
        store_text: bool,
        learned: Option<PathBuf>,
        secret: Option<PathBuf>,
        cache_bytes: Option<u64>,
    ) -> PyResult<Self> {
        let recipe = recipe.unwrap_or_else(|| PyString::new(py, "text").into_any());
        let recipe = judged(&recipe, GivenJudging::default())?;
        let options = opening(secret, cache_bytes, false)?;
        let options =
            CreateOptions::new().when(!store_text, CreateOptions::without_text).open(options);
        let Some(learned) = learned else {
            let made = py.detach(|| CoreIndex::create(&path, &recipe, &options));
            return made.raise().map(Self::new);
        };
        let file = TemplateFile::of_run(&learned).raise()?;
        file.check_recipe(&recipe).raise()?;
        let made = py.detach(|| {
            let templates = file.groups().map(|group| group.map_err(io::Error::other));
            CoreIndex::create_with_templates(&path, &recipe, &options, templates)
        });
        made.raise().map(Self::new)
    }

    /// Makes an index in memory, which is gone when it is closed; `snapshot` saves it to a folder.
    #[staticmethod]
    #[pyo3(signature = (
        recipe: "Recipe | str | os.PathLike[str] | None" = None, *, store_text=true
    ))]
    fn in_memory(
        py: Python<'_>,
        recipe: Option<Bound<'_, PyAny>>,
        store_text: bool,
    ) -> PyResult<Self> {
        let recipe = recipe.unwrap_or_else(|| PyString::new(py, "text").into_any());
        let recipe = judged(&recipe, GivenJudging::default())?;
        let options = CreateOptions::new()
            .when(!store_text, CreateOptions::without_text)
            .open(opening(None, None, false)?);
        CoreIndex::in_memory(&recipe, &options).raise().map(Self::new)
    }

    /// Opens an index. One process at a time can. With `rebuild`, what is damaged is left out and
    /// everything else made anew; `rebuilt` says what was lost.
    #[staticmethod]
    #[pyo3(signature = (path, *, secret=None, cache_bytes=None, rebuild=false))]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        secret: Option<PathBuf>,
        cache_bytes: Option<u64>,
        rebuild: bool,
    ) -> PyResult<Self> {
        let options = opening(secret, cache_bytes, rebuild)?;
        py.detach(|| CoreIndex::open(&path, &options)).raise().map(Self::new)
    }

    /// Closes the index, so that it can be opened again. What was done is on disk already.
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.index.write().unwrap_or_else(PoisonError::into_inner).take()));
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception: "object"))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) {
        self.close(py);
    }

    /// Its folder; `(in memory)` if it has none.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// What was lost, if the index was opened to be rebuilt.
    #[getter]
    fn rebuilt(&self) -> PyResult<Option<Rebuilt>> {
        Ok(self.open_index()?.rebuilt().map(Rebuilt::from))
    }

    /// The recipe that signs its documents.
    #[getter]
    fn recipe(&self) -> PyResult<Recipe> {
        Recipe::new(self.open_index()?.recipe().clone())
    }

    /// Whether contents are stored, so that matches are verified exactly.
    #[getter]
    fn stores_text(&self) -> PyResult<bool> {
        Ok(self.open_index()?.stores_text())
    }

    /// The share of look-alikes at exactly the `threshold`, or that of the index, which its filter finds;
    /// nothing if no filter alone makes candidates.
    #[pyo3(signature = (threshold=None))]
    fn recall(&self, py: Python<'_>, threshold: Option<f64>) -> PyResult<Option<f64>> {
        self.with(py, |index| match threshold {
            None => Ok(index.recipe().recall()),
            Some(threshold) => Ok(index.at(threshold)?.recall()),
        })
    }

    /// Looks for known documents that this one is a look-alike of. Under a `threshold` below the
    /// index's own it finds fewer of them the lower it is, as `recall` says.
    #[pyo3(signature = (
        text: "str | bytes | None" = None, *, html: "str | bytes | None" = None,
        items: "collections.abc.Iterable[str | bytes | float | None] | None" = None, signature=None, url=None, threshold=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn check(
        &self,
        py: Python<'_>,
        text: Option<Bound<'_, PyAny>>,
        html: Option<Bound<'_, PyAny>>,
        items: Option<Bound<'_, PyAny>>,
        signature: Option<Bound<'_, Signature>>,
        url: Option<String>,
        threshold: Option<f64>,
    ) -> PyResult<Answer> {
        let index = self.open_index()?;
        let content =
            content(text.as_ref(), html.as_ref(), items.as_ref(), signature.as_ref(), &index)?;
        let document = assemble(String::new(), content, url, None);
        let answer = self.with(py, |index| match threshold {
            None => index.check(&document),
            Some(threshold) => index.at(threshold)?.check(&document),
        });
        answer.map(Answer::from)
    }

    /// Checks documents one after another, perhaps under another threshold.
    #[pyo3(signature = (
        documents: "collections.abc.Iterable[collections.abc.Mapping[str, object]]", *, threshold=None
    ))]
    fn check_batch(
        &self,
        py: Python<'_>,
        documents: &Bound<'_, PyAny>,
        threshold: Option<f64>,
    ) -> PyResult<Vec<Answer>> {
        let documents = self.documents(documents)?;
        let answers = self.with(py, |index| match threshold {
            None => index.check_batch(&documents),
            Some(threshold) => index.at(threshold)?.check_batch(&documents),
        })?;
        Ok(answers.into_iter().map(Answer::from).collect())
    }

    /// Adds a document, in the place of one with the same id. When this returns, it is on disk.
    #[pyo3(signature = (
        id, text: "str | bytes | None" = None, *, html: "str | bytes | None" = None,
        items: "collections.abc.Iterable[str | bytes | float | None] | None" = None, signature=None, url=None, time=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn add(
        &self,
        py: Python<'_>,
        id: String,
        text: Option<Bound<'_, PyAny>>,
        html: Option<Bound<'_, PyAny>>,
        items: Option<Bound<'_, PyAny>>,
        signature: Option<Bound<'_, Signature>>,
        url: Option<String>,
        time: Option<u64>,
    ) -> PyResult<Added> {
        let index = self.open_index()?;
        let content =
            content(text.as_ref(), html.as_ref(), items.as_ref(), signature.as_ref(), &index)?;
        let document = assemble(id, content, url, time);
        self.with(py, |index| index.add(&document)).map(Added::from)
    }

    /// Adds documents together: all of them or, if it fails, none.
    #[pyo3(signature = (
        documents: "collections.abc.Iterable[collections.abc.Mapping[str, object]]"
    ))]
    fn add_batch(&self, py: Python<'_>, documents: &Bound<'_, PyAny>) -> PyResult<Vec<Added>> {
        let documents = self.documents(documents)?;
        let added = self.with(py, |index| index.add_batch(&documents))?;
        Ok(added.into_iter().map(Added::from).collect())
    }

    /// Checks and, if there is no match (`new`) or in any case (`any`), adds, with nothing in
    /// between.
    #[pyo3(signature = (
        id, text: "str | bytes | None" = None, *, html: "str | bytes | None" = None,
        items: "collections.abc.Iterable[str | bytes | float | None] | None" = None, signature=None, url=None, time=None, add_if: "typing.Literal['new', 'any']" = "new"
    ))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn check_and_add(
        &self,
        py: Python<'_>,
        id: String,
        text: Option<Bound<'_, PyAny>>,
        html: Option<Bound<'_, PyAny>>,
        items: Option<Bound<'_, PyAny>>,
        signature: Option<Bound<'_, Signature>>,
        url: Option<String>,
        time: Option<u64>,
        add_if: &str,
    ) -> PyResult<CheckedAndAdded> {
        let add_if = self::add_if(add_if)?;
        let index = self.open_index()?;
        let content =
            content(text.as_ref(), html.as_ref(), items.as_ref(), signature.as_ref(), &index)?;
        let document = assemble(id, content, url, time);
        let done = self.with(py, |index| index.check_and_add(&document, add_if))?;
        Ok(done.into())
    }

    /// Checks and adds documents one after another, so that each may match those before it.
    #[pyo3(signature = (
        documents: "collections.abc.Iterable[collections.abc.Mapping[str, object]]", *,
        add_if: "typing.Literal['new', 'any']" = "new"
    ))]
    fn check_and_add_batch(
        &self,
        py: Python<'_>,
        documents: &Bound<'_, PyAny>,
        add_if: &str,
    ) -> PyResult<Vec<CheckedAndAdded>> {
        let add_if = self::add_if(add_if)?;
        let documents = self.documents(documents)?;
        let done = self.with(py, |index| index.check_and_add_batch(&documents, add_if))?;
        Ok(done.into_iter().map(CheckedAndAdded::from).collect())
    }

    /// Adds any number of documents, some at a time, as they come; how many.
    #[pyo3(signature = (
        documents: "collections.abc.Iterable[collections.abc.Mapping[str, object]]"
    ))]
    fn load(&self, py: Python<'_>, documents: &Bound<'_, PyAny>) -> PyResult<u64> {
        let index = self.open_index()?;
        let mut documents = documents.try_iter()?.map(|given| document(&given?, &index));
        let mut count = 0;
        loop {
            let batch: Vec<_> = documents.by_ref().take(LOAD_BATCH).collect::<PyResult<_>>()?;
            if batch.is_empty() {
                return Ok(count);
            }
            count += self.with(py, |index| index.load(batch))?;
            py.check_signals()?;
        }
    }

    /// Removes the document of an id; false if there is none.
    fn remove(&self, py: Python<'_>, id: &str) -> PyResult<bool> {
        self.with(py, |index| index.remove(id))
    }

    /// Removes documents together; false for ids that there are none of.
    #[pyo3(signature = (ids: "collections.abc.Sequence[str]"))]
    fn remove_batch(&self, py: Python<'_>, ids: Vec<String>) -> PyResult<Vec<bool>> {
        self.with(py, |index| index.remove_batch(&ids))
    }

    /// The document of an id.
    fn get(&self, py: Python<'_>, id: &str) -> PyResult<Option<Record>> {
        let found = self.with(py, |index| match index.get(id)? {
            Some(record) => index.counts(&record).map(|counts| Some((record, counts))),
            None => Ok(None),
        })?;
        Ok(found.map(|(record, counts)| Record::new(record, counts)))
    }

    /// The content of the document of an id, if it is stored.
    fn content<'py>(&self, py: Python<'py>, id: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let content = self.with(py, |index| index.content(id))?;
        Ok(content.map(|content| PyBytes::new(py, &content)))
    }

    /// Writes all documents with how often they were found: Parquet if the name ends in `.parquet`, JSON
    /// lines otherwise; how many.
    fn export(&self, py: Python<'_>, path: PathBuf) -> PyResult<u64> {
        let index = self.open_index()?;
        py.detach(|| {
            let mut writer = ExportWriter::create(&path)?;
            let mut documents = index.documents().raise()?;
            while let Some(record) = documents.next() {
                let record = record.raise()?;
                let counts = documents.counts(&record).raise()?;
                writer.push(ExportedDocument { record, counts })?;
            }
            Ok(writer.finish()?)
        })
    }

    /// Leaves out of a ranked list, the best first, the look-alikes of higher results: for each
    /// id or document the place of the one that stands for it, or nothing if it stays. A `threshold` below
    /// the index's own finds fewer of them the lower it is, as `recall` says.
    #[pyo3(signature = (
        ranked: "collections.abc.Iterable[str | collections.abc.Mapping[str, object]]", *, threshold=None
    ))]
    fn collapse(
        &self,
        py: Python<'_>,
        ranked: &Bound<'_, PyAny>,
        threshold: Option<f64>,
    ) -> PyResult<Vec<Option<usize>>> {
        enum RankedItem {
            Id(String),
            Document(Box<Document<'static>>),
        }
        let index = self.open_index()?;
        let given: Vec<RankedItem> = ranked
            .try_iter()?
            .map(|given| {
                let given = given?;
                match given.extract::<String>() {
                    Ok(id) => Ok(RankedItem::Id(id)),
                    Err(_) => document(&given, &index).map(Box::new).map(RankedItem::Document),
                }
            })
            .collect::<PyResult<_>>()?;
        let listed: Vec<RankedEntry<'_>> = given
            .iter()
            .map(|given| match given {
                RankedItem::Id(id) => RankedEntry::Known(id),
                RankedItem::Document(document) => RankedEntry::Given(Document::clone(document)),
            })
            .collect();
        let collapsed = self.with(py, |index| match threshold {
            None => index.collapse(&listed),
            Some(threshold) => index.at(threshold)?.collapse(&listed),
        })?;
        let unknown = |place: usize| match &given[place] {
            RankedItem::Id(id) => parameter(format!("the index has no document `{id}`")),
            RankedItem::Document(_) => {
                parameter(format!("the document at place {place} is unknown"))
            }
        };
        let places =
            collapsed.standings.into_iter().enumerate().map(|(place, standing)| match standing {
                Standing::Stays => Ok(None),
                Standing::LeftOut { keeper, .. } => Ok(Some(keeper)),
                Standing::Unknown => Err(unknown(place)),
            });
        places.collect()
    }

    /// Numbers about the index.
    #[pyo3(signature = () -> "dict[str, int]")]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.with(py, CoreIndex::stats)?;
        let numbers = [
            ("documents", stats.documents),
            ("removed", stats.removed),
            ("operations", stats.operations),
            ("runs", stats.segments),
            ("postings", stats.postings),
            ("recent_postings", stats.recent_postings),
            ("filter_bytes", stats.filter_bytes),
            ("postings_bytes", stats.postings_bytes),
            ("journal_bytes", stats.journal_bytes),
            ("disk_bytes", stats.disk_bytes),
        ];
        let dict = PyDict::new(py);
        numbers.into_iter().try_for_each(|(name, number)| dict.set_item(name, number))?;
        Ok(dict)
    }

    /// Reads everything and compares it; what was verified.
    #[pyo3(signature = () -> "dict[str, int]")]
    fn verify<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let verified = self.with(py, CoreIndex::verify)?;
        let dict = PyDict::new(py);
        dict.set_item("documents", verified.documents)?;
        dict.set_item("contents", verified.contents)?;
        dict.set_item("postings", verified.postings)?;
        Ok(dict)
    }

    /// Gives back the room of removed documents.
    fn compact(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, CoreIndex::compact)
    }

    /// Writes a copy of the index as it is now to a folder that does not exist yet.
    fn snapshot(&self, py: Python<'_>, to: PathBuf) -> PyResult<()> {
        self.with(py, |index| index.snapshot(&to))
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.open_index()?.len() as usize)
    }

    fn __contains__(&self, py: Python<'_>, id: &str) -> PyResult<bool> {
        Ok(self.with(py, |index| index.get(id))?.is_some())
    }

    fn __iter__(&self) -> PyResult<Records> {
        let read = Mutex::new(Reading { next: Some(0), ..Reading::default() });
        Ok(Records { index: self.open_index()?, read })
    }

    fn __repr__(&self) -> String {
        format!("<lookalike.Index {:?}>", self.path.display().to_string())
    }
}

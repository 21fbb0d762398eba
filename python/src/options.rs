//! Options of jobs: by the names of the command's flags, in a mapping that has them all.

use std::path::PathBuf;

use lookalike_core::{Given as _, Recipe};
use lookalike_corpus::{Format, ReadOptions};
use lookalike_engine::matching::Clustering;
use lookalike_engine::numbers::parse_bytes;
use lookalike_engine::{
    CutUnit, Decide, Dedup, PassageRule, PassageScope, RemovalBudget, Repeats, Running, Unreadable,
    Written,
};
use pyo3::prelude::*;

use crate::env;
use crate::error::{Raise as _, parameter};
use crate::recipe::{GivenJudging, judged};

/// How documents are found to be alike.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct JudgingOptions<'py> {
    recipe: Bound<'py, PyAny>,
    threshold: Option<f64>,
    recall: Option<f64>,
    ngram: Option<usize>,
    verify: Option<String>,
    sites: Option<String>,
    templates: Option<String>,
}

impl JudgingOptions<'_> {
    pub(crate) fn recipe(&self) -> PyResult<Recipe> {
        let given = GivenJudging {
            threshold: self.threshold,
            recall: self.recall,
            ngram: self.ngram,
            verify: self.verify.as_deref(),
            sites: self.sites.as_deref(),
            templates: self.templates.as_deref(),
        };
        judged(&self.recipe, given)
    }
}

/// What a job may use.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ResourceOptions<'py> {
    memory: Option<Bound<'py, PyAny>>,
    threads: Option<usize>,
    temp: Option<PathBuf>,
}

impl ResourceOptions<'_> {
    /// How a job runs that reads no documents by fields.
    pub(crate) fn running(&self) -> PyResult<Running> {
        if self.threads == Some(0) {
            return Err(parameter("threads is 0, but must be at least 1"));
        }
        Ok(Running::default()
            .kernel(env::kernel()?)
            .given(self.memory()?, Running::memory)
            .given(self.threads, Running::threads)
            .given(self.temp.clone(), Running::temp))
    }

    /// The folder for the working files of a job that leaves no folder of results: one of this
    /// process, below the one that was named or the system's.
    pub(crate) fn work_folder(&self, job: &str) -> PathBuf {
        let temp = self.temp.clone().unwrap_or_else(std::env::temp_dir);
        let number = JOBS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        temp.join(format!("lookalike-{job}-{}-{number}", std::process::id()))
    }

    fn memory(&self) -> PyResult<Option<u64>> {
        let Some(memory) = &self.memory else { return Ok(None) };
        let bytes = match memory.extract::<u64>() {
            Ok(bytes) => Some(bytes),
            Err(_) => parse_bytes(&memory.extract::<String>()?),
        };
        match bytes {
            None => Err(parameter("memory must be a size, such as 512MiB or 4GiB")),
            Some(bytes) if bytes < Running::LEAST_MEMORY => {
                Err(parameter("memory must be at least 128MiB"))
            }
            bytes => Ok(bytes),
        }
    }
}

/// Jobs of this process so far, several of which may run at once.
static JOBS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// How documents are read.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ReadingOptions {
    format: Option<String>,
    text_field: String,
    html_field: String,
    set_field: Option<String>,
    id_field: String,
    url_field: String,
    strict: bool,
}

impl ReadingOptions {
    /// A job that reads documents, and uses these resources.
    pub(crate) fn running(&self, resources: &ResourceOptions<'_>) -> PyResult<Running> {
        let mut read = ReadOptions::default();
        read.fields.text.clone_from(&self.text_field);
        read.fields.html.clone_from(&self.html_field);
        read.fields.set.clone_from(&self.set_field);
        read.fields.id.clone_from(&self.id_field);
        read.fields.url.clone_from(&self.url_field);
        Ok(resources
            .running()?
            .read_options(read)
            .given(self.format()?, Running::format)
            .when(self.strict, Running::strict))
    }

    /// The names of the fields of texts, or of sets in their place, and of pages, ids and addresses.
    pub(crate) fn fields(&self) -> [&str; 4] {
        let content = self.set_field.as_ref().unwrap_or(&self.text_field);
        [content, &self.html_field, &self.id_field, &self.url_field]
    }

    /// Whether documents have ids of their own.
    pub(crate) fn has_ids(&self) -> bool {
        !self.id_field.is_empty()
    }

    fn format(&self) -> PyResult<Option<Format>> {
        let Some(name) = &self.format else { return Ok(None) };
        let wrong = || {
            let names = "text, html, jsonl, csv, tsv, parquet, arrow or warc";
            parameter(format!("format is `{name}`, but must be {names}"))
        };
        Format::named(name).map(Some).ok_or_else(wrong)
    }
}

/// How much may be removed.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct BudgetOptions {
    max_removed: Option<f64>,
    max_removed_per_source: Option<(String, f64)>,
}

impl BudgetOptions {
    pub(crate) fn budget(&self) -> PyResult<RemovalBudget> {
        let mut budget = RemovalBudget::default();
        if let Some(share) = self.max_removed {
            budget = budget.of_all(checked_share("max_removed", share)?);
        }
        if let Some((field, share)) = &self.max_removed_per_source {
            budget = budget.of_each(field, checked_share("max_removed_per_source", *share)?);
        }
        Ok(budget)
    }
}

/// What is counted of the documents that a keeper stands for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct CountOptions {
    pub(crate) count: Option<String>,
    pub(crate) date_field: Option<String>,
}

/// What a passage is, and what of it is cut.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PassageOptions {
    min_words: Option<u64>,
    cut: Option<String>,
    max_copies: Option<u64>,
    min_documents: Option<u64>,
    within: Option<String>,
    min_left: Option<u64>,
    max_cut: Option<f64>,
}

impl PassageOptions {
    pub(crate) fn rule(&self) -> PyResult<PassageRule> {
        let most = PassageRule::MOST_WORDS.into();
        let min_words = counted("min_words", self.min_words, most)?;
        let max_copies = counted("max_copies", self.max_copies, u32::MAX.into())?;
        let min_documents = counted("min_documents", self.min_documents, u32::MAX.into())?;
        let min_left = counted("min_left", self.min_left, u64::MAX)?;
        let max_cut = self.max_cut.map(|share| checked_share("max_cut", share)).transpose()?;
        Ok(PassageRule::default()
            .given(min_words.map(|n| n as u32), PassageRule::min_words)
            .given(self.cut.as_deref().map(cut_unit).transpose()?, PassageRule::cut)
            .given(max_copies.map(|n| n as u32), PassageRule::max_copies)
            .given(min_documents.map(|n| n as u32), PassageRule::min_documents)
            .given(self.within.as_deref().map(passage_scope).transpose()?, PassageRule::scope)
            .given(min_left, PassageRule::min_left)
            .given(max_cut, PassageRule::max_cut))
    }
}

/// A number of things, at least one.
fn counted(name: &str, number: Option<u64>, most: u64) -> PyResult<Option<u64>> {
    match number {
        Some(number) if !(1..=most).contains(&number) => {
            let range =
                if number == 0 { "at least 1".to_owned() } else { format!("at most {most}") };
            Err(parameter(format!("{name} is {number}, but must be {range}")))
        }
        number => Ok(number),
    }
}

fn cut_unit(name: &str) -> PyResult<CutUnit> {
    let wrong =
        || parameter(format!("cut is `{name}`, but must be words, lines, sentences or paragraphs"));
    CutUnit::ALL.into_iter().find(|unit| unit.name() == name).ok_or_else(wrong)
}

fn passage_scope(name: &str) -> PyResult<PassageScope> {
    match name {
        "corpus" => Ok(PassageScope::Corpus),
        "document" => Ok(PassageScope::Document),
        other => Err(parameter(format!("within is `{other}`, but must be corpus or document"))),
    }
}

/// A share, from 0 to 1.
pub(crate) fn checked_share(name: &str, share: f64) -> PyResult<f64> {
    match share {
        0.0..=1.0 => Ok(share),
        _ => Err(parameter(format!("{name} is {share}, but must be from 0 to 1"))),
    }
}

/// A share above 0.
pub(crate) fn positive_share(name: &str, share: f64) -> PyResult<f64> {
    if share > 0.0 && share <= 1.0 {
        return Ok(share);
    }
    Err(parameter(format!("{name} is {share}, but must be above 0 and at most 1")))
}

/// What is written of documents.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct WritingOptions {
    write: String,
    no_write: bool,
    annotate: bool,
    annotate_as: Option<String>,
    repeat: Option<String>,
    weight: bool,
    write_revisits: bool,
}

impl WritingOptions {
    fn written(&self) -> PyResult<Written> {
        if self.no_write {
            return Ok(Written::Nothing);
        }
        let found = Written::ALL.into_iter().find(|written| written.name() == self.write);
        found.ok_or_else(|| {
            let given = &self.write;
            parameter(format!("write is `{given}`, but must be kept, all, removed or none"))
        })
    }

    fn repeats(&self) -> PyResult<Option<Repeats>> {
        self.repeat.as_deref().map(str::parse).transpose().raise()
    }

    pub(crate) fn of_dedup(self, job: Dedup) -> PyResult<Dedup> {
        let (written, repeats) = (self.written()?, self.repeats()?);
        Ok(job
            .write(written)
            .when(self.annotate, Dedup::annotate)
            .given(self.annotate_as, Dedup::annotate_as)
            .given(repeats, Dedup::repeat)
            .when(self.weight, Dedup::weigh)
            .when(self.write_revisits, Dedup::write_revisits))
    }

    pub(crate) fn of_decide(self, job: Decide) -> PyResult<Decide> {
        let (written, repeats) = (self.written()?, self.repeats()?);
        Ok(job
            .write(written)
            .when(self.annotate, Decide::annotate)
            .given(self.annotate_as, Decide::annotate_as)
            .given(repeats, Decide::repeat)
            .when(self.weight, Decide::weigh)
            .when(self.write_revisits, Decide::write_revisits))
    }
}

pub(crate) fn clustering(name: &str) -> PyResult<Clustering> {
    match name {
        "anchored" => Ok(Clustering::Anchored),
        "components" => Ok(Clustering::Components),
        other => {
            Err(parameter(format!("cluster is `{other}`, but must be anchored or components")))
        }
    }
}

pub(crate) fn unreadable(is_dropped: bool) -> Unreadable {
    if is_dropped { Unreadable::Dropped } else { Unreadable::Kept }
}

//! The batch job, on files or on a table in memory.

use std::path::PathBuf;

use arrow_array::{RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use lookalike::corpus::{Format, ReadOptions, Tables};
use lookalike::engine::numbers::parse_bytes;
use lookalike::engine::{
    Dedup, Existing, KeepPolicy, PairScope, RemovalBudget, Running, Unreadable,
};
use lookalike::{Clustering, Kernel};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use std::sync::Arc;

use crate::error::{Raise, parameter};
use crate::observe::Watch;
use crate::recipe::{GivenJudging, judged};

/// The options of a job, by the names of the command's flags.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct Options<'py> {
    recipe: Bound<'py, PyAny>,
    threshold: Option<f64>,
    recall: Option<f64>,
    ngram: Option<usize>,
    verify: Option<String>,
    sites: Option<String>,
    templates: Option<String>,
    keep: String,
    cluster: String,
    pairs: String,
    exact_only: bool,
    max_removed: Option<f64>,
    max_removed_per_source: Option<(String, f64)>,
    no_write: bool,
    resume: bool,
    force: bool,
    strict: bool,
    drop_unreadable: bool,
    memory: Option<Bound<'py, PyAny>>,
    threads: Option<usize>,
    temp: Option<PathBuf>,
    format: Option<String>,
    text_field: String,
    html_field: String,
    id_field: String,
    url_field: String,
}

impl Options<'_> {
    fn job(&self, inputs: Vec<String>) -> PyResult<Dedup> {
        let given = GivenJudging {
            threshold: self.threshold,
            recall: self.recall,
            ngram: self.ngram,
            verify: self.verify.as_deref(),
            sites: self.sites.as_deref(),
            templates: self.templates.as_deref(),
        };
        let recipe = judged(&self.recipe, given)?;
        Ok(lookalike::dedup(inputs)
            .running(self.running()?)
            .recipe(recipe)
            .keep(self.keep.parse::<KeepPolicy>().map_err(parameter)?)
            .clustering(self.clustering()?)
            .pairs(self.pairs()?)
            .exact_only(self.exact_only)
            .removal_budget(self.budget()?)
            .resume(self.resume)
            .existing(if self.force { Existing::Replace } else { Existing::Refuse })
            .unreadable(self.unreadable())
            .survivors(!self.no_write))
    }

    fn unreadable(&self) -> Unreadable {
        if self.drop_unreadable { Unreadable::Dropped } else { Unreadable::Kept }
    }

    fn running(&self) -> PyResult<Running> {
        let usual = Running::default();
        let kernel = Kernel::from_environment().map_err(lookalike::core::Error::from).raise()?;
        let mut read = ReadOptions::default();
        read.fields.text.clone_from(&self.text_field);
        read.fields.html.clone_from(&self.html_field);
        read.fields.id.clone_from(&self.id_field);
        read.fields.url.clone_from(&self.url_field);
        let threads = match self.threads {
            Some(0) => return Err(parameter("threads is 0, but must be at least 1")),
            threads => threads.unwrap_or(usual.threads),
        };
        Ok(Running {
            format: self.format()?,
            read,
            kernel,
            memory: self.memory()?.unwrap_or(usual.memory),
            threads,
            temp: self.temp.clone(),
            strict: self.strict,
        })
    }

    /// Whether a table has the columns that are named; a name that begins with a zero is none.
    fn check_columns(&self, schema: &Schema) -> PyResult<()> {
        let named = [&self.text_field, &self.html_field, &self.id_field, &self.url_field];
        for name in named.into_iter().filter(|name| !name.is_empty() && !name.starts_with('\0')) {
            let outermost = name.split('.').next().unwrap_or(name);
            if [name, outermost].iter().all(|name| schema.column_with_name(name).is_none()) {
                let columns = schema.fields().iter().map(|field| format!("`{}`", field.name()));
                let columns: Vec<String> = columns.take(20).collect();
                let columns = columns.join(", ");
                return Err(parameter(format!(
                    "there is no column `{name}`; there are: {columns}"
                )));
            }
            // Arrow allows it, and nobody can say which of them is meant.
            for name in [name, outermost] {
                if schema.fields().iter().filter(|field| field.name() == name).count() > 1 {
                    return Err(parameter(format!("several columns are called `{name}`")));
                }
            }
        }
        Ok(())
    }

    fn format(&self) -> PyResult<Option<Format>> {
        let Some(name) = &self.format else { return Ok(None) };
        let wrong = || {
            let names = "text, html, jsonl, csv, tsv, parquet or warc";
            parameter(format!("format is `{name}`, but must be {names}"))
        };
        Format::named(name).map(Some).ok_or_else(wrong)
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

    fn clustering(&self) -> PyResult<Clustering> {
        match self.cluster.as_str() {
            "anchored" => Ok(Clustering::Anchored),
            "components" => Ok(Clustering::Components),
            other => {
                Err(parameter(format!("cluster is `{other}`, but must be anchored or components")))
            }
        }
    }

    fn pairs(&self) -> PyResult<PairScope> {
        match self.pairs.as_str() {
            "needed" => Ok(PairScope::Needed),
            "all" => Ok(PairScope::All),
            other => Err(parameter(format!("pairs is `{other}`, but must be needed or all"))),
        }
    }

    fn budget(&self) -> PyResult<RemovalBudget> {
        let checked = |share: f64| match share {
            0.0..=1.0 => Ok(share),
            _ => Err(parameter(format!("a share is {share}, but must be from 0 to 1"))),
        };
        let mut budget = RemovalBudget::default();
        if let Some(share) = self.max_removed {
            budget = budget.of_all(checked(share)?);
        }
        if let Some((field, share)) = &self.max_removed_per_source {
            budget = budget.of_each(field, checked(*share)?);
        }
        Ok(budget)
    }
}

/// Runs a job on files; the report, as JSON.
#[pyfunction]
#[pyo3(signature = (
    inputs: "collections.abc.Sequence[str]", out,
    options: "collections.abc.Mapping[str, object]",
    progress: "collections.abc.Callable[[Progress], object] | None" = None
))]
pub(crate) fn dedup(
    py: Python<'_>,
    inputs: Vec<String>,
    out: PathBuf,
    options: Options<'_>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    run(py, &options.job(inputs)?, out, progress)
}

/// What a job on files would take, as JSON.
#[pyfunction]
#[pyo3(signature = (
    inputs: "collections.abc.Sequence[str]", options: "collections.abc.Mapping[str, object]"
))]
pub(crate) fn plan(py: Python<'_>, inputs: Vec<String>, options: Options<'_>) -> PyResult<String> {
    let job = options.job(inputs)?;
    let plan = py.detach(|| job.plan()).raise()?;
    serde_json::to_string(&plan).map_err(|error| parameter(error.to_string()))
}

/// Runs a job on a table in memory; the report, as JSON, and how many rows the table has.
#[pyfunction]
#[pyo3(signature = (
    table, out, options: "collections.abc.Mapping[str, object]",
    progress: "collections.abc.Callable[[Progress], object] | None" = None
))]
pub(crate) fn dedup_table(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    out: PathBuf,
    options: Options<'_>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(String, usize)> {
    let (batches, schema) = table.extract::<PyTable>()?.into_inner();
    options.check_columns(&schema)?;
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    let batches = if options.id_field.is_empty() { numbered(batches, &schema)? } else { batches };
    let job = options.job(Vec::new())?.tables(Tables::one(TABLE, batches));
    Ok((run(py, &job, out, progress)?, rows))
}

/// What the table is called in messages.
const TABLE: &str = "table";

/// The table with the numbers of its rows, from 0, as ids: in a column without a name.
fn numbered(batches: Vec<RecordBatch>, schema: &Schema) -> PyResult<Vec<RecordBatch>> {
    let mut fields: Vec<_> = schema.fields().iter().map(Arc::clone).collect();
    fields.insert(0, Arc::new(Field::new("", DataType::UInt64, false)));
    let schema = Arc::new(Schema::new(fields));
    let mut first = 0;
    let batches = batches.into_iter().map(|batch| {
        let end = first + batch.num_rows() as u64;
        let ids = UInt64Array::from_iter_values(first..end);
        first = end;
        let mut columns = batch.columns().to_vec();
        columns.insert(0, Arc::new(ids));
        RecordBatch::try_new(Arc::clone(&schema), columns)
    });
    let batches: Result<Vec<_>, _> = batches.collect();
    batches.map_err(|error| parameter(error.to_string()))
}

fn run(
    py: Python<'_>,
    job: &Dedup,
    out: PathBuf,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let watch = Watch::new(progress.map(Bound::unbind));
    let report = watch.run(py, |observer| job.run(&out, observer))?.raise()?;
    serde_json::to_string(&report).map_err(|error| parameter(error.to_string()))
}

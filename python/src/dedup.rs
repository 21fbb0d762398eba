//! The batch job, on files or on a table in memory, and another decision from one.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::ffi_stream::ArrowArrayStreamReader;
use arrow_array::{RecordBatch, RecordBatchReader as _, UInt64Array};
use arrow_pyarrow::FromPyArrow as _;
use arrow_schema::{DataType, Field, Schema};
use lookalike_core::Given as _;
use lookalike_corpus::Tables;
use lookalike_engine::report::Report;
use lookalike_engine::{Decide, Dedup, Existing, KeepPolicy, Observer, PairScope, Row, Run};
use pyo3::prelude::*;

use crate::error::{Raise, parameter};
use crate::observe::Watch;
use crate::options::{
    BudgetOptions, CountOptions, JudgingOptions, PassageOptions, ReadingOptions, ResourceOptions,
    WritingOptions, clustering, positive_share, unreadable,
};

/// The options that only a job has.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
struct DedupOptions {
    keep: Option<String>,
    keep_count: Option<u32>,
    lost: Option<f64>,
    cluster: String,
    pairs: String,
    exact_only: bool,
    passages: bool,
    resume: bool,
    force: bool,
    drop_unreadable: bool,
    known: Vec<String>,
}

/// A job with all options of a mapping, and how its documents are read.
fn job(inputs: Vec<String>, options: &Bound<'_, PyAny>) -> PyResult<(Dedup, ReadingOptions)> {
    let own: DedupOptions = options.extract()?;
    let reading: ReadingOptions = options.extract()?;
    let CountOptions { count, date_field } = options.extract()?;
    let passages = own.passages.then(|| options.extract::<PassageOptions>()?.rule()).transpose()?;
    let job = Dedup::new(inputs)
        .page(lookalike_pages::report)
        .known_indexes(lookalike_index::open_shelf)
        .running(reading.running(&options.extract::<ResourceOptions<'_>>()?)?)
        .recipe(options.extract::<JudgingOptions<'_>>()?.recipe()?)
        .given(own.keep.as_deref().map(str::parse::<KeepPolicy>).transpose().raise()?, Dedup::keep)
        .given(keep_count(own.keep_count)?, Dedup::keep_count)
        .given(own.lost, Dedup::lost)
        .clustering(clustering(&own.cluster)?)
        .pairs(pair_scope(&own.pairs)?)
        .when(own.exact_only, Dedup::exact_only)
        .given(passages, Dedup::passages)
        .removal_budget(options.extract::<BudgetOptions>()?.budget()?)
        .given(count, Dedup::count)
        .given(date_field, Dedup::date_field)
        .when(own.resume, Dedup::resume)
        .existing(Existing::with_force(own.force))
        .unreadable(unreadable(own.drop_unreadable));
    let job = options.extract::<WritingOptions>()?.of_dedup(job)?;
    let job = own.known.into_iter().fold(job, Dedup::known);
    Ok((job, reading))
}

fn keep_count(count: Option<u32>) -> PyResult<Option<u32>> {
    match count {
        Some(0) => Err(parameter("keep_count is 0, but must be at least 1")),
        count => Ok(count),
    }
}

fn pair_scope(name: &str) -> PyResult<PairScope> {
    match name {
        "needed" => Ok(PairScope::Needed),
        "all" => Ok(PairScope::All),
        other => Err(parameter(format!("pairs is `{other}`, but must be needed or all"))),
    }
}

/// Whether a table has the columns that are named; a name that begins with a zero is none.
fn check_columns(reading: &ReadingOptions, schema: &Schema) -> PyResult<()> {
    let named = reading.fields().into_iter();
    for name in named.filter(|name| !name.is_empty() && !name.starts_with('\0')) {
        let outermost = name.split(['.', '[']).next().unwrap_or(name);
        if [name, outermost].iter().all(|name| schema.column_with_name(name).is_none()) {
            let columns = schema.fields().iter().map(|field| format!("`{}`", field.name()));
            let columns: Vec<String> = columns.take(20).collect();
            let columns = columns.join(", ");
            let [_, _, id, _] = reading.fields();
            let hint = if name == id { "\nhint: id=None numbers the rows" } else { "" };
            let message = format!("there is no column `{name}`; there are: {columns}{hint}");
            return Err(parameter(message));
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
    options: &Bound<'_, PyAny>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (job, _) = job(inputs, options)?;
    run(py, progress, |observer| job.run_observed(&out, observer))
}

/// What a job on files would take, as JSON.
#[pyfunction]
#[pyo3(signature = (
    inputs: "collections.abc.Sequence[str]", options: "collections.abc.Mapping[str, object]"
))]
pub(crate) fn plan(
    py: Python<'_>,
    inputs: Vec<String>,
    options: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let (job, _) = job(inputs, options)?;
    let plan = py.detach(|| job.plan()).raise()?;
    serde_json::to_string(&plan).map_err(|error| parameter(error.to_string()))
}

/// Cuts passages of files, and removes no document as a look-alike; the report, as JSON.
#[pyfunction]
#[pyo3(signature = (
    inputs: "collections.abc.Sequence[str]", out,
    options: "collections.abc.Mapping[str, object]",
    progress: "collections.abc.Callable[[Progress], object] | None" = None
))]
pub(crate) fn passages(
    py: Python<'_>,
    inputs: Vec<String>,
    out: PathBuf,
    options: &Bound<'_, PyAny>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (job, _) = job(inputs, options)?;
    let job = job.all_documents();
    run(py, progress, |observer| job.run_observed(&out, observer))
}

/// Cuts passages of a table in memory; the report, as JSON.
#[pyfunction]
#[pyo3(signature = (
    table: "object", out, options: "collections.abc.Mapping[str, object]",
    progress: "collections.abc.Callable[[Progress], object] | None" = None
))]
pub(crate) fn passages_table(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    out: PathBuf,
    options: &Bound<'_, PyAny>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (job, ..) = table_job(table, options)?;
    let job = job.all_documents();
    run(py, progress, |observer| job.run_observed(&out, observer))
}

/// The rows of a run of which too little was left, so that they went as a whole.
#[pyfunction]
pub(crate) fn rows_cut_whole(py: Python<'_>, run: PathBuf) -> PyResult<Vec<u64>> {
    let rows = py.detach(|| Run::open(&run)?.rows_cut_whole()).raise()?;
    Ok(rows.into_iter().map(u64::from).collect())
}

/// Runs a job on a table in memory; the report, as JSON, and how many rows the table has.
#[pyfunction]
#[pyo3(signature = (
    table: "object", known: "object | None", out,
    options: "collections.abc.Mapping[str, object]",
    progress: "collections.abc.Callable[[Progress], object] | None" = None
))]
pub(crate) fn dedup_table(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    known: Option<&Bound<'_, PyAny>>,
    out: PathBuf,
    options: &Bound<'_, PyAny>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(String, usize)> {
    let (job, reading, rows) = table_job(table, options)?;
    let known = known.map(|known| batches_of(known, &reading)).transpose()?;
    let known = known.map(|batches| Tables::one(KNOWN_TABLE, batches));
    let job = job.given(known, Dedup::known_tables);
    Ok((run(py, progress, |observer| job.run_observed(&out, observer))?, rows))
}

/// A job on a table in memory, how that is read, and how many rows it has.
fn table_job(
    table: &Bound<'_, PyAny>,
    options: &Bound<'_, PyAny>,
) -> PyResult<(Dedup, ReadingOptions, usize)> {
    let (job, reading) = job(Vec::new(), options)?;
    let batches = batches_of(table, &reading)?;
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    Ok((job.tables(Tables::one(TABLE, batches)), reading, rows))
}

/// The fields that a keep policy looks at, and whether it ends in the order of the input.
#[pyfunction]
pub(crate) fn keep_fields(policy: &str) -> PyResult<(Vec<String>, bool)> {
    let policy: KeepPolicy = policy.parse().raise()?;
    Ok((policy.fields().map(str::to_owned).collect(), policy.ends_in_input_order()))
}

/// The places in their files, from 1, of documents by their rows, of which those that cannot be
/// read have none.
#[pyfunction]
#[pyo3(signature = (run, rows: "collections.abc.Sequence[int]"))]
pub(crate) fn records_of_rows(py: Python<'_>, run: PathBuf, rows: Vec<u64>) -> PyResult<Vec<u64>> {
    let records = py.detach(|| -> lookalike_engine::Result<_> {
        let run = Run::open(&run)?;
        rows.into_iter().map(|row| run.record(Row::nth(row))).collect()
    });
    records.raise()
}

/// The page of a report, which is given as JSON.
#[pyfunction]
pub(crate) fn report_page(report: &str) -> PyResult<String> {
    let report: Report = serde_json::from_str(report)
        .map_err(|error| parameter(format!("not a report: {error}")))?;
    Ok(lookalike_pages::report(&report))
}

/// The options that only another decision has.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct DecideOptions {
    threshold: Option<f64>,
    lost: Option<f64>,
    keep: Option<String>,
    keep_count: Option<u32>,
    cluster: Option<String>,
    approximate: bool,
    resume: bool,
}

/// Decides again from a finished run; the report, as JSON.
#[pyfunction]
#[pyo3(signature = (
    folder, out, options: "collections.abc.Mapping[str, object]",
    progress: "collections.abc.Callable[[Progress], object] | None" = None
))]
pub(crate) fn decide(
    py: Python<'_>,
    folder: PathBuf,
    out: PathBuf,
    options: &Bound<'_, PyAny>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let own: DecideOptions = options.extract()?;
    let CountOptions { count, date_field } = options.extract()?;
    let running = options.extract::<ResourceOptions<'_>>()?.running()?;
    let threshold = own.threshold.map(|share| positive_share("threshold", share)).transpose()?;
    let keep = own.keep.as_deref().map(str::parse::<KeepPolicy>).transpose().raise()?;
    let job = Decide::new(folder)
        .page(lookalike_pages::report)
        .given(threshold, Decide::threshold)
        .given(own.lost, Decide::lost)
        .given(keep, Decide::keep)
        .given(keep_count(own.keep_count)?, Decide::keep_count)
        .given(own.cluster.as_deref().map(clustering).transpose()?, Decide::clustering)
        .removal_budget(options.extract::<BudgetOptions>()?.budget()?)
        .given(count, Decide::count)
        .given(date_field, Decide::date_field)
        .kernel(running.kernel)
        .memory(running.memory)
        .threads(running.threads)
        .given(running.temp, Decide::temp)
        .when(own.resume, Decide::resume)
        .when(own.approximate, Decide::approximate);
    let job = options.extract::<WritingOptions>()?.of_decide(job)?;
    run(py, progress, |observer| job.run_observed(&out, observer))
}

/// What the tables are called in messages.
const TABLE: &str = "table";
const KNOWN_TABLE: &str = "known";

/// The rows of a table, with the numbers of them as ids where it is to have no others.
fn batches_of(table: &Bound<'_, PyAny>, reading: &ReadingOptions) -> PyResult<Vec<RecordBatch>> {
    let table = ArrowArrayStreamReader::from_pyarrow_bound(table)?;
    let schema = table.schema();
    check_columns(reading, &schema)?;
    let batches: Result<Vec<_>, _> = table.collect();
    let batches = batches.map_err(|error| parameter(error.to_string()))?;
    if reading.has_ids() { Ok(batches) } else { numbered(batches, &schema) }
}

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
    progress: Option<Bound<'_, PyAny>>,
    job: impl FnOnce(&dyn Observer) -> lookalike_engine::Result<Report> + Send,
) -> PyResult<String> {
    let report = Watch::new(progress.map(Bound::unbind)).run(py, job)?.raise()?;
    serde_json::to_string(&report).map_err(|error| parameter(error.to_string()))
}

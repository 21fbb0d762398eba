//! `clusters.parquet` and `pairs.parquet`, in: a batch at a time, and only the columns that are
//! asked for.

use std::fs::File;
use std::path::Path;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrowPrimitiveType, BooleanArray, PrimitiveArray, RecordBatch};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowPredicateFn, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder, RowFilter,
};
use serde::Serialize;

use crate::error::{Error, Operation, Result};
use crate::report::Kind;

/// Rows that are in memory at a time.
const BATCH_ROWS: usize = 4096;

/// How similar the two documents of a pair are; `None` for what the recipe does not have or did
/// not compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Scores {
    /// Shingles of both, out of those of either.
    pub resemblance: Option<f64>,
    /// The share of the first that is in the second.
    pub containment_a: Option<f64>,
    /// The share of the second that is in the first.
    pub containment_b: Option<f64>,
    /// The resemblance as the sketches see it.
    pub estimate: Option<f64>,
    /// Equal features.
    pub b_similarity: Option<u32>,
    /// Equal bits of the projection.
    pub c_similarity: Option<u32>,
}

impl Scores {
    /// Seen from the second document.
    pub(crate) fn turned(self) -> Self {
        let (containment_a, containment_b) = (self.containment_b, self.containment_a);
        Self { containment_a, containment_b, ..self }
    }
}

/// A row of `pairs.parquet`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StoredPair {
    /// The rows of the two.
    pub(crate) a: u64,
    pub(crate) b: u64,
    pub(crate) kind: Kind,
    pub(crate) scores: Scores,
}

/// A row of `clusters.parquet`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StoredMember {
    pub(super) row: u64,
    /// The row of its keeper.
    pub(super) cluster: u64,
    pub(super) size: u64,
    pub(super) kept: bool,
    pub(super) kind: Kind,
    pub(super) resemblance: Option<f64>,
}

/// Calls `each` with the members of clusters whose row and cluster are `wanted`.
pub(super) fn for_each_member(
    path: &Path,
    wanted: impl FnMut(u64, u64) -> bool + Send + 'static,
    mut each: impl FnMut(StoredMember) -> Result<()>,
) -> Result<()> {
    let columns = ["row", "cluster", "size", "kept", "kind", "resemblance"];
    let table = Table { path, keys: ["row", "cluster"], columns: &columns };
    table.read(Some(Box::new(wanted)), |batch| {
        let [rows, clusters, sizes] = ["row", "cluster", "size"].map(|name| batch.column(name));
        let (rows, clusters, sizes) = (rows?, clusters?, sizes?);
        let (kept, kinds) = (batch.truths("kept")?, batch.kinds()?);
        let resemblances = batch.column::<Float64Type>("resemblance")?;
        for (at, kind) in kinds.into_iter().enumerate() {
            each(StoredMember {
                row: number(rows, at),
                cluster: number(clusters, at),
                size: number(sizes, at),
                kept: kept.value(at),
                kind,
                resemblance: value(resemblances, at),
            })?;
        }
        Ok(())
    })
}

/// Calls `each` with all pairs, or with those whose rows are `wanted`.
pub(crate) fn for_each_pair(
    path: &Path,
    wanted: Option<Box<dyn FnMut(u64, u64) -> bool + Send>>,
    mut each: impl FnMut(StoredPair) -> Result<()>,
) -> Result<()> {
    let columns = [
        "row_a",
        "row_b",
        "kind",
        "b_similarity",
        "c_similarity",
        "estimate",
        "resemblance",
        "containment_a",
        "containment_b",
    ];
    let table = Table { path, keys: ["row_a", "row_b"], columns: &columns };
    table.read(wanted, |batch| {
        let (a, b) = (batch.column("row_a")?, batch.column("row_b")?);
        let (features, bits) = (batch.column("b_similarity")?, batch.column("c_similarity")?);
        let shares = |name| batch.column::<Float64Type>(name);
        let (estimates, resemblances) = (shares("estimate")?, shares("resemblance")?);
        let (in_b, in_a) = (shares("containment_a")?, shares("containment_b")?);
        for (at, kind) in batch.kinds()?.into_iter().enumerate() {
            let scores = Scores {
                resemblance: value(resemblances, at),
                containment_a: value(in_b, at),
                containment_b: value(in_a, at),
                estimate: value(estimates, at),
                b_similarity: value::<UInt32Type>(features, at),
                c_similarity: value::<UInt32Type>(bits, at),
            };
            each(StoredPair { a: number(a, at), b: number(b, at), kind, scores })?;
        }
        Ok(())
    })
}

/// Calls `each` with the rows of all pairs, which is all that a search for a path needs.
pub(super) fn for_each_edge(
    path: &Path,
    mut each: impl FnMut(u64, u64) -> Result<()>,
) -> Result<()> {
    let table = Table { path, keys: ["row_a", "row_b"], columns: &["row_a", "row_b"] };
    table.read(None, |batch| {
        let (a, b) = (batch.column("row_a")?, batch.column("row_b")?);
        (0..a.len()).try_for_each(|at| each(number(a, at), number(b, at)))
    })
}

fn number(column: &PrimitiveArray<UInt64Type>, at: usize) -> u64 {
    column.value(at)
}

fn value<T: ArrowPrimitiveType>(column: &PrimitiveArray<T>, at: usize) -> Option<T::Native> {
    column.is_valid(at).then(|| column.value(at))
}

/// Whether a row of a table is wanted, by its two keys.
type Wanted = Box<dyn FnMut(u64, u64) -> bool + Send>;

/// A table, and what is read of it.
struct Table<'a> {
    path: &'a Path,
    /// Two columns of row numbers, which rows are chosen by.
    keys: [&'static str; 2],
    columns: &'a [&'static str],
}

impl Table<'_> {
    /// Calls `each` with the batches of wanted rows. Of what is not wanted only the keys are
    /// decoded.
    fn read(
        &self,
        wanted: Option<Wanted>,
        mut each: impl FnMut(&Batch<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut reader = self.guarded(|| self.open(wanted))?;
        while let Some(batch) = self.guarded(|| {
            reader.next().transpose().map_err(|error| self.damaged(error.to_string()))
        })? {
            each(&Batch { table: self, batch })?;
        }
        Ok(())
    }

    fn open(&self, wanted: Option<Wanted>) -> Result<ParquetRecordBatchReader> {
        let file = File::open(self.path).map_err(|e| Error::io(self.path, Operation::Read, e))?;
        let damaged = |error: parquet::errors::ParquetError| self.damaged(error.to_string());
        let mut builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(damaged)?;
        let schema = builder.parquet_schema();
        let columns = ProjectionMask::columns(schema, self.columns.iter().copied());
        if let Some(mut wanted) = wanted {
            let keys = ProjectionMask::columns(schema, self.keys);
            let [first, second] = self.keys;
            let predicate = ArrowPredicateFn::new(keys, move |batch| {
                let column = |name: &str| {
                    let column = batch.column_by_name(name);
                    column.and_then(|column| column.as_primitive_opt::<UInt64Type>())
                };
                let (Some(first), Some(second)) = (column(first), column(second)) else {
                    let message = "a table without its columns of rows".to_owned();
                    return Err(arrow_schema::ArrowError::SchemaError(message));
                };
                let rows = first.values().iter().zip(second.values());
                Ok(rows.map(|(first, second)| Some(wanted(*first, *second))).collect())
            });
            builder = builder.with_row_filter(RowFilter::new(vec![Box::new(predicate)]));
        }
        builder.with_projection(columns).with_batch_size(BATCH_ROWS).build().map_err(damaged)
    }

    /// The decoder of pages panics at some that are damaged.
    fn guarded<T>(&self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        lookalike_corpus::guarded(run)
            .unwrap_or_else(|_| Err(self.damaged("a page that contradicts itself".to_owned())))
    }

    fn damaged(&self, found: String) -> Error {
        Error::corruption(self.path, 0, "a table of this run", found)
    }
}

/// Some rows of a table.
struct Batch<'a> {
    table: &'a Table<'a>,
    batch: RecordBatch,
}

impl Batch<'_> {
    fn column<T: ArrowPrimitiveType>(&self, name: &str) -> Result<&PrimitiveArray<T>> {
        let column = self.batch.column_by_name(name);
        let column = column.and_then(|column| column.as_primitive_opt());
        column.ok_or_else(|| self.without(name))
    }

    fn truths(&self, name: &str) -> Result<&BooleanArray> {
        let column = self.batch.column_by_name(name).and_then(|column| column.as_boolean_opt());
        column.ok_or_else(|| self.without(name))
    }

    /// A keeper counts as exact: it is the document itself.
    fn kinds(&self) -> Result<Vec<Kind>> {
        let column = self.batch.column_by_name("kind");
        let column = column.and_then(|column| column.as_string_opt::<i32>());
        let column = column.ok_or_else(|| self.without("kind"))?;
        let kind = |name: Option<&str>| if name == Some("near") { Kind::Near } else { Kind::Exact };
        Ok(column.iter().map(kind).collect())
    }

    fn without(&self, name: &str) -> Error {
        self.table.damaged(format!("no column `{name}`, or one of another type"))
    }
}

//! `clusters.parquet`, `pairs.parquet` and `passages.parquet`, in: a batch at a time, and only the
//! columns that are asked for; of `clusters.parquet` also single rows, by their numbers in it.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrowPrimitiveType, BooleanArray, PrimitiveArray, RecordBatch, StringArray,
};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowPredicateFn, ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder, RowFilter,
};

use super::{Run, RunDocument};
use crate::error::{Error, Operation, Result};
use crate::passages::CutPiece;
use crate::places::Row;
use crate::report::Kind;
use crate::scores::{ScoredPair, Scores};

/// Rows that are in memory at a time.
const BATCH_ROWS: usize = 4096;

/// A row of `clusters.parquet`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StoredMember {
    pub(super) row: Row,
    /// The row of its keeper.
    pub(super) cluster: Row,
    pub(super) size: u64,
    pub(super) kept: bool,
    pub(super) kind: Kind,
    pub(super) resemblance: Option<f64>,
}

/// A row of `clusters.parquet`, with where the document is.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredDocument<'a> {
    pub(super) member: StoredMember,
    pub(super) id: &'a str,
    pub(super) source: &'a str,
    pub(super) record: u64,
    pub(super) url: Option<&'a str>,
    pub(super) offset: Option<u64>,
    pub(super) known: bool,
}

impl StoredDocument<'_> {
    pub(super) fn document(&self) -> RunDocument {
        RunDocument {
            id: self.id.to_owned(),
            source: self.source.to_owned(),
            record: self.record,
            row: self.member.row,
            known: self.known,
            url: self.url.map(str::to_owned),
            offset: self.offset,
        }
    }
}

/// What a [`StoredMember`] is made of, and the two columns that members are chosen by.
const MEMBER_COLUMNS: [&str; 6] = ["row", "cluster", "size", "kept", "kind", "resemblance"];
const MEMBER_KEYS: [&str; 2] = ["row", "cluster"];

/// Whether a row of a table is wanted, by its two keys.
pub(super) type RowTest = Box<dyn FnMut(Row, Row) -> bool + Send>;

impl Run {
    /// Calls `each` with the members of clusters whose row and cluster are `wanted`.
    pub(super) fn for_each_member(
        &self,
        wanted: impl FnMut(Row, Row) -> bool + Send + 'static,
        mut each: impl FnMut(StoredMember) -> Result<()>,
    ) -> Result<()> {
        let (path, documents) = (&self.files.clusters(), self.rows());
        let table = Table { path, documents, keys: MEMBER_KEYS, columns: &MEMBER_COLUMNS };
        table.read(Some(Box::new(wanted)), |batch| {
            batch.members()?.into_iter().try_for_each(&mut each)
        })
    }

    /// Calls `each` with the documents that went for one that is not their copy.
    pub(crate) fn for_each_near_removed(
        &self,
        mut each: impl FnMut(Row) -> Result<()>,
    ) -> Result<()> {
        self.for_each_member(
            |_, _| true,
            |member| {
                let went = !member.kept && member.kind == Kind::Near;
                if went { each(member.row) } else { Ok(()) }
            },
        )
    }

    /// Calls `each` with all pairs, or with those whose rows are `wanted`.
    pub(crate) fn for_each_pair(
        &self,
        wanted: Option<RowTest>,
        mut each: impl FnMut(ScoredPair) -> Result<()>,
    ) -> Result<()> {
        let columns = [
            "row_a",
            "row_b",
            "kind",
            "b_similarity",
            "c_similarity",
            "repeats_in_common",
            "estimate",
            "resemblance",
            "containment_a",
            "containment_b",
            "difference",
        ];
        self.read_pairs(&columns, wanted, |batch| {
            let (a, b) = (batch.rows("row_a")?, batch.rows("row_b")?);
            let (features, bits) = (batch.column("b_similarity")?, batch.column("c_similarity")?);
            // Runs of before there were these columns have none.
            let repeats = batch.column("repeats_in_common").ok();
            let differences = batch.column::<Float64Type>("difference").ok();
            let shares = |name| batch.column::<Float64Type>(name);
            let (estimates, resemblances) = (shares("estimate")?, shares("resemblance")?);
            let (in_b, in_a) = (shares("containment_a")?, shares("containment_b")?);
            for (at, kind) in batch.kinds()?.into_iter().enumerate() {
                let scores = Scores {
                    resemblance: value(resemblances, at),
                    containment_a: value(in_b, at),
                    containment_b: value(in_a, at),
                    estimate: value(estimates, at),
                    difference: differences.and_then(|them| value(them, at)),
                    b_similarity: value::<UInt32Type>(features, at),
                    c_similarity: value::<UInt32Type>(bits, at),
                    repeats_in_common: repeats.and_then(|repeats| value::<UInt32Type>(repeats, at)),
                };
                each(ScoredPair { a: a[at], b: b[at], kind, scores })?;
            }
            Ok(())
        })
    }

    /// Calls `each` with the rows of all pairs, which is all that a search for a path needs.
    pub(super) fn for_each_edge(&self, each: &mut dyn FnMut(Row, Row)) -> Result<()> {
        self.read_pairs(&["row_a", "row_b"], None, |batch| {
            let (a, b) = (batch.rows("row_a")?, batch.rows("row_b")?);
            a.into_iter().zip(b).for_each(|(a, b)| each(a, b));
            Ok(())
        })
    }

    /// Calls `each` with all pieces that were cut, or with those whose document and keeper are `wanted`,
    /// in the order of documents and of their bytes.
    pub(super) fn for_each_cut(
        &self,
        wanted: Option<RowTest>,
        mut each: impl FnMut(CutPiece) -> Result<()>,
    ) -> Result<()> {
        let (path, documents) = (&self.files.passages(), self.documents());
        let columns = [
            "row",
            "begin",
            "end",
            "words",
            "copies",
            "keeper_row",
            "keeper_begin",
            "keeper_end",
            "cut",
        ];
        let table = Table { path, documents, keys: ["row", "keeper_row"], columns: &columns };
        table.read(wanted, |batch| {
            let (rows, keepers) = (batch.rows("row")?, batch.rows("keeper_row")?);
            let numbers = |name| batch.small_numbers(name);
            let (begins, ends) = (numbers("begin")?, numbers("end")?);
            let (words, copies) = (numbers("words")?, numbers("copies")?);
            let (keeper_begins, keeper_ends) = (numbers("keeper_begin")?, numbers("keeper_end")?);
            let cut = batch.truths("cut")?;
            for (at, &row) in rows.iter().enumerate() {
                each(CutPiece {
                    annotated: !cut.value(at),
                    row,
                    begin: begins[at],
                    end: ends[at],
                    words: words[at],
                    copies: copies[at],
                    keeper: keepers[at],
                    keeper_begin: keeper_begins[at],
                    keeper_end: keeper_ends[at],
                })?;
            }
            Ok(())
        })
    }

    fn read_pairs(
        &self,
        columns: &[&'static str],
        wanted: Option<RowTest>,
        each: impl FnMut(&Batch<'_>) -> Result<()>,
    ) -> Result<()> {
        let (path, documents) = (&self.files.pairs(), self.rows());
        Table { path, documents, keys: ["row_a", "row_b"], columns }.read(wanted, each)
    }
}

/// `clusters.parquet`, whose rows are read by their numbers: its footer is read once.
pub(super) struct ClusterTable {
    path: PathBuf,
    documents: u64,
    metadata: ArrowReaderMetadata,
}

impl ClusterTable {
    pub(super) fn open(run: &Run) -> Result<Self> {
        let (path, documents) = (run.files.clusters(), run.rows());
        let table = Table { path: &path, documents, keys: MEMBER_KEYS, columns: &[] };
        let metadata = table.guarded(|| {
            let file = table.file()?;
            let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::default());
            metadata.map_err(|error| table.damaged(error.to_string()))
        })?;
        let opened = Self { path, documents, metadata };
        if opened.rows() > documents {
            let expected = format!("at most {documents} rows");
            let found = format!("{} rows", opened.rows());
            return Err(Error::corruption(&opened.path, 0, expected, found));
        }
        Ok(opened)
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> u64 {
        self.metadata.metadata().file_metadata().num_rows().try_into().unwrap_or(u64::MAX)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Calls `each` with all members, in the order of the table.
    pub(super) fn for_each_member(
        &self,
        mut each: impl FnMut(StoredMember) -> Result<()>,
    ) -> Result<()> {
        self.read(&MEMBER_COLUMNS, 0..self.rows(), |batch| {
            batch.members()?.into_iter().try_for_each(&mut each)
        })
    }

    /// Calls `each` with the members of some rows of the table, and where they are.
    pub(super) fn for_each_document(
        &self,
        rows: Range<u64>,
        mut each: impl FnMut(StoredDocument<'_>) -> Result<()>,
    ) -> Result<()> {
        let columns =
            [&MEMBER_COLUMNS[..], &["id", "source", "record", "url", "offset", "known"]].concat();
        self.read(&columns, rows, |batch| {
            let [ids, sources] = [batch.texts("id")?, batch.texts("source")?];
            let records = batch.column::<UInt64Type>("record")?;
            // Runs of earlier versions have none.
            let urls = batch.texts("url").ok();
            let offsets = batch.column::<UInt64Type>("offset").ok();
            let known = batch.truths("known").ok();
            for (at, member) in batch.members()?.into_iter().enumerate() {
                let (id, source) = (ids.value(at), sources.value(at));
                let url = urls.filter(|urls| urls.is_valid(at)).map(|urls| urls.value(at));
                let offset =
                    offsets.filter(|them| them.is_valid(at)).map(|offsets| offsets.value(at));
                let record = records.value(at);
                let known = known.is_some_and(|known| known.value(at));
                each(StoredDocument { member, id, source, record, url, offset, known })?;
            }
            Ok(())
        })
    }

    /// Calls `each` with batches of some rows. Row groups without any of them are not touched.
    fn read(
        &self,
        columns: &[&'static str],
        rows: Range<u64>,
        each: impl FnMut(&Batch<'_>) -> Result<()>,
    ) -> Result<()> {
        let Self { path, documents, metadata } = self;
        let table = Table { path, documents: *documents, keys: MEMBER_KEYS, columns };
        let (mut groups, mut before, mut offset) = (Vec::new(), 0_u64, None);
        for (number, group) in metadata.metadata().row_groups().iter().enumerate() {
            let after = before.saturating_add(group.num_rows().try_into().unwrap_or(0));
            if before < rows.end && rows.start < after {
                groups.push(number);
                offset.get_or_insert(rows.start.saturating_sub(before));
            }
            before = after;
        }
        let reader = table.guarded(|| {
            let builder =
                ParquetRecordBatchReaderBuilder::new_with_metadata(table.file()?, metadata.clone());
            let builder = builder.with_row_groups(groups);
            let builder = builder.with_offset(offset.unwrap_or(0) as usize);
            table.build(builder.with_limit((rows.end - rows.start) as usize))
        })?;
        table.for_each_batch(reader, each)
    }
}

fn value<T: ArrowPrimitiveType>(column: &PrimitiveArray<T>, at: usize) -> Option<T::Native> {
    column.is_valid(at).then(|| column.value(at))
}

/// A table, and what is read of it.
struct Table<'a> {
    path: &'a Path,
    /// Documents of the run: every row is smaller.
    documents: u64,
    /// Two columns of row numbers, which rows are chosen by.
    keys: [&'static str; 2],
    columns: &'a [&'static str],
}

impl Table<'_> {
    /// Calls `each` with the batches of wanted rows. Of what is not wanted only the keys are
    /// decoded.
    fn read(
        &self,
        wanted: Option<RowTest>,
        each: impl FnMut(&Batch<'_>) -> Result<()>,
    ) -> Result<()> {
        let reader = self.guarded(|| self.open(wanted))?;
        self.for_each_batch(reader, each)
    }

    fn for_each_batch(
        &self,
        mut reader: ParquetRecordBatchReader,
        mut each: impl FnMut(&Batch<'_>) -> Result<()>,
    ) -> Result<()> {
        while let Some(batch) = self.guarded(|| {
            reader.next().transpose().map_err(|error| self.damaged(error.to_string()))
        })? {
            each(&Batch { table: self, batch })?;
        }
        Ok(())
    }

    fn open(&self, wanted: Option<RowTest>) -> Result<ParquetRecordBatchReader> {
        let builder = ParquetRecordBatchReaderBuilder::try_new(self.file()?);
        let mut builder = builder.map_err(|error| self.damaged(error.to_string()))?;
        let schema = builder.parquet_schema();
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
                let [row, other] = [first, second].map(|column| column.values().iter());
                let rows = row.zip(other).map(|(row, other)| [*row, *other].map(Row::nth));
                Ok(rows.map(|[row, other]| Some(wanted(row, other))).collect())
            });
            builder = builder.with_row_filter(RowFilter::new(vec![Box::new(predicate)]));
        }
        self.build(builder)
    }

    /// A file of its own for each reader: readers that share one would move each other's place.
    fn file(&self) -> Result<File> {
        File::open(self.path).map_err(|e| Error::io(self.path, Operation::Read, e))
    }

    fn build(
        &self,
        builder: ParquetRecordBatchReaderBuilder<File>,
    ) -> Result<ParquetRecordBatchReader> {
        let columns =
            ProjectionMask::columns(builder.parquet_schema(), self.columns.iter().copied());
        let reader = builder.with_projection(columns).with_batch_size(BATCH_ROWS).build();
        reader.map_err(|error| self.damaged(error.to_string()))
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

    /// A column of rows, none of which is believed to be there.
    fn rows(&self, name: &str) -> Result<Vec<Row>> {
        let Table { path, documents, .. } = *self.table;
        let row = |&row: &u64| {
            let beyond = || {
                let expected = format!("rows below {documents}");
                Error::corruption(path, 0, expected, format!("{row} in `{name}`"))
            };
            (row < documents).then(|| Row::nth(row)).ok_or_else(beyond)
        };
        self.column::<UInt64Type>(name)?.values().iter().map(row).collect()
    }

    /// A column of numbers below 2^32.
    fn small_numbers(&self, name: &str) -> Result<Vec<u32>> {
        let small = |&number: &u64| {
            let large = || self.table.damaged(format!("{number} in `{name}`"));
            u32::try_from(number).map_err(|_| large())
        };
        self.column::<UInt64Type>(name)?.values().iter().map(small).collect()
    }

    /// The members that the rows are.
    fn members(&self) -> Result<Vec<StoredMember>> {
        let (rows, clusters) = (self.rows("row")?, self.rows("cluster")?);
        let sizes = self.column::<UInt64Type>("size")?;
        let (kept, kinds) = (self.truths("kept")?, self.kinds()?);
        let resemblances = self.column::<Float64Type>("resemblance")?;
        let member = |(at, kind)| StoredMember {
            row: rows[at],
            cluster: clusters[at],
            size: sizes.value(at),
            kept: kept.value(at),
            kind,
            resemblance: value(resemblances, at),
        };
        Ok(kinds.into_iter().enumerate().map(member).collect())
    }

    fn truths(&self, name: &str) -> Result<&BooleanArray> {
        let column = self.batch.column_by_name(name).and_then(|column| column.as_boolean_opt());
        column.ok_or_else(|| self.without(name))
    }

    fn texts(&self, name: &str) -> Result<&StringArray> {
        let column = self.batch.column_by_name(name);
        let column = column.and_then(|column| column.as_string_opt::<i32>());
        column.ok_or_else(|| self.without(name))
    }

    /// A keeper counts as exact: it is the document itself.
    fn kinds(&self) -> Result<Vec<Kind>> {
        let column = self.texts("kind")?;
        let kind = |name: Option<&str>| if name == Some("near") { Kind::Near } else { Kind::Exact };
        Ok(column.iter().map(kind).collect())
    }

    fn without(&self, name: &str) -> Error {
        self.table.damaged(format!("no column `{name}`, or one of another type"))
    }
}

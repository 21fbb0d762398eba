//! The documents of an index with their counts, as JSON lines or Parquet.
//!
//! One row a document, in the order of adding, and one way to write it, for the command and for Python.
//! Rows are written as they come: whatever the index is, some thousand of them are in memory.

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, RecordBatch, StringArray, TimestampMicrosecondArray, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use lookalike_files::{AtomicFile, Existing};
use lookalike_index::{ContentKind, Counts, Record};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde_json::json;

/// Rows that are made at a time, and rows of a row group.
const BATCH_ROWS: usize = 4096;
const GROUP_ROWS: usize = 1 << 16;
/// The zone of all times.
const UTC: &str = "UTC";

/// Writes documents to a file that appears when it is complete, or to standard output.
pub struct ExportWriter {
    target: Target,
    rows: Vec<(Record, Counts)>,
    written: u64,
}

enum Target {
    Standard(io::BufWriter<io::Stdout>),
    Lines(AtomicFile),
    Parquet(Box<ArrowWriter<AtomicFile>>),
}

impl ExportWriter {
    /// Parquet if the name ends in `.parquet`, standard output if it is `-`, and JSON lines otherwise; in
    /// place of a file that is there.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = || AtomicFile::create(path, Existing::Replace).map_err(io::Error::other);
        let is_parquet = path.extension().is_some_and(|name| name.eq_ignore_ascii_case("parquet"));
        let target = if path == Path::new("-") {
            Target::Standard(io::BufWriter::new(io::stdout()))
        } else if is_parquet {
            let properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(ZstdLevel::default()))
                .set_max_row_group_row_count(Some(GROUP_ROWS))
                .build();
            Target::Parquet(Box::new(ArrowWriter::try_new(file()?, schema(), Some(properties))?))
        } else {
            Target::Lines(file()?)
        };
        Ok(Self { target, rows: Vec::new(), written: 0 })
    }

    /// Takes the next document.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn push(&mut self, record: Record, counts: Counts) -> io::Result<()> {
        self.rows.push((record, counts));
        if self.rows.len() == BATCH_ROWS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.written += rows.len() as u64;
        let lines = || rows.iter().map(line).collect::<String>();
        match &mut self.target {
            Target::Standard(out) => out.write_all(lines().as_bytes()),
            Target::Lines(file) => file.write(lines().as_bytes()).map_err(io::Error::other),
            Target::Parquet(writer) => Ok(writer.write(&table(&rows)?)?),
        }
    }

    /// Writes what is left, and gives the file its name; how many documents it has.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn finish(mut self) -> io::Result<u64> {
        self.flush()?;
        match self.target {
            Target::Standard(mut out) => out.flush()?,
            Target::Lines(file) => file.commit().map_err(io::Error::other)?,
            Target::Parquet(writer) => {
                writer.into_inner()?.commit().map_err(io::Error::other)?;
            }
        }
        Ok(self.written)
    }
}

fn line((record, counts): &(Record, Counts)) -> String {
    let line = json!({
        "id": record.id,
        "url": record.url,
        "number": record.number,
        "bytes": record.bytes,
        "time": record.time,
        "stored": record.stored.map(ContentKind::name),
        "copies": counts.copies,
        "exact_copies": counts.exact_copies,
        "sources": counts.sources,
        "first": counts.first,
        "last": counts.last,
        "at_least": counts.at_least,
    });
    format!("{line}\n")
}

fn schema() -> Arc<Schema> {
    let time = DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into()));
    Arc::new(Schema::new(vec![
        Field::new("id", DataType::Utf8, false),
        Field::new("url", DataType::Utf8, true),
        Field::new("number", DataType::UInt64, false),
        Field::new("bytes", DataType::UInt64, false),
        Field::new("time", time.clone(), true),
        Field::new("stored", DataType::Utf8, true),
        Field::new("copies", DataType::UInt64, false),
        Field::new("exact_copies", DataType::UInt64, false),
        Field::new("sources", DataType::UInt64, false),
        Field::new("first", time.clone(), true),
        Field::new("last", time, true),
        Field::new("at_least", DataType::Boolean, false),
    ]))
}

fn table(rows: &[(Record, Counts)]) -> io::Result<RecordBatch> {
    let records = || rows.iter().map(|(record, _)| record);
    let counts = || rows.iter().map(|(_, counts)| counts);
    let numbers = |of: &dyn Fn(&Counts) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(counts().map(of)))
    };
    let times = |of: &mut dyn Iterator<Item = Option<i64>>| -> ArrayRef {
        let micros = of.map(|seconds| seconds?.checked_mul(1_000_000));
        Arc::new(micros.collect::<TimestampMicrosecondArray>().with_timezone(UTC))
    };
    let added = |record: &Record| i64::try_from(record.time).ok().filter(|&time| time > 0);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(records().map(|record| &record.id))),
        Arc::new(records().map(|record| record.url.as_deref()).collect::<StringArray>()),
        Arc::new(UInt64Array::from_iter_values(records().map(|record| record.number))),
        Arc::new(UInt64Array::from_iter_values(records().map(|record| record.bytes))),
        times(&mut records().map(added)),
        Arc::new(
            records().map(|record| record.stored.map(ContentKind::name)).collect::<StringArray>(),
        ),
        numbers(&|counts| counts.copies),
        numbers(&|counts| counts.exact_copies),
        numbers(&|counts| counts.sources),
        times(&mut counts().map(|counts| counts.first)),
        times(&mut counts().map(|counts| counts.last)),
        Arc::new(counts().map(|counts| Some(counts.at_least)).collect::<BooleanArray>()),
    ];
    RecordBatch::try_new(schema(), columns).map_err(io::Error::other)
}

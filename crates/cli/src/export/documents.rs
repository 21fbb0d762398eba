//! The documents of an index with their counts: a row each, in the order of adding.

use std::io;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, RecordBatch, StringArray, TimestampMicrosecondArray, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use lookalike_index::{ContentKind, Counts, Record};
use serde_json::{Value, json};

use super::ExportRow;

/// The zone of all times.
const UTC: &str = "UTC";

/// A document of an index.
pub struct ExportedDocument {
    /// What the index has of it.
    pub record: Record,
    /// How often it was seen.
    pub counts: Counts,
}

impl ExportRow for ExportedDocument {
    fn line(&self) -> Value {
        let Self { record, counts } = self;
        json!({
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
        })
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

    fn table(rows: &[Self]) -> io::Result<RecordBatch> {
        let records = || rows.iter().map(|row| &row.record);
        let counts = || rows.iter().map(|row| &row.counts);
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
                records()
                    .map(|record| record.stored.map(ContentKind::name))
                    .collect::<StringArray>(),
            ),
            numbers(&|counts| counts.copies),
            numbers(&|counts| counts.exact_copies),
            numbers(&|counts| counts.sources),
            times(&mut counts().map(|counts| counts.first)),
            times(&mut counts().map(|counts| counts.last)),
            Arc::new(counts().map(|counts| Some(counts.at_least)).collect::<BooleanArray>()),
        ];
        RecordBatch::try_new(Self::schema(), columns).map_err(io::Error::other)
    }
}

//! Links between documents: a row each, in order.

use std::io;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use serde_json::{Value, json};

use super::ExportRow;

/// A link, and how many it stands for.
pub(crate) struct Link {
    pub(crate) source: String,
    pub(crate) target: String,
    pub(crate) links: u64,
}

impl ExportRow for Link {
    fn line(&self) -> Value {
        let Self { source, target, links } = self;
        json!({ "source": source, "target": target, "links": links })
    }

    fn schema() -> Arc<Schema> {
        Arc::new(Schema::new(vec![
            Field::new("source", DataType::Utf8, false),
            Field::new("target", DataType::Utf8, false),
            Field::new("links", DataType::UInt64, false),
        ]))
    }

    fn table(rows: &[Self]) -> io::Result<RecordBatch> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(rows.iter().map(|link| &link.source))),
            Arc::new(StringArray::from_iter_values(rows.iter().map(|link| &link.target))),
            Arc::new(UInt64Array::from_iter_values(rows.iter().map(|link| link.links))),
        ];
        RecordBatch::try_new(Self::schema(), columns).map_err(io::Error::other)
    }
}

//! Where documents of a run are, and what is told of them as JSON.

use lookalike_engine::run::RunDocument;
use serde_json::Value;

use crate::output::{Align, Table, grouped, printable};

/// Where documents are.
pub(super) fn places(documents: &[(&str, &RunDocument)]) -> String {
    let mut table = Table::new(&[Align::Left; 3]);
    for (what, document) in documents {
        table.row([what, &printable(&document.id), &place(document)]);
    }
    table.text()
}

pub(super) fn place(document: &RunDocument) -> String {
    let known = if document.known { "known: " } else { "" };
    let (source, record) = (printable(&document.source), grouped(document.record));
    let mut place = format!("{known}{source}, record {record}");
    if let Some(offset) = document.offset {
        // Without marks between thousands: it is for programs that go there.
        place.extend([", byte ", &offset.to_string()]);
    }
    match &document.url {
        Some(url) if *url != document.id => format!("{} ({place})", printable(url)),
        _ => place,
    }
}

/// The fields of both objects.
pub(super) fn merged(mut object: Value, other: Value) -> Value {
    if let (Value::Object(fields), Value::Object(more)) = (&mut object, other) {
        fields.extend(more);
    }
    object
}

//! Tables in memory: what a Parquet file of the same rows gives.

use std::path::Path;

use lookalike_corpus::{ErrorKind, FieldValue, Source, Sources, Tables};
use parquet::basic::Compression as Codec;
use proptest::prelude::*;

use super::parquets::{batch, options, write};
use super::{All, folder, read_source};

fn source_of(tables: &Tables) -> Source {
    let mut sources = Sources::of_tables(tables);
    let source = sources.next().unwrap().unwrap();
    assert!(sources.next().is_none());
    source
}

/// What was read, under a name that both have.
fn renamed(all: &All, name: &str) -> Vec<Result<(String, String), String>> {
    let records = all.records.iter().map(|record| match record {
        Ok(read) => Ok((read.id.replace(name, "table"), read.text.clone())),
        Err(fault) => Err(fault.replace(name, "table")),
    });
    records.collect()
}

/// The value of a field of every good record.
fn values(source: &Source, field: &str) -> Vec<Option<String>> {
    let mut values = Vec::new();
    let mut options = options(1 << 20);
    options.fields.others.push(field.to_owned());
    for chunk in source.chunks(&options) {
        chunk.unwrap().for_each(|record| {
            let value = record.as_ref().ok().and_then(|record| record.field(field));
            values.push(value.map(|value: FieldValue<'_>| format!("{value:?}")));
        });
    }
    values
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_table_is_read_as_its_file_is(
        texts in prop::collection::vec(any::<Option<String>>(), 1..60),
        kind in 0_usize..4,
        cuts in prop::collection::vec(0_usize..60, 0..4),
        chunk_bytes in prop::sample::select(vec![1, 500, 1 << 20]),
    ) {
        let path = folder("memory-any").join("a.parquet");
        let whole = batch(kind, &texts);
        write(&path, &whole, Codec::UNCOMPRESSED, 1000);
        let file = Source::file(&path, None).unwrap();
        // In batches that are slices of one, some of them empty.
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(texts.len())).collect();
        cuts.extend([0, texts.len()]);
        cuts.sort_unstable();
        let batches = cuts.windows(2).map(|cut| whole.slice(cut[0], cut[1] - cut[0])).collect();
        let table = source_of(&Tables::one("table", batches));

        let name = path.display().to_string();
        let from_file = read_source(&file, &options(chunk_bytes));
        let from_memory = read_source(&table, &options(chunk_bytes));
        prop_assert_eq!(renamed(&from_memory, "table"), renamed(&from_file, &name));
        prop_assert_eq!(from_memory.fatal, None);
        for field in ["meta.score", "flag", "text", "nothing"] {
            prop_assert_eq!(values(&table, field), values(&file, field));
        }
    }
}

#[test]
fn a_table_that_was_written_down_needs_its_rows() {
    let tables = Tables::one("table", vec![batch(0, &[Some("some text".to_owned())])]);
    let source = source_of(&tables);
    let written = serde_json::to_string(&source).unwrap();
    let again: Source = serde_json::from_str(&written).unwrap();
    assert!(matches!(again.stored_bytes().unwrap_err().kind(), ErrorKind::NotInMemory(_)));
    let fatal = read_source(&again, &options(1 << 20)).fatal.unwrap();
    assert!(fatal.starts_with("`table`: was a table in memory"), "{fatal}");
    let again = again.with_tables(&tables);
    assert_eq!(read_source(&again, &options(1 << 20)).texts(), ["some text"]);
    assert_eq!(again.stored_bytes().unwrap(), source.stored_bytes().unwrap());
    // A file stays what it is.
    let file = Source::file(Path::new("a.jsonl"), None).unwrap().with_tables(&tables);
    assert_eq!(file.local_path(), Some(Path::new("a.jsonl")));
}

#[test]
fn a_table_has_no_mirror_and_needs_a_column_of_texts() {
    let source = source_of(&Tables::one("table", vec![batch(0, &[None])]));
    let report = source.write_selection(&folder("memory-selection"), &options(1), |_| true);
    assert!(matches!(report.unwrap_err().kind(), ErrorKind::InMemory(_)));
    let mut other = options(1);
    "body".clone_into(&mut other.fields.text);
    let fatal = read_source(&source, &other).fatal.unwrap();
    assert!(fatal.contains("has no column `body`") && fatal.contains("`flag`, `text`"), "{fatal}");
}

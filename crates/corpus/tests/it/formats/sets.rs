//! Documents that are sets: lists of JSON, Parquet and Arrow.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::Float64Builder;
use arrow_array::builder::{
    FixedSizeListBuilder, Int64Builder, LargeListBuilder, ListBuilder, StringBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use lookalike_corpus::{ErrorKind, ReadOptions, Source, Sources, Tables};
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{All, folder, read_source};

fn options(field: &str) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.fields.set = Some(field.to_owned());
    options
}

fn read(path: &Path, field: &str) -> All {
    read_source(&Source::file(path, None).unwrap(), &options(field))
}

fn read_lines(test: &str, lines: &[Value], field: &str) -> All {
    let path = folder(test).join("a.jsonl");
    let lines = lines.iter().map(|line| format!("{line}\n"));
    fs::write(&path, lines.collect::<String>()).unwrap();
    read(&path, field)
}

/// A record that has the items of a set somewhere.
type Shape = fn(&[Value]) -> Value;

fn texts(all: &All) -> Vec<String> {
    all.texts().into_iter().map(str::to_owned).collect()
}

/// What the text of a set is, by the definition.
fn text(items: impl IntoIterator<Item = String>) -> String {
    // Sorted as bytes.
    let items: BTreeSet<Vec<u8>> = items.into_iter().map(String::into_bytes).collect();
    let lines = items.into_iter().map(|item| {
        let item = String::from_utf8(item).unwrap();
        item.replace('\\', "\\\\").replace('\n', "\\n") + "\n"
    });
    lines.collect()
}

fn item(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn any_item() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => "[ab\\\\\n\u{e9}\"]{0,3}".prop_map(Value::from),
        2 => any::<i64>().prop_map(Value::from),
        1 => (0..20_i64).prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ]
}

fn write_parquet(path: &Path, list: ArrayRef) {
    let batch = RecordBatch::try_from_iter_with_nullable([("tags", list, true)]).unwrap();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// In whatever depth it stands, and by whatever format.
    #[test]
    fn a_set_has_the_items_of_its_list(
        sets in prop::collection::vec(prop::collection::vec(any_item(), 0..12), 1..12),
    ) {
        let expected: Vec<String> = sets.iter().map(|set| text(set.iter().filter_map(item))).collect();
        let shapes: [(&str, Shape); 5] = [
            ("tags", |set| json!({ "id": "x", "tags": set, "text": "no" })),
            ("tags[]", |set| json!({ "tags": set })),
            ("meta.tags", |set| json!({ "tags": 1, "meta": { "tags": set } })),
            ("a.b", |set| json!({ "a.b": set, "a": { "b": ["no"] } })),
            ("parts[].tags", |set| {
                let part = |items: &[Value]| json!({ "tags": items, "name": 1 });
                json!({ "parts": [part(&set[..set.len() / 2]), part(&set[set.len() / 2..])] })
            }),
        ];
        for (field, shape) in shapes {
            let lines: Vec<Value> = sets.iter().map(|set| shape(set)).collect();
            let all = read_lines("sets-json", &lines, field);
            prop_assert_eq!(texts(&all), &expected[..], "{}", field);
        }
        let each: Vec<Value> = sets.iter().map(|set| {
            let objects: Vec<Value> = set.iter().map(|item| json!({ "id": item })).collect();
            json!({ "tracks": objects })
        }).collect();
        prop_assert_eq!(texts(&read_lines("sets-objects", &each, "tracks[].id")), &expected[..]);

        // In Parquet all items are of one type.
        let folder = folder("sets-parquet");
        let mut strings = (ListBuilder::new(StringBuilder::new()), LargeListBuilder::new(StringBuilder::new()));
        for set in &sets {
            for value in set {
                strings.0.values().append_option(item(value));
                strings.1.values().append_option(item(value));
            }
            strings.0.append(true);
            strings.1.append(true);
        }
        let lists: [ArrayRef; 2] = [Arc::new(strings.0.finish()), Arc::new(strings.1.finish())];
        for list in lists {
            let path = folder.join("a.parquet");
            write_parquet(&path, Arc::clone(&list));
            prop_assert_eq!(texts(&read(&path, "tags")), &expected[..]);
            let batch = RecordBatch::try_from_iter_with_nullable([("tags", list, true)]).unwrap();
            let tables = Tables::one("t", vec![batch]);
            let source = Sources::of_tables(&tables).next().unwrap().unwrap();
            prop_assert_eq!(texts(&read_source(&source, &options("tags[]"))), &expected[..]);
        }
    }
}

#[test]
fn equal_numbers_are_equal_items_however_they_are_written() {
    let lines = [
        r#"{"s":[3,3.0,3e0,"3",30e-1,0.50,-0.0,1e300,true,"true"]}"#,
        r#"{"s":[true,0.5,0,1e+300,3]}"#,
    ];
    let path = folder("sets-numbers").join("a.jsonl");
    fs::write(&path, lines.join("\n")).unwrap();
    assert_eq!(read(&path, "s").texts(), ["0\n0.5\n1e300\n3\ntrue\n"; 2]);

    let folder = folder("sets-number-columns");
    let mut integers = ListBuilder::new(Int64Builder::new());
    let mut floats = FixedSizeListBuilder::new(Float64Builder::new(), 2);
    integers.append_value([Some(3), None, Some(-7)]);
    floats.values().append_slice(&[3.0, -7.0]);
    floats.append(true);
    for (name, list) in
        [("i", Arc::new(integers.finish()) as ArrayRef), ("f", Arc::new(floats.finish()))]
    {
        let path = folder.join(format!("{name}.parquet"));
        write_parquet(&path, list);
        assert_eq!(read(&path, "tags").texts(), ["-7\n3\n"], "{name}");
    }
}

#[test]
fn what_is_no_set_is_named() {
    let lines = [
        json!({ "s": [1, [2]] }),
        json!({ "s": ["a", { "b": 1 }] }),
        json!({ "s": "a" }),
        json!({ "s": null }),
        json!({ "s": { "a": 1 } }),
        json!({ "t": [1], "u": 2 }),
        json!({ "s": [] }),
    ];
    let all = read_lines("sets-faults", &lines, "s");
    let faults = [
        "line 1: field `s` is an array, but a list of strings and numbers is needed",
        "line 2: field `s` is an object, but a list of strings and numbers is needed",
        "line 3: field `s` is a string, but a list of strings and numbers is needed",
        "line 4: field `s` is null, but a list of strings and numbers is needed",
        "line 5: field `s` is an object, but a list of strings and numbers is needed",
        "line 6: field `s` is missing; it has `t`, `u`",
    ];
    for (fault, expected) in all.faults().iter().zip(faults) {
        assert!(fault.ends_with(expected), "{fault}");
    }
    assert_eq!((all.faults().len(), all.texts()), (6, vec![""]), "an empty set is one");

    let path = folder("sets-no-list").join("a.parquet");
    write_parquet(&path, Arc::new(arrow_array::StringArray::from(vec!["a"])));
    let fault = read(&path, "tags").faults()[0].to_owned();
    assert!(
        fault.ends_with(
            "field `tags[]` is of another type, but a list of strings and numbers is needed"
        ),
        "{fault}"
    );
    let missing = read(&path, "set").fatal.unwrap();
    assert!(missing.contains("has no column `set`\nhint: it has `tags`"), "{missing}");
}

#[test]
fn formats_without_lists_are_refused() {
    let folder = folder("sets-formats");
    for name in ["a.txt", "a.csv", "a.tsv", "a.html", "a.warc"] {
        let path = folder.join(name);
        fs::write(&path, "text\nx\n").unwrap();
        let source = Source::file(&path, None).unwrap();
        let mut chunks = source.chunks(&options("tags"));
        let error = chunks.next().unwrap().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NoLists { .. }), "{error}");
        assert!(
            error.to_string().contains("hint: JSON lines, Parquet and Arrow have lists"),
            "{error}"
        );
    }
    let text = Source::file(&folder.join("a.txt"), None).unwrap();
    assert!(text.text_reader(&options("tags")).is_err());
}

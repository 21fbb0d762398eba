//! Records that are written more than once.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use super::super::arrows::{Form, PACKINGS, bytes_of};
use super::super::parquets::{self, codec, strings};
use super::*;

/// A file of so many records in one of the formats that have records, `n` and a text of each.
fn source(folder: &Path, format: usize, records: usize, ends: bool) -> Source {
    let text = |n: usize| format!("text {n}");
    let lines = |header: &str, line: fn(usize, &str) -> String| {
        let lines: Vec<String> = (0..records).map(|n| line(n, &text(n))).collect();
        format!("{header}{}{}", lines.join("\n"), if ends { "\n" } else { "" })
    };
    let table = || {
        let texts: Vec<_> = (0..records).map(|n| Some(text(n))).collect();
        let numbers: Int64Array = (0_i64..).take(records).map(Some).collect();
        let columns: Vec<ArrayRef> = vec![Arc::new(numbers), strings(0, &texts)];
        let field = |name, kind| Field::new(name, kind, true);
        let fields = vec![field("n", DataType::Int64), field("text", DataType::Utf8)];
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
    };
    match format {
        0 => {
            let lines = lines("", |n, text| format!("{{\"n\":{n},\"text\":\"{text}\"}}"));
            source_of(folder, "a.jsonl", lines.as_bytes())
        }
        1 => source_of(
            folder,
            "a.csv",
            lines("n,text\n", |n, text| format!("{n},{text}")).as_bytes(),
        ),
        2 => {
            let path = folder.join("a.parquet");
            parquets::write(&path, &table(), codec(1), 7);
            Source::file(&path, None).unwrap()
        }
        _ => {
            let form = if format == 3 { Form::File } else { Form::Stream };
            let path = folder.join("a.arrow");
            fs::write(&path, bytes_of(&table(), form, PACKINGS[0], 7)).unwrap();
            Source::file(&path, None).unwrap()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn records_stand_as_often_as_they_should_one_behind_the_other(
        wishes in prop::collection::vec((any::<bool>(), 0_u32..4, any::<bool>()), 1..30),
        format in 0_usize..5,
        ends: bool,
        chunk_bytes in prop::sample::select(vec![1, 1 << 20]),
    ) {
        let folder = folder("edit-repeats");
        let source = source(&folder, format, wishes.len(), ends);
        let options = chunks_of(chunk_bytes);
        let added = [field("lookalike_n", AddedKind::Integer)];
        let mut expected = Vec::new();
        let edits: Vec<Edit> = (0..).zip(&wishes).map(|(n, (goes, repeats, is_cut))| {
            if *goes {
                return Edit::Drop;
            }
            let text = if *is_cut { format!(" {n}") } else { format!("text {n}") };
            expected.extend(std::iter::repeat_n(Some(text), *repeats as usize + 1));
            let cuts = if *is_cut { cuts(&[(0, 4)]).cuts } else { Vec::new() };
            Edit::Change(Change { cuts, values: vec![AddedValue::Integer(n)], repeats: *repeats })
        }).collect();
        let report = edited(&source, &folder.join("out"), &options, &added, &edits).unwrap();
        let repeats = edits.iter().map(|edit| match edit {
            Edit::Change(change) => u64::from(change.repeats),
            _ => 0,
        });
        prop_assert_eq!(report.repeated, repeats.sum::<u64>());
        let again = read_source(&Source::file(&report.path.unwrap(), None).unwrap(), &options);
        prop_assert_eq!(texts(&again), expected);
    }
}

#[test]
fn what_is_a_file_of_its_own_is_written_once() {
    let record = "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Type: text/plain\r\n\
                  Content-Length: 3\r\n\r\nabc\r\n\r\n";
    for (name, bytes) in [("a.txt", "abc"), ("a.html", "<p>abc</p>"), ("a.wet", record)] {
        let change = Change { repeats: 1, ..Change::default() };
        let fault = changed(name, bytes, &ReadOptions::default(), &[], vec![change]).unwrap_err();
        assert_eq!(fault, EditFault::Once, "{name}");
        assert!(fault.to_string().contains("hint: `--weight`"));
    }
}

//! `clusters.parquet` and `pairs.parquet`, read back.

use std::fs::{self, File};
use std::path::Path;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, TimestampMicrosecondType, UInt32Type, UInt64Type};
use arrow_array::{Array as _, RecordBatch};
use lookalike_core::Recipe;
use lookalike_engine::{Decide, Run};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::dedup::{folder, job, run};

/// A row of `clusters.parquet`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClusterRow {
    pub(crate) id: String,
    pub(crate) cluster: u64,
    pub(crate) size: u64,
    pub(crate) keeper: String,
    pub(crate) kept: bool,
    pub(crate) kind: String,
    pub(crate) resemblance: Option<f64>,
    pub(crate) row: u64,
    pub(crate) source: String,
    pub(crate) record: u64,
    /// Copies, exact ones, and sources.
    pub(crate) counts: [u64; 3],
    /// The first date and the last, in microseconds.
    pub(crate) dates: [Option<i64>; 2],
}

/// A row of `pairs.parquet`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PairRow {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) kind: String,
    pub(crate) b_similarity: Option<u32>,
    pub(crate) c_similarity: Option<u32>,
    pub(crate) repeats_in_common: Option<u32>,
    pub(crate) estimate: Option<f64>,
    pub(crate) resemblance: Option<f64>,
    pub(crate) containment_a: Option<f64>,
    pub(crate) containment_b: Option<f64>,
    pub(crate) difference: Option<f64>,
    pub(crate) row_a: u64,
    pub(crate) row_b: u64,
}

pub(crate) fn clusters(out: &Path) -> Vec<ClusterRow> {
    let mut rows = Vec::new();
    for batch in batches(&out.join("clusters.parquet")) {
        rows.extend((0..batch.num_rows()).map(|n| ClusterRow {
            id: text(&batch, "id", n),
            cluster: long(&batch, "cluster", n),
            size: long(&batch, "size", n),
            keeper: text(&batch, "keeper", n),
            kept: batch.column_by_name("kept").unwrap().as_boolean().value(n),
            kind: text(&batch, "kind", n),
            resemblance: float(&batch, "resemblance", n),
            row: long(&batch, "row", n),
            source: text(&batch, "source", n),
            record: long(&batch, "record", n),
            counts: ["copies", "exact_copies", "sources"].map(|name| long(&batch, name, n)),
            dates: ["first", "last"].map(|name| time(&batch, name, n)),
        }));
    }
    rows
}

/// Whether each row of `clusters.parquet` is known, and its keeper.
pub(crate) fn known(out: &Path) -> Vec<[bool; 2]> {
    let mut rows = Vec::new();
    for batch in batches(&out.join("clusters.parquet")) {
        let columns = ["known", "keeper_known"]
            .map(|name| batch.column_by_name(name).unwrap().as_boolean().clone());
        rows.extend(
            (0..batch.num_rows()).map(|n| columns.each_ref().map(|column| column.value(n))),
        );
    }
    rows
}

pub(crate) fn pairs(out: &Path) -> Vec<PairRow> {
    let mut rows = Vec::new();
    for batch in batches(&out.join("pairs.parquet")) {
        rows.extend((0..batch.num_rows()).map(|n| PairRow {
            a: text(&batch, "a", n),
            b: text(&batch, "b", n),
            kind: text(&batch, "kind", n),
            b_similarity: short(&batch, "b_similarity", n),
            c_similarity: short(&batch, "c_similarity", n),
            repeats_in_common: short(&batch, "repeats_in_common", n),
            estimate: float(&batch, "estimate", n),
            resemblance: float(&batch, "resemblance", n),
            containment_a: float(&batch, "containment_a", n),
            containment_b: float(&batch, "containment_b", n),
            difference: float(&batch, "difference", n),
            row_a: long(&batch, "row_a", n),
            row_b: long(&batch, "row_b", n),
        }));
    }
    rows
}

fn batches(path: &Path) -> Vec<RecordBatch> {
    let file = File::open(path).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    reader.map(Result::unwrap).collect()
}

fn text(batch: &RecordBatch, column: &str, row: usize) -> String {
    batch.column_by_name(column).unwrap().as_string::<i32>().value(row).to_owned()
}

fn long(batch: &RecordBatch, column: &str, row: usize) -> u64 {
    batch.column_by_name(column).unwrap().as_primitive::<UInt64Type>().value(row)
}

fn short(batch: &RecordBatch, column: &str, row: usize) -> Option<u32> {
    let column = batch.column_by_name(column).unwrap().as_primitive::<UInt32Type>();
    column.is_valid(row).then(|| column.value(row))
}

fn time(batch: &RecordBatch, column: &str, row: usize) -> Option<i64> {
    let column = batch.column_by_name(column).unwrap();
    let column = column.as_primitive::<TimestampMicrosecondType>();
    column.is_valid(row).then(|| column.value(row))
}

fn float(batch: &RecordBatch, column: &str, row: usize) -> Option<f64> {
    let column = batch.column_by_name(column).unwrap().as_primitive::<Float64Type>();
    column.is_valid(row).then(|| column.value(row))
}

/// The ids of the table, and where their records are stored.
fn offsets(out: &Path) -> Vec<(String, Option<u64>)> {
    let mut rows = Vec::new();
    for batch in batches(&out.join("clusters.parquet")) {
        let offsets = batch.column_by_name("offset").unwrap().as_primitive::<UInt64Type>();
        let offset = |n: usize| offsets.is_valid(n).then(|| offsets.value(n));
        rows.extend((0..batch.num_rows()).map(|n| (text(&batch, "id", n), offset(n))));
    }
    rows
}

#[test]
fn records_of_web_archives_have_the_place_where_they_are() {
    let folder = folder("dedup/offsets");
    let input = folder.join("in");
    fs::create_dir_all(&input).unwrap();
    let text = "a text that stands in a file of lines and in two records of an archive of the web";
    // Rows without a place come before those with one.
    let line = format!("{{\"id\": \"line\", \"text\": \"{text}\"}}\n");
    fs::write(input.join("a.jsonl"), line).unwrap();
    let record = |id: &str| {
        format!(
            "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <{id}>\r\n\
             Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n",
            text.len()
        )
    };
    fs::write(input.join("b.warc"), record("first") + &record("second")).unwrap();
    let second = record("first").len() as u64;
    let out = folder.join("out");
    let expected = [("line", None), ("<first>", Some(0)), ("<second>", Some(second))];
    let expected = expected.map(|(id, offset)| (id.to_owned(), offset));
    // `sites` learns templates first, and reads everything twice.
    for recipe in ["sites", "text"] {
        run(&job(&input).recipe(Recipe::preset(recipe).unwrap()), &out);
        assert_eq!(offsets(&out), expected, "{recipe}");
    }
    let again = folder.join("again");
    Decide::new(&out).run(&again).unwrap();
    assert_eq!(offsets(&again), expected);
    let decided = Run::open(&again).unwrap();
    for (id, offset) in expected {
        let row = decided.find(&id).unwrap().rows[0];
        assert_eq!(decided.document(row).unwrap().offset, offset, "{id}");
    }
}

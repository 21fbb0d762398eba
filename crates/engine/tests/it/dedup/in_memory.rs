//! A table in memory gives what a file of the same rows gives.

use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use lookalike_core::Sequence;
use lookalike_corpus::Tables;
use lookalike_engine::report::Report;
use lookalike_engine::{Dedup, KeepPolicy};

use crate::dedup::{LEAST_MEMORY, folder, job, results, run, words};

#[test]
fn a_table_gives_what_its_file_gives() {
    let folder = folder("dedup/in-memory");
    let mut random = Sequence::new(5, 0);
    let template = words(&mut random, 60);
    let (mut ids, mut texts, mut dates) = (Vec::new(), Vec::new(), Vec::new());
    let mut lines = String::new();
    for n in 0..600 {
        let mut words = if n % 3 == 0 { template.clone() } else { words(&mut random, 60) };
        words[n % 60] = format!("new{}", n % 7);
        let (id, text, date) = (format!("d{n}"), words.join(" "), random.next() % 1000);
        let _ = writeln!(lines, "{{\"id\":\"{id}\",\"text\":\"{text}\",\"date\":{date}}}");
        ids.push(id);
        texts.push(text);
        dates.push(date);
    }
    let file = folder.join("table.jsonl");
    fs::write(&file, lines).unwrap();
    let whole = RecordBatch::try_from_iter([
        ("date", Arc::new(UInt64Array::from(dates)) as ArrayRef),
        ("text", Arc::new(StringArray::from(texts)) as ArrayRef),
        ("id", Arc::new(StringArray::from(ids)) as ArrayRef),
    ])
    .unwrap();
    let tables = Tables::one("table", vec![whole.slice(0, 1), whole.slice(1, 599)]);

    for keep in [KeepPolicy::First, KeepPolicy::Newest("date".to_owned())] {
        let (from_file, from_memory) = (folder.join("file"), folder.join("memory"));
        let expected = run(&job(&file).keep(keep.clone()).without_survivors(), &from_file);
        let in_memory = Dedup::of_tables(tables.clone()).memory(LEAST_MEMORY).threads(2);
        let found = run(&in_memory.keep(keep), &from_memory);
        assert!(found.near_removed > 100, "{found:?}");
        let counts = |report: &Report| (report.kept, report.clusters, report.pairs);
        assert_eq!(counts(&found), counts(&expected));
        assert_eq!(found.largest_clusters.len(), expected.largest_clusters.len());
        // Only the name of the source differs.
        let signatures = |out| results(out).remove("documents.signatures").unwrap();
        assert_eq!(signatures(&from_memory), signatures(&from_file));
        let pairs = |out| results(out).remove("pairs.parquet").unwrap();
        assert_eq!(pairs(&from_memory), pairs(&from_file));
    }
}

//! The corpus of the examples: what was planted is what is found.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use lookalike_core::{Comparer, Recipe};
use lookalike_corpus::{ReadOptions, Sources};
use serde_json::Value;

use crate::dedup::tables::{ClusterRow, PairRow};
use crate::dedup::{example_corpus, files, folder, job, name, run, tables};

/// The texts of the corpus by the name of their file and their record.
fn texts() -> BTreeMap<String, Vec<u8>> {
    let corpus = example_corpus();
    let mut texts = BTreeMap::new();
    for source in Sources::new(&[name(&corpus)], None).unwrap() {
        let source = source.unwrap();
        for chunk in source.chunks(&ReadOptions::default()) {
            chunk.unwrap().for_each(|record| {
                let record = record.unwrap();
                texts.insert(place(source.name(), record.number), record.content.into_owned());
            });
        }
    }
    texts
}

fn is(file: &str, extension: &str) -> bool {
    Path::new(file).extension().is_some_and(|found| found == extension)
}

/// As the expectations name documents.
fn place(file: &str, record: u64) -> String {
    if is(file, "txt") { file.to_owned() } else { format!("{file}#{record}") }
}

fn place_of(row: &ClusterRow) -> String {
    let corpus = format!("{}/", name(&example_corpus()));
    place(row.source.strip_prefix(&corpus).unwrap(), row.record)
}

#[test]
fn what_was_planted_is_what_goes() {
    let folder = folder("dedup/planted");
    let report = run(&job(&example_corpus()), &folder.join("out"));
    let expected = fs::read(example_corpus().join("../corpus.expected.json")).unwrap();
    let expected: Value = serde_json::from_slice(&expected).unwrap();
    let rows = tables::clusters(&folder.join("out"));
    let places: BTreeMap<u64, String> = rows.iter().map(|row| (row.row, place_of(row))).collect();

    let found: BTreeSet<(String, String, String)> = rows
        .iter()
        .filter(|row| !row.kept)
        .map(|row| (places[&row.row].clone(), places[&row.cluster].clone(), row.kind.clone()))
        .collect();
    let planted = expected["removed"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let wanted: BTreeSet<(String, String, String)> = planted
        .iter()
        .map(|planted| {
            (text(&planted["document"]), text(&planted["keeper"]), text(&planted["kind"]))
        })
        .collect();
    assert_eq!(found, wanted);

    let by_place: BTreeMap<&str, f64> = planted
        .iter()
        .map(|row| (row["document"].as_str().unwrap(), row["resemblance"].as_f64().unwrap()))
        .collect();
    for row in rows.iter().filter(|row| !row.kept) {
        let planted = by_place[&*places[&row.row]];
        assert!((row.resemblance.unwrap() - planted).abs() < 1e-6, "{row:?}, planted: {planted}");
    }
    let counts = |kind: &str| wanted.iter().filter(|row| row.2 == kind).count() as u64;
    assert_eq!(report.documents, 300);
    assert_eq!(report.empty, expected["empty"].as_array().unwrap().len() as u64);
    assert_eq!((report.exact_removed, report.near_removed), (counts("exact"), counts("near")));
    assert_eq!(report.kept, 300 - wanted.len() as u64);
    assert_eq!(report.removed(), wanted.len() as u64);
    assert_eq!(report.clusters, rows.iter().filter(|row| row.kept).count() as u64);
    assert_eq!((report.skipped, report.limited), (0, None));
    assert!(report.candidates >= report.near_removed);
    let sizes: u64 = report.cluster_sizes.iter().map(|[size, clusters]| size * clusters).sum();
    assert_eq!(sizes, rows.len() as u64);
    let stored: u64 = files(&example_corpus()).values().map(|bytes| bytes.len() as u64).sum();
    assert_eq!(report.bytes_read, stored);
    assert_eq!(report.recipe_digest, Recipe::default().digest().to_string());
}

#[test]
fn every_removal_has_a_proof_that_can_be_computed_again() {
    let folder = folder("dedup/proof");
    let out = folder.join("out");
    run(&job(&example_corpus()), &out);
    let texts = texts();
    let rows = tables::clusters(&out);
    let by_row: BTreeMap<u64, &ClusterRow> = rows.iter().map(|row| (row.row, row)).collect();
    let pairs = tables::pairs(&out);
    let by_rows: BTreeMap<(u64, u64), &PairRow> =
        pairs.iter().map(|pair| ((pair.row_a, pair.row_b), pair)).collect();
    let mut comparer = Comparer::new(&Recipe::default()).unwrap();

    for row in rows.iter().filter(|row| !row.kept) {
        let keeper = by_row[&row.cluster];
        assert!(keeper.kept && keeper.id == row.keeper, "{row:?}");
        let pair = by_rows[&(row.row.min(keeper.row), row.row.max(keeper.row))];
        let [first, second] = [pair.row_a, pair.row_b].map(|row| by_row[&row]);
        assert_eq!((&pair.a, &pair.b, &pair.kind), (&first.id, &second.id, &row.kind));
        let [a, b] = [first, second].map(|row| &texts[&place_of(row)][..]);
        let truth = comparer.compare(a, b);
        assert_eq!(truth.same_tokens, row.kind == "exact", "{row:?}");
        assert!(truth.overlap.resemblance() >= 0.8, "{row:?}");
        assert_eq!(row.resemblance, Some(truth.overlap.resemblance()), "{row:?}");
        assert_eq!(pair.resemblance, row.resemblance);
        assert_eq!(pair.containment_a, Some(truth.overlap.containment_a()));
        assert_eq!(pair.containment_b, Some(truth.overlap.containment_b()));
        assert_eq!(pair.b_similarity, truth.b_similarity.map(|n| n as u32));
        assert_eq!(pair.c_similarity, None);
    }
}

/// Lines; where there are quotes, those that end within one go on.
fn records(bytes: &[u8], quotes: bool) -> Vec<Vec<u8>> {
    let (mut records, mut open): (Vec<Vec<u8>>, bool) = (Vec::new(), false);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match records.last_mut().filter(|_| open) {
            Some(record) => record.extend(line),
            None => records.push(line.to_vec()),
        }
        open ^= quotes && String::from_utf8_lossy(line).matches('"').count() % 2 == 1;
    }
    records
}

/// Names, formats, order, and every byte of what stays.
#[test]
fn survivors_are_the_records_themselves() {
    let folder = folder("dedup/survivors");
    let out = folder.join("out");
    run(&job(&example_corpus()), &out);
    let removed: BTreeSet<String> =
        tables::clusters(&out).iter().filter(|row| !row.kept).map(place_of).collect();
    let (before, after) = (files(&example_corpus()), files(&out.join("kept")));
    let expected: BTreeSet<&String> =
        before.keys().filter(|file| !removed.contains(*file)).collect();
    assert_eq!(after.keys().collect::<BTreeSet<_>>(), expected);

    for (file, bytes) in &after {
        if is(file, "txt") {
            assert_eq!(bytes, &before[file], "{file}");
        }
    }
    for (file, header) in [("notes.jsonl", 0), ("table.csv", 1)] {
        let stays = |(n, _): &(usize, Vec<u8>)| {
            *n < header || !removed.contains(&format!("{file}#{}", n + 1 - header))
        };
        let records = records(&before[file], is(file, "csv")).into_iter().enumerate();
        let expected: Vec<u8> = records.filter(stays).flat_map(|(_, record)| record).collect();
        assert_eq!(after[file], expected, "{file}");
    }
    // The packed ones, unpacked by reading them: text and fields.
    let read = |file: &Path| {
        let mut records = Vec::new();
        for source in Sources::new(&[name(file)], None).unwrap() {
            for chunk in source.unwrap().chunks(&ReadOptions::default()) {
                chunk.unwrap().for_each(|record| {
                    let record = record.unwrap();
                    let field = |name: &str| format!("{:?}", record.field(name));
                    let fields = [field("url"), field("id"), field("crawled"), field("text")];
                    records.push(fields.join(" "));
                });
            }
        }
        records
    };
    let packed = "pages.jsonl.gz";
    let all = read(&example_corpus().join(packed));
    let stay = (1..).zip(all).filter(|(n, _)| !removed.contains(&format!("{packed}#{n}")));
    let expected: Vec<String> = stay.map(|(_, record)| record).collect();
    assert_eq!(read(&out.join("kept").join(packed)), expected);
    assert!(expected.len() < 116 && after[packed].starts_with(&[0x1f, 0x8b]));
}

/// Nothing of what stays would go in a second run.
#[test]
fn survivors_have_no_look_alikes_left() {
    let folder = folder("dedup/again");
    let first = run(&job(&example_corpus()), &folder.join("first"));
    let second = run(&job(&folder.join("first/kept")), &folder.join("second"));
    assert_eq!((second.documents, second.removed()), (first.kept, 0));
}

//! `--memory` is a promise: no more is resident, but for 64 MiB.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

use lookalike_core::Sequence;

use super::{dedup, report};
use crate::folder;

/// Runs a job with the least memory that can be asked for, and checks what it took.
fn check_peak(input: &Path, out: &Path, more: &[&str]) {
    check_peak_of(128, input, out, more);
}

fn check_peak_of(mebibytes: u64, input: &Path, out: &Path, more: &[&str]) {
    let memory = format!("{mebibytes}MiB");
    let mut all = vec!["--memory", &memory];
    all.extend(more);
    dedup(&[input], out, &all).succeeds();
    let peak = report(out)["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak > 1 << 20, "a peak of {peak} bytes was not measured");
    assert!(peak <= (mebibytes + 64) << 20, "{more:?}: a peak of {} MiB", peak >> 20);
}

#[test]
fn many_tiny_documents_stay_within_the_promise() {
    let folder = folder("memory-tiny");
    let input = folder.join("in.jsonl");
    let mut lines = BufWriter::new(File::create(&input).unwrap());
    let mut random = Sequence::new(1, 1);
    for _ in 0..300_000 {
        // Of few words, so that there are copies and look-alikes.
        let words: [u64; 4] = std::array::from_fn(|_| random.next() % 100);
        let [a, b, c, d] = words;
        writeln!(lines, r#"{{"text":"a{a} b{b} c{c} a template that all have d{d}"}}"#).unwrap();
    }
    lines.into_inner().unwrap();
    check_peak(&input, &folder.join("first"), &["--threads", "8"]);
    check_peak(&input, &folder.join("longest"), &["--keep", "longest", "--no-write"]);
    assert_eq!(report(&folder.join("first"))["documents"], 300_000);
    assert!(report(&folder.join("first"))["exact_removed"].as_u64().unwrap() > 0);
}

/// Two texts that no budget could hold with their shingles: they stream.
#[test]
fn mega_documents_stay_within_the_promise() {
    let folder = folder("memory-mega");
    let input = folder.join("in");
    fs::create_dir_all(&input).unwrap();
    let mut random = Sequence::new(2, 2);
    let mut text = String::new();
    while text.len() < 40_000_000 {
        text.push_str(&(random.next() % 1_000_000).to_string());
        text.push(' ');
    }
    fs::write(input.join("a.txt"), &text).unwrap();
    text.insert_str(20_000_000, " a small change ");
    fs::write(input.join("b.txt"), &text).unwrap();
    drop(text);
    let out = folder.join("out");
    check_peak(&input, &out, &[]);
    let report = report(&out);
    assert_eq!((&report["documents"], &report["near_removed"]), (&2.into(), &1.into()));
    let resemblance = report["largest_clusters"][0]["members"][0]["resemblance"].as_f64().unwrap();
    assert!((0.99999..1.0).contains(&resemblance), "{resemblance}");
    assert!(out.join("kept/a.txt").exists() && !out.join("kept/b.txt").exists());
    let _ = fs::remove_dir_all(&folder);
}

/// However many threads there are, only so many work on long texts at once.
#[test]
fn many_mega_documents_on_many_threads_stay_within_the_promise() {
    let folder = folder("memory-threads");
    let input = folder.join("in");
    fs::create_dir_all(&input).unwrap();
    let words: Vec<String> = (0..4_000_000).map(|n: u64| (n * n % 999_983).to_string()).collect();
    let text = words.join(" ");
    assert!(text.len() > 20 << 20);
    for n in 0..6 {
        fs::write(input.join(format!("{n}.txt")), format!("number {n}: {text}")).unwrap();
    }
    drop(text);
    let out = folder.join("out");
    check_peak(&input, &out, &["--threads", "8", "--no-write"]);
    assert_eq!(report(&out)["near_removed"], 5);
    let _ = fs::remove_dir_all(&folder);
}

/// Records are held whole, in few copies, and what threads free goes back to the system.
#[test]
fn very_long_records_stay_within_the_promise() {
    let folder = folder("memory-records");
    let input = folder.join("in.jsonl");
    let mut lines = BufWriter::new(File::create(&input).unwrap());
    for n in 0_u64..6 {
        // The fourth resembles the first, and so on; an escape makes a copy of the text.
        let words = (0..3_800_000).map(|at: u64| ((at + n % 3) * at % 999_983).to_string());
        let text = words.collect::<Vec<_>>().join(" ");
        assert!(text.len() > 24 << 20);
        writeln!(lines, r#"{{"text":"number {n}:\n{text}"}}"#).unwrap();
    }
    lines.into_inner().unwrap();
    let out = folder.join("out");
    check_peak_of(256, &input, &out, &["--threads", "8"]);
    assert_eq!(report(&out)["near_removed"], 3);
    let _ = fs::remove_dir_all(&folder);
}

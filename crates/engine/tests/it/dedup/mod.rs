//! The whole job, from files to files, against a naive twin of it.

mod changing;
mod equals_reference;
mod example;
mod in_memory;
mod in_order;
mod known;
mod limits;
mod links;
mod lost;
mod near_misses;
mod projected;
mod recall;
mod reference;
mod same_bytes;
mod sets;
mod sites;
mod stopped_signing;
mod tables;
mod three_ways;
mod traps;
mod written;
mod wrong_field;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lookalike_core::Sequence;
use lookalike_engine::Dedup;
use lookalike_engine::report::Report;

use crate::folder;

/// The least memory that a job can have, and a little for documents.
const LEAST_MEMORY: u64 = 65 << 20;

/// The corpus of the examples.
fn example_corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/corpus").canonicalize().unwrap()
}

fn name(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// A job on one file or folder.
fn job(input: &Path) -> Dedup {
    Dedup::new([name(input)]).memory(LEAST_MEMORY).threads(2)
}

/// Runs a job into a folder that is new.
fn run(job: &Dedup, out: &Path) -> Report {
    let _ = fs::remove_dir_all(out);
    job.run(out).unwrap()
}

/// All files below a folder, by their names there.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() {
                walk(&path, &format!("{name}/"), files);
            } else {
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut all = BTreeMap::new();
    if folder.exists() {
        walk(folder, "", &mut all);
    }
    all
}

/// The results that no circumstance may change.
fn results(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = files(out);
    assert!(!files.keys().any(|name| name.ends_with(".partial") || name.starts_with("work/")));
    files.retain(|name, _| !["report.json", "report.html", "manifest.json"].contains(&&**name));
    files
}

/// Words from a small vocabulary.
fn words(random: &mut Sequence, count: usize) -> Vec<String> {
    (0..count).map(|_| format!("w{}", random.next() % 4000)).collect()
}

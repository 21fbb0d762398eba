//! Evaluations, from files to tables.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod agreement;
mod equal_recall;
mod equals_naive;
mod labels;
mod naive;
mod sample;
mod where_wrong;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use naive::{Judgement, Page};

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("eval").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn name(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn write_pages(path: &Path, pages: &[Page]) {
    let mut lines = String::new();
    for Page { id, url, text } in pages {
        let page = serde_json::json!({ "id": id, "url": url, "text": text });
        writeln!(lines, "{page}").unwrap();
    }
    fs::write(path, lines).unwrap();
}

fn write_labels(path: &Path, judgements: &[Judgement]) {
    let mut lines = String::new();
    for Judgement { a, b, label, weight, reason } in judgements {
        let label = serde_json::json!({
            "a": a, "b": b, "label": label, "weight": weight, "reason": reason,
        });
        writeln!(lines, "{label}").unwrap();
    }
    fs::write(path, lines).unwrap();
}

/// A page of its own words, so many.
fn page(id: &str, words: std::ops::Range<u32>) -> Page {
    let words: Vec<String> = words.map(|n| format!("word{n}")).collect();
    Page { id: id.to_owned(), url: None, text: words.join(" ") }
}

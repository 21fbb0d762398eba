//! `lookalike dedup`.

mod bad_input;
mod beside;
mod damaged;
mod edges;
#[cfg(target_os = "linux")]
mod faults;
mod forged;
mod full_disk;
mod hostile;
mod killed;
mod memory;
mod options;
mod panics;
mod unreadable;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use flate2::write::GzEncoder;
use lookalike_core::Sequence;
use parquet::arrow::ArrowWriter;
use serde_json::json;

use crate::{Run, files, report, run};

/// Runs the job on these inputs, with more options.
fn dedup(inputs: &[&Path], out: &Path, more: &[&str]) -> Run {
    let mut arguments = vec!["dedup"];
    arguments.extend(inputs.iter().map(|input| input.to_str().unwrap()));
    arguments.extend(["--out", out.to_str().unwrap()]);
    arguments.extend(more);
    run(&arguments)
}

/// The results, which nothing but the request and the inputs may change.
fn results(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = files(out);
    for name in ["report.json", "report.html", "manifest.json"] {
        assert!(files.remove(name).is_some(), "{name}");
    }
    let left: Vec<_> = files
        .keys()
        .filter(|name| is_partial(name) || name.starts_with("work") || *name == "job.lock")
        .collect();
    assert!(left.is_empty(), "{left:?}");
    files
}

fn is_partial(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "partial")
}

fn partial_files(folder: &Path) -> Vec<String> {
    files(folder).into_keys().filter(|name| is_partial(name)).collect()
}

/// Documents of a few hundred words; two in three are look-alikes of others.
fn texts(seed: u64, count: usize) -> Vec<String> {
    let mut random = Sequence::new(seed, 0);
    let mut word = |kinds: u64| format!("w{}", random.next() % kinds);
    let fresh: Vec<Vec<String>> =
        (0..count.div_ceil(3)).map(|_| (0..200).map(|_| word(20_000)).collect()).collect();
    (0..count)
        .map(|n| {
            let mut words = fresh[n % fresh.len()].clone();
            if n % 4 > 0 {
                words[n % 200] = word(100);
            }
            words.join(" ")
        })
        .collect()
}

fn json_lines(name: &str, texts: &[String]) -> Vec<u8> {
    let mut lines = Vec::new();
    for (n, text) in texts.iter().enumerate() {
        let line = json!({"id": format!("{name}-{n}"), "text": text, "n": n, "é": [null, 1.50]});
        writeln!(lines, "{line}").unwrap();
    }
    lines
}

fn table(name: &str, delimiter: char, texts: &[String]) -> Vec<u8> {
    let mut lines = format!("n{delimiter}id{delimiter}text\n").into_bytes();
    for (n, text) in texts.iter().enumerate() {
        writeln!(lines, "{n}{delimiter}{name}-{n}{delimiter}{text}").unwrap();
    }
    lines
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn write_parquet(path: &Path, name: &str, texts: &[String]) {
    let ids: StringArray = (0..texts.len()).map(|n| Some(format!("{name}-{n}"))).collect();
    let texts: StringArray = texts.iter().map(Some).collect();
    let columns: [(&str, ArrayRef); 2] = [("id", Arc::new(ids)), ("text", Arc::new(texts))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// A corpus of all formats, with look-alikes within and across its files.
fn mixed_corpus(folder: &Path, documents: usize) {
    fs::create_dir_all(folder.join("letters")).unwrap();
    let texts = texts(7, documents);
    let mut shares = texts.chunks(documents.div_ceil(7));
    let mut share = || shares.next().unwrap_or_default();
    fs::write(folder.join("a.jsonl"), json_lines("a", share())).unwrap();
    fs::write(folder.join("b.jsonl.gz"), gzip(&json_lines("b", share()))).unwrap();
    fs::write(folder.join("c.csv"), table("c", ',', share())).unwrap();
    fs::write(folder.join("d.tsv"), table("d", '\t', share())).unwrap();
    write_parquet(&folder.join("e.parquet"), "e", share());
    let packed = zstd::encode_all(&*json_lines("f", share()), 3).unwrap();
    fs::write(folder.join("f.ndjson.zst"), packed).unwrap();
    for (n, text) in share().iter().take(8).enumerate() {
        fs::write(folder.join(format!("letters/{n}.txt")), text).unwrap();
    }
}

//! A whole job on objects of a real server, compared with the same job on the files.
//!
//! `ci/tests.sh` starts the server and sets the environment. Without it
//! these tests fail rather than pass for nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use lookalike_corpus::{FieldValue, ReadOptions, Source};

use crate::{Run, files, folder, lookalike, root};

const BUCKET: &str = "s3://examples";

/// Makes a bucket of the folder.
fn put(folder: &Path, bucket: &str) {
    let python = std::env::var("OBJECT_STORES_PYTHON").expect("run ./test tests");
    let script = root().join("crates/corpus/tests/it/object_stores/store.py");
    let status = Command::new(python).arg(script).arg("put").arg(folder).arg(bucket).status();
    assert!(status.unwrap().success());
}

/// What a job left behind.
#[derive(Debug, PartialEq)]
struct Results {
    /// The files of `kept/`, by their names.
    kept: BTreeMap<String, Vec<u8>>,
    /// The documents of clusters, each with its keeper, and whether it stays.
    clusters: BTreeSet<(String, String, bool)>,
}

/// Runs the job in the folder of its results, and leaves out what ids begin with.
fn dedup(input: &str, name: &str) -> Results {
    let prefix = input.trim_end_matches('/');
    let out = folder(&format!("object_stores/{name}"));
    let mut job = lookalike(&["dedup", input, "--out", "."]);
    Run::of(&job.current_dir(&out).output().unwrap()).succeeds();
    let kept = files(&out.join("kept"));
    Results { kept, clusters: clusters(&out.join("clusters.parquet"), prefix) }
}

fn clusters(table: &Path, prefix: &str) -> BTreeSet<(String, String, bool)> {
    let mut options = ReadOptions::default();
    "keeper".clone_into(&mut options.fields.text);
    options.fields.others = vec!["kept".to_owned()];
    let mut rows = BTreeSet::new();
    for chunk in Source::file(table, None).unwrap().chunks(&options) {
        chunk.unwrap().for_each(|record| {
            let record = record.unwrap();
            let short = |id: &str| id.strip_prefix(prefix).unwrap_or(id).to_owned();
            let Some(FieldValue::Bool(kept)) = record.field("kept") else { panic!("no `kept`") };
            let keeper = std::str::from_utf8(&record.content).unwrap();
            rows.insert((short(&record.id), short(keeper), kept));
        });
    }
    rows
}

#[test]
fn a_job_on_objects_equals_one_on_files() {
    put(&root().join("examples"), BUCKET.strip_prefix("s3://").unwrap());
    let there = dedup(&format!("{BUCKET}/corpus/"), "there");
    let here = dedup(root().join("examples/corpus").to_str().unwrap(), "here");
    assert!(here.clusters.iter().any(|(_, _, kept)| !kept), "some go");
    assert!(here.clusters.iter().any(|(id, ..)| id.starts_with("/letters/")), "by path");
    assert!(here.kept.len() > 3);
    assert_eq!(there.clusters, here.clusters);
    assert_eq!(there.kept.keys().collect::<Vec<_>>(), here.kept.keys().collect::<Vec<_>>());
    assert!(there == here, "the same bytes in all files that are kept");
}

/// The server of the tests speaks no TLS, so that a connection which wants it fails in its first bytes.
#[test]
fn connections_are_encrypted_where_the_address_says_so() {
    let endpoint = std::env::var("AWS_ENDPOINT_URL").expect("run ./test tests");
    let mut job = lookalike(&["dedup", "s3://examples/corpus/", "--dry-run", "--out", "nowhere"]);
    job.env("AWS_ENDPOINT_URL", endpoint.replace("http://", "https://"));
    Run::of(&job.output().unwrap()).fails_with("s3://examples/corpus");
}

//! Working files that are damaged, or another job's, between two parts of a job.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::json;

use super::{dedup, files, json_lines, results, texts};
use crate::folder;

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    for (name, bytes) in files(from) {
        let path = to.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// Whether a flip in this file can matter: tables are written again.
fn is_read_again(name: &str) -> bool {
    !["clusters.parquet", "pairs.parquet", "work/report-sites"].contains(&name)
}

/// The job ends as if nothing had happened, or with an error that names the file.
#[test]
fn every_flip_in_every_file_is_found() {
    let folder = folder("damaged");
    let (input, fresh, stopped) = (folder.join("in"), folder.join("fresh"), folder.join("stopped"));
    fs::create_dir_all(&input).unwrap();
    let lines = texts(1, 60).into_iter().enumerate().map(|(n, text)| {
        let url = format!("https://www.site{}.example/{n}", n % 3);
        json!({"id": n.to_string(), "text": text, "url": url, "part": n % 2}).to_string() + "\n"
    });
    fs::write(input.join("a.jsonl"), lines.collect::<String>()).unwrap();
    for (number, more) in [
        &["--keep", "longest", "--max-removed-per-source", "part=1"][..],
        &["--recipe", "sites"],
        &["--recipe", "henzinger-sites"],
    ]
    .into_iter()
    .enumerate()
    {
        let _ = fs::remove_dir_all(&fresh);
        let _ = fs::remove_dir_all(&stopped);
        dedup(&[&input], &fresh, more).succeeds();
        let expected: BTreeMap<_, _> = results(&fresh);
        let mut stop = more.to_vec();
        stop.extend(["--max-removed", "0"]);
        dedup(&[&input], &stopped, &stop).fails_with("would be removed");
        let left = files(&stopped);
        assert!(left.len() > 8, "{:?}", left.keys());
        let mut resume = more.to_vec();
        resume.push("--resume");
        for (name, bytes) in left.iter().filter(|(name, _)| is_read_again(name)) {
            let mut places: Vec<usize> = (0..5).map(|n| n * (bytes.len() - 1) / 4).collect();
            places.extend([9, 13].into_iter().filter(|at| *at < bytes.len()));
            places.sort_unstable();
            places.dedup();
            for at in places {
                let out = folder.join("out");
                copy(&stopped, &out);
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << (at % 8);
                fs::write(out.join(name), flipped).unwrap();
                let run = dedup(&[&input], &out, &resume);
                if run.code == 0 {
                    assert!(results(&out) == expected, "{number}: {name} at {at}: other results");
                } else {
                    let file = name.rsplit('/').next().unwrap();
                    assert_eq!(run.code, 2, "{name} at {at}: {}", run.stderr);
                    assert!(run.stderr.contains(file), "{name} at {at}: {}", run.stderr);
                    assert!(!run.stderr.contains("bug in the program"), "{}", run.stderr);
                }
            }
        }
    }
}

/// A file of another job is whole in itself, and an error.
#[test]
fn a_file_of_another_job_is_an_error() {
    let folder = folder("foreign");
    let outs = [1, 2].map(|seed| {
        let (input, out) = (folder.join(format!("in-{seed}")), folder.join(format!("out-{seed}")));
        fs::create_dir_all(&input).unwrap();
        fs::write(input.join("a.jsonl"), json_lines("a", &texts(seed, 60))).unwrap();
        dedup(&[&input], &out, &["--max-removed", "0"]).fails_with("would be removed");
        (input, out)
    });
    let [(input, out), (_, other)] = &outs;
    for name in ["work/keepers", "work/pairs", "work/elements", "documents.signatures"] {
        let own = fs::read(out.join(name)).unwrap();
        fs::copy(other.join(name), out.join(name)).unwrap();
        let run = dedup(&[input], out, &["--resume"]);
        run.fails_with("is not the file that this job left");
        assert!(run.stderr.contains(name), "{}", run.stderr);
        fs::write(out.join(name), own).unwrap();
    }
    assert_eq!(dedup(&[input], out, &["--resume"]).code, 0);
}

//! Bad input is counted and named, or an error that says what to do; never a panic, and never
//! anything half-written.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{
    dedup, files, gzip, json_lines, mixed_corpus, partial_files, report, results, texts,
    write_parquet,
};
use crate::{Run, folder, root};

/// A file that cannot be read, or not all of it.
struct Bad {
    name: &'static str,
    bytes: Vec<u8>,
    /// Documents that can be read all the same, and what cannot.
    documents: u64,
    skipped: u64,
    /// What is said of the first fault, after the path.
    said: &'static str,
}

fn bad(
    name: &'static str,
    bytes: impl Into<Vec<u8>>,
    (documents, skipped): (u64, u64),
    said: &'static str,
) -> Bad {
    Bad { name, bytes: bytes.into(), documents, skipped, said }
}

/// Parquet whose footer says nonsense.
fn parquet_without_footer(folder: &Path) -> Vec<u8> {
    let path = folder.join("whole");
    write_parquet(&path, "p", &texts(1, 5));
    let mut bytes = fs::read(&path).unwrap();
    let end = bytes.len() - 8;
    bytes[end - 200..end].fill(0xee);
    bytes
}

fn bad_files(folder: &Path) -> Vec<Bad> {
    let lines = json_lines("x", &texts(3, 60));
    let packed = zstd::encode_all(&*lines, 3).unwrap();
    let mut too_long = br#"{"text":"good"}"#.to_vec();
    too_long.extend(
        br#"
{"text":""#,
    );
    too_long.resize(too_long.len() + (64 << 20), b'a');
    too_long.extend(b"\"}\n{\"text\":\"good too\"}\n");
    vec![
        bad("cut.jsonl.zst", &packed[..packed.len() / 2], (0, 1), ": is broken"),
        bad("cut.txt.gz", &gzip(&lines)[..500], (0, 1), ": is broken"),
        bad("footer.parquet", parquet_without_footer(folder), (0, 1), ": is broken"),
        bad("none.parquet", "", (0, 1), ": is broken"),
        bad("fake.jsonl.gz", "no gzip at all", (0, 1), ": is broken"),
        bad(
            "half.jsonl",
            "{\"text\":\"whole\"}\n{\"text\":\"hal",
            (1, 1),
            " line 2: is not a JSON",
        ),
        bad(
            "types.jsonl",
            "{\"text\":5}\n{\"text\":null}\n{\"text\":[\"a\"]}\n{\"id\":1}\n7\n[]\n\n{\"text\":\"x\"}\n",
            (1, 6),
            " line 1: field `text` is a number, but a string is needed",
        ),
        bad("array.json", "[{\"text\":\"a\"}]", (0, 1), ": is a JSON array"),
        bad("columns.csv", "id,text\n1,a,b\n2\n3,good\n", (1, 2), " record 1: has 3 columns"),
        bad("quote.csv", "id,text\n1,good\n2,\"open\n3,x\n", (1, 1), " record 2: has a quote"),
        bad("header.csv", "id,body\n1,a\n", (0, 1), ": has no column `text`"),
        bad("long.jsonl", too_long, (2, 1), " line 2: is longer than the limit"),
    ]
}

/// Together with files that are good, so that these are seen to be read to the end.
#[test]
fn bad_files_are_skipped_counted_and_named() {
    let folder = folder("bad");
    let good = folder.join("good.jsonl");
    fs::write(&good, json_lines("good", &texts(9, 6))).unwrap();
    for Bad { name, bytes, documents, skipped, said } in bad_files(&folder) {
        let (file, out) = (folder.join(name), folder.join("out"));
        let _ = fs::remove_dir_all(&out);
        fs::write(&file, &bytes).unwrap();
        let run = dedup(&[&file, &good], &out, &[]);
        assert_eq!(run.code, 3, "{name}: {}", run.stderr);
        let told = format!("lookalike: skipped: `{}`{said}", file.display());
        assert!(run.stderr.starts_with(&told), "{name}: {}", run.stderr);
        let report = report(&out);
        assert_eq!(report["skipped"], skipped, "{name}");
        assert_eq!(report["documents"], documents + 6, "{name}");
        let example = report["skipped_examples"][0].as_str().unwrap();
        assert!(example.contains(said), "{name}: {example}");
        let by_fault = report["skipped_by_fault"].as_array().unwrap();
        assert_eq!(by_fault.iter().map(|f| f["records"].as_u64().unwrap()).sum::<u64>(), skipped);
        let results = results(&out);
        assert!(results.contains_key("kept/good.jsonl"));
        assert!(results[&format!("kept/{name}")] == bytes, "{name}: stays as it is");

        fs::remove_dir_all(&out).unwrap();
        let run = dedup(&[&file, &good], &out, &["--strict"]);
        run.fails_with(&format!("`{}`{said}", file.display()));
        let left = ["manifest.json", "recipe.toml", "work/signing.journal"];
        assert_eq!(files(&out).into_keys().collect::<Vec<_>>(), left);
        fs::remove_file(&file).unwrap();
    }
}

/// All of what can be read of a file that breaks off, and the same with any memory.
#[test]
fn the_beginning_of_a_truncated_file_is_read() {
    let folder = folder("truncated");
    let packed = fs::read(root().join("examples/corpus/pages.jsonl.gz")).unwrap();
    let (file, out) = (folder.join("cut.jsonl.gz"), folder.join("out"));
    fs::write(&file, &packed[..packed.len() / 2]).unwrap();
    let mut kept = None;
    for memory in ["128MiB", "1GiB"] {
        let _ = fs::remove_dir_all(&out);
        let run = dedup(&[&file], &out, &["--memory", memory, "--threads", "2"]);
        assert_eq!(run.code, 3, "{}", run.stderr);
        let documents = report(&out)["documents"].as_u64().unwrap();
        assert!((20..116).contains(&documents), "{documents}");
        let results = results(&out);
        assert_eq!(kept.get_or_insert_with(|| results.clone()), &results);
    }
    // The mirror is whole.
    dedup(&[&out.join("kept")], &folder.join("again"), &["--strict"]).succeeds();
    assert_eq!(report(&folder.join("again"))["documents"], report(&out)["kept"]);
}

/// Bytes that are no text are no fault of a document: it stays as it is.
#[test]
fn strange_bytes_survive() {
    let folder = folder("strange");
    let input = folder.join("in");
    fs::create_dir_all(&input).unwrap();
    fs::write(input.join("latin.txt"), b"caf\xe9 \xff\xfe words").unwrap();
    fs::write(input.join("nul.jsonl"), b"{\"text\":\"a \\u0000 b\"}\n{\"text\":\"\xff c\"}\n")
        .unwrap();
    fs::write(input.join("latin.csv"), b"text\ncaf\xe9\nna\xefve\n").unwrap();
    let out = folder.join("out");
    dedup(&[&input], &out, &[]).succeeds();
    assert_eq!(report(&out)["documents"], 5);
    assert_eq!(files(&out.join("kept")), files(&input));
}

#[test]
fn only_bad_records_are_no_documents() {
    let folder = folder("only-bad");
    fs::write(folder.join("in.jsonl"), "not\njson\n").unwrap();
    let run = dedup(&[&folder.join("in.jsonl")], &folder.join("out"), &[]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    run.shows("nothing could be read: 2 skipped");
    assert!(!run.stdout.contains("stay"), "{}", run.stdout);
    let report = report(&folder.join("out"));
    assert_eq!((&report["documents"], &report["skipped"]), (&0.into(), &2.into()));
    assert_eq!(fs::read(folder.join("out/kept/in.jsonl")).unwrap(), b"not\njson\n");
    let dropped = folder.join("dropped");
    assert_eq!(dedup(&[&folder.join("in.jsonl")], &dropped, &["--drop-unreadable"]).code, 3);
    assert_eq!(fs::read(dropped.join("kept/in.jsonl")).unwrap(), b"");
}

#[cfg(unix)]
#[test]
fn links_to_nothing_are_skipped_in_folders_and_refused_by_name() {
    let folder = folder("links");
    let input = folder.join("in");
    // A folder is one, whatever its name.
    fs::create_dir_all(input.join("x.jsonl")).unwrap();
    fs::write(input.join("x.jsonl/a.txt"), "some words").unwrap();
    std::os::unix::fs::symlink("nowhere", input.join("y.jsonl")).unwrap();
    let run = dedup(&[&input], &folder.join("out"), &[]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    run.says("y.jsonl`: is a link to nothing");
    assert_eq!(report(&folder.join("out"))["documents"], 1);
    assert!(folder.join("out/kept/x.jsonl/a.txt").exists());
    let strict = dedup(&[&input], &folder.join("strict"), &["--strict"]);
    strict.fails_with("y.jsonl`: is a link to nothing");
    let missing = dedup(&[&input.join("y.jsonl")], &folder.join("by-name"), &[]);
    missing.fails_with("y.jsonl`: cannot be read");
    assert!(!folder.join("by-name").exists());
}

/// Stops a job before it writes, by a removal budget.
fn stopped(folder: &Path) -> [PathBuf; 2] {
    let [input, out] = ["in", "out"].map(|name| folder.join(name));
    mixed_corpus(&input, 70);
    dedup(&[&input], &out, &["--max-removed", "0"]).fails_with("would be removed");
    [input, out]
}

#[test]
fn an_input_that_changes_meanwhile_is_an_error() {
    let folder = folder("changed");
    let [input, out] = stopped(&folder);
    let mut file = OpenOptions::new().append(true).open(input.join("a.jsonl")).unwrap();
    std::io::Write::write_all(&mut file, b"{\"text\":\"one more\"}\n").unwrap();
    let run = dedup(&[&input], &out, &["--resume"]);
    run.fails_with("a.jsonl`: has changed since it was signed");
    run.says("hint: start again");
    assert!(!out.join("kept/a.jsonl").exists() && !out.join("report.json").exists());
    assert_eq!(partial_files(&out), Vec::<String>::new());
}

#[test]
fn an_input_that_vanishes_meanwhile_is_an_error() {
    let folder = folder("vanished");
    let [input, out] = stopped(&folder);
    fs::remove_file(input.join("e.parquet")).unwrap();
    dedup(&[&input], &out, &["--resume"]).fails_with("e.parquet`: ");
    assert!(!out.join("kept/e.parquet").exists() && !out.join("report.json").exists());
    assert_eq!(partial_files(&out), Vec::<String>::new());
}

/// Files that may not grow beyond a size stand for a disk that is full, at every stage.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_the_job_goes_on_later() {
    let folder = folder("full");
    let input = folder.join("in");
    mixed_corpus(&input, 700);
    let undisturbed = folder.join("undisturbed");
    assert_eq!(dedup(&[&input], &undisturbed, &[]).code, 0);
    let largest = files(&undisturbed).values().map(Vec::len).max().unwrap() as u64;
    let mut stages = std::collections::BTreeSet::new();
    for share in [0.001, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 0.9] {
        let out = folder.join("out");
        let _ = fs::remove_dir_all(&out);
        let bytes = (largest as f64 * share) as u64;
        // The signal that comes with the error would end the program before it could say so.
        let command = format!(
            "trap '' XFSZ; exec prlimit --fsize={bytes} {} dedup {} --out {}",
            env!("CARGO_BIN_EXE_lookalike"),
            input.display(),
            out.display()
        );
        let run = Run::of(&Command::new("sh").args(["-c", &command]).output().unwrap());
        run.fails_with("cannot be written: File too large");
        assert!(run.stderr.contains("with --resume to go on"), "{share}: {}", run.stderr);
        assert_eq!(partial_files(&out), Vec::<String>::new(), "{share}");
        assert!(!out.join("report.json").exists(), "{share}");
        for (name, bytes) in files(&out) {
            if !name.starts_with("work/") && name != "manifest.json" {
                assert_eq!(files(&undisturbed)[&name], bytes, "{share}: {name}");
            }
        }
        stages.insert(files(&out).len());
        let resume = if out.join("manifest.json").exists() { &["--resume"][..] } else { &[] };
        let run = dedup(&[&input], &out, resume);
        assert_eq!(run.code, 0, "{share}: {}", run.stderr);
        assert!(results(&out) == results(&undisturbed), "{share}");
    }
    assert!(stages.len() > 2, "it was full at few stages only: {stages:?}");
}

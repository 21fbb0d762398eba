//! A disk that fails, and a system that refuses: that is no fault of an input.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{dedup, mixed_corpus, partial_files, results};
use crate::{Run, folder, lookalike, root};

/// What the system says, by the calls that say it.
const FAULTS: [(&str, i32, &str); 3] = [
    // EMFILE, EIO, EACCES.
    ("open", 24, "Too many open files"),
    ("read", 5, "Input/output error"),
    ("list", 13, "Permission denied"),
];

/// The library that refuses calls.
fn library(folder: &Path) -> PathBuf {
    let library = folder.join("faults.so");
    let source = root().join("crates/cli/tests/it/dedup/faults.c");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(source)
        .arg("-ldl")
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    library
}

/// At every call that opens, reads or lists inputs, in all stages: the job ends with an error, and
/// goes on to the same results when the fault is mended. Nothing counts as skipped.
#[test]
fn what_the_system_refuses_ends_the_job_which_goes_on_later() {
    let folder = folder("faults");
    let (input, out) = (folder.join("in"), folder.join("out"));
    mixed_corpus(&input, 21);
    let undisturbed = folder.join("undisturbed");
    assert_eq!(dedup(&[&input], &undisturbed, &["--threads", "1"]).code, 0);
    let undisturbed = results(&undisturbed);
    let library = library(&folder);
    for (call, number, said) in FAULTS {
        let mut at = 0;
        loop {
            at += 1;
            let mark = folder.join("mark");
            let _ = (fs::remove_file(&mark), fs::remove_dir_all(&out));
            let [from, to] = [&input, &out].map(|path| path.to_str().unwrap());
            let mut command = lookalike(&["dedup", from, "--out", to, "--threads", "1"]);
            command.env("LD_PRELOAD", &library).env("FAULT_FOLDER", &input);
            command.env("FAULT_CALL", call).env("FAULT_AT", at.to_string());
            command.env("FAULT_ERROR", number.to_string()).env("FAULT_MARK", &mark);
            let run = Run::of(&command.output().unwrap());
            if !mark.exists() {
                assert_eq!(run.code, 0, "{}", run.stderr);
                break;
            }
            if run.code == 0 {
                // The report reads the beginnings of documents: it had them, and asked no further.
                assert!(call == "read" && results(&out) == undisturbed, "{at}: {}", run.stderr);
                continue;
            }
            run.fails_with(said);
            assert!(run.stderr.contains(from), "{call} {at}: {}", run.stderr);
            assert!(!run.stderr.contains("skipped"), "{call} {at}: {}", run.stderr);
            assert!(!out.join("report.json").exists(), "{call} {at}");
            assert_eq!(partial_files(&out), Vec::<String>::new(), "{call} {at}");
            let resume = if out.join("manifest.json").exists() {
                assert!(run.stderr.contains("--resume goes on"), "{}", run.stderr);
                &["--threads", "1", "--resume"][..]
            } else {
                &["--threads", "1"]
            };
            let run = dedup(&[&input], &out, resume);
            assert_eq!(run.code, 0, "{call} {at}: {}", run.stderr);
            assert!(results(&out) == undisturbed, "{call} {at}");
        }
        // Each file is opened three times, and the folder has one below it.
        let least = if call == "list" { 2 } else { 12 };
        assert!(at > least, "{call}: refused only {at} times");
    }
}

//! A disk that fails, and a system that refuses: that is no fault of an input.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{dedup, mixed_corpus, partial_files, results};
use crate::{Run, folder, lookalike, root};

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

/// Calls that are refused.
struct Fault {
    call: &'static str,
    /// The number of the error, and what the system says.
    error: i32,
    said: &'static str,
    /// The fewest of such calls that a job makes.
    least: usize,
}

const fn fault(call: &'static str, error: i32, said: &'static str, least: usize) -> Fault {
    Fault { call, error, said, least }
}

const TOO_MANY: &str = "Too many open files";
const FAILED: &str = "Input/output error";

/// Refuses each of these calls in turn, below the folder of inputs or that of results. The job
/// ends with an error that names the file, and goes on to the same results when the fault is
/// mended. It may go on where `is_harmless` says so of the call and the file.
fn refuse_each(
    name: &str,
    below: &str,
    faults: &[Fault],
    is_harmless: impl Fn(&str, &Path) -> bool,
) {
    let folder = folder(&format!("faults-{name}"));
    let (input, out) = (folder.join("in"), folder.join("out"));
    mixed_corpus(&input, 21);
    let undisturbed = folder.join("undisturbed");
    assert_eq!(dedup(&[&input], &undisturbed, &["--threads", "1"]).code, 0);
    let undisturbed = results(&undisturbed);
    let (library, mark) = (library(&folder), folder.join("mark"));
    for Fault { call, error, said, least } in faults {
        for at in 1.. {
            let _ = (fs::remove_file(&mark), fs::remove_dir_all(&out));
            let [from, to] = [&input, &out].map(|path| path.to_str().unwrap());
            let mut command = lookalike(&["dedup", from, "--out", to, "--threads", "1"]);
            command.env("LD_PRELOAD", &library).env("FAULTS_BELOW", folder.join(below));
            command.env("FAULTS_CALL", call).env("FAULTS_AT", at.to_string());
            command.env("FAULTS_ERROR", error.to_string()).env("FAULTS_MARK", &mark);
            let run = Run::of(&command.output().unwrap());
            let Ok(refused) = fs::read_to_string(&mark) else {
                assert_eq!(run.code, 0, "{}", run.stderr);
                assert!(at > *least, "{call}: refused only {at} times");
                break;
            };
            let refused = Path::new(&refused);
            let place = format!("{call} {at}, {}: {}", refused.display(), run.stderr);
            if run.code == 0 {
                assert!(is_harmless(call, refused), "{place}");
                // What could not be removed may still be there.
                assert_eq!(dedup(&[&input], &out, &["--threads", "1", "--resume"]).code, 0);
                assert!(results(&out) == undisturbed, "{place}");
                continue;
            }
            run.fails_with(said);
            assert!(run.stderr.contains(folder.join(below).to_str().unwrap()), "{place}");
            assert!(!run.stderr.contains("skipped"), "{place}");
            assert_eq!(partial_files(&out), Vec::<String>::new(), "{place}");
            let resume = if out.join("manifest.json").exists() {
                assert!(run.stderr.contains("with --resume to go on"), "{place}");
                &["--threads", "1", "--resume"][..]
            } else {
                &["--threads", "1"]
            };
            let run = dedup(&[&input], &out, resume);
            assert_eq!(run.code, 0, "{place}, and then: {}", run.stderr);
            assert!(results(&out) == undisturbed, "{place}");
        }
    }
}

#[test]
fn what_the_system_refuses_of_inputs_ends_the_job_which_goes_on_later() {
    // Each file is opened three times, and the folder has one below it.
    let faults = [
        fault("open", 24, TOO_MANY, 12),
        fault("read", 5, FAILED, 12),
        fault("list", 13, "Permission denied", 2),
    ];
    // The report reads the beginnings of documents: it had them, and asked no further.
    refuse_each("inputs", "in", &faults, |call, _| call == "read");
}

#[test]
fn what_the_system_refuses_of_results_ends_the_job_which_goes_on_later() {
    let faults = [
        fault("mkdir", 13, "Permission denied", 2),
        fault("open", 24, TOO_MANY, 60),
        fault("read", 5, FAILED, 30),
        fault("write", 28, "No space left on device", 30),
        fault("sync", 5, FAILED, 40),
        fault("rename", 5, FAILED, 20),
    ];
    // Not to be removed: there is no more to do with it. And no result needs the journal.
    refuse_each("results", "out", &faults, |call, file| {
        (call == "open" && file.ends_with("out/work"))
            || (call == "write" && file.ends_with("out/work/signing.journal"))
    });
}

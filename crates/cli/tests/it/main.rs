//! The command line from outside: what it prints where, and how it exits.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod against;
mod collapse_links;
mod compare;
mod decide;
mod dedup;
mod documents;
mod eval;
mod general;
mod help;
mod index;
mod info;
mod lost;
mod mirrors;
mod noisy;
#[cfg(feature = "object-stores")]
mod object_stores;
mod pages;
mod passages;
mod sentences;
mod serve;
mod sets;
mod sketch;
mod templates;
mod tune;
mod view;
mod warcs;
mod why;
mod written;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// The program, in the root of the repository and with nothing of the tester's environment that
/// matters to it.
fn lookalike(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
    command.args(arguments).current_dir(root());
    command.env_remove("LOOKALIKE_KERNEL").env_remove("NO_COLOR").env_remove("TERM");
    command
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder of this test's own: nobody else may ask for one of this name.
#[track_caller]
fn folder(name: &str) -> PathBuf {
    static OWNERS: Mutex<BTreeMap<String, &Location<'_>>> = Mutex::new(BTreeMap::new());
    let caller = Location::caller();
    let mut owners = OWNERS.lock().unwrap_or_else(PoisonError::into_inner);
    let owner = *owners.entry(name.to_owned()).or_insert(caller);
    drop(owners);
    assert_eq!(owner, caller, "two tests would share the folder `{name}`");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

/// A value on each line.
fn json_values(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// All files below a folder, by their names there.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(at).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// What a job in this folder reported.
fn report(out: &Path) -> Value {
    serde_json::from_slice(&fs::read(out.join("report.json")).unwrap()).unwrap()
}

/// How a run ended and what it said.
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Run {
    fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    fn json(&self) -> Value {
        assert_eq!(self.stdout.lines().count(), 1, "one object on one line");
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// Done: code 0.
    fn succeeds(self) -> Self {
        assert_eq!(self.code, 0, "{}", self.stderr);
        self
    }

    /// This is on stderr.
    fn says(&self, text: &str) {
        assert!(self.stderr.contains(text), "`{text}` is not in: {}", self.stderr);
    }

    /// This is on stdout.
    fn shows(&self, text: &str) {
        assert!(self.stdout.contains(text), "`{text}` is not in: {}", self.stdout);
    }

    /// An error: code 2, nothing on stdout, and this in a message of ours.
    fn fails_with(&self, message: &str) {
        assert_eq!((self.code, self.stdout.as_str()), (2, ""), "{}", self.stderr);
        assert!(self.stderr.starts_with("lookalike: "), "{}", self.stderr);
        self.says(message);
        assert!(!self.stderr.contains("panicked") && !self.stderr.contains("Error {"));
    }
}

fn run(arguments: &[&str]) -> Run {
    Run::of(&lookalike(arguments).output().unwrap())
}

/// With something to read on standard input.
fn run_with_input(arguments: &[&str], input: &[u8]) -> Run {
    let mut command = lookalike(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that fails early does not read, which is no fault of the test.
    let _ = child.stdin.take().unwrap().write_all(input);
    Run::of(&child.wait_with_output().unwrap())
}

//! A job that is killed at any moment goes on where it was, and ends as if nothing had happened.

#![expect(clippy::disallowed_methods, reason = "when to kill depends on how long a run takes")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{dedup, files, is_partial, mixed_corpus, partial_files, results};
use crate::{Run, folder, lookalike};

fn start(arguments: &[&str]) -> Child {
    let mut command = lookalike(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// What is under a final name is complete: the same as in the end, or whole in itself.
fn check_nothing_is_half_written(out: &Path, undisturbed: &BTreeMap<String, Vec<u8>>) {
    for (name, bytes) in files(out) {
        if name.starts_with("work/") || name == "job.lock" || is_partial(&name) {
            continue;
        }
        match &*name {
            "manifest.json" | "report.json" => {
                serde_json::from_slice::<serde_json::Value>(&bytes).unwrap();
            }
            "report.html" => assert!(bytes.ends_with(b"</html>\n"), "{name}"),
            _ => assert!(undisturbed.get(&name) == Some(&bytes), "{name} is not what it will be"),
        }
    }
}

struct Runs {
    folder: PathBuf,
    input: String,
    undisturbed: BTreeMap<String, Vec<u8>>,
    duration: Duration,
    kills: u32,
}

impl Runs {
    fn new(folder: PathBuf, more: &[&str]) -> Self {
        let input = folder.join("in");
        mixed_corpus(&input, 1500);
        let began = Instant::now();
        let run = dedup(&[&input], &folder.join("undisturbed"), more);
        let duration = began.elapsed();
        assert_eq!(run.code, 0, "{}", run.stderr);
        let undisturbed = results(&folder.join("undisturbed"));
        assert!(undisturbed.keys().filter(|name| name.starts_with("kept/")).count() > 5);
        let input = input.to_str().unwrap().to_owned();
        Self { folder, input, undisturbed, duration, kills: 0 }
    }

    /// One job, killed again and again, after these shares of an undisturbed run.
    fn disturbed(&mut self, number: usize, shares: &[f64], more: &[&str]) {
        let out = self.folder.join(format!("out-{number}"));
        let name = out.to_str().unwrap().to_owned();
        let mut arguments = vec!["dedup", &self.input, "--out", &name];
        arguments.extend(more);
        for share in shares {
            // The first may have been killed before it left anything.
            let mut arguments = arguments.clone();
            if out.join("manifest.json").exists() {
                arguments.push("--resume");
            }
            let mut child = start(&arguments);
            std::thread::sleep(self.duration.mul_f64(*share));
            let ended = child.try_wait().unwrap();
            child.kill().unwrap();
            child.wait().unwrap();
            check_nothing_is_half_written(&out, &self.undisturbed);
            if let Some(status) = ended {
                assert_eq!(status.code(), Some(0));
                break;
            }
            self.kills += 1;
        }
        arguments.push("--resume");
        Run::of(&lookalike(&arguments).output().unwrap()).succeeds();
        assert!(results(&out) == self.undisturbed, "run {number} ended with other results");
        fs::remove_dir_all(&out).unwrap();
    }
}

/// Shares all over a run: the golden ratio leaves no gaps.
fn shares(first: usize, count: usize, longest: f64) -> Vec<f64> {
    (first..first + count).map(|n| (n as f64 * 0.618_034).fract() * longest).collect()
}

#[test]
fn a_hundred_kills_change_nothing() {
    let mut runs = Runs::new(folder("killed"), &[]);
    let temp = runs.folder.join("temp");
    let temp = temp.to_str().unwrap();
    let variants: [&[&str]; 4] =
        [&[], &["--threads", "1"], &["--threads", "5", "--memory", "128MiB"], &["--temp", temp]];
    for number in 0.. {
        if runs.kills >= 100 {
            break;
        }
        // A long one first, then short ones: resumed runs have less left to do.
        let mut kills = shares(number, 1, 1.0);
        kills.extend(shares(7 * number, 12, 0.5));
        runs.disturbed(number, &kills, variants[number % variants.len()]);
    }
}

/// The same where the order is not that of the input.
#[test]
fn kills_under_another_keep_policy_change_nothing() {
    let jobs: [(&str, &[&str]); 2] = [
        ("killed-longest", &["--keep", "longest", "--pairs", "all"]),
        ("killed-lost", &["--lost", "0.1", "--keep-count", "2"]),
    ];
    for (name, more) in jobs {
        let mut runs = Runs::new(folder(name), more);
        for number in 0..3 {
            runs.disturbed(number, &shares(5 * number, 6, 0.7), more);
        }
        assert!(runs.kills > 3, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing_half_written_and_says_how_to_go_on() {
    let folder = folder("interrupted");
    let (input, out) = (folder.join("in"), folder.join("out"));
    mixed_corpus(&input, 4000);
    let undisturbed = folder.join("undisturbed");
    assert_eq!(dedup(&[&input], &undisturbed, &[]).code, 0);
    let arguments = ["dedup", input.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let child = start(&arguments);
    // Once there is a manifest the job listens.
    while !out.join("manifest.json").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let told = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(told.unwrap().success());
    let run = Run::of(&child.wait_with_output().unwrap());
    assert_eq!((run.code, &*run.stdout), (130, ""), "{}", run.stderr);
    assert!(run.stderr.starts_with("lookalike: interrupted"), "{}", run.stderr);
    run.says("hint: run the same command with --resume to go on");
    assert_eq!(partial_files(&out), Vec::<String>::new());
    assert!(!out.join("report.json").exists() && !out.join("kept").exists());

    assert_eq!(dedup(&[&input], &out, &["--resume"]).code, 0);
    assert!(results(&out) == results(&undisturbed));
}

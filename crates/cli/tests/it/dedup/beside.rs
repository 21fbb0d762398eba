//! Jobs beside each other: one folder of working files for all, and one job for a folder of results.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use super::{dedup, files, json_lines, results, texts};
use crate::{Run, folder, lookalike};

/// Two corpora, and what becomes of each where nobody else is about.
fn alone(folder: &Path) -> [(String, std::collections::BTreeMap<String, Vec<u8>>); 2] {
    [1, 2].map(|seed| {
        let input = folder.join(format!("in-{seed}"));
        fs::create_dir_all(&input).unwrap();
        fs::write(input.join("a.jsonl"), json_lines("a", &texts(seed, 900))).unwrap();
        let out = folder.join(format!("alone-{seed}"));
        assert_eq!(dedup(&[&input], &out, &[]).code, 0);
        (input.to_str().unwrap().to_owned(), results(&out))
    })
}

fn start(arguments: &[&str]) -> Child {
    let mut command = lookalike(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// `x/out` and `y/out` with one `--temp`: each has its own working files.
#[test]
fn two_jobs_with_one_temp_know_nothing_of_each_other() {
    let folder = folder("beside");
    let corpora = alone(&folder);
    let temp = folder.join("temp");
    let temp = temp.to_str().unwrap();
    let out = ["x", "y"].map(|name| folder.join(name).join("out"));
    let outs = [0, 1].map(|n| out[n].to_str().unwrap().to_owned());
    let command = |n: usize, more: &[&'static str]| {
        let mut all = vec!["dedup", &corpora[n].0, "--out", &outs[n], "--temp", temp];
        all.extend(more);
        all.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let of = |arguments: &[String]| start(&arguments.iter().map(|a| &**a).collect::<Vec<_>>());
    for _ in 0..3 {
        let jobs = [of(&command(0, &[])), of(&command(1, &[]))];
        for (n, job) in jobs.into_iter().enumerate() {
            Run::of(&job.wait_with_output().unwrap()).succeeds();
            assert!(results(&out[n]) == corpora[n].1, "{n} is as if it were alone");
            fs::remove_dir_all(&out[n]).unwrap();
        }
    }
    // Stopped after the decision, one after the other, and taken up again in the same order.
    for n in [0, 1] {
        let stop = command(n, &["--max-removed", "0"]);
        let run = Run::of(&of(&stop).wait_with_output().unwrap());
        run.fails_with("would be removed");
    }
    assert!(!files(Path::new(temp)).is_empty(), "both have working files");
    for n in [0, 1] {
        Run::of(&of(&command(n, &["--resume"])).wait_with_output().unwrap()).succeeds();
        assert!(results(&out[n]) == corpora[n].1, "{n} goes on with its own decisions");
    }
    assert!(files(Path::new(temp)).is_empty());
}

/// The lock goes with the process, also if that is killed.
#[test]
fn a_folder_of_results_has_one_job_at_a_time() {
    let folder = folder("one-job");
    let (out, slow) = (folder.join("out"), folder.join("slow.jsonl"));
    let arguments = ["dedup", "-", "--format", "jsonl", "--out", out.to_str().unwrap()];
    // It waits for its input, and so is at work for as long as the test wants.
    let mut command = lookalike(&arguments);
    let mut job = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    while !out.join("manifest.json").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    fs::write(&slow, json_lines("a", &texts(1, 30))).unwrap();
    for more in [&[][..], &["--resume"]] {
        let refused = dedup(&[&slow], &out, more);
        refused.fails_with(&format!("`{}`: another job is working in this folder", out.display()));
    }
    job.kill().unwrap();
    job.wait().unwrap();
    // It had no results yet, so that nothing is in the way.
    assert_eq!(dedup(&[&slow], &out, &[]).code, 0);
}

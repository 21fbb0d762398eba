//! What must not matter does not: threads, memory, kernels, the order of inputs, chunks.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_core::recipe::Verify;
use lookalike_core::{Given as _, Kernel, Recipe, Sequence};
use lookalike_corpus::ReadOptions;
use lookalike_engine::report::Report;
use lookalike_engine::{Dedup, ErrorKind, KeepPolicy, Observer, PairScope};

use crate::dedup::equals_reference::made_when_needed;
use crate::dedup::{example_corpus, folder, job, name, results, run, words};

/// The example corpus and files with many look-alikes, so that all stages have work.
fn corpus(folder: &Path) -> Vec<String> {
    let mut random = Sequence::new(11, 0);
    let mut inputs = vec![name(&example_corpus())];
    let templates: Vec<Vec<String>> = (0..20).map(|_| words(&mut random, 60)).collect();
    for file in ["z.jsonl", "b.csv", "m.tsv", "long.md"] {
        let mut lines = vec![if file == "z.jsonl" { "" } else { "id\ttext\n" }.to_owned()];
        for n in 0..400 {
            let mut words = templates[random.next() as usize % templates.len()].clone();
            for _ in 0..random.next() % 5 {
                let at = random.next() as usize % words.len();
                words[at] = format!("new{}", random.next() % 1000);
            }
            let words = words.join(" ");
            lines.push(match file {
                "z.jsonl" => format!("{{\"text\":\"{words}\",\"id\":\"{file}-{n}\"}}\n"),
                _ => format!("{file}-{n}\t{words}\n"),
            });
        }
        let mut text = lines.concat();
        if file == "b.csv" {
            text = text.replace('\t', ",");
        }
        let path = folder.join(file);
        fs::write(&path, text).unwrap();
        inputs.push(name(&path));
    }
    inputs
}

/// The combined algorithm, for texts of 60 words.
fn combined() -> Recipe {
    let mut recipe = Recipe::preset("henzinger-combined").unwrap();
    recipe.shingles.width = 3;
    recipe
}

/// By the words in their order.
fn in_order() -> Recipe {
    Recipe { verify: Verify::Difference, threshold: 0.9, ..Recipe::default() }
}

fn jobs(inputs: &[String]) -> Vec<(&'static str, Dedup)> {
    let plain = Dedup::new(inputs.iter().cloned()).memory(128 << 20).threads(2);
    vec![
        ("first", plain.clone()),
        ("longest", plain.clone().keep(KeepPolicy::Longest)),
        ("three of each", plain.clone().keep(KeepPolicy::Longest).keep_count(3)),
        ("lost", plain.clone().lost(0.3)),
        ("words in order", plain.clone().recipe(in_order())),
        ("projections made when needed", plain.clone().recipe(made_when_needed(combined()))),
        ("all pairs", plain.pairs(PairScope::All)),
    ]
}

#[test]
fn threads_memory_and_kernels_do_not_matter() {
    let folder = folder("dedup/same");
    for (what, job) in jobs(&corpus(&folder)) {
        let out = folder.join("out");
        let report = run(&job, &out);
        assert!(report.exact_removed > 10 && report.near_removed > 100, "{report:?}");
        let expected = results(&out);
        for threads in [1, 8] {
            run(&job.clone().threads(threads), &out);
            assert_eq!(results(&out), expected, "{what}: {threads} threads");
        }
        for memory in [crate::dedup::LEAST_MEMORY, 4 << 30] {
            run(&job.clone().memory(memory), &out);
            assert_eq!(results(&out), expected, "{what}: {memory} bytes");
        }
        for kernel in Kernel::available() {
            run(&job.clone().kernel(kernel), &out);
            assert_eq!(results(&out), expected, "{what}: {}", kernel.name());
        }
    }
}

#[test]
fn the_order_of_inputs_does_not_matter() {
    let folder = folder("dedup/order");
    let mut inputs = corpus(&folder);
    let out = folder.join("out");
    run(&Dedup::new(inputs.clone()), &out);
    let expected = results(&out);
    for _ in 0..inputs.len() {
        inputs.rotate_left(1);
        run(&Dedup::new(inputs.clone()), &out);
        assert_eq!(results(&out), expected, "{inputs:?}");
    }
}

#[test]
fn chunks_and_folders_for_working_do_not_matter() {
    let folder = folder("dedup/chunks");
    let inputs = corpus(&folder);
    let out = folder.join("out");
    let job = Dedup::new(inputs).threads(3);
    run(&job, &out);
    let expected = results(&out);
    for chunk_bytes in [100, 1000, 30_000] {
        let mut read = ReadOptions::default();
        read.chunk_bytes = chunk_bytes;
        run(&job.clone().read_options(read), &out);
        assert_eq!(results(&out), expected, "{chunk_bytes} bytes");
    }
    let temp = folder.join("temp");
    run(&job.temp(temp.clone()), &out);
    assert_eq!(results(&out), expected);
    assert!(crate::dedup::files(&temp).is_empty(), "working files are gone");
}

/// Stops a job when it has asked so many times whether to.
struct StopsAfter(AtomicU64);

impl Observer for StopsAfter {
    fn cancelled(&self) -> bool {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        left == 0
    }
}

#[test]
fn a_job_that_was_stopped_again_and_again_does_not_matter() {
    let folder = folder("dedup/stopped");
    for (what, job) in jobs(&corpus(&folder)) {
        let (undisturbed, out): (PathBuf, PathBuf) = (folder.join("undisturbed"), folder.join("o"));
        let _ = fs::remove_dir_all(&out);
        run(&job, &undisturbed);
        let mut stops = 0;
        // Each time a little further.
        for patience in 0.. {
            let stop = StopsAfter(AtomicU64::new(patience));
            match job.clone().when(patience > 0, Dedup::resume).run_observed(&out, &stop) {
                Ok(_) => break,
                Err(error) => assert!(matches!(error.kind(), ErrorKind::Interrupted), "{error}"),
            }
            stops += 1;
            assert!(crate::dedup::files(&out).keys().all(|name| !name.ends_with(".partial")));
        }
        assert!(stops > 10, "{what}: only {stops} stops");
        assert_eq!(results(&out), results(&undisturbed), "{what}");
    }
}

/// The report that is answered from is the one that was written.
#[test]
fn a_finished_job_is_not_run_again() {
    let folder = folder("dedup/finished");
    let out = folder.join("out");
    run(&job(&example_corpus()), &out);
    let before = crate::dedup::files(&out);
    let resumed = job(&example_corpus()).resume().run(&out).unwrap();
    assert_eq!(resumed, Report::read(out.join("report.json")).unwrap());
    assert_eq!(crate::dedup::files(&out), before);
    let error = job(&example_corpus()).run(&out).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::RunExists(_)), "{error}");
}

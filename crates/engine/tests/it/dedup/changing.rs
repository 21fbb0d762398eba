//! Inputs that change while a job reads them.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use lookalike_engine::{Dedup, ErrorKind, Observer, Stage};

use crate::dedup::{files, folder, job};

/// Does something once, as soon as a stage has read the beginning of a file.
struct Meddler<F> {
    stage: Stage,
    at: Mutex<Option<Stage>>,
    is_done: AtomicBool,
    meddle: F,
}

impl<F: Fn() + Sync> Observer for Meddler<F> {
    fn begin(&self, stage: Stage, _: Option<lookalike_engine::Work>) {
        *self.at.lock().unwrap() = Some(stage);
    }

    fn read(&self, bytes: u64) {
        let is_there = bytes > 0 && *self.at.lock().unwrap() == Some(self.stage);
        if is_there && !self.is_done.swap(true, Ordering::Relaxed) {
            (self.meddle)();
        }
    }
}

/// Enough for many chunks, with look-alikes, so that there is something to verify.
fn write_input(path: &Path) {
    let mut out = File::create(path).unwrap();
    for n in 0..30_000_u64 {
        let words: Vec<String> = (0..12).map(|i| format!("w{}", (n / 2 * 7 + i) % 9_973)).collect();
        writeln!(out, "{{\"id\":{n},\"text\":\"{} {}\"}}", words.join(" "), n % 2).unwrap();
    }
}

/// Runs a job on a file that is meddled with during a stage, which must not go unnoticed.
fn meddled(input: &Path, stage: Stage, job: &Dedup, meddle: impl Fn() + Sync) {
    let out = input.with_file_name("out");
    let _ = fs::remove_dir_all(&out);
    let (at, is_done) = (Mutex::new(None), AtomicBool::new(false));
    let meddler = Meddler { stage, at, is_done, meddle };
    let error = job.run_observed(&out, &meddler).unwrap_err();
    assert!(meddler.is_done.into_inner(), "{stage}: nothing was read");
    let named = |path: &Path| path == input;
    assert!(
        matches!(error.kind(), ErrorKind::InputChanged(path) if named(path)),
        "{stage}: {error}"
    );
    assert!(!files(&out).keys().any(|name| name.starts_with("kept/") || name == "report.json"));
}

#[test]
fn an_input_that_grows_or_is_replaced_while_it_is_read_is_an_error() {
    let folder = folder("dedup/changing");
    let input = folder.join("in.jsonl");
    let job = job(&input);
    for stage in [Stage::Sign, Stage::Verify] {
        write_input(&input);
        meddled(&input, stage, &job, || {
            let mut file = File::options().append(true).open(&input).unwrap();
            file.write_all(b"{\"text\":\"one more\"}\n").unwrap();
        });

        write_input(&input);
        meddled(&input, stage, &job, || fs::remove_file(&input).unwrap());
    }
}

/// Not even by a file of the same size and time.
#[cfg(unix)]
#[test]
fn an_input_that_is_replaced_by_its_like_is_an_error() {
    let folder = folder("dedup/replaced");
    let (input, other) = (folder.join("in.jsonl"), folder.join("other"));
    write_input(&input);
    meddled(&input, Stage::Sign, &job(&input), || {
        let bytes = fs::read(&input).unwrap();
        fs::write(&other, bytes.to_ascii_uppercase()).unwrap();
        let before = fs::metadata(&input).unwrap();
        let times = fs::FileTimes::new().set_modified(before.modified().unwrap());
        File::options().write(true).open(&other).unwrap().set_times(times).unwrap();
        fs::rename(&other, &input).unwrap();
        let after = fs::metadata(&input).unwrap();
        assert_eq!((before.len(), before.modified().ok()), (after.len(), after.modified().ok()));
    });
}

//! What benchmarks of whole jobs share: times of stages, memory, disk, and a folder to work in.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What the program and its buffers may take beyond the budget.
const ALLOWANCE: u64 = 64 << 20;

/// What is measured.
pub(crate) struct Scale {
    pub(crate) documents: u32,
    /// Bytes of memory for the whole job.
    pub(crate) memory: usize,
    /// Where a work folder is made.
    pub(crate) folder: PathBuf,
    /// Threads that work, where several can.
    pub(crate) threads: usize,
}

/// Runs a job in a folder of its own, which checks its answers; the report.
pub(crate) fn measure(
    scale: &Scale,
    run: impl FnOnce(&Scale, &Path) -> Result<(Stages, String), Failure>,
) -> Result<String, Failure> {
    let folder = WorkFolder::create(&scale.folder)?;
    let done = AtomicBool::new(false);
    let most = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| watch(folder.path(), &done, &most));
        let outcome = run(scale, folder.path());
        done.store(true, Ordering::Relaxed);
        let (stages, summary) = outcome?;
        report(scale, &stages, &summary, most.load(Ordering::Relaxed))
    })
}

fn report(scale: &Scale, stages: &Stages, summary: &str, disk: u64) -> Result<String, Failure> {
    let documents = f64::from(scale.documents);
    let mut out = format!(
        "{} documents in {} MiB on {} threads; answers checked\n",
        scale.documents,
        scale.memory >> 20,
        scale.threads
    );
    out += summary;
    let mut line = |stage: &str, seconds: f64, processor: f64| {
        let rate = documents / seconds;
        let _ = writeln!(
            out,
            "{stage:28}{seconds:10.2} s{processor:10.2} s of processor{rate:12.0} documents/s"
        );
    };
    let (mut seconds, mut processor) = (0.0, 0.0);
    for (number, &(stage, clock, own)) in stages.times.iter().enumerate() {
        line(stage, clock, own);
        if number > 0 {
            (seconds, processor) = (seconds + clock, processor + own);
        }
    }
    line("all after the signatures", seconds, processor);
    let peak = peak_memory();
    let mib = |bytes: u64| bytes >> 20;
    if let Some(peak) = peak {
        let _ = writeln!(out, "{:28}{:10} MiB", "peak memory", mib(peak));
    }
    let _ = writeln!(out, "{:28}{:10} MiB", "peak disk", mib(disk));
    match peak {
        Some(peak) if peak > scale.memory as u64 + ALLOWANCE => Err(Failure::Wrong(format!(
            "{out}more memory than the budget and {} MiB",
            mib(ALLOWANCE)
        ))),
        _ => Ok(out),
    }
}

/// Why there is no report.
pub(crate) enum Failure {
    /// It could not be measured.
    Broken(String),
    /// An answer was wrong, or the budget was not kept.
    Wrong(String),
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::Broken(message)
    }
}

impl From<lookalike_engine::Error> for Failure {
    fn from(error: lookalike_engine::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

/// Times of stages, in order: by the clock, and of the processor.
pub(crate) struct Stages {
    last: (Instant, f64),
    times: Vec<(&'static str, f64, f64)>,
}

impl Stages {
    pub(crate) fn start() -> Self {
        Self { last: (now(), processor_seconds()), times: Vec::new() }
    }

    /// Ends a stage.
    pub(crate) fn end(&mut self, stage: &'static str) {
        let end = (now(), processor_seconds());
        self.times.push((stage, (end.0 - self.last.0).as_secs_f64(), end.1 - self.last.1));
        self.last = end;
    }
}

/// What the process took of the processor so far; 0 where the system does not say.
///
/// On a machine that others use too, it says more than the clock.
pub(crate) fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which is in parentheses, and eleven other fields: user and system, in
    // hundredths of a second.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

#[expect(clippy::disallowed_methods, reason = "measuring is what this is for")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// The most memory that the process had; `None` where the system does not say.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

/// Notes the most bytes that the files of a folder have.
fn watch(folder: &Path, done: &AtomicBool, most: &AtomicU64) {
    while !done.load(Ordering::Relaxed) {
        most.fetch_max(bytes_below(folder), Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The bytes of all files below a folder; of a file with several names once for each.
fn bytes_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = |entry: fs::DirEntry| match entry.metadata() {
        Ok(about) if about.is_dir() => bytes_below(&entry.path()),
        Ok(about) => about.len(),
        Err(_) => 0,
    };
    entries.map(bytes).sum()
}

/// A folder that is removed with its owner.
pub(crate) struct WorkFolder(PathBuf);

impl WorkFolder {
    pub(crate) fn create(parent: &Path) -> Result<Self, String> {
        let path = parent.join(format!("lookalike-scale-{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|error| format!("`{}`: {error}", path.display()))?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        // What cannot be removed is left to whoever cleans the parent.
        let _ = fs::remove_dir_all(&self.0);
    }
}

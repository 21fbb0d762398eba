//! From a signature file to clusters at scale: time, memory and disk, with every answer checked.
//!
//! Writes a real signature file of synthetic documents, finds identity sets,
//! groups and clusters as a job does, and compares all of it with what was
//! planted. The judge knows what was planted, so that the time is that of the
//! engine alone.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lookalike_core::{Recipe, Signature};
use lookalike_engine::group::{Copies, identity_sets};
use lookalike_engine::matching::{
    Candidate, Clustering, Clusters, Evidence, Judge, Pairs, Plan, Verdict, cluster, write_groups,
};
use lookalike_engine::signature_file::{SignatureReader, SignatureWriter};
use lookalike_engine::{Existing, Result as EngineResult};

use crate::planted::{Document, FEATURES, Planted};

/// What the program and its buffers may take beyond the budget.
const ALLOWANCE: u64 = 64 << 20;

/// What is measured.
pub(crate) struct Scale {
    pub(crate) documents: u32,
    /// Bytes of memory for the whole job.
    pub(crate) memory: usize,
    /// Where a work folder is made.
    pub(crate) folder: PathBuf,
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
struct Stages {
    last: (Instant, f64),
    times: Vec<(&'static str, f64, f64)>,
}

impl Stages {
    fn start() -> Self {
        Self { last: (now(), processor_seconds()), times: Vec::new() }
    }

    /// Ends a stage.
    fn end(&mut self, stage: &'static str) {
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

/// Accepts what was planted.
struct PlantedJudge(Planted);

impl Judge for PlantedJudge {
    fn judge(
        &mut self,
        candidates: &mut dyn FnMut() -> EngineResult<Option<Candidate>>,
        verdict: &mut dyn FnMut(Candidate, Verdict) -> EngineResult<()>,
    ) -> EngineResult<()> {
        while let Some(candidate) = candidates()? {
            let of = match self.0.document(candidate.later) {
                Document::Near { of, .. } => Some(of),
                _ => None,
            };
            let accepted = of == Some(candidate.earlier);
            let rule = Verdict::Accepted(Evidence::Rule);
            verdict(candidate, if accepted { rule } else { Verdict::Refused })?;
        }
        Ok(())
    }
}

/// Measures and checks; the report.
pub(crate) fn measure(scale: &Scale) -> Result<String, Failure> {
    let folder = WorkFolder::create(&scale.folder)?;
    let done = AtomicBool::new(false);
    let most = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| watch(&folder.0, &done, &most));
        let outcome = measure_in(scale, &folder.0);
        done.store(true, Ordering::Relaxed);
        let (stages, summary) = outcome?;
        report(scale, &stages, &summary, most.load(Ordering::Relaxed))
    })
}

fn measure_in(scale: &Scale, folder: &Path) -> Result<(Stages, String), Failure> {
    let planted = Planted { seed: 1 };
    let documents = u64::from(scale.documents);
    // Keepers and bits are part of the job's memory.
    let resident = documents as usize * 9 / 2;
    let Some(budget) = scale.memory.checked_sub(resident).filter(|&budget| budget >= 1 << 20)
    else {
        let message = format!("{documents} documents take {resident} bytes and some to work in");
        return Err(Failure::Broken(message));
    };
    let file = |name: &str| folder.join(name);
    let signatures = file("signatures");
    let mut stages = Stages::start();
    write_signatures(&signatures, planted, scale.documents)?;
    stages.end("signature file");

    let copies = identity_sets(&file("copies"), folder, budget, documents, |push| {
        each_row(&signatures, |place, signature| push(place, signature.exact))
    })?;
    stages.end("identity sets");

    let groups = file("groups");
    let mut passes = ["groups: counting", "groups: filling"].into_iter();
    let counts = write_groups(&groups, folder, budget, documents, |push| {
        each_row(&signatures, |place, signature| {
            if copies.is_copy(place) { Ok(()) } else { push(place, &signature.features) }
        })?;
        stages.end(passes.next().unwrap_or("groups"));
        Ok(())
    })?;
    stages.end("groups: merging");

    let plan = Plan {
        groups: &groups,
        clustering: Clustering::Anchored,
        judged: Pairs::default(),
        pairs: &file("pairs"),
        keepers: &file("keepers"),
        folder,
        budget,
    };
    let clusters = cluster(&plan, &mut PlantedJudge(planted), &|_| ())?;
    stages.end("rounds");

    check(planted, &copies, &clusters)?;
    let mut summary = String::new();
    let _ = writeln!(
        summary,
        "{} keys, {} sorted, {} groups, the largest of {}; {} copies; {} candidates, {} pairs, \
         {} rounds; {} groups beyond the limit",
        counts.keys,
        counts.records,
        counts.groups,
        counts.largest,
        copies.count(),
        clusters.candidates,
        clusters.pairs,
        clusters.rounds,
        clusters.limited.groups,
    );
    Ok((stages, summary))
}

fn write_signatures(path: &Path, planted: Planted, documents: u32) -> Result<(), Failure> {
    let recipe = Recipe::default();
    if recipe.features.is_none_or(|filter| filter.k() as usize != FEATURES) {
        return Err(Failure::Broken(format!("the recipe `text` has not {FEATURES} features")));
    }
    let mut writer = SignatureWriter::create(path, &recipe, Existing::Replace)?;
    let (mut signature, mut id) = (Signature::default(), String::new());
    for place in 0..documents {
        id.clear();
        let _ = write!(id, "{place}");
        planted.sign(place, &mut signature);
        writer.push(&id, &signature)?;
    }
    writer.finish()?;
    Ok(())
}

fn each_row(
    path: &Path,
    mut visit: impl FnMut(u32, &Signature) -> EngineResult<()>,
) -> EngineResult<()> {
    let mut reader = SignatureReader::open(path)?;
    let (mut id, mut signature) = (String::new(), Signature::default());
    let mut place = 0;
    while reader.read(&mut id, &mut signature)? {
        visit(place, &signature)?;
        place += 1;
    }
    Ok(())
}

/// Everything planted was found, and nothing else.
fn check(planted: Planted, copies: &Copies, clusters: &Clusters) -> Result<(), Failure> {
    let mut list = copies.list()?;
    for (place, &keeper) in (0..).zip(&clusters.keepers) {
        let (copy_of, expected) = match planted.document(place) {
            Document::Copy { of } => (Some(of), place),
            Document::Near { of, .. } => (None, of),
            Document::Original | Document::Template => (None, place),
        };
        let wrong = |what: &str| Err(Failure::Wrong(format!("document {place}: {what}")));
        if copies.is_copy(place) != copy_of.is_some() {
            return wrong("is a copy, or is taken for one");
        }
        if let Some(of) = copy_of
            && list.next()?.is_none_or(|copy| (copy.copy, copy.representative) != (place, of))
        {
            return wrong("is a copy of another one");
        }
        if keeper != expected {
            return wrong(&format!("{keeper} stands for it, and not {expected}"));
        }
    }
    Ok(())
}

fn report(scale: &Scale, stages: &Stages, summary: &str, disk: u64) -> Result<String, Failure> {
    let documents = f64::from(scale.documents);
    let mut out =
        format!("{} documents in {} MiB; answers checked\n", scale.documents, scale.memory >> 20);
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
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let bytes = files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum();
        most.fetch_max(bytes, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(20));
    }
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

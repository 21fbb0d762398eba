//! Files of postings in the making: written, merged on a thread, or made anew.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crate::error::{Error, Operation, Result};
use crate::postings::merge::{due, merge};
use crate::postings::{Posting, Run, RunEntry, RunWriter};
use crate::state::Runs;

/// A merge on a thread of its own.
pub(crate) struct Merging {
    pub(crate) inputs: Vec<Arc<Run>>,
    /// The documents that are left out.
    pub(crate) holes: Arc<HashSet<u64>>,
    stop: Arc<AtomicBool>,
    pub(crate) thread: JoinHandle<Result<Option<Run>>>,
}

impl Merging {
    pub(crate) fn start(
        inputs: &[Arc<Run>],
        holes: HashSet<u64>,
        folder: PathBuf,
        id: u64,
    ) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let holes = Arc::new(holes);
        let (runs, stopped, left_out) = (inputs.to_vec(), Arc::clone(&stop), Arc::clone(&holes));
        let thread = std::thread::spawn(move || merge(&runs, &left_out, &folder, id, &stopped));
        Self { inputs: inputs.to_vec(), holes, stop, thread }
    }

    /// What came of it. `None` if it was stopped.
    pub(crate) fn join(self) -> Result<Option<Run>> {
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// Ends it; what it wrote is removed.
    pub(crate) fn abandon(self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Ok(Some(run)) = self.join() {
            let _ = fs::remove_file(run.path());
        }
    }
}

/// Writes the postings of all documents anew, beside the runs that are there. Without
/// [`finish`](Self::finish) nothing is left of it.
pub(crate) struct NewRuns {
    folder: PathBuf,
    next_id: u64,
    /// Postings of a run as it is first written.
    run_postings: usize,
    postings: Vec<Posting>,
    /// The first document that is in no run yet.
    first: u64,
    runs: Vec<Arc<Run>>,
}

impl NewRuns {
    pub(crate) fn new(folder: PathBuf, next_id: u64, run_postings: usize) -> Self {
        Self { folder, next_id, run_postings, postings: Vec::new(), first: 0, runs: Vec::new() }
    }

    /// Adds the keys of a document. Numbers ascend.
    pub(crate) fn push(&mut self, number: u64, keys: Vec<u64>) -> Result<()> {
        if self.postings.len() >= self.run_postings {
            self.write(number)?;
        }
        self.postings.extend(keys.into_iter().map(|key| Posting { key, number }));
        Ok(())
    }

    /// The runs of all documents below `end`, and the number of the next run.
    pub(crate) fn finish(mut self, end: u64) -> Result<(Vec<Arc<Run>>, u64)> {
        if self.first < end {
            self.write(end)?;
            if self.runs.len() > 1 {
                self.merge(0..self.runs.len())?;
            }
        }
        Ok((std::mem::take(&mut self.runs), self.next_id))
    }

    fn write(&mut self, end: u64) -> Result<()> {
        self.postings.sort_unstable();
        let documents = self.first..end;
        let run = write_run(&self.folder, &mut self.next_id, documents, &self.postings)?;
        self.runs.push(Arc::new(run));
        self.postings.clear();
        self.first = end;
        while let Some(inputs) = due(&self.runs) {
            let of_first = |run: &Arc<Run>| run.entry().id == inputs[0].entry().id;
            let at = self.runs.iter().position(of_first).unwrap_or(0);
            self.merge(at..at + inputs.len())?;
        }
        Ok(())
    }

    fn merge(&mut self, inputs: std::ops::Range<usize>) -> Result<()> {
        let (all, never) = (HashSet::<u64>::new(), AtomicBool::new(false));
        let runs = &self.runs[inputs.clone()];
        if let Some(merged) = merge(runs, &all, &self.folder, self.next_id, &never)? {
            self.next_id += 1;
            let before = self.runs.splice(inputs, [Arc::new(merged)]);
            before.for_each(|run| drop(fs::remove_file(run.path())));
        }
        Ok(())
    }
}

impl Drop for NewRuns {
    fn drop(&mut self) {
        for run in &self.runs {
            // What is left is removed when the index is opened next.
            let _ = fs::remove_file(run.path());
        }
    }
}

/// Writes postings, in order, to a run of level 0.
pub(crate) fn write_run(
    folder: &Path,
    next_id: &mut u64,
    documents: std::ops::Range<u64>,
    postings: &[Posting],
) -> Result<Run> {
    let id = *next_id;
    *next_id += 1;
    let std::ops::Range { start: first, end } = documents;
    let entry = RunEntry { id, level: 0, first, end, postings: postings.len() as u64 };
    let mut writer = RunWriter::create(folder, entry)?;
    postings.iter().try_for_each(|&posting| writer.push(posting))?;
    writer.finish()
}

/// Removes what a killed process left in the folder of runs.
pub(crate) fn remove_orphans(folder: &Path, runs: &Runs) -> Result<()> {
    let failed = |error| Error::io(folder, Operation::Read, error);
    for file in fs::read_dir(folder).map_err(failed)? {
        let path = file.map_err(failed)?.path();
        if !runs.entries.iter().any(|entry| entry.path(folder) == path) {
            fs::remove_file(&path).map_err(|e| Error::io(&path, Operation::Remove, e))?;
        }
    }
    Ok(())
}

//! The one writer: makes changes, writes runs, and has runs merged behind it.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crate::error::{Error, Operation, Result};
use crate::index::Index;
use crate::pending::Pending;
use crate::postings::merge::{due, merge};
use crate::postings::{Posting, Recent, Run, RunEntry, RunWriter};
use crate::state::{Head, Runs};
use crate::store::{Acknowledged, Durability, Table};

/// With more runs than this the writer waits for a merge: look-ups ask all of them.
const MOST_RUNS: usize = 40;

/// Holes that are closed together.
const CLOSE_BATCH: usize = 10_000;

/// What only the writer knows.
pub(crate) struct Writer {
    pub(crate) head: Head,
    pub(crate) runs: Runs,
    pub(crate) acknowledged: Acknowledged,
    /// Numbers whose records are still stored though nobody can see them.
    pub(crate) garbage: Vec<u64>,
    pub(crate) merging: Option<Merging>,
}

/// A merge on a thread of its own.
pub(crate) struct Merging {
    inputs: Vec<Arc<Run>>,
    /// The documents that are left out.
    holes: Arc<HashSet<u64>>,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Option<Run>>>,
}

impl Merging {
    fn start(inputs: &[Arc<Run>], holes: HashSet<u64>, folder: PathBuf, id: u64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let holes = Arc::new(holes);
        let (runs, stopped, left_out) = (inputs.to_vec(), Arc::clone(&stop), Arc::clone(&holes));
        let thread = std::thread::spawn(move || merge(&runs, &left_out, &folder, id, &stopped));
        Self { inputs: inputs.to_vec(), holes, stop, thread }
    }

    /// What came of it. `None` if it was stopped.
    fn join(self) -> Result<Option<Run>> {
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

impl Index {
    /// Makes pending changes.
    pub(crate) fn commit(
        &self,
        writer: &mut Writer,
        pending: &Pending,
        durability: Durability,
    ) -> Result<()> {
        if pending.is_empty() {
            return Ok(());
        }
        let head = Head { operations: writer.head.operations + 1, ..pending.head };
        let mut changes = self.store().changes();
        pending.write(&mut changes);
        changes.insert(Table::State, Head::KEY, &head.encode());
        for number in &writer.garbage {
            changes.remove(Table::Documents, &number.to_be_bytes());
            changes.remove(Table::Texts, &number.to_be_bytes());
        }
        self.store().commit(changes, durability)?;
        writer.head = head;
        writer.garbage.clear();
        let (postings, holes) = pending.finish();
        let mut lists = self.lists_mut();
        postings.for_each(|posting| lists.recent.push(posting));
        lists.holes.extend(holes);
        lists.next = head.next;
        drop(lists);
        // Only now, when no reader can be on the way to them.
        writer.garbage.extend(holes);
        if durability == Durability::Now {
            writer.acknowledged.set(head.operations);
        }
        Ok(())
    }

    /// Work that is due before a change: a run is written, a finished merge is taken over,
    /// another begun. Failing here leaves the change undone and the index as it was.
    pub(crate) fn maintain(&self, writer: &mut Writer) -> Result<()> {
        writer.acknowledged.catch_up()?;
        let finished = |merging: &mut Merging| merging.thread.is_finished();
        if let Some(merging) = writer.merging.take_if(finished) {
            self.adopt(writer, merging)?;
        }
        if self.lists().recent.len() >= self.run_postings() {
            self.flush(writer)?;
        }
        loop {
            let lists = self.lists();
            if writer.merging.is_none()
                && let Some(runs) = due(&lists.runs)
            {
                let id = writer.runs.next_id;
                writer.runs.next_id += 1;
                writer.merging =
                    Some(Merging::start(runs, lists.holes.clone(), self.runs_folder(), id));
            }
            let many = lists.runs.len() > MOST_RUNS;
            drop(lists);
            match writer.merging.take_if(|_| many) {
                Some(merging) => self.adopt(writer, merging)?,
                None => return Ok(()),
            }
        }
    }

    /// Takes over what a merge has made.
    fn adopt(&self, writer: &mut Writer, merging: Merging) -> Result<()> {
        let (inputs, holes) = (merging.inputs.clone(), Arc::clone(&merging.holes));
        let Some(run) = merging.join()? else { return Ok(()) };
        let RunEntry { first, end, .. } = run.entry();
        let is_input = |id: u64| inputs.iter().any(|input| input.entry().id == id);
        let mut runs = self.lists().runs.clone();
        let at = runs.iter().position(|run| is_input(run.entry().id)).unwrap_or(runs.len());
        runs.retain(|run| !is_input(run.entry().id));
        runs.insert(at, Arc::new(run));
        self.switch(writer, &runs, writer.runs.flushed)?;
        self.close(writer, &within(&holes, first..end))
    }

    /// Writes the postings in memory to a run.
    pub(crate) fn flush(&self, writer: &mut Writer) -> Result<()> {
        let (first, end) = (writer.runs.flushed, writer.head.next);
        if first == end {
            return Ok(());
        }
        let lists = self.lists();
        let holes = within(&lists.holes, first..end);
        let mut postings = lists.recent.sorted();
        postings.retain(|posting| !lists.holes.contains(&posting.number));
        drop(lists);
        let run = write_run(&self.runs_folder(), &mut writer.runs.next_id, first..end, &postings)?;
        let mut runs = self.lists().runs.clone();
        runs.push(Arc::new(run));
        self.switch(writer, &runs, end)?;
        self.close(writer, &holes)?;
        self.store().write_small_tables()
    }

    /// Forgets the numbers of documents that are gone, and removes what is left of them, when no
    /// list has them any more: else an index would grow by every document that ever came and went.
    pub(crate) fn close(&self, writer: &mut Writer, holes: &[u64]) -> Result<()> {
        for some in holes.chunks(CLOSE_BATCH) {
            let mut changes = self.store().changes();
            for number in some {
                for table in [Table::Documents, Table::Texts, Table::Holes] {
                    changes.remove(table, &number.to_be_bytes());
                }
            }
            let (operations, holes) = (writer.head.operations + 1, some.len() as u64);
            let head = Head { operations, holes: writer.head.holes - holes, ..writer.head };
            changes.insert(Table::State, Head::KEY, &head.encode());
            self.store().commit(changes, Durability::Now)?;
            writer.head = head;
            let mut lists = self.lists_mut();
            for number in some {
                lists.holes.remove(number);
            }
            drop(lists);
            writer.acknowledged.set(operations);
        }
        // Removed with the others, or else with the next change.
        let lists = self.lists();
        writer.garbage.retain(|number| lists.holes.contains(number));
        Ok(())
    }

    /// Has the index use these runs, for the documents below `flushed`, and removes the others.
    pub(crate) fn switch(
        &self,
        writer: &mut Writer,
        runs: &[Arc<Run>],
        flushed: u64,
    ) -> Result<()> {
        let entries = runs.iter().map(|run| run.entry()).collect();
        let state = Runs { flushed, next_id: writer.runs.next_id, entries };
        let head = Head { operations: writer.head.operations + 1, ..writer.head };
        let mut changes = self.store().changes();
        changes.insert(Table::State, Runs::KEY, &state.encode());
        changes.insert(Table::State, Head::KEY, &head.encode());
        self.store().commit(changes, Durability::Now)?;
        let mut lists = self.lists_mut();
        let before = std::mem::replace(&mut lists.runs, runs.to_vec());
        if flushed > writer.runs.flushed {
            lists.recent = Recent::of_the_size(&lists.recent);
        }
        drop(lists);
        (writer.head, writer.runs) = (head, state);
        let is_used = |run: &Run| runs.iter().any(|used| used.entry().id == run.entry().id);
        for run in before.iter().filter(|run| !is_used(run)) {
            // What cannot be removed now is removed when the index is opened next.
            let _ = fs::remove_file(run.path());
        }
        writer.acknowledged.set(head.operations);
        Ok(())
    }
}

/// The holes among these documents.
fn within(holes: &HashSet<u64>, documents: std::ops::Range<u64>) -> Vec<u64> {
    holes.iter().copied().filter(|number| documents.contains(number)).collect()
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
fn write_run(
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

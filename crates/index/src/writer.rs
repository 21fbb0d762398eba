//! The one writer: makes changes, writes runs, and has runs merged behind it.

use std::collections::HashSet;
use std::fs;
use std::sync::Arc;

use crate::error::Result;
use crate::index::{Index, Writer};
use crate::pending::Pending;
use crate::postings::merge::due;
use crate::postings::{Recent, Run, RunEntry};
use crate::segments::{Merging, write_run};
use crate::state::{Head, Runs};
use crate::store::{Durability, Table};

/// With more runs than this the writer waits for a merge: look-ups ask all of them.
const MOST_RUNS: usize = 40;

/// Holes that are closed together.
const CLOSE_BATCH: usize = 10_000;

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
        let mut changes = self.store.changes();
        pending.write(&mut changes);
        changes.insert(Table::State, Head::KEY, &head.encode());
        for number in &writer.garbage {
            changes.remove(Table::Documents, &number.to_be_bytes());
            changes.remove(Table::Texts, &number.to_be_bytes());
        }
        self.store.commit(changes, durability)?;
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
        if self.lists().recent.len() >= self.run_postings {
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
        self.store.write_small_tables()
    }

    /// Forgets the numbers of documents that are gone, and removes what is left of them, when no
    /// list has them any more: else an index would grow by every document that ever came and went.
    pub(crate) fn close(&self, writer: &mut Writer, holes: &[u64]) -> Result<()> {
        for some in holes.chunks(CLOSE_BATCH) {
            let mut changes = self.store.changes();
            for number in some {
                for table in [Table::Documents, Table::Texts, Table::Holes] {
                    changes.remove(table, &number.to_be_bytes());
                }
            }
            let (operations, holes) = (writer.head.operations + 1, some.len() as u64);
            let head = Head { operations, holes: writer.head.holes - holes, ..writer.head };
            changes.insert(Table::State, Head::KEY, &head.encode());
            self.store.commit(changes, Durability::Now)?;
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
        let mut changes = self.store.changes();
        changes.insert(Table::State, Runs::KEY, &state.encode());
        changes.insert(Table::State, Head::KEY, &head.encode());
        self.store.commit(changes, Durability::Now)?;
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

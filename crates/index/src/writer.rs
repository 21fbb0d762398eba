//! The one writer: makes changes, writes segments, and has segments merged behind it.

use std::collections::HashSet;
use std::fs;
use std::sync::Arc;

use crate::error::Result;
use crate::index::{Index, Writer};
use crate::pending::PendingChanges;
use crate::postings::merge::due;
use crate::postings::{RecentPostings, Segment, SegmentEntry};
use crate::segments::{MergeThread, write_segment};
use crate::state::{Head, Segments};
use crate::store::{Changes, Durability, Table};

/// With more segments than this the writer waits for a merge: look-ups ask all of them.
const MOST_SEGMENTS: usize = 40;

/// Tombstones that are removed together.
const FORGET_BATCH: usize = 10_000;

impl Index {
    /// Makes pending changes.
    pub(crate) fn commit(
        &self,
        writer: &mut Writer,
        pending: &PendingChanges,
        durability: Durability,
    ) -> Result<()> {
        if pending.is_empty() {
            return Ok(());
        }
        self.begin_counting(writer)?;
        let head = Head { operations: writer.head.operations + 1, ..pending.head };
        let mut changes = Changes::default();
        pending.write(&mut changes);
        changes.insert(Table::State, Head::KEY, &head.encode());
        for number in &writer.garbage {
            changes.remove(Table::Documents, &number.to_be_bytes());
            changes.remove(Table::Texts, &number.to_be_bytes());
        }
        self.store.commit(changes, durability)?;
        writer.head = head;
        writer.garbage.clear();
        let (postings, tombstones) = pending.finish();
        let mut lists = self.lists_mut();
        postings.for_each(|posting| lists.recent.push(posting));
        lists.tombstones.extend(tombstones);
        lists.next = head.next;
        drop(lists);
        // Only now, when no reader can be on the way to them.
        writer.garbage.extend(tombstones);
        if durability == Durability::Now {
            writer.acknowledged.set(head.operations);
        }
        Ok(())
    }

    /// Work that is due before a change: a segment is written, a finished merge is taken over,
    /// another begun. Failing here leaves the change undone and the index as it was.
    pub(crate) fn maintain(&self, writer: &mut Writer) -> Result<()> {
        writer.acknowledged.catch_up()?;
        if self.store.is_in_memory() {
            // As many again as there are documents, so that each is read once for one that goes.
            let lists = self.lists();
            let is_due = lists.recent.len() >= self.segment_postings
                && lists.tombstones.len() as u64 > writer.head.documents;
            drop(lists);
            return if is_due { self.renew_recent(writer) } else { Ok(()) };
        }
        let finished = |merging: &mut MergeThread| merging.thread.is_finished();
        if let Some(merging) = writer.merging.take_if(finished) {
            self.adopt(writer, merging)?;
        }
        if self.lists().recent.len() >= self.segment_postings {
            self.flush(writer)?;
        }
        loop {
            let lists = self.lists();
            if writer.merging.is_none()
                && let Some(segments) = due(&lists.segments)
            {
                let id = writer.segments.next_id;
                writer.segments.next_id += 1;
                writer.merging = Some(MergeThread::start(
                    segments,
                    lists.tombstones.clone(),
                    self.segments_folder(),
                    id,
                ));
            }
            let many = lists.segments.len() > MOST_SEGMENTS;
            drop(lists);
            match writer.merging.take_if(|_| many) {
                Some(merging) => self.adopt(writer, merging)?,
                None => return Ok(()),
            }
        }
    }

    /// Takes over what a merge has made.
    fn adopt(&self, writer: &mut Writer, merging: MergeThread) -> Result<()> {
        let (inputs, tombstones) = (merging.inputs.clone(), Arc::clone(&merging.tombstones));
        let Some(segment) = merging.join()? else { return Ok(()) };
        let SegmentEntry { first, end, .. } = segment.entry();
        let is_input = |id: u64| inputs.iter().any(|input| input.entry().id == id);
        let mut segments = self.lists().segments.clone();
        let at = segments
            .iter()
            .position(|segment| is_input(segment.entry().id))
            .unwrap_or(segments.len());
        segments.retain(|segment| !is_input(segment.entry().id));
        segments.insert(at, Arc::new(segment));
        self.switch(writer, &segments, writer.segments.flushed)?;
        self.forget(writer, &within(&tombstones, first..end))
    }

    /// Makes the postings in memory anew without those of removed documents, for an index that has
    /// no others.
    pub(crate) fn renew_recent(&self, writer: &mut Writer) -> Result<()> {
        let mut recent = RecentPostings::default();
        for record in self.documents_of(writer)? {
            self.postings_of(&record?).for_each(|posting| recent.push(posting));
        }
        let mut lists = self.lists_mut();
        lists.recent = recent;
        let tombstones: Vec<u64> = lists.tombstones.iter().copied().collect();
        drop(lists);
        self.forget_counted(writer)?;
        self.forget(writer, &tombstones)
    }

    /// Writes the postings in memory to a segment.
    pub(crate) fn flush(&self, writer: &mut Writer) -> Result<()> {
        let (first, end) = (writer.segments.flushed, writer.head.next);
        if first == end {
            return Ok(());
        }
        let lists = self.lists();
        let tombstones = within(&lists.tombstones, first..end);
        let mut postings = lists.recent.sorted();
        postings.retain(|posting| !lists.tombstones.contains(&posting.number));
        drop(lists);
        let segment = write_segment(
            &self.segments_folder(),
            &mut writer.segments.next_id,
            first..end,
            &postings,
        )?;
        let mut segments = self.lists().segments.clone();
        segments.push(Arc::new(segment));
        self.switch(writer, &segments, end)?;
        self.forget(writer, &tombstones)?;
        self.store.write_small_tables()
    }

    /// Forgets the numbers of documents that are gone, and removes what is left of them, when no
    /// list has them any more: else an index would grow by every document that ever came and went.
    pub(crate) fn forget(&self, writer: &mut Writer, tombstones: &[u64]) -> Result<()> {
        for some in tombstones.chunks(FORGET_BATCH) {
            let mut changes = Changes::default();
            for number in some {
                for table in [Table::Documents, Table::Texts, Table::Tombstones] {
                    changes.remove(table, &number.to_be_bytes());
                }
            }
            let (operations, tombstones) = (writer.head.operations + 1, some.len() as u64);
            let head =
                Head { operations, tombstones: writer.head.tombstones - tombstones, ..writer.head };
            changes.insert(Table::State, Head::KEY, &head.encode());
            self.store.commit(changes, Durability::Now)?;
            writer.head = head;
            let mut lists = self.lists_mut();
            for number in some {
                lists.tombstones.remove(number);
            }
            drop(lists);
            writer.acknowledged.set(operations);
        }
        // Removed with the others, or else with the next change.
        let lists = self.lists();
        writer.garbage.retain(|number| lists.tombstones.contains(number));
        Ok(())
    }

    /// Removes what ids and sources have counted for documents that are not known any more.
    pub(crate) fn forget_counted(&self, writer: &mut Writer) -> Result<()> {
        let view = self.count_view(None, None);
        let mut changes = (Changes::default(), 0);
        for entry in self.store.from(Table::Counted, &[])? {
            let (key, value) = entry?;
            if view.of_line(view.line(&key, &value)?)?.is_none() {
                changes.0.remove(Table::Counted, &key);
                changes.1 += 1;
            }
            if changes.1 == FORGET_BATCH {
                self.commit_counted(writer, std::mem::take(&mut changes).0)?;
            }
        }
        if changes.1 > 0 {
            self.commit_counted(writer, changes.0)?;
        }
        Ok(())
    }

    fn commit_counted(&self, writer: &mut Writer, mut changes: Changes) -> Result<()> {
        let head = Head { operations: writer.head.operations + 1, ..writer.head };
        changes.insert(Table::State, Head::KEY, &head.encode());
        self.store.commit(changes, Durability::Now)?;
        writer.head = head;
        writer.acknowledged.set(head.operations);
        Ok(())
    }

    /// Has the index use these segments, for the documents below `flushed`, and removes the others.
    pub(crate) fn switch(
        &self,
        writer: &mut Writer,
        segments: &[Arc<Segment>],
        flushed: u64,
    ) -> Result<()> {
        let entries = segments.iter().map(|segment| segment.entry()).collect();
        let state = Segments { flushed, next_id: writer.segments.next_id, entries };
        let head = Head { operations: writer.head.operations + 1, ..writer.head };
        let mut changes = Changes::default();
        changes.insert(Table::State, Segments::KEY, &state.encode());
        changes.insert(Table::State, Head::KEY, &head.encode());
        self.store.commit(changes, Durability::Now)?;
        let mut lists = self.lists_mut();
        let before = std::mem::replace(&mut lists.segments, segments.to_vec());
        if flushed > writer.segments.flushed {
            lists.recent = RecentPostings::of_the_size(&lists.recent);
        }
        drop(lists);
        (writer.head, writer.segments) = (head, state);
        let is_used =
            |segment: &Segment| segments.iter().any(|used| used.entry().id == segment.entry().id);
        for segment in before.iter().filter(|segment| !is_used(segment)) {
            // What cannot be removed now is removed when the index is opened next.
            let _ = fs::remove_file(segment.path());
        }
        writer.acknowledged.set(head.operations);
        Ok(())
    }
}

/// The tombstones among these documents.
fn within(tombstones: &HashSet<u64>, documents: std::ops::Range<u64>) -> Vec<u64> {
    tombstones.iter().copied().filter(|number| documents.contains(number)).collect()
}

//! Files of postings in the making: written, merged on a thread, or made anew.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crate::error::{Error, Operation, Result};
use crate::postings::merge::{due, merge};
use crate::postings::{Posting, Segment, SegmentEntry, SegmentWriter};
use crate::state::Segments;

/// A merge on a thread of its own.
pub(crate) struct MergeThread {
    pub(crate) inputs: Vec<Arc<Segment>>,
    /// The documents that are left out.
    pub(crate) tombstones: Arc<HashSet<u64>>,
    stop: Arc<AtomicBool>,
    pub(crate) thread: JoinHandle<Result<Option<Segment>>>,
}

impl MergeThread {
    pub(crate) fn start(
        inputs: &[Arc<Segment>],
        tombstones: HashSet<u64>,
        folder: PathBuf,
        id: u64,
    ) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let tombstones = Arc::new(tombstones);
        let (segments, stopped, left_out) =
            (inputs.to_vec(), Arc::clone(&stop), Arc::clone(&tombstones));
        let thread = std::thread::spawn(move || merge(&segments, &left_out, &folder, id, &stopped));
        Self { inputs: inputs.to_vec(), tombstones, stop, thread }
    }

    /// What came of it. `None` if it was stopped.
    pub(crate) fn join(self) -> Result<Option<Segment>> {
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// Ends it; what it wrote is removed.
    pub(crate) fn abandon(self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Ok(Some(segment)) = self.join() {
            let _ = fs::remove_file(segment.path());
        }
    }
}

/// Writes the postings of all documents anew, beside the segments that are there. Without
/// [`finish`](Self::finish) nothing is left of it.
pub(crate) struct NewSegments {
    folder: PathBuf,
    next_id: u64,
    /// Postings of a segment as it is first written.
    segment_postings: usize,
    postings: Vec<Posting>,
    /// The first document that is in no segment yet.
    first: u64,
    segments: Vec<Arc<Segment>>,
}

impl NewSegments {
    pub(crate) fn new(folder: PathBuf, next_id: u64, segment_postings: usize) -> Self {
        Self {
            folder,
            next_id,
            segment_postings,
            postings: Vec::new(),
            first: 0,
            segments: Vec::new(),
        }
    }

    /// Adds the keys of a document. Numbers ascend.
    pub(crate) fn push(&mut self, number: u64, keys: Vec<u64>) -> Result<()> {
        if self.postings.len() >= self.segment_postings {
            self.write(number)?;
        }
        self.postings.extend(keys.into_iter().map(|key| Posting { key, number }));
        Ok(())
    }

    /// The segments of all documents below `end`, and the number of the next segment.
    pub(crate) fn finish(mut self, end: u64) -> Result<(Vec<Arc<Segment>>, u64)> {
        if self.first < end {
            self.write(end)?;
            if self.segments.len() > 1 {
                self.merge(0..self.segments.len())?;
            }
        }
        Ok((std::mem::take(&mut self.segments), self.next_id))
    }

    fn write(&mut self, end: u64) -> Result<()> {
        self.postings.sort_unstable();
        let documents = self.first..end;
        let segment = write_segment(&self.folder, &mut self.next_id, documents, &self.postings)?;
        self.segments.push(Arc::new(segment));
        self.postings.clear();
        self.first = end;
        while let Some(inputs) = due(&self.segments) {
            let of_first = |segment: &Arc<Segment>| segment.entry().id == inputs[0].entry().id;
            let at = self.segments.iter().position(of_first).unwrap_or(0);
            self.merge(at..at + inputs.len())?;
        }
        Ok(())
    }

    fn merge(&mut self, inputs: std::ops::Range<usize>) -> Result<()> {
        let (all, never) = (HashSet::<u64>::new(), AtomicBool::new(false));
        let segments = &self.segments[inputs.clone()];
        if let Some(merged) = merge(segments, &all, &self.folder, self.next_id, &never)? {
            self.next_id += 1;
            let before = self.segments.splice(inputs, [Arc::new(merged)]);
            before.for_each(|segment| drop(fs::remove_file(segment.path())));
        }
        Ok(())
    }
}

impl Drop for NewSegments {
    fn drop(&mut self) {
        for segment in &self.segments {
            // What is left is removed when the index is opened next.
            let _ = fs::remove_file(segment.path());
        }
    }
}

/// Writes postings, in order, to a segment of level 0.
pub(crate) fn write_segment(
    folder: &Path,
    next_id: &mut u64,
    documents: std::ops::Range<u64>,
    postings: &[Posting],
) -> Result<Segment> {
    let id = *next_id;
    *next_id += 1;
    let std::ops::Range { start: first, end } = documents;
    let entry = SegmentEntry { id, level: 0, first, end, postings: postings.len() as u64 };
    let mut writer = SegmentWriter::create(folder, entry)?;
    postings.iter().try_for_each(|&posting| writer.push(posting))?;
    writer.finish()
}

/// Removes what a killed process left in the folder of segments.
pub(crate) fn remove_orphans(folder: &Path, segments: &Segments) -> Result<()> {
    let failed = |error| Error::io(folder, Operation::Read, error);
    for file in fs::read_dir(folder).map_err(failed)? {
        let path = file.map_err(failed)?.path();
        if !segments.entries.iter().any(|entry| entry.path(folder) == path) {
            fs::remove_file(&path).map_err(|e| Error::io(&path, Operation::Remove, e))?;
        }
    }
    Ok(())
}

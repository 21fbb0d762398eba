//! Looking after an index: numbers about it, verification, compaction, copies.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use lookalike_core::mix;
use lookalike_files::{AtomicFolder, partial_path, remove_folder, sync_folder};

use crate::counts;
use crate::document::Record;
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::folder::{ACKNOWLEDGED, HEADER, LOCK, SEGMENTS, STORE};
use crate::index::{Index, Writer};
use crate::postings::{Posting, REBUILD, Segment};
use crate::segments::NewSegments;
use crate::state::{Segments, TemplateCounts};
use crate::store::{AcknowledgedOperations, COPY_BYTES, Changes, Durability, Store, Table, lock};
use crate::view::content;

/// Numbers about an index.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Documents.
    pub documents: u64,
    /// Documents that were removed or replaced and that lists may still have.
    pub removed: u64,
    /// Sites whose templates are left out of comparisons.
    pub templates: u64,
    /// Changes made so far.
    pub operations: u64,
    /// Files of postings.
    pub segments: u64,
    /// Postings in files, those of removed documents included.
    pub postings: u64,
    /// Postings that are only in memory, and made again when the index is opened.
    pub recent_postings: u64,
    /// Bytes of memory for filters and tables of the files of postings.
    pub filter_bytes: u64,
    /// Bytes of the files of postings.
    pub postings_bytes: u64,
    /// Bytes of journals, which do not grow with the index: at most about 130 MB.
    pub journal_bytes: u64,
    /// Bytes on disk in all.
    pub disk_bytes: u64,
}

/// What was verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerificationReport {
    /// Documents, each with its record and checksum.
    pub documents: u64,
    /// Contents, each unpacked.
    pub contents: u64,
    /// Postings, which are those of the documents and no others.
    pub postings: u64,
    /// Documents that stand for others, each with its counts.
    pub counts: u64,
    /// What they counted: ids, and sources.
    pub counted: u64,
}

impl Index {
    /// Numbers about the index.
    ///
    /// # Errors
    /// If its folder cannot be read.
    pub fn stats(&self) -> Result<Stats> {
        let head = self.writer().head;
        let lists = self.lists();
        let sum = |of: fn(&Segment) -> u64| lists.segments.iter().map(|segment| of(segment)).sum();
        Ok(Stats {
            documents: head.documents,
            removed: head.tombstones,
            templates: self.templates().map_or(0, |templates| templates.counts().sites),
            operations: head.operations,
            segments: lists.segments.len() as u64,
            postings: sum(|segment| segment.entry().postings),
            recent_postings: lists.recent.len() as u64,
            filter_bytes: sum(Segment::memory),
            postings_bytes: sum(Segment::bytes),
            journal_bytes: self.disk_bytes(is_journal)?,
            disk_bytes: self.disk_bytes(|_| true)?,
        })
    }

    fn disk_bytes(&self, counted: fn(&Path) -> bool) -> Result<u64> {
        if self.store.is_in_memory() { Ok(0) } else { disk_bytes(self.path(), counted) }
    }

    /// Reads everything and compares it: every record and content with its checksum, and the
    /// postings with the documents. Changes wait meanwhile.
    ///
    /// # Errors
    /// The first damage that is found, or if the index cannot be read.
    pub fn verify(&self) -> Result<VerificationReport> {
        let writer = self.writer();
        if let Some(templates) = self.templates() {
            templates.verify(&self.store)?;
        }
        self.store.verify()?;
        let mut verified = VerificationReport::default();
        let mut expected = Sum::default();
        for record in self.documents_of(&writer)? {
            let record = record?;
            verified.documents += 1;
            let content = content(&self.store, None, None, &record)?;
            verified.contents += u64::from(content.is_some());
            if record.number < writer.segments.flushed {
                self.postings_of(&record).for_each(|posting| expected.add(posting));
            }
        }
        for entry in self.store.from(Table::Counts, &[])? {
            let (line, bytes) = entry?;
            let line = <[u8; 8]>::try_from(&line[..]).map(u64::from_be_bytes);
            let line = line.map_err(|_| self.damaged("counts: a key is no number".to_owned()))?;
            counts::decode(&self.store, line, &bytes)?;
            verified.counts += 1;
        }
        let view = self.count_view(None, None);
        for entry in self.store.from(Table::Counted, &[])? {
            let (key, value) = entry?;
            view.line(&key, &value)?;
            verified.counted += 1;
        }
        let lists = self.lists();
        let mut found = Sum::default();
        for segment in &lists.segments {
            let mut stream = segment.stream();
            let mut last = None;
            let mut count = 0;
            while let Some(posting) = stream.next()? {
                if last >= Some(posting) {
                    return Err(Error::corruption(segment.path(), "its postings are not in order"));
                }
                last = Some(posting);
                count += 1;
                if !lists.tombstones.contains(&posting.number) {
                    found.add(posting);
                }
            }
            if count != segment.entry().postings {
                let fault = format!("it has {count} postings, not {}", segment.entry().postings);
                return Err(Error::corruption(segment.path(), fault));
            }
        }
        if found != expected {
            let fault = format!(
                "the documents have {} postings, and the files {} that are not the same\n{REBUILD}",
                expected.count, found.count
            );
            return Err(Error::corruption(&self.segments_folder(), fault));
        }
        verified.postings = found.count;
        Ok(verified)
    }

    /// Gives back the room of removed documents, and makes all postings again from the documents
    /// that are left. Changes wait meanwhile. For a while it takes as much room again; journals are
    /// emptied when the index is closed without another change.
    ///
    /// # Errors
    /// If the index cannot be read or written, or a document is damaged; then it is as before,
    /// or further on the way.
    pub fn compact(&self) -> Result<()> {
        let mut writer = self.writer();
        writer.acknowledged.catch_up()?;
        if self.store.is_in_memory() {
            return self.renew_recent(&mut writer);
        }
        self.renew_segments(&mut writer)?;
        let tombstones: Vec<u64> = self.lists().tombstones.iter().copied().collect();
        self.forget(&mut writer, &tombstones)?;
        self.forget_counted(&mut writer)?;
        self.store.compact()
    }

    /// Makes all postings again from the documents.
    fn renew_segments(&self, writer: &mut Writer) -> Result<()> {
        if let Some(merging) = writer.merging.take() {
            merging.abandon();
        }
        let end = writer.head.next;
        let new = NewSegments::new(
            self.segments_folder(),
            writer.segments.next_id,
            self.segment_postings,
        );
        let (segments, next_id) = self.written(new, self.documents_of(writer)?, end)?;
        writer.segments.next_id = next_id;
        self.switch(writer, &segments, end)
    }

    /// The segments of documents, which are all below `end`, and the number of the next segment.
    fn written(
        &self,
        mut segments: NewSegments,
        documents: impl Iterator<Item = Result<Record>>,
        end: u64,
    ) -> Result<(Vec<Arc<Segment>>, u64)> {
        for record in documents {
            let record = record?;
            segments.push(record.number, self.keys_of(&record))?;
        }
        segments.finish(end)
    }

    /// Writes a copy of the index as it is at this moment to a folder that does not exist yet.
    /// Checks and changes go on meanwhile. An index in memory is saved like this.
    ///
    /// # Errors
    /// If there is something at the place, the index cannot be read, or the system refuses; then
    /// nothing is left there.
    pub fn snapshot(&self, to: impl AsRef<Path>) -> Result<()> {
        self.snapshot_to(to.as_ref())
    }

    fn snapshot_to(&self, to: &Path) -> Result<()> {
        if fs::symlink_metadata(to).is_ok() {
            return Err(Error::from(ErrorKind::Exists(to.to_owned())));
        }
        // What a killed process left.
        remove_folder(&partial_path(to))?;
        let copy_folder = AtomicFolder::create(to)?;
        let folder = copy_folder.partial_path();
        let segments_folder = folder.join(SEGMENTS);
        fs::create_dir_all(&segments_folder)
            .map_err(|error| Error::io(&segments_folder, Operation::Create, error))?;

        let writer = self.writer();
        let snapshot = self.store.snapshot()?;
        let (head, mut segments) = (writer.head, writer.segments.clone());
        let files = self.lists().segments.clone();
        drop(writer);
        if self.store.is_in_memory() {
            let new = NewSegments::new(segments_folder.clone(), 0, self.segment_postings);
            let documents = self.store.snapshot_from(&snapshot, Table::Documents, &[])?;
            let documents = documents.map(|entry| self.decode_entry(entry?));
            let (files, next_id) = self.written(new, documents, head.next)?;
            let entries = files.iter().map(|segment| segment.entry()).collect();
            segments = Segments { flushed: head.next, next_id, entries };
        }

        let lock = lock(&folder.join(LOCK), to)?;
        let copy = Store::create(&folder.join(STORE), lock, 8 << 20)?;
        copy.begin(head, &segments)?;
        if let Some(templates) = self.templates() {
            let mut changes = Changes::default();
            changes.insert(Table::State, TemplateCounts::KEY, &templates.counts().encode());
            copy.commit(changes, Durability::Later)?;
        }
        let tables = Table::ALL.into_iter().filter(|table| *table != Table::State);
        for table in tables {
            let (mut changes, mut bytes) = (Changes::default(), 0);
            for entry in self.store.snapshot_from(&snapshot, table, &[])? {
                let (key, value) = entry?;
                changes.insert(table, &key, &value);
                bytes += key.len() + value.len();
                if bytes > COPY_BYTES {
                    copy.commit(std::mem::take(&mut changes), Durability::Later)?;
                    bytes = 0;
                }
            }
            copy.commit(changes, Durability::Now)?;
        }
        drop(copy);
        for segment in &files {
            segment.copy_to(&segments_folder)?;
        }
        sync_folder(&segments_folder)?;
        AcknowledgedOperations::create(&folder.join(ACKNOWLEDGED), head.operations)?;
        self.header_of_now().write(&folder.join(HEADER))?;
        Ok(copy_folder.commit()?)
    }
}

/// The sum of a set of postings, whatever their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    count: u64,
    mixed: u64,
}

impl Sum {
    fn add(&mut self, Posting { key, number }: Posting) {
        self.count += 1;
        self.mixed = self.mixed.wrapping_add(mix(mix(key) ^ number));
    }
}

fn is_journal(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jnl")
}

/// Bytes that files of a folder take on disk: of those with holes only what is there.
fn disk_bytes(folder: &Path, counted: fn(&Path) -> bool) -> Result<u64> {
    let mut bytes = 0;
    let failed = |error| Error::io(folder, Operation::Read, error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        // A file that is gone by now was merged or written elsewhere.
        let Ok(metadata) = entry.metadata() else { continue };
        let path = entry.path();
        if metadata.is_dir() {
            bytes += disk_bytes(&path, counted)?;
        } else if counted(&path) {
            bytes += taken(&metadata);
        }
    }
    Ok(bytes)
}

#[cfg(unix)]
fn taken(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(metadata) * 512
}

#[cfg(not(unix))]
fn taken(metadata: &fs::Metadata) -> u64 {
    metadata.len()
}

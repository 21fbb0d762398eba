//! The survivors of every source, each in a file of its own; or its documents that go, or all of them.
//!
//! What cannot be read stays as it is. A file that nothing goes from is copied,
//! whatever is in it. Of one that breaks off, only the records before that can be
//! told from each other: its file of survivors has those of them that stay, and beside it,
//! under its name and `.unreadable`, there is a copy of all of its bytes.
//!
//! Before a file gets its name, what is in it is counted against what was decided;
//! and in the end the files themselves are counted.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use lookalike_corpus::{AddedField, Change, Edit, Format, PendingCopies, ReadOptions};

use super::annotations::{Annotations, RowAnnotation, RowAnnotations};
use super::revisits::{Revisiting, Revisits};
use super::written::{Written, has_fields};
use crate::by_row::ByRow;
use crate::document_set::RowSet;
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::observe::Observer;
use crate::passages::{CutPiece, Cuts, can_be_cut};
use crate::places::Row;
use crate::sources::{SourceRow, SourceTable};

/// What a thread that writes or packs takes: what it reads ahead, and the blocks of the packer.
const THREAD_BYTES: usize = 24 << 20;

/// What it takes more to find the ids of keepers.
const IDS_BYTES: usize = 12 << 20;

/// Copies that wait for their names, on all threads: each is an open file, of which some systems
/// allow 256. To bring 64 small files to the disk together takes hardly longer than 256.
const MAX_PENDING: usize = 64;

/// What becomes of records and files that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unreadable {
    /// They stay among the survivors, byte for byte: nothing is known that could stand for them.
    #[default]
    Kept,
    /// They are left out.
    Dropped,
}

/// What writing the survivors needs.
pub(crate) struct Survivors<'a> {
    pub(crate) sources: &'a SourceTable,
    pub(crate) options: &'a ReadOptions,
    /// The rows that go.
    pub(crate) removed: &'a RowSet,
    pub(crate) written: Written,
    /// What is cut of those that stay.
    pub(crate) cuts: Option<&'a Cuts>,
    /// What is added to records, or how often they are written.
    pub(crate) annotations: Option<&'a Annotations<'a>>,
    /// What records of web archives leave when they go.
    pub(crate) revisits: Option<Revisiting<'a>>,
    pub(crate) unreadable: Unreadable,
    pub(crate) threads: usize,
    pub(crate) budget: usize,
    pub(crate) observer: &'a dyn Observer,
}

impl Survivors<'_> {
    /// Writes a file of survivors of each source into the folder. One that is there already is complete,
    /// since files get their names last and no two sources have one name, and is left as it is.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let next = AtomicUsize::new(0);
        let finds = self.annotations.is_some() || self.revisits.is_some();
        let ids = if finds { IDS_BYTES } else { 0 };
        let threads = self.threads.min(self.budget / (THREAD_BYTES + ids)).max(1);
        let mut options = self.options.clone();
        // What is left of the threads, where there are fewer files.
        options.packing_threads = threads / self.sources.new_sources().max(1);
        let failure = Mutex::new(None);
        let files = AtomicU64::new(0);
        let fail = |error| {
            next.store(self.sources.new_sources(), Ordering::Relaxed);
            if let Ok(mut failure) = failure.lock() {
                failure.get_or_insert(error);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..threads.min(self.sources.new_sources()) {
                scope.spawn(|| {
                    let mut copies = PendingCopies::default();
                    let written = (|| {
                        loop {
                            let number = next.fetch_add(1, Ordering::Relaxed);
                            if number >= self.sources.new_sources() {
                                return copies.publish().map_err(Error::from);
                            }
                            let source = self.sources.get(number)?;
                            let written = self.one(&source, folder, &options, &mut copies)?;
                            files.fetch_add(written, Ordering::Relaxed);
                            if copies.len() * threads >= MAX_PENDING {
                                copies.publish()?;
                            }
                        }
                    })();
                    if let Err(error) = written {
                        fail(error);
                    }
                });
            }
        });
        failure.into_inner().unwrap_or_default().map_or(Ok(()), Err)?;
        check_files(folder, files.into_inner())
    }

    /// Writes what stays of one source, and tells how many files that is.
    fn one(
        &self,
        row: &SourceRow,
        folder: &Path,
        options: &ReadOptions,
        copies: &mut PendingCopies,
    ) -> Result<u64> {
        self.observer.check_cancelled()?;
        let source = &row.source;
        let removed = self.removed.count_in(&row.rows());
        let wanted = match self.written {
            Written::Kept => row.documents - removed,
            Written::All => row.documents,
            Written::Removed | Written::Nothing => removed,
        };
        // Of what goes there is no file where nothing does.
        if self.written == Written::Removed && wanted == 0 {
            self.observer.advance(0, row.documents);
            return Ok(0);
        }
        let is_sound = row.bad.is_empty() && !row.broken;
        // What could not be read did not go.
        let drops = !is_sound
            && (self.unreadable == Unreadable::Dropped || self.written == Written::Removed);
        let mut changes = self.changes(row)?;
        let goes = wanted < row.documents || changes.is_some();
        let target = folder.join(source.name());
        let is_one_document = matches!(source.format(), Format::TextFile | Format::Html);
        if drops && row.documents == 0 && (row.broken || is_one_document) {
            // Nothing of it could be read; that was counted when it was signed.
            return Ok(0);
        }
        if target.is_file() {
            self.observer.advance(0, row.documents);
            return Ok(1 + u64::from(goes && row.broken && !drops));
        }
        row.check_unchanged()?;
        if !goes && !drops {
            let copied = copies.add(source, folder, source.name())?;
            if row.bytes.is_some_and(|bytes| bytes != copied.bytes) {
                return Err(Error::from(ErrorKind::InputChanged(source.path().to_owned())));
            }
            self.observer.advance(0, row.documents);
            return Ok(1);
        }
        let keep = |record| match row.row_of(record) {
            Some(row) => self.wants(row),
            None => !drops,
        };
        let mut pending = match &mut changes {
            None => source.pending_selection(folder, options, keep)?,
            Some(changes) => {
                let added = changes.fields(source.format());
                // What goes wrong with tables on the way is not of the input.
                let mut failed = None;
                let pending = source.pending_edits(folder, options, &added, |record| {
                    let edit = match row.row_of(record) {
                        Some(row) if !keep(record) => changes.left(row),
                        _ if !keep(record) => Ok(Edit::Drop),
                        Some(row) => changes.edit(row, !self.removed.contains(row)),
                        None => Ok(Edit::Keep),
                    };
                    edit.map_err(|error| {
                        let message = error.to_string();
                        failed.get_or_insert(error);
                        lookalike_corpus::Error::broken(source.path(), message)
                    })
                });
                failed.map_or(Ok(()), Err)?;
                pending?
            }
        };
        let bad = row.bad.len();
        let wanted = wanted + if drops { 0 } else { bad };
        let report = pending.report();
        let (found, all) = (report.kept, report.kept + report.dropped);
        let mut files = u64::from(report.path.is_some());
        row.check_unchanged()?;
        row.check_fault(pending.take_fault())?;
        if found != wanted || all != row.documents + bad {
            let path = target;
            return Err(Error::from(ErrorKind::WrongSurvivors { path, found, wanted }));
        }
        if row.broken && !drops {
            // Before the file of survivors, which says that both are there.
            let name = format!("{}.unreadable", source.name());
            let mut copy = PendingCopies::default();
            copy.add(source, folder, &name)?;
            copy.publish()?;
            files += 1;
        }
        pending.publish()?;
        self.observer.advance(0, row.documents);
        Ok(files)
    }
}

impl<'a> Survivors<'a> {
    /// Whether a document is written.
    fn wants(&self, row: Row) -> bool {
        match self.written {
            Written::Kept => !self.removed.contains(row),
            Written::All => true,
            Written::Removed | Written::Nothing => self.removed.contains(row),
        }
    }

    /// What may be changed in records of a source; `None` if nothing is.
    fn changes(&self, row: &SourceRow) -> Result<Option<Changes<'a>>> {
        // There is nothing to be changed, and no header or schema to add anything to.
        if row.broken && row.documents == 0 {
            return Ok(None);
        }
        let rows = row.rows();
        let can_be_cut = can_be_cut(row.source.format(), &self.options.fields.text);
        let cuts = self.cuts.filter(|_| can_be_cut);
        let has_cuts = cuts.map_or(Ok(false), |cuts| cuts.any(&rows))?;
        let cuts = cuts.filter(|_| has_cuts && self.written != Written::Removed);
        let annotations = self.annotations.filter(|_| has_fields(row.source.format()));
        let is_archive = row.source.format() == Format::Warc && self.removed.any(&rows);
        let revisits = self.revisits.filter(|_| is_archive);
        let revisits = revisits.map(|with| Revisits::open(with, &rows)).transpose()?;
        if cuts.is_none() && annotations.is_none() && revisits.is_none() {
            return Ok(None);
        }
        Ok(Some(Changes {
            cuts: cuts.map(|cuts| cuts.from(rows.start)).transpose()?,
            annotations,
            annotated: annotations.map(|annotations| annotations.of(&rows)).transpose()?,
            revisits,
        }))
    }
}

/// What is changed in the records of a source, which come one after another.
struct Changes<'a> {
    cuts: Option<ByRow<'a, 4>>,
    annotations: Option<&'a Annotations<'a>>,
    annotated: Option<RowAnnotations<'a>>,
    revisits: Option<Revisits<'a>>,
}

impl Changes<'_> {
    /// The fields that records get.
    fn fields(&self, format: Format) -> Vec<AddedField> {
        self.annotations.map(|annotations| annotations.fields(format)).unwrap_or_default()
    }

    /// What is left of the record of a row that goes.
    fn left(&mut self, row: Row) -> Result<Edit> {
        let revisit = self.revisits.as_mut().map(|revisits| revisits.of(row)).transpose()?;
        Ok(revisit.flatten().map_or(Edit::Drop, Edit::Revisit))
    }

    /// What becomes of the record of a row that is written.
    fn edit(&mut self, row: Row, stays: bool) -> Result<Edit> {
        let mut change = Change::default();
        if let (Some(pieces), true) = (&mut self.cuts, stays) {
            let pieces = pieces.of(row)?.iter().copied().map(CutPiece::unpack);
            for piece in pieces.filter(|piece| !piece.annotated) {
                match change.cuts.last_mut() {
                    Some(last) if last.end == u64::from(piece.begin) => {
                        last.end = piece.end.into();
                    }
                    _ => change.cuts.push(piece.begin.into()..piece.end.into()),
                }
            }
        }
        if let Some(annotated) = &mut self.annotated {
            let RowAnnotation { values, repeats } = annotated.next(row, stays)?;
            (change.values, change.repeats) = (values, repeats);
        }
        Ok(if change == Change::default() { Edit::Keep } else { Edit::Change(change) })
    }
}

/// Fails if the folder has fewer files than were written: two names may be one to a file system.
fn check_files(folder: &Path, wanted: u64) -> Result<()> {
    let mut found = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |source| Error::io(&folder, Operation::Read, source);
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            entries => entries.map_err(failed)?,
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            if entry.file_type().map_err(failed)?.is_dir() {
                folders.push(entry.path());
            } else {
                found += 1;
            }
        }
    }
    if found < wanted {
        let path = folder.to_owned();
        return Err(Error::from(ErrorKind::FilesMissing { path, found, wanted }));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use lookalike_corpus::Source;
    use lookalike_files::WorkFolder;

    use super::*;
    use crate::observe::NoObserver;
    use crate::sources::SourcesWriter;

    /// A table that says other than the file: whatever is the reason, nobody may believe it.
    #[test]
    fn what_is_written_is_counted_against_what_stays() {
        let folder = WorkFolder::create(None).unwrap();
        let input = folder.join("a.jsonl");
        fs::write(&input, "{\"text\":\"a\"}\n{\"text\":\"b\"}\noops\n").unwrap();
        let source = Source::file(&input, None).unwrap();
        for (documents, bad, is_right) in
            [(2, Some(3), true), (3, None, true), (2, None, false), (3, Some(3), false)]
        {
            let (bytes, modified) = SourceRow::state(&source.version().unwrap());
            let row = SourceRow {
                source: source.clone(),
                bytes,
                modified,
                first_row: Row::nth(0),
                documents,
                bad: bad.into_iter().collect(),
                broken: false,
                fields: None,
                of_run: None,
            };
            let table = folder.join("sources.jsonl");
            let mut writer = SourcesWriter::create(&table).unwrap();
            writer.push(&row).unwrap();
            writer.finish().unwrap();
            let mut removed = RowSet::none(documents);
            removed.insert(Row::nth(0));
            let out = folder.join("kept");
            let _ = fs::remove_dir_all(&out);
            let survivors = Survivors {
                sources: &SourceTable::open(&table).unwrap(),
                options: &ReadOptions::default(),
                removed: &removed.count(),
                written: Written::Kept,
                cuts: None,
                annotations: None,
                revisits: None,
                unreadable: Unreadable::Kept,
                threads: 1,
                budget: 1 << 30,
                observer: &NoObserver,
            };
            let written = survivors.write(&out);
            assert_eq!(written.is_ok(), is_right, "{documents}");
            let is_told = |error: &Error| matches!(error.kind(), ErrorKind::WrongSurvivors { .. });
            assert!(written.as_ref().err().is_none_or(is_told), "{documents}");
            assert_eq!(out.join("a.jsonl").exists(), is_right, "{documents}");
        }
    }

    #[test]
    fn files_are_counted() {
        let folder = WorkFolder::create(None).unwrap();
        fs::create_dir_all(folder.join("a/b")).unwrap();
        fs::write(folder.join("a/b/c.txt"), "").unwrap();
        fs::write(folder.join("d.txt"), "").unwrap();
        assert!(check_files(&folder, 2).is_ok() && check_files(&folder.join("none"), 0).is_ok());
        let error = check_files(&folder, 3).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::FilesMissing { found: 2, wanted: 3, .. }));
    }
}

//! The survivors of every source, each in a file of its own.
//!
//! What cannot be read stays as it is. A file that nothing goes from is copied,
//! whatever is in it. Of one that breaks off, only the records before that can be
//! told from each other: its file of survivors has those of them that stay, and beside it,
//! under its name and `.unreadable`, there is a copy of all of its bytes.
//!
//! Before a file gets its name, what is in it is counted against what was decided;
//! and in the end the files themselves are counted.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use lookalike_corpus::{Change, Edit, Format, PendingCopies, ReadOptions};

use crate::document_set::RowSet;
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::observe::Observer;
use crate::passages::{CutPiece, Cuts};
use crate::places::Row;
use crate::sources::{SourceRow, SourceTable};

/// What a thread that writes or packs takes: what it reads ahead, and the blocks of the packer.
const THREAD_BYTES: usize = 24 << 20;

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
    /// What is cut of those that stay.
    pub(crate) cuts: Option<&'a Cuts>,
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
        let threads = self.threads.min(self.budget / THREAD_BYTES).max(1);
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
        let removes = self.removed.any(&row.rows());
        let cut = self.cuts.map(|cuts| cuts.of(&row.rows())).transpose()?.unwrap_or_default();
        let goes = removes || !cut.is_empty();
        let is_sound = row.bad.is_empty() && !row.broken;
        let drops = !is_sound && self.unreadable == Unreadable::Dropped;
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
            Some(row) => !self.removed.contains(row),
            None => !drops,
        };
        let mut pending = if cut.is_empty() {
            source.pending_selection(folder, options, keep)?
        } else {
            let mut cut = &*cut;
            source.pending_edits(folder, options, &[], |record| {
                Ok(match row.row_of(record) {
                    _ if !keep(record) => Edit::Drop,
                    Some(row) => edit(row, &mut cut),
                    None => Edit::Keep,
                })
            })?
        };
        let removed = self.removed.count_in(&row.rows());
        let bad = row.bad.len();
        let wanted = row.documents - removed + if drops { 0 } else { bad };
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

/// What becomes of a row that stays, by the pieces that are cut of it and of rows after it.
fn edit(row: Row, pieces: &mut &[CutPiece]) -> Edit {
    let before = pieces.partition_point(|piece| piece.row < row);
    let upto = pieces.partition_point(|piece| piece.row <= row);
    let own = &pieces[before..upto];
    *pieces = &pieces[upto..];
    let mut cuts: Vec<Range<u64>> = Vec::new();
    for piece in own {
        match cuts.last_mut() {
            Some(last) if last.end == u64::from(piece.begin) => last.end = piece.end.into(),
            _ => cuts.push(piece.begin.into()..piece.end.into()),
        }
    }
    if cuts.is_empty() {
        return Edit::Keep;
    }
    Edit::Change(Change { cuts, ..Change::default() })
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
                cuts: None,
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

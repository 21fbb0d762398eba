//! The survivors: a mirror of every source.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lookalike_corpus::{Format, PendingCopies, ReadOptions};

use crate::error::{Error, ErrorKind, Result};
use crate::observe::Observer;
use crate::row_set::RowSet;
use crate::sources::{SourceRow, SourceTable};

/// What a thread that writes or packs takes: what it reads ahead, and the blocks of the packer.
const THREAD_BYTES: usize = 24 << 20;

/// Copies that wait for their names, on all threads: each is an open file, of which systems allow
/// a thousand.
const MAX_PENDING: usize = 256;

/// What writing the survivors needs.
pub(crate) struct Mirrors<'a> {
    pub(crate) sources: &'a SourceTable,
    pub(crate) options: &'a ReadOptions,
    /// The rows that go.
    pub(crate) removed: &'a RowSet,
    pub(crate) threads: usize,
    pub(crate) budget: usize,
    pub(crate) observer: &'a dyn Observer,
}

impl Mirrors<'_> {
    /// Writes a mirror of each source into the folder. One that is there already is complete,
    /// since files get their names last, and is left as it is.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let next = AtomicUsize::new(0);
        let threads = self.threads.min(self.budget / THREAD_BYTES).max(1);
        let mut options = self.options.clone();
        // What is left of the threads, where there are fewer files.
        options.packing_threads = threads / self.sources.len().max(1);
        let failure = Mutex::new(None);
        let fail = |error| {
            next.store(self.sources.len(), Ordering::Relaxed);
            if let Ok(mut failure) = failure.lock() {
                failure.get_or_insert(error);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..threads.min(self.sources.len()) {
                scope.spawn(|| {
                    let mut copies = PendingCopies::default();
                    let written = (|| {
                        loop {
                            let number = next.fetch_add(1, Ordering::Relaxed);
                            if number >= self.sources.len() {
                                return copies.publish().map_err(Error::corpus);
                            }
                            let source = self.sources.get(number)?;
                            self.one(&source, folder, &options, &mut copies)?;
                            if copies.len() * threads >= MAX_PENDING {
                                copies.publish().map_err(Error::corpus)?;
                            }
                        }
                    })();
                    if let Err(error) = written {
                        fail(error);
                    }
                });
            }
        });
        failure.into_inner().unwrap_or_default().map_or(Ok(()), Err)
    }

    fn one(
        &self,
        row: &SourceRow,
        folder: &Path,
        options: &ReadOptions,
        copies: &mut PendingCopies,
    ) -> Result<()> {
        if self.observer.cancelled() {
            return Err(Error::new(ErrorKind::Interrupted));
        }
        let source = &row.source;
        let target = folder.join(source.name());
        if target.exists() {
            self.observer.advance(0, row.documents);
            return Ok(());
        }
        row.check_unchanged()?;
        let goes = self.removed.any(row.rows());
        if row.documents == 0 && (row.broken || source.format() == Format::TextFile) {
            // Nothing of it could be read; that was counted when it was signed.
            return Ok(());
        }
        if !goes && row.bad.is_empty() && !row.broken {
            copies.add(source, folder).map_err(Error::corpus)?;
            self.observer.advance(0, row.documents);
            return Ok(());
        }
        let keep = |record| row.row_of(record).is_some_and(|row| !self.removed.contains(row));
        // What broke it off was counted when it was signed.
        source.mirror_records(folder, options, keep).map_err(Error::corpus)?;
        self.observer.advance(0, row.documents);
        Ok(())
    }
}

//! Locks of the operating system: they go with the process that holds them, also after kill -9,
//! and whoever comes next takes them.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Operation, Result};

/// A file that is locked until this is dropped.
#[derive(Debug)]
pub struct Lock(File);

impl Lock {
    /// Locks a file, which is made if it is missing; `None` if it is locked already.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn take(path: &Path) -> Result<Option<Self>> {
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).open(path);
        let locked = file.and_then(|file| Ok(try_lock(&file)?.then_some(Self(file))));
        locked.map_err(|error| Error::io(path, Operation::Lock, error))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing it is not enough: a process that is being started has it open, too, for a moment.
        let _ = self.0.unlock();
    }
}

/// Whether nobody else has the file locked; then it is, until it is closed.
pub(crate) fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether the open file still has this name.
#[cfg(unix)]
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// Whether the open file still has this name: it cannot be renamed by others there.
#[cfg(not(unix))]
pub(crate) fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// The name of the file in the folder that a [`JobLock`] is of.
pub const JOB_LOCK: &str = "job.lock";

/// A folder that no other job may use. Its file goes with the job that ends in order.
#[derive(Debug)]
pub struct JobLock {
    path: PathBuf,
    /// Held until the file is removed, or it might be another job's by then.
    _lock: Lock,
}

impl JobLock {
    /// Takes the lock of a folder, which must exist.
    ///
    /// # Errors
    /// If another job has it, or the system refuses.
    pub fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(JOB_LOCK);
        loop {
            let Some(lock) = Lock::take(&path)? else {
                return Err(Error::from(ErrorKind::JobRunning(folder.to_owned())));
            };
            // The job that had it may have ended and removed it between opening and locking: then
            // this is the lock of a file that nobody else will find.
            if is_at(&lock.0, &path) {
                return Ok(Self { path, _lock: lock });
            }
        }
    }
}

impl Drop for JobLock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::WorkFolder;

    #[test]
    fn a_folder_has_one_job_at_a_time() {
        let folder = WorkFolder::create(None).unwrap();
        let first = JobLock::take(&folder).unwrap();
        let second = JobLock::take(&folder).unwrap_err();
        assert!(matches!(second.kind(), ErrorKind::JobRunning(at) if **at == *folder), "{second}");
        drop(first);
        drop(JobLock::take(&folder).unwrap());
        assert!(fs::read_dir(&folder).unwrap().next().is_none(), "nothing is left");
        fs::write(folder.join(JOB_LOCK), "").unwrap();
        drop(JobLock::take(&folder).unwrap());
    }

    /// As a process has it that was forked from this one, and does not run its program yet.
    #[test]
    fn a_copy_of_the_descriptor_does_not_keep_the_lock() {
        let folder = WorkFolder::create(None).unwrap();
        let path = folder.join("lock");
        let lock = Lock::take(&path).unwrap().unwrap();
        let copy = lock.0.try_clone().unwrap();
        assert!(Lock::take(&path).unwrap().is_none());
        drop(lock);
        drop(Lock::take(&path).unwrap().unwrap());
        drop(copy);
    }
}

//! One job at a time in a folder.
//!
//! A lock of the operating system on a small file: it goes with the process that
//! holds it, also after kill -9, and whoever comes next takes it. The file goes
//! with the job that ends in order.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use lookalike_corpus::is_at;

use crate::error::{Error, ErrorKind, Operation, Result};

/// The name of the file in the folder that it is the lock of.
pub(crate) const LOCK: &str = "job.lock";

/// A folder that no other job may use.
#[derive(Debug)]
pub(crate) struct JobLock {
    path: PathBuf,
    /// Open as long as the lock is held.
    _file: File,
}

impl JobLock {
    /// Takes the lock of a folder, which must exist.
    ///
    /// # Errors
    /// If another job has it, or the system refuses.
    pub(crate) fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(LOCK);
        let failed = |source| Error::io(&path, Operation::Create, source);
        loop {
            let mut options = OpenOptions::new();
            let file = options.write(true).create(true).truncate(false).open(&path);
            let file = file.map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::new(ErrorKind::JobRunning(folder.to_owned())));
                }
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
            // The job that had it may have ended and removed it between opening and locking: then
            // this is the lock of a file that nobody else will find.
            if is_at(&file, &path) {
                return Ok(Self { path, _file: file });
            }
        }
    }
}

impl Drop for JobLock {
    fn drop(&mut self) {
        // Before the lock goes, or it might be another job's by then.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_job_at_a_time() {
        let folder = std::env::temp_dir().join(format!("lookalike-lock-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let first = JobLock::take(&folder).unwrap();
        let second = JobLock::take(&folder).unwrap_err();
        assert!(matches!(second.kind(), ErrorKind::JobRunning(at) if *at == folder), "{second}");
        drop(first);
        drop(JobLock::take(&folder).unwrap());
        assert!(fs::read_dir(&folder).unwrap().next().is_none(), "nothing is left");
        fs::write(folder.join(LOCK), "").unwrap();
        drop(JobLock::take(&folder).unwrap());
        fs::remove_dir_all(folder).unwrap();
    }
}

//! A folder that goes with the job that made it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Operation, Result};

/// The folder of working files, which goes with the job.
pub(crate) struct WorkFolder(pub(crate) PathBuf);

impl WorkFolder {
    /// Makes the folder of that name, or one below the system's own.
    pub(crate) fn create(named: Option<&Path>) -> Result<Self> {
        // Several jobs of one process have a folder each.
        static JOBS: AtomicU64 = AtomicU64::new(0);
        let folder = named.map_or_else(
            || {
                let number = JOBS.fetch_add(1, Ordering::Relaxed);
                std::env::temp_dir().join(format!("lookalike-{}-{number}", std::process::id()))
            },
            Path::to_owned,
        );
        // Not one that is there: it will be removed with all that is in it.
        fs::create_dir(&folder).map_err(|e| Error::io(&folder, Operation::Create, e))?;
        Ok(Self(folder))
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

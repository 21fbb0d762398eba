//! Folders: names that last, and folders that go.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, io};

use crate::error::{Error, Operation, Result};

/// Sees on disk that what is in a folder has its names. Windows opens no folders; its file systems
/// keep the order of renames themselves.
///
/// # Errors
/// If the system refuses.
pub fn sync_folder(folder: &Path) -> Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    let synced = fs::File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|error| Error::io(folder, Operation::Write, error))
}

/// The folder that a file is in; `None` for the root.
pub(crate) fn folder_of(path: &Path) -> Option<&Path> {
    path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

/// Sees on disk that a file or folder has its name.
///
/// # Errors
/// If the system refuses.
pub fn sync_parent(path: &Path) -> Result<()> {
    folder_of(path).map_or(Ok(()), sync_folder)
}

/// Makes a folder and those above it, and sees on disk that all of them have their names, this one
/// also if it was there already.
///
/// # Errors
/// If the system refuses.
pub fn create_folder(folder: &Path) -> Result<()> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<&Path> = folder.ancestors().skip(1).take_while(is_missing).collect();
    fs::create_dir_all(folder).map_err(|e| Error::io(folder, Operation::Create, e))?;
    missing.into_iter().rev().chain([folder]).try_for_each(sync_parent)
}

/// Removes a folder with all that is in it, if it is there.
///
/// # Errors
/// If the system refuses.
pub fn remove_folder(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::io(folder, Operation::Remove, error))
        }
        _ => Ok(()),
    }
}

/// The name that a file or folder has until it is complete: in the same folder, so that a rename
/// stays within one file system.
pub fn partial_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    path.with_file_name(name)
}

/// A folder in the making. Dropped without [`commit`](Self::commit), it goes with all that is in it.
#[derive(Debug)]
pub struct AtomicFolder {
    path: PathBuf,
    partial: PathBuf,
    /// Once it is, the partial name may be another's.
    is_named: bool,
}

impl AtomicFolder {
    /// Makes the folder under its [`partial_path`], or takes over the one of that name.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn create(path: &Path) -> Result<Self> {
        let partial = partial_path(path);
        fs::create_dir_all(&partial).map_err(|e| Error::io(&partial, Operation::Create, e))?;
        Ok(Self { path: path.to_owned(), partial, is_named: false })
    }

    /// The name that it has until it is complete.
    pub fn partial_path(&self) -> &Path {
        &self.partial
    }

    /// Gives the complete folder its name, also in place of an empty one.
    ///
    /// # Errors
    /// If the system refuses; then nothing is left behind.
    pub fn commit(mut self) -> Result<()> {
        if self.path.is_dir() {
            // Fails unless it is empty.
            fs::remove_dir(&self.path).map_err(|e| Error::io(&self.path, Operation::Create, e))?;
        }
        fs::rename(&self.partial, &self.path)
            .map_err(|e| Error::io(&self.path, Operation::Rename, e))?;
        self.is_named = true;
        sync_parent(&self.path)
    }
}

impl Drop for AtomicFolder {
    fn drop(&mut self) {
        if !self.is_named {
            // What cannot be removed has a name by which nobody takes it for complete.
            let _ = fs::remove_dir_all(&self.partial);
        }
    }
}

/// The folder of working files, which goes with the job that made it.
#[derive(Debug)]
pub struct WorkFolder(PathBuf);

impl WorkFolder {
    /// Makes the folder of that name, or one below the system's own.
    ///
    /// # Errors
    /// If it is there already, or the system refuses.
    pub fn create(named: Option<&Path>) -> Result<Self> {
        // Several jobs of one process have a folder each.
        static JOBS: AtomicU64 = AtomicU64::new(0);
        loop {
            let folder = named.map_or_else(
                || {
                    let number = JOBS.fetch_add(1, Ordering::Relaxed);
                    std::env::temp_dir().join(format!("lookalike-{}-{number}", std::process::id()))
                },
                Path::to_owned,
            );
            // Not one that is there: it will be removed with all that is in it.
            match fs::create_dir(&folder) {
                Ok(()) => return Ok(Self(folder)),
                // Of a process that was killed, and had the number of this one.
                Err(e) if named.is_none() && e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(Error::io(&folder, Operation::Create, e)),
            }
        }
    }
}

impl Deref for WorkFolder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<Path> for WorkFolder {
    fn as_ref(&self) -> &Path {
        self
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

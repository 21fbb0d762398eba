//! Files that appear under their name only when they are complete.
//!
//! Written as `NAME.partial` beside the final place, so that the rename stays
//! within one file system. The data is on the disk before the rename, and the
//! rename before [`AtomicFile::commit`] returns: after a power cut there is the
//! old file or the whole new one. A lock keeps a second writer out; a partial
//! file that a killed process left behind has no lock and is written over.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Operation, Result};

/// What to do if the file is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Leave it and fail.
    Refuse,
    /// Replace it, when the new one is complete.
    Replace,
}

/// A file in the making. Dropped without [`commit`](Self::commit), it leaves nothing behind.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    partial: PathBuf,
    /// `None` once the file has its final name.
    out: Option<BufWriter<File>>,
}

impl AtomicFile {
    /// Starts the file.
    ///
    /// # Errors
    /// If it exists and must not be replaced, somebody else is writing it, or the system refuses.
    pub fn create(path: &Path, existing: Existing) -> Result<Self> {
        let failed = |source| Error::io(path, Operation::Create, source);
        if path.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        if existing == Existing::Refuse && fs::symlink_metadata(path).is_ok() {
            return Err(Error::new(ErrorKind::Exists(path.to_owned())));
        }
        let Some(name) = path.file_name() else {
            return Err(failed(io::ErrorKind::InvalidFilename.into()));
        };
        let mut partial_name = OsString::from(name);
        partial_name.push(".partial");
        let partial = path.with_file_name(partial_name);
        // Not truncated yet: it may be another writer's.
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&partial);
        let file = file.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::new(ErrorKind::Busy(path.to_owned())));
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        if !is_at(&file, &partial) {
            // The other writer finished between our opening and our locking.
            return Err(Error::new(ErrorKind::Busy(path.to_owned())));
        }
        file.set_len(0).map_err(failed)?;
        // 1 MiB: a block of signatures in a few calls.
        let out = Some(BufWriter::with_capacity(1 << 20, file));
        Ok(Self { path: path.to_owned(), partial, out })
    }

    /// The name that it has until it is complete.
    pub fn partial_path(&self) -> &Path {
        &self.partial
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(out) = &mut self.out else { unreachable!("commit takes the file") };
        out.write_all(bytes).map_err(|source| Error::io(&self.path, Operation::Write, source))
    }

    /// Gives the complete file its name.
    ///
    /// # Errors
    /// If the system refuses; then nothing is left behind.
    pub fn commit(mut self) -> Result<()> {
        let failed = |source| Error::io(&self.path, Operation::Write, source);
        let Some(out) = &mut self.out else { unreachable!("commit takes the file") };
        out.flush().map_err(failed)?;
        out.get_ref().sync_all().map_err(failed)?;
        let renamed = |source| Error::io(&self.path, Operation::Rename, source);
        fs::rename(&self.partial, &self.path).map_err(renamed)?;
        self.out = None;
        sync_folder(&self.path).map_err(renamed)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(out) = self.out.take() {
            // Whether it can be removed or not, the final name was never taken.
            let _ = fs::remove_file(&self.partial);
            // Only then the lock may go, and what is buffered with it.
            drop(out.into_parts());
        }
    }
}

/// Whether the open file still has this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// An open file cannot be renamed by others there.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Makes the rename last.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Folders cannot be opened there; the file system orders the rename itself.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

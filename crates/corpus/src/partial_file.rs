//! Files that appear under their name only when they are complete.
//!
//! Written as `NAME.partial` beside the final place, so that the rename stays
//! within one file system. The data is on the disk before the rename, and the
//! rename before [`PartialFile::publish`] returns: after a power cut there is the
//! old file or the whole new one. A lock keeps a second writer out; a partial
//! file that a killed process left behind has no lock and is written over.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file in the making. Dropped before it is published, it leaves nothing behind.
///
/// Errors are the system's; whoever writes the file says which one and why.
#[derive(Debug)]
pub struct PartialFile {
    path: PathBuf,
    partial: PathBuf,
    /// `None` once the file has its final name.
    out: Option<BufWriter<File>>,
}

impl PartialFile {
    /// Starts the file that will have this path.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if somebody else is writing it; else what the system says.
    pub fn create(path: &Path) -> io::Result<Self> {
        if path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let mut partial_name = OsString::from(name);
        partial_name.push(".partial");
        let partial = path.with_file_name(partial_name);
        // Not truncated yet: it may be another writer's.
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&partial)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        if !is_at(&file, &partial) {
            // The other writer finished between our opening and our locking.
            return Err(io::ErrorKind::WouldBlock.into());
        }
        // 1 MiB: few calls to the system.
        let out = Some(BufWriter::with_capacity(1 << 20, file));
        // Ours from here on, and removed if this fails.
        let mut made = Self { path: path.to_owned(), partial, out };
        made.out().get_ref().set_len(0)?;
        Ok(made)
    }

    /// The name that it will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name that it has until it is complete.
    pub fn partial_path(&self) -> &Path {
        &self.partial
    }

    fn out(&mut self) -> &mut BufWriter<File> {
        match &mut self.out {
            Some(out) => out,
            None => unreachable!("publishing takes the file"),
        }
    }

    /// Brings what was written to the disk.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn sync(&mut self) -> io::Result<()> {
        self.out().flush()?;
        self.out().get_ref().sync_all()
    }

    /// Hands what was written to the system, and keeps no memory for more.
    pub(crate) fn rest(&mut self) -> io::Result<()> {
        if let Some(out) = self.out.take() {
            let (done, out) = match out.into_inner() {
                Ok(file) => (Ok(()), BufWriter::with_capacity(0, file)),
                Err(failed) => {
                    let (error, out) = failed.into_parts();
                    (Err(error), out)
                }
            };
            self.out = Some(out);
            done?;
        }
        Ok(())
    }

    /// Gives the complete and synced file its name.
    ///
    /// # Errors
    /// If the system refuses; then nothing is left behind.
    pub fn publish(self) -> io::Result<()> {
        let path = self.path.clone();
        self.rename()?;
        sync_folder(folder_of(&path))
    }

    /// Gives the complete and synced file its name, which lasts when its folder is synced too.
    pub(crate) fn rename(mut self) -> io::Result<()> {
        fs::rename(&self.partial, &self.path)?;
        self.out = None;
        Ok(())
    }
}

impl Write for PartialFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out().flush()
    }
}

impl Drop for PartialFile {
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
pub fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// Whether the open file still has this name: it cannot be renamed by others there.
#[cfg(not(unix))]
pub fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes renames in the folder last.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Folders cannot be opened there; the file system orders the rename itself.
#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

//! Files that appear under their name only when they are complete.
//!
//! Written as `NAME.partial` beside the final place and renamed once the data
//! is on the disk. A lock keeps a second writer out; what a killed process left
//! behind has no lock and is written over.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Operation, Result};

/// A file in the making. Dropped without [`commit`](Self::commit), it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct OutputFile {
    path: PathBuf,
    partial: PathBuf,
    /// `None` once the file has its final name.
    out: Option<BufWriter<File>>,
}

impl OutputFile {
    /// Starts the file, and the folders that it is in.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let failed = |source| Error::io(path, Operation::Write, source);
        if path.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let Some(name) = path.file_name() else {
            return Err(failed(io::ErrorKind::InvalidFilename.into()));
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
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
        file.set_len(0).map_err(failed)?;
        // 1 MiB: few calls to the system.
        let out = Some(BufWriter::with_capacity(1 << 20, file));
        Ok(Self { path: path.to_owned(), partial, out })
    }

    /// Gives the complete file its name.
    pub(crate) fn commit(mut self) -> Result<()> {
        let failed = |source| Error::io(&self.path, Operation::Write, source);
        let Some(out) = &mut self.out else { unreachable!("commit takes the file") };
        out.flush().map_err(failed)?;
        out.get_ref().sync_all().map_err(failed)?;
        fs::rename(&self.partial, &self.path).map_err(failed)?;
        self.out = None;
        sync_folder(&self.path).map_err(failed)
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.out {
            Some(out) => out.write(bytes),
            None => unreachable!("commit takes the file"),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if let Some(out) = self.out.take() {
            // Whether it can be removed or not, the final name was never taken.
            let _ = fs::remove_file(&self.partial);
            // Only then the lock may go, and what is buffered with it.
            drop(out.into_parts());
        }
    }
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

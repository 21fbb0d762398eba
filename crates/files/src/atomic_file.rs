//! Files that appear under their name only when they are complete.
//!
//! Written as `NAME.partial` beside the final place. The data is on the disk before the rename, and the
//! rename before [`AtomicFile::commit`] returns: after a power cut there is the
//! old file or the whole new one. A lock keeps a second writer out; a partial
//! file that a killed process left behind has no lock and is written over.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Operation, Result};
use crate::folder::{folder_of, partial_path, sync_folder};
use crate::lock::{is_at, try_lock};

/// 1 MiB: few calls to the system.
const BUFFER: usize = 1 << 20;

/// What to do if the file is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Leave it and fail.
    Refuse,
    /// Replace it, when the new one is complete.
    Replace,
}

impl Existing {
    /// What an option `force` of a program says.
    pub fn with_force(is_forced: bool) -> Self {
        if is_forced { Self::Replace } else { Self::Refuse }
    }
}

/// Who may read a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Readers {
    /// Whoever the system lets.
    Default,
    /// Its owner, where the system knows owners.
    Owner,
}

/// A file in the making. Dropped without [`commit`](Self::commit), it leaves nothing behind.
///
/// It is also an [`io::Write`], for encoders; their errors do not name the file.
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
        let refused = existing == Existing::Refuse && !path.is_dir();
        if refused && fs::symlink_metadata(path).is_ok() {
            return Err(Error::from(ErrorKind::Exists(path.to_owned())));
        }
        Self::start(path, Readers::Default)
    }

    /// Starts the file, in place of any that is there, and the folders that it is in.
    ///
    /// # Errors
    /// If somebody else is writing it, or the system refuses.
    pub fn create_with_folders(path: &Path) -> Result<Self> {
        // A folder of that name or a path without one is refused before anything is made.
        if !path.is_dir()
            && path.file_name().is_some()
            && let Some(folder) = path.parent()
        {
            fs::create_dir_all(folder).map_err(|e| Error::io(path, Operation::Create, e))?;
        }
        Self::start(path, Readers::Default)
    }

    fn start(path: &Path, readers: Readers) -> Result<Self> {
        let failed = |source| Error::io(path, Operation::Create, source);
        if path.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        if path.file_name().is_none() {
            return Err(failed(io::ErrorKind::InvalidFilename.into()));
        }
        let partial = partial_path(path);
        let Some(file) = open_partial(&partial, readers).map_err(failed)? else {
            return Err(Error::from(ErrorKind::Busy(path.to_owned())));
        };
        let out = Some(BufWriter::with_capacity(BUFFER, file));
        // Ours from here on, and removed if this fails.
        let mut started = Self { path: path.to_owned(), partial, out };
        started.out().get_ref().set_len(0).map_err(failed)?;
        Ok(started)
    }

    /// The name that it has until it is complete.
    pub fn partial_path(&self) -> &Path {
        &self.partial
    }

    fn out(&mut self) -> &mut BufWriter<File> {
        match &mut self.out {
            Some(out) => out,
            None => unreachable!("committing takes the file"),
        }
    }

    /// An error in writing it.
    fn failed(&self, source: io::Error) -> Error {
        Error::io(&self.path, Operation::Write, source)
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.out().write_all(bytes).map_err(|source| self.failed(source))
    }

    /// Appends everything that is read from the file at this path, and tells how much it was.
    ///
    /// # Errors
    /// If the system refuses to read the one or to write the other.
    pub fn copy_from(&mut self, mut from: impl Read, path: &Path) -> Result<u64> {
        // Not `io::copy`, which does not tell whether it was reading or writing that failed.
        let mut buffer = vec![0; BUFFER / 4];
        let mut copied = 0;
        loop {
            match from.read(&mut buffer) {
                Ok(0) => return Ok(copied),
                Ok(read) => {
                    self.write(&buffer[..read])?;
                    copied += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(Error::io(path, Operation::Read, source)),
            }
        }
    }

    /// Hands what was written to the system, and keeps no memory for more.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn rest(&mut self) -> Result<()> {
        let Some(out) = self.out.take() else { return Ok(()) };
        let (done, out) = match out.into_inner() {
            Ok(file) => (Ok(()), BufWriter::with_capacity(0, file)),
            Err(failed) => {
                let (error, out) = failed.into_parts();
                (Err(error), out)
            }
        };
        self.out = Some(out);
        done.map_err(|source| self.failed(source))
    }

    /// Gives the complete file its name.
    ///
    /// # Errors
    /// If the system refuses; then nothing is left behind.
    pub fn commit(self) -> Result<()> {
        commit_all(vec![self])
    }
}

/// Opens a partial file and locks it; `None` if it is another writer's.
fn open_partial(partial: &Path, readers: Readers) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    // Not truncated yet: it may be another writer's.
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    if readers == Readers::Owner {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    loop {
        let file = options.open(partial)?;
        // Without its name: the other writer finished between our opening and our locking.
        if !try_lock(&file)? || !is_at(&file, partial) {
            return Ok(None);
        }
        if readers == Readers::Default || is_private(&file)? {
            return Ok(Some(file));
        }
        // One that was left behind, and that others may have open.
        fs::remove_file(partial)?;
    }
}

/// Whether nobody but its owner can read the file.
#[cfg(unix)]
fn is_private(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(file.metadata()?.permissions().mode().trailing_zeros() >= 6)
}

/// Nothing is known of owners there.
#[cfg(not(unix))]
fn is_private(_: &File) -> io::Result<bool> {
    Ok(true)
}

/// Gives complete files their names. All of them are brought to the disk before the first gets
/// its name: a file system writes many small ones in one go, but each by itself if it is asked to
/// after each.
///
/// # Errors
/// If the system refuses. Then some may have no names, and leave nothing behind.
pub fn commit_all(mut files: Vec<AtomicFile>) -> Result<()> {
    for file in &mut files {
        let out = file.out();
        let synced = out.flush().and_then(|()| out.get_ref().sync_all());
        synced.map_err(|source| file.failed(source))?;
    }
    let mut folders = BTreeSet::new();
    for mut file in files {
        fs::rename(&file.partial, &file.path)
            .map_err(|source| Error::io(&file.path, Operation::Rename, source))?;
        file.out = None;
        folders.extend(folder_of(&file.path).map(Path::to_owned));
    }
    folders.iter().try_for_each(|folder| sync_folder(folder))
}

/// Writes a file, in place of any that is there.
///
/// # Errors
/// If somebody else is writing it, or the system refuses.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    write(path, bytes, Readers::Default)
}

/// As [`write_file`], a file that nobody but its owner can read, where the system knows owners.
///
/// # Errors
/// As [`write_file`].
pub fn write_private_file(path: &Path, bytes: &[u8]) -> Result<()> {
    write(path, bytes, Readers::Owner)
}

fn write(path: &Path, bytes: &[u8], readers: Readers) -> Result<()> {
    let mut file = AtomicFile::start(path, readers)?;
    file.write(bytes)?;
    file.commit()
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out().flush()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::WorkFolder;

    #[test]
    fn existing_files_and_left_over_partial_files() {
        let folder = WorkFolder::create(None).unwrap();
        let path = folder.join("file");
        fs::write(&path, "old").unwrap();
        fs::write(folder.join("file.partial"), "left over by a killed process").unwrap();
        let refused = AtomicFile::create(&path, Existing::Refuse).unwrap_err();
        assert!(matches!(refused.kind(), ErrorKind::Exists(_)) && refused.is_user());

        let mut file = AtomicFile::create(&path, Existing::Replace).unwrap();
        file.write(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);

        let error = AtomicFile::create(&folder, Existing::Replace).unwrap_err();
        assert!(error.is_io(), "a folder: {error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_private_file_was_never_open_to_others() {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
        let folder = WorkFolder::create(None).unwrap();
        let (path, partial) = (folder.join("file"), folder.join("file.partial"));
        fs::write(&partial, "left over, and somebody reads it").unwrap();
        fs::set_permissions(&partial, fs::Permissions::from_mode(0o644)).unwrap();
        let left_over = File::open(&partial).unwrap();
        write_private_file(&path, b"secret").unwrap();
        assert_ne!(left_over.metadata().unwrap().ino(), fs::metadata(&path).unwrap().ino());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

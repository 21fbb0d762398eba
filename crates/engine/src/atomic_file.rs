//! Files that appear under their name only when they are complete, with this crate's errors.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use lookalike_corpus::PartialFile;

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
pub struct AtomicFile(PartialFile);

impl AtomicFile {
    /// Starts the file.
    ///
    /// # Errors
    /// If it exists and must not be replaced, somebody else is writing it, or the system refuses.
    pub fn create(path: &Path, existing: Existing) -> Result<Self> {
        let refused = existing == Existing::Refuse && !path.is_dir();
        if refused && fs::symlink_metadata(path).is_ok() {
            return Err(Error::new(ErrorKind::Exists(path.to_owned())));
        }
        PartialFile::create(path).map(Self).map_err(|source| match source.kind() {
            io::ErrorKind::WouldBlock => Error::new(ErrorKind::Busy(path.to_owned())),
            _ => Error::io(path, Operation::Create, source),
        })
    }

    /// Writes a whole file, in place of an older one.
    ///
    /// # Errors
    /// If somebody else is writing it, or the system refuses.
    pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
        let mut file = Self::create(path, Existing::Replace)?;
        file.write(bytes)?;
        file.commit()
    }

    /// The name that it has until it is complete.
    pub fn partial_path(&self) -> &Path {
        self.0.partial_path()
    }

    /// Lets nobody but its owner read the file, where the system knows owners. To be called before
    /// anything is written.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn keep_private(&self) -> Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let path = self.partial_path();
            fs::set_permissions(path, fs::Permissions::from_mode(0o600))
                .map_err(|source| Error::io(path, Operation::Write, source))?;
        }
        Ok(())
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.0.write_all(bytes);
        written.map_err(|source| Error::io(self.0.path(), Operation::Write, source))
    }

    /// Gives the complete file its name.
    ///
    /// # Errors
    /// If the system refuses; then nothing is left behind.
    pub fn commit(mut self) -> Result<()> {
        let path = self.0.path().to_owned();
        self.0.sync().map_err(|source| Error::io(&path, Operation::Write, source))?;
        self.0.publish().map_err(|source| Error::io(&path, Operation::Rename, source))
    }
}

//! What can go wrong with a file, whatever it holds.

use std::path::{Path, PathBuf};
use std::{fmt, io};

/// Why a file could not be written or read.
// The message has that of its source in it, so there is none to print after it; `kind` has it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused.
    #[error("`{path}`: cannot be {operation}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was being done.
        operation: Operation,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not what its format says: damaged, cut off, or another kind of file.
    #[error("`{path}`: is damaged at byte {offset}: expected {expected}, found {found}")]
    Corruption {
        /// The file.
        path: PathBuf,
        /// Where in it, in bytes.
        offset: u64,
        /// What should stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// The file has a format of another version of this program.
    #[error(
        "`{path}`: has format version {found}, but this program reads only version {known}\n\
         hint: {}",
        if found > known { "a later release made this file; use that one" } else {
            "an earlier release made this file; start again with what it was made from"
        }
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: u32,
        /// The one that this program reads.
        known: u32,
    },
    /// A file of this name is there already.
    #[error("`{0}`: exists already")]
    Exists(PathBuf),
    /// Somebody else is writing this file.
    #[error("`{0}`: is being written by another process")]
    Busy(PathBuf),
    /// Another job is working in this folder.
    #[error(
        "`{0}`: another job is working in this folder\n\
         hint: wait until it has ended, or name another folder"
    )]
    JobRunning(PathBuf),
}

/// What was being done when the system refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// Making a file or a folder.
    Create,
    /// Opening or reading one.
    Read,
    /// Listing a folder.
    List,
    /// Writing to one, or bringing it to the disk.
    Write,
    /// Giving it its final name.
    Rename,
    /// Removing it.
    Remove,
    /// Keeping others out of it.
    Lock,
}

/// As in "cannot be read".
impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Create => "created",
            Self::Read => "read",
            Self::List => "listed",
            Self::Write => "written",
            Self::Rename => "given its final name",
            Self::Remove => "removed",
            Self::Lock => "locked",
        })
    }
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// What the system refused to do with a file or folder.
    pub fn io(path: &Path, operation: Operation, source: io::Error) -> Self {
        Self::from(ErrorKind::Io { path: path.to_owned(), operation, source })
    }

    /// What was found at a place is not what was expected there.
    pub fn corruption(
        path: &Path,
        offset: u64,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        let (path, expected, found) = (path.to_owned(), expected.into(), found.into());
        Self::from(ErrorKind::Corruption { path, offset, expected, found })
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// What the system said, if it refused.
    pub fn system(&self) -> Option<&io::Error> {
        match &*self.0 {
            ErrorKind::Io { source, .. } => Some(source),
            _ => None,
        }
    }

    /// Whether the system refused.
    pub fn is_io(&self) -> bool {
        self.system().is_some()
    }

    /// Whether a disk has no room for more.
    pub fn is_full_disk(&self) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        self.system().is_some_and(|said| matches!(said.kind(), StorageFull | QuotaExceeded))
    }

    /// Whether a file is damaged or of another kind.
    pub fn is_corruption(&self) -> bool {
        matches!(*self.0, ErrorKind::Corruption { .. })
    }

    /// Whether a file of that name is there already.
    pub fn is_existing(&self) -> bool {
        matches!(*self.0, ErrorKind::Exists(_))
    }

    /// Whether something else should have been asked for.
    pub fn is_user(&self) -> bool {
        !self.is_io() && !self.is_corruption()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

//! What can go wrong with our files.

use std::path::{Path, PathBuf};
use std::{fmt, io};

/// Why a file could not be written or read.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused.
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        operation: Operation,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not what its format says: damaged, cut off, or another kind of file.
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
    /// The file has a format of a later program.
    Version {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: u32,
        /// The one that this program reads.
        known: u32,
    },
    /// The file is whole, but its recipe is none that this program can follow.
    Recipe {
        /// The file.
        path: PathBuf,
        /// What is wrong with the recipe.
        source: lookalike_core::Error,
    },
    /// A file of this name is there already.
    Exists(PathBuf),
    /// Somebody else is writing this file.
    Busy(PathBuf),
    /// An id is longer than a file can hold.
    IdTooLong {
        /// How the id begins.
        start: String,
        /// Its bytes.
        bytes: usize,
        /// The most that fit.
        limit: usize,
    },
}

/// What was being done when the system refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// Making a file.
    Create,
    /// Opening or reading one.
    Read,
    /// Writing to one.
    Write,
    /// Giving it its final name.
    Rename,
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }

    pub(crate) fn io(path: &Path, operation: Operation, source: io::Error) -> Self {
        Self::new(ErrorKind::Io { path: path.to_owned(), operation, source })
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Whether the system refused.
    pub fn is_io(&self) -> bool {
        matches!(*self.0, ErrorKind::Io { .. })
    }

    /// Whether a file is damaged or of another kind.
    pub fn is_corruption(&self) -> bool {
        matches!(*self.0, ErrorKind::Corruption { .. })
    }

    /// Whether something else should have been asked for.
    pub fn is_user(&self) -> bool {
        !self.is_io() && !self.is_corruption()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            ErrorKind::Io { path, operation, source } => {
                let operation = match operation {
                    Operation::Create => "created",
                    Operation::Read => "read",
                    Operation::Write => "written",
                    Operation::Rename => "given its final name",
                };
                write!(f, "`{}`: cannot be {operation}: {source}", path.display())
            }
            ErrorKind::Corruption { path, offset, expected, found } => write!(
                f,
                "`{}`: is damaged at byte {offset}: expected {expected}, found {found}",
                path.display()
            ),
            ErrorKind::Version { path, found, known } => write!(
                f,
                "`{}`: has format version {found}, but this program reads only version {known}\n\
                 hint: a later release made this file; use that one",
                path.display()
            ),
            ErrorKind::Recipe { path, source } => {
                write!(f, "`{}`: its recipe cannot be followed: {source}", path.display())
            }
            ErrorKind::Exists(path) => write!(f, "`{}`: exists already", path.display()),
            ErrorKind::Busy(path) => {
                write!(f, "`{}`: is being written by another process", path.display())
            }
            ErrorKind::IdTooLong { start, bytes, limit } => write!(
                f,
                "the id `{start}...` has {bytes} bytes, more than the {limit} that a signature \
                 file can hold"
            ),
        }
    }
}

// The message has that of its source in it, so there is none to print after it; `kind` has it.
impl std::error::Error for Error {}

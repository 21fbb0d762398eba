//! What can go wrong with an index.

use std::path::{Path, PathBuf};
use std::{fmt, io};

/// Why an operation on an index failed.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was being done.
        operation: Operation,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the index is damaged, cut off, or missing.
    Corruption {
        /// The file or folder.
        path: PathBuf,
        /// Which record or page of it, and what is wrong with that.
        fault: String,
    },
    /// The index has a format of a later program.
    Version {
        /// The file that says so.
        path: PathBuf,
        /// Its format version.
        found: u32,
        /// The one that this program reads.
        known: u32,
    },
    /// The folder is no index.
    NoIndex(PathBuf),
    /// The folder is an index whose making was interrupted.
    Unfinished(PathBuf),
    /// There is something in the folder already.
    Exists(PathBuf),
    /// Another process has the index open, or this one has it open twice.
    InUse(PathBuf),
    /// The store refuses to write since an earlier write or the work behind it failed.
    Stopped(PathBuf),
    /// The recipe is none that an index can follow.
    Recipe(lookalike_core::Error),
    /// The file is too short or too long for a secret.
    NoSecret(PathBuf),
    /// The index was made with a secret, and none was given.
    SecretMissing(PathBuf),
    /// The secret is not the one that the index was made with.
    SecretWrong(PathBuf),
    /// A field of a document is longer than an index can hold.
    TooLong {
        /// Which field.
        field: &'static str,
        /// How the document's id begins.
        id: String,
        /// The bytes of the field.
        bytes: usize,
        /// The most that fit.
        limit: usize,
    },
    /// A signature was given that the recipe of the index does not make.
    OtherSignature {
        /// The document.
        id: String,
        /// What does not fit.
        fault: String,
    },
}

/// What was being done when the system refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// Making a file or a folder.
    Create,
    /// Opening or reading one.
    Read,
    /// Writing to one.
    Write,
    /// Giving it its final name.
    Rename,
    /// Removing it.
    Remove,
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

    pub(crate) fn corruption(path: &Path, fault: impl Into<String>) -> Self {
        Self::new(ErrorKind::Corruption { path: path.to_owned(), fault: fault.into() })
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Whether the system refused.
    pub fn is_io(&self) -> bool {
        matches!(*self.0, ErrorKind::Io { .. } | ErrorKind::Stopped(_))
    }

    /// Whether a file is damaged.
    pub fn is_corruption(&self) -> bool {
        matches!(*self.0, ErrorKind::Corruption { .. })
    }

    /// Whether something else should have been asked for.
    pub fn is_user(&self) -> bool {
        !self.is_io() && !self.is_corruption()
    }
}

impl From<lookalike_core::Error> for Error {
    fn from(source: lookalike_core::Error) -> Self {
        Self::new(ErrorKind::Recipe(source))
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
                    Operation::Remove => "removed",
                };
                write!(f, "`{}`: cannot be {operation}: {source}", path.display())
            }
            ErrorKind::Corruption { path, fault } => {
                write!(f, "`{}`: is damaged: {fault}", path.display())
            }
            ErrorKind::Version { path, found, known } => write!(
                f,
                "`{}`: has format version {found}, but this program reads only version {known}\n\
                 hint: a later release made this index; use that one",
                path.display()
            ),
            ErrorKind::NoIndex(path) => write!(
                f,
                "`{}`: is no index\n\
                 hint: `lookalike index create` makes one",
                path.display()
            ),
            ErrorKind::Unfinished(path) => write!(
                f,
                "`{}`: is an index whose making was interrupted: there is nothing in it yet\n\
                 hint: `lookalike index create` makes it again",
                path.display()
            ),
            ErrorKind::Exists(path) => {
                write!(f, "`{}`: exists already, and is not empty", path.display())
            }
            ErrorKind::InUse(path) => write!(
                f,
                "index `{}` is in use by another process\n\
                 hint: one process at a time; others can ask it over HTTP (`lookalike serve`)",
                path.display()
            ),
            ErrorKind::Stopped(path) => write!(
                f,
                "`{}`: takes no more changes, because writing to it failed before\n\
                 hint: see that the disk has room and is well, then open the index again",
                path.display()
            ),
            ErrorKind::Recipe(source) => write!(f, "{source}"),
            ErrorKind::NoSecret(path) => write!(
                f,
                "`{}`: is no secret: it must have from 16 bytes to 1 MiB\n\
                 hint: `head -c 32 /dev/urandom > FILE` makes one",
                path.display()
            ),
            ErrorKind::SecretMissing(path) => write!(
                f,
                "`{}`: was made with a secret, and needs it\n\
                 hint: --secret-seed names its file",
                path.display()
            ),
            ErrorKind::SecretWrong(path) => {
                write!(f, "`{}`: was not made with this secret", path.display())
            }
            ErrorKind::TooLong { field, id, bytes, limit } => write!(
                f,
                "document `{id}`: its {field} has {bytes} bytes, more than the {limit} that an \
                 index can hold"
            ),
            ErrorKind::OtherSignature { id, fault } => write!(
                f,
                "document `{id}`: its signature is not one of the recipe of this index: {fault}"
            ),
        }
    }
}

// The message has that of its source in it, so there is none to print after it; `kind` has it.
impl std::error::Error for Error {}

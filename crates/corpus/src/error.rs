//! What can go wrong with inputs: the path, what was done with it, and the fault.

use std::path::{Path, PathBuf};
use std::{fmt, io};

/// Why there is no document.
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
    /// A document was wanted and a folder was named.
    Folder(PathBuf),
    /// A file is longer than the limit.
    TooLong {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// A glob matches no file.
    NoMatch(String),
    /// Something that inputs cannot be yet, such as an object-store URL.
    Unsupported(String),
}

/// What was being done when the system refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// Opening or reading a file.
    Read,
    /// Listing a folder.
    List,
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

    /// Whether something else should have been asked for.
    pub fn is_user(&self) -> bool {
        !self.is_io()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            ErrorKind::Io { path, operation, source } => {
                let operation = match operation {
                    Operation::Read => "read",
                    Operation::List => "listed",
                };
                write!(f, "`{}`: cannot be {operation}: {source}", path.display())
            }
            ErrorKind::Folder(path) => {
                write!(f, "`{}`: is a folder, but a file is needed here", path.display())
            }
            ErrorKind::TooLong { path, limit } => {
                write!(f, "`{}`: is longer than the limit of {limit} bytes", path.display())
            }
            ErrorKind::NoMatch(pattern) => write!(
                f,
                "`{pattern}`: matches no file\n\
                 hint: `*` and `?` stay within a folder, `**` reaches into those below"
            ),
            ErrorKind::Unsupported(url) => write!(
                f,
                "`{url}`: is a URL, and only local files can be read so far\n\
                 hint: copy the documents here first"
            ),
        }
    }
}

// The message has that of its source in it, so there is none to print after it; `kind` has it.
impl std::error::Error for Error {}

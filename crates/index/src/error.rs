//! What can go wrong with an index.

use std::io;
use std::path::{Path, PathBuf};

pub use lookalike_files::Operation;

/// Why an operation on an index failed.
// The message has that of its source in it, so there is none to print after it; `kind` has it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused, or somebody else is writing a file.
    #[error("{0}")]
    File(#[from] lookalike_files::Error),
    /// A file of the index is damaged, cut off, or missing.
    #[error("`{path}`: is damaged: {fault}")]
    Corruption {
        /// The file or folder.
        path: PathBuf,
        /// Which record or page of it, and what is wrong with that.
        fault: String,
    },
    /// The index has a format of a later program.
    #[error(
        "`{path}`: has format version {found}, but this program reads only version {known}\n\
         hint: a later release made this index; use that one"
    )]
    Version {
        /// The file that says so.
        path: PathBuf,
        /// Its format version.
        found: u32,
        /// The one that this program reads.
        known: u32,
    },
    /// The folder is not an index.
    #[error(
        "`{0}`: is not an index\n\
         hint: `lookalike index create` makes one"
    )]
    NoIndex(PathBuf),
    /// The folder is an index whose making was interrupted.
    #[error(
        "`{0}`: is an index whose making was interrupted: there is nothing in it yet\n\
         hint: `lookalike index create` makes it again"
    )]
    Unfinished(PathBuf),
    /// There is something in the folder already.
    #[error("`{0}`: exists already, and is not empty")]
    Exists(PathBuf),
    /// Another process has the index open, or this one has it open twice.
    #[error(
        "index `{0}` is in use by another process\n\
         hint: one process at a time; others can ask it over HTTP (`lookalike serve`)"
    )]
    InUse(PathBuf),
    /// The store refuses to write since an earlier write or the work behind it failed.
    #[error(
        "`{0}`: takes no more changes, because writing to it failed before\n\
         hint: make sure that the disk is sound and has room, then open the index again"
    )]
    Stopped(PathBuf),
    /// The recipe is none that an index can follow.
    #[error("{0}")]
    Recipe(#[from] lookalike_core::Error),
    /// The file is too short or too long for a secret.
    #[error(
        "`{0}`: is not a secret: it must be 16 bytes to 1 MiB long\n\
         hint: `head -c 32 /dev/urandom > FILE` makes one"
    )]
    NoSecret(PathBuf),
    /// The index was made with a secret, and none was given.
    #[error(
        "`{0}`: was made with a secret, and needs it\n\
         hint: --secret-seed names its file"
    )]
    SecretMissing(PathBuf),
    /// The secret is not the one that the index was made with.
    #[error("`{0}`: was not made with this secret")]
    SecretWrong(PathBuf),
    /// A field of a document is longer than an index can hold.
    #[error(
        "document `{id}`: its {field} has {bytes} bytes, more than the {limit} that an index can hold"
    )]
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
    /// A text for an index of sets.
    #[error(
        "{0}: is a text, and this index is of sets of items\n\
         hint: documents come as `items`, a list, or from a field that --set-field names"
    )]
    OfSets(String),
    /// A set for an index of texts.
    #[error(
        "{0}: is a set of items, and this index is of texts\n\
         hint: `lookalike index create DIR --recipe sets` makes one of sets"
    )]
    NotOfSets(String),
    /// A signature was given that the recipe of the index does not make.
    #[error("document `{id}`: its signature does not belong to this index's recipe: {fault}")]
    OtherSignature {
        /// The document.
        id: String,
        /// What does not fit.
        fault: String,
    },
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn io(path: &Path, operation: Operation, source: io::Error) -> Self {
        lookalike_files::Error::io(path, operation, source).into()
    }

    pub(crate) fn corruption(path: &Path, fault: impl Into<String>) -> Self {
        Self::from(ErrorKind::Corruption { path: path.to_owned(), fault: fault.into() })
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Whether the system refused.
    pub fn is_io(&self) -> bool {
        match &*self.0 {
            ErrorKind::File(fault) => fault.is_io(),
            kind => matches!(kind, ErrorKind::Stopped(_)),
        }
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

impl<E: Into<ErrorKind>> From<E> for Error {
    fn from(kind: E) -> Self {
        Self(Box::new(kind.into()))
    }
}

//! What can go wrong with an evaluation.

use std::fmt;
use std::path::PathBuf;

use lookalike_engine::numbers;

use crate::labels::LabelFault;

/// Why there is no evaluation.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The pairs could not be found, or a file not be read or written.
    Engine(lookalike_engine::Error),
    /// The recipes do not go together.
    Recipes(String),
    /// A line of a labels file cannot be used.
    Label {
        /// The file.
        path: PathBuf,
        /// Its number in the file, from 1.
        line: u64,
        /// What is wrong with it.
        fault: LabelFault,
    },
    /// A labels file has no label that can be used.
    NoLabels {
        /// The file.
        path: PathBuf,
        /// Its lines.
        lines: u64,
        /// The first fault.
        first: Option<String>,
    },
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

impl<E: Into<lookalike_engine::Error>> From<E> for Error {
    fn from(source: E) -> Self {
        ErrorKind::Engine(source.into()).into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            ErrorKind::Engine(source) => write!(f, "{source}"),
            ErrorKind::Recipes(fault) => write!(f, "the recipes: {fault}"),
            ErrorKind::Label { path, line, fault } => {
                write!(f, "`{}` line {line}: {fault}", path.display())
            }
            ErrorKind::NoLabels { path, lines, first } => {
                write!(f, "`{}`: has no label that could be used", path.display())?;
                write!(f, ", in {}", numbers::count(*lines, "line"))?;
                first.as_ref().map_or(Ok(()), |first| write!(f, "\nthe first fault: {first}"))
            }
        }
    }
}

// The message has that of its source in it, so there is none to print after it; `kind` has it.
impl std::error::Error for Error {}

//! What can go wrong with an evaluation.

use std::path::PathBuf;

use lookalike_engine::numbers;

/// Why there is no evaluation.
// The message has that of its source in it, so there is none to print after it; `kind` has it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The pairs could not be found, or a file not be read or written.
    #[error("{0}")]
    Engine(lookalike_engine::Error),
    /// The recipes do not go together.
    #[error("the recipes: {0}")]
    Recipes(String),
    /// A line of a labels file cannot be used.
    #[error("`{path}` line {line}: {fault}", path = path.display())]
    Label {
        /// The file.
        path: PathBuf,
        /// Its number in the file, from 1.
        line: u64,
        /// What is wrong with it.
        fault: LabelFault,
    },
    /// There are not two people who could agree.
    #[error("agreement is of two labels files or more, one for each person who judged")]
    OneJudge,
    /// A labels file has no label that can be used.
    #[error(
        "`{path}`: has no label that could be used, in {lines}{first}",
        path = path.display(),
        lines = looked_at(*lines),
        first = first.as_ref().map(|first| format!("\nthe first fault: {first}")).unwrap_or_default(),
    )]
    NoLabels {
        /// The file.
        path: PathBuf,
        /// Its lines, or those after which nobody expects one any more.
        lines: u64,
        /// The first fault.
        first: Option<String>,
    },
    /// No document that a labels file names is there.
    #[error(
        "`{path}`: names no document that is there: it has {theirs}, and the documents are {ours}",
        path = path.display(),
        theirs = quoted(theirs),
        ours = quoted(ours),
    )]
    OtherDocuments {
        /// The file.
        path: PathBuf,
        /// Ids that it has, the first of them.
        theirs: Vec<String>,
        /// Ids of the first documents.
        ours: Vec<String>,
    },
}

/// A file that has no label up to here has none.
pub(crate) const FIRST_LINES: u64 = 1000;

fn looked_at(lines: u64) -> String {
    if lines == FIRST_LINES {
        return format!("the first {} lines", numbers::grouped(lines));
    }
    numbers::count(lines, "line")
}

/// Names, each between backquotes; what is said if there is none.
fn quoted(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<String>>().join(", ")
}

/// What is wrong with a line of a labels file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LabelFault {
    /// It is not a JSON object.
    #[error("is not a JSON object: {0}")]
    NotJson(String),
    /// A field is missing.
    #[error("field `{field}` must be {expected}, and is missing: the line has {}", quoted(there))]
    Missing {
        /// The field.
        field: String,
        /// What its value must be.
        expected: String,
        /// The fields that are there.
        there: Vec<String>,
    },
    /// The value of a field is of another kind.
    #[error("field `{field}` must be {expected}")]
    Field {
        /// The field.
        field: String,
        /// What its value must be.
        expected: String,
    },
    /// There is no document of this id.
    #[error("there is no document `{0}`")]
    UnknownId(String),
    /// There are several documents of this id.
    #[error("there are several documents `{0}`")]
    AmbiguousId(String),
    /// Both ids are the same.
    #[error("pairs `{0}` with itself")]
    SameId(String),
    /// An earlier line says the same of the pair.
    #[error("repeats line {0}")]
    Repeated(u64),
    /// An earlier line says something else of the pair.
    #[error("contradicts line {0}, which is believed")]
    Contradiction(u64),
}

impl LabelFault {
    /// What is wrong, in a few words.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::NotJson(_) => "label that is not a JSON object",
            Self::Missing { .. } | Self::Field { .. } => "label with a field that cannot be used",
            Self::UnknownId(_) => "label of an unknown document",
            Self::AmbiguousId(_) => "label of an id that several documents have",
            Self::SameId(_) => "label of a document with itself",
            Self::Repeated(_) => "label given twice",
            Self::Contradiction(_) => "label that contradicts an earlier one",
        }
    }
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

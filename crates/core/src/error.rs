//! What can go wrong here: parameters that make no sense, and artefacts that do not fit together.

use std::fmt;

use crate::filter;

/// An error of the mathematics. Documents never cause one.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A parameter is out of its range.
    Parameter {
        /// Its name in a recipe, such as `shingles.width`.
        name: &'static str,
        /// What was given.
        value: String,
        /// What is possible.
        expected: String,
    },
    /// A recipe is not TOML, or has a key that no recipe has.
    Syntax(String),
    /// No preset has this name.
    UnknownPreset(String),
    /// A recipe was made for another version of this program.
    Version(u32),
    /// Two things were made by recipes that give different bits.
    Mismatch {
        /// The parameter in which they differ first.
        parameter: String,
        /// Its value on one side.
        left: String,
        /// Its value on the other side.
        right: String,
    },
    /// The kernel asked for cannot be had.
    Kernel(lookalike_kernels::KernelError),
    /// There is no such filter, or none for what is wanted.
    Filter(filter::Error),
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }

    pub(crate) fn parameter(
        name: &'static str,
        value: impl fmt::Display,
        expected: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::Parameter {
            name,
            value: value.to_string(),
            expected: expected.into(),
        })
    }

    pub(crate) fn filter(error: filter::Error) -> Self {
        Self::new(ErrorKind::Filter(error))
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            ErrorKind::Parameter { name, value, expected } => {
                write!(f, "`{name}` is {value}, but must be {expected}")
            }
            ErrorKind::Syntax(message) => write!(f, "not a recipe: {message}"),
            ErrorKind::UnknownPreset(name) => {
                let names = crate::recipe::preset_names();
                write!(f, "there is no recipe `{name}`; the presets are: {names}")
            }
            ErrorKind::Version(version) => write!(
                f,
                "the recipe has version {version}, but this program knows only version {}",
                crate::recipe::VERSION
            ),
            ErrorKind::Mismatch { parameter, left, right } => write!(
                f,
                "made by different recipes: `{parameter}` is {left} on one side and {right} on \
                 the other"
            ),
            ErrorKind::Kernel(error) => error.fmt(f),
            ErrorKind::Filter(error) => error.fmt(f),
        }
    }
}

/// Without a source: the message is whole.
impl std::error::Error for Error {}

impl From<lookalike_kernels::KernelError> for Error {
    fn from(error: lookalike_kernels::KernelError) -> Self {
        Self::new(ErrorKind::Kernel(error))
    }
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

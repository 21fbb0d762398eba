//! What can go wrong here: parameters that make no sense, and artefacts that do not fit together.

use std::fmt;

use crate::{filter, recipe};

/// An error of the mathematics. Documents never cause one.
// Without a source: the message is whole.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A parameter is out of its range.
    #[error("`{name}` is {value}, but must be {expected}")]
    Parameter {
        /// Its name in a recipe, such as `shingles.width`.
        name: &'static str,
        /// What was given.
        value: String,
        /// What is possible.
        expected: String,
    },
    /// A recipe is not TOML, or has a key that no recipe has.
    #[error("not a recipe: {0}")]
    Syntax(String),
    /// No preset has this name.
    #[error(
        "there is no recipe `{0}`; the presets are: {names}",
        names = recipe::preset_names()
    )]
    UnknownPreset(String),
    /// A recipe was made for another version of this program.
    #[error(
        "the recipe has version {0}, but this program knows only {whole}, and {templates} where \
         templates are not `off`\nhint: a recipe file may leave it out; a run or an index has to be \
         made again",
        whole = recipe::VERSION,
        templates = recipe::TEMPLATES_VERSION
    )]
    Version(u32),
    /// Two things were made by recipes that give different bits.
    #[error(
        "made by different recipes: `{parameter}` is {left} on one side and {right} on the other"
    )]
    Mismatch {
        /// The parameter in which they differ first.
        parameter: String,
        /// Its value on one side.
        left: String,
        /// Its value on the other side.
        right: String,
    },
    /// The recipe draws its random choices from a secret that was not given.
    #[error(
        "the recipe draws its random choices from a secret, and was given none\n\
         hint: --secret-seed names its file, in `dedup`, `sketch`, `eval` and `index`"
    )]
    SecretMissing,
    /// The secret is not the one of the recipe.
    #[error("the recipe was not made with this secret")]
    SecretWrong,
    /// The kernel asked for cannot be had.
    #[error("{0}")]
    Kernel(#[from] lookalike_kernels::KernelError),
    /// There is no such filter, or none for what is wanted.
    #[error("{0}")]
    Filter(#[from] filter::Error),
}

impl Error {
    pub(crate) fn parameter(
        name: &'static str,
        value: impl fmt::Display,
        expected: impl Into<String>,
    ) -> Self {
        Self::from(ErrorKind::Parameter {
            name,
            value: value.to_string(),
            expected: expected.into(),
        })
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }
}

impl<E: Into<ErrorKind>> From<E> for Error {
    fn from(kind: E) -> Self {
        Self(Box::new(kind.into()))
    }
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

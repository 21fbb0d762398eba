//! One error for all parts, and the errors of the parts for those who need their details.
//!
//! Every function of this crate gives the error of the part that it is from; `?` turns any of them into
//! [`Error`]. Its [`kind`](Error::kind) is what a program can act by, its message is
//! the part's, for people.

use std::fmt;

pub use lookalike_core::filter::Error as FilterError;
pub use lookalike_core::{Error as RecipeError, ErrorKind as RecipeErrorKind, KernelError};
#[cfg(feature = "jobs")]
pub use lookalike_corpus::{
    BinaryKind, Error as DocumentError, ErrorKind as DocumentErrorKind, Fault, Place,
};
#[cfg(feature = "jobs")]
pub use lookalike_engine::{Error as JobError, ErrorKind as JobErrorKind};
#[cfg(feature = "jobs")]
pub use lookalike_eval::{Error as EvalError, ErrorKind as EvalErrorKind, LabelFault};
#[cfg(any(feature = "jobs", feature = "index"))]
pub use lookalike_files::{Error as FileError, ErrorKind as FileErrorKind, Operation};
#[cfg(feature = "index")]
pub use lookalike_index::{Error as IndexError, ErrorKind as IndexErrorKind};
#[cfg(feature = "filter-plots")]
pub use lookalike_pages::Error as PlotError;

/// Anything that can go wrong here.
///
/// ```
/// use lookalike::{ErrorKind, Recipe};
///
/// fn recipe(name: &str) -> lookalike::Result<Recipe> {
///     Ok(Recipe::preset(name)?)
/// }
///
/// let error = recipe("txt").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Parameter);
/// assert!(error.to_string().starts_with("there is no recipe `txt`"));
/// ```
// Boxed: a result is as small as what it carries when all is well.
pub struct Error(Box<Part>);

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a program can do about an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Something else should have been asked for: a parameter is out of range, or parameters do not
    /// go together.
    Parameter,
    /// Two things were made by recipes that give different bits.
    Mismatch,
    /// What was named is not there: an input, a run, an index.
    NotFound,
    /// What would be written is there already.
    Exists,
    /// Another job or process is at work there. It may succeed later.
    Busy,
    /// A document, a record or a label cannot be used.
    Input,
    /// An input is not any more what it was when the job began.
    Changed,
    /// The system refused. It may succeed later.
    Io,
    /// A disk has no room for more.
    DiskFull,
    /// A file of ours is damaged, or another file.
    Corruption,
    /// A file was made by another release.
    Version,
    /// More memory is needed, or fewer documents at once.
    TooLarge,
    /// More would be removed than was allowed; nothing was.
    RemovalBudget,
    /// An observer stopped the job; it can go on from there.
    Interrupted,
    /// The program is at fault.
    Bug,
    /// None of these.
    Other,
}

/// The part that an error is from.
enum Part {
    Recipe(RecipeError),
    #[cfg(any(feature = "jobs", feature = "index"))]
    File(FileError),
    #[cfg(feature = "jobs")]
    Document(DocumentError),
    #[cfg(feature = "jobs")]
    Job(JobError),
    #[cfg(feature = "jobs")]
    Eval(EvalError),
    #[cfg(feature = "index")]
    Index(IndexError),
    #[cfg(feature = "filter-plots")]
    Plot(PlotError),
}

impl Part {
    fn error(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
        match self {
            Self::Recipe(error) => error,
            #[cfg(any(feature = "jobs", feature = "index"))]
            Self::File(error) => error,
            #[cfg(feature = "jobs")]
            Self::Document(error) => error,
            #[cfg(feature = "jobs")]
            Self::Job(error) => error,
            #[cfg(feature = "jobs")]
            Self::Eval(error) => error,
            #[cfg(feature = "index")]
            Self::Index(error) => error,
            #[cfg(feature = "filter-plots")]
            Self::Plot(error) => error,
        }
    }
}

impl Error {
    /// What a program can do about it.
    pub fn kind(&self) -> ErrorKind {
        match &*self.0 {
            Part::Recipe(error) => kind_of_recipe(error),
            #[cfg(any(feature = "jobs", feature = "index"))]
            Part::File(error) => kind_of_file(error),
            #[cfg(feature = "jobs")]
            Part::Document(error) => kind_of_document(error),
            #[cfg(feature = "jobs")]
            Part::Job(error) => kind_of_job(error),
            #[cfg(feature = "jobs")]
            Part::Eval(error) => kind_of_evaluation(error),
            #[cfg(feature = "index")]
            Part::Index(error) => kind_of_index(error),
            #[cfg(feature = "filter-plots")]
            Part::Plot(_) => ErrorKind::Other,
        }
    }

    /// The error of the part, to be taken for one of those in [`error`](crate::error) by
    /// `downcast_ref`.
    ///
    /// ```
    /// use lookalike::error::{RecipeError, RecipeErrorKind};
    ///
    /// let error = lookalike::Error::from(lookalike::Recipe::preset("txt").unwrap_err());
    /// let recipe = error.part().downcast_ref::<RecipeError>().unwrap();
    /// assert!(matches!(recipe.kind(), RecipeErrorKind::UnknownPreset(name) if name == "txt"));
    /// ```
    pub fn part(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
        self.0.error()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.part(), f)
    }
}

/// As the message, which is what `main` prints of an error that it returns.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.part(), f)
    }
}

impl std::error::Error for Error {
    // The part's, not the part itself, whose message is this one.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.part().source()
    }
}

/// `?` from a part.
macro_rules! from_parts {
    ($($(#[$feature:meta])* $part:ident: $error:ty;)*) => {
        $(
            $(#[$feature])*
            impl From<$error> for Error {
                fn from(error: $error) -> Self {
                    Self(Box::new(Part::$part(error.into())))
                }
            }
        )*
    };
}

from_parts! {
    Recipe: RecipeError;
    Recipe: FilterError;
    Recipe: KernelError;
    #[cfg(any(feature = "jobs", feature = "index"))]
    File: FileError;
    #[cfg(feature = "jobs")]
    Document: DocumentError;
    #[cfg(feature = "jobs")]
    Job: JobError;
    #[cfg(feature = "jobs")]
    Eval: EvalError;
    #[cfg(feature = "index")]
    Index: IndexError;
    #[cfg(feature = "filter-plots")]
    Plot: PlotError;
}

fn kind_of_recipe(error: &RecipeError) -> ErrorKind {
    match error.kind() {
        RecipeErrorKind::Version(_) => ErrorKind::Version,
        RecipeErrorKind::Mismatch { .. } => ErrorKind::Mismatch,
        _ => ErrorKind::Parameter,
    }
}

#[cfg(any(feature = "jobs", feature = "index"))]
fn kind_of_file(error: &FileError) -> ErrorKind {
    match error.kind() {
        FileErrorKind::Io { .. } if error.is_full_disk() => ErrorKind::DiskFull,
        FileErrorKind::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
            ErrorKind::NotFound
        }
        FileErrorKind::Io { .. } => ErrorKind::Io,
        FileErrorKind::Corruption { .. } => ErrorKind::Corruption,
        FileErrorKind::Version { .. } => ErrorKind::Version,
        FileErrorKind::Exists(_) => ErrorKind::Exists,
        FileErrorKind::Busy(_) | FileErrorKind::JobRunning(_) => ErrorKind::Busy,
        _ => ErrorKind::Other,
    }
}

#[cfg(feature = "jobs")]
fn kind_of_document(error: &DocumentError) -> ErrorKind {
    use DocumentErrorKind as Kind;
    match error.kind() {
        Kind::File(error) => kind_of_file(error),
        Kind::NoMatch(_) | Kind::DeadLink(_) | Kind::NotInMemory(_) => ErrorKind::NotFound,
        Kind::Unsupported(_) | Kind::NoObjectStores(_) | Kind::ReadOnce | Kind::InMemory(_) => {
            ErrorKind::Parameter
        }
        Kind::OwnInput(_) => ErrorKind::Exists,
        _ => ErrorKind::Input,
    }
}

#[cfg(feature = "jobs")]
fn kind_of_job(error: &JobError) -> ErrorKind {
    use JobErrorKind as Kind;
    match error.kind() {
        Kind::File(error) => kind_of_file(error),
        Kind::Recipe { source, .. } => kind_of_recipe(source),
        Kind::BadRecipe(error) => kind_of_recipe(error),
        Kind::Input(error) => kind_of_document(error),
        Kind::NoTexts { .. } | Kind::Record { .. } | Kind::IdTooLong { .. } => ErrorKind::Input,
        Kind::NoRandomness(_) => ErrorKind::Io,
        Kind::ProgramFault(_) => ErrorKind::Bug,
        Kind::Interrupted => ErrorKind::Interrupted,
        Kind::InputChanged(_)
        | Kind::WrongSurvivors { .. }
        | Kind::FilesMissing { .. }
        | Kind::DocumentsMissing { .. }
        | Kind::DocumentChanged { .. } => ErrorKind::Changed,
        Kind::RunExists(_) | Kind::FolderInUse(_) => ErrorKind::Exists,
        Kind::NotOfJob(_) => ErrorKind::Corruption,
        Kind::EarlierRun(_) => ErrorKind::Version,
        Kind::NoRun(_) => ErrorKind::NotFound,
        Kind::TooManyDocuments(_)
        | Kind::TooManyParts { .. }
        | Kind::TooLittleMemory { .. }
        | Kind::TooManyClusters { .. }
        | Kind::TooManyCuts { .. }
        | Kind::ReferenceTooLong { .. }
        | Kind::TooManyPasses { .. }
        | Kind::TooManyCandidates { .. } => ErrorKind::TooLarge,
        Kind::RemovesTooMuch { .. } | Kind::RemovesTooMuchOf { .. } | Kind::CutsTooMuch { .. } => {
            ErrorKind::RemovalBudget
        }
        _ => ErrorKind::Parameter,
    }
}

#[cfg(feature = "jobs")]
fn kind_of_evaluation(error: &EvalError) -> ErrorKind {
    match error.kind() {
        EvalErrorKind::Engine(error) => kind_of_job(error),
        EvalErrorKind::Recipes(_) => ErrorKind::Parameter,
        _ => ErrorKind::Input,
    }
}

#[cfg(feature = "index")]
fn kind_of_index(error: &IndexError) -> ErrorKind {
    use IndexErrorKind as Kind;
    match error.kind() {
        Kind::File(error) => kind_of_file(error),
        Kind::Recipe(error) => kind_of_recipe(error),
        Kind::Corruption { .. } => ErrorKind::Corruption,
        Kind::Version { .. } => ErrorKind::Version,
        Kind::NoIndex(_) | Kind::Unfinished(_) => ErrorKind::NotFound,
        Kind::Exists(_) => ErrorKind::Exists,
        Kind::InUse(_) => ErrorKind::Busy,
        Kind::Stopped(_) => ErrorKind::Io,
        Kind::TooLong { .. } => ErrorKind::Input,
        Kind::OtherSignature { .. } => ErrorKind::Mismatch,
        _ => ErrorKind::Parameter,
    }
}

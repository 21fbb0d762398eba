//! What can go wrong with our files.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use crate::numbers;

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
    /// An input cannot be read, or a record of it.
    Input(lookalike_corpus::Error),
    /// A record can be read, but is no document that this program can take.
    Record {
        /// The file.
        path: PathBuf,
        /// Its number in the file, from 1.
        record: u64,
        /// What is wrong with it.
        fault: Box<Error>,
    },
    /// The recipe is none that can be followed.
    BadRecipe(lookalike_core::Error),
    /// A signature file was given where documents are needed.
    NeedsDocuments {
        /// The file.
        path: PathBuf,
        /// What needs them.
        option: String,
    },
    /// The system has no random bytes to give.
    NoRandomness(io::Error),
    /// A part of the program that works on its own ended by a panic.
    ProgramFault(String),
    /// The job was stopped from outside.
    Interrupted,
    /// An input is not the file any more that was signed, or changed while it was.
    InputChanged(PathBuf),
    /// A file of survivors does not have what stays of its source.
    WrongSurvivors {
        /// The file.
        path: PathBuf,
        /// Records that it would have had.
        found: u64,
        /// Records that stay.
        wanted: u64,
    },
    /// There are fewer files of survivors than were written.
    FilesMissing {
        /// Their folder.
        path: PathBuf,
        /// Those that are there.
        found: u64,
        /// Those that were written.
        wanted: u64,
    },
    /// Documents that were signed are not there any more.
    DocumentsMissing {
        /// Those that were found.
        found: u64,
        /// Those that were looked for.
        wanted: u64,
    },
    /// There is a run in this folder already.
    RunExists(PathBuf),
    /// Another job is working in this folder.
    JobRunning(PathBuf),
    /// A file is not the one that the job left: it is damaged, or another job's.
    NotOfJob(PathBuf),
    /// There is something else in this folder already.
    FolderInUse(PathBuf),
    /// The folder of results is within an input, or an input within it.
    WithinInput {
        /// The folder of results, or of working files.
        folder: PathBuf,
        /// The input.
        input: PathBuf,
    },
    /// The unfinished run in this folder was begun by an earlier version of this program.
    EarlierRun(PathBuf),
    /// There is no run in this folder.
    NoRun(PathBuf),
    /// The run in this folder is not finished.
    RunUnfinished(PathBuf),
    /// A threshold below the one that a run's pairs were stored by.
    ThresholdTooLow {
        /// The folder of the run.
        path: PathBuf,
        /// The run's threshold.
        stored: f64,
        /// The one that was asked for.
        asked: f64,
    },
    /// The pairs of a run have nothing that a threshold could be compared with.
    NoScores(PathBuf),
    /// A document is not where it was when it was signed.
    DocumentChanged {
        /// The file.
        path: PathBuf,
        /// Its place in the file, from 1.
        record: u64,
    },
    /// A job is to go on with what another request began.
    OtherRequest {
        /// The manifest.
        path: PathBuf,
        /// What differs.
        option: String,
        /// What it was.
        before: String,
        /// What it is now.
        now: String,
    },
    /// More documents than one job can have.
    TooManyDocuments(u64),
    /// Too many values of a field for a removal budget.
    TooManyParts {
        /// The field.
        field: String,
        /// The most values that it may have.
        limit: usize,
    },
    /// What must be held of each document does not fit into the memory allowed.
    TooLittleMemory {
        /// How many there are.
        documents: u64,
        /// The least that would do, in bytes.
        needed: u64,
    },
    /// More would be removed than allowed.
    RemovesTooMuch {
        /// What would be removed.
        removed: u64,
        /// All documents.
        documents: u64,
        /// The share that may be removed.
        share: f64,
    },
    /// More of a part would be removed than allowed.
    RemovesTooMuchOf {
        /// The field that parts go by.
        field: String,
        /// The share that may be removed.
        share: f64,
        /// The first of them: value, removed, all.
        parts: Vec<(String, u64, u64)>,
        /// How many more there are.
        more: usize,
    },
    /// A reference has more shingles than fit into the memory allowed.
    ReferenceTooLong {
        /// Its id.
        id: String,
        /// The memory allowed, in bytes.
        memory: u64,
    },
    /// So little memory is allowed for the references that the input would be read too often.
    TooManyPasses {
        /// How often.
        passes: usize,
        /// A memory that would do, in bytes.
        memory: u64,
    },
    /// A recipe makes more candidates than an evaluation may judge.
    TooManyCandidates {
        /// The recipe.
        recipe: String,
        /// How many it makes, each counted for every key that its documents share.
        candidates: u64,
        /// The most there may be.
        limit: u64,
    },
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

    /// That the system refused.
    pub fn io(path: &Path, operation: Operation, source: io::Error) -> Self {
        Self::new(ErrorKind::Io { path: path.to_owned(), operation, source })
    }

    pub(crate) fn corpus(source: lookalike_corpus::Error) -> Self {
        Self::new(ErrorKind::Input(source))
    }

    pub(crate) fn recipe(source: lookalike_core::Error) -> Self {
        Self::new(ErrorKind::BadRecipe(source))
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Whether the system refused.
    pub fn is_io(&self) -> bool {
        match &*self.0 {
            ErrorKind::Io { .. } => true,
            ErrorKind::Input(fault) => fault.is_io(),
            ErrorKind::Record { fault, .. } => fault.is_io(),
            _ => false,
        }
    }

    /// Whether a disk has no room for more.
    pub fn is_full_disk(&self) -> bool {
        let source = match &*self.0 {
            ErrorKind::Io { source, .. } => source,
            ErrorKind::Input(fault) => match fault.kind() {
                lookalike_corpus::ErrorKind::Io { source, .. } => source,
                _ => return false,
            },
            _ => return false,
        };
        matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }

    /// Whether a file is damaged or of another kind.
    pub fn is_corruption(&self) -> bool {
        matches!(*self.0, ErrorKind::Corruption { .. } | ErrorKind::NotOfJob(_))
    }

    /// Whether something else should have been asked for.
    pub fn is_user(&self) -> bool {
        !self.is_io() && !self.is_corruption()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self::new(kind)
    }
}

impl From<lookalike_corpus::Error> for Error {
    fn from(source: lookalike_corpus::Error) -> Self {
        Self::corpus(source)
    }
}

impl From<lookalike_core::Error> for Error {
    fn from(source: lookalike_core::Error) -> Self {
        Self::recipe(source)
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
            job => job.fmt_job(f),
        }
    }
}

impl ErrorKind {
    /// What goes wrong with a job rather than with a file of ours.
    #[expect(clippy::too_many_lines, reason = "a message for each kind")]
    fn fmt_job(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Input(source) => write!(f, "{source}"),
            ErrorKind::Record { path, record, fault } => {
                write!(f, "`{}` record {record}: {fault}", path.display())
            }
            ErrorKind::BadRecipe(source) => write!(f, "{source}"),
            ErrorKind::NeedsDocuments { path, option } => write!(
                f,
                "`{}`: has signatures, but {option} needs the documents themselves\n\
                 hint: give the documents, or judge by `--verify estimate` or `--verify none`",
                path.display()
            ),
            ErrorKind::NoRandomness(source) => {
                write!(f, "the system gives no random bytes for the identity of a job: {source}")
            }
            ErrorKind::ProgramFault(message) => write!(
                f,
                "the job ended by a fault in the program itself: {message}\n\
                 hint: what was complete stays; please report it, with the command and if possible \
                 the input"
            ),
            ErrorKind::Interrupted => f.write_str("interrupted"),
            ErrorKind::WrongSurvivors { path, found, wanted } => write!(
                f,
                "`{}`: would have {found} records, but {wanted} stay\n\
                 hint: its input may have changed meanwhile; start again, in another folder",
                path.display()
            ),
            ErrorKind::FilesMissing { path, found, wanted } => write!(
                f,
                "`{}`: has {found} files, but {wanted} were written\n\
                 hint: the file system may take several names for one, or somebody removed files",
                path.display()
            ),
            ErrorKind::InputChanged(path) => write!(
                f,
                "`{}`: has changed since it was signed\n\
                 hint: start again, in another folder",
                path.display()
            ),
            ErrorKind::DocumentsMissing { found, wanted } => write!(
                f,
                "only {found} of {wanted} documents are still where they were signed\n\
                 hint: an input has changed meanwhile; start again, in another folder"
            ),
            ErrorKind::RunExists(path) => {
                write!(f, "`{}`: has the results of a run already", path.display())
            }
            ErrorKind::JobRunning(path) => write!(
                f,
                "`{}`: another job is working in this folder\n\
                 hint: wait until it has ended, or name another folder",
                path.display()
            ),
            ErrorKind::NotOfJob(path) => write!(
                f,
                "`{}`: is not the file that this job left: it is damaged, or of another job\n\
                 hint: start again, in another folder",
                path.display()
            ),
            ErrorKind::FolderInUse(path) => {
                write!(f, "`{}`: is not empty, and not the folder of a run", path.display())
            }
            ErrorKind::WithinInput { folder, input } => write!(
                f,
                "`{}`: is where the results go, but `{}` is an input; they would be read as \
                 documents\n\
                 hint: name a folder outside of the inputs",
                folder.display(),
                input.display()
            ),
            ErrorKind::EarlierRun(path) => write!(
                f,
                "`{}`: an earlier version of this program began that run, and its working files \
                 are of another form\n\
                 hint: start again, in another folder",
                path.display()
            ),
            ErrorKind::NoRun(path) => write!(
                f,
                "`{}`: has no results of a run\n\
                 hint: name the folder that `dedup` was given as --out",
                path.display()
            ),
            ErrorKind::RunUnfinished(path) => write!(
                f,
                "`{}`: the run is not finished\n\
                 hint: the command that began it goes on with --resume",
                path.display()
            ),
            ErrorKind::ThresholdTooLow { path, stored, asked } => write!(
                f,
                "`{}`: that run stored only pairs from its own threshold {stored} on, so nothing \
                 is known of those from {asked} on\n\
                 hint: a new run with the lower threshold finds them",
                path.display()
            ),
            ErrorKind::NoScores(path) => write!(
                f,
                "`{}`: the pairs of that run have no resemblance that a threshold could be \
                 compared with\nhint: a run that verifies them (--verify exact) has",
                path.display()
            ),
            ErrorKind::DocumentChanged { path, record } => {
                write!(f, "`{}` record {record}: has changed since it was signed", path.display())
            }
            ErrorKind::OtherRequest { path, option, before, now } => write!(
                f,
                "`{}`: that run had another `{option}`: `{before}`, now `{now}`\n\
                 hint: go on with the same options, or start again in another folder",
                path.display()
            ),
            ErrorKind::TooManyDocuments(limit) => write!(
                f,
                "more than {limit} documents, which is the most for one job\n\
                 hint: more than that is for a cluster"
            ),
            ErrorKind::TooManyParts { field, limit } => write!(
                f,
                "the field `{field}` has more than {limit} values, so it says nothing about \
                 sources\nhint: take a field with fewer values for the removal budget"
            ),
            ErrorKind::TooLittleMemory { documents, needed } => write!(
                f,
                "{documents} documents need at least {} MiB of memory\n\
                 hint: allow more, and go on from here",
                needed.div_ceil(1 << 20)
            ),
            ErrorKind::RemovesTooMuch { removed, documents, share } => write!(
                f,
                "{removed} of {documents} documents would be removed, {:.1} %, where {:.1} % are \
                 allowed; nothing was removed\n\
                 hint: clusters.parquet says which; with --resume and a larger budget it goes on",
                percent(*removed, *documents),
                share * 100.0
            ),
            ErrorKind::RemovesTooMuchOf { field, share, parts, more } => {
                removes_too_much_of(f, field, *share, parts, *more)
            }
            ErrorKind::ReferenceTooLong { id, memory } => write!(
                f,
                "the reference `{id}` is too long to be searched for in {}\n\
                 hint: allow more memory",
                numbers::bytes(*memory)
            ),
            ErrorKind::TooManyPasses { passes, memory } => write!(
                f,
                "the references do not fit into memory, and the input would have to be read \
                 {passes} times\nhint: allow {} of memory",
                numbers::bytes(*memory)
            ),
            ErrorKind::TooManyCandidates { recipe, candidates, limit } => write!(
                f,
                "the recipe `{recipe}` makes up to {} candidates, where {} are allowed\n\
                 hint: an evaluation looks at all of them; evaluate on fewer documents",
                numbers::grouped(*candidates),
                numbers::grouped(*limit)
            ),
            // All others are told above.
            _ => Ok(()),
        }
    }
}

// The message has that of its source in it, so there is none to print after it; `kind` has it.
impl std::error::Error for Error {}

fn removes_too_much_of(
    f: &mut fmt::Formatter<'_>,
    field: &str,
    share: f64,
    parts: &[(String, u64, u64)],
    more: usize,
) -> fmt::Result {
    write!(f, "more than {:.1} % would be removed of", share * 100.0)?;
    for (value, removed, all) in parts {
        let percent = percent(*removed, *all);
        write!(f, "\n  {field} `{value}`: {removed} of {all} ({percent:.1} %)")?;
    }
    if more > 0 {
        write!(f, "\n  and {more} more")?;
    }
    f.write_str(
        "\nnothing was removed\n\
         hint: clusters.parquet says which; with --resume and a larger budget it goes on",
    )
}

fn percent(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64 * 100.0
}

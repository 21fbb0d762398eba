//! What can go wrong with a job.

use std::io;
use std::path::{Path, PathBuf};

use lookalike_core::ShelfError;
pub use lookalike_files::Operation;

use crate::numbers;

/// Why a job could not be done, or a file of one not be written or read.
// The message has that of its source in it, so there is none to print after it; `kind` has it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused, or a file is not what it should be.
    #[error("{0}")]
    File(#[from] lookalike_files::Error),
    /// The file is whole, but its recipe is none that this program can follow.
    #[error("`{path}`: its recipe is not valid here: {source}")]
    Recipe {
        /// The file.
        path: PathBuf,
        /// What is wrong with the recipe.
        source: lookalike_core::Error,
    },
    /// An input cannot be read, or a record of it.
    #[error("{0}")]
    Input(#[from] lookalike_corpus::Error),
    /// Nothing that was read has a text where texts should be.
    #[error(
        "no record has a text, of {count} that were read\n{first}\n\
         hint: name the field that the texts are in (--text-field, --html-field), or the sets (--set-field)"
    )]
    NoTexts {
        /// How many were read.
        count: u64,
        /// What is wrong with the first.
        first: String,
    },
    /// A record can be read, but is no document that this program can take.
    #[error("`{path}` record {record}: {fault}")]
    Record {
        /// The file.
        path: PathBuf,
        /// Its number in the file, from 1.
        record: u64,
        /// What is wrong with it.
        fault: Box<Error>,
    },
    /// Nothing that was read is an edge.
    #[error(
        "no record names two documents, of {count} that were read\n{first}\n\
         hint: name the fields that they are named in (--from-field, --to-field)"
    )]
    NoEdges {
        /// How many were read.
        count: u64,
        /// What is wrong with the first.
        first: String,
    },
    /// An edge names one document only.
    #[error("`{path}` record {record}: field `{field}` is missing")]
    NoEnd {
        /// The file.
        path: PathBuf,
        /// Its number in the file, from 1.
        record: u64,
        /// The field.
        field: String,
    },
    /// The recipe is none that can be followed.
    #[error("{0}")]
    BadRecipe(#[from] lookalike_core::Error),
    /// There is no such keep policy.
    #[error("{0}")]
    KeepPolicy(String),
    /// This is no way to say how often documents are written.
    #[error("{0}")]
    Repeats(String),
    /// What is asked for cannot be written.
    #[error("{0}")]
    Writing(String),
    /// Documents cannot go by containment here.
    #[error("{0}")]
    Lost(String),
    /// A file whose documents cannot be written more than once.
    #[error(
        "`{0}`: is a text file, a web page or a web archive, whose documents can be written once only\n\
         hint: leave out `--repeat`, or name other files"
    )]
    Once(PathBuf),
    /// A signature file was given where documents are needed.
    #[error(
        "`{path}`: has signatures, but {option} needs the documents themselves\n\
         hint: give the documents, or judge by `--verify estimate` or `--verify none`"
    )]
    NeedsDocuments {
        /// The file.
        path: PathBuf,
        /// What needs them.
        option: String,
    },
    /// The lengths of documents are asked of signatures that do not keep them.
    #[error(
        "the recipe `{recipe}` keeps no lengths of documents (`exact.keep = false`), but {option} needs them\n\
         hint: use a recipe that keeps them, or leave that out"
    )]
    NoLengths {
        /// The name of the recipe.
        recipe: String,
        /// What needs them.
        option: &'static str,
    },
    /// The system has no random bytes to give.
    #[error("the system has no random bytes for the identity of a job: {0}")]
    NoRandomness(io::Error),
    /// A part of the program that works on its own ended by a panic.
    #[error(
        "the job was ended by a bug in the program: {0}\n\
         hint: what was complete stays; please report it, with the command and if possible the \
         input"
    )]
    ProgramFault(String),
    /// The job was stopped from outside.
    #[error("interrupted")]
    Interrupted,
    /// An input is not the file any more that was signed, or changed while it was.
    #[error(
        "`{0}`: has changed since it was signed\n\
         hint: start again, in another folder"
    )]
    InputChanged(PathBuf),
    /// A file of survivors does not have what stays of its source.
    #[error(
        "`{path}`: would have {found} records, but {wanted} stay\n\
         hint: its input may have changed meanwhile; start again, in another folder"
    )]
    WrongSurvivors {
        /// The file.
        path: PathBuf,
        /// Records that it would have had.
        found: u64,
        /// Records that stay.
        wanted: u64,
    },
    /// There are fewer files of survivors than were written.
    #[error(
        "`{path}`: has {found} files, but {wanted} were written\n\
         hint: the file system may take several names for one, or somebody removed files"
    )]
    FilesMissing {
        /// Their folder.
        path: PathBuf,
        /// Those that are there.
        found: u64,
        /// Those that were written.
        wanted: u64,
    },
    /// Documents that were signed are not there any more.
    #[error(
        "only {found} of {wanted} documents are still where they were signed\n\
         hint: an input has changed meanwhile; start again, in another folder"
    )]
    DocumentsMissing {
        /// Those that were found.
        found: u64,
        /// Those that were looked for.
        wanted: u64,
    },
    /// There is a run in this folder already.
    #[error("`{0}`: has the results of a run already")]
    RunExists(PathBuf),
    /// A file is not the one that the job left: it is damaged, or another job's.
    #[error(
        "`{0}`: is not the file that this job left: it is damaged, or of another job\n\
         hint: start again, in another folder"
    )]
    NotOfJob(PathBuf),
    /// There is something else in this folder already.
    #[error("`{0}`: is not empty, and not the folder of a run")]
    FolderInUse(PathBuf),
    /// The folder of results is within an input, or an input within it.
    #[error(
        "`{folder}`: is where the results go, but `{input}` is an input; they would be read as \
         documents\n\
         hint: name a folder outside of the inputs"
    )]
    WithinInput {
        /// The folder of results, or of working files.
        folder: PathBuf,
        /// The input.
        input: PathBuf,
    },
    /// The unfinished run in this folder was begun by an earlier version of this program.
    #[error(
        "`{0}`: an earlier version of this program began that run, and its working files are of \
         another form\n\
         hint: start again, in another folder"
    )]
    EarlierRun(PathBuf),
    /// There is no run in this folder.
    #[error(
        "`{0}`: has no results of a run\n\
         hint: name the folder that `dedup` was given as --out"
    )]
    NoRun(PathBuf),
    /// The run in this folder is not finished.
    #[error(
        "`{0}`: the run is not finished\n\
         hint: run the command that began it again, with --resume"
    )]
    RunUnfinished(PathBuf),
    /// A threshold below the one that a run's pairs were stored by.
    #[error(
        "`{path}`: that run stored no pair below its own threshold, {stored}, so it cannot be decided \
         at {asked}\n\
         hint: a new run with the lower threshold finds them"
    )]
    ThresholdTooLow {
        /// The folder of the run.
        path: PathBuf,
        /// The run's threshold.
        stored: f64,
        /// The one that was asked for.
        asked: f64,
    },
    /// The pairs of a run have nothing that a threshold could be compared with.
    #[error(
        "`{0}`: the pairs of that run have no resemblance to compare with a threshold\n\
         hint: a run that verifies them (--verify exact) has"
    )]
    NoScores(PathBuf),
    /// The documents of a run cannot be known as they are.
    #[error(
        "`{path}` as the known side: {fault}\n\
         hint: name its documents instead, as in `{}`; they are signed again then",
        path.join("kept").display()
    )]
    KnownRun {
        /// The folder of the run.
        path: PathBuf,
        /// Why they cannot.
        fault: String,
    },
    /// What known documents say is not looked at when passages are cut.
    #[error(
        "passages are cut of documents that stand in the inputs, and what known documents say is not \
         looked at\n\
         hint: run with --known first, and `lookalike passages` over what it kept"
    )]
    KnownPassages,
    /// The documents of an index cannot be known as they are.
    #[error(
        "`{path}` as the known side: {fault}\n\
         hint: name what the index was made of instead, or pass the documents through \
         `lookalike index filter`"
    )]
    KnownIndex {
        /// The folder of the index.
        path: PathBuf,
        /// Why they cannot.
        fault: String,
    },
    /// An index that is to be known cannot be read.
    #[error("`{path}` as the known side: {source}")]
    Shelf {
        /// The folder of the index.
        path: PathBuf,
        /// What it says.
        source: ShelfError,
    },
    /// Templates are learned of the new side only.
    #[error(
        "the recipe `{0}` leaves out templates, which are learned from all documents of a site, and \
         those of the known side are not at hand together with the new ones\n\
         hint: give all documents as inputs, or take a recipe without templates"
    )]
    KnownTemplates(String),
    /// A cluster of components may have several known documents.
    #[error(
        "components may join several known documents, which all stay, so that none of them stands for \
         the cluster\n\
         hint: with a known side, clusters are anchored"
    )]
    KnownComponents,
    /// Passages are runs of words, and the recipe has none.
    #[error(
        "passages are runs of words, and the tokens of the recipe `{0}` are others\n\
         hint: `lookalike passages` takes no recipe"
    )]
    PassagesOfWords(String),
    /// Documents are sets and the recipe is of texts, or the other way round, or what is asked for takes texts.
    #[error("{0}")]
    Sets(String),
    /// A run cut passages, which another decision would not cut in the same way.
    #[error(
        "`{0}`: that run cut passages, and which are cut depends on who stays\n\
         hint: run `lookalike dedup --passages` again, with the other threshold or policy"
    )]
    PassagesWereCut(PathBuf),
    /// A run did not store the pairs that another decision needs, and they cannot be made again.
    #[error(
        "`{path}`: of {candidates} candidates, that run stored the {pairs} near pairs that its own \
         decision needed; another decision may need others, and its templates were learned from words \
         that are gone\n\
         hint: a run with --pairs all stores them; --approximate decides from those that there are, and \
         more may stay than after a new run"
    )]
    PairsNotStored {
        /// The folder of the run.
        path: PathBuf,
        /// Near pairs that it stored.
        pairs: u64,
        /// Candidates that it judged.
        candidates: u64,
    },
    /// A document is not where it was when it was signed.
    #[error("`{path}` record {record}: has changed since it was signed")]
    DocumentChanged {
        /// The file.
        path: PathBuf,
        /// Its place in the file, from 1.
        record: u64,
    },
    /// A job is to go on with what another request began.
    #[error(
        "`{path}`: that run had another `{option}`: `{before}`, now `{now}`\n\
         hint: go on with the same options, or start again in another folder"
    )]
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
    #[error(
        "more than {0} documents, which is the most for one job\n\
         hint: larger corpora need Spark"
    )]
    TooManyDocuments(u64),
    /// Too many values of a field for a removal budget.
    #[error(
        "the field `{field}` has more than {limit} values, so it says nothing about sources\n\
         hint: take a field with fewer values for the removal budget"
    )]
    TooManyParts {
        /// The field.
        field: String,
        /// The most values that it may have.
        limit: usize,
    },
    /// What must be held of each document does not fit into the memory allowed.
    #[error(
        "{documents} documents need at least {} MiB of memory\n\
         hint: allow more, and go on from here",
        needed.div_ceil(1 << 20)
    )]
    TooLittleMemory {
        /// How many there are.
        documents: u64,
        /// The least that would do, in bytes.
        needed: u64,
    },
    /// What must be held of each cluster does not fit into the memory allowed.
    #[error(
        "{clusters} clusters need {} MiB of memory to be looked through\n\
         hint: allow more, with --memory",
        needed.div_ceil(1 << 20)
    )]
    TooManyClusters {
        /// How many there are.
        clusters: u64,
        /// The least that would do, in bytes.
        needed: u64,
    },
    /// What must be held of each cut does not fit into the memory allowed.
    #[error(
        "{cuts} cuts need {} MiB of memory to be looked through\n\
         hint: allow more, with --memory",
        needed.div_ceil(1 << 20)
    )]
    TooManyCuts {
        /// How many there are.
        cuts: u64,
        /// The least that would do, in bytes.
        needed: u64,
    },
    /// More would be cut than allowed.
    #[error("would cut {cut} of {words} words, more than the {share} that are allowed (--max-cut)")]
    CutsTooMuch {
        /// Words that would be cut.
        cut: u64,
        /// Words of all documents.
        words: u64,
        /// The largest share.
        share: f64,
    },
    /// More would be removed than allowed.
    #[error(
        "{removed} of {documents} documents would be removed, {:.1} %, where {:.1} % are allowed; \
         nothing was removed\n\
         hint: clusters.parquet says which; to go on, use --resume and a larger budget",
        percent(*removed, *documents),
        share * 100.0
    )]
    RemovesTooMuch {
        /// What would be removed.
        removed: u64,
        /// All documents.
        documents: u64,
        /// The share that may be removed.
        share: f64,
    },
    /// More of a part would be removed than allowed.
    #[error(
        "more than {:.1} % would be removed of{}\n\
         nothing was removed\n\
         hint: clusters.parquet says which; to go on, use --resume and a larger budget",
        share * 100.0,
        listed(field, parts, *more)
    )]
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
    #[error(
        "the reference `{id}` is too long to be searched for in {}\n\
         hint: allow more memory",
        numbers::bytes(*memory)
    )]
    ReferenceTooLong {
        /// Its id.
        id: String,
        /// The memory allowed, in bytes.
        memory: u64,
    },
    /// So little memory is allowed for the references that the input would be read too often.
    #[error(
        "the references do not fit into memory, and the input would have to be read {passes} times\n\
         hint: allow {} of memory",
        numbers::bytes(*memory)
    )]
    TooManyPasses {
        /// How often.
        passes: usize,
        /// A memory that would do, in bytes.
        memory: u64,
    },
    /// A recipe makes more candidates than an evaluation may judge.
    #[error(
        "the recipe `{recipe}` makes up to {} candidates, where {} are allowed\n\
         hint: an evaluation looks at all of them; evaluate on fewer documents",
        numbers::grouped(*candidates),
        numbers::grouped(*limit)
    )]
    TooManyCandidates {
        /// The recipe.
        recipe: String,
        /// How many it makes, each counted for every key that its documents share.
        candidates: u64,
        /// The most there may be.
        limit: u64,
    },
    /// An id is longer than a file can hold.
    #[error(
        "the id `{start}...` has {bytes} bytes, more than the {limit} that a signature file can hold"
    )]
    IdTooLong {
        /// How the id begins.
        start: String,
        /// Its bytes.
        bytes: usize,
        /// The most that fit.
        limit: usize,
    },
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// That the system refused.
    pub fn io(path: &Path, operation: Operation, source: io::Error) -> Self {
        lookalike_files::Error::io(path, operation, source).into()
    }

    /// What was found at a place in a file is not what was expected there.
    pub(crate) fn corruption(
        path: &Path,
        offset: u64,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        lookalike_files::Error::corruption(path, offset, expected, found).into()
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Whether the system refused.
    pub fn is_io(&self) -> bool {
        match &*self.0 {
            ErrorKind::File(fault) => fault.is_io(),
            ErrorKind::Input(fault) => fault.is_io(),
            ErrorKind::Record { fault, .. } => fault.is_io(),
            _ => false,
        }
    }

    /// Whether a disk has no room for more.
    pub fn is_full_disk(&self) -> bool {
        let fault = match &*self.0 {
            ErrorKind::File(fault) => Some(fault),
            ErrorKind::Input(fault) => match fault.kind() {
                lookalike_corpus::ErrorKind::File(fault) => Some(fault),
                _ => None,
            },
            _ => None,
        };
        fault.is_some_and(lookalike_files::Error::is_full_disk)
    }

    /// Whether a file is damaged or of another kind.
    pub fn is_corruption(&self) -> bool {
        match &*self.0 {
            ErrorKind::File(fault) => fault.is_corruption(),
            ErrorKind::NotOfJob(_) => true,
            _ => false,
        }
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

/// Parts of which too much would be removed, a line each.
fn listed(field: &str, parts: &[(String, u64, u64)], more: usize) -> String {
    let line = |(value, removed, all): &(String, u64, u64)| {
        let percent = percent(*removed, *all);
        format!("\n  {field} `{value}`: {removed} of {all} ({percent:.1} %)")
    };
    let lines: String = parts.iter().map(line).collect();
    if more > 0 { format!("{lines}\n  and {more} more") } else { lines }
}

fn percent(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64 * 100.0
}

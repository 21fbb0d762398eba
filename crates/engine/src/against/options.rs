//! What is asked for.

use std::path::PathBuf;

use lookalike_core::{Kernel, Recipe};
use lookalike_corpus::{Format, ReadOptions};

/// Which documents of a corpus resemble or contain one of another: test sets in training data,
/// what one has of another's pages.
///
/// The answer is exact: it comes from the shingles of all documents, and not from sketches.
///
/// ```no_run
/// use std::ops::ControlFlow;
/// use lookalike_engine::{Against, Unobserved};
///
/// let findings = Against::new(["questions.jsonl".to_owned()], ["crawl/".to_owned()])
///     .containment(Some(0.9))
///     .run(&Unobserved, &mut |found| {
///         println!("{} has {}", found.input, found.reference);
///         ControlFlow::Continue(())
///     })?;
/// println!("{} references were found", findings.references_found);
/// # Ok::<(), lookalike_engine::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Against {
    pub(super) references: Vec<String>,
    pub(super) inputs: Vec<String>,
    pub(super) format: Option<Format>,
    pub(super) read: ReadOptions,
    pub(super) recipe: Recipe,
    pub(super) kernel: Kernel,
    pub(super) containment: Option<f64>,
    pub(super) min_tokens: u64,
    pub(super) memory: u64,
    pub(super) threads: usize,
    pub(super) temp: Option<PathBuf>,
    pub(super) strict: bool,
    pub(super) clean: Option<PathBuf>,
    /// References that may share a shingle before it is boilerplate; no result depends on it.
    pub(super) hot: usize,
}

/// Unless told otherwise: room for the shingles of a hundred megabytes of references.
const DEFAULT_MEMORY: u64 = 2 << 30;

/// Unless told otherwise: the share of a reference that a document must have.
const DEFAULT_CONTAINMENT: f64 = 0.8;

/// Unless told otherwise: shorter references are in documents by chance.
const DEFAULT_MIN_TOKENS: u64 = 8;

/// A shingle of more references than this is boilerplate. Few enough that going through all of
/// them for each shingle of a document is cheap, many more than a quotation has.
const HOT: usize = 1000;

impl Against {
    /// Looks for these references in these inputs: files, folders, globs, or `-` for standard
    /// input.
    pub fn new(
        references: impl IntoIterator<Item = String>,
        inputs: impl IntoIterator<Item = String>,
    ) -> Self {
        Self {
            references: references.into_iter().collect(),
            inputs: inputs.into_iter().collect(),
            format: None,
            read: ReadOptions::default(),
            recipe: Recipe::default(),
            kernel: Kernel::best(),
            containment: Some(DEFAULT_CONTAINMENT),
            min_tokens: DEFAULT_MIN_TOKENS,
            memory: DEFAULT_MEMORY,
            threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            temp: None,
            strict: false,
            clean: None,
            hot: HOT,
        }
    }

    /// The format of all files, if neither names nor contents tell.
    #[must_use]
    pub fn format(mut self, format: Option<Format>) -> Self {
        self.format = format;
        self
    }

    /// The names of fields, and the limits of reading.
    #[must_use]
    pub fn read_options(mut self, read: ReadOptions) -> Self {
        self.read = read;
        self
    }

    /// What a shingle is, and the resemblance from which on two documents match; the `text`
    /// preset unless told otherwise.
    #[must_use]
    pub fn recipe(mut self, recipe: Recipe) -> Self {
        self.recipe = recipe;
        self
    }

    /// The kernel; no result depends on it.
    #[must_use]
    pub fn kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = kernel;
        self
    }

    /// The share of a reference's shingles from which on a document that has them matches,
    /// whatever else is in it; `None` if only resemblance counts.
    #[must_use]
    pub fn containment(mut self, containment: Option<f64>) -> Self {
        self.containment = containment;
        self
    }

    /// References of fewer tokens are counted and not looked for.
    #[must_use]
    pub fn min_tokens(mut self, min_tokens: u64) -> Self {
        self.min_tokens = min_tokens;
        self
    }

    /// The memory that the job may use, in bytes. No result depends on it; with too little for
    /// all references at once, the inputs are read several times.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    /// The threads that work; no result depends on their number.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// The folder for working files; it must not be there, and is removed in the end. Else it is
    /// one below the system's own for such.
    #[must_use]
    pub fn temp(mut self, temp: Option<PathBuf>) -> Self {
        self.temp = temp;
        self
    }

    /// Whether the first record that cannot be read ends the job.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// A folder for the inputs without the documents that match, in the inputs' own format, order,
    /// compression and fields. It must be empty or not there.
    #[must_use]
    pub fn clean(mut self, folder: Option<PathBuf>) -> Self {
        self.clean = folder;
        self
    }

    /// How records are read: a chunk for each thread, and one more for what was made of it, in a
    /// quarter of the memory.
    pub(super) fn reading(&self) -> ReadOptions {
        let mut read = self.read.clone();
        let share = self.memory / (8 * self.threads as u64 + 8);
        read.chunk_bytes = read.chunk_bytes.min((share as usize).max(64 << 10));
        read
    }

    /// The share of a reference that any match has. A resemblance is never more than it.
    pub(super) fn least_share(&self) -> f64 {
        self.containment.map_or(self.recipe.threshold, |c| c.min(self.recipe.threshold))
    }
}

//! What a job is asked for.

use std::path::PathBuf;

use lookalike_core::{Kernel, Recipe};
use lookalike_corpus::{Format, ReadOptions};

use super::budget::RemovalBudget;
use super::manifest::Request;
use crate::keep::KeepPolicy;
use crate::matching::Clustering;

/// Which pairs are judged and listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairsWanted {
    /// Those that the decision needs; listed is each removed document with its keeper.
    #[default]
    Needed,
    /// All that share a key: for evaluation.
    All,
}

/// The batch job: which documents of a corpus are roughly the same, and the corpus without them.
///
/// ```no_run
/// use lookalike_engine::{Dedup, KeepPolicy, Unobserved};
///
/// let report = Dedup::new(["crawl/".to_owned()])
///     .keep(KeepPolicy::Longest)
///     .memory(4 << 30)
///     .run("out".as_ref(), &Unobserved)?;
/// println!("{} of {} documents stay", report.kept, report.documents);
/// # Ok::<(), lookalike_engine::Error>(())
/// ```
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
pub struct Dedup {
    pub(super) inputs: Vec<String>,
    pub(super) format: Option<Format>,
    pub(super) read: ReadOptions,
    pub(super) recipe: Recipe,
    pub(super) kernel: Kernel,
    pub(super) keep: KeepPolicy,
    pub(super) clustering: Clustering,
    pub(super) pairs: PairsWanted,
    pub(super) exact_only: bool,
    pub(super) budget: RemovalBudget,
    pub(super) memory: u64,
    pub(super) threads: usize,
    pub(super) temp: Option<PathBuf>,
    pub(super) resume: bool,
    pub(super) strict: bool,
    pub(super) survivors: bool,
}

/// Unless told otherwise: enough for a hundred million documents, and what any machine has.
const DEFAULT_MEMORY: u64 = 2 << 30;

impl Dedup {
    /// A job on these files, folders, globs, or `-` for standard input.
    pub fn new(inputs: impl IntoIterator<Item = String>) -> Self {
        Self {
            inputs: inputs.into_iter().collect(),
            format: None,
            read: ReadOptions::default(),
            recipe: Recipe::default(),
            kernel: Kernel::best(),
            keep: KeepPolicy::First,
            clustering: Clustering::Anchored,
            pairs: PairsWanted::Needed,
            exact_only: false,
            budget: RemovalBudget::default(),
            memory: DEFAULT_MEMORY,
            threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            temp: None,
            resume: false,
            strict: false,
            survivors: true,
        }
    }

    /// The format of all inputs, if neither names nor contents tell.
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

    /// How documents are signed and judged; the `text` preset unless told otherwise.
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

    /// Which of several look-alikes stays.
    #[must_use]
    pub fn keep(mut self, keep: KeepPolicy) -> Self {
        self.keep = keep;
        self
    }

    /// How pairs become clusters.
    #[must_use]
    pub fn clustering(mut self, clustering: Clustering) -> Self {
        self.clustering = clustering;
        self
    }

    /// Which pairs are judged and listed.
    #[must_use]
    pub fn pairs(mut self, pairs: PairsWanted) -> Self {
        self.pairs = pairs;
        self
    }

    /// Whether only documents with the same tokens are looked for.
    #[must_use]
    pub fn exact_only(mut self, exact_only: bool) -> Self {
        self.exact_only = exact_only;
        self
    }

    /// How much may be removed.
    #[must_use]
    pub fn removal_budget(mut self, budget: RemovalBudget) -> Self {
        self.budget = budget;
        self
    }

    /// The memory that the job may use, in bytes; no result depends on it.
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

    /// The folder for working files; else they are below the results.
    #[must_use]
    pub fn temp(mut self, temp: Option<PathBuf>) -> Self {
        self.temp = temp;
        self
    }

    /// Whether to go on with a job that stopped.
    #[must_use]
    pub fn resume(mut self, resume: bool) -> Self {
        self.resume = resume;
        self
    }

    /// Whether the first record that cannot be read ends the job.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Whether the survivors are written, or only the decision.
    #[must_use]
    pub fn survivors(mut self, survivors: bool) -> Self {
        self.survivors = survivors;
        self
    }

    /// What results depend on.
    pub(super) fn request(&self) -> Request {
        let fields = &self.read.fields;
        let named = |name: &str, value: String| (name.to_owned(), value);
        [
            named("recipe", self.recipe.digest().to_string()),
            named("format", self.format.map_or("", Format::name).to_owned()),
            named("text-field", fields.text.clone()),
            named("html-field", fields.html.clone()),
            named("id-field", fields.id.clone()),
            named("url-field", fields.url.clone()),
            named("keep", self.keep.to_string()),
            named("cluster", self.clustering.name().to_owned()),
            named("pairs", self.pairs.name().to_owned()),
            named("exact-only", self.exact_only.to_string()),
            named("no-write", (!self.survivors).to_string()),
            named("strict", self.strict.to_string()),
            named("max-removed-per-source", self.budget.field().unwrap_or_default().to_owned()),
        ]
        .into()
    }

    /// How records are read: with the fields that policies look at.
    pub(super) fn reading(&self) -> ReadOptions {
        let mut read = self.read.clone();
        let fields = self.keep.field().into_iter().chain(self.budget.field());
        read.fields.others.extend(fields.map(str::to_owned));
        // A chunk for each thread, and one more for what was made of it, in a quarter of memory.
        let share = self.memory / (8 * self.threads as u64 + 8);
        read.chunk_bytes = read.chunk_bytes.min((share as usize).max(64 << 10));
        read
    }
}

impl PairsWanted {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Needed => "needed",
            Self::All => "all",
        }
    }
}

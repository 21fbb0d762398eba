//! What is asked for.

use std::path::PathBuf;

use lookalike_core::{Kernel, Recipe};
use lookalike_corpus::{Format, ReadOptions};

/// A search for hosts and folders that replicate each other.
///
/// ```no_run
/// use lookalike_engine::Unobserved;
/// use lookalike_engine::mirrors::Mirrors;
///
/// let found = Mirrors::new(["crawl/".to_owned()]).min_pages(10).run(&Unobserved)?;
/// for mirror in &found.mirrors {
///     println!("{} and {}: {} pages", mirror.a, mirror.b, mirror.matched);
/// }
/// # Ok::<(), lookalike_engine::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mirrors {
    pub(super) inputs: Vec<String>,
    pub(super) format: Option<Format>,
    pub(super) read: ReadOptions,
    pub(super) recipe: Recipe,
    pub(super) kernel: Kernel,
    pub(super) min_pages: u64,
    pub(super) min_share: f64,
    pub(super) limit: usize,
    pub(super) memory: u64,
    pub(super) threads: usize,
    pub(super) temp: Option<PathBuf>,
    pub(super) strict: bool,
}

/// Unless told otherwise.
const DEFAULT_MEMORY: u64 = 2 << 30;

impl Mirrors {
    /// The pages that two mirrors have in common at least, unless told otherwise: one or two that
    /// are alike may be so by chance, as a licence or an empty list.
    pub const DEFAULT_MIN_PAGES: u64 = 3;

    /// The share of the pages of each that this is at least, unless told otherwise.
    pub const DEFAULT_MIN_SHARE: f64 = 0.5;

    /// The mirrors that are named, unless told otherwise.
    pub const DEFAULT_LIMIT: usize = 1000;

    /// A search in these files, folders, globs, or `-` for standard input.
    pub fn new(inputs: impl IntoIterator<Item = String>) -> Self {
        Self {
            inputs: inputs.into_iter().collect(),
            format: None,
            read: ReadOptions::default(),
            recipe: Recipe::default(),
            kernel: Kernel::best(),
            min_pages: Self::DEFAULT_MIN_PAGES,
            min_share: Self::DEFAULT_MIN_SHARE,
            limit: Self::DEFAULT_LIMIT,
            memory: DEFAULT_MEMORY,
            threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            temp: None,
            strict: false,
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

    /// What look-alikes are; the `text` preset unless told otherwise.
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

    /// The least number of pages that two mirrors have in common.
    #[must_use]
    pub fn min_pages(mut self, pages: u64) -> Self {
        self.min_pages = pages.max(1);
        self
    }

    /// The least share of the pages of each that they have in common.
    #[must_use]
    pub fn min_share(mut self, share: f64) -> Self {
        self.min_share = share;
        self
    }

    /// How many mirrors are named, those of most pages first; the others are counted.
    #[must_use]
    pub fn limit(mut self, mirrors: usize) -> Self {
        self.limit = mirrors;
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

    /// The folder for working files, which is made and removed; else one below the system's own.
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

    /// How records are read: chunks that leave room for all threads.
    pub(super) fn reading(&self) -> ReadOptions {
        let mut read = self.read.clone();
        let share = self.memory / (8 * self.threads as u64 + 8);
        read.chunk_bytes = read.chunk_bytes.min((share as usize).max(64 << 10));
        read
    }
}

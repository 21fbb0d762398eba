//! What is asked for.

use lookalike_core::{Recipe, setters};

use crate::running::{Running, running_methods};

/// A search for hosts and folders that replicate each other.
///
/// ```no_run
/// use lookalike_engine::mirrors::Mirrors;
///
/// let found = Mirrors::new(["crawl/"]).min_pages(10).run()?;
/// for mirror in &found.mirrors {
///     println!("{} and {}: {} pages", mirror.a, mirror.b, mirror.matched);
/// }
/// # Ok::<(), lookalike_engine::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mirrors {
    pub(super) inputs: Vec<String>,
    pub(super) recipe: Recipe,
    pub(super) min_pages: u64,
    pub(super) min_share: f64,
    pub(super) limit: usize,
    pub(super) running: Running,
}

impl Mirrors {
    running_methods!();

    /// The pages that two mirrors have in common at least, unless told otherwise: one or two that
    /// are alike may be so by chance, as a licence or an empty list.
    pub const DEFAULT_MIN_PAGES: u64 = 3;

    /// The share of the pages of each that this is at least, unless told otherwise.
    pub const DEFAULT_MIN_SHARE: f64 = 0.5;

    /// The mirrors that are named, unless told otherwise.
    pub const DEFAULT_LIMIT: usize = 1000;

    /// A search in these files, folders, globs, or `-` for standard input.
    pub fn new(inputs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            inputs: inputs.into_iter().map(Into::into).collect(),
            recipe: Recipe::default(),
            min_pages: Self::DEFAULT_MIN_PAGES,
            min_share: Self::DEFAULT_MIN_SHARE,
            limit: Self::DEFAULT_LIMIT,
            running: Running::default(),
        }
    }

    setters! {
        /// What look-alikes are; the `text` preset unless told otherwise.
        recipe: Recipe;
        /// The least number of pages that two mirrors have in common.
        min_pages: u64 => min_pages = min_pages.max(1);
        /// The least share of the pages of each that they have in common.
        min_share: f64;
        /// How many mirrors are named, those of most pages first; the others are counted.
        limit: usize;
    }
}

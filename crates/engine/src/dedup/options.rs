//! What a job is asked for.

use lookalike_core::Recipe;
use lookalike_corpus::{Format, ReadOptions, Tables};

use super::budget::RemovalBudget;
use crate::keep::KeepPolicy;
use crate::learn::GroupOf;
use crate::manifest::Request;
use crate::matching::Clustering;
use crate::report::Page;
use crate::running::{Running, running_methods};
use crate::write::Unreadable;

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
/// use lookalike_engine::{Dedup, KeepPolicy, NoObserver};
///
/// let report = Dedup::new(["crawl/".to_owned()])
///     .keep(KeepPolicy::Longest)
///     .memory(4 << 30)
///     .run("out".as_ref(), &NoObserver)?;
/// println!("{} of {} documents stay", report.kept, report.documents);
/// # Ok::<(), lookalike_engine::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dedup {
    pub(super) inputs: Vec<String>,
    pub(super) tables: Tables,
    pub(super) recipe: Recipe,
    pub(super) keep: KeepPolicy,
    pub(super) clustering: Clustering,
    pub(super) pairs: PairsWanted,
    pub(super) exact_only: bool,
    pub(super) budget: RemovalBudget,
    pub(super) resume: bool,
    pub(super) survivors: bool,
    pub(super) unreadable: Unreadable,
    pub(super) page: Option<Page>,
    pub(super) running: Running,
}

impl Dedup {
    running_methods!();

    /// A job on these files, folders, globs, or `-` for standard input.
    pub fn new(inputs: impl IntoIterator<Item = String>) -> Self {
        Self {
            inputs: inputs.into_iter().collect(),
            tables: Tables::default(),
            recipe: Recipe::default(),
            keep: KeepPolicy::First,
            clustering: Clustering::Anchored,
            pairs: PairsWanted::Needed,
            exact_only: false,
            budget: RemovalBudget::default(),
            resume: false,
            survivors: true,
            unreadable: Unreadable::Kept,
            page: None,
            running: Running::default(),
        }
    }

    /// Tables in memory, which come after the other inputs. A job with any writes no survivors:
    /// `clusters.parquet` has the rows that go.
    #[must_use]
    pub fn tables(mut self, tables: Tables) -> Self {
        self.tables = tables;
        self
    }

    /// How documents are signed and judged; the `text` preset unless told otherwise.
    #[must_use]
    pub fn recipe(mut self, recipe: Recipe) -> Self {
        self.recipe = recipe;
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

    /// Whether to go on with a job that stopped.
    #[must_use]
    pub fn resume(mut self, resume: bool) -> Self {
        self.resume = resume;
        self
    }

    /// Whether the survivors are written, or only the decision.
    #[must_use]
    pub fn survivors(mut self, survivors: bool) -> Self {
        self.survivors = survivors;
        self
    }

    /// What becomes of records and files that cannot be read.
    #[must_use]
    pub fn unreadable(mut self, unreadable: Unreadable) -> Self {
        self.unreadable = unreadable;
        self
    }

    /// What makes `report.html` of the report; there is none unless told otherwise.
    #[must_use]
    pub fn page(mut self, page: Page) -> Self {
        self.page = Some(page);
        self
    }

    /// What results depend on.
    pub(super) fn request(&self) -> Request {
        let fields = &self.running.read.fields;
        let named = |name: &str, value: String| (name.to_owned(), value);
        [
            named("recipe", self.recipe.digest().to_string()),
            named("format", self.running.format.map_or("", Format::name).to_owned()),
            named("text-field", fields.text.clone()),
            named("html-field", fields.html.clone()),
            named("id-field", fields.id.clone()),
            named("url-field", fields.url.clone()),
            named("keep", self.keep.to_string()),
            named("cluster", self.clustering.name().to_owned()),
            named("pairs", self.pairs.name().to_owned()),
            named("exact-only", self.exact_only.to_string()),
            named("no-write", (!self.survivors).to_string()),
            named("strict", self.running.strict.to_string()),
            named("drop-unreadable", (self.unreadable == Unreadable::Dropped).to_string()),
            named("max-removed-per-source", self.budget.field().unwrap_or_default().to_owned()),
        ]
        .into()
    }

    /// How records are read: with the fields that policies look at.
    pub(super) fn reading(&self) -> ReadOptions {
        let mut read = self.running.reading();
        let fields = self.keep.field().into_iter().chain(self.budget.field());
        read.fields.others.extend(fields.map(str::to_owned));
        read.fields.others.extend(GroupOf::new(&self.recipe).field());
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

//! What is asked for.

use std::path::{Path, PathBuf};

use lookalike_core::shingle::Counting;
use lookalike_core::{Recipe, setters};

use crate::running::{Running, running_methods};
use crate::write::Unreadable;

/// Which documents of a corpus resemble or contain one of another: test sets in training data,
/// what one has of another's pages.
///
/// The answer is exact: it comes from the shingles of all documents, and not from sketches.
///
/// ```no_run
/// use std::ops::ControlFlow;
/// use lookalike_engine::Against;
///
/// let findings = Against::new(["questions.jsonl"], ["crawl/"]).containment(0.9).run(|found| {
///     println!("{} has {}", found.input, found.reference);
///     ControlFlow::Continue(())
/// })?;
/// println!("{} references were found", findings.references_found);
/// # Ok::<(), lookalike_engine::Error>(())
/// ```
///
/// By runs of words, as test sets are looked for in training data:
///
/// ```no_run
/// # use std::ops::ControlFlow;
/// # use lookalike_engine::Against;
/// Against::new(["questions.jsonl"], ["crawl/"]).ngram(13).run(|found| {
///     if let Some(passage) = found.passage {
///         println!("{} has of {}: {}", found.input, found.reference, passage.input_text);
///     }
///     ControlFlow::Continue(())
/// })?;
/// # Ok::<(), lookalike_engine::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Against {
    pub(super) references: Vec<String>,
    pub(super) inputs: Vec<String>,
    pub(super) recipe: Recipe,
    pub(super) containment: Option<f64>,
    /// Words of a run that makes a match, whatever else is in the documents.
    pub(super) ngram: Option<usize>,
    pub(super) told: RunsTold,
    pub(super) min_tokens: u64,
    pub(super) clean: Option<PathBuf>,
    pub(super) unreadable: Unreadable,
    /// References that may share a shingle before it is boilerplate; no result depends on it.
    pub(super) hot: usize,
    pub(super) running: Running,
}

/// Which of the runs of words that a document has of a reference are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunsTold {
    Longest,
    All,
}

/// Unless told otherwise: the share of a reference that a document must have.
const DEFAULT_CONTAINMENT: f64 = 0.8;

/// Unless told otherwise: shorter references are in documents by chance.
const DEFAULT_MIN_TOKENS: u64 = 8;

/// A shingle of more references than this is boilerplate. Few enough that going through all of
/// them for each shingle of a document is cheap, many more than a quotation has.
const HOT: usize = 1000;

impl Against {
    running_methods!();

    /// Looks for these references in these inputs: files, folders, globs, or `-` for standard
    /// input.
    pub fn new(
        references: impl IntoIterator<Item = impl Into<String>>,
        inputs: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self {
            references: references.into_iter().map(Into::into).collect(),
            inputs: inputs.into_iter().map(Into::into).collect(),
            recipe: Recipe::default(),
            containment: Some(DEFAULT_CONTAINMENT),
            ngram: None,
            told: RunsTold::Longest,
            min_tokens: DEFAULT_MIN_TOKENS,
            clean: None,
            unreadable: Unreadable::Kept,
            hot: HOT,
            running: Running::default(),
        }
    }

    setters! {
        /// What a shingle is, and the resemblance from which on two documents match; the `text`
        /// preset unless told otherwise.
        recipe: Recipe;
        /// The share of a reference's shingles from which on a document that has them matches,
        /// whatever else is in it; 0.8 unless told otherwise.
        containment: f64 => containment = Some(containment);
        /// Matches go by runs of words alone: a document matches if it has any run of this many words
        /// of a reference, or all of a reference that is shorter. Resemblance and containment are told,
        /// of shingles of that many words, and decide nothing.
        ngram: usize => ngram = Some(ngram);
        /// References of fewer tokens are counted and not looked for.
        min_tokens: u64;
        /// What becomes of records and files that cannot be read, in that folder.
        unreadable: Unreadable;
    }

    /// Only resemblance counts, and no containment.
    #[must_use]
    pub fn resemblance_alone(mut self) -> Self {
        self.containment = None;
        self
    }

    /// As [`ngram`](Self::ngram), and each run of so many words or more is a match of its own, and not only
    /// the longest; but those that lie within one that begins before them. Of a document 10,000 are told,
    /// and the others counted.
    #[must_use]
    pub fn passages(mut self, words: usize) -> Self {
        (self.ngram, self.told) = (Some(words), RunsTold::All);
        self
    }

    /// A folder for the inputs without the documents that match, in the inputs' own format, order,
    /// compression and fields. It must be empty or not exist.
    #[must_use]
    pub fn clean(mut self, folder: impl AsRef<Path>) -> Self {
        self.clean = Some(folder.as_ref().to_owned());
        self
    }

    /// The same with the recipe that a search by runs of words has.
    pub(super) fn with_ngram_shingles(&self) -> Self {
        let mut options = self.clone();
        if let Some(words) = options.ngram {
            options.recipe.shingles.width = words;
            options.recipe.shingles.counting = Counting::Set;
        }
        options
    }

    /// The share of a reference that any match has. A resemblance is never more than it.
    pub(super) fn least_share(&self) -> f64 {
        if self.ngram.is_some() {
            return 0.0;
        }
        self.containment.map_or(self.recipe.threshold, |c| c.min(self.recipe.threshold))
    }
}

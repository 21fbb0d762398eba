//! What counts as a passage.

use lookalike_core::passages::{CutUnit, PART};
use lookalike_core::setters;

/// What counts as a passage, and what of it is cut.
///
/// ```
/// use lookalike_engine::{CutUnit, PassageRule};
///
/// let rule = PassageRule::default().min_words(30).cut(CutUnit::Sentences);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassageRule {
    pub(crate) min_words: u32,
    pub(crate) cut: CutUnit,
    pub(crate) max_copies: u32,
    pub(crate) min_documents: u32,
    pub(crate) scope: PassageScope,
    pub(crate) min_left: u64,
    pub(crate) max_cut: Option<f64>,
}

impl Default for PassageRule {
    /// Runs of 50 words and more, cut by lines; the first copy stays.
    fn default() -> Self {
        Self {
            min_words: 50,
            cut: CutUnit::default(),
            max_copies: 1,
            min_documents: 1,
            scope: PassageScope::default(),
            min_left: 1,
            max_cut: None,
        }
    }
}

impl PassageRule {
    /// The most words of a passage: more are never found, since texts are cut in parts of so many.
    pub const MOST_WORDS: u32 = PART as u32;

    setters! {
        /// The fewest words of a passage, at least one.
        min_words: u32 => min_words = min_words.max(1);
        /// What is cut whole: what is only partly in passages stays.
        cut: CutUnit;
        /// How many copies of a passage stay, at least one.
        max_copies: u32 => max_copies = max_copies.max(1);
        /// In how many documents a passage must stand.
        min_documents: u32;
        /// Where other copies are looked for.
        scope: PassageScope;
        /// A document of which fewer words are left goes whole, if anything was cut of it. More than one
        /// loses words that stand nowhere else. Those that are cut of it then stand in other documents.
        min_left: u64 => min_left = min_left.max(1);
        /// The share of all words beyond which nothing is cut, and the job fails.
        max_cut: f64 => max_cut = Some(max_cut);
    }

    /// As options would be typed.
    pub(crate) fn name(&self) -> String {
        let Self { min_words, cut, max_copies, min_documents, scope, min_left, .. } = self;
        format!(
            "{min_words} words, cut {}, {max_copies} copies, {min_documents} documents, within {}, {min_left} left",
            cut.name(),
            scope.name()
        )
    }
}

/// Where the other copies of a passage are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PassageScope {
    /// In all documents.
    #[default]
    Corpus,
    /// In the same document.
    Document,
}

impl PassageScope {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Corpus => "corpus",
            Self::Document => "document",
        }
    }
}

//! An index asked under another threshold than its own.
//!
//! The filter was chosen for the threshold of the index, and its lists cannot be made again for a
//! question. Above that threshold nothing is missed that was not missed before; below it, fewer of
//! the look-alikes become candidates the lower it is, which [`recall`](IndexAt::recall) says.

use lookalike_core::recipe::Judging;

use crate::collapse::{CollapsedList, RankedEntry};
use crate::document::Document;
use crate::error::Result;
use crate::index::Index;
use crate::judge::Judge;
use crate::operations::Answer;

/// An index that is asked under a threshold of the question's own; see [`Index::at`].
pub struct IndexAt<'i> {
    index: &'i Index,
    judge: Judge,
}

impl Index {
    /// The index, with this threshold in the place of its own. Nothing is changed.
    ///
    /// # Errors
    /// If it is not above 0 and at most 1, or the recipe does not verify candidates, so that there is
    /// nothing that a threshold could be compared with.
    pub fn at(&self, threshold: f64) -> Result<IndexAt<'_>> {
        let judging = Judging { threshold: Some(threshold), ..Judging::default() };
        let recipe = self.recipe.clone().judging(&judging)?;
        Ok(IndexAt { index: self, judge: Judge::new(&recipe, self.kernel, self.layout) })
    }
}

impl IndexAt<'_> {
    /// The least resemblance of two look-alikes here.
    pub fn threshold(&self) -> f64 {
        self.judge.recipe().threshold
    }

    /// The share of pairs at exactly this threshold that become candidates, where features alone
    /// make them.
    pub fn recall(&self) -> Option<f64> {
        self.judge.recipe().recall()
    }

    /// As [`Index::check`].
    ///
    /// # Errors
    /// As [`Index::check`].
    pub fn check(&self, document: &Document<'_>) -> Result<Answer> {
        self.index.check_by(&self.judge, document)
    }

    /// As [`Index::check_batch`].
    ///
    /// # Errors
    /// As [`Index::check`], of the first that fails.
    pub fn check_batch(&self, documents: &[Document<'_>]) -> Result<Vec<Answer>> {
        self.index.check_batch_by(&self.judge, documents)
    }

    /// As [`Index::collapse`].
    ///
    /// # Errors
    /// As [`Index::collapse`].
    pub fn collapse(&self, list: &[RankedEntry<'_>]) -> Result<CollapsedList> {
        self.index.collapse_by(&self.judge, list)
    }
}

//! Two documents of a run, read again and compared as the run compared them.

use lookalike_core::{Comparer, Comparison, Kernel};

use super::Run;
use crate::error::Result;
use crate::learn::learned;
use crate::places::Row;
use crate::report::{Difference, distinctive_difference};

/// What can be said of two documents of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunComparison {
    /// How similar they are.
    pub comparison: Comparison,
    /// What differs, from the first to the second.
    pub difference: Difference,
}

impl Run {
    /// Compares two documents, without the templates of their groups where the run has learned any.
    ///
    /// # Errors
    /// As [`text`](Self::text), and if the file of templates cannot be read.
    pub fn compare(&self, a: Row, b: Row) -> Result<RunComparison> {
        let templates = learned(&self.files, &self.recipe)?;
        let (text_a, group_a) = self.text_and_group(a)?;
        let (text_b, group_b) = self.text_and_group(b)?;
        let mut of_groups = [None, None];
        if let Some(templates) = templates {
            of_groups = [templates.template(group_a)?, templates.template(group_b)?];
        }
        let mut comparer = Comparer::with_templates(&self.recipe, Kernel::best(), of_groups)?;
        let texts = [text_a.as_text(), text_b.as_text()];
        let comparison = comparer.compare(texts[0], texts[1]);
        let [left_out_a, left_out_b] = comparer.left_out(texts);
        let (first, second) = ((texts[0], &*left_out_a), (texts[1], &*left_out_b));
        let id = self.signatures.id(b)?;
        let difference = distinctive_difference(self.recipe.tokens, first, &id, second);
        Ok(RunComparison { comparison, difference })
    }
}

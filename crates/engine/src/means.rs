//! What the stages of a job work with.

use lookalike_core::{Given as _, Kernel, PairRule, Recipe, VerificationKey};
use lookalike_corpus::ReadOptions;

use crate::error::Result;
use crate::files::Files;
use crate::observe::Observer;
use crate::pipeline::Pipeline;

/// How documents are read, signed and compared, where files go, and what may be used.
#[derive(Clone, Copy)]
pub(crate) struct Means<'a> {
    pub(crate) recipe: &'a Recipe,
    /// The share of a document that need not be in its keeper, where pairs go by containment.
    pub(crate) lost: Option<f64>,
    pub(crate) kernel: Kernel,
    pub(crate) read: &'a ReadOptions,
    pub(crate) key: &'a VerificationKey,
    pub(crate) files: &'a Files,
    pub(crate) threads: usize,
    /// Memory for sorting and the like.
    pub(crate) budget: usize,
    pub(crate) observer: &'a dyn Observer,
}

impl<'a> Means<'a> {
    /// What makes a pair.
    pub(crate) fn pair_rule(&self) -> PairRule {
        PairRule::new(self.kernel, self.recipe).given(self.lost, PairRule::containing)
    }

    /// Whether candidates are judged by projections that signatures do not have.
    pub(crate) fn projects(&self) -> bool {
        self.recipe.projects_when_needed() && self.lost.is_none()
    }

    /// Listens for a stop, now and then: to be called with each number from 0 on.
    pub(crate) fn listen(&self, number: u64) -> Result<()> {
        const EVERY: u64 = 1 << 12;
        if number % EVERY == EVERY - 1 { self.observer.check_cancelled() } else { Ok(()) }
    }

    /// What reads documents, within so many bytes.
    pub(crate) fn pipeline(&self, budget: usize) -> Pipeline<'a> {
        Pipeline::within(budget, self.read, self.threads, self.observer)
    }
}

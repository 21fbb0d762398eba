//! What a recipe says of two documents that share a key: the questions of verification, without
//! where their answers come from.

use lookalike_core::recipe::Verify;
use lookalike_core::resemblance::Overlap;
use lookalike_core::{CandidateRule, Kernel, Recipe, Signature, Similarity};

use crate::matching::{Evidence, Verdict};

/// Judges two documents that share a key.
///
/// First [`by_signatures`](Self::by_signatures), or, where
/// [`reads_signatures`](Self::reads_signatures) says that these have nothing to say,
/// [`without_signatures`](Self::without_signatures). If that leaves it open, the shingle sets
/// decide, by [`by_overlap`](Self::by_overlap).
#[derive(Clone, Debug)]
pub struct PairRule {
    verify: Verify,
    threshold: f64,
    rule: CandidateRule,
    similarity: Similarity,
}

/// What is known of two documents before their contents are looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    /// They share a key, but the whole rule of candidates does not hold.
    NoCandidate,
    /// That is enough.
    Judged(Verdict),
    /// Their shingle sets have to be compared.
    Open,
}

impl PairRule {
    /// Of this recipe.
    pub fn new(kernel: Kernel, recipe: &Recipe) -> Self {
        Self {
            verify: recipe.verify,
            threshold: recipe.threshold,
            rule: CandidateRule::new(kernel, recipe),
            similarity: Similarity::new(kernel, recipe),
        }
    }

    /// Whether signatures say more than that the two share a key.
    pub fn reads_signatures(&self) -> bool {
        !self.rule.is_sharing_a_key() || self.verify == Verify::Estimate
    }

    /// Whether shingle sets may have to be compared.
    pub fn reads_shingles(&self) -> bool {
        self.verify == Verify::Exact
    }

    /// What the signatures say. Where sites matter, `same_site` says if the two come from one.
    pub fn by_signatures(&self, a: &Signature, b: &Signature, same_site: bool) -> Standing {
        if !self.rule.is_sharing_a_key() && !self.rule.holds(a, b, same_site) {
            return Standing::NoCandidate;
        }
        if self.verify == Verify::Estimate {
            let estimate = self.similarity.estimate(a, b).unwrap_or(0.0);
            return Standing::Judged(self.verdict(estimate, Evidence::Estimate(estimate)));
        }
        self.without_signatures()
    }

    /// What is known of two documents that share a key, if that is the whole rule.
    pub fn without_signatures(&self) -> Standing {
        match self.verify {
            Verify::Exact => Standing::Open,
            Verify::Estimate | Verify::None => Standing::Judged(Verdict::Accepted(Evidence::Rule)),
        }
    }

    /// Whether sets of these sizes could resemble each other enough.
    pub fn is_possible(&self, [a, b]: [u64; 2]) -> bool {
        // The smaller set within the larger one is the most that there could be.
        Overlap { a, b, common: a.min(b) }.resemblance() >= self.threshold
    }

    /// What the shingle sets say.
    pub fn by_overlap(&self, overlap: Overlap) -> Verdict {
        self.verdict(overlap.resemblance(), Evidence::Exact(overlap))
    }

    fn verdict(&self, resemblance: f64, evidence: Evidence) -> Verdict {
        if resemblance >= self.threshold { Verdict::Accepted(evidence) } else { Verdict::Refused }
    }
}

//! The rule of pairs: what a recipe says of two documents, and the evidence it goes by.
//!
//! Every door asks here: the batch job, the index, the service, the command line, Python and
//! Spark. They differ in what they know of the two documents, not in what follows from it.

use lookalike_kernels::Kernel;

use crate::candidate::CandidateRule;
use crate::compare::Comparison;
use crate::recipe::{Recipe, Verify};
use crate::resemblance::Overlap;
use crate::signature::Signature;

/// Documents of one group that a document is compared with at most: a million pages of one
/// template must not make 10^12 candidates.
pub const GROUP_LIMIT: usize = 64;

/// Why two documents are a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// The rule that made them a candidate, and nothing else.
    Rule,
    /// The resemblance that was estimated from sketches.
    Estimate(f64),
    /// The share of the words of both that differ.
    Difference(f64),
    /// What the two have in common; a is the earlier, b the later.
    Exact(Overlap),
    /// The same, as an earlier run stored it.
    Stored {
        /// Shingles of both, out of those of either.
        resemblance: f64,
        /// The share of the earlier that is in the later.
        containment_a: f64,
        /// The share of the later that is in the earlier.
        containment_b: f64,
    },
}

impl Evidence {
    /// Bytes of its stored form: which, and three numbers.
    pub const BYTES: usize = 1 + 3 * 8;

    /// Seen from the other document.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::Exact(Overlap { a, b, common }) => Self::Exact(Overlap { a: b, b: a, common }),
            Self::Stored { resemblance, containment_a, containment_b } => Self::Stored {
                resemblance,
                containment_a: containment_b,
                containment_b: containment_a,
            },
            other => other,
        }
    }

    /// Resemblance and both containments, where they were computed.
    pub fn shares(self) -> Option<[f64; 3]> {
        match self {
            Self::Exact(o) => Some([o.resemblance(), o.containment_a(), o.containment_b()]),
            Self::Stored { resemblance, containment_a, containment_b } => {
                Some([resemblance, containment_a, containment_b])
            }
            Self::Rule | Self::Estimate(_) | Self::Difference(_) => None,
        }
    }

    /// The resemblance, computed or estimated, where there is one.
    pub fn resemblance(self) -> Option<f64> {
        match self {
            Self::Estimate(estimate) => Some(estimate),
            other => other.shares().map(|[resemblance, ..]| resemblance),
        }
    }

    /// Its stored form.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let (tag, numbers) = match self {
            Self::Rule => (0, [0; 3]),
            Self::Estimate(resemblance) => (1, [resemblance.to_bits(), 0, 0]),
            Self::Exact(Overlap { a, b, common }) => (2, [a, b, common]),
            Self::Stored { resemblance, containment_a, containment_b } => {
                (3, [resemblance, containment_a, containment_b].map(f64::to_bits))
            }
            Self::Difference(share) => (4, [share.to_bits(), 0, 0]),
        };
        let mut bytes = [tag; Self::BYTES];
        for (bytes, number) in bytes[1..].as_chunks_mut::<8>().0.iter_mut().zip(numbers) {
            *bytes = number.to_le_bytes();
        }
        bytes
    }

    /// From its stored form; `None` if there is no such evidence.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let (&tag, numbers) = bytes.split_first()?;
        let &[a, b, common] = numbers.as_chunks::<8>().0 else { return None };
        let [a, b, common] = [a, b, common].map(u64::from_le_bytes);
        match tag {
            0 => Some(Self::Rule),
            1 => Some(Self::Estimate(f64::from_bits(a))),
            2 => Some(Self::Exact(Overlap { a, b, common })),
            3 => Some(Self::Stored {
                resemblance: f64::from_bits(a),
                containment_a: f64::from_bits(b),
                containment_b: f64::from_bits(common),
            }),
            4 => Some(Self::Difference(f64::from_bits(a))),
            _ => None,
        }
    }
}

/// What the rule says of two documents in the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// They are no pair.
    Refused,
    /// They are a pair, and why.
    Accepted(Evidence),
}

impl Verdict {
    /// Why they are a pair, if they are.
    pub fn evidence(self) -> Option<Evidence> {
        match self {
            Self::Refused => None,
            Self::Accepted(evidence) => Some(evidence),
        }
    }

    /// Whether they are a pair.
    pub fn is_accepted(self) -> bool {
        self != Self::Refused
    }
}

/// What is known of two documents before their contents are looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    /// They share a key, but the whole rule of candidates does not hold.
    NoCandidate,
    /// That is enough.
    Judged(Verdict),
    /// Their contents have to be compared: shingle sets, or words in their order.
    Open,
}

/// Judges two documents by a recipe.
///
/// Of two that share a key, first [`by_signatures`](Self::by_signatures), or, where
/// [`reads_signatures`](Self::reads_signatures) says that these have nothing to say,
/// [`of_candidate`](Self::of_candidate). If that leaves it open, the shingle sets decide, by
/// [`by_overlap`](Self::by_overlap), or the words in their order, by
/// [`by_difference`](Self::by_difference). Two that were compared in every respect go to
/// [`accepts`](Self::accepts).
///
/// A pair is two documents that resemble each other, or, by [`containing`](Self::containing), a later one that
/// is contained in an earlier one: nothing is said of the earlier in the later then.
#[derive(Clone, Debug)]
pub struct PairRule {
    verify: Verify,
    enough: Enough,
    candidates: CandidateRule,
}

/// What two documents must have in common.
#[derive(Clone, Copy, Debug)]
enum Enough {
    /// At least this resemblance.
    Resemblance(f64),
    /// All of the later one but at most this share of it.
    AllBut(f64),
}

/// What shares of sets may be beside a limit that was given in decimals: far less than a shingle of a
/// set of any size that there is.
const ROUNDING: f64 = 1e-12;

impl PairRule {
    /// Of this recipe.
    pub fn new(kernel: Kernel, recipe: &Recipe) -> Self {
        let candidates = CandidateRule::new(kernel, recipe);
        Self { verify: recipe.verify, enough: Enough::Resemblance(recipe.threshold), candidates }
    }

    /// By which a later document is a pair with an earlier one if at most the share `lost` of its
    /// shingles is not there, whatever the resemblance of the two is. Only shingle sets can say so: what the
    /// recipe has for candidates, and its threshold, mean nothing here.
    #[must_use]
    pub fn containing(mut self, lost: f64) -> Self {
        self.verify = Verify::Exact;
        self.enough = Enough::AllBut(lost);
        self
    }

    /// Whether what two documents have in common is measured by their resemblance.
    pub fn goes_by_resemblance(&self) -> bool {
        matches!(self.enough, Enough::Resemblance(_))
    }

    /// What makes a candidate.
    pub fn candidates(&self) -> &CandidateRule {
        &self.candidates
    }

    /// Whether signatures say more than that the two share a key.
    pub fn reads_signatures(&self) -> bool {
        match self.enough {
            Enough::AllBut(_) => false,
            Enough::Resemblance(_) => {
                !self.candidates.is_sharing_a_key() || self.verify == Verify::Estimate
            }
        }
    }

    /// Whether shingle sets may have to be compared.
    pub fn reads_shingles(&self) -> bool {
        self.verify == Verify::Exact
    }

    /// Whether words may have to be compared in their order.
    pub fn reads_sequences(&self) -> bool {
        self.verify == Verify::Difference
    }

    /// What the signatures of two that share a key say. Where sites matter, `same_site` says if
    /// the two come from one.
    pub fn by_signatures(&self, a: &Signature, b: &Signature, same_site: bool) -> Standing {
        if !self.candidates.is_sharing_a_key() && !self.candidates.holds(a, b, same_site) {
            return Standing::NoCandidate;
        }
        self.of_candidate(|| self.candidates.similarity().estimate(a, b))
    }

    /// What is known of a candidate whose resemblance was estimated, if it can be.
    pub fn of_candidate(&self, estimate: impl FnOnce() -> Option<f64>) -> Standing {
        Standing::Judged(self.verdict(match self.verify {
            Verify::Exact | Verify::Difference => return Standing::Open,
            Verify::Estimate => estimated(estimate()),
            Verify::None => Evidence::Rule,
        }))
    }

    /// Whether sets of these sizes could resemble each other enough.
    pub fn is_possible(&self, [a, b]: [u64; 2]) -> bool {
        // The smaller set within the larger one is the most that there could be.
        self.by_overlap(Overlap { a, b, common: a.min(b) }).is_accepted()
    }

    /// What the shingle sets say.
    pub fn by_overlap(&self, overlap: Overlap) -> Verdict {
        self.verdict(Evidence::Exact(overlap))
    }

    /// The most words that may differ between two documents of so many words each.
    pub fn most_terms(&self, [a, b]: [u64; 2]) -> u64 {
        let words = a + b;
        let is_accepted = |terms| self.by_difference(terms, words).is_accepted();
        // Rounded, so that the one above or below may be the last.
        let Enough::Resemblance(threshold) = self.enough else { return 0 };
        let about = ((1.0 - threshold) * words as f64) as u64;
        let last = (about.saturating_sub(1)..=about + 1).rev().find(|&terms| is_accepted(terms));
        last.unwrap_or(0).min(words)
    }

    /// What the words in their order say: so many of those of both differ.
    pub fn by_difference(&self, terms: u64, words: u64) -> Verdict {
        self.verdict(Evidence::Difference(terms as f64 / words.max(1) as f64))
    }

    /// Whether this is enough for a candidate. The rule of candidates by itself is, where there
    /// is nothing else to go by.
    pub fn verdict(&self, evidence: Evidence) -> Verdict {
        let enough = match self.enough {
            Enough::Resemblance(threshold) => match evidence {
                Evidence::Difference(share) => share <= 1.0 - threshold + ROUNDING,
                other => other.resemblance().is_none_or(|found| found >= threshold),
            },
            Enough::AllBut(lost) => evidence
                .shares()
                .is_some_and(|[_, _, later_in_earlier]| 1.0 - later_in_earlier <= lost + ROUNDING),
        };
        if enough { Verdict::Accepted(evidence) } else { Verdict::Refused }
    }

    /// What the recipe goes by, of all that a comparison says.
    pub fn evidence(&self, comparison: &Comparison) -> Evidence {
        match self.verify {
            Verify::Exact => Evidence::Exact(comparison.overlap),
            Verify::Estimate => estimated(comparison.estimate),
            Verify::Difference => Evidence::Difference(comparison.difference.unwrap_or(UNDECIDED)),
            Verify::None => Evidence::Rule,
        }
    }

    /// Whether two documents that lie side by side are a pair, be it one that the filter would
    /// have missed. They have no sites: on one site the by-site algorithm is the combined one.
    pub fn accepts(&self, comparison: &Comparison) -> bool {
        if comparison.tokens.contains(&0) {
            return false;
        }
        // Those with the same words are equal in everything that a recipe can look at.
        comparison.same_tokens
            || match self.evidence(comparison) {
                Evidence::Rule => self.candidates.admits(comparison.agreement(), true),
                evidence => self.verdict(evidence).is_accepted(),
            }
    }
}

/// The share of words that differ, where it would take too long to find out: no more than all can, and of all
/// nothing would be known, so that it is more than any limit.
const UNDECIDED: f64 = f64::INFINITY;

/// A sketch that sampled nothing of either document knows of no resemblance.
fn estimated(estimate: Option<f64>) -> Evidence {
    Evidence::Estimate(estimate.unwrap_or(0.0))
}

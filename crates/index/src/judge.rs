//! What makes a known document a match: what the rule of pairs says, as far as both documents are
//! known.

use lookalike_core::difference::{Bounded, BoundedDifference};
use lookalike_core::recipe::SketchParameters;
use lookalike_core::resemblance::Overlap;
use lookalike_core::shingle::ShingleSet;
use lookalike_core::sketch::bit_resemblance;
use lookalike_core::{
    Agreement, CandidateRule, Code, Evidence, Kernel, PairRule, Recipe, Signature, Standing,
};
use serde::Serialize;

use crate::counts::Counts;
use crate::document::{Record, SignatureLayout};
use crate::error::Result;
use crate::match_kind::MatchKind;

/// A document that is asked about.
pub(crate) struct Query {
    pub(crate) signature: Signature,
    pub(crate) site: Option<String>,
    /// If it came with its content and that may be needed.
    pub(crate) contents: Option<Contents>,
}

/// What documents are compared by.
pub(crate) enum Contents {
    Shingles(ShingleSet),
    /// The tokens in their order, without those that are left out.
    Sequence(Vec<Code>),
}

// What a match is in JSON, wherever it comes from: these fields in this order.
/// A known document that the one asked about is a look-alike of.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Match {
    /// Its id.
    pub id: String,
    /// Its URL, if it has one.
    pub url: Option<String>,
    /// Whether it is the same or only near.
    pub kind: MatchKind,
    /// The exact resemblance, where it was computed or follows from the kind.
    pub resemblance: Option<f64>,
    /// The resemblance estimated from sketches, where both are known.
    pub estimate: Option<f64>,
    /// Equal features, if the recipe has features.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u64>))]
    pub b_similarity: Option<usize>,
    /// Equal bits, if the recipe has a projection.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u64>))]
    pub c_similarity: Option<usize>,
    /// Repeats of Pugh's lists that share one, if the recipe has lists.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u64>))]
    pub repeats_in_common: Option<usize>,
    /// The share of the document that was asked about that is in this one, where it is exact.
    pub containment_a: Option<f64>,
    /// The share of this one that is in the document that was asked about, where it is exact.
    pub containment_b: Option<f64>,
    /// The share of the words of both that differ, if the recipe goes by that.
    pub difference: Option<f64>,
    /// Whether the words themselves were compared; signatures alone can be forged.
    pub verified: bool,
    /// The time it was given, in seconds since 1970; 0 if that is not known.
    pub time: u64,
    /// Its number: smaller for those that were added earlier.
    pub number: u64,
    /// How often it was found.
    #[serde(flatten)]
    pub counts: Counts,
}

impl Match {
    /// By which the best come first.
    fn score(&self, recipe: &Recipe) -> f64 {
        let share =
            |part: Option<usize>, whole: Option<usize>| Some(part? as f64 / whole?.max(1) as f64);
        let features = recipe.features.map(|filter| filter.k() as usize);
        let bits = recipe.projection.map(|projection| projection.bits);
        let repeats = match recipe.sketch {
            SketchParameters::Lists { repeats, .. } => Some(repeats),
            _ => None,
        };
        self.difference
            .map(|share| 1.0 - share)
            .or(self.resemblance)
            .or(self.estimate)
            .or(share(self.b_similarity, features))
            .or(share(self.c_similarity, bits))
            .or(share(self.repeats_in_common, repeats))
            .unwrap_or(0.0)
    }
}

/// Judges by a recipe.
pub(crate) struct Judge {
    recipe: Recipe,
    kernel: Kernel,
    rule: PairRule,
    layout: SignatureLayout,
}

impl Judge {
    pub(crate) fn new(recipe: &Recipe, kernel: Kernel, layout: SignatureLayout) -> Self {
        Self { recipe: recipe.clone(), kernel, rule: PairRule::new(kernel, recipe), layout }
    }

    /// The recipe that it judges by.
    pub(crate) fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    pub(crate) fn candidate_rule(&self) -> &CandidateRule {
        self.rule.candidates()
    }

    /// Whether contents are looked at.
    pub(crate) fn needs_contents(&self) -> bool {
        self.recipe.reads_documents()
    }

    /// The match that a known document is, if it is one. `contents` gives what it is compared by if its
    /// content is stored.
    pub(crate) fn judge(
        &self,
        query: &Query,
        known: &Record,
        contents: impl FnOnce() -> Result<Option<Contents>>,
    ) -> Result<Option<Match>> {
        let (a, b) = (&query.signature, &known.signature);
        if a.is_empty() || b.is_empty() {
            return Ok(None);
        }
        let agreement = self.candidate_rule().agreement(a, b);
        let estimate = self.estimate(a, b);
        let same = a.exact == b.exact && self.layout.keeps_exact();
        let found = by_signatures(known, same, agreement, estimate);
        if same && a.identity.is_some() && a.identity == b.identity {
            let all = Some(1.0);
            let difference = self.rule.reads_sequences().then_some(0.0);
            let exact = Match {
                resemblance: all,
                containment_a: all,
                containment_b: all,
                difference,
                verified: true,
                ..found
            };
            return Ok(Some(exact));
        }
        // From here on, fingerprints that are the same only propose that the documents are.
        let site = |url| self.recipe.sites.site(url);
        let same_site = query.site.is_some() && query.site == known.url.as_deref().and_then(site);
        if !same && !self.candidate_rule().admits(agreement, same_site) {
            return Ok(None);
        }
        let verdict = match self.rule.of_candidate(|| estimate) {
            Standing::Judged(verdict) => verdict,
            Standing::NoCandidate | Standing::Open => {
                let known = if query.contents.is_some() { contents()? } else { None };
                match (&query.contents, known) {
                    (Some(Contents::Shingles(a)), Some(Contents::Shingles(b))) => {
                        let overlap = Overlap::of(self.kernel, a, &b);
                        return Ok(self.by_shingles(found, same, overlap));
                    }
                    (Some(Contents::Sequence(a)), Some(Contents::Sequence(b))) => {
                        return Ok(self.by_sequence(found, same, a, &b));
                    }
                    _ => {}
                }
                // Without both contents the estimate decides, where it is of what the threshold is of, or the
                // candidate rule alone.
                let estimate = estimate.filter(|_| self.rule.reads_shingles());
                self.rule.verdict(estimate.map_or(Evidence::Rule, Evidence::Estimate))
            }
        };
        Ok((same || verdict.is_accepted()).then_some(found))
    }

    /// What the words in their order say of a match whose fingerprint may be the same.
    fn by_sequence(&self, found: Match, same: bool, a: &[Code], b: &[Code]) -> Option<Match> {
        let tokens = [a, b].map(|codes| codes.len() as u64);
        let most = self.rule.most_terms(tokens);
        // What would take too long to find out is no match: nothing says that it is one.
        let Bounded::Terms(terms) = BoundedDifference::default().of_slices(a, b, most) else {
            return None;
        };
        let Evidence::Difference(share) =
            self.rule.by_difference(terms, tokens[0] + tokens[1]).evidence()?
        else {
            return None;
        };
        let kind = if same && terms == 0 { MatchKind::Exact } else { MatchKind::Near };
        Some(Match { kind, difference: Some(share), verified: true, ..found })
    }

    /// What the shingle sets say of it.
    fn by_shingles(&self, found: Match, same: bool, overlap: Overlap) -> Option<Match> {
        let all = overlap.common == overlap.a && overlap.common == overlap.b;
        let exact = Match {
            kind: if same && all { MatchKind::Exact } else { MatchKind::Near },
            resemblance: Some(overlap.resemblance()),
            containment_a: Some(overlap.containment_a()),
            containment_b: Some(overlap.containment_b()),
            verified: true,
            ..found
        };
        self.rule.by_overlap(overlap).is_accepted().then_some(exact)
    }

    /// The estimate, where the sketches of both are known, or their bits.
    fn estimate(&self, a: &Signature, b: &Signature) -> Option<f64> {
        if let Some(slots) = self.layout.bit_slots() {
            let known = !a.sketch.is_empty() && !b.sketch.is_empty();
            return known.then(|| bit_resemblance(self.kernel, slots, &a.sketch, &b.sketch));
        }
        // A sketch that is not kept looks like an empty one.
        let kept = self.recipe.keep_sketch
            && !matches!(self.recipe.sketch, SketchParameters::Bottom { .. } if a.sketch.is_empty());
        kept.then(|| self.candidate_rule().similarity().estimate(a, b)).flatten()
    }

    /// The best first; of equals the one that was added first.
    pub(crate) fn sort(&self, matches: &mut [Match]) {
        let near = |found: &Match| found.kind == MatchKind::Near;
        matches.sort_by(|a, b| {
            let by_score = || b.score(&self.recipe).total_cmp(&a.score(&self.recipe));
            near(a).cmp(&near(b)).then_with(by_score).then(a.number.cmp(&b.number))
        });
    }
}

/// A known document as the match that signatures say it is.
fn by_signatures(known: &Record, same: bool, agreement: Agreement, estimate: Option<f64>) -> Match {
    Match {
        id: known.id.clone(),
        url: known.url.clone(),
        kind: if same { MatchKind::Exact } else { MatchKind::Near },
        resemblance: None,
        estimate,
        b_similarity: agreement.features,
        c_similarity: agreement.bits,
        repeats_in_common: agreement.repeats,
        containment_a: None,
        containment_b: None,
        difference: None,
        verified: false,
        time: known.time,
        number: known.number,
        counts: Counts::default(),
    }
}

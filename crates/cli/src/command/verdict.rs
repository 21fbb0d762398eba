//! Whether two documents are a pair under a recipe, in a sentence.

use lookalike_core::{Comparison, Condition, Evidence, Kernel, PairRule, Quantity, Recipe};

use crate::output::{beside, count, threshold};

/// Yes or no, and why.
pub(crate) struct Verdict {
    pub(crate) pair: bool,
    sentence: String,
}

impl Verdict {
    pub(crate) fn of(recipe: &Recipe, comparison: &Comparison) -> Self {
        let empty = comparison.tokens.map(|tokens| tokens == 0);
        if empty[0] || empty[1] {
            let which = match empty {
                [true, true] => "both documents are",
                [true, false] => "the first document is",
                _ => "the second document is",
            };
            let reason = format!("{which} empty, and an empty document resembles nothing");
            return Self::new(false, &reason);
        }
        if comparison.same_tokens {
            // Equal in everything that a recipe can look at, so a pair under every one.
            let tokens = count(comparison.tokens[0], "token");
            let sentence = format!("exact duplicates: the same {tokens} in the same order");
            return Self { pair: true, sentence };
        }
        let rule = PairRule::new(Kernel::best(), recipe);
        let (pair, candidate) = (rule.accepts(comparison), Candidate::of(&rule, comparison));
        let evidence = rule.evidence(comparison);
        if let Evidence::Difference(share) = evidence {
            let reason = in_order(share, recipe.threshold, pair);
            return Self::with_note(pair, reason, &candidate);
        }
        let Some(resemblance) = evidence.resemblance() else {
            return Self::new(pair, &candidate.sentence());
        };
        let reason = format!(
            "{} {} is {} the recipe's {}",
            if matches!(evidence, Evidence::Estimate(_)) {
                "the estimated resemblance"
            } else {
                "resemblance"
            },
            beside(resemblance, recipe.threshold),
            if pair { "at or above" } else { "below" },
            threshold(recipe.threshold),
        );
        Self::with_note(pair, reason, &candidate)
    }

    /// With a note if the filter would have missed the pair.
    fn with_note(pair: bool, mut reason: String, candidate: &Candidate) -> Self {
        if pair && !candidate.holds {
            reason += "\nnote: the filter would have missed this pair: ";
            reason += &candidate.sentence();
        }
        Self::new(pair, &reason)
    }

    fn new(pair: bool, reason: &str) -> Self {
        let not = if pair { "" } else { "not " };
        Self { pair, sentence: format!("{not}near-duplicates: {reason}") }
    }

    /// The sentence that says it, perhaps with a note on a line of its own.
    pub(crate) fn sentence(&self) -> &str {
        &self.sentence
    }
}

/// What the words in their order say.
fn in_order(difference: f64, least: f64, pair: bool) -> String {
    if difference.is_infinite() {
        return "it would take too long to find out how many of their words differ".to_owned();
    }
    format!(
        "{} of the words of both are in the same order, {} the recipe's {}",
        beside(1.0 - difference, least),
        if pair { "at or above" } else { "below" },
        threshold(least),
    )
}

/// Whether the two are a candidate, in a sentence.
struct Candidate {
    holds: bool,
    conditions: Vec<Condition>,
}

impl Candidate {
    fn of(rule: &PairRule, comparison: &Comparison) -> Self {
        let (rule, agreement) = (rule.candidates(), comparison.agreement());
        // Two files have no sites; on one site the by-site algorithm is the combined one.
        let conditions = rule.conditions(agreement, true).collect();
        Self { holds: rule.admits(agreement, true), conditions }
    }

    fn sentence(&self) -> String {
        let sentence = |condition: &Condition| {
            let Condition { found, needed, possible, counted } = condition;
            let what = match counted {
                Quantity::Features => "features",
                Quantity::Bits => "bits",
                Quantity::Repeats => "repeats of the lists",
                Quantity::Elements => "elements of the sketches",
            };
            format!("{found} of {possible} {what} agree, where the recipe wants {needed}")
        };
        self.conditions.iter().map(sentence).collect::<Vec<_>>().join("; ")
    }
}

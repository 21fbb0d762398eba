//! Whether two documents are a pair under a recipe, in a sentence.

use lookalike::core::recipe::Verify;
use lookalike::core::{CandidateRule, Comparison, Condition, Counted, Kernel, Recipe};

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
        let all_template = comparison.all_template();
        if all_template.contains(&true) {
            let which = match all_template {
                [true, true] => "both documents are",
                [true, false] => "the first document is",
                _ => "the second document is",
            };
            let reason =
                format!("{which} nothing but template, which resembles only the same words");
            return Self::new(false, &reason);
        }
        if let Some(measured) = measured(recipe, comparison) {
            let pair = measured.value >= recipe.threshold;
            let mut reason = format!(
                "{} {} is {} the recipe's {}",
                measured.name,
                beside(measured.value, recipe.threshold),
                if pair { "at or above" } else { "below" },
                threshold(recipe.threshold),
            );
            let candidate = Rules::of(recipe, comparison);
            if pair && !candidate.hold() {
                reason += "\nnote: the filter would have missed this pair: ";
                reason += &candidate.sentence();
            }
            return Self::new(pair, &reason);
        }
        let rules = Rules::of(recipe, comparison);
        Self::new(rules.hold(), &rules.sentence())
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

struct Measured {
    name: &'static str,
    value: f64,
}

/// What the recipe verifies by, if it verifies.
fn measured(recipe: &Recipe, comparison: &Comparison) -> Option<Measured> {
    match recipe.verify {
        Verify::Exact => {
            Some(Measured { name: "resemblance", value: comparison.overlap.resemblance() })
        }
        // A sketch that sampled nothing of either document knows of no resemblance.
        Verify::Estimate => Some(Measured {
            name: "the estimated resemblance",
            value: comparison.estimate.unwrap_or(0.0),
        }),
        Verify::None => None,
    }
}

/// Whether the two are a candidate, in a sentence.
struct Rules(Vec<Condition>);

impl Rules {
    fn of(recipe: &Recipe, comparison: &Comparison) -> Self {
        let rule = CandidateRule::new(Kernel::best(), recipe);
        // Two files have no sites; on one site the by-site algorithm is the combined one.
        Self(rule.conditions(comparison.agreement(), true).collect())
    }

    fn hold(&self) -> bool {
        self.0.iter().all(|rule| rule.found >= rule.needed)
    }

    fn sentence(&self) -> String {
        let sentence = |condition: &Condition| {
            let Condition { found, needed, possible, counted } = condition;
            let what = match counted {
                Counted::Features => "features",
                Counted::Bits => "bits",
                Counted::Repeats => "repeats of the lists",
            };
            format!("{found} of {possible} {what} agree, where the recipe wants {needed}")
        };
        self.0.iter().map(sentence).collect::<Vec<_>>().join("; ")
    }
}

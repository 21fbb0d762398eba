//! Several sets at once: what recipes do on each, in the middle, and at worst.
//!
//! Sets are never pooled: one with many pairs would hide all others.

use serde::Serialize;

use crate::evaluation::Evaluation;
use crate::quality::Quality;

/// Evaluations of the same recipes on several sets.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SetsEvaluation {
    /// The version of the program.
    pub version: String,
    /// The recipes, in the order of all that follows.
    pub recipes: Vec<String>,
    /// The sets, in their order.
    pub sets: Vec<SetEvaluation>,
    /// What each recipe does over all sets.
    pub over_sets: Vec<OverSets>,
}

/// What recipes do on one set.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SetEvaluation {
    /// Its name: that of its folder.
    pub name: String,
    /// Its documents.
    pub documents: u64,
    /// One for each recipe.
    pub qualities: Vec<SetQuality>,
}

/// How good a recipe is on a set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SetQuality {
    /// The share of correct pairs that is returned, if there are any.
    pub recall: Option<f64>,
    /// The share of incorrect pairs in all judged ones that are returned, undecided ones included; 0
    /// if none is.
    pub incorrect: f64,
}

/// A recipe over all sets.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OverSets {
    /// The median of recall, of the sets that have one.
    pub median_recall: Option<f64>,
    /// The median of incorrect.
    pub median_incorrect: f64,
    /// The set with the least recall.
    pub worst_recall: Option<(String, f64)>,
    /// The set with the largest share of incorrect pairs.
    pub worst_incorrect: Option<(String, f64)>,
}

impl SetQuality {
    fn of(quality: &Quality) -> Self {
        let Quality { right, wrong, undecided, missed, .. } = *quality;
        let share = |part: u64, of: u64| (of > 0).then(|| part as f64 / of as f64);
        Self {
            recall: share(right, right + missed),
            incorrect: share(wrong, right + wrong + undecided).unwrap_or(0.0),
        }
    }
}

impl SetEvaluation {
    /// Of the set of this name.
    pub fn new(name: impl Into<String>, evaluation: &Evaluation) -> Self {
        let qualities = evaluation.recipes.iter().map(|recipe| SetQuality::of(&recipe.quality));
        Self { name: name.into(), documents: evaluation.documents, qualities: qualities.collect() }
    }
}

impl SetsEvaluation {
    /// Of these sets, all by recipes of these names.
    pub fn new(recipes: Vec<String>, sets: Vec<SetEvaluation>) -> Self {
        let over_sets = (0..recipes.len()).map(|recipe| OverSets::of(recipe, &sets)).collect();
        Self { version: env!("CARGO_PKG_VERSION").to_owned(), recipes, sets, over_sets }
    }
}

impl OverSets {
    fn of(recipe: usize, sets: &[SetEvaluation]) -> Self {
        let of = |set: &SetEvaluation| set.qualities.get(recipe).copied();
        let recalls: Vec<(String, f64)> =
            sets.iter().filter_map(|set| Some((set.name.clone(), of(set)?.recall?))).collect();
        let incorrect: Vec<(String, f64)> =
            sets.iter().filter_map(|set| Some((set.name.clone(), of(set)?.incorrect))).collect();
        let by_share = |a: &&(String, f64), b: &&(String, f64)| a.1.total_cmp(&b.1);
        Self {
            median_recall: median(&recalls),
            median_incorrect: median(&incorrect).unwrap_or(0.0),
            // The first of equals.
            worst_recall: recalls.iter().min_by(by_share).cloned(),
            worst_incorrect: incorrect.iter().rev().max_by(by_share).cloned(),
        }
    }
}

fn median(shares: &[(String, f64)]) -> Option<f64> {
    let mut shares: Vec<f64> = shares.iter().map(|(_, share)| *share).collect();
    shares.sort_unstable_by(f64::total_cmp);
    let middle = shares.len() / 2;
    match shares.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(shares[middle]),
        _ => Some(f64::midpoint(shares[middle - 1], shares[middle])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_the_worst_are_of_sets() {
        let set = |name: &str, recall, incorrect| SetEvaluation {
            name: name.to_owned(),
            documents: 1,
            qualities: vec![SetQuality { recall, incorrect }],
        };
        let sets = vec![
            set("a", Some(0.9), 0.0),
            set("b", None, 0.2),
            set("c", Some(0.5), 0.2),
            set("d", Some(1.0), 0.1),
        ];
        let over = &SetsEvaluation::new(vec!["text".to_owned()], sets).over_sets[0];
        assert_eq!(over.median_recall, Some(0.9));
        assert!((over.median_incorrect - 0.15).abs() < 1e-12);
        assert_eq!(over.worst_recall, Some(("c".to_owned(), 0.5)));
        assert_eq!(over.worst_incorrect, Some(("b".to_owned(), 0.2)));
        let none = &SetsEvaluation::new(vec!["text".to_owned()], Vec::new()).over_sets[0];
        assert_eq!((none.median_recall, none.worst_recall.clone()), (None, None));
    }
}

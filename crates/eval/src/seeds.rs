//! A recipe under several seeds.
//!
//! Under one seed all pairs share the same random choices, so what is right or missed of
//! one pair goes together with the next, and an interval over pairs is too narrow for
//! what chance does. What the seeds give differs by chance alone.

use lookalike_core::Recipe;
use serde::Serialize;

use crate::clusters::{ClusterQuality, PrecisionRecall};
use crate::quality::Quality;
use crate::statistics::{SeedMean, Share};

/// A recipe under several seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SeedQuality {
    /// What each seed gives, that of the recipe first.
    pub runs: Vec<SeedRun>,
    /// Precision over seeds.
    pub precision: Option<SeedMean>,
    /// Recall over seeds.
    pub recall: Option<SeedMean>,
    /// F1 over seeds.
    pub f1: Option<SeedMean>,
    /// F1 of clusters by pairs, over seeds.
    pub pairwise_f1: Option<SeedMean>,
    /// F1 of clusters by documents, over seeds.
    pub b_cubed_f1: Option<SeedMean>,
}

/// What one seed gives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SeedRun {
    /// The seed.
    pub seed: u64,
    /// How good the pairs are.
    pub quality: Quality,
    /// How the clusters agree with those of the labels.
    pub clusters: Option<ClusterQuality>,
}

impl SeedQuality {
    /// Of these runs; `None` of fewer than two.
    pub(crate) fn of(runs: Vec<SeedRun>) -> Option<Self> {
        if runs.len() < 2 {
            return None;
        }
        // A mean only where every seed has the number.
        let mean = |of: &dyn Fn(&SeedRun) -> Option<f64>| {
            let values: Option<Vec<f64>> = runs.iter().map(of).collect();
            SeedMean::of(&values?)
        };
        let share = |of: fn(&Quality) -> Option<Share>| {
            mean(&|run| of(&run.quality).map(|share| share.share))
        };
        let cluster = |of: fn(&ClusterQuality) -> PrecisionRecall| {
            mean(&|run| run.clusters.as_ref().and_then(|clusters| of(clusters).f1))
        };
        Some(Self {
            precision: share(|quality| quality.precision),
            recall: share(|quality| quality.recall),
            f1: share(|quality| quality.f1),
            pairwise_f1: cluster(|clusters| clusters.pairwise),
            b_cubed_f1: cluster(|clusters| clusters.b_cubed),
            runs,
        })
    }
}

/// The recipes, and after them all of them under the next seed, and so on: `repeats` in all.
pub(crate) fn repeated(recipes: &[Recipe], repeats: usize) -> Vec<Recipe> {
    let under = |more: u64| {
        recipes.iter().map(move |recipe| Recipe {
            // Seeds have 63 bits; after the last comes the first.
            seed: recipe.seed.wrapping_add(more) & i64::MAX.cast_unsigned(),
            ..recipe.clone()
        })
    };
    (0..repeats.max(1) as u64).flat_map(under).collect()
}

//! Clusters of a recipe against those of the labels.
//!
//! The labels' clusters are what correct pairs join, directly or over others; a
//! recipe's are what the pairs that it returns join. Only documents that stand in a
//! correct or an incorrect pair of the labels are looked at, so both are partitions
//! of these. Documents that no correct pair joins count as different, judged or not,
//! so this says something only where labels are about whole clusters.

use std::collections::HashMap;

use lookalike_engine::{Components, InputOrder, Row};
use serde::Serialize;

use crate::labels::Labels;
use crate::tally::Label;

/// How a recipe's clusters agree with those of the labels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClusterQuality {
    /// The documents that are looked at.
    pub documents: u64,
    /// Clusters of these by the labels, single documents included.
    pub labelled: u64,
    /// Clusters of these by the recipe.
    pub found: u64,
    /// By pairs of documents in one cluster.
    pub pairwise: PrecisionRecall,
    /// By documents, each by the clusters that it is in (B-cubed; Bagga and Baldwin 1998).
    pub b_cubed: PrecisionRecall,
}

/// Precision, recall, and their harmonic mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PrecisionRecall {
    /// `None` if nothing was returned.
    pub precision: Option<f64>,
    /// `None` if nothing was to be found.
    pub recall: Option<f64>,
    /// `None` unless one of the two is known.
    pub f1: Option<f64>,
}

impl PrecisionRecall {
    /// Of sums over what is right, what is returned and what is to be found.
    fn of(right: f64, returned: f64, wanted: f64) -> Self {
        let share = |whole: f64| (whole > 0.0).then(|| right / whole);
        let f1 = (returned + wanted > 0.0).then(|| 2.0 * right / (returned + wanted));
        Self { precision: share(returned), recall: share(wanted), f1 }
    }

    /// Of the two themselves.
    fn of_means(precision: f64, recall: f64) -> Self {
        let f1 = 2.0 * precision * recall / (precision + recall);
        Self { precision: Some(precision), recall: Some(recall), f1: Some(f1) }
    }
}

/// The clusters of the labels.
pub(crate) struct LabelClusters {
    /// Each document with the first of its cluster.
    documents: Vec<(Row, Row)>,
}

impl LabelClusters {
    /// Of labels about so many documents.
    pub(crate) fn of(labels: &Labels, documents: u64) -> Self {
        let mut components = Components::new(documents);
        let mut rows = Vec::new();
        for pair in labels.pairs.iter().filter(|pair| pair.label != Label::Undecided) {
            rows.extend([pair.later, pair.earlier]);
            if pair.label == Label::Correct {
                components.join(pair.later, pair.earlier);
            }
        }
        rows.sort_unstable();
        rows.dedup();
        Self { documents: rows.into_iter().map(|row| (row, components.find(row))).collect() }
    }

    /// How these agree with what a recipe has joined; `None` if there is no labelled document.
    pub(crate) fn agreement(&self, found: &mut Components<InputOrder>) -> Option<ClusterQuality> {
        if self.documents.is_empty() {
            return None;
        }
        let mut labelled: HashMap<Row, u64> = HashMap::new();
        let mut returned: HashMap<Row, u64> = HashMap::new();
        let mut both: HashMap<(Row, Row), u64> = HashMap::new();
        for &(row, cluster) in &self.documents {
            let component = found.find(row);
            *labelled.entry(cluster).or_default() += 1;
            *returned.entry(component).or_default() += 1;
            *both.entry((cluster, component)).or_default() += 1;
        }
        // Whole numbers, so that the order of the maps cannot be seen in a sum.
        let pairs = |sizes: &mut dyn Iterator<Item = u64>| -> f64 {
            sizes.map(|n| u128::from(n) * u128::from(n - 1) / 2).sum::<u128>() as f64
        };
        let mut shares: Vec<(u64, u64, u64)> = both
            .iter()
            .map(|((cluster, component), &n)| (n, labelled[cluster], returned[component]))
            .collect();
        shares.sort_unstable();
        let documents = self.documents.len() as f64;
        let mean = |of: &dyn Fn(&(u64, u64, u64)) -> u64| {
            let each = |share: &(u64, u64, u64)| (share.0 * share.0) as f64 / of(share) as f64;
            shares.iter().map(each).sum::<f64>() / documents
        };
        Some(ClusterQuality {
            documents: self.documents.len() as u64,
            labelled: labelled.len() as u64,
            found: returned.len() as u64,
            pairwise: PrecisionRecall::of(
                pairs(&mut both.values().copied()),
                pairs(&mut returned.values().copied()),
                pairs(&mut labelled.values().copied()),
            ),
            b_cubed: PrecisionRecall::of_means(mean(&|share| share.2), mean(&|share| share.1)),
        })
    }
}

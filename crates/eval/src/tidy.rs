//! An evaluation as tidy data: one number a row, for statistics programs.

use std::fmt::{Display, Write as _};

use crate::clusters::{ClusterQuality, PrecisionRecall};
use crate::evaluation::{Evaluation, RecipeEvaluation};
use crate::quality::Quality;
use crate::statistics::{SeedMean, Share};

/// The names of the columns.
const HEADER: &str = "recipe,threshold,seed,metric,value,low,high\n";

impl Evaluation {
    /// The numbers of all recipes as CSV (RFC 4180), one a row: recipe, threshold, seed, metric,
    /// value, and the ends of its interval where it has one.
    ///
    /// The threshold is empty for recipes that verify nothing. The seed is `mean` for means over
    /// seeds, whose intervals are over seeds; all other intervals are over labelled pairs.
    pub fn csv(&self) -> String {
        let mut rows = HEADER.to_owned();
        for recipe in &self.recipes {
            Rows { recipe, csv: &mut rows }.write();
        }
        rows
    }
}

/// Writes the rows of a recipe.
struct Rows<'a> {
    recipe: &'a RecipeEvaluation,
    csv: &'a mut String,
}

impl Rows<'_> {
    fn write(&mut self) {
        let recipe = self.recipe;
        let (threshold, seed) = (recipe.threshold, recipe.seed);
        self.quality(threshold, seed, &recipe.quality);
        self.clusters(seed, recipe.clusters.as_ref());
        self.row(threshold, seed, "pairs", recipe.pairs as f64, None);
        self.row(threshold, seed, "signature-bytes", recipe.signature_bytes as f64, None);
        let cost = recipe.cost;
        self.row(threshold, seed, "signing-seconds", cost.signing_seconds, None);
        self.row(threshold, seed, "matching-seconds", cost.matching_seconds, None);
        if let Some(bytes) = cost.peak_memory_bytes {
            self.row(threshold, seed, "peak-memory-bytes", bytes as f64, None);
        }
        // At its own threshold the recipe's own numbers stand above: the curve's are of all pairs,
        // candidates or not.
        for point in recipe.curve.iter().flat_map(|curve| &curve.points) {
            let threshold = point.threshold;
            for (name, share) in shares(&point.quality) {
                self.share(Some(threshold), seed, &format!("curve-{name}"), share);
            }
        }
        if let Some(seeds) = &recipe.over_seeds {
            for run in seeds.runs.iter().skip(1) {
                self.quality(threshold, run.seed, &run.quality);
                self.clusters(run.seed, run.clusters.as_ref());
            }
            let means = [
                ("precision", &seeds.precision),
                ("recall", &seeds.recall),
                ("f1", &seeds.f1),
                ("pairwise-f1", &seeds.pairwise_f1),
                ("b-cubed-f1", &seeds.b_cubed_f1),
            ];
            for (name, mean) in means {
                if let Some(SeedMean { mean, low, high, .. }) = mean {
                    self.row(threshold, "mean", name, *mean, Some((*low, *high)));
                }
            }
        }
    }

    fn quality(&mut self, threshold: Option<f64>, seed: u64, quality: &Quality) {
        for (name, share) in shares(quality) {
            self.share(threshold, seed, name, share);
        }
        let Quality { right, wrong, undecided, missed, .. } = *quality;
        let counts =
            [("right", right), ("wrong", wrong), ("undecided", undecided), ("missed", missed)];
        for (name, count) in counts {
            self.row(threshold, seed, name, count as f64, None);
        }
    }

    fn clusters(&mut self, seed: u64, clusters: Option<&ClusterQuality>) {
        let Some(ClusterQuality { pairwise, b_cubed, .. }) = clusters else { return };
        for (kind, PrecisionRecall { precision, recall, f1 }) in
            [("pairwise", pairwise), ("b-cubed", b_cubed)]
        {
            for (name, value) in [("precision", precision), ("recall", recall), ("f1", f1)] {
                if let Some(value) = value {
                    let metric = format!("{kind}-{name}");
                    self.row(self.recipe.threshold, seed, &metric, *value, None);
                }
            }
        }
    }

    fn share(&mut self, threshold: Option<f64>, seed: u64, metric: &str, share: Option<Share>) {
        if let Some(Share { share, low, high, .. }) = share {
            self.row(threshold, seed, metric, share, Some((low, high)));
        }
    }

    fn row(
        &mut self,
        threshold: Option<f64>,
        seed: impl Display,
        metric: &str,
        value: f64,
        ends: Option<(f64, f64)>,
    ) {
        let threshold = threshold.map(|value| value.to_string()).unwrap_or_default();
        let ends = ends.map_or_else(|| ",".to_owned(), |(low, high)| format!("{low},{high}"));
        let name = field(&self.recipe.name);
        let _ = writeln!(self.csv, "{name},{threshold},{seed},{metric},{value},{ends}");
    }
}

fn shares(quality: &Quality) -> [(&'static str, Option<Share>); 3] {
    [("precision", quality.precision), ("recall", quality.recall), ("f1", quality.f1)]
}

/// A text as a field, in quotes where it needs them.
fn field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

//! Precision, recall and F1 for every threshold of resemblance.
//!
//! Pairs are counted by thousandths of their resemblance, so a curve takes the same
//! room whatever there is to count, and is exact at each thousandth: a pair counts
//! at a threshold if its resemblance is not below it.

use lookalike_core::recipe::{Recipe, Verify};
use serde::Serialize;

use crate::labels::AbsentRule;
use crate::quality::{Quality, QualityCounts};
use crate::statistics::{Count, Share};
use crate::tally::Label;

/// What a recipe would return at other thresholds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Curve {
    /// What it was made from.
    pub basis: CurveBasis,
    /// Labelled pairs whose resemblance is not known, since a document is too long.
    pub unknown: u64,
    /// At every twentieth, and at every thousandth where something changes.
    pub points: Vec<CurvePoint>,
}

/// What a curve was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CurveBasis {
    /// The exact resemblances of all labelled pairs, as if every one of them were a candidate.
    Labelled,
    /// The pairs that the recipe returns, from its own threshold on: what is below is not known,
    /// where pairs without a label count or templates are learned.
    Returned,
}

/// Quality at a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CurvePoint {
    /// The least resemblance of a pair.
    pub threshold: f64,
    /// What is returned then.
    #[serde(flatten)]
    pub quality: Quality,
}

impl Curve {
    /// A number of the curve as it is drawn: in steps, since between two points it is that of the
    /// later one.
    pub fn steps(&self, of: fn(&Quality) -> Option<Share>) -> Vec<(f64, f64)> {
        let mut steps: Vec<(f64, f64)> = Vec::new();
        for point in &self.points {
            let Some(Share { share, .. }) = of(&point.quality) else { continue };
            if let Some(&(before, last)) = steps.last()
                && last.to_bits() != share.to_bits()
            {
                steps.push((before, share));
            }
            steps.push((point.threshold, share));
        }
        steps
    }
}

impl CurveBasis {
    /// That of a recipe; `None` if it has no threshold of resemblance.
    pub(crate) fn of(recipe: &Recipe, absent: AbsentRule) -> Option<Self> {
        if matches!(recipe.verify, Verify::None | Verify::Difference) {
            None
        } else if recipe.templates.leave_out() || absent == AbsentRule::Incorrect {
            Some(Self::Returned)
        } else {
            Some(Self::Labelled)
        }
    }
}

/// Thousandths of resemblance, and where the regular points of a curve are.
const STEPS: usize = 1000;
const EVERY: usize = 50;

/// Pairs counted by resemblance and label.
#[derive(Clone, Debug)]
pub(crate) struct ResemblanceCounts(Vec<[Count; Label::JUDGED.len()]>);

impl ResemblanceCounts {
    pub(crate) fn new() -> Self {
        Self(vec![<[Count; 3]>::default(); STEPS + 1])
    }

    pub(crate) fn add(&mut self, resemblance: f64, label: Label, weight: f64) {
        if let Some(count) = self.0[thousandth(resemblance)].get_mut(label as usize) {
            count.add(weight);
        }
    }

    /// The curve of these from a threshold on, where so many correct pairs are to be found.
    pub(crate) fn points(&self, from: f64, correct: Count) -> Vec<CurvePoint> {
        // The first that is not below it.
        let first = (0..=STEPS).find(|&step| threshold(step) >= from).unwrap_or(STEPS).max(1);
        let [mut right, mut wrong, mut undecided] = [Count::default(); 3];
        let mut points = Vec::new();
        for step in (first..=STEPS).rev() {
            let here = &self.0[step];
            right += here[Label::Correct as usize];
            wrong += here[Label::Incorrect as usize];
            undecided += here[Label::Undecided as usize];
            let any = here.iter().any(|count| count.number > 0);
            if any || step == first || step.is_multiple_of(EVERY) {
                let missed = correct.without(right);
                let quality = QualityCounts { right, wrong, undecided, missed }.quality();
                points.push(CurvePoint { threshold: threshold(step), quality });
            }
        }
        points.reverse();
        points
    }
}

fn threshold(step: usize) -> f64 {
    step as f64 / STEPS as f64
}

/// The last thousandth that a resemblance is not below, whatever rounding does.
fn thousandth(resemblance: f64) -> usize {
    let near = (resemblance * STEPS as f64).round().clamp(0.0, STEPS as f64) as usize;
    if threshold(near) > resemblance { near.saturating_sub(1) } else { near }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resemblance_is_at_or_above_its_thousandth() {
        for whole in 1..=700_u32 {
            for part in 0..=whole {
                let resemblance = f64::from(part) / f64::from(whole);
                let step = thousandth(resemblance);
                assert!(threshold(step) <= resemblance, "{part} of {whole}");
                assert!(step == STEPS || threshold(step + 1) > resemblance, "{part} of {whole}");
            }
        }
    }

    #[test]
    fn points_are_where_something_changes() {
        let mut counts = ResemblanceCounts::new();
        counts.add(0.913, Label::Correct, 1.0);
        counts.add(0.5, Label::Incorrect, 1.0);
        counts.add(0.7, Label::Unlabelled, 1.0);
        let points = counts.points(0.0, Count::even(2));
        assert_eq!(points.first().map(|point| point.threshold), Some(0.001));
        assert_eq!(points.len(), 1 + 20 + 1, "the first, twentieths, and 0.913");
        let at =
            |threshold: f64| points.iter().rfind(|p| p.threshold <= threshold).unwrap().quality;
        assert_eq!((at(0.5).right, at(0.5).wrong, at(0.5).missed), (1, 1, 1));
        assert_eq!((at(0.913).right, at(0.913).wrong), (1, 0));
        assert_eq!((at(0.95).right, at(0.95).missed), (0, 2));
        let curve = Curve { basis: CurveBasis::Labelled, unknown: 0, points: points.clone() };
        let precision = curve.steps(|quality| quality.precision);
        let jump = precision.windows(2).find(|two| two[0].1 < two[1].1).map(|two| [two[0], two[1]]);
        assert_eq!(jump, Some([(0.5, 0.5), (0.5, 1.0)]), "the wrong one is there up to 0.5");
        assert_eq!(precision.last(), Some(&(0.913, 1.0)), "nothing is returned above");
        let own = counts.points(0.8, Count::even(2));
        assert_eq!((own[0].threshold, own[0].quality.right), (0.8, 1));
    }
}

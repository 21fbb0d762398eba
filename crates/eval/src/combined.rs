//! A recipe followed by a threshold of C-similarity: the paper's combined algorithm, for every
//! threshold.

use serde::Serialize;

use crate::rows::{Correct, Row, by_sites};
use crate::statistics::{Count, Share};
use crate::tally::{BITS, Label, PAPER_THRESHOLD, Selection, Tally};

/// A recipe followed by a threshold of C-similarity, for every threshold.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct CombinedAlgorithm {
    /// For each threshold from 0 on, over all judged pairs.
    pub thresholds: Vec<ThresholdRow>,
    /// The same over one half of the pairs.
    pub training: Vec<ThresholdRow>,
    /// The threshold with the best harmonic mean of precision and R on that half.
    pub best: usize,
    /// On the other half: the paper's threshold, and the best one.
    pub testing: Vec<ThresholdTest>,
}

/// What a recipe returns that has at least some C-similarity.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ThresholdRow {
    /// The least C-similarity.
    pub c_similarity: usize,
    /// Pairs that are returned.
    pub pairs: u64,
    /// Those that somebody judged.
    pub judged: u64,
    /// The share of the judged that is correct, undecided ones included, as in the paper.
    pub precision: Option<Share>,
    /// The share of the correct pairs without a threshold that are left.
    pub r: Option<Share>,
}

/// A threshold on the half that it was not chosen by.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ThresholdTest {
    /// The least C-similarity.
    pub c_similarity: usize,
    /// All pairs, those of one site, those of different sites.
    pub rows: Vec<Row>,
}

impl CombinedAlgorithm {
    /// Of what a recipe returns, in two halves.
    pub(crate) fn of([training, testing]: [&Tally; 2]) -> Self {
        let mut all = training.clone();
        all.add_all(testing);
        let on_training = at_thresholds(training);
        let best = best(&on_training);
        let tested =
            |c_similarity| ThresholdTest { c_similarity, rows: tested(testing, c_similarity) };
        Self {
            thresholds: at_thresholds(&all),
            training: on_training,
            best,
            testing: vec![tested(PAPER_THRESHOLD), tested(best)],
        }
    }
}

fn at_thresholds(tally: &Tally) -> Vec<ThresholdRow> {
    let all = tally.count(&Selection::ALL, Label::Correct);
    let (mut pairs, mut judged, mut correct) = (0, Count::default(), Count::default());
    let mut rows: Vec<ThresholdRow> = (0..=BITS)
        .rev()
        .map(|c_similarity| {
            let here = Selection { bits: c_similarity..=c_similarity, ..Selection::ALL };
            pairs += tally.pairs(&here);
            judged += tally.count_any(&here, &Label::JUDGED);
            correct += tally.count(&here, Label::Correct);
            ThresholdRow {
                c_similarity,
                pairs,
                judged: judged.number,
                precision: Share::of(correct, judged),
                r: Share::of(correct, all),
            }
        })
        .collect();
    rows.reverse();
    rows
}

/// The threshold of the best harmonic mean, the largest of equals; the paper's without labels.
fn best(rows: &[ThresholdRow]) -> usize {
    let mut best = (0.0, PAPER_THRESHOLD);
    for row in rows {
        if let (Some(precision), Some(r)) = (row.precision, row.r) {
            let (p, r) = (precision.share, r.share);
            let mean = if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 };
            if mean > 0.0 && mean >= best.0 {
                best = (mean, row.c_similarity);
            }
        }
    }
    best.1
}

fn tested(testing: &Tally, c_similarity: usize) -> Vec<Row> {
    let above =
        |selection: &Selection| Selection { bits: c_similarity..=BITS, ..selection.clone() };
    let row = |(name, selection): (&str, Selection)| {
        let all = testing.count(&selection, Label::Correct);
        let mut row = Row::of(
            name,
            &above(&selection),
            testing,
            &Correct { all: None, theirs: testing, common: testing },
        );
        row.r = Share::of(testing.count(&above(&selection), Label::Correct), all);
        row
    };
    by_sites().map(row).into()
}

//! Pairs counted by everything that tables ask for.
//!
//! One array has a count for each combination of sites, B-similarity,
//! C-similarity and label, and one for the undecided pairs that are forms. Every table and most figures are sums over it, so
//! pairs need not be held, however many there are.

use std::ops::RangeInclusive;

use serde::Serialize;

use crate::statistics::Count;

/// The threshold that the paper picked.
pub const PAPER_THRESHOLD: usize = 355;

/// The paper's ranges of C-similarity, and what lies below its threshold.
pub const C_RANGES: [[usize; 2]; 6] =
    [[382, 384], [379, 381], [376, 378], [372, 375], [PAPER_THRESHOLD, 371], [0, 354]];

/// Features that are compared: B-similarity goes from 0 to this.
pub const FEATURES: usize = 6;
/// Bits that are compared: C-similarity goes from 0 to this.
pub const BITS: usize = 384;

/// Whether two documents are of one site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sites {
    /// They are.
    Same,
    /// They are not.
    Different,
    /// One or both have no URL, or none with a host.
    Unknown,
}

impl Sites {
    pub(crate) const ALL: [Self; 3] = [Self::Same, Self::Different, Self::Unknown];
}

/// What is known of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// The two are near-duplicates.
    Correct,
    /// They are not.
    Incorrect,
    /// Nobody could decide.
    Undecided,
    /// Nobody has looked.
    Unlabelled,
}

impl Label {
    pub(crate) const ALL: [Self; 4] =
        [Self::Correct, Self::Incorrect, Self::Undecided, Self::Unlabelled];
    /// Those that somebody gave.
    pub const JUDGED: [Self; 3] = [Self::Correct, Self::Incorrect, Self::Undecided];
}

/// What two documents have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Common {
    pub(crate) sites: Sites,
    /// B-similarity.
    pub(crate) features: usize,
    /// C-similarity.
    pub(crate) bits: usize,
}

/// Some of all pairs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Selection {
    pub(crate) sites: Option<Sites>,
    pub(crate) features: RangeInclusive<usize>,
    pub(crate) bits: RangeInclusive<usize>,
}

impl Selection {
    pub(crate) const ALL: Self = Self { sites: None, features: 0..=FEATURES, bits: 0..=BITS };
}

/// The counts.
#[derive(Clone, Debug)]
pub(crate) struct Tally(Vec<Count>);

impl Tally {
    pub(crate) fn new() -> Self {
        let cells = Sites::ALL.len() * (FEATURES + 1) * (BITS + 1) * COLUMNS;
        Self(vec![Count::default(); cells])
    }

    pub(crate) fn add(&mut self, common: Common, label: Label, weight: f64) {
        self.0[cell(common, label as usize)].add(weight);
    }

    /// Says that an undecided pair that was added is a form.
    pub(crate) fn add_form(&mut self, common: Common, weight: f64) {
        self.0[cell(common, FORMS)].add(weight);
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        for (count, more) in self.0.iter_mut().zip(&other.0) {
            *count += *more;
        }
    }

    /// How many pairs of a selection have a label.
    pub(crate) fn count(&self, selection: &Selection, label: Label) -> Count {
        self.sum(selection, label as usize)
    }

    /// How many undecided pairs of a selection are forms.
    pub(crate) fn forms(&self, selection: &Selection) -> Count {
        self.sum(selection, FORMS)
    }

    fn sum(&self, selection: &Selection, column: usize) -> Count {
        let mut sum = Count::default();
        for sites in Sites::ALL {
            if selection.sites.is_some_and(|wanted| wanted != sites) {
                continue;
            }
            for features in selection.features.clone() {
                for bits in selection.bits.clone() {
                    sum += self.0[cell(Common { sites, features, bits }, column)];
                }
            }
        }
        sum
    }

    /// How many pairs of a selection have any of these labels.
    pub(crate) fn count_any(&self, selection: &Selection, labels: &[Label]) -> Count {
        let mut sum = Count::default();
        for label in labels {
            sum += self.count(selection, *label);
        }
        sum
    }

    /// How many pairs there are of a selection, whatever is known of them and whatever they weigh.
    pub(crate) fn pairs(&self, selection: &Selection) -> u64 {
        self.count_any(selection, &Label::ALL).number
    }
}

/// The column of forms, behind those of labels. They are undecided as well.
const FORMS: usize = Label::ALL.len();
const COLUMNS: usize = FORMS + 1;

fn cell(common: Common, column: usize) -> usize {
    let row = common.sites as usize * (FEATURES + 1) + common.features.min(FEATURES);
    (row * (BITS + 1) + common.bits.min(BITS)) * COLUMNS + column
}

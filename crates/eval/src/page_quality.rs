//! Precision by pages in place of pairs, as the paper's footnote 3 has it: a page that is in a pair
//! is right if at least one of its pairs is correct.
//!
//! One correct pair shows that a page is right. That none is correct shows only if all of its
//! pairs were judged; a page that has others is unknown. Where labels are a sample of pairs
//! most pages without a correct one are, so precision has two bounds.

use lookalike_engine::Row;
use serde::Serialize;

use crate::statistics::Share;
use crate::tally::Label;

/// How many of the pages that are in a pair have a correct one. Pairs count as pairs here, whatever
/// they weigh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PageQuality {
    /// Pages with a judged pair.
    pub judged: u64,
    /// Those of them with a correct pair.
    pub right: u64,
    /// Those of which all pairs are incorrect.
    pub wrong: u64,
    /// Those without a correct pair of which all were judged, and some are undecided; in no share.
    pub undecided: u64,
    /// Those without a correct pair that have pairs which nobody judged.
    pub unknown: u64,
    /// The share of the right in right, wrong and unknown: at least so many of the pages are right.
    pub at_least: Option<Share>,
    /// The share of the right in right and wrong. Of a sample of pairs it is too high, since a page is
    /// right by one label and wrong only by all.
    pub precision: Option<Share>,
}

/// What labels say of each page, being counted. Eight bytes a page.
pub(crate) struct PageCounts(Vec<PageLabels>);

#[derive(Clone, Copy, Default)]
struct PageLabels {
    judged: u32,
    any_correct: bool,
    any_undecided: bool,
}

/// Bytes of a page.
pub(crate) const BYTES_PER_PAGE: u64 = 8;

impl PageCounts {
    /// Nothing yet, of so many documents.
    pub(crate) fn new(documents: u64) -> Self {
        Self(vec![PageLabels::default(); documents as usize])
    }

    /// The label of a pair of these pages.
    pub(crate) fn add(&mut self, rows: [Row; 2], label: Label) {
        if label == Label::Unlabelled {
            return;
        }
        for row in rows {
            let page = &mut self.0[row.index()];
            page.judged += 1;
            page.any_correct |= label == Label::Correct;
            page.any_undecided |= label == Label::Undecided;
        }
    }

    /// The sums, if pages are in so many pairs each.
    pub(crate) fn quality(&self, degrees: &[u32]) -> PageQuality {
        let mut quality = PageQuality::default();
        for (page, &degree) in self.0.iter().zip(degrees).filter(|(page, _)| page.judged > 0) {
            quality.judged += 1;
            let kind = match page {
                PageLabels { any_correct: true, .. } => &mut quality.right,
                PageLabels { judged, .. } if *judged < degree => &mut quality.unknown,
                PageLabels { any_undecided: true, .. } => &mut quality.undecided,
                PageLabels { .. } => &mut quality.wrong,
            };
            *kind += 1;
        }
        let PageQuality { right, wrong, unknown, .. } = quality;
        quality.at_least = Share::of_numbers(right, right + wrong + unknown);
        quality.precision = Share::of_numbers(right, right + wrong);
        quality
    }
}

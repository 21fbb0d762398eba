//! How many pairs of a kind are correct: the rows of the paper's tables 2, 5 and 12.

use serde::Serialize;

use crate::statistics::Share;
use crate::tally::{C_RANGES, FEATURES, Label, Selection, Sites, Tally};

/// How many pairs of a kind are correct.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Row {
    /// The kind.
    pub name: String,
    /// Pairs that are returned.
    pub pairs: u64,
    /// Those of them that somebody judged.
    pub judged: u64,
    /// The share of the judged that is correct: the paper's precision.
    pub correct: Option<Share>,
    /// The share that is not.
    pub incorrect: Option<Share>,
    /// The share that nobody could decide about.
    pub undecided: Option<Share>,
    /// The share of the judged that is undecided for a form with other values, which the paper has in
    /// parentheses.
    pub forms: Option<Share>,
    /// The share of the judged that is correct if forms are: the paper's precision with them.
    pub correct_with_forms: Option<Share>,
    /// The share of the correct in correct and incorrect.
    pub precision: Option<Share>,
    /// The same if forms are correct.
    pub precision_with_forms: Option<Share>,
    /// The share of all correct pairs of this kind that is returned.
    pub recall: Option<Share>,
    /// The harmonic mean of precision and recall.
    pub f1: Option<Share>,
    /// Correct pairs of this kind for one that the recipe which R is against returns.
    pub r: Option<Share>,
}

/// The correct pairs that rows are compared with.
pub(crate) struct Correct<'a> {
    /// Those that labels have.
    pub(crate) all: Option<&'a Tally>,
    /// Those that the other recipe returns.
    pub(crate) theirs: &'a Tally,
    /// Those that both return.
    pub(crate) common: &'a Tally,
}

impl Row {
    pub(crate) fn of(
        name: &str,
        selection: &Selection,
        returned: &Tally,
        correct: &Correct<'_>,
    ) -> Self {
        let judged = returned.count_any(selection, &Label::JUDGED);
        let [right, wrong, undecided] = Label::JUDGED.map(|label| returned.count(selection, label));
        let of_correct = |tally: &Tally| tally.count(selection, Label::Correct);
        let all = correct.all.map(of_correct);
        let forms = returned.forms(selection);
        let with_forms = right + forms;
        Self {
            name: name.to_owned(),
            pairs: returned.pairs(selection),
            judged: judged.number,
            correct: Share::of(right, judged),
            incorrect: Share::of(wrong, judged),
            undecided: Share::of(undecided, judged),
            forms: Share::of(forms, judged),
            correct_with_forms: Share::of(with_forms, judged),
            precision: Share::of(right, right + wrong),
            precision_with_forms: Share::of(with_forms, with_forms + wrong),
            recall: all.and_then(|all| Share::of(right, all)),
            f1: all.and_then(|all| Share::f1(right, wrong, all.without(right))),
            r: Share::ratio(right, of_correct(correct.theirs), of_correct(correct.common)),
        }
    }
}

/// All pairs, and those of each kind of sites.
pub(crate) fn by_sites() -> [(&'static str, Selection); 4] {
    let of = |sites| Selection { sites: Some(sites), ..Selection::ALL };
    [
        ("all", Selection::ALL),
        ("same site", of(Sites::Same)),
        ("different sites", of(Sites::Different)),
        ("site unknown", of(Sites::Unknown)),
    ]
}

/// What every recipe has a row for.
pub(crate) fn selections() -> Vec<(String, Selection)> {
    let mut selections: Vec<(String, Selection)> =
        by_sites().into_iter().map(|(name, selection)| (name.to_owned(), selection)).collect();
    for features in 0..=FEATURES {
        let selection = Selection { features: features..=features, ..Selection::ALL };
        selections.push((format!("B-similarity {features}"), selection));
    }
    for [low, high] in C_RANGES {
        let selection = Selection { bits: low..=high, ..Selection::ALL };
        selections.push((format!("C-similarity {low} to {high}"), selection));
    }
    selections
}

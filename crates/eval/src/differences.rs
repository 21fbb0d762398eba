//! Term differences: tokens deleted or inserted between the two documents of a pair.
//!
//! They are computed for a sample of the pairs that a recipe returns, since each
//! takes both documents: of judged pairs, as in the paper, or of all if none was
//! judged. Which pairs are in it depends on their documents' rows and the seed,
//! so recipes that return the same pairs have the same of them in their samples.
//!
//! The addresses of pictures are tokens of a page. Many of them are there for
//! its looks, and differ where no visitor sees it (section 3.4.3 of the paper), so
//! differences are told without them as well: those of the sequences in which
//! there is no picture.
//!
//! The token sequences go to a file, those of pages with pictures twice; two of
//! them are in memory for each thread.

use std::collections::{BTreeSet, BinaryHeap, HashMap};

use lookalike_core::difference::EditDistance;
use lookalike_core::mix;
use lookalike_engine::{Observer, RecipePairs, Result, Row, Stage, Work};
use serde::Serialize;

use crate::sequences::{Sequences, Terms};
use crate::statistics::{Count, Share, mean, quantile};
use crate::tally::Label;

/// The paper's bound: nine in ten pairs are below it.
const SMALL: u64 = 42;

/// The paper's largest that is drawn; what is beyond is counted.
pub const LARGE_DIFFERENCE: u64 = 200;

/// A pair in a sample. Ordered by its random number, then by its documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RandomPair {
    random: u64,
    pub(crate) later: Row,
    pub(crate) earlier: Row,
    pub(crate) label: Label,
    /// The bits of its weight: positive numbers, which are ordered as their bits are.
    weight: u64,
}

impl RandomPair {
    pub(crate) fn new(seed: u64, later: Row, earlier: Row, label: Label, weight: f64) -> Self {
        let pair = u64::from(later) << 32 | u64::from(earlier);
        let random = mix(pair ^ mix(seed));
        Self { random, later, earlier, label, weight: weight.to_bits() }
    }

    /// Its random number, which depends on the pair and the seed.
    pub(crate) fn random(&self) -> u64 {
        self.random
    }

    fn pair(&self) -> (Row, Row) {
        (self.later, self.earlier)
    }

    fn weight(&self) -> f64 {
        f64::from_bits(self.weight)
    }
}

/// The pairs of the smallest random numbers.
#[derive(Debug, Default)]
pub(crate) struct Smallest(BinaryHeap<RandomPair>);

impl Smallest {
    pub(crate) fn push(&mut self, pair: RandomPair, most: usize) {
        if self.0.len() < most {
            self.0.push(pair);
        } else if self.0.peek().is_some_and(|largest| pair < *largest) {
            self.0.pop();
            self.0.push(pair);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// By their random numbers.
    pub(crate) fn into_sorted(self) -> Vec<RandomPair> {
        self.0.into_sorted_vec()
    }
}

/// The sample of one recipe: of judged pairs, and of others in case there are none.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    judged: Smallest,
    others: Smallest,
}

impl Samples {
    pub(crate) fn push(&mut self, pair: RandomPair, most: usize) {
        let judged = pair.label != Label::Unlabelled;
        if judged { &mut self.judged } else { &mut self.others }.push(pair, most);
    }

    pub(crate) fn into_sorted(self) -> Vec<RandomPair> {
        if self.judged.len() > 0 { self.judged } else { self.others }.into_sorted()
    }
}

/// Term differences of a recipe's pairs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TermDifferences {
    /// Whether the pairs were judged, or drawn from all for want of labels.
    pub of_judged: bool,
    /// All pairs of the sample, then those of each label.
    pub groups: Vec<LabelledDifferences>,
    /// `[difference, pairs]` for all differences up to 200, in order.
    pub counts: Vec<[u64; 2]>,
    /// Pairs that were left out because a document is too long.
    pub too_long: u64,
}

/// Term differences of some pairs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LabelledDifferences {
    /// Their label; `None` for all.
    pub label: Option<Label>,
    /// How many pairs.
    pub pairs: u64,
    /// The mean.
    pub mean: Option<f64>,
    /// The median.
    pub median: Option<u64>,
    /// The least that nine in ten do not exceed.
    pub ninth_decile: Option<u64>,
    /// The share of pairs that differ in two terms: one replaced.
    pub two: Option<Share>,
    /// The share of pairs that differ in fewer than 42.
    pub under_42: Option<Share>,
    /// How many differ in more than 200.
    pub over_200: u64,
    /// How many differ in pictures.
    pub in_pictures: u64,
    /// The same numbers if pictures are no terms.
    pub without_pictures: WithoutPictures,
    /// Pugh's edit distances of the pairs.
    pub edits: EditDistances,
}

/// Pugh's edit distances of some pairs: an edit removes or adds any number of occurrences of one word.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EditDistances {
    /// Pairs whose distance is known exactly; of the others there are bounds.
    pub exact: u64,
    /// The mean of the lower bounds.
    pub mean_at_least: Option<f64>,
    /// The mean of the upper bounds.
    pub mean_at_most: Option<f64>,
    /// The median of the upper bounds.
    pub median_at_most: Option<u64>,
    /// The least that nine in ten upper bounds do not exceed.
    pub ninth_decile_at_most: Option<u64>,
}

/// Term differences of some pairs, the addresses of pictures left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WithoutPictures {
    /// The mean.
    pub mean: Option<f64>,
    /// The median.
    pub median: Option<u64>,
    /// The least that nine in ten do not exceed.
    pub ninth_decile: Option<u64>,
    /// How many differ in no term.
    pub none: u64,
    /// How many differ in more than 200.
    pub over_200: u64,
}

/// A term difference with the weight and the label of its pair.
type LabelledTerms = (Terms, f64, Label);

/// Computes the term differences of samples, one for each recipe.
pub(crate) fn compute(
    samples: &[Vec<RandomPair>],
    found: &RecipePairs,
    threads: usize,
    observer: &dyn Observer,
) -> Result<Vec<TermDifferences>> {
    let pairs: BTreeSet<(Row, Row)> = samples.iter().flatten().map(RandomPair::pair).collect();
    let pairs: Vec<(Row, Row)> = pairs.into_iter().collect();
    let mut rows: Vec<Row> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    rows.sort_unstable();
    rows.dedup();
    observer.begin(Stage::Differ, Some(Work::Documents((rows.len() + pairs.len()) as u64)));
    let sequences = Sequences::write(&found.folder().join("tokens"), &rows, found, observer)?;
    let terms = sequences.differences(&pairs, threads, observer)?;
    Ok(samples.iter().map(|sample| TermDifferences::of(sample, &terms)).collect())
}

impl TermDifferences {
    fn of(sample: &[RandomPair], terms: &HashMap<(Row, Row), Terms>) -> Self {
        let mut known: Vec<LabelledTerms> = sample
            .iter()
            .filter_map(|pair| Some((*terms.get(&pair.pair())?, pair.weight(), pair.label)))
            .collect();
        known.sort_unstable_by_key(|(terms, ..)| terms.all);
        let labels = [None].into_iter().chain(Label::JUDGED.map(Some));
        let mut counts: Vec<[u64; 2]> = Vec::new();
        let differences = known.iter().map(|(terms, ..)| terms.all);
        for terms in differences.filter(|terms| *terms <= LARGE_DIFFERENCE) {
            match counts.last_mut() {
                Some([last, count]) if *last == terms => *count += 1,
                _ => counts.push([terms, 1]),
            }
        }
        Self {
            of_judged: sample.iter().any(|pair| pair.label != Label::Unlabelled),
            groups: labels.map(|label| LabelledDifferences::of(&known, label)).collect(),
            counts,
            too_long: (sample.len() - known.len()) as u64,
        }
    }
}

impl LabelledDifferences {
    fn of(known: &[LabelledTerms], label: Option<Label>) -> Self {
        let wanted = |of: &&LabelledTerms| label.is_none_or(|wanted| of.2 == wanted);
        let known: Vec<&LabelledTerms> = known.iter().filter(wanted).collect();
        let count = |wanted: &dyn Fn(u64) -> bool| {
            let mut count = Count::default();
            let these = known.iter().filter(|(terms, ..)| wanted(terms.all));
            these.for_each(|(_, weight, _)| count.add(*weight));
            count
        };
        let values: Vec<(u64, f64)> =
            known.iter().map(|(terms, weight, _)| (terms.all, *weight)).collect();
        let all = count(&|_| true);
        Self {
            label,
            pairs: all.number,
            mean: mean(&values),
            median: quantile(&values, 0.5),
            ninth_decile: quantile(&values, 0.9),
            two: Share::of(count(&|terms| terms == 2), all),
            under_42: Share::of(count(&|terms| terms < SMALL), all),
            over_200: count(&|terms| terms > LARGE_DIFFERENCE).number,
            in_pictures: known.iter().filter(|(terms, ..)| terms.all > terms.words).count() as u64,
            without_pictures: WithoutPictures::of(
                known.iter().map(|(terms, weight, _)| (terms.words, *weight)).collect(),
            ),
            edits: EditDistances::of(
                &known.iter().map(|(terms, weight, _)| (terms.edits, *weight)).collect::<Vec<_>>(),
            ),
        }
    }
}

impl EditDistances {
    fn of(distances: &[(EditDistance, f64)]) -> Self {
        let bounds = |of: fn(&EditDistance) -> u64| {
            let mut bounds: Vec<(u64, f64)> =
                distances.iter().map(|(distance, weight)| (of(distance), *weight)).collect();
            bounds.sort_unstable_by_key(|(bound, _)| *bound);
            bounds
        };
        let at_most = bounds(|distance| distance.at_most);
        Self {
            exact: distances.iter().filter(|(distance, _)| distance.exact().is_some()).count()
                as u64,
            mean_at_least: mean(&bounds(|distance| distance.at_least)),
            mean_at_most: mean(&at_most),
            median_at_most: quantile(&at_most, 0.5),
            ninth_decile_at_most: quantile(&at_most, 0.9),
        }
    }
}

impl WithoutPictures {
    fn of(mut values: Vec<(u64, f64)>) -> Self {
        values.sort_unstable_by_key(|(terms, _)| *terms);
        let count = |wanted: &dyn Fn(u64) -> bool| {
            values.iter().filter(|(terms, _)| wanted(*terms)).count() as u64
        };
        Self {
            mean: mean(&values),
            median: quantile(&values, 0.5),
            ninth_decile: quantile(&values, 0.9),
            none: count(&|terms| terms == 0),
            over_200: count(&|terms| terms > LARGE_DIFFERENCE),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sampled(seed: u64, pair: (u64, u64), label: Label) -> RandomPair {
        RandomPair::new(seed, Row::nth(pair.0), Row::nth(pair.1), label, 1.0)
    }

    proptest! {
        #[test]
        fn the_smallest_are_the_first_of_the_sorted(
            pairs in prop::collection::btree_set((0..50_u64, 0..50_u64), 0..200),
            seed: u64,
            most in 0..40_usize,
        ) {
            let all = pairs.iter().map(|pair| sampled(seed, *pair, Label::Correct));
            let mut sorted: Vec<RandomPair> = all.clone().collect();
            sorted.sort();
            sorted.truncate(most);
            let mut smallest = Smallest::default();
            all.for_each(|pair| smallest.push(pair, most));
            prop_assert_eq!(smallest.into_sorted(), sorted);
        }
    }

    #[test]
    fn judged_pairs_come_before_others() {
        let mut samples = Samples::default();
        for n in 1..100 {
            samples.push(sampled(3, (n, 0), Label::Unlabelled), 10);
        }
        samples.push(sampled(3, (7, 5), Label::Undecided), 10);
        assert_eq!(samples.into_sorted(), [sampled(3, (7, 5), Label::Undecided)]);
        let mut others = Samples::default();
        for n in 1..100 {
            others.push(sampled(3, (n, 0), Label::Unlabelled), 10);
        }
        assert_eq!(others.into_sorted().len(), 10);
    }
}

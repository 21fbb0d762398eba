//! Term differences: tokens deleted or inserted between the two documents of a pair.
//!
//! They are computed for a sample of the pairs that a recipe returns, since each
//! takes both documents: of judged pairs, as in the paper, or of all if none was
//! judged. Which pairs are in it depends on their documents' rows and the seed,
//! so recipes that return the same pairs have the same of them in their samples.
//!
//! The token sequences go to a file; two of them are in memory for each thread.

use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::path::Path;

use lookalike_core::difference::term_difference;
use lookalike_core::mix;
use lookalike_core::text::{Text, Tokenizer, Unit};
use lookalike_engine::{Observer, RecipePairs, Result, Row, Stage, Work};
use lookalike_files::{Rows, RowsKind, RowsWriter};
use serde::Serialize;

use crate::statistics::{Count, Share, mean, quantile};
use crate::tally::Label;

const TOKENS: RowsKind = *b"tokenseq";

/// The most tokens of a document that is compared: some 25 MB of text. Pairs with a longer one
/// are left out and counted.
pub(crate) const MAX_TOKENS: u64 = 4 << 20;

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
}

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
    fn of(sample: &[RandomPair], terms: &HashMap<(Row, Row), u64>) -> Self {
        let mut known: Vec<(u64, f64, Label)> = sample
            .iter()
            .filter_map(|pair| Some((*terms.get(&pair.pair())?, pair.weight(), pair.label)))
            .collect();
        known.sort_unstable_by_key(|(terms, ..)| *terms);
        let labels = [None].into_iter().chain(Label::JUDGED.map(Some));
        let mut counts: Vec<[u64; 2]> = Vec::new();
        for &(terms, ..) in known.iter().filter(|(terms, ..)| *terms <= LARGE_DIFFERENCE) {
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
    fn of(known: &[(u64, f64, Label)], label: Option<Label>) -> Self {
        let wanted = |of: &&(u64, f64, Label)| label.is_none_or(|wanted| of.2 == wanted);
        let values: Vec<(u64, f64)> =
            known.iter().filter(wanted).map(|&(terms, weight, _)| (terms, weight)).collect();
        let count = |wanted: &dyn Fn(u64) -> bool| {
            let mut count = Count::default();
            let these = values.iter().filter(|(terms, _)| wanted(*terms));
            these.for_each(|(_, weight)| count.add(*weight));
            count
        };
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
        }
    }
}

/// Token sequences in a file.
struct Sequences {
    tokens: Rows,
    /// Where each row's begins, and how many there are.
    places: HashMap<Row, (u64, u64)>,
}

impl Sequences {
    /// Writes the sequences of these rows, which are in order.
    fn write(
        path: &Path,
        rows: &[Row],
        found: &RecipePairs,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let mut writer = Writer::create(path)?;
        found.for_each_text(rows, Unit::Words, observer, |row, text| writer.push(row, text))?;
        writer.finish(path)
    }

    /// The term differences of these pairs; of those that can be compared.
    fn differences(
        &self,
        pairs: &[(Row, Row)],
        threads: usize,
        observer: &dyn Observer,
    ) -> Result<HashMap<(Row, Row), u64>> {
        let share = pairs.len().div_ceil(threads.max(1)).max(1);
        let results: Vec<Result<Vec<_>>> = std::thread::scope(|scope| {
            let work = |part: &[(Row, Row)]| self.some_differences(part, observer);
            let threads: Vec<_> =
                pairs.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
            let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
            joined.map(|done| done.unwrap_or_else(|p| std::panic::resume_unwind(p))).collect()
        });
        let mut terms = HashMap::new();
        for part in results {
            terms.extend(part?);
        }
        Ok(terms)
    }

    fn some_differences(
        &self,
        pairs: &[(Row, Row)],
        observer: &dyn Observer,
    ) -> Result<Vec<((Row, Row), u64)>> {
        let mut terms = Vec::new();
        for &(a, b) in pairs {
            observer.check_cancelled()?;
            if let (Some(x), Some(y)) = (self.sequence(a)?, self.sequence(b)?) {
                terms.push(((a, b), term_difference(&x, &y)));
            }
            observer.advance(0, 1);
        }
        Ok(terms)
    }

    /// The sequence of a row; `None` if it is too long.
    fn sequence(&self, row: Row) -> Result<Option<Vec<u64>>> {
        let Some(&(start, length)) = self.places.get(&row) else { return Ok(None) };
        if length > MAX_TOKENS {
            return Ok(None);
        }
        let mut bytes = vec![0; 8 * length as usize];
        self.tokens.rows(start, &mut bytes)?;
        let words = bytes.as_chunks::<8>().0.iter();
        Ok(Some(words.map(|word| u64::from_le_bytes(*word)).collect()))
    }
}

/// Writes sequences.
struct Writer {
    file: RowsWriter,
    tokenizer: Tokenizer,
    places: HashMap<Row, (u64, u64)>,
    /// Tokens in the file.
    written: u64,
}

impl Writer {
    fn create(path: &Path) -> Result<Self> {
        let file = RowsWriter::create(path, TOKENS, 8)?;
        Ok(Self {
            file,
            tokenizer: Tokenizer::new(Unit::Words),
            places: HashMap::new(),
            written: 0,
        })
    }

    /// Adds a text, or the next piece of it. Of one that is too long, not all is in the file.
    fn push<'a>(&mut self, row: Row, text: impl Into<Text<'a>>) -> Result<()> {
        let Self { file, tokenizer, places, written } = self;
        let (_, length) = places.entry(row).or_insert((*written, 0));
        let mut result = Ok(());
        tokenizer.for_each_block(text, &mut |tokens| {
            if *length <= MAX_TOKENS && result.is_ok() {
                let bytes: Vec<u8> = tokens.iter().flat_map(|token| token.to_le_bytes()).collect();
                result = file.push(&bytes);
                *written += tokens.len() as u64;
            }
            *length += tokens.len() as u64;
        });
        Ok(result?)
    }

    fn finish(self, path: &Path) -> Result<Sequences> {
        self.file.finish()?;
        Ok(Sequences { tokens: Rows::open(path, TOKENS, 8)?, places: self.places })
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

    #[test]
    fn what_is_too_long_is_left_out_and_the_next_is_whole() {
        let path = std::env::temp_dir().join(format!("lookalike-tokens-{}", std::process::id()));
        let mut writer = Writer::create(&path).unwrap();
        let [a, long, b] = [4, 5, 6].map(Row::nth);
        writer.push(a, b"one two").unwrap();
        for _ in 0..=MAX_TOKENS / 1000 {
            writer.push(long, "word ".repeat(1001).as_bytes()).unwrap();
        }
        writer.push(b, b"one").unwrap();
        writer.push(b, b" three").unwrap();
        let sequences = writer.finish(&path).unwrap();
        assert_eq!(sequences.sequence(long).unwrap(), None);
        let pairs = [(long, a), (b, a), (b, long)];
        let terms = sequences.differences(&pairs, 2, &lookalike_engine::NoObserver).unwrap();
        assert_eq!(terms.into_iter().collect::<Vec<_>>(), [((b, a), 2)]);
        std::fs::remove_file(path).unwrap();
    }
}

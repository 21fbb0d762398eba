//! Henzinger's evaluation: how many of the pairs that a recipe returns are right.
//!
//! ```text
//! find     documents -> the pairs of each recipe, in files; what documents have in common
//! count    pairs and labels -> one tally a recipe
//! differ   a sample of the pairs -> term differences
//! ```
//!
//! What comes out is a value, an [`Evaluation`], or a [`Sample`] of pairs to
//! judge. Pages of both are made by whoever asks for them.
//!
//! What the paper leaves to be decided, and how it is decided here:
//!
//! - **Identical documents.** The paper removes all but one document of each
//!   identity set first, and so does this, by words. A label of a document that
//!   was left out is left out with it, and counted. [`CopyRule::Counted`] keeps
//!   them all.
//! - **Precision** is the share of correct pairs in all that were judged,
//!   undecided ones included, as in the paper's tables.
//! - **What a recipe returns** is what a deduplication by it accepts as pairs:
//!   candidates for the papers' recipes, verified pairs for others. All of them
//!   are counted, and those that somebody judged are judged.
//! - **Recall** is the share of the correct pairs of the labels that is returned.
//!   It says something only where labels were not drawn from what recipes return.
//! - **R** is the number of correct pairs for one of the recipe that it is
//!   against. It exceeds 1 for a recipe that returns more of them.
//! - **Intervals** are Wilson's at 95 %; with weights the number of pairs is
//!   Kish's effective one. Pairs of one page are not independent, which no
//!   interval here knows.

mod differences;
mod documents;
mod error;
mod evaluation;
mod labels;
mod options;
mod sample;
mod statistics;
mod tally;

use lookalike_core::mix;
use lookalike_engine::matching::PairReader;
use lookalike_engine::{InputOrder, Observer, Stage, Work};

pub use differences::{LARGE_DIFFERENCE, LabelledDifferences, TermDifferences};
pub use error::{Error, ErrorKind, LabelFault, Result};
pub use evaluation::{
    C_RANGES, CombinedAlgorithm, Evaluation, PAPER_THRESHOLD, ReasonRow, RecipeEvaluation, Row,
    SimilarityRow, ThresholdRow, ThresholdTest,
};
pub use labels::{AbsentRule, LabelFile, LabelRule, LabelSummary};
pub use lookalike_engine::CopyRule;
pub use options::Eval;
pub use sample::{PairToJudge, Sample};
pub use statistics::{PowerLaw, Share};
pub use tally::{BITS, FEATURES, Label, Sites};

use differences::{RandomPair, Samples};
use documents::Documents;
use evaluation::{RecipeCounts, Tables};
use labels::{LabelCursor, Labels, PairLabel};
use tally::Tally;

impl Eval {
    /// Evaluates the recipes by these labels.
    ///
    /// # Errors
    /// If an input or the labels cannot be read, no label can be used, a recipe makes too many
    /// candidates, the documents do not fit into memory, or the system refuses.
    pub fn run(&self, file: &LabelFile, observer: &dyn Observer) -> Result<Evaluation> {
        let against = self.against_number()?;
        // Refused before the work, if there is no such file.
        file.open()?;
        let found = self.find(observer)?;
        let documents = &Documents::load(&found, self.running.kernel, observer)?;
        let mut labels = file.read(documents, self.running.strict, observer)?;
        let counter = PairCounter { options: self, documents, absent: file.absent(), observer };
        let (mut counted, mut samples) = (Vec::new(), Vec::new());
        for (number, pairs) in found.pairs()?.into_iter().enumerate() {
            let (these, sample) = counter.count(pairs, number, &mut labels)?;
            counted.push(these);
            samples.push(sample.into_sorted());
        }
        let differences = differences::compute(&samples, &found, self.running.threads, observer)?;

        let common = |pair: &PairLabel| documents.common(pair.later, pair.earlier);
        let returned_by = |number: usize| move |p: &PairLabel| p.returned_by >> number & 1 == 1;
        let of_both = |number: usize| {
            labels.tally(common, |p| returned_by(number)(p) && returned_by(against)(p))
        };
        let tables = Tables {
            recipes: &self.recipes,
            counted: &counted,
            labels: &labels,
            correct: &labels.tally(common, |_| true),
            common: &(0..self.recipes.len()).map(of_both).collect::<Vec<Tally>>(),
            against,
            documents: documents.len() - documents.removed(),
        };
        let same_site = |pair: &PairLabel| common(pair).sites == Sites::Same;
        let recipes = differences.into_iter().enumerate().map(|(number, differences)| {
            tables.recipe(number, tables.reasons(number, same_site), differences)
        });
        let [training, testing] = &counted[against].halves;
        Ok(Evaluation {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            documents: documents.len(),
            empty: documents.empty(),
            identical_removed: documents.removed(),
            sites: documents.sites(),
            skipped: found.skipped(),
            absent: file.absent(),
            against: self.recipes[against].name.clone(),
            recipes: recipes.collect(),
            combined: CombinedAlgorithm::of([training, testing]),
            labels: labels.summary,
        })
    }
}

/// What pairs are counted with.
struct PairCounter<'a> {
    options: &'a Eval,
    documents: &'a Documents,
    absent: AbsentRule,
    observer: &'a dyn Observer,
}

/// Keeps the halves apart from the samples of pairs, which have the same seed.
const HALVES: u64 = 0x6861_6c76;

impl PairCounter<'_> {
    /// Counts the pairs of a recipe, and marks their labels.
    fn count(
        &self,
        mut pairs: PairReader<InputOrder>,
        recipe: usize,
        labels: &mut Labels,
    ) -> Result<(RecipeCounts, Samples)> {
        self.observer.begin(Stage::Count, Some(Work::Documents(pairs.pairs())));
        let mut counted = RecipeCounts::new(self.documents.len());
        let mut samples = Samples::default();
        let mut labels = LabelCursor::new(&mut labels.pairs);
        let (seed, mut read) = (mix(self.options.seed), 0);
        while let Some(pair) = pairs.next()? {
            let (later, earlier) = (pair.later, pair.earlier);
            let (label, weight) = match (labels.find(later, earlier), self.absent) {
                (Some(found), _) => {
                    found.returned_by |= 1 << recipe;
                    (found.label, found.weight)
                }
                (None, AbsentRule::Incorrect) => (Label::Incorrect, 1.0),
                (None, AbsentRule::Unlabelled) => (Label::Unlabelled, 1.0),
            };
            let half = RandomPair::new(seed ^ HALVES, later, earlier, label, weight).random() & 1;
            let common = self.documents.common(later, earlier);
            counted.halves[half as usize].add(common, label, weight);
            counted.degrees[later.index()] += 1;
            counted.degrees[earlier.index()] += 1;
            let sampled = RandomPair::new(seed, later, earlier, label, weight);
            samples.push(sampled, self.options.differences);
            self.observer.tick(read)?;
            read += 1;
        }
        counted.add_up();
        Ok((counted, samples))
    }
}

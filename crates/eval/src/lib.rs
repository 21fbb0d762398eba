//! Henzinger's evaluation: how many of the pairs that a recipe returns are right.
//!
//! ```text
//! check    labels and documents name the same ids
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
//! - **Precision** is the share of correct pairs in those that are correct or
//!   incorrect ([`Quality`]). The paper's tables have undecided pairs in the
//!   whole, and so have their rows here ([`Row::correct`]).
//! - **What a recipe returns** is what a deduplication by it accepts as pairs:
//!   candidates for the papers' recipes, verified pairs for others. All of them
//!   are counted, and those that somebody judged are judged.
//! - **Forms** are undecided pairs whose reason is one of [`LabelFile::form_reasons`]. What counts
//!   them as correct has a name of its own.
//! - **By pages** ([`PageQuality`]) a page is right if any pair of it is, the paper's footnote 3.
//! - **Recall** is the share of the correct pairs of the labels that is returned.
//!   It says something only where labels were not drawn from what recipes return.
//! - **R** is the number of correct pairs for one of the recipe that it is
//!   against. It exceeds 1 for a recipe that returns more of them.
//! - **Intervals** are Wilson's at 95 %; with weights the number of pairs is
//!   Kish's effective one. Pairs of one page, and all pairs under one seed, are
//!   not independent, which these intervals do not know; those over seeds
//!   ([`SeedQuality`]) know the latter.

mod agreement;
mod baselines;
mod clusters;
mod combined;
mod curve;
mod differences;
mod documents;
mod equal_recall;
mod error;
mod evaluation;
mod faults;
mod filter_sample;
mod hosts;
mod labels;
mod options;
mod page_quality;
mod projections;
mod quality;
mod resemblances;
mod rows;
mod sample;
mod seeds;
mod sequences;
mod sets;
mod statistics;
mod tally;
mod tidy;

use std::path::PathBuf;

use lookalike_core::{Recipe, mix};
use lookalike_engine::matching::PairReader;
use lookalike_engine::{Components, InputOrder, NoObserver, Observer, RecipePairs, Stage, Work};

pub use agreement::{Agreement, Disagreement, JudgeLabels, Judgements, Opinion, TwoJudges};
pub use baselines::{BASELINES, baseline};
pub use clusters::{ClusterQuality, PrecisionRecall};
pub use combined::{CombinedAlgorithm, ThresholdRow, ThresholdTest};
pub use curve::{Curve, CurveBasis, CurvePoint};
pub use differences::{
    EditDistances, LARGE_DIFFERENCE, LabelledDifferences, TermDifferences, WithoutPictures,
};
pub use equal_recall::{BitsRow, EqualRecall};
pub use error::{Error, ErrorKind, LabelFault, Result};
pub use evaluation::{Evaluation, ReasonRow, RecipeEvaluation, SimilarityRow};
pub use faults::{Faults, FaultyPair, SiteFaults};
pub use filter_sample::{FilterBin, FilterMeasurement, FilterSample, PairCandidates};
pub use hosts::{HostSize, Hosts};
pub use labels::{AbsentRule, LabelFile, LabelRule, LabelSummary};
pub use lookalike_engine::{CopyRule, RecipeCost};
pub use options::Eval;
pub use page_quality::PageQuality;
pub use quality::Quality;
pub use rows::Row;
pub use sample::{PageToJudge, PairToJudge, Sample};
pub use seeds::{SeedQuality, SeedRun};
pub use sets::{OverSets, SetEvaluation, SetQuality, SetsEvaluation};
pub use statistics::{PowerLaw, SeedMean, Share};
pub use tally::{BITS, C_RANGES, FEATURES, Label, PAPER_THRESHOLD, Sites};

use clusters::LabelClusters;
use curve::ResemblanceCounts;
use differences::{RandomPair, Samples};
use documents::Documents;
use equal_recall::{BitsTally, Loosened};
use evaluation::{RecipeCounts, RecipeParts, Tables};
use faults::FaultCounts;
use labels::{LabelCursor, Labels, PairLabel};
use page_quality::PageCounts;
use projections::Projections;
use quality::QualityCounts;
use resemblances::ShingleRule;
use statistics::Count;
use tally::Tally;

impl Eval {
    /// Evaluates the recipes by these labels.
    ///
    /// # Errors
    /// If an input or the labels cannot be read, no label can be used, a recipe makes too many
    /// candidates, the documents do not fit into memory, or the system refuses.
    pub fn run(&self, file: &LabelFile) -> Result<Evaluation> {
        self.run_observed(file, &NoObserver)
    }

    /// As [`run`](Self::run), watched by an observer.
    ///
    /// # Errors
    /// As [`run`](Self::run), and if the observer stops it.
    pub fn run_observed(&self, file: &LabelFile, observer: &dyn Observer) -> Result<Evaluation> {
        // Refused before the work, if recipes or labels cannot be used.
        let against = self.against_number()?;
        self.check_recipes()?;
        let named = file.named_documents(self.running.strict, observer)?;
        self.check_named(file, &named, observer)?;
        drop(named);

        let mut recipes = seeds::repeated(&self.recipes, self.repeats);
        let loosened = self.loosened()?;
        recipes.extend(loosened.as_ref().map(|loosened| loosened.recipe.clone()));
        let found = self.find(&recipes, observer)?;
        let documents = &Documents::load(&found, self.running.kernel, observer)?;
        let mut labels = file.read(documents, self.running.strict, observer)?;
        let clusters = &LabelClusters::of(&labels, documents.len());
        let absent = file.absent();
        let counter = PairCounter { options: self, documents, clusters, absent, observer };
        let (mut counted, mut samples, mut agreements) = (Vec::new(), Vec::new(), Vec::new());
        let mut faults = Vec::new();
        let (mut pairs, number_of_recipes) = (found.pairs()?, self.recipes.len());
        let mut repeated = pairs.split_off(number_of_recipes);
        let by_bits = loosened.as_ref().and_then(|_| repeated.pop());
        for (number, pairs) in pairs.into_iter().enumerate() {
            let (these, sample, agreement, faulty) = counter.count(pairs, number, &mut labels)?;
            faults.push(faulty.told(&found, (number, &self.recipes[number]), self.sites)?);
            counted.push(these);
            samples.push(sample.into_sorted());
            agreements.push(agreement);
        }
        let mut repeats: Vec<Vec<SeedRun>> = vec![Vec::new(); number_of_recipes];
        let repeated = repeated.into_iter().zip(recipes.iter().skip(number_of_recipes));
        for (number, (pairs, recipe)) in repeated.enumerate() {
            let run = counter.count_again(pairs, recipe.seed, &mut labels)?;
            repeats[number % number_of_recipes].push(run);
        }
        let equal_recall = match (&loosened, by_bits) {
            (Some(loosened), Some(pairs)) => {
                let theirs = (&self.recipes[against], counted[against].returned());
                Some(counter.equal_recall(
                    loosened,
                    pairs,
                    (&found, recipes.len() - 1),
                    &mut labels,
                    theirs,
                )?)
            }
            _ => None,
        };
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
            common: &(0..number_of_recipes).map(of_both).collect::<Vec<Tally>>(),
            against,
            documents: documents.len() - documents.removed(),
        };
        let same_site = |pair: &PairLabel| common(pair).sites == Sites::Same;
        let mut curves = self.curves(absent, &tables, &found, observer)?.into_iter();
        let mut faults = faults.into_iter();
        let mut recipes = Vec::new();
        for (number, term_differences) in differences.into_iter().enumerate() {
            let (recipe, quality) = (&self.recipes[number], tables.quality(number));
            let clusters = agreements[number];
            let mut runs = vec![SeedRun { seed: recipe.seed, quality, clusters }];
            runs.append(&mut repeats[number]);
            recipes.push(tables.recipe(
                number,
                RecipeParts {
                    reasons: tables.reasons(number, same_site),
                    faults: faults.next().unwrap_or_default(),
                    term_differences,
                    curve: curves.next().flatten(),
                    clusters,
                    over_seeds: SeedQuality::of(runs),
                    learned: self.write_learned(&found, number)?,
                    cost: found.costs()[number],
                },
            ));
        }
        let [training, testing] = &counted[against].halves;
        Ok(Evaluation {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            documents: documents.len(),
            empty: documents.empty(),
            identical_removed: documents.removed(),
            sites: documents.sites(),
            hosts: hosts::of(documents, &found, observer)?,
            skipped: found.skipped(),
            absent,
            against: self.recipes[against].name.clone(),
            equal_recall,
            recipes,
            combined: CombinedAlgorithm::of([training, testing]),
            labels: labels.summary,
        })
    }

    /// Leaves what a recipe has learned, if that was asked for; where.
    fn write_learned(&self, found: &RecipePairs, number: usize) -> Result<Option<PathBuf>> {
        let Some(folder) = &self.learned else { return Ok(None) };
        let folder = folder.join((number + 1).to_string());
        let has = found.write_learned((number, &self.recipes[number]), &folder)?;
        Ok(has.then_some(folder))
    }

    /// The curve of each recipe that has one.
    fn curves(
        &self,
        absent: AbsentRule,
        tables: &Tables<'_>,
        found: &RecipePairs,
        observer: &dyn Observer,
    ) -> Result<Vec<Option<Curve>>> {
        let pairs = &tables.labels.pairs;
        let mut known: Vec<(ShingleRule, Curve)> = Vec::new();
        let mut curves = Vec::new();
        for (recipe, counted) in self.recipes.iter().zip(tables.counted) {
            let rule = resemblances::rule_of(recipe);
            let shared = known.iter().find(|(other, _)| *other == rule);
            curves.push(match (CurveBasis::of(recipe, absent), shared) {
                (None, _) => None,
                (Some(CurveBasis::Returned), _) => Some(Curve {
                    basis: CurveBasis::Returned,
                    unknown: 0,
                    points: counted.resemblances.points(recipe.threshold, tables.all_correct()),
                }),
                (Some(CurveBasis::Labelled), Some((_, curve))) => Some(curve.clone()),
                (Some(CurveBasis::Labelled), None) => {
                    let curve = self.labelled_curve(rule, pairs, found, observer)?;
                    known.push((rule, curve.clone()));
                    Some(curve)
                }
            });
        }
        Ok(curves)
    }

    /// The curve of all labelled pairs by what they have in common.
    fn labelled_curve(
        &self,
        rule: ShingleRule,
        pairs: &[PairLabel],
        found: &RecipePairs,
        observer: &dyn Observer,
    ) -> Result<Curve> {
        let resemblances = resemblances::compute(rule, pairs, found, &self.running, observer)?;
        let mut counts = ResemblanceCounts::new();
        let (mut correct, mut unknown) = (Count::default(), 0);
        for (pair, resemblance) in pairs.iter().zip(resemblances) {
            let Some(resemblance) = resemblance else {
                unknown += 1;
                continue;
            };
            counts.add(resemblance, pair.label, pair.weight);
            if pair.label == Label::Correct {
                correct.add(pair.weight);
            }
        }
        let points = counts.points(LEAST_THRESHOLD, correct);
        Ok(Curve { basis: CurveBasis::Labelled, unknown, points })
    }
}

/// Where a curve of all labelled pairs begins: below, nearly all that has a word in common is
/// returned.
const LEAST_THRESHOLD: f64 = 0.05;

/// What pairs are counted with.
struct PairCounter<'a> {
    options: &'a Eval,
    documents: &'a Documents,
    clusters: &'a LabelClusters,
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
    ) -> Result<(RecipeCounts, Samples, Option<ClusterQuality>, FaultCounts)> {
        self.observer.begin(Stage::Count, Some(Work::Documents(pairs.pairs())));
        let mut counted = RecipeCounts::new(self.documents.len());
        let mut samples = Samples::default();
        let mut components = Components::new(self.documents.len());
        let mut faults = FaultCounts::default();
        let mut pages = PageCounts::new(self.documents.len());
        let mut cursor = LabelCursor::new(&mut labels.pairs);
        let (seed, mut read) = (mix(self.options.seed), 0);
        while let Some(pair) = pairs.next()? {
            let (later, earlier) = (pair.later, pair.earlier);
            let found = cursor.find(later, earlier);
            let (label, weight) = self.label(found.as_deref());
            let is_form = found.as_deref().is_some_and(|found| found.is_form);
            if let Some(found) = found {
                found.returned_by |= 1 << recipe;
            }
            let half = RandomPair::new(seed ^ HALVES, later, earlier, label, weight).random() & 1;
            let common = self.documents.common(later, earlier);
            let tally = &mut counted.halves[half as usize];
            tally.add(common, label, weight);
            if is_form {
                tally.add_form(common, weight);
            }
            pages.add([later, earlier], label);
            counted.degrees[later.index()] += 1;
            counted.degrees[earlier.index()] += 1;
            if let Some(resemblance) = pair.evidence.resemblance() {
                counted.resemblances.add(resemblance, label, weight);
            }
            components.join(later, earlier);
            let sampled = RandomPair::new(seed, later, earlier, label, weight);
            faults.pair(self.documents, sampled);
            samples.push(sampled, self.options.differences);
            self.observer.tick(read)?;
            read += 1;
        }
        counted.add_up();
        counted.page_quality = pages.quality(&counted.degrees);
        let is_missed = |label: &&PairLabel| {
            label.label == Label::Correct && label.returned_by >> recipe & 1 == 0
        };
        for label in labels.pairs.iter().filter(is_missed) {
            let PairLabel { later, earlier, weight, .. } = *label;
            let pair = RandomPair::new(seed, later, earlier, Label::Correct, weight);
            faults.missed(self.documents, pair);
        }
        Ok((counted, samples, self.clusters.agreement(&mut components), faults))
    }

    /// Counts the pairs of a recipe under another seed.
    fn count_again(
        &self,
        mut pairs: PairReader<InputOrder>,
        seed: u64,
        labels: &mut Labels,
    ) -> Result<SeedRun> {
        self.observer.begin(Stage::Count, Some(Work::Documents(pairs.pairs())));
        let mut counts = QualityCounts::default();
        let correct = labels.pairs.iter().filter(|pair| pair.label == Label::Correct);
        correct.for_each(|pair| counts.missed.add(pair.weight));
        let mut components = Components::new(self.documents.len());
        let (mut labels, mut read) = (LabelCursor::new(&mut labels.pairs), 0);
        while let Some(pair) = pairs.next()? {
            let (label, weight) = self.label(labels.find(pair.later, pair.earlier).as_deref());
            match label {
                Label::Correct => counts.right.add(weight),
                Label::Incorrect => counts.wrong.add(weight),
                Label::Undecided => counts.undecided.add(weight),
                Label::Unlabelled => {}
            }
            components.join(pair.later, pair.earlier);
            self.observer.tick(read)?;
            read += 1;
        }
        counts.missed = counts.missed.without(counts.right);
        let clusters = self.clusters.agreement(&mut components);
        Ok(SeedRun { seed, quality: counts.quality(), clusters })
    }

    /// Counts the pairs that a recipe returns with fewer bits.
    fn equal_recall(
        &self,
        Loosened { number, recipe }: &Loosened,
        mut pairs: PairReader<InputOrder>,
        (found, searched): (&RecipePairs, usize),
        labels: &mut Labels,
        theirs: (&Recipe, &Tally),
    ) -> Result<EqualRecall> {
        let kernel = self.options.running.kernel;
        let projections = Projections::load(found, (searched, recipe), kernel, self.observer)?;
        self.observer.begin(Stage::Count, Some(Work::Documents(pairs.pairs())));
        let mut tally = BitsTally::new(recipe.projection.map_or(0, |projection| projection.bits));
        let (mut labels, mut read) = (LabelCursor::new(&mut labels.pairs), 0);
        while let Some(pair) = pairs.next()? {
            let (later, earlier) = (pair.later, pair.earlier);
            let (label, weight) = self.label(labels.find(later, earlier).as_deref());
            let sites = self.documents.common(later, earlier).sites;
            tally.add(projections.equal(later, earlier), sites, label, weight);
            self.observer.tick(read)?;
            read += 1;
        }
        Ok(tally.equal_recall(&self.options.recipes[*number], recipe, theirs))
    }

    /// The label and the weight of a pair that has this label or none.
    fn label(&self, found: Option<&PairLabel>) -> (Label, f64) {
        match (found, self.absent) {
            (Some(found), _) => (found.label, found.weight),
            (None, AbsentRule::Incorrect) => (Label::Incorrect, 1.0),
            (None, AbsentRule::Unlabelled) => (Label::Unlabelled, 1.0),
        }
    }
}

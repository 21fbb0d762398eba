//! What an evaluation finds: the value that `eval.json` and `eval.html` are written from.

use std::path::{Path, PathBuf};

use lookalike_core::recipe::Verify;
use lookalike_core::{Layout, Recipe};
use lookalike_engine::{Operation, RecipeCost, report};
use lookalike_files::write_file;
use serde::Serialize;

use crate::clusters::ClusterQuality;
use crate::combined::CombinedAlgorithm;
use crate::curve::{Curve, ResemblanceCounts};
use crate::differences::TermDifferences;
use crate::equal_recall::EqualRecall;
use crate::error::Result;
use crate::faults::Faults;
use crate::hosts::Hosts;
use crate::labels::{AbsentRule, LabelSummary, Labels, PairLabel};
use crate::page_quality::PageQuality;
use crate::quality::{Quality, QualityCounts};
use crate::rows::{Correct, Row, selections};
use crate::seeds::SeedQuality;
use crate::statistics::{Count, PowerLaw, Share};
use crate::tally::{BITS, C_RANGES, FEATURES, Label, Selection, Tally};

/// Henzinger's evaluation of some recipes on some documents.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Evaluation {
    /// The version of the program.
    pub version: String,
    /// Documents that could be read.
    pub documents: u64,
    /// Those without words, which resemble nothing.
    pub empty: u64,
    /// Those that were left out for an earlier one with the same token sequence.
    pub identical_removed: u64,
    /// Different sites of the others.
    pub sites: u64,
    /// The hosts of the others, and how many pages each has.
    pub hosts: Hosts,
    /// Records and files that could not be read.
    pub skipped: u64,
    /// What the labels file had.
    pub labels: LabelSummary,
    /// What a pair without a label is.
    pub absent: AbsentRule,
    /// The recipe whose correct pairs are the 1 of R.
    pub against: String,
    /// The bits that a recipe needs for as many correct pairs as that one, if that was asked for.
    pub equal_recall: Option<EqualRecall>,
    /// What each recipe does.
    pub recipes: Vec<RecipeEvaluation>,
    /// The recipe that R is against, followed by a threshold of C-similarity.
    pub combined: CombinedAlgorithm,
}

/// What a recipe does.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RecipeEvaluation {
    /// Its name.
    pub name: String,
    /// Identifies its parameters.
    pub digest: String,
    /// How its candidates become pairs: `none`, `estimate` or `exact`.
    pub verify: String,
    /// The least resemblance of its pairs, if it verifies them.
    pub threshold: Option<f64>,
    /// The seed of its signatures.
    pub seed: u64,
    /// How good the pairs that it returns are.
    pub quality: Quality,
    /// How many of the pages that are in a pair have a correct one.
    pub page_quality: PageQuality,
    /// The same for other thresholds, if it verifies pairs.
    pub curve: Option<Curve>,
    /// How its clusters agree with those of the labels, if there are any.
    pub clusters: Option<ClusterQuality>,
    /// The same under other seeds, if there are repeats.
    pub over_seeds: Option<SeedQuality>,
    /// Bytes of a signature.
    pub signature_bytes: u64,
    /// The folder with what it has learned, if it has and that was asked for.
    #[serde(skip)]
    pub learned: Option<PathBuf>,
    /// What it took, as measured: the only numbers that differ from run to run.
    pub cost: RecipeCost,
    /// The pairs that it returns.
    pub pairs: u64,
    /// Near-duplicate pages: documents that are in a pair.
    pub pages: u64,
    /// Pairs that such a page is in, on average.
    pub average_degree: Option<f64>,
    /// The share of them that are in at least 100.
    pub degree_100: Option<Share>,
    /// `[degree, pages]`, in order.
    pub degrees: Vec<[u64; 2]>,
    /// The law fitted to these.
    pub power_law: Option<PowerLaw>,
    /// How many of its pairs are correct: all, by sites, by B-similarity and by C-similarity.
    pub rows: Vec<Row>,
    /// Its pairs by B-similarity.
    pub by_b_similarity: Vec<SimilarityRow>,
    /// Its pairs by ranges of C-similarity.
    pub by_c_similarity: Vec<SimilarityRow>,
    /// For each B-similarity from 0 on: how many pairs have each C-similarity from 0 on.
    pub c_similarity_counts: Vec<Vec<u64>>,
    /// Its judged pairs by the reasons of their labels, as far as labels have any.
    pub reasons: Vec<ReasonRow>,
    /// How much the documents of its pairs differ.
    pub term_differences: TermDifferences,
    /// Where it is wrong.
    pub faults: Faults,
}

/// Pairs of some similarity.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SimilarityRow {
    /// The least and the largest that are meant.
    pub range: [usize; 2],
    /// How many pairs are returned.
    pub pairs: u64,
    /// Their share of all that are.
    pub share: Option<Share>,
    /// The average of the other similarity.
    pub other_average: Option<f64>,
}

/// Judged pairs with one reason for their label.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReasonRow {
    /// The label.
    pub label: Label,
    /// Why it was given; empty where the label does not say.
    pub reason: String,
    /// How many pairs.
    pub pairs: u64,
    /// Their share of all pairs of the recipe with this label.
    pub share: f64,
    /// Those of them on one site.
    pub same_site: u64,
    /// Their share of all pairs on one site with this label; 0 of none.
    pub same_site_share: f64,
}

/// Degrees of at least this are counted as high.
const HIGH_DEGREE: u64 = 100;

/// What was counted of one recipe.
pub(crate) struct RecipeCounts {
    /// The pairs that it returns, in two random halves.
    pub(crate) halves: [Tally; 2],
    /// The sum of the two.
    returned: Tally,
    /// In how many pairs each document is.
    pub(crate) degrees: Vec<u32>,
    /// What labels say of these documents.
    pub(crate) page_quality: PageQuality,
    /// The pairs by their resemblances, as far as these are known.
    pub(crate) resemblances: ResemblanceCounts,
}

impl RecipeCounts {
    /// Nothing yet, of so many documents.
    pub(crate) fn new(documents: u64) -> Self {
        Self {
            halves: [Tally::new(), Tally::new()],
            returned: Tally::new(),
            degrees: vec![0; documents as usize],
            page_quality: PageQuality::default(),
            resemblances: ResemblanceCounts::new(),
        }
    }

    /// The pairs that it returns.
    pub(crate) fn returned(&self) -> &Tally {
        &self.returned
    }

    /// Everything is in.
    pub(crate) fn add_up(&mut self) {
        self.halves.iter().for_each(|half| self.returned.add_all(half));
    }
}

/// What the tables of all recipes need.
pub(crate) struct Tables<'a> {
    pub(crate) recipes: &'a [Recipe],
    pub(crate) counted: &'a [RecipeCounts],
    pub(crate) labels: &'a Labels,
    /// The correct pairs that labels have.
    pub(crate) correct: &'a Tally,
    /// Those of them that each recipe and the one that R is against return.
    pub(crate) common: &'a [Tally],
    pub(crate) against: usize,
    /// Documents that are not left out.
    pub(crate) documents: u64,
}

/// What tables of a recipe have that is not in a tally.
pub(crate) struct RecipeParts {
    pub(crate) reasons: Vec<ReasonRow>,
    pub(crate) faults: Faults,
    pub(crate) term_differences: TermDifferences,
    pub(crate) curve: Option<Curve>,
    pub(crate) clusters: Option<ClusterQuality>,
    pub(crate) over_seeds: Option<SeedQuality>,
    pub(crate) learned: Option<PathBuf>,
    pub(crate) cost: RecipeCost,
}

impl Tables<'_> {
    /// How good the pairs of a recipe are.
    pub(crate) fn quality(&self, number: usize) -> Quality {
        let returned = &self.counted[number].returned;
        let [right, wrong, undecided] =
            Label::JUDGED.map(|label| returned.count(&Selection::ALL, label));
        QualityCounts { right, wrong, undecided, missed: self.all_correct().without(right) }
            .quality()
    }

    /// The correct pairs that labels have.
    pub(crate) fn all_correct(&self) -> Count {
        self.correct.count(&Selection::ALL, Label::Correct)
    }

    pub(crate) fn recipe(&self, number: usize, parts: RecipeParts) -> RecipeEvaluation {
        let RecipeParts {
            reasons,
            faults,
            term_differences,
            curve,
            clusters,
            over_seeds,
            learned,
            cost,
        } = parts;
        let recipe = &self.recipes[number];
        let RecipeCounts { returned, degrees, page_quality, .. } = &self.counted[number];
        let correct = Correct {
            all: Some(self.correct),
            theirs: &self.counted[self.against].returned,
            common: &self.common[number],
        };
        let rows = selections();
        let rows = rows.iter().map(|(name, of)| Row::of(name, of, returned, &correct));
        // Against itself R is 1 by definition, and no estimate.
        let itself = number == self.against;
        let certain = |row: Row| {
            if itself { Row { r: row.r.map(Share::certain), ..row } } else { row }
        };
        let rows = rows.map(certain).collect();
        let pairs = returned.pairs(&Selection::ALL);
        let degrees = degree_counts(degrees);
        let pages: u64 = degrees.iter().map(|[_, pages]| pages).sum();
        let high = degrees.iter().filter(|[degree, _]| *degree >= HIGH_DEGREE);
        let high: u64 = high.map(|[_, pages]| pages).sum();
        RecipeEvaluation {
            name: recipe.name.clone(),
            digest: recipe.digest().to_string(),
            verify: recipe.verify.name().to_owned(),
            threshold: (recipe.verify != Verify::None).then_some(recipe.threshold),
            seed: recipe.seed,
            quality: self.quality(number),
            page_quality: *page_quality,
            curve,
            clusters,
            over_seeds,
            learned,
            signature_bytes: Layout::of(recipe).bytes() as u64,
            cost,
            pairs,
            pages,
            average_degree: (pages > 0).then(|| 2.0 * pairs as f64 / pages as f64),
            degree_100: Share::of(Count::even(high), Count::even(pages)),
            power_law: PowerLaw::fit(&degrees, self.documents.saturating_sub(1)),
            degrees,
            rows,
            by_b_similarity: by_similarity(returned, pairs, true),
            by_c_similarity: by_similarity(returned, pairs, false),
            c_similarity_counts: c_similarity_counts(returned),
            reasons,
            term_differences,
            faults,
        }
    }

    /// The judged pairs of a recipe by their reasons, the most frequent first.
    pub(crate) fn reasons(
        &self,
        number: usize,
        same_site: impl Fn(&PairLabel) -> bool,
    ) -> Vec<ReasonRow> {
        let Labels { pairs, reasons, .. } = self.labels;
        if reasons.len() < 2 {
            return Vec::new();
        }
        let mut counts = vec![[0_u64; 2]; reasons.len() * Label::JUDGED.len()];
        let returned = pairs.iter().filter(|pair| pair.returned_by >> number & 1 == 1);
        for pair in returned {
            let [all, same] =
                &mut counts[pair.label as usize * reasons.len() + usize::from(pair.reason)];
            *all += 1;
            *same += u64::from(same_site(pair));
        }
        let of_label = |label: usize| {
            let counts = &counts[label * reasons.len()..][..reasons.len()];
            counts.iter().fold([0; 2], |[a, b], [all, same]| [a + all, b + same])
        };
        let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        let rows = counts.iter().enumerate().filter(|(_, counts)| counts[0] > 0);
        let mut rows: Vec<ReasonRow> = rows
            .map(|(at, &[pairs, same_site])| {
                let (label, reason) = (at / reasons.len(), at % reasons.len());
                let [all, all_same] = of_label(label);
                ReasonRow {
                    label: Label::JUDGED[label],
                    reason: reasons[reason].clone(),
                    pairs,
                    share: share(pairs, all),
                    same_site,
                    same_site_share: share(same_site, all_same),
                }
            })
            .collect();
        rows.sort_by_key(|row| (row.label, std::cmp::Reverse(row.pairs)));
        rows
    }
}

/// `[degree, pages]` of all that are in a pair.
fn degree_counts(degrees: &[u32]) -> Vec<[u64; 2]> {
    let mut counts = std::collections::BTreeMap::new();
    for &degree in degrees.iter().filter(|degree| **degree > 0) {
        *counts.entry(u64::from(degree)).or_insert(0) += 1;
    }
    counts.into_iter().map(|(degree, pages)| [degree, pages]).collect()
}

/// Pairs by one similarity, with the average of the other.
fn by_similarity(returned: &Tally, all: u64, by_features: bool) -> Vec<SimilarityRow> {
    let ranges: Vec<[usize; 2]> =
        if by_features { (0..=FEATURES).map(|b| [b, b]).collect() } else { C_RANGES.to_vec() };
    let row = |range: [usize; 2]| {
        let [low, high] = range;
        let selection = |other: usize| {
            let (own, other) = (low..=high, other..=other);
            let (features, bits) = if by_features { (own, other) } else { (other, own) };
            Selection { sites: None, features, bits }
        };
        let others = if by_features { 0..=BITS } else { 0..=FEATURES };
        let (mut pairs, mut sum) = (0, 0.0);
        for other in others {
            let here = returned.pairs(&selection(other));
            pairs += here;
            sum += other as f64 * here as f64;
        }
        SimilarityRow {
            range,
            pairs,
            share: Share::of(Count::even(pairs), Count::even(all)),
            other_average: (pairs > 0).then(|| sum / pairs as f64),
        }
    };
    ranges.into_iter().map(row).collect()
}

fn c_similarity_counts(returned: &Tally) -> Vec<Vec<u64>> {
    let cell = |features: usize, bits: usize| {
        let (features, bits) = (features..=features, bits..=bits);
        returned.pairs(&Selection { sites: None, features, bits })
    };
    (0..=FEATURES).map(|b| (0..=BITS).map(|c| cell(b, c)).collect()).collect()
}

impl Evaluation {
    /// Writes `eval.json`, and `eval.html` as `page` makes it, into a folder, each when it is
    /// complete.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(
        &self,
        folder: impl AsRef<Path>,
        page: impl FnOnce(&Self) -> String,
    ) -> Result<()> {
        let folder = folder.as_ref();
        let path = folder.join("eval.json");
        write(folder, ["eval.json", "eval.html"], &report::json(&path, self)?, &page(self))
    }

    /// Whether anything of the inputs or the labels was passed over.
    pub fn any_skipped(&self) -> bool {
        self.skipped + self.labels.skipped > 0
    }
}

/// Writes what machines read and what people look at.
pub(crate) fn write(folder: &Path, names: [&str; 2], data: &[u8], page: &str) -> Result<()> {
    let failed = |e| lookalike_engine::Error::io(folder, Operation::Create, e);
    std::fs::create_dir_all(folder).map_err(failed)?;
    for (name, bytes) in names.into_iter().zip([data, page.as_bytes()]) {
        write_file(&folder.join(name), bytes)?;
    }
    Ok(())
}

impl Labels {
    /// The correct pairs, counted.
    pub(crate) fn tally(
        &self,
        common: impl Fn(&PairLabel) -> crate::tally::Common,
        wanted: impl Fn(&PairLabel) -> bool,
    ) -> Tally {
        let mut tally = Tally::new();
        for pair in self.pairs.iter().filter(|pair| pair.label == Label::Correct && wanted(pair)) {
            tally.add(common(pair), pair.label, pair.weight);
        }
        tally
    }
}

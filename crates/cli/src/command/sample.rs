//! `lookalike tune --sample`: how a filter does on the user's own documents.
//!
//! The truth is exact: a document is compared with every earlier one that has a
//! shingle in common with it, by counting in an inverted index. That takes the
//! memory of all shingles and, at worst, time quadratic in the documents, so
//! the number of documents is limited, and said if it was.

use std::collections::HashMap;
use std::ops::Range;

use lookalike::core::feature::b_similarity;
use lookalike::core::filter::Filter;
use lookalike::core::recipe::SketchParameters;
use lookalike::core::resemblance::Overlap;
use lookalike::core::shingle::{ShingleSet, Shingler};
use lookalike::core::text::{Text, Tokenizer};
use lookalike::core::{Kernel, Recipe, Signer};
use lookalike::engine::Texts;
use serde_json::json;

use crate::exit::say;
use crate::flags::Tune;
use crate::output::{self, Align, Table, count, percent, threshold};
use crate::skipped::SkipCount;

/// What was found.
pub(crate) struct SampleMeasurement {
    documents: u64,
    empty: u64,
    pub(crate) unreadable: u64,
    /// Whether there were more documents than the limit.
    cut: bool,
    threshold: f64,
    /// All pairs at or above the threshold.
    wanted: Group,
    bins: Vec<Bin>,
}

/// The `text` recipe with this filter.
fn recipe_of(filter: Filter, threshold: f64) -> Recipe {
    Recipe {
        sketch: SketchParameters::Minwise { permutations: filter.permutations() as usize },
        features: Some(filter),
        threshold,
        ..Recipe::default()
    }
}

/// Pairs of resemblances in a range.
struct Bin {
    range: Range<f64>,
    pairs: Group,
}

/// Pairs, and what became of them.
#[derive(Clone, Copy, Default)]
struct Group {
    pairs: u64,
    candidates: u64,
    /// Sums over the pairs: of the filter's probability, and of the resemblance.
    predicted: f64,
    resemblance: f64,
}

impl Group {
    fn add(&mut self, resemblance: f64, candidate: bool, probability: f64) {
        self.pairs += 1;
        self.candidates += u64::from(candidate);
        self.predicted += probability;
        self.resemblance += resemblance;
    }

    /// A mean over the pairs; `None` if there are none.
    fn mean(self, sum: f64) -> Option<f64> {
        (self.pairs > 0).then(|| sum / self.pairs as f64)
    }

    fn share(self) -> Option<f64> {
        self.mean(self.candidates as f64)
    }
}

/// Width of a bin, and how many of them lie below the threshold: pairs down to 0.3 below it.
const BIN: f64 = 0.05;
const BINS_BELOW: u32 = 6;

/// Bins with edges at the threshold and every `BIN` from it, up to 1.
fn bins(threshold: f64) -> Vec<Bin> {
    // Rounded, so that 0.8 - 0.05 is 0.75 and not a neighbour of it.
    let edge = |steps: f64| ((threshold + steps * BIN) * 1e9).round() / 1e9;
    let first = -f64::from(BINS_BELOW);
    let steps = (0..).map(|i| first + f64::from(i));
    let ranges = steps.map(|step| edge(step).max(0.0)..edge(step + 1.0).min(1.0));
    let within = ranges.take_while(|range| range.start < 1.0);
    let mut bins: Vec<Bin> = within
        .filter(|range| range.end > 0.0)
        .map(|range| Bin { range, pairs: Group::default() })
        .collect();
    if threshold >= 1.0 {
        bins.push(Bin { range: 1.0..1.0, pairs: Group::default() });
    }
    bins
}

/// Signs and compares the documents of the sample.
pub(crate) fn measure(
    arguments: &Tune,
    filter: Filter,
    threshold: f64,
    kernel: Kernel,
) -> anyhow::Result<SampleMeasurement> {
    let recipe = recipe_of(filter, threshold);
    let mut documents = Documents::new(&recipe, kernel)?;
    let mut measured = SampleMeasurement {
        documents: 0,
        empty: 0,
        unreadable: 0,
        cut: false,
        threshold,
        wanted: Group::default(),
        bins: bins(threshold),
    };
    let mut skipped = SkipCount::default();
    let mut texts = Texts::new();
    for document in arguments.documents.of(&arguments.sample)? {
        let document = match document {
            Ok(document) => document,
            Err(error) if error.is_io() => return Err(error.into()),
            Err(error) => {
                skipped.add(&error, say);
                continue;
            }
        };
        if measured.documents == u64::from(arguments.sample_limit) {
            measured.cut = true;
            break;
        }
        measured.documents += 1;
        let text = texts.of_document(&document);
        let any = documents.add(text, |resemblance, common_features| {
            let candidate = common_features >= filter.r() as usize;
            measured.pair(resemblance, candidate, filter.probability(resemblance));
        });
        measured.empty += u64::from(!any);
    }
    measured.unreadable = skipped.count();
    Ok(measured)
}

impl SampleMeasurement {
    fn pair(&mut self, resemblance: f64, candidate: bool, probability: f64) {
        if resemblance >= self.threshold {
            self.wanted.add(resemblance, candidate, probability);
        }
        // The last bin that begins at or below it: 1 belongs to the last one.
        let bin = self.bins.iter_mut().rev().find(|bin| bin.range.start <= resemblance);
        if let Some(bin) = bin {
            bin.pairs.add(resemblance, candidate, probability);
        }
    }

    /// A point for each bin that has pairs, for the plot.
    pub(crate) fn points(&self) -> Vec<(f64, f64)> {
        let point = |bin: &Bin| {
            let pairs = bin.pairs;
            Some((pairs.mean(pairs.resemblance)?, pairs.share()?))
        };
        self.bins.iter().filter_map(point).collect()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        let bins = self.bins.iter().map(|bin| {
            json!({
                "from": bin.range.start,
                "to": bin.range.end,
                "pairs": bin.pairs.pairs,
                "candidates": bin.pairs.share(),
                "predicted": bin.pairs.mean(bin.pairs.predicted),
            })
        });
        json!({
            "documents": self.documents,
            "empty": self.empty,
            "skipped": self.unreadable,
            "cut": self.cut,
            "threshold": self.threshold,
            "pairs": self.wanted.pairs,
            "recall": self.wanted.share(),
            "predicted_recall": self.wanted.mean(self.wanted.predicted),
            "bins": bins.collect::<Vec<_>>(),
        })
    }

    pub(crate) fn text(&self) -> String {
        let cut = if self.cut { ", the first of more (--sample-limit)" } else { "" };
        let mut text = format!(
            "measured on {}{cut}, every pair compared exactly:\n\n",
            count(self.documents, "document")
        );
        let mut table = Table::new(&[Align::Left, Align::Right, Align::Right, Align::Right]);
        table.row(["resemblance", "pairs", "became candidates", "predicted"]);
        let or_dash = |share: Option<f64>| share.map_or("-".to_owned(), percent);
        for bin in &self.bins {
            let pairs = bin.pairs;
            let range = format!("{:.2} to {:.2}", bin.range.start, bin.range.end);
            let cells = [output::grouped(pairs.pairs), or_dash(pairs.share())];
            let predicted = or_dash(pairs.mean(pairs.predicted));
            table.row([&range, &cells[0], &cells[1], &predicted]);
        }
        text += &table.text();
        let at = threshold(self.threshold);
        let recall = match self.wanted.share() {
            Some(share) => format!(
                "\nof {} of resemblance {at} or more, {} became candidates; {} were predicted\n",
                count(self.wanted.pairs, "pair"),
                percent(share),
                or_dash(self.wanted.mean(self.wanted.predicted)),
            ),
            None => format!(
                "\nno pair has a resemblance of {at} or more, so the sample tells nothing of recall\n"
            ),
        };
        text + &recall
    }
}

/// The documents so far.
struct Documents {
    tokenizer: Tokenizer,
    shingler: Shingler,
    signer: Signer,
    /// Which documents a shingle is in.
    index: HashMap<u64, Vec<u32>>,
    /// Size of the shingle set and the features of each document.
    known: Vec<(u64, Vec<u64>)>,
    /// Shingles in common with each document.
    common: Vec<u64>,
}

impl Documents {
    fn new(recipe: &Recipe, kernel: Kernel) -> anyhow::Result<Self> {
        recipe.check_signs_alone()?;
        let shingles = recipe.shingles;
        Ok(Self {
            tokenizer: Tokenizer::with_kernel(recipe.tokens, kernel),
            shingler: Shingler::new(kernel, shingles.width, shingles.counting),
            signer: Signer::with_kernel(recipe, kernel)?,
            index: HashMap::new(),
            known: Vec::new(),
            common: Vec::new(),
        })
    }

    /// Adds a document and calls `pair` with the resemblance and the number of common features
    /// of it and each earlier one that shares a shingle. False if it is empty.
    fn add(&mut self, text: Text<'_>, mut pair: impl FnMut(f64, usize)) -> bool {
        let mut tokens = Vec::new();
        self.tokenizer.tokens(text, &mut tokens);
        if tokens.is_empty() {
            return false;
        }
        let features = self.signer.sign_tokens(&tokens, &tokens).features.clone();
        let set = ShingleSet::of_tokens(&mut self.shingler, &tokens);
        self.common.clear();
        self.common.resize(self.known.len(), 0);
        let row = self.known.len() as u32;
        for &shingle in set.as_slice() {
            let documents = self.index.entry(shingle).or_default();
            for &other in documents.iter() {
                self.common[other as usize] += 1;
            }
            documents.push(row);
        }
        for (&common, (other, other_features)) in self.common.iter().zip(&self.known) {
            if common > 0 {
                let overlap = Overlap { a: *other, b: set.len() as u64, common };
                pair(overlap.resemblance(), b_similarity(other_features, &features));
            }
        }
        self.known.push((set.len() as u64, features));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_have_the_threshold_as_an_edge_and_end_at_one() {
        for threshold in [0.1, 0.33, 0.8, 0.97, 1.0] {
            let bins = bins(threshold);
            assert!(
                bins.iter().any(|bin| (bin.range.start - threshold).abs() < 1e-12),
                "{threshold}"
            );
            assert_eq!(bins.last().map(|bin| bin.range.end), Some(1.0));
            assert!(
                bins.windows(2)
                    .all(|two| two[0].range.end.to_bits() == two[1].range.start.to_bits())
            );
        }
        let starts: Vec<f64> = bins(0.8).iter().map(|bin| bin.range.start).collect();
        assert_eq!(starts, [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]);
    }
}

//! `lookalike tune --sample`: how a filter does on the user's own documents.
//!
//! The truth is exact: a document is compared with every earlier one that has a
//! shingle in common with it, by counting in an inverted index. That takes the
//! memory of all shingles and, at worst, time quadratic in the documents, so
//! the number of documents is limited, and said if it was.
//!
//! Under one seed all pairs share the same permutations: what becomes a candidate
//! goes together, most of all among pairs of one document. So an interval over pairs is
//! too narrow, and said to be; under several seeds it is over these.

use std::collections::HashMap;
use std::ops::Range;

use anyhow::Context as _;
use lookalike_core::feature::b_similarity;
use lookalike_core::filter::Filter;
use lookalike_core::recipe::{Candidates, SketchParameters};
use lookalike_core::resemblance::Overlap;
use lookalike_core::shingle::{ShingleSet, Shingler};
use lookalike_core::text::{Text, Tokenizer};
use lookalike_core::{Kernel, Recipe, Signer};
use lookalike_engine::Texts;
use lookalike_eval::{SeedMean, Share};
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
    seeds: Vec<u64>,
    /// All pairs at or above the threshold.
    wanted: Group,
    bins: Vec<Bin>,
}

/// A recipe with this filter and this seed, whose features are all that is looked at.
fn recipe_of(recipe: &Recipe, filter: Filter, threshold: f64, seed: u64) -> Recipe {
    Recipe {
        seed,
        sketch: SketchParameters::Minwise { permutations: filter.permutations() as usize },
        features: Some(filter),
        projection: None,
        candidates: Candidates::Features,
        threshold,
        ..recipe.clone()
    }
}

/// Pairs of resemblances in a range.
struct Bin {
    range: Range<f64>,
    pairs: Group,
}

/// Pairs, and what became of them.
#[derive(Clone, Default)]
struct Group {
    pairs: u64,
    /// Candidates under each seed.
    candidates: Vec<u64>,
    /// Sums over the pairs: of the filter's probability, and of the resemblance.
    predicted: f64,
    resemblance: f64,
}

impl Group {
    fn new(seeds: usize) -> Self {
        Self { candidates: vec![0; seeds], ..Self::default() }
    }

    fn add(&mut self, resemblance: f64, candidate: &[bool], probability: f64) {
        self.pairs += 1;
        for (candidates, candidate) in self.candidates.iter_mut().zip(candidate) {
            *candidates += u64::from(*candidate);
        }
        self.predicted += probability;
        self.resemblance += resemblance;
    }

    /// A mean over the pairs; `None` if there are none.
    fn mean(&self, sum: f64) -> Option<f64> {
        (self.pairs > 0).then(|| sum / self.pairs as f64)
    }

    /// The share of candidates under each seed; none if there are no pairs.
    fn shares(&self) -> Vec<f64> {
        self.candidates.iter().filter_map(|candidates| self.mean(*candidates as f64)).collect()
    }

    /// The mean of these.
    fn share(&self) -> Option<f64> {
        let shares = self.shares();
        (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
    }

    /// Its 95 % interval: over seeds if there are several, else over pairs.
    fn interval(&self) -> Option<(f64, f64)> {
        match self.candidates[..] {
            [candidates] => {
                Share::of_numbers(candidates, self.pairs).map(|share| (share.low, share.high))
            }
            _ => SeedMean::of(&self.shares()).map(|mean| (mean.low, mean.high)),
        }
    }
}

/// Width of a bin, and how many of them lie below the threshold: pairs down to 0.3 below it.
const BIN: f64 = 0.05;
const BINS_BELOW: u32 = 6;

/// Bins with edges at the threshold and every `BIN` from it, up to 1.
fn bins(threshold: f64, seeds: usize) -> Vec<Bin> {
    // Rounded, so that 0.8 - 0.05 is 0.75 and not a neighbour of it.
    let edge = |steps: f64| ((threshold + steps * BIN) * 1e9).round() / 1e9;
    let first = -f64::from(BINS_BELOW);
    let steps = (0..).map(|i| first + f64::from(i));
    let ranges = steps.map(|step| edge(step).max(0.0)..edge(step + 1.0).min(1.0));
    let within = ranges.take_while(|range| range.start < 1.0);
    let mut bins: Vec<Bin> = within
        .filter(|range| range.end > 0.0)
        .map(|range| Bin { range, pairs: Group::new(seeds) })
        .collect();
    if threshold >= 1.0 {
        bins.push(Bin { range: 1.0..1.0, pairs: Group::new(seeds) });
    }
    bins
}

/// Signs and compares the documents of the sample.
pub(crate) fn measure(
    arguments: &Tune,
    recipe: &Recipe,
    filter: Filter,
    threshold: f64,
    kernel: Kernel,
) -> anyhow::Result<SampleMeasurement> {
    let first = arguments.seed.unwrap_or(recipe.seed);
    let seeds: Vec<u64> = (0..u64::from(arguments.seeds)).map(|more| first + more).collect();
    let recipes = seeds.iter().map(|seed| recipe_of(recipe, filter, threshold, *seed));
    let mut documents = Documents::new(&recipes.collect::<Vec<_>>(), kernel)?;
    let mut measured = SampleMeasurement {
        documents: 0,
        empty: 0,
        unreadable: 0,
        cut: false,
        threshold,
        wanted: Group::new(seeds.len()),
        bins: bins(threshold, seeds.len()),
        seeds,
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
        let any = documents.add(text, filter.r() as usize, |resemblance, candidate| {
            measured.pair(resemblance, candidate, filter.probability(resemblance));
        });
        measured.empty += u64::from(!any);
    }
    measured.unreadable = skipped.count();
    Ok(measured)
}

impl SampleMeasurement {
    fn pair(&mut self, resemblance: f64, candidate: &[bool], probability: f64) {
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
            let pairs = &bin.pairs;
            Some((pairs.mean(pairs.resemblance)?, pairs.share()?))
        };
        self.bins.iter().filter_map(point).collect()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        let low = |group: &Group| group.interval().map(|(low, _)| low);
        let high = |group: &Group| group.interval().map(|(_, high)| high);
        let bins = self.bins.iter().map(|bin| {
            json!({
                "from": bin.range.start,
                "to": bin.range.end,
                "pairs": bin.pairs.pairs,
                "candidates": bin.pairs.share(),
                "low": low(&bin.pairs),
                "high": high(&bin.pairs),
                "predicted": bin.pairs.mean(bin.pairs.predicted),
            })
        });
        let wanted = &self.wanted;
        json!({
            "documents": self.documents,
            "empty": self.empty,
            "skipped": self.unreadable,
            "cut": self.cut,
            "threshold": self.threshold,
            "pairs": wanted.pairs,
            "recall": wanted.share(),
            "recall_low": low(wanted),
            "recall_high": high(wanted),
            "interval_over": if self.seeds.len() > 1 { "seeds" } else { "pairs" },
            "seeds": self.seeds,
            "recall_by_seed": wanted.shares(),
            "predicted_recall": wanted.mean(wanted.predicted),
            "bins": bins.collect::<Vec<_>>(),
        })
    }

    pub(crate) fn text(&self) -> String {
        let cut = if self.cut { ", the first of more (--sample-limit)" } else { "" };
        let seeds = match self.seeds.len() {
            1 => String::new(),
            seeds => format!(", under {seeds} seeds"),
        };
        let mut text = format!(
            "measured on {}{cut}, every pair compared exactly{seeds}:\n\n",
            count(self.documents, "document")
        );
        let mut table =
            Table::new(&[Align::Left, Align::Right, Align::Right, Align::Left, Align::Right]);
        table.row(["resemblance", "pairs", "became candidates", "95 % interval", "predicted"]);
        let or_dash = |share: Option<f64>| share.map_or("-".to_owned(), percent);
        for bin in &self.bins {
            let pairs = &bin.pairs;
            let range = format!("{:.2} to {:.2}", bin.range.start, bin.range.end);
            let cells = [output::grouped(pairs.pairs), or_dash(pairs.share())];
            let predicted = or_dash(pairs.mean(pairs.predicted));
            table.row([&range, &cells[0], &cells[1], &interval(pairs), &predicted]);
        }
        text += &table.text();
        let at = threshold(self.threshold);
        let Some(share) = self.wanted.share() else {
            return text
                + &format!(
                    "\nno pair has a resemblance of {at} or more, so the sample tells nothing of \
                     recall\n"
                );
        };
        let about = if self.seeds.len() > 1 {
            "intervals are over seeds: of what these documents give under others\n"
        } else {
            "intervals are over pairs, and too narrow: all pairs under one seed share its random\n\
             choices; --seeds 10 gives intervals over seeds\n"
        };
        text + &format!(
            "\nof {} of resemblance {at} or more, {} became candidates ({}); {} were predicted\n",
            count(self.wanted.pairs, "pair"),
            percent(share),
            interval(&self.wanted),
            or_dash(self.wanted.mean(self.wanted.predicted)),
        ) + about
    }
}

/// The ends of an interval, as percentages.
fn interval(group: &Group) -> String {
    let shown = |(low, high): (f64, f64)| {
        format!("{} to {}", percent(low).trim_end_matches(" %"), percent(high))
    };
    group.interval().map_or("-".to_owned(), shown)
}

/// The documents so far.
struct Documents {
    tokenizer: Tokenizer,
    shingler: Shingler,
    /// One a seed.
    signers: Vec<Signer>,
    /// Which documents a shingle is in.
    index: HashMap<u64, Vec<u32>>,
    /// Size of the shingle set, and the features under each seed, of each document.
    known: Vec<(u64, Vec<Vec<u64>>)>,
    /// Shingles in common with each document.
    common: Vec<u64>,
}

impl Documents {
    /// By recipes that differ in nothing but their seeds.
    fn new(recipes: &[Recipe], kernel: Kernel) -> anyhow::Result<Self> {
        let recipe = recipes.first().context("there is no seed")?;
        recipe.check_signs_alone()?;
        let shingles = recipe.shingles;
        let signers = recipes.iter().map(|recipe| Signer::with_kernel(recipe, kernel));
        Ok(Self {
            tokenizer: Tokenizer::with_kernel(recipe.tokens, kernel),
            shingler: Shingler::new(kernel, shingles.width, shingles.counting),
            signers: signers.collect::<Result<_, _>>()?,
            index: HashMap::new(),
            known: Vec::new(),
            common: Vec::new(),
        })
    }

    /// Adds a document and calls `pair` with the resemblance of it and each earlier one that
    /// shares a shingle, and with whether `r` features are common under each seed. False if it is
    /// empty.
    fn add(&mut self, text: Text<'_>, r: usize, mut pair: impl FnMut(f64, &[bool])) -> bool {
        let mut tokens = Vec::new();
        self.tokenizer.tokens(text, &mut tokens);
        if tokens.is_empty() {
            return false;
        }
        let signers = self.signers.iter_mut();
        let features: Vec<Vec<u64>> =
            signers.map(|signer| signer.sign_tokens(&tokens, &tokens).features.clone()).collect();
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
        let mut candidate = Vec::new();
        for (&common, (other, others)) in self.common.iter().zip(&self.known) {
            if common > 0 {
                let overlap = Overlap { a: *other, b: set.len() as u64, common };
                candidate.clear();
                let by_seed = others.iter().zip(&features);
                candidate.extend(by_seed.map(|(a, b)| b_similarity(a, b) >= r));
                pair(overlap.resemblance(), &candidate);
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
            let bins = bins(threshold, 1);
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
        let starts: Vec<f64> = bins(0.8, 1).iter().map(|bin| bin.range.start).collect();
        assert_eq!(starts, [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]);
    }
}

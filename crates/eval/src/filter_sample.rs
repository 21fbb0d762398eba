//! How the rule of a recipe does on documents: which of their pairs become candidates, against all of them.
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

use lookalike_core::filter::Filter;
use lookalike_core::recipe::{Candidates, SketchParameters};
use lookalike_core::resemblance::Overlap;
use lookalike_core::template::OwnShingles;
use lookalike_core::text::{DocumentTokens, Text, Tokenizer};
use lookalike_core::{CandidateRule, Kernel, Recipe, Signature, Signer};
use lookalike_corpus::Document;
use lookalike_engine::Texts;
use serde_json::json;

use crate::error::Result;
use crate::statistics::{SeedMean, Share};

/// What is measured, and how.
#[derive(Clone, Debug)]
pub struct FilterSample {
    /// Whose rule of candidates is measured.
    pub recipe: Recipe,
    /// The least resemblance of the pairs that are wanted.
    pub threshold: f64,
    /// The first seed.
    pub seed: u64,
    /// How many seeds, the first and those that follow it; at least one.
    pub seeds: u32,
    /// Documents that are compared, the first of all.
    pub limit: u64,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FilterMeasurement {
    /// Documents that were compared.
    pub documents: u64,
    /// Those of them without words.
    pub empty: u64,
    /// Records and files that could not be read.
    pub skipped: u64,
    /// Whether there were more documents than the limit.
    pub cut: bool,
    /// The least resemblance of the pairs that are wanted.
    pub threshold: f64,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// All pairs at or above the threshold.
    pub wanted: PairCandidates,
    /// Pairs by their resemblance, down to 0.3 below the threshold.
    pub bins: Vec<FilterBin>,
}

/// Pairs of resemblances in a range.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FilterBin {
    /// The range; 1 is in the last.
    pub range: Range<f64>,
    /// The pairs.
    pub pairs: PairCandidates,
}

/// Pairs, and what became of them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PairCandidates {
    /// How many there are.
    pub pairs: u64,
    /// Candidates under each seed.
    pub candidates: Vec<u64>,
    /// Sums over the pairs: of the filter's probability, if there is one, and of the resemblance.
    predicted: Option<f64>,
    resemblance: f64,
}

impl PairCandidates {
    fn new(seeds: usize) -> Self {
        Self { candidates: vec![0; seeds], predicted: Some(0.0), ..Self::default() }
    }

    fn add(&mut self, resemblance: f64, candidate: &[bool], probability: Option<f64>) {
        self.pairs += 1;
        for (candidates, candidate) in self.candidates.iter_mut().zip(candidate) {
            *candidates += u64::from(*candidate);
        }
        self.predicted = self.predicted.zip(probability).map(|(sum, more)| sum + more);
        self.resemblance += resemblance;
    }

    /// A mean over the pairs; `None` if there are none.
    fn mean(&self, sum: f64) -> Option<f64> {
        (self.pairs > 0).then(|| sum / self.pairs as f64)
    }

    /// The share that the filter's polynomial gives; `None` if there are no pairs, or candidates are not made by a
    /// filter alone.
    pub fn predicted(&self) -> Option<f64> {
        self.mean(self.predicted?)
    }

    /// The mean of their resemblances.
    pub fn resemblance(&self) -> Option<f64> {
        self.mean(self.resemblance)
    }

    /// The share of candidates under each seed; none if there are no pairs.
    pub fn shares(&self) -> Vec<f64> {
        self.candidates.iter().filter_map(|candidates| self.mean(*candidates as f64)).collect()
    }

    /// The mean of these.
    pub fn share(&self) -> Option<f64> {
        let shares = self.shares();
        (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
    }

    /// Its 95 % interval: over seeds if there are several, else over pairs.
    pub fn interval(&self) -> Option<(f64, f64)> {
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
fn bins(threshold: f64, seeds: usize) -> Vec<FilterBin> {
    // Rounded, so that 0.8 - 0.05 is 0.75 and not a neighbour of it.
    let edge = |steps: f64| ((threshold + steps * BIN) * 1e9).round() / 1e9;
    let first = -f64::from(BINS_BELOW);
    let steps = (0..).map(|i| first + f64::from(i));
    let ranges = steps.map(|step| edge(step).max(0.0)..edge(step + 1.0).min(1.0));
    let within = ranges.take_while(|range| range.start < 1.0);
    let bin = |range| FilterBin { range, pairs: PairCandidates::new(seeds) };
    let mut bins: Vec<FilterBin> = within.filter(|range| range.end > 0.0).map(bin).collect();
    if threshold >= 1.0 {
        bins.push(bin(1.0..1.0));
    }
    bins
}

impl FilterSample {
    /// Signs and compares the documents. What cannot be read is given to `skip`.
    ///
    /// # Errors
    /// If the recipe cannot sign, or the system refuses to read.
    pub fn measure(
        &self,
        documents: impl Iterator<Item = lookalike_corpus::Result<Document>>,
        kernel: Kernel,
        mut skip: impl FnMut(&lookalike_corpus::Error),
    ) -> Result<FilterMeasurement> {
        let threshold = self.threshold;
        let filter =
            self.recipe.features.filter(|_| self.recipe.candidates == Candidates::Features);
        let seeds: Vec<u64> =
            (0..u64::from(self.seeds.max(1))).map(|more| self.seed + more).collect();
        let under = |seed: &u64| Recipe { seed: *seed, ..self.recipe.clone() };
        let recipes: Vec<Recipe> = seeds.iter().map(under).collect();
        let mut known = KnownDocuments::new(&recipes, kernel)?;
        let mut measured = FilterMeasurement {
            documents: 0,
            empty: 0,
            skipped: 0,
            cut: false,
            threshold,
            wanted: PairCandidates::new(seeds.len()),
            bins: bins(threshold, seeds.len()),
            seeds,
        };
        let mut texts = Texts::new();
        for document in documents {
            let document = match document {
                Ok(document) => document,
                Err(error) if error.is_io() => return Err(error.into()),
                Err(error) => {
                    measured.skipped += 1;
                    skip(&error);
                    continue;
                }
            };
            if measured.documents == self.limit {
                measured.cut = true;
                break;
            }
            measured.documents += 1;
            let text = texts.of_document(&document);
            let site = document.url.as_deref().and_then(|url| self.recipe.sites.site(url));
            let any = known.add(text, site.as_deref(), |resemblance, candidate| {
                let probability = filter.map(|filter| filter.probability(resemblance));
                measured.pair(resemblance, candidate, probability);
            });
            measured.empty += u64::from(!any);
        }
        Ok(measured)
    }

    /// A recipe with another filter, whose features are all that is looked at.
    pub fn with_filter(recipe: &Recipe, filter: Filter) -> Recipe {
        let permutations = filter.permutations() as usize;
        Recipe {
            sketch: SketchParameters::Minwise { permutations },
            features: Some(filter),
            projection: None,
            candidates: Candidates::Features,
            ..recipe.clone()
        }
    }
}

impl FilterMeasurement {
    fn pair(&mut self, resemblance: f64, candidate: &[bool], probability: Option<f64>) {
        if resemblance >= self.threshold {
            self.wanted.add(resemblance, candidate, probability);
        }
        // The last bin that begins at or below it: 1 belongs to the last one.
        let bin = self.bins.iter_mut().rev().find(|bin| bin.range.start <= resemblance);
        if let Some(bin) = bin {
            bin.pairs.add(resemblance, candidate, probability);
        }
    }

    /// What intervals are over: `seeds`, or `pairs` under one seed, which makes them too narrow.
    pub fn interval_over(&self) -> &'static str {
        if self.seeds.len() > 1 { "seeds" } else { "pairs" }
    }

    /// A point for each bin that has pairs: its resemblance, and the share of candidates.
    pub fn points(&self) -> Vec<(f64, f64)> {
        let point = |bin: &FilterBin| Some((bin.pairs.resemblance()?, bin.pairs.share()?));
        self.bins.iter().filter_map(point).collect()
    }

    /// As an object.
    pub fn to_json(&self) -> serde_json::Value {
        let low = |pairs: &PairCandidates| pairs.interval().map(|(low, _)| low);
        let high = |pairs: &PairCandidates| pairs.interval().map(|(_, high)| high);
        let bins = self.bins.iter().map(|bin| {
            json!({
                "from": bin.range.start,
                "to": bin.range.end,
                "pairs": bin.pairs.pairs,
                "candidates": bin.pairs.share(),
                "low": low(&bin.pairs),
                "high": high(&bin.pairs),
                "predicted": bin.pairs.predicted(),
            })
        });
        let wanted = &self.wanted;
        json!({
            "documents": self.documents,
            "empty": self.empty,
            "skipped": self.skipped,
            "cut": self.cut,
            "threshold": self.threshold,
            "pairs": wanted.pairs,
            "recall": wanted.share(),
            "recall_low": low(wanted),
            "recall_high": high(wanted),
            "interval_over": self.interval_over(),
            "seeds": self.seeds,
            "recall_by_seed": wanted.shares(),
            "predicted_recall": wanted.predicted(),
            "bins": bins.collect::<Vec<_>>(),
        })
    }
}

/// The documents so far.
struct KnownDocuments {
    tokenizer: Tokenizer,
    own: OwnShingles,
    document: DocumentTokens,
    /// One a seed.
    signers: Vec<Signer>,
    rule: CandidateRule,
    /// Whether sketches are looked at.
    needs_sketch: bool,
    /// Which documents a shingle is in.
    index: HashMap<u64, Vec<u32>>,
    known: Vec<KnownDocument>,
    /// Shingles in common with each document.
    common: Vec<u64>,
}

/// A document, as far as later ones are compared with it.
struct KnownDocument {
    shingles: u64,
    site: Option<String>,
    /// Under each seed.
    signatures: Vec<Signature>,
}

impl KnownDocuments {
    /// By recipes that differ in nothing but their seeds; there is one at least.
    fn new(recipes: &[Recipe], kernel: Kernel) -> Result<Self> {
        let recipe = &recipes[0];
        recipe.check_signs_alone().map_err(lookalike_engine::Error::from)?;
        let signers = recipes.iter().map(|recipe| Signer::with_kernel(recipe, kernel));
        let signers: std::result::Result<Vec<Signer>, _> = signers.collect();
        Ok(Self {
            tokenizer: Tokenizer::with_kernel(recipe.tokens, kernel),
            own: OwnShingles::new(recipe, kernel, None),
            document: DocumentTokens::default(),
            rule: CandidateRule::new(kernel, recipe),
            needs_sketch: matches!(recipe.candidates, Candidates::Lists | Candidates::Sketch),
            signers: signers.map_err(lookalike_engine::Error::from)?,
            index: HashMap::new(),
            known: Vec::new(),
            common: Vec::new(),
        })
    }

    /// Adds a document and calls `pair` with the resemblance of it and each earlier one that
    /// shares a shingle, and with whether the two are a candidate under each seed. False if it is
    /// empty.
    fn add(
        &mut self,
        text: Text<'_>,
        site: Option<&str>,
        mut pair: impl FnMut(f64, &[bool]),
    ) -> bool {
        let document = &mut self.document;
        self.tokenizer.document(text, document);
        if document.tokens.is_empty() {
            return false;
        }
        let signed = self.signers.iter_mut().map(|signer| {
            let mut signature = signer.sign_distinctive_tokens(document, None).clone();
            if !self.needs_sketch {
                signature.sketch = Vec::new();
            }
            signature
        });
        let signatures: Vec<Signature> = signed.collect();
        let set = self.own.set(None, document);
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
        for (&common, other) in self.common.iter().zip(&self.known) {
            if common > 0 {
                let overlap = Overlap { a: other.shingles, b: set.len() as u64, common };
                let same_site = site.is_some() && site == other.site.as_deref();
                candidate.clear();
                let by_seed = other.signatures.iter().zip(&signatures);
                candidate.extend(by_seed.map(|(a, b)| self.rule.holds(a, b, same_site)));
                pair(overlap.resemblance(), &candidate);
            }
        }
        let shingles = set.len() as u64;
        self.known.push(KnownDocument { shingles, site: site.map(str::to_owned), signatures });
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

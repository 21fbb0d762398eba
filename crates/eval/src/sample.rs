//! A sample of pairs for people to judge.
//!
//! Pairs that recipes return are divided into strata: which recipes return
//! them, whether they are of one site, and their B-similarity. Every stratum
//! gives about as many pairs, so that rare kinds are seen too; a pair's weight is
//! how many of its stratum it stands for, and makes the estimates those of all
//! pairs again.
//!
//! The files of pairs are merged as streams. Memory: of each stratum the pairs
//! that may be drawn, 32 bytes each.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use lookalike_core::mix;
use lookalike_core::text::{Text, TextBuf, Unit};
use lookalike_engine::matching::PairReader;
use lookalike_engine::report::{Difference, marked_difference};
use lookalike_engine::{
    Ids, InputOrder, NoObserver, Observer, Operation, RecipePairs, Row, Stage, Work,
};
use serde::Serialize;

use crate::differences::{RandomPair, Smallest};
use crate::documents::Documents;
use crate::error::Result;
use crate::evaluation;
use crate::options::Eval;
use crate::tally::{Label, Sites};

/// The most pairs of a sample: more than people judge, and a page that a browser opens.
const MAX_PAIRS: usize = 5000;

/// Bytes of a document that are shown and compared, at least and at most.
const TEXT_BYTES: [usize; 2] = [16 << 10, 1 << 20];

/// Characters of a document's beginning that are shown.
const BEGINNING: usize = 300;

/// Pairs to judge.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sample {
    /// The pairs, in random order, so that whoever stops early has a smaller sample.
    pub pairs: Vec<PairToJudge>,
    /// Pairs that recipes return in all.
    pub returned: u64,
    /// Strata that there are.
    pub strata: u64,
    /// Records and files that could not be read.
    pub skipped: u64,
}

/// A pair to judge.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PairToJudge {
    /// The id of the document that comes first in the inputs.
    pub a: String,
    /// The id of the other.
    pub b: String,
    /// How many pairs it stands for.
    pub weight: f64,
    /// The recipes that return it.
    pub recipes: Vec<String>,
    /// Whether the two are of one site.
    pub sites: Sites,
    /// Equal features out of 6.
    pub b_similarity: usize,
    /// Equal bits out of 384.
    pub c_similarity: usize,
    /// How both begin.
    #[serde(skip)]
    pub beginnings: [String; 2],
    /// What differs.
    #[serde(skip)]
    pub difference: Difference,
}

/// What pairs of a stratum have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Stratum {
    returned_by: u32,
    sites: Sites,
    features: usize,
}

/// The pairs of a stratum: how many, and those that may be drawn.
#[derive(Default)]
struct StratumPairs {
    pairs: u64,
    smallest: Smallest,
}

impl Eval {
    /// Draws a sample of up to so many of the pairs that the recipes return.
    ///
    /// # Errors
    /// As [`Eval::run`].
    pub fn sample(&self, pairs: usize) -> Result<Sample> {
        self.sample_observed(pairs, &NoObserver)
    }

    /// As [`sample`](Self::sample), watched by an observer.
    ///
    /// # Errors
    /// As [`sample`](Self::sample), and if the observer stops it.
    pub fn sample_observed(&self, pairs: usize, observer: &dyn Observer) -> Result<Sample> {
        let wanted = pairs.clamp(1, MAX_PAIRS);
        self.check_recipes()?;
        let found = self.find(&self.recipes, observer)?;
        let documents = Documents::load(&found, self.running.kernel, observer)?;
        let strata = self.strata(&found, &documents, wanted, observer)?;
        let (all, number) = (strata.values().map(|d| d.pairs).sum(), strata.len() as u64);
        let drawn = draw(strata, wanted);
        Ok(Sample {
            pairs: self.pairs(&drawn, &found, &documents)?,
            returned: all,
            strata: number,
            skipped: found.skipped(),
        })
    }

    fn strata(
        &self,
        found: &RecipePairs,
        documents: &Documents,
        wanted: usize,
        observer: &dyn Observer,
    ) -> Result<BTreeMap<Stratum, StratumPairs>> {
        let mut merge = Merge::new(found.pairs()?)?;
        observer.begin(Stage::Count, Some(Work::Documents(merge.pairs())));
        let mut strata: BTreeMap<Stratum, StratumPairs> = BTreeMap::new();
        let (seed, mut read) = (mix(self.seed), 0);
        while let Some((later, earlier, returned_by)) = merge.next()? {
            let common = documents.common(later, earlier);
            let stratum = Stratum { returned_by, sites: common.sites, features: common.features };
            let drawn = strata.entry(stratum).or_default();
            drawn.pairs += 1;
            let pair = RandomPair::new(seed, later, earlier, Label::Unlabelled, 1.0);
            drawn.smallest.push(pair, wanted);
            observer.tick(read)?;
            read += 1;
        }
        Ok(strata)
    }

    /// What is shown of the pairs.
    fn pairs(
        &self,
        drawn: &[Pick],
        found: &RecipePairs,
        documents: &Documents,
    ) -> Result<Vec<PairToJudge>> {
        let share = self.running.memory as usize / 8 / drawn.len().max(1);
        let bytes = share.clamp(TEXT_BYTES[0], TEXT_BYTES[1]);
        let rows = drawn.iter().flat_map(|c| [c.pair.later, c.pair.earlier]);
        let texts = found.beginnings(rows.collect(), bytes)?;
        let signatures = found.signatures()?;
        let mut ids = Ids::new(&signatures);
        let mut pairs = Vec::new();
        for Pick { pair, weight, returned_by } in drawn {
            let rows = [pair.earlier, pair.later];
            let [a, b] = rows.map(|row| texts.get(&row).map_or((&[][..]).into(), TextBuf::as_text));
            let common = documents.common(pair.later, pair.earlier);
            let names = self.recipes.iter().enumerate();
            let names = names.filter(|(number, _)| returned_by >> number & 1 == 1);
            let id = ids.get(rows[1])?;
            pairs.push(PairToJudge {
                a: ids.get(rows[0])?,
                weight: *weight,
                recipes: names.map(|(_, recipe)| recipe.name.clone()).collect(),
                sites: common.sites,
                b_similarity: common.features,
                c_similarity: common.bits,
                beginnings: [a, b].map(|text: Text<'_>| beginning(text.bytes())),
                difference: marked_difference(Unit::Words, a, &id, b),
                b: id,
            });
        }
        Ok(pairs)
    }
}

/// How a text begins, its white space as single spaces.
fn beginning(text: &[u8]) -> String {
    // A character has at most four bytes, and white space may be long.
    let start = String::from_utf8_lossy(&text[..text.len().min(16 * BEGINNING)]);
    let words: Vec<&str> = start.split_whitespace().collect();
    words.join(" ").chars().take(BEGINNING).collect()
}

/// A pair that is drawn.
struct Pick {
    pair: RandomPair,
    weight: f64,
    returned_by: u32,
}

/// Draws evenly from the strata: one from each that has any left, in turn, the largest first.
fn draw(strata: BTreeMap<Stratum, StratumPairs>, wanted: usize) -> Vec<Pick> {
    let mut strata: Vec<(Stratum, StratumPairs)> = strata.into_iter().collect();
    // A sample too small for all strata has the ones that most pairs are in.
    strata.sort_by_key(|(stratum, drawn)| (std::cmp::Reverse(drawn.pairs), *stratum));
    let mut taken = vec![0; strata.len()];
    let mut left = wanted;
    while left > 0 {
        let before = left;
        for (taken, (_, drawn)) in taken.iter_mut().zip(&strata) {
            if left > 0 && *taken < drawn.smallest.len() {
                *taken += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    let mut chosen = Vec::new();
    for ((stratum, drawn), taken) in strata.into_iter().zip(taken) {
        let weight = drawn.pairs as f64 / taken.max(1) as f64;
        let pairs = drawn.smallest.into_sorted().into_iter().take(taken);
        chosen.extend(pairs.map(|pair| Pick { pair, weight, returned_by: stratum.returned_by }));
    }
    chosen.sort_by_key(|chosen| chosen.pair);
    chosen
}

/// Files of pairs, merged: each pair once, with the files that have it.
struct Merge {
    files: Vec<PairReader<InputOrder>>,
    next: Vec<Option<(Row, Row)>>,
}

impl Merge {
    fn new(mut files: Vec<PairReader<InputOrder>>) -> Result<Self> {
        let mut next = Vec::new();
        for file in &mut files {
            next.push(advance(file)?);
        }
        Ok(Self { files, next })
    }

    /// Pairs of all files, as often as they have them.
    fn pairs(&self) -> u64 {
        self.files.iter().map(PairReader::pairs).sum()
    }

    /// The later document, the earlier one, and a bit for each file.
    fn next(&mut self) -> Result<Option<(Row, Row, u32)>> {
        let Some(least) = self.next.iter().flatten().min().copied() else { return Ok(None) };
        let mut files = 0;
        for (number, (file, next)) in self.files.iter_mut().zip(&mut self.next).enumerate() {
            if *next == Some(least) {
                files |= 1 << number;
                *next = advance(file)?;
            }
        }
        Ok(Some((least.0, least.1, files)))
    }
}

fn advance(file: &mut PairReader<InputOrder>) -> Result<Option<(Row, Row)>> {
    Ok(file.next()?.map(|pair| (pair.later, pair.earlier)))
}

impl Sample {
    /// Writes `pairs.jsonl`, and `judge.html` as `page` makes it, into a folder, each when it is
    /// complete.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, folder: impl AsRef<Path>, page: fn(&Self) -> String) -> Result<()> {
        let folder = folder.as_ref();
        let path = folder.join("pairs.jsonl");
        let failed = |e| lookalike_engine::Error::io(&path, Operation::Write, io::Error::from(e));
        let mut lines = Vec::new();
        for pair in &self.pairs {
            serde_json::to_writer(&mut lines, pair).map_err(failed)?;
            lines.push(b'\n');
        }
        evaluation::write(folder, ["pairs.jsonl", "judge.html"], &lines, &page(self))
    }
}

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
use lookalike_core::text::Unit;
use lookalike_engine::matching::PairReader;
use lookalike_engine::report::{Difference, marked_difference};
use lookalike_engine::{
    Beginning, Ids, InputOrder, NoObserver, Observer, Operation, RecipePairs, Row, Stage, Work,
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

/// Bytes of the markup of all pages that are shown, as far as a share of them is not too little: more
/// than a browser opens at ease.
const PAGES_BYTES: usize = 64 << 20;

/// Bytes of the markup of a page, at least and at most.
const PAGE_BYTES: [usize; 2] = [16 << 10, 512 << 10];

/// Pairs to judge.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sample {
    /// The pairs, in random order, so that whoever stops early has a smaller sample.
    pub pairs: Vec<PairToJudge>,
    /// Their documents, each once.
    pub pages: Vec<PageToJudge>,
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
    /// The addresses of both, if they have any.
    pub urls: [Option<String>; 2],
    /// Their numbers among the pages of the sample.
    #[serde(skip)]
    pub pages: [usize; 2],
    /// What differs.
    #[serde(skip)]
    pub difference: Difference,
}

/// A document to look at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PageToJudge {
    /// Its address.
    pub url: Option<String>,
    /// Whether what follows is the markup of a page; else it is a text.
    pub html: bool,
    /// How it begins. Whoever shows it must take it for hostile.
    pub content: String,
    /// Whether it goes on.
    pub is_cut: bool,
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
        let (pairs, pages) = self.pairs(&drawn, &found, &documents)?;
        Ok(Sample { pairs, pages, returned: all, strata: number, skipped: found.skipped() })
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

    /// The pairs, and the documents of all of them.
    fn pairs(
        &self,
        drawn: &[Pick],
        found: &RecipePairs,
        documents: &Documents,
    ) -> Result<(Vec<PairToJudge>, Vec<PageToJudge>)> {
        let share = |of: usize, [least, most]: [usize; 2]| {
            (of / (2 * drawn.len()).max(1)).clamp(least, most)
        };
        let memory = self.running.memory as usize;
        let text_bytes = share(memory / 4, TEXT_BYTES);
        let page_bytes = share(PAGES_BYTES.min(memory / 4), PAGE_BYTES);
        let rows = drawn.iter().flat_map(|c| [c.pair.later, c.pair.earlier]);
        let beginnings = found.beginnings(rows.collect(), [text_bytes, page_bytes])?;
        let mut pages = Vec::new();
        let mut numbers: BTreeMap<Row, usize> = BTreeMap::new();
        let signatures = found.signatures()?;
        let mut ids = Ids::new(&signatures);
        let mut pairs = Vec::new();
        for Pick { pair, weight, returned_by } in drawn {
            let rows = [pair.earlier, pair.later];
            let [a, b] = rows.map(|row| {
                beginnings.get(&row).map_or((&[][..]).into(), |known| known.text.as_text())
            });
            let number = |row: Row| {
                *numbers.entry(row).or_insert_with(|| {
                    let page = beginnings.get(&row);
                    pages.push(page.map_or_else(PageToJudge::default, |p| shown(p, page_bytes)));
                    pages.len() - 1
                })
            };
            let own_pages = rows.map(number);
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
                urls: own_pages.map(|page| pages[page].url.clone()),
                pages: own_pages,
                difference: marked_difference(Unit::Words, a, &id, b),
                b: id,
            });
        }
        Ok((pairs, pages))
    }
}

/// What is shown of a document, of a text at most so many bytes.
fn shown(Beginning { url, text, page, is_cut, .. }: &Beginning, bytes: usize) -> PageToJudge {
    let (html, url) = (page.is_some(), url.clone());
    if let Some(content) = page.clone() {
        return PageToJudge { url, html, content, is_cut: *is_cut };
    }
    let text = text.as_text().bytes();
    let content = String::from_utf8_lossy(&text[..text.len().min(bytes)]).into_owned();
    PageToJudge { url, html, content, is_cut: text.len() > bytes }
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

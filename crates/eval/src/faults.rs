//! Where a recipe is wrong: the sites that its faults are of, and some of them to look at.
//!
//! Henzinger, sections 3.2 and 3.3: most errors of an algorithm come from few
//! sites. A fault is a pair that is returned and incorrect, or correct and
//! not returned. It is of the sites of both documents, once if they are the same,
//! and so is any pair: the shares of sites add up to more than 1 where pairs are of two.

use std::collections::HashMap;

use lookalike_core::{Recipe, SiteRule};
use lookalike_engine::report::Difference;
use lookalike_engine::{RecipePairs, Result, Row};
use serde::Serialize;

use crate::differences::{RandomPair, Smallest};
use crate::documents::Documents;
use crate::tally::Label;

/// Faults of a kind that are shown, drawn at random.
const SHOWN: usize = 20;

/// Sites that are named, those with the most faults.
const NAMED: usize = 20;

/// Where a recipe is wrong.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Faults {
    /// The sites with the most faults, in that order.
    pub sites: Vec<SiteFaults>,
    /// How many sites have any.
    pub faulty_sites: u64,
    /// Pairs that are returned and incorrect, at most 20, drawn at random.
    pub wrong: Vec<FaultyPair>,
    /// Correct pairs that are not returned, likewise.
    pub missed: Vec<FaultyPair>,
}

/// The faults of a site.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SiteFaults {
    /// Its name; empty if it cannot be told any more.
    pub site: String,
    /// Pairs that are returned, labelled or not.
    pub pairs: u64,
    /// Their share of all that are.
    pub pair_share: f64,
    /// Incorrect pairs that are returned.
    pub wrong: u64,
    /// Their share of all such pairs.
    pub wrong_share: f64,
    /// Correct pairs that are not returned.
    pub missed: u64,
    /// Their share of all such pairs.
    pub missed_share: f64,
}

/// A pair that a recipe is wrong about.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FaultyPair {
    /// The id of the first document.
    pub a: String,
    /// That of the second.
    pub b: String,
    /// The addresses of both, if they have any.
    pub urls: [Option<String>; 2],
    /// What differs, if both can still be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
}

/// The faults of a recipe, being counted.
#[derive(Default)]
pub(crate) struct FaultCounts {
    by_site: HashMap<u64, SiteCount>,
    /// What all sites have, each pair once.
    all: PairCounts,
    wrong: Smallest,
    missed: Smallest,
}

/// Pairs by what is known of them.
#[derive(Clone, Copy, Default)]
struct PairCounts {
    returned: u64,
    wrong: u64,
    missed: u64,
}

struct SiteCount {
    pairs: PairCounts,
    /// One of its documents.
    example: Row,
}

impl FaultCounts {
    /// A pair that is returned.
    pub(crate) fn pair(&mut self, documents: &Documents, pair: RandomPair) {
        let is_wrong = pair.label == Label::Incorrect;
        self.count(documents, pair, |counts| {
            counts.returned += 1;
            counts.wrong += u64::from(is_wrong);
        });
        if is_wrong {
            self.wrong.push(pair, SHOWN);
        }
    }

    /// A correct pair that is not returned.
    pub(crate) fn missed(&mut self, documents: &Documents, pair: RandomPair) {
        self.count(documents, pair, |counts| counts.missed += 1);
        self.missed.push(pair, SHOWN);
    }

    fn count(&mut self, documents: &Documents, pair: RandomPair, add: impl Fn(&mut PairCounts)) {
        add(&mut self.all);
        let rows = [pair.later, pair.earlier];
        let [a, b] = rows.map(|row| documents.site(row));
        for (site, example) in [a, b].into_iter().zip(rows).take(if a == b { 1 } else { 2 }) {
            if site == 0 {
                continue;
            }
            let none = || SiteCount { pairs: PairCounts::default(), example };
            let count = self.by_site.entry(site).or_insert_with(none);
            add(&mut count.pairs);
            // Whatever the order of pairs.
            count.example = count.example.min(example);
        }
    }

    /// Names and texts for all that is shown.
    pub(crate) fn told(
        self,
        found: &RecipePairs,
        (number, recipe): (usize, &Recipe),
        rule: SiteRule,
    ) -> Result<Faults> {
        let faults = |count: &SiteCount| count.pairs.wrong + count.pairs.missed;
        let with_faults = self.by_site.into_iter().filter(|(_, count)| faults(count) > 0);
        let mut sites: Vec<(u64, SiteCount)> = with_faults.collect();
        let (faulty_sites, all) = (sites.len() as u64, self.all);
        sites.sort_unstable_by_key(|(site, count)| (std::cmp::Reverse(faults(count)), *site));
        sites.truncate(NAMED);
        let [wrong, missed] = [self.wrong, self.missed].map(Smallest::into_sorted);
        let pairs = wrong.iter().chain(&missed);
        let rows = pairs.flat_map(|pair| [pair.later, pair.earlier]);
        let rows = rows.chain(sites.iter().map(|(_, count)| count.example)).collect();
        let shown = found.shown((number, recipe), rows)?;
        let signatures = found.signatures()?;
        let pair = |pair: &RandomPair| -> Result<FaultyPair> {
            let (a, b) = (pair.earlier, pair.later);
            let ids = [signatures.id(a)?, signatures.id(b)?];
            let sides = [shown.get(&a), shown.get(&b)];
            let difference = match sides {
                [Some(a), Some(b)] => Some(a.difference(recipe.tokens, &ids[1], b)),
                _ => None,
            };
            let urls = sides.map(|side| side.and_then(|side| side.url.clone()));
            let [a, b] = ids;
            Ok(FaultyPair { a, b, urls, difference })
        };
        let named = |(_, count): &(u64, SiteCount)| {
            let url = shown.get(&count.example).and_then(|shown| shown.url.as_deref());
            let site = url.and_then(|url| rule.site(url)).map_or_else(String::new, Into::into);
            let share = |part: u64, of: u64| part as f64 / of.max(1) as f64;
            let PairCounts { returned, wrong, missed } = count.pairs;
            SiteFaults {
                site,
                pairs: returned,
                pair_share: share(returned, all.returned),
                wrong,
                wrong_share: share(wrong, all.wrong),
                missed,
                missed_share: share(missed, all.missed),
            }
        };
        Ok(Faults {
            sites: sites.iter().map(named).collect(),
            faulty_sites,
            wrong: wrong.iter().map(pair).collect::<Result<_>>()?,
            missed: missed.iter().map(pair).collect::<Result<_>>()?,
        })
    }
}

//! Candidates judged on several threads.

use std::ops::Range;

use lookalike_core::difference::{Bounded, BoundedDifference};
use lookalike_core::{Kernel, PairRule, Standing, Verdict};
use lookalike_files::Rows;

use super::contents::Contents;
use super::overlap::{Side, overlap};
use super::projections::Projections;
use super::refusals::Refusals;
use super::sequences::{Blocks, Tokens};
use crate::error::Result;
use crate::matching::{Candidate, Judge};
use crate::observe::Observer;
use crate::order::Order;
use crate::places::Row;
use crate::signature_file::SignatureLookup;
use crate::team;

/// Candidates that a thread judges at a time. Neighbours have a document in common, so it gets a stretch
/// of them; and threads take turns often enough that none waits long for another.
const BATCH: usize = 1 << 10;

/// What judging needs.
pub(crate) struct Verifying<'a> {
    pub(crate) rule: PairRule,
    pub(crate) kernel: Kernel,
    pub(crate) threads: usize,
    pub(crate) order: &'a Order,
    pub(crate) signatures: &'a SignatureLookup,
    /// The sites of rows, where they matter.
    pub(crate) sites: Option<Rows>,
    /// The projections, where signatures do not keep them.
    pub(crate) projections: Option<Projections<'a>>,
    /// What documents are compared by, where they are.
    pub(crate) contents: Option<Contents<'a>>,
    pub(crate) observer: &'a dyn Observer,
}

/// Judges candidates by the recipe.
pub(crate) struct Verifier<'a> {
    verifying: Verifying<'a>,
    /// Candidates that share a key, but for which the whole rule does not hold.
    pub(crate) beyond_the_rule: u64,
    pub(crate) refusals: Refusals,
}

impl<'a> Verifier<'a> {
    pub(crate) fn new(verifying: Verifying<'a>) -> Self {
        Self { verifying, beyond_the_rule: 0, refusals: Refusals::default() }
    }
}

impl Verifying<'_> {
    fn judge_one(&self, candidate: Candidate, bench: &mut Bench) -> Result<Standing> {
        let Self { rule, order, signatures, sites, projections, contents, .. } = self;
        let [a, b] = [candidate.earlier, candidate.later].map(|place| order.row(place));
        let standing = if rule.reads_signatures() {
            let [mut x, mut y] = [signatures.signature(a)?, signatures.signature(b)?];
            if let Some(projections) = projections {
                projections.complete(a, &mut x)?;
                projections.complete(b, &mut y)?;
            }
            rule.by_signatures(&x, &y, same_site(sites.as_ref(), a, b)?)
        } else {
            rule.of_candidate(|| None)
        };
        let contents = match (standing, contents) {
            (Standing::Open, Some(contents)) => contents,
            (standing, _) => return Ok(standing),
        };
        let ranges = [contents.range(a)?, contents.range(b)?];
        if rule.reads_sequences() {
            return Ok(Standing::Judged(self.by_difference(contents, ranges, bench)?));
        }
        if !rule.is_possible(ranges.clone().map(|range| range.end - range.start)) {
            return Ok(Standing::Judged(Verdict::Refused));
        }
        let [side_a, side_b] = &mut bench.sides;
        let overlap = overlap(self.kernel, contents, [side_a, side_b], ranges)?;
        let verdict = rule.by_overlap(overlap);
        // What is contained in nothing may resemble something: that is no near miss.
        if !verdict.is_accepted() && rule.goes_by_resemblance() {
            bench.refusals.add(a, b, &overlap);
        }
        Ok(Standing::Judged(verdict))
    }

    /// Judges by the tokens in their order.
    fn by_difference(
        &self,
        contents: &Contents<'_>,
        ranges: [Range<u64>; 2],
        bench: &mut Bench,
    ) -> Result<Verdict> {
        let rule = &self.rule;
        let tokens = ranges.clone().map(|range| range.end - range.start);
        let [blocks_a, blocks_b] = &mut bench.blocks;
        let [range_a, range_b] = ranges;
        let mut a = Tokens::new(contents, range_a, blocks_a);
        let mut b = Tokens::new(contents, range_b, blocks_b);
        let most = rule.most_terms(tokens);
        let found = match (a.whole()?, b.whole()?) {
            // Most documents are: nothing is to be looked up for each step of a walk.
            (Some(a), Some(b)) => bench.difference.of_slices(a, b, most),
            _ => bench.difference.of(&mut a, &mut b, most)?,
        };
        Ok(match found {
            Bounded::Terms(terms) => rule.by_difference(terms, tokens[0] + tokens[1]),
            Bounded::More => Verdict::Refused,
            Bounded::Undecided => {
                bench.refusals.undecided += 1;
                Verdict::Refused
            }
        })
    }

    fn judge_all(&self, candidates: Vec<Candidate>, bench: &mut Bench) -> Result<Judged> {
        let judge = |&candidate: &Candidate| self.judge_one(candidate, bench);
        let standings = candidates.iter().map(judge).collect::<Result<_>>()?;
        Ok(Judged { candidates, standings, refusals: std::mem::take(&mut bench.refusals) })
    }
}

/// Candidates and what was found of each.
struct Judged {
    candidates: Vec<Candidate>,
    standings: Vec<Standing>,
    refusals: Refusals,
}

/// What one thread judges with, and what it refused.
#[derive(Default)]
struct Bench {
    sides: [Side; 2],
    blocks: [Blocks; 2],
    difference: BoundedDifference,
    refusals: Refusals,
}

fn same_site(sites: Option<&Rows>, a: Row, b: Row) -> Result<bool> {
    let Some(sites) = sites else { return Ok(false) };
    let mut values = [[0; 8]; 2];
    sites.rows(a.into(), &mut values[0])?;
    sites.rows(b.into(), &mut values[1])?;
    // 0 is no site.
    Ok(values[0] == values[1] && values[0] != [0; 8])
}

impl Judge for Verifier<'_> {
    fn judge(
        &mut self,
        candidates: &mut dyn FnMut() -> Result<Option<Candidate>>,
        verdict: &mut dyn FnMut(Candidate, Verdict) -> Result<()>,
    ) -> Result<()> {
        let Self { verifying, beyond_the_rule, refusals } = self;
        let verifying = &*verifying;
        let worker = || {
            let mut bench = Bench::default();
            move |batch| verifying.judge_all(batch, &mut bench)
        };
        let take = |judged: Judged| {
            refusals.merge(judged.refusals);
            let count = judged.candidates.len() as u64;
            for (candidate, standing) in judged.candidates.into_iter().zip(judged.standings) {
                match standing {
                    Standing::Judged(given) => verdict(candidate, given)?,
                    Standing::Open => unreachable!("what may decide is there"),
                    Standing::NoCandidate => {
                        *beyond_the_rule += 1;
                        verdict(candidate, Verdict::Refused)?;
                    }
                }
            }
            verifying.observer.advance(0, count);
            Ok(())
        };
        team::in_order(verifying.threads, worker, take, |give| {
            loop {
                let mut batch = Vec::with_capacity(BATCH);
                while batch.len() < BATCH
                    && let Some(candidate) = candidates()?
                {
                    batch.push(candidate);
                }
                if batch.is_empty() {
                    return Ok(());
                }
                verifying.observer.check_cancelled()?;
                give(batch)?;
            }
        })
    }
}

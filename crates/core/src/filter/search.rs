//! The choice of `[k, s, r]` for a threshold and a recall.
//!
//! "Choosing the parameters is half science, half black magic" (Broder, section
//! 4). What can be computed here is: which filters let `recall` of the pairs at
//! the threshold through, and which of those is best. Fewest permutations alone
//! would be degenerate (`[2, 1, 1]` passes 96 % of pairs at 0.8, and 84 % at
//! 0.6), so a filter must also be useful: at three quarters of the threshold it
//! may pass at most `unwanted`; unless told otherwise a third, or the least that
//! is possible where a third is not (thresholds below about 0.7).
//!
//! Below about 0.5 the third is out of reach of any filter, and what costs is something
//! else: two texts of one language that have nothing to do with each other have a few
//! percent of their character shingles in common, and there are as many such pairs as
//! there are pairs. A filter of few features, `[32, 2, 1]` at 0.3, lets 8 % of them
//! through. So where 64 super-features cannot keep them out, more are allowed, up to
//! 512, and the fewest permutations that do win; `[369, 4, 1]` lets 0.2 % through.
//!
//! The one idea: for given `s` and `r` both the recall and the unwanted share
//! rise with `k`, so only the smallest `k` that reaches the recall can win; and
//! that `k` rises with `s`. The search walks `s` upward for each `r` and never
//! takes `k` back. A default search takes a tenth of a millisecond. `[k, s, k]`
//! with `k > 1` is left out: it is `[1, k s, 1]` with more features.

use std::cmp::Ordering;

use super::binomial::{self, Chance};
use super::{Error, Filter, Limit, MAX_FEATURES, MAX_PERMUTATIONS, choose};

/// Where candidates are unwanted, as a share of the threshold.
pub const UNWANTED_AT: f64 = 0.75;

/// The unwanted share that makes a filter useful, unless told otherwise.
const USEFUL: f64 = 1.0 / 3.0;

/// The super-features that a search goes by, unless told otherwise.
const FEW: u64 = 64;

/// Those that it goes up to where unrelated documents would meet under fewer. Each is a record
/// of 12 bytes when candidates are matched: 6 KiB a document, as much as a page of text.
const MANY: u64 = 512;

/// What unrelated documents resemble each other by at most, about: 0.034 at the mean and 0.09 at most
/// were measured for shingles of 7 characters of newspapers of one language, 0.006 for mixed prose.
const UNRELATED: f64 = 0.05;

/// The share of unrelated pairs that may meet before more super-features are spent on it.
const CHANCE: f64 = 0.001;

/// How far a search without a budget looks. Beyond it, signing costs more than
/// judging the candidates that it would save.
const SEARCH_PERMUTATIONS: u32 = 2048;

/// What a filter is wanted for, and what it may cost.
///
/// ```
/// use lookalike_core::filter::Search;
///
/// let found = Search::new(0.8, 0.95).run()?;
/// assert!(found.recall >= 0.95 && found.unwanted <= 1.0 / 3.0);
/// # Ok::<(), lookalike_core::filter::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// The resemblance from which pairs are wanted, in (0, 1].
    pub threshold: f64,
    /// The share of pairs at the threshold that must become candidates, in (0, 1).
    pub recall: f64,
    /// The share of pairs at [`UNWANTED_AT`] times the threshold that may become
    /// candidates, in (0, 1]. If it is not given: with a budget the least that it
    /// buys; else a third, or the least possible.
    pub unwanted: Option<f64>,
    /// A budget of permutations, which cost time.
    pub max_permutations: Option<u32>,
    /// A budget of bytes of features a document, which cost space.
    pub max_bytes: Option<u32>,
    /// The most records that a document may write when candidates are matched. If it is not
    /// given: 64, or up to 512 where with 64 no filter is useful and more than one in a thousand
    /// unrelated pairs would meet.
    pub max_super_features: Option<u64>,
}

/// The filter that a search chose, with what it does.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Found {
    /// The filter.
    pub filter: Filter,
    /// Its probability at the threshold.
    pub recall: f64,
    /// Its probability at `unwanted_at`.
    pub unwanted: f64,
    /// [`UNWANTED_AT`] times the threshold.
    pub unwanted_at: f64,
}

/// The limits of a search, made one number each.
struct Limits {
    permutations: u32,
    features: u32,
    super_features: u64,
}

impl Search {
    /// A search without a budget.
    pub fn new(threshold: f64, recall: f64) -> Self {
        Self {
            threshold,
            recall,
            unwanted: None,
            max_permutations: None,
            max_bytes: None,
            max_super_features: None,
        }
    }

    /// Chooses the filter.
    ///
    /// Without a budget, or with an `unwanted` share: the fewest permutations among
    /// the useful filters; then the steepest at the threshold; then the fewest
    /// features. With a budget of permutations or bytes alone: the smallest unwanted
    /// share that it buys; then as before. Where only more than 64 super-features keep
    /// unrelated pairs out, the fewest permutations among the filters that do.
    ///
    /// # Errors
    ///
    /// If a field is out of its range, or no filter within the limits gives the
    /// recall, or none that does keeps to the `unwanted` that was given. The error then
    /// says what can be had and what to raise.
    pub fn run(&self) -> Result<Found, Error> {
        self.check()?;
        let limits = self.limits(self.max_super_features.unwrap_or(FEW))?;
        let found = self.useful(&limits)?;
        // Who says how many, or what is good enough, does not want to spend more.
        let is_told = self.max_super_features.is_some() || self.unwanted.is_some();
        let keeps_apart = found.filter.probability(UNRELATED) <= CHANCE;
        if is_told || keeps_apart || found.unwanted <= USEFUL {
            return Ok(found);
        }
        let limits = self.limits(MANY)?;
        if self.has_budget() { self.useful(&limits) } else { Ok(self.apart(&limits, found)) }
    }

    /// The filter that is best by what it does at [`UNWANTED_AT`] times the threshold.
    fn useful(&self, limits: &Limits) -> Result<Found, Error> {
        let spend = self.has_budget() && self.unwanted.is_none();

        let mut best: Option<(Found, f64)> = None;
        let mut least: Option<Found> = None;
        self.each_candidate(limits, |filter| {
            let permutations = filter.permutations();
            if !spend && best.as_ref().is_some_and(|(b, _)| b.filter.permutations() < permutations)
            {
                return;
            }
            let found = self.found(filter);
            if least.is_none_or(|l| found.unwanted < l.unwanted) {
                least = Some(found);
            }
            if !spend && found.unwanted > self.unwanted.unwrap_or(USEFUL) {
                return;
            }
            let slope = filter.slope(self.threshold);
            let better = best.as_ref().is_none_or(|(other, other_slope)| {
                let by_share = found.unwanted.total_cmp(&other.unwanted);
                let by_cost = permutations
                    .cmp(&other.filter.permutations())
                    .then(other_slope.total_cmp(&slope))
                    .then(filter.k().cmp(&other.filter.k()));
                let order = if spend { by_share.then(by_cost) } else { by_cost };
                order == Ordering::Less
            });
            if better {
                best = Some((found, slope));
            }
        });

        match (best, least) {
            (Some((found, _)), _) => Ok(found),
            (None, Some(least)) => match self.unwanted {
                None => Ok(least),
                Some(unwanted) => Err(Error::UnwantedOutOfReach {
                    at: least.unwanted_at,
                    unwanted,
                    least: least.unwanted,
                    filter: least.filter,
                    max_super_features: limits.super_features,
                }),
            },
            (None, None) => Err(self.recall_out_of_reach(limits)?),
        }
    }

    /// The filter with the fewest permutations that keeps unrelated documents apart, or the one
    /// that does so best; `other` if there is none better.
    fn apart(&self, limits: &Limits, other: Found) -> Found {
        // What is better than good enough is not worth its permutations.
        let chance = |filter: Filter| filter.probability(UNRELATED).max(CHANCE);
        let mut best = (chance(other.filter), other.filter);
        self.each_candidate(limits, |filter| {
            let (least, found) = best;
            let met = chance(filter);
            let by_cost = filter.permutations().cmp(&found.permutations());
            if met.total_cmp(&least).then(by_cost) == Ordering::Less {
                best = (met, filter);
            }
        });
        self.found(best.1)
    }

    fn has_budget(&self) -> bool {
        self.max_permutations.is_some() || self.max_bytes.is_some()
    }

    /// Calls `visit` with the smallest filter that reaches the recall, for each
    /// `s` and `r` that the limits allow.
    fn each_candidate(&self, limits: &Limits, mut visit: impl FnMut(Filter)) {
        // One more feature in common takes at least one more group.
        let mut least = 1;
        for r in 1..=limits.features {
            let top = most_features(r, limits);
            if top == r && r > 1 {
                // Only [r, s, r] is left, for this r and for every larger one.
                break;
            }
            let mut k = least;
            for s in 1..=limits.permutations / r {
                let chance = Chance::of_group(self.threshold, s);
                let most = top.min(limits.permutations / s);
                while k <= most && binomial::at_least(k, r, chance) < self.recall {
                    k += 1;
                }
                if s == 1 {
                    least = k + 1;
                }
                if k > most {
                    break;
                }
                if k > r || k == 1 {
                    visit(Filter { k, s, r });
                }
            }
        }
    }

    fn found(&self, filter: Filter) -> Found {
        let unwanted_at = UNWANTED_AT * self.threshold;
        Found {
            filter,
            recall: filter.probability(self.threshold),
            unwanted: filter.probability(unwanted_at),
            unwanted_at,
        }
    }

    fn check(&self) -> Result<(), Error> {
        // Written so that NaN fails.
        if !(self.threshold > 0.0 && self.threshold <= 1.0) {
            return Err(Error::Threshold(self.threshold));
        }
        if !(self.recall > 0.0 && self.recall < 1.0) {
            return Err(Error::Recall(self.recall));
        }
        if let Some(unwanted) = self.unwanted
            && !(unwanted > 0.0 && unwanted <= 1.0)
        {
            return Err(Error::Unwanted(unwanted));
        }
        Ok(())
    }

    fn limits(&self, super_features: u64) -> Result<Limits, Error> {
        let permutations = self.max_permutations.unwrap_or(SEARCH_PERMUTATIONS);
        let bytes = self.max_bytes.unwrap_or(u32::MAX);
        if permutations == 0 || bytes < 8 || super_features == 0 {
            return Err(Error::Budget { permutations, bytes, super_features });
        }
        let permutations = permutations.min(MAX_PERMUTATIONS);
        Ok(Limits {
            permutations,
            features: (bytes / 8).min(MAX_FEATURES).min(permutations),
            super_features,
        })
    }

    /// The best recall within the limits is that of as many features as they
    /// allow, of one minvalue each, of which one suffices.
    fn recall_out_of_reach(&self, limits: &Limits) -> Result<Error, Error> {
        let k = most_features(1, limits);
        let filter = Filter::new(k, 1, 1)?;
        let limit = if u64::from(k) == limits.super_features {
            Limit::SuperFeatures(limits.super_features)
        } else if self.max_bytes.is_some_and(|bytes| bytes / 8 == k) {
            Limit::Bytes(8 * k)
        } else if self.max_permutations == Some(k) {
            Limit::Permutations(k)
        } else {
            Limit::Fixed
        };
        Ok(Error::RecallOutOfReach {
            threshold: self.threshold,
            recall: self.recall,
            best: filter.probability(self.threshold),
            filter,
            limit,
        })
    }
}

/// The largest `k` with `C(k, r)` within the limit, which rises with `k`.
fn most_features(r: u32, limits: &Limits) -> u32 {
    let (mut low, mut high) = (r, limits.features);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if choose(middle, r) <= limits.super_features {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

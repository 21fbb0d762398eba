//! What the filter refuses, and what it says.

use super::{Filter, MAX_FEATURES, MAX_LISTS, MAX_PERMUTATIONS};

/// A set of parameters that is no filter, or a wish that no filter meets.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// `k`, `s` and `r` do not make a filter.
    #[error("filter [{k}, {s}, {r}]: {}", fault(*k, *s, *r))]
    Parameters {
        /// Groups.
        k: u32,
        /// Minvalues a group.
        s: u32,
        /// Features in common.
        r: u32,
    },
    /// A threshold that is not in (0, 1].
    #[error("threshold {0} is not above 0 and at most 1")]
    Threshold(f64),
    /// A recall that is not in (0, 1).
    #[error("recall {0} is not above 0 and below 1")]
    Recall(f64),
    /// A share of unwanted candidates that is not in (0, 1].
    #[error("share of unwanted candidates {0} is not above 0 and at most 1")]
    Unwanted(f64),
    /// A budget in which not even one feature of one minvalue fits.
    #[error(
        "no filter fits into {permutations} permutations, {bytes} bytes and {super_features} \
         super-features a document: the least is 1, 8 and 1"
    )]
    Budget {
        /// Permutations allowed.
        permutations: u32,
        /// Bytes allowed per document.
        bytes: u32,
        /// Super-features allowed per document.
        super_features: u64,
    },
    /// No filter within the limits finds enough of what is wanted.
    #[error(
        "recall {recall} at a resemblance of {threshold} is out of reach: the best is {best:.4}, \
         by {filter}\nhint: {}",
        limit.hint()
    )]
    RecallOutOfReach {
        /// The resemblance asked for.
        threshold: f64,
        /// The recall asked for there.
        recall: f64,
        /// The most that the limits allow.
        best: f64,
        /// The filter that gives it.
        filter: Filter,
        /// The limit to raise.
        limit: Limit,
    },
    /// Filters within the limits find what is wanted, and too much else.
    #[error(
        "no filter lets at most {unwanted:.4} of the pairs of resemblance {at:.4} through: the least \
         is {least:.4}, by {filter}, within {max_super_features} super-features a document\n\
         hint: raise that share, or leave it out and get the best that a budget of permutations or \
         bytes buys"
    )]
    UnwantedOutOfReach {
        /// The resemblance at which candidates are not wanted.
        at: f64,
        /// The share allowed there.
        unwanted: f64,
        /// The least that the limits allow.
        least: f64,
        /// The filter that gives it.
        filter: Filter,
        /// The super-features that the search was allowed.
        max_super_features: u64,
    },
    /// A number of lists that is 0 or above [`MAX_LISTS`].
    #[error("{0} lists: the number of lists is from 1 to {MAX_LISTS}")]
    Lists(u32),
}

/// The limit that keeps a search from its aim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// `max_permutations`, with its value.
    Permutations(u32),
    /// `max_bytes`, with its value.
    Bytes(u32),
    /// `max_super_features`, with its value.
    SuperFeatures(u64),
    /// [`MAX_FEATURES`] or the search's own bound: nothing can be raised.
    Fixed,
}

impl Limit {
    /// What to do about it.
    fn hint(self) -> String {
        match self {
            Self::Permutations(n) => format!("raise the {n} permutations"),
            Self::Bytes(n) => format!("raise the {n} bytes a document"),
            Self::SuperFeatures(_) | Self::Fixed => {
                "lower the recall or raise the threshold".to_owned()
            }
        }
    }
}

/// Why they do not make a filter.
fn fault(k: u32, s: u32, r: u32) -> String {
    if k == 0 || s == 0 || r == 0 {
        "k, s and r are at least 1".to_owned()
    } else if r > k {
        format!("r = {r} is above k = {k}")
    } else if k > MAX_FEATURES {
        format!("k = {k} is above {MAX_FEATURES}")
    } else {
        format!("k s = {} is above {MAX_PERMUTATIONS}", u64::from(k) * u64::from(s))
    }
}

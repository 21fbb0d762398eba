//! What the filter refuses, and what it says.

use std::fmt;

use super::{Filter, MAX_FEATURES, MAX_LISTS, MAX_PERMUTATIONS};

/// A set of parameters that is no filter, or a wish that no filter meets.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// `k`, `s` and `r` do not make a filter.
    Parameters {
        /// Groups.
        k: u32,
        /// Minvalues a group.
        s: u32,
        /// Features in common.
        r: u32,
    },
    /// A threshold that is not in (0, 1].
    Threshold(f64),
    /// A recall that is not in (0, 1).
    Recall(f64),
    /// A share of unwanted candidates that is not in (0, 1].
    Unwanted(f64),
    /// A budget in which not even one feature of one minvalue fits.
    Budget {
        /// Permutations allowed.
        permutations: u32,
        /// Bytes allowed per document.
        bytes: u32,
        /// Super-features allowed per document.
        super_features: u64,
    },
    /// No filter within the limits finds enough of what is wanted.
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Parameters { k, s, r } => parameters(f, k, s, r),
            Self::Threshold(value) => {
                write!(f, "threshold {value} is not above 0 and at most 1")
            }
            Self::Recall(value) => write!(f, "recall {value} is not above 0 and below 1"),
            Self::Unwanted(value) => {
                write!(f, "share of unwanted candidates {value} is not above 0 and at most 1")
            }
            Self::Budget { permutations, bytes, super_features } => write!(
                f,
                "no filter fits into {permutations} permutations, {bytes} bytes and \
                 {super_features} super-features a document: the least is 1, 8 and 1"
            ),
            Self::RecallOutOfReach { threshold, recall, best, filter, limit } => {
                write!(
                    f,
                    "recall {recall} at a resemblance of {threshold} is out of reach: \
                     the best is {best:.4}, by {filter}"
                )?;
                match limit {
                    Limit::Permutations(n) => write!(f, "\nhint: raise the {n} permutations"),
                    Limit::Bytes(n) => write!(f, "\nhint: raise the {n} bytes a document"),
                    Limit::SuperFeatures(_) | Limit::Fixed => {
                        write!(f, "\nhint: lower the recall or raise the threshold")
                    }
                }
            }
            Self::UnwantedOutOfReach { at, unwanted, least, filter, max_super_features } => write!(
                f,
                "no filter lets at most {unwanted:.4} of the pairs of resemblance {at:.4} \
                 through: the least is {least:.4}, by {filter}, within {max_super_features} \
                 super-features a document\n\
                 hint: raise that share, or leave it out and get the best that a budget of \
                 permutations or bytes buys"
            ),
            Self::Lists(n) => write!(f, "{n} lists: the number of lists is from 1 to {MAX_LISTS}"),
        }
    }
}

fn parameters(f: &mut fmt::Formatter<'_>, k: u32, s: u32, r: u32) -> fmt::Result {
    if k == 0 || s == 0 || r == 0 {
        write!(f, "filter [{k}, {s}, {r}]: k, s and r are at least 1")
    } else if r > k {
        write!(f, "filter [{k}, {s}, {r}]: r = {r} is above k = {k}")
    } else if k > MAX_FEATURES {
        write!(f, "filter [{k}, {s}, {r}]: k = {k} is above {MAX_FEATURES}")
    } else {
        let permutations = u64::from(k) * u64::from(s);
        write!(f, "filter [{k}, {s}, {r}]: k s = {permutations} is above {MAX_PERMUTATIONS}")
    }
}

impl std::error::Error for Error {}

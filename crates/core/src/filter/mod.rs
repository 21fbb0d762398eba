//! The filter: when does a shared feature make a candidate?
//!
//! A sketch of `k s` minvalues is cut into `k` groups of `s`. A group of two
//! documents of resemblance `x` agrees with probability `x^s`; they become a
//! candidate if at least `r` groups agree, with probability
//!
//! ```text
//! P(x) = sum over i from r to k of C(k, i) x^(s i) (1 - x^s)^(k - i)
//! ```
//!
//! (Broder, section 3). For suitable `[k, s, r]` that is a sharp step. This
//! module evaluates it in both tails, says where the step is and how steep, and
//! chooses `[k, s, r]` for a threshold and a recall ([`Search`]). [`lists_share`] and
//! [`lists_accept`] answer the same questions for lists of words (Pugh).
//!
//! Everything costs microseconds, but a search, which costs milliseconds.
//! Logarithms may differ in their last bit between platforms, so a probability
//! may too; what signatures depend on is `[k, s, r]`, three whole numbers.
//!
//! ```
//! use lookalike_core::filter::Filter;
//!
//! let altavista = Filter::new(6, 14, 2)?;
//! assert!(altavista.miss(0.99) < 0.00022);
//! assert!(altavista.probability(0.77) < 0.01);
//! assert_eq!(altavista.bytes_per_document(), 48);
//! # Ok::<(), lookalike_core::filter::Error>(())
//! ```

use std::fmt;

mod binomial;
mod lists;
mod search;

use binomial::Chance;

pub use lists::{lists_accept, lists_share};
pub use search::{Found, Search, UNWANTED_AT};

/// The most groups of a filter: 32 KiB of features a document.
pub const MAX_FEATURES: u32 = 4096;

/// Most super-features of a document, C(k, r), by which documents are grouped: each is a key that they are
/// sorted and looked up by. As many as there may be features. Where there would be more, features in common
/// are counted.
pub const MAX_SUPER_FEATURES: u64 = MAX_FEATURES as u64;

/// The most permutations of a filter: more would make signing a document of a
/// thousand words take a tenth of a second.
pub const MAX_PERMUTATIONS: u32 = 65_536;

/// The most lists: at this number a probability still costs 10 ms.
pub const MAX_LISTS: u32 = 1024;

/// `k` groups of `s` minvalues, of which `r` must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(alias = "LSH")]
#[doc(alias = "bands")]
pub struct Filter {
    k: u32,
    s: u32,
    r: u32,
}

impl Filter {
    /// A filter of `k` features, each of `s` minvalues, that wants `r` in common.
    ///
    /// # Errors
    ///
    /// Unless `1 <= r <= k <=` [`MAX_FEATURES`], `s >= 1` and
    /// `k s <=` [`MAX_PERMUTATIONS`].
    pub fn new(k: u32, s: u32, r: u32) -> Result<Self, Error> {
        let fits = k.checked_mul(s).is_some_and(|n| n <= MAX_PERMUTATIONS);
        if s >= 1 && (1..=k).contains(&r) && k <= MAX_FEATURES && fits {
            Ok(Self { k, s, r })
        } else {
            Err(Error::Parameters { k, s, r })
        }
    }

    /// The number of features.
    pub fn k(&self) -> u32 {
        self.k
    }

    /// The number of minvalues in a feature.
    pub fn s(&self) -> u32 {
        self.s
    }

    /// The number of features that a candidate has in common.
    pub fn r(&self) -> u32 {
        self.r
    }

    /// The permutations that the sketch needs: `k s`.
    pub fn permutations(&self) -> u32 {
        self.k * self.s
    }

    /// The bytes of a document's features: 8 each.
    pub fn bytes_per_document(&self) -> u32 {
        8 * self.k
    }

    /// The records a document writes when every `r` features become one, so
    /// that sharing one suffices: `C(k, r)`, or `u64::MAX` if it is larger.
    pub fn super_features(&self) -> u64 {
        choose(self.k, self.r)
    }

    /// The probability that two documents of resemblance `x` become a candidate.
    ///
    /// Accurate relative to its size however small it is, until it underflows.
    /// An `x` outside [0, 1] counts as the nearer end; NaN gives NaN.
    pub fn probability(&self, x: f64) -> f64 {
        binomial::at_least(self.k, self.r, self.group_chance(x))
    }

    /// The probability that they do not: `1 - probability(x)`, but computed
    /// from its own tail, so that it is accurate however small it is.
    pub fn miss(&self, x: f64) -> f64 {
        binomial::fewer_than(self.k, self.r, self.group_chance(x))
    }

    /// The derivative of [`probability`](Self::probability) at `x`.
    ///
    /// The sum's derivative telescopes to one term:
    /// `r C(k, r) q^(r-1) (1-q)^(k-r) s x^(s-1)` with `q = x^s`.
    pub fn slope(&self, x: f64) -> f64 {
        let x = x.clamp(0.0, 1.0);
        let product = f64::from(self.r) * f64::from(self.s);
        if x <= 0.0 {
            // x^(r s - 1) vanishes, but for r = s = 1.
            return if product > 1.0 { 0.0 } else { f64::from(self.k) };
        }
        if x >= 1.0 {
            // (1 - q)^(k - r) vanishes, but for r = k.
            return if self.r < self.k { 0.0 } else { product };
        }
        product / x * binomial::exactly(self.k, self.r, self.group_chance(x))
    }

    /// The resemblance at which half of the pairs become candidates.
    pub fn half_point(&self) -> f64 {
        // P rises strictly from 0 to 1, and 64 halvings exhaust an f64.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..64 {
            let middle = f64::midpoint(low, high);
            if self.probability(middle) < 0.5 {
                low = middle;
            } else {
                high = middle;
            }
        }
        f64::midpoint(low, high)
    }

    /// The resemblance for which this `s` gives `x^s` its steepest slope among
    /// all `s`: `e^(-1/s)` (Broder's equation 3, solved for the resemblance).
    pub fn steepest_at(&self) -> f64 {
        (-1.0 / f64::from(self.s)).exp()
    }

    /// The resemblance at which the filter itself is steepest.
    ///
    /// Setting the derivative of the logarithm of [`slope`](Self::slope) to
    /// zero gives `x^s = (r s - 1) / (k s - 1)`. For `k s = 1`, where P(x) = x
    /// is equally steep everywhere, 1.
    pub fn filter_steepest_at(&self) -> f64 {
        if self.permutations() == 1 {
            return 1.0;
        }
        let q = f64::from(self.r * self.s - 1) / f64::from(self.permutations() - 1);
        q.powf(1.0 / f64::from(self.s))
    }

    /// The probability that one group agrees: `x^s`.
    pub fn feature_probability(&self, x: f64) -> f64 {
        self.group_chance(x).q
    }

    /// The features that two documents of resemblance `x` have in common on average: `k x^s`. Broder
    /// takes `r` to be about that at the threshold.
    pub fn features_in_common(&self, x: f64) -> f64 {
        f64::from(self.k) * self.feature_probability(x)
    }

    /// The total error of the filter at a threshold, if all resemblances were equally frequent: of all pairs, the share
    /// that becomes a candidate below it, and the share that is missed above it. Their sum is
    /// least at the [half point](Self::half_point).
    pub fn error(&self, threshold: f64) -> [f64; 2] {
        let threshold = threshold.clamp(0.0, 1.0);
        [
            self.integral(0.0..threshold, |x| self.probability(x)),
            self.integral(threshold..1.0, |x| self.miss(x)),
        ]
    }

    /// How many pairs of so many documents, which have nothing in common, are expected to become candidates
    /// because fingerprints of [`FINGERPRINT_BITS`] agree by chance.
    ///
    /// Where documents are grouped by super-features, one collision makes a pair; where features in
    /// common are counted, it takes r.
    pub fn pairs_by_chance(&self, documents: u64) -> f64 {
        let documents = documents as f64;
        let pairs = documents * (documents - 1.0).max(0.0) / 2.0;
        let each = (-f64::from(FINGERPRINT_BITS)).exp2();
        // Every key of one with every key of the other.
        let of_keys = |keys: f64| keys * keys * each;
        if self.super_features() <= MAX_SUPER_FEATURES {
            return pairs * of_keys(self.super_features() as f64);
        }
        let rate = of_keys(f64::from(self.k));
        pairs * (1..=self.r).fold(1.0, |chance, i| chance * rate / f64::from(i))
    }

    /// `n` points `(x, probability(x))`, evenly spaced from 0 to 1, both
    /// included. One point is `(0, 0)`.
    pub fn curve(&self, n: usize) -> Vec<(f64, f64)> {
        let last = n.saturating_sub(1).max(1) as f64;
        (0..n).map(|i| i as f64 / last).map(|x| (x, self.probability(x))).collect()
    }

    /// By Simpson's rule. The step of the curve is as wide as 1 / (s sqrt(k)), which is some parts.
    fn integral(&self, range: std::ops::Range<f64>, f: impl Fn(f64) -> f64) -> f64 {
        let parts = 2 * (512 + (8.0 * f64::from(self.s) * f64::from(self.k).sqrt()) as u32);
        let part = (range.end - range.start) / f64::from(parts);
        let at = |n: u32| f(range.start + f64::from(n) * part);
        let weight = |n: u32| if n % 2 == 1 { 4.0 } else { 2.0 };
        let inner: f64 = (1..parts).map(|n| weight(n) * at(n)).sum();
        (at(0) + inner + at(parts)) * part / 3.0
    }

    fn group_chance(&self, x: f64) -> Chance {
        Chance::of_group(x.clamp(0.0, 1.0), self.s)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}, {}]", self.k, self.s, self.r)
    }
}

/// Bits of a fingerprint.
pub const FINGERPRINT_BITS: u32 = 64;

/// The bits that fingerprints of so many documents should have, so that hardly any two agree by chance:
/// 2 log2 m + 20 (Broder, section 2). Then one pair in two million is expected to.
pub fn fingerprint_bits(documents: u64) -> f64 {
    2.0 * (documents.max(1) as f64).log2() + 20.0
}

/// The documents for which [`FINGERPRINT_BITS`] are enough by that rule.
pub const ENOUGH_FOR: u64 = 1 << ((FINGERPRINT_BITS - 20) / 2);

/// `C(k, r)`, or `u64::MAX` if it does not fit; 0 for `r > k`.
fn choose(k: u32, r: u32) -> u64 {
    if r > k {
        return 0;
    }
    let mut value = 1_u64;
    for i in 0..u64::from(r.min(k - r)) {
        // C(k, i + 1) from C(k, i), exact at each step; the values only rise
        // up to the middle, so an overflow is final.
        let wide = u128::from(value) * u128::from(u64::from(k) - i) / u128::from(i + 1);
        match u64::try_from(wide) {
            Ok(next) => value = next,
            Err(_) => return u64::MAX,
        }
    }
    value
}

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

//! Tails of the binomial distribution, accurate relative to their own size.
//!
//! The one idea: each tail is summed outward from its boundary, where its terms
//! only fall, and only when the boundary lies beyond the mean; otherwise it is
//! one minus the other tail, which is then the small one. Neither a tail of
//! 1e-100 nor a tail of 1 - 1e-100 is ever the difference of two near-equal
//! numbers. The first term comes from Stirling's series, the others from the
//! ratio of neighbours, so that no binomial coefficient is ever formed and
//! 4096 trials do not overflow.
//!
//! Cost: about four logarithms and O(sqrt(n)) multiplications. Relative error
//! below 1e-11 for a thousand trials (the tests hold it to that).

/// A success probability with its complement and its logarithm.
///
/// Both sides are kept because `1 - q` loses everything when `q` is near 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance {
    /// Success.
    pub(super) q: f64,
    /// Failure, `1 - q`.
    pub(super) p: f64,
    /// `ln q`: stays finite where `q` underflows.
    pub(super) ln_q: f64,
}

impl Chance {
    /// The chance that all `s` minvalues of a group agree at resemblance `x`: `x^s`.
    pub(super) fn of_group(x: f64, s: u32) -> Self {
        let ln_q = f64::from(s) * x.ln();
        Self { q: ln_q.exp(), p: -ln_q.exp_m1(), ln_q }
    }

    /// A chance of which both sides are known.
    pub(super) fn of_sides(q: f64, p: f64) -> Self {
        // Near 1 the small side carries the digits.
        Self { q, p, ln_q: if q > 0.5 { (-p).ln_1p() } else { q.ln() } }
    }

    fn ln_p(self) -> f64 {
        if self.p > 0.5 { (-self.q).ln_1p() } else { self.p.ln() }
    }

    fn is_nan(self) -> bool {
        self.q.is_nan() || self.p.is_nan()
    }
}

/// The probability of `r` or more successes in `n` trials.
pub(super) fn at_least(n: u32, r: u32, chance: Chance) -> f64 {
    tails(n, r, chance)[0]
}

/// The probability of fewer than `r` successes in `n` trials.
pub(super) fn fewer_than(n: u32, r: u32, chance: Chance) -> f64 {
    tails(n, r, chance)[1]
}

/// Both, each with all the digits that it has.
fn tails(n: u32, r: u32, chance: Chance) -> [f64; 2] {
    if chance.is_nan() {
        [f64::NAN; 2]
    } else if r == 0 || (r <= n && chance.p <= 0.0) {
        [1.0, 0.0]
    } else if r > n || chance.q <= 0.0 {
        [0.0, 1.0]
    } else if beyond_mean(n, r, chance) {
        let tail = rising_tail(n, r, chance);
        [tail, 1.0 - tail]
    } else {
        let tail = falling_tail(n, r, chance);
        [1.0 - tail, tail]
    }
}

/// The mean and the median are less than one apart, so the tail that starts
/// beyond the mean is never the one that is nearly 1.
fn beyond_mean(n: u32, r: u32, chance: Chance) -> bool {
    f64::from(r) > f64::from(n) * chance.q
}

/// Sum of the terms r, r+1, ..., n, which fall from the first one on.
fn rising_tail(n: u32, r: u32, chance: Chance) -> f64 {
    let odds = chance.q / chance.p;
    let mut term = exactly(n, r, chance);
    let mut sum = term;
    for i in r..n {
        term *= f64::from(n - i) / f64::from(i + 1) * odds;
        if term <= sum * f64::EPSILON / 16.0 {
            break;
        }
        sum += term;
    }
    sum.min(1.0)
}

/// Sum of the terms r-1, r-2, ..., 0, which fall from the first one on.
fn falling_tail(n: u32, r: u32, chance: Chance) -> f64 {
    let odds = chance.p / chance.q;
    let mut term = exactly(n, r - 1, chance);
    let mut sum = term;
    for i in (1..r).rev() {
        term *= f64::from(i) / f64::from(n - i + 1) * odds;
        if term <= sum * f64::EPSILON / 16.0 {
            break;
        }
        sum += term;
    }
    sum.min(1.0)
}

/// The probability of exactly `i` successes in `n` trials, for `i <= n`.
pub(super) fn exactly(n: u32, i: u32, chance: Chance) -> f64 {
    if i == 0 {
        return if n == 0 { 1.0 } else { (f64::from(n) * chance.ln_p()).exp() };
    }
    if i == n {
        return (f64::from(n) * chance.ln_q).exp();
    }
    // Stirling's formula for the three factorials, with the powers taken
    // together: what remains is the distance of i from n q and of n - i from
    // n p, both of which are small where the term is not.
    let (total, hits, fails) = (f64::from(n), f64::from(i), f64::from(n - i));
    let hit_part = hits * ((hits / total).ln() - chance.ln_q);
    let fail_part = fails * ((fails / total).ln() - chance.ln_p());
    let corrections = stirling_error(n) - stirling_error(i) - stirling_error(n - i);
    let scale = (total / (std::f64::consts::TAU * hits * fails)).sqrt();
    scale * (corrections - hit_part - fail_part).exp()
}

/// `ln n! - (n ln n - n + ln(2 pi n) / 2)`: what Stirling's formula lacks.
fn stirling_error(n: u32) -> f64 {
    let x = f64::from(n);
    if n < 16 {
        // 15! is exact in an f64; the series is not yet good enough.
        let factorial: f64 = (2..=n).map(f64::from).product();
        return factorial.ln() - (x * x.ln() - x + 0.5 * (std::f64::consts::TAU * x).ln());
    }
    // The first omitted term is 1 / (1188 n^9): below 2e-14 from 16 on.
    let square = x * x;
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square) / x
}

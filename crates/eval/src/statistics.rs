//! The few statistics that an evaluation needs, each by its textbook form.

use serde::Serialize;

/// The standard normal quantile of a 95 % interval.
const Z: f64 = 1.959_963_984_540_054;

/// Things counted, each with a weight: 1, unless they are a sample that was not drawn evenly.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Count {
    /// How many there are.
    pub(crate) number: u64,
    /// The sum of their weights: how many they stand for.
    pub(crate) weight: f64,
    /// The sum of the squares of their weights.
    squares: f64,
}

impl Count {
    /// So many of the weight 1.
    pub(crate) fn even(number: u64) -> Self {
        Self { number, weight: number as f64, squares: number as f64 }
    }

    pub(crate) fn add(&mut self, weight: f64) {
        self.number += 1;
        self.weight += weight;
        self.squares += weight * weight;
    }

    /// Those that are not in a part of them.
    pub(crate) fn without(self, part: Self) -> Self {
        Self {
            number: self.number - part.number,
            // Rounding must not make less than nothing.
            weight: (self.weight - part.weight).max(0.0),
            squares: (self.squares - part.squares).max(0.0),
        }
    }

    /// Kish's effective size: the size of an even sample that says as much.
    fn effective(self) -> f64 {
        if self.squares > 0.0 { self.weight * self.weight / self.squares } else { 0.0 }
    }
}

impl std::ops::Add for Count {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.number += other.number;
        self.weight += other.weight;
        self.squares += other.squares;
    }
}

/// A share with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Share {
    /// How many there are, as counted.
    pub number: u64,
    /// The share; weighted, if there are weights.
    pub share: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Share {
    /// The share of a part in a whole, with Wilson's interval; `None` of nothing.
    pub(crate) fn of(part: Count, whole: Count) -> Option<Self> {
        if whole.weight <= 0.0 {
            return None;
        }
        let share = (part.weight / whole.weight).clamp(0.0, 1.0);
        let (low, high) = wilson(share, whole.effective());
        Some(Self { number: part.number, share, low, high })
    }

    /// How many of a number of things are of a kind, with Wilson's interval; `None` of nothing.
    pub fn of_numbers(part: u64, whole: u64) -> Option<Self> {
        Self::of(Count::even(part), Count::even(whole))
    }

    /// The harmonic mean of precision and recall; `None` if nothing is to be found.
    ///
    /// It is 2 p / (1 + p), where p is the share of the right in all that are right, wrong or
    /// missed, and so are the ends of its interval.
    pub(crate) fn f1(right: Count, wrong: Count, missed: Count) -> Option<Self> {
        if right.number + missed.number == 0 {
            return None;
        }
        let mut all = right;
        all += wrong;
        all += missed;
        let Self { number, share, low, high } = Self::of(right, all)?;
        let [share, low, high] = [share, low, high].map(|p| 2.0 * p / (1.0 + p));
        Some(Self { number, share, low, high })
    }

    /// The same without doubt.
    pub(crate) fn certain(self) -> Self {
        Self { low: self.share, high: self.share, ..self }
    }

    /// How many `ours` are for one of `theirs`, if `common` are in both; `None` of nothing.
    ///
    /// What is within `theirs` is a share of it. Else it may exceed 1, and the interval is that of
    /// the ratio of two paired counts, on the scale of logarithms.
    pub(crate) fn ratio(ours: Count, theirs: Count, common: Count) -> Option<Self> {
        if ours.number == common.number {
            return Self::of(ours, theirs);
        }
        if theirs.weight <= 0.0 {
            return None;
        }
        let share = ours.weight / theirs.weight;
        // Weights count as many as they are worth in an even sample.
        let mut all = ours;
        all += theirs;
        let worth = if all.squares > 0.0 { all.weight / all.squares } else { 1.0 };
        let [a, b, c] = [ours, theirs, common].map(|count| count.weight * worth);
        let spread = Z * ((a + b - 2.0 * c).max(0.0) / (a * b)).sqrt();
        Some(Self {
            number: ours.number,
            share,
            low: share * (-spread).exp(),
            high: share * spread.exp(),
        })
    }
}

/// The mean of a number over the seeds of random choices, with its 95 % interval: Student's, of as
/// many values as there are seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SeedMean {
    /// The mean.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The standard deviation between seeds.
    pub deviation: f64,
    /// The number for each seed, in order.
    pub values: Vec<f64>,
}

/// Student's quantile at 0.975 for 1 degree of freedom and on.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

impl SeedMean {
    /// Of shares, one a seed; `None` of fewer than two, which say nothing of others.
    pub fn of(values: &[f64]) -> Option<Self> {
        let n = values.len() as f64;
        // Beyond the table the last one, which is a little too wide.
        let student = STUDENT.get(values.len().checked_sub(2)?).unwrap_or(&STUDENT[29]);
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let deviation = (squares / (n - 1.0)).sqrt();
        let spread = student * deviation / n.sqrt();
        // A share is within 0 and 1, and rounding must not put the mean outside.
        let (low, high) =
            ((mean - spread).clamp(0.0, mean), (mean + spread).clamp(mean, 1.0_f64.max(mean)));
        Some(Self { mean, low, high, deviation, values: values.to_vec() })
    }
}

/// Wilson's 95 % interval of a share that was observed in `n` trials.
pub(crate) fn wilson(share: f64, n: f64) -> (f64, f64) {
    if n <= 0.0 {
        return (0.0, 1.0);
    }
    let square = Z * Z / n;
    let middle = (share + square / 2.0) / (1.0 + square);
    let spread = Z / (1.0 + square) * (share * (1.0 - share) / n + square / (4.0 * n)).sqrt();
    // Rounding must not put the share itself outside.
    ((middle - spread).clamp(0.0, share), (middle + spread).clamp(share, 1.0))
}

/// The mean of weighted values; `None` of none.
pub(crate) fn mean(values: &[(u64, f64)]) -> Option<f64> {
    let weight: f64 = values.iter().map(|(_, weight)| weight).sum();
    let sum: f64 = values.iter().map(|&(value, weight)| value as f64 * weight).sum();
    (weight > 0.0).then(|| sum / weight)
}

/// The least of ascending weighted values that at least the share `q` of the weight does not
/// exceed; `None` of none.
pub(crate) fn quantile(values: &[(u64, f64)], q: f64) -> Option<u64> {
    let weight: f64 = values.iter().map(|(_, weight)| weight).sum();
    // A little less, so that the sum of rounded weights is reached.
    let wanted = weight * q * (1.0 - 1e-12);
    let mut sum = 0.0;
    let reached = values.iter().find(|(_, weight)| {
        sum += weight;
        sum >= wanted
    });
    reached.or(values.last()).map(|(value, _)| *value)
}

/// A power law fitted to how many nodes have which degree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PowerLaw {
    /// The exponent of greatest likelihood: nodes of degree d are as d to this power, for every
    /// degree from 1 to the largest that is possible.
    pub exponent: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The straight line of least squares through the points of the log-log plot: its slope, as
    /// papers have it.
    pub line_slope: f64,
    /// The logarithm to base 10 of the number of nodes that it has at degree 1.
    pub line_intercept: f64,
    /// How much of the spread of the points' logarithms the line explains, from 0 to 1: R squared.
    pub r_squared: f64,
    /// How far the points are from the line: the root of the mean square of their distances, as
    /// logarithms to base 10.
    pub spread: f64,
}

impl PowerLaw {
    /// Of degrees and how many nodes have each, where no node could have more than `largest`.
    /// `None` unless there are two degrees.
    pub(crate) fn fit(counts: &[[u64; 2]], largest: u64) -> Option<Self> {
        if counts.len() < 2 {
            return None;
        }
        let nodes: f64 = counts.iter().map(|[_, nodes]| *nodes as f64).sum();
        let logarithms = counts.iter().map(|&[degree, nodes]| (degree as f64).ln() * nodes as f64);
        let wanted = logarithms.sum::<f64>() / nodes;
        // The expected logarithm falls as the exponent a of 1 / d^a rises.
        let (mut low, mut high) = (-20.0, 60.0);
        for _ in 0..80 {
            let middle = f64::midpoint(low, high);
            if moments(middle, largest).0 > wanted { low = middle } else { high = middle }
        }
        let exponent = f64::midpoint(low, high);
        let variance = moments(exponent, largest).1;
        let line = Line::through(counts);
        Some(Self {
            exponent: -exponent,
            standard_error: 1.0 / (nodes * variance).sqrt(),
            line_slope: line.slope,
            line_intercept: line.intercept,
            r_squared: line.r_squared,
            spread: line.spread,
        })
    }
}

/// Degrees that are summed one by one; above, in steps that grow with the degree.
const SINGLE: u64 = 10_000;

/// The mean and the variance of ln d where d is as often as d^-a, for d from 1 to `largest`.
fn moments(a: f64, largest: u64) -> (f64, f64) {
    // Relative to the largest term, so that nothing overflows.
    let reference = if a < 0.0 { -a * (largest as f64).ln() } else { 0.0 };
    let mut sums = [0.0; 3];
    let mut add = |degree: f64, times: f64| {
        let logarithm = degree.ln();
        let weight = times * (-a * logarithm - reference).exp();
        for (sum, value) in sums.iter_mut().zip([1.0, logarithm, logarithm * logarithm]) {
            *sum += weight * value;
        }
    };
    for degree in 1..=largest.min(SINGLE) {
        add(degree as f64, 1.0);
    }
    let mut from = SINGLE + 1;
    while from <= largest {
        // A thousandth of the degree: what is summed is straight within that.
        let to = (from + from / 1000).min(largest + 1);
        add(f64::midpoint(from as f64, (to - 1) as f64), (to - from) as f64);
        from = to;
    }
    let mean = sums[1] / sums[0];
    (mean, sums[2] / sums[0] - mean * mean)
}

/// The line of least squares through the points of a log-log plot, and how well it fits.
struct Line {
    slope: f64,
    intercept: f64,
    r_squared: f64,
    spread: f64,
}

impl Line {
    fn through(counts: &[[u64; 2]]) -> Self {
        let points = counts.iter().map(|point| point.map(|n| (n as f64).log10()));
        let n = counts.len() as f64;
        let [x, y] = points.clone().fold([0.0; 2], |[a, b], [x, y]| [a + x / n, b + y / n]);
        let (covariance, variance) = points.clone().fold((0.0, 0.0), |(xy, xx), [px, py]| {
            (xy + (px - x) * (py - y), xx + (px - x) * (px - x))
        });
        let slope = covariance / variance;
        let intercept = y - slope * x;
        let squares = |distance: &dyn Fn([f64; 2]) -> f64| {
            points.clone().map(|point| distance(point).powi(2)).sum::<f64>()
        };
        let left = squares(&|[px, py]| py - intercept - slope * px);
        let whole = squares(&|[_, py]| py - y);
        // Points of one height are on a flat line, of which nothing is left to explain.
        let r_squared = if whole > 0.0 { (1.0 - left / whole).clamp(0.0, 1.0) } else { 1.0 };
        Self { slope, intercept, r_squared, spread: (left / n).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn count(number: u64) -> Count {
        let mut count = Count::default();
        (0..number).for_each(|_| count.add(1.0));
        assert_eq!(count, Count::even(number));
        count
    }

    /// The values are those of the formula worked out by hand: 8 of 10, and nothing of 10.
    #[test]
    fn wilson_is_as_in_tables() {
        let near =
            |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() < 5e-5 && (b - d).abs() < 5e-5;
        assert!(near(wilson(0.8, 10.0), (0.4902, 0.9433)));
        assert!(near(wilson(0.0, 10.0), (0.0, 0.2775)));
        assert!(near(wilson(0.5, 1000.0), (0.4691, 0.5309)));
        assert_eq!(wilson(0.3, 0.0), (0.0, 1.0));
    }

    #[test]
    fn even_weights_change_nothing() {
        let mut heavy = [Count::default(); 2];
        (0..10).for_each(|_| heavy[0].add(7.5));
        (0..40).for_each(|_| heavy[1].add(7.5));
        let [a, b] = [Share::of(heavy[0], heavy[1]), Share::of(count(10), count(40))];
        let (a, b) = (a.unwrap(), b.unwrap());
        assert!((a.low - b.low).abs() < 1e-12 && (a.high - b.high).abs() < 1e-12);
        assert_eq!((a.number, b.share), (10, 0.25));
        // Uneven ones say less.
        heavy[1].add(300.0);
        let c = Share::of(heavy[0], heavy[1]).unwrap();
        assert!(c.high - c.low > a.high - a.low);
        assert_eq!(Share::of(count(0), count(0)), None);
    }

    #[test]
    fn ratios_are_shares_where_one_is_within_the_other() {
        let share = Share::ratio(count(30), count(40), count(30)).unwrap();
        assert_eq!(Some(share), Share::of(count(30), count(40)));
        let more = Share::ratio(count(60), count(40), count(40)).unwrap();
        assert!((more.share - 1.5).abs() < 1e-12 && more.low > 1.2 && more.high < 1.9, "{more:?}");
        assert_eq!(Share::ratio(count(3), count(0), count(0)), None);
    }

    #[test]
    fn f1_is_the_harmonic_mean_of_precision_and_recall() {
        let f1 = Share::f1(count(30), count(10), count(20)).unwrap();
        let (precision, recall) = (30.0 / 40.0, 30.0 / 50.0);
        let expected = 2.0 * precision * recall / (precision + recall);
        assert!((f1.share - expected).abs() < 1e-12 && f1.low < expected && f1.high > expected);
        assert_eq!(Share::f1(count(0), count(10), count(0)), None, "nothing is to be found");
        assert_eq!(Share::f1(count(0), count(0), count(3)).map(|f1| f1.share), Some(0.0));
        let rest = count(7).without(count(3));
        assert_eq!(rest, count(4));
    }

    /// Worked out by hand: 0.7, 0.8 and 0.9 have a deviation of 0.1, and 4.303 / sqrt(3) is 2.484.
    #[test]
    fn means_over_seeds_have_students_interval() {
        let mean = SeedMean::of(&[0.7, 0.8, 0.9]).unwrap();
        assert!((mean.mean - 0.8).abs() < 1e-12 && (mean.deviation - 0.1).abs() < 1e-12);
        assert!((mean.low - 0.5516).abs() < 1e-4 && (mean.high - 1.0).abs() < 1e-12, "{mean:?}");
        assert_eq!(SeedMean::of(&[0.5]), None);
        let same = SeedMean::of(&[0.5; 90]).unwrap();
        assert_eq!((same.low, same.mean, same.high), (0.5, 0.5, 0.5));
    }

    #[test]
    fn exponents_of_known_laws_are_found() {
        for exponent in [0.7, 1.3, 2.5] {
            let law = |d: u64| (1e7 * (d as f64).powf(-exponent)).round() as u64;
            let counts: Vec<[u64; 2]> =
                (1..=3000).map(|d| [d, law(d)]).filter(|[_, n]| *n > 0).collect();
            let fitted = PowerLaw::fit(&counts, 3000).unwrap();
            assert!((fitted.exponent + exponent).abs() < 0.01, "{exponent}: {fitted:?}");
            assert!(fitted.standard_error > 0.0 && fitted.standard_error < 0.01);
        }
        assert_eq!(PowerLaw::fit(&[[3, 7]], 10), None);
        let line = PowerLaw::fit(&[[1, 1000], [10, 100], [100, 10]], 1000).unwrap();
        assert!((line.line_slope + 1.0).abs() < 1e-9 && (line.line_intercept - 3.0).abs() < 1e-9);
        assert!((line.r_squared - 1.0).abs() < 1e-9 && line.spread < 1e-6, "{line:?}");
    }

    /// Worked out by hand: heights 3, 1 and 2 above 0, 1 and 2 have the line 2.5 - x / 2; what is
    /// left is (1/2, -1, 1/2), so 3/2 of 2, and its mean square 1/2.
    #[test]
    fn the_spread_around_a_line_is_told() {
        let law = PowerLaw::fit(&[[1, 1000], [10, 10], [100, 100]], 1000).unwrap();
        assert!((law.line_slope + 0.5).abs() < 1e-9 && (law.line_intercept - 2.5).abs() < 1e-9);
        assert!((law.r_squared - 0.25).abs() < 1e-9, "{law:?}");
        assert!((law.spread - 0.5_f64.sqrt()).abs() < 1e-9, "{law:?}");
        let flat = PowerLaw::fit(&[[1, 7], [10, 7]], 1000).unwrap();
        assert!((flat.r_squared - 1.0).abs() < 1e-12 && flat.spread < 1e-12, "{flat:?}");
    }

    #[test]
    fn large_sums_are_close_to_single_steps() {
        for a in [0.5, 1.4, 3.0] {
            let (mean, variance) = moments(a, 200_000);
            let mut sums = [0.0; 3];
            for d in 1..=200_000_u32 {
                let (log, weight) = (f64::from(d).ln(), f64::from(d).powf(-a));
                sums = [sums[0] + weight, sums[1] + weight * log, sums[2] + weight * log * log];
            }
            let naive = sums[1] / sums[0];
            assert!((mean - naive).abs() < 1e-6, "{a}");
            assert!((variance - (sums[2] / sums[0] - naive * naive)).abs() < 1e-5, "{a}");
        }
    }

    proptest! {
        /// The interval's ends are where the normal test just rejects.
        #[test]
        fn wilson_solves_its_equation(part in 0..500_u32, more in 1..500_u32) {
            let n = f64::from(part + more);
            let share = f64::from(part) / n;
            let (low, high) = wilson(share, n);
            prop_assert!((0.0..=share).contains(&low) && (share..=1.0).contains(&high));
            for end in [low, high] {
                if end > 0.0 && end < 1.0 {
                    let z = (share - end).abs() / (end * (1.0 - end) / n).sqrt();
                    prop_assert!((z - Z).abs() < 1e-6, "{} {}", z, end);
                }
            }
        }

        #[test]
        fn quantiles_equal_the_sorted_list(
            mut values in prop::collection::vec(0..50_u64, 1..60),
            times in 1..4_usize,
            q in 0.0..1.0_f64,
        ) {
            values.sort_unstable();
            let weighted: Vec<(u64, f64)> = values.iter().map(|&v| (v, times as f64)).collect();
            // As if every value stood there as often as its weight says.
            let list: Vec<u64> =
                values.iter().flat_map(|&v| std::iter::repeat_n(v, times)).collect();
            let at = ((list.len() as f64 * q * (1.0 - 1e-12)).ceil() as usize).max(1) - 1;
            prop_assert_eq!(quantile(&weighted, q), Some(list[at]));
            let sum: u64 = list.iter().sum();
            let naive = sum as f64 / list.len() as f64;
            prop_assert!((mean(&weighted).unwrap() - naive).abs() < 1e-9);
        }

        #[test]
        fn likelihood_is_greatest_at_the_exponent(
            counts in prop::collection::btree_map(1..200_u64, 1..1000_u64, 2..30)
        ) {
            let counts: Vec<[u64; 2]> = counts.into_iter().map(|(d, n)| [d, n]).collect();
            let likelihood = |a: f64| {
                let norm: f64 = (1..=200_u32).map(|d| f64::from(d).powf(-a)).sum();
                let each = |[d, n]: &[u64; 2]| *n as f64 * (-a * (*d as f64).ln() - norm.ln());
                counts.iter().map(each).sum::<f64>()
            };
            let a = -PowerLaw::fit(&counts, 200).unwrap().exponent;
            prop_assume!(a > -15.0 && a < 50.0);
            let best = likelihood(a);
            for off in [-0.01, 0.01] {
                prop_assert!(likelihood(a + off) <= best + 1e-6 * best.abs());
            }
        }
    }
}

//! Where values are on an axis, and which of them stand beside it.

use std::ops::RangeInclusive;

use lookalike_engine::numbers::grouped;

/// Numbers on an axis, at most about.
const TICKS: usize = 6;

/// An axis.
#[derive(Clone, Debug)]
pub(crate) enum Axis {
    /// In proportion.
    Linear(RangeInclusive<f64>),
    /// Each power of ten takes the same room.
    Logarithmic(RangeInclusive<f64>),
    /// Shares from 0 to 1 in little room.
    Percent,
    /// Counts up to this one, in proportion and in little room.
    Counts(u64),
    /// The same by the logarithm of one more, so that nothing has no height.
    LogarithmicCounts(u64),
}

impl Axis {
    /// Shares from 0 to 1.
    pub(crate) const SHARES: Self = Self::Linear(0.0..=1.0);

    /// From this ratio of the largest to the smallest on, bars are logarithmic: the smallest would
    /// be a hundredth of the height, a line.
    const RATIO: u64 = 100;

    /// Whole numbers from 1 on that differ much.
    pub(crate) fn of_counts(most: u64) -> Self {
        Self::Logarithmic(0.7..=(most as f64 * 1.5).max(12.0))
    }

    /// For bars of these heights: in proportion, unless small ones could not be seen beside large
    /// ones.
    pub(crate) fn of_bars(counts: impl Iterator<Item = u64> + Clone) -> Self {
        let most = counts.clone().max().unwrap_or(0);
        let least = counts.filter(|&n| n > 0).min().unwrap_or(0);
        if most / Self::RATIO >= least.max(1) {
            Self::LogarithmicCounts(most)
        } else {
            Self::Counts(most)
        }
    }

    /// The place of a value, from 0 to 1; what is no number or outside is at an end.
    pub(crate) fn share(&self, value: f64) -> f64 {
        let share = match self {
            Self::Linear(ends) => (value - ends.start()) / (ends.end() - ends.start()),
            Self::Logarithmic(ends) => {
                let (low, high) = (ends.start().log10(), ends.end().log10());
                (value.max(f64::MIN_POSITIVE).log10() - low) / (high - low)
            }
            Self::Percent => value,
            Self::Counts(most) => value / (*most).max(1) as f64,
            Self::LogarithmicCounts(most) => value.ln_1p() / ((*most).max(1) as f64).ln_1p(),
        };
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }

    /// The numbers beside it, in order.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        let counts = |counts: Vec<u64>| counts.into_iter().map(|n| (n as f64, short(n))).collect();
        match self {
            Self::Linear(ends) => linear_ticks(ends),
            Self::Logarithmic(ends) => counts(logarithmic_ticks(ends)),
            Self::Percent => [0.0, 0.5, 1.0].map(|p| (p, format!("{:.0} %", p * 100.0))).into(),
            Self::Counts(most) => {
                let step = multiples().find(|step| most / step <= 4).unwrap_or(u64::MAX);
                counts((1..=most / step).map(|n| n * step).collect())
            }
            Self::LogarithmicCounts(most) => counts(some_powers(|n| n <= *most, 5)),
        }
    }
}

/// Multiples of the least step of 1, 2 or 5 times a power of ten that makes few of them.
fn linear_ticks(ends: &RangeInclusive<f64>) -> Vec<(f64, String)> {
    let (low, high) = (*ends.start(), *ends.end());
    let steps = (-3..=18).flat_map(|power| [1.0, 2.0, 5.0].map(|m| m * 10_f64.powi(power)));
    let few = |step: &f64| (high - low) / step <= TICKS as f64;
    let Some(step) = steps.into_iter().find(few) else { return Vec::new() };
    let digits = (-step.log10().floor()).max(0.0) as usize;
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last)
        .map(|n| {
            let value = n as f64 * step;
            let whole = digits == 0 && value >= 0.0;
            (value, if whole { grouped(value as u64) } else { format!("{value:.digits$}") })
        })
        .collect()
}

/// Powers of ten, in between also 2 and 5 times these if few.
fn logarithmic_ticks(ends: &RangeInclusive<f64>) -> Vec<u64> {
    let within = |n: u64| ends.contains(&(n as f64));
    let fine: Vec<u64> = multiples().filter(|n| within(*n)).collect();
    if fine.len() <= TICKS { fine } else { some_powers(within, TICKS) }
}

/// At most so many of the powers of ten that are wanted.
fn some_powers(wanted: impl Fn(u64) -> bool, most: usize) -> Vec<u64> {
    let powers: Vec<u64> = powers().filter(|n| wanted(*n)).collect();
    let step = powers.len().div_ceil(most).max(1);
    powers.into_iter().step_by(step).collect()
}

fn powers() -> impl Iterator<Item = u64> {
    (0..=19).map(|exponent| 10_u64.pow(exponent))
}

/// 1, 2 and 5 times every power of ten.
fn multiples() -> impl Iterator<Item = u64> {
    powers().flat_map(|power| [1, 2, 5].map(|m| power.saturating_mul(m)))
}

/// A count on an axis: `500`, `20 k`, `1 M`.
fn short(n: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(10_u64.pow(12), "T"), (10_u64.pow(9), "G"), (10_u64.pow(6), "M"), (1000, "k")];
    let fits = UNITS.iter().find(|&&(unit, _)| n >= unit && n.is_multiple_of(unit));
    match fits {
        Some(&(unit, letter)) => format!("{} {letter}", grouped(n / unit)),
        None => grouped(n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_a_few_round_numbers() {
        let axes = [
            (Axis::SHARES, vec!["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
            (Axis::Linear(300.0..=384.0), vec!["300", "320", "340", "360", "380"]),
            (Axis::Linear(-0.5..=200.5), vec!["0", "50", "100", "150", "200"]),
        ];
        for (axis, expected) in axes {
            let ticks: Vec<String> = axis.ticks().into_iter().map(|(_, text)| text).collect();
            assert_eq!(ticks, expected);
        }
        for most in [1, 9, 12_345, u64::MAX / 2] {
            assert!((2..=8).contains(&Axis::of_counts(most).ticks().len()), "{most}");
        }
    }

    #[test]
    fn axes_of_bars_have_a_few_round_numbers() {
        for most in [1, 3, 7, 99, 12_345, 10_u64.pow(12), u64::MAX] {
            for axis in [Axis::Counts(most), Axis::LogarithmicCounts(most)] {
                let ticks = axis.ticks();
                assert!((1..=6).contains(&ticks.len()), "{most}: {ticks:?}");
                assert!(ticks.iter().all(|(n, _)| *n <= most as f64 && axis.share(*n) <= 1.0));
            }
            let ticks = Axis::Logarithmic(1.0..=most as f64 + 1.0).ticks();
            assert!((1..=7).contains(&ticks.len()), "{most}: {ticks:?}");
        }
        assert_eq!(short(20_000), "20 k");
        assert_eq!(short(999), "999");
        assert_eq!(short(3_000_000), "3 M");
    }

    #[test]
    fn places_stay_within_the_frame() {
        for axis in [Axis::SHARES, Axis::of_counts(100), Axis::Linear(0.0..=384.0)] {
            for value in [-5.0, 0.0, 0.5, 1.0, 1e12] {
                assert!((0.0..=1.0).contains(&axis.share(value)), "{axis:?} {value}");
            }
        }
    }
}

//! The filter's polynomial against Broder's numbers, exact sums and simulation.

#![expect(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "an exact end of a range is exact; a failed unwrap is a failed test"
)]

use lookalike_core::filter::{ENOUGH_FOR, Error, Filter, fingerprint_bits};

fn filter(k: u32, s: u32, r: u32) -> Filter {
    Filter::new(k, s, r).unwrap()
}

fn close(found: f64, wanted: f64, relative: f64) {
    assert!((found - wanted).abs() <= relative * wanted.abs(), "{found:e} is not {wanted:e}");
}

#[test]
fn altavista_filter_has_the_papers_numbers() {
    let altavista = filter(6, 14, 2);
    close(altavista.half_point(), 0.9094, 1e-4);
    close(altavista.miss(0.975), 0.01067, 1e-3);
    close(altavista.miss(0.99), 0.000_208, 1e-2);
    close(altavista.probability(0.77), 0.00929, 1e-3);
    close(altavista.probability(0.5), 5.59e-8, 1e-3);
    close(altavista.steepest_at(), 0.931, 1e-3);
    assert_eq!(altavista.permutations(), 84);
    assert_eq!(altavista.bytes_per_document(), 48);
    assert_eq!(altavista.super_features(), 15);
    assert_eq!(altavista.to_string(), "[6, 14, 2]");
}

/// P and 1 - P in exact integers, for x = `numerator` / 16 and k s <= 31.
fn exact(k: u32, s: u32, r: u32, numerator: u128) -> (f64, f64) {
    let (hit, all) = (numerator.pow(s), 16_u128.pow(s));
    let mut sides = [0_u128; 2];
    let mut choices = 1_u128;
    for i in 0..=k {
        sides[usize::from(i < r)] += choices * hit.pow(i) * (all - hit).pow(k - i);
        choices = choices * u128::from(k - i) / u128::from(i + 1);
    }
    let whole = all.pow(k) as f64;
    (sides[0] as f64 / whole, sides[1] as f64 / whole)
}

#[test]
fn both_tails_equal_exact_sums() {
    for k in 1..=15 {
        for s in 1..=31 / k {
            for r in 1..=k {
                let filter = filter(k, s, r);
                for numerator in 0..=16 {
                    let x = numerator as f64 / 16.0;
                    let (hit, miss) = exact(k, s, r, numerator);
                    close(filter.probability(x), hit, 1e-13);
                    close(filter.miss(x), miss, 1e-13);
                }
            }
        }
    }
}

/// (k, s, r, x, P, 1 - P), summed with sixty decimal digits.
const LARGE: [(u32, u32, u32, f64, f64, f64); 15] = [
    (6, 14, 2, 0.975, 0.989_327_848_372_291_3, 0.010_672_151_627_708_714),
    (6, 14, 2, 0.5, 5.587_026_015_439_110_4e-8, 0.999_999_944_129_739_8),
    (6, 14, 2, 0.05, 5.587_935_447_692_88e-36, 1.0),
    (450, 20, 1, 0.5, 0.000_429_061_573_764_537_57, 0.999_570_938_426_235_5),
    (450, 20, 1, 0.8, 0.994_583_396_287_129_2, 0.005_416_603_712_870_787),
    (450, 20, 1, 0.95, 1.0, 1.748_984_662_694_819_8e-87),
    (1000, 10, 300, 0.875, 0.004_864_310_538_037_589, 0.995_135_689_461_962_4),
    (1000, 10, 300, 0.75, 2.305_132_130_728_128e-129, 1.0),
    (1000, 10, 300, 0.9375, 1.0, 3.014_126_651_361_480_7e-47),
    (4096, 16, 64, 0.75, 0.000_512_872_942_845_572_3, 0.999_487_127_057_154_5),
    (4096, 16, 64, 0.875, 1.0, 4.099_637_098_790_364e-139),
    (4096, 1, 2048, 0.5, 0.506_233_092_681_880_1, 0.493_766_907_318_119_9),
    (4096, 1, 4096, 0.9, 3.778_493_360_975_488_6e-188, 1.0),
    (64, 3, 9, 0.5, 0.407_245_173_772_677_94, 0.592_754_826_227_322_1),
    (64, 3, 32, 0.9, 0.999_971_431_428_488_4, 2.856_857_151_153_132_5e-5),
];

#[test]
fn both_tails_hold_for_many_features() {
    for (k, s, r, x, hit, miss) in LARGE {
        close(filter(k, s, r).probability(x), hit, 1e-11);
        close(filter(k, s, r).miss(x), miss, 1e-11);
    }
}

const SHAPES: [(u32, u32, u32); 8] = [
    (1, 1, 1),
    (6, 14, 2),
    (20, 5, 1),
    (450, 20, 1),
    (12, 3, 12),
    (4096, 16, 4096),
    (4096, 16, 1),
    (1000, 10, 300),
];

#[test]
fn probability_rises_from_zero_to_one() {
    for (k, s, r) in SHAPES {
        let filter = filter(k, s, r);
        let curve = filter.curve(1001);
        assert_eq!(curve.first(), Some(&(0.0, 0.0)));
        assert_eq!(curve.last(), Some(&(1.0, 1.0)));
        for pair in curve.windows(2) {
            let (low, high) = (pair[0].1, pair[1].1);
            assert!(low <= high * (1.0 + 1e-10), "{filter} at {}", pair[0].0);
        }
        for (x, p) in curve {
            assert!((0.0..=1.0).contains(&p));
            assert!((p + filter.miss(x) - 1.0).abs() < 1e-10, "{filter} at {x}");
        }
        close(filter.probability(filter.half_point()), 0.5, 1e-7);
    }
}

#[test]
fn curve_has_the_points_asked_for() {
    let filter = filter(6, 14, 2);
    assert_eq!(filter.curve(0), []);
    assert_eq!(filter.curve(1), [(0.0, 0.0)]);
    assert_eq!(filter.curve(2), [(0.0, 0.0), (1.0, 1.0)]);
}

#[test]
fn resemblance_outside_the_unit_interval_is_its_nearer_end() {
    let filter = filter(6, 14, 2);
    for x in [-1.0, -0.0, f64::NEG_INFINITY] {
        assert_eq!((filter.probability(x), filter.miss(x), filter.slope(x)), (0.0, 1.0, 0.0));
    }
    for x in [1.0, 2.0, f64::INFINITY] {
        assert_eq!((filter.probability(x), filter.miss(x), filter.slope(x)), (1.0, 0.0, 0.0));
    }
    assert!(filter.probability(f64::NAN).is_nan());
    assert!(filter.miss(f64::NAN).is_nan());
    assert!(filter.slope(f64::NAN).is_nan());
    // The smallest and the largest that are neither end.
    assert_eq!(filter.probability(f64::MIN_POSITIVE), 0.0);
    let nearly = 1.0 - f64::EPSILON / 2.0;
    assert!(filter.miss(nearly) > 0.0 && filter.miss(nearly) < 1e-70);
}

#[test]
fn slope_is_the_derivative() {
    for (k, s, r) in [(1, 1, 1), (6, 14, 2), (20, 5, 1), (9, 2, 9), (64, 3, 9)] {
        let filter = filter(k, s, r);
        for i in 1..40 {
            let x = f64::from(i) / 40.0;
            let step = 1e-6;
            let rise = (filter.probability(x + step) - filter.probability(x - step)) / (2.0 * step);
            assert!((filter.slope(x) - rise).abs() < 1e-6 * (1.0 + rise), "{filter} at {x}");
        }
    }
    assert_eq!(filter(5, 1, 1).slope(0.0), 5.0);
    assert_eq!(filter(3, 4, 3).slope(1.0), 12.0);
}

#[test]
fn filter_is_steepest_where_it_says() {
    for (k, s, r) in [(6, 14, 2), (20, 5, 1), (9, 2, 9), (7, 1, 1), (450, 20, 1), (64, 3, 9)] {
        let filter = filter(k, s, r);
        let most = filter.slope(filter.filter_steepest_at());
        for i in 0..=1000 {
            let x = f64::from(i) / 1000.0;
            assert!(filter.slope(x) <= most * (1.0 + 1e-12), "{filter} at {x}");
        }
    }
    assert_eq!(filter(1, 1, 1).filter_steepest_at(), 1.0);
}

#[test]
fn super_features_count_and_saturate() {
    assert_eq!(filter(64, 1, 63).super_features(), 64);
    assert_eq!(filter(10, 1, 10).super_features(), 1);
    assert_eq!(filter(67, 1, 33).super_features(), 14_226_520_737_620_288_370);
    assert_eq!(filter(68, 1, 34).super_features(), u64::MAX);
    assert_eq!(filter(4096, 1, 2048).super_features(), u64::MAX);
}

#[test]
fn parameters_out_of_range_are_refused_with_their_values() {
    for (k, s, r, message) in [
        (0, 1, 1, "filter [0, 1, 1]: k, s and r are at least 1"),
        (1, 0, 1, "filter [1, 0, 1]: k, s and r are at least 1"),
        (1, 1, 0, "filter [1, 1, 0]: k, s and r are at least 1"),
        (6, 14, 7, "filter [6, 14, 7]: r = 7 is above k = 6"),
        (4097, 1, 1, "filter [4097, 1, 1]: k = 4097 is above 4096"),
        (4096, 17, 1, "filter [4096, 17, 1]: k s = 69632 is above 65536"),
        (2, u32::MAX, 1, "filter [2, 4294967295, 1]: k s = 8589934590 is above 65536"),
    ] {
        let error = Filter::new(k, s, r).unwrap_err();
        assert_eq!(error, Error::Parameters { k, s, r });
        assert_eq!(error.to_string(), message);
    }
    assert!(Filter::new(4096, 16, 4096).is_ok());
    assert!(Filter::new(1, 65_536, 1).is_ok());
}

/// Minvalues that agree with probability x, grouped and counted.
#[test]
fn simulated_features_follow_the_polynomial() {
    let mut state = 0x5eed_u64;
    let mut uniform = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    };
    let trials = 100_000;
    for (k, s, r) in [(6, 14, 2), (8, 4, 1), (5, 2, 3)] {
        let filter = filter(k, s, r);
        for x in [0.5, 0.8, 0.9, 0.95] {
            let mut passed = 0;
            for _ in 0..trials {
                let mut equal = 0;
                for _ in 0..k {
                    // All s are drawn, as a sketch would.
                    let agree = (0..s).filter(|_| uniform() < x).count();
                    equal += u32::from(agree == s as usize);
                }
                passed += u32::from(equal >= r);
            }
            let p = filter.probability(x);
            let sigma = (p * (1.0 - p) / f64::from(trials)).sqrt();
            let share = f64::from(passed) / f64::from(trials);
            // Twelve comparisons at 4.5 sigma: one false alarm in ten thousand runs, and
            // the seed is fixed.
            assert!((share - p).abs() <= 4.5 * sigma + 1e-5, "{filter} at {x}: {share} for {p}");
        }
    }
}

/// Closed forms: the filter [1, 1, 1] is x itself, [2, 1, 1] is 1 - (1 - x)^2.
#[test]
fn the_error_is_the_sum_of_both_integrals() {
    for tenth in 0..=10 {
        let t = f64::from(tenth) / 10.0;
        let [below, above] = filter(1, 1, 1).error(t);
        close(below, t * t / 2.0, 1e-12);
        close(above, (1.0 - t).powi(2) / 2.0, 1e-12);
        let [below, above] = filter(2, 1, 1).error(t);
        close(below, t - (1.0 - (1.0 - t).powi(3)) / 3.0, 1e-12);
        close(above, (1.0 - t).powi(3) / 3.0, 1e-12);
    }
    // Steep ones against many trapezoids, and least at the half point, as differentiating says.
    for (k, s, r) in [(6, 14, 2), (13, 7, 1), (200, 1, 160), (4096, 16, 2048)] {
        let it = filter(k, s, r);
        let half = it.half_point();
        let steps = 20_000;
        let middles = |from: f64, upto: f64| {
            let part = (upto - from) / f64::from(steps);
            (0..steps).map(move |step| from + (f64::from(step) + 0.5) * part)
        };
        let below = middles(0.0, half).map(|x| it.probability(x)).sum::<f64>() * half;
        let above = middles(half, 1.0).map(|x| it.miss(x)).sum::<f64>() * (1.0 - half);
        let found = it.error(half);
        close(found[0], below / f64::from(steps), 2e-4);
        close(found[1], above / f64::from(steps), 2e-4);
        let total = |t: f64| it.error(t).iter().sum::<f64>();
        assert!(total(half) < total(half - 0.01) && total(half) < total(half + 0.01), "{it}");
    }
}

#[test]
fn broders_rules_of_thumb() {
    let altavista = filter(6, 14, 2);
    // r is about k times the share of features that a pair at the threshold has in common.
    assert!((1.5..2.5).contains(&altavista.features_in_common(altavista.filter_steepest_at())));
    close(altavista.feature_probability(0.9), 0.9_f64.powi(14), 1e-12);
    assert_eq!(fingerprint_bits(1 << 22), 64.0);
    assert_eq!(ENOUGH_FOR, 1 << 22);
    assert_eq!(fingerprint_bits(0), 20.0);
}

/// Fingerprints of fewer bits would collide as often as the formula says, scaled to theirs.
#[test]
fn pairs_by_chance_are_those_of_random_fingerprints() {
    let altavista = filter(6, 14, 2);
    let (documents, bits) = (2000_u64, 24);
    let mut random = lookalike_core::Sequence::new(9, 9);
    let mut pairs = 0;
    let mut holders: std::collections::HashMap<u64, Vec<u64>> = std::collections::HashMap::new();
    for document in 0..documents {
        for _ in 0..altavista.super_features() {
            let key = random.next() >> (64 - bits);
            let others = holders.entry(key).or_default();
            pairs += others.iter().filter(|other| **other != document).count();
            others.push(document);
        }
    }
    let expected = altavista.pairs_by_chance(documents) * f64::from(64 - bits).exp2();
    let off = (pairs as f64 - expected).abs();
    assert!(off < 4.5 * expected.sqrt(), "{pairs}, not {expected}");
    assert!(
        altavista.pairs_by_chance(1 << 22) < 1e-3 && altavista.pairs_by_chance(1_000_000_000) > 1.0
    );
    // Where r features in common are counted, one collision is not enough.
    let counted = filter(200, 1, 160);
    assert_eq!(counted.pairs_by_chance(1_000_000_000), 0.0);
}

//! The estimators mean what the papers claim: unbiased, with the variance of
//! coin tosses, and the filter accepts what its polynomial says.
//!
//! Seeds are fixed, so a test passes always or never. Bounds are 4.5 standard
//! deviations: under a million such checks one would fail by chance.

#![expect(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "exact values compare exactly; a failed unwrap is a failed test"
)]

use lookalike_core::filter::Filter;
use lookalike_core::sketch::{
    BitSketch, Bottom, Minwise, MinwiseSketch, Modular, bit_resemblance, mix_elements,
};
use lookalike_core::{Kernel, feature};
use lookalike_kernels::rabin::TOKENS;
use lookalike_kernels::{Counters, Projection, Sequence};

const SIGMAS: f64 = 4.5;

/// What the elements of a set look like before they are mixed.
#[derive(Clone, Copy, Debug)]
enum Elements {
    /// Unrelated fingerprints.
    Random,
    /// Fingerprints of consecutive integers as items of eight bytes.
    Integers,
    /// Shingles of a text of one repeated word with numbers.
    Numbered,
}

/// A universe of `size` elements for trial `trial`.
fn universe(kind: Elements, size: usize, trial: u64) -> Vec<u64> {
    match kind {
        Elements::Random => {
            let mut sequence = Sequence::new(trial, 1000);
            (0..size).map(|_| sequence.next()).collect()
        }
        Elements::Integers => {
            let first = trial * 10_000_000;
            (first..first + size as u64).map(|i| TOKENS.bytes(&i.to_be_bytes())).collect()
        }
        Elements::Numbered => {
            let first = trial * 10_000_000;
            let number = |i: u64| TOKENS.bytes((first + i).to_string().as_bytes());
            let word = TOKENS.bytes(b"word");
            (0..size as u64)
                .map(|i| TOKENS.words(&[word, number(i), word, number(i + 1)]))
                .collect()
        }
    }
}

/// Two sets with this union and intersection: the intersection first, then what only a has.
fn split(universe: &[u64], common: usize) -> (Vec<u64>, Vec<u64>) {
    let only_a = common + (universe.len() - common) / 2;
    let b = [&universe[..common], &universe[only_a..]].concat();
    (universe[..only_a].to_vec(), b)
}

/// The elements that sketches sample, under a seed.
fn mixed(seed: u64, mut fingerprints: Vec<u64>) -> Vec<u64> {
    mix_elements(Kernel::best(), seed, &mut fingerprints);
    fingerprints
}

/// Checks a sample of estimates, each of `tosses` coins that show r: the mean has no bias, and
/// the variance is that of the coins.
fn check(estimates: &[f64], r: f64, tosses: f64, what: &str) {
    let n = estimates.len() as f64;
    let mean = estimates.iter().sum::<f64>() / n;
    let variance = r * (1.0 - r) / tosses;
    if variance == 0.0 {
        assert!(estimates.iter().all(|&e| e == r), "{what}: every estimate is {r}, got {mean}");
        return;
    }
    let off = (mean - r) / (variance / n).sqrt();
    assert!(off.abs() < SIGMAS, "{what}: mean {mean} is {off:.1} sigmas from {r}");
    let seen = estimates.iter().map(|e| (e - r).powi(2)).sum::<f64>() / n;
    // Relative spread of a variance estimated from n values: the normal part, and what the
    // fourth moment of few coins adds.
    let kurtosis = (1.0 - 6.0 * r * (1.0 - r)) / (tosses * r * (1.0 - r));
    let spread = ((2.0 + kurtosis) / n).sqrt();
    let ratio = seen / variance;
    assert!((ratio - 1.0).abs() < SIGMAS * spread, "{what}: variance is {ratio:.3} of the coins'");
}

/// Sizes of the union, with the number of trials that keeps the test short.
const SIZES: [(usize, u64); 6] =
    [(1, 200), (10, 400), (100, 400), (1000, 400), (30_000, 60), (1_000_000, 12)];

/// Where [`split`] cuts a universe into what both have, what only a has, and what only b has.
fn cuts(size: usize, tenth: usize) -> (usize, usize) {
    let common = size * tenth / 10;
    (common, common + (size - common) / 2)
}

/// The minima of each piece of a universe between two of these places. Those of a union are the least of
/// its parts': a set of a million is sketched once and not for each pair of sets.
fn minima_of_pieces(minwise: &mut Minwise, universe: &[u64], places: &[usize]) -> Vec<Vec<u64>> {
    let piece = |place: &[usize]| {
        minwise.clear();
        minwise.push(&universe[place[0]..place[1]]);
        minwise.minima().to_vec()
    };
    places.windows(2).map(piece).collect()
}

fn least_of<'a>(permutations: usize, pieces: impl Iterator<Item = &'a Vec<u64>>) -> MinwiseSketch {
    let mut least = vec![u64::MAX; permutations];
    for piece in pieces {
        least.iter_mut().zip(piece).for_each(|(least, &minimum)| *least = minimum.min(*least));
    }
    MinwiseSketch::new(least)
}

fn minwise_is_unbiased(kind: Elements, vary_seed: bool) {
    let kernel = Kernel::best();
    for (size, trials) in SIZES {
        // Large sets get more permutations instead of more trials.
        let permutations = if size > 10_000 { 512 } else { 84 };
        let mut places: Vec<usize> =
            (0..=10).map(|tenth| cuts(size, tenth)).flat_map(|(c, a)| [0, c, a, size]).collect();
        places.sort_unstable();
        places.dedup();
        let mut estimates: [Vec<f64>; 11] = Default::default();
        for trial in 0..trials {
            let seed = if vary_seed { trial } else { 0 };
            let universe = mixed(seed, universe(kind, size, if vary_seed { 0 } else { trial }));
            let mut minwise = Minwise::new(kernel, permutations, seed);
            let pieces = minima_of_pieces(&mut minwise, &universe, &places);
            for (tenth, estimates) in estimates.iter_mut().enumerate() {
                let (common, only_a) = cuts(size, tenth);
                let [common, only_a] =
                    [common, only_a].map(|at| places.binary_search(&at).unwrap());
                let a = least_of(permutations, pieces[..only_a].iter());
                let b = least_of(permutations, pieces[..common].iter().chain(&pieces[only_a..]));
                if trial == 0 && size < 1_000_000 {
                    let (whole_a, whole_b) = split(&universe, cuts(size, tenth).0);
                    for (set, sketch) in [(whole_a, &a), (whole_b, &b)] {
                        minwise.clear();
                        minwise.push(&set);
                        assert!(*sketch == minwise.sketch(), "{kind:?}, {size} elements");
                    }
                }
                estimates.push(a.resemblance(&b, kernel).unwrap());
            }
        }
        for (tenth, estimates) in estimates.iter().enumerate() {
            let r = (size * tenth / 10) as f64 / size as f64;
            let what = format!("{kind:?}, {size} elements, r = {r}, seeds vary: {vary_seed}");
            check(estimates, r, permutations as f64, &what);
        }
    }
}

#[test]
fn minwise_is_unbiased_on_random_elements() {
    minwise_is_unbiased(Elements::Random, false);
}

#[test]
fn minwise_is_unbiased_on_consecutive_integers() {
    minwise_is_unbiased(Elements::Integers, false);
}

#[test]
fn minwise_is_unbiased_on_numbered_words() {
    minwise_is_unbiased(Elements::Numbered, false);
}

#[test]
fn minwise_is_unbiased_over_seeds() {
    minwise_is_unbiased(Elements::Integers, true);
}

#[test]
fn bits_of_minima_are_unbiased() {
    let kernel = Kernel::best();
    let permutations = 84;
    for kind in [Elements::Random, Elements::Integers, Elements::Numbered] {
        for (size, trials) in [(10, 400), (100, 400), (1000, 400)] {
            // From 0.5 on, since below some estimates would be negative, and are none.
            for tenth in 5..=10 {
                let common = size * tenth / 10;
                let r = common as f64 / size as f64;
                let agreeing: Vec<f64> = (0..trials)
                    .map(|seed| {
                        let (a, b) = split(&universe(kind, size, seed), common);
                        let mut minwise = Minwise::new(kernel, permutations, seed);
                        let mut sketch = |elements: Vec<u64>| {
                            minwise.clear();
                            minwise.push(&mixed(seed, elements));
                            BitSketch::of_minima(minwise.minima()).into_words()
                        };
                        let (a, b) = (sketch(a), sketch(b));
                        assert_eq!(a.len(), BitSketch::words_of(permutations));
                        f64::midpoint(1.0, bit_resemblance(kernel, permutations, &a, &b))
                    })
                    .collect();
                // The coin: whether two bits agree.
                let what = format!("bits, {kind:?}, {size} elements, r = {r}");
                check(&agreeing, f64::midpoint(1.0, r), permutations as f64, &what);
            }
        }
    }
}

#[test]
fn bottom_is_unbiased() {
    let kernel = Kernel::best();
    for kind in [Elements::Random, Elements::Integers, Elements::Numbered] {
        for (size, trials) in [(1, 50), (40, 50), (1000, 400), (30_000, 60)] {
            let universes: Vec<Vec<u64>> =
                (0..trials).map(|trial| mixed(0, universe(kind, size, trial))).collect();
            for tenth in 0..=10 {
                let common = size * tenth / 10;
                let r = common as f64 / size as f64;
                let m = 100;
                let estimates: Vec<f64> = universes
                    .iter()
                    .map(|universe| {
                        let (a, b) = split(universe, common);
                        let sketch = |elements: Vec<u64>| {
                            let mut bottom = Bottom::new(m);
                            bottom.push(&elements);
                            bottom.sketch()
                        };
                        sketch(a).resemblance(&sketch(b), kernel).unwrap()
                    })
                    .collect();
                let what = format!("bottom, {kind:?}, {size} elements, r = {r}");
                if size <= m {
                    // The whole union is in the sketch: no sampling, no error.
                    assert!(estimates.iter().all(|&e| (e - r).abs() < 1e-12), "{what}");
                } else {
                    // Drawn without replacement: the variance shrinks by (n - m) / (n - 1).
                    let tosses = m as f64 * (size - 1) as f64 / (size - m) as f64;
                    check(&estimates, r, tosses, &what);
                }
            }
        }
    }
}

#[test]
fn modular_estimates_resemblance_and_containment() {
    let kernel = Kernel::best();
    let size = 5000;
    for kind in [Elements::Random, Elements::Integers, Elements::Numbered] {
        let universes: Vec<Vec<u64>> =
            (0..40).map(|trial| mixed(0, universe(kind, size, trial))).collect();
        for modulus in [1, 3, 16] {
            for tenth in 0..=10 {
                let common = size * tenth / 10;
                let r = common as f64 / size as f64;
                let (mut found, mut shared, mut contained) = (0.0, 0.0, 0.0);
                let mut of_a = 0.0;
                for universe in &universes {
                    let (a, b) = split(universe, common);
                    let sketch = |elements: Vec<u64>| {
                        let mut modular = Modular::new(modulus);
                        modular.push(&elements);
                        modular.sketch()
                    };
                    let (a, b) = (sketch(a), sketch(b));
                    // Weighed by what was sampled, so that the sum is one large sample.
                    let union = a.merge(&b).unwrap().elements().len() as f64;
                    shared += a.resemblance(&b, kernel).unwrap().unwrap() * union;
                    let own = a.elements().len() as f64;
                    contained += a.containment(&b, kernel).unwrap().unwrap() * own;
                    found += union;
                    of_a += own;
                }
                let what = format!("modular, {kind:?}, mod {modulus}, r = {r}");
                let sampled = 40.0 * size as f64 / modulus as f64;
                assert!((found - sampled).abs() <= SIGMAS * sampled.sqrt(), "{what}: {found}");
                let c = common as f64 / (common + (size - common) / 2) as f64;
                for (share, truth, n) in [(shared / found, r, found), (contained / of_a, c, of_a)] {
                    let sigma = (truth * (1.0 - truth) / n).sqrt();
                    assert!((share - truth).abs() <= SIGMAS * sigma + 1e-12, "{what}: {share}");
                }
            }
        }
    }
}

#[test]
fn merged_sketches_are_sketches_of_the_union() {
    let everything = mixed(0, universe(Elements::Random, 3000, 1));
    let (a, b) = (&everything[..2000], &everything[1000..]);
    let bottom = |elements: &[u64]| {
        let mut bottom = Bottom::new(64);
        bottom.push(elements);
        bottom.sketch()
    };
    assert_eq!(bottom(a).merge(&bottom(b)).unwrap(), bottom(&everything));
    let modular = |elements: &[u64]| {
        let mut modular = Modular::new(7);
        modular.push(elements);
        modular.sketch()
    };
    assert_eq!(modular(a).merge(&modular(b)).unwrap(), modular(&everything));
    assert!(bottom(a).merge(&Bottom::new(65).sketch()).is_err());
    assert!(modular(a).merge(&Modular::new(8).sketch()).is_err());
}

/// Where there is room for few elements, those of the smaller set are thinned as those of the larger one were.
#[test]
fn modular_sketches_of_any_two_sizes_estimate_resemblance() {
    let kernel = Kernel::best();
    for (of_a, of_both) in [(3000, 2800), (3000, 3000), (400, 300), (40, 20)] {
        let (mut common, mut sampled) = (0.0, 0.0);
        for trial in 0..400 {
            let universe = mixed(0, universe(Elements::Random, 3000, trial));
            // All of the larger set, and so many of it and of others.
            let mut smaller = universe[..of_both].to_vec();
            smaller.extend(
                (0..of_a - of_both).map(|n| lookalike_kernels::mix(n as u64 ^ trial << 32)),
            );
            let sketch = |elements: &[u64]| {
                let mut modular = Modular::new(2).at_most(100);
                elements.chunks(64).for_each(|part| modular.push(part));
                assert!(modular.elements().len() <= 100);
                modular.sketch()
            };
            let (a, b) = (sketch(&smaller), sketch(&universe));
            let of = a.merge(&b).unwrap().elements().len() as f64;
            if let Some(estimate) = a.resemblance(&b, kernel).unwrap() {
                common += estimate * of;
                sampled += of;
            }
        }
        let r = of_both as f64 / (3000 + of_a - of_both) as f64;
        let (found, sigma) = (common / sampled, (r * (1.0 - r) / sampled).sqrt());
        assert!(
            (found - r).abs() <= SIGMAS * sigma + 1e-12,
            "{of_both} of {of_a}: {found}, not {r}"
        );
    }
}

#[test]
fn accepted_pairs_follow_the_polynomial() {
    let kernel = Kernel::best();
    let (size, pairs) = (1000, 2000);
    let universes: Vec<Vec<u64>> =
        (0..pairs).map(|pair| mixed(0, universe(Elements::Random, size, pair))).collect();
    for (k, s, r) in [(6, 14, 2), (13, 7, 1), (8, 5, 3)] {
        let filter = Filter::new(k, s, r).unwrap();
        let permutations = filter.permutations() as usize;
        let mut minwise = Minwise::new(kernel, permutations, 0);
        let mut features = |elements: &[u64]| {
            minwise.clear();
            minwise.push(elements);
            let mut features = vec![0; k as usize];
            feature::features(minwise.minima(), &mut features);
            features
        };
        for percent in [50, 60, 70, 75, 80, 85, 90, 93, 96, 99] {
            let common = size * percent / 100;
            let x = common as f64 / size as f64;
            let accepted = universes
                .iter()
                .filter(|universe| {
                    let (a, b) = split(universe, common);
                    let (a, b) = (features(&a), features(&b));
                    feature::b_similarity(&a, &b) >= r as usize
                })
                .count();
            let p = filter.probability(x);
            let expected = p * pairs as f64;
            // One more than the normal bound, for expectations far below one.
            let bound = SIGMAS * (expected * (1.0 - p)).sqrt() + 1.0;
            let off = (accepted as f64 - expected).abs();
            assert!(off <= bound, "[{k}, {s}, {r}] at {x}: {accepted} of {expected:.1}");
        }
    }
}

#[test]
fn equal_bits_follow_the_angle() {
    // Documents of distinct tokens, some of them shared: the cosine is the share, and a bit
    // agrees with probability 1 - angle / pi.
    let kernel = Kernel::best();
    // An odd size: a sum of signs is never zero, which would favour zeros.
    let (size, pairs, bits) = (1001, 300, 384);
    let projection = Projection::new(bits, 0);
    for kind in [Elements::Random, Elements::Integers] {
        for percent in [0, 30, 50, 70, 90, 99] {
            let common = size * percent / 100;
            let shares: Vec<f64> = (0..pairs)
                .map(|pair| {
                    let all = mixed(0, universe(kind, 2 * size - common, pair));
                    let project = |tokens: &[u64]| {
                        let mut counters = Counters::default();
                        kernel.project(&projection, tokens, &mut counters);
                        counters.signs(&projection)
                    };
                    let (a, b) = (project(&all[..size]), project(&all[size - common..]));
                    1.0 - f64::from(kernel.hamming(&a, &b)) / bits as f64
                })
                .collect();
            let cosine = common as f64 / size as f64;
            let expected = 1.0 - cosine.acos() / std::f64::consts::PI;
            let mean = shares.iter().sum::<f64>() / pairs as f64;
            // Signs of sums of a thousand: the normal limit is off by less than this.
            let limit = 0.002;
            let sigma = (expected * (1.0 - expected) / (pairs as f64 * bits as f64)).sqrt();
            let off = (mean - expected).abs();
            assert!(off < SIGMAS * sigma + limit, "{kind:?} {cosine}: {mean} for {expected}");
            let variance = shares.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / pairs as f64;
            let ratio = variance / (expected * (1.0 - expected) / bits as f64);
            let spread = (2.0 / pairs as f64).sqrt();
            assert!((ratio - 1.0).abs() < SIGMAS * spread, "{kind:?} {cosine}: variance {ratio}");
        }
    }
}

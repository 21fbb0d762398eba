//! The rule of pairs against what it says in words, counted one by one.

use std::collections::BTreeSet;

use lookalike_core::recipe::{Candidates, PRESETS, SketchParameters, Verify};
use lookalike_core::sketch::ListsSketch;
use lookalike_core::text::Unit;
use lookalike_core::{
    Comparer, Evidence, Kernel, PairRule, Recipe, Signature, Signer, Standing, Verdict,
};
use proptest::prelude::*;

fn text(words: &[u16]) -> String {
    words.iter().map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ")
}

fn shingles(words: &[u16], width: usize) -> BTreeSet<&[u16]> {
    if words.len() < width { BTreeSet::from([words]) } else { words.windows(width).collect() }
}

fn resemblance(a: &[u16], b: &[u16], width: usize) -> f64 {
    let (a, b) = (shingles(a, width), shingles(b, width));
    a.intersection(&b).count() as f64 / a.union(&b).count() as f64
}

fn equal<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a == b).count()
}

/// Words to delete or insert, by the textbook table.
fn terms(a: &[u16], b: &[u16]) -> u64 {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let here = if x == y { diagonal } else { row[j].min(row[j + 1]) + 1 };
            diagonal = std::mem::replace(&mut row[j + 1], here);
        }
    }
    row[b.len()] as u64
}

fn estimate(a: &Signature, b: &Signature) -> f64 {
    equal(&a.sketch, &b.sketch) as f64 / a.sketch.len() as f64
}

fn equal_bits(a: &Signature, b: &Signature) -> usize {
    let bits = |signature: &Signature| -> Vec<bool> {
        let words = signature.projection.iter();
        words.flat_map(|word| (0..64).map(move |bit| word >> bit & 1 == 1)).collect()
    };
    equal(&bits(a), &bits(b))
}

fn is_candidate(recipe: &Recipe, a: &Signature, b: &Signature, same_site: bool) -> bool {
    let features = || equal(&a.features, &b.features) >= recipe.features.unwrap().r() as usize;
    let bits = || equal_bits(a, b) >= recipe.projection.unwrap().agree;
    let bits_combined = || equal_bits(a, b) >= recipe.projection.unwrap().agree_combined;
    match recipe.candidates {
        Candidates::Features => features(),
        Candidates::Projection => bits(),
        Candidates::BySite if !same_site => bits(),
        Candidates::Combined | Candidates::BySite => features() && bits_combined(),
        Candidates::Lists => {
            let SketchParameters::Lists { lists, agree, .. } = recipe.sketch else { panic!() };
            let shared = |(a, b): &(&[u64], &[u64])| {
                a.iter().zip(*b).any(|(a, b)| a == b && *a != ListsSketch::NONE)
            };
            a.sketch.chunks(lists).zip(b.sketch.chunks(lists)).filter(shared).count() >= agree
        }
        Candidates::None => false,
        _ => panic!("a rule that this test does not know"),
    }
}

fn recipe() -> impl Strategy<Value = Recipe> {
    let verify = proptest::sample::select(vec![
        Verify::Exact,
        Verify::Estimate,
        Verify::Difference,
        Verify::None,
    ]);
    (proptest::sample::select(&PRESETS[..]), verify, 1_u32..=20, 0..20).prop_map(
        |(name, verify, of_20, proposes)| {
            let mut recipe = Recipe::preset(name).unwrap();
            if proposes == 0 && !recipe.templates.leave_out() {
                recipe.candidates = Candidates::None;
            }
            // Only minima estimate a resemblance that is this easy to count.
            if verify != Verify::Estimate
                || matches!(recipe.sketch, SketchParameters::Minwise { .. })
            {
                recipe.verify = verify;
                recipe.keep_sketch |= verify == Verify::Estimate;
            }
            // The twin counts windows of words.
            Recipe { threshold: f64::from(of_20) / 20.0, tokens: Unit::Words, ..recipe }
        },
    )
}

/// Words, and the same with some of them changed.
fn documents() -> impl Strategy<Value = [Vec<u16>; 2]> {
    let edits = proptest::collection::vec((any::<prop::sample::Index>(), 0_u16..500), 0..6);
    (proptest::collection::vec(0_u16..500, 0..80), edits).prop_map(|(words, edits)| {
        let mut other = words.clone();
        for (at, word) in edits.into_iter().filter(|_| !words.is_empty()) {
            other[at.index(words.len())] = word;
        }
        [words, other]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn equals_what_is_counted_one_by_one(
        recipe in recipe(),
        [x, y] in documents(),
        same_site: bool,
    ) {
        let rule = PairRule::new(Kernel::best(), &recipe);
        let mut signer = Signer::new(&recipe).unwrap();
        let [a, b] = [&x, &y].map(|words| signer.sign(text(words).as_bytes()).clone());
        let compared =
            Comparer::new(&recipe).unwrap().compare(text(&x).as_bytes(), text(&y).as_bytes());

        let empty = x.is_empty() || y.is_empty();
        let found = if empty { 0.0 } else { resemblance(&x, &y, recipe.shingles.width) };
        let words = (x.len() + y.len()) as u64;
        let differing = terms(&x, &y);
        let evidence = match recipe.verify {
            Verify::Difference => Evidence::Difference(differing as f64 / words.max(1) as f64),
            Verify::Exact => Evidence::Exact(compared.overlap),
            Verify::Estimate => Evidence::Estimate(if empty { 0.0 } else { estimate(&a, &b) }),
            Verify::None => Evidence::Rule,
        };
        let enough = match evidence {
            Evidence::Exact(_) => found >= recipe.threshold,
            Evidence::Estimate(estimate) => estimate >= recipe.threshold,
            // In whole numbers, which are not rounded.
            Evidence::Difference(_) => {
                let of_20 = (recipe.threshold * 20.0).round() as u64;
                differing * 20 <= (20 - of_20) * words
            }
            _ => true,
        };
        let candidate = |same_site| !empty && is_candidate(&recipe, &a, &b, same_site);

        prop_assert_eq!(compared.overlap.resemblance().to_bits(), found.to_bits());
        prop_assert_eq!(rule.candidates().holds(&a, &b, same_site), candidate(same_site));
        // Where sharing a key is the whole rule, only those that do are asked about.
        if candidate(same_site) || !rule.candidates().is_sharing_a_key() {
            let standing = rule.by_signatures(&a, &b, same_site);
            prop_assert_eq!(standing == Standing::NoCandidate, !candidate(same_site));
            let verdict = match standing {
                Standing::NoCandidate => Verdict::Refused,
                Standing::Judged(verdict) => verdict,
                Standing::Open if rule.reads_sequences() => rule.by_difference(differing, words),
                Standing::Open => rule.by_overlap(compared.overlap),
            };
            let accepted = candidate(same_site) && enough;
            prop_assert_eq!(verdict.evidence(), accepted.then_some(evidence));
        }
        let sizes = [compared.overlap.a, compared.overlap.b];
        prop_assert!(rule.is_possible(sizes) || found < recipe.threshold);
        if recipe.verify == Verify::Difference {
            let most = rule.most_terms([&x, &y].map(|words| words.len() as u64));
            prop_assert_eq!(differing <= most, enough);
            prop_assert!(!empty || compared.difference.is_some());
        }

        let pair = if recipe.verify == Verify::None { candidate(true) } else { enough };
        prop_assert_eq!(rule.accepts(&compared), !empty && (x == y || pair));
    }

    /// The words of the later document are all, or all but some, of those of the earlier one, as a page is
    /// of a book.
    #[test]
    fn a_document_is_contained_in_another_but_for_a_share(
        [x, y] in documents(),
        begin: prop::sample::Index,
        of_100 in 0_u64..=100,
    ) {
        prop_assume!(!x.is_empty());
        let later = &y[begin.index(y.len())..];
        let recipe = Recipe::default();
        let lost = of_100 as f64 / 100.0;
        let rule = PairRule::new(Kernel::best(), &recipe).containing(lost);
        let comparer = Comparer::new(&recipe);
        let overlap =
            comparer.unwrap().compare(text(&x).as_bytes(), text(later).as_bytes()).overlap;

        let width = recipe.shingles.width;
        let [earlier, later] = [&x, later].map(|words| shingles(words, width));
        let missing = later.difference(&earlier).count() as u64;
        // In whole numbers, which are not rounded.
        let is_contained = missing * 100 <= of_100 * later.len() as u64;
        prop_assert_eq!(rule.by_overlap(overlap).is_accepted(), is_contained);
        prop_assert!(!rule.goes_by_resemblance() && !rule.reads_signatures());
        prop_assert!(rule.is_possible([overlap.a, overlap.b]) || !is_contained);
    }

    #[test]
    fn evidence_is_read_as_it_was_stored(tag in 0_u8..6, numbers: [u64; 3]) {
        let mut bytes = [tag; Evidence::BYTES];
        for (place, number) in numbers.into_iter().enumerate() {
            bytes[1 + 8 * place..][..8].copy_from_slice(&number.to_le_bytes());
        }
        let evidence = Evidence::from_bytes(&bytes);
        prop_assert_eq!(evidence.is_some(), tag < 5);
        if let Some(evidence) = evidence {
            let again = Evidence::from_bytes(&evidence.to_bytes()).map(Evidence::to_bytes);
            prop_assert_eq!(again, Some(evidence.to_bytes()));
            prop_assert_eq!(evidence.turned().turned().to_bytes(), evidence.to_bytes());
        }
    }
}

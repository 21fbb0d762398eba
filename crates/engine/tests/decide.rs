//! Decisions against naive ones, and what they promise.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;

use lookalike_engine::decide::{PlacedPair, Removal, anchored, components};
use lookalike_engine::sort::{Sorted, Sorter};
use proptest::prelude::*;

type Pairs = Vec<(u64, u64, f64)>;

fn sorted(pairs: &Pairs) -> Sorted<PlacedPair> {
    let mut sorter = Sorter::new(Path::new("unused"), 0);
    for &(a, b, resemblance) in pairs {
        sorter.push(PlacedPair::new(a, b, resemblance)).unwrap();
    }
    sorter.finish().unwrap()
}

fn decide_anchored(documents: u64, pairs: &Pairs) -> Vec<Removal> {
    let mut removals = Vec::new();
    let remove = |removal| {
        removals.push(removal);
        Ok(())
    };
    anchored(documents, &mut sorted(pairs), remove).unwrap();
    removals
}

fn decide_components(documents: u64, pairs: &Pairs) -> Vec<Removal> {
    let mut removals = Vec::new();
    let remove = |removal| {
        removals.push(removal);
        Ok(())
    };
    components(documents, &mut sorted(pairs), remove).unwrap();
    removals
}

/// In order, each stays unless it has a pair with one that stays.
fn naive(documents: u64, pairs: &Pairs) -> Vec<Removal> {
    let mut stays: Vec<u64> = Vec::new();
    let mut removals = Vec::new();
    for document in 0..documents {
        let resemblance = |keeper: u64| {
            let same = |&&(a, b, _): &&(u64, u64, f64)| (a.min(b), a.max(b)) == (keeper, document);
            pairs.iter().filter(same).map(|&(_, _, r)| r).reduce(f64::max)
        };
        let like = stays.iter().filter_map(|&keeper| Some((keeper, resemblance(keeper)?)));
        let best = like.reduce(|best, next| if next.1 > best.1 { next } else { best });
        match best {
            Some((keeper, r)) => removals.push(Removal { document, keeper, resemblance: Some(r) }),
            None => stays.push(document),
        }
    }
    removals
}

fn graphs() -> impl Strategy<Value = (u64, Pairs)> {
    (1u64..40).prop_flat_map(|documents| {
        let pair = (0..documents, 0..documents, 80u32..=100);
        let pairs = proptest::collection::vec(pair, 0..80).prop_map(|pairs| {
            let different = pairs.into_iter().filter(|(a, b, _)| a != b);
            different.map(|(a, b, r)| (a, b, f64::from(r) / 100.0)).collect()
        });
        (Just(documents), pairs)
    })
}

proptest! {
    #[test]
    fn anchored_is_the_naive_decision((documents, pairs) in graphs()) {
        prop_assert_eq!(decide_anchored(documents, &pairs), naive(documents, &pairs));
    }

    #[test]
    fn nothing_goes_without_a_verified_pair_with_one_that_stays((documents, pairs) in graphs()) {
        let removals = decide_anchored(documents, &pairs);
        let goes = |place| removals.iter().any(|removal| removal.document == place);
        for removal in &removals {
            prop_assert!(!goes(removal.keeper));
            let verified = |&(a, b, r): &(u64, u64, f64)| {
                PlacedPair::new(a, b, r) == PlacedPair::new(removal.document, removal.keeper, removal.resemblance.unwrap())
            };
            prop_assert!(pairs.iter().any(verified));
        }
        // And no two that stay are a pair.
        for &(a, b, _) in &pairs {
            prop_assert!(goes(a) || goes(b));
        }
    }

    #[test]
    fn components_keep_the_first_of_whatever_is_connected((documents, pairs) in graphs()) {
        let removals = decide_components(documents, &pairs);
        // Naively: the smallest place spreads along pairs until nothing changes.
        let mut first: Vec<u64> = (0..documents).collect();
        for _ in 0..documents {
            for &(a, b, _) in &pairs {
                let smaller = first[a as usize].min(first[b as usize]);
                (first[a as usize], first[b as usize]) = (smaller, smaller);
            }
        }
        let expected: Vec<(u64, u64)> =
            (0..documents).zip(first).filter(|(place, first)| place != first).collect();
        let found: Vec<(u64, u64)> = removals.iter().map(|r| (r.document, r.keeper)).collect();
        prop_assert_eq!(found, expected);
        for removal in removals {
            let direct = |&&(a, b, _): &&(u64, u64, f64)| {
                (a.min(b), a.max(b)) == (removal.keeper, removal.document)
            };
            prop_assert_eq!(removal.resemblance.is_some(), pairs.iter().any(|p| direct(&p)));
        }
    }
}

#[test]
fn a_chain_is_cut_by_anchors_and_not_by_components() {
    let chain: Pairs = (1..6).map(|place| (place, place - 1, 0.9)).collect();
    let gone: Vec<u64> = decide_anchored(6, &chain).iter().map(|r| r.document).collect();
    assert_eq!(gone, [1, 3, 5], "each that goes has its own neighbour kept");
    assert_eq!(decide_components(6, &chain).len(), 5);
}

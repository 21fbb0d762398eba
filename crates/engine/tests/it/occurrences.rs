//! Keys that occur twice are never lost; most that occur once are.

use std::collections::HashMap;

use lookalike_core::Sequence;
use lookalike_engine::Occurrences;
use proptest::prelude::*;

proptest! {
    #[test]
    fn no_repeated_key_is_dropped(
        keys in proptest::collection::vec(0u64..300, 0..600),
        bytes in 0usize..200,
    ) {
        let mut occurrences = Occurrences::with_bytes(bytes);
        let mut truth: HashMap<u64, u64> = HashMap::new();
        for &key in &keys {
            occurrences.count(key);
            *truth.entry(key).or_default() += 1;
        }
        for (key, count) in truth {
            prop_assert!(count < 2 || occurrences.may_be_many(key));
        }
    }
}

#[test]
fn most_single_keys_are_dropped() {
    let mut random = Sequence::new(1, 1);
    let keys: Vec<u64> = (0..100_000).map(|_| random.next()).collect();
    // Four counters a key: a byte each.
    let mut occurrences = Occurrences::with_bytes(keys.len());
    for &key in &keys {
        occurrences.count(key);
    }
    let kept = keys.iter().filter(|&&key| occurrences.may_be_many(key)).count() as f64;
    // Another key shares the counter with probability 1 - e^(-1/4).
    let expected = keys.len() as f64 * (1.0 - (-0.25f64).exp());
    assert!((kept / expected - 1.0).abs() < 0.03, "{kept} for {expected}");
}

#[test]
fn consecutive_keys_are_dealt_evenly() {
    let mut occurrences = Occurrences::with_bytes(100_000);
    for key in 0..100_000 {
        occurrences.count(key);
    }
    let kept = (0..100_000).filter(|&key| occurrences.may_be_many(key)).count();
    assert!((20_000..25_000).contains(&kept), "{kept}");
}

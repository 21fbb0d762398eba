//! Groups against a map.

use std::fs;

use proptest::prelude::*;

use super::{
    GroupCounts, GroupReader, Keys, Sides, folder, group_sides, naive_groups, random_keys,
    read_groups,
};

/// The same on one thread and on several, to the byte.
fn check(keys: &Keys, documents: u32, budget: usize, name: &str) -> GroupCounts {
    check_known(keys, documents, 0, budget, name)
}

fn check_known(keys: &Keys, documents: u32, known: u32, budget: usize, name: &str) -> GroupCounts {
    let folder = folder(&format!("matching/{name}"));
    let sides = Sides { new: u64::from(documents - known), known: known.into() };
    let written = |threads| {
        let counts = group_sides(&folder, budget, threads, sides, keys);
        (counts, fs::read(folder.join("groups")).unwrap())
    };
    let (counts, bytes) = written(1);
    for threads in 2..=4 {
        assert!(written(threads) == (counts, bytes.clone()), "{threads} threads, {budget} bytes");
    }
    let (found, expected) = (read_groups(&folder), naive_groups(keys, known));
    assert!(found == expected, "{documents} documents, {budget} bytes");
    let reader = GroupReader::open(&folder.join("groups")).unwrap();
    assert_eq!((reader.documents(), reader.counts()), (documents.into(), counts));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "only the file is left");
    assert_eq!(counts.documents, keys.len() as u64);
    assert_eq!(counts.keys, keys.iter().map(|(_, keys)| keys.len() as u64).sum::<u64>());
    assert_eq!(counts.groups, expected.len() as u64);
    assert_eq!(counts.members, expected.iter().map(|group| group.len() as u64).sum::<u64>());
    assert_eq!(counts.largest, expected.iter().map(|group| group.len() as u64).max().unwrap_or(0));
    counts
}

proptest! {
    #[test]
    fn groups_are_the_documents_of_a_key(
        keys in proptest::collection::vec(proptest::collection::vec(0u64..40, 0..5), 0..50),
        budget in prop_oneof![Just(0usize), Just(1 << 20)],
    ) {
        // In any order, and with documents that take no part.
        let keys: Keys = (0..).zip(keys).filter(|(place, _)| place % 7 != 3).collect();
        let backwards: Keys = keys.into_iter().rev().collect();
        check(&backwards, 50, budget, "of-keys");
    }

    /// In any order too: what a known document counts for does not depend on what came before it.
    #[test]
    fn known_documents_make_no_groups_by_themselves(
        keys in proptest::collection::vec(proptest::collection::vec(0u64..40, 0..5), 50),
        known in 0_u32..50,
        seed in any::<u64>(),
    ) {
        let mut keys: Keys = (0..).zip(keys).collect();
        keys.sort_by_key(|(place, _)| lookalike_core::mix(seed ^ u64::from(*place)));
        check_known(&keys, 50, known, 0, "known");
    }
}

#[test]
fn every_budget_gives_the_same_groups() {
    let keys = random_keys(1, 30_000, 6, 100_000);
    for budget in [0, 300_000, 1 << 20, 64 << 20] {
        let counts = check(&keys, 30_000, budget, "budgets");
        assert!(counts.records >= counts.members);
    }
}

#[test]
fn keys_that_occur_once_are_hardly_sorted() {
    let keys: Keys = (0..20_000)
        .map(|place| {
            (place, (0..5).map(|n| lookalike_core::mix(u64::from(place * 5 + n))).collect())
        })
        .collect();
    let counts = check(&keys, 20_000, 8 << 20, "once");
    assert_eq!(counts.groups, 0);
    // One in eight shares its counter.
    assert!((10_000..14_000).contains(&counts.records), "{}", counts.records);
}

#[test]
fn one_key_of_all_documents_is_one_group() {
    let keys: Keys = (0..100_000).map(|place| (place, vec![7, 7])).collect();
    let counts = check(&keys, 100_000, 0, "all");
    assert_eq!((counts.groups, counts.largest), (1, 100_000));
}

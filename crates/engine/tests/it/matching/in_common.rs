//! Keys in common, counted out of core, against a count of every pair.

use std::collections::{BTreeMap, BTreeSet};

use lookalike_engine::Sides;
use lookalike_engine::matching::{
    ALL_MEMBERS, GroupTask, Grouped, InCommon, write_pairs_in_common,
};
use proptest::prelude::*;

use super::{Keys, folder, place, random_keys, read_groups};

fn found(
    name: &str,
    keys: &Keys,
    sides: Sides,
    (budget, threads): (usize, usize),
    wanted: InCommon<'_>,
) -> (Vec<Vec<u32>>, Grouped) {
    let folder = folder(&format!("matching/in-common-{name}"));
    let path = &folder.join("groups");
    let (folder, known_members) = (&folder, ALL_MEMBERS);
    let task = GroupTask { path, folder, budget, threads, documents: sides, known_members };
    // Known documents have the first places and come last.
    let (known, new): (Vec<_>, Vec<_>) =
        keys.iter().partition(|(number, _)| sides.knows(place(*number)));
    let grouped = write_pairs_in_common(&task, wanted, |push| {
        new.iter().chain(&known).try_for_each(|(number, keys)| push(place(*number), keys))
    });
    let files = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(files, 1, "only the file is left");
    (read_groups(folder), grouped.unwrap())
}

/// By the definition: each two documents, and each key.
fn expected(keys: &Keys, sides: Sides, wanted: InCommon<'_>) -> (Vec<Vec<u32>>, u64) {
    let sets: BTreeMap<u32, BTreeSet<u64>> =
        keys.iter().map(|(number, keys)| (*number, keys.iter().copied().collect())).collect();
    let mut holders: BTreeMap<u64, usize> = BTreeMap::new();
    for key in sets.values().flatten() {
        *holders.entry(*key).or_default() += 1;
    }
    let given: BTreeMap<u32, usize> =
        keys.iter().map(|(number, keys)| (*number, keys.len())).collect();
    let is_common = |key: &u64| holders[key] > wanted.common;
    let mut pairs = Vec::new();
    for (&later, keys) in &sets {
        let missing = keys.iter().filter(|key| is_common(key)).count();
        for (&earlier, others) in sets.range(..later) {
            let shared = keys.intersection(others).filter(|key| !is_common(key)).count();
            let is_new = !sides.knows(place(later));
            if is_new && shared > 0 && shared + missing >= (wanted.least)(given[&later]) {
                pairs.push(vec![earlier, later]);
            }
        }
    }
    let of_new: BTreeSet<u64> = sets
        .iter()
        .filter(|(number, _)| !sides.knows(place(**number)))
        .flat_map(|(_, keys)| keys.clone())
        .collect();
    (pairs, of_new.iter().filter(|key| is_common(key)).count() as u64)
}

proptest! {
    #[test]
    fn pairs_are_those_with_enough_keys_in_common(
        keys in proptest::collection::vec(proptest::collection::vec(0u64..60, 0..12), 0..40),
        known in 0_u64..10,
        least in 1_usize..6,
        share in 0_usize..=4,
        common in 1_usize..12,
        threads in 1_usize..=4,
    ) {
        let sides = Sides { new: 40 - known, known };
        let keys: Keys = (0..).zip(keys).filter(|(place, _)| place % 7 != 3).collect();
        // So many, and a share of those that there are.
        let least = |keys: usize| least.max(share * keys / 4);
        let wanted = InCommon { least: &least, common };
        let (pairs, grouped) = found("pairs", &keys, sides, (0, threads), wanted);
        let (expected, left_out) = expected(&keys, sides, wanted);
        prop_assert_eq!(grouped.groups.groups, expected.len() as u64);
        prop_assert_eq!(pairs, expected);
        prop_assert_eq!(grouped.left_out, left_out);
    }
}

#[test]
fn every_budget_gives_the_same_pairs() {
    let keys = random_keys(1, 3000, 12, 3000);
    let sides = Sides::from(3000);
    for common in [20, 1000] {
        let wanted = InCommon { least: &|_| 2, common };
        let (expected, left_out) = expected(&keys, sides, wanted);
        assert!(expected.len() > 1000 && (left_out > 0) == (common == 20), "{left_out}");
        for way in [(0, 1), (0, 3), (1 << 20, 2), (64 << 20, 4)] {
            let (pairs, grouped) = found("budgets", &keys, sides, way, wanted);
            assert!(pairs == expected, "{way:?}: bytes and threads");
            assert_eq!(grouped.left_out, left_out);
        }
    }
}

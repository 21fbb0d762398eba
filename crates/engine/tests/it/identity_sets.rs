//! Identity sets against a map, and files of copies that were tampered with.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use lookalike_core::Sequence;
use lookalike_engine::Place;
use lookalike_engine::identity_sets::{self, Copies, CopyOf, SetTask};
use proptest::prelude::*;

use crate::folder;
use crate::tampering::{ROWS, rewrite, tamper};

type Fingerprints = [(Place, u128)];

fn find(folder: &Path, budget: usize, documents: u64, fingerprints: &Fingerprints) -> Copies {
    find_on(2, folder, budget, documents, fingerprints)
}

fn find_on(
    threads: usize,
    folder: &Path,
    budget: usize,
    documents: u64,
    fingerprints: &Fingerprints,
) -> Copies {
    let (path, documents) = (&folder.join("copies"), documents.into());
    let task = SetTask { path, folder, budget, threads, documents };
    identity_sets::find(&task, |push| {
        fingerprints.iter().try_for_each(|&(place, exact)| push(place, exact))
    })
    .unwrap()
}

fn list(copies: &Copies) -> Vec<CopyOf> {
    let mut reader = copies.list().unwrap();
    std::iter::from_fn(|| reader.next().unwrap()).collect()
}

/// By the definition: the smallest place of a fingerprint stands for all others.
fn naive(fingerprints: &Fingerprints) -> Vec<CopyOf> {
    let mut first: HashMap<u128, Place> = HashMap::new();
    for &(place, exact) in fingerprints {
        first.entry(exact).and_modify(|first| *first = place.min(*first)).or_insert(place);
    }
    let copy = |&(copy, exact): &(Place, u128)| CopyOf { copy, representative: first[&exact] };
    let mut copies: Vec<_> =
        fingerprints.iter().map(copy).filter(|copy| copy.copy != copy.representative).collect();
    copies.sort_unstable();
    copies
}

proptest! {
    #[test]
    fn sets_are_those_of_equal_fingerprints(
        places in proptest::sample::subsequence((0..60).map(Place::nth).collect::<Vec<_>>(), 0..60).prop_shuffle(),
        kinds in 1u64..40,
        seed in any::<u64>(),
    ) {
        let folder = folder("group/random");
        let mut random = Sequence::new(seed, 1);
        // Fingerprints that differ in the high half only, in the low half only, or not.
        let mut half = || u128::from(random.next() % kinds.isqrt().max(1));
        let fingerprints: Vec<_> =
            places.iter().map(|&place| (place, half() << 64 | half())).collect();
        let copies = find(&folder, 0, 60, &fingerprints);
        let expected = naive(&fingerprints);
        prop_assert_eq!(list(&copies), expected.clone());
        let opened = Copies::open(&folder.join("copies")).unwrap();
        prop_assert_eq!((opened.documents(), opened.count()), (60, expected.len() as u64));
        prop_assert_eq!(list(&opened), expected.clone());
        for place in Place::all().take(60) {
            let is_copy = expected.iter().any(|copy| copy.copy == place);
            prop_assert_eq!((copies.is_copy(place), opened.is_copy(place)), (is_copy, is_copy));
        }
    }
}

#[test]
fn every_budget_gives_the_same_sets() {
    let folder = folder("group/budgets");
    let mut random = Sequence::new(3, 3);
    // Backwards: the order of arrival does not matter.
    let fingerprints: Vec<_> = (0..100_000)
        .rev()
        .map(|place| (Place::nth(place), u128::from(random.next() % 60_000)))
        .collect();
    let expected = naive(&fingerprints);
    for (budget, threads) in [(0, 1), (0, 4), (1 << 20, 1), (1 << 20, 3), (64 << 20, 2)] {
        let copies = find_on(threads, &folder, budget, 100_000, &fingerprints);
        assert!(list(&copies) == expected, "{budget} bytes, {threads} threads");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "only the file is left");
    }
}

#[test]
fn a_failure_of_the_caller_is_handed_on_and_leaves_nothing() {
    let folder = folder("group/failure");
    let (path, documents) = (&folder.join("copies"), 10.into());
    let task = SetTask { path, folder: &folder, budget: 0, threads: 2, documents };
    let outcome = identity_sets::find(&task, |push| {
        push(Place::nth(0), 1)?;
        Err(Copies::open(Path::new("no/such/file")).unwrap_err())
    });
    assert!(outcome.unwrap_err().to_string().contains("no/such/file"));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

/// A file of 40,000 copies: many blocks.
fn example(name: &str) -> (PathBuf, Vec<u8>) {
    let folder = folder(&format!("group/{name}"));
    let fingerprints: Vec<_> =
        (0..50_000).map(|place| (Place::nth(place), u128::from(place % 10_000))).collect();
    find(&folder, 0, 50_000, &fingerprints);
    let path = folder.join("copies");
    let bytes = fs::read(&path).unwrap();
    (path, bytes)
}

#[test]
fn each_damage_is_named() {
    let (path, good) = example("damage");
    let is_said = |what: &str| {
        let error = Copies::open(&path).unwrap_err();
        let message = error.to_string();
        assert!(error.is_corruption() && message.contains(what), "{message}");
        assert!(message.contains("copies`: is damaged at byte"), "{message}");
    };
    let damaged = |change: &dyn Fn(&mut Vec<u8>), what: &str| {
        let mut bytes = good.clone();
        change(&mut bytes);
        fs::write(&path, bytes).unwrap();
        is_said(what);
    };
    damaged(&|bytes| bytes[0] = b'X', "at byte 0: expected the magic `LOOKROWS`, found `XOOKROWS`");
    damaged(&|bytes| bytes[13] ^= 1, "at byte 4088: expected the checksum");
    damaged(
        &|bytes| bytes.truncate(7),
        "at byte 0: expected the magic `LOOKROWS`, found `LOOKROW`",
    );
    damaged(&|bytes| bytes.truncate(40), "at byte 32: expected the checksum");
    damaged(&|bytes| bytes.truncate(70_000), "at byte 69992: expected the checksum");
    damaged(&|bytes| bytes.push(0), "expected the checksum");
    damaged(&|bytes| bytes[60] ^= 1, "at byte 4088: expected the checksum");

    // The first rows, and the counts: documents, copies.
    let tampered = |change: &dyn Fn(&mut [u8], &mut [u8]), what: &str| {
        fs::write(&path, &good).unwrap();
        tamper(&path, |bytes| {
            let (rows, counts) = bytes.split_at_mut(bytes.len() - 16);
            change(rows, counts);
        });
        is_said(what);
    };
    let first = format!("at byte {ROWS}: expected a copy of a preferred document");
    tampered(&|_, counts| counts[..8].fill(0), &first);
    tampered(&|_, counts| counts[..8].fill(0xff), "expected at most 4294967295 documents");
    tampered(&|_, counts| counts[8] ^= 1, "expected 40000 copies, found 40001");
    tampered(&|rows, _| rows.copy_within(0..4, 4), "found 10000 as a copy of 10000");
    let of_a_copy = "at byte 32: expected the first of a set, found 10000, which is a copy";
    tampered(&|rows, _| rows.copy_within(0..4, 12), of_a_copy);

    fs::write(&path, &good).unwrap();
    rewrite(&path, 3, |bytes| bytes[ROWS - 1] ^= 1);
    is_said("at byte 0: expected the header of a table `copiesof` of 8 bytes a row");
    for (version, hint) in [(2, "an earlier release"), (4, "a later release")] {
        fs::write(&path, &good).unwrap();
        rewrite(&path, version, |_| {});
        let message = Copies::open(&path).unwrap_err().to_string();
        let said = message.contains(&format!("format version {version}")) && message.contains(hint);
        assert!(said, "{message}");
    }
}

#[test]
fn a_changed_byte_anywhere_is_noticed() {
    let (path, good) = example("flips");
    let mut random = Sequence::new(5, 5);
    for _ in 0..300 {
        let mut bytes = good.clone();
        let at = random.next() as usize % bytes.len();
        bytes[at] ^= 1 << (random.next() % 8);
        fs::write(&path, &bytes).unwrap();
        assert!(Copies::open(&path).is_err(), "byte {at}");
    }
}

//! Identity sets against a map, and files of copies that were tampered with.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use lookalike_core::Sequence;
use lookalike_engine::group::{Copies, CopyOf, identity_sets};
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("group").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

type Fingerprints = [(u32, u128)];

fn find(folder: &Path, budget: usize, documents: u64, fingerprints: &Fingerprints) -> Copies {
    identity_sets(&folder.join("copies"), folder, budget, documents, |push| {
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
    let mut first: HashMap<u128, u32> = HashMap::new();
    for &(place, exact) in fingerprints {
        first.entry(exact).and_modify(|first| *first = place.min(*first)).or_insert(place);
    }
    let copy = |&(copy, exact): &(u32, u128)| CopyOf { copy, representative: first[&exact] };
    let mut copies: Vec<_> =
        fingerprints.iter().map(copy).filter(|copy| copy.copy != copy.representative).collect();
    copies.sort_unstable();
    copies
}

proptest! {
    #[test]
    fn sets_are_those_of_equal_fingerprints(
        places in proptest::sample::subsequence((0..60u32).collect::<Vec<_>>(), 0..60).prop_shuffle(),
        kinds in 1u64..40,
        seed in any::<u64>(),
    ) {
        let folder = folder("random");
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
        for place in 0..60 {
            let is_copy = expected.iter().any(|copy| copy.copy == place);
            prop_assert_eq!((copies.is_copy(place), opened.is_copy(place)), (is_copy, is_copy));
        }
    }
}

#[test]
fn every_budget_gives_the_same_sets() {
    let folder = folder("budgets");
    let mut random = Sequence::new(3, 3);
    // Backwards: the order of arrival does not matter.
    let fingerprints: Vec<_> =
        (0..100_000).rev().map(|place| (place, u128::from(random.next() % 60_000))).collect();
    let expected = naive(&fingerprints);
    for budget in [0, 1 << 20, 64 << 20] {
        assert!(list(&find(&folder, budget, 100_000, &fingerprints)) == expected, "{budget}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "only the file is left");
    }
}

#[test]
fn a_failure_of_the_caller_is_handed_on_and_leaves_nothing() {
    let folder = folder("failure");
    let path = folder.join("copies");
    let outcome = identity_sets(&path, &folder, 0, 10, |push| {
        push(0, 1)?;
        Err(Copies::open(Path::new("no/such/file")).unwrap_err())
    });
    assert!(outcome.unwrap_err().to_string().contains("no/such/file"));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

/// A file of 40,000 copies: five blocks.
fn example(name: &str) -> (PathBuf, Vec<u8>) {
    let folder = folder(name);
    let fingerprints: Vec<_> =
        (0..50_000).map(|place| (place, u128::from(place % 10_000))).collect();
    find(&folder, 0, 50_000, &fingerprints);
    let path = folder.join("copies");
    let bytes = fs::read(&path).unwrap();
    (path, bytes)
}

#[test]
fn each_damage_is_named() {
    let (path, good) = example("damage");
    let says = |change: &dyn Fn(&mut Vec<u8>), what: &str| {
        let mut bytes = good.clone();
        change(&mut bytes);
        fs::write(&path, bytes).unwrap();
        let error = Copies::open(&path).unwrap_err();
        let message = error.to_string();
        assert!(error.is_corruption() && message.contains(what), "{message}");
        assert!(message.contains("copies`: is damaged at byte"), "{message}");
    };
    let repair = |bytes: &mut [u8], from: usize, to: usize| {
        let checksum = xxh3_64(&bytes[from..to]).to_le_bytes();
        bytes[to..to + 8].copy_from_slice(&checksum);
    };
    let end = good.len() - 20;
    says(&|bytes| bytes[0] = b'X', "at byte 0: expected the magic `LOOKCOPY`, found `XOOKCOPY`");
    says(&|bytes| bytes[13] ^= 1, "at byte 20: expected the checksum");
    says(&|bytes| bytes.truncate(27), "at byte 0: expected a header of 28 bytes");
    says(&|bytes| bytes.truncate(40), "at byte 28: expected an end block of 20 bytes");
    says(&|bytes| bytes.truncate(70_000), "at byte 69992: expected the checksum");
    says(&|bytes| bytes.push(0), "expected the checksum");
    says(&|bytes| bytes[60] ^= 1, "at byte 65568: expected the checksum");
    says(&|bytes| bytes[28..32].fill(0xff), "at byte 28: expected a block of 1 to 65536 bytes");
    let no_documents = |bytes: &mut Vec<u8>| {
        bytes[12..20].fill(0);
        repair(bytes, 0, 20);
    };
    says(&no_documents, "at byte 32: expected a copy of a preferred document");
    let too_many = |bytes: &mut Vec<u8>| {
        bytes[12..20].fill(0xff);
        repair(bytes, 0, 20);
    };
    says(&too_many, "at byte 12: expected at most 4294967295 documents");
    let other_count = |bytes: &mut Vec<u8>| {
        bytes[end + 4] ^= 1;
        repair(bytes, end, end + 12);
    };
    says(&other_count, "expected 40000 copies, found 40001");
    let of_itself = |bytes: &mut Vec<u8>| {
        bytes.copy_within(32..36, 36);
        repair(bytes, 28, 28 + 4 + (64 << 10));
    };
    says(&of_itself, "found 10000 as a copy of 10000");
    let of_a_copy = |bytes: &mut Vec<u8>| {
        bytes.copy_within(32..36, 44);
        repair(bytes, 28, 28 + 4 + (64 << 10));
    };
    says(&of_a_copy, "at byte 40: expected the first of a set, found 10000, which is a copy");
    let mut bytes = good.clone();
    bytes[8] = 2;
    fs::write(&path, bytes).unwrap();
    assert!(Copies::open(&path).unwrap_err().to_string().contains("format version 2"));
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

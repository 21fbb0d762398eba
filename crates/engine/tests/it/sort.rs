//! Sorting out of core against sorting in memory.

use std::fs;
use std::path::Path;

use lookalike_core::Sequence;
use lookalike_engine::Place;
use lookalike_engine::matching::KeyPlace;
use lookalike_engine::sort::{Record, Sorter};
use proptest::prelude::*;

use crate::folder;

/// The smallest budget there is.
const LEAST: usize = 256 << 10;

fn sorted<R: Record>(folder: &Path, budget: usize, records: &[R]) -> Vec<R> {
    let mut sorter = Sorter::new(folder, budget);
    push_all(&mut sorter, records);
    let mut sorted = sorter.finish().unwrap();
    let mut out = Vec::new();
    while let Some(record) = sorted.next().unwrap() {
        out.push(record);
    }
    out
}

fn push_all<R: Record>(sorter: &mut Sorter<R>, records: &[R]) {
    for &record in records {
        sorter.push(record).unwrap();
    }
}

/// Records with few and with many different keys, some of them at the ends of the range.
fn records(seed: u64, count: usize, keys: u64) -> Vec<KeyPlace> {
    let mut random = Sequence::new(seed, 7);
    let key = |x: u64| if x.is_multiple_of(11) { u64::MAX } else { x % keys };
    Place::all().take(count).map(|place| KeyPlace { key: key(random.next()), place }).collect()
}

#[test]
fn every_budget_gives_the_same_order() {
    let folder = folder("sort/budgets");
    // 200,000 records of 16 bytes: from one buffer to a dozen runs.
    let records = records(1, 200_000, 1000);
    let mut expected = records.clone();
    expected.sort_unstable();
    for budget in [0, LEAST, 1 << 20, 3_000_000, 64 << 20] {
        assert!(sorted(&folder, budget, &records) == expected, "{budget}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "no run is left behind");
    }
}

#[test]
fn many_runs_take_several_passes() {
    // The least budget merges three runs at once; 700,000 records make some sixty.
    let folder = folder("sort/passes");
    let records = records(2, 700_000, u64::MAX);
    let mut sorter = Sorter::new(&folder, LEAST);
    push_all(&mut sorter, &records);
    assert!(sorter.runs() > 50);
    let mut sorted = sorter.finish().unwrap();
    let mut expected = records;
    expected.sort_unstable();
    for record in expected {
        assert_eq!(sorted.next().unwrap(), Some(record));
    }
    assert_eq!(sorted.next().unwrap(), None);
    assert_eq!(sorted.next().unwrap(), None);
}

#[test]
fn one_key_for_all_documents_is_no_special_case() {
    let folder = folder("sort/hot");
    let records: Vec<_> =
        (0..300_000).rev().map(|n| KeyPlace { key: 7, place: Place::nth(n) }).collect();
    let mut expected = records.clone();
    expected.reverse();
    assert!(sorted(&folder, LEAST, &records) == expected);
}

#[test]
fn a_sort_that_is_given_up_leaves_nothing() {
    let folder = folder("sort/dropped");
    let mut sorter = Sorter::new(&folder, LEAST);
    push_all(&mut sorter, &records(3, 100_000, 10));
    assert!(fs::read_dir(&folder).unwrap().count() > 0);
    drop(sorter);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn a_run_that_was_cut_short_is_an_error() {
    let folder = folder("sort/cut");
    let mut sorter = Sorter::new(&folder, LEAST);
    push_all(&mut sorter, &records(4, 100_000, 10));
    let run = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let file = fs::OpenOptions::new().write(true).open(&run).unwrap();
    file.set_len(file.metadata().unwrap().len() - 1).unwrap();
    let outcome = sorter.finish().and_then(|mut sorted| {
        while sorted.next()?.is_some() {}
        Ok(())
    });
    let error = outcome.unwrap_err();
    assert!(error.is_corruption(), "{error}");
    assert!(error.to_string().contains("the end of the file"), "{error}");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let mut sorter = Sorter::new(Path::new("no/such/folder"), LEAST);
    let outcome = records(5, 100_000, 10).iter().try_for_each(|&record| sorter.push(record));
    let error = outcome.unwrap_err();
    assert!(error.to_string().starts_with("`no/such/folder/run-"), "{error}");
}

#[test]
fn sorts_that_share_a_folder_do_not_meet() {
    let folder = folder("sort/shared");
    // What a killed process may have left there.
    fs::write(folder.join("run-1"), "").unwrap();
    let (ours, theirs) = (records(6, 50_000, 10), records(7, 50_000, 10));
    let mut sorters = [Sorter::new(&folder, LEAST), Sorter::new(&folder, LEAST)];
    push_all(&mut sorters[0], &ours);
    push_all(&mut sorters[1], &theirs);
    for (sorter, mut expected) in sorters.into_iter().zip([ours, theirs]) {
        expected.sort_unstable();
        let mut sorted = sorter.finish().unwrap();
        assert!(expected.iter().all(|&record| sorted.next().unwrap() == Some(record)));
    }
}

proptest! {
    #[test]
    fn records_come_back_as_they_went(key in any::<u64>(), place in any::<u32>()) {
        let record = KeyPlace { key, place: Place::nth(place.into()) };
        let mut bytes = [0; KeyPlace::BYTES];
        record.encode(&mut bytes);
        prop_assert_eq!(KeyPlace::decode(&bytes), record);
        let mut bytes = [0; u64::BYTES];
        key.encode(&mut bytes);
        prop_assert_eq!(u64::decode(&bytes), key);
    }
}

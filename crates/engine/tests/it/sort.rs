//! Sorting out of core against sorting in memory.

use std::fs;
use std::path::Path;

use lookalike_core::Sequence;
use lookalike_engine::matching::KeyPlace;
use lookalike_engine::sort::{Record, Sorter};
use lookalike_engine::{ErrorKind, Place};
use proptest::prelude::*;

use crate::folder;

/// The smallest budget there is.
const LEAST: usize = 256 << 10;

fn sorted<R: Record>(folder: &Path, budget: usize, records: &[R]) -> Vec<R> {
    sorted_on(1, folder, budget, records)
}

/// Sorts on so many threads. The first records are asked for one by one, and the rest at once.
fn sorted_on<R: Record>(threads: usize, folder: &Path, budget: usize, records: &[R]) -> Vec<R> {
    let mut sorter = Sorter::on_threads(threads, folder, budget);
    push_all(&mut sorter, records);
    let mut sorted = sorter.finish().unwrap();
    let mut out = Vec::new();
    while out.len() < records.len() / 3
        && let Some(record) = sorted.next().unwrap()
    {
        out.push(record);
    }
    let rest = sorted.for_each(|record| {
        out.push(record);
        Ok(())
    });
    rest.unwrap();
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
        for threads in 0..=4 {
            let found = sorted_on(threads, &folder, budget, &records);
            assert!(found == expected, "{budget} bytes, {threads} threads");
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "no run is left behind");
        }
    }
}

#[test]
fn many_runs_take_several_passes() {
    // The least budget merges three runs at once; 700,000 records make more than forty.
    let folder = folder("sort/passes");
    let records = records(2, 700_000, u64::MAX);
    let mut sorter = Sorter::new(&folder, LEAST);
    push_all(&mut sorter, &records);
    assert!(sorter.runs() > 40);
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

/// Sections begin with what fills many blocks, or are nothing else.
#[test]
fn one_record_many_times_is_no_special_case() {
    let folder = folder("sort/same");
    let mut random = Sequence::new(8, 8);
    for kinds in [1, 2, 5] {
        let records: Vec<u64> = (0..400_000).map(|_| random.next() % kinds * 7).collect();
        let mut expected = records.clone();
        expected.sort_unstable();
        for (budget, threads) in [(LEAST, 1), (LEAST, 3), (1 << 20, 4)] {
            let found = sorted_on(threads, &folder, budget, &records);
            assert!(found == expected, "{kinds} kinds, {budget} bytes, {threads} threads");
        }
    }
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
    let is_said = |threads, damage: &dyn Fn(&mut Vec<u8>), what: &str| {
        let folder = folder("sort/cut");
        let mut sorter = Sorter::on_threads(threads, &folder, 1 << 20);
        push_all(&mut sorter, &records(4, 300_000, u64::MAX));
        let run = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        let mut bytes = fs::read(&run).unwrap();
        damage(&mut bytes);
        fs::write(&run, bytes).unwrap();
        let error = sorter.finish().and_then(|sorted| sorted.for_each(|_| Ok(()))).unwrap_err();
        assert!(error.is_corruption(), "{error}");
        assert!(error.to_string().contains(what), "{error}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "no run is left behind");
    };
    for threads in 1..=4 {
        is_said(threads, &|bytes| bytes.truncate(bytes.len() - 1), "the end of the file");
        for at in [0, 100_000, 200_000] {
            is_said(threads, &|bytes| bytes[at] ^= 1, "expected the checksum");
        }
    }
}

#[test]
fn what_cannot_be_written_is_named_and_nothing_is_left() {
    for threads in 1..=4 {
        let mut sorter = Sorter::on_threads(threads, Path::new("no/such/folder"), 1 << 20);
        let outcome = records(5, 100_000, 10).iter().try_for_each(|&record| sorter.push(record));
        let error = outcome.unwrap_err();
        assert!(error.to_string().starts_with("`no/such/folder/run-"), "{error}");
        // The folder goes while the sort is under way, and there are runs already.
        let folder = folder("sort/gone");
        let mut sorter = Sorter::on_threads(threads, &folder, 1 << 20);
        push_all(&mut sorter, &records(5, 100_000, 10));
        fs::remove_dir_all(&folder).unwrap();
        let outcome = records(5, 100_000, 10).iter().try_for_each(|&record| sorter.push(record));
        assert!(outcome.unwrap_err().is_io());
    }
}

/// Whoever takes the records may fail in their midst.
#[test]
fn a_failure_of_the_caller_is_handed_on() {
    let folder = folder("sort/caller");
    for threads in 1..=4 {
        let mut sorter = Sorter::on_threads(threads, &folder, LEAST);
        push_all(&mut sorter, &records(9, 100_000, u64::MAX));
        let mut taken = 0;
        let outcome = sorter.finish().unwrap().for_each(|_| {
            taken += 1;
            if taken < 5_000 { Ok(()) } else { Err(ErrorKind::Interrupted.into()) }
        });
        assert!(matches!(outcome.unwrap_err().kind(), ErrorKind::Interrupted));
        assert_eq!((taken, fs::read_dir(&folder).unwrap().count()), (5_000, 0));
    }
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
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_records_are_sorted_on_any_number_of_threads(
        seed in any::<u64>(),
        count in 0_usize..150_000,
        kinds in prop_oneof![1_u64..300, Just(u64::MAX)],
        budget in LEAST..3_000_000,
        threads in 1_usize..=4,
    ) {
        let folder = folder("sort/any");
        let records = records(seed, count, kinds);
        let mut expected = records.clone();
        expected.sort_unstable();
        prop_assert!(sorted_on(threads, &folder, budget, &records) == expected);
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

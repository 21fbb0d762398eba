//! Segments against sorted lists: what is written is read, alone and merged.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lookalike_core::mix;
use lookalike_files::WorkFolder;
use proptest::prelude::*;

use super::merge::merge;
use super::{KEY_BITS, Posting, RecentPostings, Segment, SegmentEntry, SegmentWriter};

/// Postings of documents with a few keys each; some keys are those of very many documents.
fn postings(seed: u64, documents: std::ops::Range<u64>, hot: u64) -> BTreeSet<Posting> {
    let mut all = BTreeSet::new();
    for number in documents {
        for n in 0..4 {
            let random = mix(mix(seed ^ number) ^ n);
            let key = match random % 8 {
                0..3 if hot > 0 => mix(random / 8 % hot) >> (64 - KEY_BITS),
                3 => random / 8 % 50,
                4 => (1 << KEY_BITS) - 1 - random / 8 % 50,
                _ => random >> (64 - KEY_BITS),
            };
            all.insert(Posting { key, number });
        }
    }
    all
}

fn write(
    folder: &Path,
    id: u64,
    documents: std::ops::Range<u64>,
    all: &BTreeSet<Posting>,
) -> Segment {
    let entry = SegmentEntry {
        id,
        level: 0,
        first: documents.start,
        end: documents.end,
        postings: all.len() as u64,
    };
    let mut writer = SegmentWriter::create(folder, entry).unwrap();
    for &posting in all {
        writer.push(posting).unwrap();
    }
    writer.finish().unwrap()
}

fn lists(all: &BTreeSet<Posting>) -> BTreeMap<u64, Vec<u64>> {
    let mut lists: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for posting in all {
        lists.entry(posting.key).or_default().push(posting.number);
    }
    lists
}

fn list(segment: &Segment, key: u64) -> Vec<u64> {
    let mut found = Vec::new();
    let flow = segment.for_each(key, &mut Vec::new(), |number| {
        found.push(number);
        Ok(ControlFlow::Continue(()))
    });
    assert!(flow.unwrap().is_continue());
    found
}

fn stream(segment: &Segment) -> Vec<Posting> {
    let mut stream = segment.stream();
    std::iter::from_fn(|| stream.next().unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn segments_are_their_postings(
        seed in any::<u64>(),
        hot in prop_oneof![Just(0_u64), Just(1), Just(3), Just(40)],
        documents in prop::collection::vec(0_u64..6000, 4),
        first in prop_oneof![Just(0_u64), Just(1 << 30)],
    ) {
        let folder = WorkFolder::create(None).unwrap();
        let mut recent = RecentPostings::default();
        let (mut all, mut segments, mut next) = (BTreeSet::new(), Vec::new(), first);
        for (id, count) in (0..).zip(documents) {
            let range = next..next + count;
            next += count;
            let some = postings(seed, range.clone(), hot);
            let segment = write(&folder, id, range, &some);
            prop_assert_eq!(stream(&segment), some.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(segment.entry().postings, some.len() as u64);
            let lists = lists(&some);
            for (&key, expected) in &lists {
                prop_assert_eq!(&list(&segment, key), expected);
                let other = lists.get(&(key ^ 1)).cloned();
                prop_assert_eq!(list(&segment, key ^ 1), other.unwrap_or_default());
            }
            segments.push(Arc::new(segment));
            all.extend(some);
        }
        let mut in_order: Vec<Posting> = all.iter().copied().collect();
        in_order.sort_unstable_by_key(|posting| posting.number);
        for &posting in &in_order {
            recent.push(posting);
        }
        prop_assert_eq!(recent.sorted(), all.iter().copied().collect::<Vec<_>>());

        let tombstones: HashSet<u64> = (first..next).filter(|number| mix(*number).is_multiple_of(5)).collect();
        let stop = AtomicBool::new(false);
        let merged = merge(&segments, &tombstones, &folder, 99, &stop).unwrap().unwrap();
        all.retain(|posting| !tombstones.contains(&posting.number));
        prop_assert_eq!(stream(&merged), all.iter().copied().collect::<Vec<_>>());
        for (&key, expected) in &lists(&all) {
            prop_assert_eq!(&list(&merged, key), expected);
        }
    }
}

#[test]
fn a_merge_that_is_stopped_leaves_nothing() {
    let folder = WorkFolder::create(None).unwrap();
    let some = postings(1, 0..20_000, 3);
    let segment = Arc::new(write(&folder, 1, 0..20_000, &some));
    let stop = AtomicBool::new(true);
    assert!(merge(&[segment], &HashSet::new(), &folder, 2, &stop).unwrap().is_none());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
}

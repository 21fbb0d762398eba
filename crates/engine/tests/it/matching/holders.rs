//! Groups in which only some members look for others, against their definition.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use lookalike_core::mix;
use lookalike_engine::matching::{Holder, write_holders};
use lookalike_engine::sort::Sorter;
use proptest::prelude::*;

use super::{Clustering, GroupReader, Pairs, Relation, Step, clusters, folder, number, place};

/// The places of each element, and whether each looks.
type Elements = BTreeMap<u64, BTreeMap<u32, bool>>;

/// Writes them, each holder that looks also as one that does not.
fn write(folder: &Path, documents: u32, elements: &Elements) {
    let mut sorter = Sorter::new(folder, 0);
    for (&element, holders) in elements {
        for (&document, &looks) in holders.iter().rev() {
            for looks in [looks, false] {
                sorter.push(Holder { element, place: place(document), looks }.pack()).unwrap();
            }
        }
    }
    let mut sorted = sorter.finish().unwrap();
    let mut next = || Ok(sorted.next()?.map(Holder::unpack));
    write_holders(&folder.join("groups"), documents.into(), &mut next).unwrap();
}

fn read(folder: &Path) -> Vec<Vec<(u32, bool)>> {
    let mut reader = GroupReader::open(&folder.join("groups")).unwrap();
    let (mut groups, mut members) = (Vec::new(), Vec::new());
    while let Some(step) = reader.next().unwrap() {
        match step {
            Step::Member(place) => members.push((number(place), true)),
            Step::Held(place) => members.push((number(place), false)),
            Step::End => groups.push(std::mem::take(&mut members)),
        }
    }
    groups
}

/// Those of an element up to the last that looks, if any but the first does.
fn naive(elements: &Elements) -> Vec<Vec<(u32, bool)>> {
    let group = |holders: &BTreeMap<u32, bool>| {
        let holders = holders.iter().enumerate();
        let mut group: Vec<(u32, bool)> =
            holders.map(|(rank, (&place, &looks))| (place, looks && rank > 0)).collect();
        group.truncate(group.iter().rposition(|(_, looks)| *looks).map_or(0, |last| last + 1));
        group
    };
    elements.values().map(group).filter(|group| !group.is_empty()).collect()
}

/// One document after another, each with the first `limit` kept before it that have what it looks by.
fn anchored(documents: u32, elements: &Elements, limit: usize, relation: &Relation) -> Vec<u32> {
    let mut keepers: Vec<u32> = Vec::new();
    for document in 0..documents {
        let mut candidates = BTreeSet::new();
        for holders in elements.values().filter(|holders| holders.get(&document) == Some(&true)) {
            let before = holders.range(..document).map(|(holder, _)| *holder);
            candidates.extend(before.filter(|&e| keepers[e as usize] == e).take(limit));
        }
        let keeper = candidates.into_iter().find(|&e| relation.accepts(e, document));
        keepers.push(keeper.unwrap_or(document));
    }
    keepers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn clusters_of_holders_are_those_of_the_definition(
        holders in prop::collection::vec((0..20_u64, 0..60_u32, prop::bool::weighted(0.4)), 0..300),
        limit in 1..6_usize,
        percent in 0..60_u64,
        seed: u64,
    ) {
        let folder = folder("matching/holders");
        let mut elements = Elements::new();
        for (element, document, looks) in holders {
            *elements.entry(mix(element)).or_default().entry(document).or_default() |= looks;
        }
        write(&folder, 60, &elements);
        prop_assert_eq!(read(&folder), naive(&elements));
        let mut relation = Relation::new(seed, percent);
        let judged = (Clustering::Anchored, Pairs::Needed { limit });
        let (found, _) = clusters(&folder, 0, judged, &mut relation);
        let keepers: Vec<u32> = found.keepers.iter().copied().map(number).collect();
        prop_assert_eq!(keepers, anchored(60, &elements, limit, &relation));
    }
}

/// More than are held in memory before one that looks, and after it, and without any.
#[test]
fn groups_of_very_many_that_do_not_look() {
    let folder = folder("matching/many-holders");
    let documents = 20_000;
    let many = |looks: Option<u32>| (0..documents).map(|d| (d, Some(d) == looks)).collect();
    let elements: Elements = [(1, many(Some(9_000))), (2, many(None)), (3, many(Some(0)))].into();
    write(&folder, documents, &elements);
    let groups = read(&folder);
    assert!(groups[0].starts_with(&naive(&elements)[0]));
    // Nobody looks in what is left, so that nothing is compared or limited by it.
    let looks = groups.iter().flatten().filter(|(_, looks)| *looks).count();
    assert_eq!(looks, 1);
    let mut relation = Relation::new(1, 0);
    let judged = (Clustering::Anchored, Pairs::Needed { limit: 64 });
    let (found, _) = clusters(&folder, 0, judged, &mut relation);
    assert_eq!((found.candidates, relation.judged.len()), (64, 64));
    assert_eq!((found.limited.groups, found.limited.documents), (1, 1));
}

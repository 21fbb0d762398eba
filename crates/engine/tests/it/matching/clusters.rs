//! Clusters against the sequential programs that define them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use lookalike_core::{Sequence, mix};
use lookalike_engine::matching::{
    Clusters, LimitedGroups, PairClusterTask, PairReader, cluster_pairs,
};
use proptest::prelude::*;

use super::{
    Candidate, Clustering, Evidence, Judge, Keys, Pair, Pairs, Relation, Result, Verdict, clusters,
    folder, group, number, paths, place, random_keys, read_groups,
};

fn numbers(clusters: &Clusters) -> Vec<u32> {
    clusters.keepers.iter().copied().map(number).collect()
}

/// The groups of each document, by number.
fn groups_of(documents: u32, groups: &[Vec<u32>]) -> Vec<Vec<usize>> {
    let mut of = vec![Vec::new(); documents as usize];
    for (number, group) in groups.iter().enumerate() {
        for &place in group {
            of[place as usize].push(number);
        }
    }
    of
}

/// The definition of `anchored`.
fn anchored(documents: u32, groups: &[Vec<u32>], limit: usize, relation: &Relation) -> Vec<u32> {
    let mut keepers: Vec<u32> = Vec::new();
    for (d, of) in (0..).zip(groups_of(documents, groups)) {
        let mut candidates = BTreeSet::new();
        for group in of {
            let kept = |e: &&u32| **e < d && keepers[**e as usize] == **e;
            candidates.extend(groups[group].iter().filter(kept).take(limit));
        }
        let keeper = candidates.into_iter().find(|&e| relation.accepts(e, d));
        keepers.push(keeper.unwrap_or(d));
    }
    keepers
}

/// The definition of `components`: the smallest place spreads along edges until nothing changes.
fn components(documents: u32, groups: &[Vec<u32>], limit: usize, relation: &Relation) -> Vec<u32> {
    let mut edges = Vec::new();
    for group in groups {
        for (rank, &e) in group.iter().enumerate().take(limit) {
            let later = group[rank + 1..].iter().filter(|&&d| relation.accepts(e, d));
            edges.extend(later.map(|&d| (e as usize, d as usize)));
        }
    }
    let mut smallest: Vec<u32> = (0..documents).collect();
    loop {
        let before = smallest.clone();
        for &(e, d) in &edges {
            let both = smallest[e].min(smallest[d]);
            (smallest[e], smallest[d]) = (both, both);
        }
        if smallest == before {
            return smallest;
        }
    }
}

/// What the limit hides, by its definition.
fn limited(
    clustering: Clustering,
    groups: &[Vec<u32>],
    limit: usize,
    keepers: &[u32],
) -> LimitedGroups {
    let mut limited = LimitedGroups::default();
    let mut documents: BTreeSet<u32> = BTreeSet::new();
    for group in groups {
        let first = |place: &&u32| {
            clustering == Clustering::Components || keepers[**place as usize] == **place
        };
        let first: Vec<u32> = group.iter().filter(first).copied().collect();
        if first.len() > limit {
            limited.groups += 1;
            limited.largest = limited.largest.max(group.len() as u64);
            documents.extend(group.iter().filter(|&&place| place > first[limit]));
        }
    }
    limited.documents = documents.len() as u64;
    limited
}

const BOTH: [Clustering; 2] = [Clustering::Anchored, Clustering::Components];

/// Clusters with every budget, compares with the reference, and checks what is promised.
fn check(keys: &Keys, documents: u32, limit: usize, seed: u64, percent: u64, name: &str) {
    let folder = folder(&format!("matching/{name}"));
    group(&folder, 0, documents, keys);
    let groups = read_groups(&folder);
    for clustering in BOTH {
        for (judged, limit) in [(Pairs::Needed { limit }, limit), (Pairs::All, usize::MAX)] {
            let mut relation = Relation::new(seed, percent);
            let (found, pairs) = clusters(&folder, 0, (clustering, judged), &mut relation);
            let expected = match clustering {
                Clustering::Anchored => anchored(documents, &groups, limit, &relation),
                Clustering::Components => components(documents, &groups, limit, &relation),
            };
            assert!(numbers(&found) == expected, "{clustering:?} {judged:?} {percent} %");
            assert_eq!(found.limited, limited(clustering, &groups, limit, &expected));
            assert_eq!(found.candidates, relation.judged.len() as u64);
            check_pairs(&pairs, &relation, clustering, &expected);
            if judged == Pairs::All {
                assert_eq!(found.candidates, all_pairs(&groups));
                check_known(&folder, clustering, &found, &pairs);
            }

            let mut again = Relation::new(seed, percent);
            let with_more = clusters(&folder, 8 << 20, (clustering, judged), &mut again);
            assert_eq!(with_more, (found, pairs), "the budget makes no difference");
        }
    }
    check_with_first(&folder, documents, &groups, limit, &Relation::new(seed, percent));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "no run is left behind");
}

/// The first members of each group are judged with all later ones, connected or not.
fn check_with_first(
    folder: &Path,
    documents: u32,
    groups: &[Vec<u32>],
    limit: usize,
    like: &Relation,
) {
    let mut relation = Relation::new(like.seed, like.percent);
    let judged = (Clustering::Components, Pairs::WithFirst { limit });
    let (found, pairs) = clusters(folder, 0, judged, &mut relation);
    let mut expected = BTreeSet::new();
    for group in groups {
        for (rank, &earlier) in group.iter().enumerate().take(limit) {
            let later = group[rank + 1..].iter();
            expected.extend(
                later.map(|&later| Candidate { earlier: place(earlier), later: place(later) }),
            );
        }
    }
    assert_eq!(relation.judged, expected);
    let keepers = components(documents, groups, limit, &relation);
    assert_eq!(numbers(&found), keepers);
    assert_eq!(found.limited, limited(Clustering::Components, groups, limit, &keepers));
    check_pairs(&pairs, &relation, Clustering::Components, &keepers);
}

/// From pairs that are known, in any order and some of them twice, the decision is the same.
fn check_known(folder: &Path, clustering: Clustering, found: &Clusters, pairs: &[Pair]) {
    let [_, _, pairs_file, keepers_file] = paths(folder);
    for budget in [0, 8 << 20] {
        let task = PairClusterTask {
            documents: found.keepers.len() as u64,
            clustering,
            pairs: &pairs_file,
            keepers: &keepers_file,
            folder,
            budget,
        };
        let again = pairs.iter().rev().chain(pairs.iter().step_by(3));
        let known = cluster_pairs(&task, |each| again.copied().try_for_each(each)).unwrap();
        assert_eq!(known.keepers, found.keepers);
        assert_eq!(Clusters::open(&keepers_file).unwrap(), known);
        let mut reader = PairReader::open(&pairs_file).unwrap();
        let stored: Vec<_> = std::iter::from_fn(|| reader.next().unwrap()).collect();
        assert_eq!(stored, pairs);
    }
}

fn all_pairs(groups: &[Vec<u32>]) -> u64 {
    let mut pairs = BTreeSet::new();
    for group in groups {
        for (rank, &e) in group.iter().enumerate() {
            pairs.extend(group[rank + 1..].iter().map(|&d| (e, d)));
        }
    }
    pairs.len() as u64
}

/// The pairs are what was accepted, in order; and all that go have one with their keeper.
fn check_pairs(pairs: &[Pair], relation: &Relation, clustering: Clustering, keepers: &[u32]) {
    let accepted = relation.judged.iter().filter(|c| relation.verdict(**c) != Verdict::Refused);
    assert_eq!(pairs.len(), accepted.count());
    assert!(pairs.is_sorted_by_key(|pair| (pair.later, pair.earlier)));
    for pair in pairs {
        let candidate = Candidate { earlier: pair.earlier, later: pair.later };
        assert_eq!(relation.verdict(candidate), Verdict::Accepted(pair.evidence));
    }
    if clustering == Clustering::Anchored {
        let pairs: BTreeSet<_> =
            pairs.iter().map(|pair| (number(pair.later), number(pair.earlier))).collect();
        for (place, &keeper) in (0..).zip(keepers) {
            assert!(keeper == place || pairs.contains(&(place, keeper)));
            assert_eq!(keepers[keeper as usize], keeper, "a keeper is kept");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn clusters_are_the_sequential_ones(
        seed in any::<u64>(),
        documents in 0u32..60,
        per_document in 1usize..5,
        kinds in 1u64..60,
        limit in prop_oneof![Just(1usize), Just(2), Just(3), Just(9), Just(64)],
        percent in prop_oneof![Just(0u64), Just(100), 1u64..100, 1u64..20],
    ) {
        let keys = random_keys(seed, documents, per_document, kinds);
        check(&keys, documents, limit, seed, percent, "random");
    }

    /// Small groups that overlap like a chain's links: a decision at one end changes others on and
    /// on, so that candidates are made that turn out to be none.
    #[test]
    fn chains_of_groups_are_decided_as_in_sequence(
        seed in any::<u64>(),
        limit in 1usize..3,
        percent in 20u64..70,
    ) {
        let mut random = Sequence::new(seed, 2);
        let mut key = |place: u32| mix(u64::from(place).wrapping_add(random.next() % 4) / 3);
        let keys: Keys = (0..600).map(|place| (place, vec![key(place), key(place)])).collect();
        check(&keys, 600, limit, seed, percent, "links");
    }
}

#[test]
fn large_inputs_spill_and_give_the_same() {
    // Groups of some tens and some hundreds; each round makes more candidates than fit.
    let keys = random_keys(9, 2_000, 4, 150);
    for (limit, percent) in [(64, 2), (3, 30)] {
        check(&keys, 2_000, limit, 9, percent, "large");
    }
}

/// Judges one candidate after another, and remembers nothing.
struct OneByOne<F>(F);

impl<F: FnMut(Candidate) -> Verdict> Judge for OneByOne<F> {
    fn judge(
        &mut self,
        candidates: &mut dyn FnMut() -> Result<Option<Candidate>>,
        verdict: &mut dyn FnMut(Candidate, Verdict) -> Result<()>,
    ) -> Result<()> {
        while let Some(candidate) = candidates()? {
            verdict(candidate, self.0(candidate))?;
        }
        Ok(())
    }
}

#[test]
fn a_pair_beyond_the_limit_removes_nothing() {
    let folder = folder("matching/beyond");
    // 0 removes 1. So 2 is the first of its group and removes 3, which seemed to remove 4. Until
    // that is known, 5 is the first of the last group, and a pair with 6.
    let keys = [vec![1], vec![1, 2], vec![2], vec![2, 3], vec![3, 4], vec![4], vec![4]];
    group(&folder, 0, 7, &(0..).zip(keys).collect());
    let mut judge =
        OneByOne(|Candidate { earlier, later }| match (number(earlier), number(later)) {
            (0, 1) | (2, 3) | (3, 4) | (5, 6) => Verdict::Accepted(Evidence::Rule),
            _ => Verdict::Refused,
        });
    let needed = (Clustering::Anchored, Pairs::Needed { limit: 1 });
    let (found, pairs) = clusters(&folder, 0, needed, &mut judge);
    assert!(
        pairs.iter().any(|pair| (pair.earlier, pair.later) == (place(5), place(6))),
        "it was judged"
    );
    assert_eq!(numbers(&found), [0, 0, 2, 2, 4, 5, 6]);
}

#[test]
fn a_chain_is_cut_by_anchors_and_not_by_components() {
    let folder = folder("matching/chain");
    // Each document shares a key with the one before and the one after it.
    let keys: Keys =
        (0..6u32).map(|place| (place, vec![place.into(), u64::from(place) + 1])).collect();
    group(&folder, 0, 6, &keys);
    let keepers = |clustering| {
        let all = &mut Relation::new(0, 100);
        numbers(&clusters(&folder, 0, (clustering, Pairs::default()), all).0)
    };
    assert_eq!(keepers(Clustering::Anchored), [0, 0, 2, 2, 4, 4]);
    assert_eq!(keepers(Clustering::Components), [0; 6]);
}

#[test]
fn a_template_of_many_documents_is_linear() {
    const DOCUMENTS: u32 = 100_000;
    let folder = folder("matching/template");
    let keys: Keys = (0..DOCUMENTS).map(|place| (place, vec![5])).collect();
    group(&folder, 0, DOCUMENTS, &keys);
    for clustering in BOTH {
        for limit in [8, 64] {
            let mut refuses = OneByOne(|_| Verdict::Refused);
            let judged = Pairs::Needed { limit };
            let (found, _) = clusters(&folder, 4 << 20, (clustering, judged), &mut refuses);
            // The first `limit` with each one after them.
            let before: u64 = (0..limit as u64).sum();
            let expected = limit as u64 * (u64::from(DOCUMENTS) - limit as u64) + before;
            assert_eq!(found.candidates, expected);
            assert!((0..).zip(numbers(&found)).all(|(place, keeper)| place == keeper));
            let size = u64::from(DOCUMENTS);
            let documents = size - limit as u64 - 1;
            assert_eq!(found.limited, LimitedGroups { groups: 1, documents, largest: size });
        }
        // One that stands for all: nothing is left to compare.
        let mut accepts = OneByOne(|_| Verdict::Accepted(Evidence::Rule));
        let (found, pairs) = clusters(&folder, 0, (clustering, Pairs::default()), &mut accepts);
        assert_eq!(found.candidates, u64::from(DOCUMENTS) - 1);
        assert_eq!(pairs.len() as u64, found.candidates);
        assert!(numbers(&found).iter().all(|&keeper| keeper == 0));
    }
}

#[test]
fn progress_and_failures_of_the_judge_are_handed_on() {
    struct Fails;
    impl Judge for Fails {
        fn judge(
            &mut self,
            candidates: &mut dyn FnMut() -> Result<Option<Candidate>>,
            verdict: &mut dyn FnMut(Candidate, Verdict) -> Result<()>,
        ) -> Result<()> {
            verdict(candidates()?.unwrap(), Verdict::Refused)?;
            super::GroupReader::open(std::path::Path::new("no/such/file")).map(|_| ())
        }
    }
    let folder = folder("matching/failure");
    group(&folder, 0, 3, &(0..3).map(|place| (place, vec![1])).collect());
    let paths = super::paths(&folder);
    let task = super::task(&paths, Clustering::Anchored, Pairs::All);
    let seen = std::cell::RefCell::new(Vec::new());
    let progress = |judged| seen.borrow_mut().push(judged);
    let error = super::cluster(&task, &mut Fails, &progress).unwrap_err();
    assert!(error.to_string().contains("no/such/file"), "{error}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "only the groups are left");
    super::cluster(&task, &mut OneByOne(|_| Verdict::Refused), &progress).unwrap();
    assert_eq!(*seen.borrow(), [1, 1, 2, 3]);
}

//! From keys to clusters, against the programs that define them.

mod artefacts;
mod clusters;
mod groups;
mod holders;
mod in_common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lookalike_core::resemblance::Overlap;
use lookalike_core::{Evidence, Sequence, Verdict, mix};
use lookalike_engine::matching::{
    ALL_MEMBERS, Candidate, ClusterTask, Clustering, Clusters, GroupCounts, GroupReader, GroupTask,
    Judge, Pair, PairReader, Pairs, Step, cluster, write_groups,
};
use lookalike_engine::{Place, Result, Sides};

use crate::folder;

fn place(number: u32) -> Place {
    Place::nth(number.into())
}

/// What the programs that define clusters go by.
fn number(place: Place) -> u32 {
    place.index() as u32
}

/// Documents with their keys. Those that are missing take no part.
type Keys = Vec<(u32, Vec<u64>)>;

/// `per_document` keys of `kinds` for each document, some keys far more frequent than others.
fn random_keys(seed: u64, documents: u32, per_document: usize, kinds: u64) -> Keys {
    let mut random = Sequence::new(seed, 1);
    let mut key = || {
        let range = if random.next().is_multiple_of(3) { kinds.div_ceil(8) } else { kinds };
        // Not small numbers: keys are fingerprints.
        mix(random.next() % range)
    };
    (0..documents).map(|place| (place, (0..per_document).map(|_| key()).collect())).collect()
}

/// Writes the groups of these documents into a folder.
fn group(folder: &Path, budget: usize, documents: u32, keys: &Keys) -> GroupCounts {
    group_sides(folder, budget, 2, u64::from(documents).into(), keys)
}

/// The same on so many threads, where some documents are known.
fn group_sides(
    folder: &Path,
    budget: usize,
    threads: usize,
    documents: Sides,
    keys: &Keys,
) -> GroupCounts {
    let path = &folder.join("groups");
    let known_members = ALL_MEMBERS;
    let task = GroupTask { path, folder, budget, threads, documents, known_members };
    write_groups(&task, |push| {
        keys.iter().try_for_each(|(document, keys)| push(place(*document), keys))
    })
    .unwrap()
}

fn read_groups(folder: &Path) -> Vec<Vec<u32>> {
    let mut reader = GroupReader::open(&folder.join("groups")).unwrap();
    let (mut groups, mut members) = (Vec::new(), Vec::new());
    while let Some(step) = reader.next().unwrap() {
        match step {
            Step::Member(place) => members.push(number(place)),
            Step::Held(place) => panic!("all members of these groups look, also {place}"),
            Step::End => groups.push(std::mem::take(&mut members)),
        }
    }
    groups
}

/// Groups by the definition: those of more than four members in the order of their keys, then
/// the others by their members, each once; the end of a group counts as the largest member. Known
/// documents, the first so many, make none by themselves.
fn naive_groups(keys: &Keys, known: u32) -> Vec<Vec<u32>> {
    let mut places: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
    for (place, keys) in keys {
        for &key in keys {
            places.entry(key).or_default().insert(*place);
        }
    }
    let groups = places.into_values().map(|places| places.into_iter().collect::<Vec<u32>>());
    let is_group = |group: &Vec<u32>| group.len() > 1 && group.last() >= Some(&known);
    let (mut groups, mut small): (Vec<_>, Vec<_>) =
        groups.filter(is_group).partition(|group| group.len() > 4);
    small.sort_by_key(|group| [&group[..], &[u32::MAX]].concat());
    small.dedup();
    groups.append(&mut small);
    groups
}

/// A judge that accepts some share of all pairs, always the same ones.
struct Relation {
    seed: u64,
    percent: u64,
    judged: BTreeSet<Candidate>,
}

impl Relation {
    fn new(seed: u64, percent: u64) -> Self {
        Self { seed, percent, judged: BTreeSet::new() }
    }

    fn verdict(&self, candidate: Candidate) -> Verdict {
        let Candidate { earlier, later } = candidate;
        let random = mix(self.seed ^ mix(u64::from(earlier) << 32 | u64::from(later)));
        let [a, b] = [u64::from(earlier), u64::from(later)];
        match random % 100 {
            share if share >= self.percent => Verdict::Refused,
            share if share % 3 == 0 => Verdict::Accepted(Evidence::Rule),
            share if share % 3 == 1 => Verdict::Accepted(Evidence::Estimate(share as f64 / 99.0)),
            _ => Verdict::Accepted(Evidence::Exact(Overlap { a, b, common: random })),
        }
    }

    fn accepts(&self, earlier: u32, later: u32) -> bool {
        self.verdict(Candidate { earlier: place(earlier), later: place(later) }) != Verdict::Refused
    }
}

impl Judge for Relation {
    fn judge(
        &mut self,
        candidates: &mut dyn FnMut() -> Result<Option<Candidate>>,
        verdict: &mut dyn FnMut(Candidate, Verdict) -> Result<()>,
    ) -> Result<()> {
        let (mut batch, mut last) = (Vec::new(), None);
        loop {
            let next = candidates()?;
            if let Some(candidate) = next {
                assert!(candidate.earlier < candidate.later);
                assert!(last < Some(candidate), "candidates come in order");
                assert!(self.judged.insert(candidate), "and never again");
                last = next;
                batch.push(candidate);
            }
            // In batches, and backwards.
            if batch.len() == 100 || next.is_none() {
                for candidate in batch.drain(..).rev() {
                    verdict(candidate, self.verdict(candidate))?;
                }
            }
            if next.is_none() {
                return Ok(());
            }
        }
    }
}

fn task(paths: &[PathBuf; 4], clustering: Clustering, judged: Pairs) -> ClusterTask<'_> {
    let [folder, groups, pairs, keepers] = paths;
    let (known, budget, threads) = (0, 0, 2);
    ClusterTask { groups, known, clustering, judged, pairs, keepers, folder, budget, threads }
}

fn paths(folder: &Path) -> [PathBuf; 4] {
    let file = |name: &str| folder.join(name);
    [folder.to_owned(), file("groups"), file("pairs"), file("keepers")]
}

/// Clusters the groups of a folder; the result, and the pairs.
fn clusters(
    folder: &Path,
    budget: usize,
    (clustering, judged): (Clustering, Pairs),
    judge: &mut dyn Judge,
) -> (Clusters, Vec<Pair>) {
    let paths = paths(folder);
    let task = ClusterTask { budget, ..task(&paths, clustering, judged) };
    let clusters = cluster(&task, judge, &|_| ()).unwrap();
    assert_eq!(Clusters::open(task.keepers).unwrap(), clusters);
    let mut reader = PairReader::open(task.pairs).unwrap();
    let pairs: Vec<_> = std::iter::from_fn(|| reader.next().unwrap()).collect();
    assert_eq!((reader.pairs(), clusters.pairs), (pairs.len() as u64, pairs.len() as u64));
    assert_eq!(reader.documents(), clusters.keepers.len() as u64);
    (clusters, pairs)
}

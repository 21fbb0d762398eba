//! Pages, searches and members against a naive reading of the whole table.

use std::fs;
use std::path::{Path, PathBuf};

use lookalike_core::Sequence;
use lookalike_files::WorkFolder;

use super::*;
use crate::dedup::Dedup;

const MEMORY: u64 = 1 << 20;

/// A text of words that no other seed has.
fn words(seed: u64, changed: u64) -> String {
    let word = |n: u64| {
        if n % 20 < changed { format!("c{seed}x{changed}x{n}") } else { format!("w{seed}x{n}") }
    };
    (0..100).map(word).collect::<Vec<_>>().join(" ")
}

/// Documents in two files: alone, copied, and changed a little. Half of them have URLs.
fn corpus(folder: &Path, seed: u64) -> Vec<String> {
    let mut random = Sequence::new(seed, 1);
    let mut lines = [String::new(), String::new()];
    let mut number = 0;
    for group in 0..40 {
        for _ in 0..=random.next() % 5 {
            // Of a hundred words, one or none is another, or five at one place.
            let text = match random.next() % 4 {
                0 => words(group, 0).replace("x7 ", "x07 "),
                1 => words(group, 0).replace("x50 w", "x50 new w"),
                _ => words(group, 0),
            };
            let host = random.next() % 3;
            let url = match host {
                0 => String::new(),
                _ => format!(",\"url\":\"https://www.site{host}.example/p/{number}\""),
            };
            let line = format!("{{\"id\":\"d{number}\",\"text\":\"{text}\"{url}}}\n");
            lines[(random.next() % 2) as usize].push_str(&line);
            number += 1;
        }
    }
    let paths = ["left.jsonl", "right.jsonl"].map(|name| folder.join(name));
    for (path, lines) in paths.iter().zip(lines) {
        fs::write(path, lines).unwrap();
    }
    paths.map(|path| path.to_str().unwrap().to_owned()).to_vec()
}

fn finished(folder: &Path, seed: u64) -> PathBuf {
    let out = folder.join("out");
    Dedup::new(corpus(folder, seed)).run(&out).unwrap();
    out
}

fn open(out: &Path) -> Clusters {
    Clusters::open(Run::open(out).unwrap(), MEMORY).unwrap()
}

/// A cluster as a reader of the whole table would have it.
struct NaiveCluster {
    members: Vec<(StoredMember, RunDocument)>,
    text: String,
}

fn naive(run: &Run) -> Vec<NaiveCluster> {
    let mut members = Vec::new();
    let all = |_, _| true;
    run.for_each_member(all, |member| {
        members.push(member);
        Ok(())
    })
    .unwrap();
    let cluster = |members: &[StoredMember]| NaiveCluster {
        members: members.iter().map(|m| (*m, run.document(m.row).unwrap())).collect(),
        text: {
            let text = run.text(members[0].cluster).unwrap();
            String::from_utf8(text.as_text().bytes().to_vec()).unwrap()
        },
    };
    members.chunk_by(|a, b| a.cluster == b.cluster).map(cluster).collect()
}

impl NaiveCluster {
    fn number(&self) -> Row {
        self.members[0].0.cluster
    }

    fn removed(&self) -> impl Iterator<Item = &StoredMember> {
        self.members.iter().map(|(member, _)| member).filter(|member| !member.kept)
    }

    fn lowest(&self) -> f64 {
        self.removed().filter_map(|m| m.resemblance).fold(f64::INFINITY, f64::min)
    }

    fn kind(&self) -> ClusterKind {
        let has = |kind| self.removed().any(|member| member.kind == kind);
        match (has(Kind::Exact), has(Kind::Near)) {
            (true, true) => ClusterKind::Mixed,
            (true, false) => ClusterKind::Exact,
            _ => ClusterKind::Near,
        }
    }

    fn is_wanted(&self, filter: &ClusterFilter) -> bool {
        let size = self.members.len() as u64;
        let words = filter.words.as_deref().unwrap_or_default();
        let is_there = |(_, document): &(StoredMember, RunDocument)| {
            let url = document.url.as_deref().unwrap_or_default();
            document.source.contains(filter.source.as_deref().unwrap_or_default())
                && filter.site.as_ref().is_none_or(|site| {
                    let host = url.trim_start_matches("https://").split('/').next().unwrap();
                    host == site || host.ends_with(&format!(".{site}"))
                })
                && (self.text.contains(words) || document.id.contains(words) || url.contains(words))
        };
        filter.min_size.is_none_or(|least| size >= least)
            && filter.max_size.is_none_or(|most| size <= most)
            && filter.kind.is_none_or(|kind| self.kind() == kind)
            && filter.min_resemblance.is_none_or(|least| self.lowest() >= least)
            && filter.max_resemblance.is_none_or(|most| self.lowest() <= most)
            && self.members.iter().any(is_there)
    }
}

fn filters() -> Vec<ClusterFilter> {
    let all = ClusterFilter::default;
    let text = |text: &str| Some(text.to_owned());
    vec![
        all(),
        ClusterFilter { min_size: Some(3), ..all() },
        ClusterFilter { max_size: Some(3), kind: Some(ClusterKind::Near), ..all() },
        ClusterFilter { kind: Some(ClusterKind::Exact), ..all() },
        ClusterFilter { kind: Some(ClusterKind::Mixed), min_size: Some(4), ..all() },
        ClusterFilter { min_resemblance: Some(0.9), max_resemblance: Some(0.97), ..all() },
        ClusterFilter { source: text("right.jsonl"), ..all() },
        ClusterFilter { source: text("nowhere"), ..all() },
        ClusterFilter { site: text("site1.example"), min_size: Some(3), ..all() },
        ClusterFilter { site: text("www.site2.example"), source: text("left"), ..all() },
        ClusterFilter { words: text("w7x30 w7x31 w7x32"), ..all() },
        ClusterFilter { words: text("d1"), ..all() },
        ClusterFilter { words: text("example/p/2"), max_size: Some(4), ..all() },
        ClusterFilter { words: text("w9x50 new"), site: text("example"), ..all() },
    ]
}

/// All pages, one after another, each of which goes on.
fn pages(
    clusters: &Clusters,
    filter: &ClusterFilter,
    order: ClusterOrder,
    limit: usize,
) -> (Vec<ClusterSummary>, u64) {
    let (mut found, mut unread, mut after) = (Vec::new(), 0, 0);
    loop {
        let page = clusters.page(filter, order, after, limit).unwrap();
        assert!(page.clusters.len() <= limit && page.of == clusters.len());
        unread += page.unread;
        found.extend(page.clusters);
        match page.next {
            None => {
                assert_eq!(page.looked_at, clusters.len());
                return (found, unread);
            }
            Some(next) => {
                assert!(next > after && page.looked_at == next);
                after = next;
            }
        }
    }
}

#[test]
fn pages_equal_a_naive_reading_of_the_whole_table() {
    for seed in 1..=2 {
        let folder = WorkFolder::create(None).unwrap();
        let out = finished(&folder, seed);
        let mut clusters = open(&out);
        let all = naive(clusters.run());
        assert!(all.len() > 20 && clusters.len() == all.len() as u64);
        let largest = fs::metadata(folder.join("left.jsonl")).unwrap().len();
        let largest = largest.max(fs::metadata(folder.join("right.jsonl")).unwrap().len());
        // Also so little that each request has to stop within the table, and after each file; no
        // cluster has more than five members.
        let little = SearchBounds { rows: 7, piece_rows: 5, bytes: largest + (20 << 10) };
        for bounds in [SearchBounds::DEFAULT, little] {
            clusters.bounds = bounds;
            for filter in filters() {
                let wanted: Vec<&NaiveCluster> =
                    all.iter().filter(|cluster| cluster.is_wanted(&filter)).collect();
                let searched = Search::new(&filter).is_some();
                let all_orders =
                    [ClusterOrder::Size, ClusterOrder::Resemblance, ClusterOrder::Input];
                // A search has one order, whichever is asked for.
                let orders = if searched { &all_orders[..1] } else { &all_orders[..] };
                for &order in orders {
                    let mut expected = wanted.clone();
                    match order {
                        _ if searched => {}
                        ClusterOrder::Size => expected.sort_by_key(|c| Reverse(c.members.len())),
                        ClusterOrder::Resemblance => {
                            expected.sort_by(|a, b| a.lowest().total_cmp(&b.lowest()));
                        }
                        ClusterOrder::Input => {}
                    }
                    let expected: Vec<Row> =
                        expected.into_iter().map(NaiveCluster::number).collect();
                    for limit in [1, 3, 100] {
                        let (found, unread) = pages(&clusters, &filter, order, limit);
                        let found: Vec<Row> = found.iter().map(|one| one.cluster).collect();
                        assert_eq!(found, expected, "{seed} {filter:?} {order:?} {limit}");
                        assert_eq!(unread, 0);
                    }
                }
            }
        }
        for cluster in &all {
            let summary = clusters.get(cluster.number()).unwrap();
            assert_eq!(summary.size, cluster.members.len() as u64);
            assert_eq!(summary.kind, cluster.kind());
            assert_eq!(summary.lowest, Some(cluster.lowest() as f32));
            for (from, count) in [(0, 100), (1, 2), (2, 1), (90, 5), (u64::MAX, u64::MAX)] {
                let found = clusters.members(cluster.number(), from, count).unwrap();
                let skipped = usize::try_from(from).unwrap().min(cluster.members.len());
                let expected = cluster.members[skipped..].iter().take(count as usize);
                let expected: Vec<ClusterMember> = expected
                    .map(|(member, document)| ClusterMember {
                        document: document.clone(),
                        kept: member.kept,
                        kind: (!member.kept).then_some(member.kind),
                        resemblance: member.resemblance,
                    })
                    .collect();
                assert_eq!(found, expected);
            }
            assert_eq!(clusters.keeper(cluster.number()).unwrap(), cluster.members[0].1);
            let (member, document) = &cluster.members[1];
            let found = clusters.find(&document.id).unwrap();
            assert_eq!((found.documents, found.clusters), (1, vec![member.cluster]));
            if let Some(url) = &document.url {
                assert_eq!(clusters.find(url).unwrap().clusters, [member.cluster]);
            }
        }
        assert_eq!(clusters.find("nobody").unwrap(), ClustersOfId::default());
        assert!(clusters.get(Row::NONE).is_none());
        assert_eq!(clusters.members(Row::NONE, 0, 5).unwrap(), []);
    }
}

#[test]
fn words_that_cannot_be_read_are_counted() {
    let folder = WorkFolder::create(None).unwrap();
    let out = finished(&folder, 4);
    let mut clusters = open(&out);
    let filter = ClusterFilter { words: Some("w3x20 w3x21".to_owned()), ..Default::default() };
    let (all, _) = pages(&clusters, &filter, ClusterOrder::Input, 100);
    assert_eq!(all.len(), 1);
    // Less than the files have: what lies deeper is left out, and said so.
    clusters.bounds.bytes = 40 << 10;
    let (found, unread) = pages(&clusters, &filter, ClusterOrder::Input, 100);
    assert!(unread > 0 && unread < clusters.len(), "{unread}");
    assert!(found.len() <= 1);

    // Of a large cluster, the first members are searched.
    clusters.bounds = SearchBounds { piece_rows: 1, ..SearchBounds::DEFAULT };
    let members = clusters.members(clusters.entries[0].keeper, 0, 2).unwrap();
    for (member, is_found) in members.iter().zip([true, false]) {
        let words = Some(member.document.id.clone());
        let filter = ClusterFilter { words, ..Default::default() };
        let page = clusters.page(&filter, ClusterOrder::Input, 0, 1).unwrap();
        let first = page.clusters.first().map(|cluster| cluster.cluster);
        assert_eq!(first == Some(clusters.entries[0].keeper), is_found, "{member:?}");
    }

    clusters.bounds = SearchBounds::DEFAULT;
    let rows: Vec<Row> = clusters.entries.iter().map(|entry| entry.keeper).collect();
    let beginnings = clusters.run().beginnings(&rows, 12).unwrap();
    assert!(beginnings.iter().all(|text| text.as_ref().is_some_and(|t| t.chars().count() == 12)));
    for name in ["left.jsonl", "right.jsonl"] {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        fs::write(folder.join(name), text.replace("x1 ", "x1 changed ")).unwrap();
    }
    let (found, unread) = pages(&clusters, &filter, ClusterOrder::Input, 100);
    assert_eq!((found.len() as u64, unread), (0, clusters.len()));
    assert!(clusters.run().beginnings(&rows, 12).unwrap().iter().all(Option::is_none));
    fs::remove_file(folder.join("left.jsonl")).unwrap();
    assert_eq!(pages(&clusters, &filter, ClusterOrder::Input, 100).1, clusters.len());
}

#[test]
fn memory_has_a_bound_that_is_told() {
    let folder = WorkFolder::create(None).unwrap();
    let out = finished(&folder, 5);
    let all = open(&out).len();
    let needed = all * Clusters::BYTES;
    assert_eq!(Clusters::BYTES, 28);
    assert!(Clusters::open(Run::open(&out).unwrap(), needed).is_ok());
    let error = Clusters::open(Run::open(&out).unwrap(), needed - 1).err().unwrap();
    assert!(
        matches!(error.kind(), ErrorKind::TooManyClusters { clusters, needed: bytes }
            if *clusters == all && *bytes == needed),
        "{error}"
    );
}

#[test]
fn damage_is_found_and_never_a_panic() {
    let folder = WorkFolder::create(None).unwrap();
    let out = finished(&folder, 6);
    let path = out.join("clusters.parquet");
    let whole = fs::read(&path).unwrap();
    let try_all = || {
        let clusters = Clusters::open(Run::open(&out).unwrap(), MEMORY)?;
        for entry in &clusters.entries {
            clusters.members(entry.keeper, 0, 100)?;
        }
        Ok::<(), Error>(())
    };
    try_all().unwrap();
    for cut in [0, 3, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..cut]).unwrap();
        assert!(try_all().is_err_and(|error| error.is_corruption()), "cut at {cut}");
    }
    let mut found = 0;
    for at in (0..whole.len()).step_by(whole.len() / 60) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x41;
        fs::write(&path, &damaged).unwrap();
        found += u32::from(try_all().is_err());
    }
    assert!(found > 30, "{found}");

    // A table of another run, whose rows are none of this one.
    let other = WorkFolder::create(None).unwrap();
    let larger = (0..500).map(|n| format!("{{\"text\":\"{}\"}}\n", words(n / 2, 0)));
    let documents = other.join("documents.jsonl");
    fs::write(&documents, larger.collect::<String>()).unwrap();
    let job = Dedup::new([documents.to_str().unwrap().to_owned()]);
    job.run(other.join("out")).unwrap();
    fs::copy(other.join("out/clusters.parquet"), &path).unwrap();
    assert!(try_all().is_err_and(|error| error.is_corruption()));
}

#[test]
fn a_table_out_of_order_is_refused() {
    let member = |cluster: u64, row: u64, size: u64| StoredMember {
        row: Row::nth(row),
        cluster: Row::nth(cluster),
        size,
        kept: row == cluster,
        kind: Kind::Exact,
        resemblance: Some(1.0),
    };
    let read = |members: &[StoredMember]| {
        let mut pass = Pass::default();
        members.iter().try_for_each(|one| pass.member(one).map(|_| ()))?;
        pass.end().map(|_| pass.clusters)
    };
    let good =
        [member(3, 3, 2), member(3, 1, 2), member(5, 5, 3), member(5, 6, 3), member(5, 7, 3)];
    assert_eq!(read(&good), Ok(2));
    assert_eq!(read(&[]), Ok(0));
    assert_eq!(read(&good[1..]), Err("a member before its keeper"));
    assert_eq!(read(&good[..4]), Err("another number of members"));
    let turned = [&good[2..], &good[..2]].concat();
    assert_eq!(read(&turned), Err("a cluster that should have come earlier"));
    assert_eq!(read(&[good[0], good[0]]), Err("a second keeper"));
    assert_eq!(read(&[member(1, 1, 1)]), Err("another number of members"));
}

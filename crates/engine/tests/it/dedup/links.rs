//! Links collapsed onto keepers, against the definition.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use lookalike_core::Given as _;
use lookalike_engine::run::{CollapseLinks, LinkCounts};
use lookalike_engine::{Error, ErrorKind, Run};
use proptest::prelude::*;
use serde_json::json;

use crate::dedup::tables::clusters;
use crate::dedup::{folder, job, run};

/// Documents of which many are one text: the number of each one's text.
type Texts = Vec<u8>;

/// Ends of edges, by numbers of documents; the last of them no run knows.
type Edges = Vec<(usize, usize)>;

fn cases() -> impl Strategy<Value = (Texts, Edges, bool)> {
    prop::collection::vec(0..6_u8, 1..30).prop_flat_map(|texts| {
        let end = 0..=texts.len();
        (Just(texts), prop::collection::vec((end.clone(), end), 1..200), any::<bool>())
    })
}

fn id(number: usize) -> String {
    // Two documents have one id; some are longer than a code is.
    let number = if number == 3 { 2 } else { number };
    if number.is_multiple_of(2) { format!("d{number}") } else { format!("a long name, {number}") }
}

fn url(number: usize) -> String {
    format!("http://a.example/{number}")
}

/// The documents of which a run is made; the fifth has no URL.
fn corpus(folder: &Path, texts: &Texts) -> std::path::PathBuf {
    let lines = texts.iter().enumerate().map(|(number, text)| {
        let words: Vec<String> = (0..30).map(|word| format!("t{text}w{word}")).collect();
        let mut line = json!({ "id": id(number), "text": words.join(" ") });
        if number != 5 {
            line["url"] = url(number).into();
        }
        format!("{line}\n")
    });
    let path = folder.join("corpus.jsonl");
    fs::write(&path, lines.collect::<String>()).unwrap();
    path
}

/// What the definition says: links by names, and how many edges each stands for.
fn naive(
    texts: &Texts,
    keepers: &BTreeMap<u64, u64>,
    edges: &Edges,
    by_url: bool,
) -> (BTreeMap<(usize, usize), u64>, LinkCounts) {
    let known = |end: usize| {
        let first = if by_url || end != 3 { end } else { 2 };
        let keeper = || keepers.get(&(first as u64)).map_or(first, |keeper| *keeper as usize);
        (first < texts.len() && !(by_url && end == 5)).then(keeper)
    };
    let (mut links, mut counts) = (BTreeMap::new(), LinkCounts::default());
    for &(from, to) in edges {
        counts.edges += 1;
        match (known(from), known(to)) {
            (Some(from), Some(to)) if from == to => counts.within += 1,
            (Some(from), Some(to)) => *links.entry((from, to)).or_default() += 1,
            _ => counts.unknown += 1,
        }
    }
    counts.written = links.len() as u64;
    (links, counts)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn links_are_those_of_the_definition((texts, edges, by_url) in cases()) {
        let folder = folder("links");
        let out = folder.join("out");
        run(&job(&corpus(&folder, &texts)), &out);
        let name = |end: usize| if by_url { url(end) } else { id(end) };
        let lines = edges.iter().map(|&(from, to)| {
            format!("{}\n", json!({ "from": name(from), "to": name(to) }))
        });
        let list = folder.join("edges.jsonl");
        fs::write(&list, lines.collect::<String>()).unwrap();

        let keepers: BTreeMap<u64, u64> = clusters(&out).iter()
            .filter(|member| !member.kept)
            .map(|member| (member.row, member.cluster))
            .collect();
        let (expected, counts) = naive(&texts, &keepers, &edges, by_url);
        // A keeper without a URL goes by its id.
        let written = |end: usize| if by_url && end != 5 { url(end) } else { id(end) };
        let expected: Vec<(String, String, u64)> = expected.into_iter()
            .map(|((from, to), count)| (written(from), written(to), count))
            .collect();

        let mut found = Vec::new();
        let links = CollapseLinks::new([list.to_str().unwrap()])
            .from("from").to("to")
            .when(by_url, CollapseLinks::by_url);
        let told = links.run(&Run::open(&out).unwrap(), |from, to, count| {
            found.push((from.to_owned(), to.to_owned(), count));
            Ok::<_, Error>(())
        });
        prop_assert_eq!(told.unwrap(), counts);
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn more_links_than_fit_into_memory_and_bad_ones() {
    let folder = folder("many-links");
    let out = folder.join("out");
    // Every document stands alone but the last two.
    let texts: Texts = (0..100).chain([99]).collect();
    run(&job(&corpus(&folder, &texts)), &out);
    // Ten times each edge of all documents to all.
    let all = (0..10).flat_map(|_| (0..101).flat_map(|from| (0..101).map(move |to| (from, to))));
    let lines: Vec<String> = all.map(|(from, to)| url(from) + "," + &url(to)).collect();
    let lines = format!("source,target\n{}\n", lines.join("\n"));
    let list = folder.join("edges.csv");
    fs::write(&list, &lines).unwrap();
    let finished = Run::open(&out).unwrap();
    let mut names = BTreeSet::new();
    let links = CollapseLinks::new([list.to_str().unwrap()]).by_url().memory(1);
    let counts = links
        .run(&finished, |from, to, count| {
            // A link to one of the last two, and from one, stands for twice as many.
            let twice = [from, to].iter().filter(|name| **name == url(99)).count() as u32;
            assert_eq!(count, 10 * 2_u64.pow(twice), "{from} {to}");
            assert!(names.insert((from.to_owned(), to.to_owned())));
            Ok::<_, Error>(())
        })
        .unwrap();
    // One of the hundred has no URL.
    assert_eq!(counts.edges, 10 * 101 * 101);
    assert_eq!((counts.written, names.len()), (99 * 98, 99 * 98));
    assert_eq!(counts.within, 10 * (98 + 4));
    assert_eq!(counts.unknown, 10 * (2 * 101 - 1));

    let none = |text: &str, strict: bool| {
        fs::write(folder.join("bad.jsonl"), text).unwrap();
        let links = CollapseLinks::new([folder.join("bad.jsonl").to_str().unwrap()])
            .when(strict, CollapseLinks::strict);
        links.run(&finished, |_, _, _| Ok::<_, Error>(()))
    };
    let other = none("{\"src\": \"a\", \"dst\": \"b\"}\n", false).unwrap_err();
    assert!(matches!(other.kind(), ErrorKind::NoEdges { count: 1, .. }), "{other}");
    let half = "{\"source\": \"d0\", \"target\": \"d2\"}\n{\"source\": \"d0\"}\nnonsense\n";
    let counts = none(half, false).unwrap();
    assert_eq!((counts.edges, counts.written, counts.skipped), (1, 1, 2));
    let strict = none(half, true).unwrap_err().to_string();
    assert!(strict.contains("bad.jsonl` record 2: field `target` is missing"), "{strict}");
    assert_eq!(none("", false).unwrap(), LinkCounts::default());
}

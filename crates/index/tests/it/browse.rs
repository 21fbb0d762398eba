//! Pages against the list of all documents, clusters against all pairs, and collapsed lists against
//! what an empty index says of the same documents one after another.

use std::path::Path;

use lookalike_core::recipe::{Judging, Verify};
use lookalike_core::{Given as _, Recipe};
use lookalike_files::WorkFolder;
use lookalike_index::{
    AddIf, Cluster, CreateOptions, Document, Index, OpenOptions, RankedEntry, Standing,
};
use proptest::prelude::*;

use crate::common;

fn index(folder: &Path, name: &str, recipe: &str) -> Index {
    let recipe = Recipe::preset(recipe).unwrap();
    Index::create(folder.join(name), &recipe, &CreateOptions::new()).unwrap()
}

/// Sixty words of a seed, the first few of them others.
fn words(seed: u8, changed: u8) -> String {
    let word = |n: u8| match n {
        n if n < changed => format!("c{seed}x{changed}x{n}"),
        n => format!("w{seed}x{n}"),
    };
    (0..60).map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn pages_together_are_all_documents() {
    let folder = WorkFolder::create(None).unwrap();
    let index = index(&folder, "index", "text");
    for n in 0..25 {
        let (id, text) = (format!("d{n}"), format!("text number {n}"));
        index.add(&Document::text(id, &text)).unwrap();
    }
    for id in ["d0", "d7", "d8", "d24"] {
        assert!(index.remove(id).unwrap());
    }
    index.add(&Document::text("d3", "another text")).unwrap();
    let all: Vec<_> = index.documents().unwrap().map(Result::unwrap).collect();
    for limit in [1, 3, 100] {
        let mut found = Vec::new();
        let mut from = 0;
        loop {
            let page = index.page(from, limit).unwrap();
            let Some(last) = page.last() else { break };
            assert!(page.len() <= limit);
            from = last.number + 1;
            found.extend(page);
        }
        assert_eq!(found, all, "{limit}");
    }
    assert_eq!(index.page(0, 0).unwrap(), []);
    assert_eq!(index.page(u64::MAX, 5).unwrap(), []);
}

#[test]
fn a_request_for_clusters_compares_so_much_and_no_more() {
    let folder = WorkFolder::create(None).unwrap();
    let index = index(&folder, "index", "text");
    // Sixty long documents that look alike: to compare one with all others takes 120 MB.
    let words: Vec<String> = (0..280_000).map(|n| format!("w{n}")).collect();
    let text = words.join(" ");
    let texts: Vec<String> = (0..60).map(|n| format!("{text} n{n}")).collect();
    let documents = texts.iter().enumerate().map(|(n, text)| Document::text(n.to_string(), text));
    index.add_batch(&documents.collect::<Vec<_>>()).unwrap();
    let some = index.clusters(0, 10, 1000).unwrap();
    let [cluster] = &some.clusters[..] else { panic!("{}", some.clusters.len()) };
    assert!(cluster.limited && cluster.members.len() > 1, "{}", cluster.members.len());
    // All were found from the first of them: no other was looked at.
    let joined =
        |member: &lookalike_index::Member| member.joined.as_ref().map(|(to, _)| to.clone());
    let found_by: Vec<String> = cluster.members.iter().filter_map(joined).collect();
    assert!(found_by.iter().all(|id| id == "0"), "{found_by:?}");
    assert_eq!(some.next, Some(1));
}

/// Copies of one page, more than a list shows, and many small clusters among them.
#[test]
fn clusters_of_an_index_full_of_lookalikes_come_in_few_requests() {
    const COPIES: u64 = 5000;
    const PAIRS: u64 = 1000;
    let folder = WorkFolder::create(None).unwrap();
    let index = index(&folder, "index", "text");
    let page = |seed: &str, n: u64| {
        let words: Vec<String> = (0..150).map(|w| format!("{seed}w{w}")).collect();
        format!("{} changed{n}", words.join(" "))
    };
    let copies = (0..COPIES).map(|n| (format!("copy{n}"), page("c", n)));
    let pairs = (0..2 * PAIRS).map(|n| (format!("pair{n}"), page(&format!("p{}", n / 2), n)));
    let texts: Vec<(String, String)> = copies.chain(pairs).collect();
    index.load(texts.iter().map(|(id, text)| Document::text(id.as_str(), text))).unwrap();
    let (mut found, mut from, mut requests) = (Vec::new(), Some(0), 0);
    while let Some(next) = from {
        let some = index.clusters(next, 1000, 2000).unwrap();
        assert_eq!(some.end, COPIES + 2 * PAIRS);
        requests += 1;
        found.extend(some.clusters);
        from = some.next;
    }
    // Each request looks at two thousand documents, or does as much work as one may.
    assert!(requests <= 12, "{requests}");
    assert_eq!(found.len() as u64, 1 + PAIRS);
    assert!(found[0].limited && found[0].members.len() >= 64, "{}", found[0].members.len());
    for (n, pair) in found[1..].iter().enumerate() {
        let first = COPIES + 2 * n as u64;
        assert_eq!((sorted_numbers(pair), pair.limited), (vec![first, first + 1], false));
    }
}

#[test]
fn documents_are_found_by_id_url_and_words() {
    let folder = WorkFolder::create(None).unwrap();
    for index in
        common::both(&folder.join("index"), &Recipe::preset("text").unwrap(), &CreateOptions::new())
    {
        let roof =
            Document::text("roof", "The ROOF of our house is repaired").with_url("http://a/x");
        let page = Document::html("page", "<p>our <b>house</b> is sold").with_url("http://a/y");
        index.add_batch(&[roof, page, Document::text("gone", "our house is gone")]).unwrap();
        index.remove("gone").unwrap();
        let ids = |text: &str| -> Vec<String> {
            let found = index.search(text, 0, 10).unwrap();
            assert_eq!((found.next, found.end), (None, 3));
            found.records.into_iter().map(|record| record.id).collect()
        };
        assert_eq!(ids("oo"), ["roof"]);
        assert_eq!(ids("http://a/"), ["roof", "page"]);
        assert_eq!(ids("Our House is"), ["roof", "page"]);
        assert_eq!(ids("house our"), [""; 0]);
        assert_eq!(ids("hous"), [""; 0]);
        assert_eq!(ids("<p>"), [""; 0]);
        assert_eq!(ids("!"), [""; 0]);
        let first = index.search("house", 0, 1).unwrap();
        assert_eq!((first.records.len(), first.next), (1, Some(1)));
        let second = index.search("house", 1, 1).unwrap();
        assert_eq!((second.records[0].id.as_str(), second.next), ("page", None));
    }
}

#[test]
fn a_search_looks_at_so_much_and_no_more() {
    let folder = WorkFolder::create(None).unwrap();
    let index = index(&folder, "index", "text");
    let text = "word ".repeat(4_000_000);
    let documents = (0..5).map(|n| Document::text(n.to_string(), &text));
    index.add_batch(&documents.collect::<Vec<_>>()).unwrap();
    let found = index.search("missing", 0, 10).unwrap();
    assert_eq!((found.records.len(), found.next), (0, Some(4)));
    assert_eq!(index.search("missing", 4, 10).unwrap().next, None);
}

#[test]
fn documents_are_found_by_their_urls_whatever_became_of_others() {
    let folder = WorkFolder::create(None).unwrap();
    let options = CreateOptions::new().open(OpenOptions::new().segment_postings(64));
    let recipe = Recipe::preset("text").unwrap();
    for index in common::both(&folder.join("index"), &recipe, &options) {
        assert!(index.finds_urls());
        for n in 0..40 {
            let (id, text) = (n.to_string(), format!("text number {n}"));
            let url = format!("http://a/{}", n % 4);
            index.add(&Document::text(id, &text).with_url(url)).unwrap();
        }
        index.add(&Document::text("no", "without a URL")).unwrap();
        index.remove("5").unwrap();
        index.add(&Document::text("9", "moved").with_url("http://a/elsewhere")).unwrap();
        let numbers = |found: &lookalike_index::Found| -> Vec<u64> {
            found.records.iter().map(|record| record.number).collect()
        };
        let all = index.of_url("http://a/1", 0, 100).unwrap();
        assert_eq!((numbers(&all), all.next), (vec![1, 13, 17, 21, 25, 29, 33, 37], None));
        let some = index.of_url("http://a/1", 2, 3).unwrap();
        assert_eq!((numbers(&some), some.next), (vec![13, 17, 21], Some(25)));
        assert_eq!(numbers(&index.of_url("http://a/elsewhere", 0, 5).unwrap()), [41]);
        assert_eq!(numbers(&index.of_url("http://a/", 0, 5).unwrap()), [0; 0]);
        index.verify().unwrap();
    }
}

#[test]
fn a_question_may_have_a_threshold_of_its_own() {
    let folder = WorkFolder::create(None).unwrap();
    let index = index(&folder, "index", "text");
    let (text, near) = (words(1, 0), words(1, 4));
    index.add(&Document::text("known", &text)).unwrap();
    let asked = Document::text("", &near);
    let resemblance = index.check(&asked).unwrap().matches[0].resemblance.unwrap();
    assert!(resemblance > 0.8 && resemblance < 0.95, "{resemblance}");
    for (threshold, matches) in [(0.95, 0), (0.8, 1), (resemblance, 1), (0.3, 1)] {
        let at = index.at(threshold).unwrap();
        assert_eq!(at.check(&asked).unwrap().matches.len(), matches, "{threshold}");
        assert_eq!(at.check_batch(std::slice::from_ref(&asked)).unwrap()[0].matches.len(), matches);
        let list = [RankedEntry::Known("known"), RankedEntry::Given(asked.clone())];
        let left_out = |standing: &&Standing| matches!(standing, Standing::LeftOut { .. });
        let standings = at.collapse(&list).unwrap().standings;
        assert_eq!(standings.iter().filter(left_out).count(), matches);
        assert!((at.threshold() - threshold).abs() < 1e-12);
    }
    // The filter is the same, and finds the fewer the less alike they are.
    let recall = |threshold| index.at(threshold).unwrap().recall().unwrap();
    assert!(recall(0.95) > 0.99 && recall(0.8) > 0.94 && recall(0.5) < 0.4);
    for wrong in [0.0, -1.0, 1.1, f64::NAN] {
        assert!(index.at(wrong).is_err(), "{wrong}");
    }
    let unverified = Index::in_memory(&Recipe::preset("altavista").unwrap(), &CreateOptions::new());
    assert!(unverified.unwrap().at(0.9).is_err());
}

/// Pugh's "at time query result is generated", by the share of words that must be edited.
#[test]
fn a_ranked_list_is_collapsed_by_edit_distance() {
    let judging =
        Judging { verify: Some(Verify::Difference), threshold: Some(0.9), ..Judging::default() };
    let recipe = Recipe::default().judging(&judging).unwrap();
    let index = Index::in_memory(&recipe, &CreateOptions::new()).unwrap();
    let text = words(1, 0);
    // Six of the words of both are others, where twelve may be.
    let edited = words(1, 3);
    // Most windows of five words are the same, and half of the words stand elsewhere.
    let each: Vec<&str> = text.split(' ').collect();
    let moved = [&each[30..], &each[..30]].concat().join(" ");
    index.add(&Document::text("best", &text)).unwrap();
    let list = [
        RankedEntry::Known("best"),
        RankedEntry::Given(Document::text("", &moved)),
        RankedEntry::Given(Document::text("", &edited)),
    ];
    let standings = index.collapse(&list).unwrap().standings;
    assert_eq!(standings[..2], [Standing::Stays, Standing::Stays]);
    let Standing::LeftOut { keeper: 0, found } = &standings[2] else { panic!("{standings:?}") };
    assert_eq!((found.difference, found.resemblance), (Some(6.0 / 120.0), None));
    // By the windows that they share it would have gone as well.
    let by_windows = Index::in_memory(&Recipe::default(), &CreateOptions::new()).unwrap();
    let list = [Document::text("", &text), Document::text("", &moved)].map(RankedEntry::Given);
    let standings = by_windows.collapse(&list).unwrap().standings;
    assert!(matches!(standings[1], Standing::LeftOut { keeper: 0, .. }), "{standings:?}");
}

#[test]
fn a_document_is_read_with_its_content() {
    let folder = WorkFolder::create(None).unwrap();
    let index = index(&folder, "index", "text");
    index.add(&Document::html("page", "<p>Hello").with_url("http://a/")).unwrap();
    let (record, content) = index.read("page").unwrap().unwrap();
    assert_eq!((record.id.as_str(), record.url.as_deref()), ("page", Some("http://a/")));
    assert_eq!(content.as_deref(), Some(&b"<p>Hello"[..]));
    assert!(index.read("other").unwrap().is_none());
}

#[test]
fn unknown_ids_are_said_to_be() {
    let folder = WorkFolder::create(None).unwrap();
    let index = index(&folder, "index", "text");
    let text = words(1, 0);
    index.add(&Document::text("a", &text)).unwrap();
    let list = [
        RankedEntry::Known("x"),
        RankedEntry::Known("a"),
        RankedEntry::Given(Document::text("", &text)),
    ];
    let standings = index.collapse(&list).unwrap().standings;
    assert_eq!(standings[..2], [Standing::Unknown, Standing::Stays]);
    assert!(matches!(standings[2], Standing::LeftOut { keeper: 1, .. }));
    assert_eq!(index.collapse(&[]).unwrap().standings, []);
}

/// The numbers of each cluster by the definition: pairs join documents.
fn clusters_by_definition(index: &Index, texts: &[String]) -> Vec<Vec<u64>> {
    let numbers: Vec<u64> =
        index.documents().unwrap().map(|record| record.unwrap().number).collect();
    let mut first = numbers.clone();
    for text in texts {
        let answer = index.check(&Document::text("", text)).unwrap();
        let joined: Vec<usize> =
            answer.matches.iter().map(|m| numbers.binary_search(&m.number).unwrap()).collect();
        let all: Vec<u64> = joined.iter().map(|&at| first[at]).collect();
        let smallest = all.iter().min().copied();
        for label in first.iter_mut().filter(|label| all.contains(label)) {
            *label = smallest.unwrap();
        }
    }
    let clusters = numbers.iter().map(|number| {
        let members = numbers.iter().zip(&first).filter(|(_, label)| *label == number);
        members.map(|(number, _)| *number).collect::<Vec<_>>()
    });
    clusters.filter(|members| members.len() > 1).collect()
}

fn sorted_numbers(cluster: &Cluster) -> Vec<u64> {
    let mut numbers: Vec<u64> = cluster.members.iter().map(|member| member.record.number).collect();
    numbers.sort_unstable();
    numbers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn clusters_are_what_pairs_join(
        // Neighbours in `changed` are pairs, others are not: chains are clusters.
        list in prop::collection::vec((0_u8..4, 0_u8..8), 0..24),
        store_text in any::<bool>(),
        (limit, documents) in (1_usize..5, 1_usize..30),
    ) {
        let folder = WorkFolder::create(None).unwrap();
        let recipe = Recipe::preset("text").unwrap();
        let options = CreateOptions::new().when(!store_text, CreateOptions::without_text);
        let index = Index::create(folder.join("index"), &recipe, &options).unwrap();
        let texts: Vec<String> = list.iter().map(|&(seed, changed)| words(seed, changed)).collect();
        for (id, text) in texts.iter().enumerate() {
            index.add(&Document::text(id.to_string(), text)).unwrap();
        }
        let mut found = Vec::new();
        let mut from = Some(0);
        while let Some(next) = from {
            let some = index.clusters(next, limit, documents).unwrap();
            prop_assert!(some.clusters.len() <= limit);
            prop_assert!(some.next.is_none_or(|after| after > next));
            found.extend(some.clusters);
            from = some.next;
        }
        let numbers: Vec<Vec<u64>> = found.iter().map(sorted_numbers).collect();
        prop_assert_eq!(numbers, clusters_by_definition(&index, &texts));
        for cluster in &found {
            prop_assert!(!cluster.limited);
            prop_assert!(cluster.members[0].joined.is_none());
            for (at, member) in cluster.members.iter().enumerate().skip(1) {
                let (to, by) = member.joined.as_ref().unwrap();
                prop_assert_eq!(by.number, member.record.number);
                prop_assert!(cluster.members[..at].iter().any(|earlier| &earlier.record.id == to));
            }
        }
    }

    #[test]
    fn collapsing_is_checking_and_adding_in_order(
        recipe in prop::sample::select(vec!["text", "henzinger-c", "pugh"]),
        list in prop::collection::vec((0_u8..5, 0_u8..12, any::<bool>()), 0..24),
    ) {
        let folder = WorkFolder::create(None).unwrap();
        let known = index(&folder, "known", recipe);
        let empty = index(&folder, "empty", recipe);
        let texts: Vec<String> = list.iter().map(|&(seed, changed, _)| words(seed, changed)).collect();
        let ids: Vec<String> = (0..list.len()).map(|n| n.to_string()).collect();
        for (id, text) in ids.iter().zip(&texts) {
            known.add(&Document::text(id.as_str(), text)).unwrap();
        }
        let listed = list.iter().enumerate().map(|(n, (.., by_id))| match by_id {
            true => RankedEntry::Known(&ids[n]),
            false => RankedEntry::Given(Document::text("", &texts[n])),
        });
        let collapsed = known.collapse(&listed.collect::<Vec<_>>()).unwrap();
        for (n, standing) in collapsed.standings.iter().enumerate() {
            let document = Document::text(ids[n].as_str(), &texts[n]);
            let answer = empty.check_and_add(&document, AddIf::New).unwrap().answer;
            match (standing, answer.keeper()) {
                (Standing::Stays, None) => {}
                (Standing::LeftOut { keeper, found }, Some(other)) => {
                    prop_assert_eq!(&ids[*keeper], &other.id);
                    prop_assert_eq!(found.resemblance, other.resemblance);
                    prop_assert_eq!(found.kind, other.kind);
                }
                (standing, keeper) => prop_assert!(false, "{n}: {standing:?}, {keeper:?}"),
            }
        }
        prop_assert!(!collapsed.limited);
    }
}

//! Pages against the list of all documents, clusters against all pairs, and collapsed lists against
//! what an empty index says of the same documents one after another.

use std::path::Path;

use lookalike_core::Recipe;
use lookalike_files::WorkFolder;
use lookalike_index::{AddIf, Cluster, CreateOptions, Document, Index, RankedEntry, Standing};
use proptest::prelude::*;

fn index(folder: &Path, name: &str, recipe: &str) -> Index {
    let recipe = Recipe::preset(recipe).unwrap();
    Index::create(&folder.join(name), &recipe, &CreateOptions::new()).unwrap()
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
    // Sixty long documents that look alike: to compare each with all others takes gigabytes.
    let words: Vec<String> = (0..150_000).map(|n| format!("w{n}")).collect();
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
        let options = CreateOptions::new().store_text(store_text);
        let index = Index::create(&folder.join("index"), &recipe, &options).unwrap();
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

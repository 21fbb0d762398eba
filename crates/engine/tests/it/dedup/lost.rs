//! Jobs whose documents go by containment: against the naive twin, and by what they promise.

use std::fs;

use lookalike_core::recipe::Verify;
use lookalike_core::{Recipe, Sequence};
use lookalike_engine::matching::Clustering;
use lookalike_engine::run::Fate;
use lookalike_engine::{Decide, Dedup, ErrorKind, KeepPolicy, PairScope, Run};
use proptest::prelude::*;

use crate::dedup::equals_reference::{Choice, Corpus, Making, check, making, recipe};
use crate::dedup::{example_corpus, folder, job, name, run, tables, words};

fn choice() -> impl Strategy<Value = Choice> {
    (
        prop::sample::select(vec!["text", "henzinger-b", "henzinger-sites", "pugh"]),
        prop::sample::select(vec!["longest", "longest then max:score then first"]),
        prop::sample::select(vec![0.0, 0.02, 0.18, 0.5, 0.9]),
        prop_oneof![3 => Just(1_usize), 1 => Just(2)],
        any::<bool>(),
        1..4_usize,
    )
        .prop_map(|(name, keep, lost, keep_count, all, threads)| Choice {
            recipe: recipe(name, Verify::Exact),
            keep: keep.parse().unwrap(),
            keep_count,
            lost: Some(lost),
            clustering: Clustering::Anchored,
            pairs: if all { PairScope::All } else { PairScope::Needed },
            exact_only: false,
            count: false,
            threads,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn a_job_by_containment_says_what_its_definition_says(
        plan in prop::collection::vec((making(), any::<u64>()), 0..48),
        choice in choice(),
    ) {
        let folder = folder("dedup/lost");
        let corpus = Corpus::write(&plan, &folder.join("in"));
        let (report, _) = check(&corpus, &folder, &choice);
        let lost = report.lost.unwrap();
        prop_assert!(lost.shingles_lost as f64 <= choice.lost.unwrap() * lost.shingles as f64 + 1e-6);
        // Decided again with another share, from this run or from one by resemblance.
        let out = folder.join("out");
        let decided = folder.join("decided");
        let by_resemblance = folder.join("by-resemblance");
        let plain = job(&folder.join("in")).recipe(choice.recipe.clone());
        run(&plain, &by_resemblance);
        run(&plain.lost(0.1), &folder.join("other"));
        for before in [&out, &by_resemblance] {
            let _ = fs::remove_dir_all(&decided);
            let decide = Decide::new(before).lost(0.1).keep(KeepPolicy::Longest).keep_count(1);
            decide.run(&decided).unwrap();
            prop_assert_eq!(tables::clusters(&decided), tables::clusters(&folder.join("other")));
        }
    }
}

/// Documents of one template, each with a few words of its own and some of another: most of their
/// elements are in more than 64 of them.
#[test]
fn what_is_common_to_very_many_is_no_probe_where_there_is_another() {
    let folder = folder("dedup/lost-common");
    let mut random = Sequence::new(9, 2);
    let plan: Vec<(Making, u64)> = (0..150_usize)
        .map(|n| {
            let making = match n {
                0 => Making::Fresh { length: 80 },
                _ if n % 3 == 0 => Making::Part { of: n - 1, from: 2, length: 70, edits: n % 2 },
                _ => Making::Edited { of: 0, edits: 5 },
            };
            (making, random.next())
        })
        .collect();
    let corpus = Corpus::write(&plan, &folder.join("in"));
    for lost in [0.02, 0.3] {
        let choice = Choice {
            recipe: recipe("text", Verify::Exact),
            keep: KeepPolicy::Longest,
            keep_count: 1,
            lost: Some(lost),
            clustering: Clustering::Anchored,
            pairs: PairScope::Needed,
            exact_only: false,
            count: false,
            threads: 2,
        };
        let (report, _) = check(&corpus, &folder, &choice);
        assert!(report.near_removed > 20, "{report:?}");
        assert!(lost > 0.1 || report.limited.is_some(), "{report:?}");
    }
}

/// A book, a chapter of it and a page of the chapter; a copy of the page; and what is like none.
fn shelf() -> Vec<(&'static str, String)> {
    let mut random = Sequence::new(5, 1);
    let book = words(&mut random, 3000);
    let mut page = book[400..600].to_vec();
    // Two of 196 shingles of five words are broken by one at the end, and one more.
    *page.last_mut().unwrap() = String::from("other");
    vec![
        ("page", page.join(" ")),
        ("copy", page.join(", ")),
        ("chapter", book[200..1200].join(" ")),
        ("book", book.join(" ")),
        ("alone", words(&mut random, 200).join(" ")),
        ("short", book[..3].join(" ")),
        ("empty", "--".to_owned()),
    ]
}

#[test]
fn a_page_goes_for_the_book_and_the_book_for_nothing() {
    let folder = folder("dedup/lost-shelf");
    let input = folder.join("shelf.jsonl");
    let line = |(id, text): &(&str, String)| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    fs::write(&input, shelf().iter().map(line).collect::<String>()).unwrap();
    let (out, plain) = (folder.join("out"), job(&input));
    // By resemblance the copy goes, and nothing else.
    assert_eq!(run(&plain, &out).removed(), 1);

    let report = run(&plain.clone().lost(0.02), &out);
    let gone = |out: &std::path::Path| -> Vec<(String, String)> {
        let rows = tables::clusters(out).into_iter().filter(|row| !row.kept);
        rows.map(|row| (row.id, row.keeper)).collect()
    };
    let for_book = |id: &str| (id.to_owned(), "book".to_owned());
    assert_eq!(gone(&out), ["page", "copy", "chapter"].map(for_book));
    assert_eq!((report.near_removed, report.exact_removed, report.kept), (3, 0, 4));
    // 196 shingles of the page, one of which is not in the book, twice; 996 of the chapter.
    let lost = report.lost.unwrap();
    assert_eq!((lost.share, lost.shingles, lost.shingles_lost), (0.02, 2 * 196 + 996, 2));
    let run_of = Run::open(&out).unwrap();
    let rows = run_of.find("page").unwrap().rows;
    let Fate::Removed(removal) = &run_of.explain(&rows).unwrap()[0].fate else { panic!() };
    let scores = removal.scores.unwrap();
    assert_eq!((removal.keeper.id.as_str(), scores.containment_a), ("book", Some(195.0 / 196.0)));
    assert!(scores.resemblance.unwrap() < 0.1);

    // Nothing of it may be lost: the page stays, and its copy goes for it.
    run(&plain.clone().lost(0.0), &out);
    // Which of two that are equally long stays, their ids decide.
    assert_eq!(gone(&out), [("page".to_owned(), "copy".to_owned()), for_book("chapter")]);
    // Of each cluster two stay: the longest, and the next.
    let report = run(&plain.lost(0.02).keep_count(2), &out);
    assert_eq!(gone(&out), ["page", "copy"].map(for_book));
    assert_eq!((report.kept_beside, report.near_removed), (1, 2));
    let run_of = Run::open(&out).unwrap();
    let rows = run_of.find("chapter").unwrap().rows;
    assert!(matches!(run_of.explain(&rows).unwrap()[0].fate, Fate::Beside(_)));
}

#[test]
fn known_documents_are_looked_into_and_not_looked_for() {
    let folder = folder("dedup/lost-known");
    let line = |(id, text): &(&str, String)| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    let shelf = shelf();
    let write = |file: &str, ids: &[&str]| {
        let lines = shelf.iter().filter(|(id, _)| ids.contains(id)).map(line);
        fs::write(folder.join(file), lines.collect::<String>()).unwrap();
        folder.join(file)
    };
    let old = write("old.jsonl", &["chapter", "alone"]);
    let new = write("new.jsonl", &["book", "page", "copy", "short"]);
    let (first, out) = (folder.join("first"), folder.join("out"));
    run(&job(&old), &first);
    let report = run(&job(&new).known(name(&old)).lost(0.02), &out);
    // The book has the chapter, which was known and stays; the page goes for the chapter, not for
    // the longer book: what is known comes first.
    let rows = tables::clusters(&out).into_iter();
    let of: Vec<_> = rows.map(|row| (row.id, row.keeper, row.kept)).collect();
    let expected = [("chapter", true), ("page", false), ("copy", false)];
    assert_eq!(of, expected.map(|(id, kept)| (id.to_owned(), "chapter".to_owned(), kept)));
    assert_eq!((report.kept, report.known.as_ref().unwrap().removed), (2, 2));
    // Of a run only what shares a feature with a new document would be there.
    let error = job(&new).known(name(&first)).lost(0.02).run(folder.join("no")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Lost(_)), "{error}");
    let error = Decide::new(&out).lost(0.1).run(folder.join("no")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Lost(_)), "{error}");
}

#[test]
fn what_cannot_go_by_containment_is_refused() {
    let folder = folder("dedup/lost-refused");
    let out = folder.join("out");
    let plain = || job(&example_corpus()).lost(0.02);
    let refused = |job: Dedup, word: &str| {
        let error = job.run(&out).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Lost(_)), "{error}");
        assert!(error.to_string().contains(word), "{error}");
        assert!(job.plan().is_err() && !out.exists());
    };
    refused(plain().keep(KeepPolicy::First), "longest then first");
    refused(plain().keep("newest:date then longest".parse().unwrap()), "--keep");
    refused(plain().lost(1.0), "below 1");
    refused(plain().lost(-0.1), "below 1");
    refused(plain().lost(f64::NAN), "below 1");
    refused(plain().exact_only(), "--exact-only");
    refused(plain().clustering(Clustering::Components), "components");
    refused(plain().recipe(Recipe::preset("altavista").unwrap()), "--verify exact");
    refused(plain().recipe(Recipe::preset("sites").unwrap()), "--templates off");

    run(&plain(), &out);
    let error = Decide::new(&out).threshold(0.9).run(folder.join("again")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Lost(_)), "{error}");
    let signatures = name(&out.join("documents.signatures"));
    let error = Dedup::new([signatures]).lost(0.02).run(folder.join("again")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NeedsDocuments { .. }), "{error}");
}

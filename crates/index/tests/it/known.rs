//! A job that knows an index says what it says of the same documents in a file.

use std::fs;
use std::path::Path;

use lookalike_core::recipe::Verify;
use lookalike_core::{Kernel, Recipe, Signer};
use lookalike_engine::report::{Kind, Report};
use lookalike_engine::run::{ClusterFilter, ClusterOrder, Clusters, Run};
use lookalike_engine::{Dedup, ErrorKind, KeepPolicy};
use lookalike_files::WorkFolder;
use lookalike_index::{CreateOptions, Document, Index, open_shelf};
use proptest::prelude::*;

use crate::same_as_dedup::{Page, corpus, line};

fn write(path: &Path, pages: &[Page]) -> String {
    let lines: String = pages.iter().map(|page| line(page) + "\n").collect();
    fs::write(path, lines).unwrap();
    path.display().to_string()
}

/// An index in two commits, of which something was removed that is not known any more.
fn index(path: &Path, recipe: &Recipe, pages: &[Page]) -> String {
    let index = Index::create(path, recipe, &CreateOptions::new()).unwrap();
    let documents =
        pages.iter().map(|page| Document::text(&page.id, &page.text).with_url(&page.url));
    let documents: Vec<_> = documents.collect();
    let (first, rest) = documents.split_at(pages.len() / 2);
    index.add_batch(first).unwrap();
    index.add(&Document::text("removed", "whatever it said, it is not known any more")).unwrap();
    index.add_batch(rest).unwrap();
    index.remove("removed").unwrap();
    path.display().to_string()
}

/// A member of a cluster: its id and its keeper's, whether it is known, how it resembles the keeper, and the
/// copies of the cluster.
type Row = (String, String, bool, Option<Kind>, Option<f64>, u64);

fn told(out: &Path) -> Vec<Row> {
    let clusters = Clusters::open(Run::open(out).unwrap(), 64 << 20).unwrap();
    let all = clusters.page(&ClusterFilter::default(), ClusterOrder::Input, 0, 1 << 20).unwrap();
    let mut rows = Vec::new();
    for cluster in all.clusters {
        let members = clusters.members(cluster.cluster, 0, u64::MAX).unwrap();
        let keeper = members[0].document.id.clone();
        rows.extend(members.into_iter().map(|member| {
            let (id, known) = (member.document.id, member.document.known);
            (id, keeper.clone(), known, member.kind, member.resemblance, cluster.size)
        }));
    }
    rows
}

fn job(new: &str, known: &str, recipe: &Recipe) -> Dedup {
    let job = Dedup::new([new]).known(known).known_indexes(open_shelf);
    job.recipe(recipe.clone()).memory(65 << 20)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]
    #[test]
    fn an_index_is_known_as_its_documents_are(
        seed in any::<u64>(),
        pages in 0_u64..250,
        known in 0_usize..200,
        preset in prop::sample::select(vec!["text", "altavista", "henzinger-c", "pugh"]),
        verify in prop::sample::select(vec![Verify::Exact, Verify::None]),
        keep in prop::sample::select(vec![KeepPolicy::First, KeepPolicy::Longest]),
        threads in 1..3_usize,
    ) {
        let folder = WorkFolder::create(None).unwrap();
        let mut recipe = Recipe::preset(preset).unwrap();
        recipe.verify = verify;
        let corpus = corpus(seed, pages);
        let (old, new) = corpus.split_at(known.min(corpus.len()));
        let new = write(&folder.join("new.jsonl"), new);
        let input = write(&folder.join("old.jsonl"), old);
        let index = index(&folder.join("index"), &recipe, old);
        let run = |known: &str, out: &str| -> Report {
            let out = folder.join(out);
            job(&new, known, &recipe).keep(keep.clone()).threads(threads).run(out).unwrap()
        };
        let (expected, found) = (run(&input, "by-input"), run(&index, "by-index"));
        prop_assert_eq!(told(&folder.join("by-index")), told(&folder.join("by-input")));
        let kept = |out: &str| fs::read(folder.join(out).join("kept/new.jsonl")).ok();
        prop_assert_eq!(kept("by-index"), kept("by-input"));
        let counts = |report: Report| {
            let known = report.known.unwrap();
            (report.exact_removed, report.near_removed, known.documents, known.removed)
        };
        prop_assert_eq!(counts(found), counts(expected));
        // Nobody holds it any more.
        drop(Index::open(&index, &lookalike_index::OpenOptions::new()).unwrap());
    }
}

#[test]
fn an_index_without_what_verifies_is_refused() {
    let folder = WorkFolder::create(None).unwrap();
    let recipe = Recipe::preset("text").unwrap();
    let pages = corpus(7, 40);
    let new = write(&folder.join("new.jsonl"), &pages);
    let refused = |known: &Path, with: fn(Dedup) -> Dedup| {
        let known = known.display().to_string();
        with(job(&new, &known, &recipe)).run(folder.join("out")).unwrap_err()
    };
    let bare = folder.join("bare");
    Index::create(&bare, &recipe, &CreateOptions::new().without_text()).unwrap();
    let error = refused(&bare, |job| job);
    assert!(matches!(error.kind(), ErrorKind::KnownIndex { .. }), "{error}");
    assert!(error.to_string().contains("no texts"), "{error}");

    let signed = folder.join("signed");
    let index = Index::create(&signed, &recipe, &CreateOptions::new()).unwrap();
    let mut signer = Signer::with_kernel(&recipe, Kernel::best()).unwrap();
    let signature = signer.sign(pages[0].text.as_bytes()).clone();
    index.add(&Document::signed("a signature", &signature, 7)).unwrap();
    // In use, as it is.
    let error = refused(&signed, |job| job);
    assert!(matches!(error.kind(), ErrorKind::Shelf { .. }), "{error}");
    drop(index);
    let error = refused(&signed, |job| job);
    assert!(error.to_string().contains("`a signature` came as a signature"), "{error}");
    let error = refused(&signed, |job| job.recipe(Recipe::preset("altavista").unwrap()));
    assert!(error.to_string().contains("shingles.width"), "{error}");
}

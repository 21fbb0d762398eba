//! Large groups: the time stays linear, and the report says what was not looked at.

use std::fs;
use std::path::Path;

use lookalike_core::recipe::{Candidates, SketchParameters};
use lookalike_core::{CandidateRule, GROUP_LIMIT, Kernel, Recipe, Sequence};
use lookalike_engine::PairScope;
use lookalike_engine::matching::Clustering;

use crate::dedup::reference::{Document, Wish, answer};
use crate::dedup::{folder, job, name, run, tables, words};

/// Pages of one template: much text in common, each pair under the threshold.
fn template(pages: usize, own: usize) -> Vec<String> {
    let mut random = Sequence::new(1, 1);
    let frame = words(&mut random, 60).join(" ");
    (0..pages).map(|_| format!("{frame} {}", words(&mut random, own).join(" "))).collect()
}

fn lines(texts: &[String]) -> String {
    let lines: Vec<String> =
        texts.iter().map(|text| format!("{{\"text\":\"{text}\"}}\n")).collect();
    lines.concat()
}

/// In each of its groups a document is compared with so many at most, however many there are.
#[test]
fn many_pages_of_one_template_take_linear_time_and_all_stay() {
    let folder = folder("dedup/template");
    let keys = CandidateRule::new(Kernel::best(), &Recipe::default()).keys_per_document() as u64;
    let [half, whole] = [5_000, 10_000].map(|pages| {
        fs::write(folder.join("in.jsonl"), lines(&template(pages, 12))).unwrap();
        let report = run(&job(&folder.join("in.jsonl")), &folder.join("out"));
        assert_eq!((report.documents, report.removed(), report.pairs), (pages as u64, 0, 0));
        assert!(report.candidates <= GROUP_LIMIT as u64 * keys * pages as u64);
        let limited = report.limited.unwrap();
        assert_eq!((limited.groups, limited.limit), (keys, GROUP_LIMIT as u64));
        assert!(limited.documents > pages as u64 * 9 / 10, "{limited:?}");
        assert!(limited.largest_group > pages as u64 / 4, "{limited:?}");
        assert!(limited.consequence.contains("nothing was removed for it"));
        report.candidates
    });
    assert!(whole < half * 21 / 10, "{half} candidates of half as many pages, {whole} of all");
}

/// Groups of more than the limit, and look-alikes before and after it.
#[test]
fn the_limit_is_that_of_the_definition() {
    let folder = folder("dedup/limit");
    let input = folder.join("in.jsonl");
    let mut texts = template(220, 8);
    // Look-alikes of pages all over.
    for n in [0, 10, 63, 64, 65, 130, 219] {
        texts.push(texts[n].replacen(" w1", " x1", 1));
    }
    fs::write(&input, lines(&texts)).unwrap();
    let documents: Vec<Document> = (1..)
        .zip(&texts)
        .map(|(record, text)| Document {
            id: format!("{}#{record}", name(&input)),
            text: text.clone(),
            url: None,
            ranks: Vec::new(),
            counted: Some(name(&input)),
            date: None,
            source: name(&input),
            record,
        })
        .collect();
    for (clustering, pairs) in [
        (Clustering::Anchored, PairScope::Needed),
        (Clustering::Anchored, PairScope::All),
        (Clustering::Components, PairScope::Needed),
        (Clustering::Components, PairScope::All),
    ] {
        let recipe = Recipe::default();
        let wish = Wish {
            keep_count: 1,
            lost: None,
            recipe: &recipe,
            by_rank: false,
            in_input_order: true,
            clustering,
            pairs,
            exact_only: false,
            known: 0,
        };
        let answer = answer(&wish, &documents);
        let job = job(&input).clustering(clustering).pairs(pairs);
        let report = run(&job, &folder.join("out"));
        assert_eq!(tables::clusters(&folder.join("out")), answer.clusters);
        assert!(report.near_removed >= 5, "{report:?}");
        assert_eq!(report.limited.is_some(), pairs == PairScope::Needed, "{clustering:?}");
    }
}

/// The same where the pages of the template are known.
#[test]
fn the_limit_counts_known_documents() {
    let folder = folder("dedup/limit-known");
    let [old, new] = ["old.jsonl", "new.jsonl"].map(|file| folder.join(file));
    let known = template(220, 8);
    let mut texts = template(230, 8).split_off(220);
    for n in [0, 10, 63, 64, 65, 130, 219] {
        texts.push(known[n].replacen(" w1", " x1", 1));
    }
    fs::write(&old, lines(&known)).unwrap();
    fs::write(&new, lines(&texts)).unwrap();
    let of = |input: &Path, texts: &[String]| -> Vec<Document> {
        let document = |(record, text): (u64, &String)| Document {
            id: format!("{}#{record}", name(input)),
            text: text.clone(),
            url: None,
            ranks: Vec::new(),
            counted: (input == new).then(|| name(input)),
            date: None,
            source: name(input),
            record,
        };
        (1..).zip(texts).map(document).collect()
    };
    let documents = [of(&new, &texts), of(&old, &known)].concat();
    for pairs in [PairScope::Needed, PairScope::All] {
        let (recipe, clustering) = (Recipe::default(), Clustering::Anchored);
        let wish = Wish {
            keep_count: 1,
            lost: None,
            recipe: &recipe,
            by_rank: false,
            in_input_order: true,
            clustering,
            pairs,
            exact_only: false,
            known: known.len(),
        };
        let answer = answer(&wish, &documents);
        let job = job(&new).known(name(&old)).pairs(pairs);
        let report = run(&job, &folder.join("out"));
        assert_eq!(tables::clusters(&folder.join("out")), answer.clusters);
        assert_eq!(tables::pairs(&folder.join("out")), answer.pairs);
        assert!(report.near_removed >= 3, "{report:?}");
        assert_eq!(report.limited.is_some(), pairs == PairScope::Needed);
    }
}

/// Two identity sets that resemble each other: their pairs are listed up to a limit, and no copy
/// loses the pair with its keeper.
#[test]
fn pairs_of_very_many_copies_are_limited() {
    let folder = folder("dedup/many-copies");
    let input = folder.join("in.jsonl");
    let mut random = Sequence::new(3, 3);
    let text = words(&mut random, 60).join(" ");
    let mut texts = vec![text.clone(); 100];
    texts.extend(vec![format!("{text} more"); 70]);
    fs::write(&input, lines(&texts)).unwrap();
    let out = folder.join("out");
    let report = run(&job(&input).pairs(PairScope::All), &out);
    assert_eq!((report.exact_removed, report.near_removed), (99, 70));
    let pairs = tables::pairs(&out);
    let exact = pairs.iter().filter(|pair| pair.kind == "exact").count();
    // Six copies are beyond the limit of both; each has its pair with the keeper.
    assert_eq!((exact, pairs.len() - exact), (99 + 69, 64 * 64 + 6));
    assert!(report.notes.iter().any(|note| note.contains("2 identity sets")), "{:?}", report.notes);
    let mut listed: Vec<_> = pairs.iter().map(|pair| (pair.row_a, pair.row_b)).collect();
    listed.dedup();
    assert_eq!(listed.len(), pairs.len());
}

/// Where elements in common are counted, those of very many documents are left out, and the report says
/// how many; documents that have others in common are found all the same.
#[test]
fn what_very_many_share_is_left_out_and_counted() {
    let folder = folder("dedup/common");
    let input = folder.join("in.jsonl");
    let mut texts = template(1_100, 60);
    for n in [3, 500, 1_099] {
        texts.push(texts[n].replacen(" w1", " x1", 1));
    }
    fs::write(&input, lines(&texts)).unwrap();
    let recipe = Recipe {
        sketch: SketchParameters::Bottom { size: 120 },
        features: None,
        candidates: Candidates::Sketch,
        keep_sketch: true,
        ..Recipe::default()
    };
    let job = job(&input).recipe(recipe).memory(65 << 20);
    let out = folder.join("out");
    let report = run(&job, &out);
    assert_eq!((report.near_removed, report.exact_removed), (3, 0));
    // All 56 windows of the frame are in each sketch, or nearly.
    let [note] = &report.notes[..] else { panic!("{:?}", report.notes) };
    let left_out: u64 = note.split(' ').next().unwrap().parse().unwrap();
    assert!((40..=56).contains(&left_out), "{note}");
    assert!(note.contains(" elements are in more than 1000 documents each and were not counted"));
}

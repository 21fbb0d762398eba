//! What a job cuts is what the definition cuts, and the promise holds on what is written.

use std::fs;

use lookalike_core::passages::reference::{self, Document};
use lookalike_core::passages::{CutUnit, unit_starts};
use lookalike_core::text::{Unit, spans};
use lookalike_files::WorkFolder;
use proptest::prelude::*;

use super::*;
use crate::Dedup;

/// The texts after the definition, by the naive twin.
fn naive(texts: &[String], rule: &PassageRule) -> Vec<String> {
    let unit_lists: Vec<_> = texts
        .iter()
        .map(|text| unit_starts(rule.cut, text.as_bytes(), &spans(Unit::Words, &**text)))
        .collect();
    let documents: Vec<Document<u64>> = texts
        .iter()
        .zip(&unit_lists)
        .map(|(text, units)| {
            let tokens = spans(Unit::Words, &**text).iter().map(|span| span.token).collect();
            (tokens, units.iter().map(|unit| unit.token).collect())
        })
        .collect();
    let width = rule.min_words as usize;
    let cut: Vec<Vec<bool>> = match rule.scope {
        PassageScope::Corpus => reference::cut(&documents, width, rule.max_copies as usize),
        PassageScope::Document => documents
            .iter()
            .flat_map(|one| {
                reference::cut(std::slice::from_ref(one), width, rule.max_copies as usize)
            })
            .collect(),
    };
    let mut left = Vec::new();
    for ((text, units), cut) in texts.iter().zip(&unit_lists).zip(&cut) {
        let mut kept = String::new();
        for (number, unit) in units.iter().enumerate() {
            if !cut[unit.token as usize] {
                let end = units.get(number + 1).map_or(text.len(), |next| next.byte as usize);
                kept += &text[unit.byte as usize..end];
            }
        }
        if units.is_empty() {
            kept.clone_from(text);
        }
        // A document of which nothing is left goes.
        if cut.is_empty() || cut.contains(&false) {
            left.push(kept);
        }
    }
    left
}

fn lines(texts: &[String]) -> String {
    texts.iter().map(|text| serde_json::json!({ "text": text }).to_string() + "\n").collect()
}

/// The texts that a job leaves.
fn cut(folder: &WorkFolder, texts: &[String], job: impl FnOnce(Dedup) -> Dedup) -> Vec<String> {
    let input = folder.join("texts.jsonl");
    fs::write(&input, lines(texts)).unwrap();
    let out = folder.join("out");
    let _ = fs::remove_dir_all(&out);
    let input = input.to_str().unwrap().to_owned();
    job(Dedup::new([input]).all_documents().memory(80 << 20)).run(&out).unwrap();
    let kept = fs::read_to_string(out.join("kept/texts.jsonl")).unwrap();
    let text = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["text"].as_str().unwrap().to_owned()
    };
    kept.lines().map(text).collect()
}

fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "a",
        "b",
        "c",
        "Is",
        "\u{4e2d}",
        "\u{6587}",
        "\u{e9}t\u{e9}",
        "x-y",
        "http://a.b/c!d",
        "\u{bd}",
    ]);
    let between = prop::sample::select(vec![" ", " ", " ", "\n", ". ", "\n\n", "! ", ""]);
    prop::collection::vec((word, between), 0..40).prop_map(|words| {
        words.into_iter().map(|(word, between)| word.to_owned() + between).collect()
    })
}

fn rule() -> impl Strategy<Value = PassageRule> {
    let scope = prop::sample::select(vec![PassageScope::Corpus, PassageScope::Document]);
    let unit = prop::sample::select(CutUnit::ALL.to_vec());
    (1..7_u32, unit, 1..3_u32, scope).prop_map(|(words, cut, copies, scope)| {
        PassageRule::default().min_words(words).cut(cut).max_copies(copies).scope(scope)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn a_job_cuts_what_the_definition_cuts(
        mut texts in prop::collection::vec(text(), 1..8),
        shared in text(),
        copied in any::<u8>(),
        rule in rule(),
        threads in 1..4_usize,
    ) {
        for (number, text) in texts.iter_mut().enumerate() {
            if copied >> number & 1 == 1 {
                *text = format!("{text}\n{shared}");
            }
        }
        let folder = WorkFolder::create(None).unwrap();
        let found = cut(&folder, &texts, |job| job.passages(rule).threads(threads));
        prop_assert_eq!(found, naive(&texts, &rule), "{:?}", rule);
    }
}

fn one_line(words: std::ops::Range<u32>) -> String {
    words.map(|n| format!("w{n} ")).collect::<Vec<_>>().concat()
}

/// A passage of N words is found wherever it stands, and a shorter one is not.
#[test]
fn everything_of_so_many_words_is_found_and_nothing_shorter() {
    let folder = WorkFolder::create(None).unwrap();
    for (length, is_cut) in
        [(40, false), (49, false), (50, true), (51, true), (60, true), (1000, true)]
    {
        let passage = one_line(0..length);
        let own = |n: u32| one_line(10_000 * n..10_000 * n + 37 * n);
        let texts: Vec<String> = (1..6).map(|n| own(n) + &passage + &own(n + 10)).collect();
        let rule = PassageRule::default().cut(CutUnit::Words);
        let found = cut(&folder, &texts, |job| job.passages(rule));
        let left: Vec<String> = (1..6).map(|n| own(n) + &own(n + 10)).collect();
        assert_eq!(found[0], texts[0], "the first copy stays");
        assert_eq!(&found[1..], if is_cut { &left[1..] } else { &texts[1..] }, "{length}");
    }
}

/// A document of more words than a part: its parts serve each other and other documents.
#[test]
fn long_documents_are_cut_in_parts() {
    let folder = WorkFolder::create(None).unwrap();
    let line = |n: u32| one_line(60 * n..60 * n + 60) + "\n";
    let all: String = (0..18_000).map(line).collect();
    let texts = [all.clone() + &line(17_990) + &line(5), all.clone()];
    let found = cut(&folder, &texts, |job| job.passages(PassageRule::default()));
    // The line across the first border is in no part as a whole, and is not there twice.
    assert_eq!(found, [all]);
}

/// What the report says adds up, and depends on no thread.
#[test]
fn the_report_says_where_words_were_cut() {
    let folder = WorkFolder::create(None).unwrap();
    let files = ["a", "b", "c"].map(|name| folder.join(format!("{name}.jsonl")));
    for (number, file) in (0..).zip(&files) {
        let line = |n: u32| {
            let own = one_line(1_000 * (10 * number + n)..1_000 * (10 * number + n) + 80);
            let text = format!("{own}\n{}\n{}", one_line(7..70 + n), one_line(900..960));
            let url = format!("http://www.site{}.example/{number}/{n}", n % 3);
            let document =
                serde_json::json!({ "id": format!("{number}-{n}"), "url": url, "text": text });
            format!("{document}\n")
        };
        fs::write(file, (1..7).map(line).collect::<String>()).unwrap();
    }
    let inputs = files.map(|file| file.to_str().unwrap().to_owned());
    let report = |threads: usize| {
        let out = folder.join(format!("out-{threads}"));
        let job = Dedup::new(inputs.clone()).all_documents().threads(threads);
        let report = job.passages(PassageRule::default().cut(CutUnit::Words)).run(&out).unwrap();
        report.passages.unwrap()
    };
    let one = report(1);
    assert_eq!(one, report(3));
    for shares in [&one.sources, &one.sites] {
        let sum = |of: fn(&crate::report::CutShare) -> u64| shares.iter().map(of).sum::<u64>();
        assert_eq!((sum(|s| s.words), sum(|s| s.words_cut)), (one.words, one.words_cut), "{one:?}");
    }
    assert_eq!((one.sources.len(), one.sites.len()), (3, 3));
    assert_eq!(one.sites[0].name, "site2.example");
    let count = |classes: &[[u64; 2]]| classes.iter().map(|[_, count]| count).sum::<u64>();
    assert_eq!([count(&one.lengths), count(&one.copies)], [one.cuts; 2]);
    let first = &one.most_copies[0];
    assert_eq!(first.copies, 18);
    assert!(first.text.contains("w900 w901"), "{first:?}");
    assert!(one.most_copies.len() as u64 <= one.passages);
}

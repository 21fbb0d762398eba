//! `lookalike passages`: what it refuses, and what it says of odd input.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::{folder, path, report, run};

fn notice() -> String {
    (0..60).map(|n| format!("notice{n} ")).collect::<Vec<_>>().concat()
}

/// Documents as JSON lines.
fn input(folder: &Path, documents: &[serde_json::Value]) -> String {
    let file = path(folder, "in.jsonl");
    let lines: String = documents.iter().map(|document| document.to_string() + "\n").collect();
    fs::write(&file, lines).unwrap();
    file
}

#[test]
fn rules_that_cannot_be_meant_are_refused() {
    let folder = folder("passages-refused");
    let file = input(&folder, &[json!({ "id": "a", "text": notice() })]);
    let out = path(&folder, "out");
    for (option, value, says) in [
        ("--min-words", "0", "0 is not in 1..=1048576"),
        ("--min-words", "1000000000", "1000000000 is not in 1..=1048576"),
        ("--max-copies", "0", "0 is not in 1.."),
        ("--min-documents", "0", "0 is not in 1.."),
        ("--min-left", "0", "0 is not in 1.."),
        ("--max-cut", "1.5", "1.5"),
        ("--cut", "pages", "words, lines, sentences, paragraphs"),
        ("--within", "site", "corpus, document"),
    ] {
        let refused = run(&["passages", &file, "--out", &out, option, value]);
        refused.fails_with(says);
        refused.says(option);
        assert!(!Path::new(&out).exists());
        run(&["dedup", &file, "--passages", "--out", &out, option, value]).fails_with(says);
    }
    run(&["dedup", &file, "--out", &out, "--min-words", "9"]).fails_with("--passages");
    // The most that can be asked for finds nothing here.
    let most = run(&["passages", &file, &file, "--out", &out, "--min-words", "1048576"]);
    most.succeeds().shows("0 of 120 words are cut");
}

#[test]
fn what_is_no_text_is_skipped_and_ids_that_repeat_are_documents_of_their_own() {
    let folder = folder("passages-odd");
    let own = format!("{}\nof its own", notice());
    let same = |text: serde_json::Value| json!({ "id": "a", "text": text });
    let documents = [
        same(notice().into()),
        same(5.into()),
        same(json!(["a", "list"])),
        same(json!({ "of": "fields" })),
        same(serde_json::Value::Null),
        same(own.into()),
        same("".into()),
    ];
    let file = input(&folder, &documents);
    let out = folder.join("out");
    let ran = run(&["passages", &file, "--out", out.to_str().unwrap()]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    ran.shows("60 of 123 words are cut");
    ran.shows("could not be read");
    let report = report(&out);
    assert_eq!((&report["documents"], &report["skipped"]), (&json!(3), &json!(4)));
    let kept = fs::read_to_string(out.join("kept/in.jsonl")).unwrap();
    // What could not be read stays as it is.
    let left = kept.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let mut wanted = documents.clone();
    wanted[5] = same("of its own".into());
    assert!(left.eq(wanted), "{kept}");
    let why = run(&["why", out.to_str().unwrap(), "a"]).succeeds();
    why.shows("3 documents have the id `a`");

    // With `--strict` the first of them ends it.
    let strict = path(&folder, "strict");
    run(&["passages", &file, "--out", &strict, "--strict"]).fails_with("line 2");
    let wrong = path(&folder, "wrong");
    run(&["passages", &file, "--out", &wrong, "--text-field", "body"]).fails_with("`body`");
}

#[test]
fn too_much_is_not_cut() {
    let folder = folder("passages-max-cut");
    let file = input(&folder, &[json!({ "text": notice() }), json!({ "text": notice() })]);
    let [out, enough] = ["out", "enough"].map(|name| path(&folder, name));
    run(&["passages", &file, "--out", &out, "--max-cut", "0.4"]).fails_with("60 of 120");
    assert!(!Path::new(&out).join("kept").exists());
    run(&["passages", &file, "--out", &enough, "--max-cut", "0.5"]).succeeds();
}

#[test]
fn what_is_annotated_is_not_called_cut() {
    let folder = folder("passages-annotated");
    let own = |n: u32| format!("{}\nown{n}", notice());
    let documents = [1, 2].map(|n| json!({ "id": format!("d{n}"), "text": own(n) }));
    let file = input(&folder, &documents);
    let out = path(&folder, "out");
    let ran = run(&["passages", &file, "--out", &out, "--annotate"]).succeeds();
    ran.shows("60 of 122 words are annotated, not cut (49.2 %)");
    let why = run(&["why", &out, "d2"]).succeeds();
    why.shows("annotated: 60 of 61 words of `d2` stand elsewhere, in 1 piece");
    why.shows("what was annotated, and where it stands first");
    let kept = run(&["why", &out, "d1"]).succeeds();
    kept.shows("`d1` has the words of 1 piece that were annotated elsewhere");
    let json = run(&["why", &out, "d2", "--json"]).json();
    assert_eq!(json["documents"][0]["passages"]["annotated"], true);
    let page = fs::read_to_string(Path::new(&out).join("report.html")).unwrap();
    assert!(page.contains("60 were annotated, not cut (49.2 %), in 1 of 2 documents"));
    for text in [ran.stdout, why.stdout, kept.stdout] {
        assert!(!text.replace("not cut", "").contains("cut"), "{text}");
    }
}

//! `lookalike why`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{folder, path, run};

pub(crate) const CORPUS: &str = "examples/corpus";

/// A finished run of these inputs in a folder of its own.
pub(crate) fn finished(folder: &Path, inputs: &[&str], options: &[&str]) -> String {
    let out = path(folder, "run");
    let mut arguments = vec!["dedup"];
    arguments.extend(inputs);
    arguments.extend(["--out", &out]);
    arguments.extend(options);
    run(&arguments).succeeds();
    out
}

/// Words that are in no other text of this seed.
fn words(seed: u64, count: u64) -> Vec<String> {
    (0..count).map(|n| format!("w{seed}x{n}")).collect()
}

/// Three documents of which the middle one resembles both others, which are no pair.
fn chain(folder: &Path) -> String {
    let base = words(1, 200);
    let changed = |from: usize, to: usize| {
        let words = base.iter().enumerate();
        let text: Vec<String> = words
            .map(
                |(n, word)| {
                    if (from..to).contains(&n) { format!("other{n}") } else { word.clone() }
                },
            )
            .collect();
        text.join(" ")
    };
    let lines = [("a", changed(0, 0)), ("b", changed(0, 14)), ("c", changed(0, 28))];
    let line = |(id, text): &(&str, String)| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    let file = path(folder, "chain.jsonl");
    fs::write(&file, lines.iter().map(line).collect::<String>()).unwrap();
    file
}

#[test]
fn every_removal_of_the_corpus_is_explained_as_expected() {
    let out = finished(&folder("why-corpus"), &[CORPUS], &[]);
    let expected = fs::read(crate::root().join("examples/corpus.expected.json")).unwrap();
    let expected: Value = serde_json::from_slice(&expected).unwrap();
    let place = |document: &Value| {
        let (source, record) = (document["source"].as_str().unwrap(), &document["record"]);
        let name = source.strip_prefix("examples/corpus/").unwrap();
        if name.starts_with("letters/") { name.to_owned() } else { format!("{name}#{record}") }
    };
    let removed = expected["removed"].as_array().unwrap();
    for removal in removed.iter().step_by(4) {
        let name = removal["document"].as_str().unwrap();
        let own_id = format!("{CORPUS}/{name}");
        let id = expected["ids"].get(name).and_then(Value::as_str).unwrap_or(&own_id);
        let json = run(&["why", &out, id, "--json"]).json();
        let documents = json["documents"].as_array().unwrap();
        let document = documents.iter().find(|document| place(document) == name).unwrap();
        assert_eq!(document["fate"], "removed", "{name}");
        assert_eq!(place(&document["keeper"]), removal["keeper"], "{name}");
        assert_eq!(document["kind"], removal["kind"], "{name}");
        let resemblance = document["resemblance"].as_f64().unwrap();
        let wanted = removal["resemblance"].as_f64().unwrap();
        assert!((resemblance - wanted).abs() < 1e-6, "{name}: {resemblance}");
        let shared = document["shared_features"].as_array().unwrap();
        assert_eq!(shared.len() as u64, document["b_similarity"].as_u64().unwrap());
        assert!(!shared.is_empty(), "{name}: a candidate shares a feature");
    }
}

#[test]
fn what_is_told_depends_on_what_became_of_the_document() {
    let out = finished(&folder("why-fates"), &[CORPUS], &[]);
    let removed = run(&["why", &out, "note-019", "--diff", "always"]);
    assert_eq!((removed.code, removed.stderr.as_str()), (0, ""));
    let first = "removed: `note-019` is a near-duplicate of `note-008`, which stands for it\n";
    assert!(removed.stdout.starts_with(first), "{}", removed.stdout);
    removed.shows("[-a grammar of Frisian-] {+the memoirs of a beekeeper+}");
    let shared = "equal features, out of 13: 1, 5, 6, 7, 10, 11\n";
    assert!(removed.stdout.contains(shared), "{}", removed.stdout);
    removed.shows("from the document to its keeper, an edit distance of ");
    assert!(!run(&["why", &out, "note-019"]).stdout.contains("{+"), "not on a terminal");
    let json = |options: &[&str]| {
        let json = run(&[&["why", &*out, "note-019", "--json"], options].concat()).json();
        json["documents"][0].clone()
    };
    let [plain, counted] = [json(&[]), json(&["--diff", "always"])];
    assert!(plain.get("edit_distance").is_none(), "read only if it is asked for: {plain}");
    assert_eq!(counted["term_difference"], 11);
    let edits = &counted["edit_distance"];
    assert!(edits["at_least"].as_u64() <= edits["at_most"].as_u64(), "{edits}");
    assert!((1..=11).contains(&edits["at_most"].as_u64().unwrap()), "{edits}");

    let kept = run(&["why", &out, "note-008"]);
    assert_eq!(kept.code, 0);
    assert!(kept.stdout.starts_with("kept: `note-008` stands for 1 other document\n"));
    kept.shows("near  0.8906  note-019  examples/corpus/notes.jsonl, record 19");

    let alone = run(&["why", &out, "note-001"]);
    assert_eq!(alone.code, 1, "the answer is no");
    assert!(alone.stdout.starts_with("kept: `note-001` has no look-alike in this run\n"));
    let empty = run(&["why", &out, "note-012"]);
    assert_eq!(empty.code, 1);
    assert!(empty.stdout.starts_with("kept: `note-012` has no words"), "{}", empty.stdout);
    let twice = run(&["why", &out, "note-048"]).stdout;
    assert!(twice.starts_with("2 documents have the id `note-048`\n"), "{twice}");
    assert_eq!(twice.matches("document  note-048").count(), 2);
}

#[test]
fn a_keeper_of_many_names_the_first_and_counts_the_others() {
    let folder = folder("why-many");
    let text = words(7, 60).join(" ");
    let line = |n: u64| format!("{{\"id\":\"copy-{n:02}\",\"text\":\"{text}\"}}\n");
    let file = path(&folder, "copies.jsonl");
    fs::write(&file, (0..31).map(line).collect::<String>()).unwrap();
    let out = finished(&folder, &[&file], &[]);
    let kept = run(&["why", &out, "copy-00"]).stdout;
    assert!(kept.starts_with("kept: `copy-00` stands for 30 other documents\n"), "{kept}");
    assert_eq!(kept.matches("exact  1.0000").count(), 20);
    assert!(kept.contains("copy-20") && !kept.contains("copy-21"));
    assert!(kept.ends_with("... and 10 more; clusters.parquet has all of them\n"), "{kept}");
}

#[test]
fn a_path_goes_over_the_documents_that_join_the_two() {
    let folder = folder("why-path");
    let file = chain(&folder);
    let out = finished(&folder, &[&file], &["--cluster", "components", "--pairs", "all"]);
    let json = run(&["why", &out, "c", "a", "--json"]).json();
    let steps = json["path"].as_array().unwrap();
    let names: Vec<_> = steps.iter().map(|step| (&step["from"]["id"], &step["to"]["id"])).collect();
    assert_eq!(names, [(&"c".into(), &"b".into()), (&"b".into(), &"a".into())]);
    assert!(steps.iter().all(|step| step["resemblance"].as_f64().unwrap() >= 0.8));
    let shown = run(&["why", &out, "c", "a"]);
    assert_eq!(shown.code, 0);
    assert!(shown.stdout.starts_with("2 pairs join `c` to `a`\n\nc  "), "{}", shown.stdout);
    // No pair, so the path is the reason.
    let why = run(&["why", &out, "c"]).stdout;
    assert!(why.starts_with("removed: `c` is joined by other documents to `a`"), "{why}");
    assert!(why.contains("\n  near: resemblance 0.") && why.contains("not a pair of this run"));

    let anchored = finished(&crate::folder("why-no-path"), &[&file], &[]);
    let apart = run(&["why", &anchored, "a", "c"]);
    assert_eq!(apart.code, 1, "{}", apart.stdout);
    assert_eq!(run(&["why", &anchored, "a", "c", "--json"]).json()["path"], Value::Null);
    assert_eq!(run(&["why", &anchored, "c"]).code, 1, "its look-alike went, so it stays");
}

#[test]
fn a_difference_is_left_out_when_an_input_is_not_what_it_was() {
    let folder = folder("why-changed");
    let (one, two) = (path(&folder, "one.txt"), path(&folder, "two.txt"));
    let mut text = words(3, 100);
    fs::write(&one, text.join(" ")).unwrap();
    text[50] = "misspelt".to_owned();
    fs::write(&two, text.join(" ")).unwrap();
    let out = finished(&folder, &[&one, &two], &[]);
    let why = || run(&["why", &out, &two, "--diff", "always"]);
    assert!(why().stdout.contains("[-misspelt-] {+w3x50+}"), "{}", why().stdout);
    // Another date, and signs that do not count: still the document that was signed.
    fs::write(&two, format!("\"{}\"", text.join("\n"))).unwrap();
    assert!(why().stdout.contains("[-misspelt"), "{}", why().stdout);
    fs::write(&two, "something else").unwrap();
    let changed = why();
    assert_eq!(changed.code, 0);
    let json = run(&["why", &out, &two, "--json", "--diff", "always"]).json();
    let [document] = json["documents"].as_array().unwrap().as_slice() else { panic!("{json}") };
    assert_eq!(document["edit_distance"], Value::Null);
    assert!(document["difference_left_out"].as_str().unwrap().ends_with("since it was signed"));
    changed.shows("resemblance    0.9");
    let note = "note: the difference is left out: `";
    assert!(changed.stdout.contains(note), "{}", changed.stdout);
    assert!(changed.stdout.ends_with("two.txt` record 1: has changed since it was signed\n"));
    fs::remove_file(&two).unwrap();
    assert!(why().stdout.contains("cannot be read"), "{}", why().stdout);
}

#[test]
fn ids_cannot_steer_the_terminal() {
    let folder = folder("why-steer");
    let text = words(9, 50).join(" ");
    let file = path(&folder, "odd.jsonl");
    let line = |id: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    fs::write(&file, line("a\\u001b[31m") + &line("b\\u202e")).unwrap();
    let out = finished(&folder, &[&file], &[]);
    let odd = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    for id in ["a\x1b[31m", "b\u{202e}"] {
        let told = run(&["why", &out, id]);
        assert_eq!(told.code, 0);
        assert!(!told.stdout.contains(odd), "{:?}", told.stdout);
    }
}

#[test]
fn mistakes_are_explained() {
    let folder = folder("why-mistakes");
    let file = chain(&folder);
    let out = finished(&folder, &[&file], &[]);
    run(&["why", &out, "nobody"]).fails_with("had no document `nobody`");
    run(&["why", &out, "a", "nobody"]).fails_with("had no document `nobody`");
    run(&["why", &out, "a", "a"]).fails_with("`a`: is one document; name two");
    run(&["why", &out, "a", "b", "--json", "--diff", "all"]).fails_with("a path has no difference");
    run(&["why", &out, "a", "b", "--diff", "all"]).fails_with("a path has no difference");
    run(&["why", "examples", "a"]).fails_with("`examples`: has no results of a run\nhint: ");
    let manifest = folder.join("run/manifest.json");
    let finished = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, finished.replace("\"finished\": true", "\"finished\": false")).unwrap();
    run(&["why", &out, "a"]).fails_with("manifest.json`: is damaged");
    fs::write(&manifest, finished).unwrap();
    let unfinished = path(&folder, "unfinished");
    let stopped = ["dedup", "examples/corpus", "--out", &unfinished, "--max-removed", "0"];
    run(&stopped).fails_with("would be removed");
    run(&["why", &unfinished, "a"]).fails_with("the run is not finished\nhint: ");
    fs::write(folder.join("run/clusters.parquet"), "nonsense").unwrap();
    run(&["why", &out, "a"]).fails_with("clusters.parquet`: is damaged");
}

#[test]
fn what_was_cut_is_marked_and_where_it_stays_is_told() {
    let folder = folder("why-cut");
    let notice = words(1, 60).join(" ");
    let own = |seed| words(seed, 30).join(" ");
    let documents = [
        ("first", format!("{notice}\n{}", own(2))),
        ("second", format!("{}\n{notice}\n{}\n", own(3), own(4))),
        ("notice", notice.clone()),
        ("other", own(5)),
    ];
    let line =
        |(id, text): (&str, String)| format!("{}\n", serde_json::json!({ "id": id, "text": text }));
    let file = path(&folder, "documents.jsonl");
    fs::write(&file, documents.into_iter().map(line).collect::<String>()).unwrap();
    let out = path(&folder, "run");
    run(&["passages", &file, "--out", &out]).succeeds();

    let cut = run(&["why", &out, "second"]);
    assert_eq!((cut.code, cut.stderr.as_str()), (0, ""));
    let first = "cut: 60 of 120 words of `second` stand elsewhere, in 1 piece\n";
    assert!(cut.stdout.starts_with(first), "{}", cut.stdout);
    assert!(cut.stdout.contains("[1]  60 words  3 copies  first  bytes 0-"), "{}", cut.stdout);
    assert!(cut.stdout.contains("w3x29\n[-w1x0 w1x1 "), "{}", cut.stdout);
    assert!(cut.stdout.contains(" w1x59-][1]\nw4x0 "), "{}", cut.stdout);
    assert!(!run(&["why", &out, "second", "--diff", "never"]).stdout.contains("[-"));

    let gone = run(&["why", &out, "notice"]);
    assert!(gone.stdout.starts_with("gone: all 60 words of `notice` stand elsewhere\n"));
    let kept = run(&["why", &out, "first"]);
    let sentence = "kept whole: `first` has the words of 2 pieces that were cut elsewhere\n";
    assert_eq!((kept.code, kept.stdout.starts_with(sentence)), (0, true), "{}", kept.stdout);
    let other = run(&["why", &out, "other"]);
    let sentence = "kept: nothing was cut of `other`\n";
    assert_eq!((other.code, other.stdout.starts_with(sentence)), (1, true), "{}", other.stdout);

    let json = run(&["why", &out, "second", "--json"]).json();
    let document = &json["documents"][0];
    let (told, piece) = (&document["passages"], &document["passages"]["cuts"][0]);
    assert_eq!((&document["fate"], &told["words_cut"]), (&"alone".into(), &60.into()));
    assert_eq!((&piece["keeper"]["id"], &piece["copies"]), (&"first".into(), &3.into()));
    let [begin, end] = ["begin", "end"].map(|name| piece[name].as_u64().unwrap() as usize);
    let text = format!("{}\n{notice}\n{}\n", own(3), own(4));
    assert_eq!(text[begin..end].trim_end(), notice);
    let json = run(&["why", &out, "notice", "--json"]).json();
    assert_eq!(json["documents"][0]["fate"], "gone");

    fs::remove_file(&file).unwrap();
    let unread = run(&["why", &out, "second"]);
    assert_eq!(unread.code, 0);
    assert!(unread.stdout.contains("note: the text is left out: "), "{}", unread.stdout);
}

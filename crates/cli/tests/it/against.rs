//! `lookalike against`.

use std::fs;

use serde_json::Value;

use crate::{files, folder, json_values, path, root, run, run_with_input};

fn ids(matches: &[Value]) -> Vec<(String, String)> {
    let id = |found: &'_ Value| found.as_str().unwrap().to_owned();
    matches.iter().map(|found| (id(&found["input"]), id(&found["reference"]))).collect()
}

const QUESTIONS: &str = "examples/questions.jsonl";

#[test]
fn questions_are_found_in_letters() {
    let found = run(&["against", QUESTIONS, "--input", "examples/letters", "--json"]).succeeds();
    let matches = json_values(&found.stdout);
    let expected =
        [("a", "scaffold"), ("b", "scaffold"), ("c", "scaffold"), ("g", "loaf"), ("h", "scaffold")]
            .map(|(letter, question)| {
                (format!("examples/letters/{letter}.txt"), question.to_owned())
            });
    assert_eq!(ids(&matches), expected);
    assert_eq!(matches[0]["containment_reference"], 1.0);
    found.says("5 of 8 documents and 2 of 4 references (50.0 %) are in 5 matches");
    found.says("1 reference not looked for");
    found.says("(--min-tokens): yes");
}

/// What `compare` says of two letters is what a match of them says.
#[test]
fn agrees_with_compare() {
    let (a, b) = ("examples/letters/a.txt", "examples/letters/b.txt");
    let compared = run(&["compare", a, b, "--json"]).json();
    let found = run(&["against", a, "--input", b, "--json"]).json();
    assert_eq!(found["resemblance"], compared["resemblance"]);
    assert_eq!(found["containment_reference"], compared["containment_a"]);
    assert_eq!(found["containment_input"], compared["containment_b"]);
    assert_eq!(found["shingles_reference"], compared["shingles_a"]);
}

#[test]
fn threshold_and_containment_decide() {
    let against = |more: &[&str]| {
        let first = ["against", "examples/letters/a.txt", "--input", "examples/letters", "--json"];
        let found = run(&[&first[..], more].concat());
        (found.code, found.stdout.lines().count())
    };
    assert_eq!(against(&[]), (0, 3));
    assert_eq!(against(&["--threshold", "1", "--containment", "off"]), (0, 2));
    assert_eq!(against(&["--threshold", "1", "--containment", "0.2"]), (0, 4));
    let nothing = run(&["against", QUESTIONS, "--input", "examples/letters/f.txt"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (1, ""));
    nothing.says("0 of 1 document and 0 of 4 references");
}

#[test]
fn results_depend_on_nothing_but_the_documents() {
    let arguments = ["against", "examples/corpus", "--input", "examples/corpus", "--json"];
    let expected = run(&[&arguments[..], &["--threads", "1"]].concat());
    assert!(json_values(&expected.stdout).len() >= 300, "all but the short ones match themselves");
    for more in [["--threads", "5"], ["--memory", "128MiB"]] {
        let found = run(&[&arguments[..], &more].concat());
        assert_eq!((found.code, found.stdout), (expected.code, expected.stdout.clone()));
    }
}

#[test]
fn files_appear_under_their_names() {
    let folder = folder("against-out");
    let arguments = ["against", QUESTIONS, "--input", "examples/letters"];
    let printed = run(&[&arguments[..], &["--json"]].concat());
    for name in ["m.jsonl", "m.parquet"] {
        let file = path(&folder, name);
        let out = [&arguments[..], &["--json", "--out", &file]].concat();
        let summary = run(&out).json();
        assert_eq!((&summary["matches"], &summary["short_references"]), (&5.into(), &1.into()));
        run(&out).fails_with("hint: --force replaces it");
        assert_eq!(run(&[&out[..], &["--force"]].concat()).code, 0);
    }
    assert_eq!(fs::read_to_string(folder.join("m.jsonl")).unwrap(), printed.stdout);
    assert_eq!(&fs::read(folder.join("m.parquet")).unwrap()[..4], b"PAR1");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing half-written");
}

#[test]
fn the_clean_folder_has_what_does_not_match() {
    let folder = folder("against-clean");
    let clean = path(&folder, "clean");
    let arguments = ["against", QUESTIONS, "--input", "examples/letters", "--clean", &clean];
    assert_eq!(run(&arguments).code, 0);
    let files = files(&folder.join("clean"));
    assert!(files.keys().eq(["d.txt", "e.txt", "f.txt"]), "{:?}", files.keys());
    assert_eq!(files["d.txt"], fs::read(root().join("examples/letters/d.txt")).unwrap());
    run(&arguments).fails_with("is not empty");
}

#[test]
fn either_side_may_be_standard_input() {
    let text = fs::read(root().join(QUESTIONS)).unwrap();
    let direct = run(&["against", QUESTIONS, "--input", "examples/letters", "--json"]);
    let piped = run_with_input(&["against", "-", "--input", "examples/letters", "--json"], &text);
    assert_eq!(piped.stdout, direct.stdout, "{}", piped.stderr);
    let inverse = run_with_input(&["against", QUESTIONS, "--input", "-", "--json"], &text);
    assert_eq!(ids(&json_values(&inverse.stdout)).len(), 3);
    run(&["against", "-", "--input", "-"]).fails_with("standard input can be read only once");
}

#[test]
fn what_cannot_be_read_is_skipped_and_counted() {
    let folder = folder("against-skipped");
    let good = r#"{"text": "one two three four five six seven eight nine"}"#;
    fs::write(folder.join("x.jsonl"), format!("{{}}\n{good}\n")).unwrap();
    let file = path(&folder, "x.jsonl");
    let found = run(&["against", &file, "--input", &file, "--json"]);
    assert_eq!((found.code, found.stdout.lines().count()), (3, 1), "{}", found.stderr);
    assert_eq!(found.stderr.matches("field `text` is missing").count(), 2, "{}", found.stderr);
    assert_eq!(json_values(&found.stdout)[0]["input"], format!("{file}#2"));
    run(&["against", &file, "--input", &file, "--strict"]).fails_with("field `text` is missing");
}

/// An id may be anything; a line of the table is one match.
#[test]
fn ids_cannot_break_the_table() {
    let folder = folder("against-ids");
    let record =
        r#"{"id": "a\n\u001b[31mb", "text": "one two three four five six seven eight nine"}"#;
    fs::write(folder.join("x.jsonl"), record).unwrap();
    let file = path(&folder, "x.jsonl");
    let found = run(&["against", &file, "--input", &file]);
    assert_eq!(found.stdout.lines().count(), 2, "{}", found.stdout);
    assert!(!found.stdout.contains('\u{1b}'));
}

#[test]
fn progress_for_machines_names_both_stages() {
    let found = run(&["against", QUESTIONS, "--input", "examples/letters", "--progress", "json"]);
    let lines: Vec<&str> = found.stderr.lines().filter(|line| line.starts_with('{')).collect();
    let stages = json_values(&lines.join("\n")).into_iter().map(|line| line["stage"].clone());
    assert!(stages.eq(["index", "search"]), "{lines:?}");
}

#[test]
fn mistakes_are_explained() {
    let folder = folder("against-mistakes");
    let letters = "examples/letters";
    run(&["against", QUESTIONS]).fails_with("--input <INPUT>");
    run(&["against", "none", "--input", letters]).fails_with("`none`: cannot be read");
    run(&["against", QUESTIONS, "--input", "none"]).fails_with("`none`: cannot be read");
    run(&["against", QUESTIONS, "--input", letters, "--containment", "2"])
        .fails_with("must be above 0 and at most 1, or off");
    run(&["against", QUESTIONS, "--input", letters, "--out", &path(&folder, "x.csv")])
        .fails_with("must end in .jsonl or .parquet");
    run(&["against", QUESTIONS, "--input", letters, "--memory", "1MiB"])
        .fails_with("--memory must be at least 128MiB");
    run(&["against", QUESTIONS, "--input", letters, "--temp", &path(&folder, "no/such")])
        .fails_with("cannot be created");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn runs_of_words_are_found_and_shown() {
    let folder = folder("against-ngram");
    let arguments = ["against", QUESTIONS, "--input", "examples/letters", "--ngram", "13"];
    let printed = run(&arguments).succeeds();
    let blocks: Vec<&str> = printed.stdout.split("\n\n").collect();
    assert_eq!(blocks.len(), 5, "{}", printed.stdout);
    let first = "23 words in common: examples/letters/a.txt from word ";
    assert!(blocks[0].starts_with(first), "{}", blocks[0]);
    assert!(
        blocks[0].contains(", scaffold from word 1\n  both       A scaffold will stand in the")
    );
    assert!(blocks[3].contains("\n  reference  Cut the loaf DEEPLY - once - with a razor:"));
    let matches = json_values(&run(&[&arguments[..], &["--json"]].concat()).stdout);
    assert_eq!((&matches[0]["words"], &matches[0]["reference_word"]), (&23.into(), &0.into()));
    assert!(matches[3]["input_passage"] != matches[3]["reference_passage"]);
    let file = path(&folder, "passages.jsonl");
    run(&[&arguments[..], &["--out", &file]].concat()).succeeds();
    assert_eq!(json_values(&fs::read_to_string(&file).unwrap()), matches);
    // None is of thirty words.
    let none = run(&[&arguments[..5], &["30"]].concat());
    assert_eq!((none.code, none.stdout.as_str()), (0, &*printed.stdout), "shorter ones as a whole");
    let none = run(&[&arguments[..5], &["30", "--min-tokens", "30"]].concat());
    assert_eq!((none.code, none.stdout.as_str()), (1, ""));
    run(&[&arguments[..], &["--threshold", "0.5"]].concat()).fails_with("cannot be used with");
    run(&[&arguments[..5], &["0"]].concat()).fails_with("shingles.width");
}

/// Each run of a reference is told with its bytes, which have the same words on both sides.
#[test]
fn every_passage_is_told_with_its_bytes() {
    let folder = folder("against-passages");
    let reference = "one two three four five six seven eight nine ten";
    let input =
        "x one two three four five, y SIX seven eight nine ten. one two three four five six!";
    let [left, right] = ["reference.txt", "input.txt"].map(|name| path(&folder, name));
    fs::write(&left, reference).unwrap();
    fs::write(&right, input).unwrap();
    let words = ["against", &left, "--input", &right, "--passages", "--min-words", "5"];
    let found = run(&[&words[..], &["--json"]].concat()).succeeds();
    let matches = json_values(&found.stdout);
    let number = |found: &Value, name: &str| found[name].as_u64().unwrap() as usize;
    let spans: Vec<_> = matches
        .iter()
        .map(|found| {
            let of = |side: &str| {
                number(found, &format!("{side}_begin"))..number(found, &format!("{side}_end"))
            };
            (&input[of("input")], &reference[of("reference")])
        })
        .collect();
    let expected = [
        ("one two three four five", "one two three four five"),
        ("SIX seven eight nine ten", "six seven eight nine ten"),
        ("one two three four five six", "one two three four five six"),
    ];
    assert_eq!(spans, expected);
    found.says("1 of 1 document and 1 of 1 reference (100 %) are in 3 passages");

    let file = path(&folder, "passages.jsonl");
    run(&[&words[..], &["--out", &file]].concat()).succeeds();
    assert_eq!(json_values(&fs::read_to_string(&file).unwrap()), matches);
    let shown = run(&words).succeeds();
    assert!(shown.stdout.contains("bytes      2-25 and 0-23\n"), "{}", shown.stdout);
    assert_eq!(run(&[&words[..6], &["7"]].concat()).code, 1);
    let both = run(&["against", &left, "--input", &right, "--passages", "--ngram", "5"]);
    assert_eq!(both.code, 2);
}

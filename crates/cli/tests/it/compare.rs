//! `lookalike compare`.

use std::fs;

use crate::{folder, path, run, run_with_input};

const A: &str = "examples/letters/a.txt";
const B: &str = "examples/letters/b.txt";
const C: &str = "examples/letters/c.txt";
const D: &str = "examples/letters/d.txt";
const E: &str = "examples/letters/e.txt";
const H: &str = "examples/letters/h.txt";
const LETTERS: &str = "examples/letters";

#[test]
fn small_edits_make_a_pair() {
    let run = run(&["compare", A, B]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(
        run.stdout
            .starts_with("near-duplicates: resemblance 0.8958 is at or above the recipe's 0.80\n"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains('\x1b') && !run.stdout.contains("{+"), "not on a terminal");
}

#[test]
fn json_has_all_fields() {
    let json = run(&["compare", A, B, "--json"]).json();
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "resemblance",
            "containment_a",
            "containment_b",
            "estimate",
            "b_similarity",
            "c_similarity",
            "repeats_in_common",
            "same_tokens",
            "term_difference",
            "edit_distance",
            "shingles_a",
            "shingles_b",
        ]
    );
    assert_eq!(json["shingles_a"], 341);
    assert_eq!(json["term_difference"], 13);
    let edits = &json["edit_distance"];
    assert_eq!(edits["at_least"], edits["at_most"], "letters with few changes: {edits}");
    assert!(edits["at_most"].as_u64().is_some_and(|n| (1..=13).contains(&n)), "{edits}");
    assert_eq!(json["same_tokens"], false);
    assert!(json["c_similarity"].is_null());
    let (a, b) = (json["shingles_a"].as_f64().unwrap(), json["shingles_b"].as_f64().unwrap());
    let common = json["containment_a"].as_f64().unwrap() * a;
    let resemblance = json["resemblance"].as_f64().unwrap();
    assert!((resemblance - common / (a + b - common)).abs() < 1e-12);
    assert!((json["estimate"].as_f64().unwrap() - resemblance).abs() < 0.15);
}

#[test]
fn every_preset_has_its_own_fields() {
    for (preset, b, c, estimate) in [
        ("text", true, false, true),
        ("altavista", true, false, true),
        ("henzinger-b", true, false, true),
        ("henzinger-c", false, true, false),
        ("henzinger-combined", true, true, true),
        ("henzinger-sites", true, true, true),
        ("pugh", false, false, false),
    ] {
        let run = run(&["compare", A, C, "--recipe", preset, "--json"]);
        let json = run.json();
        assert_eq!(run.code, 0, "{preset}: the same tokens are a pair everywhere");
        let has = |key: &str| !json[key].is_null();
        assert_eq!((has("b_similarity"), has("c_similarity"), has("estimate")), (b, c, estimate));
        let different = crate::run(&["compare", A, D, "--recipe", preset, "--exit-code"]);
        assert_eq!(different.code, 1, "{preset}: {}", different.stdout);
        assert!(different.stdout.starts_with("not near-duplicates: "), "{}", different.stdout);
    }
}

#[test]
fn formatting_does_not_count_and_boilerplate_is_not_enough() {
    let same = run(&["compare", A, C, "--diff", "always"]);
    assert_eq!(same.code, 0);
    assert!(same.stdout.starts_with("exact duplicates: the same 345 tokens in the same order\n"));
    assert!(same.stdout.ends_with("\nno word differs\n"));
    assert_eq!(run(&["compare", D, E]).code, 0, "a comparison is no question");
    assert_eq!(run(&["compare", D, E, "--exit-code"]).code, 1, "unless it is made one");
    let quoted = run(&["compare", A, H, "--json"]).json();
    assert!(quoted["resemblance"].as_f64().unwrap() < 0.3);
    assert!(quoted["containment_b"].as_f64().unwrap() > 0.7);
}

#[test]
fn words_in_order_decide_where_the_recipe_goes_by_them() {
    let folder = folder("compare-in-order");
    let recipe = |threshold: &str| {
        let file = folder.join(format!("{threshold}.toml"));
        let text = format!("[verify]\nby = \"difference\"\nthreshold = {threshold}\n");
        fs::write(&file, text).unwrap();
        file.display().to_string()
    };
    let near = run(&["compare", A, B, "--recipe", &recipe("0.97"), "--exit-code"]);
    assert_eq!(near.code, 0, "{}", near.stdout);
    let sentence = "of the words of both are in the same order, at or above the recipe's 0.97";
    assert!(near.stdout.lines().next().unwrap().ends_with(sentence), "{}", near.stdout);
    let far = run(&["compare", A, B, "--recipe", &recipe("0.999"), "--exit-code"]);
    assert_eq!(far.code, 1, "{}", far.stdout);
    let json = run(&["compare", A, B, "--recipe", &recipe("0.9"), "--json"]).json();
    // Ten words in all, of twice 345 about.
    let (share, terms) = (json["difference"].as_f64().unwrap(), json["term_difference"].as_f64());
    assert!((terms.unwrap() / share - 690.0).abs() < 10.0, "{json}");
    assert!(run(&["compare", A, B, "--json"]).json().get("difference").is_none());
}

/// The whole way: a job, why a document went, and an index, which needs the contents.
#[test]
fn words_in_order_decide_in_jobs_and_in_an_index() {
    let folder = folder("dedup-in-order");
    let (out, index) = (path(&folder, "out"), path(&folder, "index"));
    let common = ["--verify", "difference", "--threshold", "0.9"];
    let done = run(&[&["dedup", LETTERS, "--out", &out], &common[..]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    let said = "0.90 or more of the words of both in the same order in one that stays";
    assert!(done.stdout.contains(said), "{}", done.stdout);
    let report = fs::read_to_string(folder.join("out/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(
        (&report["verified"], &report["recipe"]["verify"]),
        (&true.into(), &"difference".into())
    );
    let why = run(&["why", &out, B]);
    assert!(
        why.stdout.contains("share of the words of both that differ; 0.90 in order was wanted")
    );

    let without = run(&[&["index", "create", &index, "--no-text"], &common[..]].concat());
    assert_ne!(without.code, 0, "{}", without.stdout);
    assert!(
        without.stderr.contains("only these say in which order words stand"),
        "{}",
        without.stderr
    );
    assert_eq!(run(&[&["index", "create", &index], &common[..]].concat()).code, 0);
    assert_eq!(run(&["index", "add", &index, A]).code, 0);
    let found = run(&["index", "check", &index, B, D]);
    assert!(found.stdout.contains(" differ  "), "{}", found.stdout);
    let signatures = path(&folder, "letters.signatures");
    let recipe = path(&folder, "out/recipe.toml");
    assert_eq!(run(&["sketch", LETTERS, "--recipe", &recipe, "-o", &signatures]).code, 0);
    let refused =
        run(&["dedup", &signatures, "--recipe", &recipe, "--out", &path(&folder, "refused")]);
    assert!(refused.stderr.contains("verify difference"), "{}", refused.stderr);
}

#[test]
fn difference_shows_words_in_context() {
    let run = run(&["compare", A, B, "--diff", "always"]);
    let expected = "three times since [-October,-] {+November,+} and the last";
    assert!(run.stdout.contains(expected), "{}", run.stdout);
    run.shows("[-11 words deleted-], {+2 words inserted+} in 3 places");
    run.shows("... 64 equal words ...");
}

#[test]
fn difference_is_bounded_unless_all_is_wanted() {
    let folder = folder("bounded");
    let equal = "and then thirteen equal words came by on the long road to town again";
    let text =
        |word: &str| (0..100).map(|i| format!("{word}{i} {equal} ")).collect::<Vec<_>>().concat();
    fs::write(folder.join("a"), text("x")).unwrap();
    fs::write(folder.join("b"), text("y")).unwrap();
    let (a, b) = (path(&folder, "a"), path(&folder, "b"));
    let some = run(&["compare", &a, &b, "--diff", "always"]).stdout;
    assert_eq!(some.matches("{+y").count(), 20);
    assert!(some.ends_with("... and 80 more changes; `--diff all` shows everything\n"), "{some}");
    let all = run(&["compare", &a, &b, "--diff", "all"]).stdout;
    assert_eq!(all.matches("{+y").count(), 100);
}

#[test]
fn documents_cannot_steer_the_terminal() {
    let folder = folder("steer");
    fs::write(folder.join("a"), "one two\u{ad}\x1b[31m three \x07 four").unwrap();
    fs::write(folder.join("b"), "one\x1b]0;title\x07 two four\u{202e} five").unwrap();
    let run = run(&["compare", &path(&folder, "a"), &path(&folder, "b"), "--diff", "all"]);
    let odd = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!run.stdout.contains(odd), "{:?}", run.stdout);
}

#[test]
fn empty_documents_resemble_nothing() {
    let folder = folder("empty");
    fs::write(folder.join("empty"), "").unwrap();
    fs::write(folder.join("signs"), "?! ...\n").unwrap();
    let (empty, signs) = (path(&folder, "empty"), path(&folder, "signs"));
    for (a, b, says) in [
        (empty.as_str(), signs.as_str(), "both documents are empty"),
        (&empty, A, "the first document is empty"),
        (A, &signs, "the second document is empty"),
    ] {
        let run = run(&["compare", a, b, "--diff", "always", "--exit-code"]);
        assert_eq!(run.code, 1);
        assert!(run.stdout.starts_with(&format!("not near-duplicates: {says}")), "{}", run.stdout);
    }
    let json = run(&["compare", &empty, &signs, "--json"]).json();
    assert_eq!((&json["resemblance"], &json["shingles_a"]), (&0.0.into(), &0.into()));
}

#[test]
fn bytes_that_are_no_text_separate_words() {
    let folder = folder("binary");
    fs::write(folder.join("a"), b"one two\xff\xfethree four five six").unwrap();
    fs::write(folder.join("b"), b"one two three four\x00five\xc3(six").unwrap();
    let run = run(&["compare", &path(&folder, "a"), &path(&folder, "b"), "--json"]);
    assert_eq!((run.code, &run.json()["same_tokens"]), (0, &true.into()));
}

#[test]
fn standard_input_is_one_of_the_two() {
    let a = fs::read(crate::root().join(A)).unwrap();
    let run = run_with_input(&["compare", "-", B, "--json"], &a);
    assert_eq!(run.json(), crate::run(&["compare", A, B, "--json"]).json());
    crate::run(&["compare", "-", "-"]).fails_with("standard input can be only one of the two");
}

#[test]
fn mistakes_are_explained() {
    run(&["compare", A, "none.txt"]).fails_with(
        "lookalike: `none.txt`: cannot be read: No such file or directory (os error 2)\n",
    );
    run(&["compare", A, "examples"]).fails_with("`examples`: is a folder, but a file is needed");
    run(&["compare", A]).fails_with("<B>");
    run(&["compare", A, B, "--recipe", "nope"])
        .fails_with("the presets are: text, pages, noisy, altavista");
    run(&["compare", A, B, "--recipe", "x/nope.toml"]).fails_with("`x/nope.toml`: cannot be read");
    run(&["compare", A, B, "--recipe", A]).fails_with("not a recipe: TOML parse error");
    run(&["compare", A, B, "--diff", "maybe"]).fails_with("invalid value 'maybe'");
    if cfg!(not(feature = "object-stores")) {
        run(&["compare", A, "s3://bucket/x"]).fails_with("cargo build --features object-stores");
    }
}

#[test]
fn a_recipe_file_decides() {
    let folder = folder("recipe");
    let toml = run(&["recipe", "text"]).stdout.replace("threshold = 0.8", "threshold = 0.95");
    fs::write(folder.join("strict.toml"), toml).unwrap();
    let strict = path(&folder, "strict.toml");
    let run = run(&["compare", A, B, "--exit-code", "--recipe", &strict]);
    assert_eq!(run.code, 1);
    let says = "not near-duplicates: resemblance 0.8958 is below the recipe's 0.95\n";
    assert!(run.stdout.starts_with(says), "{}", run.stdout);
}

#[test]
fn an_ngram_is_the_width_of_shingles() {
    let folder = folder("ngram");
    fs::write(folder.join("three.toml"), "base = \"text\"\n[shingles]\nwidth = 3\n").unwrap();
    let file = path(&folder, "three.toml");
    let three = run(&["compare", A, B, "--ngram", "3", "--json"]).json();
    assert_eq!(three, run(&["compare", A, B, "--recipe", &file, "--json"]).json());
    assert_ne!(three, run(&["compare", A, B, "--json"]).json());
    run(&["compare", A, B, "--ngram", "0"]).fails_with("`shingles.width` is 0");
}

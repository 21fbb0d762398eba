//! `lookalike decide`: from a finished run, what a new run would decide.

use std::fs;
use std::path::Path;

use crate::{files, folder, json_values, path, run};

const CORPUS: &str = "examples/corpus";

fn succeeds(arguments: &[&str]) -> String {
    run(arguments).succeeds().stdout
}

/// The recipe `text` as a file: then another threshold does not choose another filter.
fn recipe(folder: &Path) -> String {
    let file = path(folder, "recipe.toml");
    fs::write(&file, succeeds(&["recipe", "text"])).unwrap();
    file
}

/// The same documents stay, for the same reasons, in the same tables: these are written the same
/// way from the same rows, so equal rows are equal bytes.
fn assert_same_decision(decided: &Path, fresh: &Path, what: &str) {
    assert!(files(&decided.join("kept")) == files(&fresh.join("kept")), "kept: {what}");
    for file in ["clusters.parquet", "pairs.parquet", "recipe.toml", "sources.jsonl"] {
        let [a, b] = [decided, fresh].map(|folder| fs::read(folder.join(file)).unwrap());
        assert!(a == b, "{file}: {what}");
    }
}

/// Decides from one run in every way that is given, each compared with a new run; both store these
/// pairs.
fn check(
    name: &str,
    inputs: &str,
    (pairs, run_options): (&str, &[&str]),
    [thresholds, policies]: [&[&str]; 2],
) {
    let folder = folder(name);
    let recipe = recipe(&folder);
    let all = path(&folder, "all");
    let fresh_run = |out: &str, options: &[&str]| {
        let mut arguments = vec!["dedup", inputs, "--out", out, "--recipe", &recipe];
        arguments.extend(["--pairs", pairs]);
        arguments.extend(options);
        succeeds(&arguments);
    };
    fresh_run(&all, &[&["--threshold", thresholds[0]], run_options].concat());
    for (number, threshold) in thresholds.iter().enumerate() {
        for policy in policies {
            for cluster in ["anchored", "components"] {
                let wish = ["--threshold", threshold, "--keep", policy, "--cluster", cluster];
                let (decided, fresh) = (folder.join("decided"), folder.join("fresh"));
                let out = decided.to_str().unwrap();
                let threads = if number % 2 == 0 { "1" } else { "3" };
                let mut arguments = vec!["decide", &all, "--out", out, "--threads", threads];
                arguments.extend(wish);
                succeeds(&arguments);
                fresh_run(fresh.to_str().unwrap(), &wish);
                assert_same_decision(&decided, &fresh, &wish.join(" "));
                fs::remove_dir_all(decided).unwrap();
                fs::remove_dir_all(fresh).unwrap();
            }
        }
    }
}

#[test]
fn decisions_on_the_corpus_are_those_of_new_runs() {
    let policies = [
        "first",
        "longest",
        "shortest",
        "newest:date",
        "oldest:date",
        "max:price",
        "min:price",
        "prefer:source=library,garden",
    ];
    check("decide-corpus", CORPUS, ("all", &[]), [&["0.5", "0.8", "0.95"], &policies]);
    check("decide-corpus-needed", CORPUS, ("needed", &[]), [&["0.5", "0.95"], &policies[..3]]);
    // The run that is decided from may have had another policy, and other first copies.
    check(
        "decide-longest",
        CORPUS,
        ("all", &["--keep", "longest", "--cluster", "components"]),
        [&["0.6", "0.95"], &["first", "shortest", "newest:date"]],
    );
}

#[test]
fn decisions_count_what_new_runs_count() {
    let folder = folder("decide-counts");
    let recipe = recipe(&folder);
    let run_into = |command: &str, from: &str, out: &str, options: &[&str]| {
        let out = path(&folder, out);
        let _ = fs::remove_dir_all(&out);
        let mut arguments = vec![command, from, "--out", &out];
        if command == "dedup" {
            arguments.extend(["--recipe", &recipe, "--pairs", "all"]);
        }
        succeeds(&[&arguments, options].concat());
        out
    };
    let counted = ["--count", "source", "--date-field", "date"];
    let other = ["--count", "price", "--date-field", "price"];
    let plain = run_into("dedup", CORPUS, "plain", &[]);
    let with_counts = run_into("dedup", CORPUS, "counted", &counted);
    let cases: [(&str, &[&str], &[&str]); 5] = [
        (&plain, &[], &[]),
        (&plain, &counted, &counted),
        (&with_counts, &[], &counted),
        (&with_counts, &other, &other),
        (&with_counts, &other[..2], &["--count", "price", "--date-field", "date"]),
    ];
    for (from, asked, same_as) in cases {
        let keep = ["--keep", "longest"];
        let decided = run_into("decide", from, "decided", &[asked, &keep].concat());
        let fresh = run_into("dedup", CORPUS, "fresh", &[same_as, &keep].concat());
        assert_same_decision(Path::new(&decided), Path::new(&fresh), &same_as.join(" "));
        let counts = [&decided, &fresh].map(|out| {
            let report = fs::read_to_string(Path::new(out).join("report.json")).unwrap();
            serde_json::from_str::<serde_json::Value>(&report).unwrap()["counts"].clone()
        });
        assert_eq!(counts[0], counts[1], "{same_as:?}");
    }
}

/// Families of documents: variants of a text and copies of variants, in two files.
fn generated(folder: &Path, seed: u64) -> String {
    let mut state = seed;
    let mut random = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut lines: [String; 2] = Default::default();
    for family in 0..25 {
        let mut texts: Vec<Vec<String>> = Vec::new();
        for member in 0..=random(8) {
            let text = match texts.len() as u64 {
                0 => (0..30 + random(60)).map(|n| format!("f{family}w{n}")).collect(),
                known => {
                    let mut text = texts[random(known) as usize].clone();
                    for change in 0..random(3) {
                        let at = random(text.len() as u64) as usize;
                        text[at] = format!("f{family}m{member}c{change}");
                    }
                    text
                }
            };
            let (id, score, shown) = (random(1000), random(5), text.join(" "));
            let file = &mut lines[random(2) as usize];
            let record =
                serde_json::json!({ "id": format!("d{id}"), "score": score, "text": shown });
            file.extend([record.to_string().as_str(), "\n"]);
            texts.push(text);
        }
    }
    let inputs = folder.join("inputs");
    fs::create_dir_all(&inputs).unwrap();
    for (number, text) in lines.iter().enumerate() {
        fs::write(inputs.join(format!("part-{number}.jsonl")), text).unwrap();
    }
    inputs.to_str().unwrap().to_owned()
}

fn ids(inputs: &Path) -> Vec<String> {
    let texts = files(inputs).into_values().map(|bytes| String::from_utf8(bytes).unwrap());
    let records = texts.flat_map(|text| json_values(&text));
    records.map(|record| record["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn decisions_on_generated_corpora_are_those_of_new_runs() {
    for seed in 1..=3 {
        let inputs = generated(&folder(&format!("decide-generated-{seed}")), seed);
        let policies = ["first", "longest", "shortest", "max:score", "min:score"];
        let name = format!("decide-generated-runs-{seed}");
        check(&name, &inputs, ("all", &[]), [&["0.4", "0.75"], &policies]);
        let name = format!("decide-generated-needed-{seed}");
        let policies = ["longest", "max:score"];
        let other = ["--keep", "shortest", "--cluster", "components"];
        check(&name, &inputs, ("needed", &other), [&["0.4", "0.75"], &policies]);
    }
}

#[test]
fn without_wishes_the_decision_is_that_of_the_run() {
    let folder = folder("decide-same");
    let (one, two, three) = (path(&folder, "one"), path(&folder, "two"), path(&folder, "three"));
    succeeds(&["dedup", CORPUS, "--out", &one, "--keep", "newest:date"]);
    let told = succeeds(&["decide", &one, "--out", &two]);
    assert_same_decision(two.as_ref(), one.as_ref(), "nothing else");
    assert!(told.contains("247 of 300 documents stay"), "{told}");
    assert!(!told.contains("Approximate"), "{told}");
    // What was decided can be asked, and decided from.
    assert_eq!(run(&["why", &two, "note-019"]).code, 0);
    succeeds(&["decide", &two, "--out", &three, "--threshold", "0.9"]);
}

#[test]
fn what_is_removed_by_needed_pairs_is_proved_by_them() {
    let folder = folder("decide-needed");
    let (inputs, recipe) = (generated(&folder, 9), recipe(&folder));
    let (needed, decided) = (path(&folder, "needed"), path(&folder, "decided"));
    succeeds(&["dedup", &inputs, "--out", &needed, "--recipe", &recipe, "--threshold", "0.4"]);
    let wish = ["--threshold", "0.7", "--keep", "longest", "--json"];
    let quick = ["decide", &needed, "--out", &decided, "--approximate"];
    let report = run(&[&quick, &wish[..]].concat()).json();
    assert!(report["near_removed"].as_u64().unwrap() > 0);
    let fresh = path(&folder, "fresh");
    let all = ["dedup", &inputs, "--out", &fresh, "--recipe", &recipe];
    let complete = run(&[&all, &wish[..]].concat()).json();
    let kept = |report: &serde_json::Value| report["kept"].as_u64().unwrap();
    assert!(kept(&report) > kept(&complete), "more may stay than after a new run");
    let note = report["notes"][0].as_str().unwrap();
    assert!(note.starts_with("Approximate: decided from the "), "{note}");
    let first = run(&["info", &needed, "--json"]).json();
    let went = first["near_removed"].as_u64().unwrap();
    let returned = note.split(". ").nth(1).unwrap().split(' ').next().unwrap();
    let returned: u64 = returned.parse().unwrap();
    assert!(returned >= kept(&report) - kept(&complete) && returned <= went, "{note}");
    let exact = path(&folder, "exact");
    let report = run(&[&["decide", &needed, "--out", &exact], &wish[..]].concat()).json();
    assert_eq!((kept(&report), &report["notes"]), (kept(&complete), &serde_json::json!([])));
    run(&["decide", &needed, "--out", &decided, "--resume", "--threshold", "0.7"])
        .fails_with("another `approximate`");
    // Each with its keeper is a stored pair of at least the threshold.
    for id in ids(inputs.as_ref()).iter().step_by(3) {
        let told = run(&["why", &decided, id, "--json"]);
        for document in told.json()["documents"].as_array().unwrap() {
            if document["fate"] == "removed" {
                assert!(document["resemblance"].as_f64().unwrap() >= 0.7, "{document}");
                assert_eq!(document["path"].as_array().unwrap().len(), 0);
            }
        }
    }
}

#[test]
fn exact_only_runs_can_be_decided_by_another_policy() {
    let folder = folder("decide-exact");
    let (one, two, fresh) = (path(&folder, "one"), path(&folder, "two"), path(&folder, "fresh"));
    succeeds(&["dedup", CORPUS, "--out", &one, "--exact-only"]);
    succeeds(&["decide", &one, "--out", &two, "--keep", "newest:date"]);
    succeeds(&["dedup", CORPUS, "--out", &fresh, "--exact-only", "--keep", "newest:date"]);
    assert_same_decision(two.as_ref(), fresh.as_ref(), "exact only");
    let other = path(&folder, "other");
    run(&["decide", &one, "--out", &other, "--threshold", "0.9"]).fails_with("have no resemblance");
}

#[test]
fn estimates_and_rules_decide_as_well() {
    let folder = folder("decide-estimates");
    let recipe = recipe(&folder);
    for (verify, threshold) in
        [("estimate", Some("0.9")), ("difference", Some("0.95")), ("none", None)]
    {
        let out = |name: &str| path(&folder, &format!("{verify}-{name}"));
        let (one, two, fresh) = (out("one"), out("two"), out("fresh"));
        let common = ["--recipe", &recipe, "--verify", verify, "--pairs", "all"];
        let dedup = |out: &str, more: &[&str]| {
            succeeds(&[&["dedup", CORPUS, "--out", out], &common[..], more].concat());
        };
        let mut wish = vec!["--keep", "shortest"];
        wish.extend(threshold.iter().flat_map(|threshold| ["--threshold", threshold]));
        dedup(&one, &[]);
        succeeds(&[&["decide", &one, "--out", &two], &wish[..]].concat());
        dedup(&fresh, &wish);
        assert_same_decision(two.as_ref(), fresh.as_ref(), verify);
    }
}

#[test]
fn the_removal_budget_holds() {
    let folder = folder("decide-budget");
    let (one, two) = (path(&folder, "one"), path(&folder, "two"));
    succeeds(&["dedup", CORPUS, "--out", &one]);
    run(&["decide", &one, "--out", &two, "--max-removed", "0.1"])
        .fails_with("53 of 300 documents would be removed");
    // The stages that are complete are not done again.
    succeeds(&["decide", &one, "--out", &two, "--max-removed", "0.5", "--resume"]);
    let three = path(&folder, "three");
    run(&["decide", &one, "--out", &three, "--max-removed-per-source", "source=0"])
        .fails_with("would be removed of");
}

#[test]
fn inputs_that_changed_are_refused_unless_they_are_not_needed() {
    let folder = folder("decide-changed");
    let inputs = generated(&folder, 3);
    let (one, two) = (path(&folder, "one"), path(&folder, "two"));
    succeeds(&["dedup", &inputs, "--out", &one]);
    let part = folder.join("inputs/part-1.jsonl");
    fs::write(&part, fs::read_to_string(&part).unwrap() + "\n").unwrap();
    run(&["decide", &one, "--out", &two]).fails_with("part-1.jsonl`: has changed since");
    run(&["decide", &one, "--out", &two, "--no-write", "--keep", "max:score"])
        .fails_with("part-1.jsonl`: has changed since");
    let longest = ["decide", &one, "--out", &two, "--no-write", "--keep", "longest"];
    run(&longest).fails_with("part-1.jsonl`: has changed since");
    assert!(!Path::new(&two).exists(), "nothing is begun");
    succeeds(&[&longest[..], &["--approximate"]].concat());
    assert!(!Path::new(&two).join("kept").exists());
}

#[test]
fn mistakes_are_explained() {
    let folder = folder("decide-mistakes");
    let (one, two) = (path(&folder, "one"), path(&folder, "two"));
    succeeds(&["dedup", CORPUS, "--out", &one]);
    run(&["decide", &one, "--out", &two, "--threshold", "0.7"])
        .fails_with("stored no pair below its own threshold, 0.8, so it cannot be decided at 0.7");
    run(&["decide", CORPUS, "--out", &two]).fails_with("has no results of a run");
    run(&["decide", &one, "--out", &one]).fails_with("has the results of a run already");
    run(&["decide", &one]).fails_with("--out");
    run(&["decide", &one, "--out", &two, "--keep", "best"]).fails_with("must be first, longest");
    run(&["decide", &one, "--out", &two, "--memory", "1MiB"]).fails_with("at least 128MiB");
    succeeds(&["decide", &one, "--out", &two]);
    run(&["dedup", CORPUS, "--out", &two, "--resume"]).fails_with("another `decided-from`");
}

/// Candidates by sites need the addresses that the run stored; learned templates cannot be had again.
#[test]
fn sites_are_as_in_the_run_and_templates_need_all_pairs() {
    let folder = folder("decide-sites");
    let pages = "examples/pages/documents.jsonl";
    let out = |name: &str| path(&folder, name);
    let dedup = |out: &str, more: &[&str]| {
        succeeds(&[&["dedup", pages, "--out", out], more].concat());
    };
    let by_site = ["--recipe", "henzinger-sites"];
    dedup(&out("one"), &by_site);
    succeeds(&["decide", &out("one"), "--out", &out("two"), "--keep", "longest"]);
    dedup(&out("fresh"), &[&by_site[..], &["--keep", "longest"]].concat());
    assert_same_decision(out("two").as_ref(), out("fresh").as_ref(), "henzinger-sites");

    dedup(&out("learned"), &["--recipe", "sites"]);
    let longest = ["decide", &out("learned"), "--out", &out("three"), "--keep", "longest"];
    run(&longest).fails_with("near pairs that its own decision needed");
    assert!(!Path::new(&out("three")).exists(), "nothing is begun");
    succeeds(&[&longest[..], &["--approximate"]].concat());
}

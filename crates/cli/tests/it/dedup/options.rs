//! Options: plans, budgets, resuming, and what machines are told.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{dedup, files, mixed_corpus, report, results};
use crate::{folder, path, root, run};

fn example() -> std::path::PathBuf {
    root().join("examples/corpus")
}

/// The seconds of the stages of a run that a manifest has.
fn stages(out: &Path) -> Value {
    let manifest = fs::read(out.join("manifest.json")).unwrap();
    serde_json::from_slice::<Value>(&manifest).unwrap()["stages"].clone()
}

#[test]
fn a_dry_run_tells_and_writes_nothing() {
    let folder = folder("dry");
    let out = folder.join("out");
    let run = dedup(&[&example()], &out, &["--dry-run"]).succeeds();
    run.shows("documents               300  all of it was looked at");
    run.says("dry run: nothing was written");
    let plan = dedup(&[&example()], &out, &["--dry-run", "--json", "--keep", "longest"]).json();
    assert!(!out.exists());
    let number = |name: &str| plan[name].as_u64().unwrap();
    let stored: usize = files(&example()).values().map(Vec::len).sum();
    assert_eq!((number("sources"), number("documents")), (26, 300));
    assert_eq!(number("stored_bytes"), stored as u64);
    // What must be held of a document is part of the plan, and small.
    assert_eq!(number("memory_bytes_per_document"), 16);
    assert_eq!(number("least_memory_bytes"), (64 << 20) + 300 * 16);

    // The plan's bounds hold for the run.
    let run = dedup(&[&example()], &out, &["--max-removed", "0", "--keep", "longest"]);
    run.fails_with("would be removed");
    let size = |folder: &Path| files(folder).values().map(Vec::len).sum::<usize>() as u64;
    let work = size(&out.join("work"));
    assert!(work > 0 && work <= number("working_bytes"), "{work} bytes, planned: {plan}");
}

/// Of many files only some are looked into, and the estimate is near.
#[test]
fn a_dry_run_estimates_what_it_does_not_read() {
    let folder = folder("dry-many");
    let input = folder.join("in");
    fs::create_dir_all(&input).unwrap();
    let lines = "{\"text\":\"some words of a document that is not long\"}\n".repeat(50);
    for n in 0..200 {
        fs::write(input.join(format!("{n}.jsonl")), &lines).unwrap();
    }
    let plan = dedup(&[&input], &folder.join("out"), &["--dry-run", "--json"]).json();
    assert_eq!(plan["documents"], 200 * 50);
    assert!(plan["sampled_bytes"].as_u64() < plan["stored_bytes"].as_u64());
}

#[test]
fn without_survivors_only_the_decision_is_written() {
    let folder = folder("no-write");
    dedup(&[&example()], &folder.join("with"), &[]);
    let out = folder.join("without");
    let run = dedup(&[&example()], &out, &["--no-write"]).succeeds();
    assert!(!run.stdout.contains("/kept"), "{}", run.stdout);
    let mut with = results(&folder.join("with"));
    with.retain(|name, _| !name.starts_with("kept/"));
    assert_eq!(results(&out), with);
    // Survivors cannot be had from it later without saying so.
    let resumed = dedup(&[&example()], &out, &["--resume"]);
    resumed.fails_with("that run had another `no-write`: `true`, now `false`");
}

#[test]
fn working_files_may_be_elsewhere() {
    let folder = folder("temp");
    let (out, temp) = (folder.join("out"), folder.join("temp"));
    let more = ["--temp", temp.to_str().unwrap()];
    let stop = [more[0], more[1], "--max-removed", "0"];
    dedup(&[&example()], &out, &stop).fails_with("would be removed");
    assert!(!out.join("work").exists());
    let name = |name: &String| name.split('/').next().unwrap().to_owned();
    let folders: BTreeSet<String> = files(&temp).keys().map(name).collect();
    let [work] = &folders.iter().collect::<Vec<_>>()[..] else { panic!("{folders:?}") };
    assert!(work.starts_with("out-") && work.strip_suffix(".work").is_some(), "{work}");
    assert!(!files(&temp).is_empty());
    let resume = [more[0], more[1], "--resume"];
    assert_eq!(dedup(&[&example()], &out, &resume).code, 0);
    assert!(files(&temp).is_empty());
    dedup(&[&example()], &folder.join("plain"), &[]);
    assert_eq!(results(&out), results(&folder.join("plain")));
}

#[test]
fn a_removal_budget_stops_in_time_and_a_larger_one_goes_on() {
    let folder = folder("budget");
    let out = folder.join("out");
    let run = dedup(&[&example()], &out, &["--max-removed", "0.17"]);
    run.fails_with("53 of 300 documents would be removed, 17.7 %, where 17.0 % are allowed");
    let left = files(&out);
    let has = |name: &str| left.keys().any(|left| left.starts_with(name));
    assert!(!has("kept") && !has("report"), "nothing is done that cannot be undone");
    assert!(has("documents.signatures") && has("clusters.parquet"), "but one can look at it");
    let before = stages(&out);
    assert_eq!(before.as_object().unwrap().len(), 5, "all but writing: {before}");

    dedup(&[&example()], &out, &["--max-removed", "0.18", "--resume"]).succeeds();
    // Their seconds would be others if they had been done again.
    assert_eq!(stages(&out), before);
    dedup(&[&example()], &folder.join("plain"), &[]);
    assert_eq!(results(&out), results(&folder.join("plain")));
}

#[test]
fn a_removal_budget_of_each_source_names_those_that_lose_too_much() {
    let folder = folder("budget-each");
    let out = folder.join("out");
    let budget = ["--max-removed-per-source", "source=0.25"];
    let run = dedup(&[&example()], &out, &budget);
    run.fails_with("more than 25.0 % would be removed of");
    run.says("\n  source `kitchen`: 5 of 17 (29.4 %)");
    assert!(!run.stderr.contains("`library`"), "{}", run.stderr);
    assert!(!out.join("kept").exists());
    let larger = ["--max-removed-per-source", "source=0.3", "--resume"];
    assert_eq!(dedup(&[&example()], &out, &larger).code, 0);
    // Another field is another request.
    let other = ["--max-removed-per-source", "url=0.3", "--resume"];
    let run = dedup(&[&example()], &out, &other);
    run.fails_with("had another `max-removed-per-source`: `source`, now `url`");
}

#[test]
fn to_resume_with_other_options_is_refused() {
    let folder = folder("other-options");
    let out = folder.join("out");
    let stop = ["--max-removed", "0"];
    dedup(&[&example()], &out, &stop).fails_with("would be removed");
    let before = files(&out);
    for (more, option) in [
        (&["--keep", "longest"][..], "keep"),
        (&["--threshold", "0.9"], "verify.threshold"),
        (&["--verify", "none"], "verify.by"),
        (&["--ngram", "3"], "shingles.width"),
        (&["--cluster", "components"], "cluster"),
        (&["--pairs", "all"], "pairs"),
        (&["--exact-only"], "exact-only"),
        (&["--strict"], "strict"),
        (&["--text-field", "body"], "text-field"),
        (&["--id-field", "url"], "id-field"),
        (&["--format", "text"], "format"),
    ] {
        let mut all = vec!["--resume"];
        all.extend(more);
        let run = dedup(&[&example()], &out, &all);
        run.fails_with(&format!("that run had another `{option}`: "));
    }
    let run = dedup(&[&example().join("letters")], &out, &["--resume"]);
    run.fails_with("that run had another `inputs`: ");
    dedup(&[&example()], &out, &[]).fails_with("has the results of a run already\nhint: --resume");
    assert_eq!(files(&out), before, "and nothing was touched");
    // What no result depends on may differ.
    let more = ["--resume", "--threads", "3", "--memory", "200MiB"];
    assert_eq!(dedup(&[&example()], &out, &more).code, 0);
}

/// What a person wants who tries again and again.
#[test]
fn a_run_is_replaced_where_that_is_asked_for() {
    let folder = folder("replaced");
    let out = folder.join("out");
    dedup(&[&example()], &out, &[]).succeeds();
    fs::write(out.join("notes.txt"), "mine").unwrap();
    dedup(&[&example()], &out, &["--threshold", "0.6"]).fails_with("hint: --resume continues it");
    let (input, fresh) = (folder.join("in"), folder.join("fresh"));
    mixed_corpus(&input, 300);
    dedup(&[&input], &out, &["--force", "--no-write"]).succeeds();
    dedup(&[&input], &fresh, &["--no-write"]).succeeds();
    assert_eq!(fs::read_to_string(out.join("notes.txt")).unwrap(), "mine");
    fs::remove_file(out.join("notes.txt")).unwrap();
    assert_eq!(results(&out), results(&fresh));
    // Not if it would be read: nothing is removed then.
    let before = files(&out);
    let own = out.join("documents.signatures");
    dedup(&[&own], &out, &["--force", "--verify", "none"]).fails_with("is where the results go");
    assert_eq!(files(&out), before);
    // Nor is a folder that is none of ours.
    dedup(&[&example()], &input, &["--force"])
        .fails_with("is not empty, and not the folder of a run");
}

/// It left nothing that could be lost.
#[test]
fn a_run_that_failed_at_once_does_not_block_its_folder() {
    let folder = folder("failed-at-once");
    let (input, out) = (folder.join("in.jsonl"), folder.join("out"));
    fs::write(&input, "{\"text\": \"one two\"}\nnot JSON\n").unwrap();
    dedup(&[&input], &out, &["--strict"]).fails_with("is not a JSON object");
    assert_eq!(dedup(&[&input], &out, &[]).code, 3);
}

#[test]
fn to_resume_a_finished_run_answers_from_its_report() {
    let folder = folder("finished");
    let out = folder.join("out");
    let first = dedup(&[&example()], &out, &[]);
    let before = files(&out);
    let again = dedup(&[&example()], &out, &["--resume"]);
    assert_eq!((again.code, &again.stdout), (first.code, &first.stdout));
    assert_eq!(files(&out), before);
    assert!(!out.join("work").exists());
}

#[test]
fn machines_are_told_in_json() {
    let folder = folder("json");
    let (input, out) = (folder.join("in"), folder.join("out"));
    mixed_corpus(&input, 700);
    let run = dedup(&[&input], &out, &["--json", "--progress", "json"]).succeeds();
    let answer = run.json();
    for name in [
        "documents",
        "empty",
        "skipped",
        "exact_removed",
        "near_removed",
        "kept",
        "clusters",
        "candidates",
        "pairs",
        "bytes_read",
        "peak_memory_bytes",
    ] {
        assert!(answer[name].is_u64(), "{name}");
        assert_eq!(answer[name], report(&out)[name], "{name}");
    }
    let count = |name: &str| answer[name].as_u64().unwrap();
    let removed = count("exact_removed") + count("near_removed");
    assert_eq!(count("documents"), count("kept") + removed);
    assert!(removed > 200 && answer["recipe_digest"].is_string());
    for stage in ["sign", "group", "match", "verify", "decide", "write", "total"] {
        assert!(answer["seconds"][stage].as_f64().is_some_and(|s| s > 0.0), "{stage}");
    }
    let lines = crate::json_values(&run.stderr);
    let stages: Vec<&str> = lines.iter().map(|line| line["stage"].as_str().unwrap()).collect();
    let mut order = stages.clone();
    order.dedup();
    assert_eq!(order, ["sign", "group", "match", "verify", "decide", "write"]);
    let signed = &lines[stages.iter().rposition(|stage| *stage == "sign").unwrap()];
    assert_eq!(signed["documents"], count("documents"));
    assert_eq!(signed["share"], 1.0, "all files were read: {signed}");
}

/// The decision does not depend on who stays, but who stays does.
#[test]
fn components_take_what_chains_connect() {
    let folder = folder("chain");
    // Each differs from the next by a few words, the ends by too many.
    let words: Vec<String> = (0..120).map(|n| format!("word{n}")).collect();
    let text = |changed: usize| {
        let mut words = words.clone();
        (0..changed).for_each(|n| words[n] = format!("other{n}"));
        words.join(" ")
    };
    let texts: Vec<String> = [0, 7, 14, 21].map(text).to_vec();
    fs::write(folder.join("in.jsonl"), super::json_lines("x", &texts)).unwrap();
    let removed = |cluster: &str| {
        let out = folder.join(cluster);
        dedup(&[&folder.join("in.jsonl")], &out, &["--cluster", cluster]);
        report(&out)["near_removed"].as_u64().unwrap()
    };
    assert_eq!((removed("anchored"), removed("components")), (2, 3));
}

/// A copy of a near-duplicate is one as well; what stays is whole.
#[test]
fn the_example_of_the_guide() {
    let folder = folder("guide");
    let out = folder.join("out");
    let run = run(&["dedup", "examples/corpus", "--out", out.to_str().unwrap()]).succeeds();
    assert!(run.stdout.starts_with("247 of 300 documents stay, 53 go (17.7 %)\n"));
    run.shows("exact copies      24");
    run.shows("near-duplicates   29");
}

/// As `--recall` is refused there: it would do nothing.
#[test]
fn a_threshold_without_verification_is_refused_by_every_command() {
    let folder = folder("threshold-of-papers");
    let [out, index] = ["out", "index"].map(|name| folder.join(name).display().to_string());
    let corpus = example().display().to_string();
    let papers = ["altavista", "henzinger-b", "henzinger-c", "henzinger-combined", "pugh"];
    for (recipe, command) in papers.iter().flat_map(|recipe| {
        let commands = [
            vec!["dedup", &corpus, "--out", &out],
            vec!["dedup", &corpus, "--out", &out, "--dry-run"],
            vec!["mirrors", &corpus],
            vec!["index", "create", &index],
        ];
        commands.map(|command| (recipe, command))
    }) {
        let with = ["--recipe", recipe, "--threshold", "0.9"];
        run(&[&command[..], &with].concat())
            .fails_with("`threshold` is 0.9, but must be left out where candidates are pairs");
    }
    dedup(
        &[&example()],
        Path::new(&out),
        &["--recipe", "henzinger-b", "--verify", "exact", "--threshold", "0.9", "--no-write"],
    )
    .succeeds();
    assert_eq!(report(Path::new(&out))["verified"], true);
}

#[test]
fn what_is_not_verified_says_that_it_can_be_forged() {
    let folder = folder("forgery");
    for (number, more) in
        [&["--recipe", "henzinger-b"][..], &["--verify", "none"], &["--verify", "estimate"]]
            .iter()
            .enumerate()
    {
        let out = folder.join(number.to_string());
        let run = dedup(&[&example()], &out, &[more, &["--no-write"][..]].concat());
        run.shows("not verified, open to forgery");
        assert_eq!(report(&out)["verified"], false);
        let page = fs::read_to_string(out.join("report.html")).unwrap();
        assert!(page.contains("open to forgery"));
    }
    let help = run(&["dedup", "--help"]).stdout;
    assert!(help.contains("result is open to forgery: a text can be made on purpose"), "{help}");
}

/// An estimate is made from sketches: a file that says nothing of them keeps them, and finds what
/// `--verify estimate` finds.
#[test]
fn a_recipe_of_estimates_finds_what_the_flag_finds() {
    let folder = folder("estimates");
    let file = folder.join("mine.toml");
    fs::write(&file, "version = 1\n[verify]\nby = \"estimate\"\n").unwrap();
    let [by_file, by_flag] = ["file", "flag"].map(|name| folder.join(name));
    let name = file.display().to_string();
    dedup(&[&example()], &by_file, &["--recipe", &name, "--no-write"]);
    dedup(&[&example()], &by_flag, &["--verify", "estimate", "--no-write"]);
    let [by_file, by_flag] = [by_file, by_flag].map(|out| report(&out)["near_removed"].clone());
    assert!(by_flag.as_u64().unwrap() > 20, "{by_flag}");
    assert_eq!(by_file, by_flag);
}

/// A filter that is pinned and does not fit the threshold is told, and one that is not follows it.
#[test]
fn the_recall_at_the_threshold_is_told() {
    let folder = folder("recall-told");
    let pinned = path(&folder, "pinned.toml");
    fs::write(&pinned, run(&["recipe", "text"]).stdout).unwrap();
    let open = path(&folder, "open.toml");
    fs::write(&open, "base = \"text\"\n").unwrap();
    let told = |recipe: &str, out: &str| {
        let out = path(&folder, out);
        let run = run(&[
            "dedup",
            "examples/corpus",
            "--out",
            &out,
            "--recipe",
            recipe,
            "--threshold",
            "0.5",
            "--no-write",
        ]);
        let report = fs::read_to_string(format!("{out}/report.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        (run.stdout.contains(" of the pairs at exactly 0.50"), report["recipe"]["recall"].as_f64())
    };
    let (is_told, recall) = told(&pinned, "pinned");
    assert!(is_told && (0.09..0.1).contains(&recall.unwrap()), "{recall:?}");
    let (is_told, recall) = told(&open, "open");
    assert!(!is_told && recall.unwrap() >= 0.95, "{recall:?}");
}

//! The corners: nothing, one, all the same, very many, very long; and every way to name inputs.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{dedup, files, gzip, json_lines, mixed_corpus, report, results, texts};
use crate::{Run, folder, lookalike, run, run_with_input};

/// The counts of a report.
fn counts(out: &Path) -> [u64; 5] {
    let report = report(out);
    ["documents", "empty", "exact_removed", "near_removed", "kept"]
        .map(|name| report[name].as_u64().unwrap())
}

#[test]
fn nothing_and_one_document() {
    let folder = folder("few");
    fs::create_dir_all(folder.join("empty")).unwrap();
    fs::write(folder.join("empty.jsonl"), "").unwrap();
    fs::write(folder.join("one.txt"), "one document").unwrap();
    let check = |input: &str, expected: [u64; 5], kept: usize| {
        for keep in ["first", "longest"] {
            let out = folder.join("out");
            let _ = fs::remove_dir_all(&out);
            let run = dedup(&[&folder.join(input)], &out, &["--keep", keep]);
            assert_eq!(run.code, 0, "{input}: {}", run.stderr);
            assert_eq!(counts(&out), expected, "{input}");
            assert_eq!(files(&out.join("kept")).len(), kept, "{input}");
            results(&out);
        }
    };
    check("empty", [0; 5], 0);
    check("empty.jsonl", [0; 5], 1);
    check("one.txt", [1, 0, 0, 0, 1], 1);
}

#[test]
fn all_the_same_and_all_empty() {
    let folder = folder("same");
    let check = |text: &str, more: &[&str], expected: [u64; 5]| {
        let texts = vec![text.to_owned(); 500];
        fs::write(folder.join("in.jsonl"), json_lines("x", &texts)).unwrap();
        let out = folder.join("out");
        let _ = fs::remove_dir_all(&out);
        dedup(&[&folder.join("in.jsonl")], &out, more).succeeds();
        assert_eq!(counts(&out), expected, "{text:?} {more:?}");
    };
    let long = "a text of more words than a shingle has, as texts are";
    for text in [long, "short"] {
        for more in [&[][..], &["--keep", "shortest"], &["--exact-only"], &["--pairs", "all"]] {
            check(text, more, [500, 0, 499, 0, 1]);
        }
    }
    for text in ["", "?! ..."] {
        check(text, &[], [500, 500, 0, 0, 500]);
        check(text, &["--verify", "none", "--cluster", "components"], [500, 500, 0, 0, 500]);
    }
}

/// Of documents of one id some may go and some stay: rows tell them apart.
#[test]
fn ids_need_not_be_unique_or_short() {
    let folder = folder("ids");
    let lines: Vec<String> = (0..30)
        .map(|n| {
            let id = if n % 2 == 0 { "same".to_owned() } else { "y".repeat(60_000) };
            json!({"id": id, "text": format!("text number {}", n / 3)}).to_string() + "\n"
        })
        .collect();
    fs::write(folder.join("in.jsonl"), lines.concat()).unwrap();
    let kept = |more: &[&str]| {
        let out = folder.join("out");
        let _ = fs::remove_dir_all(&out);
        dedup(&[&folder.join("in.jsonl")], &out, more).succeeds();
        assert_eq!(counts(&out), [30, 0, 20, 0, 10]);
        fs::read_to_string(out.join("kept/in.jsonl")).unwrap()
    };
    let every_third: String = lines.iter().step_by(3).cloned().collect();
    assert_eq!(kept(&[]), every_third);
    // Of three that are as long as each other, the first of the first id stays.
    let first_same: String = (0..10).map(|n| lines[3 * n + n % 2].clone()).collect();
    assert_eq!(kept(&["--keep", "longest"]), first_same);

    fs::write(
        folder.join("long.jsonl"),
        json!({"id": "z".repeat(70_000), "text": "x"}).to_string(),
    )
    .unwrap();
    let run = dedup(&[&folder.join("long.jsonl")], &folder.join("long"), &[]);
    assert_eq!(run.code, 3);
    run.says("long.jsonl` record 1: the id `zzz");
}

/// Twenty thousand files are read; to write them all would only measure the disk.
#[test]
fn many_small_files() {
    let folder = folder("many");
    let input = folder.join("in");
    for n in 0..20_000 {
        let below = input.join(format!("{}", n / 1000));
        if n % 1000 == 0 {
            fs::create_dir_all(&below).unwrap();
        }
        fs::write(below.join(format!("{n}.txt")), format!("file of number {}", n / 2)).unwrap();
    }
    let out = folder.join("out");
    dedup(&[&input], &out, &["--no-write", "--threads", "4"]).succeeds();
    assert_eq!(counts(&out), [20_000, 0, 10_000, 0, 10_000]);
    let _ = fs::remove_dir_all(&folder);
}

#[test]
fn standard_input_is_read_like_a_file() {
    let folder = folder("stdin");
    let lines = json_lines("x", &texts(4, 90));
    fs::write(folder.join("in.jsonl"), &lines).unwrap();
    dedup(&[&folder.join("in.jsonl")], &folder.join("file"), &[]);
    for (name, input, kept) in
        [("plain", lines.clone(), "stdin.jsonl"), ("packed", gzip(&lines), "stdin.jsonl.gz")]
    {
        let out = folder.join(name);

        run_with_input(&["dedup", "-", "--out", out.to_str().unwrap()], &input).succeeds();
        assert_eq!(counts(&out), counts(&folder.join("file")));
        let results = results(&out);
        assert_eq!(results.keys().filter(|name| name.starts_with("kept/")).count(), 1);
        assert!(results.contains_key(&format!("kept/{kept}")));
    }
    let kept = |out: &str, name: &str| fs::read(folder.join(out).join("kept").join(name)).unwrap();
    assert_eq!(kept("plain", "stdin.jsonl"), kept("file", "in.jsonl"));
}

/// A folder, a glob of its files, and its files by name in any order are the same corpus.
#[test]
fn all_ways_to_name_files_are_one() {
    let folder = folder("names");
    let input = folder.join("in");
    mixed_corpus(&input, 140);
    let clean = |inputs: &[&Path], name: &str| {
        let out = folder.join(name);
        dedup(inputs, &out, &[]).succeeds();
        let removed = counts(&out)[2] + counts(&out)[3];
        assert!(removed > 40, "{removed}");
        results(&out)
    };
    let whole = clean(&[&input], "whole");
    assert_eq!(clean(&[&input.join("**/*")], "glob"), whole);
    let mut by_name: Vec<_> = files(&input).into_keys().map(|name| input.join(name)).collect();
    by_name.reverse();
    let by_name: Vec<&Path> = by_name.iter().map(|path| &**path).collect();
    // Names without their folder, so the mirrors lie beside each other.
    let flat = clean(&by_name, "by-name");
    assert_eq!(flat["clusters.parquet"], whole["clusters.parquet"]);
    assert_eq!(flat["pairs.parquet"], whole["pairs.parquet"]);
    let names = |results: &std::collections::BTreeMap<String, Vec<u8>>| {
        results.keys().map(|name| name.replace("letters/", "")).collect::<Vec<_>>()
    };
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    assert_eq!(sorted(names(&flat)), sorted(names(&whole)));
}

#[test]
fn fields_may_be_nested() {
    let folder = folder("nested");
    let record = |id: &str, text: &str, date: &str| {
        json!({"meta": {"id": id, "when": {"date": date}}, "body": {"text": text}}).to_string()
    };
    let old = record("old", "the same few words", "2001-01-01");
    let new = record("new", "The same, few WORDS!", "2002-01-01");
    fs::write(folder.join("in.jsonl"), format!("{old}\n{new}\n")).unwrap();
    let fields = ["--text-field", "body.text", "--id-field", "meta.id"];
    for (keep, kept) in [("first", &old), ("newest:meta.when.date", &new)] {
        let out = folder.join("out");
        let _ = fs::remove_dir_all(&out);
        let mut more = vec!["--keep", keep];
        more.extend(fields);
        dedup(&[&folder.join("in.jsonl")], &out, &more).succeeds();
        assert_eq!(fs::read_to_string(out.join("kept/in.jsonl")).unwrap(), format!("{kept}\n"));
        assert_eq!(report(&out)["notes"], json!([]));
    }
}

/// A field that no document has is a mistake that the report tells of.
#[test]
fn a_policy_without_its_field_is_noted() {
    let folder = folder("unranked");
    fs::write(folder.join("in.jsonl"), "{\"text\":\"a\"}\n{\"text\":\"a\",\"d\":\"soon\"}\n")
        .unwrap();
    let out = folder.join("out");
    let run = dedup(&[&folder.join("in.jsonl")], &out, &["--keep", "newest:d"]);
    run.shows("note: 2 documents had nothing in the field `d`");
    assert_eq!(counts(&out), [2, 0, 1, 0, 1]);
}

#[test]
fn results_are_never_among_the_inputs() {
    let folder = folder("within");
    let input = folder.join("in");
    mixed_corpus(&input, 14);
    let before = files(&input);
    let message = "they would be read as documents";
    dedup(&[&input], &input.join("clean"), &[]).fails_with(message);
    dedup(&[&input], &input, &[]).fails_with("is not empty, and not the folder of a run");
    let temp = input.join("temp");
    let more = ["--temp", temp.to_str().unwrap()];
    dedup(&[&input], &folder.join("out"), &more).fails_with(message);
    dedup(&[&input.join("letters"), &input], &input.join("letters/x"), &[]).fails_with(message);
    let relative = lookalike(&["dedup", ".", "--out", "clean"]).current_dir(&input).output();
    Run::of(&relative.unwrap()).fails_with(message);
    assert_eq!(files(&input), before, "and nothing was written");
    // A glob may look there too; one that does not is fine.
    dedup(&[&input.join("**/*")], &input.join("clean"), &[]).fails_with(message);
    fs::remove_dir_all(input.join("clean")).unwrap();
    dedup(&[&input.join("*.jsonl")], &input.join("clean"), &[]).succeeds();
}

#[test]
fn a_folder_in_use_is_left_alone() {
    let folder = folder("in-use");
    fs::create_dir_all(folder.join("out")).unwrap();
    fs::write(folder.join("out/mine"), "precious").unwrap();
    fs::write(folder.join("in.txt"), "words").unwrap();
    for more in [&[][..], &["--resume"]] {
        let run = dedup(&[&folder.join("in.txt")], &folder.join("out"), more);
        run.fails_with("out`: is not empty, and not the folder of a run\nhint: name another");
        assert_eq!(files(&folder.join("out")).len(), 1);
    }
}

#[test]
fn mistakes_are_refused_before_anything_is_done() {
    let folder = folder("mistakes");
    let out = folder.join("out");
    let path = out.to_str().unwrap();
    let input = "examples/letters";
    for (more, message) in [
        (&["--memory", "100MiB"][..], "--memory must be at least 128MiB"),
        (&["--keep", "newest"], "`newest` needs a field, as in `newest:date`"),
        (&["--keep", "last"], "must be first, longest"),
        (&["--max-removed", "2"], "--max-removed"),
        (&["--max-removed-per-source", "x"], "must be a field and a share"),
        (&["--threads", "0"], "--threads"),
        (&["--dry-run", "--resume"], "a dry run does nothing that --resume could go on with"),
        (&["--recipe", "nonsense"], "there is no recipe `nonsense`"),
    ] {
        let mut arguments = vec!["dedup", input, "--out", path];
        arguments.extend(more);
        run(&arguments).fails_with(message);
    }
    run(&["dedup", "no/such/folder", "--out", path]).fails_with("`no/such/folder`: cannot be read");
    run(&["dedup", "examples/*.none", "--out", path]).fails_with("matches no file");
    assert!(!out.exists());
}

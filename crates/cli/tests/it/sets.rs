//! Documents that are sets of items, through every command that reads records.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::{folder, json_values, path, report, root, run, run_with_input};

const PLAYLISTS: &str = "examples/playlists.jsonl";

fn expected() -> Value {
    let text = fs::read(root().join("examples/playlists.expected.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn removed() -> BTreeSet<String> {
    let expected = expected();
    let removed = expected["removed"].as_array().unwrap();
    removed.iter().map(|id| id.as_str().unwrap().to_owned()).collect()
}

fn ids(lines: &str) -> BTreeSet<String> {
    json_values(lines).iter().map(|line| line["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn playlists_go_by_their_tracks() {
    let folder = folder("sets-dedup");
    let out = path(&folder, "out");
    run(&["dedup", PLAYLISTS, "--set-field", "tracks", "--keep", "first", "--out", &out])
        .succeeds();
    let report = report(&folder.join("out"));
    assert_eq!(
        (&report["recipe"]["name"], &report["recipe"]["tokens"]),
        (&json!("sets"), &json!("items"))
    );
    let all = ids(&fs::read_to_string(root().join(PLAYLISTS)).unwrap());
    let kept = fs::read_to_string(folder.join("out/kept/playlists.jsonl")).unwrap();
    assert_eq!(all.difference(&ids(&kept)).cloned().collect::<BTreeSet<_>>(), removed());
    // Records are written as they came.
    let before = fs::read_to_string(root().join(PLAYLISTS)).unwrap();
    assert!(kept.lines().all(|line| before.contains(line)));

    let pair = &expected()["pairs"][0];
    let (a, b) = (pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap());
    let why = run(&["why", &out, b, "--diff", "always"]).succeeds();
    why.shows(a);
    why.shows("2 items deleted");
    let compared =
        run(&["compare", a, b, "--of", PLAYLISTS, "--set-field", "tracks", "--json"]).json();
    let resemblance = (compared["resemblance"].as_f64().unwrap() * 1e6).round() / 1e6;
    assert_eq!(json!(resemblance), pair["resemblance"]);
    run(&["compare", a, b, "--of", PLAYLISTS, "--set-field", "tracks"])
        .succeeds()
        .shows("whether the two have the same items");
    run(&["tune", "--sample", PLAYLISTS, "--set-field", "tracks", "--recipe", "sets"])
        .succeeds()
        .shows("measured on 300 documents");
    run(&["sketch", PLAYLISTS, "--set-field", "tracks", "--out", &path(&folder, "x.signatures")])
        .succeeds();
    run(&[
        "dedup",
        PLAYLISTS,
        "--set-field",
        "tracks",
        "--known",
        &out,
        "--out",
        &path(&folder, "again"),
    ])
    .succeeds();
    assert_eq!(crate::report(&folder.join("again"))["kept"], 0);
}

#[test]
fn an_index_of_sets_lets_new_ones_through() {
    let folder = folder("sets-index");
    let index = path(&folder, "index");
    run(&["index", "create", &index, "--recipe", "sets"]).succeeds();
    let passed = run(&["index", "filter", &index, PLAYLISTS, "--set-field", "tracks"]).succeeds();
    let all = ids(&fs::read_to_string(root().join(PLAYLISTS)).unwrap());
    assert_eq!(all.difference(&ids(&passed.stdout)).cloned().collect::<BTreeSet<_>>(), removed());
    let line = passed.stdout.lines().next().unwrap();
    let check = |arguments: &[&str]| {
        let arguments = [&["index", "check", &index, "-", "--format", "jsonl"], arguments].concat();
        run_with_input(&arguments, line.as_bytes())
    };
    let found = check(&["--set-field", "tracks", "--json"]).succeeds();
    assert_eq!(json_values(&found.stdout)[0]["matches"][0]["kind"], "exact");
    let refused = check(&[]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("hint: `--set-field FIELD` names it"), "{}", refused.stderr);
    run(&["index", "verify", &index]).succeeds();
    // A job that knows the index finds nothing new.
    let out = path(&folder, "out");
    run(&["dedup", PLAYLISTS, "--set-field", "tracks", "--known", &index, "--out", &out])
        .succeeds();
    assert_eq!(report(&folder.join("out"))["kept"], 0);
}

#[test]
fn what_has_no_sets_is_refused_with_a_hint() {
    let folder = folder("sets-refused");
    let out = path(&folder, "out");
    let text = path(&folder, "a.txt");
    fs::write(&text, "a b c").unwrap();
    let set = ["--set-field", "tracks"];
    for (arguments, hint) in [
        (&["dedup", PLAYLISTS, "--recipe", "sets", "--out", &out][..], "--set-field FIELD"),
        (&["dedup", PLAYLISTS, "--recipe", "text", set[0], set[1], "--out", &out], "--recipe sets"),
        (
            &["dedup", &text, set[0], set[1], "--out", &out],
            "JSON lines, Parquet and Arrow have lists",
        ),
        (&["dedup", PLAYLISTS, set[0], set[1], "--templates", "by-site", "--out", &out], "`off`"),
        (&["passages", PLAYLISTS, set[0], set[1], "--out", &out], "sets are for `dedup`"),
        (&["against", PLAYLISTS, "--input", PLAYLISTS, set[0], set[1]], "sets are for `dedup`"),
        (&["compare", &text, &text, set[0], set[1]], "--of INPUT"),
        (&["compare", &text, &text, "--recipe", "sets"], "--set-field FIELD"),
        (&["sketch", PLAYLISTS, "--recipe", "sets", "--out", &out], "--set-field FIELD"),
    ] {
        let refused = run(arguments);
        assert_ne!(refused.code, 0, "{arguments:?}");
        assert!(refused.stderr.contains(hint), "{arguments:?}: {}", refused.stderr);
    }
}

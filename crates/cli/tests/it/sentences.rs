//! Recipes whose tokens are sentences or paragraphs, through every command that takes one.

use std::fs;
use std::path::Path;

use crate::{folder, json_values, path, report, run, run_with_input};

const LETTER: &str = "Dear neighbours. The ferry does not run on Monday. Who has to cross may ask \
    Mr. Hale, who has a boat!\n\nBring a coat. It will be cold, and perhaps it will rain.\n\n\
    The baker is open as always. So is the post.";

/// The same sentences in another dress, in another order, and a word of one is another.
const RETOLD: &str = "The BAKER is open, as always.  So is the post.\n \nDear neighbours! The ferry does not run on \
    Monday. \u{201c}Who has to cross may ask Mr. Hale, who has a boat.\u{201d}\n\nBring a hat. It will be cold -- and \
    perhaps it will rain...";

/// The words of its sentences, and none of these.
const OTHER: &str = "Dear neighbours, the ferry does not run. On Monday who has to cross may ask. The baker is \
    open as always, so is the post, who has a boat. It will be cold and perhaps.";

fn recipe(folder: &Path, unit: &str, threshold: f64) -> String {
    let file = path(folder, &format!("{unit}.toml"));
    let toml = format!(
        "tokens = \"{unit}\"\n[shingles]\nwidth = 1\n[verify]\nthreshold = {threshold:?}\n"
    );
    fs::write(&file, toml).unwrap();
    file
}

#[test]
fn a_letter_that_is_retold_goes_and_another_stays() {
    let folder = folder("sentences-dedup");
    let file = path(&folder, "letters.jsonl");
    let line = |(id, text)| serde_json::json!({ "id": id, "text": text }).to_string() + "\n";
    let letters = [("letter", LETTER), ("retold", RETOLD), ("other", OTHER)];
    fs::write(&file, letters.map(line).concat()).unwrap();
    // Seven of eight sentences are in both, of nine; and two of three paragraphs, of four.
    for (unit, threshold, near) in [
        ("sentences", 0.7, 1),
        ("sentences", 0.8, 0),
        ("paragraphs", 0.5, 1),
        ("paragraphs", 0.6, 0),
    ] {
        let (recipe, out) = (recipe(&folder, unit, threshold), path(&folder, "out"));
        run(&["dedup", &file, "--recipe", &recipe, "--keep", "first", "--out", &out, "--force"])
            .succeeds();
        let report = report(&folder.join("out"));
        assert_eq!(report["near_removed"], near, "{unit} {threshold}");
        if near == 1 {
            let why = run(&["why", &out, "retold", "--diff", "always"]).succeeds();
            why.shows("letter");
            // In another order: what moved is deleted here and inserted there.
            why.shows(if unit == "sentences" {
                "3 sentences deleted"
            } else {
                "2 paragraphs deleted"
            });
        }
    }
}

#[test]
fn compare_index_sketch_and_tune_take_them() {
    let folder = folder("sentences-all");
    let (a, b) = (path(&folder, "a.txt"), path(&folder, "b.txt"));
    fs::write(&a, LETTER).unwrap();
    fs::write(&b, RETOLD).unwrap();
    let sentences = recipe(&folder, "sentences", 0.7);
    let found = run(&["compare", &a, &b, "--recipe", &sentences, "--json"]).json();
    assert_eq!((&found["shingles_a"], &found["shingles_b"]), (&8.into(), &8.into()), "{found}");
    assert_eq!(found["resemblance"], 7.0 / 9.0);

    let index = path(&folder, "index");
    run(&["index", "create", &index, "--recipe", &sentences]).succeeds();
    run(&["index", "add", &index, &a]).succeeds();
    let check = run_with_input(&["index", "check", &index, "-", "--json"], RETOLD.as_bytes());
    assert_eq!(json_values(&check.succeeds().stdout)[0]["matches"][0]["resemblance"], 7.0 / 9.0);

    run(&["sketch", &a, "--recipe", &sentences, "--out", &path(&folder, "a.signatures")])
        .succeeds();
    run(&["tune", "--sample", "examples/corpus", "--recipe", &sentences]).succeeds();
    // The tables that say where sentences begin are a part of the recipe, and of no other.
    run(&["recipe", &sentences]).succeeds().shows("\nsentences = \"");
    assert!(!run(&["recipe", "text"]).succeeds().stdout.contains("sentences"));
}

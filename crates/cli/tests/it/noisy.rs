//! The recipe `noisy` through every command that takes one.

use std::fs;
use std::path::Path;

use crate::{folder, json_values, path, report, run, run_with_input};

/// A report as a person would transcribe it.
const REPORT: &str = "Robbery at a lighthouse. On Tuesday the keeper of the northern light, a man of some \
    sixty years, appeared before the harbour court to say that two brass lamps, a barometer and the greater part \
    of his winter oil had been carried off in the night. He had heard the dogs about three o'clock, but thought \
    nothing of it, since the wind was from the west and the boats were out. Inspector Marrow found the lamps on \
    the following morning in the shed of a chandler, who could give no account of them and was remanded.";

/// The same as a machine read it.
const READ: &str = "R0BBERY AT A LlGHTHOUSE. On Tuesd.ay the keepcr of tbe northern liglit, a man of sorne \
    sixty ycars, appeared before the harhour court to say tliat two hrass lamps, a barometer and the greatcr part \
    of his wintcr oil bad been carried oif in the niglit. He had heard the dogs about three o'clock, hut tbought \
    notbing of it, sincc the wind was frorn the west and the boats were 0ut. lnspector Marr0w found the larnps on \
    the foIlowing morning in tbe shed of a cbandler, who c0uld give no acc0unt of tbem and was rernanded.";

/// Another report of the same court.
const OTHER: &str = "Loss of a schooner. On Friday the owners of the Margaret, which went down off the southern \
    shoals with a cargo of slate, told the harbour court that her papers were in order and her pumps new. The mate, \
    who reached the shore on a hatch cover, said that the master had mistaken the light for that of a steamer and \
    had stood on until they could see the breakers. The assessors found that no blame attached to anybody living, \
    and thanked the fishermen of the village, who had put out four times in an open boat.";

fn corpus(folder: &Path) -> String {
    let documents = [("transcript", REPORT), ("scan", READ), ("other", OTHER)];
    let line = |(id, text)| serde_json::json!({ "id": id, "text": text }).to_string() + "\n";
    let file = path(folder, "reports.jsonl");
    fs::write(&file, documents.map(line).concat()).unwrap();
    file
}

#[test]
fn a_scan_goes_for_its_transcript_and_nothing_else_does() {
    let folder = folder("noisy-dedup");
    let corpus = corpus(&folder);
    for (recipe, near) in [("noisy", 1), ("text", 0)] {
        let out = path(&folder, recipe);
        run(&["dedup", &corpus, "--recipe", recipe, "--keep", "first", "--out", &out]).succeeds();
        assert_eq!(report(&folder.join(recipe))["near_removed"], near, "{recipe}");
    }
    let why = run(&["why", &path(&folder, "noisy"), "scan"]).succeeds();
    why.shows("transcript");
}

#[test]
fn an_index_knows_the_transcript_by_its_scan() {
    let folder = folder("noisy-index");
    let (index, known) = (path(&folder, "index"), path(&folder, "known.jsonl"));
    fs::write(&known, serde_json::json!({ "id": "a", "text": REPORT }).to_string()).unwrap();
    run(&["index", "create", &index, "--recipe", "noisy"]).succeeds();
    run(&["index", "add", &index, &known]).succeeds();
    let check =
        |text: &str| run_with_input(&["index", "check", &index, "-", "--json"], text.as_bytes());
    let found = check(READ).succeeds();
    assert_eq!(json_values(&found.stdout)[0]["matches"][0]["id"], "a");
    assert_eq!(check(OTHER).code, 1);
    run(&["index", "verify", &index]).succeeds();
}

#[test]
fn compare_and_sketch_take_it() {
    let folder = folder("noisy-compare");
    let (a, b) = (path(&folder, "a.txt"), path(&folder, "b.txt"));
    fs::write(&a, REPORT).unwrap();
    fs::write(&b, READ).unwrap();
    let compared = run(&["compare", &a, &b, "--recipe", "noisy", "--json"]).succeeds().json();
    let resemblance = compared["resemblance"].as_f64().unwrap();
    assert!((0.3..0.6).contains(&resemblance), "{resemblance}");
    let signatures = path(&folder, "signatures");
    run(&["sketch", &a, &b, "--recipe", "noisy", "-o", &signatures]).succeeds();
    let header = fs::metadata(&signatures).unwrap().len();
    assert!(header > 2 * 1604, "198 features each: {header}");
}

/// Nothing chooses a filter of few features below a threshold of a half.
#[test]
fn a_low_threshold_is_tuned_at_its_price() {
    let found = run(&["tune", "--threshold", "0.3", "--recall", "0.95"]).succeeds();
    found.shows("filter [369, 4, 1]: 369 features of 4 minvalues");
    found.shows("1,476  what signing a document costs");
    found.shows("2,952  of features");
    let own = run(&["tune", "--recipe", "noisy", "--json"]).succeeds().json();
    assert_eq!((&own["k"], &own["threshold"]), (&198.into(), &0.3.into()));
    assert!(own["recall"].as_f64() >= Some(0.8));
}

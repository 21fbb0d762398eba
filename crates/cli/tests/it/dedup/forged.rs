//! Documents whose public fingerprints were made to be those of others stay apart everywhere.

use std::fs;

use super::{dedup, mixed_corpus, report, results};
use crate::{folder, path, root, run};

const DOCUMENTS: &str = "tests/fixtures/forged/documents.jsonl";

/// The three documents, each in a file of its own.
fn files(name: &str) -> [String; 3] {
    let folder = folder(name);
    let lines = fs::read_to_string(root().join(DOCUMENTS)).unwrap();
    let mut lines = lines.lines();
    ["forged", "forged-near", "victim"].map(|id| {
        let line: serde_json::Value = serde_json::from_str(lines.next().unwrap()).unwrap();
        assert_eq!(line["id"], id);
        let file = path(&folder, &format!("{id}.txt"));
        fs::write(&file, line["text"].as_str().unwrap()).unwrap();
        file
    })
}

#[test]
fn a_job_keeps_the_victim_of_a_forger() {
    let folder = folder("forged");
    for (number, more) in
        [&[][..], &["--exact-only"], &["--cluster", "components", "--threshold", "0.7"]]
            .into_iter()
            .enumerate()
    {
        let out = folder.join(number.to_string());
        dedup(&[&root().join(DOCUMENTS)], &out, more).succeeds();
        let report = report(&out);
        assert_eq!((&report["documents"], &report["kept"]), (&3.into(), &3.into()), "{more:?}");
    }
}

#[test]
fn comparisons_and_searches_see_through_a_forger() {
    let [forged, near, victim] = files("forged_compare");
    for other in [&forged, &near] {
        let compared = run(&["compare", other, &victim, "--json"]).json();
        assert_eq!(compared["resemblance"], 0.0);
        assert_eq!(compared["same_tokens"], false);
        assert!(compared["term_difference"].as_u64().unwrap() > 40, "{compared}");
        let found = run(&["against", other, "--input", &victim, "--json"]);
        assert_eq!(found.code, 1, "{}", found.stdout);
    }
}

#[test]
fn an_index_takes_the_victim_of_a_forger() {
    for more in [&[][..], &["--no-text"]] {
        let [forged, near, victim] = files("forged_index");
        let index = path(&folder("forged_index_of"), "index");
        let done = |arguments: &[&str], code: i32| {
            let run = run(arguments);
            assert_eq!(run.code, code, "{arguments:?}: {}{}", run.stdout, run.stderr);
        };
        let mut create = vec!["index", "create", &index];
        create.extend(more);
        done(&create, 0);
        done(&["index", "add", &index, &forged, &near], 0);
        // Without contents nothing but the sketches can be compared, and these are public.
        done(&["index", "check", &index, &victim], i32::from(more.is_empty()));
        done(&["index", "check", &index, &forged], 0);
    }
}

/// Each job draws a key of its own.
#[test]
fn results_do_not_depend_on_the_key() {
    let folder = folder("forged_keys");
    let input = folder.join("in");
    mixed_corpus(&input, 200);
    let outcomes: Vec<_> = (0..10)
        .map(|number| {
            let out = folder.join(number.to_string());
            assert_eq!(dedup(&[&input], &out, &[]).code, 0);
            assert!(!fs::read_to_string(out.join("manifest.json")).unwrap().contains("\"key\""));
            results(&out)
        })
        .collect();
    assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]));
}

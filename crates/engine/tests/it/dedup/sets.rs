//! Documents that are sets: what stays is what a plain computation of their resemblance keeps.

use std::collections::BTreeSet;
use std::fs;

use lookalike_core::Recipe;
use lookalike_corpus::ReadOptions;
use lookalike_engine::{Dedup, ErrorKind};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::dedup::{folder, job, run, tables};

fn reading(field: &str) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.fields.set = Some(field.to_owned());
    options
}

/// So many features that no pair at the threshold is missed but once in 2^400.
fn recipe(threshold: f64) -> Recipe {
    let toml = format!(
        "base = \"sets\"\n[features]\nk = 400\ns = 1\nr = 1\n[verify]\nthreshold = {threshold:?}"
    );
    Recipe::from_toml(&toml).unwrap()
}

/// The numbers of those that stay: each that resembles none that stays before it.
fn kept(sets: &[BTreeSet<u8>], threshold: f64) -> Vec<u64> {
    let mut kept: Vec<u64> = Vec::new();
    for (number, set) in sets.iter().enumerate() {
        let resembles = |known: &u64| {
            let known = &sets[*known as usize];
            let common = known.intersection(set).count();
            let all = known.union(set).count();
            // An empty set resembles nothing, not even another one.
            common > 0 && common as f64 / all as f64 >= threshold
        };
        if !kept.iter().any(resembles) {
            kept.push(number as u64);
        }
    }
    kept
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_stays_is_by_the_resemblance_of_sets(
        lists in prop::collection::vec(prop::collection::vec(0..24_u8, 0..12), 2..50),
        threshold in prop::sample::select(vec![0.5, 0.75, 1.0]),
    ) {
        let folder = folder("dedup/sets");
        let input = folder.join("in.jsonl");
        // Items come in any order, any number of times, as numbers or as strings.
        let line = |(number, list): (usize, &Vec<u8>)| {
            let items: Vec<Value> = list.iter().map(|item| match number % 2 {
                0 => json!(item),
                _ => json!(item.to_string()),
            }).collect();
            json!({ "id": number.to_string(), "set": items }).to_string() + "\n"
        };
        fs::write(&input, lists.iter().enumerate().map(line).collect::<String>()).unwrap();
        let sets: Vec<BTreeSet<u8>> = lists.iter().map(|list| list.iter().copied().collect()).collect();

        let out = folder.join("out");
        let job = job(&input).recipe(recipe(threshold)).read_options(reading("set"));
        run(&job, &out);
        let removed: BTreeSet<u64> =
            tables::clusters(&out).iter().filter(|row| !row.kept).map(|row| row.row).collect();
        let found: Vec<u64> = (0..sets.len() as u64).filter(|row| !removed.contains(row)).collect();
        prop_assert_eq!(&found, &kept(&sets, threshold));
        // What is written is the records as they came.
        let written = fs::read_to_string(out.join("kept/in.jsonl")).unwrap();
        let all = fs::read_to_string(&input).unwrap();
        let lines: Vec<&str> = all.lines().collect();
        let expected: Vec<&str> = found.iter().map(|row| lines[*row as usize]).collect();
        prop_assert_eq!(written.lines().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn recipes_and_fields_that_do_not_go_together_are_refused() {
    let folder = folder("dedup/sets-refused");
    let input = folder.join("in.jsonl");
    fs::write(&input, json!({ "set": [1, 2] }).to_string()).unwrap();
    let sets = || Recipe::preset("sets").unwrap();
    let refused = |job: Dedup, hint: &str| {
        let error = job.run(folder.join("out")).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Sets(_)), "{error}");
        assert!(error.to_string().contains(hint), "{error}");
    };
    refused(job(&input).recipe(sets()), "--set-field FIELD");
    refused(job(&input).read_options(reading("set")), "--recipe sets");
    let rule = lookalike_engine::PassageRule::default();
    refused(
        job(&input).recipe(sets()).read_options(reading("set")).passages(rule),
        "which a set of items has not",
    );
}

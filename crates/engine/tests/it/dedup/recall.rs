//! What the filter promises, the job keeps: pairs are found as often as its curve says.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use lookalike_core::{Comparer, Recipe, Sequence};
use lookalike_engine::PairScope;

use crate::dedup::{folder, job, run, tables};

const PAIRS: usize = 6000;

/// A text of words that no other document has, and the same with some of them changed.
fn pair(random: &mut Sequence, number: usize) -> [String; 2] {
    let words: Vec<String> = (0..160).map(|n| format!("w{number}x{n}")).collect();
    let mut changed = words.clone();
    for _ in 0..random.next() % 9 {
        let at = random.next() as usize % words.len();
        changed[at] = format!("c{number}x{at}");
    }
    [words.join(" "), changed.join(" ")]
}

#[test]
fn pairs_are_found_as_often_as_the_filter_promises() {
    let folder = folder("dedup/recall");
    let recipe = Recipe::default();
    let mut comparer = Comparer::new(&recipe).unwrap();
    let mut random = Sequence::new(5, 5);
    let mut lines = String::new();
    let mut truth = BTreeMap::new();
    for number in 0..PAIRS {
        let [a, b] = pair(&mut random, number);
        let resemblance = comparer.compare(a.as_bytes(), b.as_bytes()).overlap.resemblance();
        truth.insert((2 * number as u64, 2 * number as u64 + 1), resemblance);
        for text in [a, b] {
            writeln!(lines, "{{\"text\":\"{text}\"}}").unwrap();
        }
    }
    let input = folder.join("in.jsonl");
    fs::write(&input, lines).unwrap();
    let out = folder.join("out");
    run(&job(&input).pairs(PairScope::All), &out);

    let found: BTreeSet<(u64, u64)> =
        tables::pairs(&out).iter().map(|pair| (pair.row_a, pair.row_b)).collect();
    assert!(found.iter().all(|rows| truth[rows] >= recipe.threshold), "a pair under the threshold");
    let filter = recipe.features.unwrap();
    let mut ranges: BTreeMap<u64, [f64; 4]> = BTreeMap::new();
    for (rows, &resemblance) in truth.iter().filter(|(_, r)| **r >= recipe.threshold) {
        let promised = filter.probability(resemblance);
        let [pairs, hits, expected, variance] =
            ranges.entry((resemblance * 25.0) as u64).or_default();
        *pairs += 1.0;
        *hits += f64::from(u8::from(found.contains(rows)));
        *expected += promised;
        *variance += promised * (1.0 - promised);
    }
    assert!(ranges.len() >= 5, "{ranges:?}");
    for (range, &[pairs, hits, expected, variance]) in &ranges {
        let off = (hits - expected).abs();
        assert!(off <= 4.5 * variance.sqrt() + 0.5, "{range}: {hits} of {pairs}, not {expected}");
    }
    let [pairs, hits] = [0, 1].map(|n| ranges.values().map(|row| row[n]).sum::<f64>());
    assert!(pairs > PAIRS as f64 / 3.0 && hits >= 0.95 * pairs, "{hits} of {pairs}");
    // Such that the test could have told: some were missed.
    assert!(hits < pairs);
}

//! Documents that are compared by their words in order, in particular long ones.

use std::fs;

use lookalike_core::filter::Filter;
use lookalike_core::recipe::{SketchParameters, Verify};
use lookalike_core::{Kernel, Recipe, Sequence};
use lookalike_engine::PairScope;
use lookalike_engine::report::Report;

use crate::dedup::{files, folder, job, results, run, tables};

/// By words in order, with a filter by which all that have a little in common are candidates.
fn recipe(threshold: f64) -> Recipe {
    let features = Some(Filter::new(32, 2, 1).unwrap());
    let sketch = SketchParameters::Minwise { permutations: 64 };
    Recipe { features, sketch, verify: Verify::Difference, threshold, ..Recipe::default() }
}

fn numbers(random: &mut Sequence, count: usize) -> Vec<u32> {
    (0..count).map(|_| (random.next() % 100_000) as u32).collect()
}

fn text(numbers: &[u32]) -> String {
    numbers.iter().map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ")
}

/// Runs a job on these texts, whatever the threads and the memory are.
fn judged(name: &str, texts: &[Vec<u32>], threshold: f64) -> (Report, Vec<(String, f64)>) {
    let folder = folder(name);
    let input = folder.join("in.jsonl");
    let line = |numbers: &Vec<u32>| format!("{{\"text\":\"{}\"}}\n", text(numbers));
    fs::write(&input, texts.iter().map(line).collect::<String>()).unwrap();
    let job = job(&input).recipe(recipe(threshold)).pairs(PairScope::All);
    let report = run(&job, &folder.join("out"));
    let expected = results(&folder.join("out"));
    // Long ones are the same by every kernel if short ones are.
    let long = texts[0].len() > 1_000_000;
    let ways = [(1, 1 << 30, Kernel::SCALAR), (4, 65 << 20, Kernel::best())];
    for (threads, memory, kernel) in ways.into_iter().skip(usize::from(long)) {
        let other = job.clone().threads(threads).memory(memory).kernel(kernel);
        let again = run(&other, &folder.join("other"));
        assert!(results(&folder.join("other")) == expected, "{threads} threads, {memory} bytes");
        assert_eq!(again.notes, report.notes);
    }
    assert!(!files(&folder.join("out")).keys().any(|name| name.contains("work")));
    let pairs = tables::pairs(&folder.join("out")).into_iter();
    let pairs = pairs.map(|pair| {
        assert_eq!((pair.resemblance, pair.containment_a, pair.containment_b), (None, None, None));
        let end = |id: &str| id.rsplit('#').next().unwrap().to_owned();
        (format!("{} {}", end(&pair.a), end(&pair.b)), pair.difference.unwrap())
    });
    (report, pairs.collect())
}

/// Of more words than are read at once, of more than are held, and of more than are written from memory.
#[test]
fn long_documents_are_compared_to_the_word() {
    let mut random = Sequence::new(5, 0);
    for (length, name) in
        [(5_000, "in-order/blocks"), (100_000, "in-order/many"), (2_200_000, "in-order/spilled")]
    {
        let first = numbers(&mut random, length);
        // Every so often a word is another one: two of the words of both differ for each.
        let mut replaced = first.clone();
        for at in (0..length).step_by(length / 50) {
            replaced[at] = 100_001;
        }
        // A stretch is gone.
        let mut shorter = first.clone();
        let gone = (length / 100).min(4_000);
        shorter.drain(length / 3..length / 3 + gone);
        let other = numbers(&mut random, length);
        let (report, pairs) = judged(name, &[first, replaced, shorter.clone(), other], 0.95);
        let between = |a: usize, b: usize, terms: usize| terms as f64 / (a + b) as f64;
        // None of the words that were replaced is among those that are gone, but one at most.
        let expected = [
            ("1 2", between(length, length, 100)),
            ("1 3", between(length, shorter.len(), gone)),
            ("2 3", between(length, shorter.len(), gone + 100)),
        ];
        assert_eq!(pairs.len(), expected.len(), "{name}: {pairs:?}, {:?}", report.notes);
        for ((found, share), (pair, wanted)) in pairs.iter().zip(expected) {
            assert_eq!(found, pair);
            assert!((share - wanted).abs() <= 2.0 / length as f64, "{pair}: {share} for {wanted}");
        }
        assert_eq!((report.near_removed, report.kept, report.notes.len()), (2, 2, 0));
        let histogram = report.difference_histogram.unwrap();
        assert_eq!((histogram.total(), report.resemblance_histogram.total()), (3, 0));
    }
}

/// Two of which it would take too long to tell how many of their words stand in order stay apart. Here a walk
/// goes on at hundreds of places by turns, more than are held.
#[test]
fn what_takes_too_long_stays_and_is_told() {
    let mut random = Sequence::new(6, 0);
    let length = 600_000;
    let first = numbers(&mut random, length);
    let mut turned = first.clone();
    for at in (0..length / 2).step_by(1_000) {
        turned[at] = 100_001;
    }
    turned[length / 2..].reverse();
    let mut moved = first.clone();
    moved.rotate_left(200);
    let (report, pairs) = judged("in-order/turned", &[first, turned, moved], 0.6);
    assert_eq!(pairs, [("1 3".to_owned(), 400.0 / (2 * length) as f64)]);
    assert_eq!((report.kept, report.near_removed), (2, 1));
    assert_eq!(report.notes.len(), 1, "{:?}", report.notes);
    assert!(report.notes[0].starts_with("2 candidates are long"), "{:?}", report.notes);
}

//! Candidates that were refused: counted by their resemblance, the nearest named.

use std::fs;

use lookalike_core::{Comparer, Recipe, Sequence};

use crate::dedup::{folder, job, words};

#[test]
fn what_was_nearly_a_pair_is_named_with_its_resemblance() {
    let folder = folder("near-misses");
    let mut random = Sequence::new(7, 7);
    let mut texts = Vec::new();
    for pair in 0..60 {
        let text = words(&mut random, 100);
        let mut other = text.clone();
        // Each changed word changes five shingles: from 0.9 down to 0.4.
        for changed in 0..=pair % 6 {
            other[changed * 15 + 5] = format!("changed{pair}x{changed}");
        }
        texts.extend([text.join(" "), other.join(" ")]);
    }
    let line = |(n, text): (usize, &String)| format!("{{\"id\": \"{n}\", \"text\": \"{text}\"}}\n");
    let lines: Vec<String> = texts.iter().enumerate().map(line).collect();
    let input = folder.join("in.jsonl");
    fs::write(&input, lines.concat()).unwrap();
    let reports = [1, 3].map(|threads| {
        let out = folder.join(format!("out{threads}"));
        job(&input).threads(threads).run(&out).unwrap()
    });
    let [report, other] = &reports;
    assert_eq!(report.near_misses, other.near_misses);
    assert_eq!(report.refused_histogram, other.refused_histogram);
    let refused = report.refused_histogram.as_ref().unwrap().total();
    assert!(refused > 0 && refused + report.pairs == report.candidates, "{refused}");
    assert!((1..=20).contains(&report.near_misses.len()));
    assert!(report.near_misses.is_sorted_by(|a, b| a.resemblance >= b.resemblance));
    let mut comparer = Comparer::new(&Recipe::default()).unwrap();
    for miss in &report.near_misses {
        let [a, b] = [&miss.a, &miss.b].map(|id| texts[id.parse::<usize>().unwrap()].as_bytes());
        let exact = comparer.compare(a, b).overlap.resemblance();
        assert!(miss.resemblance.to_bits() == exact.to_bits() && exact < 0.8, "{miss:?} {exact}");
    }
}

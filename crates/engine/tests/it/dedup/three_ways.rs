//! Radinsky's two sketches, and many permutations, each with the clustering of the slides: what documents have in
//! common is counted, and what is joined is a cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use lookalike_core::filter::Filter;
use lookalike_core::recipe::{Candidates, SketchParameters, Verify};
use lookalike_core::{Comparer, Recipe, Sequence};
use lookalike_engine::PairScope;
use lookalike_engine::matching::Clustering;

use crate::dedup::{folder, job, run, tables, words};

const FAMILIES: usize = 150;
const MEMBERS: usize = 4;

/// Documents of which every fourth begins a family; the others are the one before, with some words replaced.
fn corpus(folder: &Path) -> (PathBuf, Vec<String>) {
    let mut random = Sequence::new(16, 16);
    let mut texts = Vec::new();
    for family in 0..FAMILIES {
        let count = 60 + random.next() as usize % 900;
        let mut document = words(&mut random, count);
        for member in 0..MEMBERS {
            texts.push(document.join(" "));
            // One at least: copies are found before sketches are looked at.
            let most = count / if family % 2 == 0 { 25 } else { 150 };
            for edit in 0..=random.next() as usize % (1 + most) {
                let at = random.next() as usize % count;
                document[at] = format!("new{family}x{member}x{edit}");
            }
        }
    }
    let lines = texts.iter().fold(String::new(), |mut lines, text| {
        writeln!(lines, "{{\"text\":\"{text}\"}}").unwrap();
        lines
    });
    let input = folder.join("in.jsonl");
    fs::write(&input, lines).unwrap();
    (input, texts)
}

/// The resemblance of each two of a family. Those of others have nothing in common but by chance.
fn truth(texts: &[String]) -> BTreeMap<(u64, u64), f64> {
    let mut comparer = Comparer::new(&Recipe::default()).unwrap();
    let mut truth = BTreeMap::new();
    for a in 0..texts.len() {
        for b in a + 1..texts.len().min(a / MEMBERS * MEMBERS + MEMBERS) {
            let overlap = comparer.compare(texts[a].as_bytes(), texts[b].as_bytes()).overlap;
            truth.insert((a as u64, b as u64), overlap.resemblance());
        }
    }
    truth
}

/// The two options for a sketch, and 200 permutations, of which so many must agree.
fn ways(verify: Verify, agree: u32) -> [(&'static str, Recipe); 3] {
    let base = Recipe { verify, keep_sketch: verify == Verify::Estimate, ..Recipe::default() };
    let own = Recipe {
        features: None,
        candidates: Candidates::Sketch,
        keep_sketch: true,
        ..base.clone()
    };
    let bottom = SketchParameters::Bottom { size: 200 };
    let modular = SketchParameters::Modular { modulus: 1, size: Some(400) };
    let minwise = SketchParameters::Minwise { permutations: 200 };
    let features = Some(Filter::new(200, 1, agree).unwrap());
    [
        ("option 1", Recipe { sketch: bottom, ..own.clone() }),
        ("option 2", Recipe { sketch: modular, ..own }),
        ("many permutations", Recipe { sketch: minwise, features, ..base }),
    ]
}

/// Where documents are compared in the end, the three ways give the same clusters: those of all pairs.
#[test]
fn verified_clusters_are_the_same_in_each_way() {
    let folder = folder("dedup/three-ways");
    let (input, texts) = corpus(&folder);
    let truth = truth(&texts);
    let mut first: Vec<u64> = (0..texts.len() as u64).collect();
    for (&(a, b), _) in truth.iter().filter(|(_, r)| **r >= 0.8) {
        // Pairs come in order, and families are small: what b was joined to before is joined to a, too.
        let [from, to] =
            [first[a as usize].max(first[b as usize]), first[a as usize].min(first[b as usize])];
        first.iter_mut().filter(|root| **root == from).for_each(|root| *root = to);
    }
    let mut expected: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for (row, root) in first.into_iter().enumerate() {
        expected.entry(root).or_default().insert(row as u64);
    }
    expected.retain(|_, members| members.len() > 1);
    assert!((FAMILIES / 2..FAMILIES * 2).contains(&expected.len()), "{}", expected.len());
    // 143 of 200: three standard deviations below 0.8, as the others have it by themselves.
    for (name, recipe) in ways(Verify::Exact, 143) {
        let out = folder.join("out");
        run(&job(&input).recipe(recipe).clustering(Clustering::Components), &out);
        let mut found: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        for row in tables::clusters(&out) {
            found.entry(row.cluster).or_default().insert(row.row);
        }
        assert_eq!(found, expected, "{name}");
    }
}

/// Where sketches decide, pairs well above the threshold are found, and none well below it.
#[test]
fn estimated_pairs_are_those_of_the_threshold_but_for_the_error_of_the_sketch() {
    let folder = folder("dedup/three-ways-estimated");
    let (input, texts) = corpus(&folder);
    let truth = truth(&texts);
    // Four and a half standard deviations of 150 elements and more.
    let error = 4.5 * (0.8_f64 * 0.2 / 150.0).sqrt();
    let certain = truth.iter().filter(|(_, r)| **r >= 0.8 + error).count();
    let hopeless = truth.iter().filter(|(_, r)| **r < 0.8 - error).count();
    assert!(certain > 100 && hopeless > 100, "{certain}, {hopeless} of {}", truth.len());
    for (name, recipe) in ways(Verify::Estimate, 160) {
        let out = folder.join("out");
        run(&job(&input).recipe(recipe).pairs(PairScope::All), &out);
        let found: BTreeSet<(u64, u64)> =
            tables::pairs(&out).iter().map(|pair| (pair.row_a, pair.row_b)).collect();
        for (pair, resemblance) in &truth {
            let is_found = found.contains(pair);
            assert!(is_found || *resemblance < 0.8 + error, "{name}: {pair:?}, {resemblance}");
            assert!(!is_found || *resemblance >= 0.8 - error, "{name}: {pair:?}, {resemblance}");
        }
        assert!(found.iter().all(|pair| truth.contains_key(pair)), "{name}");
    }
}

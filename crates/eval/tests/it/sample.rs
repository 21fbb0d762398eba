//! Samples of pairs to judge.

use std::collections::BTreeMap;
use std::fs;

use lookalike_core::{Recipe, Sequence};
use lookalike_eval::{Eval, LabelFile, PairToJudge, Sample};

use serde_json::json;

use crate::naive::{self, Page};
use crate::{folder, name, write_pages};

/// A hundred documents of three templates, on three sites.
fn pages() -> Vec<Page> {
    let mut random = Sequence::new(5, 5);
    let template = |n: u32| (0..900).map(|w| format!("t{n}w{w}")).collect::<Vec<String>>();
    (0..100)
        .map(|n| {
            let mut words = template(n % 3);
            for _ in 0..random.next() % 5 {
                let at = random.next() as usize % words.len();
                words[at] = format!("x{}", random.next() % 1000);
            }
            let url = Some(format!("http://www.site{}.example/{n}", random.next() % 3));
            Page { id: format!("p{n}"), url, text: words.join(" ") }
        })
        .collect()
}

fn job(folder: &std::path::Path) -> Eval {
    let path = folder.join("pages.jsonl");
    write_pages(&path, &pages());
    let recipes = ["henzinger-b", "henzinger-c"].map(|name| Recipe::preset(name).unwrap());
    Eval::new([name(&path)]).recipes(recipes).memory(80 << 20)
}

fn stratum(pair: &PairToJudge) -> String {
    format!("{:?} {:?} {}", pair.recipes, pair.sites, pair.b_similarity)
}

#[test]
fn weights_give_every_stratum_its_size() {
    let folder = folder("strata");
    let job = job(&folder);
    let recipes = ["henzinger-b", "henzinger-c"].map(|name| Recipe::preset(name).unwrap());
    let absent = lookalike_eval::Label::Unlabelled;
    let naive = naive::evaluate(&pages(), &[], &recipes, absent, true);
    // The strata by brute force.
    let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
    let mut all = BTreeMap::new();
    for (number, pairs) in naive.returned.iter().enumerate() {
        for pair in pairs {
            let entry: &mut (Vec<String>, _) =
                all.entry(pair.rows).or_insert((Vec::new(), (pair.sites, pair.b)));
            entry.0.push(recipes[number].name.clone());
        }
    }
    for (names, (sites, b)) in all.values() {
        *sizes.entry(format!("{names:?} {sites:?} {b}")).or_default() += 1;
    }
    // More than are wanted in the smaller sample, so that not all of a stratum are held.
    assert!(sizes.values().any(|size| *size > 60), "{sizes:?}");
    for wanted in [60, 150] {
        let sample = job.sample(wanted).unwrap();
        assert_eq!(sample.pairs.len(), wanted);
        assert_eq!((sample.returned, sample.strata), (all.len() as u64, sizes.len() as u64));
        assert_drawn_evenly(&sample, &sizes);
    }
}

fn assert_drawn_evenly(sample: &Sample, sizes: &BTreeMap<String, u64>) {
    let mut weights: BTreeMap<String, f64> = BTreeMap::new();
    let mut drawn: BTreeMap<String, u64> = BTreeMap::new();
    for pair in &sample.pairs {
        *weights.entry(stratum(pair)).or_default() += pair.weight;
        *drawn.entry(stratum(pair)).or_default() += 1;
        assert!(pair.weight >= 1.0);
    }
    for (stratum, size) in sizes {
        assert!((weights[stratum] - *size as f64).abs() < 1e-6, "{stratum}");
    }
    // A stratum has fewer than another only if it has no more.
    let most = drawn.values().max().unwrap();
    assert!(drawn.iter().all(|(name, n)| n + 1 >= *most || sizes[name] == *n), "{drawn:?}");
    let mut pairs: Vec<_> = sample.pairs.iter().map(|p| (&p.a, &p.b)).collect();
    pairs.sort();
    pairs.dedup();
    assert_eq!(pairs.len(), sample.pairs.len(), "each pair once");
}

#[test]
fn a_seed_draws_one_sample_and_another_seed_another() {
    let folder = folder("seeds");
    let lines = |job: Eval| {
        let sample: Sample = job.sample(40).unwrap();
        sample.pairs.iter().map(|p| (p.a.clone(), p.b.clone())).collect::<Vec<_>>()
    };
    assert_eq!(lines(job(&folder)), lines(job(&folder).threads(3)));
    assert_ne!(lines(job(&folder)), lines(job(&folder).seed(1)));
}

/// Judged by a rule, the weighted sample tells the precision of all pairs.
#[test]
fn weighted_estimates_are_those_of_all_pairs() {
    let folder = folder("weighted");
    let job = job(&folder);
    let sample = job.sample(400).unwrap();
    let number = |id: &str| id[1..].parse::<u32>().unwrap();
    let correct = |a: &str, b: &str| (number(a) + number(b)).is_multiple_of(3);
    let labels = folder.join("labels.jsonl");
    let label = |a: &str, b: &str| if correct(a, b) { "correct" } else { "incorrect" };
    let lines = sample.pairs.iter().map(|PairToJudge { a, b, weight, .. }| {
        json!({"a": a, "b": b, "label": label(a, b), "weight": weight}).to_string()
    });
    fs::write(&labels, lines.collect::<Vec<String>>().join("\n")).unwrap();
    let estimated = job.run(&LabelFile::new(&labels)).unwrap();
    let pages = pages();
    let mut every = Vec::new();
    for b in &pages {
        for a in pages.iter().take_while(|a| a.id != b.id) {
            let label = label(&a.id, &b.id);
            every.push(json!({"a": a.id, "b": b.id, "label": label}).to_string());
        }
    }
    fs::write(&labels, every.join("\n")).unwrap();
    let exact = job.run(&LabelFile::new(&labels)).unwrap();
    for (estimated, exact) in estimated.recipes.iter().zip(&exact.recipes) {
        let (e, x) = (estimated.rows[0].correct.unwrap(), exact.rows[0].correct.unwrap());
        assert!(e.low <= x.share && x.share <= e.high, "{}: {e:?} {x:?}", exact.name);
        assert!(e.high - e.low > x.high - x.low, "a sample says less");
    }
}

//! Every number of an evaluation is that of brute force.

use std::collections::BTreeMap;

use lookalike_core::recipe::Verify;
use lookalike_core::{Recipe, Sequence};
use lookalike_eval::{
    AbsentRule, BASELINES, CopyRule, CurveBasis, Eval, Evaluation, Label, LabelFile,
    LabelledDifferences, Quality, RecipeEvaluation, Share, Sites, baseline,
};

use crate::naive::{self, Judgement, Naive, Page, Pair};
use crate::where_wrong::{assert_hosts, assert_pages, assert_sites};
use crate::{folder, write_labels, write_pages};

/// Words that differ from document to document.
fn word(random: &mut Sequence) -> String {
    format!("w{}", random.next() % 4000)
}

/// Families of documents that are more or less alike, on a few sites or none; some are the same,
/// some are empty.
pub(crate) fn pages(random: &mut Sequence, count: usize) -> Vec<Page> {
    let mut pages: Vec<Page> = Vec::new();
    for n in 0..count {
        let text = match random.next() % 10 {
            0 => String::new(),
            1 if n > 0 => pages[random.next() as usize % n].text.clone(),
            2..=7 if n > 0 => {
                let old = &pages[random.next() as usize % n].text;
                let mut words: Vec<String> = old.split(' ').map(str::to_owned).collect();
                for _ in 0..random.next() % 4 {
                    let at = random.next() as usize % words.len();
                    words[at] = word(random);
                }
                if random.next().is_multiple_of(4) {
                    let more = 5 + random.next() % 200;
                    words.extend((0..more).map(|_| word(random)));
                }
                words.join(" ")
            }
            _ => {
                let length = 3 + random.next() % 900;
                (0..length).map(|_| word(random)).collect::<Vec<_>>().join(" ")
            }
        };
        let url = match random.next() % 5 {
            0 => None,
            site => Some(format!("http://www.site{site}.example/{n}")),
        };
        pages.push(Page { id: format!("page {n}"), url, text });
    }
    pages
}

/// Labels of some pairs, whatever these are like.
pub(crate) fn judgements(random: &mut Sequence, pages: &[Page], weighted: bool) -> Vec<Judgement> {
    let mut judgements = Vec::new();
    for b in 1..pages.len() {
        for a in 0..b {
            if random.next().is_multiple_of(3) {
                continue;
            }
            let label = [Label::Correct, Label::Incorrect, Label::Undecided];
            let weight = if weighted { 0.25 * (1 + random.next() % 40) as f64 } else { 1.0 };
            let (a, b) = (pages[a].id.clone(), pages[b].id.clone());
            let turned = random.next().is_multiple_of(2);
            judgements.push(Judgement {
                a: if turned { b.clone() } else { a.clone() },
                b: if turned { a } else { b },
                label: label[random.next() as usize % 3],
                weight,
                reason: ["", "form", "time"][random.next() as usize % 3].to_owned(),
            });
        }
    }
    judgements
}

fn recipes() -> Vec<Recipe> {
    let presets = Eval::DEFAULT_RECIPES.iter().map(|name| Recipe::preset(name).unwrap());
    let combined = Recipe::preset("henzinger-combined").unwrap();
    let made = Recipe { name: "made".into(), keep_projection: false, ..combined };
    presets.chain(BASELINES.iter().map(|name| baseline(name).unwrap())).chain([made]).collect()
}

/// What the twin's numbers come from: so many things of so much weight.
#[derive(Clone, Copy, Default)]
struct Sum {
    number: u64,
    weight: f64,
    squares: f64,
}

fn sum<'a>(pairs: impl Iterator<Item = &'a Pair>) -> Sum {
    pairs.fold(Sum::default(), |sum, pair| Sum {
        number: sum.number + 1,
        weight: sum.weight + pair.weight,
        squares: sum.squares + pair.weight * pair.weight,
    })
}

pub(crate) fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + b.abs())
}

/// A share is the quotient, and its interval is Wilson's, written in another way.
fn assert_share(found: Option<Share>, part: Sum, whole: Sum, what: &str) {
    let Some(found) = found else {
        assert_eq!(whole.number, 0, "{what}");
        return;
    };
    let p = part.weight / whole.weight;
    assert_eq!(found.number, part.number, "{what}");
    assert!(near(found.share, p), "{what}: {found:?} {p}");
    let n = whole.weight * whole.weight / whole.squares;
    let z: f64 = 1.959_963_984_540_054;
    let root = (z * z + 4.0 * n * p * (1.0 - p)).max(0.0).sqrt();
    let ends =
        [-1.0, 1.0].map(|sign| (2.0 * n * p + z * z + sign * z * root) / (2.0 * (n + z * z)));
    assert!(near(found.low, ends[0].max(0.0)), "{what}: {found:?} {ends:?}");
    assert!(near(found.high, ends[1].min(1.0)), "{what}: {found:?} {ends:?}");
}

/// F1 is the harmonic mean of precision and recall, and its interval is Wilson's of the share of
/// the right in right, wrong and missed.
fn assert_f1(found: Option<Share>, right: Sum, wrong: Sum, missed: Sum, what: &str) {
    let Some(found) = found else {
        assert_eq!(right.number + missed.number, 0, "{what}");
        return;
    };
    let (precision, recall) = (
        right.weight / (right.weight + wrong.weight),
        right.weight / (right.weight + missed.weight),
    );
    let f1 = 2.0 * precision * recall / (precision + recall);
    assert!(near(found.share, if right.number == 0 { 0.0 } else { f1 }), "{what}: {found:?} {f1}");
    // Turned back into that share.
    let part = |f1: f64| f1 / (2.0 - f1);
    let mut share = found;
    (share.share, share.low, share.high) = (part(found.share), part(found.low), part(found.high));
    let whole = Sum {
        number: right.number + wrong.number + missed.number,
        weight: right.weight + wrong.weight + missed.weight,
        squares: right.squares + wrong.squares + missed.squares,
    };
    assert_share(Some(share), right, whole, what);
}

/// Of the pairs that are returned, out of those that have labels.
fn assert_quality(found: &Quality, returned: &[&Pair], labelled: &[&Pair], what: &str) {
    let of = |label: Label| sum(returned.iter().copied().filter(move |p| p.label == label));
    let is_returned = |p: &Pair| returned.iter().any(|q| q.rows == p.rows);
    let missed = labelled.iter().filter(|p| p.label == Label::Correct && !is_returned(p)).copied();
    let [right, wrong] = [Label::Correct, Label::Incorrect].map(of);
    let missed = sum(missed);
    let numbers = [right.number, wrong.number, of(Label::Undecided).number, missed.number];
    assert_eq!([found.right, found.wrong, found.undecided, found.missed], numbers, "{what}");
    let both = |a: Sum, b: Sum| Sum {
        number: a.number + b.number,
        weight: a.weight + b.weight,
        squares: a.squares + b.squares,
    };
    assert_share(found.precision, right, both(right, wrong), what);
    assert_share(found.recall, right, both(right, missed), what);
    assert_f1(found.f1, right, wrong, missed, what);
}

/// At each threshold the curve has the pairs that are not below it.
fn assert_curve(
    found: &RecipeEvaluation,
    recipe: &Recipe,
    returned: &[Pair],
    naive: &Naive,
    pages: &[Page],
    what: &str,
) {
    let Some(curve) = &found.curve else {
        assert_eq!((recipe.verify, found.threshold), (Verify::None, None), "{what}");
        return;
    };
    assert_eq!((found.threshold, curve.unknown), (Some(recipe.threshold), 0), "{what}");
    let of_labelled = curve.basis == CurveBasis::Labelled;
    let pairs = if of_labelled { &naive.labelled } else { returned };
    let resemblance = |pair: &Pair| {
        let [a, b] = [pair.rows.0, pair.rows.1].map(|row| naive::words(&pages[row].text));
        naive::resemblance(recipe, &a, &b)
    };
    let known: Vec<(f64, &Pair)> = pairs.iter().map(|pair| (resemblance(pair), pair)).collect();
    let labelled: Vec<&Pair> = naive.labelled.iter().collect();
    for point in &curve.points {
        let above = known.iter().filter(|(resemblance, _)| *resemblance >= point.threshold);
        let above: Vec<&Pair> = above.map(|(_, pair)| *pair).collect();
        assert_quality(&point.quality, &above, &labelled, &format!("{what}, {}", point.threshold));
    }
    let first = if of_labelled { 0.05 } else { recipe.threshold };
    assert_eq!(curve.points.first().map(|point| point.threshold), Some(first), "{what}");
    let twentieths = (1..=20).map(|n| f64::from(n) / 20.0).filter(|t| *t >= first);
    for twentieth in twentieths {
        assert!(curve.points.iter().any(|point| near(point.threshold, twentieth)), "{what}");
    }
}

/// Pairs and documents one by one, by clusters that were found one by one.
fn assert_clusters(found: &RecipeEvaluation, returned: &[Pair], labelled: &[Pair], what: &str) {
    let decided = labelled.iter().filter(|p| p.label != Label::Undecided);
    let mut documents: Vec<usize> = decided.flat_map(|p| [p.rows.0, p.rows.1]).collect();
    documents.sort_unstable();
    documents.dedup();
    let Some(clusters) = found.clusters else {
        assert!(documents.is_empty(), "{what}");
        return;
    };
    let rows = |pairs: &mut dyn Iterator<Item = &Pair>| -> Vec<(usize, usize)> {
        pairs.map(|pair| pair.rows).collect()
    };
    let correct = rows(&mut labelled.iter().filter(|p| p.label == Label::Correct));
    let truth = naive::reached(&documents, &correct);
    let ours = naive::reached(&documents, &rows(&mut returned.iter()));
    assert_eq!(clusters.documents, documents.len() as u64, "{what}");
    let number = |clusters: &[Vec<usize>]| {
        let firsts: std::collections::BTreeSet<_> =
            clusters.iter().map(|cluster| cluster.iter().min()).collect();
        firsts.len() as u64
    };
    assert_eq!((clusters.labelled, clusters.found), (number(&truth), number(&ours)), "{what}");
    let (mut right, mut returned, mut wanted) = (0.0, 0.0, 0.0);
    let (mut precision, mut recall) = (0.0, 0.0);
    for (n, row) in documents.iter().enumerate() {
        let both = truth[n].iter().filter(|other| ours[n].contains(other)).count() as f64;
        precision += both / ours[n].len() as f64 / documents.len() as f64;
        recall += both / truth[n].len() as f64 / documents.len() as f64;
        for other in documents[..n].iter().filter(|other| *other != row) {
            let (same, joined) = (truth[n].contains(other), ours[n].contains(other));
            right += f64::from(u8::from(same && joined));
            returned += f64::from(u8::from(joined));
            wanted += f64::from(u8::from(same));
        }
    }
    let is = |found: Option<f64>, part: f64, whole: f64| match found {
        Some(found) => assert!(near(found, part / whole), "{what}: {found} {part} {whole}"),
        None => assert!(near(whole, 0.0), "{what}"),
    };
    is(clusters.pairwise.precision, right, returned);
    is(clusters.pairwise.recall, right, wanted);
    is(clusters.pairwise.f1, 2.0 * right, returned + wanted);
    is(clusters.b_cubed.precision, precision, 1.0);
    is(clusters.b_cubed.recall, recall, 1.0);
    is(clusters.b_cubed.f1, 2.0 * precision * recall, precision + recall);
}

/// A kind of pairs and its name.
type Kind = (String, Box<dyn Fn(&Pair) -> bool>);

/// The kinds of pairs that tables have rows for, by their names.
fn kinds() -> Vec<Kind> {
    let mut kinds: Vec<Kind> = vec![
        ("all".to_owned(), Box::new(|_| true)),
        ("same site".to_owned(), Box::new(|p| p.sites == Sites::Same)),
        ("different sites".to_owned(), Box::new(|p| p.sites == Sites::Different)),
        ("site unknown".to_owned(), Box::new(|p| p.sites == Sites::Unknown)),
    ];
    for b in 0..=6 {
        kinds.push((format!("B-similarity {b}"), Box::new(move |p| p.b == b)));
    }
    for (low, high) in [(382, 384), (379, 381), (376, 378), (372, 375), (355, 371), (0, 354)] {
        let name = format!("C-similarity {low} to {high}");
        kinds.push((name, Box::new(move |p| (low..=high).contains(&p.c))));
    }
    kinds
}

fn assert_rows(found: &RecipeEvaluation, number: usize, naive: &Naive, what: &str) {
    let correct = |p: &&Pair| p.label == Label::Correct;
    let (ours, theirs) = (&naive.returned[number], &naive.returned[0]);
    let kinds = kinds();
    assert_eq!(found.rows.len(), kinds.len());
    for (row, (name, is)) in found.rows.iter().zip(&kinds) {
        let what = format!("{what}, {name}");
        assert_eq!(&row.name, name);
        let here = || ours.iter().filter(|p| is(p));
        assert_eq!(row.pairs, here().count() as u64, "{what}");
        let judged = sum(here().filter(|p| p.label != Label::Unlabelled));
        assert_eq!(row.judged, judged.number, "{what}");
        let of = |label: Label| sum(here().filter(move |p| p.label == label));
        assert_share(row.correct, of(Label::Correct), judged, &what);
        assert_share(row.incorrect, of(Label::Incorrect), judged, &what);
        assert_share(row.undecided, of(Label::Undecided), judged, &what);
        let all = sum(naive.labelled.iter().filter(correct).filter(|p| is(p)));
        assert_share(row.recall, of(Label::Correct), all, &what);

        let decided = |p: &&Pair| [Label::Correct, Label::Incorrect].contains(&p.label);
        assert_share(row.precision, of(Label::Correct), sum(here().filter(decided)), &what);
        let is_form = |p: &&Pair| p.label == Label::Undecided && p.reason == "form";
        let is_correct = |p: &&Pair| correct(p) || is_form(p);
        assert_share(row.forms, sum(here().filter(is_form)), judged, &what);
        assert_share(row.correct_with_forms, sum(here().filter(is_correct)), judged, &what);
        let decided = |p: &&Pair| is_correct(p) || p.label == Label::Incorrect;
        let with_forms = row.precision_with_forms;
        assert_share(
            with_forms,
            sum(here().filter(is_correct)),
            sum(here().filter(decided)),
            &what,
        );
        let is_ours = |p: &&Pair| ours.iter().any(|q| q.rows == p.rows);
        let missed = naive.labelled.iter().filter(|p| correct(p) && is(p) && !is_ours(p));
        assert_f1(row.f1, of(Label::Correct), of(Label::Incorrect), sum(missed), &what);

        let of_theirs = sum(theirs.iter().filter(correct).filter(|p| is(p)));
        let is_theirs = |p: &&Pair| theirs.iter().any(|q| q.rows == p.rows);
        let common = sum(here().filter(correct).filter(is_theirs));
        let own = of(Label::Correct);
        if number == 0 {
            let ends = row.r.map(|r| [r.low, r.share, r.high]);
            assert_eq!(ends, (own.number > 0).then_some([1.0; 3]), "{what}: itself");
        } else if own.number == common.number {
            assert_share(row.r, own, of_theirs, &what);
        } else if let Some(r) = row.r {
            assert!(near(r.share, own.weight / of_theirs.weight), "{what}: {r:?}");
            assert_eq!(r.number, own.number);
            assert!(r.low <= r.share && r.share <= r.high, "{what}: {r:?}");
        } else {
            assert_eq!(of_theirs.number, 0, "{what}");
        }
    }
}

fn assert_graph(found: &RecipeEvaluation, pairs: &[Pair], what: &str) {
    assert_eq!(found.pairs, pairs.len() as u64, "{what}");
    let mut degrees: BTreeMap<usize, u64> = BTreeMap::new();
    for pair in pairs {
        *degrees.entry(pair.rows.0).or_default() += 1;
        *degrees.entry(pair.rows.1).or_default() += 1;
    }
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    for degree in degrees.values() {
        *counts.entry(*degree).or_default() += 1;
    }
    let counts: Vec<[u64; 2]> = counts.into_iter().map(|(d, n)| [d, n]).collect();
    assert_eq!((found.pages, &found.degrees), (degrees.len() as u64, &counts), "{what}");
    let average = (!degrees.is_empty()).then(|| 2.0 * pairs.len() as f64 / degrees.len() as f64);
    assert_eq!(found.average_degree, average, "{what}");
    assert_eq!(found.power_law.is_some(), counts.len() > 1, "{what}");
}

fn assert_similarities(found: &RecipeEvaluation, pairs: &[Pair], what: &str) {
    for (b, counts) in found.c_similarity_counts.iter().enumerate() {
        for (c, count) in counts.iter().enumerate() {
            let naive = pairs.iter().filter(|p| p.b == b && p.c == c).count();
            assert_eq!(*count, naive as u64, "{what}");
        }
    }
    let rows = found.by_b_similarity.iter().map(|row| (row, true));
    for (row, by_b) in rows.chain(found.by_c_similarity.iter().map(|row| (row, false))) {
        let [low, high] = row.range;
        let own = |p: &&Pair| (low..=high).contains(if by_b { &p.b } else { &p.c });
        let here: Vec<&Pair> = pairs.iter().filter(own).collect();
        assert_eq!(row.pairs, here.len() as u64, "{what}");
        let other = here.iter().map(|p| if by_b { p.c } else { p.b } as f64).sum::<f64>();
        let average = (!here.is_empty()).then(|| other / here.len() as f64);
        assert!(
            match (row.other_average, average) {
                (Some(a), Some(b)) => near(a, b),
                (a, b) => a == b,
            },
            "{what}: {row:?} {average:?}"
        );
    }
}

fn assert_reasons(found: &RecipeEvaluation, pairs: &[Pair], labelled: &[Pair], what: &str) {
    let mut naive: BTreeMap<(Label, String), (u64, u64)> = BTreeMap::new();
    let has_label = |p: &&Pair| labelled.iter().any(|q| q.rows == p.rows);
    for pair in pairs.iter().filter(has_label) {
        let (all, same) = naive.entry((pair.label, pair.reason.clone())).or_default();
        *all += 1;
        *same += u64::from(pair.sites == Sites::Same);
    }
    for row in &found.reasons {
        let of_label = || naive.iter().filter(|((label, _), _)| *label == row.label);
        let all: u64 = of_label().map(|(_, (all, _))| all).sum();
        let same: u64 = of_label().map(|(_, (_, same))| same).sum();
        assert!(near(row.share, row.pairs as f64 / all as f64), "{what}: {row:?}");
        assert!(near(row.same_site_share * same as f64, row.same_site as f64), "{what}: {row:?}");
    }
    let found: BTreeMap<(Label, String), (u64, u64)> = found
        .reasons
        .iter()
        .map(|row| ((row.label, row.reason.clone()), (row.pairs, row.same_site)))
        .collect();
    assert_eq!(found, naive, "{what}");
}

fn assert_differences(found: &RecipeEvaluation, pairs: &[Pair], what: &str) {
    let differences = &found.term_differences;
    let any_judged = pairs.iter().any(|p| p.label != Label::Unlabelled);
    let used = |p: &&Pair| !any_judged || p.label != Label::Unlabelled;
    assert_eq!((differences.of_judged, differences.too_long), (any_judged, 0), "{what}");
    let used: Vec<&Pair> = pairs.iter().filter(used).collect();
    for group in &differences.groups {
        let of = |p: &&&Pair| group.label.is_none_or(|label| p.label == label);
        assert_group(group, &used.iter().filter(of).copied().collect::<Vec<_>>(), what);
    }
    for terms in 0..=200 {
        let naive = used.iter().filter(|p| p.terms == terms).count() as u64;
        let found = differences.counts.iter().find(|[t, _]| *t == terms);
        assert_eq!(found.map_or(0, |[_, n]| *n), naive, "{what}");
    }
}

fn assert_group(group: &LabelledDifferences, pairs: &[&Pair], what: &str) {
    let all = sum(pairs.iter().copied());
    assert_eq!(group.pairs, all.number, "{what}");
    let mean = pairs.iter().map(|p| p.terms as f64 * p.weight).sum::<f64>() / all.weight;
    assert!(group.mean.map_or(pairs.is_empty(), |found| near(found, mean)), "{what}");
    // The least that half of the weight does not exceed.
    for (share, found) in [(0.5, group.median), (0.9, group.ninth_decile)] {
        let below = |terms: u64| sum(pairs.iter().copied().filter(|p| p.terms <= terms)).weight;
        let enough = |terms: &u64| below(*terms) >= share * all.weight * (1.0 - 1e-9);
        let naive = pairs.iter().map(|p| p.terms).filter(enough).min();
        assert_eq!(found, naive, "{what}");
    }
    let under = sum(pairs.iter().copied().filter(|p| p.terms < 42));
    assert_share(group.under_42, under, all, what);
    assert_share(group.two, sum(pairs.iter().copied().filter(|p| p.terms == 2)), all, what);
    assert_eq!(group.over_200, pairs.iter().filter(|p| p.terms > 200).count() as u64, "{what}");
    // These are texts, without pictures.
    let without = &group.without_pictures;
    let theirs = (without.mean, without.median, without.ninth_decile, without.over_200);
    assert_eq!(theirs, (group.mean, group.median, group.ninth_decile, group.over_200), "{what}");
    assert_eq!(without.none, pairs.iter().filter(|p| p.terms == 0).count() as u64, "{what}");
    assert_eq!(group.in_pictures, 0, "{what}");
    let edits = &group.edits;
    let exact = pairs.iter().filter(|p| p.edits.at_least == p.edits.at_most).count() as u64;
    assert_eq!(edits.exact, exact, "{what}");
    for (found, of) in [
        (edits.mean_at_least, (|p| p.edits.at_least) as fn(&Pair) -> u64),
        (edits.mean_at_most, |p| p.edits.at_most),
    ] {
        let mean = pairs.iter().map(|p| of(p) as f64 * p.weight).sum::<f64>() / all.weight;
        assert!(found.map_or(pairs.is_empty(), |found| near(found, mean)), "{what}");
    }
    for (share, found) in [(0.5, edits.median_at_most), (0.9, edits.ninth_decile_at_most)] {
        let below =
            |most: u64| sum(pairs.iter().copied().filter(|p| p.edits.at_most <= most)).weight;
        let enough = |most: &u64| below(*most) >= share * all.weight * (1.0 - 1e-9);
        assert_eq!(found, pairs.iter().map(|p| p.edits.at_most).filter(enough).min(), "{what}");
    }
}

fn assert_combined(found: &Evaluation, pairs: &[Pair]) {
    let combined = &found.combined;
    let correct = |p: &&Pair| p.label == Label::Correct;
    let all = sum(pairs.iter().filter(correct));
    assert_eq!((combined.thresholds.len(), combined.training.len()), (385, 385));
    for (c, row) in combined.thresholds.iter().enumerate() {
        let here = || pairs.iter().filter(|p| p.c >= c);
        let judged = sum(here().filter(|p| p.label != Label::Unlabelled));
        assert_eq!((row.c_similarity, row.pairs), (c, here().count() as u64));
        assert_eq!(row.judged, judged.number);
        assert_share(row.precision, sum(here().filter(correct)), judged, "combined");
        assert_share(row.r, sum(here().filter(correct)), all, "combined");
    }
    let mean = |c: usize| {
        let row = &combined.training[c];
        let (p, r) = (row.precision.map_or(0.0, |p| p.share), row.r.map_or(0.0, |r| r.share));
        if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 }
    };
    assert!((0..=384).all(|c| mean(c) <= mean(combined.best)));
    assert_eq!(combined.testing[0].c_similarity, 355);
    assert_eq!(combined.testing[1].c_similarity, combined.best);
    for tested in &combined.testing {
        let c = tested.c_similarity;
        let (whole, training) = (&combined.thresholds[c], &combined.training[c]);
        let by_sites: u64 = tested.rows[1..].iter().map(|row| row.pairs).sum();
        assert_eq!(tested.rows[0].pairs, by_sites);
        assert_eq!(tested.rows[0].pairs + training.pairs, whole.pairs, "two halves");
        assert_eq!(tested.rows[0].judged + training.judged, whole.judged, "two halves");
        let number = |share: Option<Share>| share.map_or(0, |share| share.number);
        assert_eq!(number(tested.rows[0].correct), number(tested.rows[0].r));
    }
}

#[test]
fn every_number_is_that_of_brute_force() {
    let folder = folder("equals-naive");
    let (documents, labels) = (folder.join("pages.jsonl"), folder.join("labels.jsonl"));
    let mut correct = 0;
    for seed in 0..12 {
        let mut random = Sequence::new(seed, 11);
        let (weighted, absent) = (seed % 3 == 2, usize::from(seed % 2 != 0));
        let identical = if seed % 4 == 3 { CopyRule::Counted } else { CopyRule::Removed };
        let count = 20 + random.next() as usize % 40;
        let pages = pages(&mut random, count);
        let judgements = judgements(&mut random, &pages, weighted);
        write_pages(&documents, &pages);
        write_labels(&labels, &judgements);
        let mut file = LabelFile::new(&labels);
        file.absent = Some([AbsentRule::Unlabelled, AbsentRule::Incorrect][absent]);
        let found = Eval::new([documents.to_str().unwrap().to_owned()])
            .recipes(recipes())
            .identical(identical)
            .threads(1 + seed as usize % 3)
            .memory(80 << 20)
            .run(&file)
            .unwrap();
        let naive = naive::evaluate(
            &pages,
            &judgements,
            &recipes(),
            [Label::Unlabelled, Label::Incorrect][absent],
            identical == CopyRule::Removed,
        );
        assert_eq!(found.documents, pages.len() as u64);
        let removed = naive.removed.iter().filter(|removed| **removed).count() as u64;
        assert_eq!(found.identical_removed, removed);
        assert_eq!(found.labels.weighted, weighted);
        let labelled = |label: Label| naive.labelled.iter().filter(|p| p.label == label).count();
        assert_eq!(found.labels.correct, labelled(Label::Correct) as u64);
        assert_eq!(found.labels.undecided, labelled(Label::Undecided) as u64);
        let counted = found.labels.correct + found.labels.incorrect + found.labels.undecided;
        let left_out = found.labels.identical + found.labels.of_removed;
        assert_eq!(counted + left_out, judgements.len() as u64);
        for (number, recipe) in found.recipes.iter().enumerate() {
            let (what, pairs) = (format!("{seed}, {}", recipe.name), &naive.returned[number]);
            assert_rows(recipe, number, &naive, &what);
            assert_graph(recipe, pairs, &what);
            assert_sites(recipe, pairs, &naive, &pages);
            assert_pages(recipe, pairs, &pages);
            assert_similarities(recipe, pairs, &what);
            assert_reasons(recipe, pairs, &naive.labelled, &what);
            assert_differences(recipe, pairs, &what);
            let (returned, labelled) = (pairs.iter().collect::<Vec<_>>(), naive.labelled.iter());
            assert_quality(&recipe.quality, &returned, &labelled.collect::<Vec<_>>(), &what);
            assert_curve(recipe, &recipes()[number], pairs, &naive, &pages, &what);
            assert_clusters(recipe, pairs, &naive.labelled, &what);
            correct += recipe.rows[0].correct.map_or(0, |share| share.number);
        }
        assert_hosts(&found, &naive, &pages);
        assert_combined(&found, &naive.returned[0]);
    }
    assert!(correct > 200, "the corpora have pairs to be right about: {correct}");
}

/// The first run is the recipe's own, and the others are what it gives with their seeds.
#[test]
fn repeats_are_what_other_seeds_give() {
    let folder = folder("repeats");
    let (documents, labels) = (folder.join("pages.jsonl"), folder.join("labels.jsonl"));
    let mut random = Sequence::new(40, 11);
    let pages = pages(&mut random, 60);
    write_pages(&documents, &pages);
    write_labels(&labels, &judgements(&mut random, &pages, false));
    let file = LabelFile::new(&labels);
    let run = |seed: u64, repeats: usize| {
        let recipes = recipes().into_iter().map(|recipe| Recipe { seed, ..recipe });
        let job = Eval::new([documents.to_str().unwrap().to_owned()]).recipes(recipes);
        job.repeats(repeats).memory(80 << 20).run(&file).unwrap()
    };
    let repeated = run(7, 3);
    let single: Vec<Evaluation> = (7..10).map(|seed| run(seed, 1)).collect();
    let mut differ = false;
    for (number, recipe) in repeated.recipes.iter().enumerate() {
        let over = recipe.over_seeds.as_ref().unwrap();
        assert_eq!(over.runs.len(), 3);
        for (run, single) in over.runs.iter().zip(&single) {
            let single = &single.recipes[number];
            assert_eq!((run.seed, run.quality), (single.seed, single.quality), "{}", recipe.name);
            assert_eq!(run.clusters, single.clusters, "{}", recipe.name);
            assert_eq!(single.over_seeds, None);
        }
        let f1 = over.f1.as_ref().unwrap();
        let values: Vec<f64> = over.runs.iter().map(|run| run.quality.f1.unwrap().share).collect();
        assert_eq!(f1.values, values);
        assert!(f1.low <= f1.mean && f1.mean <= f1.high);
        differ |= f1.deviation > 0.0;
    }
    assert!(differ, "chance does something");
}

/// One number a row, names in quotes where they need them, and nothing that the evaluation has not.
#[test]
fn csv_is_tidy() {
    let folder = folder("csv");
    let (documents, labels) = (folder.join("pages.jsonl"), folder.join("labels.jsonl"));
    let mut random = Sequence::new(41, 11);
    let pages = pages(&mut random, 30);
    write_pages(&documents, &pages);
    write_labels(&labels, &judgements(&mut random, &pages, false));
    let odd = Recipe { name: "a \"b\", c".into(), ..Recipe::preset("text").unwrap() };
    let job = Eval::new([documents.to_str().unwrap().to_owned()]);
    let job = job.recipes([odd, baseline("simhash").unwrap()]).repeats(2).memory(80 << 20);
    let found = job.run(&LabelFile::new(&labels)).unwrap();
    let csv = found.csv();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("recipe,threshold,seed,metric,value,low,high"));
    let mut seen = std::collections::BTreeSet::new();
    for line in lines {
        let (name, rest) = match line.strip_prefix("\"a \"\"b\"\", c\",") {
            Some(rest) => ("text", rest),
            None => line.split_once(',').unwrap(),
        };
        let fields: Vec<&str> = rest.split(',').collect();
        assert_eq!(fields.len(), 6, "{line}");
        let [threshold, seed, metric, value, low, high] = fields[..] else { unreachable!() };
        assert_eq!(threshold.is_empty(), name == "simhash", "{line}");
        let value: f64 = value.parse().unwrap();
        if !low.is_empty() {
            let ends = low.parse::<f64>().unwrap()..=high.parse().unwrap();
            assert!(ends.contains(&value), "{line}");
        }
        assert!(seen.insert((name, threshold, seed, metric)), "once: {line}");
    }
    for metric in ["precision", "recall", "f1", "pairwise-f1", "b-cubed-f1"] {
        for (name, threshold) in [("text", "0.8"), ("simhash", "")] {
            for seed in ["0", "1", "mean"] {
                assert!(seen.contains(&(name, threshold, seed, metric)), "{name} {seed} {metric}");
            }
        }
    }
    assert!(seen.contains(&("text", "0.05", "0", "curve-f1")));
    assert!(seen.contains(&("text", "0.8", "0", "signing-seconds")));
}

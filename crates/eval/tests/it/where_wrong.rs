//! Where recipes are wrong, and where pages are from, by brute force.

use std::collections::BTreeMap;

use lookalike_eval::{Evaluation, Label, RecipeEvaluation};

use crate::equals_naive::near;
use crate::naive::{Naive, Page, Pair};

/// Sites by what stands in addresses, each pair once for each of its sites.
pub(crate) fn assert_sites(
    found: &RecipeEvaluation,
    pairs: &[Pair],
    naive: &Naive,
    pages: &[Page],
) {
    let site = |row: usize| pages[row].url.as_deref().and_then(lookalike_core::site);
    let of = |pair: &Pair, name: &str| {
        [pair.rows.0, pair.rows.1].into_iter().any(|row| site(row).as_deref() == Some(name))
    };
    let is_returned = |pair: &Pair| pairs.iter().any(|other| other.rows == pair.rows);
    let is_missed = |pair: &&Pair| pair.label == Label::Correct && !is_returned(pair);
    let is_wrong = |pair: &&Pair| pair.label == Label::Incorrect;
    let missed: Vec<&Pair> = naive.labelled.iter().filter(is_missed).collect();
    let wrong: Vec<&Pair> = pairs.iter().filter(is_wrong).collect();
    let mut names: Vec<String> = (0..pages.len()).filter_map(site).collect();
    names.sort();
    names.dedup();
    let faults = |name: &str| {
        let of_name = |pairs: &[&Pair]| pairs.iter().filter(|pair| of(pair, name)).count() as u64;
        (of_name(&wrong), of_name(&missed))
    };
    names.retain(|name| faults(name) != (0, 0));
    assert_eq!(found.faults.faulty_sites, names.len() as u64, "{}", found.name);
    assert_eq!(found.faults.sites.len(), names.len().min(20));
    assert!(found.faults.sites.is_sorted_by_key(|s| std::cmp::Reverse(s.wrong + s.missed)));
    let share = |part: u64, whole: usize| if part == 0 { 0.0 } else { part as f64 / whole as f64 };
    for told in &found.faults.sites {
        assert!(names.contains(&told.site), "{}", told.site);
        assert_eq!((told.wrong, told.missed), faults(&told.site), "{}", told.site);
        let returned = pairs.iter().filter(|pair| of(pair, &told.site)).count();
        assert_eq!(told.pairs, returned as u64, "{}", told.site);
        assert!(near(told.pair_share, share(told.pairs, pairs.len())));
        assert!(near(told.wrong_share, share(told.wrong, wrong.len())));
        assert!(near(told.missed_share, share(told.missed, missed.len())));
    }
}

pub(crate) fn assert_hosts(found: &Evaluation, naive: &Naive, pages: &[Page]) {
    let host = |url: &str| url.split('/').nth(2).unwrap().to_owned();
    let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
    let kept = || pages.iter().zip(&naive.removed).filter(|(_, removed)| !**removed);
    for (page, _) in kept() {
        if let Some(url) = &page.url {
            *sizes.entry(host(url)).or_default() += 1;
        }
    }
    let hosts = &found.hosts;
    let of_hosts = sizes.values().sum::<u64>();
    assert_eq!((hosts.hosts, hosts.pages), (sizes.len() as u64, of_hosts));
    assert_eq!(hosts.without_host, kept().count() as u64 - of_hosts);
    assert!(near(hosts.average.unwrap(), of_hosts as f64 / sizes.len() as f64));
    let mut sorted: Vec<u64> = sizes.values().copied().collect();
    sorted.sort_unstable();
    let at = |share: f64| Some(sorted[(sorted.len() as f64 * share).ceil() as usize - 1]);
    let quantiles = [hosts.median, hosts.ninth_decile, hosts.last_percentile];
    assert_eq!(quantiles, [at(0.5), at(0.9), at(0.99)]);
    let mut largest: Vec<(u64, String)> = sizes.into_iter().map(|(host, n)| (n, host)).collect();
    largest.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let told: Vec<(u64, String)> =
        hosts.largest.iter().map(|host| (host.pages, host.host.clone())).collect();
    assert_eq!(told, largest);
    let counted: u64 = hosts.counts.iter().map(|[pages, hosts]| pages * hosts).sum();
    assert_eq!(counted, of_hosts);
}

/// Each page with all of its pairs at hand.
pub(crate) fn assert_pages(found: &RecipeEvaluation, pairs: &[Pair], pages: &[Page]) {
    let [mut right, mut wrong, mut undecided, mut unknown] = [0; 4];
    for page in 0..pages.len() {
        let is_of = |pair: &&Pair| pair.rows.0 == page || pair.rows.1 == page;
        let labels: Vec<Label> = pairs.iter().filter(is_of).map(|pair| pair.label).collect();
        if labels.iter().all(|label| *label == Label::Unlabelled) {
            continue;
        }
        let any = |label: Label| labels.contains(&label);
        let kind = match (any(Label::Correct), any(Label::Unlabelled), any(Label::Undecided)) {
            (true, ..) => &mut right,
            (_, true, _) => &mut unknown,
            (.., true) => &mut undecided,
            _ => &mut wrong,
        };
        *kind += 1;
    }
    let quality = &found.page_quality;
    assert_eq!(quality.judged, right + wrong + undecided + unknown, "{}", found.name);
    let kinds = [quality.right, quality.wrong, quality.undecided, quality.unknown];
    assert_eq!(kinds, [right, wrong, undecided, unknown], "{}", found.name);
    let of = |share: Option<lookalike_eval::Share>| share.map(|share| share.share);
    let expected = |whole: u64| (whole > 0).then(|| right as f64 / whole as f64);
    assert_eq!(of(quality.precision), expected(right + wrong));
    assert_eq!(of(quality.at_least), expected(right + wrong + unknown));
}

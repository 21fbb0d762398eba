//! Hosts, and how many pages each has: section 3 of the paper describes its collection by them.

use std::collections::BTreeMap;

use lookalike_core::{host_of, site_hash};
use lookalike_engine::{Observer, RecipePairs};
use serde::Serialize;

use crate::documents::Documents;
use crate::error::Result;
use crate::statistics::{PowerLaw, quantile};

/// Hosts that are named, those with the most pages.
const NAMED: usize = 20;

/// The hosts of the documents that are not left out for an earlier one with the same words.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Hosts {
    /// Different hosts.
    pub hosts: u64,
    /// Documents whose address has a host.
    pub pages: u64,
    /// Documents without one.
    pub without_host: u64,
    /// Pages of a host, on average.
    pub average: Option<f64>,
    /// Of how many pages at most half of the hosts are.
    pub median: Option<u64>,
    /// Of how many pages at most nine in ten hosts are.
    pub ninth_decile: Option<u64>,
    /// Of how many pages at most 99 in 100 hosts are.
    pub last_percentile: Option<u64>,
    /// `[pages, hosts]`: how many hosts have how many pages, in order.
    pub counts: Vec<[u64; 2]>,
    /// The law fitted to these.
    pub power_law: Option<PowerLaw>,
    /// The hosts with the most pages, at most 20, the largest first.
    pub largest: Vec<HostSize>,
}

/// A host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HostSize {
    /// Its name.
    pub host: String,
    /// Its pages.
    pub pages: u64,
}

/// The hosts of documents. Eight bytes of each document are held.
pub(crate) fn of(
    documents: &Documents,
    found: &RecipePairs,
    observer: &dyn Observer,
) -> Result<Hosts> {
    let (mut hashes, mut pages) = (Vec::new(), 0);
    found.for_each_url(observer, |row, url| {
        if let Some(host) = url.and_then(host_of)
            && !documents.is_removed(row)
        {
            pages += 1;
            hashes.push(site_hash(&host));
        }
    })?;
    hashes.sort_unstable();
    let sizes: Vec<(u64, u64)> =
        hashes.chunk_by(|a, b| a == b).map(|pages| (pages.len() as u64, pages[0])).collect();
    drop(hashes);
    let mut hosts = Hosts::of(sizes.iter().map(|(pages, _)| *pages));
    hosts.without_host = documents.len() - documents.removed() - pages;

    let mut largest = sizes;
    largest.sort_unstable_by_key(|(pages, host)| (std::cmp::Reverse(*pages), *host));
    largest.truncate(NAMED);
    let mut names: BTreeMap<u64, String> = BTreeMap::new();
    found.for_each_url(observer, |_, url| {
        if let Some(host) = url.and_then(host_of) {
            let hash = site_hash(&host);
            if largest.iter().any(|(_, wanted)| *wanted == hash) {
                names.entry(hash).or_insert(host);
            }
        }
    })?;
    let named = |(pages, hash): (u64, u64)| HostSize {
        host: names.remove(&hash).unwrap_or_default(),
        pages,
    };
    hosts.largest = largest.into_iter().map(named).collect();
    // By names where they are of one size, whatever their hashes.
    hosts.largest.sort_by(|a, b| b.pages.cmp(&a.pages).then_with(|| a.host.cmp(&b.host)));
    Ok(hosts)
}

impl Hosts {
    /// Of the number of pages of each host.
    fn of(sizes: impl Iterator<Item = u64>) -> Self {
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        sizes.for_each(|pages| *counts.entry(pages).or_default() += 1);
        let weighted: Vec<(u64, f64)> =
            counts.iter().map(|(pages, hosts)| (*pages, *hosts as f64)).collect();
        let hosts = counts.values().sum();
        let pages = counts.iter().map(|(pages, hosts)| pages * hosts).sum();
        let counts: Vec<[u64; 2]> =
            counts.into_iter().map(|(pages, hosts)| [pages, hosts]).collect();
        Self {
            hosts,
            pages,
            without_host: 0,
            average: (hosts > 0).then(|| pages as f64 / hosts as f64),
            median: quantile(&weighted, 0.5),
            ninth_decile: quantile(&weighted, 0.9),
            last_percentile: quantile(&weighted, 0.99),
            // No host could have more pages than there are.
            power_law: PowerLaw::fit(&counts, pages),
            counts,
            largest: Vec::new(),
        }
    }
}

//! What the report says of sites and mirrors, from the addresses of documents.

use std::cmp::Reverse;
use std::path::Path;

use lookalike_core::{SiteRule, site_hash};
use lookalike_files::{Rows, RowsWriter, double_word};

use crate::document_set::RowSet;
use crate::error::Result;
use crate::files::Files;
use crate::matching::Pair;
use crate::mirrors::{self, Mirrors, Search};
use crate::observe::Observer;
use crate::order::Order;
use crate::places::Row;
use crate::report::{self, MAX_MIRRORS, MAX_SITES};
use crate::sign::SITES;
use crate::sort::Sorter;
use crate::urls::Urls;
use crate::write::{self, Outcome, TableSummary};

/// The addresses of documents, and the hashes of their sites in a table.
pub(super) struct Addresses {
    pub(super) urls: Urls,
    pub(super) sites: Rows,
    rule: SiteRule,
}

/// What they are seen beside.
pub(super) struct Decision<'a> {
    pub(super) order: &'a Order,
    pub(super) outcome: &'a Outcome<'a>,
    pub(super) removed: &'a RowSet,
    pub(super) written: &'a TableSummary,
    pub(super) budget: usize,
    pub(super) observer: &'a dyn Observer,
}

/// Writes the hashes of sites that candidates go by, from the addresses that a run stored.
pub(super) fn write_sites(files: &Files, rule: SiteRule, documents: u64) -> Result<()> {
    if let Some(urls) = Urls::open(&files.urls())? {
        return write_site_hashes(&urls, rule, &files.sites());
    }
    let mut sites = RowsWriter::create(&files.sites(), SITES, 8)?;
    for _ in 0..documents {
        sites.push(&[0; 8])?;
    }
    Ok(sites.finish()?)
}

fn write_site_hashes(urls: &Urls, rule: SiteRule, path: &Path) -> Result<()> {
    let mut sites = RowsWriter::create(path, SITES, 8)?;
    urls.for_each(|_, url| {
        let site = url.and_then(|url| rule.site(url));
        Ok(sites.push(&site.as_deref().map_or(0, site_hash).to_le_bytes())?)
    })?;
    Ok(sites.finish()?)
}

impl Addresses {
    /// Opens the addresses of new documents, and writes the table; `None` if none has a URL.
    pub(super) fn open(files: &Files, rule: SiteRule, documents: u64) -> Result<Option<Self>> {
        let Some(urls) = Urls::open(&files.urls())? else { return Ok(None) };
        let urls = urls.first(documents);
        write_site_hashes(&urls, rule, &files.report_sites())?;
        let sites = Rows::open(&files.report_sites(), SITES, 8)?;
        Ok(Some(Self { urls, sites, rule }))
    }

    /// What the report says of them.
    pub(super) fn report(&mut self, decided: &Decision<'_>) -> Result<report::Sites> {
        let mut report = report::Sites {
            rule: self.rule.name().to_owned(),
            pairs_within: decided.written.within_sites,
            pairs_across: decided.written.across_sites,
            ..report::Sites::default()
        };
        let largest = self.count(decided, &mut report)?;
        for SiteCount { first, documents, removed: Reverse(removed) } in largest {
            let name = self.site(first)?;
            let share = removed as f64 / documents as f64;
            report.most_removed.push(report::Site { name, documents, removed, share });
        }
        report.traps = self.traps(decided)?;
        let found = self.mirrors(decided, &mut report.limited_sets)?;
        (report.mirrors_found, report.mirrors) = (found.count, found.mirrors);
        Ok(report)
    }

    /// The site of a document, if its URL has one.
    pub(super) fn site(&mut self, row: Row) -> Result<String> {
        let url = self.urls.get(row)?.unwrap_or_default();
        Ok(self.rule.site(&url).unwrap_or_default())
    }

    /// Counts documents by their sites; those of which most was removed.
    fn count(&self, decided: &Decision<'_>, report: &mut report::Sites) -> Result<Vec<SiteCount>> {
        // The hash of a site and a row of it, sorted out of core.
        let mut rows = Sorter::new(decided.outcome.folder, decided.budget);
        self.sites.for_each(|row, hash| match double_word(hash, 0) {
            0 => Ok(()),
            site => rows.push([site, row]),
        })?;
        let mut rows = rows.finish()?;
        let mut largest: Vec<SiteCount> = Vec::new();
        let mut next = rows.next()?;
        while let Some([site, first]) = next {
            let first = Row::nth(first);
            let mut counted = SiteCount { removed: Reverse(0), first, documents: 0 };
            while let Some([_, row]) = next.filter(|[of, _]| *of == site) {
                counted.documents += 1;
                counted.removed.0 += u64::from(decided.removed.contains(Row::nth(row)));
                next = rows.next()?;
            }
            report.sites += 1;
            report.documents += counted.documents;
            if counted.removed.0 > 0 {
                let at = largest.partition_point(|other| *other < counted);
                largest.insert(at, counted);
                largest.truncate(MAX_SITES);
            }
        }
        Ok(largest)
    }

    /// The mirrors that the accepted pairs show, and what follows from these for copies.
    fn mirrors(
        &mut self,
        decided: &Decision<'_>,
        limited: &mut u64,
    ) -> Result<mirrors::MirrorList> {
        let Decision { order, outcome, budget, observer, .. } = *decided;
        let search = Search {
            min_pages: Mirrors::DEFAULT_MIN_PAGES,
            min_share: Mirrors::DEFAULT_MIN_SHARE,
            limit: MAX_MIRRORS,
            folder: outcome.folder,
            budget,
            observer,
        };
        search.run(&mut self.urls, |each| {
            let sides = order.sides();
            write::for_each(outcome, |Pair { earlier, later, evidence }| {
                if sides.knows(earlier) {
                    return Ok(());
                }
                each(order.row(later), order.row(earlier), evidence.resemblance())
            })?;
            *limited = write::for_each_within_sets(outcome, |earlier, later| {
                if sides.knows(earlier) {
                    return Ok(());
                }
                each(order.row(later), order.row(earlier), Some(1.0))
            })?;
            Ok(())
        })
    }
}

/// A site: those of which most was removed come first, then the first in the input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SiteCount {
    removed: Reverse<u64>,
    /// Its first row.
    first: Row,
    documents: u64,
}

//! Pages that stand under very many addresses of their site: calendars without end, session ids,
//! filters in every order, and whatever else traps robots.
//!
//! Counted out of core, from the clusters of a job: for each cluster and site the different addresses of its documents. Of
//! the pages with the most a sample of the addresses is read, which says what they have in common.

use std::cmp::Reverse;

use lookalike_core::mix;
use lookalike_files::double_word;
use xxhash_rust::xxh3::xxh3_64;

use super::address_pattern::pattern;
use super::sites::{Addresses, Decision};
use crate::error::Result;
use crate::places::Row;
use crate::report::{MANY_ADDRESSES, MAX_TRAPS, Trap};
use crate::sort::Sorter;

/// Addresses that a pattern is made of: a random sample, so that what one in a hundred has is seen.
const SAMPLE: usize = 1000;

/// Addresses that are shown.
const EXAMPLES: usize = 3;

/// A page of a site and its addresses.
struct Page {
    addresses: u64,
    /// Documents with these addresses.
    sample: Vec<Row>,
}

impl Addresses {
    /// Pages of one site with very many addresses, those with the most first.
    pub(super) fn traps(&mut self, decided: &Decision<'_>) -> Result<Vec<Trap>> {
        let pages = self.pages(decided)?;
        pages.into_iter().map(|page| self.trap(&page)).collect()
    }

    fn trap(&mut self, page: &Page) -> Result<Trap> {
        let urls = page.sample.iter().map(|row| Ok(self.urls.get(*row)?.unwrap_or_default()));
        let mut urls: Vec<String> = urls.collect::<Result<_>>()?;
        urls.sort_unstable();
        let site = self.site(page.sample[0])?;
        let pattern = pattern(&urls);
        urls.truncate(EXAMPLES);
        Ok(Trap { site, addresses: page.addresses, pattern, examples: urls })
    }

    fn pages(&self, decided: &Decision<'_>) -> Result<Vec<Page>> {
        let (folder, budget) = (decided.outcome.folder, decided.budget / 3);
        // Documents of clusters in the order of the input, each with its keeper.
        let mut members: Sorter<[u64; 2]> = Sorter::new(folder, budget);
        decided.outcome.for_each_follower(|follower| {
            let keeper = u64::from(follower.keeper);
            [follower.keeper, follower.place]
                .into_iter()
                .try_for_each(|place| members.push([u64::from(decided.order.row(place)), keeper]))
        })?;
        let mut members = members.finish()?;
        let mut next = members.next()?;
        // The page, the address, and a document that has it.
        let mut addresses: Sorter<[u64; 3]> = Sorter::new(folder, budget);
        self.urls.for_each(|row, url| {
            // A keeper comes once for each that it stands for.
            let mut keeper = None;
            while let Some([_, of]) = next.filter(|[other, _]| *other <= row.into()) {
                keeper = next.filter(|[other, _]| *other == u64::from(row)).map(|_| of);
                next = members.next()?;
            }
            let (Some(keeper), Some(url)) = (keeper, url) else { return Ok(()) };
            let mut site = [0; 8];
            self.sites.rows(row.into(), &mut site)?;
            match double_word(&site, 0) {
                0 => Ok(()),
                site => {
                    addresses.push([mix(site ^ mix(keeper)), xxh3_64(url.as_bytes()), row.into()])
                }
            }
        })?;
        drop(members);

        let mut addresses = addresses.finish()?;
        let mut most: Vec<Page> = Vec::new();
        let mut next = addresses.next()?;
        while let Some([page, ..]) = next {
            let mut found = Page { addresses: 0, sample: Vec::new() };
            let mut last = None;
            while let Some([_, address, row]) = next.filter(|[of, ..]| *of == page) {
                if last.replace(address) != Some(address) {
                    found.addresses += 1;
                    // In the order of their hashes, so that the first ones are a random sample.
                    if found.sample.len() < SAMPLE {
                        found.sample.push(Row::nth(row));
                    }
                }
                next = addresses.next()?;
            }
            if found.addresses >= MANY_ADDRESSES {
                let order =
                    |page: &Page| (Reverse(page.addresses), page.sample.iter().min().copied());
                let at = most.partition_point(|other| order(other) < order(&found));
                most.insert(at, found);
                most.truncate(MAX_TRAPS);
            }
        }
        Ok(most)
    }
}

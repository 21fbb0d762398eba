//! Which part has a window next: equal windows, in the order of the parts that have them.

use std::path::Path;

use lookalike_core::passages::Source;

use super::part::ClassKey;
use super::rule::{PassageRule, PassageScope};
use super::windows::Fingerprint;
use crate::error::Result;
use crate::means::Means;
use crate::sort::{SortedRecords, Sorter};

/// Where a window begins: the place of its document, and its token there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub(super) document: u32,
    pub(super) token: u32,
}

impl Spot {
    pub(super) fn pack(self) -> u64 {
        u64::from(self.document) << 32 | u64::from(self.token)
    }

    pub(super) fn unpack(packed: u64) -> Self {
        Self { document: (packed >> 32) as u32, token: packed as u32 }
    }
}

impl From<Source> for Spot {
    fn from(source: Source) -> Self {
        Self { document: source.document, token: source.token }
    }
}

impl From<Spot> for Source {
    fn from(spot: Spot) -> Self {
        Self { document: spot.document, token: spot.token }
    }
}

/// What the first window of a class in a part is to the sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// The next part that has the window.
    Next(Spot),
    /// It is the first of all; so many there are.
    Start(u32),
}

/// Takes the classes of parts.
pub(super) struct LinkSorter(Sorter<[u64; 3]>);

impl LinkSorter {
    pub(super) fn new(folder: &Path, budget: usize) -> Self {
        Self(Sorter::new(folder, budget))
    }

    /// The class whose first window is there.
    pub(super) fn push(&mut self, spot: Spot, key: ClassKey) -> Result<()> {
        let Fingerprint(first, second) = key.fingerprint;
        let spot = spot.pack();
        self.0.push([
            first,
            u64::from(second) << 32 | spot >> 32,
            spot << 32 | u64::from(key.count),
        ])
    }

    /// The links between equal windows that count as passages.
    pub(super) fn links(self, rule: &PassageRule, means: &Means<'_>) -> Result<Links> {
        let mut sorted = self.0.finish()?;
        let links = Sorter::new(&means.files.sorting(), means.budget / 4);
        let mut links = LinkWriter { rule, links };
        let mut group: Option<Group> = None;
        let mut number = 0;
        while let Some([first, second, third]) = sorted.next()? {
            means.listen(number)?;
            number += 1;
            let fingerprint = (first, (second >> 32) as u32);
            let spot = Spot::unpack(second << 32 | third >> 32);
            let count = u64::from(third as u32);
            if let Some(group) = group.as_mut().filter(|group| group.fingerprint == fingerprint) {
                links.add(group, spot, count)?;
            } else if let Some(ended) = group.replace(Group {
                fingerprint,
                first: spot,
                last: spot,
                copies: count,
                documents: 1,
            }) {
                links.end(&ended)?;
            }
        }
        group.map_or(Ok(()), |group| links.end(&group))?;
        drop(sorted);
        let mut links = links.links.finish()?;
        let next = links.next()?;
        Ok(Links { links, next })
    }
}

/// Equal windows, as far as they were read.
struct Group {
    fingerprint: (u64, u32),
    first: Spot,
    last: Spot,
    copies: u64,
    documents: u64,
}

struct LinkWriter<'a> {
    rule: &'a PassageRule,
    links: Sorter<[u64; 3]>,
}

/// In place of the next spot of the first window.
const START: u64 = u64::MAX;

impl LinkWriter<'_> {
    fn add(&mut self, group: &mut Group, spot: Spot, count: u64) -> Result<()> {
        let same = group.last.document == spot.document;
        if self.rule.scope == PassageScope::Document && !same {
            self.end(group)?;
            (group.first, group.copies, group.documents) = (spot, count, 1);
        } else {
            // Links of windows that turn out to be no passage lead nowhere: they have no start.
            self.links.push([group.last.pack(), spot.pack(), 0])?;
            group.copies += count;
            group.documents += u64::from(!same);
        }
        group.last = spot;
        Ok(())
    }

    fn end(&mut self, group: &Group) -> Result<()> {
        let stands_often = group.copies > u64::from(self.rule.max_copies);
        if !stands_often || group.documents < u64::from(self.rule.min_documents) {
            return Ok(());
        }
        let copies = group.copies.min(u32::MAX.into());
        self.links.push([group.first.pack(), START, copies])
    }
}

/// Links in the order of the windows that they are of.
pub(super) struct Links {
    links: SortedRecords<[u64; 3]>,
    next: Option<[u64; 3]>,
}

impl Links {
    /// The next link of a window before this spot.
    pub(super) fn next_before(&mut self, end: Spot) -> Result<Option<(Spot, Link)>> {
        let Some([spot, next, copies]) = self.next.filter(|link| link[0] < end.pack()) else {
            return Ok(None);
        };
        self.next = self.links.next()?;
        let link = match next {
            START => Link::Start(copies as u32),
            next => Link::Next(Spot::unpack(next)),
        };
        Ok(Some((Spot::unpack(spot), link)))
    }

    /// The window of the next link.
    pub(super) fn next_spot(&self) -> Option<Spot> {
        self.next.map(|link| Spot::unpack(link[0]))
    }
}

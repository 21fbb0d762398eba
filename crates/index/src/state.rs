//! How far an index is: small records of the store.

use std::path::Path;

use lookalike_files::checksum;

use crate::error::{Error, Result};
use crate::postings::SegmentEntry;

/// Changes with every operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// Changes made so far.
    pub(crate) operations: u64,
    /// The next document's number.
    pub(crate) next: u64,
    /// Documents that are alive.
    pub(crate) documents: u64,
    /// Numbers in the table of tombstones.
    pub(crate) tombstones: u64,
}

/// Changes when a segment is written or several are merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Segments {
    /// Documents below this number have their postings in segments.
    pub(crate) flushed: u64,
    /// The next segment's id.
    pub(crate) next_id: u64,
    /// In the order of their documents.
    pub(crate) entries: Vec<SegmentEntry>,
}

/// How many templates there are; never changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TemplateCounts {
    /// Sites that have one.
    pub(crate) sites: u64,
    /// Shingles of all of them.
    pub(crate) shingles: u64,
}

impl TemplateCounts {
    pub(crate) const KEY: &'static [u8] = b"templates";

    pub(crate) fn encode(self) -> Vec<u8> {
        sealed([self.sites, self.shingles])
    }

    pub(crate) fn decode(bytes: Option<&[u8]>, store: &Path) -> Result<Self> {
        match opened(bytes).as_deref() {
            Some(&[sites, shingles]) => Ok(Self { sites, shingles }),
            _ => {
                Err(Error::corruption(store, "state: the record `templates` is damaged or missing"))
            }
        }
    }
}

impl Head {
    pub(crate) const KEY: &'static [u8] = b"head";

    pub(crate) fn encode(&self) -> Vec<u8> {
        let Self { operations, next, documents, tombstones } = *self;
        sealed([operations, next, documents, tombstones])
    }

    pub(crate) fn decode(bytes: Option<&[u8]>, store: &Path) -> Result<Self> {
        match opened(bytes).as_deref() {
            Some(&[operations, next, documents, tombstones]) => {
                Ok(Self { operations, next, documents, tombstones })
            }
            _ => Err(Error::corruption(store, "state: the record `head` is damaged or missing")),
        }
    }
}

impl Segments {
    pub(crate) const KEY: &'static [u8] = b"runs";

    pub(crate) fn encode(&self) -> Vec<u8> {
        let entries = self.entries.iter().flat_map(|entry| {
            [entry.id, u64::from(entry.level), entry.first, entry.end, entry.postings]
        });
        sealed([self.flushed, self.next_id].into_iter().chain(entries))
    }

    pub(crate) fn decode(bytes: Option<&[u8]>, store: &Path) -> Result<Self> {
        let damaged = || Error::corruption(store, "state: the record `runs` is damaged or missing");
        let words = opened(bytes).ok_or_else(damaged)?;
        let (&[flushed, next_id], entries) = words.split_first_chunk().ok_or_else(damaged)?;
        let (entries, rest) = entries.as_chunks();
        if !rest.is_empty() {
            return Err(damaged());
        }
        let entries = entries.iter().map(|&[id, level, first, end, postings]| SegmentEntry {
            id,
            level: level as u32,
            first,
            end,
            postings,
        });
        Ok(Self { flushed, next_id, entries: entries.collect() })
    }
}

/// Words and their checksum.
fn sealed(words: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
    bytes.extend(checksum(&bytes));
    bytes
}

/// The words, if they have their checksum.
fn opened(bytes: Option<&[u8]>) -> Option<Vec<u64>> {
    let (body, found) = bytes?.split_last_chunk()?;
    let (words, rest) = body.as_chunks();
    let right = rest.is_empty() && checksum(body) == *found;
    right.then(|| words.iter().map(|word| u64::from_le_bytes(*word)).collect())
}

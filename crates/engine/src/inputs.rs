//! The inputs of a job: whatever is read is listed here.

use lookalike_corpus::{Format, Source, Sources, Tables};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::observe::{Observer, Work};
use crate::skips::Skips;

/// What a job reads.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    /// Files, folders, globs, or `-` for standard input.
    pub(crate) names: &'a [String],
    pub(crate) format: Option<Format>,
    /// What is in memory, and comes after them.
    pub(crate) tables: Option<&'a Tables>,
}

impl<'a> Inputs<'a> {
    /// All of them, in order.
    ///
    /// # Errors
    /// If one that is named is not there.
    pub(crate) fn sources(&self) -> Result<Sources> {
        let sources = Sources::by_name(self.names, self.format)?;
        Ok(match self.tables {
            Some(tables) => sources.and_tables(tables),
            None => sources,
        })
    }

    /// The same with their numbers, for what reads them.
    pub(crate) fn list(&self, strict: bool, observer: &'a dyn Observer) -> Result<Listing<'a>> {
        let (sources, skips) = (self.sources()?, Skips::default());
        Ok(Listing { sources, strict, observer, number: 0, skips })
    }

    /// The size of all files as they are stored, as far as that can be told; `None` if nobody asks,
    /// since it takes a listing of its own.
    pub(crate) fn stored_bytes(&self, observer: &dyn Observer) -> Result<Option<u64>> {
        if !observer.wants_totals() {
            return Ok(None);
        }
        let bytes = |source: Source| source.stored_bytes().unwrap_or(0);
        Ok(Some(self.sources()?.flatten().map(bytes).sum()))
    }

    /// The same as work that is to be done.
    pub(crate) fn work(&self, observer: &dyn Observer) -> Result<Option<Work>> {
        Ok(self.stored_bytes(observer)?.map(Work::Stored))
    }
}

/// Sources with their numbers; what cannot be listed is left out and counted.
pub(crate) struct Listing<'a> {
    sources: Sources,
    strict: bool,
    observer: &'a dyn Observer,
    number: u64,
    skips: Skips,
}

/// What was left out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ListedSources {
    /// Files in folders that are of an unknown kind.
    pub(crate) other_files: u64,
    pub(crate) skips: Skips,
}

impl Listing<'_> {
    /// What was left out, when all have come.
    pub(crate) fn finish(self) -> ListedSources {
        ListedSources { other_files: self.sources.other_files(), skips: self.skips }
    }
}

impl Iterator for Listing<'_> {
    type Item = Result<(u64, Source)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.sources.next()? {
                Ok(source) => {
                    self.number += 1;
                    return Some(Ok((self.number - 1, source)));
                }
                Err(fault) => {
                    let skipped = self.skips.skip(Error::from(fault), self.strict, self.observer);
                    if let Err(error) = skipped {
                        return Some(Err(error));
                    }
                }
            }
        }
    }
}

//! A sorted run and newly sorted records as one.

use super::{Record, SortedRecords, SortedRunReader};
use crate::error::Result;

/// The records of an old run and new ones, in order, each once.
pub(crate) struct Union<R> {
    old: Option<SortedRunReader<R>>,
    new: Option<SortedRecords<R>>,
    next_old: Option<R>,
    next_new: Option<R>,
}

impl<R: Record> Union<R> {
    pub(crate) fn new(
        old: Option<SortedRunReader<R>>,
        new: Option<SortedRecords<R>>,
    ) -> Result<Self> {
        let mut union = Self { old, new, next_old: None, next_new: None };
        union.advance_old()?;
        union.advance_new()?;
        Ok(union)
    }

    /// The next record, and whether it is new: not in the old run.
    pub(crate) fn next(&mut self) -> Result<Option<(R, bool)>> {
        let (old, new) = (self.next_old, self.next_new);
        let Some(next) = old.into_iter().chain(new).min() else { return Ok(None) };
        if old == Some(next) {
            self.advance_old()?;
        }
        while self.next_new == Some(next) {
            self.advance_new()?;
        }
        Ok(Some((next, old != Some(next))))
    }

    fn advance_old(&mut self) -> Result<()> {
        self.next_old = self.old.as_mut().map_or(Ok(None), SortedRunReader::next)?;
        Ok(())
    }

    fn advance_new(&mut self) -> Result<()> {
        self.next_new = self.new.as_mut().map_or(Ok(None), SortedRecords::next)?;
        Ok(())
    }
}

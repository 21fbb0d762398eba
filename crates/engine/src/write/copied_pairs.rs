//! Pairs of copies: what two documents have in common, their copies have too.
//!
//! Only the first of an identity set is matched. Where every pair is wanted, a
//! pair of two sets becomes the pairs of their members, by two joins on sorted
//! streams: the later sides first, then the earlier ones. And the members of one
//! set are pairs with each other.

use std::collections::BTreeSet;

use super::outcome::{ByRepresentative, Outcome};
use crate::error::Result;
use crate::matching::{Pair, PairReader};
use crate::places::Place;
use crate::sort::{SortedRecords, Sorter};

/// Members of an identity set that are listed with those of another. Two sets of a million would
/// have 10^12 pairs that say the same.
pub const MEMBER_LIMIT: usize = 64;

/// Calls `each` with every accepted pair, the members of identity sets in the place of their first.
/// Returns how many sets had more members than the limit.
pub(crate) fn for_each(
    outcome: &Outcome<'_>,
    mut each: impl FnMut(Pair) -> Result<()>,
) -> Result<u64> {
    let Some(path) = outcome.pairs else { return Ok(0) };
    let mut pairs = PairReader::open(path)?;
    let mut members = Members::new(outcome)?;
    let mut by_earlier = Sorter::new(outcome.folder, outcome.budget);
    while let Some(pair) = pairs.next()? {
        for &later in members.of(pair.later)? {
            by_earlier.push(Pair { later, ..pair })?;
        }
    }
    let mut limited = members.limited;
    let mut by_earlier = by_earlier.finish()?;
    let mut members = Members::new(outcome)?;
    while let Some(Pair { earlier, later, evidence }) = by_earlier.next()? {
        for &earlier in members.of(earlier)? {
            each(Pair::new([earlier, later], evidence))?;
        }
    }
    limited.append(&mut members.limited);
    Ok(limited.len() as u64)
}

/// Calls `each` with the places of pairs of documents in one identity set: of the first members,
/// up to the limit, with all after them. Returns how many sets had more members.
pub(crate) fn for_each_within_sets(
    outcome: &Outcome<'_>,
    mut each: impl FnMut(Place, Place) -> Result<()>,
) -> Result<u64> {
    let mut copies = outcome.copies_by_representative()?;
    let mut set: Vec<Place> = Vec::new();
    let mut limited = 0;
    while let Some([representative, copy]) = copies.next()? {
        if set.first() != Some(&representative) {
            set.clear();
            set.push(representative);
        }
        set.iter().take(MEMBER_LIMIT).try_for_each(|&member| each(member, copy))?;
        match set.len() {
            0..MEMBER_LIMIT => set.push(copy),
            // Counted once: the set is never longer than this.
            MEMBER_LIMIT => {
                limited += 1;
                set.push(copy);
            }
            _ => {}
        }
    }
    Ok(limited)
}

/// The members of identity sets, asked for in ascending order of their first.
struct Members {
    copies: SortedRecords<ByRepresentative>,
    next: Option<ByRepresentative>,
    /// Of the last that was asked for, itself first.
    set: Vec<Place>,
    /// The first of each set that had more than the limit.
    limited: BTreeSet<Place>,
}

impl Members {
    fn new(outcome: &Outcome<'_>) -> Result<Self> {
        let mut copies = outcome.copies_by_representative()?;
        let next = copies.next()?;
        Ok(Self { copies, next, set: Vec::new(), limited: BTreeSet::new() })
    }

    fn of(&mut self, representative: Place) -> Result<&[Place]> {
        if self.set.first() == Some(&representative) {
            return Ok(&self.set);
        }
        self.set.clear();
        self.set.push(representative);
        let mut beyond = false;
        while let Some([first, copy]) = self.next.filter(|[first, _]| *first <= representative) {
            if first == representative {
                match self.set.len() {
                    0..MEMBER_LIMIT => self.set.push(copy),
                    _ => beyond = true,
                }
            }
            self.next = self.copies.next()?;
        }
        if beyond {
            self.limited.insert(representative);
        }
        Ok(&self.set)
    }
}

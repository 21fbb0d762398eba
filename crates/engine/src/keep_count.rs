//! Documents that stay beside the keeper of their cluster, where several of each are kept.
//!
//! Who stands for whom is decided as always, whatever the count is. Then, with a count of K:
//!
//! ```text
//! for each cluster: of its members in the order of the keep policy, the keeper first and copies
//!   among them, the first K stay; the others go, each for the keeper
//! ```
//!
//! So a document that goes has the verified pair with its keeper that it would go by if one were
//! kept, and one that stays beside its keeper has such a pair, too. Documents that are only copies of
//! each other are a cluster like any other: K of them stay. A known keeper is the first of the K. The removal
//! budget counts what goes.
//!
//! Memory: the budget, and a bit a document.

use std::path::Path;

use crate::document_set::PlaceSet;
use crate::error::Result;
use crate::identity_sets::{Copies, CopyOf};
use crate::places::Place;
use crate::sort::Sorter;

/// The places that stay beside their keeper where `count` of a cluster stay.
pub(crate) fn beside(
    count: u32,
    keepers: &[Place],
    copies: &Copies,
    folder: &Path,
    budget: usize,
) -> Result<PlaceSet> {
    let mut beside = PlaceSet::none(keepers.len() as u64);
    let more = count.saturating_sub(1);
    if more == 0 {
        return Ok(beside);
    }
    let mut members: Sorter<[Place; 2]> = Sorter::new(folder, budget);
    for (place, &keeper) in Place::all().zip(keepers) {
        if keeper != place {
            members.push([keeper, place])?;
        }
    }
    let mut list = copies.list()?;
    while let Some(CopyOf { copy, representative }) = list.next()? {
        members.push([keepers[representative.index()], copy])?;
    }
    let (mut members, mut cluster, mut stay) = (members.finish()?, Place::NONE, 0);
    while let Some([keeper, place]) = members.next()? {
        if keeper != cluster {
            (cluster, stay) = (keeper, 0);
        }
        if stay < more {
            stay += 1;
            beside.insert(place);
        }
    }
    Ok(beside)
}

//! Groups of documents that have an element, in which only some look for the others.
//!
//! The file is one of groups, as [`write_groups`](super::write_groups) leaves them, but a member that looks
//! for nothing has a mark before it. Of such members only those are written that come before one that
//! looks: nobody would be compared with the others. So an element that is all but one document's
//! own, as most are, costs nothing, and neither do those of a million documents after the last
//! that looks for it.

use std::path::Path;

use lookalike_files::RowsWriter;

use super::clusters::PLACE;
use super::groups::{END, GROUPS, GroupCounts, HELD, write_places};
use crate::error::Result;
use crate::places::Place;

/// A document that has an element: the element, its place, and whether it looks for others that have
/// it. Sorted by them, so that what looks and what does not of one document are neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// What documents are looked for by.
    pub element: u64,
    /// The document.
    pub place: Place,
    /// Whether it looks.
    pub looks: bool,
}

impl Holder {
    /// As it is sorted.
    pub fn pack(self) -> [u64; 2] {
        [self.element, u64::from(self.place) << 1 | u64::from(self.looks)]
    }

    /// What was packed.
    pub fn unpack([element, place]: [u64; 2]) -> Self {
        Self { element, place: Place::nth(place >> 1), looks: place & 1 == 1 }
    }
}

/// Members that wait for one that looks. What is longer is written at once: it is not held in memory.
const WAITING: usize = 4096;

/// Writes groups to `path`, of holders that come sorted and may come several times; of so many
/// documents.
///
/// # Errors
/// If a file cannot be written; and what `holder` gives.
pub fn write_holders(
    path: &Path,
    documents: u64,
    mut holder: impl FnMut() -> Result<Option<Holder>>,
) -> Result<GroupCounts> {
    let mut groups = HolderGroups {
        file: RowsWriter::create(path, GROUPS, PLACE)?,
        counts: GroupCounts { documents, ..GroupCounts::default() },
        waiting: Vec::new(),
        written: 0,
    };
    let mut following = holder()?;
    while let Some(mut member) = following {
        following = holder()?;
        groups.counts.records += 1;
        let (mut same_place, mut same_element) = (false, false);
        if let Some(next) = &mut following {
            same_element = next.element == member.element;
            same_place = same_element && next.place == member.place;
            // Once, as one that looks if it does so in any of its records.
            next.looks |= same_place && member.looks;
        }
        if same_place {
            continue;
        }
        // The first has nobody to look for.
        member.looks &= groups.written > 0 || !groups.waiting.is_empty();
        groups.push(member)?;
        if !same_element {
            groups.end()?;
        }
    }
    groups.finish()
}

struct HolderGroups {
    file: RowsWriter,
    counts: GroupCounts,
    waiting: Vec<Holder>,
    /// Members of the group that are written.
    written: usize,
}

impl HolderGroups {
    fn push(&mut self, holder: Holder) -> Result<()> {
        self.waiting.push(holder);
        if holder.looks || self.waiting.len() == WAITING {
            for Holder { place, looks, .. } in self.waiting.drain(..) {
                let places = [HELD, place];
                write_places(&mut self.file, &places[usize::from(looks)..])?;
                self.written += 1;
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.waiting.clear();
        if self.written > 0 {
            write_places(&mut self.file, &[END])?;
            self.counts.add(self.written);
            self.written = 0;
        }
        Ok(())
    }

    fn finish(self) -> Result<GroupCounts> {
        let Self { file, counts, .. } = self;
        file.finish_with(counts.stored(counts.documents))?;
        Ok(counts)
    }
}

//! Groups: documents that share a key.
//!
//! Two passes over the keys: the first counts them, so that in the second
//! those that occur once are dropped before they cost a byte of disk
//! ([`Occurrences`]); the rest is sorted out of core. A group is written and
//! read as a stream, so that not even one of all documents has to fit into
//! memory: its places, ascending, and an end mark.
//!
//! Groups of the same members are common, since documents that share one key
//! often share others. They are left in: they are a small part of the file, and
//! what follows from them is dropped where candidates are made, for a look into
//! a table each.

use std::path::Path;

use crate::artefact::{ArtefactReader, ArtefactWriter, Kind};
use crate::error::{Error, Result};
use crate::occurrences::Occurrences;
use crate::sort::{KeyPlace, Sorter};

/// Files of groups. The counts are those of [`GroupCounts`].
const GROUPS: Kind = Kind { magic: *b"LOOKGRPS", counts: 6 };

/// Ends a group. No document has this place.
const END: u32 = u32::MAX;

/// Bytes of a place.
const PLACE: usize = 4;

/// Bytes of counters for a key: eight counters, so that one in eight keys that occur once is kept.
const COUNTER_BYTES: u64 = 2;

/// What was grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupCounts {
    /// Documents that took part.
    pub documents: u64,
    /// Their keys.
    pub keys: u64,
    /// Keys that may occur more than once, and were sorted.
    pub records: u64,
    /// Groups of two and more documents.
    pub groups: u64,
    /// Their members, each counted in each of its groups.
    pub members: u64,
    /// Members of the largest group.
    pub largest: u64,
}

impl GroupCounts {
    fn to_array(self) -> [u64; GROUPS.counts] {
        let Self { documents, keys, records, groups, members, largest } = self;
        [documents, keys, records, groups, members, largest]
    }

    fn from_slice(counts: &[u64]) -> Self {
        let count = |n: usize| counts.get(n).copied().unwrap_or_default();
        Self {
            documents: count(0),
            keys: count(1),
            records: count(2),
            groups: count(3),
            members: count(4),
            largest: count(5),
        }
    }
}

/// Groups `documents` documents by their keys and writes the groups to `path`.
///
/// `each` hands on the place and the keys of every document that takes part, in any order; it is
/// called twice and must hand on the same. What does not fit into `budget` bytes goes to `folder`.
///
/// # Errors
/// What `each` gives; or if a file cannot be written or read.
pub fn write_groups(
    path: &Path,
    folder: &Path,
    budget: usize,
    documents: u64,
    mut each: impl FnMut(&mut dyn FnMut(u32, &[u64]) -> Result<()>) -> Result<()>,
) -> Result<GroupCounts> {
    let mut counts = GroupCounts::default();
    let mut occurrences: Option<(Occurrences, usize)> = None;
    each(&mut |_, keys| {
        counts.documents += 1;
        counts.keys += keys.len() as u64;
        if !keys.is_empty() {
            let (occurrences, _) = occurrences.get_or_insert_with(|| {
                // All documents have about as many keys as the first.
                let all = documents.saturating_mul(keys.len() as u64 * COUNTER_BYTES);
                let bytes = all.min(budget as u64 / 2) as usize;
                (Occurrences::with_bytes(bytes), bytes)
            });
            for &key in keys {
                occurrences.count(key);
            }
        }
        Ok(())
    })?;

    let left = budget - occurrences.as_ref().map_or(0, |&(_, bytes)| bytes);
    let mut sorter = Sorter::new(folder, left);
    if let Some((occurrences, _)) = occurrences {
        each(&mut |place, keys| {
            for &key in keys.iter().filter(|&&key| occurrences.may_be_many(key)) {
                counts.records += 1;
                sorter.push(KeyPlace { key, place })?;
            }
            Ok(())
        })?;
    }

    let mut sorted = sorter.finish()?;
    let mut out = GroupWriter::create(path, documents, counts)?;
    while let Some(record) = sorted.next()? {
        out.push(record)?;
    }
    out.finish()
}

/// Writes groups from sorted records.
struct GroupWriter {
    file: ArtefactWriter,
    counts: GroupCounts,
    /// The last record, and the places of its key so far.
    last: Option<KeyPlace>,
    members: u64,
}

impl GroupWriter {
    fn create(path: &Path, documents: u64, counts: GroupCounts) -> Result<Self> {
        let file = ArtefactWriter::create(path, &GROUPS, documents)?;
        Ok(Self { file, counts, last: None, members: 0 })
    }

    fn push(&mut self, next: KeyPlace) -> Result<()> {
        match self.last {
            // A document that has the key twice is there once.
            Some(last) if last == next => return Ok(()),
            Some(last) if last.key == next.key => {
                // The first is written when there is a second: before that it is no group.
                if self.members == 1 {
                    self.file.push(&last.place.to_le_bytes())?;
                }
                self.file.push(&next.place.to_le_bytes())?;
                self.members += 1;
            }
            _ => {
                self.end_group()?;
                self.members = 1;
            }
        }
        self.last = Some(next);
        Ok(())
    }

    fn end_group(&mut self) -> Result<()> {
        if self.members > 1 {
            self.file.push(&END.to_le_bytes())?;
            self.counts.groups += 1;
            self.counts.members += self.members;
            self.counts.largest = self.counts.largest.max(self.members);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<GroupCounts> {
        self.end_group()?;
        self.file.finish(&self.counts.to_array())?;
        Ok(self.counts)
    }
}

/// What comes next in a file of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A member of the group, after the ones before it.
    Member(u32),
    /// The group has no more members; there were at least two.
    End,
}

/// Streams groups.
pub struct GroupReader {
    file: ArtefactReader,
    /// What was read: groups, members.
    groups: u64,
    members: u64,
    /// The group's last member and how many it has so far.
    last: u32,
    size: u64,
}

impl GroupReader {
    /// Opens what [`write_groups`] wrote.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, of another kind, or of a later version.
    pub fn open(path: &Path) -> Result<Self> {
        let file = ArtefactReader::open(path, &GROUPS)?;
        Ok(Self { file, groups: 0, members: 0, last: 0, size: 0 })
    }

    /// Documents in all: every place is smaller.
    pub fn documents(&self) -> u64 {
        self.file.documents()
    }

    /// What was grouped.
    pub fn counts(&self) -> GroupCounts {
        GroupCounts::from_slice(self.file.counts())
    }

    /// The next member or end of a group; `None` after the last group.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    #[expect(clippy::should_implement_trait, reason = "an iterator's item would be a result")]
    #[inline]
    pub fn next(&mut self) -> Result<Option<Step>> {
        let Some(bytes) = self.file.next::<PLACE>()? else {
            return self.check_end().map(|()| None);
        };
        let place = u32::from_le_bytes(bytes);
        if place == END {
            if self.size < 2 {
                return Err(self.corrupt("a group of two members or more", "its end".into()));
            }
            self.size = 0;
            self.groups += 1;
            return Ok(Some(Step::End));
        }
        if self.size > 0 && place <= self.last || u64::from(place) >= self.documents() {
            let expected = format!("places under {} in ascending order", self.documents());
            return Err(self.corrupt(&expected, place.to_string()));
        }
        self.last = place;
        self.size += 1;
        self.members += 1;
        Ok(Some(Step::Member(place)))
    }

    fn check_end(&self) -> Result<()> {
        if self.size > 0 {
            return Err(self.corrupt("the end of a group", "the end of all groups".into()));
        }
        self.file.check_count(3, "groups", self.groups)?;
        self.file.check_count(4, "members", self.members)
    }

    #[cold]
    fn corrupt(&self, expected: &str, found: String) -> Error {
        self.file.corrupt(PLACE, expected, found)
    }
}

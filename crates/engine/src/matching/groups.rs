//! Groups: documents that share a key.
//!
//! Two passes over the keys: the first counts them, so that in the second
//! those that occur once are dropped before they cost a byte of disk
//! ([`Occurrences`]); the rest is sorted out of core. A group is written and
//! read as a stream, so that not even one of all documents has to fit into
//! memory: its places, ascending, and an end mark.
//!
//! Groups of the same members are common, since documents that share one key
//! often share others. Small groups are sorted by their members, and each is
//! written once: every round reads all groups, and so finds the documents of
//! small ones near each other, too. The larger ones come before them, in the
//! order of their keys.
//!
//! **Known documents** are compared with new ones only, so a group without a new one is none. A key
//! that no new document has is dropped in the second pass like one that occurs once, so that
//! a million known documents cost a look at their keys. Of a group the first known members are all
//! that a new one is compared with; the others are left out.

use std::path::Path;

use lookalike_files::{RowsKind, RowsReader, RowsWriter, double_word};

use super::clusters::PLACE;
use crate::error::{Error, Result};
use crate::occurrences::{Batches, Occurrences};
use crate::places::{Place, Sides};
use crate::sort::{Record, SortedRecords, Sorter};

/// Files of groups. The counts are those of all documents and of [`GroupCounts`].
pub(super) const GROUPS: RowsKind = *b"keygroup";

/// Ends a group. No document has this place.
pub(super) const END: Place = Place::NONE;

/// Comes before a member that looks for no other. No document has this place either.
pub(super) const HELD: Place = Place::nth(u32::MAX as u64 - 1);

/// Bytes of counters for a key: eight counters, so that one in eight keys that occur once is kept.
const COUNTER_BYTES: u64 = 2;

/// The most members of a small group.
const SMALL: usize = 4;

/// The members of a small group, and end marks.
type SmallGroup = [Place; SMALL];

/// A document under one of its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyPlace {
    /// What documents are grouped by.
    pub key: u64,
    /// The document.
    pub place: Place,
}

impl Record for KeyPlace {
    const BYTES: usize = 12;

    fn encode(self, out: &mut [u8]) {
        let (key, place) = out.split_at_mut(8);
        key.copy_from_slice(&self.key.to_le_bytes());
        place.copy_from_slice(&self.place.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        Self { key: double_word(bytes, 0), place: Place::read(bytes, 8) }
    }
}

/// What was grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupCounts {
    /// Documents that took part.
    pub documents: u64,
    /// Their keys.
    pub keys: u64,
    /// Keys that may occur more than once, and were sorted.
    pub records: u64,
    /// Groups of two and more documents; small ones of the same members are one.
    pub groups: u64,
    /// Their members, each counted in each of its groups.
    pub members: u64,
    /// Members of the largest group.
    pub largest: u64,
}

impl GroupCounts {
    /// Counts a group.
    pub(super) fn add(&mut self, members: usize) {
        self.groups += 1;
        self.members += members as u64;
        self.largest = self.largest.max(members as u64);
    }

    /// As a file has them, of so many documents in all.
    pub(super) fn stored(self, all: u64) -> [u64; 7] {
        let Self { documents, keys, records, groups, members, largest } = self;
        [all, documents, keys, records, groups, members, largest]
    }
}

/// What is to be grouped, and where to.
#[derive(Clone, Copy, Debug)]
pub struct GroupTask<'a> {
    /// Where the groups go.
    pub path: &'a Path,
    /// Where what does not fit into memory goes.
    pub folder: &'a Path,
    /// Bytes of memory.
    pub budget: usize,
    /// Documents in all: every place is smaller.
    pub documents: Sides,
    /// Known members that a group is written with at most, of which the first are; they are held
    /// in memory.
    pub known_members: usize,
}

/// All known members of a group are written.
pub const ALL_MEMBERS: usize = usize::MAX;

/// Groups documents by their keys.
///
/// `each` hands on the place and the keys of every document that takes part, in any order but for
/// this: known ones come after all others. It is called twice and must hand on the same.
///
/// # Errors
/// What `each` gives; or if a file cannot be written or read.
///
/// # Panics
/// If a new document comes after a known one.
pub fn write_groups(
    task: &GroupTask<'_>,
    each: impl FnMut(&mut dyn FnMut(Place, &[u64]) -> Result<()>) -> Result<()>,
) -> Result<GroupCounts> {
    let SharedKeys { mut sorted, counts, freed } = SharedKeys::of(task, task.budget, each)?;
    // The counters are gone; the small groups get their share.
    let small = Sorter::new(task.folder, freed);
    let mut out = GroupWriter::create(task, counts, small)?;
    while let Some(record) = sorted.next()? {
        out.push(record)?;
    }
    drop(sorted);
    out.finish()
}

/// Keys that more than one document may have, with their documents.
pub(super) struct SharedKeys {
    pub(super) sorted: SortedRecords<KeyPlace>,
    pub(super) counts: GroupCounts,
    /// Bytes of the budget that are not used any more.
    pub(super) freed: usize,
}

impl SharedKeys {
    /// Sorts keys within so many bytes; as for [`write_groups`].
    pub(super) fn of(
        task: &GroupTask<'_>,
        budget: usize,
        mut each: impl FnMut(&mut dyn FnMut(Place, &[u64]) -> Result<()>) -> Result<()>,
    ) -> Result<Self> {
        let GroupTask { folder, documents, .. } = *task;
        let mut counts = GroupCounts::default();
        let mut counters: Option<(Occurrences, Batches<u64>)> = None;
        let (mut counter_bytes, mut known_come) = (0, false);
        each(&mut |place, keys| {
            counts.documents += 1;
            counts.keys += keys.len() as u64;
            let is_known = documents.knows(place);
            assert!(is_known || !known_come, "known documents come after all others");
            if is_known && !known_come {
                known_come = true;
                if let Some((occurrences, batches)) = &mut counters {
                    // What is left of the new ones has to be counted before.
                    batches.drain(|keys| {
                        occurrences.count_all(keys);
                        Ok(())
                    })?;
                }
            }
            for &key in keys {
                let (occurrences, batches) = counters.get_or_insert_with(|| {
                    // All documents have about as many keys as the first.
                    let all = documents.all().saturating_mul(keys.len() as u64 * COUNTER_BYTES);
                    counter_bytes = all.min(budget as u64 / 2) as usize;
                    let occurrences = Occurrences::with_bytes(counter_bytes);
                    let batches = Batches::new(&occurrences);
                    (occurrences, batches)
                });
                batches.push(key, key, |keys| {
                    count(occurrences, keys, is_known);
                    Ok(())
                })?;
            }
            Ok(())
        })?;

        let batch_bytes = Batches::<KeyPlace>::bytes(counter_bytes);
        let mut sorter = Sorter::new(folder, budget.saturating_sub(counter_bytes + batch_bytes));
        if let Some((mut occurrences, batches)) = counters {
            batches.finish(|keys| {
                count(&mut occurrences, keys, known_come);
                Ok(())
            })?;
            let mut batches = Batches::new(&occurrences);
            let mut sort = |batch: &[KeyPlace]| {
                for records in batch.chunks(64) {
                    // All counters first: a branch on each would wait for each.
                    let many = |bits, record: &KeyPlace| {
                        bits << 1 | u64::from(occurrences.may_be_many(record.key))
                    };
                    let mut bits = records.iter().rev().fold(0u64, many);
                    counts.records += u64::from(bits.count_ones());
                    while bits != 0 {
                        sorter.push(records[bits.trailing_zeros() as usize])?;
                        bits &= bits - 1;
                    }
                }
                Ok(())
            };
            each(&mut |place, keys| {
                keys.iter()
                    .try_for_each(|&key| batches.push(key, KeyPlace { key, place }, &mut sort))
            })?;
            batches.finish(sort)?;
        }

        Ok(Self { sorted: sorter.finish()?, counts, freed: counter_bytes + batch_bytes })
    }
}

/// Counts keys of one side: of the known those that a new document may have.
fn count(occurrences: &mut Occurrences, keys: &[u64], are_known: bool) {
    if are_known {
        occurrences.count_those_met(keys);
    } else {
        occurrences.count_all(keys);
    }
}

/// Writes groups from sorted records.
struct GroupWriter {
    file: RowsWriter,
    documents: Sides,
    known_members: usize,
    counts: GroupCounts,
    /// The last record, and the places of its key so far: how many, and those of them that are not
    /// written.
    last: Option<KeyPlace>,
    members: usize,
    held: Vec<Place>,
    small: Sorter<SmallGroup>,
}

impl GroupWriter {
    fn create(
        task: &GroupTask<'_>,
        counts: GroupCounts,
        small: Sorter<SmallGroup>,
    ) -> Result<Self> {
        let GroupTask { path, documents, known_members, .. } = *task;
        let file = RowsWriter::create(path, GROUPS, PLACE)?;
        let (last, members, held) = (None, 0, Vec::new());
        Ok(Self { file, documents, known_members, counts, last, members, held, small })
    }

    fn push(&mut self, next: KeyPlace) -> Result<()> {
        // A document that has the key twice is there once.
        if self.last == Some(next) {
            return Ok(());
        }
        if self.last.is_some_and(|last| last.key != next.key) {
            self.end_group()?;
        }
        self.last = Some(next);
        let is_known = self.documents.knows(next.place);
        if is_known && self.members == self.known_members {
            return Ok(());
        }
        self.members += 1;
        self.held.push(next.place);
        // Whether it will be a group is known with the first new member.
        if self.members > SMALL && !is_known {
            write_places(&mut self.file, &self.held)?;
            self.held.clear();
        }
        Ok(())
    }

    fn end_group(&mut self) -> Result<()> {
        let has_new = self.held.last().is_none_or(|last| !self.documents.knows(*last));
        if has_new && self.members > SMALL {
            write_places(&mut self.file, &[END])?;
            self.counts.add(self.members);
        } else if has_new && self.members > 1 {
            let mut group = [END; SMALL];
            group[..self.members].copy_from_slice(&self.held);
            self.small.push(group)?;
        }
        self.members = 0;
        self.held.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<GroupCounts> {
        self.end_group()?;
        let Self { mut file, documents: all, mut counts, small, .. } = self;
        let mut small = small.finish()?;
        let mut last = None;
        while let Some(group) = small.next()? {
            if last.replace(group) != Some(group) {
                let members = group.iter().take_while(|&&place| place != END).count();
                write_places(&mut file, &group[..members])?;
                write_places(&mut file, &[END])?;
                counts.add(members);
            }
        }
        file.finish_with(counts.stored(all.all()))?;
        Ok(counts)
    }
}

pub(super) fn write_places(file: &mut RowsWriter, places: &[Place]) -> Result<()> {
    Ok(places.iter().try_for_each(|place| file.push(&place.to_le_bytes()))?)
}

/// What comes next in a file of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A member of the group, after the ones before it.
    Member(Place),
    /// A member that others are compared with, and that is not compared with those before it.
    Held(Place),
    /// The group has no more members; there were at least two.
    End,
}

/// Streams groups.
pub struct GroupReader {
    file: RowsReader<PLACE, 7>,
    /// What was read: groups, members.
    groups: u64,
    members: u64,
    /// The group's last member and how many it has so far.
    last: Place,
    size: u64,
}

impl GroupReader {
    /// Opens what [`write_groups`] wrote.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, of another kind, or of a later version.
    pub fn open(path: &Path) -> Result<Self> {
        let file: RowsReader<_, _> = RowsReader::open(path, GROUPS)?;
        file.check_limit(0, "documents", u32::MAX.into())?;
        Ok(Self { file, groups: 0, members: 0, last: Place::nth(0), size: 0 })
    }

    /// Documents in all: every place is smaller.
    pub fn documents(&self) -> u64 {
        self.file.counts()[0]
    }

    /// What was grouped.
    pub fn counts(&self) -> GroupCounts {
        let [_, documents, keys, records, groups, members, largest] = self.file.counts();
        GroupCounts { documents, keys, records, groups, members, largest }
    }

    /// The next member or end of a group; `None` after the last group.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    #[expect(clippy::should_implement_trait, reason = "an iterator's item would be a result")]
    #[inline]
    pub fn next(&mut self) -> Result<Option<Step>> {
        let Some(bytes) = self.file.next()? else {
            return self.check_end().map(|()| None);
        };
        let mut place = Place::read(&bytes, 0);
        let is_held = place == HELD;
        if is_held {
            let Some(bytes) = self.file.next()? else {
                return Err(self.corrupt("a place", "the end of all groups".into()));
            };
            place = Place::read(&bytes, 0);
        } else if place == END {
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
        Ok(Some(if is_held { Step::Held(place) } else { Step::Member(place) }))
    }

    fn check_end(&self) -> Result<()> {
        if self.size > 0 {
            return Err(self.corrupt("the end of a group", "the end of all groups".into()));
        }
        self.file.check_count(4, "groups", self.groups)?;
        Ok(self.file.check_count(5, "members", self.members)?)
    }

    #[cold]
    fn corrupt(&self, expected: &str, found: String) -> Error {
        self.file.corrupt(0, expected, found).into()
    }
}

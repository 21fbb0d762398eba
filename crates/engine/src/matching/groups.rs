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
use std::sync::OnceLock;

use lookalike_files::{RowsKind, RowsReader, RowsWriter, double_word};

use super::clusters::PLACE;
use crate::error::{Error, Result};
use crate::occurrences::{Batches, CountOf, Occurrences, Side};
use crate::places::{Place, Sides};
use crate::sort::{Record, SortedRecords, Sorter};
use crate::team::{self, Worker};

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
    /// Threads that work.
    pub threads: usize,
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
/// `each` hands on the place and the keys of every document that takes part, in any order. It is
/// called twice and must hand on the same.
///
/// # Errors
/// What `each` gives; or if a file cannot be written or read.
pub fn write_groups(
    task: &GroupTask<'_>,
    each: impl FnMut(&mut dyn FnMut(Place, &[u64]) -> Result<()>) -> Result<()>,
) -> Result<GroupCounts> {
    let SharedKeys { sorted, counts, freed } = SharedKeys::of(task, task.budget, each)?;
    // The counters are gone; the small groups get their share.
    let small = Sorter::on_threads(task.threads, task.folder, freed);
    let mut out = GroupWriter::create(task, counts, small)?;
    sorted.for_each(|record| out.push(record))?;
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
        let GroupTask { folder, threads, documents, .. } = *task;
        let mut counts = GroupCounts::default();
        let counters = OnceLock::new();
        let counting = || Counting { sides: documents, counters: &counters, batches: None };
        team::in_order(threads, counting, Ok, |give| {
            let mut some = SomeKeys::default();
            each(&mut |place, keys| {
                counts.documents += 1;
                counts.keys += keys.len() as u64;
                if !keys.is_empty() {
                    counters.get_or_init(|| {
                        Counters::new(documents.all(), keys.len(), threads, budget)
                    });
                }
                some.push(place, keys, give)
            })?;
            give(some)
        })?;

        let freed = counters.get().map_or(0, |counters| counters.bytes);
        let mut sorter = Sorter::on_threads(threads, folder, budget.saturating_sub(freed));
        if let Some(counters) = &counters.into_inner() {
            let filling = || Filling {
                counters,
                batches: Batches::new(counters.occurrences.windows(), counters.batch),
            };
            let take = |shared: Vec<KeyPlace>| {
                counts.records += shared.len() as u64;
                shared.into_iter().try_for_each(|record| sorter.push(record))
            };
            team::in_order(threads, filling, take, |give| {
                let mut some = SomeKeys::default();
                each(&mut |place, keys| some.push(place, keys, give))?;
                give(some)
            })?;
        }
        Ok(Self { sorted: sorter.finish()?, counts, freed })
    }
}

/// What counts keys, and how many of a window are counted at once on each thread.
struct Counters {
    occurrences: Occurrences,
    batch: usize,
    /// Of the counters, and of the batches of all threads.
    bytes: usize,
}

impl Counters {
    /// For so many documents, if all have about as many keys as the first.
    fn new(documents: u64, keys: usize, threads: usize, budget: usize) -> Self {
        let all = documents.saturating_mul(keys as u64 * COUNTER_BYTES);
        let bytes = all.min(budget as u64 / 2) as usize;
        let occurrences = Occurrences::with_bytes(bytes);
        let (windows, threads) = (occurrences.windows(), threads.max(1));
        let batch = Batches::<KeyPlace>::items(windows, threads, budget / 8);
        let batches = windows * threads * batch * size_of::<KeyPlace>();
        Self { occurrences, batch, bytes: bytes + batches }
    }
}

/// Keys of a piece of work: enough that handing it over costs nothing, and little memory.
const KEYS: usize = 16 << 10;

/// The keys of some documents, one after another; each document has the place where its keys end.
#[derive(Default)]
struct SomeKeys {
    documents: Vec<(Place, usize)>,
    keys: Vec<u64>,
}

impl SomeKeys {
    /// Takes those of a document; gives all that came when they are enough.
    #[inline]
    fn push(
        &mut self,
        place: Place,
        keys: &[u64],
        give: &mut dyn FnMut(Self) -> Result<()>,
    ) -> Result<()> {
        self.keys.extend_from_slice(keys);
        self.documents.push((place, self.keys.len()));
        if self.keys.len() < KEYS && self.documents.len() < KEYS {
            return Ok(());
        }
        let next = Self {
            documents: Vec::with_capacity(self.documents.len()),
            keys: Vec::with_capacity(self.keys.len()),
        };
        give(std::mem::replace(self, next))
    }

    fn for_each(&self, mut each: impl FnMut(Place, &[u64])) {
        let mut start = 0;
        for &(place, end) in &self.documents {
            each(place, &self.keys[start..end]);
            start = end;
        }
    }
}

/// Counts keys on one thread: of known documents, those that a new one may have.
struct Counting<'a> {
    sides: Sides,
    /// There when there is a key.
    counters: &'a OnceLock<Counters>,
    batches: Option<Batches<CountOf>>,
}

impl Worker<SomeKeys> for Counting<'_> {
    type Done = ();

    fn work(&mut self, some: SomeKeys) -> Result<()> {
        let Some(Counters { occurrences, batch, .. }) = self.counters.get() else { return Ok(()) };
        let new = || Batches::new(occurrences.windows(), *batch);
        let batches = self.batches.get_or_insert_with(new);
        some.for_each(|place, keys| {
            let side = if self.sides.knows(place) { Side::Known } else { Side::New };
            for &key in keys {
                let (window, count) = occurrences.count_of(key, side);
                batches.push(window, count, |counts| occurrences.count_all(window, counts));
            }
        });
        Ok(())
    }

    fn end(&mut self) -> Result<Option<()>> {
        if let (Some(counters), Some(batches)) = (self.counters.get(), &mut self.batches) {
            batches.drain(|window, counts| counters.occurrences.count_all(window, counts));
        }
        Ok(None)
    }
}

/// Picks the keys that more than one document may have, on one thread.
struct Filling<'a> {
    counters: &'a Counters,
    batches: Batches<KeyPlace>,
}

impl Worker<SomeKeys> for Filling<'_> {
    type Done = Vec<KeyPlace>;

    fn work(&mut self, some: SomeKeys) -> Result<Vec<KeyPlace>> {
        let Self { counters: Counters { occurrences, .. }, batches } = self;
        let mut shared = Vec::new();
        some.for_each(|place, keys| {
            for &key in keys {
                batches.push(occurrences.window_of(key), KeyPlace { key, place }, |batch| {
                    pick(occurrences, batch, &mut shared);
                });
            }
        });
        Ok(shared)
    }

    fn end(&mut self) -> Result<Option<Vec<KeyPlace>>> {
        let mut shared = Vec::new();
        self.batches.drain(|_, batch| pick(&self.counters.occurrences, batch, &mut shared));
        Ok(Some(shared))
    }
}

/// Adds those whose key may be many.
fn pick(occurrences: &Occurrences, batch: &[KeyPlace], shared: &mut Vec<KeyPlace>) {
    for records in batch.chunks(64) {
        // All counters first: a branch on each would wait for each.
        let many =
            |bits, record: &KeyPlace| bits << 1 | u64::from(occurrences.may_be_many(record.key));
        let mut bits = records.iter().rev().fold(0u64, many);
        while bits != 0 {
            shared.push(records[bits.trailing_zeros() as usize]);
            bits &= bits - 1;
        }
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
        let mut last = None;
        small.finish()?.for_each(|group| {
            if last.replace(group) != Some(group) {
                let members = group.iter().take_while(|&&place| place != END).count();
                write_places(&mut file, &group[..members])?;
                write_places(&mut file, &[END])?;
                counts.add(members);
            }
            Ok(())
        })?;
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

//! Phase 3: the pairs of documents that have enough keys in common.
//!
//! Where one key in common is not enough, and a document has too many choices of as many as are, their
//! documents are not grouped by these choices; what two have in common is counted (Broder, section 2):
//!
//! ```text
//! (key, document)               sorted, without keys that occur once
//! (document, document)          for each key every two that have it, the later one first
//! (document, document, count)   sorted and added up: with enough in common they are a group of two
//! ```
//!
//! A buffer of pairs is sorted and added up before it goes to the disk, and so is all that is there whenever it
//! has doubled. So look-alikes, which have most of their keys in common, are few records, and the disk holds
//! each pair about twice, whatever the budget.
//!
//! **Common keys.** A key of n documents makes n (n - 1) / 2 pairs. One of more than a limit is left out
//! and counted, as AltaVista did. What it says is not lost for two that have other keys in common: a pair
//! is written if it would have enough with all keys of the later document that were left out, and whoever judges
//! candidates looks at their signatures. Two that have common keys in common and no other are missed.

use std::path::{Path, PathBuf};

use lookalike_files::{RowsWriter, double_word, word};

use super::clusters::PLACE;
use super::groups::{END, GROUPS, GroupCounts, GroupTask, KeyPlace, SharedKeys, write_places};
use crate::error::Result;
use crate::places::Place;
use crate::sort::{Record, SortedRecords, SortedRunWriter, Sorter};

/// How many keys a document with so many must have in common with another.
pub type Least<'a> = &'a dyn Fn(usize) -> usize;

/// What documents have in common.
#[derive(Clone, Copy)]
pub struct InCommon<'a> {
    /// Keys that two documents must have in common, by how many the later one has.
    pub least: Least<'a>,
    /// A key of more documents is left out.
    pub common: usize,
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grouped {
    /// The pairs, as groups of two.
    pub groups: GroupCounts,
    /// Keys that were left out, since too many documents have them.
    pub left_out: u64,
}

/// Writes the pairs of documents with enough keys in common, each as a group; as
/// [`write_groups`](super::write_groups) but for that.
///
/// # Errors
/// What `each` gives; or if a file cannot be written or read.
pub fn write_pairs_in_common(
    task: &GroupTask<'_>,
    wanted: InCommon<'_>,
    mut each: impl FnMut(&mut dyn FnMut(Place, &[u64]) -> Result<()>) -> Result<()>,
) -> Result<Grouped> {
    let GroupTask { folder, budget, documents, .. } = *task;
    // Of each document the least that it needs, and a zero for each of its keys that is left out.
    let mut needs = Sorter::new(folder, budget / 8);
    let mut is_first_time = true;
    let SharedKeys { sorted, counts, .. } = SharedKeys::of(task, budget / 2, |push| {
        let counts = std::mem::take(&mut is_first_time);
        each(&mut |place, keys| {
            if counts && !documents.knows(place) {
                needs.push(u64::from(place) << 32 | (wanted.least)(keys.len()) as u64)?;
            }
            push(place, keys)
        })
    })?;
    let mut expanding = Expanding {
        task,
        common: wanted.common,
        pairs: PairCounter::new(folder, budget / 8 * 3),
        left_out: 0,
        needs,
        holders: Vec::new(),
        last: None,
        is_common: false,
    };
    let mut last: Option<KeyPlace> = None;
    sorted.for_each(|record| {
        // A document that has the key twice is there once.
        if last == Some(record) {
            return Ok(());
        }
        if last.is_some_and(|last| last.key != record.key) {
            expanding.end_key()?;
        }
        last = Some(record);
        expanding.holder(record.place)
    })?;
    expanding.end_key()?;

    let Expanding { pairs, left_out, needs, .. } = expanding;
    let mut needs = Needs::new(needs.finish()?)?;
    let mut pairs = pairs.finish()?;
    let mut file = RowsWriter::create(task.path, GROUPS, PLACE)?;
    let mut found = Grouped { groups: counts, left_out };
    while let Some(PairCount { pair, count }) = pairs.next()? {
        let [later, earlier] = [pair >> 32, pair & u64::from(u32::MAX)].map(Place::nth);
        if u64::from(count) >= needs.of(later)? {
            write_places(&mut file, &[earlier, later, END])?;
            found.groups.add(2);
        }
    }
    file.finish_with(found.groups.stored(documents.all()))?;
    Ok(found)
}

/// The documents of one key after another, and the pairs of them.
struct Expanding<'a> {
    task: &'a GroupTask<'a>,
    common: usize,
    pairs: PairCounter,
    left_out: u64,
    /// What documents need.
    needs: Sorter<u64>,
    /// The first documents of the key, and the last.
    holders: Vec<Place>,
    last: Option<Place>,
    is_common: bool,
}

impl Expanding<'_> {
    fn holder(&mut self, place: Place) -> Result<()> {
        self.last = Some(place);
        if !self.is_common && self.holders.len() < self.common {
            self.holders.push(place);
            return Ok(());
        }
        self.is_common = true;
        // Nobody asks for that of known documents, which are never the later ones.
        let knows = |place: &Place| self.task.documents.knows(*place);
        let held = self.holders.drain(..).chain([place]).filter(|place| !knows(place));
        held.into_iter().try_for_each(|place| self.needs.push(u64::from(place) << 32))
    }

    fn end_key(&mut self) -> Result<()> {
        // Known documents come first, and are compared with new ones only.
        let knows = |place| self.task.documents.knows(place);
        let has_new = self.last.take().is_some_and(|last| !knows(last));
        self.left_out += u64::from(self.is_common && has_new);
        self.is_common = false;
        for (number, &later) in self.holders.iter().enumerate().filter(|(_, later)| !knows(**later))
        {
            for &earlier in &self.holders[..number] {
                self.pairs.push(u64::from(later) << 32 | u64::from(earlier))?;
            }
        }
        self.holders.clear();
        Ok(())
    }
}

/// Counts how often each pair comes.
struct PairCounter {
    folder: PathBuf,
    budget: usize,
    buffer: Vec<u64>,
    capacity: usize,
    counted: Sorter<PairCount>,
    /// How many records `counted` has, and with how many all are added up.
    records: usize,
    most: usize,
}

/// A pair, the later document in the high half, and how often it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PairCount {
    pair: u64,
    count: u32,
}

impl Record for PairCount {
    const BYTES: usize = 12;

    fn encode(self, out: &mut [u8]) {
        let (pair, count) = out.split_at_mut(8);
        pair.copy_from_slice(&self.pair.to_le_bytes());
        count.copy_from_slice(&self.count.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        Self { pair: double_word(bytes, 0), count: word(bytes, 8) }
    }
}

impl PairCounter {
    fn new(folder: &Path, budget: usize) -> Self {
        // Half for what comes, half for what was counted.
        let budget = budget / 2;
        let capacity = (budget / size_of::<u64>()).max(1 << 10);
        Self {
            folder: folder.to_owned(),
            budget,
            buffer: Vec::new(),
            capacity,
            counted: Sorter::new(folder, budget),
            records: 0,
            most: 2 * capacity,
        }
    }

    fn push(&mut self, pair: u64) -> Result<()> {
        if self.buffer.len() == self.capacity {
            self.count()?;
        }
        if self.buffer.capacity() == 0 {
            // All at once: growing would hold two copies. Pages that are not used cost nothing.
            self.buffer.reserve_exact(self.capacity);
        }
        self.buffer.push(pair);
        Ok(())
    }

    fn count(&mut self) -> Result<()> {
        self.buffer.sort_unstable();
        for same in self.buffer.chunk_by(|a, b| a == b) {
            self.counted.push(PairCount { pair: same[0], count: same.len() as u32 })?;
            self.records += 1;
        }
        self.buffer.clear();
        if self.records >= self.most { self.add_up() } else { Ok(()) }
    }

    /// Makes one record of all that a pair has.
    fn add_up(&mut self) -> Result<()> {
        let counted = std::mem::replace(&mut self.counted, Sorter::new(&self.folder, self.budget));
        let mut sums = PairSums::of(counted)?;
        let mut run = SortedRunWriter::create(&self.folder)?;
        self.records = 0;
        while let Some(sum) = sums.next()? {
            run.push(sum)?;
            self.records += 1;
        }
        self.counted.take_run(run.finish()?);
        self.most = self.most.max(2 * self.records);
        Ok(())
    }

    fn finish(mut self) -> Result<PairSums> {
        self.count()?;
        self.buffer = Vec::new();
        PairSums::of(self.counted)
    }
}

/// Pairs, each once.
struct PairSums {
    sorted: SortedRecords<PairCount>,
    next: Option<PairCount>,
}

impl PairSums {
    fn of(counted: Sorter<PairCount>) -> Result<Self> {
        let mut sorted = counted.finish()?;
        Ok(Self { next: sorted.next()?, sorted })
    }

    fn next(&mut self) -> Result<Option<PairCount>> {
        let Some(mut sum) = self.next.take() else { return Ok(None) };
        loop {
            self.next = self.sorted.next()?;
            match self.next {
                Some(next) if next.pair == sum.pair => sum.count += next.count,
                _ => return Ok(Some(sum)),
            }
        }
    }
}

/// How many of the keys that were counted documents need in common with others, asked in the order of the documents.
struct Needs {
    sorted: SortedRecords<u64>,
    /// The document that was asked for last, and what it needs.
    last: (Place, u64),
    next: Option<u64>,
}

impl Needs {
    fn new(mut sorted: SortedRecords<u64>) -> Result<Self> {
        let next = sorted.next()?;
        Ok(Self { sorted, last: (Place::NONE, 0), next })
    }

    fn of(&mut self, place: Place) -> Result<u64> {
        if self.last.0 != place {
            let (mut left_out, mut least) = (0, 0);
            while let Some(next) = self.next.filter(|next| next >> 32 <= u64::from(place)) {
                if next >> 32 == u64::from(place) {
                    match next & u64::from(u32::MAX) {
                        0 => left_out += 1,
                        needed => least = needed,
                    }
                }
                self.next = self.sorted.next()?;
            }
            self.last = (place, u64::saturating_sub(least, left_out));
        }
        Ok(self.last.1)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use lookalike_files::WorkFolder;

    use super::*;

    /// Pairs that share very many keys come in each buffer, and are on the disk a few times only.
    #[test]
    fn the_disk_holds_each_pair_a_few_times() {
        const PAIRS: u64 = 10_000;
        let folder = WorkFolder::create(None).unwrap();
        let mut counter = PairCounter::new(&folder, 0);
        let bytes = || -> u64 {
            let files = fs::read_dir(&*folder).unwrap();
            files.map(|file| file.unwrap().metadata().unwrap().len()).sum()
        };
        let mut most = 0;
        for time in 0..200 {
            // In another order each time, so that no buffer has one twice.
            (0..PAIRS).for_each(|n| counter.push((n * 7 + time) % PAIRS).unwrap());
            most = most.max(bytes());
        }
        let record = PairCount::BYTES as u64;
        assert!((PAIRS * record..=2 * PAIRS * record).contains(&most), "{most} bytes");
        let mut sums = counter.finish().unwrap();
        for pair in 0..PAIRS {
            assert_eq!(sums.next().unwrap(), Some(PairCount { pair, count: 200 }));
        }
        assert_eq!(sums.next().unwrap(), None);
    }
}

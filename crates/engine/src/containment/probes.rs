//! Which elements of a pool a document is looked for by.

use std::path::Path;

use lookalike_core::GROUP_LIMIT;

use super::elements::POOL;
use crate::error::Result;
use crate::matching::Holder;
use crate::places::Place;
use crate::sort::{SortedRecords, SortedRun, SortedRunReader, SortedRunWriter, Sorter};

/// Probes that are the least of all: a random draw, whatever others have.
const LEAST: usize = 4;

/// Probes that are chosen by who else has them.
const CHOSEN: usize = 4;

/// An element of a pool as it is sorted: by the document, whether it is common, and its number.
type Asked = [u64; 2];

/// Holders in order, of which those look whose element is a probe of theirs; they come as those of
/// pools look.
pub(super) fn choose(
    holders: SortedRecords<[u64; 2]>,
    folder: &Path,
    budget: usize,
) -> Result<ChosenHolders> {
    let (holders, asked) = count(holders, folder, budget)?;
    let mut probes: Sorter<[u64; 2]> = Sorter::new(folder, budget);
    let (mut asked, mut pool) = (asked.finish()?, Vec::with_capacity(POOL));
    let mut next = asked.next()?;
    while let Some(first) = next {
        let place = first[0] >> 1;
        pool.clear();
        while let Some([of, element]) = next.filter(|[of, _]| of >> 1 == place) {
            pool.push((of & 1 == 1, element));
            next = asked.next()?;
        }
        for element in probes_of(&mut pool) {
            probes.push([element, place])?;
        }
    }
    let mut probes = probes.finish()?;
    Ok(ChosenHolders { next_probe: probes.next()?, probes, holders: holders.read()? })
}

/// Writes the holders down, to be read again, and tells what is common.
fn count(
    mut holders: SortedRecords<[u64; 2]>,
    folder: &Path,
    budget: usize,
) -> Result<(SortedRun<[u64; 2]>, Sorter<Asked>)> {
    let mut all = SortedRunWriter::create(folder)?;
    let mut asked: Sorter<Asked> = Sorter::new(folder, budget);
    // Of the element at hand: how many have it, and who of them looks while it is not common yet.
    let (mut last, mut count, mut look): (Option<Holder>, _, Vec<Place>) = (None, 0, Vec::new());
    let mut hand_on = |look: &mut Vec<Place>, element, is_common| {
        let mut look = look.drain(..);
        look.try_for_each(|place| asked.push([u64::from(place) << 1 | is_common, element]))
    };
    while let Some(packed) = holders.next()? {
        all.push(packed)?;
        let holder = Holder::unpack(packed);
        match last {
            Some(last) if last.element != holder.element => {
                hand_on(&mut look, last.element, 0)?;
                count = 1;
            }
            Some(last) if last.place == holder.place => {}
            _ => count += 1,
        }
        if holder.looks {
            look.push(holder.place);
        }
        if count > GROUP_LIMIT {
            hand_on(&mut look, holder.element, 1)?;
        }
        last = Some(holder);
    }
    if let Some(last) = last {
        hand_on(&mut look, last.element, 0)?;
    }
    Ok((all.finish()?, asked))
}

/// The probes of a document, of its pool with what is common of it.
fn probes_of(pool: &mut [(bool, u64)]) -> impl Iterator<Item = u64> {
    pool.sort_unstable_by_key(|(_, element)| *element);
    let least = LEAST.min(pool.len());
    pool[least..].sort_unstable();
    pool.iter().take(LEAST + CHOSEN).map(|(_, element)| *element)
}

/// Holders, one after another.
pub(super) struct ChosenHolders {
    holders: SortedRunReader<[u64; 2]>,
    probes: SortedRecords<[u64; 2]>,
    next_probe: Option<[u64; 2]>,
}

impl ChosenHolders {
    pub(super) fn next(&mut self) -> Result<Option<Holder>> {
        let Some(packed) = self.holders.next()? else { return Ok(None) };
        let mut holder = Holder::unpack(packed);
        // Every probe is an element of its document, so that none is passed over.
        let probe = [holder.element, u64::from(holder.place)];
        if holder.looks {
            holder.looks = self.next_probe == Some(probe);
            if holder.looks {
                self.next_probe = self.probes.next()?;
            }
        }
        Ok(Some(holder))
    }
}

//! What is known of windows, on its way to the part that has them next: a queue in the order of parts that
//! may be longer than memory.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::path::{Path, PathBuf};

use lookalike_core::passages::Class;

use super::links::Spot;
use crate::error::Result;
use crate::sort::{Record, SortedRunReader, SortedRunWriter};

/// What is known of equal windows when a part is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// The first window of the part.
    pub(super) to: Spot,
    pub(super) class: Class,
    /// How many there are in all.
    pub(super) copies: u32,
}

/// A message as it is sorted.
type Packed = [u64; 3];

const NO_SOURCE: u64 = u64::MAX;

impl Message {
    fn pack(self) -> Packed {
        let source = self.class.source.map_or(NO_SOURCE, |source| Spot::from(source).pack());
        [self.to.pack(), source, u64::from(self.class.kept) << 32 | u64::from(self.copies)]
    }

    fn unpack([to, source, counts]: Packed) -> Self {
        let source = (source != NO_SOURCE).then(|| Spot::unpack(source).into());
        let class = Class { kept: (counts >> 32) as u32, source };
        Self { to: Spot::unpack(to), class, copies: counts as u32 }
    }
}

/// Messages that wait.
pub(super) struct Messages {
    folder: PathBuf,
    /// How many may be in memory.
    most: usize,
    near: BinaryHeap<Reverse<Packed>>,
    /// Those that did not fit.
    far: BinaryHeap<Run>,
}

/// Messages on disk, in order.
struct Run {
    /// The next of them.
    head: Packed,
    rest: SortedRunReader<Packed>,
}

/// Runs that are open at once: what they read ahead is 4 MiB.
const MOST_RUNS: usize = 64;

impl Messages {
    pub(super) fn new(folder: &Path, budget: usize) -> Self {
        let most = (budget / Packed::BYTES).max(4);
        Self { folder: folder.to_owned(), most, near: BinaryHeap::new(), far: BinaryHeap::new() }
    }

    pub(super) fn push(&mut self, message: Message) -> Result<()> {
        if self.near.len() == self.most {
            self.spill()?;
        }
        if self.near.capacity() == 0 {
            // All at once: growing would hold two copies. Pages that are not used cost nothing.
            self.near.reserve_exact(self.most);
        }
        self.near.push(Reverse(message.pack()));
        Ok(())
    }

    /// Writes down the later half of those in memory.
    fn spill(&mut self) -> Result<()> {
        if self.far.len() == MOST_RUNS {
            let mut all = SortedRunWriter::create(&self.folder)?;
            while let Some(packed) = self.pop_far()? {
                all.push(packed)?;
            }
            self.add(all)?;
        }
        let mut sorted = std::mem::take(&mut self.near).into_vec();
        sorted.sort_unstable_by_key(|Reverse(packed)| *packed);
        let mut run = SortedRunWriter::create(&self.folder)?;
        for &Reverse(packed) in &sorted[self.most / 2..] {
            run.push(packed)?;
        }
        self.add(run)?;
        sorted.truncate(self.most / 2);
        self.near = sorted.into();
        Ok(())
    }

    fn add(&mut self, run: SortedRunWriter<Packed>) -> Result<()> {
        let mut rest = run.finish()?.read()?;
        if let Some(head) = rest.next()? {
            self.far.push(Run { head, rest });
        }
        Ok(())
    }

    /// Takes the next of those on disk.
    fn pop_far(&mut self) -> Result<Option<Packed>> {
        let Some(mut run) = self.far.peek_mut() else { return Ok(None) };
        let head = run.head;
        match run.rest.next()? {
            Some(next) => run.head = next,
            None => drop(PeekMut::pop(run)),
        }
        Ok(Some(head))
    }

    /// The next message for a window before this spot.
    pub(super) fn next_before(&mut self, end: Spot) -> Result<Option<Message>> {
        let near = self.near.peek().map(|Reverse(packed)| *packed);
        let far = self.far.peek().map(|run| run.head);
        let next = near.into_iter().chain(far).min();
        if next.is_none_or(|next| next[0] >= end.pack()) {
            return Ok(None);
        }
        if next == near {
            self.near.pop();
        } else {
            self.pop_far()?;
        }
        Ok(next.map(Message::unpack))
    }

    /// Where the next one goes.
    pub(super) fn next_spot(&self) -> Option<Spot> {
        let near = self.near.peek().map(|Reverse(packed)| packed[0]);
        let far = self.far.peek().map(|run| run.head[0]);
        near.into_iter().chain(far).min().map(Spot::unpack)
    }
}

/// The one whose next message is the least comes first.
impl Ord for Run {
    fn cmp(&self, other: &Self) -> Ordering {
        other.head.cmp(&self.head)
    }
}

impl PartialOrd for Run {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Run {
    fn eq(&self, other: &Self) -> bool {
        self.head == other.head
    }
}

impl Eq for Run {}

#[cfg(test)]
mod tests {
    use lookalike_files::WorkFolder;

    use super::*;

    #[test]
    fn messages_come_in_order_however_few_fit() {
        let folder = WorkFolder::create(None).unwrap();
        for budget in [0, 1 << 10, 1 << 20] {
            let mut messages = Messages::new(&folder, budget);
            let (mut found, mut sent) = (Vec::new(), Vec::new());
            for document in 0..50_u32 {
                let end = Spot { document: document + 1, token: 0 };
                while let Some(message) = messages.next_before(end).unwrap() {
                    found.push(message.to.pack());
                }
                for token in 0..20 {
                    let later = document + 1 + (document * 7 + token * 13) % 9;
                    let to = Spot { document: later, token };
                    sent.push(to.pack());
                    let class = Class { kept: token, source: Some(to.into()) };
                    messages.push(Message { to, class, copies: 2 }).unwrap();
                }
            }
            let end = Spot { document: u32::MAX, token: 0 };
            while let Some(message) = messages.next_before(end).unwrap() {
                assert_eq!(message.class.source, Some(message.to.into()));
                found.push(message.to.pack());
            }
            sent.sort_unstable();
            assert_eq!(found, sent);
        }
    }
}

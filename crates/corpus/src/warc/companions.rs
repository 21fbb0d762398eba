//! Which requests and metadata records of a web archive go with the documents that go.
//!
//! A crawler writes a capture as several records, one after another: the request before or after the
//! response, metadata after it. They name each other by `WARC-Concurrent-To`, metadata also by
//! `WARC-Refers-To`, and only one side does: that of the later record as a rule. So a companion is
//! known by a document that went before it, which is remembered, or by one that follows, until which
//! it is held back. What is held back keeps its place among the records that are written.
//!
//! Memory: eight bytes for each of the last [`REMEMBERED`] documents that went, and [`HELD_BYTES`] of
//! companions. One that is farther from its document stays.

use std::collections::{HashSet, VecDeque};

use lookalike_files::checksum;

use super::header::{End, Header, end};

/// Documents of an archive that are remembered when they have gone: more than are in a file of a
/// gigabyte.
const REMEMBERED: usize = 1 << 20;

/// Companions that are held back for the document after them. A capture has two or three.
const HELD_BYTES: usize = 4 << 20;

/// The kinds of records that belong to a capture and are no documents.
const COMPANIONS: [&str; 2] = ["request", "metadata"];

/// The fields that name another record of a capture.
const LINKS: [&str; 2] = ["WARC-Concurrent-To", "WARC-Refers-To"];

/// What of a record is written now.
pub(crate) type Released = Vec<Vec<u8>>;

/// The companions of an archive, as its records go by.
#[derive(Debug, Default)]
pub(crate) struct Companions {
    /// Hashes of the ids of documents that went, and in which order.
    gone: HashSet<u64>,
    order: VecDeque<u64>,
    held: Vec<HeldCompanion>,
    held_bytes: usize,
    /// Companions that went.
    pub(crate) dropped: u64,
}

#[derive(Debug)]
struct HeldCompanion {
    names: Names,
    bytes: Vec<u8>,
}

/// The id of a record and those that it names, as hashes.
#[derive(Debug, Default)]
struct Names {
    id: Option<u64>,
    links: Vec<u64>,
}

impl Names {
    fn of(header: Header<'_>) -> Self {
        let id = header.get("WARC-Record-ID").map(|id| hash(&id));
        let links = LINKS.iter().flat_map(|name| header.all(name)).map(|id| hash(&id)).collect();
        Self { id, links }
    }

    /// Whether one of the two names the other.
    fn are_linked(&self, other: &Self) -> bool {
        let names = |from: &Self, to: &Self| to.id.is_some_and(|id| from.links.contains(&id));
        names(self, other) || names(other, self)
    }
}

/// Of an id, which some tools write without its angle brackets. By chance two of a million are the same
/// once in 37 million archives.
fn hash(id: &str) -> u64 {
    u64::from_le_bytes(checksum(id.trim_matches(['<', '>']).as_bytes()))
}

/// The header that a record begins with, if it is whole.
fn header(record: &[u8]) -> Option<Header<'_>> {
    match end(record) {
        End::Whole(length) => Some(Header(&record[..length])),
        End::Interrupted(_) | End::Missing => None,
    }
}

impl Companions {
    /// A document or a bad record follows, which goes. What was held back and is none of its
    /// companions is released.
    pub(crate) fn drop_document(&mut self, record: &[u8]) -> Released {
        let Some(header) = header(record) else { return self.release() };
        let names = Names::of(header);
        if let Some(id) = names.id
            && self.gone.insert(id)
        {
            self.order.push_back(id);
            if self.order.len() > REMEMBERED {
                self.order.pop_front().map(|first| self.gone.remove(&first));
            }
        }
        let before = self.held.len();
        self.held.retain(|held| !held.names.are_linked(&names));
        self.dropped += (before - self.held.len()) as u64;
        self.release()
    }

    /// A record that is no document follows. Gives what is to be written now, the record itself among
    /// it unless it is held back or goes.
    pub(crate) fn pass(&mut self, record: &[u8]) -> Released {
        let found = header(record).filter(|header| {
            header.get("WARC-Type").is_some_and(|kind| {
                COMPANIONS.iter().any(|companion| kind.eq_ignore_ascii_case(companion))
            })
        });
        let Some(header) = found else {
            let mut released = self.release();
            released.push(record.to_vec());
            return released;
        };
        let names = Names::of(header);
        if names.links.iter().any(|id| self.gone.contains(id)) {
            self.dropped += 1;
            return Released::new();
        }
        let is_full = self.held_bytes + record.len() > HELD_BYTES;
        let released = if is_full { self.release() } else { Released::new() };
        self.held_bytes += record.len();
        self.held.push(HeldCompanion { names, bytes: record.to_vec() });
        released
    }

    /// Something follows that stays, or nothing: what was held back is to be written.
    pub(crate) fn release(&mut self) -> Released {
        self.held_bytes = 0;
        self.held.drain(..).map(|held| held.bytes).collect()
    }
}

//! Postings: from a key to the documents that have it.
//!
//! They follow from the documents and can always be made again. Those of the
//! last documents are in memory ([`recent`]); when there are enough, they are
//! sorted into a [`segment`], a file that never changes, and when there are four
//! segments of a level, they are merged into one of the next ([`merge`]).
//!
//! Segments are of consecutive documents, so a key's list is what the segments say, one
//! after another, and then what is recent: always in the order of adding, and
//! always whole. Documents that were removed are left out by whoever reads.
//!
//! A key is cut to 36 bits. Two that are the same by chance are told apart by
//! the documents themselves, so that answers do not depend on the cut.

mod bits;
mod bloom;
pub(crate) mod merge;
mod page;
mod recent;
mod segment;
#[cfg(test)]
mod tests;

use lookalike_core::mix;
use xxhash_rust::xxh3::xxh3_64_with_seed;

pub(crate) use recent::RecentPostings;
pub(crate) use segment::{Segment, SegmentEntry, SegmentStream, SegmentWriter};

/// Bits of a key. At 2^30 postings one key in sixty-four meets another by chance, which costs a
/// look at a record; each bit more would cost two bytes a document.
pub(crate) const KEY_BITS: u32 = 36;

/// What helps when something else than documents is damaged.
pub(crate) const REBUILD: &str =
    "hint: `lookalike index rebuild` goes on with the documents that are there";

/// That a document has a key. In the order of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Posting {
    pub(crate) key: u64,
    pub(crate) number: u64,
}

/// Kinds of keys, so that none meets a key of another kind more than by chance.
const RULE: u64 = 0x9216_d5d9_8979_fb1b;
const EXACT: u64 = 0xd131_0ba6_98df_b5ac;
const ID: u64 = 0x2ffd_72db_d01a_dfb7;
const URL: u64 = 0xb8e1_afed_6a26_7e96;

/// Of a key by which candidates meet.
pub(crate) fn rule_key(key: u64) -> u64 {
    mix(key ^ RULE) >> (64 - KEY_BITS)
}

/// Of the fingerprint of a token sequence.
pub(crate) fn exact_key(exact: u128) -> u64 {
    mix(mix((exact >> 64) as u64 ^ EXACT) ^ exact as u64) >> (64 - KEY_BITS)
}

/// Of a document's id.
pub(crate) fn id_key(id: &str) -> u64 {
    xxh3_64_with_seed(id.as_bytes(), ID) >> (64 - KEY_BITS)
}

/// Of a document's URL.
pub(crate) fn url_key(url: &str) -> u64 {
    xxh3_64_with_seed(url.as_bytes(), URL) >> (64 - KEY_BITS)
}

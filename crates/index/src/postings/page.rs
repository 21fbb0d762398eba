//! A page: postings of keys that are near each other, packed.
//!
//! Keys are as good as random, so the distance from one to the next follows
//! from how many there are, and Rice's code takes a bit and a half more than it
//! must: about 11 bits a key at a hundred million postings. Numbers of documents
//! follow, with as many bits each as the segment needs.
//!
//! ```text
//! 4 checksum of the page's place in the segment and of all that follows
//! 4 n: postings
//! 4 bytes of the distances
//!   n distances: from the key before, the first from the lowest key of the page
//!   n numbers, less the first number of the segment
//! ```

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::bits::{BitReader, BitWriter};
use super::{KEY_BITS, Posting};

/// How the pages of a segment are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "bits are what they all count")]
pub(super) struct Shape {
    /// The highest bits of a key, which name its page.
    pub(super) page_bits: u32,
    /// Bits of a distance that are written as they are.
    pub(super) low_bits: u32,
    /// Bits of a document's number.
    pub(super) number_bits: u32,
}

/// Postings of a page, on average.
const PAGE_POSTINGS: u64 = 512;

/// Bytes before the distances.
const HEADER: usize = 12;

impl Shape {
    /// For so many postings of so many documents.
    pub(super) fn of(postings: u64, documents: u64) -> Self {
        let page_bits = postings.div_ceil(PAGE_POSTINGS).max(1).next_power_of_two().ilog2();
        // The mean distance is 2^KEY_BITS / postings; the best width is a little below its log.
        let low_bits = ((1_u64 << KEY_BITS) / postings.max(1)).max(1).ilog2();
        let number_bits = 64 - documents.leading_zeros();
        Self { page_bits, low_bits: low_bits.min(KEY_BITS - page_bits), number_bits }
    }

    pub(super) fn is_possible(self) -> bool {
        self.page_bits <= 30 && self.low_bits <= KEY_BITS - self.page_bits && self.number_bits <= 56
    }

    pub(super) fn page_of(self, key: u64) -> u32 {
        (key >> (KEY_BITS - self.page_bits)) as u32
    }

    fn lowest_key(self, page: u32) -> u64 {
        u64::from(page) << (KEY_BITS - self.page_bits)
    }

    pub(super) fn pages(self) -> usize {
        1 << self.page_bits
    }
}

/// Where a page stands, so that no page is taken for another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) segment: u64,
    pub(super) page: u32,
    /// 0, or the number of an overflow page from 1 on.
    pub(super) overflow: u32,
}

impl Place {
    fn checksum(self, bytes: &[u8]) -> u32 {
        let place = u64::from(self.page) << 32 | u64::from(self.overflow);
        xxh3_64_with_seed(bytes, lookalike_core::mix(self.segment) ^ place) as u32
    }
}

/// Packs postings, ascending, of one page; numbers are counted from `first`.
pub(super) fn encode(
    shape: Shape,
    place: Place,
    first: u64,
    postings: &[Posting],
    out: &mut Vec<u8>,
) {
    let mut bits = BitWriter::default();
    out.clear();
    out.resize(HEADER, 0);
    let mut before = shape.lowest_key(place.page);
    for posting in postings {
        bits.push_rice(posting.key - before, shape.low_bits);
        before = posting.key;
    }
    bits.finish_into(out);
    let distances = (out.len() - HEADER) as u32;
    for posting in postings {
        bits.push(posting.number - first, shape.number_bits);
    }
    bits.finish_into(out);
    out[4..8].copy_from_slice(&(postings.len() as u32).to_le_bytes());
    out[8..12].copy_from_slice(&distances.to_le_bytes());
    let checksum = place.checksum(&out[4..]);
    out[..4].copy_from_slice(&checksum.to_le_bytes());
}

/// A page whose checksum was found right.
pub(super) struct Page<'a> {
    shape: Shape,
    lowest: u64,
    first: u64,
    count: usize,
    distances: BitReader<'a>,
    numbers: BitReader<'a>,
}

impl<'a> Page<'a> {
    /// `None` if the bytes are not those of the page at this place.
    pub(super) fn decode(shape: Shape, place: Place, first: u64, bytes: &'a [u8]) -> Option<Self> {
        let (checksum, rest) = bytes.split_first_chunk::<4>()?;
        if place.checksum(rest) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let (count, rest) = rest.split_first_chunk::<4>()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (distances, numbers) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some(Self {
            shape,
            lowest: shape.lowest_key(place.page),
            first,
            count: u32::from_le_bytes(*count) as usize,
            distances: BitReader::new(distances),
            numbers: BitReader::new(numbers),
        })
    }

    /// Which of the postings have this key; `None` if the page does not decode.
    pub(super) fn find(&self, wanted: u64) -> Option<Range<usize>> {
        let (mut distances, mut key) = (self.distances, self.lowest);
        let mut found = 0..0;
        for at in 0..self.count {
            key = key.checked_add(distances.pull_rice(self.shape.low_bits)?)?;
            if key > wanted {
                break;
            }
            if key == wanted {
                if found.is_empty() {
                    found.start = at;
                }
                found.end = at + 1;
            }
        }
        Some(found)
    }

    /// The document of a posting.
    pub(super) fn number(&self, at: usize) -> Option<u64> {
        let width = self.shape.number_bits;
        let number = self.numbers.from(at * width as usize).pull(width)?;
        self.first.checked_add(number)
    }

    /// Appends all postings; `None` if the page does not decode.
    pub(super) fn unpack(&self, out: &mut Vec<Posting>) -> Option<()> {
        let (mut distances, mut key) = (self.distances, self.lowest);
        for at in 0..self.count {
            key = key.checked_add(distances.pull_rice(self.shape.low_bits)?)?;
            out.push(Posting { key, number: self.number(at)? });
        }
        Some(())
    }
}

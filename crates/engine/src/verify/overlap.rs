//! What two shingle sets have in common, read block by block.

use std::ops::Range;

use lookalike_core::Kernel;
use lookalike_core::resemblance::Overlap;

use super::contents::{Block, Contents};
use crate::error::Result;

/// Shingles of a set that are in memory when two are compared.
const BLOCK: usize = 32 << 10;

/// One side of a comparison: a set that is read block by block.
#[derive(Default)]
pub(crate) struct Side {
    range: Range<u64>,
    /// The block at hand, where it begins in the file, and what is left of it.
    block: Block,
    block_at: u64,
    used: usize,
}

impl Side {
    /// Turns to the beginning of a set. A small one that is at hand is not read again.
    fn begin(&mut self, range: Range<u64>) {
        let at_hand = self.range == range && self.block_at == range.start;
        if !at_hand {
            self.block.elements.clear();
            self.block_at = range.start;
        }
        self.used = 0;
        self.range = range;
    }

    /// What is left of the block, or the next one; empty at the end.
    fn rest(&mut self, sets: &Contents<'_>) -> Result<&[u64]> {
        if self.used == self.block.elements.len() {
            let next = self.block_at + self.block.elements.len() as u64;
            let count = (self.range.end - next).min(BLOCK as u64) as usize;
            if count > 0 {
                sets.read(next, count, &mut self.block)?;
                self.block_at = next;
                self.used = 0;
            }
        }
        Ok(&self.block.elements[self.used..])
    }
}

/// What two sets have in common.
pub(crate) fn overlap(
    kernel: Kernel,
    sets: &Contents<'_>,
    [a, b]: [&mut Side; 2],
    [range_a, range_b]: [Range<u64>; 2],
) -> Result<Overlap> {
    let mut overlap =
        Overlap { a: range_a.end - range_a.start, b: range_b.end - range_b.start, common: 0 };
    a.begin(range_a);
    b.begin(range_b);
    loop {
        let (rest_a, rest_b) = (a.rest(sets)?, b.rest(sets)?);
        let (Some(last_a), Some(last_b)) = (rest_a.last(), rest_b.last()) else {
            return Ok(overlap);
        };
        // Whatever is beyond the smaller end may have its equal in the next block.
        let end = *last_a.min(last_b);
        let upto = |rest: &[u64]| rest.partition_point(|shingle| *shingle <= end);
        let (upto_a, upto_b) = (upto(rest_a), upto(rest_b));
        overlap.common += kernel.intersection(&rest_a[..upto_a], &rest_b[..upto_b]) as u64;
        a.used += upto_a;
        b.used += upto_b;
    }
}

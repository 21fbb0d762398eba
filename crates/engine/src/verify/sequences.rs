//! The tokens of a document, read from the file of contents as a walk asks for them.

use std::ops::Range;

use lookalike_core::difference::Sequence;

use super::contents::{Block, Contents};
use crate::error::{Error, Result};

/// Tokens of a document that is read as a whole: most are.
const WHOLE: u64 = 32 << 10;

/// Tokens of a longer one that are read at once.
const BLOCK: u64 = 512;

/// Blocks of it that are in memory: a walk goes on at many places by turns.
const BLOCKS: usize = 256;

/// Steps of a walk that reading a block is worth.
const COST: u64 = BLOCK;

/// What is in memory of one side of a comparison.
#[derive(Default)]
pub(crate) struct Blocks {
    /// A document as a whole, and where it begins in the file.
    whole: Block,
    whole_start: u64,
    /// Blocks, in places that follow from what they are: what a walk costs must not depend on what was
    /// compared before.
    places: Vec<Place>,
    bytes: Vec<u8>,
    /// Which comparison this is.
    comparison: u64,
}

/// A place for blocks.
#[derive(Clone, Default)]
struct Place {
    /// Where the block at hand begins in the file; none is at hand where it is empty.
    start: u64,
    block: Vec<u64>,
    /// The last comparison that paid for it.
    paid: u64,
}

/// The tokens of one document.
pub(crate) struct Tokens<'a> {
    contents: &'a Contents<'a>,
    range: Range<u64>,
    blocks: &'a mut Blocks,
    cost: u64,
}

impl<'a> Tokens<'a> {
    /// Of the document at this range of the file.
    pub(crate) fn new(
        contents: &'a Contents<'a>,
        range: Range<u64>,
        blocks: &'a mut Blocks,
    ) -> Self {
        blocks.comparison += 1;
        Self { contents, range, blocks, cost: 0 }
    }

    /// All of them, if they are few. Those of the last time are not read again.
    pub(crate) fn whole(&mut self) -> Result<Option<&[u64]>> {
        let (start, count) = (self.range.start, self.tokens());
        if count > WHOLE {
            return Ok(None);
        }
        let Blocks { whole, whole_start, .. } = &mut *self.blocks;
        if *whole_start != start || whole.elements.len() as u64 != count {
            self.contents.read(start, count as usize, whole)?;
            *whole_start = start;
        }
        Ok(Some(&whole.elements))
    }
}

impl Sequence for Tokens<'_> {
    type Error = Error;

    fn tokens(&self) -> u64 {
        self.range.end - self.range.start
    }

    fn from(&mut self, at: u64) -> Result<&[u64]> {
        let number = at / BLOCK;
        let start = self.range.start + number * BLOCK;
        let Blocks { places, bytes, comparison, .. } = &mut *self.blocks;
        if places.is_empty() {
            places.resize(BLOCKS, Place::default());
        }
        let place = &mut places[number as usize % BLOCKS];
        let is_at_hand = place.start == start && !place.block.is_empty();
        if !is_at_hand {
            let count = (self.range.end - start).min(BLOCK) as usize;
            self.contents.read_into(start, count, &mut place.block, bytes)?;
            place.start = start;
        }
        if !is_at_hand || place.paid != *comparison {
            place.paid = *comparison;
            self.cost += COST;
        }
        Ok(&place.block[(at % BLOCK) as usize..])
    }

    fn cost(&self) -> u64 {
        self.cost
    }
}

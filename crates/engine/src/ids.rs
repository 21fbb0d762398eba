//! The ids of rows, from the signature file, with the last blocks at hand.

use std::collections::VecDeque;

use crate::error::Result;
use crate::places::Row;
use crate::signature_file::{BlockIds, SignatureLookup};

/// Blocks that are held: neighbours in a table are often neighbours in the input. About 10 MB.
const HELD: usize = 32;

/// Finds ids.
pub struct Ids<'a> {
    signatures: &'a SignatureLookup,
    /// The last one used is the last.
    blocks: VecDeque<BlockIds>,
}

impl<'a> Ids<'a> {
    /// Of the rows of this signature file.
    pub fn new(signatures: &'a SignatureLookup) -> Self {
        Self { signatures, blocks: VecDeque::new() }
    }

    /// The id of a row.
    ///
    /// # Errors
    /// If there is no such row, or the file cannot be read.
    pub fn get(&mut self, row: Row) -> Result<String> {
        let held = self.blocks.iter().position(|block| block.rows().contains(&row));
        let block = match held.and_then(|at| self.blocks.remove(at)) {
            Some(block) => block,
            None => self.signatures.ids_around(row)?,
        };
        if self.blocks.len() == HELD {
            self.blocks.pop_front();
        }
        let id = block.id(row).to_owned();
        self.blocks.push_back(block);
        Ok(id)
    }
}

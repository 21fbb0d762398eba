//! Single rows of a signature file, by their numbers.

use std::fs::File;
use std::io::BufReader;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use lookalike_core::{Layout, Recipe, Signature};
use lookalike_files::{check_sum, read_at, word};

use super::{BLOCK_HEADER, CHECKSUM, MAX_BLOCK_IDS, SignatureReader, rows_per_block};
use crate::error::{Error, Operation, Result};
use crate::places::Row;

/// Finds rows of a signature file without reading all of it.
///
/// A block is checked when the first of its rows is asked for. Memory: 24 bytes for each block,
/// which is a few thousand rows.
pub struct SignatureLookup {
    path: PathBuf,
    file: File,
    layout: Layout,
    recipe: Recipe,
    rows: u64,
    blocks: Vec<Block>,
}

struct Block {
    offset: u64,
    first_row: Row,
    is_checked: AtomicBool,
}

/// The ids of consecutive rows.
#[derive(Debug)]
pub struct BlockIds {
    first: Row,
    ids: String,
    /// Where each begins, and the end.
    starts: Vec<usize>,
}

impl BlockIds {
    /// The rows.
    pub fn rows(&self) -> Range<Row> {
        self.first..self.first.after(self.starts.len() as u64 - 1)
    }

    /// The id of one of the rows.
    ///
    /// # Panics
    /// If the row is not one of them.
    pub fn id(&self, row: Row) -> &str {
        let row = row.index() - self.first.index();
        &self.ids[self.starts[row]..self.starts[row + 1]]
    }
}

impl SignatureLookup {
    /// Opens a file and finds its blocks.
    ///
    /// # Errors
    /// As [`SignatureReader::open`], and if the blocks do not add up.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_file(path.as_ref())
    }

    fn open_file(path: &Path) -> Result<Self> {
        let failed = |source| Error::io(path, Operation::Read, source);
        let reader: SignatureReader<BufReader<File>> = SignatureReader::open(path)?;
        let recipe = reader.recipe().clone();
        let layout = Layout::of(&recipe);
        let file = File::open(path).map_err(failed)?;
        let mut offset = super::header(&recipe).len() as u64;
        let mut lookup =
            Self { path: path.to_owned(), file, layout, recipe, rows: 0, blocks: Vec::new() };
        loop {
            let (rows, ids) = lookup.block_header(offset)?;
            if rows == 0 {
                return Ok(lookup);
            }
            let is_checked = AtomicBool::new(false);
            lookup.blocks.push(Block { offset, first_row: Row::nth(lookup.rows), is_checked });
            lookup.rows += rows;
            offset += lookup.block_bytes(rows, ids);
        }
    }

    /// The recipe of the file.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The signature of a row.
    ///
    /// # Errors
    /// If there is no such row, or the file cannot be read.
    pub fn signature(&self, row: Row) -> Result<Signature> {
        let (offset, first) = self.block_of(row)?;
        let in_block = u64::from(row) - u64::from(first);
        let mut bytes = vec![0; self.layout.bytes()];
        let at = offset + BLOCK_HEADER as u64 + in_block * self.layout.bytes() as u64;
        self.read(&mut bytes, at)?;
        let Some(signature) = self.layout.decode(&bytes) else {
            unreachable!("exactly the width was read")
        };
        Ok(signature)
    }

    /// The ids of the block that a row is in.
    ///
    /// # Errors
    /// If there is no such row, or the file cannot be read.
    pub fn ids_around(&self, row: Row) -> Result<BlockIds> {
        let (offset, first) = self.block_of(row)?;
        let (rows, bytes) = self.block_header(offset)?;
        let lengths_at = offset + BLOCK_HEADER as u64 + rows * self.layout.bytes() as u64;
        let mut lengths = vec![0; 4 * rows as usize];
        self.read(&mut lengths, lengths_at)?;
        let mut ids = vec![0; bytes as usize];
        self.read(&mut ids, lengths_at + 4 * rows)?;
        let damaged = || self.corrupt(lengths_at, "ids in UTF-8".to_owned(), "others".to_owned());
        let ids = String::from_utf8(ids).map_err(|_| damaged())?;
        let mut starts = vec![0];
        for length in lengths.as_chunks::<4>().0 {
            let start = starts.last().copied().unwrap_or(0) + u32::from_le_bytes(*length) as usize;
            if !ids.is_char_boundary(start) {
                return Err(damaged());
            }
            starts.push(start);
        }
        Ok(BlockIds { first, ids, starts })
    }

    /// The id of a row.
    ///
    /// # Errors
    /// If there is no such row, or the file cannot be read.
    pub fn id(&self, row: Row) -> Result<String> {
        Ok(self.ids_around(row)?.id(row).to_owned())
    }

    /// Where the block of a row begins, and the first row of it.
    fn block_of(&self, row: Row) -> Result<(u64, Row)> {
        let after = self.blocks.partition_point(|block| block.first_row <= row);
        let block = after.checked_sub(1).and_then(|block| self.blocks.get(block));
        let Some(block) = block.filter(|_| u64::from(row) < self.rows) else {
            return Err(self.corrupt(0, format!("row {row}"), format!("{} rows", self.rows)));
        };
        if !block.is_checked.load(Ordering::Relaxed) {
            self.check(block.offset)?;
            block.is_checked.store(true, Ordering::Relaxed);
        }
        Ok((block.offset, block.first_row))
    }

    /// Bytes of a block with its header and checksum.
    fn block_bytes(&self, rows: u64, ids: u64) -> u64 {
        (BLOCK_HEADER + CHECKSUM) as u64 + rows * (self.layout.bytes() as u64 + 4) + ids
    }

    /// Reads the block that begins there, and checks its checksum.
    fn check(&self, offset: u64) -> Result<()> {
        let (rows, ids) = self.block_header(offset)?;
        let mut block = vec![0; self.block_bytes(rows, ids) as usize];
        self.read(&mut block, offset)?;
        Ok(check_sum(&self.path, &block, offset)?)
    }

    /// Rows, and bytes of ids, of the block that begins there.
    fn block_header(&self, offset: u64) -> Result<(u64, u64)> {
        let mut header = [0; BLOCK_HEADER];
        self.read(&mut header, offset)?;
        let [rows, ids] = [0, 4].map(|at| u64::from(word(&header, at)));
        let most = rows_per_block(self.layout) as u64;
        if rows > most || ids > MAX_BLOCK_IDS as u64 {
            let expected = format!("at most {most} rows with {MAX_BLOCK_IDS} bytes of ids");
            return Err(self.corrupt(offset, expected, format!("{rows} rows with {ids} bytes")));
        }
        Ok((rows, ids))
    }

    fn read(&self, out: &mut [u8], at: u64) -> Result<()> {
        read_at(&self.file, out, at).map_err(|e| Error::io(&self.path, Operation::Read, e))
    }

    fn corrupt(&self, offset: u64, expected: String, found: String) -> Error {
        Error::corruption(&self.path, offset, expected, found)
    }
}

//! Signature files, in. Believes nothing that it has not checked.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use lookalike_core::recipe::Digest;
use lookalike_core::{Layout, Recipe, Signature};
use lookalike_files::{ByteReader, CHECKSUM, double_word, word};

use super::{BLOCK_HEADER, FORMAT, HEADER, MAX_BLOCK_IDS, MAX_RECIPE, rows_per_block};
use crate::error::{Error, ErrorKind, Result};
use crate::places::Row;

/// Reads a signature file, row by row. One block is in memory at a time, and a
/// row is handed out only after its block's checksum was found right.
///
/// That the file is whole is known when the iteration has ended without an
/// error. After an error it ends.
pub struct SignatureReader<R = BufReader<File>> {
    source: ByteReader<R>,
    recipe: Recipe,
    layout: Layout,
    block: Block,
    rows: u64,
    ended: bool,
}

/// The rows of a checked block that are still to be handed out.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    row: usize,
    rows: usize,
    /// Where the next id begins in `bytes`, and at which byte of the file the block does.
    next_id: usize,
    offset: u64,
}

impl SignatureReader {
    /// Opens a file and checks its header.
    ///
    /// # Errors
    /// If the system refuses, or the file is damaged, of another kind, of a later version, or
    /// of a recipe that this program cannot follow.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_file(path.as_ref())
    }

    fn open_file(path: &Path) -> Result<Self> {
        Self::from_source(ByteReader::open(path)?)
    }
}

impl<R: Read> SignatureReader<R> {
    /// Reads a file of `length` bytes from any source; `path` is for messages.
    ///
    /// # Errors
    /// As [`SignatureReader::open`].
    pub fn new(source: R, length: u64, path: &Path) -> Result<Self> {
        Self::from_source(ByteReader::new(source, length, path))
    }

    fn from_source(mut source: ByteReader<R>) -> Result<Self> {
        let mut bytes = Vec::new();
        source.read(HEADER, "a header", &mut bytes)?;
        FORMAT.check(source.path(), &bytes)?;
        let recipe_length = word(&bytes, 12) as usize;
        if recipe_length > MAX_RECIPE {
            let expected = format!("a recipe of at most {MAX_RECIPE} bytes");
            return Err(source.corrupt_at(12, expected, recipe_length.to_string()).into());
        }
        source.read(recipe_length + CHECKSUM, "a recipe", &mut bytes)?;
        source.check(&bytes, 0)?;

        let recipe = recipe(&source, &bytes[HEADER..HEADER + recipe_length])?;
        let digests =
            [(16, "digest", recipe.digest()), (48, "signing digest", recipe.signing_digest())];
        for (at, what, digest) in digests {
            let found = bytes.get(at..).and_then(<[u8]>::first_chunk).map(|bytes| Digest(*bytes));
            if let Some(found) = found.filter(|&found| found != digest) {
                let expected = format!("the recipe's {what} {digest}");
                return Err(source.corrupt_at(at as u64, expected, found.to_string()).into());
            }
        }
        let layout = Layout::of(&recipe);
        Ok(Self { source, recipe, layout, block: Block::default(), rows: 0, ended: false })
    }

    /// The recipe that made the signatures.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Rows handed out so far: all of them once the iteration has ended.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Reads and checks the next block. False at the end of the file.
    fn next_block(&mut self) -> Result<bool> {
        let Self { source, block, .. } = self;
        let offset = source.offset();
        block.bytes.clear();
        source.read(BLOCK_HEADER, "a block or the end block", &mut block.bytes)?;
        let (rows, ids) = (word(&block.bytes, 0) as usize, word(&block.bytes, 4) as usize);
        if rows == 0 {
            return self.end(offset, ids).map(|()| false);
        }
        let most = rows_per_block(self.layout);
        if rows > most {
            return Err(source
                .corrupt_at(offset, format!("at most {most} rows"), rows.to_string())
                .into());
        }
        if ids > MAX_BLOCK_IDS {
            let expected = format!("at most {MAX_BLOCK_IDS} bytes of ids");
            return Err(source.corrupt_at(offset + 4, expected, ids.to_string()).into());
        }
        let length = rows * (self.layout.bytes() + 4) + ids;
        source.read(length + CHECKSUM, "a block", &mut block.bytes)?;
        source.check(&block.bytes, offset)?;

        let lengths_at = BLOCK_HEADER + rows * self.layout.bytes();
        let sum: u64 = (0..rows).map(|row| length_at(&block.bytes, lengths_at, row) as u64).sum();
        if sum != ids as u64 {
            let expected = format!("id lengths with a sum of {ids}");
            return Err(source
                .corrupt_at(offset + lengths_at as u64, expected, sum.to_string())
                .into());
        }
        (block.row, block.rows, block.offset) = (0, rows, offset);
        block.next_id = lengths_at + 4 * rows;
        Ok(true)
    }

    /// Checks the end block, of which the header was read.
    fn end(&mut self, offset: u64, ids: usize) -> Result<()> {
        let Self { source, block, .. } = self;
        if ids != 0 {
            return Err(source
                .corrupt_at(offset + 4, "no ids in the end block", ids.to_string())
                .into());
        }
        source.read(8 + CHECKSUM, "the end block", &mut block.bytes)?;
        source.check(&block.bytes, offset)?;
        let rows = double_word(&block.bytes, BLOCK_HEADER);
        if rows != self.rows {
            let expected = format!("{} rows in all", self.rows);
            return Err(source.corrupt_at(offset + 8, expected, rows.to_string()).into());
        }
        Ok(source.check_end()?)
    }

    /// Reads the next row into an id and a signature whose memory is used again. False after the
    /// last.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged; then there is no further row.
    pub fn read(&mut self, id: &mut String, signature: &mut Signature) -> Result<bool> {
        let read = self.try_read(id, signature);
        self.ended = !matches!(read, Ok(true));
        read
    }

    /// Calls `each` with the row, the id and the signature of every document, in order.
    ///
    /// # Errors
    /// As [`read`](Self::read); and what `each` gives, which ends it.
    pub fn for_each_row<E: From<Error>>(
        mut self,
        mut each: impl FnMut(Row, &str, &Signature) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut id, mut signature, mut rows) =
            (String::new(), Signature::default(), Row::between(Row::nth(self.rows)..Row::NONE));
        while self.read(&mut id, &mut signature)?
            && let Some(row) = rows.next()
        {
            each(row, &id, &signature)?;
        }
        Ok(())
    }

    /// The same of some rows, which are in order. What comes after them is not looked at.
    pub(crate) fn for_each_of(
        mut self,
        wanted: impl IntoIterator<Item = Row>,
        mut each: impl FnMut(Row, &str, &Signature) -> Result<()>,
    ) -> Result<()> {
        let (mut id, mut signature) = (String::new(), Signature::default());
        for row in wanted {
            while self.rows < row.into() {
                if self.block.row == self.block.rows && !self.next_block()? {
                    return Ok(());
                }
                self.skip_row();
            }
            if !self.read(&mut id, &mut signature)? {
                return Ok(());
            }
            each(row, &id, &signature)?;
        }
        Ok(())
    }

    fn try_read(&mut self, id: &mut String, signature: &mut Signature) -> Result<bool> {
        let in_block = self.block.row < self.block.rows;
        if self.ended || !in_block && !self.next_block()? {
            return Ok(false);
        }
        self.read_row(id, signature).map(|()| true)
    }

    /// The next row of the block.
    fn read_row(&mut self, id: &mut String, signature: &mut Signature) -> Result<()> {
        let Self { source, block, layout, .. } = self;
        let width = layout.bytes();
        let signature_at = BLOCK_HEADER + block.row * width;
        let bytes = &block.bytes[signature_at..signature_at + width];
        let Some(()) = layout.decode_into(bytes, signature) else {
            unreachable!("exactly the width was given")
        };
        let length = length_at(&block.bytes, BLOCK_HEADER + block.rows * width, block.row);
        let text = std::str::from_utf8(&block.bytes[block.next_id..block.next_id + length]);
        let text = text.map_err(|error| {
            let offset = block.offset + (block.next_id + error.valid_up_to()) as u64;
            source.corrupt_at(offset, "an id in UTF-8", "other bytes")
        })?;
        id.clear();
        id.push_str(text);
        self.skip_row();
        Ok(())
    }

    /// Goes on to the next row of the block.
    fn skip_row(&mut self) {
        let Self { block, layout, .. } = self;
        let lengths_at = BLOCK_HEADER + block.rows * layout.bytes();
        block.next_id += length_at(&block.bytes, lengths_at, block.row);
        block.row += 1;
        self.rows += 1;
    }
}

/// The length of a row's id; the table begins at `at`.
fn length_at(block: &[u8], at: usize, row: usize) -> usize {
    word(block, at + 4 * row) as usize
}

/// The recipe in the header, whose checksum was right.
fn recipe<R: Read>(source: &ByteReader<R>, toml: &[u8]) -> Result<Recipe> {
    let text = std::str::from_utf8(toml).map_err(|error| {
        let offset = HEADER as u64 + error.valid_up_to() as u64;
        source.corrupt_at(offset, "a recipe in UTF-8", "other bytes")
    })?;
    Recipe::from_toml(text).map_err(|fault| {
        Error::from(ErrorKind::Recipe { path: source.path().to_owned(), source: fault })
    })
}

impl<R: Read> Iterator for SignatureReader<R> {
    type Item = Result<(String, Signature)>;

    fn next(&mut self) -> Option<Self::Item> {
        let (mut id, mut signature) = (String::new(), Signature::default());
        let read = self.read(&mut id, &mut signature);
        read.map(|more| more.then_some((id, signature))).transpose()
    }
}

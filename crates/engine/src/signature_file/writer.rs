//! Signature files, out.

use std::io::Write as _;
use std::path::Path;

use lookalike_core::{Layout, Recipe, Signature};
use lookalike_files::{AtomicFile, Existing, checksum};

use super::{MAX_BLOCK_IDS, MAX_ID_BYTES, SignatureReader, header, rows_per_block};
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::places::Row;

/// Writes a signature file. Nothing is under the final name before [`finish`](Self::finish);
/// without it, nothing is left at all.
pub struct SignatureWriter {
    file: AtomicFile,
    layout: Layout,
    rows_per_block: usize,
    /// The block in the making: its signatures, the lengths of its ids, its ids.
    signatures: Vec<u8>,
    id_lengths: Vec<u8>,
    ids: Vec<u8>,
    block_rows: usize,
    written: WriteSummary,
}

/// What a finished file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteSummary {
    /// Rows: one a document.
    pub rows: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

impl SignatureWriter {
    /// Starts a file for signatures that this recipe makes.
    ///
    /// # Errors
    /// As [`AtomicFile::create`].
    pub fn create(path: impl AsRef<Path>, recipe: &Recipe, existing: Existing) -> Result<Self> {
        let path = path.as_ref();
        let layout = Layout::of(recipe);
        let mut writer = Self {
            file: AtomicFile::create(path, existing)?,
            layout,
            rows_per_block: rows_per_block(layout),
            signatures: Vec::new(),
            id_lengths: Vec::new(),
            ids: Vec::new(),
            block_rows: 0,
            written: WriteSummary::default(),
        };
        writer.write(&header(recipe))?;
        Ok(writer)
    }

    /// Calls `each` with the signature of every document so far, in order.
    pub(crate) fn for_each_so_far(
        &mut self,
        mut each: impl FnMut(Row, &Signature) -> Result<()>,
    ) -> Result<()> {
        if self.block_rows > 0 {
            self.flush_block()?;
        }
        let flushed = self.file.flush();
        flushed.map_err(|e| Error::io(self.partial_path(), Operation::Write, e))?;
        let rows = Row::between(Row::nth(0)..Row::nth(self.written.rows));
        let reader = SignatureReader::open(self.partial_path())?;
        reader.for_each_of(rows, |row, _, signature| each(row, signature))
    }

    /// The name of the file until it is complete.
    pub fn partial_path(&self) -> &Path {
        self.file.partial_path()
    }

    /// Appends a document. The signature must be one of the writer's recipe.
    ///
    /// # Errors
    /// If the id is longer than [`MAX_ID_BYTES`], or the system refuses.
    pub fn push(&mut self, id: &str, signature: &Signature) -> Result<()> {
        self.make_room(id)?;
        self.layout.encode(signature, &mut self.signatures);
        self.push_id(id);
        Ok(())
    }

    /// Appends a document whose signature is encoded already, by the layout of the recipe.
    pub(crate) fn push_encoded(&mut self, id: &str, signature: &[u8]) -> Result<()> {
        debug_assert_eq!(signature.len(), self.layout.bytes(), "a signature of this recipe");
        self.make_room(id)?;
        self.signatures.extend_from_slice(signature);
        self.push_id(id);
        Ok(())
    }

    fn make_room(&mut self, id: &str) -> Result<()> {
        check_id(id)?;
        if self.block_rows == self.rows_per_block || self.ids.len() + id.len() > MAX_BLOCK_IDS {
            self.flush_block()?;
        }
        Ok(())
    }

    fn push_id(&mut self, id: &str) {
        self.id_lengths.extend((id.len() as u32).to_le_bytes());
        self.ids.extend(id.as_bytes());
        self.block_rows += 1;
        self.written.rows += 1;
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// If the system refuses; then nothing is left behind.
    pub fn finish(mut self) -> Result<WriteSummary> {
        if self.block_rows > 0 {
            self.flush_block()?;
        }
        let mut end = [0; super::BLOCK_HEADER].to_vec();
        end.extend(self.written.rows.to_le_bytes());
        end.extend(checksum(&end));
        self.write(&end)?;
        self.file.commit()?;
        Ok(self.written)
    }

    fn flush_block(&mut self) -> Result<()> {
        let mut block = Vec::new();
        block.extend((self.block_rows as u32).to_le_bytes());
        block.extend((self.ids.len() as u32).to_le_bytes());
        for part in [&mut self.signatures, &mut self.id_lengths, &mut self.ids] {
            block.append(part);
        }
        block.extend(checksum(&block));
        self.block_rows = 0;
        self.write(&block)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.written.bytes += bytes.len() as u64;
        Ok(self.file.write(bytes)?)
    }
}

/// Whether an id fits into a file.
pub(crate) fn check_id(id: &str) -> Result<()> {
    if id.len() <= MAX_ID_BYTES {
        return Ok(());
    }
    Err(Error::from(ErrorKind::IdTooLong {
        start: id.chars().take(64).collect(),
        bytes: id.len(),
        limit: MAX_ID_BYTES,
    }))
}

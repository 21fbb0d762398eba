//! Artefact files: what a stage of a job leaves for the next one, and for a
//! job that goes on where a killed one stopped.
//!
//! A header, blocks of records, and an end block with the counts;
//! `docs/design/format.md` has the bytes. A record is handed out only after its
//! block's checksum was found right. Both sides hold one block in memory.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use crate::atomic_file::{AtomicFile, Existing};
use crate::error::{Error, Result};
use crate::source::{CHECKSUM, Source, checksum, double_word, word};

/// The format version that is written and read.
const VERSION: u32 = 1;

/// The most bytes of records in a block.
const MAX_BLOCK: usize = 64 << 10;

/// Bytes of the header before its checksum: magic, version, documents.
const HEADER: usize = 8 + 4 + 8;

/// Bytes of a block's length.
const LENGTH: usize = 4;

/// What an artefact holds.
pub(crate) struct Kind {
    /// The first bytes of its files.
    pub(crate) magic: [u8; 8],
    /// How many counts its end block has.
    pub(crate) counts: usize,
}

/// Writes an artefact. Nothing is under the final name before [`finish`](Self::finish).
pub(crate) struct ArtefactWriter {
    file: AtomicFile,
    counts: usize,
    /// The block in the making, behind the place of its length.
    block: Vec<u8>,
}

impl ArtefactWriter {
    /// Starts a file about this many documents, in place of any that is there.
    pub(crate) fn create(path: &Path, kind: &Kind, documents: u64) -> Result<Self> {
        let mut file = AtomicFile::create(path, Existing::Replace)?;
        let mut header = Vec::with_capacity(HEADER + CHECKSUM);
        header.extend(kind.magic);
        header.extend(VERSION.to_le_bytes());
        header.extend(documents.to_le_bytes());
        header.extend(checksum(&header));
        file.write(&header)?;
        let mut block = Vec::with_capacity(LENGTH + MAX_BLOCK + CHECKSUM);
        block.extend([0; LENGTH]);
        Ok(Self { file, counts: kind.counts, block })
    }

    /// Appends a record. Records are never split between blocks.
    pub(crate) fn push(&mut self, record: &[u8]) -> Result<()> {
        if self.block.len() + record.len() > LENGTH + MAX_BLOCK {
            self.flush_block()?;
        }
        self.block.extend_from_slice(record);
        Ok(())
    }

    /// Completes the file and gives it its name.
    pub(crate) fn finish(mut self, counts: &[u64]) -> Result<()> {
        assert_eq!(counts.len(), self.counts, "an artefact's counts are of its kind");
        if self.block.len() > LENGTH {
            self.flush_block()?;
        }
        self.block.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
        self.block.extend(checksum(&self.block));
        self.file.write(&self.block)?;
        self.file.commit()
    }

    fn flush_block(&mut self) -> Result<()> {
        let length = (self.block.len() - LENGTH) as u32;
        self.block[..LENGTH].copy_from_slice(&length.to_le_bytes());
        self.block.extend(checksum(&self.block));
        self.file.write(&self.block)?;
        self.block.clear();
        self.block.extend([0; LENGTH]);
        Ok(())
    }
}

/// Reads an artefact, record by record.
///
/// The end is checked when the file is opened: whoever has a reader knows that
/// the file was completed, and its counts.
pub(crate) struct ArtefactReader {
    source: Source<BufReader<File>>,
    documents: u64,
    counts: Vec<u64>,
    /// Where the end block begins.
    end: u64,
    /// A checked block without its checksum, how many of its bytes were handed out, and where
    /// it is.
    block: Vec<u8>,
    read: usize,
    block_at: u64,
}

impl ArtefactReader {
    /// Opens a file and checks its header and its end.
    pub(crate) fn open(path: &Path, kind: &Kind) -> Result<Self> {
        let mut source = Source::open(path)?;
        let mut bytes = Vec::new();
        source.read(HEADER + CHECKSUM, "a header", &mut bytes)?;
        source.check_magic(&bytes, kind.magic)?;
        source.check_version(word(&bytes, 8), VERSION)?;
        source.check(&bytes, 0)?;
        let (documents, first_block) = (double_word(&bytes, 12), source.offset());
        if documents > u64::from(u32::MAX) {
            let expected = format!("at most {} documents", u32::MAX);
            return Err(source.corrupt_at(12, &expected, documents.to_string()));
        }

        let end_bytes = LENGTH + 8 * kind.counts + CHECKSUM;
        let end = source.length().saturating_sub(end_bytes as u64).max(first_block);
        source.seek(end)?;
        bytes.clear();
        source.read(end_bytes, "an end block", &mut bytes)?;
        source.check(&bytes, end)?;
        if word(&bytes, 0) != 0 {
            let found = format!("{} bytes", word(&bytes, 0));
            return Err(source.corrupt_at(end, "no records in the end block", found));
        }
        let counts = (0..kind.counts).map(|n| double_word(&bytes, LENGTH + 8 * n)).collect();
        source.seek(first_block)?;
        Ok(Self { source, documents, counts, end, block: Vec::new(), read: 0, block_at: 0 })
    }

    /// The documents that it is about.
    pub(crate) fn documents(&self) -> u64 {
        self.documents
    }

    /// The counts of its end block.
    pub(crate) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The next record; `None` after the last.
    #[inline]
    pub(crate) fn next<const BYTES: usize>(&mut self) -> Result<Option<[u8; BYTES]>> {
        if self.read == self.block.len() && !self.next_block()? {
            return Ok(None);
        }
        let Some(record) = self.block.get(self.read..).and_then(<[u8]>::first_chunk) else {
            let found = format!("{} bytes", self.block.len() - self.read);
            let expected = format!("a record of {BYTES} bytes");
            return Err(self.source.corrupt_at(self.offset(), &expected, found));
        };
        self.read += BYTES;
        Ok(Some(*record))
    }

    /// A fault in the last record, of `bytes` bytes.
    pub(crate) fn corrupt(&self, bytes: usize, expected: &str, found: String) -> Error {
        self.source.corrupt_at(self.offset().saturating_sub(bytes as u64), expected, found)
    }

    /// Checks at the end that a count is what the end block says.
    pub(crate) fn check_count(&self, number: usize, what: &str, found: u64) -> Result<()> {
        if self.counts.get(number) == Some(&found) {
            return Ok(());
        }
        let offset = self.end + (LENGTH + 8 * number) as u64;
        let count = self.counts.get(number).copied().unwrap_or_default();
        Err(self.source.corrupt_at(offset, &format!("{found} {what}"), count.to_string()))
    }

    /// Where the next record of the block begins.
    fn offset(&self) -> u64 {
        self.block_at + self.read as u64
    }

    fn next_block(&mut self) -> Result<bool> {
        let Self { source, block, .. } = self;
        (self.block_at, self.read) = (source.offset(), 0);
        block.clear();
        if self.block_at == self.end {
            return Ok(false);
        }
        source.read(LENGTH, "a block", block)?;
        let length = word(block, 0) as usize;
        let most = (self.end.saturating_sub(source.offset())).saturating_sub(CHECKSUM as u64);
        if length == 0 || length > MAX_BLOCK || length as u64 > most {
            let expected = format!("a block of 1 to {} bytes", most.min(MAX_BLOCK as u64));
            return Err(source.corrupt_at(self.block_at, &expected, length.to_string()));
        }
        source.read(length + CHECKSUM, "a block", block)?;
        source.check(block, self.block_at)?;
        block.truncate(LENGTH + length);
        self.read = LENGTH;
        Ok(true)
    }
}

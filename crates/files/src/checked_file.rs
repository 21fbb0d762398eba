//! The container: files that are read at any place and believed nowhere.
//!
//! A [`Format`] and whatever follows it, in blocks of 4 KiB, each with a checksum. The checksum of a block is made with its number, and that of the last one
//! with the number's complement. So a block in another's place and a file that
//! ends early are found as a flipped bit is; `docs/design/format.md` has the bytes.

use std::cell::RefCell;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::atomic_file::{AtomicFile, Existing};
use crate::bytes::{CHECKSUM, compare, read_at};
use crate::error::{Error, Operation, Result};
use crate::format::Format;

/// Bytes of a block with its checksum.
const BLOCK: usize = 4096;
/// Bytes of a block without it.
const CONTENT: usize = BLOCK - CHECKSUM;

/// Blocks that are read at once.
const READ: usize = 64;
/// A reading of fewer blocks than these looks for them among those that the thread read last: rows
/// are often asked for one after another.
const MANY: usize = 3;
/// Blocks that a thread remembers: 256 KiB.
const REMEMBERED: usize = 64;

thread_local! {
    static BUFFERS: RefCell<Buffers> = const { RefCell::new(Buffers::new()) };
}

/// What each thread reads into. Neither is cleared for each reading.
struct Buffers {
    /// At most [`READ`] blocks as they are stored.
    stored: Vec<u8>,
    /// Blocks that were checked, and whose they are.
    checked: Vec<u8>,
    owners: [(u64, u64); REMEMBERED],
}

impl Buffers {
    const fn new() -> Self {
        Self { stored: Vec::new(), checked: Vec::new(), owners: [(0, 0); REMEMBERED] }
    }

    /// The content of a block of a file.
    fn block(&mut self, file: &CheckedFile, number: u64) -> Result<&[u8]> {
        let owner = (file.identity, number);
        let place = (number.wrapping_add(file.identity << 4) % REMEMBERED as u64) as usize;
        self.checked.resize(REMEMBERED * BLOCK, 0);
        let block = &mut self.checked[place * BLOCK..][..file.stored(number, 1)];
        if self.owners[place] != owner {
            self.owners[place] = (0, 0);
            file.read_stored(number, block)?;
            file.check(number, block)?;
            self.owners[place] = owner;
        }
        Ok(&block[..block.len() - CHECKSUM])
    }
}

/// Writes such a file. Nothing is under the final name before [`finish`](Self::finish).
#[derive(Debug)]
pub struct CheckedWriter {
    file: AtomicFile,
    /// The block in the making, never complete.
    block: Vec<u8>,
    number: u64,
}

impl CheckedWriter {
    /// Starts a file of this format in place of any that is there.
    ///
    /// # Errors
    /// As [`AtomicFile::create`].
    pub fn create(path: &Path, format: &Format) -> Result<Self> {
        let file = AtomicFile::create(path, Existing::Replace)?;
        let mut block = Vec::with_capacity(BLOCK);
        block.extend(format.start());
        Ok(Self { file, block, number: 0 })
    }

    /// Bytes so far, those of the format among them.
    pub fn bytes(&self) -> u64 {
        self.number * CONTENT as u64 + self.block.len() as u64
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            // The last block is complete when all is, so a full one waits for a byte to follow it.
            if self.block.len() == CONTENT {
                self.flush(self.number)?;
            }
            let (now, later) = bytes.split_at(bytes.len().min(CONTENT - self.block.len()));
            self.block.extend_from_slice(now);
            bytes = later;
        }
        Ok(())
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// If the system refuses; then nothing is left behind.
    pub fn finish(mut self) -> Result<()> {
        self.flush(!self.number)?;
        self.file.commit()
    }

    fn flush(&mut self, seed: u64) -> Result<()> {
        self.block.extend(xxh3_64_with_seed(&self.block, seed).to_le_bytes());
        self.file.write(&self.block)?;
        self.block.clear();
        self.number += 1;
        Ok(())
    }
}

/// Files that were opened, for their identities.
static OPENED: AtomicU64 = AtomicU64::new(1);

/// A complete file. Whatever is read of it was checked when it came from the disk.
#[derive(Debug)]
pub struct CheckedFile {
    /// Not 0, and no other file's of this process.
    identity: u64,
    path: PathBuf,
    file: File,
    length: u64,
    blocks: u64,
}

impl CheckedFile {
    /// Opens a file, and checks that it is of this format and complete.
    ///
    /// # Errors
    /// If not, or if the system refuses.
    pub fn open(path: &Path, format: &Format) -> Result<Self> {
        let failed = |source| Error::io(path, Operation::Read, source);
        let file = File::open(path).map_err(failed)?;
        let stored = file.metadata().map_err(failed)?.len();
        let blocks = stored.div_ceil(BLOCK as u64);
        let length = stored.saturating_sub(blocks * CHECKSUM as u64);
        // Before any checksum: another kind of file is not a damaged one.
        let mut start = [0; Format::BYTES];
        let start = &mut start[..stored.min(Format::BYTES as u64) as usize];
        read_at(&file, start, 0).map_err(failed)?;
        format.check_magic(path, start)?;
        let identity = OPENED.fetch_add(1, Ordering::Relaxed);
        let opened = Self { identity, path: path.to_owned(), file, length, blocks };
        let last = blocks.saturating_sub(1) * CONTENT as u64;
        if length <= last {
            return Err(opened.corrupt(0, "blocks with checksums", format!("{stored} bytes")));
        }
        opened.read_at(last, &mut vec![0; (length - last) as usize])?;
        opened.read_at(0, start)?;
        format.check(path, start)?;
        Ok(opened)
    }

    /// What it was opened as.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes in all, those of the format among them, without checksums.
    pub fn bytes(&self) -> u64 {
        self.length
    }

    /// Fills `out` from a place on, whoever else reads from it.
    ///
    /// # Errors
    /// If there are fewer bytes, they are not what was written, or the system refuses.
    pub fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        if at.checked_add(out.len() as u64).is_none_or(|end| end > self.length) {
            let expected = format!("{} bytes from {at} on", out.len());
            return Err(self.corrupt(self.length, expected, format!("{} in all", self.length)));
        }
        BUFFERS.with_borrow_mut(|buffers| self.read_through(buffers, at, out))
    }

    /// The same of what is there.
    fn read_through(&self, buffers: &mut Buffers, mut at: u64, mut out: &mut [u8]) -> Result<()> {
        while !out.is_empty() {
            let (first, mut skip) = (at / CONTENT as u64, (at % CONTENT as u64) as usize);
            let wanted = (skip + out.len()).div_ceil(CONTENT).min(READ);
            let mut take = |content: &[u8]| {
                let now = content.get(skip..).unwrap_or_default();
                let length = out.len().min(now.len());
                let (filled, rest) = std::mem::take(&mut out).split_at_mut(length);
                filled.copy_from_slice(&now[..filled.len()]);
                at += filled.len() as u64;
                (out, skip) = (rest, 0);
            };
            if wanted < MANY {
                take(buffers.block(self, first)?);
                continue;
            }
            let stored = &mut buffers.stored;
            stored.resize(stored.len().max(wanted * BLOCK), 0);
            let stored = &mut stored[..self.stored(first, wanted)];
            self.read_stored(first, stored)?;
            for (number, block) in (first..).zip(stored.chunks(BLOCK)) {
                self.check(number, block)?;
                take(&block[..block.len() - CHECKSUM]);
            }
        }
        Ok(())
    }

    /// How many bytes so many blocks from a number on have as they are stored.
    fn stored(&self, first: u64, blocks: usize) -> usize {
        let all = self.length + self.blocks * CHECKSUM as u64;
        all.saturating_sub(first * BLOCK as u64).min((blocks * BLOCK) as u64) as usize
    }

    fn read_stored(&self, first: u64, stored: &mut [u8]) -> Result<()> {
        read_at(&self.file, stored, first * BLOCK as u64)
            .map_err(|source| Error::io(&self.path, Operation::Read, source))
    }

    /// Whether a block has the checksum of its content and number.
    fn check(&self, number: u64, block: &[u8]) -> Result<()> {
        let seed = if number + 1 == self.blocks { !number } else { number };
        let (content, found) = block.split_last_chunk().unwrap_or((block, &[0; CHECKSUM]));
        let expected = xxh3_64_with_seed(content, seed).to_le_bytes();
        compare(&self.path, number * BLOCK as u64 + content.len() as u64, expected, *found)
    }

    /// What was found at a place is not what was expected there.
    pub fn corrupt(&self, at: u64, expected: impl Into<String>, found: impl Into<String>) -> Error {
        let offset = at / CONTENT as u64 * BLOCK as u64 + at % CONTENT as u64;
        Error::corruption(&self.path, offset, expected, found)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::folder::WorkFolder;

    const FORMAT: Format = Format { magic: *b"LOOKTEST", version: 1 };

    fn written(path: &Path, bytes: &[u8]) -> Vec<u8> {
        let mut writer = CheckedWriter::create(path, &FORMAT).unwrap();
        bytes[Format::BYTES..].chunks(777).for_each(|piece| writer.write(piece).unwrap());
        assert_eq!(writer.bytes(), bytes.len() as u64);
        writer.finish().unwrap();
        fs::read(path).unwrap()
    }

    #[test]
    fn any_range_of_a_file_of_any_length_comes_back() {
        let folder = WorkFolder::create(None).unwrap();
        let path = folder.join("file");
        let block = CONTENT;
        for length in [
            Format::BYTES,
            13,
            20,
            block - 1,
            block,
            block + 1,
            2 * block,
            READ * block + 5,
            70 * block,
        ] {
            let mut bytes: Vec<u8> = (0..length).map(|n| (n * n / 7) as u8).collect();
            bytes[..Format::BYTES].copy_from_slice(&FORMAT.start());
            written(&path, &bytes);
            let file = CheckedFile::open(&path, &FORMAT).unwrap();
            assert_eq!(file.bytes(), length as u64);
            for (at, count) in [
                (0, length),
                (0, 1),
                (length - 1, 1),
                (length / 2, length - length / 2),
                (length / 3, length / 2),
                (length, 0),
            ] {
                let mut out = vec![0; count];
                file.read_at(at as u64, &mut out).unwrap();
                assert!(out == bytes[at..at + count], "{count} from {at} of {length}");
            }
            for (at, count) in [(length as u64, 1), (0, length + 1), (u64::MAX, 2)] {
                let read = file.read_at(at, &mut vec![0; count]);
                assert!(read.is_err_and(|error| error.is_corruption()), "{count} from {at}");
            }
        }
    }

    /// Any flip, wherever a file is cut, blocks that changed places: none of it is read.
    #[test]
    fn no_damage_is_read() {
        let folder = WorkFolder::create(None).unwrap();
        let path = folder.join("file");
        let bytes = vec![7; 3 * CONTENT + 100];
        let whole = written(&path, &bytes);
        let is_found = |damaged: &[u8], what: &str| {
            fs::write(&path, damaged).unwrap();
            let read = CheckedFile::open(&path, &FORMAT)
                .and_then(|file| file.read_at(0, &mut vec![0; file.bytes() as usize]));
            assert!(read.is_err_and(|error| error.is_corruption()), "{what}");
        };
        for at in (0..whole.len()).step_by(5).chain(whole.len() - 300..whole.len()) {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            is_found(&damaged, &format!("flipped at {at}"));
        }
        for cut in (0..whole.len()).step_by(13).chain([BLOCK, 2 * BLOCK, 3 * BLOCK]) {
            is_found(&whole[..cut], &format!("cut at {cut}"));
        }
        let mut swapped = whole[BLOCK..2 * BLOCK].to_vec();
        swapped.extend(&whole[..BLOCK]);
        swapped.extend(&whole[2 * BLOCK..]);
        is_found(&swapped, "blocks in each other's place");
        is_found(&[&whole[..], b"\0"].concat(), "more bytes");
    }
}

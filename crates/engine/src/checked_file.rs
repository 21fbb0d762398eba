//! Files that are read at any place and believed nowhere: blocks of 4 KiB, each with a checksum.
//!
//! The checksum of a block is made with its number, and that of the last one
//! with the number's complement. So a block in another's place and a file that
//! ends early are found as a flipped bit is; `docs/design/format.md` has the bytes.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::atomic_file::{AtomicFile, Existing};
use crate::error::{Error, ErrorKind, Operation, Result};

/// Bytes of a block with its checksum.
const BLOCK: usize = 4096;
const CHECKSUM: usize = 8;
/// Bytes of a block without it.
const CONTENT: usize = BLOCK - CHECKSUM;

/// Blocks that are read at once.
const READ: usize = 64;

thread_local! {
    /// Blocks as they are stored: at most [`READ`] of them, which are not cleared for each reading.
    static STORED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Writes such a file. Nothing is under the final name before [`finish`](Self::finish).
pub(crate) struct CheckedWriter {
    file: AtomicFile,
    /// The block in the making, never complete.
    block: Vec<u8>,
    number: u64,
}

impl CheckedWriter {
    /// Starts a file in place of any that is there.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let file = AtomicFile::create(path, Existing::Replace)?;
        Ok(Self { file, block: Vec::with_capacity(BLOCK), number: 0 })
    }

    /// Bytes so far.
    pub(crate) fn len(&self) -> u64 {
        self.number * CONTENT as u64 + self.block.len() as u64
    }

    pub(crate) fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
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
    pub(crate) fn finish(mut self) -> Result<()> {
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

/// A complete file. Whatever is read of it was checked, each time.
pub(crate) struct CheckedFile {
    path: PathBuf,
    file: File,
    length: u64,
    blocks: u64,
}

impl CheckedFile {
    /// Opens a file, and checks that it is complete.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let failed = |source| Error::io(path, Operation::Read, source);
        let file = File::open(path).map_err(failed)?;
        let stored = file.metadata().map_err(failed)?.len();
        let blocks = stored.div_ceil(BLOCK as u64);
        let length = stored.saturating_sub(blocks * CHECKSUM as u64);
        let opened = Self { path: path.to_owned(), file, length, blocks };
        let last = blocks.saturating_sub(1) * CONTENT as u64;
        if length <= last {
            return Err(opened.corrupt(0, "blocks with checksums", format!("{stored} bytes")));
        }
        opened.read_at(last, &mut vec![0; (length - last) as usize])?;
        Ok(opened)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes in all, without checksums.
    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// Fills `out` from a place on, whoever else reads from it.
    pub(crate) fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        if at.checked_add(out.len() as u64).is_none_or(|end| end > self.length) {
            let expected = format!("{} bytes from {at} on", out.len());
            return Err(self.corrupt(self.length, &expected, format!("{} in all", self.length)));
        }
        STORED.with_borrow_mut(|stored| self.read_through(stored, at, out))
    }

    /// The same of what is there, with room for blocks as they are stored.
    fn read_through(&self, stored: &mut Vec<u8>, mut at: u64, mut out: &mut [u8]) -> Result<()> {
        while !out.is_empty() {
            let (first, mut skip) = (at / CONTENT as u64, (at % CONTENT as u64) as usize);
            let wanted = (skip + out.len()).div_ceil(CONTENT).min(READ);
            let from = first * BLOCK as u64;
            let all = self.length + self.blocks * CHECKSUM as u64;
            let end = all.min(from + (wanted * BLOCK) as u64);
            stored.resize(stored.len().max(wanted * BLOCK), 0);
            let stored = &mut stored[..(end - from) as usize];
            read_at(&self.file, stored, from)
                .map_err(|source| Error::io(&self.path, Operation::Read, source))?;
            for (number, block) in (first..).zip(stored.chunks(BLOCK)) {
                let content = self.checked(number, block)?;
                let now = content.get(skip..).unwrap_or_default();
                let (filled, rest) = out.split_at_mut(out.len().min(now.len()));
                filled.copy_from_slice(&now[..filled.len()]);
                at += filled.len() as u64;
                (out, skip) = (rest, 0);
            }
        }
        Ok(())
    }

    fn checked<'b>(&self, number: u64, block: &'b [u8]) -> Result<&'b [u8]> {
        let seed = if number + 1 == self.blocks { !number } else { number };
        let (content, found) = block.split_last_chunk().unwrap_or((block, &[0; CHECKSUM]));
        let expected = xxh3_64_with_seed(content, seed);
        let found = u64::from_le_bytes(*found);
        if found == expected {
            return Ok(content);
        }
        let offset = number * BLOCK as u64 + content.len() as u64;
        let path = self.path.clone();
        let expected = format!("the checksum {expected:016x}");
        let found = format!("{found:016x}");
        Err(Error::new(ErrorKind::Corruption { path, offset, expected, found }))
    }

    /// What was found at a place is not what was expected there.
    pub(crate) fn corrupt(&self, at: u64, expected: &str, found: String) -> Error {
        let offset = at / CONTENT as u64 * BLOCK as u64 + at % CONTENT as u64;
        let (path, expected) = (self.path.clone(), expected.to_owned());
        Error::new(ErrorKind::Corruption { path, offset, expected, found })
    }
}

/// Fills `out` from a place in the file, whoever else reads from it.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, out: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, offset)
}

/// Fills `out` from a place in the file, whoever else reads from it.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, mut out: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !out.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, out, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                out = &mut out[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let name = format!("lookalike-checked-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn written(path: &Path, bytes: &[u8]) -> Vec<u8> {
        let mut writer = CheckedWriter::create(path).unwrap();
        bytes.chunks(777).for_each(|piece| writer.write(piece).unwrap());
        assert_eq!(writer.len(), bytes.len() as u64);
        writer.finish().unwrap();
        fs::read(path).unwrap()
    }

    #[test]
    fn any_range_of_a_file_of_any_length_comes_back() {
        let folder = folder("ranges");
        let path = folder.join("file");
        let block = CONTENT;
        for length in [1, 8, block - 1, block, block + 1, 2 * block, READ * block + 5, 70 * block] {
            let bytes: Vec<u8> = (0..length).map(|n| (n * n / 7) as u8).collect();
            written(&path, &bytes);
            let file = CheckedFile::open(&path).unwrap();
            assert_eq!(file.len(), length as u64);
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
        fs::remove_dir_all(folder).unwrap();
    }

    /// Any flip, wherever a file is cut, blocks that changed places: none of it is read.
    #[test]
    fn no_damage_is_read() {
        let folder = folder("damage");
        let path = folder.join("file");
        let bytes = vec![7; 3 * CONTENT + 100];
        let whole = written(&path, &bytes);
        let is_found = |damaged: &[u8], what: &str| {
            fs::write(&path, damaged).unwrap();
            let read = CheckedFile::open(&path)
                .and_then(|file| file.read_at(0, &mut vec![0; file.len() as usize]));
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
        fs::remove_dir_all(folder).unwrap();
    }
}

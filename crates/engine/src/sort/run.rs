//! Runs: sorted records on disk, for the time of one sort. What is read is what was written, or an
//! error.
//!
//! Records are in blocks, of each of which the first record and the checksum are in memory. So a run
//! is read from the beginning, or from any record on, by several threads at once.
//!
//! Not in the container of `lookalike-files`: a run is read by the process that wrote it and
//! that has all this in memory, so a header and a sync would only cost time.

use std::fs::{self, File};
use std::io::{self, ErrorKind as IoErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_files::read_at;
use xxhash_rust::xxh3::xxh3_64;

use super::record::Record;
use crate::error::{Error, Operation, Result};

/// Bytes of a block. 32 KiB: a disk is nearly as fast with it as with more, and what is read of a
/// block besides what is wanted costs little.
pub(super) const BLOCK_BYTES: usize = 32 << 10;

/// A file that is removed with its owner.
#[derive(Debug)]
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // What cannot be removed is left to whoever removes the folder.
        let _ = fs::remove_file(&self.0);
    }
}

/// Makes a file. Several sorts may share a folder, and a killed one may have left its runs there.
fn new_file(folder: &Path) -> Result<(Temporary, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    loop {
        let path = folder.join(format!("run-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        match File::create_new(&path) {
            Ok(file) => return Ok((Temporary(path), file)),
            Err(error) if error.kind() == IoErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::io(&path, Operation::Create, error)),
        }
    }
}

/// A block of a run, of which the file has the rest.
struct Block<R> {
    first: R,
    sum: u64,
}

/// Writes records that come in order.
pub(crate) struct SortedRunWriter<R> {
    file: Temporary,
    out: File,
    in_block: usize,
    blocks: Vec<Block<R>>,
    records: u64,
    last: Option<R>,
    bytes: Vec<u8>,
}

impl<R: Record> SortedRunWriter<R> {
    /// Starts a run in this folder, under a name that nobody has.
    pub(crate) fn create(folder: &Path) -> Result<Self> {
        Self::with_blocks(folder, BLOCK_BYTES)
    }

    /// The same with blocks of so many bytes.
    pub(super) fn with_blocks(folder: &Path, bytes: usize) -> Result<Self> {
        let (file, out) = new_file(folder)?;
        let in_block = (bytes / R::BYTES).max(1);
        let bytes = Vec::with_capacity(in_block * R::BYTES);
        Ok(Self { file, out, in_block, blocks: Vec::new(), records: 0, last: None, bytes })
    }

    #[inline]
    pub(crate) fn push(&mut self, record: R) -> Result<()> {
        if self.bytes.len() == self.in_block * R::BYTES {
            self.write_block()?;
        }
        if self.bytes.is_empty() {
            self.blocks.push(Block { first: record, sum: 0 });
        }
        let at = self.bytes.len();
        self.bytes.resize(at + R::BYTES, 0);
        record.encode(&mut self.bytes[at..]);
        self.records += 1;
        self.last = Some(record);
        Ok(())
    }

    fn write_block(&mut self) -> Result<()> {
        let Some(block) = self.blocks.last_mut() else { return Ok(()) };
        block.sum = xxh3_64(&self.bytes);
        let written = self.out.write_all(&self.bytes);
        self.bytes.clear();
        written.map_err(|e| Error::io(&self.file.0, Operation::Write, e))
    }

    pub(crate) fn finish(mut self) -> Result<SortedRun<R>> {
        self.write_block()?;
        let Self { file, in_block, blocks, records, last, .. } = self;
        Ok(SortedRun { file, in_block, blocks, records, last })
    }
}

/// A run that was written.
pub(crate) struct SortedRun<R> {
    file: Temporary,
    /// Records of each block but the last, which may have fewer.
    in_block: usize,
    blocks: Vec<Block<R>>,
    records: u64,
    last: Option<R>,
}

impl<R: Record> SortedRun<R> {
    /// The first records of its blocks.
    pub(super) fn block_begins(&self) -> impl Iterator<Item = R> {
        self.blocks.iter().map(|block| block.first)
    }

    pub(super) fn open(self) -> Result<OpenRun<R>> {
        let input = File::open(&self.file.0);
        let input = input.map_err(|e| Error::io(&self.file.0, Operation::Read, e))?;
        Ok(OpenRun { run: self, input })
    }

    pub(crate) fn read(self) -> Result<SortedRunReader<R>> {
        let (run, bytes, block) = (self.open()?, Vec::new(), Vec::new().into_iter());
        Ok(SortedRunReader { run, next: 0, bytes, block })
    }
}

/// A run that is read.
pub(super) struct OpenRun<R> {
    run: SortedRun<R>,
    input: File,
}

impl<R: Record> OpenRun<R> {
    /// Adds the records from `begin` on that come before `end`. Blocks of nothing but `begin` are
    /// not read; how many records they have.
    pub(super) fn read_between(
        &self,
        begin: R,
        end: Option<R>,
        records: &mut Vec<R>,
        bytes: &mut Vec<u8>,
    ) -> Result<u64> {
        let SortedRun { blocks, last, .. } = &self.run;
        if *last < Some(begin) {
            return Ok(0);
        }
        // The one before may end with what is wanted.
        let from = blocks.partition_point(|block| block.first < begin).saturating_sub(1);
        let to = end.map_or(blocks.len(), |end| blocks.partition_point(|block| block.first < end));
        let mut times = 0;
        for number in from..to {
            let next = blocks.get(number + 1).map_or(*last, |next| Some(next.first));
            if blocks[number].first == begin && next == Some(begin) {
                times += self.records_of(number) as u64;
                continue;
            }
            self.read_block(number, bytes)?;
            let decoded = |at: usize| R::decode(&bytes[at * R::BYTES..][..R::BYTES]);
            let all = bytes.len() / R::BYTES;
            let is_whole = blocks[number].first >= begin;
            let first = if is_whole { 0 } else { partition(all, |at| decoded(at) < begin) };
            let is_whole = next < end || end.is_none();
            let behind = if is_whole { all } else { partition(all, |at| Some(decoded(at)) < end) };
            let wanted = bytes.get(first * R::BYTES..behind * R::BYTES).unwrap_or_default();
            records.extend(wanted.chunks_exact(R::BYTES).map(R::decode));
        }
        Ok(times)
    }

    /// How many records a block has.
    fn records_of(&self, block: usize) -> usize {
        let SortedRun { in_block, records, .. } = self.run;
        (records - (block * in_block) as u64).min(in_block as u64) as usize
    }

    /// Reads and checks a block.
    fn read_block(&self, number: usize, bytes: &mut Vec<u8>) -> Result<()> {
        bytes.resize(self.records_of(number) * R::BYTES, 0);
        let at = (number * self.run.in_block * R::BYTES) as u64;
        read_at(&self.input, bytes, at).map_err(|error| self.failed(at, error))?;
        let (expected, found) = (self.run.blocks[number].sum, xxh3_64(bytes));
        if found == expected {
            return Ok(());
        }
        let expected = format!("the checksum {expected:016x}");
        Err(self.corrupt(at, expected, format!("{found:016x}")))
    }

    fn failed(&self, at: u64, error: io::Error) -> Error {
        if error.kind() != IoErrorKind::UnexpectedEof {
            return Error::io(&self.run.file.0, Operation::Read, error);
        }
        let expected = format!("{} records in all", self.run.records);
        self.corrupt(at, expected, "the end of the file".to_owned())
    }

    fn corrupt(&self, at: u64, expected: String, found: String) -> Error {
        Error::corruption(&self.run.file.0, at, expected, found)
    }
}

/// The first of so many numbers that is not `before`, where none is behind it.
fn partition(numbers: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, numbers);
    while low < high {
        let middle = low.midpoint(high);
        if before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// Reads a run from its start.
pub(crate) struct SortedRunReader<R> {
    run: OpenRun<R>,
    /// The block that comes next, and what is left of the one at hand.
    next: usize,
    bytes: Vec<u8>,
    block: std::vec::IntoIter<R>,
}

impl<R: Record> SortedRunReader<R> {
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<R>> {
        if self.block.as_slice().is_empty() {
            self.read_more()?;
        }
        Ok(self.block.next())
    }

    fn read_more(&mut self) -> Result<()> {
        if self.next < self.run.run.blocks.len() {
            self.run.read_block(self.next, &mut self.bytes)?;
            let records: Vec<R> = self.bytes.chunks_exact(R::BYTES).map(R::decode).collect();
            self.block = records.into_iter();
            self.next += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use lookalike_files::WorkFolder;

    use super::*;

    #[test]
    fn a_flip_anywhere_is_found() {
        let folder = WorkFolder::create(None).unwrap();
        for at in 0..8 * 50 {
            let mut writer = SortedRunWriter::with_blocks(&folder, 64).unwrap();
            (0..50_u64).for_each(|number| writer.push(number).unwrap());
            let run = writer.finish().unwrap();
            let mut bytes = fs::read(&run.file.0).unwrap();
            bytes[at] ^= 4;
            fs::write(&run.file.0, bytes).unwrap();
            let mut reader = run.read().unwrap();
            let error = loop {
                match reader.next() {
                    Ok(Some(_)) => {}
                    Ok(None) => panic!("flipped at {at} and not found"),
                    Err(error) => break error,
                }
            };
            assert!(error.is_corruption(), "{error}");
        }
    }
}

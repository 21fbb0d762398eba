//! Runs: sorted records on disk, for the time of one sort. What is read is what was written, or an
//! error at the end of the run.
//!
//! Not in the container of `lookalike-files`: a run is read once, by the process that wrote it and
//! that has its length and checksum in memory, so a header, blocks and a sync would only cost time.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, ErrorKind as IoErrorKind, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::Xxh3Default;

use super::record::Record;
use crate::error::{Error, Operation, Result};

/// The buffer of a run that is written or read. 64 KiB: a disk is as fast with
/// it as with more, and a budget of 256 MiB can hold thousands.
pub(super) const IO_BYTES: usize = 64 << 10;

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

/// A file with a checksum of all that was read or written, in large pieces.
struct ChecksummedFile {
    file: File,
    sum: Xxh3Default,
}

impl ChecksummedFile {
    fn new(file: File) -> Self {
        Self { file, sum: Xxh3Default::new() }
    }
}

impl Write for ChecksummedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Read for ChecksummedFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(bytes)?;
        self.sum.update(&bytes[..read]);
        Ok(read)
    }
}

/// Writes records that come in order.
pub(crate) struct SortedRunWriter<R> {
    file: Temporary,
    out: BufWriter<ChecksummedFile>,
    records: u64,
    bytes: Vec<u8>,
    record: PhantomData<R>,
}

impl<R: Record> SortedRunWriter<R> {
    /// Starts a run in this folder, under a name that nobody has.
    pub(crate) fn create(folder: &Path) -> Result<Self> {
        let (file, out) = new_file(folder)?;
        Ok(Self {
            file,
            out: BufWriter::with_capacity(IO_BYTES, ChecksummedFile::new(out)),
            records: 0,
            bytes: vec![0; R::BYTES],
            record: PhantomData,
        })
    }

    pub(crate) fn push(&mut self, record: R) -> Result<()> {
        record.encode(&mut self.bytes);
        self.records += 1;
        let written = self.out.write_all(&self.bytes);
        written.map_err(|e| Error::io(&self.file.0, Operation::Write, e))
    }

    pub(crate) fn finish(mut self) -> Result<SortedRun<R>> {
        self.out.flush().map_err(|e| Error::io(&self.file.0, Operation::Write, e))?;
        let sum = self.out.get_ref().sum.digest();
        Ok(SortedRun { file: self.file, records: self.records, sum, record: PhantomData })
    }
}

/// A run that was written.
pub(crate) struct SortedRun<R> {
    file: Temporary,
    records: u64,
    sum: u64,
    record: PhantomData<R>,
}

impl<R: Record> SortedRun<R> {
    pub(crate) fn read(self) -> Result<SortedRunReader<R>> {
        self.read_through(IO_BYTES)
    }

    /// Reads through a buffer of so many bytes.
    pub(super) fn read_through(self, buffer: usize) -> Result<SortedRunReader<R>> {
        let input = File::open(&self.file.0);
        let input = input.map_err(|e| Error::io(&self.file.0, Operation::Read, e))?;
        let input = BufReader::with_capacity(buffer, ChecksummedFile::new(input));
        Ok(SortedRunReader { run: self, input, read: 0, bytes: vec![0; R::BYTES] })
    }
}

/// Reads a run from its start.
pub(crate) struct SortedRunReader<R> {
    run: SortedRun<R>,
    input: BufReader<ChecksummedFile>,
    read: u64,
    bytes: Vec<u8>,
}

impl<R: Record> SortedRunReader<R> {
    pub(crate) fn next(&mut self) -> Result<Option<R>> {
        if self.read == self.run.records {
            return self.check().map(|()| None);
        }
        self.input.read_exact(&mut self.bytes).map_err(|error| self.failed(error))?;
        self.read += 1;
        Ok(Some(R::decode(&self.bytes)))
    }

    /// Checks, behind the last record, that all were what was written.
    fn check(&self) -> Result<()> {
        let found = self.input.get_ref().sum.digest();
        if found == self.run.sum {
            return Ok(());
        }
        Err(self.corrupt(format!("the checksum {:016x}", self.run.sum), format!("{found:016x}")))
    }

    fn failed(&self, error: io::Error) -> Error {
        if error.kind() != IoErrorKind::UnexpectedEof {
            return Error::io(&self.run.file.0, Operation::Read, error);
        }
        let expected = format!("{} records in all", self.run.records);
        self.corrupt(expected, "the end of the file".to_owned())
    }

    fn corrupt(&self, expected: String, found: String) -> Error {
        Error::corruption(&self.run.file.0, self.read * R::BYTES as u64, expected, found)
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
            let mut writer = SortedRunWriter::create(&folder).unwrap();
            (0..50_u64).for_each(|number| writer.push(number).unwrap());
            let run = writer.finish().unwrap();
            let mut bytes = fs::read(&run.file.0).unwrap();
            bytes[at] ^= 4;
            fs::write(&run.file.0, bytes).unwrap();
            let mut reader = run.read_through(64).unwrap();
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

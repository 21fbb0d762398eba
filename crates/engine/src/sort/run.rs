//! Runs: sorted records on disk, for the time of one sort.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, ErrorKind as IoErrorKind, Read as _, Write as _};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{IO_BYTES, Record};
use crate::error::{Error, ErrorKind, Operation, Result};

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

/// Writes records that come in order.
pub(crate) struct RunWriter<R> {
    file: Temporary,
    out: BufWriter<File>,
    records: u64,
    bytes: Vec<u8>,
    record: PhantomData<R>,
}

impl<R: Record> RunWriter<R> {
    /// Starts a run in this folder, under a name that nobody has.
    pub(crate) fn create(folder: &Path) -> Result<Self> {
        let (file, out) = new_file(folder)?;
        Ok(Self {
            file,
            out: BufWriter::with_capacity(IO_BYTES, out),
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

    pub(crate) fn finish(mut self) -> Result<Run<R>> {
        self.out.flush().map_err(|e| Error::io(&self.file.0, Operation::Write, e))?;
        Ok(Run { file: self.file, records: self.records, record: PhantomData })
    }
}

/// A run that was written.
pub(crate) struct Run<R> {
    file: Temporary,
    records: u64,
    record: PhantomData<R>,
}

impl<R: Record> Run<R> {
    pub(crate) fn read(self, buffer: usize) -> Result<RunReader<R>> {
        let input = File::open(&self.file.0);
        let input = input.map_err(|e| Error::io(&self.file.0, Operation::Read, e))?;
        let input = BufReader::with_capacity(buffer, input);
        Ok(RunReader { run: self, input, read: 0, bytes: vec![0; R::BYTES] })
    }
}

/// Reads a run from its start.
pub(crate) struct RunReader<R> {
    run: Run<R>,
    input: BufReader<File>,
    read: u64,
    bytes: Vec<u8>,
}

impl<R: Record> RunReader<R> {
    pub(crate) fn next(&mut self) -> Result<Option<R>> {
        if self.read == self.run.records {
            return Ok(None);
        }
        self.input.read_exact(&mut self.bytes).map_err(|error| self.failed(error))?;
        self.read += 1;
        Ok(Some(R::decode(&self.bytes)))
    }

    fn failed(&self, error: std::io::Error) -> Error {
        let path: &Path = &self.run.file.0;
        if error.kind() != IoErrorKind::UnexpectedEof {
            return Error::io(path, Operation::Read, error);
        }
        Error::new(ErrorKind::Corruption {
            path: path.to_owned(),
            offset: self.read * R::BYTES as u64,
            expected: format!("{} records in all", self.run.records),
            found: "the end of the file".to_owned(),
        })
    }
}

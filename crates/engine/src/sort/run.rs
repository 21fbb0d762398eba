//! Runs: sorted records on disk, for the time of one sort.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, ErrorKind as IoErrorKind, Read as _, Write as _};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

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

/// Writes records that come in order.
pub(super) struct RunWriter<R> {
    file: Temporary,
    out: BufWriter<File>,
    records: u64,
    bytes: Vec<u8>,
    record: PhantomData<R>,
}

impl<R: Record> RunWriter<R> {
    pub(super) fn create(path: PathBuf) -> Result<Self> {
        let out = File::create(&path).map_err(|e| Error::io(&path, Operation::Create, e))?;
        Ok(Self {
            file: Temporary(path),
            out: BufWriter::with_capacity(IO_BYTES, out),
            records: 0,
            bytes: vec![0; R::BYTES],
            record: PhantomData,
        })
    }

    pub(super) fn push(&mut self, record: R) -> Result<()> {
        record.encode(&mut self.bytes);
        self.records += 1;
        let written = self.out.write_all(&self.bytes);
        written.map_err(|e| Error::io(&self.file.0, Operation::Write, e))
    }

    pub(super) fn finish(mut self) -> Result<Run<R>> {
        self.out.flush().map_err(|e| Error::io(&self.file.0, Operation::Write, e))?;
        Ok(Run { file: self.file, records: self.records, record: PhantomData })
    }
}

/// A run that was written.
pub(super) struct Run<R> {
    file: Temporary,
    records: u64,
    record: PhantomData<R>,
}

impl<R: Record> Run<R> {
    pub(super) fn read(self, buffer: usize) -> Result<RunReader<R>> {
        let input = File::open(&self.file.0);
        let input = input.map_err(|e| Error::io(&self.file.0, Operation::Read, e))?;
        let input = BufReader::with_capacity(buffer, input);
        Ok(RunReader { run: self, input, read: 0, bytes: vec![0; R::BYTES] })
    }
}

/// Reads a run from its start.
pub(super) struct RunReader<R> {
    run: Run<R>,
    input: BufReader<File>,
    read: u64,
    bytes: Vec<u8>,
}

impl<R: Record> RunReader<R> {
    pub(super) fn next(&mut self) -> Result<Option<R>> {
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

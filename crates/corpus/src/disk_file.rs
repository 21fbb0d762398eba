//! Parquet files on a disk, which remember what the system refused.
//!
//! Parquet's reader passes on the text of an error only, so that a disk that fails would look
//! like a file that is broken.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};

use crate::error::{Error, Operation, Result};
use crate::paths::open_file;

/// A file, and the last thing that the system refused.
#[derive(Clone)]
pub(crate) struct DiskFile {
    file: Arc<File>,
    bytes: u64,
    fault: Fault,
}

type Fault = Arc<Mutex<Option<io::Error>>>;

impl DiskFile {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = open_file(path)?;
        let failed = |error| Error::io(path, Operation::Read, error);
        let bytes = file.metadata().map_err(failed)?.len();
        Ok(Self { file: Arc::new(file), bytes, fault: Fault::default() })
    }

    /// What the system said when it last refused.
    pub(crate) fn take_fault(&self) -> Option<io::Error> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Keeps an error of the system, and says the same.
fn noted(fault: &Fault, error: io::Error) -> io::Error {
    if error.raw_os_error().is_none() || error.kind() == io::ErrorKind::Interrupted {
        return error;
    }
    let said = io::Error::new(error.kind(), error.to_string());
    *fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    said
}

impl Length for DiskFile {
    fn len(&self) -> u64 {
        self.bytes
    }
}

impl ChunkReader for DiskFile {
    type T = BufReader<PartReader>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let opened = self.file.try_clone().and_then(|mut file| {
            file.seek(SeekFrom::Start(start))?;
            Ok(PartReader { file, fault: Arc::clone(&self.fault) })
        });
        Ok(BufReader::new(opened.map_err(|error| noted(&self.fault, error))?))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        // What a footer says of a length need not be true.
        let mut bytes = Vec::with_capacity(length.min(self.bytes as usize));
        let read = self.get_read(start)?.take(length as u64).read_to_end(&mut bytes)?;
        if read != length {
            let fault = format!("expected to read {length} bytes, read only {read}");
            return Err(ParquetError::EOF(fault));
        }
        Ok(bytes.into())
    }
}

/// A part of the file.
pub(crate) struct PartReader {
    file: File,
    fault: Fault,
}

impl Read for PartReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer).map_err(|error| noted(&self.fault, error))
    }
}

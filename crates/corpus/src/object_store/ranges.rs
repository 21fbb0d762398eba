//! Parquet files read by ranges: the footer, then the column chunks that are wanted.
//!
//! Parquet's reader asks for page after page. What it gets comes from blocks of
//! a column chunk each, or of several small ones that lie together, so that a
//! page is hardly ever a request of its own, and the next row group is on its way
//! while one is being read.

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{ChunkReader, Length};

use super::blocks::{Access, BLOCK_BYTES, Blocks};
use super::store::fault;
use crate::error::{Error, Operation, Result};
use crate::object::{About, Object};

/// Fetched with the first request: the footers of most files, and all of a small one.
const TAIL_BYTES: u64 = 256 << 10;

/// For a block of each column of a row group together: four columns have blocks of the usual
/// size, a file with many gets smaller ones, but none below 64 KiB. Up to five times as much may
/// be in memory, for there are next blocks, and row groups before and after.
const BUDGET_BYTES: u64 = 32 << 20;
const MIN_BLOCK_BYTES: u64 = 64 << 10;

/// A Parquet file in a store.
#[derive(Clone)]
pub(crate) struct RangedFile(Arc<File>);

struct File {
    object: Access,
    version: Option<String>,
    size: u64,
    tail: Bytes,
    state: Mutex<State>,
}

struct State {
    /// What will be read, in order.
    parts: Vec<Part>,
    /// The parts of each row group.
    row_groups: Vec<Vec<usize>>,
    /// How many row groups have been begun with.
    begun: usize,
    block_bytes: u64,
    /// The parts that are being read, by their index; one beyond the last for what is in none.
    open: Vec<(usize, Blocks)>,
    fault: Option<io::Error>,
}

/// A column chunk, or several in a row.
struct Part {
    range: Range<u64>,
    row_group: usize,
}

impl RangedFile {
    pub(crate) fn open(object: &Object) -> Result<Self> {
        let failed = |fault| Error::io(Path::new(&object.url), Operation::Read, fault);
        let object = Access::to(object)?;
        let About { bytes: size, version, .. } = object.about().map_err(failed)?;
        let tail = if size == 0 {
            Bytes::new()
        } else {
            let range = size.saturating_sub(TAIL_BYTES)..size;
            let tail = object.fetch(range, version.clone()).and_then(|tail| tail.wait());
            tail.map_err(failed)?.bytes
        };
        let state = State {
            parts: Vec::new(),
            row_groups: Vec::new(),
            begun: 0,
            block_bytes: BLOCK_BYTES,
            open: Vec::new(),
            fault: None,
        };
        Ok(Self(Arc::new(File { object, version, size, tail, state: Mutex::new(state) })))
    }

    /// Says what will be read.
    pub(crate) fn announce(&self, metadata: &ParquetMetaData, mask: &ProjectionMask) {
        let columns = metadata.file_metadata().schema_descr().num_columns();
        let wanted = (0..columns).filter(|leaf| mask.leaf_included(*leaf)).count() as u64;
        let block_bytes = BUDGET_BYTES / wanted.max(1);
        let block_bytes = block_bytes.clamp(MIN_BLOCK_BYTES, BLOCK_BYTES);
        let mut parts: Vec<Part> = Vec::new();
        for (row_group, group) in metadata.row_groups().iter().enumerate() {
            let mut chunks: Vec<Range<u64>> = group
                .columns()
                .iter()
                .enumerate()
                .filter(|(leaf, _)| mask.leaf_included(*leaf))
                .map(|(_, column)| {
                    let (start, bytes) = column.byte_range();
                    start..start.saturating_add(bytes).min(self.0.tail_start())
                })
                .filter(|chunk| !chunk.is_empty())
                .collect();
            chunks.sort_by_key(|chunk| chunk.start);
            for range in chunks {
                match parts.last_mut() {
                    Some(part)
                        if part.row_group == row_group
                            && part.range.end == range.start
                            && range.end.saturating_sub(part.range.start) <= block_bytes =>
                    {
                        part.range.end = range.end;
                    }
                    _ => parts.push(Part { range, row_group }),
                }
            }
        }
        parts.sort_by_key(|part| part.range.start);
        let mut row_groups = vec![Vec::new(); metadata.num_row_groups()];
        for (index, part) in parts.iter().enumerate() {
            row_groups[part.row_group].push(index);
        }
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.parts, state.row_groups, state.block_bytes) = (parts, row_groups, block_bytes);
        state.open.clear();
    }

    /// What the store said when it last failed, for Parquet's reader only passes on a text.
    pub(crate) fn take_fault(&self) -> Option<io::Error> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner).fault.take()
    }

    /// What there is in memory from this offset on: something unless it is the end.
    fn at(&self, offset: u64) -> io::Result<Bytes> {
        let file = &*self.0;
        if let Some(skipped) = offset.checked_sub(file.tail_start()) {
            return Ok(file.tail.slice((skipped as usize).min(file.tail.len())..));
        }
        let mut state = file.state.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = state.blocks(file, offset).at(offset);
        bytes.map_err(|error| {
            let copy = fault(error.kind(), error.to_string());
            state.fault = Some(error);
            copy
        })
    }
}

impl File {
    fn tail_start(&self) -> u64 {
        self.size.saturating_sub(self.tail.len() as u64)
    }
}

impl State {
    /// The blocks of the part that has this offset.
    fn blocks(&mut self, file: &File, offset: u64) -> &mut Blocks {
        let index = self.parts.partition_point(|part| part.range.start <= offset);
        let part = index.checked_sub(1).filter(|part| self.parts[*part].range.contains(&offset));
        let index = part.unwrap_or(self.parts.len());
        if !self.is_open(index) {
            self.open(file, index);
        }
        if let Some(part) = part {
            self.look_ahead(file, self.parts[part].row_group);
        }
        let at = self.open.iter().position(|(open, _)| *open == index).unwrap_or_default();
        &mut self.open[at].1
    }

    fn is_open(&self, index: usize) -> bool {
        self.open.iter().any(|(open, _)| *open == index)
    }

    fn open(&mut self, file: &File, index: usize) {
        let end = self.parts.get(index).map_or(file.size, |part| part.range.end);
        let blocks = Blocks::new(file.object.clone(), file.version.clone(), end, self.block_bytes);
        self.open.push((index, blocks));
    }

    /// Begins with the next row group, once for each. A batch may have rows of two, so the one
    /// before is still in use.
    fn look_ahead(&mut self, file: &File, row_group: usize) {
        if self.begun > row_group + 1 {
            return;
        }
        self.begun = row_group + 2;
        let parts = &self.parts;
        self.open.retain(|(open, _)| {
            parts.get(*open).is_some_and(|part| part.row_group + 1 >= row_group)
        });
        for index in self.row_groups.get(row_group + 1).cloned().unwrap_or_default() {
            if !self.is_open(index) {
                self.open(file, index);
                if let Some((_, blocks)) = self.open.last_mut() {
                    // What fails here is tried again when it is needed.
                    let _ = blocks.begin(self.parts[index].range.start);
                }
            }
        }
    }
}

impl Length for RangedFile {
    fn len(&self) -> u64 {
        self.0.size
    }
}

impl ChunkReader for RangedFile {
    type T = RangedRead;

    fn get_read(&self, start: u64) -> ParquetResult<RangedRead> {
        Ok(RangedRead { file: self.clone(), position: start })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        // Checked before there is room for it: a broken file may claim any length.
        if start.checked_add(length as u64).is_none_or(|end| end > self.0.size) {
            let message = format!("{length} bytes at {start} of {}", self.0.size);
            return Err(ParquetError::EOF(message));
        }
        let bytes = self.at(start)?;
        if bytes.len() >= length {
            return Ok(bytes.slice(..length));
        }
        let mut whole = Vec::with_capacity(length);
        self.get_read(start)?.take(length as u64).read_to_end(&mut whole)?;
        Ok(whole.into())
    }
}

/// A Parquet file from some offset on.
pub(crate) struct RangedRead {
    file: RangedFile,
    position: u64,
}

impl Read for RangedRead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file.at(self.position)?;
        let read = bytes.len().min(buffer.len());
        buffer[..read].copy_from_slice(&bytes[..read]);
        self.position += read as u64;
        Ok(read)
    }
}

//! Objects read in large blocks, the next one fetched while one is being used.
//!
//! A request costs tens of milliseconds whatever it asks for, so nothing here
//! asks for little. An object that is replaced while it is read is an error, not
//! a mixture of both.

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use ::object_store::path::Path as Key;
use ::object_store::{GetOptions, GetRange, ObjectMeta, ObjectStoreExt as _};
use bytes::Bytes;

use super::{Pending, Place, fault, wait};
use crate::error::{Error, Operation, Result};

/// 8 MiB: a tenth of a second or more of transfer, in which a request's delay is lost.
pub(super) const BLOCK_BYTES: u64 = 8 << 20;

/// An object, and how to ask for it.
#[derive(Clone, Debug)]
pub(super) struct Object {
    place: Place,
    key: Key,
}

/// Some bytes of an object, and what came with them.
pub(super) struct Block {
    pub(super) bytes: Bytes,
    /// The length of the object.
    pub(super) size: u64,
    /// Which version of it this is.
    pub(super) version: Option<String>,
}

impl Object {
    pub(super) fn at(url: &str) -> Result<Self> {
        let place = Place::new(url)?;
        let key = place.key()?;
        if key.as_ref().is_empty() || url.ends_with('/') {
            let fault = fault(io::ErrorKind::IsADirectory, "names no object");
            return Err(Error::io(Path::new(url), Operation::Read, fault));
        }
        Ok(Self { place, key })
    }

    pub(super) fn about(&self) -> io::Result<ObjectMeta> {
        let (store, key) = (Arc::clone(&self.place.store.objects), self.key.clone());
        wait(async move { store.head(&key).await })
    }

    /// Asks for a range, of this version of the object if one is given.
    pub(super) fn fetch(
        &self,
        range: Range<u64>,
        version: Option<String>,
    ) -> io::Result<Pending<Block>> {
        let (store, key) = (Arc::clone(&self.place.store.objects), self.key.clone());
        let range = Some(GetRange::Bounded(range));
        let options = GetOptions { range, if_match: version, ..GetOptions::default() };
        Pending::start(async move {
            let answer = store.get_opts(&key, options).await?;
            let (size, version) = (answer.meta.size, answer.meta.e_tag.clone());
            Ok(Block { bytes: answer.bytes().await?, size, version })
        })
    }

    /// The first bytes, up to so many. Stores refuse every range of an empty object, each in its
    /// own way; so if there is a fault, the length decides.
    pub(super) fn first(&self, bytes: u64) -> io::Result<Block> {
        match self.fetch(0..bytes, None)?.wait() {
            Err(fault) if fault.kind() == io::ErrorKind::Other => match self.about() {
                Ok(about) if about.size == 0 => {
                    Ok(Block { bytes: Bytes::new(), size: 0, version: about.e_tag })
                }
                _ => Err(fault),
            },
            first => first,
        }
    }
}

/// A part of an object, block by block, forwards for the most part.
pub(super) struct Blocks {
    object: Object,
    version: Option<String>,
    end: u64,
    block_bytes: u64,
    /// The block in use and where it begins.
    start: u64,
    current: Bytes,
    next: Option<(Range<u64>, Pending<Block>)>,
}

impl Blocks {
    pub(super) fn new(object: Object, version: Option<String>, end: u64, block_bytes: u64) -> Self {
        Self { object, version, end, block_bytes, start: 0, current: Bytes::new(), next: None }
    }

    /// The whole object.
    fn whole(object: Object) -> io::Result<Self> {
        let first = object.first(BLOCK_BYTES)?;
        let mut blocks = Self::new(object, first.version, first.size, BLOCK_BYTES);
        blocks.current = first.bytes;
        blocks.fetch_next()?;
        Ok(blocks)
    }

    /// Begins to fetch the block at this offset, which will be asked for first.
    pub(super) fn begin(&mut self, offset: u64) -> io::Result<()> {
        (self.start, self.current) = (offset, Bytes::new());
        self.fetch_next()
    }

    fn fetch_next(&mut self) -> io::Result<()> {
        let start = self.start + self.current.len() as u64;
        self.next = None;
        if start < self.end {
            let range = start..self.end.min(start + self.block_bytes);
            let pending = self.object.fetch(range.clone(), self.version.clone())?;
            self.next = Some((range, pending));
        }
        Ok(())
    }

    /// What there is in memory from this offset on: something unless it is the end.
    pub(super) fn at(&mut self, offset: u64) -> io::Result<Bytes> {
        if offset >= self.end {
            return Ok(Bytes::new());
        }
        let within = |start: u64, bytes: &Bytes| {
            let skipped = usize::try_from(offset.checked_sub(start)?).ok()?;
            (skipped < bytes.len()).then(|| bytes.slice(skipped..))
        };
        if let Some(bytes) = within(self.start, &self.current) {
            return Ok(bytes);
        }
        let (range, pending) = match self.next.take() {
            Some((range, pending)) if range.contains(&offset) => (range, pending),
            _ => {
                let range = offset..self.end.min(offset + self.block_bytes);
                (range.clone(), self.object.fetch(range, self.version.clone())?)
            }
        };
        (self.start, self.current) = (range.start, pending.wait()?.bytes);
        self.fetch_next()?;
        within(self.start, &self.current)
            .ok_or_else(|| fault(io::ErrorKind::Other, "the store gave less than was asked for"))
    }
}

/// An object from its beginning to its end.
pub(super) struct Reader {
    object: Object,
    blocks: Option<Blocks>,
    position: u64,
}

impl Reader {
    pub(super) fn new(object: Object) -> Self {
        Self { object, blocks: None, position: 0 }
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let blocks = match &mut self.blocks {
            Some(blocks) => blocks,
            unopened => unopened.insert(Blocks::whole(self.object.clone())?),
        };
        let bytes = blocks.at(self.position)?;
        let read = bytes.len().min(buffer.len());
        buffer[..read].copy_from_slice(&bytes[..read]);
        self.position += read as u64;
        Ok(read)
    }
}

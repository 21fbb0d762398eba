//! Objects read in large blocks, the next one fetched while one is being used.
//!
//! A request costs tens of milliseconds whatever it asks for, so nothing here
//! asks for little. An object that is replaced while it is read is an error, not
//! a mixture of both.

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use ::object_store::path::Path as Key;
use ::object_store::{GetOptions, GetRange, ObjectMeta, ObjectStoreExt as _};
use bytes::Bytes;

use super::store::{Pending, Place, fault, wait};
use crate::error::{Error, Operation, Result};
use crate::object::{About, Object};

/// 8 MiB: a tenth of a second or more of transfer, in which a request's delay is lost.
pub(super) const BLOCK_BYTES: u64 = 8 << 20;

/// The way to an object.
#[derive(Clone, Debug)]
pub(super) struct Access {
    place: Place,
    key: Key,
    known: Arc<OnceLock<About>>,
}

/// Some bytes of an object, and what came with them.
pub(super) struct Block {
    pub(super) bytes: Bytes,
    pub(super) about: About,
}

impl From<ObjectMeta> for About {
    fn from(object: ObjectMeta) -> Self {
        Self { bytes: object.size, modified: object.last_modified.into(), version: object.e_tag }
    }
}

impl Access {
    pub(super) fn to(object: &Object) -> Result<Self> {
        let url = &*object.url;
        let place = Place::new(url)?;
        let key = place.key()?;
        if key.as_ref().is_empty() || url.ends_with('/') {
            let fault = fault(io::ErrorKind::IsADirectory, "names no object");
            return Err(Error::io(Path::new(url), Operation::Read, fault));
        }
        Ok(Self { place, key, known: Arc::clone(&object.about) })
    }

    /// What is known of the object, or what the store says now, which is known from then on.
    pub(super) fn about(&self) -> io::Result<About> {
        if let Some(known) = self.known.get() {
            return Ok(known.clone());
        }
        let (store, key) = (Arc::clone(&self.place.store.objects), self.key.clone());
        let about = wait(async move { store.head(&key).await })?;
        Ok(self.known.get_or_init(|| about.into()).clone())
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
            let about = answer.meta.clone().into();
            Ok(Block { bytes: answer.bytes().await?, about })
        })
    }

    /// The first bytes, up to so many, of the version that is known, if one is. Stores refuse every range of an empty object, each in its
    /// own way; so if there is a fault, the length decides.
    pub(super) fn first(&self, bytes: u64) -> io::Result<Block> {
        let version = self.known.get().and_then(|known| known.version.clone());
        match self.fetch(0..bytes, version)?.wait() {
            Err(fault) if fault.kind() == io::ErrorKind::Other => match self.about() {
                Ok(about) if about.bytes == 0 => Ok(Block { bytes: Bytes::new(), about }),
                _ => Err(fault),
            },
            Ok(first) => {
                self.known.get_or_init(|| first.about.clone());
                Ok(first)
            }
            failed => failed,
        }
    }
}

/// A part of an object, block by block, forwards for the most part.
pub(super) struct Blocks {
    object: Access,
    version: Option<String>,
    end: u64,
    block_bytes: u64,
    /// The block in use and where it begins.
    start: u64,
    current: Bytes,
    next: Option<(Range<u64>, Pending<Block>)>,
}

impl Blocks {
    pub(super) fn new(object: Access, version: Option<String>, end: u64, block_bytes: u64) -> Self {
        Self { object, version, end, block_bytes, start: 0, current: Bytes::new(), next: None }
    }

    /// The whole object.
    fn whole(object: Access) -> io::Result<Self> {
        let first = object.first(BLOCK_BYTES)?;
        let About { version, bytes, .. } = first.about;
        let mut blocks = Self::new(object, version, bytes, BLOCK_BYTES);
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
    object: Access,
    blocks: Option<Blocks>,
    position: u64,
}

impl Reader {
    pub(super) fn new(object: Access) -> Self {
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

//! Segments: postings of consecutive documents in a file that never changes.
//!
//! Pages in the order of their keys, then the tables by which they are found,
//! then a footer. Tables and filter are in memory, so that a look-up is one read
//! of a page, where a keyspace of the store would take several.
//!
//! A key that very many documents have would make its page long for everyone.
//! A page therefore holds the first 128 documents of each key, and overflow
//! pages the others, which are read only if all of those 128 do not do.
//!
//! A layout of its own, not the container of `lookalike-files`: pages are as long as their postings,
//! a checksum a page. Nobody looks for a segment that the state does not name, so it needs no rename.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lookalike_files::{double_word, read_at, sync_folder, word};
use xxhash_rust::xxh3::xxh3_64;

use super::bloom::Bloom;
use super::page::{self, Page, Place, Shape};
use super::{KEY_BITS, Posting, REBUILD};
use crate::error::{Error, ErrorKind, Operation, Result};

const MAGIC: [u8; 8] = *b"LOOKPOST";
const FORMAT_VERSION: u32 = 1;

/// Bytes before the first page: magic, format version, four of nothing.
const HEADER: usize = 16;
/// Bytes of the footer.
const FOOTER: usize = 4 * 4 + 7 * 8 + 8;
/// The most documents of a key in its page.
const HEAD: usize = 128;
/// Postings of an overflow page.
const OVERFLOW_POSTINGS: usize = 4096;
/// Bytes of a page's entry in the directory, and of an overflow page's.
const DIRECTORY_ENTRY: usize = 8 + 4;
const OVERFLOW_ENTRY: usize = 4 + 8 + 8 + 4;

/// What the index knows of a segment without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentEntry {
    /// Names the file.
    pub(crate) id: u64,
    /// How often its postings were merged.
    pub(crate) level: u32,
    /// Its documents.
    pub(crate) first: u64,
    /// The number after the last of them.
    pub(crate) end: u64,
    /// How many it has.
    pub(crate) postings: u64,
}

impl SegmentEntry {
    /// The file of the segment.
    pub(crate) fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.run", self.id))
    }
}

/// Where the bytes of a page are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    offset: u64,
    length: u32,
}

/// An overflow page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Overflow {
    page: u32,
    /// Its lowest key.
    key: u64,
    extent: Extent,
}

/// A segment that is open.
pub(crate) struct Segment {
    entry: SegmentEntry,
    path: PathBuf,
    file: File,
    shape: Shape,
    directory: Vec<Extent>,
    /// In the order of their pages and keys.
    overflow: Vec<Overflow>,
    bloom: Bloom,
    bytes: u64,
}

impl Segment {
    /// Opens a segment and checks its tables.
    pub(crate) fn open(folder: &Path, entry: SegmentEntry) -> Result<Self> {
        let path = entry.path(folder);
        let file = File::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                Error::corruption(&path, format!("it is missing\n{REBUILD}"))
            }
            _ => Error::io(&path, Operation::Read, error),
        })?;
        let bytes = file.metadata().map_err(|e| Error::io(&path, Operation::Read, e))?.len();
        let Tables { shape, directory, overflow, bloom } =
            Tables::read(&path, &file, bytes, entry)?;
        Ok(Self { entry, path, file, shape, directory, overflow, bloom, bytes })
    }

    pub(crate) fn entry(&self) -> SegmentEntry {
        self.entry
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of its file.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of its filter and tables in memory.
    pub(crate) fn memory(&self) -> u64 {
        let tables = size_of_val(&self.directory[..]) + size_of_val(&self.overflow[..]);
        (size_of_val(self.bloom.words()) + tables) as u64
    }

    /// Calls `each` with the documents of a key, ascending, until it breaks.
    pub(crate) fn for_each(
        &self,
        key: u64,
        buffer: &mut Vec<u8>,
        mut each: impl FnMut(u64) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        if !self.bloom.may_have(key) {
            return Ok(ControlFlow::Continue(()));
        }
        let page = self.shape.page_of(key);
        let mut give = |place: Place, extent: Extent| -> Result<ControlFlow<(), usize>> {
            let page = self.page(place, extent, buffer)?;
            let found = page.find(key).ok_or_else(|| self.damaged(place))?;
            let count = found.len();
            for at in found {
                if each(page.number(at).ok_or_else(|| self.damaged(place))?)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(count))
        };
        let Some(&extent) = self.directory.get(page as usize) else {
            return Ok(ControlFlow::Continue(()));
        };
        match give(self.place(page, None), extent)? {
            ControlFlow::Break(()) => return Ok(ControlFlow::Break(())),
            ControlFlow::Continue(count) if count < HEAD => return Ok(ControlFlow::Continue(())),
            ControlFlow::Continue(_) => {}
        }
        for at in self.first_overflow(page, key)..self.overflow.len() {
            let Overflow { page: of, key: lowest, extent } = self.overflow[at];
            if of != page || lowest > key {
                break;
            }
            if give(self.place(page, Some(at)), extent)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The first overflow page that may have documents of a key.
    fn first_overflow(&self, page: u32, key: u64) -> usize {
        let at = self.overflow.partition_point(|o| (o.page, o.key) < (page, key));
        // The one before may begin with a lower key and go on with this one.
        at - usize::from(at > 0 && self.overflow[at - 1].page == page)
    }

    fn place(&self, page: u32, overflow: Option<usize>) -> Place {
        Place { segment: self.entry.id, page, overflow: overflow.map_or(0, |at| at as u32 + 1) }
    }

    fn page<'b>(&self, place: Place, extent: Extent, buffer: &'b mut Vec<u8>) -> Result<Page<'b>> {
        buffer.resize(extent.length as usize, 0);
        read_at(&self.file, buffer, extent.offset).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.damaged(place),
            _ => Error::io(&self.path, Operation::Read, error),
        })?;
        Page::decode(self.shape, place, self.entry.first, buffer).ok_or_else(|| self.damaged(place))
    }

    fn damaged(&self, place: Place) -> Error {
        Error::corruption(
            &self.path,
            format!("page {} has a wrong checksum\n{REBUILD}", place.page),
        )
    }

    /// Copies the file, also if its name is gone already.
    pub(crate) fn copy_to(&self, folder: &Path) -> Result<()> {
        let path = self.entry.path(folder);
        let mut copy = File::create(&path).map_err(|e| Error::io(&path, Operation::Create, e))?;
        let mut buffer = vec![0; 1 << 20];
        let mut at = 0;
        while at < self.bytes {
            let length = (self.bytes - at).min(buffer.len() as u64);
            let some = &mut buffer[..length as usize];
            read_at(&self.file, some, at).map_err(|e| Error::io(&self.path, Operation::Read, e))?;
            copy.write_all(some).map_err(|e| Error::io(&path, Operation::Write, e))?;
            at += length;
        }
        copy.sync_all().map_err(|e| Error::io(&path, Operation::Write, e))
    }

    /// All postings, in order.
    pub(crate) fn stream(&self) -> SegmentStream<'_> {
        SegmentStream {
            segment: self,
            next_page: 0,
            next_overflow: 0,
            page: Vec::new(),
            page_at: 0,
            overflow: Vec::new(),
            overflow_at: 0,
            buffer: Vec::new(),
        }
    }
}

/// The postings of a segment, in order. One page and one overflow page are in memory.
pub(crate) struct SegmentStream<'a> {
    segment: &'a Segment,
    next_page: usize,
    next_overflow: usize,
    page: Vec<Posting>,
    page_at: usize,
    overflow: Vec<Posting>,
    overflow_at: usize,
    buffer: Vec<u8>,
}

impl SegmentStream<'_> {
    /// The next posting; `None` after the last.
    pub(crate) fn next(&mut self) -> Result<Option<Posting>> {
        loop {
            self.fill_overflow()?;
            let overflow = self.overflow.get(self.overflow_at).copied();
            let posting = self.page.get(self.page_at).copied();
            // A page has the first documents of a key, an overflow page the others.
            if let Some(posting) = posting
                && overflow.is_none_or(|overflow| posting.key <= overflow.key)
            {
                self.page_at += 1;
                return Ok(Some(posting));
            }
            if overflow.is_some() {
                self.overflow_at += 1;
                return Ok(overflow);
            }
            if !self.fill_page()? {
                return Ok(None);
            }
        }
    }

    /// Reads the next page. False after the last.
    fn fill_page(&mut self) -> Result<bool> {
        let Some(&extent) = self.segment.directory.get(self.next_page) else { return Ok(false) };
        let place = self.segment.place(self.next_page as u32, None);
        self.page.clear();
        self.page_at = 0;
        let page = self.segment.page(place, extent, &mut self.buffer)?;
        page.unpack(&mut self.page).ok_or_else(|| self.segment.damaged(place))?;
        self.next_page += 1;
        Ok(true)
    }

    /// Reads the next overflow page of the page at hand, if there is one.
    fn fill_overflow(&mut self) -> Result<()> {
        let Some(overflow) = self.segment.overflow.get(self.next_overflow) else { return Ok(()) };
        let used_up = self.overflow_at == self.overflow.len();
        if !used_up || overflow.page as usize + 1 != self.next_page {
            return Ok(());
        }
        let place = self.segment.place(overflow.page, Some(self.next_overflow));
        self.overflow.clear();
        self.overflow_at = 0;
        let page = self.segment.page(place, overflow.extent, &mut self.buffer)?;
        page.unpack(&mut self.overflow).ok_or_else(|| self.segment.damaged(place))?;
        self.next_overflow += 1;
        Ok(())
    }
}

/// The tables at the end of a file.
struct Tables {
    shape: Shape,
    directory: Vec<Extent>,
    overflow: Vec<Overflow>,
    bloom: Bloom,
}

impl Tables {
    fn encode(&self, out: &mut Vec<u8>) {
        for extent in &self.directory {
            out.extend(extent.offset.to_le_bytes());
            out.extend(extent.length.to_le_bytes());
        }
        for overflow in &self.overflow {
            out.extend(overflow.page.to_le_bytes());
            out.extend(overflow.key.to_le_bytes());
            out.extend(overflow.extent.offset.to_le_bytes());
            out.extend(overflow.extent.length.to_le_bytes());
        }
        out.extend(self.bloom.words().iter().flat_map(|word| word.to_le_bytes()));
    }

    fn footer(&self, entry: SegmentEntry, offset: u64, checksum: u64) -> Vec<u8> {
        let Shape { page_bits, low_bits, number_bits } = self.shape;
        let mut footer = Vec::with_capacity(FOOTER);
        for word in [page_bits, low_bits, number_bits, entry.level] {
            footer.extend(word.to_le_bytes());
        }
        let overflow = self.overflow.len() as u64;
        let bloom = self.bloom.words().len() as u64;
        let SegmentEntry { id, first, end, .. } = entry;
        for word in [id, first, end, offset, overflow, bloom, checksum] {
            footer.extend(word.to_le_bytes());
        }
        footer.extend(xxh3_64(&footer).to_le_bytes());
        footer
    }

    /// Reads the tables and believes nothing that it has not checked.
    fn read(path: &Path, file: &File, bytes: u64, entry: SegmentEntry) -> Result<Self> {
        let damaged = |fault: &str| Error::corruption(path, format!("{fault}\n{REBUILD}"));
        let read = |out: &mut [u8], at| {
            read_at(file, out, at).map_err(|error| Error::io(path, Operation::Read, error))
        };
        if bytes < (HEADER + FOOTER) as u64 {
            return Err(damaged("is cut off"));
        }
        let mut header = [0; HEADER];
        read(&mut header, 0)?;
        if header[..8] != MAGIC {
            return Err(damaged("is not a file of postings: its first bytes are wrong"));
        }
        let version = word(&header, 8);
        if version != FORMAT_VERSION {
            let (path, found, known) = (path.to_owned(), version, FORMAT_VERSION);
            return Err(Error::from(ErrorKind::Version { path, found, known }));
        }
        if header[12..] != [0; 4] {
            return Err(damaged("has something where it should have nothing"));
        }
        let mut footer = [0; FOOTER];
        read(&mut footer, bytes - FOOTER as u64)?;
        if xxh3_64(&footer[..FOOTER - 8]) != double_word(&footer, FOOTER - 8) {
            return Err(damaged("the footer has a wrong checksum"));
        }
        let [page_bits, low_bits, number_bits, _] = [0, 4, 8, 12].map(|at| word(&footer, at));
        let [id, first, end, offset, overflow, bloom, checksum] =
            [16, 24, 32, 40, 48, 56, 64].map(|at| double_word(&footer, at));
        let shape = Shape { page_bits, low_bits, number_bits };
        if (id, first, end) != (entry.id, entry.first, entry.end) || !shape.is_possible() {
            return Err(damaged("is another segment than the index expects"));
        }
        let length = bytes - FOOTER as u64;
        let sizes = [
            Some((shape.pages() * DIRECTORY_ENTRY) as u64),
            overflow.checked_mul(OVERFLOW_ENTRY as u64),
            bloom.checked_mul(8),
        ];
        let whole = sizes.iter().try_fold(offset, |sum, size| sum.checked_add((*size)?));
        if whole != Some(length) {
            return Err(damaged("its tables do not fill the file"));
        }
        let mut tables = vec![0; (length - offset) as usize];
        read(&mut tables, offset)?;
        if xxh3_64(&tables) != checksum {
            return Err(damaged("the tables have a wrong checksum"));
        }
        let (directory, rest) = tables.split_at(shape.pages() * DIRECTORY_ENTRY);
        let (overflow, bloom) = rest.split_at(overflow as usize * OVERFLOW_ENTRY);
        let bloom = bloom.chunks_exact(8).map(|bytes| double_word(bytes, 0)).collect();
        let bloom = Bloom::from_words(bloom).ok_or_else(|| damaged("has no filter"))?;
        let extent =
            |bytes: &[u8]| Extent { offset: double_word(bytes, 0), length: word(bytes, 8) };
        Ok(Self {
            shape,
            directory: directory.chunks_exact(DIRECTORY_ENTRY).map(extent).collect(),
            overflow: overflow
                .chunks_exact(OVERFLOW_ENTRY)
                .map(|bytes| Overflow {
                    page: word(bytes, 0),
                    key: double_word(bytes, 4),
                    extent: extent(&bytes[12..]),
                })
                .collect(),
            bloom,
        })
    }
}

/// Writes a segment. Without [`finish`](Self::finish) nothing is left of it.
pub(crate) struct SegmentWriter {
    entry: SegmentEntry,
    folder: PathBuf,
    path: PathBuf,
    file: Option<BufWriter<File>>,
    offset: u64,
    tables: Tables,
    /// The postings of the page at hand, and those for its overflow pages.
    page: Vec<Posting>,
    overflow: Vec<Posting>,
    /// The last key, and how many documents had it.
    key: u64,
    of_key: usize,
    packed: Vec<u8>,
}

impl SegmentWriter {
    /// For at most `entry.postings` postings.
    pub(crate) fn create(folder: &Path, mut entry: SegmentEntry) -> Result<Self> {
        let path = entry.path(folder);
        let file = File::create(&path).map_err(|e| Error::io(&path, Operation::Create, e))?;
        let shape = Shape::of(entry.postings, entry.end - entry.first);
        let bloom = Bloom::for_postings(entry.postings);
        entry.postings = 0;
        let mut writer = Self {
            entry,
            folder: folder.to_owned(),
            path,
            file: Some(BufWriter::with_capacity(1 << 18, file)),
            offset: 0,
            tables: Tables { shape, directory: Vec::new(), overflow: Vec::new(), bloom },
            page: Vec::new(),
            overflow: Vec::new(),
            key: u64::MAX,
            of_key: 0,
            packed: Vec::new(),
        };
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        writer.write(&header)?;
        Ok(writer)
    }

    /// Appends a posting. They ascend.
    pub(crate) fn push(&mut self, posting: Posting) -> Result<()> {
        debug_assert!(posting.key >> KEY_BITS == 0);
        while self.tables.directory.len() < self.tables.shape.page_of(posting.key) as usize {
            self.end_page()?;
        }
        if posting.key != self.key {
            (self.key, self.of_key) = (posting.key, 0);
            self.tables.bloom.insert(posting.key);
        }
        self.of_key += 1;
        self.entry.postings += 1;
        if self.of_key <= HEAD {
            self.page.push(posting);
            return Ok(());
        }
        self.overflow.push(posting);
        if self.overflow.len() == OVERFLOW_POSTINGS { self.end_overflow() } else { Ok(()) }
    }

    fn end_page(&mut self) -> Result<()> {
        if !self.overflow.is_empty() {
            self.end_overflow()?;
        }
        let page = self.tables.directory.len() as u32;
        let place = Place { segment: self.entry.id, page, overflow: 0 };
        page::encode(self.tables.shape, place, self.entry.first, &self.page, &mut self.packed);
        self.page.clear();
        let extent = self.write_packed()?;
        self.tables.directory.push(extent);
        Ok(())
    }

    fn end_overflow(&mut self) -> Result<()> {
        let page = self.tables.directory.len() as u32;
        let overflow = self.tables.overflow.len() as u32 + 1;
        let place = Place { segment: self.entry.id, page, overflow };
        let (shape, first) = (self.tables.shape, self.entry.first);
        page::encode(shape, place, first, &self.overflow, &mut self.packed);
        let key = self.overflow.first().map_or(0, |posting| posting.key);
        self.overflow.clear();
        let extent = self.write_packed()?;
        self.tables.overflow.push(Overflow { page, key, extent });
        Ok(())
    }

    fn write_packed(&mut self) -> Result<Extent> {
        let packed = std::mem::take(&mut self.packed);
        let extent = Extent { offset: self.offset, length: packed.len() as u32 };
        self.write(&packed)?;
        self.packed = packed;
        Ok(extent)
    }

    /// Completes the file and sees it on disk.
    pub(crate) fn finish(mut self) -> Result<Segment> {
        while self.tables.directory.len() < self.tables.shape.pages() {
            self.end_page()?;
        }
        let mut tables = Vec::new();
        self.tables.encode(&mut tables);
        let offset = self.offset;
        let footer = self.tables.footer(self.entry, offset, xxh3_64(&tables));
        self.write(&tables)?;
        self.write(&footer)?;
        let failed = |error| Error::io(&self.path, Operation::Write, error);
        let Some(file) = self.file.take() else { unreachable!("it is taken only here") };
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.sync_all().map_err(failed)?;
        drop(file);
        sync_folder(&self.folder)?;
        Segment::open(&self.folder, self.entry)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.offset += bytes.len() as u64;
        let Some(file) = &mut self.file else { return Ok(()) };
        file.write_all(bytes).map_err(|e| Error::io(&self.path, Operation::Write, e))
    }
}

impl Drop for SegmentWriter {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // Best effort: what is left is removed when the index is opened next.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

//! Chunks: whole records as their file has them, to be parsed on any thread.

use std::path::Path;
use std::sync::Arc;
use std::{borrow::Cow, fmt};

use crate::charset::decode_page;
use crate::compression::Compression;
use crate::edits::{AddedField, Change, Edit, Edits};
use crate::error::{EditFault, Error, ErrorKind, Fault, Place, Result};
use crate::format::{BYTE_ORDER_MARK, Format};
use crate::parquet::{self, Batch};
use crate::position::Position;
use crate::record::{ContentKind, Context, Offsets, ReadOptions, Record};
use crate::source::Source;
use crate::split::{self, Boundary, LongRecords, Piece, Split, Splitter, TableScanner};
use crate::table::{self, StoredRow, Table};
use crate::warc::{self, Others, StoredOffsets};
use crate::{json, json_edit, text_files};

/// The longest header of a table. 1 MiB: the names of 50,000 columns. Each column is held, and of a
/// header of nothing but commas takes fifty times as much as in the file.
const HEADER_BYTES: u64 = 1 << 20;

/// Some records of one source, not parsed yet.
#[derive(Debug)]
pub struct Chunk {
    context: Arc<Context>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Text(Vec<u8>),
    Page(Vec<u8>),
    Json(Piece),
    Table(Piece, Arc<Table>),
    Parquet(Batch),
    Warc(warc::Piece),
    /// One record that is longer than the limit.
    TooLong {
        record: u64,
        place: Place,
    },
    /// A part of such a record, where its bytes were asked for.
    Part {
        record: u64,
        bytes: Vec<u8>,
    },
}

impl Chunk {
    /// The format of its source.
    pub fn format(&self) -> Format {
        self.context.format
    }

    /// The number of its first record, from 1.
    pub fn first_record(&self) -> u64 {
        match &self.content {
            Content::Text(_) | Content::Page(_) => 1,
            Content::Json(piece) | Content::Table(piece, _) => piece.record,
            Content::Parquet(batch) => batch.first_record,
            Content::Warc(piece) => piece.record,
            Content::TooLong { record, .. } | Content::Part { record, .. } => *record,
        }
    }

    /// How many records it has, bad ones included.
    pub fn records(&self) -> u64 {
        match &self.content {
            Content::Text(_)
            | Content::Page(_)
            | Content::TooLong { .. }
            | Content::Part { .. } => 1,
            Content::Json(piece) | Content::Table(piece, _) => piece.records,
            Content::Parquet(batch) => batch.rows(),
            Content::Warc(piece) => piece.records,
        }
    }

    /// Why records that lie between these are no documents, a reason for each in order. Only web
    /// archives have any; they have no numbers.
    pub fn passed_over(&self) -> &[Cow<'static, str>] {
        match &self.content {
            Content::Warc(piece) => &piece.passed_over,
            _ => &[],
        }
    }

    /// About how many bytes it holds.
    pub fn bytes(&self) -> u64 {
        let bytes = match &self.content {
            Content::Text(text) | Content::Page(text) => text.len(),
            Content::Json(piece) | Content::Table(piece, _) => piece.bytes.len(),
            Content::Parquet(batch) => batch.bytes(),
            Content::Warc(piece) => piece.bytes.len(),
            Content::TooLong { .. } => 0,
            Content::Part { bytes, .. } => bytes.len(),
        };
        bytes as u64
    }

    /// Parses it, and calls `each` with every record in order. A bad record is an error that says
    /// where it is and what is wrong with it; the next one follows.
    pub fn for_each(&self, each: impl FnMut(Result<Record<'_>>)) {
        self.for_each_wanted(|_| true, each);
    }

    /// As [`Chunk::for_each`] for some of the records: `wanted` is asked with the number of every
    /// one, good or bad, in order. Of the others only the ends are looked for.
    pub fn for_each_wanted(
        &self,
        mut wanted: impl FnMut(u64) -> bool,
        mut each: impl FnMut(Result<Record<'_>>),
    ) {
        let context = &*self.context;
        match &self.content {
            Content::Text(text) => {
                if wanted(1) {
                    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
                    each(Ok(context.file(Cow::Borrowed(text), ContentKind::Text)));
                }
            }
            Content::Page(page) => {
                if wanted(1) {
                    let page = match decode_page(page, None) {
                        Cow::Borrowed(page) => Cow::Borrowed(page.as_bytes()),
                        Cow::Owned(page) => Cow::Owned(page.into_bytes()),
                    };
                    each(Ok(context.file(page, ContentKind::Html)));
                }
            }
            Content::Json(piece) => json::for_each(piece, context, wanted, each),
            Content::Table(piece, table) => table::for_each(piece, table, context, wanted, each),
            Content::Parquet(batch) => parquet::for_each(batch, context, wanted, each),
            Content::Warc(piece) => warc::for_each(piece, context, wanted, each),
            Content::TooLong { record, place } => {
                if wanted(*record) {
                    let limit = context.options.limits.max_record_bytes;
                    each(context.bad(*place, Fault::TooLong(limit)));
                }
            }
            // Only for those who want the bytes as they are.
            Content::Part { .. } => {}
        }
    }

    /// The file that it is of; for people in the case of standard input.
    pub fn path(&self) -> &Path {
        &self.context.path
    }

    /// Calls `write` with every record of lines that stays, as it is to be; one that is longer than the
    /// limit comes in parts, one after another.
    pub(crate) fn for_each_edited(
        &self,
        edits: &mut Edits<'_>,
        mut write: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let (added, mut changed, mut done) = (edits.added, Vec::new(), Ok(()));
        self.for_each_stored(|row| {
            if done.is_err() {
                return;
            }
            changed.clear();
            done = match edits.of(row.number) {
                Ok(Edit::Drop | Edit::Revisit(_)) => Ok(()),
                Ok(Edit::Keep) => match &self.content {
                    Content::Table(_, table) if !added.is_empty() => {
                        table.write_kept(row, added, &mut changed);
                        write(&changed)
                    }
                    _ => write(row.bytes),
                },
                Ok(Edit::Change(change)) => {
                    let repeats = change.repeats;
                    match self.change(row, change, added, &mut changed) {
                        Ok(()) => (0..=repeats).try_for_each(|time| {
                            // The last record of a file may have no line end.
                            if time > 0 && split::content(row.bytes).len() == row.bytes.len() {
                                write(b"\n")?;
                            }
                            write(&changed)
                        }),
                        Err(fault) => Err(edits.refused(row.number, fault)),
                    }
                }
                Err(error) => Err(error),
            };
        });
        done
    }

    fn change(
        &self,
        row: StoredRow<'_>,
        change: &Change,
        added: &[AddedField],
        out: &mut Vec<u8>,
    ) -> Result<(), EditFault> {
        let context = &*self.context;
        match &self.content {
            Content::Json(_) => {
                json_edit::write_changed(row.bytes, row.number, change, added, context, out)
            }
            Content::Table(_, table) => table.write_changed(row, change, added, context, out),
            // What is never in memory whole.
            _ => {
                Err(EditFault::Unreadable(Fault::TooLong(context.options.limits.max_record_bytes)))
            }
        }
    }

    /// Calls `each` with every record of lines as the file has it, or with its parts.
    fn for_each_stored(&self, mut each: impl FnMut(StoredRow<'_>)) {
        let (piece, boundary) = match &self.content {
            Content::Json(piece) => (piece, Boundary::Line),
            Content::Table(piece, table) => (piece, table.boundary()),
            Content::Part { record, bytes } => {
                return each(StoredRow { number: *record, bytes, is_open: false });
            }
            Content::TooLong { .. }
            | Content::Text(_)
            | Content::Page(_)
            | Content::Parquet(_)
            | Content::Warc(_) => return,
        };
        let limit = self.context.options.limits.max_record_bytes;
        let mut number = piece.record;
        split::for_each_record(&piece.bytes, boundary, limit, |bytes, _, after| {
            each(StoredRow { number, bytes, is_open: after.is_open() });
            number += 1;
        });
    }
}

impl Source {
    /// Its records in chunks of whole ones, in order. Getting a chunk is what has to happen one
    /// after another: reading, unpacking, finding the ends of records. Parsing a chunk, by
    /// [`Chunk::for_each`], can happen on any thread.
    ///
    /// An error ends the source; the chunks before it have every record that could be read.
    pub fn chunks(&self, options: &ReadOptions) -> Chunks {
        self.chunks_with(LongRecords::Dropped, options)
    }

    /// The same with the bytes of records of lines that are longer than the limit, or without.
    pub(crate) fn chunks_with(&self, long: LongRecords, options: &ReadOptions) -> Chunks {
        let tells = options.offsets == Offsets::Told && self.format == Format::Warc;
        let position = if tells { Position::with_members() } else { Position::default() };
        let reading = self.open(options, &position, long).unwrap_or_else(OpenSource::Failed);
        Chunks { context: Arc::new(self.context(options)), reading, position }
    }

    /// What parsers need to know of it.
    pub(crate) fn context(&self, options: &ReadOptions) -> Context {
        let path = self.path().to_owned();
        Context { path, id: self.id.clone(), format: self.format(), options: options.clone() }
    }

    fn open(
        &self,
        options: &ReadOptions,
        position: &Position,
        long: LongRecords,
    ) -> Result<OpenSource> {
        let path = self.path();
        options.fields.check_lists(self.format, path)?;
        let limits = options.limits;
        let delimiter = match self.format {
            Format::TextFile => return Ok(OpenSource::Text(self.reader(position)?)),
            Format::Html => return Ok(OpenSource::Page(self.reader(position)?)),
            Format::Parquet | Format::Arrow => {
                return parquet::Batches::open(self, options, position).map(OpenSource::Parquet);
            }
            Format::Warc => {
                return self.warc_records(options, position, Others::Dropped).map(OpenSource::Warc);
            }
            Format::JsonLines => None,
            Format::Csv => Some(b','),
            Format::Tsv => Some(b'\t'),
        };
        let table = |delimiter| Boundary::Table(TableScanner::new(delimiter));
        let boundary = delimiter.map_or(Boundary::Line, table);
        let (input, limit) = (self.input(position)?, limits.max_record_bytes);
        let splitter = Splitter::new(input, boundary, limit, options.chunk_bytes);
        let mut splitter = splitter.with_long_records(long);
        let mut preamble = splitter.take_byte_order_mark();
        let Some(delimiter) = delimiter else {
            if splitter.first_visible() == Some(b'[') {
                return Err(Error::from(ErrorKind::JsonArray(path.to_owned())));
            }
            return Ok(OpenSource::Lines { splitter, preamble, table: None });
        };
        let limit = limit.min(HEADER_BYTES);
        let header = splitter.take_header(limit).map_err(|error| Error::decoding(path, error))?;
        let Some(header) = header else {
            return Err(Error::from(ErrorKind::HeaderTooLong { path: path.to_owned(), limit }));
        };
        preamble.extend_from_slice(&header);
        if header.iter().all(|byte| b"\r\n".contains(byte)) {
            return Ok(OpenSource::Ended);
        }
        let table = Table::new(&header, delimiter, &options.fields, path)?;
        Ok(OpenSource::Lines { splitter, preamble, table: Some(Arc::new(table)) })
    }

    /// The records of a web archive.
    pub(crate) fn warc_records(
        &self,
        options: &ReadOptions,
        position: &Position,
        others: Others,
    ) -> Result<warc::Splitter> {
        let limit = options.limits.max_record_bytes;
        let input = self.input(position)?;
        let offsets = match self.compression {
            _ if !position.wants_members() => StoredOffsets::Unknown,
            Compression::None => StoredOffsets::Plain,
            _ => StoredOffsets::Members(position.clone()),
        };
        let splitter = warc::Splitter::new(input, others, limit, options.chunk_bytes);
        Ok(splitter.with_offsets(offsets))
    }
}

/// The chunks of a source, in order. After an error there are no more.
pub struct Chunks {
    context: Arc<Context>,
    reading: OpenSource,
    position: Position,
}

/// The open file.
enum OpenSource {
    Text(Box<dyn std::io::Read + Send>),
    Page(Box<dyn std::io::Read + Send>),
    /// Records that are lines of JSON, or of a table.
    Lines {
        splitter: Splitter,
        preamble: Vec<u8>,
        table: Option<Arc<Table>>,
    },
    Parquet(parquet::Batches),
    Warc(warc::Splitter),
    /// What went wrong when it was opened.
    Failed(Error),
    Ended,
}

impl Chunks {
    /// How many bytes of the stored file have been read so far, for showing how long it will
    /// take; in Parquet, which is not read from front to end, the share of its rows in its size.
    pub fn position(&self) -> u64 {
        self.position.get()
    }

    /// What the header says, of a table.
    pub(crate) fn table(&self) -> Option<&Table> {
        match &self.reading {
            OpenSource::Lines { table, .. } => table.as_deref(),
            _ => None,
        }
    }

    /// What stands before the first record: the byte order mark and the header.
    pub(crate) fn preamble(&self) -> &[u8] {
        match &self.reading {
            OpenSource::Lines { preamble, .. } => preamble,
            _ => &[],
        }
    }

    fn next_content(&mut self) -> Option<Result<Content>> {
        let Context { path, options, .. } = &*self.context;
        let limits = options.limits;
        let decoding = |error| Error::decoding(path, error);
        match &mut self.reading {
            OpenSource::Lines { splitter, table, .. } => {
                let split = splitter.next()?.map_err(decoding);
                Some(split.map(|split| match (split, table) {
                    (Split::Records(piece), None) => Content::Json(piece),
                    (Split::Records(piece), Some(table)) => {
                        Content::Table(piece, Arc::clone(table))
                    }
                    (Split::TooLong { record, line }, None) => {
                        Content::TooLong { record, place: Place::Line(line) }
                    }
                    (Split::TooLong { record, .. }, Some(_)) => {
                        Content::TooLong { record, place: Place::Record(record) }
                    }
                    (Split::Part { record, bytes }, _) => Content::Part { record, bytes },
                }))
            }
            OpenSource::Parquet(batches) => {
                let batch = batches.next(path)?;
                if let Some(position) = batches.position() {
                    self.position.set(position);
                }
                Some(batch.map(Content::Parquet))
            }
            OpenSource::Warc(splitter) => loop {
                match splitter.next()? {
                    Ok(warc::Split::Records(piece)) => return Some(Ok(Content::Warc(piece))),
                    // Nobody asked for it.
                    Ok(warc::Split::Part { .. }) => {}
                    Err(error) => return Some(Err(decoding(error))),
                }
            },
            // Read at once, and then there is no more.
            reading => match std::mem::replace(reading, OpenSource::Ended) {
                OpenSource::Text(reader) => {
                    let text = text_files::read_text(path, reader, limits.max_document_bytes);
                    Some(text.map(Content::Text))
                }
                OpenSource::Page(reader) => {
                    let page = text_files::read_page(path, reader, limits.max_record_bytes);
                    Some(page.map(Content::Page))
                }
                OpenSource::Failed(error) => Some(Err(error)),
                _ => None,
            },
        }
    }
}

impl Iterator for Chunks {
    type Item = Result<Chunk>;

    fn next(&mut self) -> Option<Self::Item> {
        let content = self.next_content()?;
        if content.is_err() {
            self.reading = OpenSource::Ended;
        }
        Some(content.map(|content| Chunk { context: Arc::clone(&self.context), content }))
    }
}

impl fmt::Debug for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunks").field("context", &self.context).finish_non_exhaustive()
    }
}

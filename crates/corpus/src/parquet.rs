//! Parquet: rows of a file in batches.
//!
//! Only the columns of the named fields are decoded. Strings are read as such
//! however a writer's Arrow schema calls them (string, large string, view,
//! dictionary): that schema matters to the selection alone, which keeps it.
//!
//! A value that stands in a dictionary once may be that of every row: 9,000 rows
//! of a text of 300 kB are a file of 352 kB. So strings and bytes are decoded as
//! views, which share the page or the dictionary that they are in, and batches are
//! cut again by the length of what they hold, for those who make something of each
//! row. Values that are stored by their differences have to be decoded, few at once.
//!
//! Rows of tables in memory and of Arrow files become records in the same way.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields as ArrowFields, Schema};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Encoding;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::schema::types::{SchemaDescriptor, Type};

use crate::arrow_file::ArrowReader;
use crate::charset;
use crate::column::{Column, NoSet};
use crate::compression::Compression;
use crate::disk_file::DiskFile;
use crate::error::{Error, Fault, Operation, Place, Result};
use crate::format::Format;
use crate::guard;
use crate::memory::{self, MemoryTable};
use crate::object_store::RangedFile;
use crate::position::Position;
use crate::record::{
    ContentKind, Context, FieldValue, Fields, ReadOptions, Record, StoredFields, step,
};
use crate::source::{Origin, Source};
use crate::text_files;

/// The most rows of a batch: more are no faster to decode, and long ones among many short ones
/// would take more memory.
const MAX_ROWS: u64 = 256;

/// The most bytes of a batch of values that are stored as what they have in common with the one
/// before, so that nobody knows how long they are.
const MAX_REPEATED: u64 = 64 << 20;

/// Some rows of a file.
#[derive(Debug)]
pub(crate) struct Batch {
    columns: RecordBatch,
    pub(crate) first_record: u64,
    bytes: usize,
}

impl Batch {
    pub(crate) fn new(columns: RecordBatch, first_record: u64, bytes: usize) -> Self {
        Self { columns, first_record, bytes }
    }

    pub(crate) fn columns(&self) -> &RecordBatch {
        &self.columns
    }

    pub(crate) fn rows(&self) -> u64 {
        self.columns.num_rows() as u64
    }

    /// About how much memory it takes, or the texts in it if they take it together.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    fn column(&self, path: &str) -> Option<Column<'_>> {
        Column::of(&self.columns, path)
    }
}

/// A row of a batch.
#[derive(Debug)]
struct Row<'a> {
    batch: &'a Batch,
    row: usize,
}

impl StoredFields for Row<'_> {
    fn field(&self, path: &str) -> Option<FieldValue<'_>> {
        self.batch.column(path)?.value(self.row)
    }
}

/// What the rows of a file are. The column of texts decides for all of them, so that pages which
/// stand beside texts need not be read.
fn kind_of(fields: &Fields, has_column: impl Fn(&str) -> bool) -> ContentKind {
    if fields.set.is_some() {
        ContentKind::Items
    } else if !has_column(&fields.text) && has_column(&fields.html) {
        ContentKind::Html
    } else {
        ContentKind::Text
    }
}

fn content_field(fields: &Fields, kind: ContentKind) -> Cow<'_, str> {
    match (kind, &fields.set) {
        (ContentKind::Html, _) => Cow::Borrowed(&fields.html),
        // The path leads into the list at its end, whether it says so or not.
        (ContentKind::Items, Some(set)) if !set.ends_with("[]") => Cow::Owned(format!("{set}[]")),
        (ContentKind::Items, Some(set)) => Cow::Borrowed(set),
        (ContentKind::Text | ContentKind::Items, _) => Cow::Borrowed(&fields.text),
    }
}

/// Calls `each` with every record that is wanted.
pub(crate) fn for_each(
    batch: &Batch,
    context: &Context,
    mut wanted: impl FnMut(u64) -> bool,
    mut each: impl FnMut(Result<Record<'_>>),
) {
    let fields = &context.options.fields;
    let kind = kind_of(fields, |path| batch.column(path).is_some());
    let content = content_field(fields, kind);
    let columns = [&*content, &fields.id, &fields.url];
    let columns = (kind, columns.map(|path| batch.column(path)));
    for row in 0..batch.columns.num_rows() {
        let number = batch.first_record + row as u64;
        if !wanted(number) {
            continue;
        }
        let row = Row { batch, row };
        let record = record(&row, &columns, number, context);
        each(record.or_else(|fault| context.bad(Place::Record(number), fault)));
    }
}

fn record<'b>(
    stored: &'b Row<'b>,
    (kind, [content, id, url]): &(ContentKind, [Option<Column<'b>>; 3]),
    number: u64,
    context: &Context,
) -> Result<Record<'b>, Fault> {
    let (row, fields) = (stored.row, &context.options.fields);
    let wrong = |field: &str, expected, found| {
        Err(Fault::Type { field: field.to_owned(), expected, found })
    };
    let Some(content) = content else { return Err(fields.missing(Vec::new())) };
    let expected = match kind {
        ContentKind::Items => "a list of strings and numbers",
        ContentKind::Text | ContentKind::Html => "a string",
    };
    let field = content_field(fields, *kind);
    if content.is_null(row) {
        return wrong(&field, expected, "null");
    }
    context.check_length(content.length(row))?;
    let content = match kind {
        ContentKind::Text => content.text(row),
        ContentKind::Html => content.text(row).map(charset::decode_field),
        ContentKind::Items => {
            let limit = context.options.limits.max_record_bytes;
            match content.items(row, usize::try_from(limit).unwrap_or(usize::MAX)) {
                Ok(set) => Some(Cow::Owned(set)),
                Err(NoSet::NoItem) => return wrong(&field, expected, "a list of another type"),
                Err(NoSet::TooLong) => return Err(Fault::TooLong(limit)),
                Err(NoSet::NoList) => None,
            }
        }
    };
    let Some(content) = content else { return wrong(&field, expected, "of another type") };
    let id = match id {
        Some(id) if !id.is_null(row) => match id.id(row) {
            Some(id) => id,
            None => return wrong(&fields.id, "a string or a number", "of another type"),
        },
        _ => context.default_id(number),
    };
    let url = match url.as_ref().and_then(|url| url.value(row)) {
        Some(FieldValue::String(url)) => Some(url),
        _ => None,
    };
    Ok(Record { number, id, content, kind: *kind, url, offset: None, fields: Some(stored) })
}

/// The batches of a file or of a table in memory, in order.
pub(crate) struct Batches {
    row_reader: RowReader,
    next_record: u64,
    /// How many there are, if the file says so before they are read.
    rows: Option<u64>,
    /// The size of the stored file.
    bytes: u64,
}

/// Where rows come from.
struct RowReader {
    /// Those at hand.
    slices: memory::Slices,
    /// Where more come from, if they are not in memory.
    file: Option<BatchFile>,
    chunk_bytes: usize,
    /// The columns of texts or pages, ids and addresses.
    columns: [String; 3],
}

/// A file whose rows come in batches.
enum BatchFile {
    Parquet(OpenFile),
    Arrow(ArrowReader),
}

impl BatchFile {
    fn next_batch(&mut self, path: &Path) -> Option<Result<RecordBatch>> {
        match self {
            Self::Parquet(file) => file.next_batch(path),
            Self::Arrow(file) => file.next_batch(),
        }
    }
}

impl Batches {
    pub(crate) fn open(
        source: &Source,
        options: &ReadOptions,
        position: &Position,
    ) -> Result<Self> {
        if let Origin::Memory(table) = &source.origin {
            return Self::in_memory(table, source.path(), options);
        }
        if source.format() == Format::Arrow {
            return Self::of_arrow(ArrowReader::open(source, options, position)?, source, options);
        }
        let path = source.path();
        let fields = &options.fields;
        let mut columns = None;
        let file = with_file(source, options, Purpose::Fields, |schema| {
            let kind = kind_of(fields, |path| has_column(schema.root_schema(), path));
            let content = content_field(fields, kind);
            if !has_column(schema.root_schema(), &content) {
                let columns = schema.root_schema().get_fields().iter();
                let columns = columns.map(|field| field.name().to_owned()).collect();
                return Err(fields.no_column(path, columns));
            }
            // A column whose own name has the dots is read as well as the one they lead to.
            let named = [&*content, &fields.id, &fields.url];
            columns = Some(named.map(str::to_owned));
            let names = || named.into_iter().chain(fields.others.iter().map(String::as_str));
            let is_wanted = |leaf: &[String]| names().any(|name| leads_to(name, leaf));
            let leaves = schema.columns().iter().enumerate();
            let wanted = leaves.filter(|(_, leaf)| is_wanted(leaf.path().parts()));
            Ok(ProjectionMask::leaves(schema, wanted.map(|(number, _)| number)))
        })?;
        let rows = file.metadata.file_metadata().num_rows().max(0) as u64;
        // Standard input has no size to tell.
        let bytes = source.stored_bytes().unwrap_or(0);
        let row_reader = RowReader {
            slices: memory::Slices::new(Arc::new([]), options.chunk_bytes),
            file: Some(BatchFile::Parquet(file)),
            chunk_bytes: options.chunk_bytes,
            columns: columns.unwrap_or_default(),
        };
        Ok(Self { row_reader, next_record: 1, rows: Some(rows), bytes })
    }

    fn of_arrow(mut file: ArrowReader, source: &Source, options: &ReadOptions) -> Result<Self> {
        let fields = &options.fields;
        let schema = file.schema();
        let empty = guarded(source.path(), || Ok(RecordBatch::new_empty(Arc::clone(schema))))?;
        let kind = kind_of(fields, |path| Column::of(&empty, path).is_some());
        let content = content_field(fields, kind);
        if Column::of(&empty, &content).is_none() {
            let columns = schema.fields().iter().map(|field| field.name().to_owned()).collect();
            return Err(fields.no_column(source.path(), columns));
        }
        let named = [&*content, &fields.id, &fields.url];
        let is_wanted = |column: &String| {
            named.into_iter().chain(fields.others.iter().map(String::as_str)).any(|name| {
                let first = name.split('.').next().map(|name| step(name).0);
                name == column || first == Some(column)
            })
        };
        let numbered = schema.fields().iter().enumerate();
        let wanted = numbered.filter(|(_, field)| is_wanted(field.name())).map(|(at, _)| at);
        let (wanted, columns) = (wanted.collect(), named.map(str::to_owned));
        file.select_columns(wanted);
        let row_reader = RowReader {
            slices: memory::Slices::new(Arc::new([]), options.chunk_bytes),
            file: Some(BatchFile::Arrow(file)),
            chunk_bytes: options.chunk_bytes,
            columns,
        };
        Ok(Self { row_reader, next_record: 1, rows: None, bytes: 0 })
    }

    fn in_memory(table: &MemoryTable, path: &Path, options: &ReadOptions) -> Result<Self> {
        let batches = table.batches()?;
        let fields = &options.fields;
        let content = match batches.first() {
            Some(first) => {
                let kind = kind_of(fields, |path| Column::of(first, path).is_some());
                content_field(fields, kind)
            }
            None => Cow::Borrowed(&*fields.text),
        };
        if let Some(batch) = batches.iter().find(|batch| Column::of(batch, &content).is_none()) {
            let columns = batch.schema_ref().fields().iter();
            let columns = columns.map(|field| field.name().to_owned()).collect();
            return Err(fields.no_column(path, columns));
        }
        let slices = memory::Slices::new(Arc::clone(batches), options.chunk_bytes);
        let (rows, bytes) = (memory::rows(batches), memory::bytes(batches));
        let columns = [&*content, &fields.id, &fields.url].map(str::to_owned);
        let row_reader =
            RowReader { slices, file: None, chunk_bytes: options.chunk_bytes, columns };
        Ok(Self { row_reader, next_record: 1, rows: Some(rows), bytes })
    }

    /// The share of the rows read, in bytes of the file; `None` if it is read from its front, and its
    /// bytes are counted.
    pub(crate) fn position(&self) -> Option<u64> {
        let rows = self.rows?;
        let read = u128::from(self.next_record - 1).min(rows.into());
        let position = u128::from(self.bytes) * read / u128::from(rows.max(1));
        Some(position as u64)
    }

    pub(crate) fn next(&mut self, path: &Path) -> Option<Result<Batch>> {
        let (columns, bytes) = match self.row_reader.next(path)? {
            Ok(next) => next,
            Err(error) => return Some(Err(error)),
        };
        let batch = Batch { columns, first_record: self.next_record, bytes };
        self.next_record += batch.rows();
        Some(Ok(batch))
    }
}

impl RowReader {
    /// The next rows, and about how many bytes they have.
    fn next(&mut self, path: &Path) -> Option<Result<(RecordBatch, usize)>> {
        loop {
            let names = &self.columns;
            let next = self.slices.next(|ahead, each| {
                let columns = names.each_ref().map(|name| Column::of(ahead, name));
                let length = |row: usize| -> usize {
                    columns.iter().flatten().map(|column| column.length(row)).sum()
                };
                let _ = (0..ahead.num_rows()).map(length).try_for_each(each);
            });
            match (next, &mut self.file) {
                (Some((rows, bytes)), Some(BatchFile::Parquet(_))) => {
                    // A slice holds what its batch was cut from.
                    let bytes = bytes.max(rows.get_array_memory_size());
                    return Some(Ok((rows, bytes)));
                }
                // The batch is one for all that is cut from it.
                (Some(next), _) => return Some(Ok(next)),
                (None, None) => return None,
                (None, Some(file)) => match file.next_batch(path)? {
                    Ok(batch) => {
                        self.slices = memory::Slices::new(Arc::new([batch]), self.chunk_bytes);
                    }
                    Err(error) => return Some(Err(error)),
                },
            }
        }
    }
}

/// A file being read.
pub(crate) struct OpenFile {
    pub(crate) reader: ParquetRecordBatchReader,
    pub(crate) metadata: Arc<ParquetMetaData>,
    /// Where it comes from, unless it is in memory.
    backing: Option<Backing>,
}

/// Where the bytes of a file come from, and why they did not, if they did not.
enum Backing {
    Disk(DiskFile),
    Store(RangedFile),
}

impl OpenFile {
    pub(crate) fn next_batch(&mut self, path: &Path) -> Option<Result<RecordBatch>> {
        let next = || self.reader.next().transpose().map_err(|error| broken(path, &error));
        let batch = guarded(path, next);
        batch.map_err(|error| blame(self.backing.as_ref(), path, error)).transpose()
    }
}

/// The fault of the disk or the store, if it was that which made reading fail.
fn blame(backing: Option<&Backing>, path: &Path, error: Error) -> Error {
    let fault = match backing {
        Some(Backing::Disk(file)) => file.take_fault(),
        Some(Backing::Store(file)) => file.take_fault(),
        None => None,
    };
    match fault {
        Some(fault) => Error::io(path, Operation::Read, fault),
        None => error,
    }
}

/// What a file is opened for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Its text, without what Arrow says of types.
    Fields,
    /// To write it again as it is.
    Selection,
}

/// Whether the path leads to a column.
fn has_column(schema: &Type, path: &str) -> bool {
    let member = |group: &Type, name: &str| {
        let fields = if group.is_group() { group.get_fields() } else { &[] };
        fields.iter().find(|field| field.name() == name).cloned()
    };
    if member(schema, path).is_some() {
        return true;
    }
    // Which elements a list has is said by its rows.
    let path = path.split_once("[]").map_or(path, |(list, _)| list);
    let mut names = path.split('.');
    let first = names.next().and_then(|name| member(schema, name));
    names.try_fold(first, |group, name| group.map(|group| member(&group, name))).flatten().is_some()
}

/// Whether a path leads to a column of which the value is stored there, or to what that is in.
fn leads_to(path: &str, leaf: &[String]) -> bool {
    if leaf.first().is_some_and(|column| column == path) {
        return true;
    }
    // A list goes by its own name: what its elements are called is the writer's choice.
    let path = path.split_once("[]").map_or(path, |(list, _)| list);
    let mut names = leaf.iter();
    path.split('.').all(|name| names.next().is_some_and(|next| next == name))
}

/// Runs Parquet's code on a file that may be broken. It has checks of its own that panic where
/// the bytes of a page contradict its header: that is a fault of the file, not of ours. What it
/// panicked in is not used again.
fn guarded<T>(path: &Path, call: impl FnOnce() -> Result<T>) -> Result<T> {
    guard::guarded(call)
        .unwrap_or_else(|_| Err(Error::broken(path, "a page that contradicts itself".to_owned())))
}

/// Opens the file. A Parquet file is read from its end, so one that is compressed as a whole, or
/// standard input, has to be unpacked into memory first, up to the limit of documents.
pub(crate) fn with_file(
    source: &Source,
    options: &ReadOptions,
    purpose: Purpose,
    mask: impl FnOnce(&SchemaDescriptor) -> Result<ProjectionMask>,
) -> Result<OpenFile> {
    let stored = Some(&source.origin).filter(|_| source.compression() == Compression::None);
    match stored {
        Some(Origin::File(path)) => {
            let file = DiskFile::open(path)?;
            build(source, options, purpose, file.clone(), Some(Backing::Disk(file)), mask)
        }
        Some(Origin::Object(object)) => {
            let file = RangedFile::open(object)?;
            build(source, options, purpose, file.clone(), Some(Backing::Store(file)), mask)
        }
        _ => {
            let limit = options.limits.max_document_bytes;
            let unpacked = source.reader(&Position::default())?;
            let bytes = Bytes::from(text_files::read(source.path(), unpacked, 0, limit)?);
            build(source, options, purpose, bytes, None, mask)
        }
    }
}

fn build(
    source: &Source,
    options: &ReadOptions,
    purpose: Purpose,
    file: impl ChunkReader + 'static,
    backing: Option<Backing>,
    mask: impl FnOnce(&SchemaDescriptor) -> Result<ProjectionMask>,
) -> Result<OpenFile> {
    let path = source.path();
    let opened = guarded(path, || {
        let failed = |error: ParquetError| broken(path, &error);
        let load = |skip: bool| {
            let arrow = ArrowReaderOptions::new().with_skip_arrow_metadata(skip);
            let written = ArrowReaderMetadata::load(&file, arrow).map_err(failed)?;
            let views =
                ArrowReaderOptions::new().with_schema(Arc::new(with_views(written.schema())));
            ArrowReaderMetadata::try_new(Arc::clone(written.metadata()), views).map_err(failed)
        };
        // What Arrow's libraries note of the types is a hint. If it is damaged, Parquet's own types do.
        let hinted = match purpose {
            Purpose::Fields => None,
            Purpose::Selection => guarded(path, || load(false)).ok(),
        };
        let viewed = hinted.map_or_else(|| load(true), Ok)?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, viewed);
        let metadata = Arc::clone(builder.metadata());
        let groups = metadata.row_groups();
        let mask = mask(builder.parquet_schema())?;
        let batch_rows = batch_rows(groups, &mask, options.chunk_bytes);
        if let Some(Backing::Store(store)) = &backing {
            store.announce(&metadata, &mask);
        }
        let builder = builder.with_projection(mask).with_batch_size(batch_rows);
        Ok((builder.build().map_err(failed)?, metadata))
    });
    match opened {
        Ok((reader, metadata)) => Ok(OpenFile { reader, metadata, backing }),
        Err(error) => Err(blame(backing.as_ref(), path, error)),
    }
}

/// How many rows are decoded at once, so that they take little memory wherever the file has long
/// ones. A page is decoded whole, however few: that is the format's.
fn batch_rows(groups: &[RowGroupMetaData], mask: &ProjectionMask, chunk_bytes: usize) -> usize {
    let rows_of_a_chunk = groups.iter().map(|group| {
        let row_bytes = group.total_byte_size().checked_div(group.num_rows()).unwrap_or(0);
        chunk_bytes as u64 / row_bytes.max(1).unsigned_abs()
    });
    // A value may be all of its column and the one before it again in no bytes.
    let columns = groups.iter().flat_map(|group| group.columns().iter().enumerate());
    let repeating = columns.filter(|(number, column)| {
        mask.leaf_included(*number) && column.encodings().any(|e| e == Encoding::DELTA_BYTE_ARRAY)
    });
    let rows_of_the_longest = repeating
        .map(|(_, column)| MAX_REPEATED / column.uncompressed_size().max(1).unsigned_abs());
    rows_of_a_chunk.chain(rows_of_the_longest).min().unwrap_or(1).clamp(1, MAX_ROWS) as usize
}

/// The schema with views for strings and bytes, wherever they stand.
fn with_views(schema: &Schema) -> Schema {
    let fields: ArrowFields = schema.fields().iter().map(field_with_views).collect();
    Schema::new_with_metadata(fields, schema.metadata().clone())
}

fn field_with_views(field: &FieldRef) -> FieldRef {
    let kind = type_with_views(field.data_type());
    Arc::new(Field::clone(field).with_data_type(kind))
}

fn type_with_views(kind: &DataType) -> DataType {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::Dictionary(_, value) => type_with_views(value),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field_with_views).collect()),
        DataType::List(inner) => DataType::List(field_with_views(inner)),
        DataType::LargeList(inner) => DataType::LargeList(field_with_views(inner)),
        DataType::FixedSizeList(inner, length) => {
            DataType::FixedSizeList(field_with_views(inner), *length)
        }
        DataType::Map(entries, sorted) => DataType::Map(field_with_views(entries), *sorted),
        other => other.clone(),
    }
}

fn broken(path: &Path, error: &(impl std::error::Error + 'static)) -> Error {
    // Arrow wraps what Parquet said, and repeats who said it.
    let fault = match (error as &dyn std::error::Error).downcast_ref::<ArrowError>() {
        Some(ArrowError::ParquetError(said)) => said.clone(),
        _ => error.to_string(),
    };
    Error::broken(path, fault)
}

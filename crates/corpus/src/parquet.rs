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
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, OffsetSizeTrait, RecordBatch, types};
use arrow_schema::{
    ArrowError, DataType, Field, FieldRef, Fields as ArrowFields, Schema, TimeUnit,
};
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
use crate::compression::Compression;
use crate::disk_file::DiskFile;
use crate::error::{Error, Fault, Operation, Place, Result};
use crate::format::Format;
use crate::guard;
use crate::memory::{self, MemoryTable};
use crate::object_store::RangedFile;
use crate::position::Position;
use crate::record::{
    BETWEEN_ELEMENTS, ContentKind, Context, FieldValue, Fields, ReadOptions, Record, StoredFields,
    step,
};
use crate::source::{Origin, Source};
use crate::text_files;

/// The most rows of a batch: more are no faster to decode, and long ones among many short ones
/// would take more memory.
const MAX_ROWS: u64 = 256;

/// The most bytes of a batch of values that are stored as what they have in common with the one
/// before, so that nobody knows how long they are.
const MAX_REPEATED: u64 = 64 << 20;

/// The longest text of a list that is a field besides the document's own.
const MAX_JOINED: usize = 64 << 20;

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

/// A column and the structs it lies in.
pub(crate) struct Column<'b> {
    array: &'b dyn Array,
    parents: Vec<&'b dyn Array>,
    /// If it is a list that the path leads into: where that leads from its elements.
    elements: Option<Box<Self>>,
}

impl<'b> Column<'b> {
    /// By its name, or by the dotted path to it.
    pub(crate) fn of(columns: &'b RecordBatch, path: &str) -> Option<Self> {
        if let Some(array) = columns.column_by_name(path) {
            return Some(Column { array, parents: Vec::new(), elements: None });
        }
        let mut steps = path.split('.').map(step);
        let (name, is_list) = steps.next()?;
        Self::at(columns.column_by_name(name)?, is_list, &mut steps)
    }

    /// Where the rest of a path leads from an array, into the elements of which it may lead first.
    fn at(
        mut array: &'b dyn Array,
        mut is_list: bool,
        steps: &mut dyn Iterator<Item = (&str, bool)>,
    ) -> Option<Self> {
        let mut parents = Vec::new();
        loop {
            // A text that is no list stands for a list of one.
            if is_list && let Some(elements) = elements_of(array) {
                let elements = Some(Box::new(Self::at(elements, false, steps)?));
                return Some(Column { array, parents, elements });
            }
            let Some((name, next_is_list)) = steps.next() else {
                return Some(Column { array, parents, elements: None });
            };
            parents.push(array);
            array = array.as_struct_opt()?.column_by_name(name)?;
            is_list = next_is_list;
        }
    }

    fn is_null(&self, row: usize) -> bool {
        self.parents.iter().any(|parent| parent.is_null(row))
            || self.stored(row).is_none_or(|(array, row)| array.is_null(row))
    }

    /// Where the value of a row is: in tables in memory it may be that of a dictionary.
    fn stored(&self, row: usize) -> Option<(&'b dyn Array, usize)> {
        let DataType::Dictionary(keys, _) = self.array.data_type() else {
            return Some((self.array, row));
        };
        if self.array.is_null(row) {
            return None;
        }
        let dictionary = self.array.as_any_dictionary();
        macro_rules! key {
            ($($kind:ident: $type:ident),*) => {
                match **keys {
                    $(DataType::$kind => {
                        let keys = dictionary.keys().as_primitive::<types::$type>();
                        usize::try_from(keys.value(row)).ok()
                    })*
                    _ => None,
                }
            };
        }
        let key = key!(
            Int8: Int8Type, Int16: Int16Type, Int32: Int32Type, Int64: Int64Type,
            UInt8: UInt8Type, UInt16: UInt16Type, UInt32: UInt32Type, UInt64: UInt64Type
        )?;
        let values: &dyn Array = dictionary.values();
        (key < values.len()).then_some((values, key))
    }

    /// A string or bytes.
    fn bytes(&self, row: usize) -> Option<&'b [u8]> {
        let (array, row) = self.stored(row)?;
        match array.data_type() {
            DataType::Utf8 => Some(array.as_string::<i32>().value(row).as_bytes()),
            DataType::LargeUtf8 => Some(array.as_string::<i64>().value(row).as_bytes()),
            DataType::Utf8View => Some(array.as_string_view().value(row).as_bytes()),
            DataType::Binary => Some(array.as_binary::<i32>().value(row)),
            DataType::LargeBinary => Some(array.as_binary::<i64>().value(row)),
            DataType::BinaryView => Some(array.as_binary_view().value(row)),
            _ => None,
        }
    }

    /// A string, bytes, or those of a list's elements, as one text.
    fn text(&self, row: usize) -> Option<Cow<'b, [u8]>> {
        let Some(elements) = &self.elements else { return self.bytes(row).map(Cow::Borrowed) };
        let (mut joined, mut texts) = (Vec::new(), 0);
        for element in element_range(self.array, row)?.filter(|at| !elements.is_null(*at)) {
            if texts > 0 {
                joined.push(BETWEEN_ELEMENTS as u8);
            }
            joined.extend_from_slice(&elements.text(element)?);
            texts += 1;
        }
        Some(Cow::Owned(joined))
    }

    /// The length of that, for which nothing is made: a text in a dictionary may stand in a list any
    /// number of times.
    pub(crate) fn length(&self, row: usize) -> usize {
        let Some(elements) = &self.elements else { return self.bytes(row).map_or(0, <[u8]>::len) };
        if self.is_null(row) {
            return 0;
        }
        let range = element_range(self.array, row).unwrap_or_default();
        let lengths = range.filter(|at| !elements.is_null(*at)).map(|at| elements.length(at) + 1);
        lengths.fold(0, usize::saturating_add).saturating_sub(1)
    }

    /// The value as an id: a string, a number, or bytes that spell one.
    fn id(&self, row: usize) -> Option<Cow<'b, str>> {
        if let Some(bytes) = self.bytes(row) {
            let text = str::from_utf8(bytes).map(Cow::Borrowed);
            return Some(text.unwrap_or_else(|_| Cow::Owned(hexadecimal(bytes))));
        }
        let (array, stored) = self.stored(row)?;
        macro_rules! spelt {
            ($type:ident, $($how:tt)+) => {
                array.as_primitive::<types::$type>().$($how)+
            };
        }
        Some(Cow::Owned(match array.data_type() {
            DataType::FixedSizeBinary(16) => uuid(array.as_fixed_size_binary().value(stored)),
            DataType::FixedSizeBinary(_) => hexadecimal(array.as_fixed_size_binary().value(stored)),
            // The shortest digits that are this number and no other of its width.
            DataType::Float16 => format!("{:?}", spelt!(Float16Type, value(stored).to_f32())),
            DataType::Float32 => format!("{:?}", spelt!(Float32Type, value(stored))),
            DataType::Float64 => format!("{:?}", spelt!(Float64Type, value(stored))),
            DataType::Decimal32(..) => spelt!(Decimal32Type, value_as_string(stored)),
            DataType::Decimal64(..) => spelt!(Decimal64Type, value_as_string(stored)),
            DataType::Decimal128(..) => spelt!(Decimal128Type, value_as_string(stored)),
            DataType::Decimal256(..) => spelt!(Decimal256Type, value_as_string(stored)),
            // The number that is stored.
            DataType::Date32 => spelt!(Date32Type, value(stored).to_string()),
            DataType::Timestamp(unit, _) => {
                let time = i128::from(timestamp(array, *unit, stored));
                time.to_string()
            }
            _ => match self.value(row) {
                Some(FieldValue::Integer(id)) => id.to_string(),
                _ => return None,
            },
        }))
    }

    fn value(&self, row: usize) -> Option<FieldValue<'b>> {
        if self.is_null(row) {
            return None;
        }
        if self.elements.is_some() {
            let is_short = self.length(row) <= MAX_JOINED;
            let text = is_short.then(|| self.text(row)).flatten()?;
            return Some(FieldValue::String(String::from_utf8_lossy(&text).into_owned().into()));
        }
        if let Some(bytes) = self.bytes(row) {
            return Some(FieldValue::String(String::from_utf8_lossy(bytes)));
        }
        let (array, row) = self.stored(row)?;
        macro_rules! primitive {
            ($($pattern:pat => $type:ident as $kind:ident,)*) => {
                match array.data_type() {
                    $($pattern => {
                        let value = array.as_primitive::<types::$type>().value(row);
                        Some(FieldValue::$kind(value.into()))
                    })*
                    DataType::Boolean => Some(FieldValue::Bool(array.as_boolean().value(row))),
                    DataType::Date32 => {
                        let days = array.as_primitive::<types::Date32Type>().value(row);
                        Some(FieldValue::Time(i128::from(days) * 86_400_000_000_000))
                    }
                    DataType::Timestamp(unit, _) => {
                        let time = i128::from(timestamp(array, *unit, row));
                        Some(FieldValue::Time(time * nanoseconds(*unit)))
                    }
                    _ => None,
                }
            };
        }
        primitive! {
            DataType::Int8 => Int8Type as Integer,
            DataType::Int16 => Int16Type as Integer,
            DataType::Int32 => Int32Type as Integer,
            DataType::Int64 => Int64Type as Integer,
            DataType::UInt8 => UInt8Type as Integer,
            DataType::UInt16 => UInt16Type as Integer,
            DataType::UInt32 => UInt32Type as Integer,
            DataType::UInt64 => UInt64Type as Integer,
            DataType::Float32 => Float32Type as Float,
            DataType::Float64 => Float64Type as Float,
        }
    }
}

/// A point in time as it is stored.
fn timestamp(array: &dyn Array, unit: TimeUnit, row: usize) -> i64 {
    macro_rules! stored {
        ($type:ident) => {
            array.as_primitive::<types::$type>().value(row)
        };
    }
    match unit {
        TimeUnit::Second => stored!(TimestampSecondType),
        TimeUnit::Millisecond => stored!(TimestampMillisecondType),
        TimeUnit::Microsecond => stored!(TimestampMicrosecondType),
        TimeUnit::Nanosecond => stored!(TimestampNanosecondType),
    }
}

/// Those of a unit.
fn nanoseconds(unit: TimeUnit) -> i128 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

/// The elements of all rows of a list.
fn elements_of(array: &dyn Array) -> Option<&dyn Array> {
    Some(match array.data_type() {
        DataType::List(_) => array.as_list::<i32>().values(),
        DataType::LargeList(_) => array.as_list::<i64>().values(),
        DataType::FixedSizeList(..) => array.as_fixed_size_list().values(),
        _ => return None,
    })
}

/// Those of them that are of a row.
fn element_range(array: &dyn Array, row: usize) -> Option<Range<usize>> {
    fn between<O: OffsetSizeTrait>(offsets: &[O], row: usize) -> Range<usize> {
        offsets[row].as_usize()..offsets[row + 1].as_usize()
    }
    Some(match array.data_type() {
        DataType::List(_) => between(array.as_list::<i32>().value_offsets(), row),
        DataType::LargeList(_) => between(array.as_list::<i64>().value_offsets(), row),
        DataType::FixedSizeList(_, length) => {
            let length = usize::try_from(*length).ok()?;
            // The values of a slice are those of its own rows.
            row * length..(row + 1) * length
        }
        _ => return None,
    })
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// 16 bytes in groups of 4, 2, 2, 2 and 6.
fn uuid(bytes: &[u8]) -> String {
    let mut text = hexadecimal(bytes);
    for at in [20, 16, 12, 8] {
        text.insert(at, '-');
    }
    text
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
    if !has_column(&fields.text) && has_column(&fields.html) {
        ContentKind::Html
    } else {
        ContentKind::Text
    }
}

fn content_field(fields: &Fields, kind: ContentKind) -> &String {
    match kind {
        ContentKind::Text => &fields.text,
        ContentKind::Html => &fields.html,
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
    let columns = [content_field(fields, kind), &fields.id, &fields.url];
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
    let wrong = |field: &String, expected, found| {
        Err(Fault::Type { field: field.clone(), expected, found })
    };
    let field = content_field(fields, *kind);
    let content = match content {
        None => return Err(fields.missing(Vec::new())),
        Some(content) if content.is_null(row) => return wrong(field, "a string", "null"),
        Some(content) => {
            context.check_length(content.length(row))?;
            match content.text(row) {
                Some(text) => text,
                None => return wrong(field, "a string", "of another type"),
            }
        }
    };
    let content = match kind {
        ContentKind::Text => content,
        ContentKind::Html => charset::decode_field(content),
    };
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
            if !has_column(schema.root_schema(), content) {
                let columns = schema.root_schema().get_fields().iter();
                let columns = columns.map(|field| field.name().to_owned()).collect();
                return Err(fields.no_column(path, columns));
            }
            // A column whose own name has the dots is read as well as the one they lead to.
            let named = [content, &fields.id, &fields.url];
            columns = Some(named.map(String::clone));
            let names = || named.into_iter().chain(&fields.others);
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
        if Column::of(&empty, content).is_none() {
            let columns = schema.fields().iter().map(|field| field.name().to_owned()).collect();
            return Err(fields.no_column(source.path(), columns));
        }
        let named = [content, &fields.id, &fields.url];
        let is_wanted = |column: &String| {
            named.into_iter().chain(&fields.others).any(|name| {
                let first = name.split('.').next().map(|name| step(name).0);
                name == column || first == Some(column)
            })
        };
        let numbered = schema.fields().iter().enumerate();
        let wanted = numbered.filter(|(_, field)| is_wanted(field.name())).map(|(at, _)| at);
        let (wanted, columns) = (wanted.collect(), named.map(String::clone));
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
            None => &fields.text,
        };
        if let Some(batch) = batches.iter().find(|batch| Column::of(batch, content).is_none()) {
            let columns = batch.schema_ref().fields().iter();
            let columns = columns.map(|field| field.name().to_owned()).collect();
            return Err(fields.no_column(path, columns));
        }
        let slices = memory::Slices::new(Arc::clone(batches), options.chunk_bytes);
        let (rows, bytes) = (memory::rows(batches), memory::bytes(batches));
        let columns = [content, &fields.id, &fields.url].map(String::clone);
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

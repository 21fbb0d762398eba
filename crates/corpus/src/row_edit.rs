//! Changes of rows of a table: a column of texts with some of them cut, and columns that are added.
//!
//! Rows are changed some at a time, so that what is made of them takes little memory: texts that stand
//! in a file once and are the value of many rows have to be cut for each.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    BinaryType, BinaryViewType, ByteArrayType, ByteViewType, LargeBinaryType, LargeUtf8Type,
    StringViewType, Utf8Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, GenericByteArray, GenericByteViewArray,
    Int64Array, ListArray, RecordBatch, StringArray, StructArray,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::{
    ArrowError, DataType, Field, FieldRef, Fields as ArrowFields, Schema, SchemaRef,
};
use arrow_select::take::take;

use crate::column::Column;
use crate::edits::{AddedField, AddedKind, AddedSpan, AddedValue, Change, Cutter, Edits};
use crate::error::{EditFault, Error, ErrorKind, Fault, Result};
use crate::parquet::{self, Batch};
use crate::record::{Context, step};

/// Where the texts of a table are.
#[derive(Debug, PartialEq, Eq)]
enum TextPlace {
    /// In a column, by its number and those of the fields of structs that lead to it.
    Column(Vec<usize>),
    /// In the elements of lists.
    Elements,
    /// Nowhere.
    Nowhere,
}

impl TextPlace {
    /// Where a path leads to, as [`Column`] has it.
    fn of(schema: &Schema, path: &str) -> Self {
        if let Some((number, _)) = schema.fields().find(path) {
            return Self::Column(vec![number]);
        }
        let (mut fields, mut numbers) = (schema.fields(), Vec::new());
        let mut steps = path.split('.').map(step).peekable();
        while let Some((name, is_list)) = steps.next() {
            let Some((number, field)) = fields.find(name) else { return Self::Nowhere };
            numbers.push(number);
            match field.data_type() {
                DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..)
                    if is_list =>
                {
                    return Self::Elements;
                }
                DataType::Struct(within) => fields = within,
                _ if steps.peek().is_some() => return Self::Nowhere,
                _ => {}
            }
        }
        Self::Column(numbers)
    }
}

/// What is done to the rows of a table that are kept.
#[derive(Debug)]
pub(crate) struct RowEditor {
    text: TextPlace,
    /// The column of texts is written as texts instead of as a dictionary: those of Arrow files must not
    /// change from batch to batch.
    unpacks: bool,
    added: Vec<AddedField>,
    schema: SchemaRef,
}

impl RowEditor {
    /// For the rows of a table of this schema.
    pub(crate) fn new(schema: &SchemaRef, edits: &Edits<'_>, context: &Context) -> Result<Self> {
        let added = edits.added.to_vec();
        let taken = added.iter().find(|field| schema.fields().find(&field.name).is_some());
        if let Some(AddedField { name, .. }) = taken {
            let (path, field) = (context.path.clone(), name.clone());
            return Err(Error::from(ErrorKind::ColumnTaken { path, field }));
        }
        let text = TextPlace::of(schema, &context.options.fields.text);
        let mut fields = schema.fields().to_vec();
        let mut unpacks = false;
        if let TextPlace::Column(numbers) = &text
            && edits.may_change()
        {
            unpacks = unpack_field(&mut fields, numbers);
        }
        fields.extend(added_fields(&added));
        let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
        Ok(Self { text, unpacks, added, schema })
    }

    /// The schema of rows that are written.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// About how many bytes are made of a row.
    pub(crate) fn bytes_made(
        &self,
        text: Option<&Column<'_>>,
        row: usize,
        change: Option<&Change>,
    ) -> usize {
        let is_cut = change.is_some_and(|change| !change.keeps_text());
        let text = text.filter(|_| self.unpacks || is_cut).map_or(0, |text| text.length(row));
        text + change.map_or(0, Change::bytes)
    }

    /// Fails if a row cannot be read, or not be changed like this. There is one of the changes for each
    /// row; gives back the number of the row with the fault.
    pub(crate) fn check(
        &self,
        rows: &Batch,
        changes: &[Option<Change>],
        context: &Context,
    ) -> Result<(), (u64, EditFault)> {
        let change_of = |number: u64| changes[(number - rows.first_record) as usize].as_ref();
        let mut wanted = (rows.first_record..).zip(changes).filter(|(_, change)| change.is_some());
        let mut checked = Ok(());
        let is_changed = |number| change_of(number).is_some();
        parquet::for_each(rows, context, is_changed, |record| {
            let Some((number, Some(change))) = wanted.next() else { return };
            let fault = match record {
                Ok(record) => {
                    change.check_record(&record).and_then(|()| self.check_place(change, context))
                }
                Err(error) => match error.kind() {
                    ErrorKind::Record { fault, .. } => Err(EditFault::Unreadable(fault.clone())),
                    other => Err(EditFault::Unreadable(Fault::Payload(other.to_string()))),
                },
            };
            if checked.is_ok() {
                checked = fault.map_err(|fault| (number, fault));
            }
        });
        checked
    }

    fn check_place(&self, change: &Change, context: &Context) -> Result<(), EditFault> {
        if self.text == TextPlace::Elements && !change.keeps_text() {
            return Err(EditFault::Joined(context.options.fields.text.clone()));
        }
        Ok(())
    }

    /// The rows with their changes, which can be made.
    pub(crate) fn changed(
        &self,
        rows: &RecordBatch,
        changes: &[Option<Change>],
        path: &Path,
    ) -> Result<RecordBatch> {
        let failed = |error: ArrowError| Error::broken(path, error.to_string());
        let mut columns = rows.columns().to_vec();
        let cuts = changes.iter().flatten().any(|change| !change.keeps_text());
        if let TextPlace::Column(numbers) = &self.text
            && (cuts || self.unpacks)
            && let Some((first, rest)) = numbers.split_first()
        {
            columns[*first] = cut_column(&columns[*first], rest, changes).map_err(failed)?;
        }
        for (at, field) in self.added.iter().enumerate() {
            let values = changes.iter().map(|change| Some(change.as_ref()?.value(at)));
            columns.push(added_column(field.kind, values).map_err(failed)?);
        }
        RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(failed)
    }
}

/// Makes the field that the numbers lead to one of what its dictionary has, if it has one.
fn unpack_field(fields: &mut [FieldRef], numbers: &[usize]) -> bool {
    let Some((first, rest)) = numbers.split_first() else { return false };
    let field = &mut fields[*first];
    let unpacked = match field.data_type() {
        DataType::Dictionary(_, value) if rest.is_empty() => DataType::clone(value),
        DataType::Struct(within) => {
            let mut within = within.to_vec();
            if !unpack_field(&mut within, rest) {
                return false;
            }
            DataType::Struct(within.into())
        }
        _ => return false,
    };
    *field = Arc::new(Field::clone(field).with_data_type(unpacked));
    true
}

/// The column, or the field of it that the numbers lead to, with texts cut.
fn cut_column(
    column: &ArrayRef,
    numbers: &[usize],
    changes: &[Option<Change>],
) -> Result<ArrayRef, ArrowError> {
    let Some((first, rest)) = numbers.split_first() else { return cut_texts(column, changes) };
    let (fields, mut columns, nulls) = column.as_struct().clone().into_parts();
    columns[*first] = cut_column(&columns[*first], rest, changes)?;
    let fields: ArrowFields = fields
        .iter()
        .zip(&columns)
        .map(|(field, column)| {
            Arc::new(Field::clone(field).with_data_type(column.data_type().clone()))
        })
        .collect();
    Ok(Arc::new(StructArray::try_new(fields, columns, nulls)?))
}

fn cut_texts(texts: &ArrayRef, changes: &[Option<Change>]) -> Result<ArrayRef, ArrowError> {
    match texts.data_type() {
        DataType::Utf8 => cut_bytes::<Utf8Type>(texts, changes),
        DataType::LargeUtf8 => cut_bytes::<LargeUtf8Type>(texts, changes),
        DataType::Binary => cut_bytes::<BinaryType>(texts, changes),
        DataType::LargeBinary => cut_bytes::<LargeBinaryType>(texts, changes),
        DataType::Utf8View => cut_views::<StringViewType>(texts, changes),
        DataType::BinaryView => cut_views::<BinaryViewType>(texts, changes),
        DataType::Dictionary(..) => {
            let dictionary = texts.as_any_dictionary();
            cut_texts(&take(dictionary.values(), dictionary.keys(), None)?, changes)
        }
        // Of which no row could be read.
        _ => Ok(Arc::clone(texts)),
    }
}

/// Texts one after another: all are written again.
fn cut_bytes<T: ByteArrayType>(
    texts: &ArrayRef,
    changes: &[Option<Change>],
) -> Result<ArrayRef, ArrowError> {
    let texts = texts.as_bytes::<T>();
    let (mut bytes, mut lengths) = (Vec::new(), Vec::with_capacity(texts.len()));
    for (row, change) in changes.iter().enumerate() {
        let before = bytes.len();
        if texts.is_valid(row) {
            push_cut(texts.value(row).as_ref(), change.as_ref(), &mut bytes);
        }
        lengths.push(bytes.len() - before);
    }
    let offsets = OffsetBuffer::from_lengths(lengths);
    let cut = GenericByteArray::<T>::try_new(offsets, bytes.into(), texts.nulls().cloned())?;
    Ok(Arc::new(cut))
}

/// Texts that lie anywhere: what is cut lies in a place of its own, and the others where they are.
fn cut_views<T: ByteViewType>(
    texts: &ArrayRef,
    changes: &[Option<Change>],
) -> Result<ArrayRef, ArrowError> {
    let (views, buffers, nulls) = texts.as_byte_view::<T>().clone().into_parts();
    let (mut views, mut buffers) = (views.to_vec(), buffers.to_vec());
    let (place, mut bytes) = (buffers.len() as u32, Vec::new());
    let texts = texts.as_byte_view::<T>();
    for (row, change) in changes.iter().enumerate() {
        let Some(change) = change.as_ref().filter(|change| !change.keeps_text()) else { continue };
        let before = bytes.len();
        push_cut(texts.value(row).as_ref(), Some(change), &mut bytes);
        let offset = u32::try_from(before).map_err(|_| ArrowError::OffsetOverflowError(before))?;
        views[row] = make_view(&bytes[before..], place, offset);
    }
    buffers.push(Buffer::from_vec(bytes));
    Ok(Arc::new(GenericByteViewArray::<T>::try_new(views.into(), buffers, nulls)?))
}

fn push_cut(text: &[u8], change: Option<&Change>, out: &mut Vec<u8>) {
    let cuts = change.map_or(&[][..], |change| &change.cuts);
    Cutter::new(cuts).kept(text).for_each(|kept| out.extend_from_slice(kept));
}

/// The fields of added columns.
pub(crate) fn added_fields(added: &[AddedField]) -> impl Iterator<Item = FieldRef> {
    added.iter().map(|field| Arc::new(Field::new(&field.name, added_type(field.kind), true)))
}

fn added_type(kind: AddedKind) -> DataType {
    match kind {
        AddedKind::Bool => DataType::Boolean,
        AddedKind::Integer => DataType::Int64,
        AddedKind::Float => DataType::Float64,
        AddedKind::String => DataType::Utf8,
        AddedKind::Spans => DataType::List(span_field()),
    }
}

/// A range, as an element of a list; named as Parquet has it. Integers have a sign, which tools
/// for large tables take for granted.
fn span_field() -> FieldRef {
    Arc::new(Field::new("element", DataType::Struct(span_fields()), false))
}

fn span_fields() -> ArrowFields {
    let number = |name| Field::new(name, DataType::Int64, false);
    let keeper = Field::new("keeper", DataType::Utf8, false);
    let [begin, end, words, copies] = ["begin", "end", "words", "copies"].map(number);
    let [keeper_begin, keeper_end] = ["keeper_begin", "keeper_end"].map(number);
    [begin, end, words, copies, keeper, keeper_begin, keeper_end].into_iter().collect()
}

/// The spans of lists, one after another.
fn span_columns(lists: &[Option<&[AddedSpan]>]) -> Vec<ArrayRef> {
    let spans = || lists.iter().flatten().flat_map(|spans| spans.iter());
    let number = |of: fn(&AddedSpan) -> u64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(spans().map(|span| of(span).cast_signed())))
    };
    vec![
        number(|span| span.begin),
        number(|span| span.end),
        number(|span| span.words),
        number(|span| span.copies),
        Arc::new(spans().map(|span| Some(&span.keeper)).collect::<StringArray>()),
        number(|span| span.keeper_begin),
        number(|span| span.keeper_end),
    ]
}

/// A column of these values, where there are any.
fn added_column<'v>(
    kind: AddedKind,
    values: impl Iterator<Item = Option<&'v AddedValue>>,
) -> Result<ArrayRef, ArrowError> {
    macro_rules! column {
        ($array:ident, $value:ident($inner:ident) => $given:expr) => {
            Arc::new(
                values
                    .map(|value| match value {
                        Some(AddedValue::$value($inner)) => Some($given),
                        _ => None,
                    })
                    .collect::<$array>(),
            )
        };
    }
    Ok(match kind {
        AddedKind::Bool => column!(BooleanArray, Bool(value) => *value),
        AddedKind::Integer => column!(Int64Array, Integer(value) => *value),
        AddedKind::Float => column!(Float64Array, Float(value) => *value),
        AddedKind::String => column!(StringArray, String(value) => value.as_str()),
        AddedKind::Spans => {
            let lists: Vec<_> = values
                .map(|value| match value {
                    Some(AddedValue::Spans(spans)) => Some(&spans[..]),
                    _ => None,
                })
                .collect();
            let spans = StructArray::try_new(span_fields(), span_columns(&lists), None)?;
            let lengths = lists.iter().map(|spans| spans.map_or(0, <[_]>::len));
            let nulls: NullBuffer = lists.iter().map(Option::is_some).collect();
            let offsets = OffsetBuffer::from_lengths(lengths);
            Arc::new(ListArray::try_new(span_field(), offsets, Arc::new(spans), Some(nulls))?)
        }
    })
}

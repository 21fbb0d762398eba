//! Columns of batches: what stands in a row of one, by its name or the path to it.

use std::borrow::Cow;
use std::ops::Range;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, OffsetSizeTrait, RecordBatch, types};
use arrow_schema::{DataType, TimeUnit};
use lookalike_core::text::items::{self, Item};

use crate::record::{BETWEEN_ELEMENTS, FieldValue, step};

/// The longest text of a list that is a field besides the document's own.
const MAX_JOINED: usize = 64 << 20;

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

    pub(crate) fn is_null(&self, row: usize) -> bool {
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
    pub(crate) fn text(&self, row: usize) -> Option<Cow<'b, [u8]>> {
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
    pub(crate) fn id(&self, row: usize) -> Option<Cow<'b, str>> {
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

    pub(crate) fn value(&self, row: usize) -> Option<FieldValue<'b>> {
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

impl Column<'_> {
    /// The set of the items of a row's list.
    pub(crate) fn items(&self, row: usize, limit: usize) -> Result<Vec<u8>, NoSet> {
        let mut lines = Vec::new();
        self.push_items(row, limit, &mut lines)?;
        Ok(items::sorted(&lines))
    }

    fn push_items(&self, row: usize, limit: usize, lines: &mut Vec<u8>) -> Result<(), NoSet> {
        let elements = self.elements.as_ref().ok_or(NoSet::NoList)?;
        for element in element_range(self.array, row).unwrap_or_default() {
            if elements.is_null(element) {
                continue;
            }
            if elements.elements.is_some() {
                elements.push_items(element, limit, lines)?;
            } else {
                let item = elements.item(element).ok_or(NoSet::NoItem)?;
                items::push_line(&item, lines);
            }
            if lines.len() > limit {
                return Err(NoSet::TooLong);
            }
        }
        Ok(())
    }

    /// A string, bytes, a number or a truth value as an item.
    fn item(&self, row: usize) -> Option<Cow<'_, [u8]>> {
        if let Some(bytes) = self.bytes(row) {
            return Item::Bytes(bytes).bytes();
        }
        match self.value(row)? {
            FieldValue::Integer(number) => Item::Integer(number).bytes(),
            FieldValue::Float(number) => Item::Float(number).bytes(),
            FieldValue::Bool(value) => Item::Bool(value).bytes(),
            FieldValue::String(_) | FieldValue::Time(_) => None,
        }
    }
}

/// Why a row has no set.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NoSet {
    /// There is no list.
    NoList,
    /// An item of it is neither a string nor a number nor a truth value.
    NoItem,
    /// It is longer than the limit.
    TooLong,
}

//! JSON lines: one object on each line.
//!
//! A line is parsed once, and only the wanted fields are kept, borrowed from it
//! where they have no escapes. Everything else is passed over without recursion,
//! so no depth of nesting can overflow the stack.
//!
//! Of a key that is there twice the last one counts. Half of a surrogate pair
//! and bytes that are no UTF-8 become U+FFFD: crawls are full of both, and the
//! rest of such a record is good.

use std::borrow::Cow;
use std::fmt;

use lookalike_core::text::items::{self, Item};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::error::{Fault, Place, Result};
use crate::json_spelt::{Key, Path, repair, spelling};
use crate::record::{
    BETWEEN_ELEMENTS, ContentKind, Context, FieldValue, Fields, Record, StoredFields,
};
use crate::split::{self, Boundary, Piece};

/// Calls `each` with every record that is wanted.
pub(crate) fn for_each(
    piece: &Piece,
    context: &Context,
    mut wanted: impl FnMut(u64) -> bool,
    mut each: impl FnMut(Result<Record<'_>>),
) {
    let fields = &context.options.fields;
    let paths = paths(fields);
    let mut next = piece.record;
    let limit = context.options.limits.max_record_bytes;
    split::for_each_record(&piece.bytes, Boundary::Line, limit, |raw, line, _| {
        let number = next;
        next += 1;
        if !wanted(number) {
            return;
        }
        with_record(split::content(raw), &paths, number, context, |record| {
            let place = Place::Line(piece.line + line);
            each(record.or_else(|fault| context.bad(place, fault)));
        });
    });
}

/// Calls `each` with the record that a line is, or with its fault.
pub(crate) fn with_line<T>(
    line: &[u8],
    number: u64,
    context: &Context,
    each: impl FnOnce(Result<Record<'_>, Fault>) -> T,
) -> T {
    with_record(line, &paths(&context.options.fields), number, context, each)
}

/// Those of texts, pages, ids and addresses. Of sets, the first is theirs, and there are no pages.
fn paths(fields: &Fields) -> [Path<'_>; 4] {
    let [id, url] = [&fields.id, &fields.url].map(|path| Path::new(path));
    match &fields.set {
        Some(set) => [Path::of_items(set), Path::new(NO_FIELD), id, url],
        None => [Path::new(&fields.text), Path::new(&fields.html), id, url],
    }
}

/// A name that no field has.
const NO_FIELD: &str = "\0";

fn with_record<T>(
    line: &[u8],
    paths: &[Path<'_>; 4],
    number: u64,
    context: &Context,
    each: impl FnOnce(Result<Record<'_>, Fault>) -> T,
) -> T {
    if let Err(fault) = context.check_length(line.len()) {
        return each(Err(fault));
    }
    let mut values = [const { Value::Missing }; 4];
    let repaired;
    let (line, parsed) = match parse(line, paths, &mut values) {
        Ok(()) => (line, Ok(())),
        Err(error) => match repair(line) {
            Some(other) => {
                repaired = other;
                values.fill(Value::Missing);
                (&repaired[..], parse(&repaired, paths, &mut values))
            }
            None => (line, Err(error)),
        },
    };
    let line = Line(line);
    each(match parsed {
        Ok(()) => record(values, &line, number, context),
        Err(error) => Err(Fault::Json(message(&error))),
    })
}

fn record<'a>(
    [text, html, id, url]: [Value<'a>; 4],
    line: &'a Line<'a>,
    number: u64,
    context: &Context,
) -> Result<Record<'a>, Fault> {
    let fields = &context.options.fields;
    let (content, kind) = match (text, html) {
        (Value::Items(lines), _) => (Cow::Owned(items::sorted(&lines)), ContentKind::Items),
        (Value::Missing, _) if fields.set.is_some() => {
            return Err(fields.missing(first_names(line.0)));
        }
        (other, _) if let Some(set) = &fields.set => {
            return Err(other.not("a list of strings and numbers", set));
        }
        (Value::String(text), _) => (bytes(text), ContentKind::Text),
        (Value::Missing | Value::Null, Value::String(html)) => (bytes(html), ContentKind::Html),
        (Value::Missing, Value::Missing | Value::Null) => {
            return Err(fields.missing(first_names(line.0)));
        }
        (Value::Missing, other) => return Err(other.not("a string", &fields.html)),
        (other, _) => return Err(other.not("a string", &fields.text)),
    };
    let id = match id {
        Value::String(id) => id,
        Value::Integer(id) => Cow::Owned(id.to_string()),
        Value::Missing | Value::Null => context.default_id(number),
        // Not as a float writes it: two spellings are two ids, and no digit is lost.
        Value::Float(id) => {
            let spelt = spelling(line.0, &Path::new(&fields.id)).map(Cow::Borrowed);
            spelt.unwrap_or_else(|| Cow::Owned(format!("{id:?}")))
        }
        other => return Err(other.not("a string or a number", &fields.id)),
    };
    let url = match url {
        Value::String(url) => Some(url),
        _ => None,
    };
    Ok(Record { number, id, content, kind, url, offset: None, fields: Some(line) })
}

fn bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// The names of the first fields of an object, for people; cut where they are long.
#[cold]
fn first_names(line: &[u8]) -> Vec<String> {
    struct Names;

    impl<'de> Visitor<'de> for Names {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<String>, A::Error> {
            let mut names = Vec::new();
            while let Some(Key(key)) = map.next_key()? {
                if names.len() < NAMES {
                    names.push(key.chars().take(NAME_CHARACTERS).collect());
                }
                map.next_value::<IgnoredAny>()?;
            }
            Ok(names)
        }
    }

    const NAMES: usize = 12;
    const NAME_CHARACTERS: usize = 40;
    let mut parser = serde_json::Deserializer::from_slice(line);
    parser.deserialize_map(Names).unwrap_or_default()
}

/// A line that was parsed before.
#[derive(Debug)]
struct Line<'a>(&'a [u8]);

impl StoredFields for Line<'_> {
    fn field(&self, path: &str) -> Option<FieldValue<'_>> {
        let mut value = [Value::Missing];
        parse(self.0, &[Path::new(path)], &mut value).ok()?;
        let [value] = value;
        match value {
            Value::String(value) => Some(FieldValue::String(value)),
            Value::Integer(value) => Some(FieldValue::Integer(value)),
            Value::Float(value) => Some(FieldValue::Float(value)),
            Value::Bool(value) => Some(FieldValue::Bool(value)),
            Value::Missing | Value::Null | Value::Array | Value::Object | Value::Items(_) => None,
        }
    }

    fn json(&self) -> Option<&[u8]> {
        Some(self.0)
    }
}

/// What stands in a field.
#[derive(Clone, Debug)]
enum Value<'de> {
    Missing,
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    String(Cow<'de, str>),
    Array,
    Object,
    /// A line for each, in the order of the list.
    Items(Vec<u8>),
}

impl Value<'_> {
    fn not(&self, expected: &'static str, field: &str) -> Fault {
        let found = match self {
            Self::Missing => "missing",
            Self::Null => "null",
            Self::Bool(_) => "a truth value",
            Self::Integer(_) | Self::Float(_) => "a number",
            Self::String(_) => "a string",
            Self::Array | Self::Items(_) => "an array",
            Self::Object => "an object",
        };
        Fault::Type { field: field.to_owned(), expected, found }
    }
}

fn parse<'de>(
    line: &'de [u8],
    paths: &[Path<'_>],
    values: &mut [Value<'de>],
) -> serde_json::Result<()> {
    // Checking the whole line at once is ten times as fast as one string after the other.
    match simdutf8::basic::from_utf8(line) {
        Ok(line) => parse_with(serde_json::Deserializer::from_str(line), paths, values),
        Err(_) => parse_with(serde_json::Deserializer::from_slice(line), paths, values),
    }
}

fn parse_with<'de>(
    mut deserializer: serde_json::Deserializer<impl serde_json::de::Read<'de>>,
    paths: &[Path<'_>],
    values: &mut [Value<'de>],
) -> serde_json::Result<()> {
    let all = (1 << paths.len()) - 1;
    let mut wanted = WantedFields { paths, values, whole: 0 };
    deserializer.deserialize_map(Object { wanted: &mut wanted, paths: all, depth: 0 })?;
    deserializer.end()
}

/// The message without the place in the line, which is a column of a line we call otherwise.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) if error.column() == 0 => text[..end].to_owned(),
        Some(end) => format!("{} at byte {}", &text[..end], error.column()),
        None => text,
    }
}

/// What is looked for and what has been found. Sets of paths are bits.
struct WantedFields<'w, 'p, 'de> {
    paths: &'w [Path<'p>],
    values: &'w mut [Value<'de>],
    /// Those found under their whole name, dots and all.
    whole: u32,
}

impl<'de> WantedFields<'_, '_, 'de> {
    fn set(&mut self, paths: u32, value: Value<'de>) {
        let Some(last) = paths.checked_ilog2() else { return };
        for i in 0..last as usize {
            if paths >> i & 1 == 1 {
                self.values[i].clone_from(&value);
            }
        }
        // Moved, not copied: nearly always only one path ends here, and the text may be long.
        self.values[last as usize] = value;
    }

    /// Those of some paths that lead into the elements of a list at this depth.
    fn through_lists(&self, paths: u32, depth: usize) -> u32 {
        let leads = |(i, path): &(usize, &Path<'_>)| match self.whole >> i & 1 {
            0 => depth < 64 && path.lists >> depth & 1 == 1,
            _ => path.items && depth == 1,
        };
        let lists = self.paths.iter().enumerate().filter(leads);
        lists.fold(0, |set, (i, _)| set | 1 << i) & paths
    }
}

/// An object that some paths lead into.
struct Object<'o, 'w, 'p, 'de> {
    wanted: &'o mut WantedFields<'w, 'p, 'de>,
    paths: u32,
    depth: usize,
}

impl<'de> Visitor<'de> for Object<'_, '_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Key(key)) = map.next_key()? {
            let (mut here, mut below) = (0, 0);
            for (i, path) in self.wanted.paths.iter().enumerate() {
                let bit = 1 << i;
                if self.paths & bit == 0 {
                    continue;
                }
                let last = self.depth + 1 == path.names.len();
                if self.depth == 0 && path.whole == key {
                    here |= bit;
                    self.wanted.whole |= bit;
                } else if self.wanted.whole & bit == 0 && path.names[self.depth] == key {
                    *(if last { &mut here } else { &mut below }) |= bit;
                }
            }
            if here | below == 0 {
                map.next_value::<IgnoredAny>()?;
            } else {
                let depth = self.depth + 1;
                let in_list = false;
                map.next_value_seed(Member { wanted: self.wanted, here, below, depth, in_list })?;
            }
        }
        Ok(())
    }
}

/// A value that some paths end at and others lead through.
struct Member<'o, 'w, 'p, 'de> {
    wanted: &'o mut WantedFields<'w, 'p, 'de>,
    here: u32,
    below: u32,
    depth: usize,
    /// Whether it is an element of a list. A list within it is none that a path leads into.
    in_list: bool,
}

impl<'de> Member<'_, '_, '_, 'de> {
    fn set(&mut self, value: Value<'de>) {
        self.wanted.set(self.here, value);
        // An earlier value under the same key counts no more.
        self.wanted.set(self.below, Value::Missing);
    }
}

impl<'de> DeserializeSeed<'de> for Member<'_, '_, '_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Member<'_, '_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(mut self) -> Result<(), E> {
        self.set(Value::Null);
        Ok(())
    }

    fn visit_bool<E>(mut self, value: bool) -> Result<(), E> {
        self.set(Value::Bool(value));
        Ok(())
    }

    fn visit_i64<E>(mut self, value: i64) -> Result<(), E> {
        self.set(Value::Integer(value.into()));
        Ok(())
    }

    fn visit_u64<E>(mut self, value: u64) -> Result<(), E> {
        self.set(Value::Integer(value.into()));
        Ok(())
    }

    fn visit_f64<E>(mut self, value: f64) -> Result<(), E> {
        self.set(Value::Float(value));
        Ok(())
    }

    fn visit_str<E>(mut self, value: &str) -> Result<(), E> {
        self.set(Value::String(Cow::Owned(value.to_owned())));
        Ok(())
    }

    fn visit_borrowed_str<E>(mut self, value: &'de str) -> Result<(), E> {
        self.set(Value::String(Cow::Borrowed(value)));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        self.set(Value::Array);
        let Member { wanted, here, below, depth, in_list } = self;
        let lists = if in_list { 0 } else { wanted.through_lists(here | below, depth) };
        if lists == 0 {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(());
        }
        let mut joined: Vec<Joined<'de>> = wanted
            .paths
            .iter()
            .map(|path| Joined { items: path.items.then(Vec::new), ..Joined::default() })
            .collect();
        loop {
            wanted.set(lists, Value::Missing);
            let (here, below) = (here & lists, below & lists);
            let element = Member { wanted: &mut *wanted, here, below, depth, in_list: true };
            if seq.next_element_seed(element)?.is_none() {
                break;
            }
            for (i, joined) in joined.iter_mut().enumerate().filter(|(i, _)| lists >> i & 1 == 1) {
                joined.push(&wanted.values[i]);
            }
        }
        for (i, joined) in joined.into_iter().enumerate().filter(|(i, _)| lists >> i & 1 == 1) {
            wanted.values[i] = joined.value();
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, map: A) -> Result<(), A::Error> {
        self.set(Value::Object);
        Object { wanted: self.wanted, paths: self.below, depth: self.depth }.visit_map(map)
    }
}

/// What the elements of a list have at the end of a path.
#[derive(Default)]
struct Joined<'de> {
    text: String,
    /// The lines of the items, if it is a set.
    items: Option<Vec<u8>>,
    texts: usize,
    elements: usize,
    /// Whether any element has the field, if only without a value.
    is_there: bool,
    /// What is not a text, if anything is.
    other: Option<Value<'de>>,
}

impl<'de> Joined<'de> {
    fn push(&mut self, value: &Value<'de>) {
        self.elements += 1;
        self.is_there |= !matches!(value, Value::Missing);
        match value {
            Value::Missing | Value::Null => {}
            value if let Some(items) = &mut self.items => {
                if !push_item(value, items) {
                    self.other = Some(value.clone());
                }
            }
            Value::String(text) => {
                if self.texts > 0 {
                    self.text.push(BETWEEN_ELEMENTS);
                }
                self.text.push_str(text);
                self.texts += 1;
            }
            other => self.other = Some(other.clone()),
        }
    }

    /// All texts as one. A field that no element has is missing.
    fn value(self) -> Value<'de> {
        match self.other {
            Some(other) => other,
            None if !self.is_there && self.elements > 0 => Value::Missing,
            None => match self.items {
                Some(items) => Value::Items(items),
                None => Value::String(Cow::Owned(self.text)),
            },
        }
    }
}

/// Appends the line of an item, or those of a list below. `false` if the value is none.
fn push_item(value: &Value<'_>, lines: &mut Vec<u8>) -> bool {
    let item = match value {
        Value::String(text) => Item::Bytes(text.as_bytes()),
        Value::Integer(number) => Item::Integer(*number),
        Value::Float(number) => Item::Float(*number),
        Value::Bool(value) => Item::Bool(*value),
        Value::Items(below) => {
            lines.extend_from_slice(below);
            return true;
        }
        Value::Missing | Value::Null | Value::Array | Value::Object => return false,
    };
    item.bytes().is_some_and(|item| {
        items::push_line(&item, lines);
        true
    })
}

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

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use crate::error::{Fault, Place, Result};
use crate::record::{
    BETWEEN_ELEMENTS, ContentKind, Context, FieldValue, Record, StoredFields, step,
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
    let paths = [&fields.text, &fields.html, &fields.id, &fields.url].map(|path| Path::new(path));
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

fn with_record(
    line: &[u8],
    paths: &[Path<'_>; 4],
    number: u64,
    context: &Context,
    each: impl FnOnce(Result<Record<'_>, Fault>),
) {
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
    });
}

fn record<'a>(
    [text, html, id, url]: [Value<'a>; 4],
    line: &'a Line<'a>,
    number: u64,
    context: &Context,
) -> Result<Record<'a>, Fault> {
    let fields = &context.options.fields;
    let (content, kind) = match (text, html) {
        (Value::String(text), _) => (text, ContentKind::Text),
        (Value::Missing | Value::Null, Value::String(html)) => (html, ContentKind::Html),
        (Value::Missing, Value::Missing | Value::Null) => {
            return Err(fields.missing(first_names(line.0)));
        }
        (Value::Missing, other) => return Err(other.not("a string", &fields.html)),
        (other, _) => return Err(other.not("a string", &fields.text)),
    };
    let content = match content {
        Cow::Borrowed(content) => Cow::Borrowed(content.as_bytes()),
        Cow::Owned(content) => Cow::Owned(content.into_bytes()),
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
            Value::Missing | Value::Null | Value::Array | Value::Object => None,
        }
    }

    fn json(&self) -> Option<&[u8]> {
        Some(self.0)
    }
}

/// The value of a field as it is spelt in a line that was parsed before.
fn spelling<'a>(line: &'a [u8], path: &Path<'_>) -> Option<&'a str> {
    let mut value = line;
    for (depth, name) in path.names.iter().enumerate() {
        let (mut named, mut whole) = (None, None);
        for (key, member) in Members::of(value)? {
            if depth == 0 && key.0 == path.whole {
                whole = Some(member);
            } else if key.0 == *name {
                named = Some(member);
            }
        }
        if let Some(whole) = whole {
            return str::from_utf8(whole).ok();
        }
        value = named?;
    }
    str::from_utf8(value).ok()
}

/// The keys of an object and its values as they are spelt, in order. The object is sound.
struct Members<'a>(&'a [u8]);

impl<'a> Members<'a> {
    fn of(object: &'a [u8]) -> Option<Self> {
        object.trim_ascii_start().strip_prefix(b"{").map(Self)
    }

    /// Takes the value that comes next.
    fn take_value(&mut self) -> &'a [u8] {
        let rest = self.0.trim_ascii_start();
        let (value, rest) = rest.split_at(value_end(rest));
        self.0 = rest.trim_ascii_start();
        value
    }
}

/// Where the value ends that these bytes begin with: a string, what stands between brackets, or a
/// word.
fn value_end(bytes: &[u8]) -> usize {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b",:]}".contains(byte);
    match bytes.first() {
        Some(b'"') => string_end(bytes),
        Some(b'{' | b'[') => {
            let (mut at, mut depth) = (0, 0_usize);
            while let Some(byte) = bytes.get(at) {
                match byte {
                    b'"' => at += string_end(&bytes[at..]) - 1,
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    return at;
                }
            }
            bytes.len()
        }
        _ => bytes.iter().position(is_end).unwrap_or(bytes.len()),
    }
}

/// The same of a string.
fn string_end(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

impl<'a> Iterator for Members<'a> {
    type Item = (Key<'a>, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let key = serde_json::from_slice(self.take_value()).ok()?;
        self.0 = self.0.strip_prefix(b":")?;
        let value = self.take_value();
        self.0 = self.0.strip_prefix(b",").unwrap_or_default();
        Some((key, value))
    }
}

/// A field's name, taken apart.
struct Path<'p> {
    whole: &'p str,
    names: Vec<&'p str>,
    /// At which depths, from 1, it leads into the elements of a list, as bits.
    lists: u64,
}

impl<'p> Path<'p> {
    fn new(whole: &'p str) -> Self {
        let steps = || whole.split('.').map(step);
        let mut lists = 0;
        for depth in (1..64).zip(steps()).filter(|(_, (_, is_list))| *is_list).map(|(at, _)| at) {
            lists |= 1 << depth;
        }
        Self { whole, names: steps().map(|(name, _)| name).collect(), lists }
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
}

impl Value<'_> {
    fn not(&self, expected: &'static str, field: &str) -> Fault {
        let found = match self {
            Self::Missing => "missing",
            Self::Null => "null",
            Self::Bool(_) => "a truth value",
            Self::Integer(_) | Self::Float(_) => "a number",
            Self::String(_) => "a string",
            Self::Array => "an array",
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
        let leads = |path: &Path<'_>| depth < 64 && path.lists >> depth & 1 == 1;
        let lists = self.paths.iter().enumerate().filter(|(_, path)| leads(path));
        lists.fold(0, |set, (i, _)| set | 1 << i) & paths & !self.whole
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
        let mut joined: Vec<Joined<'de>> =
            wanted.values.iter().map(|_| Joined::default()).collect();
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
            None if self.is_there || self.elements == 0 => Value::String(Cow::Owned(self.text)),
            None => Value::Missing,
        }
    }
}

/// A key, borrowed unless it has escapes.
struct Key<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// The line with U+FFFD for bytes that are no UTF-8 and for escapes of half a surrogate pair;
/// `None` if it has neither.
fn repair(line: &[u8]) -> Option<Vec<u8>> {
    let mut changed = false;
    // Room for just as much as there will be: three bytes for one make a long line very long.
    let replaced = line.utf8_chunks().map(|chunk| {
        chunk.valid().len() + if chunk.invalid().is_empty() { 0 } else { REPLACEMENT.len() }
    });
    let mut bytes = Vec::with_capacity(replaced.sum());
    for chunk in line.utf8_chunks() {
        bytes.extend_from_slice(chunk.valid().as_bytes());
        if !chunk.invalid().is_empty() {
            bytes.extend_from_slice(REPLACEMENT);
            changed = true;
        }
    }
    let mut at = 0;
    // Backslashes stand in strings only, or the line is no JSON anyway.
    while let Some(found) = memchr::memchr(b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found;
        let step = match escaped_unit(&bytes[at..]) {
            None => 2,
            Some(0xd800..=0xdbff) => match escaped_unit(&bytes[at + 6..]) {
                Some(0xdc00..=0xdfff) => 12,
                _ => 0,
            },
            Some(0xdc00..=0xdfff) => 0,
            Some(_) => 6,
        };
        if step == 0 {
            bytes[at..at + 6].copy_from_slice(br"\ufffd");
            changed = true;
        }
        at += step.max(2);
    }
    changed.then_some(bytes)
}

/// The number in a `\uXXXX` that the bytes begin with.
fn escaped_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(br"\u")?.get(..4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

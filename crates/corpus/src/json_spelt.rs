//! JSON as it is spelt: where the values of a line stand in it, and what the characters of a string
//! are written as.
//!
//! Only for lines that [`json`](crate::json) has read: what is looked at here is sound, perhaps but for
//! what is repaired there.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};

use crate::record::step;

/// A field's name, taken apart.
pub(crate) struct Path<'p> {
    pub(crate) whole: &'p str,
    pub(crate) names: Vec<&'p str>,
    /// At which depths, from 1, it leads into the elements of a list, as bits.
    pub(crate) lists: u64,
    /// Whether what it leads to are the items of a set.
    pub(crate) items: bool,
}

impl<'p> Path<'p> {
    pub(crate) fn new(whole: &'p str) -> Self {
        let steps = || whole.split('.').map(step);
        let mut lists = 0;
        for depth in (1..64).zip(steps()).filter(|(_, (_, is_list))| *is_list).map(|(at, _)| at) {
            lists |= 1 << depth;
        }
        Self { whole, names: steps().map(|(name, _)| name).collect(), lists, items: false }
    }

    /// That of a set: it leads into the list at its end, whether it says so or not.
    pub(crate) fn of_items(whole: &'p str) -> Self {
        let path = Self::new(whole);
        let whole = whole.strip_suffix("[]").unwrap_or(whole);
        let lists = path.lists | 1_u64.checked_shl(path.names.len() as u32).unwrap_or(0);
        Self { whole, lists, items: true, ..path }
    }
}

/// The value of a field as it is spelt.
pub(crate) fn spelling<'a>(line: &'a [u8], path: &Path<'_>) -> Option<&'a str> {
    let value = last_member(line, path.whole)
        .or_else(|| path.names.iter().try_fold(line, |value, name| last_member(value, name)));
    str::from_utf8(value?).ok()
}

/// The strings that a path leads to, as they are spelt, quotes and all. What stands between them in the
/// text of the record stands nowhere in the line. A list without any is one of no bytes.
pub(crate) fn texts<'a>(line: &'a [u8], path: &Path<'_>) -> Vec<&'a [u8]> {
    let mut texts = Vec::new();
    match last_member(line, path.whole) {
        Some(whole) => texts.push(whole),
        None => {
            if let Some(first) = path.names.first().and_then(|name| last_member(line, name)) {
                push_texts(first, path, 1, InList::No, &mut texts);
            }
        }
    }
    texts
}

/// Whether a value is an element of a list that the path leads into: it leads into no list in that.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InList {
    Yes,
    No,
}

/// The strings that the rest of a path leads to from a value. Tells whether it leads to anything, if
/// only to null.
fn push_texts<'a>(
    value: &'a [u8],
    path: &Path<'_>,
    depth: usize,
    in_list: InList,
    texts: &mut Vec<&'a [u8]>,
) -> bool {
    let leads_into_lists = in_list == InList::No && depth < 64 && path.lists >> depth & 1 == 1;
    if leads_into_lists && value.starts_with(b"[") {
        let before = texts.len();
        let (mut is_empty, mut is_there) = (true, false);
        for element in elements(value) {
            is_empty = false;
            is_there |= push_texts(element, path, depth, InList::Yes, texts);
        }
        if texts.len() == before && (is_there || is_empty) {
            texts.push(&[]);
        }
        return is_there || is_empty;
    }
    match path.names.get(depth) {
        None => {
            if value.starts_with(b"\"") {
                texts.push(value);
            }
            true
        }
        Some(name) => last_member(value, name)
            .is_some_and(|member| push_texts(member, path, depth + 1, InList::No, texts)),
    }
}

/// The value that counts of those under a key.
fn last_member<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    members(object).filter(|(key, _)| key.0 == name).last().map(|(_, value)| value)
}

/// The keys of an object and its values, in order; none of anything else.
pub(crate) fn members(object: &[u8]) -> impl Iterator<Item = (Key<'_>, &[u8])> {
    let mut rest = object.trim_ascii_start().strip_prefix(b"{").unwrap_or_default();
    std::iter::from_fn(move || {
        let key = Key::of(take_value(&mut rest))?;
        rest = rest.strip_prefix(b":")?;
        let value = take_value(&mut rest);
        rest = rest.strip_prefix(b",").unwrap_or_default();
        Some((key, value))
    })
}

/// The elements of a list, in order.
fn elements(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = list.trim_ascii_start().strip_prefix(b"[").unwrap_or_default();
    std::iter::from_fn(move || {
        let value = take_value(&mut rest);
        rest = rest.strip_prefix(b",").unwrap_or_default();
        (!value.is_empty()).then_some(value)
    })
}

/// Takes the value that comes next, and the white space around it.
fn take_value<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let bytes = rest.trim_ascii_start();
    let (value, after) = bytes.split_at(value_end(bytes));
    *rest = after.trim_ascii_start();
    value
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

/// A key, borrowed unless it has escapes.
pub(crate) struct Key<'de>(pub(crate) Cow<'de, str>);

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

impl<'a> Key<'a> {
    /// Of a key as it is spelt.
    fn of(spelt: &'a [u8]) -> Option<Self> {
        let repaired = || {
            let key: String = serde_json::from_slice(&repair(spelt)?).ok()?;
            Some(Key(Cow::Owned(key)))
        };
        serde_json::from_slice(spelt).ok().or_else(repaired)
    }
}

/// What stands for bytes that are no UTF-8, and for half of a surrogate pair.
pub(crate) const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// The same as an escape, as long as the one that it stands for.
pub(crate) const REPLACEMENT_ESCAPE: &[u8] = br"\ufffd";

/// The line with U+FFFD for bytes that are no UTF-8 and for escapes of half a surrogate pair;
/// `None` if it has neither.
pub(crate) fn repair(line: &[u8]) -> Option<Vec<u8>> {
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
        let escape = Escape::at(&bytes[at..]);
        if escape == Escape::Half {
            bytes[at..at + escape.spelt()].copy_from_slice(REPLACEMENT_ESCAPE);
            changed = true;
        }
        at += escape.spelt();
    }
    changed.then_some(bytes)
}

/// What a backslash begins, within a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escape {
    /// One of a letter or a sign.
    Short,
    /// A character by its number.
    Unit(u16),
    /// A character by two halves of a surrogate pair.
    Pair,
    /// One half without the other.
    Half,
}

impl Escape {
    /// That which these bytes begin with.
    pub(crate) fn at(bytes: &[u8]) -> Self {
        match escaped_unit(bytes) {
            None => Self::Short,
            Some(0xd800..=0xdbff) => match escaped_unit(&bytes[6..]) {
                Some(0xdc00..=0xdfff) => Self::Pair,
                _ => Self::Half,
            },
            Some(0xdc00..=0xdfff) => Self::Half,
            Some(unit) => Self::Unit(unit),
        }
    }

    /// Its length as it is spelt.
    pub(crate) fn spelt(self) -> usize {
        match self {
            Self::Short => 2,
            Self::Unit(_) | Self::Half => 6,
            Self::Pair => 12,
        }
    }

    /// The length of the character.
    pub(crate) fn decoded(self) -> usize {
        match self {
            Self::Short => 1,
            Self::Unit(unit) => char::from_u32(unit.into()).map_or(1, char::len_utf8),
            Self::Half => REPLACEMENT.len(),
            Self::Pair => 4,
        }
    }
}

/// The number in a `\uXXXX` that the bytes begin with.
fn escaped_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(br"\u")?.get(..4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

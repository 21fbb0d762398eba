//! Sets of items: documents that are no text, such as the imports of a file or the tracks of a playlist.
//!
//! An item is any string of bytes, and two are equal if their bytes are: nothing is normalised. Items have a
//! text, a line for each, so that whatever reads, stores and shows texts does so with sets as well. In a line, a
//! line feed is written `\n` and a backslash `\\`. Whoever makes a set sorts the items and leaves out
//! repetitions ([`of`]), so that equal sets are equal texts.

use std::borrow::Cow;
use std::ops::Range;

/// The text of the set that lines of items in any order stand for.
pub fn sorted(lines: &[u8]) -> Vec<u8> {
    of(items(lines))
}

/// The text of the set of these items.
pub fn of<I>(items: I) -> Vec<u8>
where
    I: IntoIterator,
    I::Item: AsRef<[u8]>,
{
    let items: Vec<I::Item> = items.into_iter().collect();
    let mut items: Vec<&[u8]> = items.iter().map(AsRef::as_ref).collect();
    items.sort_unstable();
    items.dedup();
    let mut text = Vec::new();
    for item in items {
        push_line(item, &mut text);
    }
    text
}

/// Appends an item and the line feed that ends it.
pub fn push_line(mut item: &[u8], text: &mut Vec<u8>) {
    while let Some(at) = memchr::memchr2(b'\n', b'\\', item) {
        text.extend_from_slice(&item[..at]);
        text.extend_from_slice(if item[at] == b'\n' { b"\\n" } else { b"\\\\" });
        item = &item[at + 1..];
    }
    text.extend_from_slice(item);
    text.push(b'\n');
}

/// The items of a text, in its order.
pub fn items(text: &[u8]) -> impl Iterator<Item = Cow<'_, [u8]>> {
    lines(text).map(|place| item(&text[place]))
}

/// The items of a text as strings, for people and for JSON: what is no UTF-8 is replaced.
pub fn texts(text: &[u8]) -> impl Iterator<Item = Cow<'_, str>> {
    items(text).map(|item| match item {
        Cow::Borrowed(item) => String::from_utf8_lossy(item),
        Cow::Owned(item) => Cow::Owned(String::from_utf8_lossy(&item).into_owned()),
    })
}

/// The places of the lines of a text, without the line feeds that end them.
fn lines(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = text.get(from..).filter(|rest| !rest.is_empty())?;
        let end = from + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let place = from..end;
        from = end + 1;
        Some(place)
    })
}

/// The item that a line stands for. A backslash before anything else is one.
fn item(line: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', line).is_none() {
        return Cow::Borrowed(line);
    }
    let (mut item, mut rest) = (Vec::with_capacity(line.len()), line);
    while let Some((&byte, behind)) = rest.split_first() {
        let (byte, taken) = match (byte, behind.first()) {
            (b'\\', Some(b'n')) => (b'\n', 2),
            (b'\\', Some(b'\\')) => (b'\\', 2),
            _ => (byte, 1),
        };
        item.push(byte);
        rest = &rest[taken..];
    }
    Cow::Owned(item)
}

/// Calls `each` with every item of a text and the place of its line.
pub(super) fn for_each_item(text: &[u8], mut each: impl FnMut(&[u8], Range<usize>)) {
    for place in lines(text) {
        each(&item(&text[place.clone()]), place);
    }
}

/// What an item comes as. It is what it is written as: the number 3 and the string `3` are one item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Item<'a> {
    /// A string.
    Bytes(&'a [u8]),
    /// A whole number.
    Integer(i128),
    /// Any number: a whole one below 2^64 is written as an integer, another one in the shortest digits that are it
    /// and no other number of 64 bits, with an exponent from 2^64 on and under 10^-5.
    Float(f64),
    /// `true` or `false`.
    Bool(bool),
}

impl<'a> Item<'a> {
    /// What it is written as; `None` of what is no number.
    pub fn bytes(self) -> Option<Cow<'a, [u8]>> {
        let text = match self {
            Self::Bytes(bytes) => return Some(Cow::Borrowed(bytes)),
            Self::Integer(number) => number.to_string(),
            Self::Float(number) if !number.is_finite() => return None,
            // All its digits, and of minus zero no sign.
            Self::Float(number) if number.abs() < LARGE && number.fract() == 0.0 => {
                (number as i128).to_string()
            }
            Self::Float(number) if (SMALL..LARGE).contains(&number.abs()) => number.to_string(),
            Self::Float(number) => format!("{number:e}"),
            Self::Bool(value) => value.to_string(),
        };
        Some(Cow::Owned(text.into_bytes()))
    }
}

/// Between these, numbers are written without an exponent.
const SMALL: f64 = 1e-5;
const LARGE: f64 = (1_u128 << 64) as f64;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_items_by_their_value() {
        for (number, item) in [
            (3.0, "3"),
            (-0.0, "0"),
            (-2.5, "-2.5"),
            (0.1, "0.1"),
            (1_234_567_890_123_456_768.0, "1234567890123456768"),
            (1e300, "1e300"),
            (1.5e-7, "1.5e-7"),
        ] {
            assert_eq!(Item::Float(number).bytes().unwrap(), item.as_bytes());
        }
        assert_eq!(Item::Float(f64::NAN).bytes(), None);
        assert_eq!(Item::Integer(3).bytes(), Item::Float(3.0).bytes());
    }

    proptest! {
        #[test]
        fn a_text_has_the_items_that_it_was_made_of(
            found in prop::collection::vec("[ab\\\\n\n\r]{0,4}", 0..12)
        ) {
            let text = of(&found);
            let mut expected: Vec<&[u8]> = found.iter().map(String::as_bytes).collect();
            expected.sort_unstable();
            expected.dedup();
            let items: Vec<Cow<'_, [u8]>> = items(&text).collect();
            prop_assert_eq!(items.iter().map(|item| &**item).collect::<Vec<_>>(), expected);
        }
    }
}

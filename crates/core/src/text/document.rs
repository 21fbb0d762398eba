//! The text of a document, and the places in it that are one token each.
//!
//! A plain text is its bytes. The text of a web page has *atoms* as well: byte
//! ranges that are a token as they stand, whatever characters they hold, such
//! as the address of a picture. What stands between two atoms is a text of its
//! own.

use std::ops::Range;

/// A text, borrowed. Any bytes are one, without atoms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Text<'a> {
    bytes: &'a [u8],
    /// In order, none empty, none overlapping, all within the bytes.
    atoms: &'a [Range<usize>],
}

/// A text that owns its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextBuf {
    pub(super) bytes: Vec<u8>,
    /// As in [`Text`].
    pub(super) atoms: Vec<Range<usize>>,
}

impl<'a> Text<'a> {
    /// The bytes, atoms included.
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The ranges that are one token each, in order.
    pub fn atoms(self) -> &'a [Range<usize>] {
        self.atoms
    }

    /// Its beginning, of at most so many bytes. An atom that does not fit is left out whole.
    #[must_use]
    pub fn beginning(self, length: usize) -> Self {
        let count = self.atoms.partition_point(|atom| atom.end <= length);
        let (atoms, rest) = self.atoms.split_at(count);
        let end = rest.first().map_or(length, |atom| atom.start.min(length));
        Self { bytes: self.bytes.get(..end).unwrap_or(self.bytes), atoms }
    }

    /// A copy that owns its bytes.
    pub fn to_buf(self) -> TextBuf {
        TextBuf { bytes: self.bytes.to_vec(), atoms: self.atoms.to_vec() }
    }

    /// Calls `each` with every stretch between atoms and every atom, in order, empty stretches
    /// included. Ranges, since a part has to know where it stands.
    pub(super) fn for_each_part(self, mut each: impl FnMut(Part)) {
        let mut from = 0;
        for atom in self.atoms {
            each(Part::Stretch(from..atom.start));
            each(Part::Atom(atom.clone()));
            from = atom.end;
        }
        each(Part::Stretch(from..self.bytes.len()));
    }
}

/// A part of a text.
pub(super) enum Part {
    Stretch(Range<usize>),
    Atom(Range<usize>),
}

impl TextBuf {
    /// The text.
    pub fn as_text(&self) -> Text<'_> {
        Text { bytes: &self.bytes, atoms: &self.atoms }
    }
}

impl From<Vec<u8>> for TextBuf {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, atoms: Vec::new() }
    }
}

impl<'a> From<&'a [u8]> for Text<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self { bytes, atoms: &[] }
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Text<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Self::from(&bytes[..])
    }
}

impl<'a> From<&'a Vec<u8>> for Text<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        Self::from(&bytes[..])
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self::from(text.as_bytes())
    }
}

impl<'a> From<&'a TextBuf> for Text<'a> {
    fn from(text: &'a TextBuf) -> Self {
        text.as_text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_cuts_no_atom() {
        let text = TextBuf { bytes: b"a b.png c d.png e".to_vec(), atoms: vec![2..7, 10..15] };
        let text = text.as_text();
        for (length, bytes, atoms) in [
            (0, "", 0),
            (2, "a ", 0),
            (6, "a ", 0),
            (7, "a b.png", 1),
            (10, "a b.png c ", 1),
            (14, "a b.png c ", 1),
            (16, "a b.png c d.png ", 2),
            (99, "a b.png c d.png e", 2),
        ] {
            let beginning = text.beginning(length);
            assert_eq!(beginning.bytes(), bytes.as_bytes(), "{length}");
            assert_eq!(beginning.atoms(), &text.atoms()[..atoms], "{length}");
        }
    }
}

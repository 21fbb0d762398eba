//! The text of a document, and the places in it that are one token each.
//!
//! A plain text is its bytes. The text of a web page has *atoms* as well: byte
//! ranges that are a token as they stand, whatever characters they hold, such
//! as the address of a picture. What stands between two atoms is a text of its
//! own. And it may have *sections*: what the markup says of each part of it.

use std::ops::Range;

/// A text, borrowed. Any bytes are one, without atoms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Text<'a> {
    bytes: &'a [u8],
    /// In order, none empty, none overlapping, all within the bytes.
    atoms: &'a [Range<usize>],
    /// Where the bytes begin, as atoms count.
    offset: usize,
    /// In order; together they are the text. None if nothing is known of its parts.
    sections: &'a [Section],
}

/// A part of a page of which the markup says one thing. It begins where the one before ends, behind
/// white space, so that no word is in two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Where it ends, exclusive.
    pub end: usize,
    /// What the markup says of it.
    pub kind: SectionKind,
}

/// What the markup says of a section of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SectionKind {
    /// What it is by name.
    pub place: Place,
    /// In `main`.
    pub in_main: bool,
    /// In blocks that are nearly all links.
    pub is_links: bool,
}

/// What a section of a page is by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Nothing in particular.
    #[default]
    Body,
    /// The title.
    Title,
    /// A landmark beside the content: navigation, banner, search, footer and so on.
    Landmark,
    /// A button, a list to choose from, or a field to write in.
    Control,
    /// A dialog.
    Dialog,
    /// A block that is hidden from who has the page read out.
    Hidden,
}

impl SectionKind {
    /// As a number of five bits.
    pub fn to_bits(self) -> u8 {
        self.place as u8 | u8::from(self.in_main) << 3 | u8::from(self.is_links) << 4
    }

    /// Of such a number; bits above the five do not count.
    pub fn from_bits(bits: u8) -> Self {
        let place = match bits & 7 {
            1 => Place::Title,
            2 => Place::Landmark,
            3 => Place::Control,
            4 => Place::Dialog,
            5 => Place::Hidden,
            _ => Place::Body,
        };
        Self { place, in_main: bits & 8 != 0, is_links: bits & 16 != 0 }
    }
}

/// A text that owns its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextBuf {
    pub(super) bytes: Vec<u8>,
    /// As in [`Text`].
    pub(super) atoms: Vec<Range<usize>>,
    /// As in [`Text`].
    pub(super) sections: Vec<Section>,
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

    /// What the markup says of its parts, in order; nothing if it has none or was not asked for.
    pub fn sections(self) -> &'a [Section] {
        self.sections
    }

    /// Its beginning, of at most so many bytes. An atom that does not fit is left out whole.
    #[must_use]
    pub fn beginning(self, length: usize) -> Self {
        let count = self.atoms.partition_point(|atom| atom.end <= length);
        let (atoms, rest) = self.atoms.split_at(count);
        let end = rest.first().map_or(length, |atom| atom.start.min(length));
        let bytes = self.bytes.get(..end).unwrap_or(self.bytes);
        // The last of them may go on behind the end.
        let sections = self.sections.partition_point(|section| section.end < bytes.len());
        let sections = &self.sections[..self.sections.len().min(sections + 1)];
        Self { bytes, atoms, offset: 0, sections }
    }

    /// A copy that owns its bytes.
    pub fn to_buf(self) -> TextBuf {
        let (atoms, sections) = (self.atoms.to_vec(), self.sections.to_vec());
        TextBuf { bytes: self.bytes.to_vec(), atoms, sections }
    }

    /// Its sections, each as a text by itself; a text without any is one of no kind.
    pub(super) fn section_texts(self) -> impl Iterator<Item = (SectionKind, Self)> {
        let whole = Section { end: self.bytes.len(), kind: SectionKind::default() };
        let whole = self.sections.is_empty().then_some(whole);
        let (mut from, mut atoms) = (0, self.atoms);
        self.sections.iter().copied().chain(whole).map(move |section| {
            let end = section.end.min(self.bytes.len());
            let (inside, behind) = atoms.split_at(atoms.partition_point(|atom| atom.end <= end));
            let bytes = &self.bytes[from..end];
            let text = Self { bytes, atoms: inside, offset: from, sections: &[] };
            (from, atoms) = (end, behind);
            (section.kind, text)
        })
    }

    /// The ranges of the atoms in its bytes.
    pub(super) fn places_of_atoms(self) -> impl Iterator<Item = Range<usize>> {
        self.atoms.iter().map(move |atom| atom.start - self.offset..atom.end - self.offset)
    }

    /// Calls `each` with every stretch between atoms and every atom, in order, empty stretches
    /// included. Ranges, since a part has to know where it stands.
    pub(super) fn for_each_part(self, mut each: impl FnMut(Part)) {
        let mut from = 0;
        for atom in self.places_of_atoms() {
            each(Part::Stretch(from..atom.start));
            from = atom.end;
            each(Part::Atom(atom));
        }
        each(Part::Stretch(from..self.bytes.len()));
    }

    /// Calls `each` with the stretches between atoms and with the atoms, in order, each a text of its own. Together
    /// they have the tokens of the text.
    #[doc(hidden)]
    pub fn for_each_piece(self, mut each: impl FnMut(Self)) {
        let mut atoms = self.atoms.chunks(1);
        self.for_each_part(|part| {
            let (place, atoms) = match part {
                Part::Stretch(place) => (place, &[][..]),
                Part::Atom(place) => (place, atoms.next().unwrap_or_default()),
            };
            let offset = self.offset + place.start;
            each(Self { bytes: &self.bytes[place], atoms, offset, sections: &[] });
        });
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
        Text { bytes: &self.bytes, atoms: &self.atoms, offset: 0, sections: &self.sections }
    }
}

impl From<Vec<u8>> for TextBuf {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, ..Self::default() }
    }
}

impl<'a> From<&'a [u8]> for Text<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self { bytes, ..Self::default() }
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
    use crate::text::{Unit, spans};

    #[test]
    fn pieces_have_the_tokens_of_the_whole() {
        let (bytes, atoms) = (b"a b.png c/d.png e".to_vec(), vec![2..7, 8..15]);
        let text = TextBuf { bytes, atoms, ..TextBuf::default() };
        let tokens = |text: Text<'_>| -> Vec<_> {
            spans(Unit::Words, text).into_iter().map(|span| span.token).collect()
        };
        for text in [text.as_text(), text.as_text().beginning(12), Text::default()] {
            let (mut bytes, mut found) = (Vec::<u8>::new(), Vec::new());
            text.for_each_piece(|piece| {
                bytes.extend_from_slice(piece.bytes());
                found.extend(tokens(piece));
            });
            assert_eq!((&*bytes, found), (text.bytes(), tokens(text)));
        }
    }

    #[test]
    fn a_beginning_cuts_no_atom() {
        let (bytes, atoms) = (b"a b.png c d.png e".to_vec(), vec![2..7, 10..15]);
        let text = TextBuf { bytes, atoms, sections: Vec::new() };
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
    #[test]
    fn sections_are_texts_by_themselves() {
        let kind = |bits| SectionKind::from_bits(bits);
        let section = |end, bits| Section { end, kind: kind(bits) };
        let text = TextBuf {
            bytes: b"a b.png c d.png e".to_vec(),
            atoms: vec![2..7, 10..15],
            sections: vec![section(8, 1), section(10, 16), section(17, 0)],
        };
        let parts = |text: Text<'_>| {
            let mut parts = Vec::new();
            text.for_each_part(|part| {
                let (atom, place) = match part {
                    Part::Stretch(place) => (false, place),
                    Part::Atom(place) => (true, place),
                };
                parts.push((atom, String::from_utf8_lossy(&text.bytes()[place]).into_owned()));
            });
            parts.retain(|(_, text)| !text.trim().is_empty());
            parts
        };
        let of = |text: &TextBuf| -> Vec<_> {
            text.as_text().section_texts().map(|(kind, text)| (kind, parts(text))).collect()
        };
        let plain = |text: &str| (false, text.to_owned());
        let atom = |text: &str| (true, text.to_owned());
        let expected = [
            (kind(1), vec![plain("a "), atom("b.png")]),
            (kind(16), vec![plain("c ")]),
            (kind(0), vec![atom("d.png"), plain(" e")]),
        ];
        assert_eq!(of(&text), expected);
        let beginning = text.as_text().beginning(9).to_buf();
        assert_eq!(of(&beginning), [expected[0].clone(), (kind(16), vec![plain("c")])]);
        let whole = TextBuf { sections: Vec::new(), ..text };
        assert_eq!(of(&whole), [(kind(0), parts(whole.as_text()))]);
        assert!((0..32).all(|bits| bits & 7 > 5 || kind(bits).to_bits() == bits));
    }
}

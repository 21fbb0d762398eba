//! What the markup of a page says of its text: which of it is beside the content.
//!
//! # Definition
//!
//! 1. A *block* is an element that is not inline. A text belongs to the innermost
//!    block that is open. *Letters* are ASCII letters and digits, and all other
//!    characters but U+0080 to U+00BF and U+2000 to U+2FFF, signs and arrows. A block
//!    is *links* if more than 4/5 of the letters in it, and in the blocks in it,
//!    are within an `a` that has an `href`.
//! 2. A *landmark* is `nav`, `search`, or a block with the role `navigation`,
//!    `banner`, `contentinfo` or `search`; and, outside of `main` and `article`,
//!    also `aside`, `header`, `footer` and the role `complementary`. The role
//!    `note` says that an element is none. What is in a landmark belongs to it.
//! 3. *Controls* are `button`, `select`, `option`, `optgroup` and `textarea`.
//! 4. A *dialog* is `dialog` or a block with the role `dialog` or `alertdialog` or with
//!    `aria-modal="true"`.
//! 5. *Hidden* is what is in a block with `aria-hidden="true"` and in none of these, nor
//!    in `main` or `article`, whichever of the two is around the other: there hidden
//!    blocks are texts that unfold.
//! 6. `main` is the element or the role, and so is `article`. Of a role that is a
//!    list, the first word counts. On an inline element no attribute says anything.
//!
//! A link goes on up to its end tag, the next `a`, or the end of a cell, as in
//! browsers. Blocks end by their own end tag, that of a block around them, or
//! where a start tag implies it: paragraphs, items of lists, cells, rows and
//! options. An end tag that does not belong to a table ends nothing outside the
//! cell it stands in.
//!
//! # Cost
//!
//! A few counters for an open block, of which there are at most [`DEPTH`] (what
//! is nested deeper belongs to the last of them), a bit for one that has ended,
//! and 16 bytes for each text that is of another block than the one before.

use super::elements::Element;
use crate::text::document::{Place, Section, SectionKind};

/// Blocks that may be open: hardly any page has more than a hundred.
const DEPTH: usize = 256;

/// Texts, blocks and sections that there is room for between pages.
const KEPT: usize = 1 << 16;

/// What is known of a page so far.
#[derive(Default)]
pub(super) struct Structure {
    /// The open blocks; what is outside of all of them is in the first.
    open: Vec<Block>,
    /// Blocks that are open besides.
    deeper: usize,
    is_in_link: bool,
    /// Which of the blocks that have ended are links, by their numbers.
    links: Vec<bool>,
    /// The texts, in order.
    texts: Vec<BlockText>,
}

/// A block that is open.
#[derive(Clone, Copy)]
struct Block {
    element: Element,
    number: u32,
    context: Context,
    letters: u64,
    linked: u64,
}

/// Where a block stands.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Context {
    place: Place,
    in_main: bool,
    in_article: bool,
}

/// Consecutive text of one block.
struct BlockText {
    start: usize,
    block: u32,
    context: Context,
}

/// What a role says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Landmark,
    Complementary,
    Dialog,
    Main,
    Article,
    Note,
    Other,
}

/// What the attributes of a start tag say.
#[derive(Clone, Copy, Default)]
pub(super) struct Attributes<'a> {
    pub(super) has_href: bool,
    pub(super) role: Option<&'a [u8]>,
    /// `aria-modal="true"`.
    pub(super) is_modal: bool,
    /// `aria-hidden="true"`.
    pub(super) is_hidden: bool,
}

impl Role {
    fn of(role: &[u8]) -> Self {
        let first = role.trim_ascii_start().split(u8::is_ascii_whitespace).next();
        let first = first.unwrap_or_default().to_ascii_lowercase();
        match &*first {
            b"navigation" | b"banner" | b"contentinfo" | b"search" => Self::Landmark,
            b"complementary" => Self::Complementary,
            b"dialog" | b"alertdialog" => Self::Dialog,
            b"main" => Self::Main,
            b"article" => Self::Article,
            b"note" => Self::Note,
            _ => Self::Other,
        }
    }
}

impl Context {
    /// Of an element that stands in this one.
    fn of(self, element: Element, attributes: Attributes<'_>) -> Self {
        use Element::{
            Article, Aside, Button, Dialog, Footer, Header, Main, Nav, Optgroup, Search, Select,
        };
        let role = attributes.role.map_or(Role::Other, Role::of);
        let in_main = self.in_main || element == Main || role == Role::Main;
        let in_article = self.in_article || element == Article || role == Role::Article;
        let is_aside = matches!(element, Aside | Header | Footer) || role == Role::Complementary;
        let is_landmark = matches!(element, Nav | Search)
            || role == Role::Landmark
            || (is_aside && !in_main && !in_article);
        let is_hidden = attributes.is_hidden || self.place == Place::Hidden;
        let place = match element {
            _ if !matches!(self.place, Place::Body | Place::Hidden) => self.place,
            Element::Title => Place::Title,
            Button | Select | Element::Option | Optgroup | Element::Textarea => Place::Control,
            _ if is_landmark && role != Role::Note => Place::Landmark,
            _ if element == Dialog || role == Role::Dialog || attributes.is_modal => Place::Dialog,
            _ if is_hidden && !in_main && !in_article => Place::Hidden,
            _ => Place::Body,
        };
        Self { place, in_main, in_article }
    }
}

impl Structure {
    pub(super) fn begin(&mut self) {
        self.open.clear();
        self.deeper = 0;
        self.is_in_link = false;
        self.links.clear();
        self.links.shrink_to(KEPT);
        self.texts.clear();
        self.texts.shrink_to(KEPT);
        self.push(Element::Other, Context::default());
    }

    /// Takes the start tag of an element with content that is shown.
    pub(super) fn start(&mut self, element: Element, attributes: Attributes<'_>) {
        if element == Element::A {
            self.is_in_link = attributes.has_href;
        }
        if element.is_inline() {
            return;
        }
        self.end_implied(element);
        let context = self.open.last().map_or(Context::default(), |block| block.context);
        self.push(element, context.of(element, attributes));
    }

    fn push(&mut self, element: Element, context: Context) {
        let number = u32::try_from(self.links.len());
        match number {
            Ok(number) if self.open.len() < DEPTH => {
                self.links.push(false);
                self.open.push(Block { element, number, context, letters: 0, linked: 0 });
            }
            _ => self.deeper += 1,
        }
    }

    /// Takes the end tag of an element that is shown.
    pub(super) fn end(&mut self, element: Element) {
        if element == Element::A {
            self.is_in_link = false;
        }
        if element.is_inline() {
            return;
        }
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let in_table = element.is_table_part()
            || matches!(element, Element::Table | Element::Body | Element::Html);
        self.end_up_to(&[element], |open| !in_table && is_cell(open));
    }

    /// Ends what ends where this element starts.
    fn end_implied(&mut self, element: Element) {
        use Element::{
            Dd, Dir, Dl, Dt, Li, Menu, Ol, Optgroup, P, Select, Table, Tbody, Td, Tfoot,
        };
        use Element::{Th, Thead, Tr, Ul};
        if element.closes_p() && self.open.last().is_some_and(|block| block.element == P) {
            self.end_last();
        }
        match element {
            Li => self.end_up_to(&[Li], |open| {
                matches!(open, Ul | Ol | Menu | Dir | Table) || is_cell(open)
            }),
            Dd | Dt => {
                self.end_up_to(&[Dd, Dt], |open| matches!(open, Dl | Table) || is_cell(open));
            }
            Td | Th => self.end_up_to(&[Td, Th], |open| matches!(open, Tr | Table)),
            Tr => {
                self.end_up_to(&[Tr], |open| matches!(open, Table | Tbody | Thead | Tfoot));
            }
            Tbody | Thead | Tfoot => {
                self.end_up_to(&[Tbody, Thead, Tfoot], |open| open == Table);
            }
            Element::Option => self.end_up_to(&[Element::Option], |open| open == Select),
            Optgroup => {
                self.end_up_to(&[Optgroup, Element::Option], |open| open == Select);
            }
            _ => {}
        }
    }

    /// Ends the innermost of these elements and all blocks in it, unless something stands in between
    /// that keeps it open.
    fn end_up_to(&mut self, wanted: &[Element], keeps_open: impl Fn(Element) -> bool) {
        let inner = self.open.iter().skip(1).rev().map(|block| block.element);
        let mut inner = inner.enumerate();
        let found = inner.find(|(_, open)| wanted.contains(open) || keeps_open(*open));
        if let Some((depth, open)) = found
            && wanted.contains(&open)
        {
            for _ in 0..=depth {
                self.end_last();
            }
        }
    }

    fn end_last(&mut self) {
        let Some(ended) = self.open.pop() else { return };
        self.links[ended.number as usize] = 5 * ended.linked > 4 * ended.letters;
        if is_cell(ended.element) {
            self.is_in_link = false;
        }
        if let Some(around) = self.open.last_mut() {
            around.letters += ended.letters;
            around.linked += ended.linked;
        }
    }

    /// Takes text that is shown, which begins at this place.
    pub(super) fn text(&mut self, start: usize, text: &[u8]) {
        let Some(block) = self.open.last_mut() else { return };
        let letters = letters(text);
        // Signs may be words; white space is none.
        if letters == 0 && text.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        block.letters += letters;
        block.linked += if self.is_in_link { letters } else { 0 };
        if self.texts.last().is_none_or(|last| last.block != block.number) {
            self.texts.push(BlockText { start, block: block.number, context: block.context });
        }
    }

    /// Ends the page, whose text has this length.
    pub(super) fn finish(&mut self, length: usize, sections: &mut Vec<Section>) {
        sections.clear();
        sections.shrink_to(KEPT);
        while !self.open.is_empty() {
            self.end_last();
        }
        for (number, text) in self.texts.iter().enumerate() {
            let Context { place, in_main, .. } = text.context;
            let is_links = self.links[text.block as usize];
            let kind = SectionKind { place, in_main, is_links };
            let end = self.texts.get(number + 1).map_or(length, |next| next.start);
            match sections.last_mut() {
                Some(last) if last.kind == kind => last.end = end,
                _ => sections.push(Section { end, kind }),
            }
        }
        // Nothing is said of the page.
        if let [Section { kind, .. }] = sections[..]
            && kind == SectionKind::default()
        {
            sections.clear();
        }
    }
}

fn is_cell(element: Element) -> bool {
    matches!(element, Element::Td | Element::Th | Element::Caption)
}

/// How many letters there are, by the bytes that they begin with.
fn letters(text: &[u8]) -> u64 {
    // U+0080 to U+00BF begin with C2, and U+2000 to U+2FFF with E2. Without branches, and in sums that
    // fit into a byte, so that it is done for many at once.
    let is_letter = |byte: u8| {
        let is_ascii =
            u8::from(byte.is_ascii_digit()) | u8::from((byte | 0x20).is_ascii_lowercase());
        is_ascii | u8::from(byte >= 0xc3) & u8::from(byte != 0xe2)
    };
    let some = |bytes: &[u8]| bytes.iter().map(|&byte| is_letter(byte)).sum::<u8>();
    text.chunks(128).map(|bytes| u64::from(some(bytes))).sum()
}

//! From a web page to the text that a visitor sees.
//!
//! [`Extractor`] turns a page into a [`Text`]: its visible text with white space
//! where markup stood, and an atom for each picture. Words, lines and so on are
//! then made of it as of any other text, so that every token has a place that
//! can be shown to people. Henzinger, section 2: markup is replaced by white
//! space or, if it only formats, ignored; the address of an IMG is a term.
//!
//! # Definition
//!
//! The page is taken apart by the tokenizer of the HTML standard, with the
//! parser's changes of state. Then:
//!
//! 1. *Text* is what is between tags, entities decoded as browsers do, also
//!    those without a semicolon. Line ends are line feeds, and NUL is left out
//!    (in SVG and MathML it separates).
//! 2. *Formatting vanishes.* Tags that do not break a word on the screen leave
//!    nothing: `a abbr acronym b bdi bdo big blink cite code data del dfn em font
//!    i ins kbd label map mark nobr output picture ruby s samp small span strike
//!    strong sub sup time tspan tt u var wbr`, as `<b>w</b>ord` is one word; so do
//!    comments and what is invisible by nature: `area base basefont bgsound col
//!    link meta param source track`, the doctype and processing instructions.
//! 3. *All other tags are white space*: a line feed for what begins a line of its
//!    own (paragraphs, headings, `br`, rows of tables, items of lists, `title`,
//!    `option` and so on), a space for the rest (cells, buttons, `q`, which a
//!    browser shows with quotation marks, and every name that is not known).
//!    None is written where the text has one already, or at its beginning.
//! 4. *Unseen content is left out*, and its tags leave nothing:
//!    `script`, `style`, `template`, `noscript` (browsers run scripts), `iframe`,
//!    `noembed`, `noframes`; `audio`, `video`, `canvas`, `meter` and `progress`,
//!    which hold words for browsers that do not know them; `datalist`, `rp`; a
//!    `dialog` that is not open; of SVG `title`, `desc`, `metadata`, `defs`,
//!    `symbol`, of MathML `annotation` and `annotation-xml`; elements with the
//!    attribute `hidden`, or with `display: none` in their attribute `style`,
//!    which decides if both are there (the last `display` of the first 4 KiB).
//!    Hidden elements end where a browser would end them, by the rules at the
//!    top of `hidden.rs`.
//! 5. *Seen content stays*: `title` (visitors see it on the tab), `textarea`,
//!    `option`, `xmp`, `plaintext`, closed `details` (a click opens them), and
//!    what has `aria-hidden`. Style sheets and scripts are not looked at.
//! 6. *Attributes are no text*, `alt` included, with one exception: the `src` of
//!    an `img` that is not hidden is an atom, a token by itself, between spaces.
//!    What it is is said at the top of `image.rs`: the whole address if it leads
//!    to another host, and the file name if it leads to the page's own.
//! 7. *CDATA* is text within SVG and MathML, and a comment elsewhere.
//!
//! Besides, what the markup says of each part of the text is kept: `structure.rs`.
//!
//! # Cost
//!
//! One pass, linear in the page. Memory: the text, at most six times the page and
//! nearly always a part of it, one attribute value, and a few counters, whatever
//! the nesting; open `svg` elements take a byte each. The stack is the same for
//! every page.

mod elements;
mod foreign;
mod hidden;
mod image;
mod reader;
mod structure;

use std::convert::Infallible;

use elements::Element;
use foreign::Foreign;
use hidden::OpenElements;
use html5gum::{Emitter, State};
use image::{Form, Location};
use structure::{Attributes, Structure};

use super::document::{Text, TextBuf};

/// The longest name of an element or attribute that means something here, and one more.
const NAME_BYTES: usize = 16;

/// How much of an attribute `style` is looked at.
const STYLE_BYTES: usize = 4 << 10;

/// How much of a role, a language or a yes or no: more than any has.
const WORD_BYTES: usize = 64;

/// What buffers keep of their room between pages: more than nearly any page needs.
const KEPT_BYTES: usize = 1 << 20;

/// Makes texts of pages, one after another. It keeps its buffers.
#[derive(Default)]
pub struct Extractor {
    page: Page,
}

impl Extractor {
    /// An extractor.
    pub fn new() -> Self {
        Self::default()
    }

    /// The text of a page. It should be UTF-8; other bytes separate words, as in any text. The
    /// URL tells which pictures are the page's own.
    ///
    /// ```
    /// use lookalike_core::text::html::Extractor;
    ///
    /// let mut extractor = Extractor::new();
    /// let page = b"<p>A <b>r</b>ose &amp; <img src='/img/a.png'>more<script>no()</script>";
    /// let text = extractor.extract(page, None);
    /// assert_eq!(text.bytes(), b"A rose & a.png more");
    /// assert_eq!(text.atoms(), [9..14]);
    /// ```
    ///
    /// It comes with what the markup says of its parts:
    ///
    /// ```
    /// use lookalike_core::text::Place;
    /// use lookalike_core::text::html::Extractor;
    ///
    /// let mut extractor = Extractor::new();
    /// let sections = extractor.extract(b"<nav>Menu</nav><p>Content", None).sections();
    /// assert_eq!((sections[0].kind.place, sections[0].end), (Place::Landmark, 5));
    /// assert_eq!((sections[1].kind.place, sections[1].end), (Place::Body, 12));
    /// ```
    pub fn extract(&mut self, page: &[u8], url: Option<&str>) -> Text<'_> {
        self.page.begin(page.len(), url);
        reader::tokenize(page, &mut self.page);
        let Page { text, structure, .. } = &mut self.page;
        structure.finish(text.bytes.len(), &mut text.sections);
        self.page.text.as_text()
    }

    /// The language that the last page says it is in, with all its letters small; empty if it says
    /// none.
    pub fn language(&self) -> &[u8] {
        &self.page.language
    }
}

/// The page being read.
#[derive(Default)]
struct Page {
    text: TextBuf,
    /// Of the page.
    length: usize,
    tag: Tag,
    location: Location,
    hidden: OpenElements,
    foreign: Foreign,
    structure: Structure,
    /// Of the element `html`.
    language: Vec<u8>,
    /// The element whose content is text up to its end tag, and whether that is shown.
    raw: Option<(Element, bool)>,
}

/// The tag being read.
#[derive(Default)]
struct Tag {
    is_end: bool,
    is_self_closing: bool,
    name: Name,
    element: Option<Element>,
    attribute: Name,
    /// What the attribute is, once its name is complete.
    wanted: Option<AttributeUse>,
    src: Value,
    href: Value,
    style: Value,
    hidden: Value,
    open: Value,
    role: Value,
    aria_hidden: Value,
    aria_modal: Value,
    language: Value,
}

/// A name, as far as it can be one that means something.
#[derive(Default)]
struct Name {
    bytes: [u8; NAME_BYTES],
    length: usize,
}

/// The value of an attribute; only the first of a name counts.
#[derive(Default)]
struct Value {
    bytes: Vec<u8>,
    is_given: bool,
}

/// An attribute whose value means something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AttributeUse {
    Src,
    Href,
    Style,
    Role,
    AriaHidden,
    AriaModal,
    Language,
    /// Its value does not, or it was there before.
    Nothing,
}

impl Name {
    fn clear(&mut self) {
        self.length = 0;
    }

    fn push(&mut self, piece: &[u8]) {
        let room = &mut self.bytes[self.length..];
        let length = piece.len().min(room.len());
        room[..length].copy_from_slice(&piece[..length]);
        self.length += length;
    }

    fn get(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Value {
    fn clear(&mut self) {
        self.bytes.clear();
        self.is_given = false;
    }

    /// The value as text.
    fn get(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}

impl Tag {
    fn begin(&mut self, is_end: bool) {
        self.is_end = is_end;
        self.is_self_closing = false;
        self.name.clear();
        self.element = None;
        self.attribute.clear();
        self.wanted = None;
        self.src.clear();
        self.href.clear();
        self.style.clear();
        self.hidden.clear();
        self.open.clear();
        self.role.clear();
        self.aria_hidden.clear();
        self.aria_modal.clear();
        self.language.clear();
    }

    fn element(&mut self) -> Element {
        *self.element.get_or_insert_with(|| Element::of(self.name.get()))
    }

    /// What the attribute is whose name is complete; notes that it is there.
    fn wanted(&mut self) -> AttributeUse {
        if let Some(wanted) = self.wanted {
            return wanted;
        }
        let element = self.element();
        let first = |value: &mut Value, wanted| {
            if std::mem::replace(&mut value.is_given, true) {
                AttributeUse::Nothing
            } else {
                wanted
            }
        };
        let wanted = match (self.attribute.get(), element) {
            (b"src", Element::Img | Element::Image) => first(&mut self.src, AttributeUse::Src),
            (b"href", Element::Base) => first(&mut self.href, AttributeUse::Href),
            // Where a link leads does not matter.
            (b"href", Element::A) => first(&mut self.href, AttributeUse::Nothing),
            (b"role", _) => first(&mut self.role, AttributeUse::Role),
            (b"aria-hidden", _) => first(&mut self.aria_hidden, AttributeUse::AriaHidden),
            (b"aria-modal", _) => first(&mut self.aria_modal, AttributeUse::AriaModal),
            (b"lang" | b"xml:lang", Element::Html) => {
                first(&mut self.language, AttributeUse::Language)
            }
            (b"style", _) => first(&mut self.style, AttributeUse::Style),
            (b"hidden", _) => first(&mut self.hidden, AttributeUse::Nothing),
            (b"open", Element::Dialog) => first(&mut self.open, AttributeUse::Nothing),
            _ => AttributeUse::Nothing,
        };
        self.wanted = Some(wanted);
        wanted
    }

    fn end_attribute(&mut self) {
        if self.attribute.length > 0 {
            self.wanted();
            self.attribute.clear();
        }
        self.wanted = None;
    }

    fn push_value(&mut self, piece: &[u8]) {
        let (value, most) = match self.wanted() {
            AttributeUse::Src => (&mut self.src.bytes, usize::MAX),
            AttributeUse::Href => (&mut self.href.bytes, usize::MAX),
            AttributeUse::Style => (&mut self.style.bytes, STYLE_BYTES),
            AttributeUse::Role => (&mut self.role.bytes, WORD_BYTES),
            AttributeUse::AriaHidden => (&mut self.aria_hidden.bytes, WORD_BYTES),
            AttributeUse::AriaModal => (&mut self.aria_modal.bytes, WORD_BYTES),
            AttributeUse::Language => (&mut self.language.bytes, WORD_BYTES),
            AttributeUse::Nothing => return,
        };
        let room = most.saturating_sub(value.len());
        value.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    /// What is said of what the element holds.
    fn attributes(&self) -> Attributes<'_> {
        let is_true = |value: &Value| value.bytes.eq_ignore_ascii_case(b"true");
        Attributes {
            has_href: self.href.is_given,
            role: self.role.is_given.then_some(&*self.role.bytes),
            is_modal: is_true(&self.aria_modal),
            is_hidden: is_true(&self.aria_hidden),
        }
    }

    /// Whether attributes hide the element.
    fn is_hidden(&self) -> bool {
        if !self.style.is_given {
            return self.hidden.is_given;
        }
        display(&self.style.bytes)
            .map_or(self.hidden.is_given, |value| value.eq_ignore_ascii_case(b"none"))
    }
}

/// The value of the property `display` in a list of declarations: of the last one, or the last
/// important one.
fn display(style: &[u8]) -> Option<&[u8]> {
    let mut found: Option<(bool, &[u8])> = None;
    for declaration in style.split(|&byte| byte == b';') {
        let Some(colon) = declaration.iter().position(|&byte| byte == b':') else { continue };
        let (name, value) = (declaration[..colon].trim_ascii(), &declaration[colon + 1..]);
        if !name.eq_ignore_ascii_case(b"display") {
            continue;
        }
        let mut parts = value.splitn(2, |&byte| byte == b'!');
        let value = parts.next().unwrap_or_default().trim_ascii();
        let important = parts.next().is_some();
        if important || found.is_none_or(|(important, _)| !important) {
            found = Some((important, value));
        }
    }
    found.map(|(_, value)| value)
}

impl Page {
    fn begin(&mut self, length: usize, url: Option<&str>) {
        self.length = length;
        self.text.bytes.clear();
        self.text.bytes.shrink_to(KEPT_BYTES);
        if length > KEPT_BYTES {
            // All of it may be text. What is not written to takes no memory; to grow step by step
            // would take three times the text.
            self.text.bytes.reserve_exact(length);
        }
        self.text.atoms.clear();
        self.text.atoms.shrink_to(KEPT_BYTES / 16);
        for value in [&mut self.tag.src, &mut self.tag.href] {
            value.bytes.clear();
            value.bytes.shrink_to(KEPT_BYTES);
        }
        self.tag.begin(true);
        self.location = Location::new(url);
        self.hidden = OpenElements::default();
        self.foreign.clear();
        self.structure.begin();
        self.language.clear();
        self.raw = None;
    }

    fn is_shown(&self) -> bool {
        !self.hidden.is_open() && self.raw.is_none_or(|(_, shown)| shown)
    }

    /// White space for a tag.
    fn separate(&mut self, element: Element) {
        if element.is_inline() || !self.is_shown() {
            return;
        }
        let Some(&last) = self.text.bytes.last() else { return };
        if element.is_line() {
            if last != b'\n' {
                self.text.bytes.push(b'\n');
            }
        } else if !last.is_ascii_whitespace() {
            self.text.bytes.push(b' ');
        }
    }

    fn start_tag(&mut self) -> Option<State> {
        self.tag.end_attribute();
        let mut element = self.tag.element();
        self.foreign.leave_for(element);
        self.hidden.at_depth(self.foreign.depth());
        self.hidden.before_start(element);
        let foreign = self.foreign.is_inside();
        if element == Element::Image && !foreign {
            // Browsers take it for a slip of the pen.
            element = Element::Img;
        }
        if element == Element::Base && !foreign && self.tag.href.is_given {
            self.location.set_base(&self.tag.href.get());
        }
        let is_hidden = self.tag.is_hidden();
        if element.is_void() && !foreign {
            if !is_hidden {
                self.separate(element);
                self.picture(element);
            }
            return None;
        }
        if foreign && self.tag.is_self_closing {
            self.separate(element);
            return None;
        }
        let is_unseen = match element {
            Element::Dialog => !self.tag.open.is_given,
            _ if foreign => element.is_unseen_in_foreign(),
            _ => element.is_unseen(),
        };
        let is_unseen = is_unseen || is_hidden;
        if !is_unseen {
            self.separate(element);
            if self.is_shown() {
                self.structure.start(element, self.tag.attributes());
            }
        }
        if element == Element::Html && self.language.is_empty() {
            self.language.extend(self.tag.language.bytes.iter().map(u8::to_ascii_lowercase));
        }
        if element.is_raw() && !foreign {
            self.raw = Some((element, !is_unseen));
            return Some(raw_state(element));
        }
        self.foreign.start(element);
        self.hidden.open(element, is_unseen, self.foreign.depth());
        None
    }

    fn picture(&mut self, element: Element) {
        if element != Element::Img || !self.tag.src.is_given || !self.is_shown() {
            return;
        }
        let form = if self.text.bytes.len() > self.length { Form::Short } else { Form::Whole };
        let Some(picture) = self.location.picture(&self.tag.src.get(), form) else { return };
        let text = &mut self.text;
        let start = text.bytes.len();
        self.structure.text(start, picture.as_bytes());
        text.bytes.extend_from_slice(picture.as_bytes());
        text.atoms.push(start..text.bytes.len());
        text.bytes.push(b' ');
    }

    fn end_tag(&mut self) {
        let element = self.tag.element();
        if self.raw.is_some() {
            // Nothing but its own end tag comes through.
            self.separate(element);
            if self.is_shown() {
                self.structure.end(element);
            }
            self.raw = None;
            return;
        }
        let is_outside = self.hidden.end(element);
        self.foreign.end(element);
        self.hidden.at_depth(self.foreign.depth());
        if is_outside {
            self.separate(element);
            if self.is_shown() {
                self.structure.end(element);
            }
        }
    }
}

/// How the content of an element that is raw is read.
fn raw_state(element: Element) -> State {
    match element {
        Element::Title | Element::Textarea => State::RcData,
        Element::Script => State::ScriptData,
        Element::Plaintext => State::PlainText,
        _ => State::RawText,
    }
}

impl Emitter for &mut Page {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, _: Option<&[u8]>) {}

    fn emit_eof(&mut self) {}

    fn emit_error(&mut self, _: html5gum::Error) {}

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    fn emit_string(&mut self, text: &[u8]) {
        if !self.is_shown() {
            return;
        }
        // It comes alone; elsewhere the tokenizer has replaced it.
        if text == b"\0" {
            if self.foreign.is_inside() {
                self.text.bytes.extend_from_slice("\u{fffd}".as_bytes());
            }
            return;
        }
        self.structure.text(self.text.bytes.len(), text);
        self.text.bytes.extend_from_slice(text);
    }

    fn init_start_tag(&mut self) {
        self.tag.begin(false);
    }

    fn init_end_tag(&mut self) {
        self.tag.begin(true);
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        if self.tag.is_end {
            self.end_tag();
            None
        } else {
            self.start_tag()
        }
    }

    fn set_self_closing(&mut self) {
        self.tag.is_self_closing = true;
    }

    fn push_tag_name(&mut self, piece: &[u8]) {
        self.tag.name.push(piece);
    }

    fn init_attribute(&mut self) {
        if !self.tag.is_end {
            self.tag.end_attribute();
        }
    }

    fn push_attribute_name(&mut self, piece: &[u8]) {
        if !self.tag.is_end {
            self.tag.attribute.push(piece);
        }
    }

    fn push_attribute_value(&mut self, piece: &[u8]) {
        if !self.tag.is_end {
            self.tag.push_value(piece);
        }
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        // Asked while the name may still go on: what it is so far is not kept.
        self.tag.is_end && self.raw.is_some_and(|(raw, _)| Element::of(self.tag.name.get()) == raw)
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.foreign.is_inside()
    }

    fn init_comment(&mut self) {}

    fn emit_current_comment(&mut self) {}

    fn push_comment(&mut self, _: &[u8]) {}

    fn init_doctype(&mut self) {}

    fn emit_current_doctype(&mut self) {}

    fn set_force_quirks(&mut self) {}

    fn push_doctype_name(&mut self, _: &[u8]) {}

    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}
}

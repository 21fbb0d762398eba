//! Documents as they come, and as they are stored.

use std::borrow::Cow;
use std::path::Path;

use lookalike_core::recipe::SketchParameters;
use lookalike_core::sketch::BitSketch;
use lookalike_core::text::items;
use lookalike_core::{Layout, Recipe, Signature};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::error::{Error, ErrorKind, Result};
use lookalike_files::{pull_number, pull_signed, push_number, push_signed};

/// The longest id: longer than any path, and than URLs that servers accept.
pub const MAX_ID_BYTES: usize = 64 << 10;
/// The longest URL.
pub const MAX_URL_BYTES: usize = 64 << 10;
/// The longest content, before compression.
pub const MAX_CONTENT_BYTES: usize = 256 << 20;

/// A document, as it is added or asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document<'a> {
    /// Names it. Not looked at when it is only asked about.
    pub id: Cow<'a, str>,
    /// Where it comes from: tells sites apart where the recipe asks for them, and a page's own
    /// pictures from others.
    pub url: Option<Cow<'a, str>>,
    /// When it was seen, in seconds since 1970, by the caller's clock; 0 if that is not known.
    pub time: u64,
    /// What it came with, for [`Counts::sources`](crate::Counts::sources): a crawl, a vendor. The
    /// site of its URL if it has none.
    pub source: Option<Cow<'a, str>>,
    /// Its date, in seconds since 1970, for [`Counts::first`](crate::Counts::first). When it was seen if
    /// it has none.
    pub date: Option<i64>,
    /// What it says.
    pub content: Content<'a>,
}

/// What a document says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// A text. Bytes that are not UTF-8 separate words.
    Text(Cow<'a, [u8]>),
    /// A web page in UTF-8, of which the text is taken that a visitor sees.
    Html(Cow<'a, [u8]>),
    /// A set of items, as [`text::items::of`](lookalike_core::text::items::of) writes it: for indexes whose
    /// recipe is of sets, which take nothing else but signatures.
    Items(Cow<'a, [u8]>),
    /// Only a signature, made elsewhere by the recipe of the index: nothing can be verified
    /// exactly with it, and matches say so.
    Signed {
        /// The signature.
        signature: Cow<'a, Signature>,
        /// The length of what was signed, in bytes.
        bytes: u64,
    },
}

impl<'a> Document<'a> {
    /// A text.
    pub fn text(id: impl Into<Cow<'a, str>>, text: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self::new(id, Content::Text(Cow::Borrowed(text.as_ref())))
    }

    /// A web page.
    pub fn html(id: impl Into<Cow<'a, str>>, page: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self::new(id, Content::Html(Cow::Borrowed(page.as_ref())))
    }

    /// A set of items, each as it stands: in any order, and as often as may be.
    pub fn items<I>(id: impl Into<Cow<'a, str>>, set: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<[u8]>,
    {
        Self::new(id, Content::Items(Cow::Owned(items::of(set))))
    }

    /// A document of which only the signature is known.
    pub fn signed(id: impl Into<Cow<'a, str>>, signature: &'a Signature, bytes: u64) -> Self {
        Self::new(id, Content::Signed { signature: Cow::Borrowed(signature), bytes })
    }

    /// Any content, without a URL and a time.
    pub fn new(id: impl Into<Cow<'a, str>>, content: Content<'a>) -> Self {
        Self { id: id.into(), url: None, time: 0, source: None, date: None, content }
    }

    /// With this URL.
    #[must_use]
    pub fn with_url(mut self, url: impl Into<Cow<'a, str>>) -> Self {
        self.url = Some(url.into());
        self
    }

    /// Seen at this time.
    #[must_use]
    pub fn with_time(mut self, time: u64) -> Self {
        self.time = time;
        self
    }

    /// Of this source, for what is counted.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Cow<'a, str>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Of this date, for what is counted.
    #[must_use]
    pub fn with_date(mut self, date: i64) -> Self {
        self.date = Some(date);
        self
    }

    /// Fails for what is too long for an index, and for a text where the recipe is of sets, or a set where it
    /// is of texts.
    pub(crate) fn check(&self, recipe: &Recipe) -> Result<()> {
        let id = || self.id.chars().take(64).collect::<String>();
        // What is only asked about may have no id.
        let named = || match &*self.id {
            "" => "the document".to_owned(),
            _ => format!("document `{}`", id()),
        };
        match (&self.content, recipe.is_of_sets()) {
            (Content::Items(_), false) => return Err(Error::from(ErrorKind::NotOfSets(named()))),
            (Content::Text(_) | Content::Html(_), true) => {
                return Err(Error::from(ErrorKind::OfSets(named())));
            }
            _ => {}
        }
        let content = self.content.len();
        let [url, source] =
            [&self.url, &self.source].map(|field| field.as_deref().map_or(0, str::len));
        let fields = [
            ("id", self.id.len(), MAX_ID_BYTES),
            ("URL", url, MAX_URL_BYTES),
            ("source", source, MAX_URL_BYTES),
            ("content", content, MAX_CONTENT_BYTES),
        ];
        match fields.into_iter().find(|&(_, bytes, limit)| bytes > limit) {
            None => Ok(()),
            Some((field, bytes, limit)) => {
                Err(Error::from(ErrorKind::TooLong { field, id: id(), bytes, limit }))
            }
        }
    }
}

impl Content<'_> {
    /// The bytes of what is said; none of a signature.
    pub fn len(&self) -> usize {
        match self {
            Self::Text(bytes) | Self::Html(bytes) | Self::Items(bytes) => bytes.len(),
            Self::Signed { .. } => 0,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What is stored of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Stored))]
#[serde(rename_all = "lowercase")]
pub enum ContentKind {
    /// A text.
    Text,
    /// A web page.
    Html,
    /// A set of items.
    Items,
}

impl ContentKind {
    /// Its name in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Html => "html",
            Self::Items => "items",
        }
    }
}

/// A document of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// Its number: ascending in the order of adding, never used again.
    pub number: u64,
    /// Its id.
    pub id: String,
    /// Its URL, if it has one.
    pub url: Option<String>,
    /// Its length in bytes.
    pub bytes: u64,
    /// The time it was given, in seconds since 1970; 0 if none was.
    pub time: u64,
    /// What is stored of its content, if anything is.
    pub stored: Option<ContentKind>,
    /// Its signature. If the index has seen its content, its identity under the key of the index
    /// stands in the place of the public fingerprint. The sketch is there if the recipe keeps it; in an index without contents,
    /// as a bit of each minvalue ([`BitSketch`](lookalike_core::sketch::BitSketch)).
    pub signature: Signature,
    /// Its own number, or that of the first of those in whose place it stands with the same words: what
    /// is counted goes by it.
    pub(crate) line: u64,
    /// Its source, if it came with one.
    pub(crate) source: Option<u64>,
    /// Its date, if it came with one.
    pub(crate) date: Option<i64>,
}

const HTML: u8 = 1;
const STORED: u8 = 2;
const HAS_URL: u8 = 4;
const HAS_BITS: u8 = 8;
const HAS_IDENTITY: u8 = 16;
/// Something follows that is for counting, which these tell.
const HAS_MORE: u8 = 32;
const HAS_LINE: u8 = 1;
const HAS_SOURCE: u8 = 2;
const HAS_DATE: u8 = 4;

/// How the signatures of an index are stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignatureLayout {
    as_in_files: Layout,
    /// Minvalues of which a bit is kept.
    bit_slots: Option<usize>,
    /// What is stored of a document that is no page.
    plain: ContentKind,
}

impl SignatureLayout {
    /// Without contents a bit of each minvalue is kept, which takes little and estimates the
    /// resemblance.
    pub(crate) fn new(recipe: &Recipe, store_text: bool) -> Self {
        let bit_slots = match recipe.sketch {
            // A single minvalue would look like the word of its bit.
            SketchParameters::Minwise { permutations }
                if permutations > 1 && !recipe.keep_sketch && !store_text =>
            {
                Some(permutations)
            }
            _ => None,
        };
        let plain = if recipe.is_of_sets() { ContentKind::Items } else { ContentKind::Text };
        Self { as_in_files: Layout::of(recipe), bit_slots, plain }
    }

    pub(crate) fn bit_slots(self) -> Option<usize> {
        self.bit_slots
    }

    /// How many words a sketch may have; `None` if that is not known.
    pub(crate) fn sketch_words(self, recipe: &Recipe) -> Option<[usize; 3]> {
        match (recipe.sketch, self.bit_slots) {
            (_, Some(slots)) => Some([slots, BitSketch::words_of(slots), 0]),
            (SketchParameters::Minwise { permutations }, None) if recipe.keep_sketch => {
                Some([permutations; 3])
            }
            (SketchParameters::Lists { lists, repeats, .. }, None) => Some([lists * repeats; 3]),
            _ => None,
        }
    }

    /// Whether what identity sets go by is kept.
    pub(crate) fn keeps_exact(self) -> bool {
        self.as_in_files.keeps_exact()
    }

    /// Leaves of a signature what is kept.
    pub(crate) fn reduce(self, signature: &mut Signature) {
        self.as_in_files.reduce(signature);
        if self.bit_slots == Some(signature.sketch.len()) {
            signature.sketch = BitSketch::of_minima(&signature.sketch).into_words();
        }
    }

    fn bits_of(self, signature: &Signature) -> Option<impl Iterator<Item = u8>> {
        let slots = self.bit_slots.filter(|_| !signature.sketch.is_empty())?;
        let bytes = signature.sketch.iter().flat_map(|word| word.to_le_bytes());
        Some(bytes.take(slots.div_ceil(8)))
    }

    /// Takes the bits from the end of the bytes.
    fn pull_bits(self, bytes: &mut &[u8]) -> Option<Vec<u64>> {
        let before = bytes.len().checked_sub(self.bit_slots?.div_ceil(8))?;
        let (rest, bits) = bytes.split_at(before);
        *bytes = rest;
        let word = |bytes: &[u8]| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        };
        Some(bits.chunks(8).map(word).collect())
    }
}

/// Bytes of a checksum.
const CHECKSUM: usize = 4;

/// The checksum of a record or content: of its bytes, and of the number it stands under.
pub(crate) fn checksum(number: u64, bytes: &[u8]) -> [u8; CHECKSUM] {
    (xxh3_64_with_seed(bytes, number) as u32).to_le_bytes()
}

/// The body of what was stored with its checksum; `None` if it does not fit.
pub(crate) fn checked(number: u64, bytes: &[u8]) -> Option<&[u8]> {
    let (body, found) = bytes.split_last_chunk::<CHECKSUM>()?;
    (checksum(number, body) == *found).then_some(body)
}

impl Record {
    /// Signature, flags, length, time, length of the id, what is for counting, id, URL, bits, checksum.
    /// What repeats from one record to the next stands together, for the compression of blocks.
    pub(crate) fn encode(&self, layout: SignatureLayout) -> Vec<u8> {
        let url = self.url.as_deref();
        let mut out = Vec::with_capacity(layout.as_in_files.bytes() + self.id.len() + 36);
        layout.as_in_files.encode(&self.signature, &mut out);
        let bits = layout.bits_of(&self.signature);
        let html = if self.stored == Some(ContentKind::Html) { HTML } else { 0 };
        let stored = if self.stored.is_some() { STORED } else { 0 };
        let has_url = if url.is_some() { HAS_URL } else { 0 };
        let has_bits = if bits.is_some() { HAS_BITS } else { 0 };
        let has_identity = if self.signature.identity.is_some() { HAS_IDENTITY } else { 0 };
        let more = self.more();
        let has_more = if more == 0 { 0 } else { HAS_MORE };
        out.push(html | stored | has_url | has_bits | has_identity | has_more);
        for number in [self.bytes, self.time, self.id.len() as u64] {
            push_number(number, &mut out);
        }
        if more != 0 {
            out.push(more);
        }
        if more & HAS_LINE != 0 {
            push_number(self.line, &mut out);
        }
        out.extend(self.source.into_iter().flat_map(u64::to_le_bytes));
        if let Some(date) = self.date {
            push_signed(date, &mut out);
        }
        out.extend(self.id.as_bytes());
        out.extend(url.unwrap_or_default().as_bytes());
        out.extend(bits.into_iter().flatten());
        out.extend(checksum(self.number, &out));
        out
    }

    /// What there is for counting.
    fn more(&self) -> u8 {
        let line = if self.line == self.number { 0 } else { HAS_LINE };
        let source = if self.source.is_some() { HAS_SOURCE } else { 0 };
        let date = if self.date.is_some() { HAS_DATE } else { 0 };
        line | source | date
    }

    /// Reads a record; `store` is for the message.
    pub(crate) fn decode(
        layout: SignatureLayout,
        number: u64,
        bytes: &[u8],
        store: &Path,
    ) -> Result<Self> {
        Self::try_decode(layout, number, bytes).ok_or_else(|| {
            Error::corruption(store, format!("documents: record {number} has a wrong checksum"))
        })
    }

    fn try_decode(layout: SignatureLayout, number: u64, bytes: &[u8]) -> Option<Self> {
        let body = checked(number, bytes)?;
        let (signature, rest) = body.split_at_checked(layout.as_in_files.bytes())?;
        let mut signature = layout.as_in_files.decode(signature)?;
        let (&flags, mut rest) = rest.split_first()?;
        let [bytes, time, length] = [(); 3].map(|()| pull_number(&mut rest));
        let (mut line, mut source, mut date) = (number, None, None);
        if flags & HAS_MORE != 0 {
            let more;
            (more, rest) = rest.split_first().map(|(&more, rest)| (more, rest))?;
            if more & HAS_LINE != 0 {
                line = pull_number(&mut rest)?;
            }
            if more & HAS_SOURCE != 0 {
                let (word, after) = rest.split_first_chunk()?;
                (source, rest) = (Some(u64::from_le_bytes(*word)), after);
            }
            if more & HAS_DATE != 0 {
                date = Some(pull_signed(&mut rest)?);
            }
        }
        signature.identity = (flags & HAS_IDENTITY != 0).then_some(signature.exact);
        if flags & HAS_BITS != 0 {
            signature.sketch = layout.pull_bits(&mut rest)?;
        }
        let (id, url) = rest.split_at_checked(usize::try_from(length?).ok()?)?;
        let text = |bytes: &[u8]| Some(std::str::from_utf8(bytes).ok()?.to_owned());
        let kind = if flags & HTML == 0 { layout.plain } else { ContentKind::Html };
        Some(Self {
            number,
            id: text(id)?,
            url: if flags & HAS_URL == 0 { None } else { Some(text(url)?) },
            bytes: bytes?,
            time: time?,
            stored: (flags & STORED != 0).then_some(kind),
            signature,
            line,
            source,
            date,
        })
    }
}

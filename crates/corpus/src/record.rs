//! A record and what can be asked of it.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Fault, Place, Result};
use crate::format::Format;

/// The names of the fields that documents are made of.
///
/// Dots reach into nested objects and struct columns: `meta.url` is the field `url` of the field
/// `meta`. A field of the outermost level whose own name has the dots comes first. Brackets reach into
/// the elements of a list: `messages[].content` is the field `content` of every element of the field
/// `messages`, as one text with a line for each.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fields {
    /// The text: a string.
    pub text: String,
    /// The web page, for records without text: a string.
    pub html: String,
    /// If documents are sets and not texts, the set: a list of strings, numbers and truth values. Those that
    /// are in lists below it count as well, by a path with brackets; null counts as nothing.
    pub set: Option<String>,
    /// The id: a string or a number, as it is spelt. In Parquet also bytes: 16 of a fixed size as
    /// a UUID, others as hexadecimal digits unless they are UTF-8. Records without it are called
    /// `path#record`.
    pub id: String,
    /// The address: a string. Anything else counts as none.
    pub url: String,
    /// What else [`Record::field`] will be asked for. Parquet files hold nothing beyond these
    /// and the above ready; the other formats need not be told.
    pub others: Vec<String>,
}

impl Default for Fields {
    fn default() -> Self {
        let [text, html, id, url] = ["text", "html", "id", "url"].map(str::to_owned);
        Self { text, html, set: None, id, url, others: Vec::new() }
    }
}

/// What the texts of a list are joined by.
pub(crate) const BETWEEN_ELEMENTS: char = '\n';

/// The name of a step of a path, and whether it leads into the elements of a list.
pub(crate) fn step(name: &str) -> (&str, bool) {
    name.strip_suffix("[]").map_or((name, false), |name| (name, true))
}

impl Fields {
    /// The error for a table that has neither texts nor pages, but these columns.
    pub(crate) fn no_column(&self, path: &Path, columns: Vec<String>) -> Error {
        let (path, fields) = (path.to_owned(), self.contents());
        Error::from(ErrorKind::NoColumn { path, fields, columns })
    }

    /// The fault of a record that has neither a text nor a page, but these.
    pub(crate) fn missing(&self, found: Vec<String>) -> Fault {
        Fault::Missing { fields: self.contents(), found }
    }

    /// The names of the fields of which a document needs one.
    fn contents(&self) -> Vec<String> {
        match &self.set {
            Some(set) => vec![set.clone()],
            None => vec![self.text.clone(), self.html.clone()],
        }
    }

    /// Fails for files whose format has no lists, if documents are sets.
    pub(crate) fn check_lists(&self, format: Format, path: &Path) -> Result<()> {
        let has_lists = matches!(format, Format::JsonLines | Format::Parquet | Format::Arrow);
        match &self.set {
            Some(_) if !has_lists => {
                Err(Error::from(ErrorKind::NoLists { path: path.to_owned(), format }))
            }
            _ => Ok(()),
        }
    }
}

/// What is refused rather than read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest file that is one document.
    pub max_document_bytes: u64,
    /// The longest record of a file of many, as it stands there and, in web archives, as it
    /// unpacks; its text in Parquet. Also the longest file that is a web page: pages have to be in memory whole.
    pub max_record_bytes: u64,
}

impl Default for Limits {
    /// Documents of up to 1 GiB: longer than any text a person wrote. Records of up to 64 MiB:
    /// many of them are in memory at once.
    fn default() -> Self {
        Self { max_document_bytes: 1 << 30, max_record_bytes: 64 << 20 }
    }
}

/// How documents are read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The names of fields.
    pub fields: Fields,
    /// What is refused.
    pub limits: Limits,
    /// About how many bytes of records go into a chunk. No result depends on it.
    pub chunk_bytes: usize,
    /// How many threads pack a selection that is one `.zst` file. No result depends on it.
    pub packing_threads: usize,
    /// Whether records of web archives say where they are stored.
    pub offsets: Offsets,
}

/// Whether records of web archives say where they are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offsets {
    /// They do not.
    #[default]
    Unknown,
    /// They do; archives are unpacked for it, though there be an unpacked copy.
    Told,
}

impl Default for ReadOptions {
    /// Chunks of 1 MiB: thousands of web pages, so that handing one to another thread costs
    /// nothing, and little enough for many of them in flight. One thread packs, since many files
    /// are packed at once as a rule.
    fn default() -> Self {
        Self {
            fields: Fields::default(),
            limits: Limits::default(),
            chunk_bytes: 1 << 20,
            packing_threads: 1,
            offsets: Offsets::Unknown,
        }
    }
}

/// One document as its file has it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Record<'a> {
    /// Its place in the file, from 1. Bad records are counted too; blank lines are not, nor the
    /// records of web archives that are not documents.
    pub number: u64,
    /// The value of the id field, or the `WARC-Record-ID`; else `path#number`, or the path if the
    /// file is one document.
    pub id: Cow<'a, str>,
    /// The text, the page or the set. Pages are valid UTF-8; texts are in JSON, Parquet and WARC, and are
    /// not checked in other formats.
    pub content: Cow<'a, [u8]>,
    /// Which of these it is.
    pub kind: ContentKind,
    /// The value of the URL field, or the `WARC-Target-URI`.
    pub url: Option<Cow<'a, str>>,
    /// Of a web archive, if it is wanted ([`Offsets::Told`]): the byte of the file, as that is stored,
    /// at which the record begins, or the gzip member that has it. `None` of archives that are packed
    /// in another way, or as a whole.
    pub offset: Option<u64>,
    /// None of a file that is one document.
    pub(crate) fields: Option<&'a dyn StoredFields>,
}

/// The fields of a record where its format has them, to be looked up when they are asked for.
pub(crate) trait StoredFields: fmt::Debug + Sync {
    /// The value by a name or dotted path, as [`Record::field`] gives it.
    fn field(&self, path: &str) -> Option<FieldValue<'_>>;

    /// The whole record, if it is JSON.
    fn json(&self) -> Option<&[u8]> {
        None
    }
}

/// An id and the text that stands under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The id field of its record; else the path as given or as walked, with `/` between folders
    /// (`-` for standard input), and `#record` counted from 1 unless the file is one document.
    pub id: String,
    /// The text, not checked in any way, the page in UTF-8, or the set.
    pub bytes: Vec<u8>,
    /// Which of these it is.
    pub kind: ContentKind,
    /// Its address.
    pub url: Option<String>,
}

/// What the content of a document is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ContentKind {
    /// Text as it stands.
    #[default]
    Text,
    /// A web page, of which visitors see a part.
    Html,
    /// A set of items, as [`lookalike_core::text::items`] writes them.
    Items,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue<'a> {
    /// A string; in CSV, TSV and WARC everything is.
    String(Cow<'a, str>),
    /// An integer.
    Integer(i128),
    /// A point in time in nanoseconds of Unix time: that of a column of dates or times in Parquet
    /// or Arrow.
    Time(i128),
    /// Another number.
    Float(f64),
    /// True or false.
    Bool(bool),
}

impl Record<'_> {
    /// The record as its file has it, if it is JSON.
    pub fn json(&self) -> Option<&[u8]> {
        self.fields?.json()
    }

    /// The value of a field by its name or dotted path, looked up when asked for; the fields of
    /// WARC records are those of their headers, such as `WARC-Date`, in any case. `None` if it is
    /// missing, null, or neither a string, a number nor a truth value.
    pub fn field(&self, path: &str) -> Option<FieldValue<'_>> {
        self.fields?.field(path)
    }
}

/// What the parsers of all formats need to know of the file.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) path: PathBuf,
    pub(crate) id: String,
    pub(crate) format: Format,
    pub(crate) options: ReadOptions,
}

impl Context {
    /// The record of a file that is one document.
    pub(crate) fn file<'a>(&'a self, content: Cow<'a, [u8]>, kind: ContentKind) -> Record<'a> {
        let id = Cow::Borrowed(&*self.id);
        Record { number: 1, id, content, kind, url: None, offset: None, fields: None }
    }

    pub(crate) fn default_id(&self, number: u64) -> Cow<'static, str> {
        Cow::Owned(format!("{}#{number}", self.id))
    }

    pub(crate) fn bad<T>(&self, place: Place, fault: Fault) -> Result<T> {
        Err(Error::record(&self.path, place, fault))
    }

    /// The fault of a record of this length, if it is one.
    pub(crate) fn check_length(&self, bytes: usize) -> Result<(), Fault> {
        let limit = self.options.limits.max_record_bytes;
        if bytes as u64 > limit { Err(Fault::TooLong(limit)) } else { Ok(()) }
    }
}

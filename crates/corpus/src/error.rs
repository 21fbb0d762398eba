//! What can go wrong with inputs: the path, what was done with it, and the fault.

use std::io;
use std::path::{Path, PathBuf};

pub use lookalike_files::Operation;

use crate::format::{Format, is_arrow};
use crate::object::is_store_fault;

/// Why there is no document, or no file of them.
// The message has that of its source in it, so there is none to print after it; `kind` has it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(Box<ErrorKind>);

/// What a file is that is not text, as far as its first bytes tell, and what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BinaryKind {
    /// Arrow's file format (Feather), or its stream, as caches of Hugging Face's `datasets` are.
    #[error("an Arrow file, not text; call it .arrow, or say that the format is arrow")]
    Arrow,
    /// Anything that is packed like ZIP: documents of office programs too.
    #[error("a ZIP archive, not text; unpack it first")]
    Zip,
    /// Files one after another.
    #[error("a tar archive, not text; unpack it first")]
    Tar,
    /// Pages as they are printed.
    #[error("a PDF file, not text; extract its text first")]
    Pdf,
    /// Any other.
    #[error("a binary file, not text")]
    Other,
}

impl BinaryKind {
    pub(crate) fn of(head: &[u8]) -> Self {
        match head {
            _ if is_arrow(head) => Self::Arrow,
            [b'P', b'K', 3, 4, ..] => Self::Zip,
            [b'%', b'P', b'D', b'F', b'-', ..] => Self::Pdf,
            _ if head.get(257..262) == Some(b"ustar") => Self::Tar,
            _ => Self::Other,
        }
    }
}

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused, or somebody else is writing the file.
    #[error("{0}")]
    File(#[from] lookalike_files::Error),
    /// A document was wanted and a folder was named.
    #[error("`{0}`: is a folder, but a file is needed here")]
    Folder(PathBuf),
    /// A file is longer than the limit.
    #[error("`{path}`: is longer than the limit of {limit} bytes")]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// A text has a stretch that is longer than the limit and cannot be read in parts.
    #[error(
        "`{path}`: has a word, an address, a line or a paragraph of more than {limit} bytes, the limit \
         of what has to be in memory whole"
    )]
    StretchTooLong {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// The header of a table is longer than the limit.
    #[error(
        "`{path}`: has a header of more than {limit} bytes, the limit for the names of columns"
    )]
    HeaderTooLong {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// A web page is longer than the limit.
    #[error(
        "`{path}`: is longer than the limit of {limit} bytes for web pages, which have to be in \
         memory whole\n\
         hint: `--format text` reads it as text, markup and all"
    )]
    PageTooLong {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// A batch of an Arrow file is longer than the limit.
    #[error(
        "`{path}`: has a batch of {bytes} bytes, and the limit is {limit}, since a batch has to be in \
         memory whole\n\
         hint: write it again in batches of fewer rows"
    )]
    BatchTooLong {
        /// The file.
        path: PathBuf,
        /// The length of the batch.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A link that leads to nothing.
    #[error("`{0}`: is a link to nothing")]
    DeadLink(PathBuf),
    /// What should be a text has bytes that no text has.
    #[error("`{0}`: is {1}")]
    Binary(PathBuf, BinaryKind),
    /// A glob matches no file.
    #[error(
        "`{0}`: matches no file\n\
         hint: `*` and `?` stay within a folder, `**` reaches into those below"
    )]
    NoMatch(String),
    /// Something that inputs cannot be, such as the address of a web page.
    #[error(
        "`{0}`: is a URL that cannot be read\n\
         hint: copy the documents here first"
    )]
    Unsupported(String),
    /// A URL of an object store, in a build without the feature `object-stores`.
    #[error(
        "`{0}`: is in an object store, which this build cannot read\n\
         hint: `cargo build --features object-stores` makes one that can"
    )]
    NoObjectStores(String),
    /// One record is bad; those around it are not.
    #[error("`{path}` {place}: {fault}")]
    Record {
        /// The file.
        path: PathBuf,
        /// Where in it.
        place: Place,
        /// What is wrong.
        fault: Fault,
    },
    /// The file itself is broken, so that nothing more can be read from it.
    #[error("`{path}`: is broken, and was read only up to that point: {fault}")]
    Broken {
        /// The file.
        path: PathBuf,
        /// What the decoder said.
        fault: String,
    },
    /// A table has neither a column of texts nor one of web pages.
    #[error(
        "`{path}`: has no column `{}`\nhint: it has {}", .fields.join("` and none `"), listed(.columns)
    )]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The names that were looked for.
        fields: Vec<String>,
        /// The names that it has.
        columns: Vec<String>,
    },
    /// A file of texts, where documents are sets.
    #[error(
        "`{path}`: is {}, which has no lists, and a set is read from a list\n\
         hint: JSON lines, Parquet and Arrow have lists", .format.name()
    )]
    NoLists {
        /// The file.
        path: PathBuf,
        /// What it holds.
        format: Format,
    },
    /// One JSON array where there should be one object on each line.
    #[error(
        "`{0}`: is a JSON array, but one object on each line is needed\n\
         hint: `jq -c '.[]'` converts it"
    )]
    JsonArray(PathBuf),
    /// Standard input, which is gone once it was read, was to be read again.
    #[error(
        "standard input: can be read only once\n\
         hint: write it to a file first"
    )]
    ReadOnce,
    /// A table in memory, which is no file, was to be treated as one.
    #[error(
        "`{0}`: is a table in memory, which cannot be written back\n\
         hint: `clusters.parquet` has the rows that go"
    )]
    InMemory(String),
    /// A table that was in the memory of another process, or of an earlier moment.
    #[error(
        "`{0}`: was a table in memory, and is gone\n\
         hint: run the whole job again"
    )]
    NotInMemory(String),
    /// The output would take the place of its own input.
    #[error("`{0}`: is the input itself, and would be replaced")]
    OwnInput(PathBuf),
    /// A record cannot be changed as it should be.
    #[error("`{path}` record {record}: {fault}")]
    Edit {
        /// The file.
        path: PathBuf,
        /// The number of the record.
        record: u64,
        /// Why not.
        fault: EditFault,
    },
    /// A column cannot be added to a table that has it already.
    #[error(
        "`{path}`: has a column `{field}` already, so none can be added\n\
         hint: `--annotate-as NAME` gives what is added another name"
    )]
    ColumnTaken {
        /// The file.
        path: PathBuf,
        /// The column.
        field: String,
    },
}

/// Where in a file a record is, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Place {
    /// A line, of JSON lines.
    #[error("line {0}")]
    Line(u64),
    /// A record, of formats whose records are not lines.
    #[error("record {0}")]
    Record(u64),
    /// A record of a web archive, of any kind, and where it begins in what the file unpacks to.
    #[error("record {record} at byte {offset}")]
    Stored {
        /// The record.
        record: u64,
        /// Bytes before it.
        offset: u64,
    },
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// Not a JSON object; what the parser said.
    #[error("is not a JSON object: {0}")]
    Json(String),
    /// There is neither a text nor a web page, or no set.
    #[error("field `{}` is missing{}{}", .fields[0], and_so_is(.fields.get(1)), others(.found))]
    Missing {
        /// The names that were looked for.
        fields: Vec<String>,
        /// The first names that are there; none if that was not looked at.
        found: Vec<String>,
    },
    /// The field is of the wrong type.
    #[error("field `{field}` is {found}, but {expected} is needed")]
    Type {
        /// The field.
        field: String,
        /// What it has to be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// The record has more or fewer columns than the header.
    #[error("has {found} columns, but the header has {expected}")]
    Columns {
        /// Columns of the header.
        expected: usize,
        /// Columns of the record.
        found: usize,
    },
    /// A quoted field goes on to the end of the file.
    #[error("has a quote that is never closed")]
    OpenQuote,
    /// Longer than the limit in bytes.
    #[error("is longer than the limit of {0} bytes")]
    TooLong(u64),
    /// There is not a WARC record where one should begin.
    #[error("does not begin like a WARC record")]
    NoWarcRecord,
    /// A length that is missing or wrong.
    #[error("{0}")]
    Length(String),
    /// A header that cannot be read.
    #[error("{0}")]
    Header(String),
    /// A body that cannot be unpacked.
    #[error("{0}")]
    Payload(String),
}

/// Why a record cannot be changed as it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditFault {
    /// It cannot be read, so nobody can have seen what was to be changed.
    #[error(
        "{0}, though it could be read before\n\
         hint: the input has changed; run the whole job again"
    )]
    Unreadable(Fault),
    /// A cut that is not in the text, or goes through a character.
    #[error(
        "bytes {begin} to {end} of its text are no characters of it\n\
         hint: the input has changed; run the whole job again"
    )]
    Range {
        /// Where the cut begins.
        begin: u64,
        /// Where it ends.
        end: u64,
    },
    /// A cut that does not come after the one before it.
    #[error("bytes {begin} to {end} are to be cut out of order")]
    Order {
        /// Where the cut begins.
        begin: u64,
        /// Where it ends.
        end: u64,
    },
    /// More values than fields.
    #[error("is to get {values} values in {fields} added fields")]
    Values {
        /// Fields that are added.
        fields: usize,
        /// Values that it was to get.
        values: usize,
    },
    /// A value that is not what the field was said to have.
    #[error("is to get a value of another kind in the added field `{0}`")]
    Kind(String),
    /// A field of that name is there already.
    #[error(
        "has a field `{by}` already, so `{field}` cannot be added\n\
         hint: `--annotate-as NAME` gives what is added another name"
    )]
    Taken {
        /// The field that was to be added.
        field: String,
        /// The one that is there.
        by: String,
    },
    /// A repetition of what is a file of its own, or has an id that is its own.
    #[error(
        "is a text file, a web page or of a web archive, and cannot be written twice\n\
         hint: `--weight` writes down how often it counts"
    )]
    Once,
    /// A cut of what is no text: offsets in a page are not those in its file.
    #[error("is a web page or of a web archive, and these are annotated, not cut")]
    Page,
    /// A cut of a text that a table has in several places.
    #[error(
        "field `{0}` is put together of several texts, which cannot be cut in this format\n\
         hint: name a field of one text, or convert the file to JSON lines"
    )]
    Joined(String),
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn io(path: &Path, operation: Operation, error: io::Error) -> Self {
        lookalike_files::Error::io(path, operation, error).into()
    }

    /// A file whose bytes no decoder can follow to the end.
    pub fn broken(path: &Path, fault: String) -> Self {
        Self::from(ErrorKind::Broken { path: path.to_owned(), fault })
    }

    pub(crate) fn record(path: &Path, place: Place, fault: Fault) -> Self {
        Self::from(ErrorKind::Record { path: path.to_owned(), place, fault })
    }

    /// A failed read of a decoder: of the system below it, or because of what the bytes are.
    pub(crate) fn decoding(path: &Path, error: io::Error) -> Self {
        if error.raw_os_error().is_some() || is_store_fault(&error) {
            return Self::io(path, Operation::Read, error);
        }
        Self::from(ErrorKind::Broken { path: path.to_owned(), fault: error.to_string() })
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// A failed read of a stream that may carry an error of this crate.
    pub fn reading(path: &Path, error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(error) => error,
            Err(error) => Self::decoding(path, error),
        }
    }

    /// A text of which a stretch has to be in memory whole that is longer than this.
    pub fn stretch_too_long(path: &Path, limit: u64) -> Self {
        Self::from(ErrorKind::StretchTooLong { path: path.to_owned(), limit })
    }

    /// What went wrong, in a few words, the same for all files and records: to count by.
    pub fn name(&self) -> &'static str {
        match &*self.0 {
            ErrorKind::File(_) | ErrorKind::Folder(_) => "cannot be read",
            ErrorKind::DeadLink(_) => "link to nothing",
            ErrorKind::Binary(..) => "binary file",
            ErrorKind::TooLong { .. } | ErrorKind::PageTooLong { .. } => {
                "file longer than the limit"
            }
            ErrorKind::StretchTooLong { .. } => "word longer than the limit",
            ErrorKind::HeaderTooLong { .. } => "header longer than the limit",
            ErrorKind::Record { fault, .. } => match fault {
                Fault::Json(_) => "not a JSON object",
                Fault::Missing { .. } => "field missing",
                Fault::Type { .. } => "field of the wrong type",
                Fault::Columns { .. } => "wrong number of columns",
                Fault::OpenQuote => "quote never closed",
                Fault::TooLong(_) => "record longer than the limit",
                Fault::NoWarcRecord => "not a WARC record",
                Fault::Length(_) => "wrong length",
                Fault::Header(_) => "unreadable header",
                Fault::Payload(_) => "unreadable body",
            },
            ErrorKind::Broken { .. } => "file broken",
            ErrorKind::NoColumn { .. } => "table without the column",
            ErrorKind::NoLists { .. } => "file without lists",
            ErrorKind::JsonArray(_) => "JSON array",
            _ => "other",
        }
    }

    /// Whether the system refused, or a store: another time it may not. Anything else is because of
    /// what the bytes are, and stays so.
    pub fn is_io(&self) -> bool {
        matches!(&*self.0, ErrorKind::File(fault) if fault.is_io())
    }

    /// Whether what should have a text has other fields instead: perhaps the wrong one was named.
    pub fn is_other_fields(&self) -> bool {
        match &*self.0 {
            ErrorKind::Record { fault: Fault::Missing { found, .. }, .. } => !found.is_empty(),
            kind => matches!(kind, ErrorKind::NoColumn { .. } | ErrorKind::NoLists { .. }),
        }
    }

    /// Whether a file or a record in it is not what it claims to be.
    pub fn is_corruption(&self) -> bool {
        let kind = &*self.0;
        matches!(kind, ErrorKind::Record { .. } | ErrorKind::Broken { .. } | ErrorKind::Binary(..))
    }

    /// Whether something else should have been asked for.
    pub fn is_user(&self) -> bool {
        !self.is_io() && !self.is_corruption()
    }
}

impl<E: Into<ErrorKind>> From<E> for Error {
    fn from(kind: E) -> Self {
        Self(Box::new(kind.into()))
    }
}

/// The other field that is missing too, if there is one.
fn and_so_is(field: Option<&String>) -> String {
    field.map_or_else(String::new, |field| format!(", and so is `{field}`"))
}

/// Names of columns, enough to find a misspelt one by; a table may have thousands.
fn others(found: &[String]) -> String {
    if found.is_empty() { String::new() } else { format!("; it has {}", listed(found)) }
}

fn listed(columns: &[String]) -> String {
    if columns.is_empty() {
        return "none at all".to_owned();
    }
    let names: Vec<String> = columns.iter().take(20).map(|name| format!("`{name}`")).collect();
    names.join(", ") + if columns.len() > 20 { " and more" } else { "" }
}

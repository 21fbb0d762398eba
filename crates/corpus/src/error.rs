//! What can go wrong with inputs: the path, what was done with it, and the fault.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use crate::object_store;

/// Why there is no document, or no file of them.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was being done.
        operation: Operation,
        /// What the system said.
        source: io::Error,
    },
    /// A document was wanted and a folder was named.
    Folder(PathBuf),
    /// A file is longer than the limit.
    TooLong {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// A text has a stretch that is longer than the limit and cannot be read in parts.
    StretchTooLong {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// The header of a table is longer than the limit.
    HeaderTooLong {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// A web page is longer than the limit.
    PageTooLong {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// A link that leads to nothing.
    DeadLink(PathBuf),
    /// What should be a text has bytes that no text has.
    Binary(PathBuf),
    /// A glob matches no file.
    NoMatch(String),
    /// Something that inputs cannot be, such as the address of a web page.
    Unsupported(String),
    /// A URL of an object store, in a build without the feature `object-stores`.
    NoObjectStores(String),
    /// One record is bad; those around it are not.
    Record {
        /// The file.
        path: PathBuf,
        /// Where in it.
        place: Place,
        /// What is wrong.
        fault: Fault,
    },
    /// The file itself is broken, so that nothing more can be read from it.
    Broken {
        /// The file.
        path: PathBuf,
        /// What the decoder said.
        fault: String,
    },
    /// A table has neither a column of texts nor one of web pages.
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The names that were looked for.
        fields: [String; 2],
        /// The names that it has.
        columns: Vec<String>,
    },
    /// One JSON array where there should be one object on each line.
    JsonArray(PathBuf),
    /// Standard input, which is gone once it was read, was to be read again.
    ReadOnce,
    /// A table in memory, which is no file, was to be treated as one.
    InMemory(String),
    /// A table that was in the memory of another process, or of an earlier moment.
    NotInMemory(String),
    /// The output would take the place of its own input.
    OwnInput(PathBuf),
    /// Somebody else is writing the file.
    Busy(PathBuf),
}

/// Where in a file a record is, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A line, of JSON lines.
    Line(u64),
    /// A record, of formats whose records are not lines.
    Record(u64),
    /// A record of a web archive, of any kind, and where it begins in what the file unpacks to.
    Stored {
        /// The record.
        record: u64,
        /// Bytes before it.
        offset: u64,
    },
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Not a JSON object; what the parser said.
    Json(String),
    /// There is neither a text nor a web page; the names of the fields.
    Missing([String; 2]),
    /// The field is of the wrong type.
    Type {
        /// The field.
        field: String,
        /// What it has to be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// The record has more or fewer columns than the header.
    Columns {
        /// Columns of the header.
        expected: usize,
        /// Columns of the record.
        found: usize,
    },
    /// A quoted field goes on to the end of the file.
    OpenQuote,
    /// Longer than the limit in bytes.
    TooLong(u64),
    /// There is no WARC record where one should begin.
    NoWarcRecord,
    /// A length that is missing or wrong.
    Length(String),
    /// A header that cannot be read.
    Header(String),
    /// A body that cannot be unpacked.
    Payload(String),
}

/// What was being done when the system refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// Opening or reading a file.
    Read,
    /// Listing a folder.
    List,
    /// Creating or writing a file.
    Write,
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }

    pub(crate) fn io(path: &Path, operation: Operation, source: io::Error) -> Self {
        Self::new(ErrorKind::Io { path: path.to_owned(), operation, source })
    }

    /// A file whose bytes no decoder can follow to the end.
    pub fn broken(path: &Path, fault: String) -> Self {
        Self::new(ErrorKind::Broken { path: path.to_owned(), fault })
    }

    pub(crate) fn record(path: &Path, place: Place, fault: Fault) -> Self {
        Self::new(ErrorKind::Record { path: path.to_owned(), place, fault })
    }

    /// A failed read of a decoder: of the system below it, or because of what the bytes are.
    pub(crate) fn decoding(path: &Path, source: io::Error) -> Self {
        if source.raw_os_error().is_some() || object_store::is_fault(&source) {
            return Self::io(path, Operation::Read, source);
        }
        Self::new(ErrorKind::Broken { path: path.to_owned(), fault: source.to_string() })
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// A failed read of a stream that may carry an error of this crate.
    pub fn reading(path: &Path, source: io::Error) -> Self {
        match source.downcast::<Self>() {
            Ok(error) => error,
            Err(source) => Self::decoding(path, source),
        }
    }

    /// A text of which a stretch has to be in memory whole that is longer than this.
    pub fn stretch_too_long(path: &Path, limit: u64) -> Self {
        Self::new(ErrorKind::StretchTooLong { path: path.to_owned(), limit })
    }

    /// What went wrong, in a few words, the same for all files and records: to count by.
    pub fn name(&self) -> &'static str {
        match &*self.0 {
            ErrorKind::Io { .. } | ErrorKind::Folder(_) => "cannot be read",
            ErrorKind::DeadLink(_) => "link to nothing",
            ErrorKind::Binary(_) => "binary file",
            ErrorKind::TooLong { .. } | ErrorKind::PageTooLong { .. } => {
                "file longer than the limit"
            }
            ErrorKind::StretchTooLong { .. } => "word longer than the limit",
            ErrorKind::HeaderTooLong { .. } => "header longer than the limit",
            ErrorKind::Record { fault, .. } => match fault {
                Fault::Json(_) => "no JSON object",
                Fault::Missing(_) => "field missing",
                Fault::Type { .. } => "field of the wrong type",
                Fault::Columns { .. } => "wrong number of columns",
                Fault::OpenQuote => "quote never closed",
                Fault::TooLong(_) => "record longer than the limit",
                Fault::NoWarcRecord => "no WARC record",
                Fault::Length(_) => "wrong length",
                Fault::Header(_) => "unreadable header",
                Fault::Payload(_) => "unreadable body",
            },
            ErrorKind::Broken { .. } => "file broken",
            ErrorKind::NoColumn { .. } => "table without the column",
            ErrorKind::JsonArray(_) => "JSON array",
            _ => "other",
        }
    }

    /// Whether the system refused, or a store: another time it may not. Anything else is because of
    /// what the bytes are, and stays so.
    pub fn is_io(&self) -> bool {
        matches!(*self.0, ErrorKind::Io { .. })
    }

    /// Whether a file or a record in it is not what it claims to be.
    pub fn is_corruption(&self) -> bool {
        let kind = &*self.0;
        matches!(kind, ErrorKind::Record { .. } | ErrorKind::Broken { .. } | ErrorKind::Binary(_))
    }

    /// Whether something else should have been asked for.
    pub fn is_user(&self) -> bool {
        !self.is_io() && !self.is_corruption()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            ErrorKind::Io { path, operation, source } => {
                let operation = match operation {
                    Operation::Read => "read",
                    Operation::List => "listed",
                    Operation::Write => "written",
                };
                write!(f, "`{}`: cannot be {operation}: {source}", path.display())
            }
            ErrorKind::Folder(path) => {
                write!(f, "`{}`: is a folder, but a file is needed here", path.display())
            }
            ErrorKind::TooLong { path, limit } => {
                write!(f, "`{}`: is longer than the limit of {limit} bytes", path.display())
            }
            ErrorKind::StretchTooLong { path, limit } => write!(
                f,
                "`{}`: has a word, an address or a line of more than {limit} bytes, the limit of \
                 what has to be in memory whole",
                path.display()
            ),
            ErrorKind::HeaderTooLong { path, limit } => write!(
                f,
                "`{}`: has a header of more than {limit} bytes, the limit for the names of columns",
                path.display()
            ),
            ErrorKind::PageTooLong { path, limit } => write!(
                f,
                "`{}`: is longer than the limit of {limit} bytes for web pages, which have to be in \
                 memory whole\n\
                 hint: `--format text` reads it as text, markup and all",
                path.display()
            ),
            ErrorKind::DeadLink(path) => {
                write!(f, "`{}`: is a link to nothing", path.display())
            }
            ErrorKind::Binary(path) => {
                write!(f, "`{}`: is no text, but a binary file", path.display())
            }
            ErrorKind::NoMatch(pattern) => write!(
                f,
                "`{pattern}`: matches no file\n\
                 hint: `*` and `?` stay within a folder, `**` reaches into those below"
            ),
            ErrorKind::Unsupported(url) => write!(
                f,
                "`{url}`: is a URL that cannot be read\n\
                 hint: copy the documents here first"
            ),
            ErrorKind::NoObjectStores(url) => write!(
                f,
                "`{url}`: is in an object store, and this build has none\n\
                 hint: `cargo build --features object-stores` makes one that has"
            ),
            ErrorKind::Record { path, place, fault } => {
                write!(f, "`{}` {place}: {fault}", path.display())
            }
            ErrorKind::Broken { path, fault } => {
                write!(f, "`{}`: is broken, and was read only up to there: {fault}", path.display())
            }
            ErrorKind::NoColumn { path, fields: [text, html], columns } => {
                let path = path.display();
                write!(f, "`{path}`: has no column `{text}` and none `{html}`\nhint: it has")?;
                // Enough to find a misspelt name by; a table may have thousands.
                for (i, column) in columns.iter().take(20).enumerate() {
                    write!(f, "{} `{column}`", if i == 0 { "" } else { "," })?;
                }
                f.write_str(if columns.len() > 20 { " and more" } else { "" })
            }
            ErrorKind::JsonArray(path) => write!(
                f,
                "`{}`: is a JSON array, but one object on each line is needed\n\
                 hint: `jq -c '.[]'` makes one of the other",
                path.display()
            ),
            ErrorKind::ReadOnce => write!(
                f,
                "standard input: can be read only once\n\
                 hint: write it to a file first"
            ),
            ErrorKind::InMemory(name) => write!(
                f,
                "`{name}`: is a table in memory, of which no mirror is written\n\
                 hint: `clusters.parquet` has the rows that go"
            ),
            ErrorKind::NotInMemory(name) => write!(
                f,
                "`{name}`: was a table in memory, and is not there any more\n\
                 hint: run the whole job again"
            ),
            ErrorKind::OwnInput(path) => {
                write!(f, "`{}`: is the input itself, and would be replaced", path.display())
            }
            ErrorKind::Busy(path) => {
                write!(f, "`{}`: is being written by another process", path.display())
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Record(record) => write!(f, "record {record}"),
            Self::Stored { record, offset } => write!(f, "record {record} at byte {offset}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(said) => write!(f, "is no JSON object: {said}"),
            Self::Missing([text, html]) => {
                write!(f, "field `{text}` is missing, and so is `{html}`")
            }
            Self::Type { field, expected, found } => {
                write!(f, "field `{field}` is {found}, but {expected} is needed")
            }
            Self::Columns { expected, found } => {
                write!(f, "has {found} columns, but the header has {expected}")
            }
            Self::OpenQuote => f.write_str("has a quote that is never closed"),
            Self::TooLong(limit) => write!(f, "is longer than the limit of {limit} bytes"),
            Self::NoWarcRecord => f.write_str("does not begin as a WARC record does"),
            Self::Length(said) | Self::Header(said) | Self::Payload(said) => f.write_str(said),
        }
    }
}

// The message has that of its source in it, so there is none to print after it; `kind` has it.
impl std::error::Error for Error {}

//! Plain text and web pages: a file is a document.

use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use crate::charset;
use crate::error::{BinaryKind, Error, ErrorKind, Operation, Result};
use crate::format::{BYTE_ORDER_MARK, Format};
use crate::paths::open_file;
use crate::position::Position;
use crate::record::{ContentKind, Document, Limits, ReadOptions};
use crate::source::{STANDARD_INPUT, Source};

/// Reads a file whole.
pub(crate) fn read_file(id: String, path: &Path, limits: Limits) -> Result<Document> {
    let file = open_file(path)?;
    let metadata = file.metadata().map_err(|error| Error::io(path, Operation::Read, error))?;
    if Format::from_name(&id) == Some(Format::Html) {
        let page = read_page(path, file, limits.max_record_bytes)?;
        return document(id, path, page, limits);
    }
    // Room for the whole file at once, as far as the limit goes: the size of a file that is
    // still growing, or that is no regular file, is only a hint.
    let limit = limits.max_document_bytes;
    let room = metadata.len().min(limit) as usize;
    document(id, path, read(path, file, room, limit)?, limits)
}

/// Reads standard input to its end.
pub(crate) fn read_standard_input(limits: Limits) -> Result<Document> {
    let path = Path::new("standard input");
    let bytes = read(path, io::stdin().lock(), 0, limits.max_document_bytes)?;
    document(STANDARD_INPUT.to_owned(), path, bytes, limits)
}

/// The document of a file: a page if its name says so, or if it says nothing and the content does.
pub(crate) fn document(
    id: String,
    path: &Path,
    bytes: Vec<u8>,
    limits: Limits,
) -> Result<Document> {
    let format = Format::from_name(&id).unwrap_or_else(|| Format::from_content(&bytes));
    if format != Format::Html {
        return Ok(Document { id, bytes, kind: ContentKind::Text, url: None });
    }
    let limit = limits.max_record_bytes;
    if bytes.len() as u64 > limit {
        return Err(Error::from(ErrorKind::PageTooLong { path: path.to_owned(), limit }));
    }
    let bytes = charset::decode_page(&bytes, None).into_owned().into_bytes();
    Ok(Document { id, bytes, kind: ContentKind::Html, url: None })
}

/// How much of a text is looked at to tell whether it is one.
const TELLING_BYTES: usize = 64 << 10;

/// Whether a text that begins with these bytes is none: it has a NUL, which no encoding of text
/// has but UTF-16 and UTF-32, whose files begin with a mark; or more than one byte in 32 is of the
/// control characters that are in no text. Packed and encrypted bytes have one in nine; a text in
/// any charset has hardly any.
fn is_binary(head: &[u8]) -> bool {
    let marks: [&[u8]; 3] = [b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"];
    if marks.iter().any(|mark| head.starts_with(mark)) {
        return false;
    }
    // Backspace to return are layout, and ISO 2022 changes its charsets by escapes.
    let is_control = |byte: &&u8| matches!(byte, 0x01..=0x07 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    memchr::memchr(0, head).is_some() || head.iter().filter(is_control).count() > head.len() / 32
}

/// Fails if a text that begins with these bytes is none.
fn check_text(path: &Path, head: &[u8]) -> Result<()> {
    if is_binary(&head[..head.len().min(TELLING_BYTES)]) {
        return Err(Error::from(ErrorKind::Binary(path.to_owned(), BinaryKind::of(head))));
    }
    Ok(())
}

/// Reads a text to its end.
pub(crate) fn read_text(path: &Path, from: impl Read, limit: u64) -> Result<Vec<u8>> {
    let text = read(path, from, 0, limit)?;
    check_text(path, &text)?;
    Ok(text)
}

/// Reads a web page to its end.
pub(crate) fn read_page(path: &Path, from: impl Read, limit: u64) -> Result<Vec<u8>> {
    read(path, from, 0, limit).map_err(|error| match error.kind() {
        ErrorKind::TooLong { .. } => {
            Error::from(ErrorKind::PageTooLong { path: path.to_owned(), limit })
        }
        _ => error,
    })
}

/// Reads to the end, with room for so many bytes to begin with.
pub(crate) fn read(path: &Path, from: impl Read, room: usize, limit: u64) -> Result<Vec<u8>> {
    let failed = |error| Error::io(path, Operation::Read, error);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(room).map_err(|error| failed(io::Error::other(error)))?;
    // One byte more than allowed, to see whether there is more.
    let read = from.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| Error::decoding(path, error))?;
    if bytes.len() as u64 > limit {
        return Err(Error::from(ErrorKind::TooLong { path: path.to_owned(), limit }));
    }
    Ok(bytes)
}

impl Source {
    /// The text of a text file as a stream: unpacked, and without a byte order mark. For texts
    /// that are too long to be in memory whole, as the chunk of a text file is.
    ///
    /// A fault on the way is an [`io::Error`] with an [`Error`] in it, which names
    /// the file; so is a text that goes on beyond the limit of documents.
    ///
    /// # Errors
    /// If the file cannot be opened, or its first bytes cannot be read.
    pub fn text_reader(&self, options: &ReadOptions) -> Result<Box<dyn Read + Send>> {
        options.fields.check_lists(Format::TextFile, self.path())?;
        self.marked_text(options).map(|(_, text)| text)
    }

    /// The same, and the byte order mark before it, or nothing.
    pub(crate) fn marked_text(
        &self,
        options: &ReadOptions,
    ) -> Result<(&'static [u8], Box<dyn Read + Send>)> {
        let limit = options.limits.max_document_bytes;
        stream(self.path(), self.reader(&Position::default())?, limit)
    }
}

/// The byte order mark, and the text without it, up to the limit; beyond it and at a fault there is an
/// error that names the file. Not there if it is no text.
fn stream(
    path: &Path,
    from: Box<dyn Read + Send>,
    limit: u64,
) -> Result<(&'static [u8], Box<dyn Read + Send>)> {
    let mut text = LimitedReader { from, path: path.to_owned(), limit, left: limit };
    let mut head = Vec::new();
    let read = text.by_ref().take(TELLING_BYTES as u64).read_to_end(&mut head);
    // Its own errors come out as they are.
    read.map_err(|error| error.downcast().unwrap_or_else(|other| Error::decoding(path, other)))?;
    check_text(path, &head)?;
    let mark = if head.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK } else { &[] };
    head.drain(..mark.len());
    Ok((mark, Box::new(Cursor::new(head).chain(text))))
}

/// A stream that is an error beyond its limit.
struct LimitedReader {
    from: Box<dyn Read + Send>,
    path: PathBuf,
    limit: u64,
    left: u64,
}

impl Read for LimitedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // One byte more than allowed, to see whether there is more.
        let most = self.left.saturating_add(1).min(buffer.len() as u64) as usize;
        let read = match self.from.read(&mut buffer[..most]) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                return Err(io::Error::new(error.kind(), Error::decoding(&self.path, error)));
            }
            read => read?,
        };
        let Some(left) = self.left.checked_sub(read as u64) else {
            self.left = 0;
            let (path, limit) = (self.path.clone(), self.limit);
            return Err(io::Error::other(Error::from(ErrorKind::TooLong { path, limit })));
        };
        self.left = left;
        Ok(read)
    }
}

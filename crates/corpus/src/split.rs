//! A stream cut into pieces of whole records, without parsing them.
//!
//! This is the part of reading that has to be done in order, so it does little:
//! it looks for the ends of records and counts them. A record that is longer
//! than the limit is never held in memory: it is read over to its end, or given
//! in parts where its bytes are wanted.
//!
//! Every read asks for the same number of bytes, whatever size the pieces are:
//! what a decoder gives before it finds a fault depends on how much it is
//! asked for, and no result may depend on the size of pieces.

use std::fs::File;
use std::io::{self, Read};

use memchr::{memchr, memchr3};

use crate::format::BYTE_ORDER_MARK;
use crate::position::Position;

/// Bytes of a read.
pub(crate) const STEP: usize = 64 << 10;

/// The most records of a piece, give or take those of a step: of every record something is made
/// that is larger than `{}` or an empty row.
const MAX_RECORDS: u64 = 8192;

/// The longest end of a record, `\r\n`.
const MAX_TERMINATOR: u64 = 2;

/// Where records end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Boundary {
    /// At line feeds.
    Line,
    /// At line ends outside quotes.
    Table(TableScanner),
}

impl Boundary {
    /// The index after the end of the first record that ends here. What comes before it, or
    /// everything, has been looked at, and belongs to no later call.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Line => memchr(b'\n', bytes).map(|end| end + 1),
            Self::Table(scanner) => scanner.end(bytes),
        }
    }

    /// Whether a quote is open where records were last looked for.
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Self::Table(TableScanner { state: State::InQuotes, .. }))
    }

    /// Whether a piece between two ends counts as a record: a blank line does not.
    fn is_record(self, piece: &[u8], limit: u64) -> bool {
        let content = content(piece);
        let blank = match self {
            Self::Line => content.trim_ascii_start().is_empty(),
            Self::Table(_) => content.is_empty(),
        };
        !blank || content.len() as u64 > limit
    }
}

/// The record without its line end.
pub(crate) fn content(piece: &[u8]) -> &[u8] {
    let line = piece.strip_suffix(b"\n").unwrap_or(piece);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Follows the quotes of CSV, as `csv-core` understands them: a quote opens a field only at its
/// beginning, two quotes within one are a quote, and `\n`, `\r\n` and `\r` each end a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableScanner {
    delimiter: u8,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    FieldStart,
    InField,
    InQuotes,
    /// After a quote within quotes: the end of the field, or half of a doubled quote.
    AfterQuote,
    /// After `\r`: a line feed still belongs to it.
    AfterReturn,
}

impl TableScanner {
    pub(crate) fn new(delimiter: u8) -> Self {
        Self { delimiter, state: State::FieldStart }
    }

    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            match self.state {
                State::InField => {
                    at += memchr3(self.delimiter, b'\n', b'\r', &bytes[at..])?;
                }
                State::InQuotes => {
                    at += memchr(b'"', &bytes[at..])? + 1;
                    self.state = State::AfterQuote;
                    continue;
                }
                State::AfterReturn => {
                    self.state = State::FieldStart;
                    return Some(at + usize::from(bytes[at] == b'\n'));
                }
                State::FieldStart | State::AfterQuote => {}
            }
            let byte = bytes[at];
            at += 1;
            self.state = match byte {
                b'\n' => {
                    self.state = State::FieldStart;
                    return Some(at);
                }
                b'\r' => State::AfterReturn,
                b'"' if self.state != State::InField => State::InQuotes,
                _ if byte == self.delimiter => State::FieldStart,
                _ => State::InField,
            };
        }
        None
    }
}

/// Whole records, one after another.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) bytes: Vec<u8>,
    /// Numbers of the first record and the first line, from 1.
    pub(crate) record: u64,
    pub(crate) line: u64,
    pub(crate) records: u64,
}

/// What a splitter gives.
#[derive(Debug)]
pub(crate) enum Split {
    Records(Piece),
    /// One record that was longer than the limit.
    TooLong {
        record: u64,
        line: u64,
    },
    /// A part of such a record.
    Part {
        record: u64,
        bytes: Vec<u8>,
    },
}

/// What becomes of the bytes of records that are longer than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LongRecords {
    /// They are passed over.
    Dropped,
    /// They are given in parts.
    Given,
}

/// The stream and how far it has been cut.
pub(crate) struct Splitter {
    input: Input,
    boundary: Boundary,
    limit: u64,
    piece_bytes: usize,
    long_records: LongRecords,
    /// Whether a part of a long record was given, and the buffer goes on with it.
    in_long_record: bool,
    buffer: Vec<u8>,
    /// How much of the buffer has no more ends in it.
    scanned: usize,
    rest: Rest,
    record: u64,
    line: u64,
}

/// What is known of what was not read yet.
enum Rest {
    More,
    Ended,
    Failed(io::Error),
}

/// What records are cut out of.
pub(crate) enum Input {
    /// A file as it is stored, read without clearing the memory first; and how far.
    File(File, Position),
    /// Anything else.
    Stream(Box<dyn Read + Send>),
}

impl Input {
    /// Reads one step to the end of a buffer; 0 bytes at the end.
    pub(crate) fn step(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            Self::File(file, position) => {
                buffer.reserve(STEP);
                let read = file.take(STEP as u64).read_to_end(buffer)?;
                position.advance(read);
                Ok(read)
            }
            // No more than there is: what comes through a pipe is not to wait for what follows.
            Self::Stream(stream) => {
                let before = buffer.len();
                buffer.resize(before + STEP, 0);
                let read = loop {
                    match stream.read(&mut buffer[before..]) {
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        read => break read,
                    }
                };
                buffer.truncate(before + *read.as_ref().unwrap_or(&0));
                read
            }
        }
    }
}

impl Splitter {
    pub(crate) fn new(input: Input, boundary: Boundary, limit: u64, piece_bytes: usize) -> Self {
        Self {
            input,
            boundary,
            limit,
            piece_bytes,
            long_records: LongRecords::Dropped,
            in_long_record: false,
            buffer: Vec::new(),
            scanned: 0,
            rest: Rest::More,
            record: 1,
            line: 1,
        }
    }

    /// The same, with the bytes of long records or without them.
    pub(crate) fn with_long_records(self, long_records: LongRecords) -> Self {
        Self { long_records, ..self }
    }

    /// Takes the byte order mark off the beginning, if there is one.
    pub(crate) fn take_byte_order_mark(&mut self) -> Vec<u8> {
        while matches!(self.rest, Rest::More) && self.buffer.len() < BYTE_ORDER_MARK.len() {
            self.fill();
        }
        if self.buffer.starts_with(BYTE_ORDER_MARK) {
            return self.buffer.drain(..BYTE_ORDER_MARK.len()).collect();
        }
        Vec::new()
    }

    /// The first byte that is no white space, if it is near.
    pub(crate) fn first_visible(&self) -> Option<u8> {
        self.buffer.trim_ascii_start().first().copied()
    }

    /// Takes the header off the beginning: the first record with its line end, and the blank
    /// lines before it. Empty if there is none, `None` if it is longer than the limit.
    pub(crate) fn take_header(&mut self, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let mut header = Vec::new();
        loop {
            let end = self.boundary.end(&self.buffer[self.scanned..]);
            let taken = match (end, &self.rest) {
                (Some(end), _) => self.scanned + end,
                (None, Rest::Ended) => self.buffer.len(),
                (None, Rest::More) => {
                    self.scanned = self.buffer.len();
                    if self.scanned as u64 > limit.saturating_add(MAX_TERMINATOR) {
                        return Ok(None);
                    }
                    self.fill();
                    continue;
                }
                (None, Rest::Failed(_)) => match std::mem::replace(&mut self.rest, Rest::Ended) {
                    Rest::Failed(error) => return Err(error),
                    _ => return Ok(Some(header)),
                },
            };
            let blank = !self.boundary.is_record(&self.buffer[..taken], limit);
            header.extend(self.buffer.drain(..taken));
            self.scanned = 0;
            if content(&header).len() as u64 > limit {
                return Ok(None);
            }
            if !blank || taken == 0 {
                return Ok(Some(header));
            }
        }
    }

    /// Reads one step.
    fn fill(&mut self) {
        match self.input.step(&mut self.buffer) {
            Ok(0) => self.rest = Rest::Ended,
            Ok(_) => {}
            Err(error) => self.rest = Rest::Failed(error),
        }
    }

    /// Reads over the record that the buffer begins with.
    fn skip_record(&mut self) -> io::Result<Split> {
        loop {
            self.buffer.clear();
            match &self.rest {
                Rest::More => self.fill(),
                Rest::Ended => break,
                Rest::Failed(_) => {
                    if let Rest::Failed(error) = std::mem::replace(&mut self.rest, Rest::Ended) {
                        return Err(error);
                    }
                }
            }
            if let Some(end) = self.boundary.end(&self.buffer) {
                self.buffer.drain(..end);
                break;
            }
        }
        self.scanned = 0;
        let (record, line) = (self.record, self.line);
        self.record += 1;
        self.line += 1;
        Ok(Split::TooLong { record, line })
    }

    /// The next part of the long record that the buffer begins with. The first is everything
    /// that was read to see that it is long.
    fn part_of_record(&mut self) -> io::Result<Split> {
        let mut end = None;
        if self.in_long_record {
            match std::mem::replace(&mut self.rest, Rest::Ended) {
                Rest::More => {
                    self.rest = Rest::More;
                    self.fill();
                }
                Rest::Ended => {}
                Rest::Failed(error) => {
                    self.in_long_record = false;
                    return Err(error);
                }
            }
            let is_over = matches!(self.rest, Rest::Ended);
            end = self.boundary.end(&self.buffer).or(is_over.then_some(self.buffer.len()));
        }
        let rest = end.map_or_else(Vec::new, |end| self.buffer.split_off(end));
        let bytes = std::mem::replace(&mut self.buffer, rest);
        self.scanned = 0;
        self.in_long_record = end.is_none();
        let record = self.record;
        if end.is_some() {
            self.record += 1;
            self.line += 1;
        }
        Ok(Split::Part { record, bytes })
    }

    /// Cuts off the first bytes of the buffer.
    fn cut(&mut self, end: usize, records: u64, lines: u64) -> Split {
        // As large as this piece was, or it would be moved while it grows.
        let room = (self.buffer.len() + STEP).min(self.piece_bytes.saturating_add(STEP));
        let mut rest = Vec::with_capacity(room);
        rest.extend_from_slice(&self.buffer[end..]);
        self.scanned = rest.len();
        let mut bytes = std::mem::replace(&mut self.buffer, rest);
        bytes.truncate(end);
        let piece = Piece { bytes, record: self.record, line: self.line, records };
        self.record += records;
        self.line += lines;
        Split::Records(piece)
    }
}

impl Iterator for Splitter {
    type Item = io::Result<Split>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.in_long_record {
            return Some(self.part_of_record());
        }
        let (mut complete, mut records, mut lines) = (0, 0, 0);
        loop {
            while let Some(end) = self.boundary.end(&self.buffer[self.scanned..]) {
                self.scanned += end;
                let piece = &self.buffer[complete..self.scanned];
                records += u64::from(self.boundary.is_record(piece, self.limit));
                lines += 1;
                complete = self.scanned;
            }
            self.scanned = self.buffer.len();
            let rest = self.buffer.len() - complete;
            let too_long = rest as u64 > self.limit.saturating_add(MAX_TERMINATOR);
            let is_full = self.buffer.len() >= self.piece_bytes || records >= MAX_RECORDS;
            if complete > 0 && (too_long || is_full) {
                return Some(Ok(self.cut(complete, records, lines)));
            }
            if too_long {
                return Some(match self.long_records {
                    LongRecords::Dropped => self.skip_record(),
                    LongRecords::Given => self.part_of_record(),
                });
            }
            match std::mem::replace(&mut self.rest, Rest::Ended) {
                Rest::More => {
                    self.rest = Rest::More;
                    self.fill();
                }
                Rest::Ended => {
                    let last = &self.buffer[complete..];
                    records += u64::from(self.boundary.is_record(last, self.limit));
                    let all = self.buffer.len();
                    return (all > 0).then(|| Ok(self.cut(all, records, lines + 1)));
                }
                Rest::Failed(error) if complete == 0 => {
                    // What follows the last whole record is no record.
                    self.buffer.clear();
                    self.scanned = 0;
                    return Some(Err(error));
                }
                failed @ Rest::Failed(_) => {
                    self.rest = failed;
                    return Some(Ok(self.cut(complete, records, lines)));
                }
            }
        }
    }
}

/// Calls `each` with the bytes of every record, with its line end, and with the boundary as it
/// stands after it. The second argument counts lines from 0, blank ones too.
pub(crate) fn for_each_record(
    bytes: &[u8],
    mut boundary: Boundary,
    limit: u64,
    mut each: impl FnMut(&[u8], u64, Boundary),
) {
    let mut rest = bytes;
    let mut line = 0;
    while !rest.is_empty() {
        let end = boundary.end(rest).unwrap_or(rest.len());
        let piece = &rest[..end];
        if boundary.is_record(piece, limit) {
            each(piece, line, boundary);
        }
        line += 1;
        rest = &rest[end..];
    }
}

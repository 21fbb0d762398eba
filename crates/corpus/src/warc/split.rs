//! A stream of WARC records cut into pieces of whole ones, in order and in bounded memory.
//!
//! Every read asks for the same number of bytes, whatever size the pieces are,
//! as in the splitter of lines. What has been read is looked at again only when
//! a record's length was wrong, and then from its header on: no byte is passed
//! over twice.

use std::io;

use memchr::memmem;

use super::document::{Class, TELLING_BYTES, classify};
use super::header::{self, End, Header, MAGIC, MAX_HEADER_BYTES};
use super::{Document, Entry, Piece};
use crate::error::{Fault, Place};
use crate::position::Position;
use crate::split::{self, STEP};

/// How far behind a record the next one is looked for: two line ends, and some writers leave more. All
/// that are seen there belong to the record, or a copy of it could be taken for one that does not end.
pub(crate) const LOOK_AHEAD: usize = 64;

/// More than a line end and the longest version line have.
const MAX_VERSION_LINE: usize = 32;

/// What becomes of the bytes of records that are not documents, or cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// They are counted only.
    Dropped,
    /// They are in the pieces with the documents, or parts of their own.
    Held,
}

/// How the place of a record in the stream tells where it is stored.
#[derive(Clone, Debug)]
pub(crate) enum StoredOffsets {
    /// It does not.
    Unknown,
    /// They are the same: the file is not packed.
    Plain,
    /// Where a member begins with it.
    Members(Position),
}

impl StoredOffsets {
    fn of(&self, offset: u64) -> Option<u64> {
        match self {
            Self::Unknown => None,
            Self::Plain => Some(offset),
            Self::Members(position) => position.member_at(offset),
        }
    }
}

/// What a splitter gives.
#[derive(Debug)]
pub(crate) enum Split {
    Records(Piece),
    /// A part of a record that is longer than the limit, or goes on to where the next one is
    /// found.
    Part {
        /// Of one that is no document there is none.
        number: Option<u64>,
        bytes: Vec<u8>,
        /// Whether it is as long as it says. Otherwise a reader takes it for what it is only where
        /// the same bytes follow it as here.
        is_sound: bool,
        is_last: bool,
    },
}

/// The stream and how far it has been cut.
pub(crate) struct Splitter {
    input: Input,
    limit: u64,
    piece_bytes: u64,
    others: Others,
    offsets: StoredOffsets,
    piece: Piece,
    /// Where the piece begins.
    begun: u64,
    /// Records so far, of any kind.
    stored: u64,
    /// What is left of a record that is passed in parts.
    long: Option<LongRecord>,
}

/// A record that is passed in parts.
#[derive(Clone, Copy)]
struct LongRecord {
    place: Place,
    left: Remainder,
    /// If its bytes are wanted.
    held: Option<HeldNumber>,
}

/// The number of a record whose bytes are wanted, if it has one.
type HeldNumber = Option<u64>;

/// How much there is of it.
#[derive(Clone, Copy)]
enum Remainder {
    /// So many bytes, and line ends.
    Bytes(u64),
    /// Whatever comes before the next record, which does not begin in so many bytes.
    ToNextRecord(usize),
}

impl Splitter {
    pub(crate) fn new(input: split::Input, others: Others, limit: u64, piece_bytes: usize) -> Self {
        Self {
            input: Input::new(input),
            limit,
            piece_bytes: piece_bytes.max(1) as u64,
            others,
            offsets: StoredOffsets::Unknown,
            piece: Piece { record: 1, ..Piece::default() },
            begun: 0,
            stored: 0,
            long: None,
        }
    }

    /// With records that say where they are stored.
    pub(crate) fn with_offsets(self, offsets: StoredOffsets) -> Self {
        Self { offsets, ..self }
    }

    /// Whether the piece is to be handed on before anything else. One without a record counts as
    /// well: whoever waits for it may want to stop.
    fn is_full(&self) -> bool {
        let is_in_the_way = self.long.as_ref().is_some_and(|long| long.held.is_some());
        self.input.offset - self.begun >= self.piece_bytes
            || (is_in_the_way && !self.piece.entries.is_empty())
    }

    fn cut(&mut self) -> Split {
        self.begun = self.input.offset;
        let record = self.piece.record + self.piece.records;
        Split::Records(std::mem::replace(&mut self.piece, Piece { record, ..Piece::default() }))
    }

    fn is_empty(&self) -> bool {
        self.piece.entries.is_empty() && self.piece.passed_over.is_empty()
    }

    /// Counts a record that cannot be read and is passed in parts. Gives its number if these are
    /// wanted: then the parts say all there is to say of it.
    fn bad(&mut self, place: Place, fault: Fault) -> Option<HeldNumber> {
        let piece = &mut self.piece;
        if self.others == Others::Dropped {
            piece.records += 1;
            piece.entries.push(Entry::Bad(place, fault, 0..0));
            return None;
        }
        let number = piece.record + piece.records;
        // It stands after the piece, if there is one: that is handed on first.
        *(if piece.entries.is_empty() { &mut piece.record } else { &mut piece.records }) += 1;
        Some(Some(number))
    }

    /// Goes over the next record. False at the end of what can be read.
    fn take_record(&mut self) -> bool {
        self.input.skip_line_ends();
        if self.input.available(1).is_empty() {
            return false;
        }
        self.stored += 1;
        let place = Place::Stored { record: self.stored, offset: self.input.offset };
        match self.try_record(place) {
            Ok(is_taken) => is_taken,
            Err((fault, sound_bytes)) => {
                let held = self.bad(place, fault);
                self.long =
                    Some(LongRecord { place, left: Remainder::ToNextRecord(sound_bytes), held });
                true
            }
        }
    }

    /// As [`take_record`](Self::take_record). The fault of a record comes with the number of its
    /// bytes that no other record can begin in.
    fn try_record(&mut self, place: Place) -> Result<bool, (Fault, usize)> {
        let without_end = |at| Err((Fault::Header("has a header without an end".to_owned()), at));
        let header_end = match self.input.header().map_err(|fault| (fault, 0))? {
            End::Whole(header_end) => header_end,
            End::Missing if self.input.has_failed() => return Ok(false),
            End::Missing => return without_end(0),
            End::Interrupted(at) => return without_end(at),
        };
        let at_block = |fault| (fault, header_end);
        let header = Header(&self.input.rest()[..header_end]);
        let length = header.content_length().map_err(at_block)?;
        let whole = (header_end as u64).saturating_add(length);
        if whole > self.limit {
            self.begin_long(place, header_end, whole);
            return Ok(true);
        }
        let whole = whole as usize;
        let found = self.input.available(whole + LOOK_AHEAD).len();
        if found < whole && self.input.has_failed() {
            return Ok(false);
        }
        if found < whole {
            let found = found - header_end;
            return Err(at_block(Fault::Length(format!(
                "has a Content-Length of {length}, but only {found} bytes follow"
            ))));
        }
        if !self.input.is_end(whole) {
            return Err(at_block(Fault::Length(format!(
                "has a Content-Length of {length}, but does not end there"
            ))));
        }
        self.take_whole(place, header_end, whole);
        Ok(true)
    }

    /// Takes a record that is here.
    fn take_whole(&mut self, place: Place, header_end: usize, whole: usize) {
        let rest = self.input.rest();
        let class = classify(Header(&rest[..header_end]), &rest[header_end..whole]);
        let end = whole + line_ends(&rest[whole..]).min(LOOK_AHEAD);
        let piece = &mut self.piece;
        let start = piece.bytes.len();
        let bytes = start..start + end;
        match class {
            Class::Document(payload) => {
                piece.bytes.extend_from_slice(&rest[..end]);
                piece.records += 1;
                let stored_at = self.offsets.of(self.input.offset);
                let block_end = whole;
                let document = Document { place, stored_at, bytes, header_end, block_end, payload };
                piece.entries.push(Entry::Document(document));
            }
            Class::PassedOver(reason) => {
                piece.passed_over.push(reason);
                if self.others == Others::Held {
                    piece.bytes.extend_from_slice(&rest[..end]);
                    piece.entries.push(Entry::PassedOver(bytes));
                }
            }
            Class::Bad(fault) => {
                let mut bytes = start..start;
                if self.others == Others::Held {
                    piece.bytes.extend_from_slice(&rest[..end]);
                    bytes.end += end;
                }
                piece.records += 1;
                piece.entries.push(Entry::Bad(place, fault, bytes));
            }
        }
        self.input.consume(end);
    }

    /// Begins to read over a record that is longer than the limit.
    fn begin_long(&mut self, place: Place, header_end: usize, whole: u64) {
        let told = (header_end + TELLING_BYTES).min(usize::try_from(whole).unwrap_or(usize::MAX));
        let bytes = self.input.available(told);
        let block = &bytes[header_end..told.min(bytes.len())];
        let class = classify(Header(&bytes[..header_end]), block);
        let held = match class {
            Class::Document(_) => self.bad(place, Fault::TooLong(self.limit)),
            Class::Bad(fault) => self.bad(place, fault),
            Class::PassedOver(reason) => {
                self.piece.passed_over.push(reason);
                (self.others == Others::Held).then_some(None)
            }
        };
        self.long = Some(LongRecord { place, left: Remainder::Bytes(whole), held });
    }

    /// Goes on over a record that is passed in parts. Gives the part if it is wanted.
    fn pass_long(&mut self, long: LongRecord) -> io::Result<Option<Split>> {
        let (count, left) = match long.left {
            Remainder::Bytes(left) => {
                let read = self.input.available(1).len();
                if read == 0 {
                    let fault = format!("{}: {left} bytes of it are missing", long.place);
                    let cut = io::Error::new(io::ErrorKind::UnexpectedEof, fault);
                    return Err(self.input.take_failure().unwrap_or(cut));
                }
                let count = left.min(read as u64);
                let left = left - count;
                let mut count = count as usize;
                if left == 0 {
                    let after = &self.input.available(count + LOOK_AHEAD)[count..];
                    count += line_ends(after).min(LOOK_AHEAD);
                }
                (count, (left > 0).then_some(Remainder::Bytes(left)))
            }
            Remainder::ToNextRecord(sound_bytes) => {
                let (count, is_next) = self.input.step_to_record(sound_bytes);
                (count, (!is_next).then_some(Remainder::ToNextRecord(0)))
            }
        };
        let is_sound = matches!(long.left, Remainder::Bytes(_));
        let part = long.held.map(|number| {
            let bytes = self.input.rest()[..count].to_vec();
            Split::Part { number, bytes, is_sound, is_last: left.is_none() }
        });
        self.input.consume(count);
        self.long = left.map(|left| LongRecord { left, ..long });
        Ok(part)
    }
}

impl Iterator for Splitter {
    type Item = io::Result<Split>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.is_full() {
                return Some(Ok(self.cut()));
            }
            if let Some(long) = self.long.take() {
                match self.pass_long(long) {
                    Ok(None) => {}
                    Ok(Some(part)) => return Some(Ok(part)),
                    Err(fault) => self.input.fail(fault),
                }
            } else if !self.take_record() {
                if !self.is_empty() {
                    return Some(Ok(self.cut()));
                }
                return self.input.take_failure().map(Err);
            }
        }
    }
}

/// How many bytes at the beginning are of line ends.
fn line_ends(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| b"\r\n".contains(byte)).count()
}

/// The stream, with what has been read of it and not been taken.
struct Input {
    stream: split::Input,
    buffer: Vec<u8>,
    /// Where in the buffer the rest begins, and where in the stream.
    start: usize,
    offset: u64,
    state: State,
}

enum State {
    More,
    Ended,
    Failed(io::Error),
}

impl Input {
    fn new(stream: split::Input) -> Self {
        Self { stream, buffer: Vec::new(), start: 0, offset: 0, state: State::More }
    }

    /// What has been read and not been taken.
    fn rest(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    fn has_failed(&self) -> bool {
        matches!(self.state, State::Failed(_))
    }

    /// Nothing more can be read.
    fn fail(&mut self, fault: io::Error) {
        self.consume(self.rest().len());
        self.state = State::Failed(fault);
    }

    fn take_failure(&mut self) -> Option<io::Error> {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Failed(error) => Some(error),
            State::More | State::Ended => None,
        }
    }

    /// The rest: at least so many bytes, unless the stream is over before.
    fn available(&mut self, wanted: usize) -> &[u8] {
        while self.rest().len() < wanted && matches!(self.state, State::More) {
            self.fill();
        }
        self.rest()
    }

    fn consume(&mut self, bytes: usize) {
        self.start += bytes;
        self.offset += bytes as u64;
    }

    /// Reads one step.
    fn fill(&mut self) {
        // Never more is moved than was taken since the last time.
        if self.start >= self.rest().len() {
            self.buffer.drain(..self.start);
            self.start = 0;
            // One long record is no reason to hold as much for all that follow.
            self.buffer.shrink_to((4 * self.buffer.len()).max(8 * STEP));
        }
        match self.stream.step(&mut self.buffer) {
            Ok(0) => self.state = State::Ended,
            Ok(_) => {}
            Err(error) => self.state = State::Failed(error),
        }
    }

    fn skip_line_ends(&mut self) {
        loop {
            let count = line_ends(self.available(1));
            self.consume(count);
            if count == 0 {
                return;
            }
        }
    }

    /// Reads the header that the rest begins with; its end is missing if the stream is over.
    fn header(&mut self) -> Result<End, Fault> {
        let mut looked_at = 0;
        loop {
            let rest = self.available((looked_at + 1).max(MAGIC.len()));
            let head = &rest[..rest.len().min(MAX_HEADER_BYTES)];
            if !head.starts_with(&MAGIC[..MAGIC.len().min(head.len())]) {
                return Err(Fault::NoWarcRecord);
            }
            let end = header::end(head);
            if end != End::Missing {
                return Ok(end);
            }
            if head.len() == MAX_HEADER_BYTES {
                let fault = format!("has a header of more than {MAX_HEADER_BYTES} bytes");
                return Err(Fault::Header(fault));
            }
            if rest.len() <= looked_at {
                return Ok(End::Missing);
            }
            looked_at = rest.len();
        }
    }

    /// Whether after so many bytes, which are here, a record ends: there are two line ends, or the
    /// next record, or nothing.
    fn is_end(&self, end: usize) -> bool {
        let is_over = !matches!(self.state, State::More);
        let after = &self.rest()[end..];
        let after = &after[..after.len().min(LOOK_AHEAD)];
        let next = &after[line_ends(after)..];
        after.starts_with(b"\r\n\r\n")
            || next.starts_with(MAGIC)
            || (MAGIC.starts_with(next) && (is_over || next.is_empty()))
    }

    /// A step to the next line that only a record begins with, or to the end: how many bytes it
    /// has, and whether it is the last. None begins in so many bytes, but the line end before it
    /// may be the last of them.
    fn step_to_record(&mut self, sound_bytes: usize) -> (usize, bool) {
        let from = sound_bytes.saturating_sub(1);
        let rest = self.available(from + MAX_VERSION_LINE);
        let Some(found) = memmem::find(rest.get(from..).unwrap_or_default(), b"\nWARC/") else {
            let (read, is_over) = (rest.len(), rest.len() < from + MAX_VERSION_LINE);
            // What is looked for may begin in the last bytes.
            return (if is_over { read } else { read - MAGIC.len() }, is_over);
        };
        let line = from + found + 1;
        let rest = self.available(line + MAX_VERSION_LINE);
        (line, header::is_version_line(&rest[line..]))
    }
}

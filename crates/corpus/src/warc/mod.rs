//! Web archives: WARC files of crawlers, and the WET files of text made from them.
//!
//! A file is one record after another: a header that says how long it is, that
//! many bytes, two line ends. It may be compressed as a whole, or each record
//! as a member of its own; both unpack to the same stream. [`Splitter`] goes
//! over that stream in order. By the length of each record it finds the next,
//! and by the heads of both WARC and HTTP it tells which records are documents:
//! whole pages and plain texts. The others, usually two of three, are counted
//! by why they are none and have no numbers, as blank lines of other formats
//! have none. Unpacking and decoding of pages is left to [`for_each`], on any
//! thread.
//!
//! A length that is wrong shows by what follows it: neither two line ends nor
//! a record nor the end. Then the record is bad, and the next is looked for from its own header
//! on, as a line that only a record begins with. A record that is longer than
//! the limit is read over, and its length has to be believed: where it leads
//! beyond the end of the file, the file is broken.

mod companions;
mod document;
mod header;
mod http;
mod revisit;
mod selection;
mod split;

use std::borrow::Cow;
use std::ops::Range;

pub(crate) use split::{Others, Split, Splitter, StoredOffsets};

use crate::error::{Fault, Place, Result};
use crate::record::{Context, Record};
use document::Payload;
use header::Header;

/// Records, one after another.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    /// The records that are held, as their file has them.
    pub(crate) bytes: Vec<u8>,
    /// The number of the first of those that have one.
    pub(crate) record: u64,
    /// How many have one.
    pub(crate) records: u64,
    entries: Vec<Entry>,
    /// Why the others are no documents.
    pub(crate) passed_over: Vec<Cow<'static, str>>,
}

/// A record of a piece.
#[derive(Debug)]
enum Entry {
    Document(Document),
    /// With its bytes, where all are wanted.
    Bad(Place, Fault, Range<usize>),
    /// Held because all bytes are wanted.
    PassedOver(Range<usize>),
}

#[derive(Debug)]
struct Document {
    place: Place,
    /// Where it is stored, if that is known.
    stored_at: Option<u64>,
    /// Its bytes in the piece, with the line ends after it.
    bytes: Range<usize>,
    /// Where in them the header ends, and the block.
    header_end: usize,
    block_end: usize,
    payload: Payload,
}

/// Records as they are stored.
#[derive(Clone, Copy)]
pub(crate) enum StoredRecord<'a> {
    /// Which has a number, whether it can be read or not.
    Record(&'a [u8]),
    PassedOver(&'a [u8]),
}

impl Piece {
    /// Calls `each` with every record as it is stored, and its number if it has one.
    pub(crate) fn for_each_stored(&self, mut each: impl FnMut(u64, StoredRecord<'_>)) {
        let mut number = self.record;
        for entry in &self.entries {
            match entry {
                Entry::Document(document) => {
                    each(number, StoredRecord::Record(&self.bytes[document.bytes.clone()]));
                    number += 1;
                }
                Entry::Bad(_, _, bytes) => {
                    each(number, StoredRecord::Record(&self.bytes[bytes.clone()]));
                    number += 1;
                }
                Entry::PassedOver(bytes) => {
                    each(number, StoredRecord::PassedOver(&self.bytes[bytes.clone()]));
                }
            }
        }
    }
}

/// Decodes the documents of a piece.
pub(crate) fn for_each(
    piece: &Piece,
    context: &Context,
    mut wanted: impl FnMut(u64) -> bool,
    mut each: impl FnMut(Result<Record<'_>>),
) {
    let mut number = piece.record;
    for entry in &piece.entries {
        match entry {
            Entry::PassedOver(_) => continue,
            _ if !wanted(number) => {}
            Entry::Bad(place, fault, _) => each(context.bad(*place, fault.clone())),
            Entry::Document(document) => {
                let header = Header(&piece.bytes[document.bytes.clone()][..document.header_end]);
                each(read(piece, document, &header, number, context));
            }
        }
        number += 1;
    }
}

fn read<'a>(
    piece: &'a Piece,
    document: &Document,
    header: &'a Header<'a>,
    number: u64,
    context: &Context,
) -> Result<Record<'a>> {
    let bytes = &piece.bytes[document.bytes.clone()];
    let payload = &document.payload;
    let body = &bytes[document.header_end + payload.start..document.block_end];
    let content = match payload.text(body, context.options.limits.max_record_bytes) {
        Ok(content) => content,
        Err(fault) => return context.bad(document.place, fault),
    };
    let id = header.get("WARC-Record-ID").filter(|id| !id.is_empty());
    Ok(Record {
        number,
        id: id.unwrap_or_else(|| context.default_id(number)),
        content,
        kind: payload.kind,
        url: header.get("WARC-Target-URI").map(without_brackets),
        offset: document.stored_at,
        fields: Some(header),
    })
}

/// Addresses stand in brackets by the letter of WARC 1.0.
fn without_brackets(url: Cow<'_, str>) -> Cow<'_, str> {
    if !(url.starts_with('<') && url.ends_with('>')) || url.len() < 2 {
        return url;
    }
    match url {
        Cow::Borrowed(url) => Cow::Borrowed(&url[1..url.len() - 1]),
        Cow::Owned(url) => Cow::Owned(url[1..url.len() - 1].to_owned()),
    }
}

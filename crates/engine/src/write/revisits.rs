//! What `revisit` records say of the keepers that they name: a table of keepers in web archives.
//!
//! Ids and addresses of documents are known. Dates and digests of payloads are read from the headers
//! of keepers again, in one pass over the archives that have any.

use std::ops::Range;

use lookalike_corpus::{FieldValue, Format, Record, Revisit};
use lookalike_files::{Rows, RowsKind, RowsWriter, double_word};

use super::annotations::{ClusterTable, keeper_of};
use crate::by_row::ByRow;
use crate::document_set::RowSet;
use crate::error::{Error, Result};
use crate::files::Files;
use crate::ids::Ids;
use crate::means::Means;
use crate::pipeline::{Event, Payload, Piece};
use crate::places::Row;
use crate::signature_file::SignatureLookup;
use crate::sources::{SourceRow, SourceTable};
use crate::urls::Urls;

const KEEPERS: RowsKind = *b"revisits";

/// A row, the lengths of a date and of a digest, and these. `sha512:` in hexadecimal digits has 135.
const BYTES: usize = 8 + 2 + DATE + DIGEST;
const DATE: usize = 38;
const DIGEST: usize = 136;

/// Bytes of the pass over the archives that wait to be written.
#[derive(Default)]
struct Found(Vec<u8>);

impl Payload for Found {
    fn bytes(&self) -> usize {
        self.0.len()
    }
}

impl Found {
    fn push(&mut self, row: Row, record: &Record<'_>) {
        let text = |name, most: usize| match record.field(name) {
            Some(FieldValue::String(text)) if text.len() <= most => text.into_owned(),
            _ => String::new(),
        };
        let texts = [text("WARC-Date", DATE), text("WARC-Payload-Digest", DIGEST)];
        self.0.extend_from_slice(&u64::from(row).to_le_bytes());
        self.0.extend(texts.iter().map(|text| text.len() as u8));
        for (text, room) in texts.iter().zip([DATE, DIGEST]) {
            self.0.extend_from_slice(text.as_bytes());
            self.0.resize(self.0.len() + room - text.len(), 0);
        }
    }
}

impl Means<'_> {
    /// Writes the table of the rows among these keepers that are in web archives.
    pub(crate) fn read_revisited(&self, sources: &SourceTable, keepers: &RowSet) -> Result<()> {
        let mut table = RowsWriter::create(&self.files.revisited(), KEEPERS, BYTES)?;
        let is_needed =
            |row: &SourceRow| row.source.format() == Format::Warc && keepers.any(&row.rows());
        self.pipeline(self.budget / 2).run(
            sources.to_read_again_of(0..sources.len(), is_needed),
            || {
                let mut source = sources.at_hand();
                Ok(move |number, piece: Piece| {
                    let row = source.get(number)?;
                    let mut found = Found::default();
                    // No archive is a long text.
                    let Piece::Chunk(chunk) = piece else { return Ok(found) };
                    let wanted = |record| row.row_of(record).filter(|row| keepers.contains(*row));
                    let mut read = Ok(());
                    chunk.for_each_wanted(
                        |record| wanted(record).is_some(),
                        |record| match record {
                            Ok(record) => {
                                if let Some(row) = wanted(record.number) {
                                    found.push(row, &record);
                                }
                            }
                            Err(error) => read = Err(Error::from(error)),
                        },
                    );
                    read.map(|()| found)
                })
            },
            |event| match event {
                Event::Result(Found(bytes)) => Ok(table.push(&bytes)?),
                Event::End { number, fault, .. } => sources.check_end(number, fault),
            },
        )?;
        Ok(table.finish()?)
    }
}

/// What making `revisit` records needs.
#[derive(Clone, Copy)]
pub(crate) struct Revisiting<'a> {
    pub(crate) files: &'a Files,
    pub(crate) clusters: &'a ClusterTable,
    pub(crate) signatures: &'a SignatureLookup,
}

/// What makes `revisit` records of documents that go.
pub(crate) struct Revisits<'a> {
    clusters: ByRow<'a, 3>,
    keepers: Rows,
    urls: Option<Urls>,
    ids: Ids<'a>,
}

impl<'a> Revisits<'a> {
    /// For the documents of some rows, in order.
    pub(crate) fn open(with: Revisiting<'a>, rows: &Range<Row>) -> Result<Self> {
        let Revisiting { files, clusters, signatures } = with;
        Ok(Self {
            clusters: clusters.from(rows.start)?,
            keepers: Rows::open(&files.revisited(), KEEPERS, BYTES)?,
            urls: Urls::open(&files.urls())?,
            ids: Ids::new(signatures),
        })
    }

    /// What the record in the place of a row names; `None` if its keeper is in no web archive.
    pub(crate) fn of(&mut self, row: Row) -> Result<Option<Revisit>> {
        let found = self.clusters.of(row)?.first().copied();
        let Some(keeper) = found.map(|[rows, ..]| keeper_of(rows)) else { return Ok(None) };
        let of = |entry: &[u8]| double_word(entry, 0);
        let at = self.keepers.partition_point(|entry| of(entry) < u64::from(keeper))?;
        let mut entry = [0; BYTES];
        if at == self.keepers.len() {
            return Ok(None);
        }
        self.keepers.rows(at, &mut entry)?;
        if of(&entry) != u64::from(keeper) {
            return Ok(None);
        }
        let text = |from: usize, length: u8| {
            let text = entry.get(from..from + usize::from(length)).unwrap_or_default();
            Some(String::from_utf8_lossy(text).into_owned()).filter(|text| !text.is_empty())
        };
        Ok(Some(Revisit {
            id: self.ids.get(keeper)?,
            url: self.urls.as_mut().map(|urls| urls.get(keeper)).transpose()?.flatten(),
            date: text(10, entry[8]),
            payload_digest: text(10 + DATE, entry[9]),
        }))
    }
}

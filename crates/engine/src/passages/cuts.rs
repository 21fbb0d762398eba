//! What is cut, in a file: a row for each piece, in the order of documents and of their bytes.

use std::ops::Range;

use lookalike_files::{Rows, RowsKind, RowsWriter};

use crate::by_row::{ByRow, first_of};
use crate::error::Result;
use crate::files::Files;
use crate::places::Row;
use crate::sort::{Record as _, SortedRecords};

const CUTS: RowsKind = *b"passcuts";

/// A piece of a document that is cut or annotated, and where the same words stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CutPiece {
    pub(crate) row: Row,
    /// Its bytes.
    pub(crate) begin: u32,
    pub(crate) end: u32,
    pub(crate) words: u32,
    /// How often its words stand in the corpus.
    pub(crate) copies: u32,
    pub(crate) keeper: Row,
    /// The bytes that stay.
    pub(crate) keeper_begin: u32,
    pub(crate) keeper_end: u32,
    /// Whether it stays where it is, since its document cannot be cut.
    pub(crate) annotated: bool,
}

/// Of the number of words, which is never larger than that of a part.
const ANNOTATED: u32 = 1 << 31;

/// A piece as it is sorted.
pub(super) type Packed = [u64; 4];

fn pair(high: u64, low: u32) -> u64 {
    high << 32 | u64::from(low)
}

impl CutPiece {
    pub(super) fn pack(self) -> Packed {
        let annotated = if self.annotated { ANNOTATED } else { 0 };
        [
            pair(self.row.into(), self.begin),
            pair(self.end.into(), self.words | annotated),
            pair(self.keeper.into(), self.copies),
            pair(self.keeper_begin.into(), self.keeper_end),
        ]
    }

    pub(crate) fn unpack(packed: Packed) -> Self {
        let [first, second, third, fourth] = packed;
        let row = |packed: u64| Row::nth(packed >> 32);
        Self {
            row: row(first),
            begin: first as u32,
            end: (second >> 32) as u32,
            words: second as u32 & !ANNOTATED,
            annotated: second as u32 & ANNOTATED != 0,
            copies: third as u32,
            keeper: row(third),
            keeper_begin: (fourth >> 32) as u32,
            keeper_end: fourth as u32,
        }
    }
}

/// Writes the file.
pub(super) fn write(files: &Files, mut sorted: SortedRecords<Packed>) -> Result<()> {
    let mut file = RowsWriter::create(&files.passage_cuts(), CUTS, Packed::BYTES)?;
    let mut bytes = [0; Packed::BYTES];
    while let Some(packed) = sorted.next()? {
        packed.encode(&mut bytes);
        file.push(&bytes)?;
    }
    Ok(file.finish()?)
}

/// The file.
pub(crate) struct Cuts(Rows);

impl Cuts {
    pub(crate) fn open(files: &Files) -> Result<Self> {
        Ok(Self(Rows::open(&files.passage_cuts(), CUTS, Packed::BYTES)?))
    }

    /// Calls `each` with all pieces, in order.
    pub(crate) fn for_each(&self, mut each: impl FnMut(CutPiece) -> Result<()>) -> Result<()> {
        self.0.for_each(|_, bytes| each(CutPiece::unpack(Packed::decode(bytes))))
    }

    /// Whether any of some rows has a piece.
    pub(crate) fn any(&self, rows: &Range<Row>) -> Result<bool> {
        Ok(first_of(&self.0, rows.start)? < first_of(&self.0, rows.end)?)
    }

    /// The pieces of rows from this one on, row by row.
    pub(crate) fn from(&self, row: Row) -> Result<ByRow<'_, 4>> {
        ByRow::from(&self.0, row)
    }
}

//! What was cut of the documents of a run, and where it stays.

use std::collections::HashMap;

use super::{Run, RunDocument};
use crate::error::Result;
use crate::passages::{CutPiece, Gone};
use crate::places::Row;

/// Pieces of a document that are told about, and pieces that it keeps for others.
pub const SHOWN_CUTS: usize = 1000;

/// A piece of a document that was cut, and where the same words stay.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cut {
    /// The document that it was cut of.
    pub document: RunDocument,
    /// Its first byte in the text.
    pub begin: u64,
    /// Where it ends.
    pub end: u64,
    /// Its words.
    pub words: u64,
    /// How often they stand in the corpus.
    pub copies: u64,
    /// The document in which they stay: another one, or the same.
    pub keeper: RunDocument,
    /// Their first byte there.
    pub keeper_begin: u64,
    /// Where they end.
    pub keeper_end: u64,
}

/// What passages have to do with a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentCuts {
    /// The words of the document.
    pub words: u64,
    /// Those that were cut.
    pub words_cut: u64,
    /// Whether these were only annotated, and stay.
    pub annotated: bool,
    /// Pieces that were cut.
    pub pieces: u64,
    /// The first of them, at most [`SHOWN_CUTS`].
    pub first: Vec<Cut>,
    /// Whether the document went, since fewer words were left than was asked for.
    pub gone: bool,
    /// Pieces of any document that were cut because it has the same words.
    pub kept: u64,
    /// The first of them, at most [`SHOWN_CUTS`].
    pub first_kept: Vec<Cut>,
}

/// The pieces of a document, as they are read.
#[derive(Default)]
struct Found {
    words_cut: u64,
    annotated: bool,
    pieces: u64,
    first: Vec<CutPiece>,
    kept: u64,
    first_kept: Vec<CutPiece>,
}

impl Run {
    /// Whether passages were looked for.
    pub fn has_passages(&self) -> bool {
        !self.manifest.option("passages").is_empty()
    }

    /// Whether documents were compared with each other as wholes.
    pub fn compares_documents(&self) -> bool {
        self.manifest.option("all-documents") != "true"
    }

    /// Whether more than one document of a cluster stays.
    pub fn keeps_several(&self) -> bool {
        !self.manifest.option("keep-count").is_empty()
    }

    /// The share of a document that need not be in its keeper, where documents went by containment.
    pub fn lost(&self) -> Option<f64> {
        self.manifest.option("lost").parse().ok()
    }

    /// Whether passages were annotated, and not cut.
    pub fn annotates_passages(&self) -> bool {
        self.has_passages() && !self.manifest.option("annotate").is_empty()
    }

    /// The documents that went because too few words were left of them. None does where passages were annotated.
    pub(super) fn gone(&self) -> Result<Option<Gone>> {
        let cuts = self.has_passages() && !self.annotates_passages();
        cuts.then(|| Gone::open(&self.files)).transpose()
    }

    /// What was cut of some documents, by one pass over the table; nothing if none was looked for.
    pub(super) fn cuts_of(&self, rows: &[Row]) -> Result<HashMap<Row, DocumentCuts>> {
        if !self.has_passages() {
            return Ok(HashMap::new());
        }
        let mut found: HashMap<Row, Found> = HashMap::new();
        found.extend(rows.iter().map(|row| (*row, Found::default())));
        let asked = rows.to_vec();
        let wanted = move |row, keeper| asked.contains(&row) || asked.contains(&keeper);
        self.for_each_cut(Some(Box::new(wanted)), |piece| {
            if let Some(of) = found.get_mut(&piece.row) {
                of.words_cut += u64::from(piece.words);
                of.pieces += 1;
                of.annotated |= piece.annotated;
                if of.first.len() < SHOWN_CUTS {
                    of.first.push(piece);
                }
            }
            if let Some(by) = found.get_mut(&piece.keeper) {
                by.kept += 1;
                if by.first_kept.len() < SHOWN_CUTS {
                    by.first_kept.push(piece);
                }
            }
            Ok(())
        })?;
        let gone = self.gone()?;
        let told = |(row, found): (Row, Found)| {
            let Found { words_cut, annotated, pieces, first, kept, first_kept } = found;
            let told = DocumentCuts {
                words: self.signatures.signature(row)?.tokens,
                words_cut,
                annotated: annotated || self.annotates_passages(),
                pieces,
                first: self.named(&first)?,
                gone: gone.as_ref().map_or(Ok(false), |gone| gone.contains(row))?,
                kept,
                first_kept: self.named(&first_kept)?,
            };
            Ok((row, told))
        };
        found.into_iter().map(told).collect()
    }

    /// Pieces, with what their documents are called.
    pub(super) fn named(&self, pieces: &[CutPiece]) -> Result<Vec<Cut>> {
        let mut documents: HashMap<Row, RunDocument> = HashMap::new();
        let mut document = |row| {
            if let Some(known) = documents.get(&row) {
                return Ok(RunDocument::clone(known));
            }
            let document = self.document(row)?;
            documents.insert(row, document.clone());
            Ok::<_, crate::error::Error>(document)
        };
        let cut = |piece: &CutPiece| {
            Ok(Cut {
                document: document(piece.row)?,
                begin: piece.begin.into(),
                end: piece.end.into(),
                words: piece.words.into(),
                copies: piece.copies.into(),
                keeper: document(piece.keeper)?,
                keeper_begin: piece.keeper_begin.into(),
                keeper_end: piece.keeper_end.into(),
            })
        };
        pieces.iter().map(cut).collect()
    }
}

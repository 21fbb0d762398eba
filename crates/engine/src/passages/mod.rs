//! Passages out of core: what repeats inside documents, and where its first copy stays.
//!
//! `lookalike_core::passages` has the definition of what is cut; this computes it for any number of
//! documents within a budget of memory.
//!
//! ```text
//! anchors  a document -> a few of its short runs of words, such that each window of N words has one;
//!          sorted: those that stand at two places or more
//! windows  documents with such anchors -> parts: their windows that have one, and where words stand;
//!          sorted by fingerprint: which part has a window next, in the order of the keep policy
//! sweep    parts in that order, each with what is known of its windows from those before it: what is
//!          cut; what is known then goes to the part that has the window next
//! ```
//!
//! Why that is the definition. Equal windows have equal anchors, since which run of a window is
//! its anchor depends on the window alone; so no window that stands at two places is left out. A window
//! matters to a part only by how often it stands in what was kept before, and where first; the sweep
//! hands that from each part that has the window to the next one, so that it is known when
//! the part is reached, and it is complete, since all parts before are decided by then.
//!
//! Fingerprints are keyed, 93 bits of two polynomials, so that equal ones are equal words
//! but for a chance of one in 2^40 at 2^24 windows of fifty words.

mod anchors;
mod cuts;
mod gone;
mod links;
mod messages;
mod part;
mod parts;
mod read;
mod rule;
mod sweep;
mod windows;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub(crate) use anchors::{Anchor, AnchorMaker, AnchorSink, KEPT as ANCHORS_KEPT};
pub(crate) use cuts::{CutPiece, Cuts};
pub(crate) use gone::Gone;
pub(crate) use read::{can_be_cut, longest_cut};
pub use rule::{PassageRule, PassageScope};

use crate::document_set::RowSet;
use crate::error::{Error, Result};
use crate::means::Means;
use crate::order::Order;
use crate::places::Row;
use crate::sort::Sorter;
use crate::sources::SourceTable;
use read::Reading;
use sweep::{CutPart, Parts, Sweep};

/// What was cut.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct CutSummary {
    /// Words of all documents that were looked at.
    pub(crate) all_words: u64,
    /// Documents of which something is cut, without those that go whole.
    pub(crate) documents: u64,
    /// Pieces, and the words in them.
    pub(crate) pieces: u64,
    pub(crate) words: u64,
    /// Documents that go, since too little is left of them, and the words that are lost with them.
    pub(crate) documents_gone: u64,
    pub(crate) lost_words: u64,
    /// Of documents that stay as they are.
    #[serde(default)]
    pub(crate) annotated: AnnotatedSummary,
}

/// What stands elsewhere of documents that cannot be cut.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct AnnotatedSummary {
    pub(crate) documents: u64,
    pub(crate) pieces: u64,
    pub(crate) words: u64,
}

impl Means<'_> {
    /// Finds what is cut of the documents that are wanted, and writes it down. `words` are those of all of
    /// them if their anchors are known already; `tokens` has the words of each document.
    pub(crate) fn cut_passages(
        &self,
        rule: &PassageRule,
        sources: &SourceTable,
        order: &Order,
        (documents, wanted): (u64, RowSet),
        words: Option<u64>,
        mut tokens: impl FnMut(Row) -> Result<u64>,
    ) -> Result<CutSummary> {
        let reading = Reading { means: *self, rule, sources, documents, wanted };
        let all_words = words.map_or_else(|| reading.anchors(), Ok)?;
        let folder = self.files.sorting();
        let windows = reading.parts(order)?;
        let links = windows.links(rule, self)?;
        let mut parts = Parts::open(self.files)?;
        let mut keepers = Parts::open(self.files)?;
        let mut sorter = Sorter::new(&folder, self.budget / 4);
        let mut summary = CutSummary { all_words, ..CutSummary::default() };
        let mut gone = RowSet::none(documents);
        // The last document, and the words that were cut of it.
        let mut document: Option<(Row, u64)> = None;
        let sweep = Sweep { means: *self, rule, order };
        sweep.run(links, &mut parts, &mut tokens, |CutPart { row, part, pieces, all, goes }| {
            let (mut words, mut written) = (0, 0);
            // Words of pieces that have no bytes, as if the character that they end in were the next one's.
            let mut before_bytes = 0;
            for (piece, copies) in pieces {
                let keeper = order.row(crate::places::Place::nth(piece.source.document.into()));
                let count = piece.tokens.end - piece.tokens.start;
                let there = keepers.get(keeper, piece.source.token)?;
                let at = piece.source.token - there.first;
                let stays = [there.place(at), there.place(at + count - 1)];
                let cut = [piece.tokens.start, piece.tokens.end].map(|token| {
                    part.unit_byte(token).or_else(|| part.place(token).map(|place| place[0]))
                });
                let ([Some(begin), Some(end)], [Some(first), Some(last)]) = (cut, stays) else {
                    return Err(damaged(self, row));
                };
                words += u64::from(count);
                if begin == end {
                    before_bytes += count;
                    continue;
                }
                let (copies, keeper_begin, keeper_end) = (*copies, first[0], last[1]);
                let piece = CutPiece {
                    row,
                    begin,
                    end,
                    words: count + std::mem::take(&mut before_bytes),
                    copies,
                    keeper,
                    keeper_begin,
                    keeper_end,
                    annotated: part.annotated,
                };
                sorter.push(piece.pack())?;
                written += 1;
            }
            let before = document.filter(|(last, _)| *last == row).map_or(0, |(_, words)| words);
            let cut = before + words;
            document = Some((row, cut));
            if part.annotated {
                let annotated = &mut summary.annotated;
                annotated.documents += u64::from(before == 0);
                annotated.pieces += written;
                annotated.words += words;
                return Ok(());
            }
            summary.pieces += written;
            summary.words += words;
            summary.documents += u64::from(before == 0);
            if goes || cut == all {
                gone.insert(row);
                summary.documents_gone += 1;
                summary.documents -= 1;
                summary.lost_words += all - cut;
            }
            Ok(())
        })?;
        gone::write(self.files, documents, &gone)?;
        cuts::write(self.files, sorter.finish()?)?;
        Ok(summary)
    }
}

fn damaged(means: &Means<'_>, row: Row) -> Error {
    let path = means.files.passage_parts();
    Error::corruption(&path, 0, format!("the words of row {row}"), "others".to_owned())
}

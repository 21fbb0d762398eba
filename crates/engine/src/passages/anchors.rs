//! The first pass over documents: anchors, and which of them stand at two places or more.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use lookalike_core::passages::PART;
use lookalike_core::text::{KeyedTokenizer, Unit};
use lookalike_files::{Rows, RowsKind, RowsWriter, double_word};

use super::read::{Reading, Text};
use super::windows::WindowMaker;
use crate::document_set::RowSet;
use crate::error::Result;
use crate::files::Files;
use crate::means::Means;
use crate::pipeline::Payload;
use crate::places::Row;
use crate::sort::Sorter;

/// Anchors that stand at two places or more: row and token, ascending.
const ANCHORS: RowsKind = *b"anchors ";

/// Anchors of a batch, and codes that there is room for between documents. What is more goes on before the
/// document ends, so that one of any length takes no more.
const KEPT: usize = 64 << 10;

impl Reading<'_> {
    /// Finds the anchors that stand at two places or more, and the documents that have them; how many words
    /// there are in all.
    pub(super) fn anchors(&self) -> Result<(RowSet, u64)> {
        let Means { files, budget, .. } = self.means;
        let sorter: Mutex<Sorter<[u64; 2]>> = Mutex::new(Sorter::new(&files.sorting(), budget / 4));
        let push = |anchors: &mut Vec<[u64; 2]>| {
            let mut sorter = sorter.lock().unwrap_or_else(PoisonError::into_inner);
            anchors.drain(..).try_for_each(|anchor| sorter.push(anchor))
        };
        let mut words = 0;
        self.run(
            budget / 2,
            &self.wanted,
            || {
                let mut maker = AnchorMaker::new(self);
                move |row: Row, text: Text<'_>, batch: &mut AnchorBatch| {
                    let mut pushed = Ok(());
                    text.for_each_piece(self.means, |piece| {
                        maker.piece(piece, row, batch);
                        if batch.anchors.len() > KEPT && pushed.is_ok() {
                            pushed = push(&mut batch.anchors);
                        }
                    })?;
                    maker.end();
                    pushed
                }
            },
            |mut batch: AnchorBatch| {
                words += batch.words;
                push(&mut batch.anchors)
            },
        )?;
        let sorter = sorter.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut sorted = sorter.finish()?;
        let mut repeated: Sorter<u64> = Sorter::new(&files.sorting(), budget / 4);
        let mut last: Option<([u64; 2], bool)> = None;
        let mut number = 0;
        while let Some(anchor) = sorted.next()? {
            self.means.listen(number)?;
            number += 1;
            let mut again = false;
            if let Some((before, pushed)) = last.filter(|(before, _)| before[0] == anchor[0]) {
                again = true;
                if !pushed {
                    repeated.push(before[1])?;
                }
                repeated.push(anchor[1])?;
            }
            last = Some((anchor, again));
        }
        drop(sorted);
        let mut repeated = repeated.finish()?;
        let mut file = RowsWriter::create(&files.passage_anchors(), ANCHORS, 8)?;
        let mut found = RowSet::none(self.documents);
        while let Some(spot) = repeated.next()? {
            file.push(&spot.to_le_bytes())?;
            found.insert(Row::nth(spot >> 32));
        }
        file.finish()?;
        Ok((found.count(), words))
    }
}

/// Finds the anchors of documents that come in pieces, on one thread.
struct AnchorMaker {
    windows: WindowMaker,
    tokenizer: KeyedTokenizer,
    /// Codes of tokens that are in windows which are not complete.
    codes: Vec<u64>,
    /// How many tokens came before them.
    before: u32,
    /// The last anchor of the document.
    last: Option<u32>,
}

impl AnchorMaker {
    fn new(reading: &Reading<'_>) -> Self {
        let Means { key, kernel, .. } = reading.means;
        Self {
            windows: WindowMaker::new(key, reading.rule.min_words),
            tokenizer: KeyedTokenizer::new(Unit::Words, kernel, key),
            codes: Vec::new(),
            before: 0,
            last: None,
        }
    }

    fn piece(&mut self, piece: &[u8], row: Row, batch: &mut AnchorBatch) {
        let Self { windows, tokenizer, codes, before, last } = self;
        let held = codes.len();
        tokenizer.codes(piece, codes);
        batch.words += (codes.len() - held) as u64;
        let row = u64::from(row) << 32;
        windows.for_each_anchor(codes, |anchor, at| {
            let at = *before + at;
            if last.replace(at) != Some(at) {
                batch.anchors.push([anchor, row | u64::from(at)]);
            }
        });
        // A window of more words than a part is in none of them.
        let done = if windows.width > PART { codes.len() } else { windows.count(codes.len()) };
        *before += done as u32;
        codes.drain(..done);
    }

    fn end(&mut self) {
        self.codes.clear();
        self.codes.shrink_to(KEPT);
        (self.before, self.last) = (0, None);
    }
}

/// Fingerprints of anchors, and where they stand.
#[derive(Default)]
struct AnchorBatch {
    anchors: Vec<[u64; 2]>,
    words: u64,
}

impl Payload for AnchorBatch {
    fn bytes(&self) -> usize {
        16 * self.anchors.len()
    }
}

/// Anchors that stand at two places or more.
pub(super) struct Anchors(Rows);

impl Anchors {
    pub(super) fn open(files: &Files) -> Result<Self> {
        Ok(Self(Rows::open(&files.passage_anchors(), ANCHORS, 8)?))
    }

    /// Those that begin at some tokens of a document, ascending.
    pub(super) fn of(&self, row: Row, tokens: Range<u32>) -> Result<Vec<u32>> {
        let row = u64::from(row) << 32;
        let [from, upto] =
            [tokens.start, tokens.end].map(|token| self.first(row | u64::from(token)));
        let (from, upto) = (from?, upto?);
        let mut bytes = vec![0; 8 * (upto - from) as usize];
        self.0.rows(from, &mut bytes)?;
        Ok((0..bytes.len()).step_by(8).map(|at| double_word(&bytes, at) as u32).collect())
    }

    /// The number of the first one at a spot or behind it.
    fn first(&self, spot: u64) -> Result<u64> {
        Ok(self.0.partition_point(|anchor| double_word(anchor, 0) < spot)?)
    }
}

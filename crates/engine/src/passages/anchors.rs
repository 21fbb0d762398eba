//! Anchors of documents, and which of them stand at two places or more.
//!
//! They are found in a pass of their own; or as documents are signed, where all of them are looked at.

use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use lookalike_core::VerificationKey;
use lookalike_core::passages::PART;
use lookalike_core::text::{KeyedTokenizer, Unit};
use lookalike_files::{Rows, RowsKind, RowsWriter, double_word};

use super::read::{Reading, Text};
use super::rule::PassageRule;
use super::windows::WindowMaker;
use crate::document_set::RowSet;
use crate::error::{Error, Result};
use crate::files::Files;
use crate::means::Means;
use crate::pipeline::Payload;
use crate::places::Row;
use crate::sort::Sorter;

/// Anchors that stand at two places or more: row and token, ascending.
const ANCHORS: RowsKind = *b"anchors ";

/// Anchors of a batch, and codes that there is room for between documents. What is more goes on before the
/// document ends, so that one of any length takes no more.
pub(crate) const KEPT: usize = 64 << 10;

/// Tokens that are looked at together.
const AT_ONCE: usize = 16 << 10;

/// A fingerprint, and where it stands: the row and the token.
pub(crate) type Anchor = [u64; 2];

/// Takes anchors in any order, on disk where they are many.
pub(crate) struct AnchorSink(Sorter<Anchor>);

impl AnchorSink {
    pub(crate) fn new(sorting: &Path, budget: usize) -> Self {
        Self(Sorter::new(sorting, budget))
    }

    /// Takes those of rows that begin with one, and leaves none.
    pub(crate) fn take(&mut self, first: Row, anchors: &mut Vec<Anchor>) -> Result<()> {
        let first = u64::from(first) << 32;
        anchors.drain(..).try_for_each(|[anchor, spot]| self.0.push([anchor, first + spot]))
    }

    /// Takes those of another, whose only row is this one.
    pub(crate) fn take_all(&mut self, row: Row, other: Self) -> Result<()> {
        let mut other = other.0.finish()?;
        while let Some(anchor) = other.next()? {
            self.take(row, &mut vec![anchor])?;
        }
        Ok(())
    }

    /// Writes down those that stand at two places or more.
    pub(crate) fn finish(self, means: Means<'_>) -> Result<()> {
        let Means { files, budget, .. } = means;
        let mut sorted = self.0.finish()?;
        let mut repeated: Sorter<u64> = Sorter::new(&files.sorting(), budget / 4);
        let mut last: Option<(Anchor, bool)> = None;
        let mut number = 0;
        while let Some(anchor) = sorted.next()? {
            means.listen(number)?;
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
        while let Some(spot) = repeated.next()? {
            file.push(&spot.to_le_bytes())?;
        }
        Ok(file.finish()?)
    }
}

impl Reading<'_> {
    /// Finds the anchors that stand at two places or more; how many words there are in all.
    pub(super) fn anchors(&self) -> Result<u64> {
        let Means { files, budget, key, kernel, .. } = self.means;
        let sink = Mutex::new(AnchorSink::new(&files.sorting(), budget / 4));
        let take = |anchors: &mut Vec<Anchor>| {
            sink.lock().unwrap_or_else(PoisonError::into_inner).take(Row::nth(0), anchors)
        };
        let mut words = 0;
        self.run(
            budget / 2,
            &self.wanted,
            || {
                let mut tokenizer = KeyedTokenizer::new(Unit::Words, kernel, key);
                let mut maker = AnchorMaker::new(key, self.rule);
                move |row: Row, text: Text<'_>, batch: &mut AnchorBatch| {
                    let mut taken = Ok(());
                    text.for_each_piece(self.means, |piece| {
                        tokenizer.for_each_block(piece, &mut |_, codes| {
                            batch.words += codes.len() as u64;
                            maker.push(codes, row, &mut batch.anchors);
                        });
                        if batch.anchors.len() > KEPT && taken.is_ok() {
                            taken = take(&mut batch.anchors);
                        }
                    })?;
                    maker.end(row, &mut batch.anchors);
                    taken
                }
            },
            |mut batch: AnchorBatch| {
                words += batch.words;
                take(&mut batch.anchors)
            },
        )?;
        sink.into_inner().unwrap_or_else(PoisonError::into_inner).finish(self.means)?;
        Ok(words)
    }
}

/// Finds the anchors of documents that come in blocks of codes, on one thread.
pub(crate) struct AnchorMaker {
    windows: WindowMaker,
    /// Codes of tokens whose windows were not looked at.
    codes: Vec<u64>,
    /// How many tokens came before them.
    before: u32,
    /// The last anchor of the document.
    last: Option<u32>,
}

impl AnchorMaker {
    pub(crate) fn new(key: &VerificationKey, rule: &PassageRule) -> Self {
        let windows = WindowMaker::new(key, rule.min_words);
        Self { windows, codes: Vec::new(), before: 0, last: None }
    }

    /// Takes the next tokens of a document.
    pub(crate) fn push(&mut self, codes: &[u64], row: Row, anchors: &mut Vec<Anchor>) {
        // A window of more words than a part is in none of them.
        if self.windows.width > PART {
            return;
        }
        self.codes.extend_from_slice(codes);
        // Those of a window that is not complete are looked at again.
        if self.codes.len() >= AT_ONCE.max(4 * self.windows.width) {
            self.look(row, anchors);
        }
    }

    fn look(&mut self, row: Row, anchors: &mut Vec<Anchor>) {
        let Self { windows, codes, before, last } = self;
        let row = u64::from(row) << 32;
        windows.for_each_anchor(codes, |anchor, at| {
            let at = *before + at;
            if last.replace(at) != Some(at) {
                anchors.push([anchor, row | u64::from(at)]);
            }
        });
        let done = windows.count(codes.len());
        *before += done as u32;
        codes.drain(..done);
    }

    /// Ends a document.
    pub(crate) fn end(&mut self, row: Row, anchors: &mut Vec<Anchor>) {
        self.look(row, anchors);
        self.codes.clear();
        self.codes.shrink_to(2 * AT_ONCE);
        (self.before, self.last) = (0, None);
    }
}

/// Fingerprints of anchors, and where they stand.
#[derive(Default)]
struct AnchorBatch {
    anchors: Vec<Anchor>,
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

    /// The documents, out of so many, that have any.
    pub(super) fn documents(&self, documents: u64) -> Result<RowSet> {
        let mut found = RowSet::none(documents);
        self.0.for_each(|_, anchor| {
            found.insert(Row::nth(double_word(anchor, 0) >> 32));
            Ok::<_, Error>(())
        })?;
        Ok(found.count())
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

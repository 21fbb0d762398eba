//! The passages of a run, to be looked through page by page.
//!
//! A passage is a place of a document that stays, whose words were cut elsewhere. One pass over
//! `passages.parquet` brings all cuts into memory, [`Passages::BYTES`] for each, in the order of the places
//! that stay; two more orders and that of the documents that were cut are kept beside them. Texts are read
//! from the inputs when they are asked for, and searched a bounded piece for each request.

use std::cmp::Reverse;
use std::ops::Range;
use std::slice::from_ref;

use lookalike_core::text::{Token, Tokenizer, Unit, spans};
use serde::{Deserialize, Serialize};

use super::text_pass::{ByteBudget, PASS_BYTES};
use super::{Cut, MarkLimits, MarkedPiece, Run, RunDocument, marked_cuts};
use crate::error::{Error, ErrorKind, Result};
use crate::passages::{CutPiece, Gone};
use crate::places::Row;

/// Passages whose documents one search looks at together.
const PIECE: usize = 4096;

/// The passages of a run.
pub struct Passages {
    run: Run,
    /// The cuts, those of a passage together and by their documents.
    cuts: Vec<CutPiece>,
    /// The first cut of each passage, and the end.
    starts: Vec<u32>,
    by_copies: Vec<u32>,
    by_words: Vec<u32>,
    /// The cuts as they stand in documents.
    by_document: Vec<u32>,
    /// Documents that went because too few words were left of them.
    gone: Option<Gone>,
}

/// A passage, without the places at which it was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PassageSummary {
    /// Its number, from 0, in the order of the places that stay.
    pub passage: u64,
    /// Its words.
    pub words: u64,
    /// How often they stand in the corpus.
    pub copies: u64,
    /// How often just these were cut.
    pub cuts: u64,
    /// The row of the document in which it stays.
    pub keeper: Row,
    /// Its first byte there.
    pub begin: u64,
    /// Where it ends.
    pub end: u64,
}

/// Which passages are wanted. The default is all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassageFilter {
    /// The fewest copies.
    pub min_copies: Option<u64>,
    /// The most.
    pub max_copies: Option<u64>,
    /// The fewest words.
    pub min_words: Option<u64>,
    /// The most.
    pub max_words: Option<u64>,
    /// Words that stand together in it.
    pub words: Option<String>,
}

/// The order in which passages come. A search for words comes in the order of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PassageOrder {
    /// Those with most copies first.
    #[default]
    Copies,
    /// The longest first.
    Words,
    /// By the documents in which they stay.
    Input,
}

/// Some passages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassagePage {
    /// Those that are wanted.
    pub passages: Vec<PassageSummary>,
    /// Where to go on; `None` at the end.
    pub next: Option<u64>,
    /// How many passages were looked at, from the beginning up to here.
    pub looked_at: u64,
    /// How many there are, wanted or not.
    pub of: u64,
    /// How many are wanted, where that is known.
    pub wanted: Option<u64>,
    /// Those whose words could not be searched: their texts have changed, are gone, or lie too deep
    /// in a large file.
    pub unread: u64,
}

/// The documents of an id or a URL, and their passages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassagesOfId {
    /// How many documents have it.
    pub documents: u64,
    /// The rows of the first of them.
    pub rows: Vec<Row>,
    /// Passages that they keep or that were cut of them, in order.
    pub passages: Vec<PassageSummary>,
}

/// A document with what was cut of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MarkedDocument {
    /// The document.
    pub document: RunDocument,
    /// Its words.
    pub words: u64,
    /// Those that were cut.
    pub words_cut: u64,
    /// How many pieces that are.
    pub cuts: u64,
    /// Whether it went, since fewer words were left than was asked for.
    pub gone: bool,
    /// The passages of its cuts, by their numbers in the text; no more than are marked.
    pub passages: Vec<u64>,
    /// Its text, shortened if it is long; nothing if it cannot be read.
    pub text: Vec<MarkedPiece>,
    /// Why it cannot be read.
    pub fault: Option<String>,
}

impl Passages {
    /// Bytes that are held of each cut.
    pub const BYTES: u64 = (size_of::<CutPiece>() + 4 * size_of::<u32>()) as u64;

    /// Reads the table of a run once, into no more than so many bytes of memory. A run that looked for no
    /// passages has none.
    ///
    /// # Errors
    /// If the table cannot be read, or has too many cuts.
    pub fn open(run: Run, memory: u64) -> Result<Self> {
        let most = memory / Self::BYTES;
        let (mut cuts, mut count) = (Vec::new(), 0);
        if run.has_passages() {
            run.for_each_cut(None, |piece| {
                count += 1;
                if count <= most {
                    cuts.push(piece);
                }
                Ok(())
            })?;
        }
        if count > most {
            let needed = count * Self::BYTES;
            return Err(Error::from(ErrorKind::TooManyCuts { cuts: count, needed }));
        }
        cuts.shrink_to_fit();
        // Within a passage the first has the most copies.
        let order = |cut: &CutPiece| (place(cut), Reverse(cut.copies), cut.row, cut.begin);
        cuts.sort_unstable_by_key(order);
        let mut starts: Vec<u32> = Vec::new();
        let mut at = 0;
        for passage in cuts.chunk_by(|a, b| place(a) == place(b)) {
            starts.push(at);
            at += passage.len() as u32;
        }
        let passages = 0..starts.len() as u32;
        starts.push(at);
        let mut by_document: Vec<u32> = (0..at).collect();
        by_document.sort_unstable_by_key(|&at| (cuts[at as usize].row, cuts[at as usize].begin));
        let first = |passage: u32| cuts[starts[passage as usize] as usize];
        let by = |key: fn(CutPiece) -> u32| {
            let mut order: Vec<u32> = passages.clone().collect();
            order.sort_unstable_by_key(|&passage| (Reverse(key(first(passage))), passage));
            order
        };
        let (by_copies, by_words) = (by(|cut| cut.copies), by(|cut| cut.words));
        let gone = run.gone()?;
        Ok(Self { run, cuts, starts, by_copies, by_words, by_document, gone })
    }

    /// The run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// How many passages there are.
    pub fn len(&self) -> u64 {
        self.by_copies.len() as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_copies.is_empty()
    }

    fn range(&self, passage: usize) -> Range<usize> {
        self.starts[passage] as usize..self.starts[passage + 1] as usize
    }

    /// A passage, by its number.
    pub fn get(&self, passage: u64) -> Option<PassageSummary> {
        (passage < self.len()).then(|| self.summary(passage as usize))
    }

    fn summary(&self, passage: usize) -> PassageSummary {
        let cuts = &self.cuts[self.range(passage)];
        let CutPiece { words, copies, keeper, keeper_begin, keeper_end, .. } = cuts[0];
        PassageSummary {
            passage: passage as u64,
            words: words.into(),
            copies: copies.into(),
            cuts: cuts.len() as u64,
            keeper,
            begin: keeper_begin.into(),
            end: keeper_end.into(),
        }
    }

    /// Some cuts of a passage, from that place on.
    ///
    /// # Errors
    /// If a file of the run cannot be read.
    pub fn cuts(&self, passage: u64, from: u64, count: u64) -> Result<Vec<Cut>> {
        if passage >= self.len() {
            return Ok(Vec::new());
        }
        let cuts = &self.cuts[self.range(passage as usize)];
        let from = usize::try_from(from).unwrap_or(usize::MAX).min(cuts.len());
        let upto = from.saturating_add(count as usize).min(cuts.len());
        self.run.named(&cuts[from..upto])
    }

    /// The cuts of a document, in order.
    fn of_document(&self, row: Row) -> &[u32] {
        let at = |at: &u32| self.cuts[*at as usize].row;
        let from = self.by_document.partition_point(|cut| at(cut) < row);
        let upto = self.by_document.partition_point(|cut| at(cut) <= row);
        &self.by_document[from..upto]
    }

    /// The passage of a cut.
    fn passage_of(&self, cut: u32) -> u64 {
        self.starts.partition_point(|start| *start <= cut) as u64 - 1
    }

    /// The passages that stay in a document.
    fn kept_in(&self, row: Row) -> Range<u64> {
        let first =
            |start: &u32| self.cuts.get(*start as usize).map_or(Row::NONE, |cut| cut.keeper);
        let from = self.starts.partition_point(|start| first(start) < row) as u64;
        let upto = self.starts.partition_point(|start| first(start) <= row) as u64;
        from.min(self.len())..upto.min(self.len())
    }

    /// The documents with an id, or with a URL if none has that id, and at most so many of the passages
    /// that they keep or that were cut of them.
    ///
    /// # Errors
    /// If a file of the run cannot be read.
    pub fn find(&self, id: &str, most: usize) -> Result<PassagesOfId> {
        let found = self.run.find(id)?;
        let mut passages: Vec<u64> = Vec::new();
        for &row in &found.rows {
            passages.extend(self.kept_in(row).take(most));
            passages
                .extend(self.of_document(row).iter().take(most).map(|cut| self.passage_of(*cut)));
        }
        passages.sort_unstable();
        passages.dedup();
        passages.truncate(most);
        let passages = passages.into_iter().map(|passage| self.summary(passage as usize)).collect();
        Ok(PassagesOfId { documents: found.count, rows: found.rows, passages })
    }

    /// The next passages that are wanted, at most `limit`. It begins at `after`, which is 0 or the
    /// `next` of a page of the same filter and order.
    ///
    /// A search for words may end before it has found as many, or any: then there is a next page.
    ///
    /// # Errors
    /// If a file of the run cannot be read.
    pub fn page(
        &self,
        filter: &PassageFilter,
        order: PassageOrder,
        after: u64,
        limit: usize,
    ) -> Result<PassagePage> {
        let all = self.len() as usize;
        let after = usize::try_from(after).unwrap_or(usize::MAX).min(all);
        let mut tokens = Vec::new();
        if let Some(words) = &filter.words {
            Tokenizer::new(Unit::Words).tokens(words.as_bytes(), &mut tokens);
        }
        if !tokens.is_empty() {
            return self.search(filter, &tokens, after, limit);
        }
        let at = |place: usize| match order {
            PassageOrder::Copies => self.by_copies[place] as usize,
            PassageOrder::Words => self.by_words[place] as usize,
            PassageOrder::Input => place,
        };
        let wanted = |place: &usize| self.is_wanted(filter, at(*place));
        // One more than asked for tells where the next page begins.
        let mut places: Vec<usize> = (after..all).filter(wanted).take(limit + 1).collect();
        let next = places.get(limit).map(|place| *place as u64);
        places.truncate(limit);
        Ok(PassagePage {
            passages: places.into_iter().map(|place| self.summary(at(place))).collect(),
            next,
            looked_at: next.unwrap_or(all as u64),
            of: all as u64,
            wanted: Some((0..all).filter(|at| self.is_wanted(filter, *at)).count() as u64),
            unread: 0,
        })
    }

    fn is_wanted(&self, filter: &PassageFilter, passage: usize) -> bool {
        let PassageSummary { copies, words, .. } = self.summary(passage);
        filter.min_copies.is_none_or(|least| copies >= least)
            && filter.max_copies.is_none_or(|most| copies <= most)
            && filter.min_words.is_none_or(|least| words >= least)
            && filter.max_words.is_none_or(|most| words <= most)
    }

    /// Looks for passages that have some words, in documents that are read from the inputs.
    fn search(
        &self,
        filter: &PassageFilter,
        wanted: &[Token],
        after: usize,
        limit: usize,
    ) -> Result<PassagePage> {
        let all = self.len() as usize;
        let mut budget = ByteBudget::new(PASS_BYTES);
        let some = (after..all).filter(|at| self.is_wanted(filter, *at)).take(PIECE + 1);
        let mut some: Vec<usize> = some.collect();
        let mut end = if some.len() > PIECE { some[PIECE] } else { all };
        some.truncate(PIECE);
        let keeper = |passage: &usize| self.summary(*passage).keeper;
        let mut rows: Vec<Row> = some.iter().map(keeper).collect();
        rows.dedup();
        let mut found: Vec<usize> = Vec::new();
        let pass = self.run.read_texts(&rows, &mut budget, |row, text| {
            let all = spans(Unit::Words, text);
            // Where the words stand: bytes, ascending.
            let stands: Vec<[u64; 2]> = all
                .windows(wanted.len())
                .filter(|some| some.iter().map(|span| span.token).eq(wanted.iter().copied()))
                .map(|some| [some[0].start as u64, some[some.len() - 1].end as u64])
                .collect();
            let from = some.partition_point(|passage| keeper(passage) < row);
            let upto = some.partition_point(|passage| keeper(passage) <= row);
            found.extend(some[from..upto].iter().filter(|passage| {
                let PassageSummary { begin, end, .. } = self.summary(**passage);
                let first = stands.partition_point(|[start, _]| *start < begin);
                stands.get(first).is_some_and(|[_, stop]| *stop <= end)
            }));
        })?;
        let unread = pass.unread.len() as u64;
        if let Some(row) = pass.stopped_at {
            end = some
                .get(some.partition_point(|passage| keeper(passage) < row))
                .map_or(end, |at| *at);
        }
        if let Some(next) = found.get(limit) {
            end = *next;
            found.truncate(limit);
        }
        Ok(PassagePage {
            passages: found.into_iter().map(|passage| self.summary(passage)).collect(),
            next: (end < all).then_some(end as u64),
            looked_at: end as u64,
            of: all as u64,
            wanted: None,
            unread,
        })
    }

    /// How passages begin: at most so many characters, with single spaces; `None` for those that could not
    /// be read, or not with little work.
    ///
    /// # Errors
    /// If a file of the run itself cannot be read.
    pub fn beginnings(&self, passages: &[u64], characters: usize) -> Result<Vec<Option<String>>> {
        let mut wanted: Vec<PassageSummary> =
            passages.iter().filter_map(|passage| self.get(*passage)).collect();
        wanted.sort_unstable_by_key(|passage| passage.passage);
        let mut rows: Vec<Row> = wanted.iter().map(|passage| passage.keeper).collect();
        rows.dedup();
        let mut found: Vec<(u64, String)> = Vec::new();
        self.run.read_texts(&rows, &mut ByteBudget::new(PASS_BYTES), |row, text| {
            let bytes = text.bytes();
            for passage in wanted.iter().filter(|passage| passage.keeper == row) {
                let begin = (passage.begin as usize).min(bytes.len());
                let end = (passage.end as usize).clamp(begin, bytes.len());
                let end = end.min(begin + 8 * characters);
                let text = String::from_utf8_lossy(&bytes[begin..end]);
                let words: Vec<&str> = text.split_whitespace().collect();
                let start: String = words.join(" ").chars().take(characters).collect();
                found.push((passage.passage, start));
            }
        })?;
        found.sort_unstable();
        let of = |passage: &u64| {
            let at = found.binary_search_by_key(passage, |(passage, _)| *passage).ok()?;
            Some(found[at].1.clone())
        };
        Ok(passages.iter().map(of).collect())
    }

    /// A document with what was cut of it. Of more cuts than can be marked, those around the first of a
    /// passage are, or the first of all.
    ///
    /// # Errors
    /// If there is no such document, or a file of the run itself cannot be read.
    pub fn document(
        &self,
        row: Row,
        passage: Option<u64>,
        limits: MarkLimits,
    ) -> Result<MarkedDocument> {
        let cuts = self.of_document(row);
        let pieces = cuts.iter().map(|cut| self.cuts[*cut as usize]);
        let ranges: Vec<_> =
            pieces.clone().map(|cut| u64::from(cut.begin)..u64::from(cut.end)).collect();
        let is_near = |cut: &u32| Some(self.passage_of(*cut)) == passage;
        let near = passage.and_then(|_| cuts.iter().position(is_near)).unwrap_or(0);
        let from =
            near.saturating_sub(limits.cuts / 2).min(ranges.len().saturating_sub(limits.cuts));
        let (text, fault) = match self.run.text(row) {
            Ok(text) => (marked_cuts(text.as_text().bytes(), &ranges[from..], limits), None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        let shifted = |piece| match piece {
            MarkedPiece::Cut(number, text) => MarkedPiece::Cut(from + number, text),
            piece => piece,
        };
        let shown = cuts.iter().take(from.saturating_add(limits.cuts));
        Ok(MarkedDocument {
            document: self.run.document(row)?,
            words: self.run.signatures.signature(row)?.tokens,
            words_cut: pieces.map(|cut| u64::from(cut.words)).sum(),
            cuts: cuts.len() as u64,
            gone: self.gone.as_ref().map_or(Ok(false), |gone| gone.contains(row))?,
            passages: shown.map(|cut| self.passage_of(*cut)).collect(),
            text: text.into_iter().map(shifted).collect(),
            fault,
        })
    }

    /// The document in which a passage stays, with the passage marked as a cut would be; `None` if there is
    /// no such passage.
    ///
    /// # Errors
    /// If a file of the run itself cannot be read.
    pub fn keeper(&self, passage: u64, limits: MarkLimits) -> Result<Option<MarkedDocument>> {
        let Some(PassageSummary { keeper, begin, end, .. }) = self.get(passage) else {
            return Ok(None);
        };
        let mut marked = self.document(keeper, None, MarkLimits { cuts: 0, ..limits })?;
        if marked.fault.is_none() {
            let text = self.run.text(keeper)?;
            marked.text = marked_cuts(text.as_text().bytes(), from_ref(&(begin..end)), limits);
        }
        marked.passages = vec![passage];
        Ok(Some(marked))
    }
}

fn place(cut: &CutPiece) -> (Row, u32, u32) {
    (cut.keeper, cut.keeper_begin, cut.keeper_end)
}

#[cfg(test)]
mod tests;

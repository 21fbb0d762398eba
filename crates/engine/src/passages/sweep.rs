//! Parts in the order of the keep policy: what of each is cut.

use std::ops::Range;

use lookalike_core::passages::{Class, CutTask, Cutter, Piece, Window};
use lookalike_files::{Rows, double_word};

use super::links::{Link, Links, Spot};
use super::messages::{Message, Messages};
use super::part::{PART_BYTES, PART_STARTS, Part, START_BYTES};
use super::rule::PassageRule;
use crate::error::{Error, Result};
use crate::files::Files;
use crate::means::Means;
use crate::order::Order;
use crate::places::{Place, Row};

/// Parts of documents, to be read by any of their tokens.
pub(super) struct Parts {
    bytes: Rows,
    starts: Rows,
    /// The part that was read last, and whose it is.
    last: Option<(Row, Part)>,
    buffer: Vec<u8>,
}

impl Parts {
    pub(super) fn open(files: &Files) -> Result<Self> {
        let bytes = Rows::open(&files.passage_parts(), PART_BYTES, 1)?;
        let starts = Rows::open(&files.passage_part_starts(), PART_STARTS, START_BYTES)?;
        Ok(Self { bytes, starts, last: None, buffer: Vec::new() })
    }

    /// The part that has a token.
    pub(super) fn get(&mut self, row: Row, token: u32) -> Result<&Part> {
        let has = |(last, part): &(Row, Part)| {
            *last == row && (part.first..part.first + part.tokens).contains(&token)
        };
        if !self.last.as_ref().is_some_and(has) {
            self.read(row, token)?;
        }
        match &self.last {
            Some((_, part)) => Ok(part),
            None => Err(self.damaged(row)),
        }
    }

    fn read(&mut self, row: Row, token: u32) -> Result<()> {
        let wanted = u64::from(row) << 32 | u64::from(token);
        let low = self.starts.partition_point(|start| double_word(start, 0) <= wanted)?;
        let number = low.checked_sub(1).ok_or_else(|| self.damaged(row))?;
        let mut start = [0; START_BYTES];
        self.starts.rows(number, &mut start)?;
        let [spot, from, bytes] = [0, 8, 16].map(|at| double_word(&start, at));
        self.buffer.resize(bytes as usize, 0);
        self.bytes.rows(from, &mut self.buffer)?;
        let part = Part::decode(&mut &*self.buffer);
        let part = part.filter(|part| spot == u64::from(row) << 32 | u64::from(part.first));
        self.last = Some((row, part.ok_or_else(|| self.damaged(row))?));
        Ok(())
    }

    fn damaged(&self, row: Row) -> Error {
        let expected = format!("a part of row {row}");
        Error::corruption(self.bytes.path(), 0, expected, "another one".to_owned())
    }
}

/// A part of a document, and what of it is cut.
pub(super) struct CutPart<'a> {
    pub(super) row: Row,
    pub(super) part: &'a Part,
    /// The pieces, in order, each with how many copies there are of it.
    pub(super) pieces: &'a [(Piece, u32)],
    /// The words of the document, and whether it goes, since it has one part and too little is left of it.
    pub(super) all: u64,
    pub(super) goes: bool,
}

/// The sweep.
pub(super) struct Sweep<'a> {
    pub(super) means: Means<'a>,
    pub(super) rule: &'a PassageRule,
    pub(super) order: &'a Order,
}

/// What is known of a class of the part at hand.
#[derive(Clone, Copy, Default)]
struct Known {
    /// How many windows there are in all; 0 if they are no passage.
    copies: u32,
    /// The next part that has one.
    next: Option<Spot>,
    class: Class,
}

impl Sweep<'_> {
    /// Calls `each` with all parts of which something is cut. `tokens` has the tokens of documents.
    pub(super) fn run(
        &self,
        mut links: Links,
        parts: &mut Parts,
        mut tokens: impl FnMut(Row) -> Result<u64>,
        mut each: impl FnMut(CutPart<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut cutter = Cutter::new(self.rule.min_words, self.rule.max_copies);
        let Means { files, budget, .. } = self.means;
        let mut messages = Messages::new(&files.sorting(), budget / 4);
        let mut number = 0;
        while let Some(spot) = links.next_spot().into_iter().chain(messages.next_spot()).min() {
            self.means.listen(number)?;
            number += 1;
            let row = self.order.row(Place::nth(spot.document.into()));
            let part = parts.get(row, spot.token)?;
            let mut known = arrived(&mut links, &mut messages, part, spot.document)?;
            let passages = Passages::of(part, &known);
            let mut classes = passages.classes(&known);
            let mut units: Vec<u32> = part.units.iter().map(|unit| unit.token).collect();
            units.extend(part.end.map(|_| part.tokens));
            let task = CutTask {
                document: spot.document,
                first: part.first,
                tokens: part.tokens,
                units: &units,
                windows: &passages.windows,
            };
            let mut pieces = Vec::new();
            cutter.cut(task, &mut classes, |found| pieces.extend_from_slice(found));
            let mut goes = false;
            if !pieces.is_empty() {
                let cut: u64 = pieces
                    .iter()
                    .map(|piece| u64::from(piece.tokens.end - piece.tokens.start))
                    .sum();
                let all = tokens(row)?;
                // Of a document of several parts some were kept for others already.
                let is_whole = all == u64::from(part.tokens);
                goes = is_whole && !part.annotated && all - cut < self.rule.min_left;
                if goes && cut < all {
                    // Nothing of it is kept, so that it serves itself no more than others.
                    pieces.clear();
                    classes = passages.classes(&known);
                    cutter.cut_of_gone(task, &mut classes, |found| pieces.extend_from_slice(found));
                }
                let copies = |piece: &Piece| passages.copies(&known, piece, self.rule.min_words);
                let pieces: Vec<_> = pieces.iter().map(|p| (p.clone(), copies(p))).collect();
                each(CutPart { row, part, pieces: &pieces, all, goes })?;
            }
            if !goes {
                // Nothing is kept of a document that goes.
                for (&number, class) in passages.numbers.iter().zip(classes) {
                    known[number as usize].class = class;
                }
            }
            for Known { copies, next, class } in known {
                if let (Some(to), 1..) = (next, copies) {
                    messages.push(Message { to, class, copies })?;
                }
            }
        }
        Ok(())
    }
}

/// What is known of the classes of a part when it is reached.
fn arrived(
    links: &mut Links,
    messages: &mut Messages,
    part: &Part,
    document: u32,
) -> Result<Vec<Known>> {
    let mut known = vec![Known::default(); part.classes.len()];
    let end = Spot { document, token: part.first + part.tokens };
    let number = |spot: Spot| part.classes.binary_search(&(spot.token - part.first)).ok();
    while let Some((spot, link)) = links.next_before(end)? {
        let Some(known) = number(spot).map(|number| &mut known[number]) else { continue };
        match link {
            Link::Start(copies) => known.copies = copies,
            Link::Next(next) => known.next = Some(next),
        }
    }
    while let Some(message) = messages.next_before(end)? {
        let Some(known) = number(message.to).map(|number| &mut known[number]) else { continue };
        (known.copies, known.class) = (message.copies, message.class);
    }
    Ok(known)
}

/// The windows of a part that are in passages, with classes of their own.
struct Passages {
    windows: Vec<Window>,
    /// The classes of the part, by these.
    numbers: Vec<u32>,
}

impl Passages {
    fn of(part: &Part, known: &[Known]) -> Self {
        let (mut windows, mut numbers) = (Vec::new(), Vec::new());
        let mut own = vec![u32::MAX; known.len()];
        for window in part.windows.iter().filter(|w| known[w.class as usize].copies > 0) {
            let own = &mut own[window.class as usize];
            if *own == u32::MAX {
                *own = numbers.len() as u32;
                numbers.push(window.class);
            }
            windows.push(Window { at: window.at, class: *own });
        }
        Self { windows, numbers }
    }

    fn classes(&self, known: &[Known]) -> Vec<Class> {
        self.numbers.iter().map(|number| known[*number as usize].class).collect()
    }

    /// The most copies of a window that is within a piece; of one shorter than a window, of those that
    /// have a word of it.
    fn copies(&self, known: &[Known], piece: &Piece, width: u32) -> u32 {
        let Range { start, end } = piece.tokens;
        let of = |windows: &[Window]| {
            let copies = |w: &Window| known[self.numbers[w.class as usize] as usize].copies;
            windows.iter().map(copies).max()
        };
        let place = |at: u32| self.windows.partition_point(|w| w.at < at);
        let within = place(start)..place((end + 1).saturating_sub(width)).max(place(start));
        let around = place((start + 1).saturating_sub(width))..place(end);
        of(&self.windows[within]).or_else(|| of(&self.windows[around])).unwrap_or(0)
    }
}

//! A part of a document as the sweep sees it: the windows that may stand elsewhere, and, around them, where
//! words stand and units begin.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use lookalike_core::passages::{CutUnit, PART, UnitStart, Window, unit_starts};
use lookalike_core::text::Span;
use lookalike_files::{RowsKind, pull_number, push_number};

use super::windows::{Fingerprint, FingerprintHasher, WindowMaker};
use crate::error::Result;

/// Parts, one after another.
pub(super) const PART_BYTES: RowsKind = *b"passpart";
/// The row and the first token of each part, where it begins, and how long it is.
pub(super) const PART_STARTS: RowsKind = *b"partplac";
pub(super) const START_BYTES: usize = 24;

/// A part of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// The number of its first token in the document; all others count from it.
    pub(super) first: u32,
    pub(super) tokens: u32,
    /// Where a unit ends that ends with the part: its byte.
    pub(super) end: Option<u32>,
    /// Whether the document stays as it is, whatever repeats in it.
    pub(super) annotated: bool,
    /// Units that begin near windows.
    pub(super) units: Vec<UnitStart>,
    /// Tokens that are in windows, in stretches.
    pub(super) stretches: Vec<Stretch>,
    pub(super) windows: Vec<Window>,
    /// The first window of each class: where it begins. Ascending.
    pub(super) classes: Vec<u32>,
}

/// Tokens that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    /// The first.
    pub(super) at: u32,
    /// The bytes of each.
    pub(super) places: Vec<[u32; 2]>,
}

/// The windows of a class in a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClassKey {
    pub(super) fingerprint: Fingerprint,
    /// How many there are.
    pub(super) count: u32,
}

impl Part {
    /// The bytes of a token, if it is in a window.
    pub(super) fn place(&self, token: u32) -> Option<[u32; 2]> {
        let number = self.stretches.partition_point(|stretch| stretch.at <= token);
        let stretch = self.stretches.get(number.checked_sub(1)?)?;
        stretch.places.get((token - stretch.at) as usize).copied()
    }

    /// The first byte of the unit that begins with a token, or the end of the last unit.
    pub(super) fn unit_byte(&self, token: u32) -> Option<u32> {
        if token == self.tokens {
            return self.end;
        }
        let found = self.units.binary_search_by_key(&token, |unit| unit.token);
        found.ok().map(|number| self.units[number].byte)
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let mut put = |number: u32| push_number(number.into(), out);
        put(self.first);
        put(self.tokens);
        put(self.end.map_or(0, |end| end + 1));
        put(self.annotated.into());
        put(self.units.len() as u32);
        let mut last = UnitStart { token: 0, byte: 0 };
        for unit in &self.units {
            put(unit.token - last.token);
            put(unit.byte - last.byte);
            last = *unit;
        }
        put(self.stretches.len() as u32);
        let mut byte = 0;
        for stretch in &self.stretches {
            put(stretch.at);
            put(stretch.places.len() as u32);
            for [start, end] in &stretch.places {
                // Tokens of one letter may share its bytes, so that starts follow each other and not ends.
                put(start - byte);
                put(end - start);
                byte = *start;
            }
        }
        // Windows that follow each other mostly are of classes that do.
        put(self.windows.len() as u32);
        let follows = |a: &Window, b: &Window| a.at + 1 == b.at && a.class + 1 == b.class;
        let mut last = Window { at: 0, class: 0 };
        for run in self.windows.chunk_by(follows) {
            put(run.len() as u32);
            put(run[0].at - last.at);
            put(run[0].class);
            last = run[run.len() - 1];
        }
        put(self.classes.len() as u32);
    }

    /// What was encoded; `None` if it was not.
    pub(super) fn decode(bytes: &mut &[u8]) -> Option<Self> {
        let mut get = || u32::try_from(pull_number(bytes)?).ok();
        let (first, tokens, end) = (get()?, get()?, get()?.checked_sub(1));
        let annotated = get()? == 1;
        let mut units = Vec::new();
        let mut last = UnitStart { token: 0, byte: 0 };
        for _ in 0..get()? {
            last = UnitStart { token: last.token + get()?, byte: last.byte + get()? };
            units.push(last);
        }
        let mut stretches = Vec::new();
        let mut byte = 0;
        for _ in 0..get()? {
            let (at, count) = (get()?, get()?);
            let mut places = Vec::new();
            for _ in 0..count {
                byte += get()?;
                places.push([byte, byte + get()?]);
            }
            stretches.push(Stretch { at, places });
        }
        let count = get()? as usize;
        let mut windows: Vec<Window> = Vec::new();
        let mut at = 0;
        while windows.len() < count {
            let length = get()?;
            at += get()?;
            let class = get()?;
            windows.extend((0..length).map(|n| Window { at: at + n, class: class + n }));
            at += length.checked_sub(1)?;
        }
        // Numbers are given in the order of first windows.
        let mut classes = Vec::new();
        for window in &windows {
            if window.class as usize == classes.len() {
                classes.push(window.at);
            }
        }
        (classes.len() == get()? as usize).then_some(Self {
            first,
            tokens,
            end,
            annotated,
            units,
            stretches,
            windows,
            classes,
        })
    }
}

/// Makes the parts of documents, on one thread.
pub(super) struct PartMaker {
    windows: WindowMaker,
    unit: CutUnit,
    codes: Vec<u64>,
    places: Vec<u32>,
}

/// A document as it is read: what is left of it when the parts before were made.
#[derive(Default)]
pub(super) struct Rest {
    /// Bytes and tokens before it.
    byte: u32,
    token: u32,
    text: Vec<u8>,
    spans: Vec<Span>,
    /// Whether nothing is cut of the document.
    annotated: bool,
}

impl PartMaker {
    pub(super) fn new(windows: WindowMaker, unit: CutUnit) -> Self {
        Self { windows, unit, codes: Vec::new(), places: Vec::new() }
    }

    /// Makes parts of what there is of a document, all of it if it is the end, and calls `each` with those that
    /// have windows whose anchors are `wanted`: of some tokens of the document, ascending.
    pub(super) fn parts(
        &mut self,
        rest: &mut Rest,
        is_end: bool,
        wanted: impl Fn(Range<u32>) -> Result<Vec<u32>>,
        mut each: impl FnMut(&Part, &[ClassKey]) -> Result<()>,
    ) -> Result<()> {
        while rest.spans.len() > PART || is_end && !rest.spans.is_empty() {
            let units = unit_starts(self.unit, &rest.text, &rest.spans);
            let (tokens, end) = if rest.spans.len() <= PART {
                (rest.spans.len(), Some(rest.text.len() as u32))
            } else {
                let after = units.partition_point(|unit| unit.token as usize <= PART);
                match units[..after].last() {
                    Some(unit) if unit.token > 0 => (unit.token as usize, Some(unit.byte)),
                    // One unit that is longer than a part, which is then of several.
                    _ => (PART, None),
                }
            };
            let anchors = wanted(rest.token..rest.token + tokens as u32)?;
            if let Some((part, keys)) = self.part(rest, &units, tokens, end, &anchors) {
                each(&part, &keys)?;
            }
            let bytes = match end {
                Some(end) => end as usize,
                None => rest.spans.get(tokens).map_or(rest.text.len(), |span| span.start),
            };
            rest.drop(tokens, bytes);
        }
        Ok(())
    }

    fn part(
        &mut self,
        rest: &Rest,
        units: &[UnitStart],
        tokens: usize,
        end: Option<u32>,
        wanted: &[u32],
    ) -> Option<(Part, Vec<ClassKey>)> {
        if wanted.is_empty() {
            return None;
        }
        let Self { windows: maker, codes, places, .. } = self;
        codes.clear();
        codes.extend(rest.spans[..tokens].iter().map(|span| span.token));
        places.clear();
        let mut wanted = wanted.iter().copied().peekable();
        let mut at = 0;
        maker.for_each_anchor(codes, |_, anchor| {
            let anchor = rest.token + anchor;
            while wanted.next_if(|wanted| *wanted < anchor).is_some() {}
            if wanted.peek() == Some(&anchor) {
                places.push(at);
            }
            at += 1;
        });
        if places.is_empty() {
            return None;
        }
        let mut part = Part {
            first: rest.token,
            tokens: tokens as u32,
            end: end.map(|end| rest.byte + end),
            annotated: rest.annotated,
            ..Part::default()
        };
        let mut keys: Vec<ClassKey> = Vec::new();
        let mut numbers: HashMap<_, u32, BuildHasherDefault<FingerprintHasher>> =
            HashMap::default();
        for (fingerprint, &at) in maker.fingerprints(codes, places).into_iter().zip(&*places) {
            let class = *numbers.entry(fingerprint).or_insert_with(|| {
                part.classes.push(at);
                keys.push(ClassKey { fingerprint, count: 0 });
                keys.len() as u32 - 1
            });
            keys[class as usize].count += 1;
            part.windows.push(Window { at, class });
        }
        let width = maker.width as u32;
        for run in places.chunk_by(|a, b| *b <= a + width) {
            let (first, last) = (run[0], run[run.len() - 1] + width);
            let spans = &rest.spans[first as usize..last as usize];
            let place = |span: &Span| [span.start, span.end].map(|at| rest.byte + at as u32);
            part.stretches.push(Stretch { at: first, places: spans.iter().map(place).collect() });
            let from = units.partition_point(|unit| unit.token < first);
            let upto = units.partition_point(|unit| unit.token <= last);
            for unit in units[from..upto].iter().filter(|unit| unit.token < tokens as u32) {
                part.units.push(UnitStart { token: unit.token, byte: rest.byte + unit.byte });
            }
        }
        Some((part, keys))
    }
}

impl Rest {
    /// Begins with another document.
    pub(super) fn begin(&mut self, annotated: bool) {
        (self.byte, self.token, self.annotated) = (0, 0, annotated);
        self.text.clear();
        self.spans.clear();
    }

    /// Takes the next piece.
    pub(super) fn add(&mut self, piece: &[u8], spans: Vec<Span>) {
        let from = self.text.len();
        self.text.extend_from_slice(piece);
        self.spans.extend(spans.into_iter().map(|span| Span {
            start: span.start + from,
            end: span.end + from,
            ..span
        }));
    }

    fn drop(&mut self, tokens: usize, bytes: usize) {
        self.token += tokens as u32;
        self.byte += bytes as u32;
        self.spans.drain(..tokens);
        self.text.drain(..bytes);
        for span in &mut self.spans {
            span.start -= bytes;
            span.end -= bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_what_was_written() {
        let windows = [(2, 0), (3, 1), (4, 2), (9, 1), (10, 2), (11, 3)];
        let part = Part {
            first: 1 << 30,
            tokens: 20,
            end: Some(0),
            annotated: true,
            units: vec![UnitStart { token: 2, byte: 3 }, UnitStart { token: 9, byte: 300 }],
            stretches: vec![
                Stretch { at: 2, places: vec![[5, 9], [5, 9], [12, 300]] },
                Stretch { at: 9, places: vec![[400, 401]] },
            ],
            windows: windows.map(|(at, class)| Window { at, class }).to_vec(),
            classes: vec![2, 3, 4, 11],
        };
        let mut bytes = Vec::new();
        part.encode(&mut bytes);
        assert_eq!(Part::decode(&mut &*bytes), Some(part.clone()));
        for cut in 0..bytes.len() {
            assert_eq!(Part::decode(&mut &bytes[..cut]), None);
        }
        assert_eq!(
            [part.place(3), part.place(5), part.place(9)],
            [Some([5, 9]), None, Some([400, 401])]
        );
        assert_eq!(
            [part.unit_byte(9), part.unit_byte(10), part.unit_byte(20)],
            [Some(300), None, Some(0)]
        );
    }
}

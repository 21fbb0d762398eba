//! The runs of words that a document has in common with a reference, and where they stand: the longest,
//! or all of them (`runs`).
//!
//! ```text
//! windows   of N words, of both sides, that the other side has too
//! runs      stretches of such windows: a common run is within one of them, on either side
//! length    the longest for which some window of that length is in both, by bisection
//! ```
//!
//! A window goes by a [`Polynomial`] of its words' codes, so that one of any length takes a multiplication. What is found is compared word by word before it
//! counts. A pair takes time for its reference and for what it has in common with the document, times a
//! logarithm, also if both are one word over and over.
//!
//! Both sides are looked at in blocks, so that neither has to be in memory twice: a run that is longer
//! than a block is told by its longest part.

use std::cmp::Reverse;
use std::ops::Range;

use lookalike_core::VerificationKey;
use lookalike_core::text::{self, Span, Unit, keyed_spans};
use serde::{Deserialize, Serialize};

use super::runs::{CommonRun, common_runs};
use super::windows::{Windows, common_places};
use crate::polynomial::Polynomial;

/// Words of a block, without those that the next has too. 256 Ki: about 1.5 MB of text, and about 20 MB
/// of memory for a thread while it is compared.
pub(super) const BLOCK: usize = 256 << 10;

/// Bytes of a run that are shown, whatever a word is.
const SHOWN_BYTES: usize = 2000;

/// A run of words that a document and a reference have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Passage {
    /// How many words.
    pub words: u64,
    /// The number of its first word in the document, from 0.
    pub input_word: u64,
    /// The number of its first word in the reference, likewise.
    pub reference_word: u64,
    /// Its bytes in the text of the document.
    pub input_bytes: Range<u64>,
    /// Its bytes in the text of the reference.
    pub reference_bytes: Range<u64>,
    /// Its beginning as it stands in the document: a hundred words at most, with what is between.
    pub input_text: String,
    /// Its beginning as it stands in the reference.
    pub reference_text: String,
}

impl Passage {
    /// The run of so many words that begins at these places.
    fn new((input, a): (&Words, usize), (reference, b): (&Words, usize), words: usize) -> Self {
        Self {
            words: words as u64,
            input_word: input.first + a as u64,
            reference_word: b as u64,
            input_bytes: input.bytes_of(a, words),
            reference_bytes: reference.bytes_of(b, words),
            input_text: input.shown(a, words),
            reference_text: reference.shown(b, words),
        }
    }

    /// Words of a run that its texts have, at most.
    pub const SHOWN_WORDS: u64 = 100;

    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.input_text.len() + self.reference_text.len()
    }
}

/// The words of a text, or of a part of it, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    /// The number of the first, and its first byte or one before it.
    first: u64,
    first_byte: u64,
    spans: Vec<Span>,
    text: Vec<u8>,
}

impl Words {
    pub(super) fn bytes(&self) -> usize {
        self.spans.len() * size_of::<Span>() + self.text.len()
    }

    /// Appends a piece of the text.
    pub(super) fn append(&mut self, unit: Unit, piece: text::Text<'_>, key: &VerificationKey) {
        let from = self.text.len();
        self.text.extend_from_slice(piece.bytes());
        let spans = keyed_spans(unit, piece, key).into_iter();
        self.spans.extend(spans.map(|span| Span {
            start: from + span.start,
            end: from + span.end,
            ..span
        }));
    }

    /// Whether there is a whole block, with what it has of the next: windows of at most `width`.
    pub(super) fn has_block(&self, width: usize) -> bool {
        self.spans.len() >= BLOCK + width - 1
    }

    /// Takes out the words of one block.
    pub(super) fn drop_block(&mut self) {
        self.first += BLOCK as u64;
        self.spans.drain(..BLOCK);
        let from = self.spans.first().map_or(self.text.len(), |span| span.start);
        self.text.drain(..from);
        self.first_byte += from as u64;
        for span in &mut self.spans {
            span.start -= from;
            span.end -= from;
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The words of the blocks, with the number of the first of each in `spans`.
    fn blocks(&self, width: usize) -> impl Iterator<Item = (usize, &[Span])> {
        // The last words of a text that end a block are in it already.
        let starts = (0..=self.spans.len().max(width) - width).step_by(BLOCK);
        starts.map(move |start| {
            let end = self.spans.len().min(start + BLOCK + width - 1);
            (start, &self.spans[start..end])
        })
    }

    /// The bytes of a run.
    fn bytes_of(&self, start: usize, words: usize) -> Range<u64> {
        let [first, last] = [self.spans[start].start, self.spans[start + words - 1].end];
        self.first_byte + first as u64..self.first_byte + last as u64
    }

    /// The beginning of a run, as it stands.
    fn shown(&self, start: usize, words: usize) -> String {
        let run = &self.spans[start..start + words.min(Passage::SHOWN_WORDS as usize)];
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return String::new() };
        let mut end = last.end.min(first.start + SHOWN_BYTES);
        // Not within a character.
        while end < last.end && self.text[end] & 0xc0 == 0x80 {
            end -= 1;
        }
        String::from_utf8_lossy(&self.text[first.start..end]).into_owned()
    }
}

/// The longest run that both have: its length, and where it begins in each; of several, the first in
/// `a`, and of those the first in `b`.
fn longest_common_run(
    polynomial: &Polynomial,
    a: &Windows<'_>,
    b: &Windows<'_>,
) -> Option<(usize, usize, usize)> {
    let (places_a, places_b) = common_places(a, b);
    let (runs_a, runs_b) = (a.runs(&places_a), b.runs(&places_b));
    let longest = |runs: &[u32]| runs.iter().copied().max().unwrap_or(0);
    let (mut low, mut high) = (a.width, longest(&runs_a).min(longest(&runs_b)) as usize);
    let mut sorted = Vec::new();
    let mut common = |length: usize| {
        let long = |(_, run): &(&u32, &u32)| **run as usize >= length;
        sorted.clear();
        for (place, _) in places_b.iter().zip(&runs_b).filter(long) {
            sorted.push((polynomial.window(&b.prefixes, *place as usize, length), *place));
        }
        sorted.sort_unstable();
        let mut starts = places_a.iter().zip(&runs_a).filter(long);
        starts.find_map(|(place, _)| {
            let start = *place as usize;
            let hash = polynomial.window(&a.prefixes, start, length);
            let at = sorted.partition_point(|window| window.0 < hash);
            let mut equal = sorted[at..].iter().take_while(|window| window.0 == hash);
            let words = |spans: &[Span], start: usize| {
                spans[start..start + length].iter().map(|span| span.token).collect::<Vec<_>>()
            };
            let own = words(a.spans, start);
            let other = equal.find(|window| words(b.spans, window.1 as usize) == own)?;
            Some((length, start, other.1 as usize))
        })
    };
    // Most often a run ends on both sides at once.
    if high >= low
        && let Some(found) = common(high)
    {
        return Some(found);
    }
    let mut best = None;
    while low < high {
        let middle = low.midpoint(high);
        match common(middle) {
            None => high = middle,
            found => {
                best = found;
                low = middle + 1;
            }
        }
    }
    best
}

/// Finds passages, on one thread.
pub(super) struct Locator(Polynomial);

impl Locator {
    pub(super) fn new(key: &VerificationKey) -> Self {
        Self(Polynomial::new(key, b"point"))
    }

    /// Looks for references in one block of a document, the first that `input` has. Each reference
    /// comes with the words that a run must have, and with the longest that earlier blocks had.
    pub(super) fn locate<'r>(
        &mut self,
        input: &Words,
        references: impl Iterator<Item = (&'r Words, usize, &'r mut Vec<Passage>)>,
        mut told: Told<'_>,
    ) {
        let mut known: Option<Windows<'_>> = None;
        for (reference, width, found) in references {
            let windows = match known.take() {
                Some(windows) if windows.width == width => windows,
                _ => {
                    let end = input.spans.len().min(BLOCK + width - 1);
                    Windows::new(&mut self.0, &input.spans[..end], width)
                }
            };
            match &mut told {
                Told::Longest => self.longest(input, &windows, reference, found),
                Told::All(bounds) => self.all(input, &windows, reference, (found, bounds)),
            }
            known = Some(windows);
        }
    }

    /// Keeps the longest run, if it is longer than that of earlier blocks.
    fn longest(
        &mut self,
        input: &Words,
        windows: &Windows<'_>,
        reference: &Words,
        found: &mut Vec<Passage>,
    ) {
        for (from, spans) in reference.blocks(windows.width) {
            let other = Windows::new(&mut self.0, spans, windows.width);
            let Some((words, a, b)) = longest_common_run(&self.0, windows, &other) else {
                continue;
            };
            let input_word = input.first + a as u64;
            let is_better =
                |best: &Passage| (words as u64, best.input_word) > (best.words, input_word);
            if found.first().is_none_or(is_better) {
                *found = vec![Passage::new((input, a), (reference, from + b), words)];
            }
        }
    }

    /// Adds all runs, but those that lie within one that begins before them.
    fn all(
        &mut self,
        input: &Words,
        windows: &Windows<'_>,
        reference: &Words,
        (found, bounds): (&mut Vec<Passage>, &mut Bounds),
    ) {
        let mut runs = Vec::new();
        for (from, spans) in reference.blocks(windows.width) {
            let other = Windows::new(&mut self.0, spans, windows.width);
            let (common, left_out) = common_runs(&self.0, windows, &other, bounds.room);
            bounds.left_out += left_out;
            let moved = |run: CommonRun| CommonRun { reference: from + run.reference, ..run };
            runs.extend(common.into_iter().map(moved));
        }
        runs.sort_unstable_by_key(|run| (run.input, Reverse(run.words), run.reference));
        let mut upto = 0;
        for CommonRun { input: at, reference: there, words } in runs {
            if at + words <= upto {
                continue;
            }
            upto = at + words;
            if bounds.room == 0 {
                bounds.left_out += 1;
                continue;
            }
            bounds.room -= 1;
            found.push(Passage::new((input, at), (reference, there), words));
        }
    }
}

/// Which runs are told.
pub(super) enum Told<'a> {
    /// The longest of each reference.
    Longest,
    /// All of them.
    All(&'a mut Bounds),
}

/// How many runs of one document may still be told, and how many were not.
#[derive(Debug)]
pub(super) struct Bounds {
    pub(super) room: usize,
    pub(super) left_out: u64,
}

impl Bounds {
    /// 10,000: with their texts 40 MB at most. Of prose there are a few.
    pub(super) const DOCUMENT: Self = Self { room: 10_000, left_out: 0 };
}

#[cfg(test)]
mod tests {
    use lookalike_core::Kernel;
    use lookalike_core::text::KeyedTokenizer;
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str, key: &VerificationKey) -> Words {
        let mut words = Words::default();
        words.append(Unit::Words, text.into(), key);
        words
    }

    /// The longest run of equal numbers, by trying every pair of places.
    fn naive(a: &[u8], b: &[u8], least: usize) -> Option<(usize, usize, usize)> {
        let mut best: Option<(usize, usize, usize)> = None;
        for i in 0..a.len() {
            for j in 0..b.len() {
                let length = a[i..].iter().zip(&b[j..]).take_while(|(x, y)| x == y).count();
                if length >= least && best.is_none_or(|best| length > best.0) {
                    best = Some((length, i, j));
                }
            }
        }
        best
    }

    /// The definition of `runs`, by trying every pair of places.
    fn naive_runs(a: &[u8], b: &[u8], least: usize) -> Vec<[usize; 3]> {
        let (mut runs, mut upto) = (Vec::new(), 0);
        for i in 0..a.len() {
            let common = |j: usize| a[i..].iter().zip(&b[j..]).take_while(|(x, y)| x == y).count();
            let longest = (0..b.len()).map(common).max().unwrap_or(0);
            if longest >= least && i + longest > upto {
                upto = i + longest;
                let first = (0..b.len()).find(|j| common(*j) == longest).unwrap();
                runs.push([longest, i, first]);
            }
        }
        runs
    }

    fn numbers() -> impl Strategy<Value = Vec<u8>> {
        prop::sample::select(vec![2_u8, 3, 30])
            .prop_flat_map(|kinds| prop::collection::vec(0..kinds, 0..60))
    }

    proptest! {
        #[test]
        fn the_longest_run_is_that_of_a_naive_search(
            (a, b) in (numbers(), numbers()),
            least in 1..8_usize,
        ) {
            let text = |numbers: &[u8]| {
                numbers.iter().map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ")
            };
            let key = VerificationKey::random();
            let (own, other) = (words(&text(&a), &key), words(&text(&b), &key));
            let mut found = Vec::new();
            let one = std::iter::once((&other, least, &mut found));
            Locator::new(&key).locate(&own, one, Told::Longest);
            let found = found.pop();
            let place = |p: &Passage| [p.words, p.input_word, p.reference_word].map(|n| n as usize);
            let expected = naive(&a, &b, least);
            prop_assert_eq!(found.as_ref().map(place), expected.map(<[usize; 3]>::from));
            if let (Some(found), Some((length, i, j))) = (found, expected) {
                prop_assert_eq!(&found.input_text, &text(&a[i..i + length]));
                prop_assert_eq!(&found.reference_text, &text(&b[j..j + length]));
                let whole = text(&a);
                let bytes = found.input_bytes.start as usize..found.input_bytes.end as usize;
                prop_assert_eq!(&whole[bytes], &found.input_text);
            }
        }

        #[test]
        fn all_runs_are_those_of_a_naive_search(
            (a, mut b) in (numbers(), numbers()),
            (from, count) in (0..60_usize, 0..40_usize),
            least in 1..8_usize,
        ) {
            // So that there is something in common.
            let from = from.min(a.len());
            b.extend(&a[from..a.len().min(from + count)]);
            let text = |numbers: &[u8]| {
                numbers.iter().map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ")
            };
            let key = VerificationKey::random();
            let (own, other) = (words(&text(&a), &key), words(&text(&b), &key));
            let (mut found, mut bounds) = (Vec::new(), Bounds::DOCUMENT);
            let one = std::iter::once((&other, least, &mut found));
            Locator::new(&key).locate(&own, one, Told::All(&mut bounds));
            let place = |p: &Passage| [p.words, p.input_word, p.reference_word].map(|n| n as usize);
            let found: Vec<_> = found.iter().map(place).collect();
            let expected = naive_runs(&a, &b, least);
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(bounds.left_out, 0);

            let (mut first, mut bounds) = (Vec::new(), Bounds { room: 2, left_out: 0 });
            let one = std::iter::once((&other, least, &mut first));
            Locator::new(&key).locate(&own, one, Told::All(&mut bounds));
            prop_assert_eq!(first.iter().map(place).collect::<Vec<_>>(), &expected[..expected.len().min(2)]);
            prop_assert_eq!(first.len() as u64 + bounds.left_out, expected.len() as u64);
        }
    }

    #[test]
    fn codes_are_those_of_the_shingles() {
        let key = VerificationKey::random();
        let text = "Caf\u{e9}, caf\u{e9}\u{301} \u{4e2d}\u{6587} http://a.example/b 1\u{bd}";
        let mut codes = Vec::new();
        KeyedTokenizer::new(Unit::Words, Kernel::best(), &key).codes(text, &mut codes);
        let spans = words(text, &key).spans;
        assert_eq!(spans.iter().map(|span| span.token).collect::<Vec<_>>(), codes);
    }

    /// A run that begins in one block and ends in the next is found in either.
    #[test]
    fn blocks_hide_nothing() {
        let key = VerificationKey::random();
        let filler = |from: usize, count: usize| {
            (from..from + count).map(|n| format!("w{n} ")).collect::<Vec<_>>().concat()
        };
        let run = "the run that both of them have ";
        let a = words(&(filler(0, BLOCK - 3) + run + &filler(0, 9)), &key);
        let b = words(&(filler(1 << 30, 2 * BLOCK - 2) + run), &key);
        let (width, mut found) = (7, Vec::new());
        let mut input = a;
        let mut locator = Locator::new(&key);
        let (mut all, mut bounds) = (Vec::new(), Bounds::DOCUMENT);
        let mut in_block = |input: &Words| {
            let one = std::iter::once((&b, width, &mut found));
            locator.locate(input, one, Told::Longest);
            let one = std::iter::once((&b, width, &mut all));
            locator.locate(input, one, Told::All(&mut bounds));
        };
        while input.has_block(width) {
            in_block(&input);
            input.drop_block();
        }
        in_block(&input);
        assert_eq!(all, found);
        let found = found.pop().unwrap();
        assert_eq!((found.words, found.input_word), (7, BLOCK as u64 - 3));
        assert_eq!(found.reference_word, 2 * BLOCK as u64 - 2);
        assert_eq!(found.input_text, run.trim());
    }
}

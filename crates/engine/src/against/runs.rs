//! All runs of words that a document and a reference have in common.
//!
//! For a place of the document, let its length be that of the longest run from there on that stands in
//! the reference too. A run counts if it has N words or more and does not lie within one that begins
//! before it. So each run of N words that both have lies within one that counts, however often the
//! reference has it, and there are no more than the document has places. Each is told with the first
//! place of the reference at which it stands.
//!
//! The suffixes of the reference that begin with a common window are sorted; two are compared by the
//! polynomials of their prefixes, so that a comparison takes a logarithm, also if both are one word over
//! and over. What is found is compared word by word before it counts.

use std::cmp::Ordering;

use super::windows::{Windows, common_places};
use crate::polynomial::Polynomial;

/// A run: where it begins in each, and its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CommonRun {
    pub(super) input: usize,
    pub(super) reference: usize,
    pub(super) words: usize,
}

/// The runs of two blocks, by their places in the input, at most so many; and how many there are more.
pub(super) fn common_runs(
    polynomial: &Polynomial,
    a: &Windows<'_>,
    b: &Windows<'_>,
    most: usize,
) -> (Vec<CommonRun>, u64) {
    let (places_a, places_b) = common_places(a, b);
    let (runs_a, runs_b) = (a.runs(&places_a), b.runs(&places_b));
    let suffixes = Suffixes::new(polynomial, b, &places_b, &runs_b);
    let (mut found, mut left_out) = (Vec::new(), 0);
    let mut upto = 0;
    for (&place, &run) in places_a.iter().zip(&runs_a) {
        let suffix = Suffix { windows: a, place: place as usize, words: run as usize };
        let words = suffixes.longest(suffix);
        let end = place as usize + words;
        if words < a.width || end <= upto {
            continue;
        }
        upto = end;
        if found.len() == most {
            left_out += 1;
            continue;
        }
        let reference = suffixes.first(Suffix { words, ..suffix }) as usize;
        let own = a.spans[place as usize..end].iter().map(|span| span.token);
        if own.eq(b.spans[reference..reference + words].iter().map(|span| span.token)) {
            found.push(CommonRun { input: place as usize, reference, words });
        }
    }
    (found, left_out)
}

/// Words from a place on, up to where the run of common windows ends.
#[derive(Clone, Copy)]
struct Suffix<'a> {
    windows: &'a Windows<'a>,
    place: usize,
    words: usize,
}

impl Suffix<'_> {
    /// How many words both begin with.
    fn common(&self, other: &Suffix<'_>, polynomial: &Polynomial) -> usize {
        let (mut low, mut high) = (0, self.words.min(other.words));
        while low < high {
            let middle = (low + high).div_ceil(2);
            let hash =
                |one: &Suffix<'_>| polynomial.window(&one.windows.prefixes, one.place, middle);
            if hash(self) == hash(other) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low
    }

    fn order(&self, other: &Suffix<'_>, polynomial: &Polynomial) -> Ordering {
        let common = self.common(other, polynomial);
        let word = |one: &Suffix<'_>| {
            (common < one.words).then(|| one.windows.spans[one.place + common].token)
        };
        word(self).cmp(&word(other))
    }
}

/// The suffixes of a block of the reference, sorted.
struct Suffixes<'a> {
    polynomial: &'a Polynomial,
    sorted: Vec<Suffix<'a>>,
    /// The first place of those below each node of a tree over them.
    first: Vec<u32>,
}

impl<'a> Suffixes<'a> {
    fn new(
        polynomial: &'a Polynomial,
        windows: &'a Windows<'a>,
        places: &[u32],
        runs: &[u32],
    ) -> Self {
        let suffix = |(&place, &words): (&u32, &u32)| Suffix {
            windows,
            place: place as usize,
            words: words as usize,
        };
        let mut sorted: Vec<Suffix<'_>> = places.iter().zip(runs).map(suffix).collect();
        sorted.sort_unstable_by(|a, b| a.order(b, polynomial).then(a.place.cmp(&b.place)));
        let mut first = vec![u32::MAX; 2 * sorted.len()];
        for (at, suffix) in sorted.iter().enumerate() {
            first[sorted.len() + at] = suffix.place as u32;
        }
        for at in (1..sorted.len()).rev() {
            first[at] = first[2 * at].min(first[2 * at + 1]);
        }
        Self { polynomial, sorted, first }
    }

    /// How many words of this one some suffix begins with: one of its neighbours.
    fn longest(&self, suffix: Suffix<'_>) -> usize {
        let before = |other: &Suffix<'_>| other.order(&suffix, self.polynomial).is_lt();
        let at = self.sorted.partition_point(before);
        let near = [at.checked_sub(1), Some(at)];
        let near = near.into_iter().flatten().filter_map(|at| self.sorted.get(at));
        near.map(|other| other.common(&suffix, self.polynomial)).max().unwrap_or(0)
    }

    /// The first place of the suffixes that begin with all of these words.
    fn first(&self, prefix: Suffix<'_>) -> u32 {
        let begins = |other: &Suffix<'_>| {
            let words = other.words.min(prefix.words);
            Suffix { words, ..*other }.order(&prefix, self.polynomial)
        };
        let mut from = self.sorted.partition_point(|other| begins(other).is_lt());
        let mut upto = self.sorted.partition_point(|other| begins(other).is_le());
        let mut first = u32::MAX;
        (from, upto) = (from + self.sorted.len(), upto + self.sorted.len());
        while from < upto {
            if from % 2 == 1 {
                first = first.min(self.first[from]);
                from += 1;
            }
            if upto % 2 == 1 {
                upto -= 1;
                first = first.min(self.first[upto]);
            }
            from /= 2;
            upto /= 2;
        }
        first
    }
}

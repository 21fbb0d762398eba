//! Pugh's edit distance of two token sequences.
//!
//! An edit removes any or all occurrences of one word, or adds any number of occurrences of one word;
//! the distance is the fewest edits that turn one document into the other. A word that is replaced by
//! another costs two, however often it stood there; a chunk of text that is moved is a big change.
//!
//! **Of alignments.** Edits of different words can be made in any order, and two removals of a word, or two
//! additions, can be made at once. What is left of `a` through all edits is a common subsequence of both. So
//! the distance is the least, over all alignments, of
//!
//! ```text
//! words with an occurrence in a that is not aligned  +  words with one in b that is not
//! ```
//!
//! A word that stands more often on one side costs 1 at least, and 2 if it has to give way on both sides;
//! one that stands as often on both costs 0 or 2. Two words cross if they cannot both have their least
//! cost. To choose which words pay, so that none cross, is to cover the edges of a graph by the fewest
//! of its nodes; we know no quick way to do that for all graphs. So this gives two bounds, which
//! are the same on documents that are nearly alike:
//!
//! - **At most**: what Myers' alignment costs, after each word that pays twice in it was asked
//!   whether it has to, by a walk along both sequences.
//! - **At least**: the least costs of all words, and what must be paid besides for crossing words in
//!   disjoint pairs. Where one chunk was moved past another, that is all: in a bipartite graph
//!   the largest matching is as large as the smallest cover.
//!
//! Time is that of the alignment and at most [`STEPS`] steps for each direction; no bound depends on
//! what stands for a word, only on which tokens are equal.

use std::iter::Peekable;

use super::{changes, common_ends};

/// The fewest edits that turn one document into another, where an edit removes or adds any number of
/// occurrences of one word: Pugh's distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct EditDistance {
    /// No fewer edits do it.
    pub at_least: u64,
    /// As many do it.
    pub at_most: u64,
}

impl EditDistance {
    /// The distance itself, where both bounds are the same.
    pub fn exact(self) -> Option<u64> {
        (self.at_least == self.at_most).then_some(self.at_most)
    }
}

/// The fewest edits that turn `a` into `b`, or bounds of it; the same for `b` and `a`.
pub fn edit_distance(a: &[u64], b: &[u64]) -> EditDistance {
    distances(a, b).1
}

/// The term difference and the edit distance, by one alignment where that tells both.
#[doc(hidden)]
pub fn distances(a: &[u64], b: &[u64]) -> (u64, EditDistance) {
    // An alignment may as well have the common ends: what was aligned otherwise costs no less.
    let (start, tail) = common_ends(a, b);
    let (a, b) = (&a[start..a.len() - tail], &b[start..b.len() - tail]);
    let (terms, there) = one_direction(a, b);
    if there.exact().is_some() {
        return (terms, there);
    }
    let (_, back) = one_direction(b, a);
    let both = EditDistance {
        at_least: there.at_least.max(back.at_least),
        at_most: there.at_most.min(back.at_most),
    };
    (terms, both)
}

/// Steps of walks, in each direction: a tenth of a second.
const STEPS: usize = 1 << 24;

fn one_direction(a: &[u64], b: &[u64]) -> (u64, EditDistance) {
    let mut words = Words::new(a, b);
    let mut steps = STEPS;
    let mut terms = 0;
    let (deleted, inserted, _) = changes(a, b);
    for (side, changed) in [deleted, inserted].iter().enumerate() {
        for place in (0..changed.len()).filter(|&place| changed[place]) {
            let word = words.sequences[side][place] as usize;
            words.pays[word][side] = true;
            terms += 1;
        }
    }
    words.relieve(&mut steps);
    let at_least = words.must_pay(&mut steps);
    (terms, EditDistance { at_least, at_most: words.paid() })
}

/// What a word may do at its least cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Least {
    /// Stands as often on both sides: all of its occurrences are aligned.
    Stay,
    /// Stands more often in `a`: some of its occurrences there are not.
    Remove,
    /// Stands more often in `b`: some of its occurrences there are not.
    Add,
}

/// Two sequences as numbers of words, from 0 in the order of their first occurrences.
struct Words {
    sequences: [Vec<u32>; 2],
    /// Where each word stands in each sequence, ascending.
    places: [Occurrences; 2],
    /// Whether an edit removes some of it, and whether one adds some.
    pays: Vec<[bool; 2]>,
}

/// The places of each word in a sequence.
struct Occurrences {
    /// Word `w` has those from `starts[w]` to `starts[w + 1]`.
    starts: Vec<usize>,
    places: Vec<usize>,
}

impl Occurrences {
    fn new(sequence: &[u32], words: usize) -> Self {
        let mut starts = vec![0; words + 1];
        for &word in sequence {
            starts[word as usize + 1] += 1;
        }
        for word in 0..words {
            starts[word + 1] += starts[word];
        }
        let mut next = starts.clone();
        let mut places = vec![0; sequence.len()];
        for (place, &word) in sequence.iter().enumerate() {
            places[next[word as usize]] = place;
            next[word as usize] += 1;
        }
        Self { starts, places }
    }

    fn of(&self, word: usize) -> &[usize] {
        &self.places[self.starts[word]..self.starts[word + 1]]
    }
}

impl Words {
    fn new(a: &[u64], b: &[u64]) -> Self {
        // By value to find them, then by first occurrence: what stands for a word must not count.
        let mut firsts: Vec<(u64, usize)> =
            a.iter().chain(b).enumerate().map(|(place, &token)| (token, place)).collect();
        firsts.sort_unstable();
        firsts.dedup_by_key(|(token, _)| *token);
        let mut by_place: Vec<usize> = (0..firsts.len()).collect();
        by_place.sort_unstable_by_key(|&at| firsts[at].1);
        let mut numbers = vec![0_u32; firsts.len()];
        for (number, &at) in (0..).zip(&by_place) {
            numbers[at] = number;
        }
        let number = |token: &u64| {
            firsts.binary_search_by_key(token, |first| first.0).map_or(0, |at| numbers[at])
        };
        let sequences = [a, b].map(|tokens| tokens.iter().map(number).collect::<Vec<u32>>());
        let places = [0, 1].map(|side| Occurrences::new(&sequences[side], firsts.len()));
        Self { sequences, places, pays: vec![[false; 2]; firsts.len()] }
    }

    fn count(&self, side: usize, word: usize) -> usize {
        self.places[side].of(word).len()
    }

    fn least(&self, word: usize) -> Least {
        match self.count(0, word).cmp(&self.count(1, word)) {
            std::cmp::Ordering::Equal => Least::Stay,
            std::cmp::Ordering::Greater => Least::Remove,
            std::cmp::Ordering::Less => Least::Add,
        }
    }

    fn pays_twice(&self, word: usize) -> bool {
        self.pays[word] == [true; 2]
    }

    fn paid(&self) -> u64 {
        self.pays.iter().flatten().filter(|&&pays| pays).count() as u64
    }

    /// Lets each word that pays twice pay its least, where a walk shows that it can.
    fn relieve(&mut self, steps: &mut usize) {
        let length = self.sequences[0].len() + self.sequences[1].len();
        for word in (0..self.pays.len()).filter(|&word| self.pays_twice(word)).collect::<Vec<_>>() {
            if *steps < length {
                return;
            }
            *steps -= length;
            let least = self.least(word);
            self.pays[word] = [least == Least::Remove, least == Least::Add];
            let rest = [0, 1].map(|side| {
                let words = self.sequences[side].iter().map(|&word| word as usize);
                words.filter(|&word| !self.pays_twice(word))
            });
            let [a, b] = rest;
            if !self.align(a, b) {
                self.pays[word] = [true; 2];
            }
        }
    }

    /// Whether a walk aligns two sequences in which every word pays its least. Only a choice between
    /// removing and adding can make it fail where another walk would not.
    fn align(&self, a: impl Iterator<Item = usize>, b: impl Iterator<Item = usize>) -> bool {
        let (mut a, mut b): (Peekable<_>, Peekable<_>) = (a.peekable(), b.peekable());
        loop {
            match (a.peek().copied(), b.peek().copied()) {
                (None, None) => return true,
                (Some(x), Some(y)) if x == y => {
                    // Where a word may be removed as well, nothing is lost by aligning it here.
                    a.next();
                    b.next();
                }
                (Some(x), _) if self.least(x) == Least::Remove => {
                    a.next();
                }
                (_, Some(y)) if self.least(y) == Least::Add => {
                    b.next();
                }
                _ => return false,
            }
        }
    }

    /// What all edits must cost: the least cost of every word, and what crossing pairs pay besides.
    fn must_pay(&self, steps: &mut usize) -> u64 {
        let words = 0..self.pays.len();
        let least = words.clone().filter(|&word| self.least(word) != Least::Stay).count() as u64;
        let mut taken = vec![false; self.pays.len()];
        let mut besides = 0;
        // A pair of words that both stay pays 2, any other 1: the former first.
        for (costs, both_stay) in [(2, true), (1, false)] {
            for word in words.clone().filter(|&word| self.pays_twice(word)) {
                if taken[word] || (both_stay && self.least(word) != Least::Stay) {
                    continue;
                }
                let may = |other: usize| {
                    let stay = [word, other].iter().all(|&word| self.least(word) == Least::Stay);
                    !taken[other] && other != word && stay == both_stay
                };
                if let Some(other) = self.crossing(word, may, steps) {
                    (taken[word], taken[other]) = (true, true);
                    besides += costs;
                }
            }
        }
        least + besides
    }

    /// One of the words that may be taken, which certainly cannot pay its least if this one does. First
    /// those that pay less in the alignment: the others look for one themselves.
    fn crossing(
        &self,
        word: usize,
        may: impl Fn(usize) -> bool,
        steps: &mut usize,
    ) -> Option<usize> {
        for twice in [false, true] {
            for other in 0..self.pays.len() {
                *steps = steps.checked_sub(1)?;
                if self.pays_twice(other) == twice && may(other) && self.cross(word, other, steps) {
                    return Some(other);
                }
            }
        }
        None
    }

    /// Whether two words certainly cannot both pay their least.
    fn cross(&self, word: usize, other: usize, steps: &mut usize) -> bool {
        let pair = [word, other];
        let leasts = pair.map(|word| self.least(word));
        if leasts.contains(&Least::Remove) && leasts.contains(&Least::Add) {
            return false;
        }
        let length: usize = pair.map(|word| self.count(0, word) + self.count(1, word)).iter().sum();
        if *steps < length {
            *steps = 0;
            return false;
        }
        *steps -= length;
        let [a, b] = [0, 1].map(|side| {
            let [mut here, mut there] =
                pair.map(|word| self.places[side].of(word).iter().peekable());
            std::iter::from_fn(move || match (here.peek(), there.peek()) {
                (Some(x), Some(y)) if x < y => here.next().map(|_| word),
                (_, Some(_)) => there.next().map(|_| other),
                (Some(_), None) => here.next().map(|_| word),
                (None, None) => None,
            })
        });
        !self.align(a, b)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashSet, VecDeque};

    use proptest::prelude::*;

    use super::*;

    /// The definition: breadth first over single edits, of sequences of at most `longest` words.
    fn by_edits(a: &[u64], b: &[u64], longest: usize, words: u64) -> u64 {
        let mut seen = HashSet::from([a.to_vec()]);
        let mut waiting = VecDeque::from([(a.to_vec(), 0)]);
        while let Some((text, edits)) = waiting.pop_front() {
            if text == b {
                return edits;
            }
            for word in 0..words {
                for next in removals(&text, word).into_iter().chain(additions(&text, word, longest))
                {
                    if seen.insert(next.clone()) {
                        waiting.push_back((next, edits + 1));
                    }
                }
            }
        }
        unreachable!("all texts can be reached")
    }

    fn removals(text: &[u64], word: u64) -> Vec<Vec<u64>> {
        let places: Vec<usize> = (0..text.len()).filter(|&at| text[at] == word).collect();
        (1..1_u32 << places.len())
            .map(|chosen| {
                let gone =
                    |at| places.iter().position(|&p| p == at).is_some_and(|n| chosen >> n & 1 == 1);
                (0..text.len()).filter(|&at| !gone(at)).map(|at| text[at]).collect()
            })
            .collect()
    }

    fn additions(text: &[u64], word: u64, longest: usize) -> Vec<Vec<u64>> {
        let mut all = vec![text.to_vec()];
        let mut at = 0;
        while at < all.len() {
            let before = all[at].clone();
            if before.len() < longest {
                for place in 0..=before.len() {
                    let mut with = before.clone();
                    with.insert(place, word);
                    if !all.contains(&with) {
                        all.push(with);
                    }
                }
            }
            at += 1;
        }
        all.split_off(1)
    }

    /// The least cost of all alignments.
    fn by_alignments(a: &[u64], b: &[u64]) -> u64 {
        let kept = |text: &[u64], chosen: u32| -> Vec<u64> {
            (0..text.len()).filter(|at| chosen >> at & 1 == 1).map(|at| text[at]).collect()
        };
        let cost = |text: &[u64], chosen: u32| {
            let changed = (0..text.len()).filter(|at| chosen >> at & 1 == 0).map(|at| text[at]);
            changed.collect::<HashSet<_>>().len() as u64
        };
        let mut least = u64::MAX;
        for of_a in 0..1_u32 << a.len() {
            let rest = kept(a, of_a);
            for of_b in (0..1_u32 << b.len()).filter(|of_b| of_b.count_ones() == of_a.count_ones())
            {
                if kept(b, of_b) == rest {
                    least = least.min(cost(a, of_a) + cost(b, of_b));
                }
            }
        }
        least
    }

    fn texts(words: u64, length: usize) -> impl Strategy<Value = (Vec<u64>, Vec<u64>)> {
        let text = || prop::collection::vec(0..words, 0..=length);
        (text(), text())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn alignments_cost_what_edits_do((a, b) in texts(3, 4)) {
            prop_assert_eq!(by_alignments(&a, &b), by_edits(&a, &b, a.len() + b.len(), 3));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn the_distance_is_between_the_bounds((a, b) in texts(5, 8)) {
            let distance = by_alignments(&a, &b);
            let EditDistance { at_least, at_most } = edit_distance(&a, &b);
            prop_assert!(at_least <= distance && distance <= at_most, "{at_least} {distance} {at_most}");
            prop_assert_eq!(edit_distance(&b, &a), edit_distance(&a, &b));
            prop_assert_eq!(at_most == 0, a == b);
            // By other values of the words, in another order.
            let other = |text: &[u64]| text.iter().map(|word| (word ^ 5) * 0x9e37_79b9).collect::<Vec<_>>();
            prop_assert_eq!(edit_distance(&other(&a), &other(&b)), edit_distance(&a, &b));
        }
    }

    fn exact(a: &[u64], b: &[u64]) -> Option<u64> {
        edit_distance(a, b).exact()
    }

    #[test]
    fn what_pugh_says_of_it() {
        let text: Vec<u64> = (0..3000).map(|at| at * at % 401).collect();
        assert_eq!(exact(&text, &text), Some(0));
        // Replacing a word by another is two changes, however often it stood there.
        let replaced: Vec<u64> =
            text.iter().map(|&word| if word == 4 { 9999 } else { word }).collect();
        assert_eq!(exact(&text, &replaced), Some(2));
        let without: Vec<u64> = text.iter().copied().filter(|&word| word != 4).collect();
        assert_eq!((exact(&text, &without), exact(&without, &text)), (Some(1), Some(1)));
        // A big chunk that is moved is a big change: each of its words is taken away and put back.
        let a: Vec<u64> = (0..1000).collect();
        let moved: Vec<u64> = (0..200).chain(300..900).chain(200..300).chain(900..1000).collect();
        assert_eq!(exact(&a, &moved), Some(200));
        assert_eq!(exact(&[], &[1, 2, 1]), Some(2));
    }

    #[test]
    fn long_texts_end() {
        // Nothing is alike in two random texts of few words, and in one that is turned around.
        let text: Vec<u64> = (0..5_000_u64).map(|at| crate::mix(at) % 50).collect();
        let other: Vec<u64> = (0..5_000_u64).map(|at| crate::mix(at + 1_000_000) % 50).collect();
        assert!(edit_distance(&text, &other).at_most <= 100);
        let long: Vec<u64> = (0..20_000).collect();
        let turned: Vec<u64> = (0..20_000).rev().collect();
        assert!(edit_distance(&long, &turned).at_most <= 40_000);
    }
}

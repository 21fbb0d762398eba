//! What of one document is cut, given which of its windows stand in what is kept before it.
//!
//! The definition asks at every unit for the longest run. Here is why one pass finds it, in time linear
//! in the number of windows. Let a window be *known* if it stands often enough in what is kept before the
//! place that the pass has reached.
//!
//! - A run [b, e) begins with a known window and ends with one, since its first and its last token lie in
//!   windows within it. Between them each known window begins at or before the end of those before it.
//!   So with R the end of the chain of known windows from b, e is the last end of a unit up to R at which a
//!   known window ends.
//! - R is the same for every known b of one chain. A pass that found no end for one b goes on from
//!   where it stopped for the next, and has only to look again at windows that become known meanwhile: each
//!   does so once.

use std::ops::Range;

/// A window of a document that may stand elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its first token.
    pub at: u32,
    /// Which it is: equal windows of a document have one number.
    pub class: u32,
}

/// What is known of equal windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// How often they stand in what is kept.
    pub kept: u32,
    /// Where they stand first in it.
    pub source: Option<Source>,
}

/// A token of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The document.
    pub document: u32,
    /// The number of the token in it.
    pub token: u32,
}

/// A part of a cut, and where the same words are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The tokens that are cut.
    pub tokens: Range<u32>,
    /// The first of those that stay for them.
    pub source: Source,
}

/// Cuts one document after another. It keeps its buffers.
#[derive(Debug)]
pub struct Cutter {
    /// The tokens of a window.
    width: u32,
    /// How often a window must stand in what is kept.
    copies: u32,
    /// Where units begin, a bit for each token, and one for the end.
    starts: Vec<u64>,
    /// Windows by their classes, where any class has several: where each begins in `members`.
    class_starts: Vec<u32>,
    members: Vec<u32>,
    pieces: Vec<Piece>,
    /// Whether what is not cut is kept.
    keeps: bool,
}

/// A document, or a part of one.
#[derive(Clone, Copy, Debug)]
pub struct CutTask<'a> {
    /// The document.
    pub document: u32,
    /// The number of the first token in it.
    pub first: u32,
    /// How many tokens there are. All other numbers of tokens count from the first.
    pub tokens: u32,
    /// The first tokens of units, ascending; `tokens` among them if a unit ends there.
    pub units: &'a [u32],
    /// The windows that may stand elsewhere, ascending.
    pub windows: &'a [Window],
}

impl Cutter {
    /// One for windows of so many tokens, of which so many copies stay; both at least one.
    pub fn new(width: u32, copies: u32) -> Self {
        Self {
            width: width.max(1),
            copies: copies.max(1),
            starts: Vec::new(),
            class_starts: Vec::new(),
            members: Vec::new(),
            pieces: Vec::new(),
            keeps: true,
        }
    }

    /// Finds the cuts of a document, in order, and hands each on in pieces. The classes are then those
    /// after the document.
    pub fn cut(&mut self, task: CutTask<'_>, classes: &mut [Class], each: impl FnMut(&[Piece])) {
        self.keeps = true;
        self.run(task, classes, each);
    }

    /// The same of a document that goes with all that is left of it: what stands in documents before it.
    pub fn cut_of_gone(
        &mut self,
        task: CutTask<'_>,
        classes: &mut [Class],
        each: impl FnMut(&[Piece]),
    ) {
        self.keeps = false;
        self.run(task, classes, each);
    }

    fn run(&mut self, task: CutTask<'_>, classes: &mut [Class], mut each: impl FnMut(&[Piece])) {
        self.prepare(task, classes.len());
        let CutTask { windows, .. } = task;
        let width = self.width;
        // Tokens from here on are kept so far; windows before this number are looked at.
        let (mut kept_from, mut looked_at) = (0, 0);
        let mut chain = Chain { next: 0, reach: 0, end: 0 };
        let mut number = 0;
        while let Some(&Window { at, class }) = windows.get(number) {
            while windows[looked_at].at + width <= at {
                if windows[looked_at].at >= kept_from {
                    self.keep(task, classes, looked_at, number, &mut chain);
                }
                looked_at += 1;
            }
            if !self.starts_at(at) || classes[class as usize].kept < self.copies {
                number += 1;
                continue;
            }
            if at > chain.reach || chain.next < number {
                chain = Chain { next: number, reach: at, end: 0 };
            }
            while let Some(window) = windows.get(chain.next).filter(|w| w.at <= chain.reach) {
                if classes[window.class as usize].kept >= self.copies {
                    chain.add(window.at + width, self);
                }
                chain.next += 1;
            }
            if chain.end < at + width {
                number += 1;
                continue;
            }
            self.find_pieces(task, classes, number, chain.end);
            each(&self.pieces);
            kept_from = chain.end;
            number += windows[number..].partition_point(|window| window.at < kept_from);
        }
        for number in looked_at..windows.len() {
            if windows[number].at >= kept_from {
                self.keep(task, classes, number, windows.len(), &mut chain);
            }
        }
    }

    fn prepare(&mut self, task: CutTask<'_>, classes: usize) {
        self.starts.clear();
        self.starts.resize(task.tokens as usize / 64 + 1, 0);
        for &unit in task.units.iter().filter(|unit| **unit <= task.tokens) {
            self.starts[unit as usize / 64] |= 1 << (unit % 64);
        }
        self.class_starts.clear();
        if classes == task.windows.len() {
            return;
        }
        self.class_starts.resize(classes + 1, 0);
        for window in task.windows {
            self.class_starts[window.class as usize + 1] += 1;
        }
        for class in 0..classes {
            self.class_starts[class + 1] += self.class_starts[class];
        }
        self.members.clear();
        self.members.resize(task.windows.len(), 0);
        let mut free = self.class_starts.clone();
        for (number, window) in task.windows.iter().enumerate() {
            let place = &mut free[window.class as usize];
            self.members[*place as usize] = number as u32;
            *place += 1;
        }
    }

    fn starts_at(&self, token: u32) -> bool {
        self.starts.get(token as usize / 64).is_some_and(|bits| bits >> (token % 64) & 1 == 1)
    }

    /// A window is kept. If its like become known by that, those among them that the chain has passed,
    /// from the window `from` on, are part of it.
    fn keep(
        &self,
        task: CutTask<'_>,
        classes: &mut [Class],
        number: usize,
        from: usize,
        chain: &mut Chain,
    ) {
        if !self.keeps {
            return;
        }
        let Window { at, class } = task.windows[number];
        let known = &mut classes[class as usize];
        known.kept = known.kept.saturating_add(1);
        let source = Source { document: task.document, token: task.first + at };
        known.source.get_or_insert(source);
        if known.kept != self.copies || self.class_starts.is_empty() {
            return;
        }
        let [start, end] = [0, 1].map(|n| self.class_starts[class as usize + n] as usize);
        let members = &self.members[start..end];
        let passed = members.partition_point(|member| (*member as usize) < from);
        for &member in &members[passed..] {
            if member as usize >= chain.next {
                break;
            }
            chain.add(task.windows[member as usize].at + self.width, self);
        }
    }

    /// The parts of a cut that stand together elsewhere, from the window `number` up to `end`.
    fn find_pieces(&mut self, task: CutTask<'_>, classes: &[Class], number: usize, end: u32) {
        let CutTask { windows, .. } = task;
        let known = |window: &Window| {
            let class = classes[window.class as usize];
            class.source.filter(|_| class.kept >= self.copies)
        };
        self.pieces.clear();
        let mut token = windows[number].at;
        let (mut number, mut last) = (number, number);
        while token < end {
            // The last window from which the token can be had.
            while let Some(window) = windows.get(number).filter(|w| w.at <= token) {
                if window.at + self.width <= end && known(window).is_some() {
                    last = number;
                }
                number += 1;
            }
            let first = windows[last];
            let Some(source) = known(&first) else { return };
            let mut until = first.at + self.width;
            let follows = |until: u32, window: &Window| {
                let at = window.at;
                at + self.width == until + 1
                    && until < end
                    && known(window)
                        == Some(Source { token: source.token + at - first.at, ..source })
            };
            while windows.get(last + 1).is_some_and(|window| follows(until, window)) {
                until += 1;
                last += 1;
            }
            let source = Source { token: source.token + token - first.at, ..source };
            self.pieces.push(Piece { tokens: token..until, source });
            token = until;
        }
    }
}

/// Known windows that reach each other.
struct Chain {
    /// The first window that was not looked at.
    next: usize,
    /// The end of the last of them.
    reach: u32,
    /// The last end of a unit at which one of them ends.
    end: u32,
}

impl Chain {
    fn add(&mut self, end: u32, cutter: &Cutter) {
        self.reach = self.reach.max(end);
        if cutter.starts_at(end) {
            self.end = self.end.max(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::super::reference::{self, Document};
    use super::*;

    fn cut(documents: &[Document<u8>], width: usize, copies: u32) -> Vec<Vec<bool>> {
        let mut cutter = Cutter::new(width as u32, copies);
        let mut known: HashMap<&[u8], Class> = HashMap::new();
        let mut all = Vec::new();
        for (document, (tokens, units)) in documents.iter().enumerate() {
            let mut numbers: HashMap<&[u8], u32> = HashMap::new();
            let mut classes = Vec::new();
            let mut windows = Vec::new();
            for (at, window) in tokens.windows(width).enumerate() {
                let class = *numbers.entry(window).or_insert_with(|| {
                    classes.push(known.get(window).copied().unwrap_or_default());
                    classes.len() as u32 - 1
                });
                windows.push(Window { at: at as u32, class });
            }
            let mut units = units.clone();
            units.push(tokens.len() as u32);
            let task = CutTask {
                document: document as u32,
                first: 0,
                tokens: tokens.len() as u32,
                units: &units,
                windows: &windows,
            };
            let mut cut = vec![false; tokens.len()];
            cutter.cut(task, &mut classes, |pieces| {
                for piece in pieces {
                    let own = piece.tokens.start as usize..piece.tokens.end as usize;
                    let source = piece.source.token as usize;
                    let there = source..source + own.len();
                    let (kept, is_cut) = match all.get(piece.source.document as usize) {
                        Some(is_cut) => (&documents[piece.source.document as usize].0, is_cut),
                        None => (tokens, &cut),
                    };
                    assert_eq!(tokens[own.clone()], kept[there.clone()], "the same words");
                    assert!(!is_cut[there].contains(&true), "which are kept");
                    cut[own].fill(true);
                }
            });
            for (window, class) in numbers {
                known.insert(window, classes[class as usize]);
            }
            all.push(cut);
        }
        all
    }

    fn document() -> impl Strategy<Value = Document<u8>> {
        let tokens = prop::sample::select(vec![1_u8, 2, 3, 20])
            .prop_flat_map(|kinds| prop::collection::vec(0..kinds, 0..40));
        (tokens, prop::sample::select(vec![1_u32, 2, 3, 7]), any::<u64>()).prop_map(
            |(tokens, longest, bits)| {
                let mut units = Vec::new();
                let mut at = 0;
                while (at as usize) < tokens.len() {
                    units.push(at);
                    at += 1 + (bits >> (at % 61)) as u32 % longest;
                }
                (tokens, units)
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn one_pass_cuts_what_the_definition_cuts(
            mut documents in prop::collection::vec(document(), 1..6),
            shared in document(),
            copied in any::<u8>(),
            width in 1..7_usize,
            copies in 1..4_u32,
        ) {
            // Copies of a document within others, so that there is something to cut.
            for (number, (tokens, units)) in documents.iter_mut().enumerate() {
                if copied >> (number % 8) & 1 == 1 {
                    let at = tokens.len() as u32;
                    tokens.extend(&shared.0);
                    units.extend(shared.1.iter().map(|unit| at + unit));
                }
            }
            let found = cut(&documents, width, copies);
            prop_assert_eq!(found, reference::cut(&documents, width, copies as usize));
        }
    }

    #[test]
    fn what_repeats_itself_stays_once() {
        let words = |tokens: Vec<u8>| {
            let units = (0..tokens.len() as u32).collect();
            [(tokens, units)]
        };
        let kept = |documents: &[Document<u8>]| {
            cut(documents, 50, 1)[0].iter().filter(|is_cut| !**is_cut).count()
        };
        assert_eq!(kept(&words(vec![7; 10_000])), 50);
        assert_eq!(kept(&words([1, 2].repeat(5_000))), 50);
        assert_eq!(kept(&words([1, 2, 3].repeat(5_000))), 51);
        assert_eq!(kept(&words(vec![7; 99])), 99, "the second copy is not whole");
    }
}

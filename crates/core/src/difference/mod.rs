//! Token-level difference of two documents.
//!
//! Henzinger's term difference is the number of tokens that `diff` returns for
//! two token sequences: deleted plus inserted, `n + m - 2 LCS`. It tells a page
//! with another date from another page, and its hunks show a person what differs.
//!
//! Myers' algorithm in linear space, in three steps: common ends are cut off;
//! tokens that the other side lacks are set aside, since no alignment can use
//! them; the rest is divided at the middle of a shortest path, found by walking
//! from both corners of the grid at once. The walk takes at most `reach`
//! steps from each corner. A distance within twice that is found exactly; on a
//! longer one the walk stops, and the box is cut at the point it got furthest
//! to, which is a valid difference, but perhaps not the smallest.
//!
//! So the result is exact if at most 23,170 tokens remain after the first two
//! steps, or if the distance that remains is at most 512, however long the
//! documents are. [`Difference::minimal`] says whether it is known to be exact.
//! Time is O((n + m) (log (n + m) + reach)), never quadratic: two random
//! sequences of 300,000 tokens over 4 symbols take 1.6 s, of a million 3.1 s.
//!
//! [`marked`] shows a difference to people: the changes in their context. [`edit_distance`] is
//! another distance, Pugh's; [`BoundedDifference`] only asks whether two documents differ in more than so
//! many tokens.
//!
//! The crate imara-diff was measured first and not used: its `MyersMinimal`
//! drops frequent tokens between unmatched ones and was not minimal on 6 % of
//! small random inputs, and the scan that finds them is quadratic (80,000 random
//! tokens over 4 symbols took 4.9 s, 20,000 took 0.3 s).

mod bounded;
mod edits;
mod marked;

use std::ops::Range;

pub use bounded::{Bounded, BoundedDifference, Sequence};
#[doc(hidden)]
pub use edits::distances;
pub use edits::{EditDistance, edit_distance};
pub use marked::{
    Excerpt, Limits, MarkedDifference, Piece, marked, marked_distinctive, turns_direction,
};

/// Tokens of `a` that were replaced by tokens of `b`. One side may be empty,
/// not both.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hunk {
    /// The tokens deleted from the first sequence.
    pub a: Range<usize>,
    /// The tokens inserted from the second.
    pub b: Range<usize>,
}

/// What turns one token sequence into another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The changes, in order. Between two hunks at least one token is equal.
    pub hunks: Vec<Hunk>,
    /// Deleted plus inserted tokens.
    pub terms: u64,
    /// Whether no smaller difference exists. False means: not known.
    pub minimal: bool,
}

/// The number of tokens that are deleted or inserted to turn `a` into `b`.
pub fn term_difference(a: &[u64], b: &[u64]) -> u64 {
    let (deleted, inserted, _) = changes(a, b);
    let count = |flags: &[bool]| flags.iter().filter(|&&changed| changed).count() as u64;
    count(&deleted) + count(&inserted)
}

/// The changes that turn `a` into `b`, in order.
pub fn hunks(a: &[u64], b: &[u64]) -> Vec<Hunk> {
    difference(a, b).hunks
}

/// The changes that turn `a` into `b`, with their size and whether it is the least.
pub fn difference(a: &[u64], b: &[u64]) -> Difference {
    let (deleted, inserted, minimal) = changes(a, b);
    let run = |flags: &[bool], from: usize| {
        flags[from..].iter().position(|&changed| !changed).map_or(flags.len(), |n| from + n)
    };
    let (mut i, mut j) = (0, 0);
    let mut hunks = Vec::new();
    let mut terms = 0;
    while i < a.len() || j < b.len() {
        let hunk = Hunk { a: i..run(&deleted, i), b: j..run(&inserted, j) };
        // Behind the hunk stands an equal token on both sides, or the end on both.
        (i, j) = (hunk.a.end + 1, hunk.b.end + 1);
        if !(hunk.a.is_empty() && hunk.b.is_empty()) {
            terms += (hunk.a.len() + hunk.b.len()) as u64;
            hunks.push(hunk);
        }
    }
    Difference { hunks, terms, minimal }
}

/// Which tokens of `a` are deleted, which of `b` are inserted, and whether that
/// is known to be the least.
fn changes(a: &[u64], b: &[u64]) -> (Vec<bool>, Vec<bool>, bool) {
    let mut deleted = vec![false; a.len()];
    let mut inserted = vec![false; b.len()];

    let (start, tail) = common_ends(a, b);
    let (rest_a, rest_b) = (&a[start..a.len() - tail], &b[start..b.len() - tail]);

    let side_a = Side::shared(rest_a, rest_b, start, &mut deleted);
    let side_b = Side::shared(rest_b, rest_a, start, &mut inserted);

    let mut walker = Walker::new(reach(side_a.tokens.len() + side_b.tokens.len()));
    let mut minimal = true;
    // Boxes still to be compared; a stack, since a cut at the furthest point
    // may leave one small box after another, too deep for recursion.
    let mut boxes = vec![(0..side_a.tokens.len(), 0..side_b.tokens.len())];
    while let Some((rows, columns)) = boxes.pop() {
        let (part_a, part_b) = (&side_a.tokens[rows.clone()], &side_b.tokens[columns.clone()]);
        let (start, tail) = common_ends(part_a, part_b);
        let (rows, columns) =
            (rows.start + start..rows.end - tail, columns.start + start..columns.end - tail);
        if rows.is_empty() || columns.is_empty() {
            side_a.mark(rows, &mut deleted);
            side_b.mark(columns, &mut inserted);
            continue;
        }
        let (part_a, part_b) = (&side_a.tokens[rows.clone()], &side_b.tokens[columns.clone()]);
        let cut = walker.cut(part_a, part_b);
        minimal &= cut.exact;
        let (row, column) = (rows.start + cut.x, columns.start + cut.y);
        boxes.push((row..rows.end, column..columns.end));
        boxes.push((rows.start..row, columns.start..column));
    }
    (deleted, inserted, minimal)
}

/// How many tokens are equal at the start, and how many of the others at the end.
fn common_ends(a: &[u64], b: &[u64]) -> (usize, usize) {
    let start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[start..], &b[start..]);
    (start, a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count())
}

/// How many steps the walk takes from each corner, for `tokens` tokens in all.
///
/// All walks together then take about 2^28 steps, two seconds at worst. 256
/// keeps a distance of up to 512 exact on sequences of any length.
fn reach(tokens: usize) -> usize {
    ((1 << 28) / tokens.max(1)).max(256)
}

/// The tokens of one sequence that the other one has too, and where they stood.
struct Side {
    tokens: Vec<u64>,
    places: Vec<usize>,
}

impl Side {
    /// Keeps the tokens that occur in `other`; marks the others as changed.
    /// `offset` is where `tokens` starts within `changed`.
    fn shared(tokens: &[u64], other: &[u64], offset: usize, changed: &mut [bool]) -> Self {
        // Sorted rather than hashed: no hash to attack, no seed to vary.
        let mut known = other.to_vec();
        known.sort_unstable();
        known.dedup();
        let mut side = Self { tokens: Vec::new(), places: Vec::new() };
        for (place, token) in (offset..).zip(tokens) {
            if known.binary_search(token).is_ok() {
                side.tokens.push(*token);
                side.places.push(place);
            } else {
                changed[place] = true;
            }
        }
        side
    }

    fn mark(&self, range: Range<usize>, changed: &mut [bool]) {
        for &place in &self.places[range] {
            changed[place] = true;
        }
    }
}

/// The place on a diagonal that no walk has reached.
const NEVER: isize = isize::MIN / 2;

/// Where a box is divided in two.
struct Cut {
    x: usize,
    y: usize,
    /// Whether the point lies on a shortest path.
    exact: bool,
}

/// The furthest points reached on each diagonal, from both corners.
///
/// Diagonal `k` has the points with `x - y = k`; from the far corner the same
/// holds with both sequences read backward.
struct Walker {
    reach: usize,
    forward: Vec<isize>,
    backward: Vec<isize>,
}

impl Walker {
    fn new(reach: usize) -> Self {
        Self { reach, forward: Vec::new(), backward: Vec::new() }
    }

    /// Divides the box of two sequences that are not empty and whose ends differ
    /// on both sides. Their distance is then at least 2, so that each walk takes
    /// a step and the point is neither of the two corners.
    fn cut(&mut self, a: &[u64], b: &[u64]) -> Cut {
        let (n, m) = (a.len().cast_signed(), b.len().cast_signed());
        let delta = n - m;
        let odd = delta % 2 != 0;
        let steps = self.reach.min((a.len() + b.len()).div_ceil(2)).cast_signed();
        let middle = steps + 1;
        let at = |k: isize| (middle + k).cast_unsigned();
        for frontier in [&mut self.forward, &mut self.backward] {
            frontier.clear();
            // What was never reached loses every comparison. Step 0 enters
            // diagonal 0 at 0 as if from diagonal 1.
            frontier.resize((2 * middle + 1).cast_unsigned(), NEVER);
            frontier[at(1)] = 0;
        }
        let (forward, backward) = (&mut self.forward, &mut self.backward);

        for d in 0..=steps {
            // A diagonal that starts d steps off a side is used up once it has
            // been reached, so the range shrinks again beyond that.
            let low = -d + 2 * (d - m).max(0);
            let high = d - 2 * (d - n).max(0);

            let mut k = low;
            while k <= high {
                let mut x = (forward[at(k - 1)] + 1).max(forward[at(k + 1)]).min(n).min(m + k);
                while x < n && x - k < m && a[x.cast_unsigned()] == b[(x - k).cast_unsigned()] {
                    x += 1;
                }
                forward[at(k)] = x;
                // The walks meet where their lengths on a diagonal add up.
                let mirror = delta - k;
                if odd && mirror.abs() < d && x + backward[at(mirror)] >= n {
                    return Cut { x: x.cast_unsigned(), y: (x - k).cast_unsigned(), exact: true };
                }
                k += 2;
            }

            let mut k = low;
            while k <= high {
                let mut x = (backward[at(k - 1)] + 1).max(backward[at(k + 1)]).min(n).min(m + k);
                while x < n
                    && x - k < m
                    && a[(n - x - 1).cast_unsigned()] == b[(m - x + k - 1).cast_unsigned()]
                {
                    x += 1;
                }
                backward[at(k)] = x;
                let mirror = delta - k;
                if !odd && mirror.abs() <= d && x + forward[at(mirror)] >= n {
                    let (x, y) = ((n - x).cast_unsigned(), (m - x + k).cast_unsigned());
                    return Cut { x, y, exact: true };
                }
                k += 2;
            }
        }
        self.furthest(n, m, steps)
    }

    /// The point that the walks of `steps` steps came furthest to. It pays for
    /// both of them: no diagonal was walked further than it.
    fn furthest(&self, n: isize, m: isize, steps: isize) -> Cut {
        let mut best = (0, n / 2, m / 2);
        let middle = steps + 1;
        let low = -steps + 2 * (steps - m).max(0);
        let high = steps - 2 * (steps - n).max(0);
        let mut k = low;
        while k <= high {
            let x = self.forward[(middle + k).cast_unsigned()];
            let done = x + x - k;
            if done > best.0 && done < n + m {
                best = (done, x, x - k);
            }
            let x = self.backward[(middle + k).cast_unsigned()];
            let done = x + x - k;
            if done > best.0 && done < n + m {
                best = (done, n - x, m - x + k);
            }
            k += 2;
        }
        Cut { x: best.1.cast_unsigned(), y: best.2.cast_unsigned(), exact: false }
    }
}

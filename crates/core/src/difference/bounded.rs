//! The term difference of two documents, if it is small enough to matter.
//!
//! Whoever asks whether two documents differ in at most so many tokens need not know how many
//! more there are. Three steps, each of which may end it:
//!
//! 1. One is longer than the other by more than that.
//! 2. Tokens are counted in as many buckets as there are tokens, or fewer: what one document has more of
//!    than the other in a bucket cannot be aligned. Two documents that have little in common are told
//!    apart here, in one pass.
//! 3. Myers' greedy walk: the furthest points that can be reached with 0, 1, 2, ... changes, on the
//!    diagonals from which the end can still be reached with those that are left. No alignment is kept,
//!    so the memory is that of the furthest points.
//!
//! The result is exact. Documents that differ in d tokens take n + m + d^2 steps at best, and d (n + m)
//! if they repeat themselves; documents that are alike take two passes. After [`STEPS`] steps more than these the walk is
//! given up: the two are [`Bounded::Undecided`]. Two documents of up to 11,000 differing tokens are
//! decided, whatever their lengths, unless they repeat themselves.
//!
//! Tokens are read forward, in blocks, so that neither document has to be in memory.

use crate::verification::Code;

/// Steps of a walk beyond passing over the tokens: less than a second.
const STEPS: u64 = 1 << 26;

/// The most differing tokens that a walk of so many steps can find, and so the most furthest points.
const REACH: u64 = 11_585;

/// Buckets that tokens are counted in, at most.
const BUCKETS: usize = 1 << 16;

/// What is known of the term difference of two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounded {
    /// It is this.
    Terms(u64),
    /// It is more than was asked for.
    More,
    /// It may be either: finding out would take too long.
    Undecided,
}

/// The tokens of a document, wherever they are.
pub trait Sequence {
    /// Why they cannot be read.
    type Error;

    /// How many there are.
    fn tokens(&self) -> u64;

    /// Those from this one on, as far as they are at hand: at least one, if there is one.
    ///
    /// # Errors
    /// If they cannot be read.
    fn from(&mut self, at: u64) -> Result<&[Code], Self::Error>;

    /// Steps that reading has cost so far: the same whenever the same is read in the same order.
    fn cost(&self) -> u64 {
        0
    }
}

/// In memory.
impl Sequence for &[Code] {
    type Error = std::convert::Infallible;

    fn tokens(&self) -> u64 {
        self.len() as u64
    }

    fn from(&mut self, at: u64) -> Result<&[Code], Self::Error> {
        Ok(self.get(at as usize..).unwrap_or_default())
    }
}

/// Finds differences of documents, one pair after another. It keeps its buffers.
#[derive(Default)]
pub struct BoundedDifference {
    buckets: Vec<i64>,
    furthest: Vec<i64>,
}

impl BoundedDifference {
    /// Tokens that are deleted or inserted to turn one document into the other, if they are at most
    /// `most`.
    ///
    /// # Errors
    /// If a document cannot be read.
    pub fn of<A: Sequence, B: Sequence<Error = A::Error>>(
        &mut self,
        a: &mut A,
        b: &mut B,
        most: u64,
    ) -> Result<Bounded, A::Error> {
        let (n, m) = (a.tokens(), b.tokens());
        let most = most.min(n + m);
        if n.abs_diff(m) > most || self.unlike(a, b)? > most {
            return Ok(Bounded::More);
        }
        self.walk(a, b, most)
    }

    /// The same of two that are in memory.
    pub fn of_slices(&mut self, mut a: &[Code], mut b: &[Code], most: u64) -> Bounded {
        match self.of(&mut a, &mut b, most) {
            Ok(found) => found,
            Err(never) => match never {},
        }
    }

    /// Tokens that cannot be aligned, as far as counts in buckets tell.
    fn unlike<A: Sequence, B: Sequence<Error = A::Error>>(
        &mut self,
        a: &mut A,
        b: &mut B,
    ) -> Result<u64, A::Error> {
        let Self { buckets, .. } = self;
        let count = (a.tokens() + b.tokens()).min(BUCKETS as u64) as usize;
        buckets.clear();
        buckets.resize(count.next_power_of_two(), 0);
        count_tokens(a, buckets, 1)?;
        count_tokens(b, buckets, -1)?;
        Ok(buckets.iter().map(|more| more.unsigned_abs()).sum())
    }

    /// Walks from the beginning until the end is reached, or cannot be.
    fn walk<A: Sequence, B: Sequence<Error = A::Error>>(
        &mut self,
        a: &mut A,
        b: &mut B,
        most: u64,
    ) -> Result<Bounded, A::Error> {
        let (n, m) = (a.tokens().cast_signed(), b.tokens().cast_signed());
        // Reading both twice costs what passing over them does.
        let budget = STEPS + 4 * (a.tokens() + b.tokens());
        let reach = most.min(REACH).cast_signed();
        let most = most.cast_signed();
        // Diagonal k has the points with x - y = k; the end is on this one.
        let end = n - m;
        let middle = reach + 1;
        let at = |k: i64| (middle + k).cast_unsigned() as usize;
        let furthest = &mut self.furthest;
        furthest.clear();
        // What was never reached loses every comparison. Step 0 enters diagonal 0 at 0 as if from
        // diagonal 1.
        furthest.resize(at(middle) + 1, NEVER);
        furthest[at(1)] = 0;
        let mut steps = 0;
        for d in 0..=reach {
            // Beyond the sides there is nothing; and from further off than this the end is out of reach.
            let left = most - d;
            let low = (-d).max(-m).max(end - left);
            let high = d.min(n).min(end + left);
            // Only every second diagonal can be reached with d changes.
            let mut k = low + (low + d).rem_euclid(2);
            while k <= high {
                let from = (furthest[at(k - 1)] + 1).max(furthest[at(k + 1)]);
                let x = from.min(n).min(m + k);
                // Nothing has come here yet: all that could was out of reach.
                if x >= 0 && x >= k {
                    let y = x - k;
                    let equal = equal_from(a, b, [x.cast_unsigned(), y.cast_unsigned()])?;
                    let x = x + equal.cast_signed();
                    furthest[at(k)] = x;
                    steps += 1 + equal;
                    if k == end && x == n {
                        return Ok(Bounded::Terms(d.cast_unsigned()));
                    }
                }
                k += 2;
            }
            if steps + a.cost() + b.cost() > budget {
                return Ok(Bounded::Undecided);
            }
        }
        Ok(if reach == most { Bounded::More } else { Bounded::Undecided })
    }
}

/// The place on a diagonal that was never reached.
const NEVER: i64 = i64::MIN / 2;

fn count_tokens<S: Sequence>(
    sequence: &mut S,
    buckets: &mut [i64],
    step: i64,
) -> Result<(), S::Error> {
    let last = buckets.len() - 1;
    let mut at = 0;
    while at < sequence.tokens() {
        let tokens = sequence.from(at)?;
        for &token in tokens {
            // Codes of short words are the words themselves, whose last bits say little.
            buckets[lookalike_kernels::mix(token) as usize & last] += step;
        }
        at += tokens.len() as u64;
    }
    Ok(())
}

/// How many tokens are equal from here on.
fn equal_from<A: Sequence, B: Sequence<Error = A::Error>>(
    a: &mut A,
    b: &mut B,
    [x, y]: [u64; 2],
) -> Result<u64, A::Error> {
    let mut equal = 0;
    while x + equal < a.tokens() && y + equal < b.tokens() {
        let (here, there) = (a.from(x + equal)?, b.from(y + equal)?);
        let run = here.iter().zip(there).take_while(|(a, b)| a == b).count();
        equal += run as u64;
        if run < here.len().min(there.len()) {
            break;
        }
    }
    Ok(equal)
}

//! Rows and places: the two numbers of a document.
//!
//! A row is its number in the input, a place its number in the order of the keep
//! policy. Both are four bytes, and the compiler keeps them apart: only
//! [`Order`](crate::order::Order) turns one into the other.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use lookalike_files::word;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};
use crate::sort::Record;

/// The number of a document in one of its two orders.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Number<Order>(u32, PhantomData<fn() -> Order>);

/// The order of the input: sources by their paths, records as they stand in their files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InputOrder;

/// The order of the keep policy, the preferred first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeepOrder;

/// A document's number in the input.
pub type Row = Number<InputOrder>;

/// A document's number in the order of the keep policy.
pub type Place = Number<KeepOrder>;

impl<O: Copy> Number<O> {
    /// The most documents of one job.
    const MAX_DOCUMENTS: u64 = u32::MAX as u64 - 1;

    /// What no document has.
    pub const NONE: Self = Self(u32::MAX, PhantomData);

    /// Counted from 0; [`NONE`](Self::NONE) where there can be none.
    pub const fn nth(number: u64) -> Self {
        let number = if number <= Self::MAX_DOCUMENTS { number as u32 } else { u32::MAX };
        Self(number, PhantomData)
    }

    /// Fails if there are more documents than numbers.
    pub(crate) fn check_count(documents: u64) -> Result<()> {
        if documents <= Self::MAX_DOCUMENTS {
            return Ok(());
        }
        Err(Error::from(ErrorKind::TooManyDocuments(Self::MAX_DOCUMENTS)))
    }

    /// Where what is known of it stands in a slice.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The one that comes so many after it.
    #[must_use]
    pub fn after(self, count: u64) -> Self {
        Self::nth(u64::from(self.0) + count)
    }

    /// Those of a range, in order.
    pub fn between(range: Range<Self>) -> impl Iterator<Item = Self> {
        (range.start.0..range.end.0).map(|number| Self(number, PhantomData))
    }

    /// All that there can be, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::between(Self::nth(0)..Self::NONE)
    }

    pub(crate) const fn to_le_bytes(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }

    /// The four bytes there.
    pub(crate) fn read(bytes: &[u8], at: usize) -> Self {
        Self(word(bytes, at), PhantomData)
    }
}

impl<O> From<Number<O>> for u64 {
    fn from(number: Number<O>) -> Self {
        number.0.into()
    }
}

impl<O> fmt::Display for Number<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<O> fmt::Debug for Number<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How many documents a job has: those that it decides about, and those of the known side, which
/// always stay. The rows of the known come after those of the new, and their places before them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides {
    /// Documents that may go.
    pub new: u64,
    /// Documents that are known.
    pub known: u64,
}

impl Sides {
    /// Documents of both sides.
    pub fn all(self) -> u64 {
        self.new + self.known
    }

    /// Whether the document of a place is known.
    #[inline]
    pub fn knows(self, place: Place) -> bool {
        u64::from(place) < self.known
    }

    /// Whether the document of a row is known.
    #[inline]
    pub fn knows_row(self, row: Row) -> bool {
        u64::from(row) >= self.new
    }
}

/// Without a known side.
impl From<u64> for Sides {
    fn from(new: u64) -> Self {
        Self { new, known: 0 }
    }
}

/// Several, the first of which come first.
impl<O: Copy + Ord, const N: usize> Record for [Number<O>; N] {
    const BYTES: usize = 4 * N;

    fn encode(self, out: &mut [u8]) {
        for (bytes, number) in out.as_chunks_mut().0.iter_mut().zip(self) {
            *bytes = number.to_le_bytes();
        }
    }

    fn decode(bytes: &[u8]) -> Self {
        std::array::from_fn(|n| Number::read(bytes, 4 * n))
    }
}

//! The last stage: survivors, clusters, pairs.

mod copied_pairs;
mod mirrors;
mod outcome;
mod tables;

pub use copied_pairs::MEMBER_LIMIT;
pub(crate) use copied_pairs::{for_each, for_each_within_sets};
pub(crate) use mirrors::Mirrors;
pub use mirrors::Unreadable;
pub(crate) use outcome::{Outcome, Removal};
pub(crate) use tables::{BATCH_ROWS, PairListing, Table, TableSummary, Tables};

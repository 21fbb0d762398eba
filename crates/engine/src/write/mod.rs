//! The last stage: survivors, clusters, pairs.

mod copied_pairs;
mod most_repeated;
mod outcome;
mod survivors;
mod tables;

pub use copied_pairs::MEMBER_LIMIT;
pub(crate) use copied_pairs::{for_each, for_each_within_sets};
pub(crate) use outcome::{Outcome, Removal};
pub(crate) use survivors::Survivors;
pub use survivors::Unreadable;
pub(crate) use tables::{BATCH_ROWS, PairListing, Table, TableSummary, Tables};

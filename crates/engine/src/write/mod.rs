//! The last stage: survivors, clusters, pairs.

mod annotations;
mod copied_pairs;
mod most_repeated;
mod outcome;
mod revisits;
mod survivors;
mod tables;
mod written;

pub(crate) use annotations::{AnnotationSorter, Annotations, ClusterTable};
pub use copied_pairs::MEMBER_LIMIT;
pub(crate) use copied_pairs::{for_each, for_each_within_sets};
pub(crate) use outcome::{Follower, Outcome};
pub(crate) use revisits::Revisiting;
pub(crate) use survivors::Survivors;
pub use survivors::Unreadable;
pub(crate) use tables::{BATCH_ROWS, PairListing, Table, TableSummary, Tables};
pub use written::{Repeats, Written};
pub(crate) use written::{Writing, has_fields};

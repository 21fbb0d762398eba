//! From keys to clusters: documents that share a key are candidates, a judge
//! says which of them are pairs, and the pairs decide who stays.
//!
//! [`write_groups`] sorts keys out of core into groups of documents that share
//! one, [`write_pairs_in_common`] makes groups of two that share several, and [`write_holders`] those of which only
//! some look for the others. [`cluster`] goes through the groups in rounds, hands candidates to a
//! [`Judge`], and decides; [`cluster_pairs`] decides from pairs that are known. Documents go
//! by their places.

mod clusters;
mod decide;
mod groups;
mod holders;
mod in_common;
mod pairs;
mod rounds;
mod stored;

pub use clusters::{Clustering, Clusters, LimitedGroups};
pub use groups::{ALL_MEMBERS, GroupCounts, GroupReader, GroupTask, KeyPlace, Step, write_groups};
pub use holders::{Holder, write_holders};
pub use in_common::{Grouped, InCommon, Least, write_pairs_in_common};
pub use pairs::{Candidate, Judge, Pair, PairReader};
pub use rounds::{ClusterTask, Pairs, cluster};
pub use stored::{PairClusterTask, cluster_pairs};

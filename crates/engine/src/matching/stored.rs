//! The decision from pairs that are known, without a judge.

use std::path::Path;

use super::clusters::{Clustering, Clusters, LimitedGroups};
use super::decide::{self, Effort, State};
use super::pairs::{ByLater, Pair};
use crate::document_set::PlaceSet;
use crate::error::Result;
use crate::sort::{SortedRunWriter, Sorter, Union};

/// What is to be clustered, how, and where to.
#[derive(Clone, Copy, Debug)]
pub struct PairClusterTask<'a> {
    /// Documents in all: every place is smaller.
    pub documents: u64,
    /// How pairs become clusters.
    pub clustering: Clustering,
    /// Where the pairs go: sorted by (later, earlier), each once.
    pub pairs: &'a Path,
    /// Where the decision goes.
    pub keepers: &'a Path,
    /// Where what does not fit into memory goes.
    pub folder: &'a Path,
    /// Bytes of memory, without keepers and bits.
    pub budget: usize,
}

/// Clusters documents by the pairs that `each` hands on, in any order. All of them are accepted,
/// and there are no others: the decision is that of [`cluster`](super::cluster) with
/// [`Pairs::All`](super::Pairs::All) and these for what the judge accepts.
///
/// # Errors
/// What `each` gives; or if a file cannot be written or read.
///
/// # Panics
/// If there is no document of a place.
pub fn cluster_pairs(
    task: &PairClusterTask<'_>,
    each: impl FnOnce(&mut dyn FnMut(Pair) -> Result<()>) -> Result<()>,
) -> Result<Clusters> {
    let mut pairs = Sorter::new(task.folder, task.budget);
    let mut candidates = 0;
    each(&mut |pair| {
        candidates += 1;
        pairs.push(ByLater(pair))
    })?;
    let pairs = Union::new(None, Some(pairs.finish()?))?;
    let mut state = State::new(task.clustering, task.documents);
    let mut all = SortedRunWriter::create(task.folder)?;
    let mut changed = PlaceSet::none(task.documents);
    state.decide(pairs, &mut changed, &mut all, |_, _| Ok(true))?;
    let effort = Effort { candidates, rounds: 1, limited: LimitedGroups::default() };
    let paths = [task.pairs, task.keepers];
    decide::write(state, Some(all.finish()?), effort, paths, task.documents)
}

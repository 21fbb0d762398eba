//! The largest clusters, with what differs in them, for the report.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use lookalike_core::Recipe;
use lookalike_core::text::TextBuf;
use lookalike_corpus::ReadOptions;

use crate::error::Result;
use crate::ids::Ids;
use crate::order::Order;
use crate::report::{self, Cluster, MAX_CLUSTERS, MAX_MEMBERS, marked_difference};
use crate::signature_file::SignatureLookup;
use crate::sources::SourceTable;
use crate::write::{Kind, Outcome, Removed};

/// The most of a document that is read for its difference.
const MAX_BYTES: usize = 2 << 20;

/// Members of a large cluster: its size, its keeper, and some that go.
struct Large {
    keeper: u32,
    size: u64,
    members: Vec<Removed>,
    near: Option<Removed>,
}

/// Where documents are.
pub(super) struct Documents<'a> {
    pub(super) recipe: &'a Recipe,
    pub(super) order: &'a Order,
    pub(super) signatures: &'a SignatureLookup,
    pub(super) sources: &'a SourceTable,
    pub(super) options: &'a ReadOptions,
}

impl Documents<'_> {
    /// The largest clusters; `sizes` are by the keeper's place.
    pub(super) fn largest(&self, outcome: &Outcome<'_>, sizes: &[u32]) -> Result<Vec<Cluster>> {
        let mut largest = of_sizes(sizes);
        let by_keeper: HashMap<u32, usize> =
            largest.iter().enumerate().map(|(n, large)| (large.keeper, n)).collect();
        if largest.is_empty() {
            return Ok(Vec::new());
        }
        outcome.for_each_removed(|removed| {
            if let Some(&number) = by_keeper.get(&removed.keeper) {
                let large = &mut largest[number];
                if removed.kind == Kind::Near && large.near.is_none() {
                    large.near = Some(removed);
                }
                if large.members.len() < MAX_MEMBERS {
                    large.members.push(removed);
                }
            }
            Ok(())
        })?;
        let rows = largest.iter().filter_map(|large| {
            Some([self.order.row(large.keeper), self.order.row(large.near?.place)])
        });
        let rows = rows.flatten().collect();
        let texts = self.sources.beginnings(self.options, rows, MAX_BYTES)?;
        let mut ids = Ids::new(self.signatures);
        largest.iter().map(|large| self.cluster(large, &texts, &mut ids)).collect()
    }

    fn cluster(
        &self,
        large: &Large,
        texts: &HashMap<u64, TextBuf>,
        ids: &mut Ids<'_>,
    ) -> Result<Cluster> {
        let mut members = Vec::new();
        for removed in &large.members {
            let exact = removed.kind == Kind::Exact;
            members.push(report::Member {
                id: ids.get(self.order.row(removed.place))?,
                kind: if exact { report::Kind::Exact } else { report::Kind::Near },
                resemblance: removed.resemblance(),
            });
        }
        let text = |place: u32| texts.get(&self.order.row(place));
        let difference = match large.near {
            Some(near) => match (text(large.keeper), text(near.place)) {
                (Some(keeper), Some(other)) => {
                    let with = ids.get(self.order.row(near.place))?;
                    Some(marked_difference(self.recipe.tokens, keeper, &with, other))
                }
                _ => None,
            },
            None => None,
        };
        let keeper = ids.get(self.order.row(large.keeper))?;
        Ok(Cluster { size: large.size, keeper, members, difference })
    }
}

/// The largest, the first of equals first.
fn of_sizes(sizes: &[u32]) -> Vec<Large> {
    let mut heap = BinaryHeap::new();
    for (keeper, &size) in (0_u32..).zip(sizes).filter(|(_, size)| **size > 1) {
        // The least on top: small, and late in the order.
        heap.push(Reverse((size, Reverse(keeper))));
        if heap.len() > MAX_CLUSTERS {
            heap.pop();
        }
    }
    let large = |Reverse((size, Reverse(keeper))): Reverse<(u32, Reverse<u32>)>| Large {
        keeper,
        size: size.into(),
        members: Vec::new(),
        near: None,
    };
    heap.into_sorted_vec().into_iter().map(large).collect()
}

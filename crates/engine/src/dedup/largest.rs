//! The largest clusters, with what differs in them, for the report.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io::Read as _;

use lookalike_core::Recipe;
use lookalike_core::text::TextBuf;
use lookalike_corpus::{Format, ReadOptions};

use crate::error::Result;
use crate::ids::Ids;
use crate::order::Order;
use crate::report::{self, Cluster, MAX_CLUSTERS, MAX_MEMBERS, marked_difference};
use crate::signature_file::SignatureLookup;
use crate::sources::SourceTable;
use crate::write::{Kind, Outcome, Removed};

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
        let texts = self.texts(rows.flatten().collect())?;
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

    /// The beginnings of the texts of some rows.
    fn texts(&self, mut rows: Vec<u64>) -> Result<HashMap<u64, TextBuf>> {
        const MAX_BYTES: usize = 2 << 20;
        rows.sort_unstable();
        rows.dedup();
        let mut texts = HashMap::new();
        let mut rows = &rows[..];
        while let Some(&first) = rows.first() {
            let Some(source) = self.sources.of_row(first)? else { break };
            let count = rows.iter().take_while(|row| source.rows().contains(row)).count();
            let (wanted, rest) = rows.split_at(count.max(1));
            rows = rest;
            if source.source.format() == Format::TextFile {
                // It may be too long to be in memory whole.
                if let Ok(reader) = source.source.text_reader(self.options) {
                    let mut text = Vec::new();
                    let read = reader.take(MAX_BYTES as u64).read_to_end(&mut text);
                    texts.extend(read.ok().map(|_| (first, TextBuf::from(text))));
                }
                continue;
            }
            // What cannot be read any more is only not shown.
            let _ = source.for_each_text(self.options, wanted, |row, text| {
                texts.insert(row, text.beginning(MAX_BYTES).to_buf());
            });
        }
        Ok(texts)
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

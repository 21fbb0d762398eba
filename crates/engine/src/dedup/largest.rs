//! The largest clusters, with what differs in them, for the report.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use lookalike_core::Recipe;
use lookalike_core::text::{Text, TextBuf};
use lookalike_corpus::{ReadOptions, Record};

use crate::error::Result;
use crate::files::Files;
use crate::ids::Ids;
use crate::learn::{LeavingOut, TemplateGroups};
use crate::order::Order;
use crate::places::{Place, Row};
use crate::report::{self, Cluster, Kind, MAX_CLUSTERS, MAX_MEMBERS, distinctive_difference};
use crate::signature_file::SignatureLookup;
use crate::sources::SourceTable;
use crate::urls::Urls;
use crate::write::{Follower, Outcome};

/// The most of a document that is read for its difference.
const MAX_BYTES: usize = 2 << 20;

/// A large cluster: its size, its keeper, and some others.
struct Large {
    keeper: Place,
    size: u64,
    members: Vec<Follower>,
    near: Option<Follower>,
}

/// Where documents are.
pub(super) struct Documents<'a> {
    pub(super) recipe: &'a Recipe,
    pub(super) order: &'a Order,
    pub(super) signatures: &'a SignatureLookup,
    pub(super) sources: &'a SourceTable,
    pub(super) options: &'a ReadOptions,
    pub(super) files: &'a Files,
}

/// The beginnings of documents, with their groups.
type Texts = HashMap<Row, (TextBuf, u64)>;

impl Documents<'_> {
    /// The largest clusters; `sizes` are by the keeper's place.
    pub(super) fn largest(&self, outcome: &Outcome<'_>, sizes: &[u32]) -> Result<Vec<Cluster>> {
        let mut largest = of_sizes(sizes);
        let by_keeper: HashMap<Place, usize> =
            largest.iter().enumerate().map(|(n, large)| (large.keeper, n)).collect();
        if largest.is_empty() {
            return Ok(Vec::new());
        }
        outcome.for_each_follower(|member| {
            if let Some(&number) = by_keeper.get(&member.keeper) {
                let large = &mut largest[number];
                if member.kind == Kind::Near && large.near.is_none() {
                    large.near = Some(member);
                }
                if large.members.len() < MAX_MEMBERS {
                    large.members.push(member);
                }
            }
            Ok(())
        })?;
        let rows = largest.iter().filter_map(|large| {
            Some([self.order.row(large.keeper), self.order.row(large.near?.place)])
        });
        let rows = rows.flatten().collect();
        let template_groups = TemplateGroups::new(self.recipe);
        let told = |record: &Record<'_>| template_groups.record(record);
        let texts = self.sources.beginnings_with(self.options, rows, MAX_BYTES, told)?;
        let urls = Urls::open(&self.files.urls())?;
        let mut names = Names { ids: Ids::new(self.signatures), urls };
        let mut leaving_out = LeavingOut::open(self.files, self.recipe)?;
        largest
            .iter()
            .map(|large| self.cluster(large, &texts, &mut names, &mut leaving_out))
            .collect()
    }

    fn cluster(
        &self,
        large: &Large,
        texts: &Texts,
        names: &mut Names<'_>,
        leaving_out: &mut LeavingOut,
    ) -> Result<Cluster> {
        let mut members = Vec::new();
        for member in &large.members {
            let row = self.order.row(member.place);
            members.push(report::Member {
                id: names.ids.get(row)?,
                url: names.url(row)?,
                kind: member.kind,
                resemblance: member.resemblance(),
                kept: member.stays,
            });
        }
        let text = |place: Place| texts.get(&self.order.row(place));
        let difference = match large.near {
            Some(near) => match (text(large.keeper), text(near.place)) {
                (Some((keeper, keepers_group)), Some((other, group))) => {
                    let with = names.ids.get(self.order.row(near.place))?;
                    let (keeper, other): (Text<'_>, Text<'_>) = (keeper.into(), other.into());
                    let left_out_of_keeper = leaving_out.left_out(keeper, *keepers_group)?;
                    let left_out = leaving_out.left_out(other, *group)?;
                    Some(distinctive_difference(
                        self.recipe.tokens,
                        (keeper, &left_out_of_keeper),
                        &with,
                        (other, &left_out),
                    ))
                }
                _ => None,
            },
            None => None,
        };
        let row = self.order.row(large.keeper);
        let (keeper, keeper_url) = (names.ids.get(row)?, names.url(row)?);
        Ok(Cluster { size: large.size, keeper, keeper_url, members, difference })
    }
}

/// What documents are called.
struct Names<'a> {
    ids: Ids<'a>,
    /// If any document has one.
    urls: Option<Urls>,
}

impl Names<'_> {
    fn url(&mut self, row: Row) -> Result<Option<String>> {
        Ok(self.urls.as_mut().map(|urls| urls.get(row)).transpose()?.flatten())
    }
}

/// The largest, the first of equals first.
fn of_sizes(sizes: &[u32]) -> Vec<Large> {
    let mut heap = BinaryHeap::new();
    for (keeper, &size) in Place::all().zip(sizes).filter(|(_, size)| **size > 1) {
        // The least on top: small, and late in the order.
        heap.push(Reverse((size, Reverse(keeper))));
        if heap.len() > MAX_CLUSTERS {
            heap.pop();
        }
    }
    let large = |Reverse((size, Reverse(keeper))): Reverse<(u32, Reverse<Place>)>| Large {
        keeper,
        size: size.into(),
        members: Vec::new(),
        near: None,
    };
    heap.into_sorted_vec().into_iter().map(large).collect()
}

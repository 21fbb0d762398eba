//! Clusters: known documents that pairs join.
//!
//! The index keeps no pairs, so that they are found when somebody asks, by
//! checking the documents of the index against itself, from a number on. A
//! cluster is told of when its first document is met.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use lookalike_core::GROUP_LIMIT;

use crate::browse::{LOOK, WORK};
use crate::document::{Content, ContentKind, Document, Record};
use crate::error::Result;
use crate::index::Index;
use crate::judge::{Match, Query};
use crate::store::Snapshot;
use crate::tools::Tools;
use crate::view::content;

/// The most documents of a cluster that are told of.
pub const MAX_CLUSTER: usize = 1000;
/// Documents that are read together.
const PAGE: usize = 256;

/// Some clusters of an index.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Clusters {
    /// In the order of their first documents.
    pub clusters: Vec<Cluster>,
    /// Where to go on; `None` after the last document of the index.
    pub next: Option<u64>,
    /// One more than the largest number of a document, so that `next` tells how far this is.
    pub end: u64,
}

/// Documents that are joined by pairs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cluster {
    /// The first is the one that was added first; each other stands after one that it matches.
    pub members: Vec<Member>,
    /// Whether there may be more: documents of a long list that were not looked at, or beyond
    /// [`MAX_CLUSTER`], or beyond what is compared at once.
    pub limited: bool,
}

/// A document of a cluster.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Member {
    /// The document.
    pub record: Record,
    /// The id of the member before it by which it was found, and how it matches that; `None` for
    /// the first.
    pub joined: Option<(String, Match)>,
}

impl Index {
    /// The clusters whose first documents have the number `from` or a larger one: at most `limit`,
    /// and those that are met among at most `documents` documents. However many and long the
    /// documents are, about as much as 64 MiB of them is compared; where that ends, the cluster at
    /// hand is limited, and `next` says where to go on. A document that is not the first of its
    /// cluster mostly costs one comparison, with the first that it looks like.
    ///
    /// # Errors
    /// If the index cannot be read or is damaged.
    pub fn clusters(&self, from: u64, limit: usize, documents: usize) -> Result<Clusters> {
        let mut clusters = Vec::new();
        let (mut next, mut left) = (from, documents);
        let (mut work, end) = (WORK, self.end());
        while left > 0 && work > 0 && clusters.len() < limit {
            let page = self.page(next, PAGE.min(left))?;
            if page.is_empty() {
                return Ok(Clusters { clusters, next: None, end });
            }
            for record in page {
                next = record.number + 1;
                left -= 1;
                clusters.extend(self.cluster_from(record, &mut work)?);
                if clusters.len() == limit || work == 0 {
                    break;
                }
            }
        }
        let next = (!self.page(next, 1)?.is_empty()).then_some(next);
        Ok(Clusters { clusters, next, end })
    }

    /// The cluster of which this is the first document; `None` if it is not, or is alone.
    fn cluster_from(&self, record: Record, work: &mut u64) -> Result<Option<Cluster>> {
        let first = record.number;
        let mut met = HashSet::from([first]);
        let mut members = vec![Member { record, joined: None }];
        let mut limited = false;
        let mut at = 0;
        while let Some(member) = members.get(at) {
            if at > 0 && *work == 0 {
                limited = true;
                break;
            }
            at += 1;
            let id = member.record.id.clone();
            let Some(found) = self.lookalikes(&member.record, first, &met, work)? else {
                return Ok(None);
            };
            limited |= found.limited;
            for (record, found) in found.others {
                if members.len() == MAX_CLUSTER {
                    limited = true;
                    break;
                }
                met.insert(record.number);
                members.push(Member { record, joined: Some((id.clone(), found)) });
            }
        }
        Ok((members.len() > 1).then_some(Cluster { members, limited }))
    }

    /// The other documents that one of the index matches, but for those that were met; none if it is
    /// gone by now. `None` if it matches one before `first`.
    fn lookalikes(
        &self,
        record: &Record,
        first: u64,
        met: &HashSet<u64>,
        work: &mut u64,
    ) -> Result<Option<Lookalikes>> {
        let known = self.read(&record.id)?.filter(|(known, _)| known.number == record.number);
        let Some((record, own)) = known else { return Ok(Some(Lookalikes::default())) };
        let mut document = match (record.stored, &own) {
            (Some(ContentKind::Text), Some(text)) => Document::text("", text),
            (Some(ContentKind::Html), Some(page)) => Document::html("", page),
            (Some(ContentKind::Items), Some(set)) => {
                Document::new("", Content::Items(Cow::Borrowed(set)))
            }
            _ => Document::signed("", &record.signature, record.bytes),
        };
        document.url = record.url.as_deref().map(Into::into);
        let is_earlier = |known: &Record| known.number < first;
        self.with_tools(|tools| {
            let query = self.query(&document, tools)?;
            let mut cost = LOOK + record.bytes;
            // Of many look-alikes, the first of a list is mostly one, and to look at it costs little.
            if record.number == first {
                let (heads, snapshot) = self.candidates(&query, 1, tools)?;
                cost += LOOK * heads.records.len() as u64;
                for known in heads.records.iter().filter(|known| is_earlier(known)) {
                    if self.judge_stored(&query, known, &snapshot, tools, &mut cost)?.is_some() {
                        *work = work.saturating_sub(cost);
                        return Ok(None);
                    }
                }
            }
            let (candidates, snapshot) = self.candidates(&query, GROUP_LIMIT, tools)?;
            cost += LOOK * candidates.records.len() as u64;
            let (mut matches, mut records) = (Vec::new(), HashMap::new());
            let mut is_first = true;
            // Ascending: those before the first come first.
            for known in candidates.records {
                if known.number == record.number || met.contains(&known.number) {
                    continue;
                }
                let found = self.judge_stored(&query, &known, &snapshot, tools, &mut cost)?;
                let Some(mut found) = found else { continue };
                found.counts = self.count_view(Some(&snapshot), None).of(&known)?;
                if is_earlier(&known) {
                    is_first = false;
                    break;
                }
                matches.push(found);
                records.insert(known.number, known);
            }
            *work = work.saturating_sub(cost);
            self.judge.sort(&mut matches);
            let with_record = |found: Match| Some((records.remove(&found.number)?, found));
            let others = matches.into_iter().filter_map(with_record).collect();
            Ok(is_first.then_some(Lookalikes { others, limited: candidates.limited }))
        })
    }

    /// The match that a stored document is; adds to the cost what was read of it.
    fn judge_stored(
        &self,
        query: &Query,
        known: &Record,
        snapshot: &Snapshot,
        tools: &mut Tools,
        cost: &mut u64,
    ) -> Result<Option<Match>> {
        self.judge.judge(query, known, || {
            *cost += known.bytes;
            let content = content(&self.store, None, Some(snapshot), known)?;
            self.contents_of(known, content, tools)
        })
    }
}

/// What a document of the index matches, the best first.
#[derive(Default)]
struct Lookalikes {
    others: Vec<(Record, Match)>,
    limited: bool,
}

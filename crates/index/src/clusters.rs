//! Clusters: known documents that pairs join.
//!
//! The index keeps no pairs, so that they are found when somebody asks, by
//! checking the documents of the index against itself, from a number on. A
//! cluster is told of when its first document is met.

use std::collections::HashSet;

use crate::document::{ContentKind, Document, Record};
use crate::error::Result;
use crate::index::Index;
use crate::judge::Match;
use crate::operations::Answer;

/// The most documents of a cluster that are told of.
pub const MAX_CLUSTER: usize = 1000;
/// Documents that are read together.
const PAGE: usize = 256;
/// Bytes of documents that are read and compared before it is enough: about a second's work. A
/// cluster at which that happens may be told of in part.
const WORK: u64 = 64 << 20;
/// What it costs to look at a document, however short it is, in bytes of a long one.
const LOOK: u64 = 1 << 10;

/// Some clusters of an index.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Clusters {
    /// In the order of their first documents.
    pub clusters: Vec<Cluster>,
    /// Where to go on; `None` after the last document of the index.
    pub next: Option<u64>,
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
    /// hand is limited, and `next` says where to go on.
    ///
    /// # Errors
    /// If the index cannot be read or is damaged.
    pub fn clusters(&self, from: u64, limit: usize, documents: usize) -> Result<Clusters> {
        let mut clusters = Vec::new();
        let (mut next, mut left) = (from, documents);
        let mut work = WORK;
        while left > 0 && work > 0 && clusters.len() < limit {
            let page = self.page(next, PAGE.min(left))?;
            if page.is_empty() {
                return Ok(Clusters { clusters, next: None });
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
        Ok(Clusters { clusters, next })
    }

    /// The cluster of which this is the first document; `None` if it is not, or is alone.
    fn cluster_from(&self, first: Record, work: &mut u64) -> Result<Option<Cluster>> {
        let number = first.number;
        let mut seen = HashSet::from([number]);
        let mut members = vec![Member { record: first, joined: None }];
        let mut limited = false;
        let mut at = 0;
        while let Some(member) = members.get(at) {
            if at > 0 && *work == 0 {
                limited = true;
                break;
            }
            at += 1;
            let id = member.record.id.clone();
            let answer = self.lookalikes(&member.record, work)?;
            limited |= answer.limited;
            for found in answer.matches {
                if found.number < number {
                    return Ok(None);
                }
                if members.len() == MAX_CLUSTER {
                    limited = true;
                    break;
                }
                // It may have been replaced since.
                let record = self.get(&found.id)?.filter(|record| record.number == found.number);
                if let Some(record) = record
                    && seen.insert(found.number)
                {
                    members.push(Member { record, joined: Some((id.clone(), found)) });
                }
            }
        }
        Ok((members.len() > 1).then_some(Cluster { members, limited }))
    }

    /// The other documents that one of the index matches; none if it is gone by now.
    fn lookalikes(&self, record: &Record, work: &mut u64) -> Result<Answer> {
        let known = self.read(&record.id)?.filter(|(known, _)| known.number == record.number);
        let Some((record, content)) = known else { return Ok(Answer::default()) };
        let mut document = match (record.stored, &content) {
            (Some(ContentKind::Text), Some(text)) => Document::text("", text),
            (Some(ContentKind::Html), Some(page)) => Document::html("", page),
            _ => Document::signed("", &record.signature, record.bytes),
        };
        document.url = record.url.as_deref().map(Into::into);
        let (mut answer, compared) = self.with_tools(|tools| {
            let query = self.query(&document, tools)?;
            self.answer(&query, tools)
        })?;
        let cost = LOOK + record.bytes + compared.bytes + LOOK * compared.documents;
        *work = work.saturating_sub(cost);
        answer.matches.retain(|found| found.number != record.number);
        Ok(answer)
    }
}

//! A ranked list without the look-alikes of what stands higher in it.
//!
//! Defined as the batch job defines who goes: in the order of the list, a
//! document is compared with the first [`GROUP_LIMIT`] documents that stay in each
//! group it is in; the first that is accepted stands for it, and if none is, it stays.
//! Contents are read when two documents are compared and not kept, so that a
//! list of large documents takes no more memory than two of them.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use lookalike_core::GROUP_LIMIT;

use crate::counts::source;
use crate::document::{Content, ContentKind, Document, Record};
use crate::error::Result;
use crate::index::Index;
use crate::judge::{Judge, Match, Query};
use crate::postings::{exact_key, rule_key};
use crate::store::Snapshot;
use crate::tools::Tools;
use crate::view::content;

/// A result of a ranked list.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "a list has a thousand of them at most")]
pub enum RankedEntry<'a> {
    /// The document of this id.
    Known(&'a str),
    /// A document that need not be in the index.
    Given(Document<'a>),
}

/// What becomes of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// It is no look-alike of a higher one.
    Stays,
    /// A higher one stands for it.
    LeftOut {
        /// Its keeper's place in the list.
        keeper: usize,
        /// How they resemble each other. The number is that of the keeper's place.
        found: Box<Match>,
    },
    /// The index has no document of this id.
    Unknown,
}

/// A list without look-alikes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CollapsedList {
    /// Of each result, in the order of the list.
    pub standings: Vec<Standing>,
    /// Whether more than [`GROUP_LIMIT`] that stay share a key, so that there may be more
    /// look-alikes.
    pub limited: bool,
}

impl Index {
    /// Leaves out of a ranked list, the best first, the look-alikes of higher results.
    ///
    /// # Errors
    /// If a document is too long or its signature not one of the recipe, or the index cannot be
    /// read or is damaged.
    pub fn collapse(&self, list: &[RankedEntry<'_>]) -> Result<CollapsedList> {
        self.collapse_by(&self.judge, list)
    }

    pub(crate) fn collapse_by(
        &self,
        judge: &Judge,
        list: &[RankedEntry<'_>],
    ) -> Result<CollapsedList> {
        self.with_tools(|tools| {
            let lists = self.lists();
            let view = self.view(&lists, None);
            let known = list.iter().map(|listed| match listed {
                RankedEntry::Known(id) => view.with_id(id, &mut tools.page),
                RankedEntry::Given(_) => Ok(None),
            });
            let known: Vec<Option<Record>> = known.collect::<Result<_>>()?;
            // Contents are read as they were at this moment, but the writer need not wait.
            let snapshot = self.store.snapshot()?;
            drop(lists);
            let source = ListDocuments { index: self, judge, list, known, snapshot };
            let mut kept = Keepers::default();
            let standings = (0..list.len()).map(|place| kept.judge(place, &source, tools));
            Ok(CollapsedList {
                standings: standings.collect::<Result<_>>()?,
                limited: kept.limited,
            })
        })
    }
}

/// Where the documents of a list come from.
struct ListDocuments<'a> {
    index: &'a Index,
    judge: &'a Judge,
    list: &'a [RankedEntry<'a>],
    known: Vec<Option<Record>>,
    snapshot: Snapshot,
}

impl ListDocuments<'_> {
    /// The document at a place, unless it is unknown.
    fn document(&self, place: usize) -> Result<Option<Cow<'_, Document<'_>>>> {
        let record = match (&self.list[place], &self.known[place]) {
            (RankedEntry::Given(document), _) => return Ok(Some(Cow::Borrowed(document))),
            (RankedEntry::Known(_), None) => return Ok(None),
            (RankedEntry::Known(_), Some(record)) => record,
        };
        let stored = content(&self.index.store, None, Some(&self.snapshot), record)?;
        let content = match (record.stored, stored.map(Cow::Owned)) {
            (Some(ContentKind::Text), Some(text)) => Content::Text(text),
            (Some(ContentKind::Html), Some(page)) => Content::Html(page),
            (Some(ContentKind::Items), Some(set)) => Content::Items(set),
            _ => {
                let signature = Cow::Borrowed(&record.signature);
                Content::Signed { signature, bytes: record.bytes }
            }
        };
        let document = Document::new(record.id.as_str(), content);
        let url = record.url.as_deref().map(Cow::Borrowed);
        Ok(Some(Cow::Owned(Document { url, time: record.time, ..document })))
    }
}

/// The results that stay.
#[derive(Default)]
struct Keepers {
    /// By their keys, the first [`GROUP_LIMIT`] of each.
    groups: HashMap<u64, Vec<usize>>,
    records: HashMap<usize, Record>,
    limited: bool,
}

impl Keepers {
    fn judge(
        &mut self,
        place: usize,
        source: &ListDocuments<'_>,
        tools: &mut Tools,
    ) -> Result<Standing> {
        let index = source.index;
        let Some(document) = source.document(place)? else { return Ok(Standing::Unknown) };
        let query = index.query(&document, tools)?;
        let keys = keys(index, &query);
        let groups = keys.iter().filter_map(|key| self.groups.get(key));
        let candidates: BTreeSet<usize> = groups.flatten().copied().collect();
        for keeper in candidates {
            let Some(record) = self.records.get(&keeper) else { continue };
            let contents = || {
                let Some(document) = source.document(keeper)? else { return Ok(None) };
                let template = index.template(document.url.as_deref())?;
                Ok(tools.query(&document, template.as_deref(), true).contents)
            };
            if let Some(mut found) = source.judge.judge(&query, record, contents)? {
                if let Some(known) = &source.known[keeper] {
                    found.counts = index.count_view(Some(&source.snapshot), None).of(known)?;
                }
                return Ok(Standing::LeftOut { keeper, found: Box::new(found) });
            }
        }
        for key in keys {
            let group = self.groups.entry(key).or_default();
            if group.len() < GROUP_LIMIT {
                group.push(place);
            } else {
                self.limited = true;
            }
        }
        self.records.insert(place, record(place, &document, query));
        Ok(Standing::Stays)
    }
}

/// What a document is found by. An empty one has nothing.
fn keys(index: &Index, query: &Query) -> BTreeSet<u64> {
    if query.signature.is_empty() {
        return BTreeSet::new();
    }
    let mut keys = Vec::new();
    index.judge.candidate_rule().keys(&query.signature, &mut keys);
    let exact = exact_key(query.signature.exact);
    keys.into_iter().map(rule_key).chain([exact]).collect()
}

fn record(place: usize, document: &Document<'_>, query: Query) -> Record {
    let (bytes, stored) = match &document.content {
        Content::Text(text) => (text.len() as u64, Some(ContentKind::Text)),
        Content::Html(page) => (page.len() as u64, Some(ContentKind::Html)),
        Content::Items(set) => (set.len() as u64, Some(ContentKind::Items)),
        Content::Signed { bytes, .. } => (*bytes, None),
    };
    Record {
        number: place as u64,
        id: document.id.to_string(),
        url: document.url.as_deref().map(str::to_owned),
        bytes,
        time: document.time,
        stored,
        signature: query.signature,
        line: place as u64,
        source: document.source.as_deref().map(source),
        date: document.date,
    }
}

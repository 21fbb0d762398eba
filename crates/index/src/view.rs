//! What a reader sees: the lists of keys, which documents are alive, and the documents.
//!
//! Candidates of a document are those with its exact fingerprint and those that
//! share a key: of each list the first that are alive, [`GROUP_LIMIT`](lookalike_core::GROUP_LIMIT) of
//! them as in the batch job.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use lookalike_core::{CandidateRule, Signature};

use crate::document::{Record, SignatureLayout, checked};
use crate::error::{Error, Result};
use crate::pending::PendingChanges;
use crate::postings::{RecentPostings, Segment, exact_key, id_key, rule_key, url_key};
use crate::store::{Snapshot, Store, Table};

/// The lists of all keys.
#[derive(Default)]
pub(crate) struct Lists {
    /// In the order of their documents.
    pub(crate) segments: Vec<Arc<Segment>>,
    /// Of the documents after the segments.
    pub(crate) recent: RecentPostings,
    /// Numbers whose documents were removed or replaced.
    pub(crate) tombstones: HashSet<u64>,
    /// The number after the last document that can be seen. The store may have more for a moment:
    /// those of a change whose lists and tombstones are not here yet.
    pub(crate) next: u64,
}

/// Candidates of a document, ascending.
pub(crate) struct Candidates {
    pub(crate) records: Vec<Record>,
    /// Whether a list had more than it was taken of.
    pub(crate) limited: bool,
}

/// The state of an index at a moment.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) store: &'a Store,
    pub(crate) layout: SignatureLayout,
    pub(crate) lists: &'a Lists,
    /// Changes that only the writer sees.
    pub(crate) pending: Option<&'a PendingChanges>,
}

/// A document that was met in a list.
struct ListedDocument {
    record: Record,
    /// By which candidates meet.
    keys: Vec<u64>,
    is_candidate: bool,
}

impl View<'_> {
    fn is_alive(&self, number: u64) -> bool {
        let pending = self.pending.is_some_and(|pending| pending.tombstones().contains(&number));
        !pending && !self.lists.tombstones.contains(&number)
    }

    /// Calls `each` with the living documents that may have a key, ascending, until it breaks.
    fn for_each(
        &self,
        key: u64,
        page: &mut Vec<u8>,
        mut each: impl FnMut(u64) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut alive = |number| {
            if self.is_alive(number) { each(number) } else { Ok(ControlFlow::Continue(())) }
        };
        for segment in &self.lists.segments {
            if segment.for_each(key, page, &mut alive)?.is_break() {
                return Ok(());
            }
        }
        let pending = self.pending.into_iter().flat_map(|pending| pending.list(key));
        for number in self.lists.recent.list(key).chain(pending) {
            if alive(number)?.is_break() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// A document that a list has and that is alive.
    pub(crate) fn record(&self, number: u64) -> Result<Record> {
        let path = self.store.path();
        if let Some(bytes) = self.pending.and_then(|pending| pending.record(number)) {
            return Record::decode(self.layout, number, bytes, path);
        }
        match self.store.get(Table::Documents, &number.to_be_bytes())? {
            Some(bytes) => Record::decode(self.layout, number, &bytes, path),
            None => Err(Error::corruption(path, format!("documents: record {number} is missing"))),
        }
    }

    /// The living document of this id.
    pub(crate) fn with_id(&self, id: &str, page: &mut Vec<u8>) -> Result<Option<Record>> {
        let mut found = None;
        self.for_each(id_key(id), page, |number| {
            let record = self.record(number)?;
            if record.id != id {
                return Ok(ControlFlow::Continue(()));
            }
            found = Some(record);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }

    /// The first living documents of this URL from a number on, where URLs are keys.
    pub(crate) fn with_url(
        &self,
        url: &str,
        from: u64,
        limit: usize,
        page: &mut Vec<u8>,
    ) -> Result<Vec<Record>> {
        let mut found = Vec::new();
        self.for_each(url_key(url), page, |number| {
            if number >= from && found.len() < limit {
                let record = self.record(number)?;
                found.extend(Some(record).filter(|record| record.url.as_deref() == Some(url)));
            }
            Ok(if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(found)
    }

    /// The candidates of a document: of each list so many.
    pub(crate) fn candidates(
        &self,
        rule: &CandidateRule,
        signature: &Signature,
        limit: usize,
        page: &mut Vec<u8>,
    ) -> Result<Candidates> {
        let gather = Gathering { view: self, rule, limit };
        let mut met: BTreeMap<u64, ListedDocument> = BTreeMap::new();
        let mut limited = false;
        if !signature.is_empty() {
            let exact = |met: &ListedDocument| {
                met.record.signature.exact == signature.exact && !met.record.signature.is_empty()
            };
            limited |= gather.from(exact_key(signature.exact), exact, &mut met, page)?;
        }
        let mut keys = Vec::new();
        rule.keys(signature, &mut keys);
        for key in keys {
            let shares = |met: &ListedDocument| met.keys.contains(&key);
            limited |= gather.from(rule_key(key), shares, &mut met, page)?;
        }
        let candidates = met.into_values().filter(|met| met.is_candidate);
        Ok(Candidates { records: candidates.map(|met| met.record).collect(), limited })
    }
}

/// How candidates are gathered from lists.
struct Gathering<'a> {
    view: &'a View<'a>,
    rule: &'a CandidateRule,
    /// The most of a list.
    limit: usize,
}

impl Gathering<'_> {
    /// Makes candidates of the first documents of a list that belong there. True if there are more.
    fn from(
        &self,
        key: u64,
        belongs: impl Fn(&ListedDocument) -> bool,
        met: &mut BTreeMap<u64, ListedDocument>,
        page: &mut Vec<u8>,
    ) -> Result<bool> {
        let Self { view, rule, limit } = *self;
        let mut count = 0;
        view.for_each(key, page, |number| {
            let met = match met.entry(number) {
                std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
                std::collections::btree_map::Entry::Vacant(entry) => {
                    let record = view.record(number)?;
                    let mut keys = Vec::new();
                    rule.keys(&record.signature, &mut keys);
                    entry.insert(ListedDocument { record, keys, is_candidate: false })
                }
            };
            if belongs(met) {
                count += 1;
                met.is_candidate |= count <= limit;
            }
            Ok(if count > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(count > limit)
    }
}

/// The content of a document, if it is stored; as of a snapshot, if one is given.
pub(crate) fn content(
    store: &Store,
    pending: Option<&PendingChanges>,
    snapshot: Option<&Snapshot>,
    record: &Record,
) -> Result<Option<Vec<u8>>> {
    if record.stored.is_none() {
        return Ok(None);
    }
    let number = record.number;
    if let Some(bytes) = pending.and_then(|pending| pending.text(number)) {
        return unpack(store, record, bytes).map(Some);
    }
    let bytes = store.get_at(snapshot, Table::Texts, &number.to_be_bytes())?;
    let missing = || {
        let fault = format!("texts: that of document {number} is missing");
        Error::corruption(store.path(), fault)
    };
    unpack(store, record, &bytes.ok_or_else(missing)?).map(Some)
}

/// Checks and unpacks a content.
pub(crate) fn unpack(store: &Store, record: &Record, bytes: &[u8]) -> Result<Vec<u8>> {
    let number = record.number;
    let damaged = || {
        let fault = format!("texts: that of document {number} has a wrong checksum");
        Error::corruption(store.path(), fault)
    };
    let body = checked(number, bytes).ok_or_else(damaged)?;
    let content = zstd::bulk::decompress(body, record.bytes as usize).map_err(|_| damaged())?;
    if content.len() as u64 == record.bytes { Ok(content) } else { Err(damaged()) }
}

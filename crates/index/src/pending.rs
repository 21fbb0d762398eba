//! Changes that are not made yet: what a batch has done so far.

use std::collections::HashSet;

use lookalike_core::{CandidateRule, Signature};

use crate::counts::PendingCounts;
use crate::document::{Record, SignatureLayout, checksum};
use crate::postings::{Posting, RecentPostings, exact_key, id_key, rule_key, url_key};
use crate::state::Head;
use crate::store::{Changes, Table};
use crate::tools::UnnumberedDocument;

/// What a batch has done so far.
pub(crate) struct PendingChanges {
    /// How far the index will be.
    pub(crate) head: Head,
    /// The number of the first document added.
    first: u64,
    added: Vec<NewDocument>,
    lists: RecentPostings,
    tombstones: HashSet<u64>,
    pub(crate) counts: PendingCounts,
}

struct NewDocument {
    record: Vec<u8>,
    text: Option<Vec<u8>>,
    keys: Vec<u64>,
}

impl PendingChanges {
    pub(crate) fn new(head: Head) -> Self {
        let (first, lists) = (head.next, RecentPostings::default());
        let (added, tombstones) = (Vec::new(), HashSet::new());
        Self { head, first, added, lists, tombstones, counts: PendingCounts::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.tombstones.is_empty() && self.counts.is_empty()
    }

    pub(crate) fn tombstones(&self) -> &HashSet<u64> {
        &self.tombstones
    }

    pub(crate) fn list(&self, key: u64) -> impl Iterator<Item = u64> {
        self.lists.list(key)
    }

    fn added(&self, number: u64) -> Option<&NewDocument> {
        self.added.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    pub(crate) fn record(&self, number: u64) -> Option<&[u8]> {
        Some(&self.added(number)?.record)
    }

    pub(crate) fn text(&self, number: u64) -> Option<&[u8]> {
        self.added(number)?.text.as_deref()
    }

    /// Adds a document, on a line that goes on or its own; its number.
    pub(crate) fn add(
        &mut self,
        layout: SignatureLayout,
        kinds: &KeyKinds<'_>,
        document: UnnumberedDocument<'_>,
        line: Option<u64>,
    ) -> u64 {
        let number = self.head.next;
        let keys = kinds.keys(document.id, document.url, &document.signature);
        for &key in &keys {
            self.lists.push(Posting { key, number });
        }
        let (kind, text) = document.stored.unzip();
        let record = Record {
            number,
            id: document.id.to_owned(),
            url: document.url.map(str::to_owned),
            bytes: document.bytes,
            time: document.time,
            stored: kind,
            signature: document.signature,
            line: line.unwrap_or(number),
            source: document.source,
            date: document.date,
        };
        let text = text.map(|mut text| {
            text.extend(checksum(number, &text));
            text
        });
        self.added.push(NewDocument { record: record.encode(layout), text, keys });
        self.head.next += 1;
        self.head.documents += 1;
        number
    }

    /// Removes a living document.
    pub(crate) fn remove(&mut self, number: u64) {
        self.tombstones.insert(number);
        self.head.tombstones += 1;
        self.head.documents -= 1;
    }

    /// Writes all of it down but the head.
    pub(crate) fn write(&self, changes: &mut Changes) {
        for (number, added) in (self.first..).zip(&self.added) {
            let key = number.to_be_bytes();
            changes.insert(Table::Documents, &key, &added.record);
            if let Some(text) = &added.text {
                changes.insert(Table::Texts, &key, text);
            }
        }
        for number in &self.tombstones {
            changes.insert(Table::Tombstones, &number.to_be_bytes(), &[]);
        }
        self.counts.write(changes);
    }

    /// The new postings, and the new tombstones.
    pub(crate) fn finish(&self) -> (impl Iterator<Item = Posting>, &HashSet<u64>) {
        let postings = (self.first..)
            .zip(&self.added)
            .flat_map(|(number, added)| added.keys.iter().map(move |&key| Posting { key, number }));
        (postings, &self.tombstones)
    }
}

/// What the documents of an index have postings for.
pub(crate) struct KeyKinds<'a> {
    pub(crate) rule: &'a CandidateRule,
    /// Whether URLs are keys.
    pub(crate) urls: bool,
}

impl KeyKinds<'_> {
    /// The keys of a document's postings, each once.
    pub(crate) fn keys(&self, id: &str, url: Option<&str>, signature: &Signature) -> Vec<u64> {
        let mut keys = Vec::with_capacity(self.rule.keys_per_document() + 3);
        self.rule.keys(signature, &mut keys);
        for key in &mut keys {
            *key = rule_key(*key);
        }
        // An empty document resembles nothing, not even another.
        if !signature.is_empty() {
            keys.push(exact_key(signature.exact));
        }
        keys.push(id_key(id));
        keys.extend(url.filter(|_| self.urls).map(url_key));
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

//! Looking through an index: documents page by page, those that are searched for, those of a URL, and
//! one with its content.
//!
//! What no key leads to is found by looking at the documents one after another: so much of them for
//! each request, which says where the next is to go on.

use lookalike_core::text::{Token, Tokenizer, Unit};

use crate::document::Record;
use crate::error::Result;
use crate::index::Index;
use crate::store::Table;
use crate::view::content;

/// Bytes of documents that a request reads and compares before it is enough: about a second's work.
pub(crate) const WORK: u64 = 64 << 20;
/// What it costs to look at a document, however short it is, in bytes of a long one.
pub(crate) const LOOK: u64 = 1 << 10;
/// Documents that are read together.
const PAGE: usize = 256;

/// Some documents that were searched for.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Found {
    /// In the order of adding.
    pub records: Vec<Record>,
    /// Where to go on; `None` after the last document of the index. There may be no more, though.
    pub next: Option<u64>,
    /// One more than the largest number of a document, so that `next` tells how far this is.
    pub end: u64,
}

/// What documents are searched for.
struct Search<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

impl<'a> Search<'a> {
    fn new(text: &'a str) -> Self {
        let mut tokens = Vec::new();
        Tokenizer::new(Unit::Words).tokens(text.as_bytes(), &mut tokens);
        Self { text, tokens }
    }

    fn is_named(&self, record: &Record) -> bool {
        record.id.contains(self.text)
            || record.url.as_deref().is_some_and(|url| url.contains(self.text))
    }
}

impl Index {
    /// Up to `limit` documents whose numbers are `from` or more, in the order of adding. What it
    /// costs depends on `limit`, not on the index.
    ///
    /// # Errors
    /// If the index cannot be read or is damaged.
    pub fn page(&self, from: u64, limit: usize) -> Result<Vec<Record>> {
        // Between two changes: what was removed has its record still, and what the store has
        // beyond the lists is of a change that is being made.
        let lists = self.lists();
        let entries = self.store.from(Table::Documents, &from.to_be_bytes())?;
        let records = entries.map(|entry| self.decode_entry(entry?));
        let is_known = |record: &Result<Record>| {
            record.as_ref().map_or(true, |record| record.number < lists.next)
        };
        let is_alive = |record: &Result<Record>| {
            record.as_ref().map_or(true, |record| !lists.tombstones.contains(&record.number))
        };
        records.take_while(is_known).filter(is_alive).take(limit).collect()
    }

    /// Up to `limit` documents from the number `from` on whose id or URL has this text in it, or
    /// whose own text has its words one after another, as tokens are compared. About 64 MiB of
    /// documents are looked at, so that there may be more though few are found: `next` says so.
    ///
    /// # Errors
    /// If the index cannot be read or is damaged.
    pub fn search(&self, text: &str, from: u64, limit: usize) -> Result<Found> {
        let search = Search::new(text);
        let (mut tokenizer, mut tokens) = (Tokenizer::new(Unit::Words), Vec::new());
        self.look_through(from, limit, |record| {
            let is_named = search.is_named(record);
            if is_named || search.tokens.is_empty() || record.stored.is_none() {
                return Ok((is_named, 0));
            }
            let has_words = self.with_tools(|tools| {
                // It may be gone since.
                let Some(content) = self.content_of(record)? else { return Ok(false) };
                tokens.clear();
                tools.with_text(record, &content, |text| tokenizer.tokens(text, &mut tokens));
                Ok(tokens.windows(search.tokens.len()).any(|some| some == search.tokens))
            })?;
            Ok((has_words, record.bytes))
        })
    }

    /// Up to `limit` documents of a URL, from the number `from` on. An index that an earlier version
    /// made has no keys for URLs ([`finds_urls`](Self::finds_urls)): there documents are looked at
    /// as in a [`search`](Self::search), and `next` may say that there are more to look at.
    ///
    /// # Errors
    /// If the index cannot be read or is damaged.
    pub fn of_url(&self, url: &str, from: u64, limit: usize) -> Result<Found> {
        if !self.finds_urls() {
            return self
                .look_through(from, limit, |record| Ok((record.url.as_deref() == Some(url), 0)));
        }
        self.with_tools(|tools| {
            let lists = self.lists();
            let view = self.view(&lists, None);
            // One more than asked for tells whether there is another.
            let mut records = view.with_url(url, from, limit.saturating_add(1), &mut tools.page)?;
            let next = records.get(limit).map(|record| record.number);
            records.truncate(limit);
            Ok(Found { records, next, end: lists.next })
        })
    }

    /// Whether URLs are keys, so that a document is found by its own without looking at others.
    pub fn finds_urls(&self) -> bool {
        self.header.has_url_keys
    }

    /// Looks at documents until enough are found or it has done enough work. `look` says whether one
    /// is wanted, and how many bytes it read to tell.
    fn look_through(
        &self,
        from: u64,
        limit: usize,
        mut look: impl FnMut(&Record) -> Result<(bool, u64)>,
    ) -> Result<Found> {
        let (mut records, mut next, mut work) = (Vec::new(), from, WORK);
        let end = self.end();
        while work > 0 && records.len() < limit {
            let page = self.page(next, PAGE)?;
            if page.is_empty() {
                return Ok(Found { records, next: None, end });
            }
            for record in page {
                next = record.number + 1;
                let (is_wanted, read) = look(&record)?;
                work = work.saturating_sub(LOOK + read);
                records.extend(Some(record).filter(|_| is_wanted));
                if work == 0 || records.len() == limit {
                    break;
                }
            }
        }
        let next = (!self.page(next, 1)?.is_empty()).then_some(next);
        Ok(Found { records, next, end })
    }

    /// The content of a document that may have been removed since it was read.
    fn content_of(&self, record: &Record) -> Result<Option<Vec<u8>>> {
        let lists = self.lists();
        if lists.tombstones.contains(&record.number) {
            return Ok(None);
        }
        content(&self.store, None, None, record)
    }

    /// The document of an id and its content, if that is stored, as they are at one moment.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn read(&self, id: &str) -> Result<Option<(Record, Option<Vec<u8>>)>> {
        self.with_tools(|tools| {
            let lists = self.lists();
            let Some(record) = self.view(&lists, None).with_id(id, &mut tools.page)? else {
                return Ok(None);
            };
            let content = content(&self.store, None, None, &record)?;
            Ok(Some((record, content)))
        })
    }
}

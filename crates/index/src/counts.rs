//! How often documents were found: what an index counts of the look-alikes that it turns away.
//!
//! Let C be a known document and those that were turned away for it: by checking and adding
//! ([`AddIf::New`](crate::AddIf::New)), and of all its look-alikes that are known this one was added first.
//! That is the keeper that `dedup --keep first` names.
//!
//! ```text
//! copies        the number of C
//! exact_copies  those of them that have the keeper's words, in its order; itself included
//! sources       the different sources of C: what it came with, else its site; one without has none
//! first, last   the smallest and the largest date of C: what it came with, else when it was seen
//! ```
//!
//! **An id counts once**: as a known document, or at one keeper. What comes again under its id is not one
//! more, whatever it says by then. So whoever was interrupted may send all of it again.
//!
//! What was counted stays counted, as long as its keeper is known:
//!
//! ```text
//! remove, of a keeper        its counts and the ids that it counted are forgotten
//! remove, of another id      finds no document, and changes no count
//! add, of an id that counts  it is a document of its own as well; its keeper was still found that often
//! add, of a keeper again     the same words: goes on counting; others: begins at one
//! compact                    gives back the room of forgotten ids
//! rebuild                    keeps counts; damaged ones begin at one, and say `at_least`
//! load of a run              what its keepers stood for is counted, by the ids of the run
//! ```
//!
//! Documents of an index that an earlier version made begin at one when a later version first changes it,
//! and say so: `at_least`.
//!
//! # How it is stored
//!
//! A *line* is a document and those of the same id and words that took its place; its number is that of the
//! first. `counts` has the counts of each line that has any but those of its document alone; it has them no
//! more when the line ends. `counted` has, under 128 bits of SHA-256 of an id, or of a line and a source,
//! the line that it counts for; if that has ended, it counts for none. So an end costs one removal however
//! many were counted, and distinct sources are exact in the room of one entry each. Both are changed
//! in the commit of the batch: what was acknowledged is on disk.
//!
//! An id takes 28 bytes of disk, as measured, and so does each source of a keeper that counted; its counts
//! take 13.

use std::collections::{BTreeMap, HashMap};

use lookalike_core::SiteRule;
use lookalike_files::{double_word, pull_number, pull_signed, push_number, push_signed};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use xxhash_rust::xxh3::xxh3_64;

use crate::document::{Document, Record, checked, checksum};
use crate::error::{Error, Result};
use crate::match_kind::MatchKind;
use crate::store::{Changes, Snapshot, Store, Table};

/// How often a known document was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Counts {
    /// Documents that it stands for, itself included.
    pub copies: u64,
    /// Those of them with its words in its order, itself included.
    pub exact_copies: u64,
    /// The different sources of all of them.
    pub sources: u64,
    /// The earliest date of them, in seconds since 1970, if any has one.
    pub first: Option<i64>,
    /// The latest.
    pub last: Option<i64>,
    /// Whether there may have been more: before the index counted, or in what was damaged.
    pub at_least: bool,
}

impl Default for Counts {
    /// Of a document alone, of which no more is known.
    fn default() -> Self {
        let (copies, exact_copies, sources) = (1, 1, 0);
        Self { copies, exact_copies, sources, first: None, last: None, at_least: false }
    }
}

const HAS_DATES: u8 = 1;
const AT_LEAST: u8 = 2;

impl Counts {
    /// Of a document that was seen, and nothing else.
    fn of(seen: Sighting, at_least: bool) -> Self {
        let (first, last) = (seen.date, seen.date);
        Self { sources: seen.source.is_some().into(), first, last, at_least, ..Self::default() }
    }

    /// Takes one more, but for its source.
    fn add(&mut self, seen: Sighting, kind: MatchKind) {
        self.copies += 1;
        self.exact_copies += u64::from(kind == MatchKind::Exact);
        self.first = self.first.into_iter().chain(seen.date).min();
        self.last = self.last.max(seen.date);
    }

    /// Flags, copies, exact copies, sources, dates if there are some, checksum.
    pub(crate) fn encode(&self, line: u64) -> Vec<u8> {
        let dates = self.first.zip(self.last);
        let has_dates = if dates.is_some() { HAS_DATES } else { 0 };
        let at_least = if self.at_least { AT_LEAST } else { 0 };
        let mut out = vec![has_dates | at_least];
        for number in [self.copies, self.exact_copies, self.sources] {
            push_number(number, &mut out);
        }
        if let Some((first, last)) = dates {
            push_signed(first, &mut out);
            push_number(last.abs_diff(first), &mut out);
        }
        out.extend(checksum(line, &out));
        out
    }

    fn decode(line: u64, bytes: &[u8]) -> Option<Self> {
        let (&flags, mut rest) = checked(line, bytes)?.split_first()?;
        let [copies, exact_copies, sources] = [(); 3].map(|()| pull_number(&mut rest));
        let (mut first, mut last) = (None, None);
        if flags & HAS_DATES != 0 {
            let date = pull_signed(&mut rest)?;
            first = Some(date);
            last = Some(date.checked_add_unsigned(pull_number(&mut rest)?)?);
        }
        let (copies, exact_copies, sources) = (copies?, exact_copies?, sources?);
        let at_least = flags & AT_LEAST != 0;
        rest.is_empty().then_some(Self { copies, exact_copies, sources, first, last, at_least })
    }
}

/// What a document says of where and when it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sighting {
    source: Option<u64>,
    date: Option<i64>,
}

/// What came with a source without a name: it has none, and its site is not taken for one.
const NO_SOURCE: u64 = 0;

/// A document that was turned away elsewhere, as by a job whose results an index is loaded from.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    id: &'a str,
    keeper: &'a str,
    kind: MatchKind,
    url: Option<&'a str>,
    source: Option<&'a str>,
    date: Option<i64>,
}

impl<'a> Seen<'a> {
    /// Of this id, for the known document of that one, which it resembles so.
    pub fn new(id: &'a str, keeper: &'a str, kind: MatchKind) -> Self {
        Self { id, keeper, kind, url: None, source: None, date: None }
    }

    /// With this URL.
    #[must_use]
    pub fn with_url(self, url: &'a str) -> Self {
        Self { url: Some(url), ..self }
    }

    /// Of this source.
    #[must_use]
    pub fn with_source(self, source: &'a str) -> Self {
        Self { source: Some(source), ..self }
    }

    /// Of this date, in seconds since 1970.
    #[must_use]
    pub fn with_date(self, date: i64) -> Self {
        Self { date: Some(date), ..self }
    }

    /// The id of its keeper.
    pub(crate) fn keeper(&self) -> &'a str {
        self.keeper
    }

    pub(crate) fn turned_away(&self, sites: SiteRule) -> TurnedAway<'a> {
        TurnedAway { id: self.id, seen: Sighting::of_seen(sites, self), kind: self.kind }
    }
}

/// A source by its name: what is counted decides nothing, and 64 bits tell a keeper's apart.
pub(crate) fn source(name: &str) -> u64 {
    if name.is_empty() { NO_SOURCE } else { xxh3_64(name.as_bytes()).max(NO_SOURCE + 1) }
}

impl Sighting {
    fn new(
        sites: SiteRule,
        given: Option<u64>,
        url: Option<&str>,
        date: Option<i64>,
        time: u64,
    ) -> Self {
        let site = || Some(source(&sites.site(url?)?));
        let time = i64::try_from(time).ok().filter(|&time| time > 0);
        let source = given.or_else(site).filter(|&source| source != NO_SOURCE);
        Self { source, date: date.or(time) }
    }

    /// Of a document that a job turned away.
    fn of_seen(sites: SiteRule, seen: &Seen<'_>) -> Self {
        Self::new(sites, seen.source.map(source), seen.url, seen.date, 0)
    }

    /// Of a document that comes.
    pub(crate) fn of_document(sites: SiteRule, document: &Document<'_>) -> Self {
        let given = document.source.as_deref().map(source);
        Self::new(sites, given, document.url.as_deref(), document.date, document.time)
    }

    fn of_record(sites: SiteRule, record: &Record) -> Self {
        Self::new(sites, record.source, record.url.as_deref(), record.date, record.time)
    }
}

/// What `counted` has lines under.
pub(crate) type CountKey = [u8; 16];

/// The key of an id.
pub(crate) fn id_key(secret: [u8; 16], id: &str) -> CountKey {
    key(b"lookalike index, id\0", secret, id.as_bytes())
}

/// The key of a source of a line.
fn source_key(secret: [u8; 16], line: u64, source: u64) -> CountKey {
    let both = [line.to_le_bytes(), source.to_le_bytes()].concat();
    key(b"lookalike index, source\0", secret, &both)
}

fn key(purpose: &[u8], secret: [u8; 16], of: &[u8]) -> CountKey {
    let hash = Sha256::new().chain_update(purpose).chain_update(secret).chain_update(of).finalize();
    let (half, _) = hash.split_at(16);
    let mut key = CountKey::default();
    key.copy_from_slice(half);
    key
}

/// A line, checked, as `counted` has it under a key.
fn encode_line(key: &[u8], line: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(12);
    push_number(line, &mut out);
    out.extend(checksum(double_word(key, 0), &out));
    out
}

/// The line of an entry of `counted`; `None` if it is damaged.
pub(crate) fn decode_line(key: &[u8], value: &[u8]) -> Option<u64> {
    let key = <&CountKey>::try_from(key).ok()?;
    let mut rest = checked(double_word(key, 0), value)?;
    pull_number(&mut rest).filter(|_| rest.is_empty())
}

/// What a batch has counted so far.
#[derive(Default)]
pub(crate) struct PendingCounts {
    /// By lines; `None` for those that end.
    lines: BTreeMap<u64, Option<Counts>>,
    keys: HashMap<CountKey, u64>,
}

impl PendingCounts {
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.keys.is_empty()
    }

    /// Ends a line.
    pub(crate) fn end(&mut self, line: u64) {
        self.lines.insert(line, None);
    }

    pub(crate) fn write(&self, changes: &mut Changes) {
        for (line, counts) in &self.lines {
            match counts {
                Some(counts) => {
                    changes.insert(Table::Counts, &line.to_be_bytes(), &counts.encode(*line));
                }
                None => changes.remove(Table::Counts, &line.to_be_bytes()),
            }
        }
        for (key, line) in &self.keys {
            changes.insert(Table::Counted, key, &encode_line(key, *line));
        }
    }
}

/// The counts of a moment, or those that only the writer sees.
#[derive(Clone, Copy)]
pub(crate) struct CountView<'a> {
    pub(crate) store: &'a Store,
    pub(crate) snapshot: Option<&'a Snapshot>,
    pub(crate) pending: Option<&'a PendingCounts>,
    pub(crate) sites: SiteRule,
    /// Lines below this number began before the index counted.
    pub(crate) since: u64,
}

impl CountView<'_> {
    /// How often a document was found.
    pub(crate) fn of(self, record: &Record) -> Result<Counts> {
        let alone =
            || Counts::of(Sighting::of_record(self.sites, record), record.line < self.since);
        Ok(self.of_line(record.line)?.unwrap_or_else(alone))
    }

    /// What was counted on a line; `None` if nothing was, or it has ended.
    pub(crate) fn of_line(self, line: u64) -> Result<Option<Counts>> {
        if let Some(counts) = self.pending.and_then(|pending| pending.lines.get(&line)) {
            return Ok(*counts);
        }
        let stored = self.store.get_at(self.snapshot, Table::Counts, &line.to_be_bytes())?;
        stored.map(|bytes| decode(self.store, line, &bytes)).transpose()
    }

    /// Whether a key counts for a line that has not ended.
    fn counts(self, key: &CountKey) -> Result<bool> {
        let line = match self.pending.and_then(|pending| pending.keys.get(key)) {
            Some(line) => Some(*line),
            None => match self.store.get_at(self.snapshot, Table::Counted, key)? {
                Some(value) => Some(self.line(key, &value)?),
                None => None,
            },
        };
        match line {
            Some(line) => Ok(self.of_line(line)?.is_some()),
            None => Ok(false),
        }
    }

    /// The line of an entry of `counted`.
    pub(crate) fn line(self, key: &[u8], value: &[u8]) -> Result<u64> {
        decode_line(key, value).ok_or_else(|| {
            Error::corruption(self.store.path(), "counted: an entry has a wrong checksum")
        })
    }
}

/// The counts of a line.
pub(crate) fn decode(store: &Store, line: u64, bytes: &[u8]) -> Result<Counts> {
    Counts::decode(line, bytes).ok_or_else(|| {
        let fault = format!("counts: those of document {line} have a wrong checksum");
        Error::corruption(store.path(), fault)
    })
}

/// A document that is turned away.
pub(crate) struct TurnedAway<'a> {
    pub(crate) id: &'a str,
    pub(crate) seen: Sighting,
    /// How it resembles its keeper.
    pub(crate) kind: MatchKind,
}

impl TurnedAway<'_> {
    /// Counts it for its keeper, unless its id counts already. What is to be written then.
    pub(crate) fn count(
        &self,
        view: CountView<'_>,
        secret: [u8; 16],
        keeper: &Record,
    ) -> Result<Option<NewCount>> {
        let id = id_key(secret, self.id);
        if view.counts(&id)? {
            return Ok(None);
        }
        let line = keeper.line;
        let mut keys = vec![id];
        let known = view.of_line(line)?;
        let own = Sighting::of_record(view.sites, keeper);
        let mut counts = known.unwrap_or_else(|| Counts::of(own, line < view.since));
        if known.is_none() {
            keys.extend(own.source.map(|source| source_key(secret, line, source)));
        }
        counts.add(self.seen, self.kind);
        if let Some(source) = self.seen.source {
            let key = source_key(secret, line, source);
            if !keys.contains(&key) && !view.counts(&key)? {
                keys.push(key);
                counts.sources += 1;
            }
        }
        Ok(Some(NewCount { line, counts, keys }))
    }
}

/// What counting changes.
pub(crate) struct NewCount {
    line: u64,
    pub(crate) counts: Counts,
    keys: Vec<CountKey>,
}

impl NewCount {
    pub(crate) fn write(self, pending: &mut PendingCounts) {
        pending.lines.insert(self.line, Some(self.counts));
        pending.keys.extend(self.keys.into_iter().map(|key| (key, self.line)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_are_read_as_they_were_written(
            numbers in any::<[u64; 3]>(),
            dates in prop::option::of((any::<i64>(), any::<i64>())),
            at_least in any::<bool>(),
            line in any::<u64>(),
        ) {
            let [copies, exact_copies, sources] = numbers;
            let (first, last) = dates.map(|(a, b)| (a.min(b), a.max(b))).unzip();
            let counts = Counts { copies, exact_copies, sources, first, last, at_least };
            let bytes = counts.encode(line);
            prop_assert_eq!(Counts::decode(line, &bytes), Some(counts));
            prop_assert_eq!(Counts::decode(line ^ 1, &bytes), None);
            let key = id_key([7; 16], "an id");
            let bytes = encode_line(&key, line);
            prop_assert_eq!(decode_line(&key, &bytes), Some(line));
            prop_assert_eq!(decode_line(&id_key([7; 16], "another"), &bytes), None);
        }
    }

    #[test]
    fn keys_differ_in_all_that_they_are_made_of() {
        let keys = [
            id_key([0; 16], "a"),
            id_key([1; 16], "a"),
            id_key([0; 16], "b"),
            source_key([0; 16], 1, 2),
            source_key([0; 16], 2, 1),
        ];
        for (n, key) in keys.iter().enumerate() {
            assert!(!keys[..n].contains(key), "{n}");
        }
    }
}

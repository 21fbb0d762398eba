//! The clusters of a run, to be looked through page by page.
//!
//! One pass over `clusters.parquet` makes a small index of clusters: who is kept,
//! where the members stand in the table, how they resemble their keeper, and two
//! orders. That is all that is held, [`Clusters::BYTES`] for each cluster, beside the
//! footer of the table and the places of URLs, a few bits for each document; members
//! are read from the table when they are asked for. What the index cannot tell (the
//! sources, sites and words of members) is found by looking through the table,
//! and through the texts of documents that stay, a bounded piece for each request.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use lookalike_core::host;
use lookalike_core::text::{Token, Tokenizer, Unit};
use serde::{Deserialize, Serialize};

use super::tables::{ClusterTable, StoredDocument, StoredMember};
use super::text_pass::{ByteBudget, PASS_BYTES};
use super::{Run, RunDocument};
use crate::error::{Error, ErrorKind, Result};
use crate::places::Row;
use crate::report::Kind;
use crate::urls::Urls;

/// How much one search does before it has to be asked to go on.
#[derive(Clone, Copy)]
struct SearchBounds {
    /// Rows of the table.
    rows: u64,
    /// Rows that are looked at together: also the most members of one cluster that are searched.
    piece_rows: u64,
    /// Bytes of inputs.
    bytes: u64,
}

impl SearchBounds {
    const DEFAULT: Self = Self { rows: 1 << 18, piece_rows: 1 << 16, bytes: PASS_BYTES };
}

/// The clusters of a run.
pub struct Clusters {
    run: Run,
    table: ClusterTable,
    /// Open, since opening takes longer than what is then read of it.
    urls: Mutex<Option<Urls>>,
    /// In the order of the table: by the rows of the keepers.
    entries: Vec<Entry>,
    by_size: Vec<u32>,
    by_resemblance: Vec<u32>,
    bounds: SearchBounds,
}

/// What is held of a cluster.
#[derive(Clone, Copy)]
struct Entry {
    keeper: Row,
    /// Its first row in the table.
    begin: u32,
    /// The lowest and the highest resemblance with the keeper; NaN where none is known.
    lowest: f32,
    highest: f32,
    has_exact: bool,
    has_near: bool,
}

/// What its members are to the keeper of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClusterKind {
    /// Exact copies only.
    Exact,
    /// Near-duplicates only.
    Near,
    /// Both.
    Mixed,
}

/// A cluster, without its members.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClusterSummary {
    /// Its number: the row of its keeper.
    pub cluster: Row,
    /// Documents, the keeper among them.
    pub size: u64,
    /// What they are to the keeper.
    pub kind: ClusterKind,
    /// The lowest resemblance with the keeper, if any is known.
    pub lowest: Option<f32>,
    /// The highest.
    pub highest: Option<f32>,
}

/// A document of a cluster.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClusterMember {
    /// The document.
    #[serde(flatten)]
    pub document: RunDocument,
    /// Whether it stays.
    pub kept: bool,
    /// How it resembles its keeper; `None` for the keeper.
    pub kind: Option<Kind>,
    /// How much, if that is known.
    pub resemblance: Option<f64>,
}

/// Which clusters are wanted. The default is all of them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ClusterFilter {
    /// The fewest documents.
    pub min_size: Option<u64>,
    /// The most.
    pub max_size: Option<u64>,
    /// What the members are.
    pub kind: Option<ClusterKind>,
    /// From here on is the resemblance of the member that is least like its keeper.
    pub min_resemblance: Option<f64>,
    /// Up to here it is.
    pub max_resemblance: Option<f64>,
    /// A part of the path of the file that a member came from.
    pub source: Option<String>,
    /// A host, or the end of one: that of the URL of a member.
    pub site: Option<String>,
    /// Words that stand together in the document that stays, or a part of the id or the URL of a
    /// member.
    pub words: Option<String>,
}

/// The order in which clusters come. A search for what members have comes in the order of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClusterOrder {
    /// The largest first.
    #[default]
    Size,
    /// Those first that have a member which is hardly like its keeper.
    Resemblance,
    /// By their keepers' places in the input.
    Input,
}

/// Some clusters.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClusterPage {
    /// Those that are wanted.
    pub clusters: Vec<ClusterSummary>,
    /// Where to go on; `None` at the end.
    pub next: Option<u64>,
    /// How many clusters were looked at, from the beginning up to here.
    pub looked_at: u64,
    /// How many there are, wanted or not.
    pub of: u64,
    /// How many are wanted, where that is known.
    pub wanted: Option<u64>,
    /// Those whose words could not be searched: their texts have changed, are gone, or lie too deep
    /// in a large file.
    pub unread: u64,
}

/// The clusters of an id or a URL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ClustersOfId {
    /// How many documents have it.
    pub documents: u64,
    /// The clusters that the first of them are in; none if they have no look-alikes.
    pub clusters: Vec<Row>,
}

impl Clusters {
    /// Bytes that are held of each cluster.
    pub const BYTES: u64 = (size_of::<Entry>() + 2 * size_of::<u32>()) as u64;

    /// Reads the table of a run once, into no more than so many bytes of memory.
    ///
    /// # Errors
    /// If the table cannot be read, or contradicts itself, or has too many clusters.
    pub fn open(run: Run, memory: u64) -> Result<Self> {
        let table = ClusterTable::open(&run)?;
        let most = memory / Self::BYTES;
        // Virtual memory, of which only what is filled is taken: a cluster has two rows or more.
        let mut entries = Vec::with_capacity((table.rows() / 2).min(most) as usize);
        let mut pass = Pass::default();
        let damaged = |row: u64, found: &str| {
            let expected =
                format!("the members of a cluster together at row {row}, its keeper first");
            Error::corruption(table.path(), 0, expected, found)
        };
        table.for_each_member(|member| {
            let row = pass.rows;
            if let Some(finished) = pass.member(&member).map_err(|found| damaged(row, found))?
                && (entries.len() as u64) < most
            {
                entries.push(finished);
            }
            Ok(())
        })?;
        let last = pass.end().map_err(|found| damaged(pass.rows, found))?;
        entries.extend(last.filter(|_| (entries.len() as u64) < most));
        if pass.clusters > most {
            let (clusters, needed) = (pass.clusters, pass.clusters * Self::BYTES);
            return Err(Error::from(ErrorKind::TooManyClusters { clusters, needed }));
        }
        entries.shrink_to_fit();
        let urls = Mutex::new(Urls::open(&run.files.urls())?);
        let mut clusters = Self {
            run,
            table,
            urls,
            entries,
            by_size: (0..pass.clusters as u32).collect(),
            by_resemblance: (0..pass.clusters as u32).collect(),
            bounds: SearchBounds::DEFAULT,
        };
        let mut by_size = std::mem::take(&mut clusters.by_size);
        by_size.sort_unstable_by_key(|&at| (Reverse(clusters.size(at as usize)), at));
        clusters.by_size = by_size;
        let lowest = |at: u32| clusters.entries[at as usize].lowest;
        // A positive NaN, which is none, comes after all numbers.
        let by_lowest = |a: &u32, b: &u32| lowest(*a).total_cmp(&lowest(*b)).then(a.cmp(b));
        let mut by_resemblance = std::mem::take(&mut clusters.by_resemblance);
        by_resemblance.sort_unstable_by(by_lowest);
        clusters.by_resemblance = by_resemblance;
        Ok(clusters)
    }

    /// The run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// How many clusters there are.
    pub fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn rows(&self, at: usize) -> Range<u64> {
        let end = self.entries.get(at + 1).map_or(self.table.rows(), |next| next.begin.into());
        self.entries[at].begin.into()..end
    }

    fn size(&self, at: usize) -> u64 {
        let rows = self.rows(at);
        rows.end - rows.start
    }

    fn summary(&self, at: usize) -> ClusterSummary {
        let Entry { keeper, lowest, highest, .. } = self.entries[at];
        let known = |resemblance: f32| (!resemblance.is_nan()).then_some(resemblance);
        ClusterSummary {
            cluster: keeper,
            size: self.size(at),
            kind: self.entries[at].kind(),
            lowest: known(lowest),
            highest: known(highest),
        }
    }

    fn position(&self, cluster: Row) -> Option<usize> {
        self.entries.binary_search_by_key(&cluster, |entry| entry.keeper).ok()
    }

    /// A cluster, by its number.
    pub fn get(&self, cluster: Row) -> Option<ClusterSummary> {
        self.position(cluster).map(|at| self.summary(at))
    }

    /// Some members of a cluster, from that place on: the keeper, then the others in the order of the
    /// input. None if there is no such cluster.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub fn members(&self, cluster: Row, from: u64, count: u64) -> Result<Vec<ClusterMember>> {
        let Some(at) = self.position(cluster) else { return Ok(Vec::new()) };
        let Range { start, end } = self.rows(at);
        let from = start.saturating_add(from).min(end);
        let mut members = Vec::new();
        self.table.for_each_document(from..from.saturating_add(count).min(end), |stored| {
            let StoredMember { kept, kind, resemblance, .. } = stored.member;
            let (document, kind) = (stored.document(), (!kept).then_some(kind));
            members.push(ClusterMember { document, kept, kind, resemblance });
            Ok(())
        })?;
        Ok(members)
    }

    /// The document that stays of a cluster: quicker than as the first of its members.
    ///
    /// # Errors
    /// If there is no such document, or a file of the run cannot be read.
    pub fn keeper(&self, cluster: Row) -> Result<RunDocument> {
        let mut urls = self.urls.lock().unwrap_or_else(PoisonError::into_inner);
        self.run.document_with(cluster, urls.as_mut())
    }

    /// The clusters of the documents with an id, or with a URL if none has that id; by a pass over
    /// all documents, and over the table.
    ///
    /// # Errors
    /// If a file of the run cannot be read.
    pub fn find(&self, id: &str) -> Result<ClustersOfId> {
        let found = self.run.find(id)?;
        let mut clusters = Vec::new();
        if found.count > 0 {
            let rows = found.rows;
            let wanted = move |row, _| rows.binary_search(&row).is_ok();
            self.run.for_each_member(wanted, |member| {
                clusters.push(member.cluster);
                Ok(())
            })?;
            clusters.sort_unstable();
            clusters.dedup();
        }
        Ok(ClustersOfId { documents: found.count, clusters })
    }

    /// The next clusters that are wanted, at most `limit`. It begins at `after`, which is 0 or the
    /// `next` of a page of the same filter and order.
    ///
    /// A search for what members have may end before it has found as many, or any: then there is a
    /// next page.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub fn page(
        &self,
        filter: &ClusterFilter,
        order: ClusterOrder,
        after: u64,
        limit: usize,
    ) -> Result<ClusterPage> {
        let after = usize::try_from(after).unwrap_or(usize::MAX).min(self.entries.len());
        match Search::new(filter) {
            Some(search) => self.search(filter, &search, after, limit),
            None => Ok(self.list(filter, order, after, limit)),
        }
    }

    fn list(
        &self,
        filter: &ClusterFilter,
        order: ClusterOrder,
        after: usize,
        limit: usize,
    ) -> ClusterPage {
        let at = |place: usize| match order {
            ClusterOrder::Input => place,
            ClusterOrder::Size => self.by_size[place] as usize,
            ClusterOrder::Resemblance => self.by_resemblance[place] as usize,
        };
        let wanted = |place: &usize| self.is_wanted(filter, at(*place));
        let all = self.entries.len();
        // One more than asked for tells where the next page begins.
        let mut places: Vec<usize> = (after..all).filter(wanted).take(limit + 1).collect();
        let next = places.get(limit).map(|place| *place as u64);
        places.truncate(limit);
        ClusterPage {
            clusters: places.into_iter().map(|place| self.summary(at(place))).collect(),
            next,
            looked_at: next.unwrap_or(all as u64),
            of: all as u64,
            wanted: Some((0..all).filter(|at| self.is_wanted(filter, *at)).count() as u64),
            unread: 0,
        }
    }

    /// Whether a cluster is wanted, as far as the index knows.
    fn is_wanted(&self, filter: &ClusterFilter, at: usize) -> bool {
        let (entry, size) = (&self.entries[at], self.size(at));
        // Both are rounded the same way. What is not known is within no bounds.
        let lowest = entry.lowest;
        filter.min_size.is_none_or(|least| size >= least)
            && filter.max_size.is_none_or(|most| size <= most)
            && filter.kind.is_none_or(|kind| entry.kind() == kind)
            && filter.min_resemblance.is_none_or(|least| lowest >= least as f32)
            && filter.max_resemblance.is_none_or(|most| lowest <= most as f32)
    }

    fn search(
        &self,
        filter: &ClusterFilter,
        search: &Search,
        after: usize,
        limit: usize,
    ) -> Result<ClusterPage> {
        let SearchBounds { rows: mut rows_left, piece_rows, bytes } = self.bounds;
        let (mut at, mut budget) = (after, ByteBudget::new(bytes));
        let mut found = Vec::new();
        let mut unread = 0;
        while found.len() < limit && rows_left > 0 {
            let Some(first) = (at..self.entries.len()).find(|at| self.is_wanted(filter, *at))
            else {
                at = self.entries.len();
                break;
            };
            let piece = self.piece(first, piece_rows.min(rows_left));
            let begin = self.rows(first).start;
            // Of a large cluster, the first members are searched.
            let end = self.rows(first + piece - 1).end.min(begin + piece_rows);
            rows_left = rows_left.saturating_sub(end - begin);
            let mut matches = self.look(search, first..first + piece, begin..end)?;
            matches.retain(|(at, _)| self.is_wanted(filter, *at));
            let stopped_at = self.read_words(search, &mut matches, &mut budget, &mut unread)?;
            at = stopped_at.unwrap_or(first + piece);
            for (place, _) in matches.iter().filter(|(_, state)| *state == MatchState::Found) {
                if found.len() == limit {
                    at = *place;
                    break;
                }
                found.push(*place);
            }
            if stopped_at.is_some() {
                break;
            }
        }
        let of = self.entries.len() as u64;
        Ok(ClusterPage {
            clusters: found.into_iter().map(|at| self.summary(at)).collect(),
            next: (at < self.entries.len()).then_some(at as u64),
            looked_at: at as u64,
            of,
            wanted: None,
            unread,
        })
    }

    /// How many clusters from this one on have so many rows together; at least one.
    fn piece(&self, first: usize, rows: u64) -> usize {
        let end = self.rows(first).start + rows;
        let begin_within = |entry: &Entry| u64::from(entry.begin) <= end;
        let after = &self.entries[first + 1..];
        let whole = after.partition_point(begin_within);
        let is_last_whole = whole == after.len() && self.table.rows() <= end;
        (whole + usize::from(is_last_whole)).max(1)
    }

    /// Those of some clusters of which a member is searched for, as far as the table tells.
    fn look(
        &self,
        search: &Search,
        clusters: Range<usize>,
        rows: Range<u64>,
    ) -> Result<Vec<(usize, MatchState)>> {
        let mut matches: Vec<(usize, MatchState)> = Vec::new();
        let mut at = clusters.start;
        self.table.for_each_document(rows, |stored| {
            while self.entries[at].keeper != stored.member.cluster && at + 1 < clusters.end {
                at += 1;
            }
            let Some(state) = search.look_at(&stored) else { return Ok(()) };
            match matches.last_mut() {
                Some((same, before)) if *same == at => *before = (*before).max(state),
                _ => matches.push((at, state)),
            }
            Ok(())
        })?;
        Ok(matches)
    }

    /// Reads the documents that stay in clusters which only words can tell of. Gives the first
    /// cluster that is left for another request.
    fn read_words(
        &self,
        search: &Search,
        matches: &mut Vec<(usize, MatchState)>,
        budget: &mut ByteBudget,
        unread: &mut u64,
    ) -> Result<Option<usize>> {
        let Some(words) = &search.words else { return Ok(None) };
        let asks = |(at, state): &(usize, MatchState)| {
            (*state == MatchState::NeedsWords).then(|| self.entries[*at].keeper)
        };
        let rows: Vec<Row> = matches.iter().filter_map(asks).collect();
        let mut found = Vec::new();
        let (mut tokenizer, mut tokens) = (Tokenizer::new(Unit::Words), Vec::new());
        let pass = self.run.read_texts(&rows, budget, |row, text| {
            tokens.clear();
            tokenizer.tokens(text, &mut tokens);
            if tokens.windows(words.tokens.len().max(1)).any(|some| some == words.tokens) {
                found.push(row);
            }
        })?;
        for (at, state) in matches.iter_mut() {
            if found.binary_search(&self.entries[*at].keeper).is_ok() {
                *state = MatchState::Found;
            }
        }
        *unread += pass.unread.len() as u64;
        let stopped_at = pass.stopped_at.and_then(|row| self.position(row));
        if let Some(end) = stopped_at {
            matches.retain(|(at, _)| *at < end);
        }
        Ok(stopped_at)
    }
}

impl Entry {
    fn kind(&self) -> ClusterKind {
        match (self.has_exact, self.has_near) {
            (_, false) => ClusterKind::Exact,
            (false, true) => ClusterKind::Near,
            (true, true) => ClusterKind::Mixed,
        }
    }
}

/// The pass over the table that makes the index.
#[derive(Default)]
struct Pass {
    rows: u64,
    clusters: u64,
    /// The cluster of the last row, and how many members it should have.
    open: Option<(Entry, u64)>,
}

impl Pass {
    /// Takes a row, and gives the cluster before, if this one begins another; or what is wrong.
    fn member(&mut self, member: &StoredMember) -> Result<Option<Entry>, &'static str> {
        let mut finished = None;
        match &mut self.open {
            Some((entry, _)) if entry.keeper == member.cluster => {
                if member.row == member.cluster {
                    return Err("a second keeper");
                }
                entry.has_exact |= member.kind == Kind::Exact;
                entry.has_near |= member.kind == Kind::Near;
                if let Some(resemblance) = member.resemblance {
                    // The smaller and the larger of two, of which one may be NaN.
                    entry.lowest = entry.lowest.min(resemblance as f32);
                    entry.highest = entry.highest.max(resemblance as f32);
                }
            }
            open => {
                if open.is_some_and(|(entry, _)| entry.keeper > member.cluster) {
                    return Err("a cluster that should have come earlier");
                }
                if !member.kept || member.row != member.cluster {
                    return Err("a member before its keeper");
                }
                finished = self.end()?;
                self.clusters += 1;
                let entry = Entry {
                    keeper: member.row,
                    begin: self.rows as u32,
                    lowest: f32::NAN,
                    highest: f32::NAN,
                    has_exact: false,
                    has_near: false,
                };
                self.open = Some((entry, member.size));
            }
        }
        self.rows += 1;
        Ok(finished)
    }

    /// The cluster of the last row, if it has as many members as it says.
    fn end(&mut self) -> Result<Option<Entry>, &'static str> {
        match self.open.take() {
            Some((entry, size)) if self.rows - u64::from(entry.begin) != size || size < 2 => {
                Err("another number of members")
            }
            open => Ok(open.map(|(entry, _)| entry)),
        }
    }
}

/// What members are searched for.
struct Search<'a> {
    source: Option<&'a str>,
    site: Option<String>,
    words: Option<Words<'a>>,
}

struct Words<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

/// What the table tells of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MatchState {
    /// It is searched for if its document has the words.
    NeedsWords,
    Found,
}

impl<'a> Search<'a> {
    /// `None` if the index alone can tell.
    fn new(filter: &'a ClusterFilter) -> Option<Self> {
        let given = |text: &'a Option<String>| text.as_deref().filter(|text| !text.is_empty());
        let site = given(&filter.site);
        let words = given(&filter.words).map(|text| {
            let mut tokens = Vec::new();
            Tokenizer::new(Unit::Words).tokens(text.as_bytes(), &mut tokens);
            Words { text, tokens }
        });
        let site = site.map(|site| site.trim_start_matches("*.").to_lowercase());
        let search = Self { source: given(&filter.source), site, words };
        let is_any = search.source.is_some() || search.site.is_some() || search.words.is_some();
        is_any.then_some(search)
    }

    fn look_at(&self, document: &StoredDocument<'_>) -> Option<MatchState> {
        let StoredDocument { id, source, url, .. } = document;
        let is_there = self.source.is_none_or(|part| source.contains(part))
            && self
                .site
                .as_ref()
                .is_none_or(|site| url.and_then(host_of).is_some_and(|host| is_of(&host, site)));
        if !is_there {
            return None;
        }
        let Some(Words { text, tokens }) = &self.words else { return Some(MatchState::Found) };
        if id.contains(text) || url.is_some_and(|url| url.contains(text)) {
            return Some(MatchState::Found);
        }
        (!tokens.is_empty()).then_some(MatchState::NeedsWords)
    }
}

/// The host of a URL, whose scheme may be missing.
fn host_of(url: &str) -> Option<String> {
    let rest = url.split_once("//").map_or(url, |(_, rest)| rest);
    host(rest.split(['/', '?', '#', '\\']).next()?)
}

/// Whether a host is this site, or a part of it.
fn is_of(host: &str, site: &str) -> bool {
    host.strip_suffix(site).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests;

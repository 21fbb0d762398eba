//! How often the documents that stay were found.
//!
//! Let C be the documents that a keeper stands for, itself included:
//!
//! ```text
//! copies        the number of C
//! exact_copies  those of them that have the keeper's tokens, in its order
//! sources       the different sources of C
//! first, last   the smallest and the largest date of C
//! ```
//!
//! The source of a document is the value of a field, if one was named; a missing, null or empty one
//! is none, and not counted. Else it is its site, and its input file where it has none.
//!
//! Nothing is held for a document. The members of clusters are sorted by their rows, and so meet
//! their sources and dates, which are stored in that order; then by keepers and sources, and equal
//! sources are neighbours. A source is a fingerprint of 64 bits; what is counted decides nothing.

use std::path::Path;

use lookalike_files::{RowsKind, RowsReader, double_word};

use crate::attributes::{COUNTED, DATES, NO_DATE, NO_SOURCE, name_key};
use crate::error::Result;
use crate::files::Files;
use crate::places::Row;
use crate::report::Kind;
use crate::sign::SITES;
use crate::sort::{Record, SortedRecords, Sorter};
use crate::sources::{SourceRow, SourceTable};

/// How often a document that stays was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClusterCounts {
    pub(crate) keeper: Row,
    pub(crate) copies: u64,
    pub(crate) exact_copies: u64,
    pub(crate) sources: u64,
    pub(crate) first: Option<i64>,
    pub(crate) last: Option<i64>,
}

/// A document of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    row: Row,
    keeper: Row,
    kind: Kind,
}

impl Record for Member {
    const BYTES: usize = 4 + 4 + 1;

    fn encode(self, out: &mut [u8]) {
        [self.row, self.keeper].encode(&mut out[..8]);
        out[8] = self.kind as u8;
    }

    fn decode(bytes: &[u8]) -> Self {
        let [row, keeper] = Record::decode(bytes);
        Self { row, keeper, kind: Kind::numbered(bytes[8]) }
    }
}

/// What it counts for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    keeper: Row,
    source: u64,
    date: i64,
    kind: Kind,
}

impl Record for Found {
    const BYTES: usize = 4 + 8 + 8 + 1;

    fn encode(self, out: &mut [u8]) {
        out[..4].copy_from_slice(&self.keeper.to_le_bytes());
        out[4..12].copy_from_slice(&self.source.to_le_bytes());
        out[12..20].copy_from_slice(&self.date.to_le_bytes());
        out[20] = self.kind as u8;
    }

    fn decode(bytes: &[u8]) -> Self {
        Self {
            keeper: Row::read(bytes, 0),
            source: double_word(bytes, 4),
            date: double_word(bytes, 12).cast_signed(),
            kind: Kind::numbered(bytes[20]),
        }
    }
}

/// Where sources and dates of rows are.
pub(crate) struct Where<'a> {
    pub(crate) files: &'a Files,
    pub(crate) sources: &'a SourceTable,
    /// Whether documents have sites, which are in a table then.
    pub(crate) have_sites: bool,
}

impl Where<'_> {
    /// What sources are, for people.
    pub(crate) fn counted_by(&self, field: Option<&str>) -> String {
        match field {
            Some(field) => format!("field:{field}"),
            None if self.have_sites => "site".to_owned(),
            None => "file".to_owned(),
        }
    }
}

/// Takes the members of clusters, keepers included, in any order.
pub(crate) struct Counting<'a> {
    at: Where<'a>,
    members: Sorter<Member>,
    budget: usize,
}

impl<'a> Counting<'a> {
    /// What does not fit into `budget` bytes goes to the folder for sorting.
    pub(crate) fn new(at: Where<'a>, budget: usize) -> Self {
        let members = Sorter::new(&at.files.sorting(), budget / 2);
        Self { at, members, budget }
    }

    /// Takes a document, which resembles its keeper in this way; the keeper is the same as itself.
    pub(crate) fn push(&mut self, row: Row, keeper: Row, kind: Kind) -> Result<()> {
        self.members.push(Member { row, keeper, kind })
    }

    /// The counts of all keepers, in the order of their rows.
    pub(crate) fn finish(self) -> Result<CountReader> {
        let mut found = Sorter::new(&self.at.files.sorting(), self.budget / 2);
        if !self.members.is_empty() {
            let mut members = self.members.finish()?;
            let mut sources = SourceKeys::open(&self.at)?;
            let mut dates = Column::open(&self.at.files.dates(), DATES)?;
            while let Some(Member { row, keeper, kind }) = members.next()? {
                let source = sources.get(row)?;
                let date = match &mut dates {
                    Some(dates) => dates.get(row)?.cast_signed(),
                    None => NO_DATE,
                };
                found.push(Found { keeper, source, date, kind })?;
            }
        }
        let mut found = found.finish()?;
        let next = found.next()?;
        Ok(CountReader { found, next })
    }
}

/// Counts, one keeper after another.
pub(crate) struct CountReader {
    found: SortedRecords<Found>,
    next: Option<Found>,
}

impl CountReader {
    /// Those of the next keeper; `None` after the last.
    pub(crate) fn next(&mut self) -> Result<Option<ClusterCounts>> {
        let Some(Found { keeper, .. }) = self.next else { return Ok(None) };
        let (copies, exact_copies, sources) = (0, 0, 0);
        let mut counts =
            ClusterCounts { keeper, copies, exact_copies, sources, first: None, last: None };
        let mut source = NO_SOURCE;
        while let Some(found) = self.next.filter(|found| found.keeper == keeper) {
            counts.copies += 1;
            counts.exact_copies += u64::from(found.kind == Kind::Exact);
            // No source comes before all others.
            counts.sources += u64::from(found.source != source);
            source = found.source;
            let date = Some(found.date).filter(|date| *date != NO_DATE);
            counts.first = counts.first.into_iter().chain(date).min();
            counts.last = counts.last.max(date);
            self.next = self.found.next()?;
        }
        Ok(Some(counts))
    }
}

/// The sources of rows, asked for in ascending order.
struct SourceKeys<'a> {
    /// Those of a field; if there are none, those of sites come before those of files.
    of_field: Option<Column>,
    sites: Option<Column>,
    files: &'a SourceTable,
    /// The file of the last row, and its key.
    at_hand: Option<(SourceRow, u64)>,
}

impl<'a> SourceKeys<'a> {
    fn open(at: &Where<'a>) -> Result<Self> {
        let sites = at.have_sites.then(|| Column::open(&at.files.report_sites(), SITES));
        Ok(Self {
            of_field: Column::open(&at.files.counted(), COUNTED)?,
            sites: sites.transpose()?.flatten(),
            files: at.sources,
            at_hand: None,
        })
    }

    fn get(&mut self, row: Row) -> Result<u64> {
        if let Some(field) = &mut self.of_field {
            return field.get(row);
        }
        if let Some(sites) = &mut self.sites {
            // 0 is no site.
            let site = sites.get(row)?;
            if site != 0 {
                return Ok(site);
            }
        }
        let at_hand = self.at_hand.as_ref().filter(|(file, _)| file.rows().contains(&row));
        if let Some((_, key)) = at_hand {
            return Ok(*key);
        }
        // Signatures that came without documents are of one file.
        let Some(file) = self.files.of_row(row)? else { return Ok(NO_SOURCE + 1) };
        let key = name_key(file.source.id());
        Ok(self.at_hand.insert((file, key)).1)
    }
}

/// Eight bytes of each row, asked for in ascending order.
struct Column {
    rows: RowsReader<8, 0>,
    /// The row that is read next.
    next: u64,
    last: u64,
}

impl Column {
    /// `None` if there is no such table.
    fn open(path: &Path, kind: RowsKind) -> Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        Ok(Some(Self { rows: RowsReader::open(path, kind)?, next: 0, last: 0 }))
    }

    fn get(&mut self, row: Row) -> Result<u64> {
        while self.next <= row.into() {
            let Some(bytes) = self.rows.next()? else {
                let found = format!("{} rows", self.next);
                return Err(self.rows.corrupt(0, format!("a row {row}"), found).into());
            };
            (self.last, self.next) = (u64::from_le_bytes(bytes), self.next + 1);
        }
        Ok(self.last)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use lookalike_files::{RowsWriter, WorkFolder};
    use proptest::prelude::*;

    use super::*;
    use crate::sources::SourcesWriter;

    /// A document: its keeper, how it resembles it, its source and its date.
    type Document = (u8, bool, u64, Option<i64>);

    fn naive(documents: &[Document]) -> Vec<ClusterCounts> {
        let mut clusters: BTreeMap<u8, Vec<&Document>> = BTreeMap::new();
        for document in documents {
            clusters.entry(document.0).or_default().push(document);
        }
        let counts = clusters.into_iter().map(|(keeper, members)| {
            let sources: BTreeSet<u64> = members.iter().map(|member| member.2).collect();
            let dates: BTreeSet<i64> = members.iter().filter_map(|member| member.3).collect();
            ClusterCounts {
                keeper: Row::nth(keeper.into()),
                copies: members.len() as u64,
                exact_copies: members.iter().filter(|member| member.1).count() as u64,
                sources: sources.iter().filter(|&&source| source != NO_SOURCE).count() as u64,
                first: dates.first().copied(),
                last: dates.last().copied(),
            }
        });
        counts.collect()
    }

    fn write(path: &Path, kind: RowsKind, values: impl Iterator<Item = u64>) {
        let mut table = RowsWriter::create(path, kind, 8).unwrap();
        values.for_each(|value| table.push(&value.to_le_bytes()).unwrap());
        table.finish().unwrap();
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn counts_are_those_of_the_definition(
            documents in prop::collection::vec(
                (0_u8..5, any::<bool>(), 0_u64..4, prop::option::of(-3_i64..3)), 0..60,
            ),
        ) {
            let folder = WorkFolder::create(None).unwrap();
            let files = Files { out: folder.to_owned(), work: folder.to_owned() };
            std::fs::create_dir(files.sorting()).unwrap();
            SourcesWriter::create(&files.sources()).unwrap().finish().unwrap();
            let sources = SourceTable::open(&files.sources()).unwrap();
            write(&files.counted(), COUNTED, documents.iter().map(|document| document.2));
            let date = |document: &Document| document.3.unwrap_or(NO_DATE).cast_unsigned();
            write(&files.dates(), DATES, documents.iter().map(date));
            let at = Where { files: &files, sources: &sources, have_sites: false };
            let mut counting = Counting::new(at, 0);
            let rows: Vec<_> = Row::all().zip(&documents).collect();
            for &(row, (keeper, exact, ..)) in rows.iter().rev() {
                let kind = if *exact { Kind::Exact } else { Kind::Near };
                counting.push(row, Row::nth((*keeper).into()), kind).unwrap();
            }
            let mut reader = counting.finish().unwrap();
            let counts = std::iter::from_fn(|| reader.next().unwrap());
            prop_assert_eq!(counts.collect::<Vec<_>>(), naive(&documents));
        }
    }
}

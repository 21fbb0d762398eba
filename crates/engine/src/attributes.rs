//! What is asked of documents besides their signatures, a number a row: their rank under the
//! keep policy, their part of the corpus for the removal budget, what their clusters count, and
//! their date.

use std::collections::HashMap;

use lookalike_corpus::{FieldValue, Record};
use lookalike_files::{RowsKind, RowsWriter};
use xxhash_rust::xxh3::xxh3_64;

use crate::dates;
use crate::error::{Error, ErrorKind, Result};
use crate::files::Files;
use crate::keep::{self, KeepPolicy};

pub(crate) const RANKS: RowsKind = *b"keeprank";
pub(crate) const PARTS: RowsKind = *b"partnumb";

/// The source of each row, if a field was named for it.
pub(crate) const COUNTED: RowsKind = *b"counted ";

/// The date of each row in microseconds of Unix time, if a field was named for it.
pub(crate) const DATES: RowsKind = *b"datetime";

/// The source of a document that has none.
pub(crate) const NO_SOURCE: u64 = 0;

/// The date of a document that has none. Years begin later.
pub(crate) const NO_DATE: i64 = i64::MIN;

/// The most parts that a removal budget counts: a field with more distinct values says nothing
/// about sources.
const MAX_PARTS: usize = 100_000;

/// What a field says of the source.
pub(crate) fn source_key(value: Option<FieldValue<'_>>) -> u64 {
    value.map(|value| keep::text(&value)).map_or(NO_SOURCE, |text| name_key(&text))
}

/// The key of a source.
pub(crate) fn name_key(name: &str) -> u64 {
    if name.is_empty() { NO_SOURCE } else { xxh3_64(name.as_bytes()).max(NO_SOURCE + 1) }
}

/// What is asked.
#[derive(Clone, Copy)]
pub(crate) struct FieldQuestions<'a> {
    pub(crate) keep: &'a KeepPolicy,
    /// Whether documents are signed at the same time. Else what tokens say is not asked.
    pub(crate) knows_tokens: bool,
    /// The field that the removal budget goes by.
    pub(crate) part_field: Option<&'a str>,
    /// The field whose distinct values clusters count.
    pub(crate) counted: Option<&'a str>,
    /// The field with the date.
    pub(crate) dated: Option<&'a str>,
}

/// What some documents have to say.
#[derive(Default)]
pub(crate) struct Attributes {
    /// One after another for each key of the policy.
    pub(crate) ranks: Vec<u64>,
    pub(crate) parts: Vec<String>,
    pub(crate) counted: Vec<u64>,
    pub(crate) dates: Vec<i64>,
}

impl<'a> FieldQuestions<'a> {
    /// Nothing is asked.
    pub(crate) const NONE: Self = Self {
        keep: &KeepPolicy::First,
        knows_tokens: true,
        part_field: None,
        counted: None,
        dated: None,
    };

    /// The fields that are looked at.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'a str> {
        let others = [self.part_field, self.counted, self.dated];
        self.keep.fields().chain(others.into_iter().flatten())
    }

    /// The keys of the policy that are asked for, with their numbers.
    fn keys(&self) -> impl Iterator<Item = (usize, &'a KeepPolicy)> {
        let knows_tokens = self.knows_tokens;
        let keys = self.keep.ranked().iter().enumerate();
        keys.filter(move |(_, key)| knows_tokens || key.field().is_some())
    }

    /// Asks the next document, which has so many tokens.
    pub(crate) fn record(&self, tokens: u64, record: &Record<'_>, found: &mut Attributes) {
        found.ranks.extend(self.keys().map(|(_, key)| key.rank(tokens, record)));
        if let Some(field) = self.part_field {
            let value = record.field(field);
            found.parts.push(value.map_or_else(String::new, |value| keep::text(&value)));
        }
        if let Some(field) = self.counted {
            found.counted.push(source_key(record.field(field)));
        }
        if let Some(field) = self.dated {
            let date = record.field(field).and_then(dates::date_microseconds);
            found.dates.push(date.unwrap_or(NO_DATE));
        }
    }

    /// The same for one without fields.
    pub(crate) fn text(&self, tokens: u64, found: &mut Attributes) {
        found.ranks.extend(self.keys().map(|(_, key)| key.rank_of_text(tokens)));
        if self.part_field.is_some() {
            found.parts.push(String::new());
        }
        found.counted.extend(self.counted.map(|_| NO_SOURCE));
        found.dates.extend(self.dated.map(|_| NO_DATE));
    }
}

/// Writes what documents say, in the order of rows.
pub(crate) struct AttributesWriter<'a> {
    asked: FieldQuestions<'a>,
    /// Of each key of the policy that is asked for, with its number.
    ranks: Vec<(usize, RowsWriter)>,
    parts: Option<RowsWriter>,
    counted: Option<RowsWriter>,
    dates: Option<RowsWriter>,
    part_numbers: HashMap<String, u32>,
    summary: Summary,
}

/// What all documents said.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    /// Documents whose field told a key of the keep policy nothing, by the numbers of keys.
    pub(crate) unranked: Vec<u64>,
    /// Documents whose field has nothing to count, and those whose field has no date.
    pub(crate) uncounted: u64,
    pub(crate) undated: u64,
    /// The values of the part field, by their numbers.
    pub(crate) parts: Vec<String>,
}

impl<'a> AttributesWriter<'a> {
    pub(crate) fn create(asked: FieldQuestions<'a>, files: &Files) -> Result<Self> {
        let table = |wanted: bool, path, kind, width| {
            wanted.then(|| RowsWriter::create(path, kind, width)).transpose()
        };
        let ranks = asked
            .keys()
            .map(|(number, _)| Ok((number, RowsWriter::create(&files.ranks(number), RANKS, 8)?)));
        let unranked = vec![0; asked.keep.ranked().len()];
        Ok(Self {
            asked,
            ranks: ranks.collect::<Result<_>>()?,
            parts: table(asked.part_field.is_some(), &files.parts(), PARTS, 4)?,
            counted: table(asked.counted.is_some(), &files.counted(), COUNTED, 8)?,
            dates: table(asked.dated.is_some(), &files.dates(), DATES, 8)?,
            part_numbers: HashMap::new(),
            summary: Summary { unranked, ..Summary::default() },
        })
    }

    pub(crate) fn take(&mut self, found: &Attributes) -> Result<()> {
        let keys = self.asked.keep.ranked();
        for document in found.ranks.chunks(self.ranks.len().max(1)) {
            for ((number, table), rank) in self.ranks.iter_mut().zip(document) {
                table.push(&rank.to_le_bytes())?;
                self.summary.unranked[*number] += u64::from(keys[*number].is_unranked(*rank));
            }
        }
        if let Some(counted) = &mut self.counted {
            found.counted.iter().try_for_each(|source| counted.push(&source.to_le_bytes()))?;
        }
        if let Some(dates) = &mut self.dates {
            found.dates.iter().try_for_each(|date| dates.push(&date.to_le_bytes()))?;
        }
        let none = |source: &&u64| **source == NO_SOURCE;
        self.summary.uncounted += found.counted.iter().filter(none).count() as u64;
        let none = |date: &&i64| **date == NO_DATE;
        self.summary.undated += found.dates.iter().filter(none).count() as u64;
        found.parts.iter().try_for_each(|part| self.part(part))
    }

    fn part(&mut self, value: &str) -> Result<()> {
        let number = match self.part_numbers.get(value) {
            Some(&number) => number,
            None if self.part_numbers.len() == MAX_PARTS => {
                let field = self.asked.part_field.unwrap_or_default().to_owned();
                return Err(Error::from(ErrorKind::TooManyParts { field, limit: MAX_PARTS }));
            }
            None => {
                let number = self.part_numbers.len() as u32;
                self.part_numbers.insert(value.to_owned(), number);
                self.summary.parts.push(value.to_owned());
                number
            }
        };
        Ok(self.parts.as_mut().map_or(Ok(()), |parts| parts.push(&number.to_le_bytes()))?)
    }

    pub(crate) fn finish(self) -> Result<Summary> {
        let others = [self.parts, self.counted, self.dates].into_iter().flatten();
        for table in self.ranks.into_iter().map(|(_, table)| table).chain(others) {
            table.finish()?;
        }
        Ok(self.summary)
    }
}

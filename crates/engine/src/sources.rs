//! The sources of a job, in a file: a line of JSON each, in the order of their rows.
//!
//! The file says where each document came from: a source's documents are
//! consecutive rows, and so are its records but for the bad ones. Twelve bytes a source are held in memory.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use lookalike_core::text::{Text, TextBuf};
use lookalike_corpus::{
    Fields, Format, ReadOptions, Record, Source, Tables, UnpackedCopies, Version,
};
use lookalike_files::{AtomicFile, Existing, Rows, RowsKind, RowsWriter, double_word, read_at};
use serde::{Deserialize, Serialize};

use crate::bad_records::BadRecords;
use crate::document_set::RowSet;
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::files;
use crate::places::Row;
use crate::texts::Texts;

/// The fields that a source is read by, if they are not those of the job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FieldNames {
    text: String,
    html: String,
    id: String,
    url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    set: Option<String>,
}

impl FieldNames {
    pub(crate) fn of(fields: &Fields) -> Self {
        let Fields { text, html, id, url, set, .. } = fields.clone();
        Self { text, html, id, url, set }
    }

    /// The same reading by these fields.
    fn reading(&self, options: &ReadOptions) -> ReadOptions {
        let mut options = options.clone();
        let Self { text, html, id, url, set } = self.clone();
        let fields = &mut options.fields;
        (fields.text, fields.html, fields.id, fields.url, fields.set) = (text, html, id, url, set);
        options
    }
}

/// A source and what was found in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SourceRow {
    #[serde(flatten)]
    pub(crate) source: Source,
    /// Its size as stored, and when it was last changed, in nanoseconds of Unix time: another
    /// size or time is another file.
    pub(crate) bytes: Option<u64>,
    pub(crate) modified: Option<u128>,
    /// The row of its first document.
    pub(crate) first_row: Row,
    pub(crate) documents: u64,
    /// The records that cannot be read.
    #[serde(default, skip_serializing_if = "BadRecords::is_empty")]
    pub(crate) bad: BadRecords,
    /// Whether it ended with an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) broken: bool,
    /// By which fields it is read, if its documents are known ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fields: Option<FieldNames>,
    /// If it is of a known run: where it stands there. Its rows are those of its documents that
    /// are taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) of_run: Option<KnownRows>,
}

/// The rows of a source in a known run, and which of them are taken over.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KnownRows {
    /// The row of its first document among those of all known runs.
    first: Row,
    documents: u64,
    #[serde(skip, default = "no_rows")]
    taken: Arc<RowSet>,
}

fn no_rows() -> Arc<RowSet> {
    Arc::new(RowSet::none(0))
}

impl KnownRows {
    /// Those that are taken over are given when the table is opened.
    pub(crate) fn new(first: Row, documents: u64) -> Self {
        Self { first, documents, taken: no_rows() }
    }

    /// How many of those come before the one of this number, if it is one.
    fn rank(&self, number: u64) -> Option<u64> {
        let row = self.first.after(number);
        let is_taken = number < self.documents && self.taken.contains(row);
        is_taken.then(|| self.taken.rank(row) - self.taken.rank(self.first))
    }

    /// The number of the document that so many come before.
    fn number(&self, rank: u64) -> u64 {
        let row = self.taken.nth(self.taken.rank(self.first) + rank);
        row.map_or(0, |row| u64::from(row) - u64::from(self.first))
    }
}

impl SourceRow {
    /// Size and time of a file in this state.
    pub(crate) fn state(version: &Version) -> (Option<u64>, Option<u128>) {
        let modified =
            version.modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        (Some(version.bytes), modified.map(|time| time.as_nanos()))
    }

    /// Fails if the file is not the one that was signed.
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        let state = match self.source.version() {
            Ok(version) => Self::state(&version),
            Err(fault) if is_gone(&fault) => (None, None),
            // A store that does not answer has not changed.
            Err(fault) => return Err(Error::from(fault)),
        };
        if state == (self.bytes, self.modified) { Ok(()) } else { Err(changed(&self.source)) }
    }

    /// Fails with what ended a source that is read again, unless it ended so the first time.
    pub(crate) fn check_fault(&self, fault: Option<lookalike_corpus::Error>) -> Result<()> {
        match fault {
            Some(fault) if !self.broken || fault.is_io() => Err(Error::from(fault)),
            None if self.broken => Err(changed(&self.source)),
            _ => Ok(()),
        }
    }

    /// The row of a record; `None` for a bad one, or one that was not there.
    pub(crate) fn row_of(&self, record: u64) -> Option<Row> {
        let before = self.bad.before(record)?;
        let number = record - 1 - before;
        let number = match &self.of_run {
            Some(rows) => rows.rank(number)?,
            None => number,
        };
        Some(self.first_row.after(number)).filter(|row| self.rows().contains(row))
    }

    /// The record of one of its rows.
    pub(crate) fn record_of(&self, row: Row) -> u64 {
        let number = u64::from(row) - u64::from(self.first_row);
        let good = self.of_run.as_ref().map_or(number, |rows| rows.number(number)) + 1;
        good + self.bad.before_good(good)
    }

    /// Reads the texts of some of its rows again, which are in order, and calls `each` with the
    /// row and the text of every one that is still there.
    pub(crate) fn for_each_text(
        &self,
        options: &ReadOptions,
        rows: &[Row],
        mut each: impl FnMut(Row, Text<'_>),
    ) -> Result<()> {
        let mut texts = Texts::new();
        self.for_each_record(options, rows, |row, record| each(row, texts.of_record(record)))
    }

    /// The same with their records.
    pub(crate) fn for_each_record(
        &self,
        options: &ReadOptions,
        mut rows: &[Row],
        mut each: impl FnMut(Row, &Record<'_>),
    ) -> Result<()> {
        let own = self.fields.as_ref().map(|fields| fields.reading(options));
        for chunk in self.source.chunks(own.as_ref().unwrap_or(options)) {
            let chunk = chunk?;
            let (mut passed, mut fault) = (0, None);
            chunk.for_each_wanted(
                |record| self.row_of(record).is_some_and(|row| rows.binary_search(&row).is_ok()),
                |record| {
                    passed += 1;
                    match record {
                        Ok(record) => {
                            if let Some(row) = self.row_of(record.number) {
                                each(row, &record);
                            }
                        }
                        Err(error) => fault = Some(error),
                    }
                },
            );
            if let Some(fault) = fault {
                return Err(Error::from(fault));
            }
            rows = rows.get(passed..).unwrap_or_default();
            if rows.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Its rows.
    pub(crate) fn rows(&self) -> Range<Row> {
        self.first_row..self.first_row.after(self.documents)
    }
}

fn changed(source: &Source) -> Error {
    Error::from(ErrorKind::InputChanged(source.path().to_owned()))
}

/// What sources were before they were read, so that one which changes meanwhile is seen: nobody
/// knows then what was read. They end in the order in which they begin.
#[derive(Default)]
pub(crate) struct InputVersions(Mutex<VecDeque<(Source, Version)>>);

impl InputVersions {
    fn versions(&self) -> std::sync::MutexGuard<'_, VecDeque<(Source, Version)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same sources, each looked at before it is handed on.
    pub(crate) fn watch(
        &self,
        sources: impl Iterator<Item = Result<(u64, Source)>>,
    ) -> impl Iterator<Item = Result<(u64, Source)>> {
        sources.map(|source| {
            let (number, source) = source?;
            let version = source.version()?;
            self.versions().push_back((source.clone(), version));
            Ok((number, source))
        })
    }

    /// The source that will end next, and what it was before it was read.
    pub(crate) fn begun(&self) -> Option<(Source, Version)> {
        self.versions().front().cloned()
    }

    /// The size and the time of a source that was read to its end.
    ///
    /// # Errors
    /// If it is not what it was before.
    pub(crate) fn ended(&self, source: &Source) -> Result<(Option<u64>, Option<u128>)> {
        let before = self.versions().pop_front();
        let after = match source.version() {
            Err(fault) if is_gone(&fault) => None,
            version => Some(version?),
        };
        match before {
            Some((_, before)) if Some(before) == after => Ok(SourceRow::state(&before)),
            _ => Err(changed(source)),
        }
    }
}

fn is_gone(fault: &lookalike_corpus::Error) -> bool {
    use lookalike_corpus::ErrorKind;
    let ErrorKind::File(fault) = fault.kind() else { return false };
    fault.system().is_some_and(|said| said.kind() == io::ErrorKind::NotFound)
}

/// Writes the file.
pub(crate) struct SourcesWriter(AtomicFile);

impl SourcesWriter {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        Ok(Self(AtomicFile::create(path, Existing::Replace)?))
    }

    pub(crate) fn push(&mut self, source: &SourceRow) -> Result<()> {
        let mut line = serde_json::to_vec(source)
            .map_err(|e| Error::io(source.source.path(), Operation::Read, e.into()))?;
        line.push(b'\n');
        Ok(self.0.write(&line)?)
    }

    pub(crate) fn finish(self) -> Result<()> {
        Ok(self.0.commit()?)
    }
}

/// The sources of a signed job.
pub(crate) struct SourceTable {
    path: PathBuf,
    file: File,
    /// Where each line begins, and the end.
    offsets: Vec<u64>,
    first_rows: Vec<Row>,
    /// The first source of each reading after the job's own.
    known: Vec<(usize, FieldNames)>,
    copies: Option<UnpackedCopies>,
    tables: Tables,
    known_tables: Tables,
    /// The documents of known runs that are rows here.
    taken: Arc<RowSet>,
}

impl SourceTable {
    /// The same table, whose sources are read from unpacked copies where there are any.
    pub(crate) fn with_copies(self, copies: &UnpackedCopies) -> Self {
        Self { copies: Some(copies.clone()), ..self }
    }

    /// The same table, with the rows of sources that are in memory.
    pub(crate) fn with_tables(self, tables: &Tables) -> Self {
        Self { tables: tables.clone(), ..self }
    }

    /// The same of known sources.
    pub(crate) fn with_known_tables(self, tables: &Tables) -> Self {
        Self { known_tables: tables.clone(), ..self }
    }

    pub(crate) fn open(path: &Path) -> Result<Self> {
        let failed = |source| Error::io(path, Operation::Read, source);
        let file = File::open(path).map_err(failed)?;
        let mut lines = BufReader::new(File::open(path).map_err(failed)?);
        let (offsets, first_rows) = (vec![0], Vec::new());
        let mut table = Self {
            path: path.to_owned(),
            file,
            offsets,
            first_rows,
            known: Vec::new(),
            copies: None,
            tables: Tables::default(),
            known_tables: Tables::default(),
            taken: taken(path)?,
        };
        let (mut line, mut offset) = (Vec::new(), 0);
        loop {
            line.clear();
            let read = lines.read_until(b'\n', &mut line).map_err(failed)?;
            if read == 0 {
                return Ok(table);
            }
            let row = table.parse(&line, offset)?;
            offset += read as u64;
            table.offsets.push(offset);
            if let Some(fields) = row.fields
                && table.known.last().is_none_or(|(_, last)| *last != fields)
            {
                table.known.push((table.first_rows.len(), fields));
            }
            table.first_rows.push(row.first_row);
        }
    }

    fn parse(&self, line: &[u8], offset: u64) -> Result<SourceRow> {
        serde_json::from_slice(line).map_err(|error| {
            Error::corruption(&self.path, offset, "a source, as a line of JSON", error.to_string())
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.first_rows.len()
    }

    /// How many sources have new documents. Those of known ones come after them.
    pub(crate) fn new_sources(&self) -> usize {
        self.known.first().map_or(self.len(), |(first, _)| *first)
    }

    /// Calls `each` with the numbers of sources that are read in one way, and with that: the job's
    /// own is `options`.
    pub(crate) fn for_each_reading(
        &self,
        options: &ReadOptions,
        mut each: impl FnMut(Range<usize>, &ReadOptions) -> Result<()>,
    ) -> Result<()> {
        each(0..self.new_sources(), options)?;
        let ends = self.known.iter().skip(1).map(|(first, _)| *first).chain([self.len()]);
        for ((first, fields), end) in self.known.iter().zip(ends) {
            each(*first..end, &fields.reading(options))?;
        }
        Ok(())
    }

    pub(crate) fn get(&self, number: usize) -> Result<SourceRow> {
        let (from, to) = (self.offsets[number], self.offsets[number + 1]);
        let mut line = vec![0; (to - from) as usize];
        let read = read_at(&self.file, &mut line, from);
        read.map_err(|source| Error::io(&self.path, Operation::Read, source))?;
        let mut row = self.parse(&line, from)?;
        let tables = if row.fields.is_some() { &self.known_tables } else { &self.tables };
        row.source = row.source.with_tables(tables);
        if let Some(rows) = &mut row.of_run {
            rows.taken = Arc::clone(&self.taken);
        }
        if let Some(copies) = &self.copies {
            row.source = row.source.with_copies(copies);
        }
        Ok(row)
    }

    /// For what needs the sources of one piece after another.
    pub(crate) fn at_hand(&self) -> SourceAtHand<'_> {
        SourceAtHand { table: self, source: None }
    }

    /// The sources of new documents that are wanted, with their numbers, each still what it was.
    pub(crate) fn to_read_again(
        &self,
        wanted: impl Fn(&SourceRow) -> bool,
    ) -> impl Iterator<Item = Result<(u64, Source)>> {
        self.to_read_again_of(0..self.new_sources(), wanted)
    }

    /// The same of the sources of these numbers.
    pub(crate) fn to_read_again_of(
        &self,
        numbers: Range<usize>,
        wanted: impl Fn(&SourceRow) -> bool,
    ) -> impl Iterator<Item = Result<(u64, Source)>> {
        numbers.filter_map(move |number| match self.get(number) {
            Ok(row) if !wanted(&row) => None,
            Ok(row) => Some(row.check_unchanged().map(|()| (number as u64, row.source))),
            Err(error) => Some(Err(error)),
        })
    }

    /// The size of all files as they were.
    pub(crate) fn stored_bytes(&self) -> Result<u64> {
        (0..self.len()).map(|number| Ok(self.get(number)?.bytes.unwrap_or(0))).sum()
    }

    /// How a source ended that is read again: it is still what it was, and a fault that was not
    /// there the first time is one.
    pub(crate) fn check_end(
        &self,
        number: u64,
        fault: Option<lookalike_corpus::Error>,
    ) -> Result<()> {
        let row = self.get(number as usize)?;
        row.check_unchanged()?;
        row.check_fault(fault)
    }

    /// Fails with the first source that is not what was signed.
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        (0..self.len()).try_for_each(|number| self.get(number)?.check_unchanged())
    }

    /// The same of sources of new documents.
    pub(crate) fn check_new_unchanged(&self) -> Result<()> {
        (0..self.new_sources()).try_for_each(|number| self.get(number)?.check_unchanged())
    }

    /// The sources of some rows, which are in order, each with its own of them.
    pub(crate) fn of_rows<'r>(
        &self,
        mut rows: &'r [Row],
    ) -> impl Iterator<Item = Result<(SourceRow, &'r [Row])>> {
        std::iter::from_fn(move || {
            let source = match self.of_row(*rows.first()?).transpose()? {
                Ok(source) => source,
                Err(error) => {
                    rows = &[];
                    return Some(Err(error));
                }
            };
            let count = rows.iter().take_while(|row| source.rows().contains(row)).count();
            let (own, rest) = rows.split_at(count.max(1));
            rows = rest;
            Some(Ok((source, own)))
        })
    }

    /// The beginnings of the texts of some rows, up to so many bytes of each. What cannot be read
    /// any more is not there, unless it is the system that refuses. With them what is told of their records; a
    /// file of text has none that could be told of.
    pub(crate) fn beginnings_with<T: Default>(
        &self,
        options: &ReadOptions,
        mut rows: Vec<Row>,
        bytes: usize,
        told: impl Fn(&Record<'_>) -> T,
    ) -> Result<HashMap<Row, (TextBuf, T)>> {
        rows.sort_unstable();
        rows.dedup();
        let mut texts = HashMap::new();
        for source in self.of_rows(&rows) {
            let (source, wanted) = source?;
            if source.source.format() == Format::TextFile {
                // It may be too long to be in memory whole.
                let text = source.source.text_reader(options).and_then(|reader| {
                    let mut text = Vec::new();
                    let read = reader.take(bytes as u64).read_to_end(&mut text);
                    read.map_err(|e| lookalike_corpus::Error::reading(source.source.path(), e))?;
                    Ok(text)
                });
                match text {
                    Ok(text) => {
                        texts.insert(wanted[0], (TextBuf::from(text), T::default()));
                    }
                    Err(fault) if fault.is_io() => return Err(Error::from(fault)),
                    Err(_) => {}
                }
                continue;
            }
            let mut extractor = Texts::new();
            let read = source.for_each_record(options, wanted, |row, record| {
                let text = extractor.of_record(record).beginning(bytes).to_buf();
                texts.insert(row, (text, told(record)));
            });
            if let Err(error) = read
                && error.is_io()
            {
                return Err(error);
            }
        }
        Ok(texts)
    }

    /// Stretches of the texts of some rows, as far as they are there: empty where a text cannot be read
    /// any more, unless it is the system that refuses.
    pub(crate) fn stretches(
        &self,
        options: &ReadOptions,
        wanted: &[(Row, Range<u64>)],
    ) -> Result<Vec<Vec<u8>>> {
        let mut rows: Vec<Row> = wanted.iter().map(|(row, _)| *row).collect();
        rows.sort_unstable();
        rows.dedup();
        let mut found = vec![Vec::new(); wanted.len()];
        let of = |row: Row| {
            let numbered = wanted.iter().enumerate();
            numbered
                .filter(move |(_, (of, _))| *of == row)
                .map(|(number, (_, range))| (number, range))
        };
        for source in self.of_rows(&rows) {
            let (source, own) = source?;
            let read = if source.source.format() == Format::TextFile {
                of(own[0]).try_for_each(|(number, range)| {
                    // It may be too long to be in memory whole.
                    let mut reader = source.source.text_reader(options)?;
                    let failed = |e| lookalike_corpus::Error::reading(source.source.path(), e);
                    io::copy(&mut reader.by_ref().take(range.start), &mut io::sink())
                        .map_err(failed)?;
                    let mut wanted = reader.take(range.end - range.start);
                    wanted.read_to_end(&mut found[number]).map_err(failed)?;
                    Ok(())
                })
            } else {
                let mut texts = Texts::new();
                source.for_each_record(options, own, |row, record| {
                    let text = texts.of_record(record).bytes();
                    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(text.len());
                    for (number, range) in of(row) {
                        found[number] = text[place(range.start)..place(range.end)].to_vec();
                    }
                })
            };
            if let Err(error) = read
                && error.is_io()
            {
                return Err(error);
            }
        }
        Ok(found)
    }

    /// How many new documents all sources have.
    pub(crate) fn documents(&self) -> Result<u64> {
        self.new_sources()
            .checked_sub(1)
            .map_or(Ok(0), |last| Ok(self.get(last)?.rows().end.into()))
    }

    /// The source that a row is in; `None` for signatures that came without documents.
    pub(crate) fn of_row(&self, row: Row) -> Result<Option<SourceRow>> {
        // Sources without documents have the first row of the next one: the last of equals.
        let after = self.first_rows.partition_point(|&first| first <= row);
        after.checked_sub(1).map(|number| self.get(number)).transpose()
    }
}

/// The bits of documents of known runs that are rows here, in a file beside the table; none if there is
/// no such file.
const TAKEN: RowsKind = *b"takenrow";

/// Its name.
const TAKEN_NAME: &str = "documents.known";

fn taken(table: &Path) -> Result<Arc<RowSet>> {
    let path = table.with_file_name(TAKEN_NAME);
    let mut words = Vec::new();
    if path.exists() {
        Rows::open(&path, TAKEN, 8)?.for_each(|_, word| -> Result<()> {
            words.push(double_word(word, 0));
            Ok(())
        })?;
    }
    Ok(Arc::new(RowSet::of_words(words)))
}

/// Writes that file, if there is anything to be in it, in place of any that is there.
pub(crate) fn write_taken(table: &Path, taken: &RowSet) -> Result<()> {
    let path = table.with_file_name(TAKEN_NAME);
    files::remove(&path)?;
    if taken.words().is_empty() {
        return Ok(());
    }
    let mut file = RowsWriter::create(&path, TAKEN, 8)?;
    taken.words().iter().try_for_each(|word| file.push(&word.to_le_bytes()))?;
    Ok(file.finish()?)
}

/// The source that was asked for last.
pub(crate) struct SourceAtHand<'a> {
    table: &'a SourceTable,
    source: Option<(u64, SourceRow)>,
}

impl SourceAtHand<'_> {
    pub(crate) fn get(&mut self, number: u64) -> Result<&SourceRow> {
        let source = match self.source.take().filter(|(at_hand, _)| *at_hand == number) {
            Some((_, source)) => source,
            None => self.table.get(number as usize)?,
        };
        Ok(&self.source.insert((number, source)).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_records_lead_to_each_other() {
        let source = Source::file(Path::new("a.jsonl"), None).unwrap();
        for bad in [vec![], vec![1], vec![1, 2, 5], vec![3, 4, 11], (1..11).collect()] {
            let records: Vec<u64> = (1..=11).filter(|record| !bad.contains(record)).collect();
            let row = SourceRow {
                source: source.clone(),
                bytes: None,
                modified: None,
                first_row: Row::nth(100),
                documents: records.len() as u64,
                bad: bad.iter().copied().collect(),
                broken: false,
                fields: None,
                of_run: None,
            };
            for (number, &record) in (100..).map(Row::nth).zip(&records) {
                assert_eq!((row.record_of(number), row.row_of(record)), (record, Some(number)));
            }
            assert!(bad.iter().all(|&record| row.row_of(record).is_none()));
            assert_eq!(row.row_of(12), None, "not there");
        }
    }
}

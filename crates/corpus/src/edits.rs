//! What becomes of the records of a selection: kept as they are, left out, or changed.
//!
//! A change leaves out ranges of a record's text and gives values to fields that the selection adds.
//! Ranges are those of the text as [`Record::content`](crate::Record::content) has it; each format
//! finds out what stands for them in the file, and leaves everything else as it is.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::{EditFault, Error, ErrorKind, Result};
use crate::record::Record;

/// What became of a source.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct SelectionReport {
    /// Records written.
    pub kept: u64,
    /// Those of them that were changed.
    pub changed: u64,
    /// How often records were written once more.
    pub repeated: u64,
    /// Records that were not to be kept, and of which a `revisit` stays.
    pub revisits: u64,
    /// Records that were not to be kept.
    pub dropped: u64,
    /// Records that are not documents, and stay: nothing was asked about them.
    pub passed_over: u64,
    /// Requests and metadata of web archives that went with their documents.
    pub companions: u64,
    /// The file; `None` if it is a text file that was not to be kept.
    pub path: Option<PathBuf>,
    /// Where the source broke off: the selection has the records before that.
    pub broken: Option<Error>,
}

/// What becomes of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// It stays as it is.
    Keep,
    /// It goes.
    Drop,
    /// It stays, but for this.
    Change(Change),
    /// It goes; of web archives, a `revisit` record stays in its place.
    Revisit(Revisit),
}

/// The record of a web archive that a `revisit` names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Revisit {
    /// Its `WARC-Record-ID`.
    pub id: String,
    /// Its `WARC-Target-URI`.
    pub url: Option<String>,
    /// Its `WARC-Date`.
    pub date: Option<String>,
    /// Its `WARC-Payload-Digest`.
    pub payload_digest: Option<String>,
}

/// What is changed in a record that stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// The bytes of [`Record::content`](crate::Record::content) that are left out: ascending ranges
    /// that have nothing in common, from character to character.
    pub cuts: Vec<Range<u64>>,
    /// The values of the added fields, in the order of the fields. Those that are not there are null.
    pub values: Vec<AddedValue>,
    /// How often it is written once more, right behind itself.
    pub repeats: u32,
}

/// A field that every record of a selection gets.
///
/// It is a column at the end of a table, of this name. In JSON the dots of the name are objects, and
/// `lookalike.kept` and `lookalike.passages` are in one: `"lookalike": {"kept": .., "passages": ..}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedField {
    /// Its name.
    pub name: String,
    /// What its values are.
    pub kind: AddedKind,
}

/// What the values of an added field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddedKind {
    /// Truth values.
    Bool,
    /// Integers.
    Integer,
    /// Numbers.
    Float,
    /// Strings.
    String,
    /// Lists of ranges of a text that stand elsewhere: [`AddedSpan`].
    Spans,
}

/// A value of an added field. In CSV and TSV it is a string, or the text that it is in JSON; null and
/// numbers that are not finite are nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(untagged)]
pub enum AddedValue {
    /// None.
    #[default]
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// A number.
    Float(f64),
    /// A string.
    String(String),
    /// Ranges.
    Spans(Vec<AddedSpan>),
}

/// A range of a text that stands elsewhere too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AddedSpan {
    /// Its first byte.
    pub begin: u64,
    /// The byte behind it.
    pub end: u64,
    /// The words in it.
    pub words: u64,
    /// How often they stand anywhere.
    pub copies: u64,
    /// The id of the document in which they stand, too.
    pub keeper: String,
    /// Their first byte there.
    pub keeper_begin: u64,
    /// The byte behind them.
    pub keeper_end: u64,
}

impl AddedValue {
    fn is_of(&self, kind: AddedKind) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(_) => kind == AddedKind::Bool,
            Self::Integer(_) => kind == AddedKind::Integer,
            Self::Float(_) => kind == AddedKind::Float,
            Self::String(_) => kind == AddedKind::String,
            Self::Spans(_) => kind == AddedKind::Spans,
        }
    }
}

impl Change {
    /// Whether the text stays as it is.
    pub(crate) fn keeps_text(&self) -> bool {
        self.cuts.iter().all(Range::is_empty)
    }

    /// About how much memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        let values = self.values.iter().map(|value| match value {
            AddedValue::String(text) => text.len(),
            AddedValue::Spans(spans) => {
                size_of_val(&**spans) + spans.iter().map(|span| span.keeper.len()).sum::<usize>()
            }
            _ => 0,
        });
        size_of::<Self>()
            + size_of_val(&*self.cuts)
            + size_of_val(&*self.values)
            + values.sum::<usize>()
    }

    /// The value of an added field.
    pub(crate) fn value(&self, field: usize) -> &AddedValue {
        self.values.get(field).unwrap_or(&AddedValue::Null)
    }

    /// Fails if no text could be cut like this, or no field have these values.
    fn check(&self, added: &[AddedField]) -> Result<(), EditFault> {
        let mut end = 0;
        for cut in &self.cuts {
            if cut.start < end || cut.end < cut.start {
                return Err(EditFault::Order { begin: cut.start, end: cut.end });
            }
            end = cut.end;
        }
        if self.values.len() > added.len() {
            let (fields, values) = (added.len(), self.values.len());
            return Err(EditFault::Values { fields, values });
        }
        match added.iter().zip(&self.values).find(|(field, value)| !value.is_of(field.kind)) {
            Some((field, _)) => Err(EditFault::Kind(field.name.clone())),
            None => Ok(()),
        }
    }

    /// Fails if this text cannot be cut like this.
    pub(crate) fn check_text(&self, text: &[u8]) -> Result<(), EditFault> {
        // What is no UTF-8 has no characters that could be cut in two.
        let characters = simdutf8::basic::from_utf8(text).ok();
        let is_boundary = |at: u64| {
            usize::try_from(at).is_ok_and(|at| match characters {
                Some(text) => text.is_char_boundary(at),
                None => at <= text.len(),
            })
        };
        match self.cuts.iter().find(|cut| !is_boundary(cut.start) || !is_boundary(cut.end)) {
            Some(&Range { start: begin, end }) => Err(EditFault::Range { begin, end }),
            None => Ok(()),
        }
    }

    /// The same for the text of a record.
    pub(crate) fn check_record(&self, record: &Record<'_>) -> Result<(), EditFault> {
        match record.kind {
            _ if self.keeps_text() => Ok(()),
            crate::ContentKind::Html | crate::ContentKind::Items => Err(EditFault::Page),
            crate::ContentKind::Text => self.check_text(&record.content),
        }
    }
}

/// Takes ranges out of a text that passes by.
#[derive(Debug)]
pub(crate) struct Cutter<'c> {
    /// Those that are not over.
    cuts: &'c [Range<u64>],
    at: u64,
}

impl<'c> Cutter<'c> {
    pub(crate) fn new(cuts: &'c [Range<u64>]) -> Self {
        Self { cuts, at: 0 }
    }

    /// The first cut that goes on where the text has ended.
    pub(crate) fn beyond(&self) -> Option<Range<u64>> {
        self.cuts.iter().find(|cut| cut.end > self.at).cloned()
    }

    /// What stays of bytes of the text, which pass as it is taken.
    pub(crate) fn kept<'b>(&mut self, mut bytes: &'b [u8]) -> impl Iterator<Item = &'b [u8]> {
        std::iter::from_fn(move || {
            while !bytes.is_empty() {
                let cut = self.next_cut();
                let (stays, until) = match cut {
                    None => (true, u64::MAX),
                    Some(cut) if cut.start > self.at => (true, cut.start),
                    Some(cut) => (false, cut.end),
                };
                let length = (until - self.at).min(bytes.len() as u64);
                let (next, rest) = bytes.split_at(length as usize);
                (bytes, self.at) = (rest, self.at + length);
                if stays {
                    return Some(next);
                }
            }
            None
        })
    }

    /// Whether a character of so many bytes stays, which passes.
    pub(crate) fn keeps(&mut self, length: usize) -> bool {
        let goes = self.next_cut().is_some_and(|cut| cut.start <= self.at);
        self.at += length as u64;
        !goes
    }

    /// The cut that the text is in, or comes to next.
    fn next_cut(&mut self) -> Option<&'c Range<u64>> {
        while let Some((first, rest)) = self.cuts.split_first() {
            if first.end > self.at {
                return Some(first);
            }
            self.cuts = rest;
        }
        None
    }
}

/// The choice, and its count.
pub(crate) struct Edits<'e> {
    pub(crate) report: SelectionReport,
    pub(crate) added: &'e [AddedField],
    source: &'e Path,
    edit: &'e mut dyn FnMut(u64) -> Result<Edit>,
    may_change: bool,
    /// The last record that was asked about, and the answer.
    last: Option<(u64, Edit)>,
}

impl<'e> Edits<'e> {
    pub(crate) fn new(
        source: &'e Path,
        added: &'e [AddedField],
        edit: &'e mut dyn FnMut(u64) -> Result<Edit>,
    ) -> Result<Self> {
        for (i, AddedField { name, .. }) in added.iter().enumerate() {
            let is_taken =
                |other: &AddedField| is_within(&other.name, name) || is_within(name, &other.name);
            if added[..i].iter().any(is_taken) {
                let (path, field) = (source.to_owned(), name.clone());
                return Err(Error::from(ErrorKind::ColumnTaken { path, field }));
            }
        }
        let report = SelectionReport::default();
        Ok(Self { report, added, source, edit, may_change: true, last: None })
    }

    /// A choice that changes nothing.
    pub(crate) fn of_whole_records(
        source: &'e Path,
        edit: &'e mut dyn FnMut(u64) -> Result<Edit>,
    ) -> Self {
        let report = SelectionReport::default();
        Self { report, added: &[], source, edit, may_change: false, last: None }
    }

    /// Whether records may be changed.
    pub(crate) fn may_change(&self) -> bool {
        self.may_change
    }

    /// What becomes of the record of this number, or of its next part.
    pub(crate) fn of(&mut self, number: u64) -> Result<&Edit> {
        if self.last.as_ref().is_none_or(|(last, _)| *last != number) {
            self.last = Some((number, self.take(number)?));
        }
        Ok(self.last.as_ref().map_or(&Edit::Keep, |(_, edit)| edit))
    }

    /// The same, of a record that has no parts.
    pub(crate) fn take(&mut self, number: u64) -> Result<Edit> {
        let edit = (self.edit)(number)?;
        if let Edit::Change(change) = &edit {
            change.check(self.added).map_err(|fault| self.refused(number, fault))?;
            self.report.changed += 1;
            self.report.repeated += u64::from(change.repeats);
        }
        let goes = matches!(edit, Edit::Drop | Edit::Revisit(_));
        *(if goes { &mut self.report.dropped } else { &mut self.report.kept }) += 1;
        Ok(edit)
    }

    /// Whether to write a record, or the next part of it, of a format that has nothing that could be
    /// changed.
    pub(crate) fn keeps_whole(&mut self, number: u64) -> Result<bool> {
        match self.of(number)? {
            Edit::Keep => Ok(true),
            Edit::Drop | Edit::Revisit(_) => Ok(false),
            Edit::Change(change) if change.repeats > 0 => {
                Err(self.refused(number, EditFault::Once))
            }
            Edit::Change(change) if change.keeps_text() => Ok(true),
            Edit::Change(_) => Err(self.refused(number, EditFault::Page)),
        }
    }

    /// The error of a record that cannot be changed as it should be.
    pub(crate) fn refused(&self, record: u64, fault: EditFault) -> Error {
        Error::from(ErrorKind::Edit { path: self.source.to_owned(), record, fault })
    }
}

/// Whether a name is another, or a field in it.
fn is_within(name: &str, other: &str) -> bool {
    name.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

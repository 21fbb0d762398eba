//! What people, or a measure that is believed, say about pairs of documents.
//!
//! A labels file has a JSON object on each line, `{"a", "b", "label"}`, where a
//! and b are ids of documents. In place of a label there may be any field whose
//! values are named ([`LabelRule::Values`]), or a similarity
//! ([`LabelRule::Similarity`]). A line that cannot be used is counted, and the
//! next one follows. The file is read twice: before documents are signed, to see that it has labels
//! and which documents it names, and when the rows of these are known. Memory: 40 bytes a label.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{BufRead as _, BufReader, Read};
use std::path::PathBuf;

use lookalike_corpus::{ReadOptions, Source};
use lookalike_engine::{Observer, Operation, Row};
use serde::Serialize;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

use crate::documents::Documents;
use crate::error::{Error, ErrorKind, FIRST_LINES, LabelFault, Result};
use crate::tally::Label;

/// The most recipes of one evaluation: each is a bit of a label.
pub(crate) const MAX_RECIPES: usize = 32;

/// The longest line. Longer than two ids of documents could be.
const MAX_LINE: u64 = 4 << 20;

/// The most fields of a line that are listed where one is missing.
const MAX_FIELDS: usize = 20;

/// The most different reasons that are told apart.
const MAX_REASONS: usize = 1000;

/// A labels file and how it is read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LabelFile {
    /// The file; `.gz`, `.zst`, `.bz2` and `.xz` are unpacked.
    pub path: PathBuf,
    /// Where a line's label is.
    pub rule: LabelRule,
    /// What a pair is that has no line; `None` for what suits the rule.
    pub absent: Option<AbsentRule>,
    /// The field with how many pairs this one stands for; 1 where there is none.
    pub weight_field: String,
    /// The field with why the label was given, for the tables of reasons.
    pub reason_field: String,
    /// The reasons of undecided pairs that are forms with other values in them, in any case; `form`
    /// unless told otherwise.
    pub form_reasons: Vec<String>,
}

/// Where a line's label is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LabelRule {
    /// A field with one of these values. Lines with others cannot be used.
    Values {
        /// The field.
        field: String,
        /// Its values for correct pairs.
        correct: Vec<String>,
        /// Those of pairs that are none.
        incorrect: Vec<String>,
        /// Those of pairs that nobody could decide about.
        undecided: Vec<String>,
    },
    /// A field with a similarity from 0 to 1.
    Similarity {
        /// The field.
        field: String,
        /// From here on a pair is correct.
        correct_at: f64,
        /// From here on, up to there, it is undecided.
        undecided_at: f64,
    },
}

impl LabelRule {
    /// Whether it can be used.
    ///
    /// # Errors
    /// What contradicts itself: a value that would be two labels, or undecided pairs more similar than
    /// correct ones.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Values { correct, incorrect, undecided, .. } => {
                let all = [&correct[..], incorrect, undecided].concat();
                let twice = all.iter().find(|value| all.iter().filter(|v| v == value).count() > 1);
                match twice {
                    Some(twice) => Err(format!("the value `{twice}` cannot be two labels")),
                    None => Ok(()),
                }
            }
            Self::Similarity { correct_at, undecided_at, .. } if undecided_at > correct_at => {
                let fault = "the least similarity of undecided pairs must not be above that of correct ones";
                Err(fault.to_owned())
            }
            Self::Similarity { .. } => Ok(()),
        }
    }
}

/// What a pair is that a labels file does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AbsentRule {
    /// Nobody has looked at it: it is left out of every share.
    Unlabelled,
    /// Incorrect: the file has every pair that could be anything else.
    Incorrect,
}

impl LabelFile {
    /// A file of `correct`, `incorrect` and `undecided` in the field `label`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let only = |value: &str| vec![value.to_owned()];
        Self {
            path: path.into(),
            rule: LabelRule::Values {
                field: "label".to_owned(),
                correct: only("correct"),
                incorrect: only("incorrect"),
                undecided: only("undecided"),
            },
            absent: None,
            weight_field: "weight".to_owned(),
            reason_field: "reason".to_owned(),
            form_reasons: only("form"),
        }
    }

    /// What a pair without a line is. A file of similarities is taken to be complete, down to the
    /// least that was stored; a file of labels is taken to be a sample.
    pub fn absent(&self) -> AbsentRule {
        self.absent.unwrap_or(match self.rule {
            LabelRule::Values { .. } => AbsentRule::Unlabelled,
            LabelRule::Similarity { .. } => AbsentRule::Incorrect,
        })
    }
}

/// A label of a pair of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PairLabel {
    /// The larger row first: the order of files of pairs.
    pub(crate) later: Row,
    pub(crate) earlier: Row,
    pub(crate) label: Label,
    /// The number of its reason; 0 for none.
    pub(crate) reason: u16,
    /// Whether it is undecided for a form with other values.
    pub(crate) is_form: bool,
    pub(crate) weight: f64,
    line: u64,
    /// Which recipes return it, a bit each.
    pub(crate) returned_by: u32,
}

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    /// By (later, earlier), each pair once.
    pub(crate) pairs: Vec<PairLabel>,
    /// Names of reasons; the first is none.
    pub(crate) reasons: Vec<String>,
    pub(crate) summary: LabelSummary,
    /// What is wrong with the first that cannot be used.
    first_fault: Option<String>,
}

/// What a labels file had.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LabelSummary {
    /// Lines in all.
    pub lines: u64,
    /// Lines that could not be used.
    pub skipped: u64,
    /// Those by what is wrong with them.
    pub skipped_by_fault: BTreeMap<String, u64>,
    /// Labels of two documents with the same tokens, which are left out.
    pub identical: u64,
    /// Labels of a document that was left out for a copy before it.
    pub of_removed: u64,
    /// Correct pairs that are counted.
    pub correct: u64,
    /// Incorrect ones.
    pub incorrect: u64,
    /// Undecided ones.
    pub undecided: u64,
    /// Those of them that are forms with other values in them.
    pub forms: u64,
    /// Whether there are weights other than 1.
    pub weighted: bool,
}

impl LabelFile {
    /// The lines, unpacked.
    pub(crate) fn open(&self) -> Result<Box<dyn Read + Send>> {
        let source = Source::file(&self.path, None)?;
        let mut options = ReadOptions::default();
        options.limits.max_document_bytes = u64::MAX;
        Ok(source.text_reader(&options)?)
    }

    /// Which documents the labels name.
    ///
    /// # Errors
    /// If the file cannot be read, or no line of it is a label, or none of the first; the first
    /// line that is none, if `strict`.
    pub(crate) fn named_documents(
        &self,
        strict: bool,
        observer: &dyn Observer,
    ) -> Result<NamedDocuments> {
        let (mut named, mut first) = (NamedDocuments::default(), None);
        let no_labels = |lines: u64, first: Option<String>| -> Error {
            ErrorKind::NoLabels { path: self.path.clone(), lines, first }.into()
        };
        let lines = self.for_each_line(observer, |number, line| {
            match self.parsed(line) {
                Ok(label) => named.add([label.a, label.b]),
                Err(fault) => {
                    let error = self.error(number, fault);
                    if strict {
                        return Err(error);
                    }
                    first.get_or_insert_with(|| error.to_string());
                    if named.hashes.is_empty() && number == FIRST_LINES {
                        return Err(no_labels(number, first.take()));
                    }
                }
            }
            Ok(())
        })?;
        if named.hashes.is_empty() { Err(no_labels(lines, first)) } else { Ok(named) }
    }

    /// Calls `each` with every label of the file, whatever documents there are.
    ///
    /// # Errors
    /// If the file cannot be read, or, if `strict`, at the first line that cannot be used.
    pub(crate) fn for_each_label(
        &self,
        strict: bool,
        observer: &dyn Observer,
        mut each: impl FnMut(ParsedLabel),
    ) -> Result<LinesRead> {
        let mut read = LinesRead::default();
        read.lines = self.for_each_line(observer, |number, line| {
            match self.parsed(line) {
                Ok(label) => each(label),
                Err(fault) => {
                    let error = self.error(number, fault);
                    if strict {
                        return Err(error);
                    }
                    observer.skipped(&error);
                    read.skipped += 1;
                    read.first_fault.get_or_insert_with(|| error.to_string());
                }
            }
            Ok(())
        })?;
        Ok(read)
    }

    /// Reads the labels of these documents.
    pub(crate) fn read(
        &self,
        documents: &Documents,
        strict: bool,
        observer: &dyn Observer,
    ) -> Result<Labels> {
        let mut reader = LabelReader::new(self, documents, strict, observer);
        let lines = self.for_each_line(observer, |number, line| {
            reader.line(number, line).or_else(|fault| reader.skip(number, fault))
        })?;
        reader.finish(lines)
    }

    /// Calls `each` with the number and the bytes of each line that is not blank; how many lines
    /// there are.
    fn for_each_line(
        &self,
        observer: &dyn Observer,
        mut each: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<u64> {
        let mut lines = BufReader::new(self.open()?);
        let (mut line, mut number) = (Vec::new(), 0);
        loop {
            line.clear();
            let read = lines.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
            let read =
                read.map_err(|e| lookalike_engine::Error::io(&self.path, Operation::Read, e))?;
            if read == 0 {
                return Ok(number);
            }
            number += 1;
            if read as u64 == MAX_LINE {
                let fault = LabelFault::NotJson(format!("it is longer than {MAX_LINE} bytes"));
                return Err(self.error(number, fault));
            }
            if number.is_multiple_of(1 << 14) {
                observer.check_cancelled()?;
            }
            if !line.trim_ascii().is_empty() {
                each(number, &line)?;
            }
        }
    }

    /// What a line says.
    fn parsed(&self, line: &[u8]) -> Result<ParsedLabel, LabelFault> {
        let object: Fields =
            serde_json::from_slice(line).map_err(|e| LabelFault::NotJson(plain(&e)))?;
        let (a, b) = (id(&object, "a")?, id(&object, "b")?);
        let label = self.label(&object)?;
        let weight = self.weight(&object)?;
        if a == b {
            return Err(LabelFault::SameId(a));
        }
        let reason = field_of(&object, &self.reason_field).map(text).unwrap_or_default();
        Ok(ParsedLabel { a, b, label, weight, reason })
    }

    fn label(&self, object: &Fields) -> Result<Label, LabelFault> {
        match &self.rule {
            LabelRule::Values { field, correct, incorrect, undecided } => {
                let known = [&correct[..], &incorrect[..], &undecided[..]].concat();
                let expected = format!("one of {}", known.join(", "));
                let value = text(required(object, field, &expected)?);
                let is = |values: &[String]| values.contains(&value);
                if is(correct) {
                    Ok(Label::Correct)
                } else if is(incorrect) {
                    Ok(Label::Incorrect)
                } else if is(undecided) {
                    Ok(Label::Undecided)
                } else {
                    let expected = format!("{expected}, and is `{value}`");
                    Err(LabelFault::Field { field: field.clone(), expected })
                }
            }
            LabelRule::Similarity { field, correct_at, undecided_at } => {
                let expected = "a number from 0 to 1";
                let value = required(object, field, expected)?.as_f64();
                let Some(value) = value.filter(|value| (0.0..=1.0).contains(value)) else {
                    let expected = expected.to_owned();
                    return Err(LabelFault::Field { field: field.clone(), expected });
                };
                Ok(if value >= *correct_at {
                    Label::Correct
                } else if value >= *undecided_at {
                    Label::Undecided
                } else {
                    Label::Incorrect
                })
            }
        }
    }

    fn weight(&self, object: &Fields) -> Result<f64, LabelFault> {
        let field = &self.weight_field;
        let Some(value) = field_of(object, field) else { return Ok(1.0) };
        // Beyond that, the squares of weights would not be numbers.
        value.as_f64().filter(|weight| *weight > 0.0 && *weight < 1e100).ok_or_else(|| {
            let expected = "a number above 0".to_owned();
            LabelFault::Field { field: field.clone(), expected }
        })
    }

    fn is_form(&self, reason: &str) -> bool {
        let reason = reason.trim().to_lowercase();
        self.form_reasons.iter().any(|form| form.trim().to_lowercase() == reason)
    }

    fn error(&self, line: u64, fault: LabelFault) -> Error {
        ErrorKind::Label { path: self.path.clone(), line, fault }.into()
    }
}

/// The fields of a line.
type Fields = BTreeMap<String, Value>;

/// What a line says, whatever documents there are.
pub(crate) struct ParsedLabel {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) label: Label,
    pub(crate) weight: f64,
    /// Empty for none.
    pub(crate) reason: String,
}

/// What was read of a file.
#[derive(Default)]
pub(crate) struct LinesRead {
    pub(crate) lines: u64,
    pub(crate) skipped: u64,
    /// What is wrong with the first of those.
    pub(crate) first_fault: Option<String>,
}

/// The documents that labels name.
#[derive(Debug, Default)]
pub(crate) struct NamedDocuments {
    hashes: HashSet<u128>,
    /// The first of the ids, to be shown.
    pub(crate) first: Vec<String>,
}

/// Ids that are shown, of labels and of documents, if these do not go together.
pub(crate) const SHOWN_IDS: usize = 3;

impl NamedDocuments {
    fn add(&mut self, ids: [String; 2]) {
        for id in ids {
            if self.hashes.insert(xxh3_128(id.as_bytes())) && self.first.len() < SHOWN_IDS {
                self.first.push(id);
            }
        }
    }

    pub(crate) fn contains(&self, id: &str) -> bool {
        self.hashes.contains(&xxh3_128(id.as_bytes()))
    }
}

/// Reads the labels of known documents.
struct LabelReader<'a> {
    file: &'a LabelFile,
    documents: &'a Documents,
    strict: bool,
    observer: &'a dyn Observer,
    reasons: HashMap<String, u16>,
    labels: Labels,
}

impl<'a> LabelReader<'a> {
    fn new(
        file: &'a LabelFile,
        documents: &'a Documents,
        strict: bool,
        observer: &'a dyn Observer,
    ) -> Self {
        let labels = Labels { reasons: vec![String::new()], ..Labels::default() };
        Self { file, documents, strict, observer, reasons: HashMap::new(), labels }
    }

    fn line(&mut self, line: u64, bytes: &[u8]) -> Result<(), LabelFault> {
        let ParsedLabel { a, b, label, weight, reason } = self.file.parsed(bytes)?;
        let rows = [self.documents.row_of(a)?, self.documents.row_of(b)?];
        let is_form = label == Label::Undecided && self.file.is_form(&reason);
        let reason = self.reason(reason);
        let [later, earlier] = [rows[0].max(rows[1]), rows[0].min(rows[1])];
        let summary = &mut self.labels.summary;
        summary.weighted |= (weight - 1.0).abs() > 1e-12;
        if self.documents.are_identical(later, earlier) {
            summary.identical += 1;
        } else if rows.iter().any(|row| self.documents.is_removed(*row)) {
            summary.of_removed += 1;
        } else {
            let returned_by = 0;
            self.labels.pairs.push(PairLabel {
                later,
                earlier,
                label,
                reason,
                is_form,
                weight,
                line,
                returned_by,
            });
        }
        Ok(())
    }

    /// The number of the reason; those beyond the limit are `other`.
    fn reason(&mut self, reason: String) -> u16 {
        if reason.is_empty() {
            return 0;
        }
        let known = self.labels.reasons.len();
        let reason = if known < MAX_REASONS || self.reasons.contains_key(&reason) {
            reason
        } else {
            "other".to_owned()
        };
        *self.reasons.entry(reason.clone()).or_insert_with(|| {
            self.labels.reasons.push(reason);
            known as u16
        })
    }

    fn skip(&mut self, line: u64, fault: LabelFault) -> Result<()> {
        let name = fault.name().to_owned();
        let error = self.file.error(line, fault);
        if self.strict {
            return Err(error);
        }
        self.observer.skipped(&error);
        self.labels.first_fault.get_or_insert_with(|| error.to_string());
        let summary = &mut self.labels.summary;
        summary.skipped += 1;
        *summary.skipped_by_fault.entry(name).or_default() += 1;
        Ok(())
    }

    fn finish(mut self, lines: u64) -> Result<Labels> {
        let mut pairs = std::mem::take(&mut self.labels.pairs);
        pairs.sort_unstable_by_key(|label| (label.later, label.earlier, label.line));
        for label in pairs {
            let last = self.labels.pairs.last();
            match last.filter(|last| (last.later, last.earlier) == (label.later, label.earlier)) {
                None => self.labels.pairs.push(label),
                Some(last) => {
                    let same = last.label == label.label;
                    let again = if same { LabelFault::Repeated } else { LabelFault::Contradiction };
                    self.skip(label.line, again(last.line))?;
                }
            }
        }
        let Labels { pairs, summary, first_fault, .. } = &mut self.labels;
        let count = |wanted| pairs.iter().filter(|pair| pair.label == wanted).count() as u64;
        summary.correct = count(Label::Correct);
        summary.incorrect = count(Label::Incorrect);
        summary.undecided = count(Label::Undecided);
        summary.forms = pairs.iter().filter(|pair| pair.is_form).count() as u64;
        summary.lines = lines;
        if pairs.is_empty() && summary.identical + summary.of_removed == 0 {
            let (path, first) = (self.file.path.clone(), first_fault.take());
            return Err(ErrorKind::NoLabels { path, lines, first }.into());
        }
        Ok(self.labels)
    }
}

/// A fault without its place, which would be that in the line.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

/// A field that is there and not null.
fn field_of<'a>(object: &'a Fields, field: &str) -> Option<&'a Value> {
    object.get(field).filter(|value| !value.is_null())
}

/// A field that must be there.
fn required<'a>(object: &'a Fields, field: &str, expected: &str) -> Result<&'a Value, LabelFault> {
    field_of(object, field).ok_or_else(|| LabelFault::Missing {
        field: field.to_owned(),
        expected: expected.to_owned(),
        there: object.keys().take(MAX_FIELDS).cloned().collect(),
    })
}

/// An id: a string or a whole number, as in documents.
fn id(object: &Fields, field: &str) -> Result<String, LabelFault> {
    match required(object, field, "an id")? {
        Value::String(id) => Ok(id.clone()),
        Value::Number(id) if !id.is_f64() => Ok(id.to_string()),
        _ => Err(LabelFault::Field { field: field.to_owned(), expected: "an id".to_owned() }),
    }
}

/// A value as a word.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Goes through labels beside a file of pairs, which has the same order.
pub(crate) struct LabelCursor<'a> {
    labels: &'a mut [PairLabel],
    at: usize,
}

impl<'a> LabelCursor<'a> {
    pub(crate) fn new(labels: &'a mut [PairLabel]) -> Self {
        Self { labels, at: 0 }
    }

    /// The label of the next pair, if it has one.
    pub(crate) fn find(&mut self, later: Row, earlier: Row) -> Option<&mut PairLabel> {
        let before = |label: &PairLabel| (label.later, label.earlier) < (later, earlier);
        while self.labels.get(self.at).is_some_and(before) {
            self.at += 1;
        }
        let found = self.labels.get_mut(self.at);
        found.filter(|label| (label.later, label.earlier) == (later, earlier))
    }
}

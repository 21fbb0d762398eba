//! Matches: as they are given to the caller, and on their way there through files.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lookalike_core::resemblance::Overlap;
use lookalike_files::{CheckedFile, CheckedWriter, Format, double_word};

use super::passages::Passage;
use crate::document_set::RowSet;
use crate::error::{Error, ErrorKind, Result};
use crate::places::Row;

/// A document of the input that resembles or contains a reference, or has a run of its words.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Match<'a> {
    /// The id of the document.
    pub input: &'a str,
    /// The id of the reference.
    pub reference: &'a str,
    /// The number of the document among all that could be read, from 0.
    pub input_row: Row,
    /// The number of the reference, likewise.
    pub reference_row: Row,
    /// What they have in common: `a` is the document, `b` the reference. Of a reference that is
    /// shorter than the recipe's shingles, shingles of its own length are counted.
    pub overlap: Overlap,
    /// The longest run of words that both have, if matches go by such runs
    /// ([`Against::ngram`](super::Against::ngram)).
    pub passage: Option<&'a Passage>,
}

impl Match<'_> {
    /// The share of all their shingles that both have.
    pub fn resemblance(&self) -> f64 {
        self.overlap.resemblance()
    }

    /// The share of the reference that is in the document.
    pub fn containment_reference(&self) -> f64 {
        self.overlap.containment_b()
    }

    /// The share of the document that is in the reference.
    pub fn containment_input(&self) -> f64 {
        self.overlap.containment_a()
    }
}

/// Who gets the matches; may end the job.
pub(super) type Sink<'a> = dyn FnMut(&Match<'_>) -> ControlFlow<()> + Send + 'a;

/// Hands on matches, by input row and then reference row, and counts them.
pub(super) struct Emitter<'a, 'b> {
    pub(super) sink: &'a mut Sink<'b>,
    pub(super) matches: u64,
    /// The rows of documents and of references that are in one.
    pub(super) inputs: RowSet,
    pub(super) references: RowSet,
}

impl Emitter<'_, '_> {
    pub(super) fn emit(&mut self, found: &Match<'_>) -> Result<()> {
        self.matches += 1;
        self.inputs.extend_to(u64::from(found.input_row) + 1);
        self.inputs.insert(found.input_row);
        self.references.insert(found.reference_row);
        match (self.sink)(found) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::from(ErrorKind::Interrupted)),
        }
    }
}

/// Files of matches: numbers of a match, the lengths of its ids and of its passage, the ids, and the
/// passage as JSON, of one after another.
const MATCHES: Format = Format { magic: *b"LOOKMTCH", version: 2 };

/// Bytes of numbers and lengths.
const HEAD: usize = 8 * 8;

/// The matches with some of the references, in a file.
pub(super) struct Spool {
    path: PathBuf,
    file: CheckedWriter,
}

impl Spool {
    pub(super) fn create(path: PathBuf) -> Result<Self> {
        let file = CheckedWriter::create(&path, &MATCHES)?;
        Ok(Self { path, file })
    }

    pub(super) fn push(&mut self, found: &Match<'_>) -> Result<()> {
        let Overlap { a, b, common } = found.overlap;
        let (input, reference) = (found.input.as_bytes(), found.reference.as_bytes());
        let passage = match found.passage.map(serde_json::to_vec).transpose() {
            Ok(passage) => passage.unwrap_or_default(),
            Err(_) => unreachable!("numbers and texts are JSON"),
        };
        let lengths = [input.len() as u64, reference.len() as u64, passage.len() as u64];
        let numbers = [found.input_row.into(), found.reference_row.into(), a, b, common];
        let head: Vec<u8> =
            numbers.iter().chain(&lengths).flat_map(|number| number.to_le_bytes()).collect();
        Ok([&head, input, reference, &passage]
            .iter()
            .try_for_each(|bytes| self.file.write(bytes))?)
    }

    /// Ends writing; to be read from the beginning.
    pub(super) fn finish(self) -> Result<PathBuf> {
        self.file.finish()?;
        Ok(self.path)
    }
}

/// A spool that is read.
struct SpoolReader {
    file: CheckedFile,
    /// Where the match behind the one at hand begins.
    next: u64,
    /// The match at hand, if there is one more.
    numbers: Option<[u64; 5]>,
    input: String,
    reference: String,
    passage: Option<Passage>,
}

impl SpoolReader {
    fn open(path: &Path) -> Result<Self> {
        let file = CheckedFile::open(path, &MATCHES)?;
        let (input, reference) = (String::new(), String::new());
        let next = Format::BYTES as u64;
        let mut reader = Self { file, next, numbers: None, input, reference, passage: None };
        reader.advance()?;
        Ok(reader)
    }

    fn advance(&mut self) -> Result<()> {
        if self.next == self.file.bytes() {
            self.numbers = None;
            return Ok(());
        }
        let mut head = [0; HEAD];
        self.file.read_at(self.next, &mut head)?;
        self.next += HEAD as u64;
        let number = |at: usize| double_word(&head, 8 * at);
        for (id, bytes) in [(&mut self.input, number(5)), (&mut self.reference, number(6))] {
            let mut text = vec![0; bytes as usize];
            self.file.read_at(self.next, &mut text)?;
            *id = String::from_utf8(text)
                .map_err(|_| self.file.corrupt(self.next, "an id in UTF-8", "other bytes"))?;
            self.next += bytes;
        }
        let mut passage = vec![0; number(7) as usize];
        self.file.read_at(self.next, &mut passage)?;
        self.passage =
            match &passage[..] {
                [] => None,
                json => Some(serde_json::from_slice(json).map_err(|_| {
                    self.file.corrupt(self.next, "a passage as JSON", "other bytes")
                })?),
            };
        self.next += number(7);
        self.numbers = Some([0, 1, 2, 3, 4].map(number));
        Ok(())
    }

    fn at_hand(&self) -> Option<Match<'_>> {
        let [input_row, reference_row, a, b, common] = self.numbers?;
        let (input, reference) = (&*self.input, &*self.reference);
        let [input_row, reference_row] = [input_row, reference_row].map(Row::nth);
        let overlap = Overlap { a, b, common };
        let passage = self.passage.as_ref();
        Some(Match { input, reference, input_row, reference_row, overlap, passage })
    }
}

/// Emits the matches of all spools, each of which is in order, in one order.
pub(super) fn merge(spools: &[PathBuf], emitter: &mut Emitter<'_, '_>) -> Result<()> {
    let readers: Result<Vec<SpoolReader>> = spools.iter().map(|s| SpoolReader::open(s)).collect();
    let mut readers = readers?;
    loop {
        let place = |reader: &SpoolReader| reader.numbers.map(|n| (n[0], n[1]));
        let next = readers.iter_mut().filter(|reader| reader.numbers.is_some());
        let Some(next) = next.min_by_key(|reader| place(reader)) else { return Ok(()) };
        if let Some(found) = next.at_hand() {
            emitter.emit(&found)?;
        }
        next.advance()?;
    }
}

//! A selection of a source's records, in the source's own format.
//!
//! JSON, CSV and TSV records are the same bytes as before, blank lines left out;
//! text files and web pages are copied whole. So are the records of web archives
//! the same bytes, each packed by itself; those that are not documents stay, but for the
//! requests and metadata of documents that go ([`Companions`]). A
//! Parquet selection has the schema, the key-value metadata, the codecs and the
//! sorting of its source, and row groups no larger. The compression is the
//! source's, at its tool's usual level.
//!
//! A record that cannot be read can be kept like any other, as the bytes that it
//! is: a line is what lies between two line ends, and a record of a web archive
//! whose length is wrong goes on to where the next one begins, and comes last in the
//! selection. Those that are longer than the limit pass in parts.
//!
//! Nothing is parsed. Reading and unpacking happen on one thread, selecting and
//! packing on another, and the bytes do not depend on how they take turns.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use lookalike_files::{AtomicFile, commit_all};

use crate::arrow_file::ArrowRows;
use crate::chunk::Chunk;
use crate::compression::{Encoder, MemberEncoder};
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::format::Format;
use crate::parquet::Rows;
use crate::position::Position;
use crate::read_ahead::read_ahead;
use crate::record::ReadOptions;
use crate::source::{Origin, Source};
use crate::split::LongRecords;
use crate::warc::{Companions, LOOK_AHEAD, Others, Piece, Released, Split, StoredRecord};

/// Chunks of the usual size that may be in memory while a selection is written.
const CHUNKS_AHEAD: usize = 5;

/// What became of a source.
#[derive(Debug)]
#[non_exhaustive]
pub struct SelectionReport {
    /// Records written.
    pub kept: u64,
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

/// A selection that is complete but has no name yet. Dropped before it is published, it leaves
/// nothing behind.
#[derive(Debug)]
pub struct PendingSelection {
    report: SelectionReport,
    out: Option<AtomicFile>,
}

impl PendingSelection {
    /// What became of the source.
    pub fn report(&self) -> &SelectionReport {
        &self.report
    }

    /// Where the source broke off, which it is not asked for again.
    pub fn take_fault(&mut self) -> Option<Error> {
        self.report.broken.take()
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// If the system refuses. Then there is no file.
    pub fn publish(self) -> Result<SelectionReport> {
        self.out.map_or(Ok(()), AtomicFile::commit)?;
        Ok(self.report)
    }
}

impl Source {
    /// Writes the records that `keep` wants to a file of this source's name in the folder.
    ///
    /// `keep` is asked for the number of each record, good or bad, long or short, once and in
    /// order. Of a record that is longer than the limit and cut off, the selection has what is there.
    /// The file appears when it is complete, and takes the place of one that was there before.
    ///
    /// # Errors
    /// If the source cannot be opened or is broken before its first record, is standard input, or
    /// the file cannot be written. Then there is no file.
    pub fn write_selection(
        &self,
        folder: &Path,
        options: &ReadOptions,
        keep: impl FnMut(u64) -> bool,
    ) -> Result<SelectionReport> {
        self.pending_selection(folder, options, keep)?.publish()
    }

    /// As [`Source::write_selection`], for those who look at what was written before it appears.
    ///
    /// # Errors
    /// As [`Source::write_selection`].
    pub fn pending_selection(
        &self,
        folder: &Path,
        options: &ReadOptions,
        keep: impl FnMut(u64) -> bool,
    ) -> Result<PendingSelection> {
        let target = self.target(folder, self.name())?;
        let path = Some(target.clone());
        let report = SelectionReport {
            kept: 0,
            dropped: 0,
            passed_over: 0,
            companions: 0,
            path,
            broken: None,
        };
        let mut selection = Selection { report, keep, last: None };
        let out = match self.format() {
            Format::TextFile | Format::Html => {
                if selection.takes(1) {
                    Some(self.copied(&target)?.0)
                } else {
                    selection.report.path = None;
                    None
                }
            }
            Format::Parquet | Format::Arrow => {
                Some(self.select_rows(&target, options, &mut selection)?)
            }
            Format::Warc => Some(self.select_warc(&target, options, &mut selection)?),
            Format::JsonLines | Format::Csv | Format::Tsv => {
                Some(self.select_lines(&target, options, &mut selection)?)
            }
        };
        Ok(PendingSelection { report: selection.report, out })
    }

    /// The selection of everything: a copy of the file under this source's name in the folder. Gives
    /// back its path.
    ///
    /// # Errors
    /// If it cannot be read, is standard input, or the copy cannot be written. Then there is none.
    pub fn copy_to(&self, folder: &Path) -> Result<PathBuf> {
        let mut copies = PendingCopies::default();
        let FileCopy { path, .. } = copies.add(self, folder, self.name())?;
        copies.publish()?;
        Ok(path)
    }

    /// A copy of the file as it is stored, and the number of its bytes.
    fn copied(&self, target: &Path) -> Result<(AtomicFile, u64)> {
        let stored = self.stored()?;
        let mut out = AtomicFile::create_with_folders(target)?;
        let bytes = out.copy_from(stored, self.path())?;
        out.rest()?;
        Ok((out, bytes))
    }

    /// The path of a selection of this name, which is not the source itself.
    fn target(&self, folder: &Path, name: &str) -> Result<PathBuf> {
        let target = folder.join(name);
        match &self.origin {
            Origin::StandardInput(_) => Err(Error::from(ErrorKind::ReadOnce)),
            Origin::Memory(table) => Err(Error::from(ErrorKind::InMemory(table.name.clone()))),
            Origin::File(path) if is_same_file(path, &target) => {
                Err(Error::from(ErrorKind::OwnInput(target)))
            }
            Origin::File(_) | Origin::Object(_) => Ok(target),
        }
    }

    fn select_lines(
        &self,
        target: &Path,
        options: &ReadOptions,
        selection: &mut Selection<impl FnMut(u64) -> bool>,
    ) -> Result<AtomicFile> {
        let failed = |error| Error::io(target, Operation::Write, error);
        let mut chunks = self.chunks_with(LongRecords::Given, options);
        let first = chunks.next().transpose()?;
        let out = AtomicFile::create_with_folders(target)?;
        let mut out =
            Encoder::new(self.compression(), options.packing_threads, out).map_err(failed)?;
        out.write_all(chunks.preamble()).map_err(failed)?;
        let all = first.map(Ok).into_iter().chain(chunks);
        let size = |chunk: &Result<Chunk>| chunk.as_ref().map_or(0, |chunk| chunk.bytes() as usize);
        read_ahead(all, size, CHUNKS_AHEAD * options.chunk_bytes, |chunks| {
            for chunk in chunks {
                let chunk = match chunk {
                    Ok(chunk) => chunk,
                    Err(error) => {
                        selection.report.broken = Some(error);
                        break;
                    }
                };
                let mut written = Ok(());
                chunk.for_each_stored(|number, bytes| {
                    if selection.takes(number) && written.is_ok() {
                        written = out.write_all(bytes);
                    }
                });
                written?;
            }
            Ok(())
        })
        .map_err(failed)?;
        out.finish().map_err(failed)
    }

    fn select_warc(
        &self,
        target: &Path,
        options: &ReadOptions,
        selection: &mut Selection<impl FnMut(u64) -> bool>,
    ) -> Result<AtomicFile> {
        let failed = |error| Error::io(target, Operation::Write, error);
        let splits = self.warc_records(options, &Position::default(), Others::Held)?;
        let mut splits =
            splits.map(|split| split.map_err(|error| Error::decoding(self.path(), error)));
        let first = splits.next().transpose()?;
        let out = MemberEncoder::new(self.compression(), AtomicFile::create_with_folders(target)?);
        let mut out = WarcWriter { out, companions: Companions::default() };
        let mut strays = Strays::new(target);
        let size = |split: &Result<Split>| match split {
            Ok(Split::Records(piece)) => piece.bytes.len(),
            Ok(Split::Part { bytes, .. }) => bytes.len(),
            Err(_) => 0,
        };
        let all = first.map(Ok).into_iter().chain(splits);
        read_ahead(all, size, CHUNKS_AHEAD * options.chunk_bytes, |splits| {
            for split in splits {
                match split {
                    Ok(Split::Records(piece)) => out.write_kept(&piece, selection)?,
                    Ok(Split::Part { number, bytes, is_sound, is_last }) => {
                        if number.is_some_and(|number| !selection.takes(number)) {
                            continue;
                        }
                        if !is_sound {
                            strays.push(&bytes)?;
                            continue;
                        }
                        out.release(selection)?;
                        out.out.write_all(&bytes)?;
                        if is_last {
                            out.out.end_record()?;
                            selection.report.passed_over += u64::from(number.is_none());
                        }
                    }
                    Err(error) => {
                        selection.report.broken = Some(error);
                        break;
                    }
                }
            }
            out.release(selection)
        })
        .map_err(failed)?;
        let WarcWriter { mut out, companions } = out;
        selection.report.companions = companions.dropped;
        strays.write(&mut out)?;
        out.finish().map_err(failed)
    }

    fn select_rows(
        &self,
        target: &Path,
        options: &ReadOptions,
        selection: &mut Selection<impl FnMut(u64) -> bool>,
    ) -> Result<AtomicFile> {
        let failed = |error| Error::io(target, Operation::Write, error);
        let encoder = || {
            let out = AtomicFile::create_with_folders(target)?;
            Encoder::new(self.compression(), options.packing_threads, out).map_err(failed)
        };
        let (out, broken) = if self.format() == Format::Arrow {
            let rows = ArrowRows::open(self, options)?;
            rows.write_kept(encoder()?, target, |number| selection.takes(number))?
        } else {
            let rows = Rows::open(self, options)?;
            rows.write_kept(encoder()?, target, |number| selection.takes(number))?
        };
        selection.report.broken = broken;
        out.finish().map_err(failed)
    }
}

/// What is in a web archive and no record, or one whose length is wrong. It is held back in a file
/// beside the selection and comes last: with other bytes behind it, it could be taken for a record that
/// goes on, over one that stays.
struct Strays<'a> {
    target: &'a Path,
    file: Option<AtomicFile>,
}

impl<'a> Strays<'a> {
    fn new(target: &'a Path) -> Self {
        Self { target, file: None }
    }

    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let mut path = self.target.as_os_str().to_owned();
                path.push(".strays");
                let file = AtomicFile::create_with_folders(path.as_ref());
                none.insert(file.map_err(io::Error::other)?)
            }
        };
        // Not the method of its own, whose error does not say what the system said.
        io::Write::write_all(file, bytes)
    }

    /// Writes them, after line ends as far as a reader looks behind a record.
    fn write(self, out: &mut MemberEncoder<impl io::Write>) -> Result<()> {
        let failed = |error| Error::io(self.target, Operation::Write, error);
        let Some(mut file) = self.file else { return Ok(()) };
        file.rest()?;
        let path = file.partial_path();
        let mut strays = fs::File::open(path).map_err(|e| Error::io(path, Operation::Read, e))?;
        let written = out.write_all(&[b'\n'; LOOK_AHEAD]);
        let written = written.and_then(|()| io::copy(&mut strays, out));
        written.and_then(|_| out.end_record()).map_err(failed)
    }
}

/// Writes the records of a web archive that stay, each by itself.
struct WarcWriter<W: io::Write> {
    out: MemberEncoder<W>,
    companions: Companions,
}

impl<W: io::Write> WarcWriter<W> {
    fn write_kept(
        &mut self,
        piece: &Piece,
        selection: &mut Selection<impl FnMut(u64) -> bool>,
    ) -> io::Result<()> {
        let mut written = Ok(());
        piece.for_each_stored(|number, stored| {
            let (others, own) = match stored {
                StoredRecord::Record(bytes) if selection.takes(number) => {
                    (self.companions.release(), Some(bytes))
                }
                StoredRecord::Record(bytes) => (self.companions.drop_document(bytes), None),
                StoredRecord::PassedOver(bytes) => (self.companions.pass(bytes), None),
            };
            if written.is_ok() {
                written = self.write_others(&others, selection);
            }
            if let Some(bytes) = own.filter(|_| written.is_ok()) {
                written = self.write_record(bytes);
            }
        });
        written
    }

    /// Writes what was held back.
    fn release(&mut self, selection: &mut Selection<impl FnMut(u64) -> bool>) -> io::Result<()> {
        let others = self.companions.release();
        self.write_others(&others, selection)
    }

    fn write_others(
        &mut self,
        records: &Released,
        selection: &mut Selection<impl FnMut(u64) -> bool>,
    ) -> io::Result<()> {
        selection.report.passed_over += records.len() as u64;
        records.iter().try_for_each(|record| self.write_record(record))
    }

    fn write_record(&mut self, record: &[u8]) -> io::Result<()> {
        self.out.write_all(record)?;
        self.out.end_record()
    }
}

/// Copies of files that are complete but have no names yet. Dropped before they are published,
/// they leave nothing behind.
///
/// To bring each of a million small files to the disk by itself takes seven times as long as
/// many at a time.
#[derive(Debug, Default)]
pub struct PendingCopies {
    files: Vec<AtomicFile>,
}

/// A copy of a file.
#[derive(Debug)]
#[non_exhaustive]
pub struct FileCopy {
    /// The path that it will have.
    pub path: PathBuf,
    /// How long it is.
    pub bytes: u64,
}

impl PendingCopies {
    /// Copies a source to a file of this name in the folder.
    ///
    /// # Errors
    /// As [`Source::copy_to`].
    pub fn add(&mut self, source: &Source, folder: &Path, name: &str) -> Result<FileCopy> {
        let path = source.target(folder, name)?;
        let (out, bytes) = source.copied(&path)?;
        self.files.push(out);
        Ok(FileCopy { path, bytes })
    }

    /// How many there are. Each is an open file.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Gives them their names, and forgets them.
    ///
    /// # Errors
    /// If the system refuses. Then some may have no names, and leave nothing behind.
    pub fn publish(&mut self) -> Result<()> {
        Ok(commit_all(std::mem::take(&mut self.files))?)
    }
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

/// The choice, and its count.
struct Selection<K> {
    report: SelectionReport,
    keep: K,
    /// The last record that was asked about, and the answer.
    last: Option<(u64, bool)>,
}

impl<K: FnMut(u64) -> bool> Selection<K> {
    /// Whether to write the record of this number, or the next part of it.
    fn takes(&mut self, number: u64) -> bool {
        if let Some((last, keeps)) = self.last
            && last == number
        {
            return keeps;
        }
        let keeps = (self.keep)(number);
        *(if keeps { &mut self.report.kept } else { &mut self.report.dropped }) += 1;
        self.last = Some((number, keeps));
        keeps
    }
}

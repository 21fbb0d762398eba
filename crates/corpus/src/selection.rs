//! A selection of a source's records, in the source's own format, as they are or with changes.
//!
//! JSON, CSV and TSV records are the same bytes as before, blank lines left out;
//! text files and web pages are copied whole. So are the records of web archives
//! the same bytes, each packed by itself; those that are not documents stay, but for the
//! requests and metadata of documents that go. A
//! Parquet selection has the schema, the key-value metadata, the codecs and the
//! sorting of its source, and row groups no larger. The compression is the
//! source's, at its tool's usual level.
//!
//! A record that cannot be read can be kept like any other, as the bytes that it
//! is: a line is what lies between two line ends, and a record of a web archive
//! whose length is wrong goes on to where the next one begins, and comes last in the
//! selection. Those that are longer than the limit pass in parts.
//!
//! Nothing is parsed but what is changed. Reading and unpacking happen on one thread, selecting and
//! packing on another, and the bytes do not depend on how they take turns.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use lookalike_files::{AtomicFile, commit_all};

use crate::arrow_rows::ArrowRows;
use crate::chunk::Chunk;
use crate::compression::Encoder;
use crate::edits::{AddedField, Cutter, Edit, Edits, SelectionReport};
use crate::error::{EditFault, Error, ErrorKind, Operation, Result};
use crate::format::Format;
use crate::parquet_rows::Rows;
use crate::read_ahead::read_ahead;
use crate::record::ReadOptions;
use crate::source::{Origin, Source};
use crate::split::LongRecords;

/// Chunks of the usual size that may be in memory while a selection is written.
pub(crate) const CHUNKS_AHEAD: usize = 5;

/// Bytes of a text that are in memory while some of it is cut out.
const TEXT_BYTES: usize = 64 << 10;

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
        mut keep: impl FnMut(u64) -> bool,
    ) -> Result<PendingSelection> {
        let mut edit = |number| Ok(if keep(number) { Edit::Keep } else { Edit::Drop });
        self.pending(folder, options, Edits::of_whole_records(self.path(), &mut edit))
    }

    /// As [`Source::pending_selection`], with changes of records that stay, and with fields that are
    /// added to them.
    ///
    /// `edit` is asked as `keep` is, and an error of its own ends it. What it does not change stays as it
    /// is, byte for byte, but for cells of added columns, which are empty. Of JSON, CSV and TSV all but
    /// the changed text of a changed record is the same bytes too.
    ///
    /// - Added fields are left out where records have no fields: of text files, web pages and web archives.
    ///   In JSON only records that are changed have them.
    /// - Nor can these be written more than once.
    /// - Records of which the content is a web page, in whatever format, and those of web archives
    ///   cannot be cut; nor can texts that are put together of the elements of a list, but in JSON.
    ///   There the line end between two elements stands nowhere, and stays.
    /// - A column of texts that Arrow files have as a dictionary is written as the texts themselves.
    /// - A record that cannot be read cannot be changed: what is to be changed was read before.
    ///
    /// # Errors
    /// As [`Source::write_selection`]; [`ErrorKind::Edit`] if a record cannot be changed in this way,
    /// and [`ErrorKind::ColumnTaken`] if a table has a column already that should be added.
    pub fn pending_edits(
        &self,
        folder: &Path,
        options: &ReadOptions,
        added: &[AddedField],
        mut edit: impl FnMut(u64) -> Result<Edit>,
    ) -> Result<PendingSelection> {
        self.pending(folder, options, Edits::new(self.path(), added, &mut edit)?)
    }

    fn pending(
        &self,
        folder: &Path,
        options: &ReadOptions,
        mut edits: Edits<'_>,
    ) -> Result<PendingSelection> {
        let target = self.target(folder, self.name())?;
        let out = match self.format() {
            Format::TextFile => self.select_text(&target, options, &mut edits)?,
            Format::Html if !edits.keeps_whole(1)? => None,
            Format::Html => Some(self.copied(&target)?.0),
            Format::Parquet | Format::Arrow => {
                Some(self.select_rows(&target, options, &mut edits)?)
            }
            Format::Warc => Some(self.select_warc(&target, options, &mut edits)?),
            Format::JsonLines | Format::Csv | Format::Tsv => {
                Some(self.select_lines(&target, options, &mut edits)?)
            }
        };
        let mut report = edits.report;
        report.path = out.is_some().then_some(target);
        Ok(PendingSelection { report, out })
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

    /// A text is copied as it is stored, or passes by without what is cut.
    fn select_text(
        &self,
        target: &Path,
        options: &ReadOptions,
        edits: &mut Edits<'_>,
    ) -> Result<Option<AtomicFile>> {
        let change = match edits.of(1)? {
            Edit::Drop | Edit::Revisit(_) => return Ok(None),
            Edit::Change(change) if change.repeats > 0 => {
                return Err(edits.refused(1, EditFault::Once));
            }
            Edit::Change(change) if !change.keeps_text() => change,
            Edit::Keep | Edit::Change(_) => return Ok(Some(self.copied(target)?.0)),
        };
        let failed = |error| Error::io(target, Operation::Write, error);
        let (mark, mut text) = self.marked_text(options)?;
        let out = AtomicFile::create_with_folders(target)?;
        let mut out =
            Encoder::new(self.compression(), options.packing_threads, out).map_err(failed)?;
        out.write_all(mark).map_err(failed)?;
        let mut cutter = Cutter::new(&change.cuts);
        let mut buffer = vec![0; TEXT_BYTES];
        loop {
            let read = match text.read(&mut buffer) {
                Ok(0) => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.map_err(|error| Error::reading(self.path(), error))?,
            };
            for kept in cutter.kept(&buffer[..read]) {
                out.write_all(kept).map_err(failed)?;
            }
        }
        if let Some(Range { start: begin, end }) = cutter.beyond() {
            return Err(edits.refused(1, EditFault::Range { begin, end }));
        }
        out.finish().map(Some).map_err(failed)
    }

    fn select_lines(
        &self,
        target: &Path,
        options: &ReadOptions,
        edits: &mut Edits<'_>,
    ) -> Result<AtomicFile> {
        let failed = |error| Error::io(target, Operation::Write, error);
        let mut chunks = self.chunks_with(LongRecords::Given, options);
        let first = chunks.next().transpose()?;
        let mut preamble = Vec::new();
        match chunks.table() {
            Some(table) if !edits.added.is_empty() => {
                table.check_free(edits.added, self.path())?;
                table.write_header(chunks.preamble(), edits.added, &mut preamble);
            }
            _ => preamble.extend_from_slice(chunks.preamble()),
        }
        let out = AtomicFile::create_with_folders(target)?;
        let mut out =
            Encoder::new(self.compression(), options.packing_threads, out).map_err(failed)?;
        out.write_all(&preamble).map_err(failed)?;
        let all = first.map(Ok).into_iter().chain(chunks);
        let size = |chunk: &Result<Chunk>| chunk.as_ref().map_or(0, |chunk| chunk.bytes() as usize);
        read_ahead(all, size, CHUNKS_AHEAD * options.chunk_bytes, |chunks| {
            for chunk in chunks {
                let chunk = match chunk {
                    Ok(chunk) => chunk,
                    Err(error) => {
                        edits.report.broken = Some(error);
                        break;
                    }
                };
                chunk.for_each_edited(edits, |bytes| out.write_all(bytes).map_err(failed))?;
            }
            Ok::<_, Error>(())
        })?;
        out.finish().map_err(failed)
    }

    fn select_rows(
        &self,
        target: &Path,
        options: &ReadOptions,
        edits: &mut Edits<'_>,
    ) -> Result<AtomicFile> {
        let failed = |error| Error::io(target, Operation::Write, error);
        let encoder = || {
            let out = AtomicFile::create_with_folders(target)?;
            Encoder::new(self.compression(), options.packing_threads, out).map_err(failed)
        };
        let (out, broken) = if self.format() == Format::Arrow {
            let rows = ArrowRows::open(self, options)?;
            rows.write_kept(encoder()?, target, edits)?
        } else {
            let rows = Rows::open(self, options)?;
            rows.write_kept(encoder()?, target, edits)?
        };
        edits.report.broken = broken;
        out.finish().map_err(failed)
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

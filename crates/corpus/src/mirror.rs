//! Mirrors: a selection of a source's records, in the source's own format.
//!
//! JSON, CSV and TSV records are the same bytes as before, blank lines left out;
//! text files are copied whole. A Parquet mirror has the schema, the key-value
//! metadata, the codecs and the sorting of its source, and row groups no larger.
//! The compression is the source's, at its tool's usual level.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::compression::Encoder;
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::format::Format;
use crate::object_store;
use crate::output_file::OutputFile;
use crate::parquet;
use crate::record::ReadOptions;
use crate::source::{Origin, Source, open_file};

/// What a mirror does with bad records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BadRecords {
    /// Leave them out.
    #[default]
    Drop,
    /// Take them as they are, without asking. Records that are longer than the limit are left
    /// out all the same where they were not even held in memory.
    Keep,
}

/// What became of a source.
#[derive(Debug)]
#[non_exhaustive]
pub struct Mirrored {
    /// Records written, bad ones not counted.
    pub kept: u64,
    /// Records that were not to be kept.
    pub dropped: u64,
    /// Bad records, whether they were written or not.
    pub bad: u64,
    /// The file; `None` if it is a text file that was not to be kept.
    pub path: Option<PathBuf>,
    /// Where the source broke off: the mirror has the records before that.
    pub broken: Option<Error>,
}

impl Source {
    /// Writes the records that `keep` wants to a file of this source's name in the folder.
    ///
    /// `keep` is asked for the number of each good record once and in order. The file appears
    /// when it is complete, and takes the place of one that was there before.
    ///
    /// # Errors
    /// If the source cannot be opened or is broken before its first record, is standard input, or
    /// the file cannot be written. Then there is no file.
    pub fn mirror(
        &self,
        folder: &Path,
        options: &ReadOptions,
        bad_records: BadRecords,
        keep: impl FnMut(u64) -> bool,
    ) -> Result<Mirrored> {
        if matches!(self.origin, Origin::StandardInput(_)) {
            return Err(Error::new(ErrorKind::ReadOnce));
        }
        let target = folder.join(self.name());
        if let Origin::File(path) = &self.origin
            && let (Ok(from), Ok(to)) = (fs::canonicalize(path), fs::canonicalize(&target))
            && from == to
        {
            return Err(Error::new(ErrorKind::OwnInput(target)));
        }
        let mirrored =
            Mirrored { kept: 0, dropped: 0, bad: 0, path: Some(target.clone()), broken: None };
        let selection = Selection { mirrored, bad_records, keep };
        match self.format() {
            Format::TextFile => {
                // A file that is too long or broken is a bad record, which nobody is asked for.
                self.chunks(options).next().transpose()?;
                self.copy_text(&target, selection)
            }
            Format::Parquet => self.mirror_rows(&target, options, selection),
            Format::JsonLines | Format::Csv | Format::Tsv => {
                self.mirror_lines(&target, options, selection)
            }
        }
    }

    fn mirror_lines(
        &self,
        target: &Path,
        options: &ReadOptions,
        mut selection: Selection<impl FnMut(u64) -> bool>,
    ) -> Result<Mirrored> {
        let failed = |source| Error::io(target, Operation::Write, source);
        let mut chunks = self.chunks(options);
        let mut first = chunks.next().transpose()?;
        let out = OutputFile::create(target)?;
        let mut out = Encoder::new(self.compression(), out).map_err(failed)?;
        out.write_all(chunks.preamble()).map_err(failed)?;
        while let Some(chunk) = first.take().map(Ok).or_else(|| chunks.next()) {
            let chunk = match chunk {
                Ok(chunk) => chunk,
                Err(error) => {
                    selection.mirrored.broken = Some(error);
                    break;
                }
            };
            let mut written = Ok(());
            chunk.for_each_with_bytes(|bytes, record| {
                if selection.takes(record.ok().map(|record| record.number)) && written.is_ok() {
                    written = out.write_all(bytes);
                }
            });
            written.map_err(failed)?;
        }
        out.finish().map_err(failed)?.commit()?;
        Ok(selection.mirrored)
    }

    fn mirror_rows(
        &self,
        target: &Path,
        options: &ReadOptions,
        mut selection: Selection<impl FnMut(u64) -> bool>,
    ) -> Result<Mirrored> {
        let failed = |source| Error::io(target, Operation::Write, source);
        let mut chunks = self.chunks(options);
        let mut first = chunks.next().transpose()?;
        let mut answers = || {
            let chunk = match first.take().map(Ok).or_else(|| chunks.next())? {
                Ok(chunk) => chunk,
                Err(error) => {
                    selection.mirrored.broken = Some(error);
                    return None;
                }
            };
            let mut answers = Vec::new();
            chunk.for_each(|record| {
                answers.push(selection.takes(record.ok().map(|record| record.number)));
            });
            Some(answers)
        };
        let out = OutputFile::create(target)?;
        let out = Encoder::new(self.compression(), out).map_err(failed)?;
        let (out, fault) = parquet::write_selection(self, options, out, target, &mut answers)?;
        out.finish().map_err(failed)?.commit()?;
        selection.mirrored.broken = fault.or(selection.mirrored.broken);
        Ok(selection.mirrored)
    }

    fn copy_text(
        &self,
        target: &Path,
        mut selection: Selection<impl FnMut(u64) -> bool>,
    ) -> Result<Mirrored> {
        if selection.takes(Some(1)) {
            let mut out = OutputFile::create(target)?;
            let copied = match &self.origin {
                Origin::Object(url) => io::copy(&mut object_store::reader(url)?, &mut out),
                _ => io::copy(&mut open_file(self.path())?, &mut out),
            };
            copied.map_err(|source| {
                if object_store::is_fault(&source) {
                    return Error::io(self.path(), Operation::Read, source);
                }
                Error::io(target, Operation::Write, source)
            })?;
            out.commit()?;
        } else {
            selection.mirrored.path = None;
        }
        Ok(selection.mirrored)
    }
}

/// The choice, and its count.
struct Selection<K> {
    mirrored: Mirrored,
    bad_records: BadRecords,
    keep: K,
}

impl<K: FnMut(u64) -> bool> Selection<K> {
    /// Whether to write a record of this number; `None` for a bad one.
    fn takes(&mut self, number: Option<u64>) -> bool {
        let Some(number) = number else {
            self.mirrored.bad += 1;
            return self.bad_records == BadRecords::Keep;
        };
        let keeps = (self.keep)(number);
        *(if keeps { &mut self.mirrored.kept } else { &mut self.mirrored.dropped }) += 1;
        keeps
    }
}

//! A selection of a web archive: the records that stay, each packed by itself.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use lookalike_files::AtomicFile;

use super::companions::{Companions, Released};
use super::revisit::revisit;
use super::split::LOOK_AHEAD;
use super::{Others, Piece, Split, StoredRecord};
use crate::compression::MemberEncoder;
use crate::edits::{Edit, Edits};
use crate::error::{Error, Operation, Result};
use crate::position::Position;
use crate::read_ahead::read_ahead;
use crate::record::ReadOptions;
use crate::selection::CHUNKS_AHEAD;
use crate::source::Source;

impl Source {
    /// Writes the records that stay, and what belongs to them.
    pub(crate) fn select_warc(
        &self,
        target: &Path,
        options: &ReadOptions,
        edits: &mut Edits<'_>,
    ) -> Result<AtomicFile> {
        let failed = |error| Error::io(target, Operation::Write, error);
        let splits = self.warc_records(options, &Position::default(), Others::Held)?;
        let mut splits =
            splits.map(|split| split.map_err(|error| Error::decoding(self.path(), error)));
        let first = splits.next().transpose()?;
        let out = MemberEncoder::new(self.compression(), AtomicFile::create_with_folders(target)?);
        let mut out = WarcWriter { out, companions: Companions::default(), target };
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
                    Ok(Split::Records(piece)) => out.write_kept(&piece, edits)?,
                    Ok(Split::Part { number, bytes, is_sound, is_last }) => {
                        if let Some(number) = number
                            && !edits.keeps_whole(number)?
                        {
                            continue;
                        }
                        if !is_sound {
                            strays.push(&bytes).map_err(failed)?;
                            continue;
                        }
                        out.release(edits)?;
                        out.out.write_all(&bytes).map_err(failed)?;
                        if is_last {
                            out.out.end_record().map_err(failed)?;
                            edits.report.passed_over += u64::from(number.is_none());
                        }
                    }
                    Err(error) => {
                        edits.report.broken = Some(error);
                        break;
                    }
                }
            }
            out.release(edits)
        })?;
        let WarcWriter { mut out, companions, .. } = out;
        edits.report.companions = companions.dropped;
        strays.write(&mut out)?;
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
struct WarcWriter<'a, W: io::Write> {
    out: MemberEncoder<W>,
    companions: Companions,
    target: &'a Path,
}

impl<W: io::Write> WarcWriter<'_, W> {
    fn write_kept(&mut self, piece: &Piece, edits: &mut Edits<'_>) -> Result<()> {
        let mut written = Ok(());
        piece.for_each_stored(|number, stored| {
            if written.is_ok() {
                written = self.write_stored(number, stored, edits);
            }
        });
        written
    }

    fn write_stored(
        &mut self,
        number: u64,
        stored: StoredRecord<'_>,
        edits: &mut Edits<'_>,
    ) -> Result<()> {
        let (others, own) = match stored {
            StoredRecord::Record(bytes) => match what_stays(number, bytes, edits)? {
                Some(own) => (self.companions.release(), Some(own)),
                None => (self.companions.drop_document(bytes), None),
            },
            StoredRecord::PassedOver(bytes) => (self.companions.pass(bytes), None),
        };
        self.write_others(&others, edits)?;
        own.map_or(Ok(()), |bytes| self.write_record(&bytes))
    }

    /// Writes what was held back.
    fn release(&mut self, edits: &mut Edits<'_>) -> Result<()> {
        let others = self.companions.release();
        self.write_others(&others, edits)
    }

    fn write_others(&mut self, records: &Released, edits: &mut Edits<'_>) -> Result<()> {
        edits.report.passed_over += records.len() as u64;
        records.iter().try_for_each(|record| self.write_record(record))
    }

    fn write_record(&mut self, record: &[u8]) -> Result<()> {
        let written = self.out.write_all(record).and_then(|()| self.out.end_record());
        written.map_err(|error| Error::io(self.target, Operation::Write, error))
    }
}

/// The record, or the one that stands in its place.
fn what_stays<'b>(
    number: u64,
    bytes: &'b [u8],
    edits: &mut Edits<'_>,
) -> Result<Option<Cow<'b, [u8]>>> {
    if let Edit::Revisit(keeper) = edits.of(number)? {
        let revisit = revisit(bytes, keeper);
        edits.report.revisits += u64::from(revisit.is_some());
        return Ok(revisit.map(Cow::Owned));
    }
    Ok(edits.keeps_whole(number)?.then_some(Cow::Borrowed(bytes)))
}

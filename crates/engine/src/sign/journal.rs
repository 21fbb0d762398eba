//! The journal of signing: what the stage has made so far, for a job that is stopped and goes on.
//!
//! All that signing writes follows from what the sink is handed, in its order: sources that
//! begin, the batches of their documents, and their ends. So that is what is written down. A
//! job that goes on hands it to a sink of its own, which is a matter of the disk, and then reads
//! from where the journal ends.
//!
//! Frames, each with its kind, its length and a checksum that is made with its number. The journal
//! is never brought to the disk: what is there of it counts up to the first frame that is not whole,
//! whether a process ended in the midst of it or a disk has lost it. It says whose it is, and each
//! source has the state in which it was read; one that is another now ends the journal as well.
//!
//! It takes about as much room as the signatures. A disk that has no more takes the journal with
//! it, and not the job.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use lookalike_files::{Format, double_word, word};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::error::{Error, Operation, Result};

const FORMAT: Format = Format { magic: *b"LOOKSJNL", version: 1 };
/// Format, job.
const HEADER: usize = Format::BYTES + JOB;
/// Bytes of what tells a job from others.
const JOB: usize = 16;
/// Kind, length, the checksum of these, and that of the content.
const FRAME_HEADER: usize = 4 + 8 + 8 + 8;

/// Bytes that are written at once, and lost with a process that is killed.
const BUFFER: usize = 256 << 10;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A source begins.
    Source,
    /// The next batch of it.
    Batch,
    /// Its end.
    End,
    /// All sources of a listing have come; others follow.
    Listed,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Source, Self::Batch, Self::End, Self::Listed];
}

/// A frame that was read.
pub(super) struct Frame {
    pub(super) kind: Kind,
    pub(super) content: Vec<u8>,
}

/// A place between two frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    offset: u64,
    /// How many frames come before it.
    pub(super) frames: u64,
}

/// A journal, first read and then written on.
pub(super) struct Journal {
    path: PathBuf,
    /// Where reading is, or where the next frame is written.
    at: Mark,
    state: State,
}

enum State {
    Reading(BufReader<File>),
    Writing(BufWriter<File>),
    /// The disk has no room for it, or there is something that it cannot say.
    GivenUp,
}

impl Journal {
    /// Opens the journal of a job, or begins one.
    pub(super) fn open(path: &Path, job: [u8; JOB]) -> Result<Self> {
        let failed = |source| Error::io(path, Operation::Create, source);
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.map_err(failed)?;
        let header = [&FORMAT.start()[..], &job].concat();
        let mut found = Vec::new();
        (&file).take(HEADER as u64).read_to_end(&mut found).map_err(failed)?;
        let at = Mark { offset: HEADER as u64, frames: 0 };
        let path = path.to_owned();
        if found == header {
            return Ok(Self { path, at, state: State::Reading(reader(file)) });
        }
        // Of another job, of another version, or without a whole header.
        let begun = file.set_len(0).and_then(|()| file.rewind());
        begun.and_then(|()| file.write_all(&header)).map_err(failed)?;
        Ok(Self { path, at, state: State::Writing(writer(file)) })
    }

    /// Where it is.
    pub(super) fn mark(&self) -> Mark {
        self.at
    }

    /// Whether there may be frames that were not read.
    pub(super) fn is_read(&self) -> bool {
        matches!(self.state, State::Reading(_))
    }

    /// The next frame; `None` where no whole one follows.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn next(&mut self) -> Result<Option<Frame>> {
        let State::Reading(input) = &mut self.state else { return Ok(None) };
        match read_frame(input, self.at) {
            Ok(Some((frame, after))) => {
                self.at = after;
                Ok(Some(frame))
            }
            Ok(None) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(Error::io(&self.path, Operation::Read, error)),
        }
    }

    /// Goes back to a place that it was read from.
    pub(super) fn back_to(&mut self, mark: Mark) -> Result<()> {
        let State::Reading(input) = &mut self.state else { return Ok(()) };
        let went = input.seek(SeekFrom::Start(mark.offset));
        went.map_err(|error| Error::io(&self.path, Operation::Read, error))?;
        self.at = mark;
        Ok(())
    }

    /// What is read of it now is not what it was.
    pub(super) fn changed(&self, at: Mark) -> Error {
        Error::corruption(&self.path, at.offset, "what was read there before", "something else")
    }

    /// Goes on from where it is, in place of what follows.
    pub(super) fn write_from_here(&mut self) -> Result<()> {
        let failed = |error| Error::io(&self.path, Operation::Write, error);
        let State::Reading(input) = std::mem::replace(&mut self.state, State::GivenUp) else {
            unreachable!("what is read is written on");
        };
        let mut file = input.into_inner();
        file.set_len(self.at.offset).map_err(failed)?;
        file.seek(SeekFrom::Start(self.at.offset)).map_err(failed)?;
        self.state = State::Writing(writer(file));
        Ok(())
    }

    /// Appends a frame. Gives up where that cannot be done: no result needs it.
    pub(super) fn push(&mut self, kind: Kind, content: &[u8]) {
        let State::Writing(out) = &mut self.state else { return };
        let header = frame_header(kind as u32, content.len() as u64, content, self.at.frames);
        self.at.frames += 1;
        self.at.offset += (FRAME_HEADER + content.len()) as u64;
        if out.write_all(&header).and_then(|()| out.write_all(content)).is_err() {
            self.give_up();
        }
    }

    /// Leaves it, and the room that it takes.
    pub(super) fn give_up(&mut self) {
        if let State::Writing(out) = std::mem::replace(&mut self.state, State::GivenUp) {
            drop(out.into_parts());
        }
        let _ = fs::remove_file(&self.path);
    }
}

fn reader(file: File) -> BufReader<File> {
    BufReader::with_capacity(BUFFER, file)
}

fn writer(file: File) -> BufWriter<File> {
    BufWriter::with_capacity(BUFFER, file)
}

fn frame_header(kind: u32, length: u64, content: &[u8], number: u64) -> [u8; FRAME_HEADER] {
    let mut header = [0; FRAME_HEADER];
    header[..4].copy_from_slice(&kind.to_le_bytes());
    header[4..12].copy_from_slice(&length.to_le_bytes());
    let sum = xxh3_64_with_seed(&header[..12], number);
    header[12..20].copy_from_slice(&sum.to_le_bytes());
    header[20..].copy_from_slice(&xxh3_64_with_seed(content, sum).to_le_bytes());
    header
}

/// The frame at a place, and where it ends; `None` if it is not what was written there.
fn read_frame(input: &mut BufReader<File>, at: Mark) -> io::Result<Option<(Frame, Mark)>> {
    let mut header = [0; FRAME_HEADER];
    input.read_exact(&mut header)?;
    let (kind, length) = (word(&header, 0), double_word(&header, 4));
    // Before anything is held: a broken length may say anything.
    if header[..20] != frame_header(kind, length, &[], at.frames)[..20] {
        return Ok(None);
    }
    let mut content = Vec::new();
    input.by_ref().take(length).read_to_end(&mut content)?;
    let is_whole = content.len() as u64 == length;
    let is_right = header == frame_header(kind, length, &content, at.frames);
    let kind = Kind::ALL.get(kind as usize).copied();
    let Some(kind) = kind.filter(|_| is_whole && is_right) else { return Ok(None) };
    let offset = at.offset + FRAME_HEADER as u64 + length;
    Ok(Some((Frame { kind, content }, Mark { offset, frames: at.frames + 1 })))
}

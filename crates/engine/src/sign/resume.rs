//! Sources and batches in the journal, and where a job goes on that was stopped as it signed.
//!
//! The journal counts as far as its sources are those that are listed now, in the same order and
//! state. Within a source that had not ended, records go on behind the last that is there; but web
//! archives begin again, since what lies between their records has no numbers.

use std::path::Path;

use lookalike_corpus::{Format, Source, Version};
use lookalike_files::double_word;
use serde::{Deserialize, Serialize};

use super::batch::Batch;
use super::journal::{Frame, Journal, Kind, Mark};
use crate::error::{Error, Operation, Result};
use crate::observe::Observer;
use crate::skips::ToldFault;
use crate::sources::SourceRow;

/// How many frames are read between two looks at whether to stop: a few MiB.
const STRETCH: u64 = 64;

/// Size and time of a source as it was read.
pub(super) type SourceState = (Option<u64>, Option<u128>);

/// What came before the job was stopped.
pub(super) enum Replayed {
    Batch(Box<Batch>),
    End { source: Box<Source>, state: SourceState, fault: Option<ToldFault> },
}

/// Where a listing goes on.
#[derive(Default)]
pub(super) struct Resumed {
    /// A source that was taken from it and is to be read.
    pub(super) next: Option<(u64, Source)>,
    pub(super) done: Done,
}

/// The records of a source that need not be looked at.
#[derive(Clone, Copy, Default)]
pub(super) struct Done {
    source: u64,
    records: u64,
}

impl Done {
    /// How many there are of so many records from one on.
    pub(super) fn of(self, source: u64, first: u64, records: u64) -> u64 {
        if source != self.source || self.records < first {
            return 0;
        }
        records.min(self.records - first + 1)
    }
}

#[derive(Serialize, Deserialize)]
struct StoredSource {
    source: Source,
    state: SourceState,
}

/// The source that is being read, when a journal is read.
struct Reading {
    number: u64,
    source: Source,
    begins: Mark,
    records: u64,
}

/// The journal of a job.
pub(super) struct Resumable {
    journal: Journal,
    /// Whether the source that is being signed has begun there.
    has_source: bool,
    listings: u64,
}

impl Resumable {
    pub(super) fn open(path: &Path, job: [u8; 16]) -> Result<Self> {
        Ok(Self { journal: Journal::open(path, job)?, has_source: false, listings: 0 })
    }

    /// Begins with the sources of a listing: hands on what was made of them before, and says where
    /// to go on.
    pub(super) fn resume(
        &mut self,
        listed: &mut impl Iterator<Item = Result<(u64, Source)>>,
        observer: &dyn Observer,
        mut each: impl FnMut(Replayed) -> Result<()>,
    ) -> Result<Resumed> {
        self.listings += 1;
        self.has_source = false;
        if !self.journal.is_read() {
            if self.listings > 1 {
                self.journal.push(Kind::Listed, &[]);
            }
            return Ok(Resumed::default());
        }
        let begins = self.journal.mark();
        let Found { mut resumed, ends, is_whole } = self.find(listed, observer)?;
        self.journal.back_to(begins)?;
        let mut source = None;
        while self.journal.mark() != ends {
            let at = self.journal.mark();
            if at.frames % STRETCH == STRETCH - 1 {
                observer.check_cancelled()?;
            }
            let Some(frame) = self.journal.next()? else { return Err(self.journal.changed(at)) };
            match (frame.kind, &mut source) {
                (Kind::Source, _) => source = serde_json::from_slice(&frame.content).ok(),
                (Kind::Batch, _) => {
                    let batch = frame.content.get(8..).and_then(Batch::decode);
                    let batch = batch.ok_or_else(|| self.journal.changed(at))?;
                    each(Replayed::Batch(Box::new(batch)))?;
                }
                (Kind::End, source) => {
                    let fault = serde_json::from_slice(&frame.content).ok();
                    let (Some(StoredSource { source, state }), Some(fault)) =
                        (source.take(), fault)
                    else {
                        return Err(self.journal.changed(at));
                    };
                    each(Replayed::End { source: Box::new(source), state, fault })?;
                }
                (Kind::Listed, _) => return Err(self.journal.changed(at)),
            }
        }
        self.has_source = resumed.done.records > 0;
        if is_whole {
            // What is there of the next listing is read by it.
            self.journal.next()?;
            resumed.next = None;
        } else {
            self.journal.write_from_here()?;
        }
        Ok(resumed)
    }

    /// How far the journal is of the sources that are listed.
    fn find(
        &mut self,
        listed: &mut impl Iterator<Item = Result<(u64, Source)>>,
        observer: &dyn Observer,
    ) -> Result<Found> {
        let mut reading: Option<Reading> = None;
        let (mut next, mut is_whole) = (None, false);
        let mut ends;
        loop {
            ends = self.journal.mark();
            if ends.frames % STRETCH == STRETCH - 1 {
                observer.check_cancelled()?;
            }
            let Some(Frame { kind, content }) = self.journal.next()? else { break };
            match (kind, &mut reading) {
                (Kind::Source, None) => {
                    next = listed.next().transpose()?;
                    let Some((number, source)) = &next else { break };
                    if stored(source, &source.version()?)? != content {
                        break;
                    }
                    let (number, source, records) = (*number, source.clone(), 0);
                    reading = Some(Reading { number, source, begins: ends, records });
                    next = None;
                }
                (Kind::Batch, Some(reading)) => reading.records += double_word(&content, 0),
                (Kind::End, Some(Reading { source, .. })) => {
                    observer.read(source.stored_bytes().unwrap_or(0));
                    reading = None;
                }
                (Kind::Listed, None) => {
                    next = listed.next().transpose()?;
                    is_whole = next.is_none();
                    break;
                }
                _ => break,
            }
        }
        let mut done = Done::default();
        if let Some(Reading { number, source, begins, records }) = reading {
            if source.format() == Format::Warc || records == 0 {
                ends = begins;
            } else {
                done = Done { source: number, records };
            }
            next = Some((number, source));
        }
        Ok(Found { resumed: Resumed { next, done }, ends, is_whole })
    }

    /// Appends a batch; none if it cannot be told.
    pub(super) fn push_batch(&mut self, records: u64, batch: Option<&[u8]>) {
        match batch {
            Some(batch) => {
                self.journal.push(Kind::Batch, &[&records.to_le_bytes(), batch].concat());
            }
            None => self.journal.give_up(),
        }
    }

    /// Appends that a source begins, unless it has.
    pub(super) fn begin(&mut self, begun: Option<(Source, Version)>) -> Result<()> {
        if !self.has_source
            && let Some((source, version)) = begun
        {
            self.journal.push(Kind::Source, &stored(&source, &version)?);
            self.has_source = true;
        }
        Ok(())
    }

    /// Appends that it has ended.
    pub(super) fn end(&mut self, fault: Option<&ToldFault>) {
        let fault = serde_json::to_vec(&fault).unwrap_or_default();
        self.journal.push(Kind::End, &fault);
        self.has_source = false;
    }
}

/// How far a journal counts.
struct Found {
    resumed: Resumed,
    ends: Mark,
    /// Whether all sources of the listing are there, and something follows.
    is_whole: bool,
}

fn stored(source: &Source, version: &Version) -> Result<Vec<u8>> {
    let state = SourceRow::state(version);
    let stored = StoredSource { source: source.clone(), state };
    serde_json::to_vec(&stored).map_err(|e| Error::io(source.path(), Operation::Read, e.into()))
}

//! What a job tells while it runs, and how it is stopped.

use std::fmt;

use crate::error::{ErrorKind, Result};

/// The stages of jobs, each in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Templates of groups, where the recipe wants them.
    Learn,
    /// Documents to signatures.
    Sign,
    /// Identity sets.
    Group,
    /// Keys to groups of documents that share one.
    Match,
    /// The shingle sets of all documents that are in a group.
    Verify,
    /// Candidates judged; who stays.
    Decide,
    /// What repeats inside of the documents that stay, if it is asked for.
    Passages,
    /// Survivors, tables and the report.
    Write,
    /// References to an index, when one corpus is searched for another.
    Index,
    /// Documents searched for references.
    Search,
    /// Pairs counted, in an evaluation.
    Count,
    /// Term differences of pairs, in an evaluation.
    Differ,
    /// Pairs to mirrors.
    Mirrors,
    /// Links collapsed onto keepers.
    Links,
}

impl Stage {
    /// Those of a deduplication.
    pub const ALL: [Self; 8] = [
        Self::Learn,
        Self::Sign,
        Self::Group,
        Self::Match,
        Self::Verify,
        Self::Decide,
        Self::Passages,
        Self::Write,
    ];

    /// Its name in messages and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Learn => "learn",
            Self::Sign => "sign",
            Self::Group => "group",
            Self::Match => "match",
            Self::Verify => "verify",
            Self::Decide => "decide",
            Self::Passages => "passages",
            Self::Write => "write",
            Self::Index => "index",
            Self::Search => "search",
            Self::Count => "count",
            Self::Differ => "differ",
            Self::Mirrors => "mirrors",
            Self::Links => "links",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Watches a job, and may stop it. Called from several threads.
pub trait Observer: Sync {
    /// A stage begins; `total` is what [`advance`](Self::advance) will have counted in the end,
    /// as far as that is known.
    fn begin(&self, stage: Stage, total: Option<Work>) {
        let _ = (stage, total);
    }

    /// So much more has been done: bytes of text, and documents or, when deciding, candidates.
    fn advance(&self, bytes: u64, documents: u64) {
        let _ = (bytes, documents);
    }

    /// So many more bytes of files have been read, as they are stored.
    fn read(&self, stored_bytes: u64) {
        let _ = stored_bytes;
    }

    /// Whether it is worth the time to find out how much there is to do.
    fn wants_totals(&self) -> bool {
        false
    }

    /// A record or file is passed over.
    fn skipped(&self, fault: &dyn std::error::Error) {
        let _ = fault;
    }

    /// Something that people should know while the job runs.
    fn note(&self, message: &str) {
        let _ = message;
    }

    /// Whether to stop. What is complete by then stays, and a later run can go on from there.
    fn cancelled(&self) -> bool {
        false
    }

    /// Fails if the job is to stop.
    ///
    /// # Errors
    /// [`ErrorKind::Interrupted`], if so.
    fn check_cancelled(&self) -> Result<()> {
        if self.cancelled() { Err(ErrorKind::Interrupted.into()) } else { Ok(()) }
    }

    /// Tells of progress and listens for a stop, now and then: to be called with each number
    /// from 0 on.
    ///
    /// # Errors
    /// If the job is to stop.
    fn tick(&self, number: u64) -> Result<()> {
        const EVERY: u64 = 1 << 12;
        if number % EVERY == EVERY - 1 {
            self.advance(0, EVERY);
            self.check_cancelled()?;
        }
        Ok(())
    }

    /// A clock, in seconds from any beginning, for the report. Results never see it.
    fn seconds(&self) -> f64 {
        0.0
    }
}

/// An amount of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Bytes of files, as they are stored.
    Stored(u64),
    /// Documents.
    Documents(u64),
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}

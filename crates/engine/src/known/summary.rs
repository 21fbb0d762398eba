//! What is told of a side of known documents.

use serde::{Deserialize, Serialize};

/// What a side of known documents is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KnownKind {
    /// What stayed in a run.
    Run,
    /// Documents that were read.
    Documents,
    /// What is in an index.
    Index,
}

/// A side of known documents that was taken in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SideSummary {
    pub(crate) name: String,
    pub(crate) kind: KnownKind,
    /// Its documents, and those of them that are rows of the job.
    pub(crate) documents: u64,
    pub(crate) rows: u64,
}

//! The last stage: survivors, clusters, pairs.

mod mirrors;
mod outcome;
mod tables;

pub(crate) use mirrors::Mirrors;
pub(crate) use outcome::{Kind, Outcome, Removed};
pub(crate) use tables::{BATCH_ROWS, Table, Tables, Written};

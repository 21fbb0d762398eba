//! Verification: what two documents really have in common.
//!
//! The documents that are in any group are read again, once, and their shingle
//! sets go to a file ([`sets`]); so do their projections, if signatures have none ([`projections`]). Candidates are then judged from there by the
//! recipe's [`PairRule`](lookalike_core::PairRule) ([`judge`]), on several threads, with a few blocks
//! of two sets in memory at a time, however long the documents are.

mod judge;
mod projections;
mod refusals;
mod sets;

pub(crate) use judge::{Verifier, Verifying};
pub(crate) use projections::Projections;
pub(crate) use refusals::Refusals;
pub(crate) use sets::Sets;

//! Verification: what two documents really have in common.
//!
//! The documents that are in any group are read again, once, and their shingle sets, or their tokens, go to
//! a file ([`contents`]); so do their projections, if signatures have none ([`projections`]). Candidates are
//! then judged from there by the recipe's [`PairRule`](lookalike_core::PairRule) ([`judge`]), on several
//! threads, with a few blocks of two documents in memory at a time, however long these are: by what the sets
//! have in common ([`overlap`]), or by the difference of the tokens ([`sequences`]).

mod contents;
mod judge;
mod overlap;
mod projections;
mod refusals;
mod sequences;

pub(crate) use contents::Contents;
pub(crate) use judge::{Verifier, Verifying};
pub(crate) use projections::Projections;
pub(crate) use refusals::Refusals;

//! Verification: what two documents really have in common.
//!
//! The documents that are in any group are read again, once, and their shingle
//! sets go to a file ([`sets`]). Candidates are then judged from there by the
//! recipe ([`pair_rule`], [`judge`]), on several threads, with a few blocks of two sets in memory at a
//! time, however long the documents are.

mod judge;
mod pair_rule;
mod sets;

pub use pair_rule::{PairRule, Standing};

pub(crate) use judge::{Verifier, Verifying};
pub(crate) use sets::Sets;

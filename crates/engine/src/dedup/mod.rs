//! The batch job: a corpus in, the corpus without near-duplicates out.
//!
//! Eight stages, each of which leaves files that are complete or not there, and a
//! line in the manifest when it is done:
//!
//! ```text
//! learn   the templates of sites -> documents.templates, where the recipe wants them
//! sign    documents -> documents.signatures, sources.jsonl, ranks
//! group   identity sets -> copies
//! match   keys -> groups of documents that share one
//! verify  the shingle sets of all documents in groups
//! decide  candidates judged, who stays -> pairs, keepers
//! cut     passages of documents that stay -> what is cut of them, if that is asked for
//! write   kept/, clusters.parquet, pairs.parquet, the report
//! ```
//!
//! A job that was killed goes on with the first stage that is not complete.

mod address_pattern;
mod budget;
mod common;
mod cut;
mod cut_counts;
mod decide;
mod job;
mod largest;
mod notes;
mod options;
mod plan;
mod repeats;
mod signature_input;
mod sites;
mod traps;
mod writing;

pub use budget::RemovalBudget;
pub use decide::Decide;
pub use options::{Dedup, PairScope};
pub use plan::Plan;

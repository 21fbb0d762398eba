//! The batch job, out of core: sign, group, match, verify, decide, write.
//!
//! [`Dedup`] is the whole of it: a corpus in, the corpus without
//! near-duplicates out, within a memory budget, with a proof for every removal,
//! and a stage that is complete is never done twice. Its parts can be used by
//! themselves: signature files ([`signature_file`]), sorting more than fits
//! into memory ([`sort`]), [`identity_sets`], the way from keys to
//! clusters ([`matching`]), and the [`report`]. A finished run answers questions
//! about its documents: [`Run`].
//!
//! [`Against`] compares one corpus with another: which documents resemble or
//! contain one of a list of references. [`mirrors`] finds hosts and folders that
//! replicate each other. [`PairSearch`] finds all pairs of several recipes, for
//! those who compare recipes. Nothing here draws: what people look at is made of
//! these values by others.

mod against;
mod attributes;
mod bad_records;
mod by_row;
mod components;
mod containment;
mod counts;
mod dates;
mod dedup;
mod document_set;
mod error;
mod files;
mod identity;
pub mod identity_sets;
mod ids;
mod inputs;
mod keep;
mod keep_count;
mod known;
mod learn;
mod long_text;
mod manifest;
pub mod matching;
mod means;
mod memory;
pub mod mirrors;
pub mod numbers;
mod observe;
mod occurrences;
mod offsets;
mod order;
mod passages;
mod pipeline;
mod places;
mod polynomial;
mod rank;
mod recipe_pairs;
pub mod report;
pub mod run;
mod running;
mod scores;
mod sets;
mod sign;
pub mod signature_file;
mod skips;
pub mod sort;
mod sources;
mod stages;
mod team;
mod texts;
mod urls;
mod verify;
mod write;

pub use against::{Against, Findings, Match, MatchFile, Passage};
pub use components::Components;
pub use dates::date_microseconds;
pub use dedup::{Decide, Dedup, PairScope, Plan, RemovalBudget};
pub use error::{Error, ErrorKind, Operation, Result};
pub use ids::Ids;
pub use keep::{KeepPolicy, text as field_text};
pub use learn::{TemplateFile, TemplateFileInfo};
pub use lookalike_core::passages::CutUnit;
pub use lookalike_files::{AtomicFile, Existing};
pub use observe::{NoObserver, Observer, Stage, Work};
pub use occurrences::Occurrences;
pub use passages::{PassageRule, PassageScope};
pub use places::{InputOrder, KeepOrder, Number, Place, Row, Sides};
pub use recipe_pairs::{Beginning, CopyRule, PairSearch, RecipeCost, RecipePairs, ShownDocument};
pub use run::Run;
pub use running::Running;
pub use sets::{check_sets, check_texts};
pub use texts::Texts;
pub use write::{MEMBER_LIMIT, Repeats, Unreadable, Written};

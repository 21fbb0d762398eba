//! The Python package: conversions between Python and the library, and nothing else.
//!
//! `lookalike/__init__.py` is its front door; this is the module `lookalike._native` behind it.
//! Work happens without the interpreter's lock, and, where it can take long, on another thread,
//! while the calling one listens for Ctrl-C.

#![expect(clippy::needless_pass_by_value, reason = "Python's arguments are handed over")]

mod against;
mod batch;
mod columns;
mod command;
mod compare;
mod dedup;
mod env;
mod error;
mod evaluate;
mod index;
mod interrupt;
mod judge;
mod mirrors;
mod names;
mod observe;
mod options;
mod recipe;
mod recipe_methods;
mod signature;
mod text;
mod tune;
mod why;

use pyo3::prelude::*;

/// The native part of `lookalike`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::against::{Finding, Findings, Passage, against};
    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::compare::Comparison;
    #[pymodule_export]
    use crate::dedup::{
        decide, dedup, dedup_table, keep_fields, passages, passages_table, plan, records_of_rows,
        report_page, rows_cut_whole,
    };
    #[pymodule_export]
    use crate::evaluate::evaluate;
    #[pymodule_export]
    use crate::index::{Added, Answer, CheckedAndAdded, Index, Match, Rebuilt, Record, Records};
    #[pymodule_export]
    use crate::mirrors::{Mirror, MirrorFindings, mirrors};
    #[pymodule_export]
    use crate::observe::Progress;
    #[pymodule_export]
    use crate::recipe::Recipe;
    #[pymodule_export]
    use crate::signature::Signature;
    #[pymodule_export]
    use crate::tune::{Filter, FilterBin, FilterMeasurement, tune};
    #[pymodule_export]
    use crate::why::{
        Cut, Explanation, Member, Removal, RunDocument, Scores, Step, path_between, why,
    };

    /// Documents of one group that a document is compared with at most.
    #[pymodule_export]
    const GROUP_LIMIT: usize = lookalike_core::GROUP_LIMIT;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}

//! The Python package: conversions between Python and the library, and nothing else.
//!
//! `lookalike/__init__.py` is its front door; this is the module `lookalike._native` behind it.
//! Work happens without the interpreter's lock, and, where it can take long, on another thread,
//! while the calling one listens for Ctrl-C.

#![expect(clippy::needless_pass_by_value, reason = "Python's arguments are handed over")]

mod batch;
mod columns;
mod compare;
mod dedup;
mod error;
mod index;
mod interrupt;
mod judge;
mod names;
mod observe;
mod recipe;
mod signature;
mod text;

use pyo3::prelude::*;

/// The native part of `lookalike`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::compare::Comparison;
    #[pymodule_export]
    use crate::dedup::{dedup, dedup_table, plan};
    #[pymodule_export]
    use crate::index::{Added, Answer, CheckedAndAdded, Index, Match, Rebuilt, Record, Records};
    #[pymodule_export]
    use crate::observe::Progress;
    #[pymodule_export]
    use crate::recipe::Recipe;
    #[pymodule_export]
    use crate::signature::Signature;

    /// Documents of one group that a document is compared with at most.
    #[pymodule_export]
    const GROUP_LIMIT: usize = lookalike::core::GROUP_LIMIT;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}

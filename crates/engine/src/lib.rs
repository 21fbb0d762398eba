//! What is kept on disk, and what is done there.
//!
//! So far: signature files ([`signature_file`]), files that appear under their
//! name only when they are complete ([`AtomicFile`]), and the parts that the
//! batch job is made of: sorting out of core ([`sort`]), which keys occur more
//! than once ([`Occurrences`]), connected components ([`Components`]), who
//! stays ([`decide`]), and the report of it all ([`report`]).

mod atomic_file;
mod components;
pub mod decide;
mod error;
pub mod numbers;
mod occurrences;
pub mod report;
pub mod signature_file;
pub mod sort;

pub use atomic_file::{AtomicFile, Existing};
pub use components::Components;
pub use error::{Error, ErrorKind, Operation, Result};
pub use occurrences::Occurrences;

//! What is kept on disk, and what is done there.
//!
//! So far: signature files ([`signature_file`]), files that appear under their
//! name only when they are complete ([`AtomicFile`]), and the parts that the
//! batch job is made of: sorting out of core ([`sort`]), which keys occur more
//! than once ([`Occurrences`]), identity sets ([`group`]), and the way from keys
//! to clusters ([`matching`]), with connected components ([`Components`]).

mod artefact;
mod atomic_file;
mod components;
mod error;
pub mod group;
pub mod matching;
pub mod numbers;
mod occurrences;
mod places;
pub mod report;
pub mod signature_file;
pub mod sort;
mod source;

pub use atomic_file::{AtomicFile, Existing};
pub use components::Components;
pub use error::{Error, ErrorKind, Operation, Result};
pub use occurrences::Occurrences;
pub use places::Places;

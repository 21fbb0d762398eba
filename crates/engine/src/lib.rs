//! What is kept on disk.
//!
//! So far: signature files ([`signature_file`]), and files that appear under
//! their name only when they are complete ([`AtomicFile`]).

mod atomic_file;
mod error;
pub mod signature_file;

pub use atomic_file::{AtomicFile, Existing};
pub use error::{Error, ErrorKind, Operation, Result};

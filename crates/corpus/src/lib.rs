//! Documents in: files, folders, globs and standard input.
//!
//! [`Inputs`] turns what a user names into documents, one at a time and in an
//! order that depends on nothing but the names. Only one document is in memory
//! at once, and none larger than [`Limits::max_document_bytes`].
//!
//! - A file given by name is a document, whatever it is called.
//! - A folder is walked, entries sorted by name: `.txt` and `.md` files are
//!   documents, other files are counted, and what begins with a dot is passed
//!   over. Links to files are read; links to folders are not entered, so that a
//!   loop cannot hang a walk.
//! - A glob (`*`, `?`, `**`) stands for the files it matches, as if each had
//!   been given by name. As in shells, a leading dot must be written out.
//! - `-` is standard input.
//!
//! What cannot exist is refused at once; what cannot be read is an error of its
//! own in the iteration, and the next document follows.
//!
//! ```no_run
//! let mut inputs = lookalike_corpus::Inputs::new(&["letters".to_owned()])?;
//! for document in &mut inputs {
//!     let document = document?;
//!     println!("{}: {} bytes", document.id, document.bytes.len());
//! }
//! println!("{} files of other kinds", inputs.other_files());
//! # Ok::<(), lookalike_corpus::Error>(())
//! ```

mod error;
mod glob;
mod inputs;
mod text_files;
mod walk;

pub use error::{Error, ErrorKind, Operation, Result};
pub use inputs::{Inputs, read_document};

/// An id and the text that stands under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The path as given or as walked, with `/` between folders; `-` for standard input.
    pub id: String,
    /// The text, not checked in any way.
    pub bytes: Vec<u8>,
}

/// What is refused rather than read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest document.
    pub max_document_bytes: u64,
}

impl Default for Limits {
    /// Documents of up to 1 GiB: longer than any text a person wrote.
    fn default() -> Self {
        Self { max_document_bytes: 1 << 30 }
    }
}

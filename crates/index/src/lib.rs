//! The persistent index: is this new document a look-alike of one already known?

mod browse;
mod collapse;
mod document;
mod error;
mod files;
mod header;
mod index;
mod judge;
mod maintenance;
mod options;
mod pending;
mod postings;
mod state;
mod store;
mod tools;
mod view;
mod writer;

pub use collapse::{Collapsed, Listed, Standing};
pub use document::{
    Content, ContentKind, Document, MAX_CONTENT_BYTES, MAX_ID_BYTES, MAX_URL_BYTES, Record,
};
pub use error::{Error, ErrorKind, Operation, Result};
pub use header::Secret;
pub use index::{AddIf, Added, Answer, CheckedAndAdded, Documents, Index};
pub use judge::{Match, MatchKind};
pub use maintenance::{Stats, Verified};
pub use options::{CreateOptions, OpenOptions};
pub use view::LIST_LIMIT;

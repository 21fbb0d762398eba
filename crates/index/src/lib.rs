//! The persistent index: is this new document a look-alike of one already known?
//!
//! ```
//! use lookalike_core::Recipe;
//! use lookalike_index::{AddIf, CreateOptions, Document, Index, MatchKind};
//!
//! # let folder = std::env::temp_dir().join(format!("lookalike-index-doc-{}", std::process::id()));
//! # let _ = std::fs::remove_dir_all(&folder);
//! let index = Index::create(&folder, &Recipe::preset("text")?, &CreateOptions::new())?;
//! let letter = "Dear neighbours, the roof will be repaired in March. We ask you to close all \
//!               windows, and to leave no cars in the yard until the work is done.";
//! index.add(&Document::text("letter", letter).with_time(1_790_000_000))?;
//!
//! let again = letter.replace("March", "April");
//! let answer = index.check(&Document::text("again", &again))?;
//! assert!(answer.is_new()); // They share 20 of 30 shingles: too few.
//!
//! let loud = letter.to_uppercase();
//! let done = index.check_and_add(&Document::text("loud", &loud), AddIf::New)?;
//! assert_eq!(done.answer.matches[0].id, "letter");
//! assert_eq!(done.answer.matches[0].kind, MatchKind::Exact);
//! assert!(done.added.is_none());
//! # drop(index);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), lookalike_index::Error>(())
//! ```
//!
//! # What is a match
//!
//! The same questions are asked as by the batch job. The candidates of a document
//! are those with its token sequence, and, for each of its keys, the first
//! [`GROUP_LIMIT`](lookalike_core::GROUP_LIMIT) living documents that have the key, in the order of adding; those
//! that the recipe accepts are matches. So documents that come one by one and are
//! added if they are new ([`AddIf::New`]) stay exactly if `dedup --keep first` would
//! keep them. (One exception: where the recipe asks for sites, the job takes a copy
//! for its original even if that is on another site and goes.)
//!
//! Where contents are stored, resemblance is exact. Otherwise a match has an
//! estimate from what is kept of the sketch, or only the similarity of features and
//! bits, and its fields say which.
//!
//! # What is promised
//!
//! - An operation that returned is on disk; one that did not is there as a whole or
//!   not at all. Batches are one operation, and much cheaper than many.
//! - Any number of threads check at once; changes are made one after another, and
//!   [`Index::check_and_add`] has nothing in between. One process at a time.
//! - Everything that is read is checked. Damage is an error that names the file and
//!   the record, never another answer, and an index that is not opened because of it is
//!   not changed. [`Index::verify`] looks at everything; [`OpenOptions::rebuild`] goes on
//!   with the documents that can be read.
//!
//! # What it costs
//!
//! Under `text` and without contents 235 bytes of disk a document at five million, half of them
//! its signature, and up to 130 MB of journals; while segments are merged, for a while as much as their
//! postings again; in memory 15 bytes a document for filters, up to
//! 70 MB for the postings that are in no file yet, and the caches of the store. `benchmarks` has
//! the times.
//!
//! # How it works
//!
//! ```text
//! document    what comes, and the record that is kept      header     recipe, secret
//! store       records, contents, tombstones                 state      how far the index is
//! postings    key -> documents: in memory, then segments    segments   written, merged, made anew
//! view        lists of a moment -> candidates               pending    changes not made yet
//! judge       candidate -> match                            folder     its names, and its making
//! sound       what the store must have to be opened         rebuild    all of it from documents
//! index       what it is made of, opening                   operations check, add, remove
//! writer      commits, flushes, has segments merged         maintenance  verify, compact, copy
//! browse      pages of documents, searches, URLs             templates  of sites, left out
//! collapse    a ranked list without look-alikes             clusters   what looks alike in the index
//! threshold   asked under another threshold than its own   counts    how often documents were found
//! shelf       what a batch job that knows it asks for
//! ```

mod browse;
mod clusters;
mod collapse;
mod counts;
mod document;
mod error;
mod folder;
mod header;
mod index;
mod judge;
mod maintenance;
mod match_kind;
mod operations;
mod options;
mod pending;
mod postings;
mod rebuild;
mod segments;
mod shelf;
mod sound;
mod state;
mod store;
mod templates;
mod threshold;
mod tools;
mod view;
mod writer;

pub use browse::Found;
pub use clusters::{Cluster, Clusters, MAX_CLUSTER, Member};
pub use collapse::{CollapsedList, RankedEntry, Standing};
pub use counts::{Counts, Seen};
pub use document::{
    Content, ContentKind, Document, MAX_CONTENT_BYTES, MAX_ID_BYTES, MAX_URL_BYTES, Record,
};
pub use error::{Error, ErrorKind, Operation, Result};
pub use header::Secret;
pub use index::{Documents, Index};
pub use judge::Match;
pub use maintenance::{Stats, VerificationReport};
pub use match_kind::MatchKind;
pub use operations::{AddIf, Addition, Answer, CheckedAddition};
pub use options::{CreateOptions, OpenOptions};
pub use rebuild::RebuildReport;
pub use shelf::open_shelf;
pub use threshold::IndexAt;

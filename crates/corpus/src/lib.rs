//! Documents in and out: files, folders, globs, standard input and object stores.
//!
//! [`Sources`] turns what a user names into files of documents, in an order that
//! depends on nothing but the names: by [`Sources::by_name`] not even on the
//! order they are given in. A [`Source`] gives its records in [`Chunk`]s, which
//! can be parsed on any thread, and writes some of them in its own format
//! again: its selection, as they are or, by [`Source::pending_edits`], with changes.
//! Written down by serde, a source can be opened again later.
//! [`Inputs`] does the reading in one go, one document after another.
//!
//! - A file holds what its name says: `.jsonl`, `.ndjson` and `.json` one object
//!   on each line, `.csv` and `.tsv` a table with a header, `.parquet`, `.arrow`
//!   and `.feather` a table,
//!   `.html` and `.htm` a web page, `.warc` and `.wet` a web archive, `.txt` and
//!   `.md` one document; each also `.gz`, `.zst`, `.bz2` and `.xz`.
//!   Where the name says nothing the first bytes do, and what they do not tell
//!   is one document of text.
//! - A folder is walked, entries sorted by name: files with such names are read,
//!   other files are counted, and what begins with a dot is passed over. Links to
//!   files are read; links to folders are not entered, so that a loop cannot hang
//!   a walk.
//! - A glob (`*`, `?`, `**`) stands for the files it matches, as if each had
//!   been given by name. As in shells, a leading dot must be written out.
//! - `-` is standard input, which [`Source::spool`] keeps for a second reading,
//!   and `file:///a%20b` is the local path `/a b`.
//! - `s3://bucket/key`, `gs://bucket/key` and `az://container/key` are objects of
//!   a store, prefixes of them that are walked as folders are, or globs. That
//!   takes the feature `object-stores`.
//! - [`Tables`] are inputs that are in memory already, as Arrow record batches.
//!
//! What cannot exist is refused at once; what cannot be read is an error of its
//! own in the iteration, and the next record or file follows. Whether the bytes
//! are at fault or the system that does not give them, [`Error::is_io`] tells. Memory is bounded
//! by [`Limits`] and the size of chunks, whatever a file unpacks to; only
//! Parquet files decide on the size of their pages themselves, and Arrow files on that of their batches. A text file is one
//! chunk, or, by [`Source::text_reader`], a stream that need not be in memory.
//!
//! ```no_run
//! use lookalike_corpus::{ReadOptions, Sources};
//!
//! let options = ReadOptions::default();
//! for source in Sources::new(&["crawl"], None)? {
//!     let source = source?;
//!     for chunk in source.chunks(&options) {
//!         chunk?.for_each(|record| match record {
//!             Ok(record) => println!("{}: {} bytes", record.id, record.content.len()),
//!             Err(error) => println!("skipped: {error}"),
//!         });
//!     }
//!     // Every other record.
//!     source.write_selection("out".as_ref(), &options, |number| number % 2 == 1)?;
//! }
//! # Ok::<(), lookalike_corpus::Error>(())
//! ```

mod arrow_file;
mod arrow_rows;
mod charset;
mod chunk;
mod column;
mod compression;
mod description;
mod disk_file;
mod edits;
mod error;
mod file_url;
mod format;
mod glob;
mod guard;
mod inputs;
mod json;
mod json_edit;
mod json_spelt;
mod kept_rows;
mod memory;
mod names;
mod object;
#[cfg_attr(not(feature = "object-stores"), path = "no_object_store.rs")]
mod object_store;
mod parquet;
mod parquet_rows;
mod passed_over;
mod paths;
mod position;
mod read_ahead;
mod record;
mod row_edit;
mod selection;
mod source;
mod split;
mod table;
mod table_edit;
mod text_files;
mod unpacked;
mod version;
mod walk;
mod warc;

pub use arrow_array::RecordBatch;
pub use charset::decode_page;
pub use chunk::{Chunk, Chunks};
pub use compression::Compression;
pub use edits::{
    AddedField, AddedKind, AddedSpan, AddedValue, Change, Edit, Revisit, SelectionReport,
};
pub use error::{BinaryKind, EditFault, Error, ErrorKind, Fault, Operation, Place, Result};
pub use format::Format;
pub use guard::{Panic, guarded, panics_are_expected};
pub use inputs::{Inputs, Sources, read_document};
pub use memory::Tables;
pub use passed_over::PassedOverCounts;
pub use record::{ContentKind, Document, FieldValue, Fields, Limits, Offsets, ReadOptions, Record};
pub use selection::{FileCopy, PendingCopies, PendingSelection};
pub use source::Source;
pub use unpacked::UnpackedCopies;
pub use version::Version;

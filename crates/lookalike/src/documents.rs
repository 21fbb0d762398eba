//! Documents in and out: files, folders, globs, standard input and object stores, in every format.
//!
//! [`Inputs`] reads one document after another; [`Sources`] gives the files behind them, whose records
//! come in chunks for many threads, and a selection of which can be written back in their own format.
//!
//! ```
//! use lookalike::documents::Inputs;
//!
//! # let file = std::env::temp_dir().join(format!("lookalike-documents-{}.jsonl", std::process::id()));
//! # std::fs::write(&file, "{\"id\": \"a\", \"text\": \"A letter.\"}\nno record\n").unwrap();
//! # let mut ids = Vec::new();
//! for document in Inputs::new(&[file.display().to_string()])? {
//!     match document {
//!         Ok(document) => ids.push(document.id),
//!         // One record is bad; those around it are not.
//!         Err(error) => eprintln!("skipped: {error}"),
//!     }
//! }
//! assert_eq!(ids, ["a"]);
//! # std::fs::remove_file(file).unwrap();
//! # Ok::<(), lookalike::Error>(())
//! ```

pub use lookalike_corpus::{
    AddedField, AddedKind, AddedSpan, AddedValue, Change, Chunk, Chunks, Compression, ContentKind,
    Document, Edit, EditFault, FieldValue, Fields, FileCopy, Format, Inputs, Limits, Offsets,
    PassedOverCounts, PendingCopies, PendingSelection, ReadOptions, Record, RecordBatch, Revisit,
    SelectionReport, Source, Sources, Tables, UnpackedCopies, Version, decode_page, read_document,
};
pub use lookalike_engine::Texts;

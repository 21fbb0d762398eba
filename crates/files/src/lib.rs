//! Files that are complete or not there, and that are checked before they are believed.
//!
//! - [`AtomicFile`] appears under its name when all of it is on the disk;
//!   [`commit_all`] does that for many at a time, [`write_file`] in one call.
//! - [`AtomicFolder`] does the same, and [`create_folder`], [`sync_folder`] and their
//!   like make names last. [`WorkFolder`] goes with the job that made it.
//! - [`Lock`] and [`JobLock`] keep a second process out, and go with the process.
//! - [`CheckedFile`] is the container: a [`Format`], then blocks with checksums, read
//!   at any place. [`Rows`] are tables in it, the working files of a job.
//!   [`ByteReader`] reads in order what has a layout of its own.
//!
//! Every [`Error`] names the file and what was being done with it. Nothing here
//! knows what the files hold.

mod atomic_file;
mod byte_reader;
mod bytes;
mod checked_file;
mod error;
mod folder;
mod format;
mod lock;
mod rows;

pub use atomic_file::{AtomicFile, Existing, commit_all, write_file, write_private_file};
pub use byte_reader::ByteReader;
pub use bytes::{
    CHECKSUM, check_sum, checksum, double_word, pull_number, pull_signed, push_number, push_signed,
    read_at, word,
};
pub use checked_file::{CheckedFile, CheckedWriter};
pub use error::{Error, ErrorKind, Operation, Result};
pub use folder::{
    AtomicFolder, WorkFolder, create_folder, partial_path, remove_folder, sync_folder, sync_parent,
};
pub use format::Format;
pub use lock::{JOB_LOCK, JobLock, Lock};
pub use rows::{Rows, RowsKind, RowsReader, RowsWriter};

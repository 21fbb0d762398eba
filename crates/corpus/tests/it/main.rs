//! Documents in and out, on a real file system and from a real object store.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod copies;
mod formats;
mod inputs;
#[cfg(feature = "object-stores")]
mod object_stores;

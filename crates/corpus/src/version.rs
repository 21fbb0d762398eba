//! What tells a file from what it was before, or from another that took its place.

use std::fs::Metadata;
use std::time::SystemTime;

use crate::error::{Error, ErrorKind, Result};
use crate::memory;
use crate::object_store;
use crate::paths::metadata;
use crate::source::{Origin, Source};

/// The state of a file at one moment. Two that are equal are of the same bytes, as far as a
/// system tells without reading them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Version {
    /// Its size as stored.
    pub bytes: u64,
    /// When it was changed last, where that is known.
    pub modified: Option<SystemTime>,
    identity: Identity,
}

/// Which file it is, and when anything about it changed: a copy may have the size and the time
/// of what it replaces. Device, inode, seconds and nanoseconds, where the system tells.
#[cfg(unix)]
type Identity = [i128; 4];
#[cfg(not(unix))]
type Identity = ();

#[cfg(unix)]
fn identity(metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    let (device, inode) = (i128::from(metadata.dev()), i128::from(metadata.ino()));
    [device, inode, i128::from(metadata.ctime()), i128::from(metadata.ctime_nsec())]
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {}

impl Source {
    /// What it is now. An object of a store is asked for once, then this source and its clones
    /// stay with the answer, and read that version only.
    ///
    /// # Errors
    /// If the system or the store does not tell, or it is standard input.
    pub fn version(&self) -> Result<Version> {
        Ok(match &self.origin {
            Origin::File(path) => {
                let metadata = metadata(path)?;
                Version {
                    bytes: metadata.len(),
                    modified: metadata.modified().ok(),
                    identity: identity(&metadata),
                }
            }
            Origin::Object(object) => {
                let about = object_store::about(object)?;
                Version {
                    bytes: about.bytes,
                    modified: Some(about.modified),
                    identity: Identity::default(),
                }
            }
            Origin::StandardInput(_) => return Err(Error::from(ErrorKind::ReadOnce)),
            Origin::Memory(table) => {
                let bytes = memory::bytes(table.batches()?);
                Version { bytes, modified: None, identity: Identity::default() }
            }
        })
    }
}

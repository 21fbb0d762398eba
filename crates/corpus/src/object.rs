//! An object of a store, by its URL, and what is known of it.

use std::sync::{Arc, OnceLock};
use std::time::SystemTime;
use std::{error, io};

/// One version of an object: the one that was there when the store was first asked for it. What
/// is read later has to be of that version, so size, time and content belong together. The store
/// is not asked twice, by this or its clones; an object by the same URL made later is asked anew.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) url: String,
    /// The size that a listing gave: good enough to plan by, without a request for each object.
    pub(crate) listed_bytes: Option<u64>,
    pub(crate) about: Arc<OnceLock<About>>,
}

/// What a store says of an object.
#[derive(Clone, Debug)]
pub(crate) struct About {
    pub(crate) bytes: u64,
    /// In whole seconds.
    pub(crate) modified: SystemTime,
    /// Some stores tell none.
    #[cfg_attr(not(feature = "object-stores"), expect(dead_code, reason = "nothing is read"))]
    pub(crate) version: Option<String>,
}

/// What a store said when it failed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct StoreFault(pub(crate) String);

/// Whether a store failed, rather than a decoder of what it gave.
pub(crate) fn is_store_fault(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn error::Error + Send + Sync>::is::<StoreFault>)
}

impl Object {
    pub(crate) fn new(url: String) -> Self {
        Self { url, listed_bytes: None, about: Arc::default() }
    }

    /// The name after its last slash.
    pub(crate) fn file_name(&self) -> &str {
        self.url.rsplit('/').next().unwrap_or_default()
    }
}

/// The object stores of the contract.
pub(crate) fn is_object(argument: &str) -> bool {
    ["s3://", "gs://", "az://"].iter().any(|scheme| argument.starts_with(scheme))
}

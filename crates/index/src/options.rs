//! How an index is made and opened.

use lookalike_core::{Kernel, setters};

use crate::header::Secret;

/// How an index is made. What is said here never changes.
#[derive(Clone, Debug)]
pub struct CreateOptions {
    store_text: bool,
    open: OpenOptions,
}

/// How an index is opened.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    pub(crate) secret: Option<Secret>,
    pub(crate) kernel: Kernel,
    pub(crate) cache_bytes: u64,
    pub(crate) segment_postings: usize,
    pub(crate) threads: usize,
    pub(crate) rebuild: bool,
}

/// Postings of a segment as it is first written, which are also the most that are in memory. 2 Mi:
/// those of 140,000 documents under `text`, about 70 MB, written in half a second.
const RUN_POSTINGS: usize = 2 << 20;

impl Default for CreateOptions {
    fn default() -> Self {
        Self { store_text: true, open: OpenOptions::default() }
    }
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            secret: None,
            kernel: Kernel::best(),
            cache_bytes: 64 << 20,
            segment_postings: RUN_POSTINGS,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            rebuild: false,
        }
    }
}

impl CreateOptions {
    /// Contents are stored, and there is no secret.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Contents are not stored, which they are unless told, compressed. Without them nothing can be
        /// verified exactly: matches have an estimate, from a bit of each minvalue unless the recipe
        /// keeps whole sketches, or, if it has neither, only the similarity of features and bits.
        without_text => store_text = false;
    }

    /// Draws all random choices from a secret, which every opening will need.
    #[must_use]
    pub fn secret(mut self, secret: Secret) -> Self {
        self.open = self.open.secret(secret);
        self
    }

    /// How it is opened once it is made.
    #[must_use]
    pub fn open(mut self, mut options: OpenOptions) -> Self {
        options.secret = options.secret.or(self.open.secret);
        self.open = options;
        self
    }

    pub(crate) fn stores_text(&self) -> bool {
        self.store_text
    }

    pub(crate) fn opening(&self) -> &OpenOptions {
        &self.open
    }
}

impl OpenOptions {
    /// Without a secret.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// The secret that the index was made with.
        secret: Secret => secret = Some(secret);
        /// The kernel to work with; the fastest unless told. Answers do not depend on it.
        kernel: Kernel;
        /// Threads that sign the documents of a batch; as many as the machine has unless told.
        /// Answers do not depend on them.
        threads: usize;
        /// Bytes of documents that are kept in memory; 64 MiB unless told.
        cache_bytes: u64;
        /// Makes the index anew from the documents that can be read, beside the old one and
        /// then in its place: for an index that lost postings, documents, or the end of its journal to
        /// damage. [`Index::rebuilt`](crate::Index::rebuilt) says what is not there any more.
        rebuild => rebuild = true;
        /// Postings of a segment. For tests, which want many small ones.
        #[doc(hidden)]
        segment_postings: usize => segment_postings = segment_postings.max(1);
    }
}

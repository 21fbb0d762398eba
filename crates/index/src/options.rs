//! How an index is made and opened.

use lookalike_core::Kernel;

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

    /// Whether contents are stored, compressed. Without them nothing can be verified exactly:
    /// matches have an estimate, from a bit of each minvalue unless the recipe keeps whole
    /// sketches, or, if it has neither, only the similarity of features and bits.
    #[must_use]
    pub fn store_text(mut self, store_text: bool) -> Self {
        self.store_text = store_text;
        self
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

    /// The secret that the index was made with.
    #[must_use]
    pub fn secret(mut self, secret: Secret) -> Self {
        self.secret = Some(secret);
        self
    }

    /// The kernel to work with; the fastest unless told. Answers do not depend on it.
    #[must_use]
    pub fn kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = kernel;
        self
    }

    /// Threads that sign the documents of a batch; as many as the machine has unless told.
    /// Answers do not depend on them.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Bytes of documents that are kept in memory; 64 MiB unless told.
    #[must_use]
    pub fn cache_bytes(mut self, bytes: u64) -> Self {
        self.cache_bytes = bytes;
        self
    }

    /// Whether to make the index anew from the documents that can be read, beside the old one and
    /// then in its place: for an index that lost postings, documents, or the end of its journal to
    /// damage. [`Index::rebuilt`](crate::Index::rebuilt) says what is not there any more.
    #[must_use]
    pub fn rebuild(mut self, rebuild: bool) -> Self {
        self.rebuild = rebuild;
        self
    }

    /// Postings of a segment. For tests, which want many small ones.
    #[doc(hidden)]
    #[must_use]
    pub fn segment_postings(mut self, postings: usize) -> Self {
        self.segment_postings = postings.max(1);
        self
    }
}

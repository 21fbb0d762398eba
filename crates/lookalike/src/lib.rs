//! Finds documents that are roughly the same, and proves it.
//!
//! Candidates share features (MinHash LSH bands) or most bits of a projection (SimHash); a
//! pair has an exact resemblance, the Jaccard similarity of word n-grams.
//!
//! This is the front door: what most programs need, from the crates behind it
//! ([`kernels`] the inner loops, [`core`] the mathematics, [`files`] what is complete
//! or not there, [`corpus`] documents in and out, [`engine`] the batch job, [`index`]
//! the persistent index, [`eval`] recipes judged by labels, [`pages`] what people look
//! at).
//!
//! # Two documents
//!
//! ```
//! use lookalike::{Comparer, Recipe};
//!
//! let recipe = Recipe::preset("text")?;
//! let mut comparer = Comparer::new(&recipe)?;
//! let old = "The quick brown fox jumps over the lazy dog, every single morning at six.";
//! let new = "The quick brown fox jumps over the lazy dog, every single evening at six.";
//! let pair = comparer.compare(old.as_bytes(), new.as_bytes());
//! // Ten windows of five words each; three of them have the word that changed.
//! assert_eq!((pair.overlap.common, pair.term_difference), (7, 2));
//! assert_eq!(pair.overlap.resemblance(), 7.0 / 13.0);
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
//! # Signatures
//!
//! A signature is what is kept of a document: about a hundred bytes, the same
//! on every machine.
//!
//! ```
//! use lookalike::{Recipe, Signer};
//!
//! let recipe = Recipe::tune(0.8, 0.95)?;
//! let mut signer = Signer::new(&recipe)?;
//! let signature = signer.sign("Any text, in any script.".as_bytes());
//! assert_eq!(signature.features.len(), 13);
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
//! # A corpus
//!
//! [`dedup`] takes files, folders and globs, and leaves the corpus without
//! near-duplicates, with a proof for every removal.
//!
//! ```
//! use lookalike::{KeepPolicy, NoObserver};
//!
//! # let folder = std::env::temp_dir().join(format!("lookalike-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let corpus = folder.join("letters.jsonl");
//! std::fs::write(&corpus, concat!(
//!     "{\"id\": \"a\", \"text\": \"Dear neighbours, the roof will be repaired in March.\"}\n",
//!     "{\"id\": \"b\", \"text\": \"DEAR NEIGHBOURS: the roof will be repaired in March!\"}\n",
//!     "{\"id\": \"c\", \"text\": \"Something else altogether, about the garden.\"}\n",
//! ))?;
//! let report = lookalike::dedup([corpus.display().to_string()])
//!     .keep(KeepPolicy::First)
//!     .memory(256 << 20)
//!     .run(&folder.join("out"), &NoObserver)?;
//! assert_eq!((report.documents, report.kept, report.exact_removed), (3, 2, 1));
//! assert!(folder.join("out/report.html").exists());
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Documents that come one by one
//!
//! [`Index`] remembers documents on disk and says of new ones which known ones they
//! are look-alikes of; see [`index`].
//!
//! # Habits
//!
//! Builders, no global state, everything `Send`; errors are [`Error`] with an
//! [`ErrorKind`] that may grow. Nothing here looks at the clock, and no result
//! depends on threads, memory or the machine.

pub use lookalike_core as core;
pub use lookalike_corpus as corpus;
pub use lookalike_engine as engine;
pub use lookalike_eval as eval;
pub use lookalike_files as files;
pub use lookalike_index as index;
pub use lookalike_kernels as kernels;
pub use lookalike_pages as pages;

pub use lookalike_core::{
    CandidateRule, Comparer, Comparison, Kernel, Layout, PairRule, Recipe, Signature, Signer,
    Similarity, SiteRule, recipe, resemblance::Overlap, site, text,
};
pub use lookalike_corpus::{ContentKind, Document, Format, Inputs, ReadOptions, Source, Sources};
pub use lookalike_engine::matching::Clustering;
pub use lookalike_engine::mirrors;
pub use lookalike_engine::report::Report;
pub use lookalike_engine::signature_file::{SignatureLookup, SignatureReader, SignatureWriter};
pub use lookalike_engine::{
    Error, ErrorKind, KeepPolicy, NoObserver, Observer, PairScope, Plan, RemovalBudget, Result,
    Row, Running, Stage, Texts, Work,
};
pub use lookalike_index::Index;

use std::path::PathBuf;

use engine::{Decide, Dedup};

/// A job on these files, folders, globs, or `-` for standard input, whose results have a page for
/// people, `report.html`, beside `report.json`.
pub fn dedup(inputs: impl IntoIterator<Item = String>) -> Dedup {
    Dedup::new(inputs).page(pages::report)
}

/// Another decision from the folder of a finished run, with a page as that of [`dedup`].
pub fn decide(run: impl Into<PathBuf>) -> Decide {
    Decide::new(run).page(pages::report)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs hand these from thread to thread.
    #[test]
    fn everything_can_be_sent() {
        fn is_send<T: Send>() {}
        fn is_shared<T: Send + Sync>() {}
        is_shared::<Recipe>();
        is_shared::<Signature>();
        is_shared::<engine::Dedup>();
        is_shared::<Report>();
        is_shared::<Document>();
        is_shared::<SignatureLookup>();
        is_shared::<Index>();
        is_send::<Signer>();
        is_send::<Comparer>();
        is_send::<Error>();
    }
}

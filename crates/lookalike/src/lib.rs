//! Finds documents that are roughly the same, and proves it.
//!
//! Candidates share features (MinHash LSH bands) or most bits of a projection (SimHash); a
//! pair has an exact resemblance, the Jaccard similarity of word n-grams.
//!
//! | you have | you want | take |
//! | --- | --- | --- |
//! | two documents | how alike they are, and where they differ | [`Comparer`], [`text::marked`] |
//! | texts, or sets of anything | a hundred bytes each to compare them by | [`Signer`], [`signature`], [`sketch`] |
//! | a corpus | the corpus without look-alikes, and why | [`dedup`], [`jobs`] |
//! | documents that come one by one | whether one is known | [`Index`], [`mod@index`] |
//! | labels of people | which recipe is right how often | [`eval`] |
//!
//! What all of them go by is a [`Recipe`].
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
//! let pair = comparer.compare(old, new);
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
//! let signature = signer.sign("Any text, in any script.");
//! assert_eq!(signature.features.len(), 13);
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
#![cfg_attr(all(feature = "jobs", feature = "index"), doc = include_str!("../corpus.md"))]
//! # Features
//!
//! `jobs` and `index` are on unless `default-features = false`. Without them there is all that needs no
//! files: recipes, signatures, sketches, comparisons, text; neither Arrow nor a store is compiled, nor any
//! C. (serde and toml stay: recipes are TOML.) `index` alone brings no Arrow. `serde` lets signatures,
//! comparisons and recipes be stored; `object-stores` reads from S3, Google Cloud Storage and Azure;
//! `filter-plots` draws.
//!
//! # Habits
//!
//! Builders, no global state, everything `Send`. Each part has its error, and `?` turns all of them
//! into [`Error`], whose [`ErrorKind`] may grow. No result depends on threads, memory or the machine.
//! The environment is not read, but for what object stores are asked by: their keys and regions are
//! where their own tools look.

#[cfg(feature = "jobs")]
pub mod documents;
pub mod error;
#[cfg(feature = "jobs")]
pub mod eval;
#[cfg(feature = "index")]
pub mod index;
#[cfg(feature = "jobs")]
pub mod jobs;
#[cfg(feature = "jobs")]
pub mod pages;
pub mod recipe;
pub mod signature;
pub mod sketch;
pub mod text;

#[cfg(feature = "jobs")]
pub use documents::Document;
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "index")]
pub use index::Index;
#[cfg(feature = "jobs")]
pub use jobs::{Decide, Dedup, KeepPolicy, Report, Run};
pub use lookalike_core::resemblance::Overlap;
pub use lookalike_core::{Comparer, Comparison};
pub use recipe::Recipe;
pub use signature::{Kernel, Signature, Signer, Similarity};

/// A job on these files, folders, globs, or `-` for standard input, whose results have a page for
/// people, `report.html`, beside `report.json`.
#[cfg(feature = "jobs")]
pub fn dedup(inputs: impl IntoIterator<Item = impl Into<String>>) -> Dedup {
    let job = Dedup::new(inputs).page(pages::report);
    #[cfg(feature = "index")]
    let job = job.known_indexes(lookalike_index::open_shelf);
    job
}

/// Another decision from the folder of a finished run, with a page as that of [`dedup`].
#[cfg(feature = "jobs")]
pub fn decide(run: impl Into<std::path::PathBuf>) -> Decide {
    Decide::new(run).page(pages::report)
}

#[cfg(test)]
mod tests;

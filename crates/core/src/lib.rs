//! The mathematics of near-duplicate detection.
//!
//! No files, no clock, no threads: every function here is pure, and gives the
//! same bits on every machine; only a [`VerificationKey`] is drawn at random, and
//! no result depends on it. The way of a document through the modules:
//!
//! ```text
//! text        document -> canonical tokens
//! shingle     tokens -> shingles
//! sketch      shingles -> a small sample
//! feature     minvalues -> features          kernels::Projection: tokens -> projection
//! signature   = what is kept of a document   signer: all of it in one pass
//! filter      when do shared features make a candidate?
//! candidate   the keys by which candidates meet, and the whole rule
//! pair_rule   what makes a candidate a pair
//! template    what is the frame of a site, and what is a page's own
//! resemblance and difference: the truth about two documents
//! verification  what it is computed from, so that nobody can forge it
//! recipe      every parameter of all that
//! shelf       what a job asks of an index that it knows
//! ```
//!
//! ```
//! use lookalike_core::{Comparer, Recipe};
//!
//! let recipe = Recipe::preset("text")?;
//! let mut comparer = Comparer::new(&recipe)?;
//! let pair = comparer.compare(b"A rose is a rose is a rose.", b"A rose is a rose, is a rose!");
//! assert!(pair.same_tokens);
//! assert_eq!(pair.overlap.resemblance(), 1.0);
//! # Ok::<(), lookalike_core::Error>(())
//! ```

mod candidate;
mod compare;
pub mod difference;
mod error;
pub mod feature;
pub mod filter;
mod pair_rule;
pub mod passages;
mod random;
pub mod recipe;
pub mod resemblance;
mod setters;
mod shelf;
pub mod shingle;
mod signature;
mod signer;
mod site;
pub mod sketch;
#[cfg(feature = "serde")]
mod stored;
pub mod template;
pub mod text;
mod verification;

pub use candidate::{Agreement, CandidateRule, Condition, Quantity};
pub use compare::{Comparer, Comparison};
pub use error::{Error, ErrorKind, Result};
pub use lookalike_kernels::{Kernel, KernelError, Sequence, mix};
pub use pair_rule::{Evidence, GROUP_LIMIT, PairRule, Standing, Verdict};
pub use random::random_bytes;
pub use recipe::Recipe;
#[doc(hidden)]
pub use setters::Given;
pub use shelf::{OpenShelf, Shelf, ShelfError, ShelvedContent, ShelvedDocument};
pub use signature::{Layout, Signature, Similarity};
pub use signer::Signer;
pub use site::{SiteRule, host, host_of, site, site_hash};
pub use verification::{Code, VerificationKey};

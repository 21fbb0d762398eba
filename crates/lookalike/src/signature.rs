//! Signatures: what is kept of a document, how it is made, and what two of them say.
//!
//! A [`Signer`] takes texts, web pages by their [`Text`](crate::text::Text), or items of any kind; one
//! for each thread. [`Similarity`] compares two signatures, [`CandidateRule`] gives each the keys by which
//! candidates meet, and [`PairRule`] says whether a candidate is a pair. [`Layout`] packs them.
//!
//! ```
//! use lookalike::{Kernel, Recipe, Signer, signature::CandidateRule};
//!
//! // Sets of anything: shingles of one item each.
//! let mut recipe = Recipe::preset("text")?;
//! recipe.shingles.width = 1;
//! let mut signer = Signer::new(&recipe)?;
//! let basket = signer.sign_items(["bread", "milk", "eggs", "tea", "rice"]).clone();
//! let other = signer.sign_items(["eggs", "rice", "bread", "milk", "tea"]).clone();
//! assert_eq!((basket.exact == other.exact, basket.features == other.features), (false, true));
//!
//! let rule = CandidateRule::new(Kernel::best(), &recipe);
//! let mut keys = Vec::new();
//! rule.keys(&basket, &mut keys);
//! assert_eq!(keys.len(), rule.keys_per_document());
//! assert!(rule.holds(&basket, &other, false));
//! # Ok::<(), lookalike::Error>(())
//! ```

pub use lookalike_core::template::{LeftOut, Template};
pub use lookalike_core::{
    Agreement, CandidateRule, Code, Condition, Evidence, GROUP_LIMIT, Kernel, Layout, PairRule,
    Quantity, Signature, Signer, Similarity, Standing, Verdict, VerificationKey,
};

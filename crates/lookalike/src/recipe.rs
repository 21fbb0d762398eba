//! What documents are signed and judged by: recipes, the filter in them, and what a site is.
//!
//! A [`Recipe`] is every parameter that the bits of a signature and the verdict on a pair depend on.
//! It comes from a preset, from a threshold and a recall, or from TOML, and its fields can be changed.
//!
//! ```
//! use lookalike::recipe::{Filter, Recipe, Search};
//!
//! // Two documents of resemblance 0.8 become candidates with a probability of 0.95.
//! let filter = Search::new(0.8, 0.95).run()?.filter;
//! assert!(filter.probability(0.8) >= 0.95);
//! // The same in the words of others: 13 bands of 7 rows.
//! assert_eq!((filter.k(), filter.s(), filter.r()), (13, 7, 1));
//!
//! let mut recipe = Recipe::preset("text")?;
//! recipe.features = Some(Filter::new(20, 5, 1)?);
//! recipe.sketch = lookalike::recipe::SketchParameters::Minwise { permutations: 100 };
//! recipe.validate()?;
//! assert_eq!(Recipe::from_toml(&recipe.to_toml())?, recipe);
//! # Ok::<(), lookalike::Error>(())
//! ```

pub use lookalike_core::filter::{
    ENOUGH_FOR, FINGERPRINT_BITS, Filter, Found, Limit, MAX_FEATURES, MAX_LISTS, MAX_PERMUTATIONS,
    Search, UNWANTED_AT, fingerprint_bits, lists_accept, lists_share,
};
pub use lookalike_core::recipe::{
    BySite, Candidates, Digest, Judging, LEARNING_PRESETS, MAX_SKETCH, MAX_SUPER_FEATURES,
    MAX_WIDTH, Over, PRESET_SUMMARIES, PRESETS, ProjectionParameters, Recipe, SET_PRESETS,
    SecretSeed, Shingles, SketchParameters, TEMPLATES_VERSION, Templates, VERSION, Verify,
    preset_names,
};
pub use lookalike_core::shingle::Counting;
pub use lookalike_core::sketch::ListOrder;
pub use lookalike_core::text::Unit;
pub use lookalike_core::{SiteRule, host, site};

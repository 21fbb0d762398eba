//! Any bytes are a recipe, or an error: what is accepted survives its file, signs, and has no more keys than
//! it may.

use lookalike_core::recipe::{Judging, MAX_SUPER_FEATURES, Verify};
use lookalike_core::{CandidateRule, Kernel, Recipe, Signer};

const TEXT: &str = "the lighthouse keeper counted 17 ships before dawn and none of them answered";

/// Reads a recipe, and signs by it.
pub fn check(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let recipe = match Recipe::from_toml(text) {
        Ok(recipe) => recipe,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let file = recipe.to_toml();
    let again = Recipe::from_toml(&file).unwrap_or_else(|error| panic!("{error}\n{file}"));
    assert_eq!(again, recipe, "{file}");
    assert_eq!(again.digest(), recipe.digest());
    recipe.check_same_bits(&again).unwrap();

    for verify in [Verify::Exact, Verify::Estimate, Verify::Difference, Verify::None] {
        let judging = Judging { verify: Some(verify), ..Judging::default() };
        if let Ok(judged) = recipe.clone().judging(&judging) {
            assert!(judged.validate().is_ok());
            assert!(verify != Verify::Estimate || judged.keep_sketch);
        }
    }
    if recipe.check_signs_alone().is_err() {
        return;
    }
    let mut signer = Signer::with_kernel(&recipe, Kernel::best()).unwrap();
    let rule = CandidateRule::new(Kernel::best(), &recipe);
    let signature = signer.sign(TEXT.as_bytes()).clone();
    let mut keys = Vec::new();
    rule.keys(&signature, &mut keys);
    assert!(keys.len() <= rule.keys_per_document());
    // Pieces of a projection, and lists, have bounds of their own.
    assert!(keys.len() as u64 <= MAX_SUPER_FEATURES + 65_536);
    // A document that has a key is a candidate with itself, or nothing ever is.
    assert!(keys.is_empty() || rule.holds(&signature, &signature, true), "{file}");
    assert!(!keys.is_empty(), "can never propose a candidate:\n{file}");
}

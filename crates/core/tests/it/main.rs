//! The mathematics, against papers, references and hostile input.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod difference;
mod environment;
mod estimators;
mod filter;
mod filter_lists;
mod filter_search;
mod golden;
mod html_hostile;
mod html_known_answers;
mod html_properties;
mod html_structure;
mod noisy;
mod pair_rule;
mod papers;
mod recipes;
mod signer;
mod template;
mod text_equals_reference;
mod text_known_answers;
mod text_reference;
mod verification;

/// The kernel that `ci/kernels.sh` forces, or the fastest.
fn forced() -> lookalike_core::Kernel {
    match std::env::var("LOOKALIKE_KERNEL") {
        Err(_) => lookalike_core::Kernel::best(),
        Ok(name) => lookalike_core::Kernel::named(&name).unwrap(),
    }
}

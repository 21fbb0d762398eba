//! What the report says besides its numbers: what was left out, and what it may mean.

use lookalike_core::Recipe;
use lookalike_core::filter::FINGERPRINT_BITS;
use lookalike_core::recipe::{Candidates, Verify};

use crate::keep::KeepPolicy;
use crate::sign::SigningSummary;
use crate::stages::COMMON_HOLDERS;

/// Rounds that a decision takes at most where documents are not chained on purpose: three or four
/// are usual.
const USUAL_ROUNDS: u32 = 32;

/// Says so if the rounds were many: each is a pass over all groups, and they have no bound but the
/// number of documents.
pub(super) fn many_rounds(rounds: u32) -> Option<String> {
    (rounds > USUAL_ROUNDS).then(|| {
        format!(
            "The decision took {rounds} rounds, where a few are usual: long chains of documents, \
             each like the next, are decided one after another. `--cluster components` takes one \
             round."
        )
    })
}

/// Says so if fingerprints may agree by chance where nothing is compared afterwards.
pub(super) fn chance_pairs(recipe: &Recipe, documents: u64) -> Option<String> {
    let goes_by_features =
        recipe.candidates == Candidates::Features && recipe.verify == Verify::None;
    let filter = recipe.features.filter(|_| goes_by_features)?;
    let pairs = filter.pairs_by_chance(documents);
    (pairs >= WORTH_A_NOTE).then(|| {
        format!(
            "Some {pairs:.2} pairs are to be expected of documents that have nothing in common: fingerprints of \
             {FINGERPRINT_BITS} bits of so many documents collide. `--verify exact` compares documents, and refuses such pairs."
        )
    })
}

/// The number of pairs by chance from which on it is said: one document in a hundred such jobs.
const WORTH_A_NOTE: f64 = 0.01;

/// Says so if keys were left out as candidates were counted.
pub(super) fn common_keys(recipe: &Recipe, left_out: u64) -> Option<String> {
    let keys = if recipe.features_in_common().is_some() { "features" } else { "elements" };
    (left_out > 0).then(|| {
        format!(
            "{left_out} {keys} are in more than {COMMON_HOLDERS} documents each and were not counted. Two \
             documents that share such {keys} and no others were not compared."
        )
    })
}

/// Says so if candidates were too long, and too different, to be compared word by word.
pub(super) fn undecided(candidates: u64) -> Option<String> {
    (candidates > 0).then(|| {
        format!(
            "{candidates} candidates are long, and so different that their difference was not counted to \
             the end; their documents stay apart."
        )
    })
}

/// What is said of the documents as they were signed.
pub(super) fn of_documents(signed: &SigningSummary, keep: &KeepPolicy) -> Vec<String> {
    let mut notes = Vec::new();
    for (key, unranked) in keep.ranked().iter().zip(&signed.without_rank) {
        if let (Some(field), 1..) = (key.field(), unranked) {
            notes.push(format!(
                "{unranked} documents had nothing in the field `{field}` that the policy `{key}` \
                 could use; they come after all others."
            ));
        }
    }
    if signed.without_site > 0 {
        notes.push(format!(
            "{} documents have an address that names no site; they were compared as documents \
             without one.",
            signed.without_site
        ));
    }
    if signed.other_files > 0 {
        notes.push(format!(
            "{} files in the folders are of an unknown kind; they were passed over.",
            signed.other_files
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where nothing is compared afterwards, and of so many documents that it matters.
    #[test]
    fn collisions_are_noted_where_nobody_compares() {
        let altavista = Recipe::preset("altavista").unwrap();
        assert_eq!(chance_pairs(&altavista, 4_194_304), None);
        let note = chance_pairs(&altavista, 1_000_000_000).unwrap();
        assert!(note.starts_with("Some 6.10 pairs"), "{note}");
        let verified = Recipe { verify: Verify::Exact, ..altavista };
        assert_eq!(chance_pairs(&verified, 1_000_000_000), None);
    }

    #[test]
    fn many_rounds_are_noted() {
        assert_eq!(many_rounds(USUAL_ROUNDS), None);
        let note = many_rounds(USUAL_ROUNDS + 1).unwrap();
        assert!(note.contains(&format!("{} rounds", USUAL_ROUNDS + 1)), "{note}");
    }
}

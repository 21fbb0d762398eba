//! What a report says of passages: where words were cut, and which passages have most copies.

use serde::{Deserialize, Serialize};

use crate::run::MarkedPiece;

/// The most passages that are shown.
pub const MAX_PASSAGES: usize = 20;

/// How much was cut of a source or a site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutShare {
    /// What it is called.
    pub name: String,
    /// Words of its documents that were looked at.
    pub words: u64,
    /// Those of them that were cut.
    pub words_cut: u64,
}

/// A passage: what stays at one place, and was cut at others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Its words.
    pub words: u64,
    /// How often they stand in the corpus.
    pub copies: u64,
    /// How often just these were cut; of a longer or a shorter run they may have been cut as well.
    pub cuts: u64,
    /// The id of the document in which it stays.
    pub keeper: String,
    /// Its URL, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keeper_url: Option<String>,
    /// Its first byte there.
    pub begin: u64,
    /// Where it ends.
    pub end: u64,
    /// How it begins; empty if the document could not be read again.
    pub text: String,
    /// Bytes of it that are left out behind that.
    pub left_out: u64,
    /// The first place at which it was cut.
    pub example: PassageExample,
}

/// A place at which a passage was cut.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassageExample {
    /// The id of the document.
    pub id: String,
    /// Its URL, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The first byte that was cut.
    pub begin: u64,
    /// Where the cut ends.
    pub end: u64,
    /// The text around it; nothing if it could not be read again.
    pub text: Vec<MarkedPiece>,
}

/// How often numbers occur, in classes: small ones each, others with all whose first four binary digits
/// are the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Classes(std::collections::BTreeMap<u64, u64>);

impl Classes {
    pub(crate) fn add(&mut self, number: u64) {
        *self.0.entry(class(number)).or_insert(0) += 1;
    }

    /// `[the least of a class, how many]`.
    pub(crate) fn counts(&self) -> Vec<[u64; 2]> {
        self.0.iter().map(|(class, count)| [*class, *count]).collect()
    }
}

/// The least number of a class.
fn class(number: u64) -> u64 {
    let digits = u64::BITS - number.leading_zeros();
    let dropped = digits.saturating_sub(4);
    number >> dropped << dropped
}

/// The largest number of the class that begins with `least`.
pub fn class_end(least: u64) -> u64 {
    let digits = u64::BITS - least.leading_zeros();
    least + ((1 << digits.saturating_sub(4)) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_follow_each_other() {
        let mut least = 0;
        while least < 1 << 40 {
            assert_eq!(class(least), least);
            assert_eq!(class(class_end(least)), least);
            least = class_end(least) + 1;
        }
        let mut classes = Classes::default();
        for number in [3, 50, 51, 52, 3, 1000] {
            classes.add(number);
        }
        assert_eq!(classes.counts(), [[3, 2], [48, 2], [52, 1], [960, 1]]);
    }
}

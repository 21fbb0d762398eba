//! What Unicode says about one character, in the terms of the tokeniser.
//!
//! The definitions are those of `lookalike_core::text`; every function here
//! asks ICU4X's data afresh and remembers nothing, except the set of
//! characters that compose with what precedes them, which is found once.

use std::collections::BTreeSet;

use icu_casemap::CaseMapper;
use icu_normalizer::properties::{
    CanonicalCombiningClassMapBorrowed, CanonicalDecompositionBorrowed, Decomposed,
};
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::props::{
    Alphabetic, DefaultIgnorableCodePoint, GeneralCategory, GeneralCategoryGroup, Script,
};
use icu_properties::script::ScriptWithExtensions;
use icu_properties::{CodePointMapData, CodePointSetData};

/// The Unicode version of the pinned ICU4X data; a test checks it.
pub(crate) const UNICODE_VERSION: (u8, u8, u8) = (18, 0, 0);

/// Scripts written without spaces between words.
const SOLO_SCRIPTS: [Script; 7] = [
    Script::Han,
    Script::Hiragana,
    Script::Katakana,
    Script::Thai,
    Script::Lao,
    Script::Khmer,
    Script::Myanmar,
];

/// How a character of the canonical text counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Separator,
    Word,
    Solo,
}

/// The character properties, and the one set derived from them.
pub(crate) struct Characters {
    seconds: BTreeSet<char>,
}

impl Characters {
    pub(crate) fn new() -> Self {
        let seconds =
            ('\0'..=char::MAX).filter_map(primary_composite).map(|(_, second)| second).collect();
        Self { seconds }
    }

    /// Can the first character of `text`, or of its decomposition, be moved
    /// or composed into what precedes? If not, normalising before it and from
    /// it on apart gives the same as normalising the whole: it is a starter,
    /// so nothing is reordered across it, and no primary composite has it as
    /// its second part, so it becomes the last starter for all that follows.
    pub(crate) fn joins_what_precedes(&self, text: &str) -> bool {
        nfd(text).chars().next().is_none_or(|c| combining_class(c) != 0 || self.composes(c))
    }

    /// Is `c` the second part of a primary composite, or does it decompose
    /// into something that begins with one?
    pub(crate) fn may_compose(&self, c: char) -> bool {
        nfd(c.encode_utf8(&mut [0; 4])).chars().next().is_some_and(|c| self.composes(c))
    }

    fn composes(&self, c: char) -> bool {
        self.seconds.contains(&c)
    }
}

/// The two parts of a primary composite: a character that is equal to its own
/// NFC and has a canonical decomposition of two.
pub(crate) fn primary_composite(c: char) -> Option<(char, char)> {
    match CanonicalDecompositionBorrowed::new().decompose(c) {
        Decomposed::Expansion(first, second) => {
            let mut buffer = [0; 4];
            let text: &str = c.encode_utf8(&mut buffer);
            (ComposingNormalizerBorrowed::new_nfc().normalize(text) == text)
                .then_some((first, second))
        }
        Decomposed::Default | Decomposed::Singleton(_) => None,
    }
}

/// `NFKC_Casefold` of one character: what is left of it after compatibility
/// decomposition, full case folding (not the Turkic one) and the deletion of
/// default ignorables, in NFC.
pub(crate) fn nfkc_casefold(c: char) -> String {
    let kept = without_ignorables(c.encode_utf8(&mut [0; 4]));
    without_ignorables(&nfkc(&fold(&nfkc(&fold(&nfd(&kept))))))
}

fn without_ignorables(text: &str) -> String {
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    text.chars().filter(|&c| !ignorable.contains(c)).collect()
}

fn fold(text: &str) -> String {
    CaseMapper::new().fold_string(text).into_owned()
}

fn nfkc(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfkc().normalize(text).into_owned()
}

pub(crate) fn nfd(text: &str) -> String {
    DecomposingNormalizerBorrowed::new_nfd().normalize(text).into_owned()
}

pub(crate) fn combining_class(c: char) -> u8 {
    CanonicalCombiningClassMapBorrowed::new().get_u8(c)
}

pub(crate) fn is_assigned(c: char) -> bool {
    CodePointMapData::<GeneralCategory>::new().get(c) != GeneralCategory::Unassigned
}

/// The class of a character of the canonical text.
pub(crate) fn class(c: char) -> Class {
    let category = CodePointMapData::<GeneralCategory>::new().get(c);
    let alphabetic = CodePointSetData::new::<Alphabetic>().contains(c);
    let letter = alphabetic || GeneralCategoryGroup::Mark.contains(category);
    let scripts = ScriptWithExtensions::new().get_script_extensions_val(c);
    if letter && scripts.iter().all(|script| SOLO_SCRIPTS.contains(&script)) {
        Class::Solo
    } else if letter || GeneralCategoryGroup::Number.contains(category) {
        Class::Word
    } else {
        Class::Separator
    }
}

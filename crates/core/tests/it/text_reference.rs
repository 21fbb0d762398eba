//! The definition of canonical tokens, to the letter and with no thought of
//! speed, over ICU4X's Unicode data.

use std::cell::RefCell;
use std::collections::HashMap;

use icu_casemap::CaseMapper;
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::props::{
    Alphabetic, DefaultIgnorableCodePoint, GeneralCategory, GeneralCategoryGroup, Script,
};
use icu_properties::script::ScriptWithExtensions;
use icu_properties::{CodePointMapData, CodePointSetData};
use lookalike_core::passages::{CutUnit, unit_starts};
use lookalike_core::text::{Token, Unit, spans};

const SOLO: [Script; 7] = [
    Script::Han,
    Script::Hiragana,
    Script::Katakana,
    Script::Thai,
    Script::Lao,
    Script::Khmer,
    Script::Myanmar,
];

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Separator,
    Word,
    Solo,
}

pub(crate) fn tokens(unit: Unit, text: &[u8]) -> Vec<Token> {
    match unit {
        Unit::Words => words(text).iter().map(|word| fingerprint(word.as_bytes())).collect(),
        Unit::Characters => {
            characters(text).iter().map(|token| fingerprint(token.as_bytes())).collect()
        }
        Unit::Lines => text
            .split(|&byte| byte == b'\n')
            .map(|line| tokens(Unit::Words, line))
            .filter(|words| !words.is_empty())
            .map(|words| of_words(&words))
            .collect(),
        Unit::Sentences => of_units(CutUnit::Sentences, text),
        Unit::Paragraphs => of_units(CutUnit::Paragraphs, text),
        Unit::Items => {
            let ended = text.strip_suffix(b"\n").unwrap_or(text);
            let lines = ended.split(|&byte| byte == b'\n').take(text.len());
            lines.map(|line| fingerprint(&item(line))).collect()
        }
    }
}

/// A line without its escapes.
fn item(mut line: &[u8]) -> Vec<u8> {
    let mut item = Vec::new();
    loop {
        let byte;
        (byte, line) = match line {
            [] => return item,
            [b'\\', b'\\', rest @ ..] => (b'\\', rest),
            [b'\\', b'n', rest @ ..] => (b'\n', rest),
            [first, rest @ ..] => (*first, rest),
        };
        item.push(byte);
    }
}

/// The words of the whole text, parted where passages part it.
fn of_units(unit: CutUnit, text: &[u8]) -> Vec<Token> {
    let words = tokens(Unit::Words, text);
    let starts = unit_starts(unit, text, &spans(Unit::Words, text));
    let ends = starts.iter().skip(1).map(|start| start.token as usize).chain([words.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| of_words(&words[start.token as usize..end]))
        .collect()
}

fn of_words(words: &[Token]) -> Token {
    fingerprint(&words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>())
}

/// The word tokens as strings.
fn words(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let mut tokens = Vec::new();
    let (mut stretch, mut from) = (0, 0);
    while let Some(found) = text[from..].find("://") {
        let colon = from + found;
        from = colon + 1;
        let before = text[stretch..colon].trim_end_matches(|c: char| c.is_ascii_alphanumeric());
        let start = stretch + before.len();
        let glued = || canonical(before).chars().last().is_some_and(|c| class(c) == Class::Word);
        if start == colon || glued() {
            continue;
        }
        let ends = |c: char| !c.is_ascii_graphic() || "<>\"'`(){}[]|\\^".contains(c);
        let end = text[colon..].find(ends).map_or(text.len(), |length| colon + length);
        tokens.extend(split(before));
        for piece in text[start..end].split(['/', '.']) {
            let piece = piece.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            tokens.extend((!piece.is_empty()).then(|| piece.to_ascii_lowercase()));
        }
        (stretch, from) = (end, end);
    }
    tokens.extend(split(&text[stretch..]));
    tokens
}

/// The words of a stretch without URLs.
fn split(stretch: &str) -> Vec<String> {
    let mut tokens = vec![String::new()];
    for c in canonical(stretch).chars() {
        match class(c) {
            Class::Word => tokens.last_mut().expect("never empty").push(c),
            Class::Solo => tokens.extend([c.to_string(), String::new()]),
            Class::Separator => tokens.push(String::new()),
        }
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

fn characters(text: &[u8]) -> Vec<String> {
    let spaced: String = canonical(&String::from_utf8_lossy(text))
        .chars()
        .map(|c| if class(c) == Class::Separator { ' ' } else { c })
        .collect();
    let words: Vec<&str> = spaced.split(' ').filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().map(String::from).collect()
}

thread_local! {
    /// What is known of characters: tests ask for the same ones over and over.
    static FOLDED: RefCell<HashMap<char, String>> = RefCell::default();
}

/// `toNFKC_Casefold`, with separators for what is unassigned.
fn canonical(text: &str) -> String {
    let mapped: String = text
        .chars()
        .map(|c| if category(c) == GeneralCategory::Unassigned { '\u{fffd}' } else { c })
        .map(|c| {
            FOLDED.with_borrow_mut(|folded| {
                folded.entry(c).or_insert_with(|| nfkc_casefold(c)).clone()
            })
        })
        .collect();
    ComposingNormalizerBorrowed::new_nfc().normalize(&mapped).into_owned()
}

fn nfkc_casefold(c: char) -> String {
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let kept = |text: &str| text.chars().filter(|&c| !ignorable.contains(c)).collect::<String>();
    let nfkc = ComposingNormalizerBorrowed::new_nfkc();
    let decomposed =
        DecomposingNormalizerBorrowed::new_nfd().normalize(&kept(&c.to_string())).into_owned();
    let once = nfkc.normalize(&CaseMapper::new().fold_string(&decomposed)).into_owned();
    kept(&nfkc.normalize(&CaseMapper::new().fold_string(&once)))
}

fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}

fn class(c: char) -> Class {
    let letter = CodePointSetData::new::<Alphabetic>().contains(c)
        || GeneralCategoryGroup::Mark.contains(category(c));
    let scripts = ScriptWithExtensions::new().get_script_extensions_val(c);
    if letter && scripts.iter().all(|script| SOLO.contains(&script)) {
        Class::Solo
    } else if letter || GeneralCategoryGroup::Number.contains(category(c)) {
        Class::Word
    } else {
        Class::Separator
    }
}

/// Rabin fingerprints, bit by bit: a one bit and the bytes, divided bit by bit by x^64 + 0x243f6a8885a30907.
pub(crate) fn fingerprint(bytes: &[u8]) -> Token {
    let bits = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    bits.fold(1, |rest: u64, bit| {
        let carry = if rest >> 63 == 1 { 0x243f_6a88_85a3_0907 } else { 0 };
        (rest << 1 | u64::from(bit)) ^ carry
    })
}

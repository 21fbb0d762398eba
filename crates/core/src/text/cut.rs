//! Where a text that goes on can be cut without changing its tokens.

use super::unit::Unit;
use super::{character, tables, url};

/// The last place where a text can be cut so that its parts have the tokens of the whole,
/// whatever follows the text. `None` if there is none: within a word or a URL of the text, within a
/// line where lines or sentences are the tokens, within a paragraph. It is told by the few bytes around it ([`CUT_BYTES`]), so that
/// of a text that goes on only what is new has to be looked at.
///
/// Words part after what ends a URL as well as a word, and after a character that is a token by
/// itself. Characters part where two stand together, since what separates them is a token too.
pub fn last_cut(unit: Unit, text: &[u8]) -> Option<usize> {
    (1..=text.len()).rev().find(|&at| match unit {
        Unit::Lines | Unit::Items => text[at - 1] == b'\n',
        // What ends at a line feed does not depend on what is behind it, but whether it ends does.
        Unit::Sentences => text[at - 1] == b'\n' && does_not_join(text, at),
        // Where no other line without a visible character follows.
        Unit::Paragraphs => {
            text[..at].ends_with(b"\n\n")
                && text.get(at).is_some_and(|byte| *byte > b' ')
                && does_not_join(text, at)
        }
        Unit::Words => parts_words(text, at),
        Unit::Characters => {
            let [before, after] = [plain_before(text, at), plain_at(text, at)];
            let stands = |class: u32| class == tables::WORD || class == tables::SOLO;
            before.is_some_and(stands) && after.is_some_and(stands)
        }
    })
}

/// Whether a text can be parted at a place for good: each side has its tokens whatever else is put before
/// or behind it that was parted like that. Its ends are such places.
pub fn parts(text: &[u8], at: usize) -> bool {
    at == 0 || at == text.len() || parts_words(text, at) && does_not_join(text, at)
}

/// How far before a place, and behind it, [`last_cut`] looks.
pub const CUT_BYTES: usize = 4;

/// Whether no word, no URL and no letter with its marks is cut at a place.
fn parts_words(text: &[u8], at: usize) -> bool {
    match text[at - 1] {
        // A mark that follows joins none of these, but some punctuation.
        ..=b' ' | 0x7f => true,
        // Most of a text.
        byte if byte.is_ascii_alphanumeric() => false,
        byte if byte < 0x80 => url::ends(byte) && does_not_join(text, at),
        _ => {
            let parts = |class: u32| class == tables::SOLO || class == 0;
            plain_before(text, at).is_some_and(parts) && does_not_join(text, at)
        }
    }
}

/// Whether a whole character stands at a place that does not join what precedes.
fn does_not_join(text: &[u8], at: usize) -> bool {
    plain_at(text, at).is_some() || text.get(at).is_some_and(u8::is_ascii)
}

/// The class of the character before a place, if it is one that is fed as it is when what follows
/// it does not join. UTF-8 tells where a character begins, whatever precedes it.
fn plain_before(text: &[u8], at: usize) -> Option<u32> {
    let last = text[..at].last()?;
    if last.is_ascii() {
        return last.is_ascii_alphanumeric().then_some(tables::WORD);
    }
    let ending = |length: usize| text.get(at.checked_sub(length)?..at);
    match ending(2).map(character::two) {
        Some(1..) => Some(tables::WORD),
        _ => ending(3).map(|bytes| character::three(bytes).0).filter(|&c| c != character::OTHER),
    }
}

/// The class of the character at a place, if it does not join what precedes and is a letter or
/// digit of ASCII, or one of those that most texts of other scripts have.
fn plain_at(text: &[u8], at: usize) -> Option<u32> {
    let rest = text.get(at..)?;
    let first = *rest.first()?;
    if first.is_ascii() {
        return first.is_ascii_alphanumeric().then_some(tables::WORD);
    }
    if character::two(rest) != 0 {
        return Some(tables::WORD);
    }
    let (class, _) = character::three(rest);
    (class != character::OTHER && rest.len() >= 3).then_some(class)
}

//! Tokens with where they stand, for differences shown to people.

use super::document::{Part, Text};
use super::feed::{Characters, Out, Words};
use super::fingerprint::{Token, atom_token};
use super::items::for_each_item;
use super::keyed::KeyedTokenizer;
use super::tokenizer::{Tokenizer, for_each_of_words};
use super::unit::Unit;
use super::walk::walk;
use crate::verification::VerificationKey;
use lookalike_kernels::Kernel;

/// A token and the bytes of the original text that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The token, or its code.
    pub token: Token,
    /// Where it begins.
    pub start: usize,
    /// Where it ends, exclusive.
    pub end: usize,
}

/// The tokens of `text`, each with its place: the same tokens as those of
/// [`Tokenizer`](super::Tokenizer), more slowly.
///
/// Places are in order: no start or end comes before that of the token before.
/// Tokens that come from one character (U+00BD is `1` and `2`), or from a
/// letter and its marks, share their place. A place holds the whole word, with
/// soft hyphens and the like inside it; a separator's is what stands between
/// its neighbours; a line's is all of it without the line feed, a sentence's and a paragraph's without
/// the white space around it; an atom's is the atom, and an
/// item's is its line, which has no bytes if the item has none.
pub fn spans<'t>(unit: Unit, text: impl Into<Text<'t>>) -> Vec<Span> {
    let text = text.into();
    let mut spans = Spans::new(None);
    if unit.is_of_words() {
        let mut words = Tokenizer::new(Unit::Words);
        for_each_of_words(unit, &mut words, text, |token, place| {
            spans.push(token, (place.start, place.end));
        });
    } else if unit == Unit::Items {
        for_each_item(text.bytes(), |item, place| {
            spans.push(atom_token(item), (place.start, place.end));
        });
    } else {
        spans.walk(unit, text);
    }
    spans.found
}

/// As [`spans`], with the codes of the tokens in their place.
pub fn keyed_spans<'t>(unit: Unit, text: impl Into<Text<'t>>, key: &VerificationKey) -> Vec<Span> {
    let text = text.into();
    let mut spans = Spans::new(Some(key));
    if unit.is_of_words() {
        let mut words = KeyedTokenizer::new(Unit::Words, Kernel::best(), key);
        for_each_of_words(unit, &mut words, text, |(_, code), place| {
            spans.push(code, (place.start, place.end));
        });
    } else if unit == Unit::Items {
        for_each_item(text.bytes(), |item, place| {
            spans.push(key.code(item), (place.start, place.end));
        });
    } else {
        spans.walk(unit, text);
    }
    spans.found
}

struct Spans<'a> {
    found: Vec<Span>,
    /// Where the stretch being walked begins.
    from: usize,
    key: Option<&'a VerificationKey>,
    /// The bytes of the word that is open, if there is a key.
    word: Vec<u8>,
}

impl<'a> Spans<'a> {
    fn new(key: Option<&'a VerificationKey>) -> Self {
        Self { found: Vec::new(), from: 0, key, word: Vec::new() }
    }

    fn walk(&mut self, unit: Unit, text: Text<'_>) {
        let mut scratch = Vec::new();
        text.for_each_part(|part| match part {
            Part::Atom(place) => {
                self.from = 0;
                let atom = &text.bytes()[place.clone()];
                if self.key.is_some() {
                    self.word.extend_from_slice(atom);
                }
                self.push(atom_token(atom), (place.start, place.end));
            }
            Part::Stretch(place) => {
                self.from = place.start;
                let stretch = &text.bytes()[place];
                match unit {
                    Unit::Characters => walk(stretch, Characters::new(), self, &mut scratch),
                    _ => walk(stretch, Words::new(), self, &mut scratch),
                }
            }
        });
    }
}

impl Out for Spans<'_> {
    type Place = (usize, usize);

    fn push(&mut self, token: Token, (start, end): (usize, usize)) {
        let token = match self.key {
            Some(key) if !self.word.is_empty() => key.code(&self.word),
            _ => token,
        };
        self.word.clear();
        self.found.push(Span { token, start: self.from + start, end: self.from + end });
    }

    fn push_if(&mut self, really: bool, token: Token, place: (usize, usize)) {
        if really {
            self.push(token, place);
        }
    }

    fn letters(&mut self, bytes: u64, length: usize) {
        if self.key.is_some() {
            self.word.extend_from_slice(&bytes.to_be_bytes()[8 - length..]);
        }
    }

    fn ascii_words(&mut self, _: &[u8]) -> usize {
        0
    }
}

//! Tokens with where they stand, for differences shown to people.

use super::document::{Part, Text};
use super::feed::{Characters, Out, Words};
use super::walk::walk;
use super::{Token, Tokenizer, Unit, atom_token, for_each_line};

/// A token and the bytes of the original text that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The token.
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
/// its neighbours; a line's is all of it without the line feed; an atom's is the atom.
pub fn spans<'t>(unit: Unit, text: impl Into<Text<'t>>) -> Vec<Span> {
    let text = text.into();
    let mut spans = Spans { found: Vec::new(), from: 0 };
    let mut scratch = Vec::new();
    if unit == Unit::Lines {
        let mut words = Tokenizer::new(Unit::Words);
        for_each_line(&mut words, text, |token, place| {
            spans.push(token, (place.start, place.end));
        });
        return spans.found;
    }
    text.for_each_part(|part| match part {
        Part::Atom(place) => {
            spans.from = 0;
            spans.push(atom_token(&text.bytes()[place.clone()]), (place.start, place.end));
        }
        Part::Stretch(place) => {
            spans.from = place.start;
            let stretch = &text.bytes()[place];
            match unit {
                Unit::Characters => walk(stretch, Characters::new(), &mut spans, &mut scratch),
                _ => walk(stretch, Words::new(), &mut spans, &mut scratch),
            }
        }
    });
    spans.found
}

struct Spans {
    found: Vec<Span>,
    /// Where the stretch being walked begins.
    from: usize,
}

impl Out for Spans {
    type Place = (usize, usize);

    fn push(&mut self, token: Token, (start, end): (usize, usize)) {
        self.found.push(Span { token, start: self.from + start, end: self.from + end });
    }

    fn push_if(&mut self, really: bool, token: Token, place: (usize, usize)) {
        if really {
            self.push(token, place);
        }
    }

    fn ascii_words(&mut self, _: &[u8]) -> usize {
        0
    }
}

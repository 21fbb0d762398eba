//! Tokens with where they stand, for differences shown to people.

use super::feed::{Characters, Out, Words};
use super::walk::walk;
use super::{Token, Tokenizer, Unit, line_token};

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
/// its neighbours; a line's is all of it without the line feed.
pub fn spans(unit: Unit, text: &[u8]) -> Vec<Span> {
    let mut spans = Spans(Vec::new());
    let mut scratch = Vec::new();
    match unit {
        Unit::Words => walk(text, Words::new(), &mut spans, &mut scratch),
        Unit::Characters => walk(text, Characters::new(), &mut spans, &mut scratch),
        Unit::Lines => {
            let mut words = Tokenizer::new(Unit::Words);
            let mut start = 0;
            for line in text.split(|&byte| byte == b'\n') {
                let end = start + line.len();
                if let Some(token) = line_token(&mut words, line) {
                    spans.push(token, (start, end));
                }
                start = end + 1;
            }
        }
    }
    spans.0
}

struct Spans(Vec<Span>);

impl Out for Spans {
    type Place = (usize, usize);

    fn push(&mut self, token: Token, (start, end): (usize, usize)) {
        self.0.push(Span { token, start, end });
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

//! The bytes of a page, given to the tokenizer so that its stack stays small.
//!
//! The tokenizer calls the next state from within the last one where that is
//! common. For attributes with double quotes these calls close a ring: the name,
//! the `=`, the value, the quote behind it and the name of the next attribute,
//! each within the one before. A tag of 7,000 such attributes, 30 kB, takes 2 MiB
//! of stack. Every turn of the ring asks the reader for the value, by a needle
//! that begins with the quote. There, now and then, the reader gives an error
//! instead. The error takes the tokenizer back to its loop, with the state in
//! place and nothing consumed, and the next call goes on with the value: the
//! tokens are the same, and the calls are never deeper than [`TURNS`] turns.
//!
//! It is the only ring of html5gum 0.9. `tests/html_hostile.rs` has every kind of
//! markup in great numbers on a small stack, so that another version with another
//! ring does not pass.

use std::convert::Infallible;

use html5gum::{Emitter, Readable, Reader, StringReader, Tokenizer};

/// The attributes with double quotes that are read before the calls are taken back. A turn is some
/// 300 bytes of stack, four times that in a build without optimisation: 40 KB. Hardly any tag has
/// more attributes.
const TURNS: u32 = 32;

/// Takes a page apart.
pub(super) fn tokenize(page: &[u8], emitter: impl Emitter<Token = Infallible>) {
    // No token comes out: the emitter takes them.
    for next in Tokenizer::new_with_emitter(Turns::new(page, TURNS), emitter) {
        let Err(TakenBack) = next;
    }
}

/// A page that takes the tokenizer's calls back after a number of turns.
struct Turns<'a> {
    page: StringReader<'a>,
    most: u32,
    left: u32,
}

impl<'a> Turns<'a> {
    fn new(page: &'a [u8], most: u32) -> Self {
        Self { page: page.to_reader(), most, left: most }
    }
}

/// No error: the tokenizer is to go on.
#[derive(Debug, thiserror::Error)]
#[error("more of the page is to be read")]
struct TakenBack;

impl Reader for Turns<'_> {
    type Error = TakenBack;

    #[inline(always)]
    fn read_byte(&mut self) -> Result<Option<u8>, TakenBack> {
        self.page.read_byte().map_err(|never| match never {})
    }

    #[inline(always)]
    fn try_read_string(&mut self, string: &[u8], case_sensitive: bool) -> Result<bool, TakenBack> {
        self.page.try_read_string(string, case_sensitive).map_err(|never| match never {})
    }

    #[inline(always)]
    fn read_until<'b>(
        &'b mut self,
        needle: &[u8],
        buffer: &'b mut [u8; 4],
    ) -> Result<Option<&'b [u8]>, TakenBack> {
        if needle.first() == Some(&b'"') {
            if self.left == 0 {
                self.left = self.most;
                return Err(TakenBack);
            }
            self.left -= 1;
        }
        self.page.read_until(needle, buffer).map_err(|never| match never {})
    }
}

#[cfg(test)]
mod tests {
    use html5gum::{DefaultEmitter, Token};
    use proptest::prelude::*;

    use super::*;

    fn tokens<'a, R: Reader>(page: impl Readable<'a, Reader = R>) -> Vec<Token> {
        Tokenizer::new_with_emitter(page, DefaultEmitter::default())
            .filter_map(Result::ok)
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// Whenever the calls are taken back, the tokens are those of the plain page.
        #[test]
        fn taking_calls_back_changes_no_token(
            pieces in prop::collection::vec(
                prop::sample::select(&[
                    "<p", "<img ", "</p ", "<title>", "</title ", "<script ", ">", "/", "=", "\"", "\"",
                    "'", " ", "\n", "\r", "\r\n", "\0", "a=\"\" ", "b=\"x\ry\"", "=\"", "c='\"'", "&amp;",
                    "&am", "&#x41;", "&notit;", "\u{e9}", "d", "<!--", "-->", "<![CDATA[", "]]>",
                ][..]),
                0..40,
            ),
            most in 1_u32..4,
        ) {
            let page = pieces.concat();
            prop_assert_eq!(tokens(Turns::new(page.as_bytes(), most)), tokens(page.as_bytes()));
        }
    }
}

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
//! It also finds the next byte that means something, sixteen at a time: html5gum's
//! own search is fast only if the compiler knows at each place what is looked for,
//! and takes twice the instructions if it does not.
//!
//! It is the only ring of html5gum 0.9. `tests/html_hostile.rs` has every kind of
//! markup in great numbers on a small stack, so that another version with another
//! ring does not pass.

use std::convert::Infallible;

use html5gum::{Emitter, Reader, Tokenizer};
use lookalike_kernels::first_of;

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
    /// What is left of it.
    page: &'a [u8],
    most: u32,
    left: u32,
}

impl<'a> Turns<'a> {
    fn new(page: &'a [u8], most: u32) -> Self {
        Self { page, most, left: most }
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
        Ok(self.page.split_off_first().copied())
    }

    #[inline(always)]
    fn try_read_string(&mut self, string: &[u8], case_sensitive: bool) -> Result<bool, TakenBack> {
        let Some((next, rest)) = self.page.split_at_checked(string.len()) else { return Ok(false) };
        let is_it = next == string || (!case_sensitive && next.eq_ignore_ascii_case(string));
        if is_it {
            self.page = rest;
        }
        Ok(is_it)
    }

    #[inline(always)]
    fn read_until<'b>(
        &'b mut self,
        needle: &[u8],
        _: &'b mut [u8; 4],
    ) -> Result<Option<&'b [u8]>, TakenBack> {
        if needle.first() == Some(&b'"') {
            if self.left == 0 {
                self.left = self.most;
                return Err(TakenBack);
            }
            self.left -= 1;
        }
        if self.page.is_empty() {
            return Ok(None);
        }
        // A byte that is looked for comes alone.
        let length = first_of(needle, self.page).map_or(self.page.len(), |at| at.max(1));
        Ok(self.page.split_off(..length))
    }
}

#[cfg(test)]
mod tests {
    use html5gum::{DefaultEmitter, Readable, Token};
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

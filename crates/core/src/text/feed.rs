//! From the characters of the canonical text to tokens.
//!
//! A [`Feed`] takes the characters in order and gives tokens to an [`Out`]. It
//! is a few registers, copied in and out of the slow paths, so that the loop
//! that feeds it keeps it in registers: a word's fingerprint is a chain of
//! dependent steps, and a trip through memory would double each.

use super::fingerprint::{Fingerprint, Token};

/// Where tokens go.
pub(super) trait Out {
    /// What is known of where a token stands.
    type Place: Place;

    fn push(&mut self, token: Token, place: Self::Place);

    /// The same, if `really`, which may be hard to predict.
    fn push_if(&mut self, really: bool, token: Token, place: Self::Place);

    /// Appends to the bytes of the word that is open, given as `Fingerprint::push` takes them: what
    /// the token to come is the fingerprint of.
    fn letters(&mut self, bytes: u64, length: usize);

    /// Takes the words of a prefix of `text` as `ascii_words` does, and
    /// returns its length; or 0 if it takes them only one by one.
    fn ascii_words(&mut self, text: &[u8]) -> usize;
}

/// A range of the original text, or nothing where nobody asks for it.
pub(super) trait Place: Copy {
    fn new(start: usize, end: usize) -> Self;
    /// From the beginning of `self` to the end of `end`.
    fn through(self, end: Self) -> Self;
    /// From the end of `self` to the beginning of `next`, or both if nothing
    /// stands between them.
    fn up_to(self, next: Self) -> Self;
}

impl Place for () {
    #[inline(always)]
    fn new(_: usize, _: usize) -> Self {}
    #[inline(always)]
    fn through(self, (): Self) -> Self {}
    #[inline(always)]
    fn up_to(self, (): Self) -> Self {}
}

impl Place for (usize, usize) {
    fn new(start: usize, end: usize) -> Self {
        (start, end)
    }
    fn through(self, end: Self) -> Self {
        (self.0, end.1.max(self.1))
    }
    fn up_to(self, next: Self) -> Self {
        // What separates the two may come out of one of them: U+00BC is 1, a
        // fraction slash and 4.
        if self.1 < next.0 { (self.1, next.0) } else { (self.0, next.1) }
    }
}

/// A tokeniser of canonical text. A character is given as its UTF-8 bytes, as
/// `Fingerprint::push` takes them.
pub(super) trait Feed<O: Out>: Copy {
    /// Are the URLs of the text tokens of another kind?
    const URLS: bool;

    /// ASCII letters and digits, which stand in the text itself from `start`
    /// on; in lower case, 1 to 8 of them, given as `Fingerprint::push_word`
    /// takes them.
    fn ascii(&mut self, lower: u64, length: usize, start: usize, out: &mut O);
    /// A word character.
    fn word(&mut self, bytes: u32, length: usize, place: O::Place, out: &mut O);
    /// A solo character.
    fn solo(&mut self, bytes: u32, length: usize, place: O::Place, out: &mut O);
    /// A separator.
    fn separator(&mut self, out: &mut O);
    /// Is a word open, and did all of it come by `ascii`?
    fn is_ascii_word(&self) -> bool;
}

/// Word by word.
#[derive(Clone, Copy)]
pub(super) struct Words<P> {
    word: Fingerprint,
    open: bool,
    /// The open word has a character that did not come by `ascii`.
    mixed: bool,
    place: P,
}

impl<P: Place> Words<P> {
    pub(super) fn new() -> Self {
        Self { word: Fingerprint::EMPTY, open: false, mixed: false, place: P::new(0, 0) }
    }

    #[inline(always)]
    fn extend(&mut self, place: P) {
        self.place = if self.open { self.place.through(place) } else { place };
        self.open = true;
    }
}

impl<O: Out> Feed<O> for Words<O::Place> {
    const URLS: bool = true;

    #[inline(always)]
    fn ascii(&mut self, lower: u64, length: usize, start: usize, out: &mut O) {
        self.mixed &= self.open;
        self.extend(O::Place::new(start, start + length));
        self.word.push(lower, length);
        out.letters(lower, length);
    }

    #[inline(always)]
    fn word(&mut self, bytes: u32, length: usize, place: O::Place, out: &mut O) {
        self.mixed = true;
        self.extend(place);
        self.word.push(u64::from(bytes), length);
        out.letters(u64::from(bytes), length);
    }

    #[inline(always)]
    fn solo(&mut self, bytes: u32, length: usize, place: O::Place, out: &mut O) {
        if self.open {
            <Self as Feed<O>>::separator(self, out);
        }
        out.push(Fingerprint::of_short(bytes, length), place);
    }

    #[inline(always)]
    fn separator(&mut self, out: &mut O) {
        out.push_if(self.open, self.word.finish(), self.place);
        self.open = false;
        self.word = Fingerprint::EMPTY;
    }

    #[inline(always)]
    fn is_ascii_word(&self) -> bool {
        self.open && !self.mixed
    }
}

/// Character by character, with a space for what separates them.
#[derive(Clone, Copy)]
pub(super) struct Characters<P> {
    /// A character has been fed.
    begun: bool,
    /// A separator has been fed after it.
    gap: bool,
    /// The place of the last character.
    place: P,
}

impl<P: Place> Characters<P> {
    pub(super) fn new() -> Self {
        Self { begun: false, gap: false, place: P::new(0, 0) }
    }
}

impl<O: Out> Feed<O> for Characters<O::Place> {
    const URLS: bool = false;

    #[inline(always)]
    fn ascii(&mut self, lower: u64, length: usize, start: usize, out: &mut O) {
        for at in 0..length {
            let byte = lower >> (8 * (length - 1 - at)) & 0xff;
            self.solo(byte as u32, 1, O::Place::new(start + at, start + at + 1), out);
        }
    }

    #[inline(always)]
    fn word(&mut self, bytes: u32, length: usize, place: O::Place, out: &mut O) {
        self.solo(bytes, length, place, out);
    }

    #[inline(always)]
    fn solo(&mut self, bytes: u32, length: usize, place: O::Place, out: &mut O) {
        if self.begun && self.gap {
            out.push(Fingerprint::of_short(u32::from(b' '), 1), self.place.up_to(place));
        }
        out.push(Fingerprint::of_short(bytes, length), place);
        *self = Self { begun: true, gap: false, place };
    }

    #[inline(always)]
    fn separator(&mut self, _: &mut O) {
        self.gap = true;
    }

    #[inline(always)]
    fn is_ascii_word(&self) -> bool {
        false
    }
}

//! From documents to canonical tokens.
//!
//! A token is a 64-bit fingerprint of a canonical piece of text, the same on
//! every machine. It depends on the text, on the version of Unicode
//! ([`UNICODE_VERSION`]) and on nothing else: no dictionary, no locale.
//!
//! # Definition
//!
//! 1. *Characters.* The text is UTF-8. Any invalid sequence, lone surrogates
//!    included, separates, as U+FFFD does.
//! 2. *URLs.* A maximal run of ASCII letters and digits just before `://`
//!    begins a URL, unless the run is only the end of a word: that is, unless
//!    the canonical form (step 3) of what stands between the last URL, or the
//!    beginning, and the run ends in a word character (step 4). The URL goes
//!    on to the first byte that is not visible ASCII (0x21 to 0x7e) or is one
//!    of `` < > " ' ` ( ) { } [ ] | \ ^ ``. It is broken at slashes and dots;
//!    each piece, without what is not an ASCII letter or digit at its ends, in
//!    lower case, is a token if something is left of it.
//! 3. *Canonical form.* Each maximal stretch outside URLs is mapped by
//!    Unicode's `toNFKC_Casefold`: every character to its `NFKC_Casefold`, which
//!    deletes the default ignorable ones, and the whole to NFC. Before that,
//!    code points that are unassigned become separators (U+FFFD).
//! 4. *Classes.* A character of the canonical form is *solo* if it is
//!    Alphabetic or a Mark (M) and all its `Script_Extensions` are among Han,
//!    Hiragana, Katakana, Thai, Lao, Khmer and Myanmar: these scripts put no
//!    spaces between words, and each character is a token. (All, not some:
//!    U+02BC and U+0303 stand in Ukrainian and Guarani words too.) It is a
//!    *word* character if it is Alphabetic, a Mark or a Number (N): each
//!    maximal run is a token. Else it is a *separator*.
//! 5. *Fingerprints.* The token is the Rabin fingerprint of its UTF-8 bytes.
//!
//! That is [`Unit::Words`]. [`Unit::Characters`] takes steps 1, 3 and 4 with
//! no URLs: each word or solo character is a token, and so is each maximal run
//! of separators between two of them, as one space. [`Unit::Lines`] takes each
//! line, up to a line feed, by itself: if it has any words, it is one token,
//! the fingerprint of its words' tokens, as eight bytes each, highest first.
//! So are [`Unit::Sentences`], by Unicode's rules (UAX 29, of the version
//! [`SENTENCES_VERSION`]), and [`Unit::Paragraphs`], up to a line without a visible
//! character, of the words of the whole text. Neither begins where it would
//! part a word or URL, or a mark from its letter. A line feed ends a sentence, as
//! Unicode says. Its rules begin anew behind bytes that are not UTF-8, and behind
//! 64 characters that close a sentence after a full stop, if there are more.
//!
//! [`Unit::Items`] takes what is no text: each line is an item ([`items`]), the fingerprint
//! of its bytes as they stand.
//!
//! A [`Text`] may have *atoms*, byte ranges that are a token as they stand: the
//! Rabin fingerprint of their bytes. What stands between two atoms is a text of
//! its own. An atom belongs to the line it begins in, as one of its words, or to
//! the sentence or paragraph. Pages
//! become such texts by [`html`]; all other texts have none.
//!
//! The tests have a naive form of this, from another source of Unicode data.

#![expect(
    clippy::inline_always,
    reason = "the walk keeps its state in registers only if all of it is one function"
)]

mod ascii;
mod bounds;
mod character;
mod compose;
mod cut;
mod document;
mod document_tokens;
mod feed;
mod fingerprint;
pub mod html;
pub mod items;
mod keyed;
mod spans;
mod tables;
mod tokenizer;
mod unit;
mod url;
mod walk;

pub use bounds::SENTENCES_VERSION;
pub(crate) use bounds::{for_each_line_start, for_each_paragraph_start, for_each_sentence_start};
pub use cut::{CUT_BYTES, last_cut, parts};
pub use document::{Place, Section, SectionKind, Text, TextBuf};
pub use document_tokens::{DocumentTokens, SectionRun};
pub use fingerprint::Token;
pub use keyed::KeyedTokenizer;
pub use spans::{Span, keyed_spans, spans};
pub use tables::UNICODE_VERSION;
pub use tokenizer::{BLOCK, Tokenizer};
pub use unit::Unit;

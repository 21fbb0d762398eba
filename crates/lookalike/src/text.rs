//! Text to tokens to shingles, and where two texts differ.
//!
//! Text is bytes; what is not UTF-8 separates words. [`html`] makes the text that a visitor sees of a web
//! page. [`spans`] says which words there are and where, [`marked`] what was changed.
//!
//! ```
//! use lookalike::text::{Limits, Unit, html::Extractor, marked};
//!
//! let mut extractor = Extractor::new();
//! let page = "<p>The roof will be <b>repaired</b> in March.</p><script>track()</script>";
//! let text = extractor.extract(page.as_bytes(), None);
//! let found = marked(Unit::Words, text, "The roof will be repaired in April.", Limits::DEFAULT);
//! assert_eq!((found.deleted, found.inserted), (1, 1));
//! ```

pub use lookalike_core::difference::{
    EditDistance, Excerpt, Limits, MarkedDifference, Piece, edit_distance, marked,
    marked_distinctive, term_difference,
};
pub use lookalike_core::shingle::{Shingle, ShingleSet, Shingler};
pub use lookalike_core::text::{
    CUT_BYTES, DocumentTokens, Place, SENTENCES_VERSION, Section, SectionKind, SectionRun, Span,
    Text, TextBuf, Token, Tokenizer, UNICODE_VERSION, Unit, html, items, last_cut, spans,
};

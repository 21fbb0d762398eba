//! Passages: runs of words that stand at two places or more, of which all but the first are cut.
//!
//! # Definition
//!
//! Documents come in the order of the keep policy. A document is a sequence of tokens, divided into
//! units: words, lines, sentences or paragraphs. A *window* is N tokens that follow each other in one
//! document. A window *stands in what is kept* if all of its tokens are kept.
//!
//! For each document, from its first unit:
//!
//! 1. Take the longest run of whole units that begins here, such that each of its tokens lies in a
//!    window that is within the run and stands K times or more in what is kept before the run, in
//!    this document or in those before it.
//! 2. If there is one, it is cut, and the next unit is the one behind it.
//! 3. Else the unit is kept, and the next unit is the one after it.
//!
//! K is 1 unless more copies are to stay. So each token that is cut lies in a window of N tokens, all
//! of them cut, that stands word for word in what is kept: what a run is cut for is kept before it, and
//! nothing that is kept is cut later.
//!
//! What follows from it:
//!
//! - *Text that repeats itself.* The source of a cut is kept before the cut begins, so a word written
//!   10,000 times stays N times, and `a b a b ...` stays N tokens long.
//! - *Chains.* If a passage of A is in B and another passage of B is in C, then what B keeps serves C,
//!   and what B has lost stands in A, which serves C as well.
//! - *Documents that go as a whole* are not in the sequence. The first copy that is left is the one
//!   that stays.
//! - *A run is found from both ends.* It begins with a window that stands elsewhere and ends with one;
//!   between them windows that do reach each other. Units that are only partly covered stay, whole.
//!
//! A document of more than [`PART`] tokens is divided into parts of at most so many, at the beginning of
//! a unit where there is one, and each part is a document to this definition: windows do not
//! reach from one into the next. It bounds what has to be in memory. No book has as many words.

#[doc(hidden)]
pub mod reference;
mod scan;
mod units;

pub use scan::{Class, CutTask, Cutter, Piece, Source, Window};
pub use units::{CutUnit, UnitStart, unit_starts};

/// Tokens of a part.
pub const PART: usize = 1 << 20;

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
//!
//! A [`Text`] may have *atoms*, byte ranges that are a token as they stand: the
//! Rabin fingerprint of their bytes. What stands between two atoms is a text of
//! its own. An atom belongs to the line it begins in, as one of its words. Pages
//! become such texts by [`html`]; all other texts have none.
//!
//! The tests have a naive form of this, from another source of Unicode data.

#![expect(
    clippy::inline_always,
    reason = "the walk keeps its state in registers only if all of it is one function"
)]

mod ascii;
mod character;
mod compose;
mod document;
mod feed;
mod fingerprint;
pub mod html;
mod keyed;
mod spans;
mod tables;
mod url;
mod walk;

use std::ops::Range;

use document::Part;
pub use document::{Text, TextBuf};
use feed::{Characters, Out, Words};
use fingerprint::Fingerprint;
pub use keyed::KeyedTokenizer;
use lookalike_kernels::rabin::TOKENS;
use lookalike_kernels::{Kernel, Positions};
pub use spans::{Span, keyed_spans, spans};
pub use tables::UNICODE_VERSION;

/// The fingerprint of a canonical piece of text.
pub type Token = u64;

/// The most tokens in a block. 2048: 16 KB, which the next stage finds in the
/// first-level cache.
pub const BLOCK: usize = 2048;

/// What a token stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A word, or a character of a script without spaces.
    #[default]
    Words,
    /// A character, or what separates two.
    Characters,
    /// A line.
    Lines,
}

/// Makes tokens of documents, one after another.
///
/// It keeps its buffers, so that it allocates nothing once warm, except for a
/// letter with more than four combining marks out of order.
pub struct Tokenizer {
    unit: Unit,
    kernel: Kernel,
    positions: Box<Positions>,
    block: Box<[Token; BLOCK]>,
    /// The words of a line, for [`Unit::Lines`].
    words: Option<Box<Self>>,
    scratch: Vec<char>,
}

impl Tokenizer {
    /// A tokenizer into `unit`s, on the fastest kernel.
    pub fn new(unit: Unit) -> Self {
        Self::with_kernel(unit, Kernel::best())
    }

    /// A tokenizer on this kernel; the tokens are the same on all.
    pub fn with_kernel(unit: Unit, kernel: Kernel) -> Self {
        let words = (unit == Unit::Lines).then(|| Self::with_kernel(Unit::Words, kernel));
        Self {
            unit,
            kernel,
            positions: Box::default(),
            block: Box::new([0; BLOCK]),
            words: words.map(Box::new),
            scratch: Vec::new(),
        }
    }

    /// Calls `sink` with successive blocks of the tokens of `text`, in order,
    /// none empty and none of more than [`BLOCK`]. Takes time linear in the
    /// text and bounded memory, unless a single letter has more than thousands
    /// of combining marks.
    pub fn for_each_block<'t>(
        &mut self,
        text: impl Into<Text<'t>>,
        sink: &mut impl FnMut(&[Token]),
    ) {
        let text = text.into();
        let Self { unit, kernel, positions, block, words, scratch } = self;
        let mut blocks = Blocks { kernel: *kernel, positions, block, count: 0, sink };
        match words {
            Some(words) => for_each_line(&mut **words, text, |token, _| blocks.push(token, ())),
            None => walk_parts(*unit, text, &mut blocks, scratch),
        }
        blocks.flush();
    }

    /// Appends all tokens of `text` to `out`.
    pub fn tokens<'t>(&mut self, text: impl Into<Text<'t>>, out: &mut Vec<Token>) {
        self.for_each_block(text, &mut |block| out.extend_from_slice(block));
    }
}

/// The last place where a text can be cut so that its parts have the tokens of the whole,
/// whatever follows the text. `None` if there is none: within a word or a URL of the text, within a
/// line where lines are the tokens. It is told by the few bytes around it ([`CUT_BYTES`]), so that
/// of a text that goes on only what is new has to be looked at.
///
/// Words part after what ends a URL as well as a word, and after a character that is a token by
/// itself. Characters part where two stand together, since what separates them is a token too.
pub fn last_cut(unit: Unit, text: &[u8]) -> Option<usize> {
    (1..=text.len()).rev().find(|&at| match unit {
        Unit::Lines => text[at - 1] == b'\n',
        Unit::Words => parts_words(text, at),
        Unit::Characters => {
            let [before, after] = [plain_before(text, at), plain_at(text, at)];
            let stands = |class: u32| class == tables::WORD || class == tables::SOLO;
            before.is_some_and(stands) && after.is_some_and(stands)
        }
    })
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

/// Feeds words or characters of all parts of a text.
fn walk_parts<O: Out<Place = ()>>(
    unit: Unit,
    text: Text<'_>,
    out: &mut O,
    scratch: &mut Vec<char>,
) {
    text.for_each_part(|part| match part {
        Part::Atom(place) => {
            let atom = &text.bytes()[place];
            for byte in atom {
                out.letters(u64::from(*byte), 1);
            }
            out.push(atom_token(atom), ());
        }
        Part::Stretch(place) => {
            let stretch = &text.bytes()[place];
            match unit {
                Unit::Characters => walk::walk(stretch, Characters::new(), out, scratch),
                _ => walk::walk(stretch, Words::new(), out, scratch),
            }
        }
    });
}

/// What makes the tokens of lines.
trait LineWords {
    /// What is known of a line so far.
    type Line;
    /// What a line goes by.
    type Token;

    /// Appends the words of a piece of a line; begins it if there are any.
    fn piece(&mut self, piece: &[u8], line: &mut Option<Self::Line>);

    /// Appends an atom.
    fn atom(&mut self, atom: &[u8], line: &mut Option<Self::Line>);

    fn finish(&self, line: Self::Line) -> Self::Token;
}

impl LineWords for Tokenizer {
    type Line = Fingerprint;
    type Token = Token;

    fn piece(&mut self, piece: &[u8], line: &mut Option<Fingerprint>) {
        self.for_each_block(piece, &mut |block| {
            let line = line.get_or_insert(Fingerprint::EMPTY);
            for &word in block {
                line.push_token(word);
            }
        });
    }

    fn atom(&mut self, atom: &[u8], line: &mut Option<Fingerprint>) {
        line.get_or_insert(Fingerprint::EMPTY).push_token(atom_token(atom));
    }

    fn finish(&self, line: Fingerprint) -> Token {
        line.finish()
    }
}

/// Calls `each` with the token and the place of every line that has words, without the line feed
/// that ends it. One inside an atom ends none.
fn for_each_line<W: LineWords>(
    words: &mut W,
    text: Text<'_>,
    mut each: impl FnMut(W::Token, Range<usize>),
) {
    let mut start = 0;
    let mut line: Option<W::Line> = None;
    text.for_each_part(|part| match part {
        Part::Atom(place) => words.atom(&text.bytes()[place], &mut line),
        Part::Stretch(place) => {
            let mut from = place.start;
            for piece in text.bytes()[place.clone()].split(|&byte| byte == b'\n') {
                // Before every piece but the first stands a line feed.
                if from > place.start {
                    if let Some(line) = line.take() {
                        each(words.finish(line), start..from - 1);
                    }
                    start = from;
                }
                words.piece(piece, &mut line);
                from += piece.len() + 1;
            }
        }
    });
    if let Some(line) = line {
        each(words.finish(line), start..text.bytes().len());
    }
}

/// The token of an atom.
fn atom_token(atom: &[u8]) -> Token {
    TOKENS.bytes(atom)
}

/// A block with more tokens than this goes on before the next ASCII run.
const ENOUGH: usize = BLOCK - BLOCK / 4;

/// Gives tokens to a function in blocks.
struct Blocks<'a, S> {
    kernel: Kernel,
    positions: &'a mut Positions,
    block: &'a mut [Token; BLOCK],
    /// Less than [`BLOCK`] between calls.
    count: usize,
    sink: &'a mut S,
}

impl<S: FnMut(&[Token])> Blocks<'_, S> {
    #[cold]
    fn flush(&mut self) {
        if self.count > 0 {
            (self.sink)(&self.block[..self.count]);
            self.count = 0;
        }
    }
}

impl<S: FnMut(&[Token])> Out for Blocks<'_, S> {
    type Place = ();

    #[inline(always)]
    fn push(&mut self, token: Token, (): ()) {
        self.push_if(true, token, ());
    }

    #[inline(always)]
    fn push_if(&mut self, really: bool, token: Token, (): ()) {
        self.block[self.count % BLOCK] = token;
        self.count += usize::from(really);
        if self.count >= BLOCK {
            self.flush();
        }
    }

    #[inline(always)]
    fn letters(&mut self, _: u64, _: usize) {}

    #[inline]
    fn ascii_words(&mut self, text: &[u8]) -> usize {
        let mut consumed = 0;
        loop {
            // Not with little room: a call should be worth its while.
            if self.count > ENOUGH {
                self.flush();
            }
            let room = &mut self.block[self.count..];
            let rest = &text[consumed..];
            let (read, written) = self.kernel.ascii_words(self.positions, rest, room);
            consumed += read;
            self.count += written;
            // With room left, it stopped because it had to.
            if read == 0 || self.count <= ENOUGH {
                break;
            }
        }
        if self.count >= BLOCK {
            self.flush();
        }
        consumed
    }
}

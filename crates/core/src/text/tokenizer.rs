//! Tokens of documents in blocks, and what all who make tokens have in common: the parts of a text,
//! and its lines.

use std::ops::Range;

use lookalike_kernels::{Kernel, Positions};

use super::document::{Part, Text};
use super::document_tokens::DocumentTokens;
use super::feed::{Characters, Out, Words};
use super::fingerprint::{Fingerprint, Token, atom_token};
use super::walk;

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
        sink: &mut dyn FnMut(&[Token]),
    ) {
        self.blocks(text.into(), sink);
    }

    /// Without a type parameter: the walk is large, and would be compiled again for each caller.
    fn blocks(&mut self, text: Text<'_>, sink: &mut dyn FnMut(&[Token])) {
        let Self { unit, kernel, positions, block, words, scratch } = self;
        let mut blocks = Blocks { kernel: *kernel, positions, block, count: 0, sink };
        match words {
            Some(words) => for_each_line(&mut **words, text, |token, _| blocks.push(token, ())),
            None => walk_parts(*unit, text, &mut blocks, scratch),
        }
        blocks.flush();
    }

    /// Takes a document apart into its tokens and what the markup says of them. Their codes are the
    /// tokens.
    pub fn document<'t>(&mut self, text: impl Into<Text<'t>>, document: &mut DocumentTokens) {
        document.fill(self.unit == Unit::Words, text.into(), |text, tokens, codes| {
            self.for_each_block(text, &mut |block| {
                tokens.extend_from_slice(block);
                codes.extend_from_slice(block);
            });
        });
    }

    /// Appends all tokens of `text` to `out`.
    pub fn tokens<'t>(&mut self, text: impl Into<Text<'t>>, out: &mut Vec<Token>) {
        self.for_each_block(text, &mut |block| out.extend_from_slice(block));
    }
}

/// Feeds words or characters of all parts of a text.
pub(super) fn walk_parts<O: Out<Place = ()>>(
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
pub(super) trait LineWords {
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
pub(super) fn for_each_line<W: LineWords>(
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

/// A block with more tokens than this goes on before the next ASCII run.
pub(super) const ENOUGH: usize = BLOCK - BLOCK / 4;

/// Gives tokens to a function in blocks.
struct Blocks<'a> {
    kernel: Kernel,
    positions: &'a mut Positions,
    block: &'a mut [Token; BLOCK],
    /// Less than [`BLOCK`] between calls.
    count: usize,
    sink: &'a mut dyn FnMut(&[Token]),
}

impl Blocks<'_> {
    #[cold]
    fn flush(&mut self) {
        if self.count > 0 {
            (self.sink)(&self.block[..self.count]);
            self.count = 0;
        }
    }
}

impl Out for Blocks<'_> {
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

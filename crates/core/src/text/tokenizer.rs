//! Tokens of documents in blocks, and what all who make tokens have in common: the parts of a text,
//! and its lines, sentences and paragraphs.

use std::ops::Range;

use super::bounds::{for_each_line_start, for_each_paragraph_start, for_each_sentence_start};
use super::cut::parts;
use lookalike_kernels::{Kernel, Positions};

use super::document::{Part, Text};
use super::document_tokens::DocumentTokens;
use super::feed::{Characters, Out, Words};
use super::fingerprint::{Fingerprint, Token, atom_token};
use super::items::for_each_item;
use super::unit::Unit;
use super::walk;

/// The most tokens in a block. 2048: 16 KB, which the next stage finds in the
/// first-level cache.
pub const BLOCK: usize = 2048;

/// Makes tokens of documents, one after another.
///
/// It keeps its buffers, so that it allocates nothing once warm, except for a
/// letter with more than four combining marks out of order.
pub struct Tokenizer {
    unit: Unit,
    kernel: Kernel,
    positions: Box<Positions>,
    block: Box<[Token; BLOCK]>,
    /// What makes the words, where tokens are of words.
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
        let words = unit.is_of_words().then(|| Self::with_kernel(Unit::Words, kernel));
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
            Some(words) => {
                for_each_of_words(*unit, &mut **words, text, |token, _| blocks.push(token, ()));
            }
            None if *unit == Unit::Items => for_each_item(text.bytes(), |item, _| {
                blocks.push(atom_token(item), ());
            }),
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

/// What makes tokens that are all the words of a stretch.
pub(super) trait OfWords {
    /// What is known of a stretch so far.
    type Open;
    /// What it goes by.
    type Token;

    /// Appends the words of a piece of a stretch; opens it if there are any.
    fn piece(&mut self, piece: &[u8], open: &mut Option<Self::Open>);

    /// Appends an atom.
    fn atom(&mut self, atom: &[u8], open: &mut Option<Self::Open>);

    fn finish(&self, open: Self::Open) -> Self::Token;
}

impl OfWords for Tokenizer {
    type Open = Fingerprint;
    type Token = Token;

    fn piece(&mut self, piece: &[u8], open: &mut Option<Fingerprint>) {
        self.for_each_block(piece, &mut |block| {
            let open = open.get_or_insert(Fingerprint::EMPTY);
            for &word in block {
                open.push_token(word);
            }
        });
    }

    fn atom(&mut self, atom: &[u8], open: &mut Option<Fingerprint>) {
        open.get_or_insert(Fingerprint::EMPTY).push_token(atom_token(atom));
    }

    fn finish(&self, open: Fingerprint) -> Token {
        open.finish()
    }
}

/// Calls `each` with the token and the place of every line, sentence or paragraph that has words. The
/// place is without the line feed that ends a line, and without the white space around the others.
/// What begins inside an atom begins behind it, and not as a new one; nor does a sentence where
/// the text cannot be parted without another word on either side.
pub(super) fn for_each_of_words<W: OfWords>(
    unit: Unit,
    words: &mut W,
    text: Text<'_>,
    mut each: impl FnMut(W::Token, Range<usize>),
) {
    let bytes = text.bytes();
    let mut atoms = text.places_of_atoms().peekable();
    let (mut start, mut from, mut open) = (0, 0, None);
    let mut end_at = |end: usize| {
        // An atom that goes on behind the end.
        if end < from || atoms.peek().is_some_and(|atom| atom.start < end && end < atom.end) {
            return;
        }
        if unit != Unit::Lines && !parts(bytes, end) {
            return;
        }
        while let Some(atom) = atoms.next_if(|atom| atom.start < end) {
            words.piece(&bytes[from..atom.start], &mut open);
            from = atom.end;
            words.atom(&bytes[atom], &mut open);
        }
        words.piece(&bytes[from..end], &mut open);
        if let Some(open) = open.take() {
            each(words.finish(open), trimmed(unit, bytes, start..end));
        }
        (start, from) = (end, end);
    };
    match unit {
        Unit::Sentences => for_each_sentence_start(bytes, &mut end_at),
        Unit::Paragraphs => for_each_paragraph_start(bytes, &mut end_at),
        _ => for_each_line_start(bytes, &mut end_at),
    }
    end_at(bytes.len());
}

/// A place without what only ends it.
fn trimmed(unit: Unit, text: &[u8], place: Range<usize>) -> Range<usize> {
    let whole = &text[place.clone()];
    if unit == Unit::Lines {
        let line = whole.strip_suffix(b"\n").unwrap_or(whole);
        return place.start..place.start + line.len();
    }
    let start = place.start + whole.len() - whole.trim_ascii_start().len();
    start..start + whole.trim_ascii().len()
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

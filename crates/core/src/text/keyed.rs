//! Tokens and their codes: what is proposed by, and what is verified by.
//!
//! The bytes of long words are collected as the walk finds them, and their
//! codes are made for a whole block at once. A word too long for the buffer is
//! taken in as it comes, so that memory stays bounded.

use lookalike_kernels::keyed::{BEHIND, CodeStream, LongWord, SHORT};
use lookalike_kernels::rabin::Rabin;
use lookalike_kernels::{Kernel, Positions};

use super::document::Text;
use super::document_tokens::DocumentTokens;
use super::feed::Out;
use super::fingerprint::{Fingerprint, Token, atom_token};
use super::items::for_each_item;
use super::tokenizer::{BLOCK, ENOUGH, OfWords, for_each_of_words, walk_parts};
use super::unit::Unit;
use crate::verification::{Code, VerificationKey};

/// Makes tokens of documents and their codes under a key, one document after another.
///
/// Tokens are those of a [`Tokenizer`](super::Tokenizer). It keeps its buffers.
pub struct KeyedTokenizer {
    unit: Unit,
    kernel: Kernel,
    key: VerificationKey,
    positions: Box<Positions>,
    tokens: Box<[Token; BLOCK]>,
    codes: Box<[Code; BLOCK]>,
    /// Of words that did not come by `ascii_words`, and what must follow the last.
    bytes: Box<[u8; ROOM]>,
    long: Box<[LongWord; BLOCK]>,
    /// What makes the words, where tokens are of words.
    words: Option<Box<Self>>,
    scratch: Vec<char>,
}

/// Bytes of the words of a block: 2,048 words in scripts of two bytes a letter.
const ROOM: usize = 32 << 10;

/// An array that was never on the stack.
fn boxed<T: Clone + Default, const N: usize>() -> Box<[T; N]> {
    match vec![T::default(); N].into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("the slice has that length"),
    }
}

/// Bytes that one call of `letters` writes.
const LETTERS: usize = 8;

impl KeyedTokenizer {
    /// A tokenizer into `unit`s, on this kernel.
    pub fn new(unit: Unit, kernel: Kernel, key: &VerificationKey) -> Self {
        let words = unit.is_of_words().then(|| Self::new(Unit::Words, kernel, key));
        Self {
            unit,
            kernel,
            key: key.clone(),
            positions: Box::default(),
            tokens: Box::new([0; BLOCK]),
            codes: Box::new([0; BLOCK]),
            bytes: boxed(),
            long: boxed(),
            words: words.map(Box::new),
            scratch: Vec::new(),
        }
    }

    /// The key.
    pub fn key(&self) -> &VerificationKey {
        &self.key
    }

    /// Calls `sink` with successive blocks of the tokens of `text` and their codes, as
    /// [`Tokenizer::for_each_block`](super::Tokenizer::for_each_block) does.
    pub fn for_each_block<'t>(
        &mut self,
        text: impl Into<Text<'t>>,
        sink: &mut dyn FnMut(&[Token], &[Code]),
    ) {
        self.blocks(text.into(), sink);
    }

    fn blocks(&mut self, text: Text<'_>, sink: &mut dyn FnMut(&[Token], &[Code])) {
        let Self { unit, kernel, key, positions, tokens, codes, bytes, long, words, scratch } =
            self;
        let mut blocks = Blocks {
            kernel: *kernel,
            key,
            positions,
            tokens,
            codes,
            count: 0,
            bytes,
            start: 0,
            at: 0,
            absorbed: None,
            long,
            longs: 0,
            sink,
        };
        match words {
            Some(words) => for_each_of_words(*unit, &mut **words, text, |(token, code), _| {
                blocks.push_coded(token, code);
            }),
            None if *unit == Unit::Items => for_each_item(text.bytes(), |item, _| {
                blocks.push_coded(atom_token(item), key.code(item));
            }),
            None => walk_parts(*unit, text, &mut blocks, scratch),
        }
        blocks.flush();
    }

    /// Appends all tokens of `text` and their codes.
    pub fn tokens<'t>(
        &mut self,
        text: impl Into<Text<'t>>,
        tokens: &mut Vec<Token>,
        codes: &mut Vec<Code>,
    ) {
        self.for_each_block(text, &mut |block, block_codes| {
            tokens.extend_from_slice(block);
            codes.extend_from_slice(block_codes);
        });
    }

    /// Takes a document apart into its tokens, their codes, and what the markup says of them.
    pub fn document<'t>(&mut self, text: impl Into<Text<'t>>, document: &mut DocumentTokens) {
        document.fill(self.unit == Unit::Words, text.into(), |text, tokens, codes| {
            self.tokens(text, tokens, codes);
        });
    }

    /// Appends the codes of `text`.
    pub fn codes<'t>(&mut self, text: impl Into<Text<'t>>, codes: &mut Vec<Code>) {
        self.for_each_block(text, &mut |_, block| codes.extend_from_slice(block));
    }
}

/// Words in the making of one token: the fingerprint of their tokens, and that of their codes.
pub(super) type Open = (Fingerprint, u64);

impl OfWords for KeyedTokenizer {
    type Open = Open;
    type Token = (Token, Code);

    fn piece(&mut self, piece: &[u8], open: &mut Option<Open>) {
        let rabin = self.key.rabin().clone();
        self.for_each_block(piece, &mut |tokens, codes| {
            let open = open.get_or_insert((Fingerprint::EMPTY, Rabin::EMPTY));
            for (&token, &code) in tokens.iter().zip(codes) {
                open.0.push_token(token);
                open.1 = rabin.push_word(open.1, code);
            }
        });
    }

    fn atom(&mut self, atom: &[u8], open: &mut Option<Open>) {
        let open = open.get_or_insert((Fingerprint::EMPTY, Rabin::EMPTY));
        open.0.push_token(atom_token(atom));
        open.1 = self.key.rabin().push_word(open.1, self.key.code(atom));
    }

    fn finish(&self, (fingerprint, codes): Open) -> (Token, Code) {
        (fingerprint.finish(), self.key.line(codes))
    }
}

/// Gives tokens and codes to a function in blocks.
struct Blocks<'a> {
    kernel: Kernel,
    key: &'a VerificationKey,
    positions: &'a mut Positions,
    tokens: &'a mut [Token; BLOCK],
    codes: &'a mut [Code; BLOCK],
    /// Less than [`BLOCK`] between calls.
    count: usize,
    bytes: &'a mut [u8; ROOM],
    /// Where the word that is open begins in `bytes`, and ends.
    start: usize,
    at: usize,
    /// What was taken in of that word already, if it is very long.
    absorbed: Option<CodeStream>,
    /// The long words among the bytes, whose codes are still to be made.
    long: &'a mut [LongWord; BLOCK],
    longs: usize,
    sink: &'a mut dyn FnMut(&[Token], &[Code]),
}

impl Blocks<'_> {
    #[cold]
    fn flush(&mut self) {
        self.settle();
        if self.count > 0 {
            (self.sink)(&self.tokens[..self.count], &self.codes[..self.count]);
            self.count = 0;
        }
    }

    /// Makes the codes of the long words, and room for the bytes of others. What is left of a word
    /// that is open is less than a block of its code.
    fn settle(&mut self) {
        let words = &self.long[..self.longs];
        self.kernel.long_codes(self.key.words(), &self.bytes[..], words, &mut self.codes[..]);
        self.longs = 0;
        let open = self.start..self.at;
        (self.start, self.at) = (0, 0);
        if !open.is_empty() {
            let absorbed = self.absorbed.get_or_insert_default();
            let taken = absorbed.push(self.key.words(), &self.bytes[open.clone()]);
            self.bytes.copy_within(open.start + taken..open.end, 0);
            self.at = open.len() - taken;
        }
    }

    /// A word of which a part was taken in already.
    #[cold]
    fn push_absorbed(&mut self, token: Token) {
        let absorbed = self.absorbed.take().unwrap_or_default();
        let code = absorbed.finish(self.key.words(), &self.bytes[self.start..self.at]);
        self.at = self.start;
        self.push_coded(token, code);
    }

    fn push_coded(&mut self, token: Token, code: Code) {
        (self.tokens[self.count], self.codes[self.count]) = (token, code);
        self.count += 1;
        if self.count >= BLOCK {
            self.flush();
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
        if self.absorbed.is_some() {
            return self.push_absorbed(token);
        }
        let number = self.count % BLOCK;
        self.tokens[number] = token;
        self.codes[number] = token;
        let (start, end) = (self.start as u32, self.at as u32);
        self.long[self.longs % BLOCK] = LongWord { number: number as u32, start, end };
        self.longs += usize::from(really && self.at - self.start > SHORT);
        self.start = self.at;
        self.count += usize::from(really);
        if self.count >= BLOCK {
            self.flush();
        }
    }

    #[inline(always)]
    fn letters(&mut self, bytes: u64, length: usize) {
        if self.at > ROOM - LETTERS - BEHIND {
            self.settle();
        }
        // In two steps, as no shift goes as far as 64.
        let half = 4 * (8 - length);
        let first = bytes << half << half;
        if let Some(room) = self.bytes[self.at..].first_chunk_mut::<LETTERS>() {
            *room = first.to_be_bytes();
        }
        self.at += length;
    }

    #[inline]
    fn ascii_words(&mut self, text: &[u8]) -> usize {
        let mut consumed = 0;
        loop {
            if self.count > ENOUGH {
                self.flush();
            }
            let (tokens, codes) = (&mut self.tokens[self.count..], &mut self.codes[self.count..]);
            let (aes, rest) = (self.key.words(), &text[consumed..]);
            let (read, written) =
                self.kernel.keyed_ascii_words(aes, self.positions, rest, tokens, codes);
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

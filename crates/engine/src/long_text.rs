//! Texts that are too long to be held in memory, in pieces that have the same tokens.

use std::io::{self, Read};
use std::path::Path;

use lookalike_core::text::{CUT_BYTES, Unit, last_cut};
use lookalike_corpus::{Error, ReadOptions, Source};

/// How much of a text is in memory, unless it has a longer stretch that cannot be cut.
const PIECE_BYTES: usize = 4 << 20;

/// Calls `each` with the pieces of a text file, one after another. Each byte is looked at once for
/// a place to cut, and a stretch without one, a word or an address of the text, may be as long as
/// a record.
///
/// # Errors
/// If the file cannot be read, is longer than the limit, or has a longer stretch.
pub(crate) fn for_each_piece(
    source: &Source,
    options: &ReadOptions,
    unit: Unit,
    each: impl FnMut(&[u8]),
) -> Result<(), Error> {
    let longest = options.limits.max_record_bytes;
    match cut(source.text_reader(options)?, unit, PIECE_BYTES, longest, each) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::stretch_too_long(source.path(), longest)),
        Err(error) => Err(Error::reading(source.path(), error)),
    }
}

/// The same of a text that is in memory.
pub(crate) fn for_each_piece_of(
    text: &[u8],
    unit: Unit,
    mut each: impl FnMut(&[u8]),
) -> Result<(), Error> {
    if text.len() <= PIECE_BYTES {
        each(text);
        return Ok(());
    }
    // What is read from memory does not fail, and no stretch is too long.
    let cut = cut(text, unit, PIECE_BYTES, u64::MAX, each);
    cut.map(drop).map_err(|error| Error::reading(Path::new(""), error))
}

/// Cuts a stream into pieces. `false` if that cannot be done.
fn cut(
    mut reader: impl Read,
    unit: Unit,
    piece_bytes: usize,
    longest: u64,
    mut each: impl FnMut(&[u8]),
) -> io::Result<bool> {
    let mut piece = Vec::new();
    loop {
        let known = piece.len();
        // Not what a vector takes by itself, which is twice of what there is.
        piece.reserve_exact(piece_bytes);
        if reader.by_ref().take(piece_bytes as u64).read_to_end(&mut piece)? == 0 {
            each(&piece);
            return Ok(true);
        }
        // What was there before has no cut, but one that it takes the next bytes to see.
        let from = known.saturating_sub(2 * CUT_BYTES);
        if let Some(cut) = last_cut(unit, &piece[from..]) {
            each(&piece[..from + cut]);
            piece.drain(..from + cut);
            piece.shrink_to(2 * piece_bytes);
        } else if piece.len() as u64 > longest {
            return Ok(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use lookalike_core::text::Tokenizer;

    use super::*;

    /// Counts how much is read at once.
    fn pieces(text: &str, unit: Unit, longest: u64) -> (Option<Vec<u64>>, usize) {
        let (mut tokens, mut most) = (Vec::new(), 0);
        let mut tokenizer = Tokenizer::new(unit);
        let whole = cut(text.as_bytes(), unit, 64, longest, |piece| {
            most = most.max(piece.len());
            tokenizer.tokens(piece, &mut tokens);
        });
        (whole.unwrap().then_some(tokens), most)
    }

    #[test]
    fn text_without_white_space_is_cut_and_has_the_tokens_of_the_whole() {
        let unit = [Unit::Words, Unit::Characters];
        for (text, units) in [
            ("\u{4e2d}\u{6587}\u{5b57}", &unit[..]),
            ("\u{4e2d}\u{6587}\u{ff0c}\u{5b57}\u{3001}", &unit[..]),
            ("\u{3072}\u{3089}\u{304b}\u{3099}\u{306a}", &unit[..]),
            ("\u{4e2d}\u{6587}http://a.example/b\u{5b57}c://d", &unit[..]),
            ("word\"another\"<p>(and)", &unit[..]),
            ("http://a.example/b,c.d\"", &unit[..]),
            ("oneverylongword", &unit[1..]),
            ("\u{442}\u{435}\u{43a}\u{441}\u{442}", &unit[1..]),
        ] {
            let text = text.repeat(400);
            for &unit in units {
                let mut whole = Vec::new();
                Tokenizer::new(unit).tokens(&*text, &mut whole);
                let (tokens, most) = pieces(&text, unit, 4096);
                assert_eq!(tokens.as_ref(), Some(&whole), "{unit:?} of {:?}", &text[..30]);
                assert!(most <= 256, "{unit:?} of {:?}: a piece of {most} bytes", &text[..30]);
            }
        }
    }

    #[test]
    fn sentences_and_paragraphs_are_cut_at_line_feeds() {
        for text in ["A rose. Is\na rose? Is.\n\n", "\n\n\u{301}a. B\n \n\nc\n\n d\n\ne."] {
            let text = text.repeat(100);
            for unit in [Unit::Sentences, Unit::Paragraphs] {
                let mut whole = Vec::new();
                Tokenizer::new(unit).tokens(&*text, &mut whole);
                let (tokens, most) = pieces(&text, unit, 4096);
                assert_eq!(tokens, Some(whole), "{unit:?} of {:?}", &text[..10]);
                assert!(most <= 256, "{unit:?} of {:?}: a piece of {most} bytes", &text[..10]);
            }
        }
    }

    #[test]
    fn a_stretch_that_cannot_be_cut_has_a_limit() {
        for (text, unit) in [
            ("word".repeat(400), Unit::Words),
            ("http://a.example/".repeat(100), Unit::Words),
            ("no line ".repeat(200), Unit::Lines),
            ("A sentence. ".repeat(200), Unit::Sentences),
            ("no paragraph\n".repeat(200), Unit::Paragraphs),
            (format!("a{}", "\u{301}".repeat(800)), Unit::Words),
        ] {
            let mut whole = Vec::new();
            Tokenizer::new(unit).tokens(&*text, &mut whole);
            assert_eq!(pieces(&text, unit, text.len() as u64).0, Some(whole), "{unit:?}");
            assert_eq!(pieces(&text, unit, 1000).0, None, "{unit:?}");
        }
    }
}

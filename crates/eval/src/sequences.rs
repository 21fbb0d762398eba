//! The token sequences of documents in a file, and the term differences of pairs of them.

use std::collections::HashMap;
use std::path::Path;

use lookalike_core::difference::{EditDistance, distances, term_difference};
use lookalike_core::text::{Text, Tokenizer, Unit};
use lookalike_engine::{Observer, RecipePairs, Result, Row};
use lookalike_files::{Rows, RowsKind, RowsWriter};

const TOKENS: RowsKind = *b"tokenseq";

/// The term difference of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Terms {
    pub(crate) all: u64,
    /// Without pictures.
    pub(crate) words: u64,
    /// The edit distance.
    pub(crate) edits: EditDistance,
}

/// The most tokens of a document that is compared: some 25 MB of text. Pairs with a longer one
/// are left out and counted.
pub(crate) const MAX_TOKENS: u64 = 4 << 20;

/// Token sequences in a file.
pub(crate) struct Sequences {
    tokens: Rows,
    places: Places,
}

/// Where the sequences of rows are.
#[derive(Default)]
struct Places {
    all: HashMap<Row, Place>,
    /// Without pictures, of rows that have some.
    words: HashMap<Row, Place>,
}

/// Where a sequence begins, and how many tokens it has.
#[derive(Clone, Copy)]
struct Place {
    start: u64,
    length: u64,
}

impl Sequences {
    /// Writes the sequences of these rows, which are in order.
    pub(crate) fn write(
        path: &Path,
        rows: &[Row],
        found: &RecipePairs,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let mut writer = Writer::create(path)?;
        found.for_each_text(rows, Unit::Words, observer, |row, text| writer.push(row, text))?;
        writer.finish(path)
    }

    /// The term differences of these pairs; of those that can be compared.
    pub(crate) fn differences(
        &self,
        pairs: &[(Row, Row)],
        threads: usize,
        observer: &dyn Observer,
    ) -> Result<HashMap<(Row, Row), Terms>> {
        let share = pairs.len().div_ceil(threads.max(1)).max(1);
        let results: Vec<Result<Vec<_>>> = std::thread::scope(|scope| {
            let work = |part: &[(Row, Row)]| self.some_differences(part, observer);
            let threads: Vec<_> =
                pairs.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
            let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
            joined.map(|done| done.unwrap_or_else(|p| std::panic::resume_unwind(p))).collect()
        });
        let mut terms = HashMap::new();
        for part in results {
            terms.extend(part?);
        }
        Ok(terms)
    }

    fn some_differences(
        &self,
        pairs: &[(Row, Row)],
        observer: &dyn Observer,
    ) -> Result<Vec<((Row, Row), Terms)>> {
        let mut terms = Vec::new();
        for &(a, b) in pairs {
            observer.check_cancelled()?;
            let Places { all, words } = &self.places;
            let places = [a, b].map(|row| all.get(&row).filter(|at| at.length <= MAX_TOKENS));
            if let [Some(x), Some(y)] = places {
                let (all, edits) = self.distances([x, y])?;
                let with_pictures = [a, b].iter().any(|row| words.contains_key(row));
                let words = if with_pictures {
                    self.difference([words.get(&a).unwrap_or(x), words.get(&b).unwrap_or(y)])?
                } else {
                    all
                };
                terms.push(((a, b), Terms { all, words, edits }));
            }
            observer.advance(0, 1);
        }
        Ok(terms)
    }

    fn difference(&self, places: [&Place; 2]) -> Result<u64> {
        let [a, b] = places.map(|place| self.sequence(*place));
        Ok(term_difference(&a?, &b?))
    }

    fn distances(&self, places: [&Place; 2]) -> Result<(u64, EditDistance)> {
        let [a, b] = places.map(|place| self.sequence(*place));
        Ok(distances(&a?, &b?))
    }

    fn sequence(&self, Place { start, length }: Place) -> Result<Vec<u64>> {
        let mut bytes = vec![0; 8 * length as usize];
        self.tokens.rows(start, &mut bytes)?;
        let words = bytes.as_chunks::<8>().0.iter();
        Ok(words.map(|word| u64::from_le_bytes(*word)).collect())
    }
}

/// Writes sequences.
struct Writer {
    file: RowsWriter,
    tokenizer: Tokenizer,
    places: Places,
    /// Tokens in the file.
    written: u64,
}

impl Writer {
    fn create(path: &Path) -> Result<Self> {
        let file = RowsWriter::create(path, TOKENS, 8)?;
        let tokenizer = Tokenizer::new(Unit::Words);
        Ok(Self { file, tokenizer, places: Places::default(), written: 0 })
    }

    /// Adds a text, or the next piece of it. Of one that is too long, not all is in the file. One
    /// with pictures comes whole.
    fn push<'a>(&mut self, row: Row, text: impl Into<Text<'a>>) -> Result<()> {
        let text = text.into();
        let none = Place { start: self.written, length: 0 };
        let mut place = self.places.all.get(&row).copied().unwrap_or(none);
        self.append(text, &mut place)?;
        self.places.all.insert(row, place);
        if !text.atoms().is_empty() {
            let mut place = Place { start: self.written, length: 0 };
            let starts = [0].into_iter().chain(text.atoms().iter().map(|atom| atom.end));
            let ends = text.atoms().iter().map(|atom| atom.start).chain([text.bytes().len()]);
            for (start, end) in starts.zip(ends) {
                self.append(text.bytes()[start..end].into(), &mut place)?;
            }
            self.places.words.insert(row, place);
        }
        Ok(())
    }

    /// Writes the tokens of a text behind those of its place.
    fn append(&mut self, text: Text<'_>, Place { length, .. }: &mut Place) -> Result<()> {
        let Self { file, tokenizer, written, .. } = self;
        let mut result = Ok(());
        tokenizer.for_each_block(text, &mut |tokens| {
            if *length <= MAX_TOKENS && result.is_ok() {
                let bytes: Vec<u8> = tokens.iter().flat_map(|token| token.to_le_bytes()).collect();
                result = file.push(&bytes);
                *written += tokens.len() as u64;
            }
            *length += tokens.len() as u64;
        });
        Ok(result?)
    }

    fn finish(self, path: &Path) -> Result<Sequences> {
        self.file.finish()?;
        Ok(Sequences { tokens: Rows::open(path, TOKENS, 8)?, places: self.places })
    }
}

#[cfg(test)]
mod tests {
    use lookalike_core::text::html::Extractor;

    use super::*;

    /// Terms, terms without pictures, and edits, which are exact here.
    fn told(terms: &Terms) -> [u64; 3] {
        [terms.all, terms.words, terms.edits.exact().unwrap()]
    }

    #[test]
    fn what_is_too_long_is_left_out_and_the_next_is_whole() {
        let path = std::env::temp_dir().join(format!("lookalike-tokens-{}", std::process::id()));
        let mut writer = Writer::create(&path).unwrap();
        let [a, long, b] = [4, 5, 6].map(Row::nth);
        writer.push(a, b"one two").unwrap();
        for _ in 0..=MAX_TOKENS / 1000 {
            writer.push(long, "word ".repeat(1001).as_bytes()).unwrap();
        }
        writer.push(b, b"one").unwrap();
        writer.push(b, b" three").unwrap();
        let sequences = writer.finish(&path).unwrap();
        let pairs = [(long, a), (b, a), (b, long)];
        let terms = sequences.differences(&pairs, 2, &lookalike_engine::NoObserver).unwrap();
        let found: Vec<_> = terms.iter().map(|(pair, terms)| (*pair, told(terms))).collect();
        // One word goes, and another comes.
        assert_eq!(found, [((b, a), [2, 2, 2])]);
        std::fs::remove_file(path).unwrap();
    }

    /// Two pages that differ in a word and in two pictures: in six terms, or two.
    #[test]
    fn pictures_are_terms_or_none() {
        let name = format!("lookalike-pictures-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let page = |word: &str, pictures: [&str; 2]| {
            let [a, b] = pictures.map(|name| format!("<img src='http://pictures.example/{name}'>"));
            let page = format!("<p>{a} one two {word} {b} four</p>");
            Extractor::new().extract(page.as_bytes(), None).to_buf()
        };
        let mut writer = Writer::create(&path).unwrap();
        let [a, b, plain] = [0, 1, 2].map(Row::nth);
        writer.push(a, &page("three", ["a.png", "b.png"])).unwrap();
        writer.push(b, &page("tree", ["c.png", "d.png"])).unwrap();
        writer.push(plain, b"one two three four").unwrap();
        let sequences = writer.finish(&path).unwrap();
        let pairs = [(b, a), (plain, a), (plain, b)];
        let terms = sequences.differences(&pairs, 1, &lookalike_engine::NoObserver).unwrap();
        assert_eq!(told(&terms[&(b, a)]), [6, 2, 6]);
        assert_eq!(told(&terms[&(plain, a)]), [2, 0, 2]);
        assert_eq!(told(&terms[&(plain, b)]), [4, 2, 4]);
        std::fs::remove_file(path).unwrap();
    }
}

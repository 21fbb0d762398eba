//! The tokens of the documents that were learned from, for the stages after learning.
//!
//! To take a web page apart costs more than all that is done with its tokens
//! afterwards. So those that learning has made of it are not made again: one
//! table has the tokens of all sampled documents and their codes, one after another,
//! with what the markup says behind those of each, and a second says whose they are,
//! in the order of sources and records. Who asks in that order, as threads do for a
//! chunk at a time, seldom has to search.

use lookalike_core::text::{DocumentTokens, SectionKind, SectionRun};
use lookalike_files::{Rows, RowsKind, RowsWriter, double_word};

use crate::error::{Error, Result};
use crate::files::Files;

const TOKENS: RowsKind = *b"learntok";
/// A token and its code, or a kind of section and how many tokens it has.
const TOKEN: usize = 16;
const OWNERS: RowsKind = *b"learndoc";

/// Source, record, where its tokens begin, how many there are, and how many runs of them.
type Owner = [u64; 5];
const OWNER: usize = 40;

/// Owners that are at hand at a time.
const BLOCK: u64 = 256;

/// The tokens of some documents of a source, in order.
#[derive(Default)]
pub(super) struct TokensOf {
    source: u64,
    /// Record, number of tokens and of runs of each.
    records: Vec<[u64; 3]>,
    tokens: Vec<u8>,
}

impl TokensOf {
    /// None yet.
    pub(super) fn of(source: u64) -> Self {
        Self { source, ..Self::default() }
    }

    /// Appends the tokens of a record.
    pub(super) fn push(&mut self, record: u64, document: &DocumentTokens) {
        let DocumentTokens { tokens, codes, runs } = document;
        self.records.push([record, tokens.len() as u64, runs.len() as u64]);
        self.tokens.reserve(TOKEN * (tokens.len() + runs.len()));
        let tokens = tokens.iter().zip(codes).map(|(&token, &code)| [token, code]);
        let runs = runs.iter().map(|run| [run.kind.to_bits().into(), run.tokens as u64]);
        for row in tokens.chain(runs) {
            self.tokens.extend_from_slice(row.map(u64::to_le_bytes).as_flattened());
        }
    }

    /// What they take.
    pub(super) fn bytes(&self) -> usize {
        self.tokens.len()
    }
}

/// Writes both tables.
pub(super) struct TokensWriter {
    tokens: RowsWriter,
    owners: RowsWriter,
    written: u64,
}

impl TokensWriter {
    pub(super) fn create(files: &Files) -> Result<Self> {
        let tokens = RowsWriter::create(&files.tokens(), TOKENS, TOKEN)?;
        let owners = RowsWriter::create(&files.token_owners(), OWNERS, OWNER)?;
        Ok(Self { tokens, owners, written: 0 })
    }

    /// Appends some documents, which come in order.
    pub(super) fn push(&mut self, of: &TokensOf) -> Result<()> {
        self.tokens.push(&of.tokens)?;
        for [record, tokens, runs] in &of.records {
            let owner: Owner = [of.source, *record, self.written, *tokens, *runs];
            self.owners.push(owner.map(u64::to_le_bytes).as_flattened())?;
            self.written += tokens + runs;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<()> {
        self.tokens.finish()?;
        Ok(self.owners.finish()?)
    }
}

/// Both tables.
pub(super) struct StoredTokens {
    tokens: Rows,
    owners: Rows,
}

impl StoredTokens {
    pub(super) fn open(files: &Files) -> Result<Self> {
        let tokens = Rows::open(&files.tokens(), TOKENS, TOKEN)?;
        let owners = Rows::open(&files.token_owners(), OWNERS, OWNER)?;
        Ok(Self { tokens, owners })
    }

    /// The number of the first owner that does not come before this one.
    fn search(&self, wanted: [u64; 2]) -> Result<u64> {
        let before = |owner: &[u8]| [double_word(owner, 0), double_word(owner, 8)] < wanted;
        Ok(self.owners.partition_point(before)?)
    }
}

fn owner(bytes: &[u8; OWNER]) -> Owner {
    let mut owner = [0; 5];
    for (word, bytes) in owner.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    owner
}

/// The words that were written as bytes.
pub(super) fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word))
}

/// Reads tokens, on one thread.
#[derive(Default)]
pub(super) struct TokensReader {
    /// Consecutive owners.
    block: Vec<Owner>,
    bytes: Vec<u8>,
    document: DocumentTokens,
}

impl TokensReader {
    /// The tokens of a document, if they are there.
    pub(super) fn tokens(
        &mut self,
        stored: &StoredTokens,
        wanted: [u64; 2],
    ) -> Result<Option<&DocumentTokens>> {
        let name = |[source, record, ..]: &Owner| [*source, *record];
        let at_hand = |block: &[Owner]| match (block.first(), block.last()) {
            (Some(first), Some(last)) => name(first) <= wanted && wanted <= name(last),
            _ => false,
        };
        if !at_hand(&self.block) {
            self.read_block(stored, stored.search(wanted)?)?;
        }
        let Ok(at) = self.block.binary_search_by_key(&wanted, name) else {
            return Ok(None);
        };
        let [_, _, start, tokens, runs] = self.block[at];
        let rows = tokens.saturating_add(runs);
        if rows > stored.tokens.len() {
            return Err(Error::corruption(
                stored.owners.path(),
                0,
                format!("at most {} tokens of a document", stored.tokens.len()),
                rows.to_string(),
            ));
        }
        self.bytes.resize(TOKEN * rows as usize, 0);
        stored.tokens.rows(start, &mut self.bytes)?;
        let (tokens, runs) = self.bytes.split_at(TOKEN * tokens as usize);
        let document = &mut self.document;
        document.clear();
        document.tokens.extend(words(tokens).step_by(2));
        document.codes.extend(words(tokens).skip(1).step_by(2));
        let (kinds, counts) = (words(runs).step_by(2), words(runs).skip(1).step_by(2));
        document.runs.extend(kinds.zip(counts).map(|(kind, tokens)| SectionRun {
            tokens: tokens as usize,
            kind: SectionKind::from_bits(kind as u8),
        }));
        Ok(Some(document))
    }

    fn read_block(&mut self, stored: &StoredTokens, from: u64) -> Result<()> {
        let count = BLOCK.min(stored.owners.len().saturating_sub(from)) as usize;
        self.bytes.resize(OWNER * count, 0);
        stored.owners.rows(from, &mut self.bytes)?;
        self.block.clear();
        self.block.extend(self.bytes.as_chunks().0.iter().map(owner));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use lookalike_files::WorkFolder;

    use super::*;

    #[test]
    fn tokens_come_back_in_any_order() {
        let folder = WorkFolder::create(None).unwrap();
        let files = Files::new(&folder, None);
        std::fs::create_dir_all(&files.work).unwrap();
        let of = |source: u64, record: u64| {
            let tokens: Vec<u64> =
                (0..record % 7).map(|n| source << 32 | record << 8 | n).collect();
            let codes = tokens.iter().map(|token| !token).collect();
            let run = |n| SectionRun {
                tokens: (record * 3 + n) as usize % 5,
                kind: SectionKind::from_bits((record + n) as u8 % 32),
            };
            DocumentTokens { tokens, codes, runs: (0..record % 4).map(run).collect() }
        };
        let is_stored = |source: u64, record: u64| (source + record).is_multiple_of(3);
        let mut writer = TokensWriter::create(&files).unwrap();
        for source in 0..3 {
            let mut batch = TokensOf::of(source);
            for record in (1..1000).filter(|record| is_stored(source, *record)) {
                batch.push(record, &of(source, record));
            }
            writer.push(&batch).unwrap();
        }
        writer.finish().unwrap();
        let stored = StoredTokens::open(&files).unwrap();
        let mut reader = TokensReader::default();
        let forth = (0..4).flat_map(|source| (0..1003).map(move |record| [source, record]));
        let back: Vec<_> = forth.clone().step_by(11).collect();
        for [source, record] in forth.chain(back.into_iter().rev()) {
            let there = source < 3 && (1..1000).contains(&record) && is_stored(source, record);
            let expected = there.then(|| of(source, record));
            let found = reader.tokens(&stored, [source, record]).unwrap();
            assert_eq!(found, expected.as_ref(), "{source} {record}");
        }
    }
}

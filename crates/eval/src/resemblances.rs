//! The exact resemblances of labelled pairs, whether recipes return them or not.
//!
//! The shingle sets of the documents go to a file, each once; two of them are in
//! memory for each thread. Recipes with the same shingles share them.

use std::collections::HashMap;
use std::path::Path;

use lookalike_core::Kernel;
use lookalike_core::recipe::{Recipe, Shingles};
use lookalike_core::resemblance::Overlap;
use lookalike_core::shingle::{ShingleSet, Shingler};
use lookalike_core::text::{Text, Tokenizer, Unit};
use lookalike_engine::{Observer, RecipePairs, Result, Row, Running, Stage, Work};
use lookalike_files::{Rows, RowsKind, RowsWriter};

use crate::labels::PairLabel;
use crate::sequences::MAX_TOKENS;

const SETS: RowsKind = *b"labelset";

/// What resemblance is computed of.
pub(crate) type ShingleRule = (Unit, Shingles);

/// That of a recipe.
pub(crate) fn rule_of(recipe: &Recipe) -> ShingleRule {
    (recipe.tokens, recipe.shingles)
}

/// The resemblances of labelled pairs, in their order; `None` where a document is too long.
pub(crate) fn compute(
    rule: ShingleRule,
    pairs: &[PairLabel],
    found: &RecipePairs,
    running: &Running,
    observer: &dyn Observer,
) -> Result<Vec<Option<f64>>> {
    let mut rows: Vec<Row> = pairs.iter().flat_map(|pair| [pair.later, pair.earlier]).collect();
    rows.sort_unstable();
    rows.dedup();
    observer.begin(Stage::Differ, Some(Work::Documents((rows.len() + pairs.len()) as u64)));
    let path = found.folder().join("labelled-sets");
    let mut writer = SetWriter::create(&path, rule, running.kernel)?;
    found.for_each_text(&rows, rule.0, observer, |row, text| writer.push(row, text))?;
    let sets = writer.finish(&path)?;
    let share = pairs.len().div_ceil(running.threads.max(1)).max(1);
    let parts: Vec<Result<Vec<_>>> = std::thread::scope(|scope| {
        let work = |part: &[PairLabel]| sets.resemblances(part, running.kernel, observer);
        let threads: Vec<_> =
            pairs.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
        let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        joined.map(|done| done.unwrap_or_else(|p| std::panic::resume_unwind(p))).collect()
    });
    let mut resemblances = Vec::with_capacity(pairs.len());
    for part in parts {
        resemblances.extend(part?);
    }
    Ok(resemblances)
}

/// Shingle sets in a file.
struct Sets {
    shingles: Rows,
    /// Where each row's begins, and how many there are.
    places: HashMap<Row, (u64, u64)>,
}

impl Sets {
    /// Of pairs that come by their later documents.
    fn resemblances(
        &self,
        pairs: &[PairLabel],
        kernel: Kernel,
        observer: &dyn Observer,
    ) -> Result<Vec<Option<f64>>> {
        let mut resemblances = Vec::with_capacity(pairs.len());
        let mut last: Option<(Row, Option<Vec<u64>>)> = None;
        for (number, pair) in (0..).zip(pairs) {
            observer.tick(number)?;
            let later = match last.take() {
                Some((row, set)) if row == pair.later => set,
                _ => self.set(pair.later)?,
            };
            let resemblance = match (&later, self.set(pair.earlier)?) {
                (Some(b), Some(a)) => {
                    let common = kernel.intersection(&a, b) as u64;
                    Some(Overlap { a: a.len() as u64, b: b.len() as u64, common }.resemblance())
                }
                _ => None,
            };
            resemblances.push(resemblance);
            last = Some((pair.later, later));
        }
        Ok(resemblances)
    }

    /// The set of a row; `None` if its document is too long.
    fn set(&self, row: Row) -> Result<Option<Vec<u64>>> {
        let Some(&(start, length)) = self.places.get(&row) else { return Ok(None) };
        let mut bytes = vec![0; 8 * length as usize];
        self.shingles.rows(start, &mut bytes)?;
        let words = bytes.as_chunks::<8>().0.iter();
        Ok(Some(words.map(|word| u64::from_le_bytes(*word)).collect()))
    }
}

/// Writes sets.
struct SetWriter {
    file: RowsWriter,
    tokenizer: Tokenizer,
    shingler: Shingler,
    /// The document under way, its shingles so far, and its tokens.
    row: Option<Row>,
    shingles: Vec<u64>,
    tokens: u64,
    places: HashMap<Row, (u64, u64)>,
    /// Shingles in the file.
    written: u64,
}

impl SetWriter {
    fn create(path: &Path, (unit, shingles): ShingleRule, kernel: Kernel) -> Result<Self> {
        Ok(Self {
            file: RowsWriter::create(path, SETS, 8)?,
            tokenizer: Tokenizer::with_kernel(unit, kernel),
            shingler: Shingler::new(kernel, shingles.width, shingles.counting),
            row: None,
            shingles: Vec::new(),
            tokens: 0,
            places: HashMap::new(),
            written: 0,
        })
    }

    /// Adds a text, or the next piece of it.
    fn push<'a>(&mut self, row: Row, text: impl Into<Text<'a>>) -> Result<()> {
        if self.row != Some(row) {
            self.end()?;
            self.row = Some(row);
        }
        let Self { tokenizer, shingler, shingles, tokens, .. } = self;
        tokenizer.for_each_block(text, &mut |block| {
            *tokens += block.len() as u64;
            if *tokens <= MAX_TOKENS {
                shingler.push(block, |some| shingles.extend_from_slice(some));
            }
        });
        Ok(())
    }

    /// The document under way is complete.
    fn end(&mut self) -> Result<()> {
        let Some(row) = self.row.take() else { return Ok(()) };
        let shingles = &mut self.shingles;
        self.shingler.finish(|some| shingles.extend_from_slice(some));
        let set = ShingleSet::new(std::mem::take(shingles));
        if std::mem::take(&mut self.tokens) > MAX_TOKENS {
            return Ok(());
        }
        let bytes: Vec<u8> = set.as_slice().iter().flat_map(|one| one.to_le_bytes()).collect();
        self.file.push(&bytes)?;
        self.places.insert(row, (self.written, set.len() as u64));
        self.written += set.len() as u64;
        Ok(())
    }

    fn finish(mut self, path: &Path) -> Result<Sets> {
        self.end()?;
        self.file.finish()?;
        Ok(Sets { shingles: Rows::open(path, SETS, 8)?, places: self.places })
    }
}

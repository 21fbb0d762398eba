//! The projections of documents that are in a group, for recipes whose signatures do not keep them.
//!
//! The combined algorithm asks for a projection only where features have made a
//! candidate. Where space matters more than time, the documents of groups are read
//! again and projected, as the paper says at the end of its section 3.5. One
//! after another in a file, in the order of rows.

use lookalike_core::{Recipe, Signature, Signer};
use lookalike_files::{Rows, RowsKind, RowsWriter};

use crate::document_set::RowSet;
use crate::error::{Error, ErrorKind, Result};
use crate::files::Files;
use crate::long_text;
use crate::means::Means;
use crate::pipeline::{Event, Payload, Piece};
use crate::places::Row;
use crate::sources::{SourceAtHand, SourceTable};
use crate::texts::Texts;

const PROJECTIONS: RowsKind = *b"projectn";

/// Words of a projection.
fn words(recipe: &Recipe) -> usize {
    recipe.projection.map_or(0, |projection| projection.bits.div_ceil(64))
}

impl Means<'_> {
    /// Reads the documents of the `wanted` rows again and writes their projections.
    pub(crate) fn write_projections(&self, sources: &SourceTable, wanted: &RowSet) -> Result<()> {
        let recipe = &self.recipe.of_projection();
        let mut file =
            RowsWriter::create(&self.files.projections(), PROJECTIONS, 8 * words(recipe))?;
        let mut found = 0;
        sources.for_each_reading(self.read, |numbers, read| {
            let means = Means { recipe, read, ..*self };
            let needed = sources.to_read_again_of(numbers, |row| wanted.any(&row.rows()));
            means.pipeline(self.budget).run(
                needed,
                || {
                    let mut worker = Worker::new(&means, sources.at_hand(), wanted)?;
                    Ok(move |number, piece| worker.piece(number, &piece))
                },
                |event| match event {
                    Event::Result(batch) => {
                        found += batch.documents;
                        self.observer.advance(batch.text_bytes, batch.documents);
                        Ok(file.push(&batch.projections)?)
                    }
                    Event::End { number, fault, .. } => sources.check_end(number, fault),
                },
            )
        })?;
        if found != wanted.len() {
            return Err(Error::from(ErrorKind::DocumentsMissing { found, wanted: wanted.len() }));
        }
        Ok(file.finish()?)
    }
}

/// The projections of a chunk.
#[derive(Default)]
struct Batch {
    projections: Vec<u8>,
    documents: u64,
    text_bytes: u64,
}

impl Batch {
    fn add(&mut self, signature: &Signature, bytes: usize) {
        self.projections.extend(signature.projection.iter().flat_map(|word| word.to_le_bytes()));
        self.documents += 1;
        self.text_bytes += bytes as u64;
    }
}

impl Payload for Batch {
    fn bytes(&self) -> usize {
        self.projections.len()
    }
}

/// What projects on one thread.
struct Worker<'a> {
    means: &'a Means<'a>,
    source: SourceAtHand<'a>,
    wanted: &'a RowSet,
    signer: Signer,
    texts: Texts,
}

impl<'a> Worker<'a> {
    fn new(means: &'a Means<'a>, source: SourceAtHand<'a>, wanted: &'a RowSet) -> Result<Self> {
        let signer = Signer::with_kernel(means.recipe, means.kernel)?;
        Ok(Self { means, source, wanted, signer, texts: Texts::new() })
    }

    fn piece(&mut self, number: u64, piece: &Piece) -> Result<Batch> {
        let row = self.source.get(number)?;
        let (mut batch, mut fault) = (Batch::default(), None);
        match piece {
            Piece::LongText(source) => {
                let Means { read, recipe, .. } = *self.means;
                let mut bytes = 0;
                long_text::for_each_piece(source, read, recipe.tokens, |piece| {
                    bytes += piece.len();
                    self.signer.push(piece);
                })?;
                batch.add(self.signer.finish(), bytes);
            }
            Piece::Chunk(chunk) => chunk.for_each_wanted(
                |record| row.row_of(record).is_some_and(|row| self.wanted.contains(row)),
                |record| match record {
                    Ok(record) => {
                        let signature = self.signer.sign(self.texts.of_record(&record));
                        batch.add(signature, record.content.len());
                    }
                    Err(error) => fault = Some(Error::from(error)),
                },
            ),
        }
        fault.map_or(Ok(batch), Err)
    }
}

/// The projections that [`Means::write_projections`] wrote.
pub(crate) struct Projections<'a> {
    file: Rows,
    words: usize,
    wanted: &'a RowSet,
}

impl<'a> Projections<'a> {
    pub(crate) fn open(files: &Files, recipe: &Recipe, wanted: &'a RowSet) -> Result<Self> {
        let words = words(recipe);
        let file = Rows::open(&files.projections(), PROJECTIONS, 8 * words)?;
        Ok(Self { file, words, wanted })
    }

    /// Adds that of a row to its signature.
    pub(crate) fn complete(&self, row: Row, signature: &mut Signature) -> Result<()> {
        let mut bytes = vec![0; 8 * self.words];
        self.file.rows(self.wanted.rank(row), &mut bytes)?;
        let words = bytes.as_chunks::<8>().0.iter();
        signature.projection.clear();
        signature.projection.extend(words.map(|word| u64::from_le_bytes(*word)));
        Ok(())
    }
}

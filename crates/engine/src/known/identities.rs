//! What the identity sets of known documents go by, under the key of the job: their texts are
//! read again for it.

use lookalike_core::Signer;
use lookalike_files::{Rows, RowsWriter};

use crate::document_set::RowSet;
use crate::error::{Error, ErrorKind, Result};
use crate::long_text;
use crate::means::Means;
use crate::pipeline::{Event, Payload, Piece};
use crate::places::Row;
use crate::sign::{IDENTITIES, IDENTITY, identity};
use crate::sources::{SourceAtHand, SourceTable};
use crate::texts::Texts;

impl Means<'_> {
    /// Calls `each` with the wanted rows and what their identity sets go by, in order.
    pub(crate) fn identities_of(
        &self,
        sources: &SourceTable,
        wanted: &RowSet,
        mut each: impl FnMut(Row, u128) -> Result<()>,
    ) -> Result<()> {
        let path = self.files.known_identities();
        let mut file = RowsWriter::create(&path, IDENTITIES, IDENTITY)?;
        let mut found = 0;
        sources.for_each_reading(self.read, |numbers, read| {
            let means = Means { read, ..*self };
            let needed = sources.to_read_again_of(numbers, |row| wanted.any(&row.rows()));
            means.pipeline(self.budget / 4).run(
                needed,
                || {
                    let mut worker = Worker::new(&means, sources.at_hand(), wanted)?;
                    Ok(move |number, piece| worker.piece(number, &piece))
                },
                |event| match event {
                    Event::Result(batch) => {
                        found += batch.identities.len() as u64;
                        Ok(batch.identities.iter().try_for_each(|bytes| file.push(bytes))?)
                    }
                    Event::End { number, fault, .. } => sources.check_end(number, fault),
                },
            )
        })?;
        file.finish()?;
        let wanted_rows = wanted.len();
        if found != wanted_rows {
            return Err(Error::from(ErrorKind::DocumentsMissing { found, wanted: wanted_rows }));
        }
        let mut rows = wanted.members();
        Rows::open(&path, IDENTITIES, IDENTITY)?.for_each(|_, identity| {
            let identity = identity.first_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes));
            rows.next().map_or(Ok(()), |row| each(row, identity))
        })
    }
}

/// The identities of a chunk.
#[derive(Default)]
struct Batch {
    identities: Vec<[u8; IDENTITY]>,
}

impl Payload for Batch {
    fn bytes(&self) -> usize {
        IDENTITY * self.identities.len()
    }
}

/// What reads on one thread.
struct Worker<'a> {
    means: &'a Means<'a>,
    source: SourceAtHand<'a>,
    wanted: &'a RowSet,
    signer: Signer,
    texts: Texts,
}

impl<'a> Worker<'a> {
    fn new(means: &'a Means<'a>, source: SourceAtHand<'a>, wanted: &'a RowSet) -> Result<Self> {
        let Means { recipe, kernel, key, .. } = *means;
        let signer = Signer::keyed(recipe, kernel, key)?;
        Ok(Self { means, source, wanted, signer, texts: Texts::new() })
    }

    fn piece(&mut self, number: u64, piece: &Piece) -> Result<Batch> {
        let row = self.source.get(number)?;
        let (mut batch, mut fault) = (Batch::default(), None);
        match piece {
            Piece::LongText(source) => {
                let Means { read, recipe, .. } = *self.means;
                long_text::for_each_piece(source, read, recipe.tokens, |piece| {
                    self.signer.push(piece);
                })?;
                batch.identities.push(identity(self.signer.finish()));
            }
            Piece::Chunk(chunk) => chunk.for_each_wanted(
                |record| row.row_of(record).is_some_and(|row| self.wanted.contains(row)),
                |record| match record {
                    Ok(record) => {
                        let signature = self.signer.sign(self.texts.of_record(&record));
                        batch.identities.push(identity(signature));
                    }
                    Err(error) => fault = Some(Error::from(error)),
                },
            ),
        }
        fault.map_or(Ok(batch), Err)
    }
}

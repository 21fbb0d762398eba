//! Attributes of documents that are signed already: one pass over the inputs, without signing,
//! or over the signatures where these know enough.

use lookalike_core::Recipe;
use lookalike_files::RowsWriter;

use crate::attributes::{Attributes, AttributesWriter, FieldQuestions, RANKS, Summary};
use crate::error::{Error, ErrorKind, Result};
use crate::keep::KeepPolicy;
use crate::means::Means;
use crate::pipeline::{Event, Payload, Piece};
use crate::signature_file::SignatureReader;
use crate::sources::{SourceAtHand, SourceTable};

/// Fails if a policy goes by lengths that signatures of the recipe do not keep.
pub(crate) fn check_lengths_for(keep: &KeepPolicy, recipe: &Recipe) -> Result<()> {
    if keep.ranked().iter().any(|key| key.field().is_none()) {
        check_lengths("`--keep longest` or `--keep shortest`", recipe)?;
    }
    Ok(())
}

/// Fails if signatures of the recipe do not keep the lengths that an option needs.
pub(crate) fn check_lengths(option: &'static str, recipe: &Recipe) -> Result<()> {
    if recipe.keep_exact {
        return Ok(());
    }
    Err(Error::from(ErrorKind::NoLengths { recipe: recipe.name.clone(), option }))
}

/// Asks documents again.
pub(crate) struct Ranking<'a> {
    pub(crate) asked: FieldQuestions<'a>,
    pub(crate) means: Means<'a>,
    /// How many of them are not known ones.
    pub(crate) documents: u64,
}

impl Ranking<'_> {
    /// Writes what is asked, in the order of rows.
    ///
    /// # Errors
    /// If an input is not what was signed, or the system refuses.
    pub(crate) fn run(&self, sources: &SourceTable) -> Result<Summary> {
        let asked = FieldQuestions { knows_tokens: false, ..self.asked };
        self.by_tokens()?;
        match asked.fields().next() {
            Some(_) => self.ask(asked, sources),
            None => Ok(Summary::default()),
        }
    }

    /// Ranks under the keys that look at the number of tokens only.
    fn by_tokens(&self) -> Result<()> {
        let files = self.means.files;
        check_lengths_for(self.asked.keep, self.means.recipe)?;
        let mut tables = Vec::new();
        for (number, key) in self.asked.keep.ranked().iter().enumerate() {
            if key.field().is_none() {
                tables.push((key, RowsWriter::create(&files.ranks(number), RANKS, 8)?));
            }
        }
        if tables.is_empty() {
            return Ok(());
        }
        let new = self.documents as usize;
        for signed in SignatureReader::open(files.signatures())?.take(new) {
            let (_, signature) = signed?;
            for (key, table) in &mut tables {
                table.push(&key.rank_of_text(signature.tokens).to_le_bytes())?;
            }
        }
        Ok(tables.into_iter().try_for_each(|(_, table)| table.finish())?)
    }

    fn ask(&self, asked: FieldQuestions<'_>, sources: &SourceTable) -> Result<Summary> {
        let with_documents = sources.to_read_again(|row| row.documents > 0);
        let mut writer = AttributesWriter::create(asked, self.means.files)?;
        let mut found = 0;
        self.means.pipeline(self.means.budget).run(
            with_documents,
            || {
                let mut worker = Worker { asked, source: sources.at_hand() };
                Ok(move |number, piece| worker.piece(number, &piece))
            },
            |event| match event {
                Event::Result(batch) => {
                    found += batch.documents;
                    self.means.observer.advance(batch.bytes, batch.documents);
                    writer.take(&batch.attributes)
                }
                Event::End { number, fault, .. } => sources.check_end(number, fault),
            },
        )?;
        let wanted = sources.documents()?;
        if found != wanted {
            return Err(Error::from(ErrorKind::DocumentsMissing { found, wanted }));
        }
        writer.finish()
    }
}

/// What the documents of a chunk said.
#[derive(Default)]
struct Batch {
    attributes: Attributes,
    documents: u64,
    bytes: u64,
}

impl Payload for Batch {
    fn bytes(&self) -> usize {
        // A rank, a value of a field, and two numbers.
        80 * self.documents as usize
    }
}

/// What asks on one thread.
struct Worker<'a> {
    asked: FieldQuestions<'a>,
    source: SourceAtHand<'a>,
}

impl Worker<'_> {
    fn piece(&mut self, number: u64, piece: &Piece) -> Result<Batch> {
        let row = self.source.get(number)?;
        let mut batch = Batch::default();
        let mut fault = None;
        match piece {
            // Only what is known of a text file is known of it: nothing that depends on tokens
            // is asked here.
            Piece::LongText(_) => {
                self.asked.text(0, &mut batch.attributes);
                batch.documents += 1;
            }
            Piece::Chunk(chunk) => chunk.for_each_wanted(
                |record| row.row_of(record).is_some(),
                |record| match record {
                    Ok(record) => {
                        self.asked.record(0, &record, &mut batch.attributes);
                        batch.documents += 1;
                        batch.bytes += record.content.len() as u64;
                    }
                    Err(error) => fault = Some(Error::from(error)),
                },
            ),
        }
        fault.map_or(Ok(batch), Err)
    }
}

//! The documents of a run that stay.

use lookalike_core::Signature;
use lookalike_corpus::Record;

use super::Run;
use crate::document_set::RowSet;
use crate::error::{Error, Result};
use crate::places::Row;
use crate::signature_file::SignatureReader;

impl Run {
    /// Calls `each` with the id and the signature of every document that stays, in order. Known ones
    /// are not among them.
    ///
    /// # Errors
    /// If a file cannot be read; and what `each` gives, which ends it.
    pub fn for_each_surviving_signature<E: From<Error>>(
        &self,
        mut each: impl FnMut(&str, &Signature) -> Result<(), E>,
    ) -> Result<(), E> {
        let removed = self.removed()?;
        let reader = SignatureReader::open(self.files.signatures())?;
        reader.for_each_row(|row, id, signature| {
            let goes = self.is_known(row) || removed.contains(row);
            if goes { Ok(()) } else { each(id, signature) }
        })
    }

    /// Calls `each` with the name of the file and every document that stays, in order, read from the
    /// inputs again.
    ///
    /// # Errors
    /// If an input has changed or cannot be read; and what `each` gives, which ends it.
    pub fn for_each_survivor<E: From<Error>>(
        &self,
        mut each: impl FnMut(&str, &Record<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let removed = self.removed()?;
        self.sources.check_new_unchanged()?;
        for number in 0..self.sources.new_sources() {
            let source = self.sources.get(number)?;
            let stays = |record| source.row_of(record).is_some_and(|row| !removed.contains(row));
            for chunk in source.source.chunks(&self.read) {
                let chunk = match chunk {
                    Ok(chunk) => chunk,
                    // Where it broke off then, it breaks off now.
                    Err(_) if source.broken => break,
                    Err(fault) => return Err(Error::from(fault).into()),
                };
                let mut outcome = Ok(());
                chunk.for_each_wanted(stays, |record| {
                    if outcome.is_ok() {
                        outcome = match record {
                            Ok(record) => each(source.source.id(), &record),
                            Err(fault) => Err(Error::from(fault).into()),
                        };
                    }
                });
                outcome?;
            }
        }
        Ok(())
    }

    /// Whether documents can be read again: not if the run was made from a signature file.
    pub fn has_inputs(&self) -> bool {
        self.sources.new_sources() > 0
    }

    /// The rows of new documents that stay.
    pub(crate) fn survivors(&self) -> Result<RowSet> {
        let removed = self.removed()?;
        let mut stays = RowSet::none(self.documents());
        let rows = Row::between(Row::nth(0)..Row::nth(self.documents()));
        rows.filter(|row| !removed.contains(*row)).for_each(|row| {
            stays.insert(row);
        });
        Ok(stays)
    }

    /// The rows of documents that went.
    fn removed(&self) -> Result<RowSet, Error> {
        let mut removed = RowSet::none(self.rows());
        self.for_each_member(
            |_, _| true,
            |member| {
                if !member.kept {
                    removed.insert(member.row);
                }
                Ok(())
            },
        )?;
        Ok(removed)
    }
}

//! A signature file as the input of a job: everything but the documents.

use std::fs;
use std::path::{Path, PathBuf};

use lookalike_core::Signature;
use lookalike_core::recipe::Candidates;
use lookalike_files::RowsWriter;

use super::options::{Dedup, Removes};
use crate::attributes::RANKS;
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::files::Files;
use crate::places::Row;
use crate::rank::check_lengths_for;
use crate::sign::{IDENTITIES, IDENTITY, SigningSummary, identity};
use crate::signature_file::{SignatureReader, is_signature_file};
use crate::sources::SourcesWriter;

impl Dedup {
    /// The signature file that is the only input, if it is one.
    pub(super) fn signature_file(&self) -> Option<PathBuf> {
        let [input] = &self.inputs[..] else { return None };
        let path = PathBuf::from(input);
        (path.is_file() && is_signature_file(&path).unwrap_or(false)).then_some(path)
    }

    /// Takes the place of signing: the file is linked or copied, and read once.
    pub(super) fn take_signatures(&self, path: &Path, files: &Files) -> Result<SigningSummary> {
        let mut reader = SignatureReader::open(path)?;
        self.recipe.check_same_bits(reader.recipe())?;
        let refused = |option: &str| {
            let (path, option) = (path.to_owned(), option.to_owned());
            Err(Error::from(ErrorKind::NeedsDocuments { path, option }))
        };
        if self.recipe.reads_documents() && self.removes == Removes::Near {
            return refused(&format!("--verify {}", self.recipe.verify.name()));
        }
        if self.recipe.projects_when_needed() && self.removes == Removes::Near {
            return refused("projections, which the recipe does not keep,");
        }
        if let Some(field) = self.asked().fields().next() {
            return refused(&format!("the field `{field}`"));
        }
        if self.recipe.candidates == Candidates::BySite {
            return refused("sites");
        }
        check_lengths_for(self.policy(), &self.recipe)?;
        let mut ranks = Vec::new();
        for (number, key) in self.policy().ranked().iter().enumerate() {
            ranks.push((key, RowsWriter::create(&files.ranks(number), RANKS, 8)?));
        }
        // Public: nothing of a signature file can be verified.
        let mut identities = RowsWriter::create(&files.identities(), IDENTITIES, IDENTITY)?;
        let (mut id, mut signature) = (String::new(), Signature::default());
        let mut signed = SigningSummary { sources: 1, ..SigningSummary::default() };
        while reader.read(&mut id, &mut signature)? {
            signed.documents += 1;
            signed.empty += u64::from(signature.is_empty());
            // Equal features do not make two documents the same: without more, each is a set of its own.
            let is_told = self.recipe.keep_exact || signature.is_empty();
            let number = || u128::from(signed.documents).to_le_bytes();
            identities.push(&if is_told { identity(&signature) } else { number() })?;
            for (key, table) in &mut ranks {
                table.push(&key.rank_of_text(signature.tokens).to_le_bytes())?;
            }
        }
        Row::check_count(signed.documents)?;
        identities.finish()?;
        ranks.into_iter().try_for_each(|(_, table)| table.finish())?;
        SourcesWriter::create(&files.sources())?.finish()?;
        let target = files.signatures();
        let _ = fs::remove_file(&target);
        // A link costs nothing; where there can be none, a copy does.
        if fs::hard_link(path, &target).is_err() {
            fs::copy(path, &target).map_err(|e| Error::io(&target, Operation::Write, e))?;
        }
        Ok(signed)
    }
}

//! The removal budget: a job that would remove more than allowed stops before it does.

use std::path::Path;

use lookalike_files::Rows;

use crate::attributes::PARTS;
use crate::document_set::RowSet;
use crate::error::{Error, ErrorKind, Result};
use crate::places::Row;

/// How much may be removed. Without limits, all that has a look-alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RemovalBudget {
    share: Option<f64>,
    part: Option<(String, f64)>,
}

/// Parts that an error names.
const NAMED: usize = 10;

impl RemovalBudget {
    /// At most this share of all documents.
    #[must_use]
    pub fn of_all(mut self, share: f64) -> Self {
        self.share = Some(share);
        self
    }

    /// At most this share of the documents with any one value of the field.
    #[must_use]
    pub fn of_each(mut self, field: impl Into<String>, share: f64) -> Self {
        self.part = Some((field.into(), share));
        self
    }

    /// The field that parts go by.
    pub fn field(&self) -> Option<&str> {
        self.part.as_ref().map(|(field, _)| &**field)
    }

    /// Fails if more goes than allowed.
    pub(super) fn check(
        &self,
        removed: &RowSet,
        documents: u64,
        parts: &Path,
        names: &[String],
    ) -> Result<()> {
        if let Some(share) = self.share
            && removed.len() as f64 > share * documents as f64
        {
            let removed = removed.len();
            return Err(Error::from(ErrorKind::RemovesTooMuch { removed, documents, share }));
        }
        let Some((field, share)) = &self.part else { return Ok(()) };
        let mut counts = vec![(0_u64, 0_u64); names.len()];
        Rows::open(parts, PARTS, 4)?.for_each(|row, part| -> Result<()> {
            let part = u32::from_le_bytes(part.try_into().unwrap_or_default());
            if let Some((all, gone)) = counts.get_mut(part as usize) {
                *all += 1;
                *gone += u64::from(removed.contains(Row::nth(row)));
            }
            Ok(())
        })?;
        let over = |(all, gone): (u64, u64)| gone as f64 > share * all as f64;
        let mut parts: Vec<(String, u64, u64)> = names
            .iter()
            .zip(counts)
            .filter(|(_, counts)| over(*counts))
            .map(|(name, (all, gone))| (name.clone(), gone, all))
            .collect();
        if parts.is_empty() {
            return Ok(());
        }
        let more = parts.len().saturating_sub(NAMED);
        // Those that lose most first.
        let lost = |part: &(String, u64, u64)| part.1 as f64 / part.2 as f64;
        parts.sort_by(|a, b| lost(b).total_cmp(&lost(a)).then_with(|| a.0.cmp(&b.0)));
        parts.truncate(NAMED);
        let (field, share) = (field.clone(), *share);
        Err(Error::from(ErrorKind::RemovesTooMuchOf { field, share, parts, more }))
    }
}

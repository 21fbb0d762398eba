//! How often documents were found, for the report.

use super::job::Job;
use crate::dates;
use crate::error::Result;
use crate::ids::Ids;
use crate::report::{self, Report};
use crate::sign::SigningSummary;
use crate::urls::Urls;
use crate::write::{TableSummary, Tables};

impl Job<'_> {
    /// What the report says of counts; `removed` documents go.
    pub(super) fn counts(
        &self,
        tables: &Tables<'_>,
        signed: &SigningSummary,
        removed: u64,
        written: &TableSummary,
    ) -> Result<report::Counts> {
        let repeats = &written.repeats;
        let keepers = written.clusters - written.known_clusters;
        let alone = signed.documents - removed - keepers - written.kept_beside;
        let alone = (alone > 0).then_some([1, alone]);
        let pairs = |(number, documents): (&u64, &u64)| [*number, *documents];
        let mut counts = report::Counts {
            by: tables.places_of_counts().counted_by(self.options.counted.as_deref()),
            date_field: self.options.dated.clone(),
            copies: alone.into_iter().chain(repeats.copies.iter().map(pairs)).collect(),
            sources: repeats.sources.iter().map(pairs).collect(),
            ..report::Counts::default()
        };
        let mut ids = Ids::new(tables.signatures);
        let mut urls = Urls::open(&self.files.urls())?;
        for of in &repeats.most {
            counts.most_repeated.push(report::Repeated {
                id: ids.get(of.keeper)?,
                url: urls.as_mut().map(|urls| urls.get(of.keeper)).transpose()?.flatten(),
                copies: of.copies,
                exact_copies: of.exact_copies,
                sources: of.sources,
                first: of.first.map(dates::iso),
                last: of.last.map(dates::iso),
            });
        }
        Ok(counts)
    }

    /// What could not be counted.
    pub(super) fn note_uncounted(&self, signed: &SigningSummary, report: &mut Report) {
        let fields = [
            (&self.options.counted, signed.uncounted, "nothing", "they count as no source"),
            (&self.options.dated, signed.undated, "no date", "they count for no first and no last"),
        ];
        for (field, documents, nothing, consequence) in fields {
            if let (Some(field), 1..) = (field, documents) {
                let note = format!("{documents} documents had {nothing} in the field `{field}`");
                report.notes.push(format!("{note}; {consequence}."));
            }
        }
    }
}

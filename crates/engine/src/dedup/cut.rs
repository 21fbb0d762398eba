//! What repeats inside of the documents that stay: the stage, and what is told of it.

use super::cut_counts::{Counting, CutCounts};
use super::job::Job;
use super::options::Removes;
use super::sites::Addresses;
use crate::document_set::RowSet;
use crate::error::{Error, ErrorKind, Result};
use crate::identity_sets::Copies;
use crate::observe::{Stage, Work};
use crate::order::Order;
use crate::passages::Cuts;
use crate::places::Place;
use crate::report::{self, Report};
use crate::sign::SigningSummary;
use crate::signature_file::SignatureLookup;
use crate::sources::SourceTable;
use crate::write::Tables;

impl Job<'_> {
    /// Finds what is cut of the documents that stay, if that was asked for.
    pub(super) fn cut(
        &mut self,
        signed: &SigningSummary,
        order: &Order,
        copies: &Copies,
    ) -> Result<()> {
        let Some(rule) = self.options.passages else { return Ok(()) };
        let cut = self.stage(Stage::Passages, |job| {
            let mut stay = RowSet::none(signed.documents);
            for (place, keeper) in Place::all().zip(&job.keepers(signed)?) {
                if place == *keeper && !copies.is_copy(place) {
                    stay.insert(order.row(place));
                }
            }
            let sources = job.sources()?;
            let signatures = SignatureLookup::open(job.files.signatures())?;
            job.observer.begin(Stage::Passages, Some(Work::Documents(2 * signed.documents)));
            let documents = (signed.documents, stay.count());
            let tokens = |row| Ok(signatures.signature(row)?.tokens);
            job.means().cut_passages(&rule, &sources, order, documents, tokens)
        })?;
        // What would be cut is written down by then.
        if let Some(share) = rule.max_cut
            && !self.options.writing.annotates
            && cut.words as f64 > share * cut.all_words as f64
        {
            let (cut, words) = (cut.words, cut.all_words);
            return Err(Error::from(ErrorKind::CutsTooMuch { cut, words, share }));
        }
        self.cut = Some(cut);
        Ok(())
    }

    /// What is cut, after its table is written.
    pub(super) fn cuts(&self, tables: &Tables<'_>) -> Result<Option<Cuts>> {
        if self.cut.is_none() {
            return Ok(None);
        }
        let cuts = Cuts::open(&self.files)?;
        tables.write_passages(&cuts)?;
        Ok(Some(cuts))
    }

    /// The rows that are not among the survivors: those that were removed, and those of which too little is
    /// left.
    pub(super) fn gone(&self, removed: &RowSet) -> RowSet {
        let mut gone = removed.clone();
        if self.options.writing.annotates {
            return gone;
        }
        for row in self.cut.iter().flat_map(|cut| &cut.gone) {
            gone.insert(*row);
        }
        gone.count()
    }

    /// What was cut, counted for the report.
    pub(super) fn count_cuts(
        &self,
        cuts: Option<&Cuts>,
        sources: &SourceTable,
        removed: &RowSet,
        addresses: Option<&mut Addresses>,
    ) -> Result<CutCounts> {
        let Some(cuts) = cuts else { return Ok(CutCounts::default()) };
        Counting { means: self.means(), cuts, sources, removed, addresses }.run()
    }

    pub(super) fn report_passages(
        &self,
        report: &mut Report,
        counts: CutCounts,
        most_copies: Vec<report::Passage>,
    ) {
        let (Some(cut), Some(rule)) = (&self.cut, self.options.passages) else { return };
        let annotated = self.options.writing.annotates;
        let documents_gone = if annotated { 0 } else { cut.gone.len() as u64 };
        report.kept -= documents_gone;
        report.passages = Some(report::Passages {
            rule: rule.name(),
            annotated,
            alone: self.options.removes == Removes::Nothing,
            words: cut.all_words,
            words_cut: cut.words,
            cuts: cut.pieces,
            documents: cut.documents + if annotated { cut.gone.len() as u64 } else { 0 },
            documents_gone,
            words_lost: if annotated { 0 } else { cut.lost_words },
            passages: counts.passages,
            lengths: counts.lengths.counts(),
            copies: counts.copies.counts(),
            sources: counts.sources,
            sites: counts.sites,
            most_copies,
        });
    }
}

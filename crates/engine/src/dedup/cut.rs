//! What repeats inside of the documents that stay: the stage, and what is told of it.

use super::cut_counts::{Counting, CutCounts};
use super::job::Job;
use super::options::Removes;
use super::sites::Addresses;
use crate::document_set::RowSet;
use crate::error::{Error, ErrorKind, Result};
use crate::identity_sets::Copies;
use crate::numbers::count;
use crate::observe::{Stage, Work};
use crate::order::Order;
use crate::passages::{AnnotatedSummary, Cuts, Gone};
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
            let keepers = job.keepers(signed)?;
            let beside = job.kept_beside(&keepers, copies)?;
            for (place, keeper) in Place::all().zip(&keepers) {
                if place == *keeper && !copies.is_copy(place) || beside.contains(place) {
                    stay.insert(order.row(place));
                }
            }
            let sources = job.sources()?;
            let signatures = SignatureLookup::open(job.files.signatures())?;
            let passes = if signed.cut_words.is_some() { 1 } else { 2 };
            job.observer.begin(Stage::Passages, Some(Work::Documents(passes * signed.documents)));
            let documents = (signed.documents, stay.count());
            let tokens = |row| Ok(signatures.signature(row)?.tokens);
            let words = signed.cut_words;
            job.means().cut_passages(&rule, &sources, order, documents, words, tokens)
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
        tables.write_passages(&cuts, self.options.writing.annotates)?;
        Ok(Some(cuts))
    }

    /// The rows that are not among the survivors: those that were removed, and those of which too little is
    /// left.
    pub(super) fn gone(&self, removed: &RowSet) -> Result<RowSet> {
        let mut gone = removed.clone();
        if self.options.writing.annotates {
            return Ok(gone.count());
        }
        if self.cut.is_some() {
            Gone::open(&self.files)?.for_each(|row| {
                gone.insert(row);
            })?;
        }
        Ok(gone.count())
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
        let annotates = self.options.writing.annotates;
        Counting { means: self.means(), cuts, sources, removed, annotates, addresses }.run()
    }

    pub(super) fn report_passages(
        &self,
        report: &mut Report,
        counts: CutCounts,
        most_copies: Vec<report::Passage>,
    ) {
        let (Some(cut), Some(rule)) = (&self.cut, self.options.passages) else { return };
        let annotated = self.options.writing.annotates;
        let documents_gone = if annotated { 0 } else { cut.documents_gone };
        // Nothing is cut, and what could not be counts as all else; or it is told apart.
        let mut more = cut.annotated.clone();
        if annotated {
            more.documents += cut.documents_gone;
        } else {
            if more.documents > 0 {
                report.notes.push(format!(
                    "Web pages, documents of web archives and columns of lists are not cut: {} of {} of them stand \
                     elsewhere in what is kept, and stay where they are. `passages.parquet` has them, with false as \
                     `cut`.",
                    count(more.words, "word"),
                    count(more.documents, "document"),
                ));
            }
            more = AnnotatedSummary::default();
        }
        report.kept -= documents_gone;
        report.passages = Some(report::Passages {
            rule: rule.name(),
            annotated,
            alone: self.options.removes == Removes::Nothing,
            words: cut.all_words,
            words_cut: cut.words + more.words,
            cuts: cut.pieces + more.pieces,
            documents: cut.documents + more.documents,
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

#[cfg(test)]
mod tests {
    use std::fs;

    use lookalike_files::WorkFolder;

    use super::*;
    use crate::observe::NoObserver;
    use crate::passages::PassageRule;
    use crate::{CutUnit, Dedup};

    /// With so little memory that all sorts and messages go to the disk.
    #[test]
    fn cuts_are_the_same_however_little_memory_there_is() {
        let folder = WorkFolder::create(None).unwrap();
        // Lines of few kinds of words, some of them copies of earlier ones.
        let mut state = 7;
        let mut next = |below: u64| {
            state = lookalike_core::mix(state + 1);
            state % below
        };
        let mut lines: Vec<String> = Vec::new();
        let texts = (0..400).map(|_| {
            let text: Vec<String> = (0..12)
                .map(|_| {
                    let known = lines.len() as u64;
                    let line = match next(3) {
                        0 if known > 0 => lines[next(known) as usize].clone(),
                        _ => {
                            (0..8).map(|_| format!("w{} ", next(40))).collect::<Vec<_>>().concat()
                                + "\n"
                        }
                    };
                    lines.push(line.clone());
                    line
                })
                .collect();
            serde_json::json!({ "text": text.concat() }).to_string() + "\n"
        });
        let input = folder.join("texts.jsonl");
        fs::write(&input, texts.collect::<String>()).unwrap();
        let results = |name: &str, budget: Option<usize>| {
            let out = folder.join(name);
            let rule = PassageRule::default().min_words(4).cut(CutUnit::Words);
            let options = Dedup::new([input.to_str().unwrap()]).all_documents().passages(rule);
            let mut job = Job::begin(&options, options.request(), &out, &NoObserver).unwrap();
            let signed: SigningSummary = job.stage(Stage::Sign, |job| job.sign(&[])).unwrap();
            let order = job.order(&signed).unwrap();
            let _: u64 = job.stage(Stage::Group, |job| job.group(&order)).unwrap();
            let copies = Copies::open(&job.files.copies()).unwrap();
            let judged = job.judge(&signed, &order, &copies).unwrap();
            let enough = std::mem::replace(&mut job.budget, budget.unwrap_or(64 << 20));
            job.cut(&signed, &order, &copies).unwrap();
            job.budget = enough;
            let report = job.finish(&signed, &judged, &order, &copies).unwrap();
            assert!(report.passages.unwrap().cuts > 1000);
            ["kept/texts.jsonl", "passages.parquet"].map(|name| fs::read(out.join(name)).unwrap())
        };
        let enough = results("enough", None);
        assert!(results("little", Some(0)) == enough);
        assert!(results("some", Some(40_000)) == enough);
    }
}

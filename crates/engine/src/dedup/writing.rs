//! The documents that are written again, at the end of a job.

use super::job::Job;
use super::options::Removes;
use crate::document_set::RowSet;
use crate::error::Result;
use crate::numbers::count;
use crate::order::Order;
use crate::passages::Cuts;
use crate::report::Report;
use crate::signature_file::SignatureLookup;
use crate::sources::SourceTable;
use crate::write::{
    AnnotationSorter, Annotations, ClusterTable, Revisiting, Survivors, Unreadable, Written,
};

impl Job<'_> {
    /// Whether documents are written.
    fn writes(&self) -> bool {
        self.options.writing.documents != Written::Nothing && self.options.tables.is_empty()
    }

    /// Whether records are written with anything added, or more than once.
    fn annotates(&self) -> bool {
        let writing = &self.options.writing;
        self.writes() && (writing.adds() || writing.repeats())
    }

    /// Whether web archives say what became of documents that went.
    fn revisits(&self) -> bool {
        self.writes() && self.options.writing.revisits
    }

    /// What takes the documents of clusters, if records are to say something of them.
    pub(super) fn annotation_sorter<'o>(&self, order: &'o Order) -> Option<AnnotationSorter<'o>> {
        let wanted = self.annotates() || self.revisits();
        wanted.then(|| AnnotationSorter::new(order, &self.files, self.budget / 8))
    }

    /// Writes the documents that are wanted, of so many.
    pub(super) fn write_documents(
        &self,
        documents: u64,
        sources: &SourceTable,
        signatures: &SignatureLookup,
        removed: &RowSet,
        cuts: Option<&Cuts>,
    ) -> Result<()> {
        if !self.writes() {
            return Ok(());
        }
        let writing = &self.options.writing;
        // Passages that are annotated are not cut.
        let passages = cuts.filter(|_| writing.annotates);
        let needed = self.annotates() || self.revisits();
        let clusters = needed.then(|| ClusterTable::open(&self.files)).transpose()?;
        let annotations = clusters
            .as_ref()
            .filter(|_| self.annotates())
            .map(|clusters| Annotations::new(writing, clusters, signatures, passages));
        let alone = self.options.removes == Removes::Nothing;
        let annotations = annotations.map(|all| if alone { all.without_clusters() } else { all });
        let mut revisits = None;
        if let Some(clusters) = clusters.as_ref().filter(|_| self.revisits()) {
            let keepers = clusters.keepers(documents)?;
            self.means().read_revisited(sources, &keepers)?;
            revisits = Some(Revisiting { files: &self.files, clusters, signatures });
        }
        let survivors = Survivors {
            sources,
            options: &self.read,
            removed: &self.gone(removed)?,
            written: writing.documents,
            cuts: cuts.filter(|_| !writing.annotates),
            annotations: annotations.as_ref(),
            revisits,
            unreadable: self.options.unreadable,
            threads: self.options.running.threads,
            budget: self.budget,
            observer: self.observer,
        };
        survivors.write(&match writing.documents {
            Written::Kept | Written::Nothing => self.files.kept(),
            Written::All => self.files.all(),
            Written::Removed => self.files.removed(),
        })
    }

    /// Says what was written, and what nothing could be added to.
    pub(super) fn report_written(&self, report: &mut Report, without_fields: u64) {
        let written = self.options.writing.documents;
        if self.writes() && written != Written::Kept {
            report.written = Some(written.name().to_owned());
        }
        if self.annotates() && without_fields > 0 {
            let table = match self.options.removes {
                Removes::Nothing => "passages.parquet",
                Removes::Near | Removes::Exact => "clusters.parquet",
            };
            report.notes.push(format!(
                "Nothing was added to {} in text files, web pages and web archives, which have no \
                 fields; `{table}` has the same of them.",
                count(without_fields, "document")
            ));
        }
    }

    /// Says where that is which could not be read, if anything could not.
    pub(super) fn unreadable_note(&self, skipped: u64) -> Option<String> {
        let folder = match self.options.writing.documents {
            _ if skipped == 0 || !self.writes() => return None,
            Written::Removed | Written::Nothing => return None,
            written => written.name(),
        };
        Some(match self.options.unreadable {
            Unreadable::Kept => format!(
                "What could not be read is in {folder}/ as it was. Of a file that broke off and lost \
                 documents, {folder}/ has the records before that, and all its bytes in a copy whose \
                 name ends with .unreadable."
            ),
            Unreadable::Dropped => format!(
                "What could not be read was left out of {folder}/, as --drop-unreadable asks."
            ),
        })
    }
}

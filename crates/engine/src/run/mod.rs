//! A finished run: what was decided of each document, and why.
//!
//! [`Run::open`] reads the small files of a run's folder; the large ones are
//! streamed when something is asked. Documents are found by their ids in the
//! signature file, and from there on go by their rows. Nothing is loaded whole:
//! an answer holds a block of ids or a batch of a table in memory, and a path
//! between two documents four bytes a document.

mod clusters;
mod comparison;
mod cuts;
mod explain;
mod links;
mod marked;
mod passages;
mod path;
mod survivors;
mod tables;
mod text_pass;
mod verdicts;

use std::path::Path;

use lookalike_core::template::LeftOut;
use lookalike_core::text::TextBuf;
use lookalike_core::{Layout, Recipe, Signer};
use lookalike_corpus::ReadOptions;
use serde::Serialize;

use crate::error::{Error, ErrorKind, Operation, Result};
use crate::files::Files;
use crate::learn::{LeavingOut, TemplateGroups};
use crate::manifest::Manifest;
use crate::observe::Stage;
use crate::offsets::StoredOffsets;
use crate::passages::Gone;
use crate::places::Row;
use crate::sign::SigningSummary;
use crate::signature_file::SignatureLookup;
use crate::sources::SourceTable;
use crate::texts::Texts;
use crate::urls::Urls;

pub use crate::scores::Scores;
pub use clusters::{
    ClusterFilter, ClusterKind, ClusterMember, ClusterOrder, ClusterPage, ClusterSummary, Clusters,
    ClustersOfId,
};
pub use comparison::RunComparison;
pub use cuts::{Cut, DocumentCuts, SHOWN_CUTS};
pub use explain::{Agreement, Explanation, Fate, Member, Removal, SHOWN_MEMBERS};
pub use links::{CollapseLinks, LinkCounts};
pub(crate) use marked::parting;
pub use marked::{MarkLimits, MarkedPiece, marked_cuts};
pub use passages::{
    MarkedDocument, PassageFilter, PassageOrder, PassagePage, PassageSummary, Passages,
    PassagesOfId,
};
pub use path::Step;
pub use verdicts::{PairVerdict, Verdict, VerdictCounts, Verdicts};

/// Documents of one id that are told about.
pub const MAX_SAME_ID: usize = 100;

/// The folder of a finished run.
pub struct Run {
    pub(crate) files: Files,
    pub(crate) manifest: Manifest,
    recipe: Recipe,
    read: ReadOptions,
    signatures: SignatureLookup,
    sources: SourceTable,
    /// How many documents were known.
    known: u64,
}

/// A document of a run, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RunDocument {
    /// Its id.
    pub id: String,
    /// The path of its file, as it was named.
    pub source: String,
    /// Its place in the file, from 1.
    pub record: u64,
    /// Its place among all documents, from 0.
    pub row: Row,
    /// Whether it was known to the run, which then decided nothing about it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub known: bool,
    /// Its URL, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Of a web archive: the byte of its file at which its record begins, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}

/// The documents of an id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentsById {
    /// The rows of the first [`MAX_SAME_ID`].
    pub rows: Vec<Row>,
    /// How many there are.
    pub count: u64,
}

impl DocumentsById {
    fn add(&mut self, row: Row) {
        self.count += 1;
        if self.rows.len() < MAX_SAME_ID {
            self.rows.push(row);
        }
    }
}

impl Run {
    /// Whether a folder is that of a run, finished or not.
    pub fn is_at(folder: impl AsRef<Path>) -> bool {
        let folder = folder.as_ref();
        let files = Files::new(folder, None);
        files.manifest().is_file() && files.recipe().is_file()
    }

    /// Opens the folder of a run.
    ///
    /// # Errors
    /// If it is none, or the run did not finish, or a file of it cannot be read.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        Self::open_in(folder.as_ref())
    }

    fn open_in(folder: &Path) -> Result<Self> {
        let files = Files::new(folder, None);
        let manifest = match Manifest::read(&files.manifest())? {
            Some(manifest) if manifest.finished => manifest,
            Some(_) => return Err(Error::from(ErrorKind::RunUnfinished(folder.to_owned()))),
            None => return Err(Error::from(ErrorKind::NoRun(folder.to_owned()))),
        };
        let recipe = read_recipe(&files.recipe())?;
        let signatures = SignatureLookup::open(files.signatures())?;
        recipe.check_same_bits(signatures.recipe()).map_err(|source| {
            Error::from(ErrorKind::Recipe { path: files.signatures(), source })
        })?;
        let sources = SourceTable::open(&files.sources())?;
        let mut read = manifest.read_options();
        read.fields.others.extend(TemplateGroups::new(&recipe).field());
        let signed: Option<(SigningSummary, f64)> = manifest.stage(Stage::Sign);
        let known = signed.map_or(0, |(signed, _)| signed.sides().known).min(signatures.rows());
        Ok(Self { files, manifest, recipe, read, signatures, sources, known })
    }

    /// How documents were signed and judged.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The rows that went as a whole when passages were cut, since too few words of them were left; ascending.
    ///
    /// # Errors
    /// If the run cut no passages, or the file of them cannot be read.
    pub fn rows_cut_whole(&self) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        Gone::open(&self.files)?.for_each(|row| rows.push(row))?;
        Ok(rows)
    }

    pub(crate) fn sources(&self) -> &SourceTable {
        &self.sources
    }

    /// How many documents the run decided about.
    pub fn documents(&self) -> u64 {
        self.rows() - self.known
    }

    /// Rows of documents: of those, and after them of the known ones.
    pub fn rows(&self) -> u64 {
        self.signatures.rows()
    }

    /// Whether a row's document was known to the run.
    pub fn is_known(&self, row: Row) -> bool {
        u64::from(row) >= self.documents()
    }

    /// Finds the documents of an id, or those of a URL if none has that id, by one pass over all. Known
    /// documents are found if no other has it.
    ///
    /// # Errors
    /// If the signature file or the file of URLs cannot be read.
    pub fn find(&self, id: &str) -> Result<DocumentsById> {
        let [found, known] = self.find_id(id)?;
        let urls =
            if found.count + known.count == 0 { Urls::open(&self.files.urls())? } else { None };
        let Some(urls) = urls else { return Ok(if found.count == 0 { known } else { found }) };
        let [mut found, mut known] = <[DocumentsById; 2]>::default();
        urls.for_each(|row, url| {
            if url == Some(id) {
                if self.is_known(row) { &mut known } else { &mut found }.add(row);
            }
            Ok(())
        })?;
        Ok(if found.count == 0 { known } else { found })
    }

    /// Of both sides.
    fn find_id(&self, id: &str) -> Result<[DocumentsById; 2]> {
        let mut found = <[DocumentsById; 2]>::default();
        self.for_each_id(|row, found_id| {
            if found_id == id {
                found[usize::from(self.is_known(row))].add(row);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Calls `each` with all rows and their ids, in order.
    fn for_each_id(&self, mut each: impl FnMut(Row, &str) -> Result<()>) -> Result<()> {
        let mut row = Row::nth(0);
        while u64::from(row) < self.rows() {
            let block = self.signatures.ids_around(row)?;
            Row::between(block.rows()).try_for_each(|row| each(row, block.id(row)))?;
            row = block.rows().end;
        }
        Ok(())
    }

    /// The id of a row's document.
    ///
    /// # Errors
    /// If there is no such row, or a file cannot be read.
    pub fn id(&self, row: Row) -> Result<String> {
        self.signatures.id(row)
    }

    /// The document of a row.
    ///
    /// # Errors
    /// If there is no such row, or a file cannot be read.
    pub fn document(&self, row: Row) -> Result<RunDocument> {
        self.document_with(row, Urls::open(&self.files.urls())?.as_mut())
    }

    fn document_with(&self, row: Row, urls: Option<&mut Urls>) -> Result<RunDocument> {
        let id = self.signatures.id(row)?;
        let (source, record) = self.source_and_record(row)?;
        let url = urls.map(|urls| urls.get(row)).transpose()?.flatten();
        let offsets = StoredOffsets::open(&self.files.offsets())?;
        let offset = offsets.map(|offsets| offsets.get(row)).transpose()?.flatten();
        let known = self.is_known(row);
        Ok(RunDocument { id, source, record, row, known, url, offset })
    }

    /// The place in its file, from 1, of the document of a row.
    ///
    /// # Errors
    /// If there is no such row, or a file cannot be read.
    pub fn record(&self, row: Row) -> Result<u64> {
        Ok(self.source_and_record(row)?.1)
    }

    fn source_and_record(&self, row: Row) -> Result<(String, u64)> {
        Ok(match self.sources.of_row(row)? {
            Some(source) => (source.source.id().to_owned(), source.record_of(row)),
            // The run was made from a signature file.
            None => (String::new(), u64::from(row) + 1),
        })
    }

    /// The text of a document, read from its input again; of a page, what a visitor sees.
    ///
    /// It is the text that was signed, which its fingerprint proves, whatever else has happened
    /// to the file.
    ///
    /// # Errors
    /// If there is no such row, the input cannot be read, or the document is not there any more.
    pub fn text(&self, row: Row) -> Result<TextBuf> {
        Ok(self.text_and_group(row)?.0)
    }

    /// The text of a document, and why its tokens are left out, if they are; those that it does not
    /// tell of are not.
    ///
    /// # Errors
    /// As [`text`](Self::text), and if the file of templates cannot be read.
    pub fn text_and_left_out(&self, row: Row) -> Result<(TextBuf, Vec<Option<LeftOut>>)> {
        let (text, group) = self.text_and_group(row)?;
        let mut leaving_out = LeavingOut::open(&self.files, &self.recipe)?;
        let left_out = leaving_out.left_out((&text).into(), group)?;
        Ok((text, left_out))
    }

    /// What makes exact fingerprints. No secret is needed for these; where signatures do not keep them, it is.
    fn exact_signer(&self) -> Result<Signer> {
        let recipe = &self.recipe;
        Ok(if recipe.keep_exact {
            Signer::new(&recipe.without_secret())?
        } else {
            Signer::new(recipe)?
        })
    }

    fn text_and_group(&self, row: Row) -> Result<(TextBuf, u64)> {
        let signed = self.signatures.signature(row)?.exact;
        let Some(source) = self.sources.of_row(row)? else {
            let (path, option) = (self.files.signatures(), "the text of a document".to_owned());
            return Err(Error::from(ErrorKind::NeedsDocuments { path, option }));
        };
        let (mut signer, layout) = (self.exact_signer()?, Layout::of(&self.recipe));
        let mut found = None;
        let (mut texts, template_groups) = (Texts::new(), TemplateGroups::new(&self.recipe));
        source.for_each_record(&self.read, &[row], |_, record| {
            let text = texts.of_record(record);
            if layout.exact_of(signer.sign(text)) == signed {
                found = Some((text.to_buf(), template_groups.record(record)));
            }
        })?;
        found.ok_or_else(|| {
            let (path, record) = (source.source.path().to_owned(), source.record_of(row));
            Error::from(ErrorKind::DocumentChanged { path, record })
        })
    }
}

fn read_recipe(path: &Path) -> Result<Recipe> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|source| Error::io(path, Operation::Read, source))?;
    Recipe::from_toml(&text)
        .map_err(|source| Error::from(ErrorKind::Recipe { path: path.to_owned(), source }))
}

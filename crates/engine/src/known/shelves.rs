//! What is taken over from an index: the texts of documents that have anything in common with a new
//! one, in a file among the results. From there on they are known documents like others, also when
//! the index has changed.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use lookalike_core::text::items;
use lookalike_core::{
    OpenShelf, Recipe, Shelf, ShelfError, ShelvedContent, ShelvedDocument, Signature,
};
use lookalike_corpus::{Fields, Format, Source};
use lookalike_files::{AtomicFile, Existing};
use serde::Serialize;

use crate::error::{Error, ErrorKind, Result};
use crate::means::Means;
use crate::places::Row;
use crate::sign::{Signing, Sink};

/// An index that is known.
#[derive(Clone, Debug)]
pub(crate) struct KnownIndex {
    pub(super) folder: PathBuf,
    open: OpenShelf,
    /// What was in it when the job began.
    pub(super) state: String,
    pub(super) documents: u64,
}

/// A document in the file.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<Cow<'a, str>>>,
}

impl KnownIndex {
    /// That of a folder, if its documents can be known.
    pub(super) fn find(folder: &Path, open: OpenShelf, recipe: &Recipe) -> Result<Self> {
        let shelf = open_shelf(folder, open)?;
        let refused = |fault: String| {
            Err(Error::from(ErrorKind::KnownIndex { path: folder.to_owned(), fault }))
        };
        if let Err(fault) = recipe.check_same_bits(shelf.recipe()) {
            return refused(format!("its signatures are not of the recipe of this job: {fault}"));
        }
        if !shelf.stores_contents() {
            return refused("it stores no texts, which look-alikes are verified by".into());
        }
        let (state, documents) = (shelf.state(), shelf.documents());
        Ok(Self { folder: folder.to_owned(), open, state, documents })
    }

    pub(super) fn open(&self) -> Result<Box<dyn Shelf>> {
        open_shelf(&self.folder, self.open)
    }

    /// Takes over some of its documents, by way of a file.
    pub(super) fn take(
        &self,
        is_taken: impl Fn(u64) -> bool,
        path: &Path,
        signing: &Signing<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        self.write(path, is_taken)?;
        let mut read = signing.means.read.clone();
        read.fields = fields_of(signing.means.recipe);
        let signing = Signing { means: Means { read: &read, ..signing.means }, ..*signing };
        signing.sign_own(Source::file(path, Some(Format::JsonLines))?, sink)
    }

    fn write(&self, path: &Path, is_taken: impl Fn(u64) -> bool) -> Result<()> {
        let mut file = AtomicFile::create(path, Existing::Replace)?;
        let written = self.open()?.for_each(&is_taken, &mut |number, document| {
            if is_taken(number) {
                file.write(&self.line(document)?).map_err(Error::from)?;
            }
            Ok(())
        });
        written.map_err(|fault| self.failed(fault))?;
        Ok(file.commit()?)
    }

    fn line(&self, document: &ShelvedDocument<'_>) -> Result<Vec<u8>> {
        let ShelvedDocument { id, url, content, .. } = *document;
        let Some(content) = content else {
            let fault = format!(
                "its document `{id}` came as a signature, without the text that a look-alike is verified by"
            );
            return Err(Error::from(ErrorKind::KnownIndex { path: self.folder.clone(), fault }));
        };
        let (mut text, mut html, mut set) = (None, None, None);
        match content {
            ShelvedContent::Text(found) => text = Some(String::from_utf8_lossy(found)),
            ShelvedContent::Html(found) => html = Some(String::from_utf8_lossy(found)),
            ShelvedContent::Items(found) => set = Some(items::texts(found).collect()),
        }
        let line = Line { id, url, text: text.as_deref(), html: html.as_deref(), items: set };
        let mut line = serde_json::to_vec(&line).map_err(|fault| self.failed(fault.into()))?;
        line.push(b'\n');
        Ok(line)
    }

    /// Calls `each` with the numbers and signatures of all documents.
    pub(super) fn for_each_signature(
        &self,
        mut each: impl FnMut(Row, &Signature) -> Result<()>,
    ) -> Result<()> {
        let read = self.open()?.for_each(&|_| false, &mut |number, document| {
            Ok(each(Row::nth(number), document.signature)?)
        });
        read.map_err(|fault| self.failed(fault))
    }

    fn failed(&self, fault: ShelfError) -> Error {
        failed(&self.folder, fault)
    }
}

fn open_shelf(folder: &Path, open: OpenShelf) -> Result<Box<dyn Shelf>> {
    open(folder).map_err(|fault| failed(folder, fault))
}

/// The fields of the file.
pub(super) fn fields_of(recipe: &Recipe) -> Fields {
    let mut fields = Fields::default();
    fields.set = recipe.is_of_sets().then(|| "items".to_owned());
    fields
}

/// What went wrong, which may be ours and only have come back.
fn failed(folder: &Path, fault: ShelfError) -> Error {
    match fault.downcast::<Error>() {
        Ok(own) => *own,
        Err(source) => Error::from(ErrorKind::Shelf { path: folder.to_owned(), source }),
    }
}

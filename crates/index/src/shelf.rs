//! The documents of an index for a job that knows them.

use std::path::Path;

use lookalike_core::{Recipe, Shelf, ShelfError, ShelvedContent, ShelvedDocument};

use crate::document::ContentKind;
use crate::error::Result;
use crate::index::Index;
use crate::options::OpenOptions;

/// Opens an index for a job that is to know its documents: what [`OpenShelf`](lookalike_core::OpenShelf) asks for.
///
/// # Errors
/// As [`Index::open`].
pub fn open_shelf(folder: &Path) -> Result<Box<dyn Shelf>, ShelfError> {
    let index = Index::open(folder, &OpenOptions::new())?;
    Ok(Box::new(index))
}

impl Shelf for Index {
    fn recipe(&self) -> &Recipe {
        self.recipe()
    }

    fn stores_contents(&self) -> bool {
        self.stores_text()
    }

    fn documents(&self) -> u64 {
        self.len()
    }

    fn state(&self) -> String {
        // A number is never given twice.
        format!("{} documents before number {}", self.len(), self.end())
    }

    fn for_each(
        &self,
        reads: &dyn Fn(u64) -> bool,
        each: &mut dyn FnMut(u64, &ShelvedDocument<'_>) -> Result<(), ShelfError>,
    ) -> Result<(), ShelfError> {
        let mut documents = self.documents()?;
        let mut number = 0;
        while let Some(record) = documents.next() {
            let record = record?;
            let bytes = if reads(number) { documents.content(&record)? } else { None };
            let content = bytes.as_deref().zip(record.stored).map(|(bytes, kind)| match kind {
                ContentKind::Text => ShelvedContent::Text(bytes),
                ContentKind::Html => ShelvedContent::Html(bytes),
                ContentKind::Items => ShelvedContent::Items(bytes),
            });
            let (id, url, signature) = (&*record.id, record.url.as_deref(), &record.signature);
            each(number, &ShelvedDocument { id, url, signature, content })?;
            number += 1;
        }
        Ok(())
    }
}

//! What is signed and compared of a document: its text as it stands, what a visitor sees of
//! a page, or a set's items.

use lookalike_core::text::Text;
use lookalike_core::text::html::Extractor;
use lookalike_corpus::{ContentKind, Document, Record};

/// Makes the texts of documents, one after another. It keeps its buffers.
#[derive(Default)]
pub struct Texts(Extractor);

impl Texts {
    /// One that has seen no document.
    pub fn new() -> Self {
        Self::default()
    }

    /// The text of a record.
    pub fn of_record<'a>(&'a mut self, record: &'a Record<'_>) -> Text<'a> {
        self.of(record.kind, &record.content, record.url.as_deref())
    }

    /// The text of a document.
    pub fn of_document<'a>(&'a mut self, document: &'a Document) -> Text<'a> {
        self.of(document.kind, &document.bytes, document.url.as_deref())
    }

    /// The language that the last page said it was in; empty if it said none.
    pub(crate) fn language(&self) -> &[u8] {
        self.0.language()
    }

    fn of<'a>(&'a mut self, kind: ContentKind, content: &'a [u8], url: Option<&str>) -> Text<'a> {
        match kind {
            ContentKind::Text | ContentKind::Items => content.into(),
            ContentKind::Html => self.0.extract(content, url),
        }
    }
}

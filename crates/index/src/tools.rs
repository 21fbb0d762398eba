//! What signs documents and makes what they are compared by. One for each thread at work.

use lookalike_core::recipe::Verify;
use lookalike_core::template::{OwnShingles, Template};
use lookalike_core::text::html::Extractor;
use lookalike_core::text::{DocumentTokens, KeyedTokenizer, Text};
use lookalike_core::{Kernel, Recipe, Signature, Signer, SiteRule, VerificationKey};

use crate::counts::source;
use crate::document::{Content, ContentKind, Document, Record, SignatureLayout};
use crate::error::{Error, ErrorKind, Result};
use crate::judge::{Contents, Query};

/// Buffers and all.
pub(crate) struct Tools {
    signer: Signer,
    tokenizer: KeyedTokenizer,
    own: OwnShingles,
    /// Whether documents are compared by their words in order, and not by shingles.
    in_order: bool,
    extractor: Extractor,
    sites: SiteRule,
    layout: SignatureLayout,
    stores_identities: bool,
    document: DocumentTokens,
    /// For pages of postings.
    pub(crate) page: Vec<u8>,
}

/// What documents are verified under.
pub(crate) struct Verification {
    pub(crate) key: VerificationKey,
    /// Whether the index keeps it, so that identities can be stored. One of an earlier version does
    /// not; then it is drawn whenever the index is opened, and contents tell what is the same.
    pub(crate) is_kept: bool,
}

/// A document that only needs a number.
pub(crate) struct UnnumberedDocument<'a> {
    pub(crate) id: &'a str,
    pub(crate) url: Option<&'a str>,
    pub(crate) time: u64,
    pub(crate) source: Option<u64>,
    pub(crate) date: Option<i64>,
    pub(crate) bytes: u64,
    pub(crate) signature: Signature,
    /// The content, compressed.
    pub(crate) stored: Option<(ContentKind, Vec<u8>)>,
}

/// zstd's own default: a third of the text, at the speed of signing.
const COMPRESSION_LEVEL: i32 = 3;

/// Tokens that there is room for between documents.
const KEPT: usize = 1 << 20;

impl Tools {
    pub(crate) fn new(
        recipe: &Recipe,
        layout: SignatureLayout,
        kernel: Kernel,
        verification: &Verification,
    ) -> Result<Self> {
        let key = &verification.key;
        Ok(Self {
            signer: Signer::keyed(recipe, kernel, key)?,
            tokenizer: KeyedTokenizer::new(recipe.tokens, kernel, key),
            own: OwnShingles::new(recipe, kernel, Some(key)),
            in_order: recipe.verify == Verify::Difference,
            extractor: Extractor::new(),
            sites: recipe.sites,
            layout,
            stores_identities: verification.is_kept && layout.keeps_exact(),
            document: DocumentTokens::default(),
            page: Vec::new(),
        })
    }

    /// The signature of a document, and what it is compared by if that is wanted and can be had.
    pub(crate) fn query(
        &mut self,
        document: &Document<'_>,
        template: Option<&Template>,
        compares: bool,
    ) -> Query {
        let mut query = self.whole_query(document, template, compares);
        let signature = &mut query.signature;
        self.layout.reduce(signature);
        signature.identity = signature.identity.filter(|_| self.stores_identities);
        // There is one place for what identity sets go by.
        signature.exact = signature.identity.unwrap_or(signature.exact);
        query
    }

    fn whole_query(
        &mut self,
        document: &Document<'_>,
        template: Option<&Template>,
        compares: bool,
    ) -> Query {
        let url = document.url.as_deref();
        let site = url.and_then(|url| self.sites.site(url));
        let (kind, content) = match &document.content {
            Content::Signed { signature, .. } => {
                let mut signature = signature.clone().into_owned();
                // Only what this index has stored itself is under its key.
                let exact = signature.exact;
                signature.identity = signature.identity.filter(|identity| *identity == exact);
                return Query { signature, site, contents: None };
            }
            Content::Text(bytes) => (ContentKind::Text, bytes),
            Content::Html(bytes) => (ContentKind::Html, bytes),
            Content::Items(bytes) => (ContentKind::Items, bytes),
        };
        if !compares {
            let Self { extractor, signer, .. } = self;
            let text = text(extractor, kind, content, url);
            let signature = signer.sign_distinctive(text, template).clone();
            return Query { signature, site, contents: None };
        }
        self.tokenize(kind, content, url);
        let signature = self.signer.sign_distinctive_tokens(&self.document, template).clone();
        Query { signature, site, contents: Some(self.contents_of_tokens(template)) }
    }

    /// What a stored content is compared by.
    pub(crate) fn contents(
        &mut self,
        kind: ContentKind,
        content: &[u8],
        url: Option<&str>,
        template: Option<&Template>,
    ) -> Contents {
        self.tokenize(kind, content, url);
        self.contents_of_tokens(template)
    }

    /// Hands on the text of a stored content.
    pub(crate) fn with_text<T>(
        &mut self,
        record: &Record,
        content: &[u8],
        work: impl FnOnce(Text<'_>) -> T,
    ) -> T {
        let kind = record.stored.unwrap_or(ContentKind::Text);
        work(text(&mut self.extractor, kind, content, record.url.as_deref()))
    }

    /// Of the tokens of now, which are forgotten.
    fn contents_of_tokens(&mut self, template: Option<&Template>) -> Contents {
        let Self { own, document, .. } = self;
        let contents = if self.in_order {
            Contents::Sequence(own.sequence(template, document))
        } else {
            Contents::Shingles(own.set(template, document))
        };
        document.forget(KEPT);
        contents
    }

    fn tokenize(&mut self, kind: ContentKind, content: &[u8], url: Option<&str>) {
        let Self { tokenizer, extractor, document, .. } = self;
        tokenizer.document(text(extractor, kind, content, url), document);
    }
}

/// A document with its signature, and compressed if contents are stored.
pub(crate) fn prepare<'d>(
    document: &'d Document<'_>,
    signature: Signature,
    store_text: bool,
) -> Result<UnnumberedDocument<'d>> {
    let (bytes, content) = match &document.content {
        Content::Signed { bytes, .. } => (*bytes, None),
        Content::Text(text) => (text.len() as u64, Some((ContentKind::Text, text))),
        Content::Html(page) => (page.len() as u64, Some((ContentKind::Html, page))),
        Content::Items(set) => (set.len() as u64, Some((ContentKind::Items, set))),
    };
    let stored = content.filter(|_| store_text).map(|(kind, content)| {
        let compressed = zstd::bulk::compress(content, COMPRESSION_LEVEL);
        compressed.map(|compressed| (kind, compressed))
    });
    // Only memory could be lacking, and then it would not have come so far.
    let stored = stored.transpose().map_err(|error| {
        let (id, fault) = (document.id.to_string(), format!("cannot be compressed: {error}"));
        Error::from(ErrorKind::OtherSignature { id, fault })
    })?;
    let (id, url) = (&*document.id, document.url.as_deref());
    let Document { time, date, .. } = *document;
    let source = document.source.as_deref().map(source);
    Ok(UnnumberedDocument { id, url, time, source, date, bytes, signature, stored })
}

/// What is signed and compared of a document.
fn text<'a>(
    extractor: &'a mut Extractor,
    kind: ContentKind,
    content: &'a [u8],
    url: Option<&str>,
) -> Text<'a> {
    match kind {
        ContentKind::Text | ContentKind::Items => content.into(),
        ContentKind::Html => extractor.extract(content, url),
    }
}

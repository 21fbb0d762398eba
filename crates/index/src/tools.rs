//! What signs documents and makes their shingle sets. One for each thread at work.

use lookalike_core::shingle::{ShingleSet, Shingler};
use lookalike_core::text::html::Extractor;
use lookalike_core::text::{Text, Token, Tokenizer};
use lookalike_core::{Kernel, Recipe, Signature, Signer, SiteRule};

use crate::document::{Content, ContentKind, Document, SignatureLayout};
use crate::error::{Error, ErrorKind, Result};
use crate::judge::Query;

/// Buffers and all.
pub(crate) struct Tools {
    signer: Signer,
    tokenizer: Tokenizer,
    shingler: Shingler,
    extractor: Extractor,
    sites: SiteRule,
    layout: SignatureLayout,
    tokens: Vec<Token>,
    /// For pages of postings.
    pub(crate) page: Vec<u8>,
}

/// A document that only needs a number.
pub(crate) struct Prepared<'a> {
    pub(crate) id: &'a str,
    pub(crate) url: Option<&'a str>,
    pub(crate) time: u64,
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
    pub(crate) fn new(recipe: &Recipe, layout: SignatureLayout, kernel: Kernel) -> Result<Self> {
        let (width, counting) = (recipe.shingles.width, recipe.shingles.counting);
        Ok(Self {
            signer: Signer::with_kernel(recipe, kernel)?,
            tokenizer: Tokenizer::with_kernel(recipe.tokens, kernel),
            shingler: Shingler::new(kernel, width, counting),
            extractor: Extractor::new(),
            sites: recipe.sites,
            layout,
            tokens: Vec::new(),
            page: Vec::new(),
        })
    }

    /// The signature of a document, and its shingles if they are wanted and can be had.
    pub(crate) fn query(&mut self, document: &Document<'_>, shingles: bool) -> Query {
        let mut query = self.whole_query(document, shingles);
        self.layout.reduce(&mut query.signature);
        query
    }

    fn whole_query(&mut self, document: &Document<'_>, shingles: bool) -> Query {
        let url = document.url.as_deref();
        let site = url.and_then(|url| self.sites.site(url));
        let (kind, content) = match &document.content {
            Content::Signed { signature, .. } => {
                return Query { signature: signature.clone().into_owned(), site, shingles: None };
            }
            Content::Text(bytes) => (ContentKind::Text, bytes),
            Content::Html(bytes) => (ContentKind::Html, bytes),
        };
        if !shingles {
            let Self { extractor, signer, .. } = self;
            let signature = signer.sign(text(extractor, kind, content, url)).clone();
            return Query { signature, site, shingles: None };
        }
        self.tokenize(kind, content, url);
        let signature = self.signer.sign_tokens(&self.tokens).clone();
        let shingles = Some(ShingleSet::of_tokens(&mut self.shingler, &self.tokens));
        self.tokens.shrink_to(KEPT);
        Query { signature, site, shingles }
    }

    /// The shingles of a stored content.
    pub(crate) fn shingles(
        &mut self,
        kind: ContentKind,
        content: &[u8],
        url: Option<&str>,
    ) -> ShingleSet {
        self.tokenize(kind, content, url);
        let set = ShingleSet::of_tokens(&mut self.shingler, &self.tokens);
        self.tokens.shrink_to(KEPT);
        set
    }

    fn tokenize(&mut self, kind: ContentKind, content: &[u8], url: Option<&str>) {
        let Self { tokenizer, extractor, tokens, .. } = self;
        tokens.clear();
        tokenizer.tokens(text(extractor, kind, content, url), tokens);
    }

    /// Signs and compresses a document. `query` has its signature if that was made already.
    pub(crate) fn prepare<'d>(
        &mut self,
        document: &'d Document<'_>,
        query: Option<&Query>,
        store_text: bool,
    ) -> Result<Prepared<'d>> {
        let signature = match query {
            Some(query) => query.signature.clone(),
            None => self.query(document, false).signature,
        };
        let (bytes, content) = match &document.content {
            Content::Signed { bytes, .. } => (*bytes, None),
            Content::Text(text) => (text.len() as u64, Some((ContentKind::Text, text))),
            Content::Html(page) => (page.len() as u64, Some((ContentKind::Html, page))),
        };
        let stored = content.filter(|_| store_text).map(|(kind, content)| {
            let compressed = zstd::bulk::compress(content, COMPRESSION_LEVEL);
            compressed.map(|compressed| (kind, compressed))
        });
        // Only memory could be lacking, and then it would not have come so far.
        let stored = stored.transpose().map_err(|error| {
            let (id, fault) = (document.id.to_string(), format!("cannot be compressed: {error}"));
            Error::new(ErrorKind::OtherSignature { id, fault })
        })?;
        let (id, url) = (&*document.id, document.url.as_deref());
        Ok(Prepared { id, url, time: document.time, bytes, signature, stored })
    }
}

/// What is signed and compared of a document.
fn text<'a>(
    extractor: &'a mut Extractor,
    kind: ContentKind,
    content: &'a [u8],
    url: Option<&str>,
) -> Text<'a> {
    match kind {
        ContentKind::Text => content.into(),
        ContentKind::Html => extractor.extract(content, url),
    }
}

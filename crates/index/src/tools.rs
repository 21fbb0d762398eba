//! What signs documents and makes their shingle sets. One for each thread at work.

use lookalike_core::shingle::{ShingleSet, Shingler};
use lookalike_core::template::{Distinctive, Template};
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
    distinctive: Distinctive,
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
            distinctive: Distinctive::new(kernel, width),
            extractor: Extractor::new(),
            sites: recipe.sites,
            layout,
            tokens: Vec::new(),
            page: Vec::new(),
        })
    }

    /// The signature of a document, and its shingles if they are wanted and can be had.
    pub(crate) fn query(
        &mut self,
        document: &Document<'_>,
        template: Option<&Template>,
        shingles: bool,
    ) -> Query {
        let mut query = self.whole_query(document, template, shingles);
        self.layout.reduce(&mut query.signature);
        query
    }

    fn whole_query(
        &mut self,
        document: &Document<'_>,
        template: Option<&Template>,
        shingles: bool,
    ) -> Query {
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
            let text = text(extractor, kind, content, url);
            let signature = match template {
                Some(template) => signer.sign_distinctive(text, template),
                None => signer.sign(text),
            };
            let signature = signature.clone();
            return Query { signature, site, shingles: None };
        }
        self.tokenize(kind, content, url);
        let signature = match template {
            Some(template) => self.signer.sign_distinctive_tokens(&self.tokens, template),
            None => self.signer.sign_tokens(&self.tokens),
        };
        let signature = signature.clone();
        Query { signature, site, shingles: Some(self.shingle_set(template)) }
    }

    /// The shingles of a stored content.
    pub(crate) fn shingles(
        &mut self,
        kind: ContentKind,
        content: &[u8],
        url: Option<&str>,
        template: Option<&Template>,
    ) -> ShingleSet {
        self.tokenize(kind, content, url);
        self.shingle_set(template)
    }

    /// Of the tokens of now, which are forgotten.
    fn shingle_set(&mut self, template: Option<&Template>) -> ShingleSet {
        let Self { shingler, distinctive, tokens, .. } = self;
        let set = match template {
            Some(template) => ShingleSet::new(distinctive.shingles(template, tokens).to_vec()),
            None => ShingleSet::of_tokens(shingler, tokens),
        };
        tokens.shrink_to(KEPT);
        set
    }

    fn tokenize(&mut self, kind: ContentKind, content: &[u8], url: Option<&str>) {
        let Self { tokenizer, extractor, tokens, .. } = self;
        tokens.clear();
        tokenizer.tokens(text(extractor, kind, content, url), tokens);
    }
}

/// A document with its signature, and compressed if contents are stored.
pub(crate) fn prepare<'d>(
    document: &'d Document<'_>,
    signature: Signature,
    store_text: bool,
) -> Result<Prepared<'d>> {
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

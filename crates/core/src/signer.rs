//! The signer: one pass over a document's tokens gives its whole signature.
//!
//! Tokens come in blocks of a few thousand and go through every stage while
//! they are in the first-level cache; buffers are reused, so that nothing is
//! allocated once it is warm, and a document of any size takes the same memory
//! (except for multisets and modular sketches, which grow with the document).

use lookalike_kernels::rabin::{FEATURES, Rabin, TOKENS};
use lookalike_kernels::{Counters, Kernel, Projection};

use crate::error::Result;
use crate::feature;
use crate::recipe::{Over, Recipe, SketchParameters};
use crate::shingle::Shingler;
use crate::signature::Signature;
use crate::sketch::{Bottom, Lists, Minwise, Modular, mixing_key};
use crate::template::{Distinctive, MAX_TOKENS, Template};
use crate::text::{DocumentTokens, KeyedTokenizer, Text, Token, Tokenizer};
use crate::verification::{Code, VerificationKey};

/// Signs documents by one recipe.
#[doc(alias = "MinHash")]
#[doc(alias = "SimHash")]
pub struct Signer {
    tokenizer: AnyTokenizer,
    /// Whether the recipe does not look at documents as they stand.
    leaves_out: bool,
    pass: Pass,
}

enum AnyTokenizer {
    Public(Tokenizer),
    Keyed(KeyedTokenizer),
}

impl AnyTokenizer {
    /// Blocks of tokens, and of their codes: tokens again, where there is no key.
    fn for_each_block(&mut self, text: Text<'_>, sink: &mut dyn FnMut(&[Token], &[Code])) {
        match self {
            Self::Public(public) => {
                public.for_each_block(text, &mut |tokens| sink(tokens, tokens));
            }
            Self::Keyed(keyed) => keyed.for_each_block(text, sink),
        }
    }

    /// All tokens of a text, and what its markup says of them.
    fn document(&mut self, text: Text<'_>, document: &mut DocumentTokens) {
        match self {
            Self::Public(public) => public.document(text, document),
            Self::Keyed(keyed) => keyed.document(text, document),
        }
    }
}

impl Signer {
    /// A signer for this recipe, on the fastest kernel.
    ///
    /// # Errors
    /// If a parameter of the recipe is out of range.
    pub fn new(recipe: &Recipe) -> Result<Self> {
        Self::with_kernel(recipe, Kernel::best())
    }

    /// A signer on this kernel.
    ///
    /// # Errors
    /// If a parameter of the recipe is out of range.
    pub fn with_kernel(recipe: &Recipe, kernel: Kernel) -> Result<Self> {
        recipe.validate()?;
        let tokenizer = AnyTokenizer::Public(Tokenizer::with_kernel(recipe.tokens, kernel));
        let leaves_out = recipe.templates.leave_out();
        Ok(Self { tokenizer, leaves_out, pass: Pass::new(recipe, kernel, None)? })
    }

    /// A signer that gives each signature its identity under a key as well: nobody without it can
    /// write a document that has another's.
    ///
    /// # Errors
    /// If a parameter of the recipe is out of range.
    pub fn keyed(recipe: &Recipe, kernel: Kernel, key: &VerificationKey) -> Result<Self> {
        recipe.validate()?;
        let tokenizer = KeyedTokenizer::new(recipe.tokens, kernel, key);
        let pass = Pass::new(recipe, kernel, Some(key.clone()))?;
        let leaves_out = recipe.templates.leave_out();
        Ok(Self { tokenizer: AnyTokenizer::Keyed(tokenizer), leaves_out, pass })
    }

    /// Signs a text. Bytes that are not UTF-8 separate words. Where the recipe leaves out anything,
    /// that is what the markup says; nothing is known of a template.
    pub fn sign<'t>(&mut self, text: impl Into<Text<'t>>) -> &Signature {
        self.sign_distinctive(text, None)
    }

    /// Takes a piece of a text that is too long to be held in memory. Pieces are cut where
    /// [`last_cut`](crate::text::last_cut) says; [`finish`](Self::finish) ends the document.
    pub fn push<'t>(&mut self, piece: impl Into<Text<'t>>) {
        let Self { tokenizer, pass, .. } = self;
        tokenizer.for_each_block(piece.into(), &mut |tokens, codes| pass.push(tokens, codes));
    }

    /// As [`push`](Self::push), and calls `each` with the codes of the tokens, in blocks: tokens again, where
    /// there is no key.
    #[doc(hidden)]
    pub fn push_watched<'t>(&mut self, piece: impl Into<Text<'t>>, each: &mut dyn FnMut(&[Code])) {
        let Self { tokenizer, pass, .. } = self;
        tokenizer.for_each_block(piece.into(), &mut |tokens, codes| {
            pass.push(tokens, codes);
            each(codes);
        });
    }

    /// Ends a document that came in pieces.
    pub fn finish(&mut self) -> &Signature {
        self.pass.finish()
    }

    /// Signs a text of a group with this template, if there is one: where the recipe leaves out
    /// anything, its features and its sketch are those of its distinctive shingles.
    pub fn sign_distinctive<'t>(
        &mut self,
        text: impl Into<Text<'t>>,
        template: Option<&Template>,
    ) -> &Signature {
        let text = text.into();
        // Without a template, a text without sections is signed as it stands.
        if !self.leaves_out || (template.is_none() && text.sections().is_empty()) {
            self.push(text);
            return self.finish();
        }
        let mut document = std::mem::take(&mut self.pass.document);
        self.tokenizer.document(text, &mut document);
        self.sign_distinctive_tokens(&document, template);
        document.forget(MAX_TOKENS);
        self.pass.document = document;
        &self.pass.signature
    }

    /// As [`sign_distinctive`](Self::sign_distinctive), of canonical tokens and their codes.
    pub fn sign_distinctive_tokens(
        &mut self,
        document: &DocumentTokens,
        template: Option<&Template>,
    ) -> &Signature {
        // What is too long to have a template need not be held by anything else.
        if !self.leaves_out || document.tokens.len() > MAX_TOKENS {
            return self.sign_tokens(&document.tokens, &document.codes);
        }
        self.pass.push_distinctive(document, template);
        self.pass.finish()
    }

    /// Signs a document given as canonical tokens and their codes; without a key the codes are the
    /// tokens themselves.
    pub fn sign_tokens(&mut self, tokens: &[Token], codes: &[Code]) -> &Signature {
        let blocks = tokens.chunks(crate::text::BLOCK).zip(codes.chunks(crate::text::BLOCK));
        for (tokens, codes) in blocks {
            self.pass.push(tokens, codes);
        }
        self.pass.finish()
    }

    /// Signs a sequence of items of any kind: each is a token, as it stands.
    /// With shingles of width 1 the document is the set of its items.
    pub fn sign_items<I>(&mut self, items: I) -> &Signature
    where
        I: IntoIterator,
        I::Item: AsRef<[u8]>,
    {
        let mut items = items.into_iter();
        let [mut block, mut codes] =
            [&mut self.pass.items, &mut self.pass.codes].map(std::mem::take);
        loop {
            block.clear();
            codes.clear();
            for item in items.by_ref().take(crate::text::BLOCK) {
                let token = TOKENS.bytes(item.as_ref());
                block.push(token);
                codes.push(self.pass.secret.as_ref().map_or(token, |key| key.code(item.as_ref())));
            }
            if block.is_empty() {
                break;
            }
            self.pass.push(&block, &codes);
        }
        (self.pass.items, self.pass.codes) = (block, codes);
        self.pass.finish()
    }
}

/// Everything after tokenising.
struct Pass {
    kernel: Kernel,
    key: u64,
    shingler: Shingler,
    /// Whether anything looks at shingles.
    needs_shingles: bool,
    sampler: Sampler,
    projector: Option<Projector>,
    /// Minvalues in a feature.
    group_size: usize,
    tokens: u64,
    /// The fingerprints of the token sequence under both polynomials.
    exact: [u64; 2],
    /// What identities are under, if they are wanted.
    secret: Option<VerificationKey>,
    /// The fingerprint of the sequence of codes under the polynomial of the key.
    identity: u64,
    mixed: Vec<u64>,
    items: Vec<Token>,
    codes: Vec<Code>,
    distinctive: Distinctive,
    document: DocumentTokens,
    signature: Signature,
}

/// The sketch in the making.
enum Sampler {
    None,
    Minwise(Minwise),
    Bottom(Bottom),
    Modular(Modular),
    Lists(Lists, Over),
}

struct Projector {
    projection: Projection,
    counters: Counters,
    over: Over,
}

impl Pass {
    fn new(recipe: &Recipe, kernel: Kernel, secret: Option<VerificationKey>) -> Result<Self> {
        let seed = recipe.random_seed()?;
        let sampler = match recipe.sketch {
            SketchParameters::None => Sampler::None,
            SketchParameters::Minwise { permutations } => {
                Sampler::Minwise(Minwise::new(kernel, permutations, seed))
            }
            SketchParameters::Bottom { size } => Sampler::Bottom(Bottom::new(size)),
            SketchParameters::Modular { modulus, size } => {
                Sampler::Modular(Modular::new(modulus).at_most(size.unwrap_or(usize::MAX)))
            }
            SketchParameters::Lists { lists, repeats, order, over, .. } => {
                Sampler::Lists(Lists::new(lists, repeats, order, seed), over)
            }
        };
        let projection = recipe.projection.filter(|_| recipe.keep_projection);
        let projector = projection.map(|projection| Projector {
            projection: Projection::new(projection.bits, seed),
            counters: Counters::default(),
            over: projection.over,
        });
        let needs_shingles = match &sampler {
            Sampler::None => false,
            Sampler::Lists(_, over) => *over == Over::Shingles,
            Sampler::Minwise(_) | Sampler::Bottom(_) | Sampler::Modular(_) => true,
        } || projector.as_ref().is_some_and(|p| p.over == Over::Shingles);
        let features = recipe.features.map_or(0, |filter| filter.k() as usize);
        Ok(Self {
            kernel,
            key: mixing_key(seed),
            shingler: Shingler::new(kernel, recipe.shingles.width, recipe.shingles.counting),
            needs_shingles,
            sampler,
            projector,
            group_size: recipe.features.map_or(0, |filter| filter.s() as usize),
            tokens: 0,
            exact: [Rabin::EMPTY; 2],
            secret,
            identity: Rabin::EMPTY,
            mixed: Vec::new(),
            items: Vec::new(),
            codes: Vec::new(),
            distinctive: Distinctive::new(kernel, recipe.shingles.width),
            document: DocumentTokens::default(),
            signature: Signature { features: vec![0; features], ..Signature::default() },
        })
    }

    /// Takes the next tokens of the document.
    fn push(&mut self, tokens: &[Token], codes: &[Code]) {
        let kernel = self.kernel;
        self.begin(tokens, codes);
        if let Some(projector) = &mut self.projector
            && projector.over == Over::Tokens
        {
            self.mixed.clear();
            self.mixed.extend_from_slice(tokens);
            kernel.mix(self.key, &mut self.mixed);
            projector.push(kernel, &self.mixed);
        }
        if let Sampler::Lists(lists, Over::Tokens) = &mut self.sampler {
            lists.push(tokens);
        }
        if self.needs_shingles {
            let Self { shingler, key, sampler, projector, .. } = self;
            shingler.push(tokens, |shingles| sample(kernel, *key, shingles, sampler, projector));
        }
    }

    /// Takes all tokens of a document, of whose shingles only the distinctive ones are sampled.
    fn push_distinctive(&mut self, document: &DocumentTokens, template: Option<&Template>) {
        self.begin(&document.tokens, &document.codes);
        let Self { kernel, key, sampler, projector, distinctive, .. } = self;
        let shingles = distinctive.shingles(template, document, &document.tokens);
        for block in shingles.chunks_mut(crate::text::BLOCK) {
            sample(*kernel, *key, block, sampler, projector);
        }
    }

    /// What is made of tokens whatever their shingles are.
    fn begin(&mut self, tokens: &[Token], codes: &[Code]) {
        self.tokens += tokens.len() as u64;
        for (f, rabin) in self.exact.iter_mut().zip([&TOKENS, &FEATURES]) {
            *f = self.kernel.append_words(rabin, *f, tokens);
        }
        if let Some(key) = &self.secret {
            self.identity = self.kernel.append_words(key.rabin(), self.identity, codes);
        }
    }

    /// Ends the document, and is ready for the next.
    fn finish(&mut self) -> &Signature {
        let Self { kernel, key, shingler, sampler, projector, signature, .. } = self;
        if self.needs_shingles {
            shingler.finish(|shingles| sample(*kernel, *key, shingles, sampler, projector));
        }
        signature.tokens = std::mem::take(&mut self.tokens);
        let [high, low] = std::mem::replace(&mut self.exact, [Rabin::EMPTY; 2]);
        signature.exact = u128::from(high) << 64 | u128::from(low);
        let codes = std::mem::replace(&mut self.identity, Rabin::EMPTY);
        signature.identity = self.secret.as_ref().map(|key| key.identity([codes, low]));
        signature.sketch.clear();
        signature.features.fill(0);
        match sampler {
            Sampler::None => {}
            Sampler::Minwise(minwise) => {
                signature.sketch.extend_from_slice(minwise.minima());
                if signature.tokens > 0 {
                    let grouped = signature.features.len() * self.group_size;
                    feature::features(&minwise.minima()[..grouped], &mut signature.features);
                }
                minwise.clear();
            }
            Sampler::Bottom(bottom) => {
                signature.sketch.extend_from_slice(bottom.elements());
                bottom.clear();
            }
            Sampler::Modular(modular) => {
                signature.sketch.push(modular.modulus());
                signature.sketch.extend_from_slice(modular.elements());
                modular.clear();
            }
            Sampler::Lists(lists, _) => {
                signature.sketch.extend_from_slice(lists.fingerprints());
                lists.clear();
            }
        }
        signature.projection.clear();
        if let Some(Projector { projection, counters, .. }) = projector {
            let signs = counters.signs(projection);
            signature.projection.extend_from_slice(&signs[..projection.words()]);
            counters.clear();
        }
        signature
    }
}

/// Sends a block of shingles to whatever samples shingles.
fn sample(
    kernel: Kernel,
    key: u64,
    shingles: &mut [u64],
    sampler: &mut Sampler,
    projector: &mut Option<Projector>,
) {
    if let Sampler::Lists(lists, Over::Shingles) = sampler {
        lists.push(shingles);
    }
    kernel.mix(key, shingles);
    match sampler {
        Sampler::None | Sampler::Lists(..) => {}
        Sampler::Minwise(minwise) => minwise.push(shingles),
        Sampler::Bottom(bottom) => bottom.push(shingles),
        Sampler::Modular(modular) => modular.push(shingles),
    }
    if let Some(projector) = projector
        && projector.over == Over::Shingles
    {
        projector.push(kernel, shingles);
    }
}

impl Projector {
    fn push(&mut self, kernel: Kernel, mixed: &[u64]) {
        kernel.project(&self.projection, mixed, &mut self.counters);
    }
}

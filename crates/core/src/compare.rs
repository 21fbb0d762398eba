//! Two documents side by side: everything that can be said of a pair.

use std::sync::Arc;

use lookalike_kernels::Kernel;

use crate::candidate::Agreement;
use crate::difference::term_difference;
use crate::error::Result;
use crate::recipe::Recipe;
use crate::resemblance::Overlap;
use crate::shingle::{ShingleSet, Shingler};
use crate::signature::{Signature, Similarity};
use crate::signer::Signer;
use crate::template::{Distinctive, Template};
use crate::text::{KeyedTokenizer, Text, Token};
use crate::verification::{Code, VerificationKey};

/// The templates of two documents, where they are known.
type Templates = [Option<Arc<Template>>; 2];

/// What can be said of a pair of documents.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Comparison {
    /// Exact sizes of both shingle sets and of their intersection.
    pub overlap: Overlap,
    /// Resemblance estimated from the sketches, if the recipe's sketch can.
    pub estimate: Option<f64>,
    /// Equal features, if the recipe has features.
    pub b_similarity: Option<usize>,
    /// Equal bits, if the recipe has a projection.
    pub c_similarity: Option<usize>,
    /// Repeats of Pugh's lists that share a list, if the recipe has lists.
    pub repeats_in_common: Option<usize>,
    /// Whether the token sequences are the same: one identity set.
    pub same_tokens: bool,
    /// Tokens in the difference of the two sequences.
    pub term_difference: u64,
    /// Tokens of each.
    pub tokens: [u64; 2],
    /// How many of them are template, or volatile within it; none where no template is known.
    pub template_tokens: [u64; 2],
}

impl Comparison {
    /// Which of the two have tokens, but none of their own: such a document resembles nothing but
    /// one with the same tokens.
    pub fn all_template(&self) -> [bool; 2] {
        [0, 1].map(|side| self.tokens[side] > 0 && self.template_tokens[side] == self.tokens[side])
    }

    /// What makes the two a candidate, or not.
    pub fn agreement(&self) -> Agreement {
        Agreement {
            features: self.b_similarity,
            bits: self.c_similarity,
            repeats: self.repeats_in_common,
        }
    }
}

/// Compares documents by one recipe, under a verification key of its own.
#[doc(alias = "Jaccard")]
pub struct Comparer {
    kernel: Kernel,
    tokenizer: KeyedTokenizer,
    shingler: Shingler,
    signer: Signer,
    similarity: Similarity,
    distinctive: Distinctive,
    templates: Templates,
}

impl Comparer {
    /// For this recipe, on the fastest kernel.
    ///
    /// # Errors
    /// As [`Signer::new`], and if the recipe learns templates.
    pub fn new(recipe: &Recipe) -> Result<Self> {
        Self::with_kernel(recipe, Kernel::best())
    }

    /// For this recipe, on this kernel.
    ///
    /// # Errors
    /// As [`Comparer::new`].
    pub fn with_kernel(recipe: &Recipe, kernel: Kernel) -> Result<Self> {
        recipe.check_signs_alone()?;
        Self::with_templates(recipe, kernel, [None, None])
    }

    /// For documents of groups with these templates, the first and the second one's: by what is
    /// their own.
    ///
    /// # Errors
    /// As [`Signer::new`].
    pub fn with_templates(recipe: &Recipe, kernel: Kernel, templates: Templates) -> Result<Self> {
        let width = recipe.shingles.width;
        let key = VerificationKey::random();
        Ok(Self {
            kernel,
            signer: Signer::with_kernel(recipe, kernel)?,
            tokenizer: KeyedTokenizer::new(recipe.tokens, kernel, &key),
            shingler: Shingler::keyed(kernel, width, recipe.shingles.counting, &key),
            similarity: Similarity::new(kernel, recipe),
            distinctive: Distinctive::keyed(kernel, width, &key),
            templates,
        })
    }

    /// Takes other templates for the comparisons to come.
    pub fn set_templates(&mut self, templates: Templates) {
        self.templates = templates;
    }

    /// Which tokens of two texts are template, or volatile within it; empty where no template is
    /// known.
    pub fn covered(&mut self, texts: [Text<'_>; 2]) -> [Vec<bool>; 2] {
        [0, 1].map(|side| {
            let (tokens, _) = self.tokens(texts[side]);
            self.covered_tokens(side, &tokens)
        })
    }

    fn covered_tokens(&mut self, side: usize, tokens: &[Token]) -> Vec<bool> {
        match &self.templates[side] {
            Some(template) => self.distinctive.covered(template, tokens).to_vec(),
            None => Vec::new(),
        }
    }

    fn sign(&mut self, side: usize, tokens: &[Token]) -> Signature {
        let signature = match &self.templates[side] {
            Some(template) => self.signer.sign_distinctive_tokens(tokens, tokens, template),
            None => self.signer.sign_tokens(tokens, tokens),
        };
        signature.clone()
    }

    fn set(&mut self, side: usize, tokens: &[Token], codes: &[Code]) -> ShingleSet {
        match &self.templates[side] {
            Some(template) => {
                ShingleSet::new(self.distinctive.shingles(template, tokens, codes).to_vec())
            }
            None => ShingleSet::of_tokens(&mut self.shingler, codes),
        }
    }

    fn tokens(&mut self, text: Text<'_>) -> (Vec<Token>, Vec<Code>) {
        let (mut tokens, mut codes) = (Vec::new(), Vec::new());
        self.tokenizer.tokens(text, &mut tokens, &mut codes);
        (tokens, codes)
    }

    /// Compares two texts.
    pub fn compare<'a, 'b>(
        &mut self,
        a: impl Into<Text<'a>>,
        b: impl Into<Text<'b>>,
    ) -> Comparison {
        let (tokens_a, codes_a) = self.tokens(a.into());
        let (tokens_b, codes_b) = self.tokens(b.into());
        let (a, b) = (self.sign(0, &tokens_a), self.sign(1, &tokens_b));
        let (set_a, set_b) = (self.set(0, &tokens_a, &codes_a), self.set(1, &tokens_b, &codes_b));
        let template_tokens = [(0, &tokens_a), (1, &tokens_b)].map(|(side, tokens)| {
            let covered = self.covered_tokens(side, tokens);
            covered.iter().filter(|covered| **covered).count() as u64
        });
        let comparison = Comparison {
            overlap: Overlap::of(self.kernel, &set_a, &set_b),
            estimate: self.similarity.estimate(&a, &b),
            b_similarity: self.similarity.b(&a, &b),
            c_similarity: self.similarity.c(&a, &b),
            repeats_in_common: self.similarity.lists(&a, &b),
            same_tokens: codes_a == codes_b,
            term_difference: term_difference(&codes_a, &codes_b),
            tokens: [tokens_a.len() as u64, tokens_b.len() as u64],
            template_tokens,
        };
        // What has nothing of its own has no features that could agree.
        if comparison.all_template().contains(&true) {
            Comparison {
                estimate: comparison.estimate.map(|_| 0.0),
                b_similarity: comparison.b_similarity.map(|_| 0),
                ..comparison
            }
        } else {
            comparison
        }
    }
}

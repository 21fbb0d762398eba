//! Two documents side by side: everything that can be said of a pair.

use lookalike_kernels::Kernel;

use crate::candidate::Agreement;
use crate::difference::term_difference;
use crate::error::Result;
use crate::recipe::Recipe;
use crate::resemblance::Overlap;
use crate::shingle::{ShingleSet, Shingler};
use crate::signature::Similarity;
use crate::signer::Signer;
use crate::text::{Text, Token, Tokenizer};

/// What can be said of a pair of documents.
#[derive(Clone, Copy, Debug, PartialEq)]
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
}

impl Comparison {
    /// What makes the two a candidate, or not.
    pub fn agreement(&self) -> Agreement {
        Agreement {
            features: self.b_similarity,
            bits: self.c_similarity,
            repeats: self.repeats_in_common,
        }
    }
}

/// Compares documents by one recipe.
pub struct Comparer {
    kernel: Kernel,
    tokenizer: Tokenizer,
    shingler: Shingler,
    signer: Signer,
    similarity: Similarity,
}

impl Comparer {
    /// For this recipe, on the kernel that `LOOKALIKE_KERNEL` names or the fastest.
    ///
    /// # Errors
    /// As [`Signer::new`], and if the recipe learns templates.
    pub fn new(recipe: &Recipe) -> Result<Self> {
        recipe.check_signs_alone()?;
        let kernel = Kernel::from_environment()?;
        Ok(Self {
            kernel,
            signer: Signer::with_kernel(recipe, kernel)?,
            tokenizer: Tokenizer::with_kernel(recipe.tokens, kernel),
            shingler: Shingler::new(kernel, recipe.shingles.width, recipe.shingles.counting),
            similarity: Similarity::new(kernel, recipe),
        })
    }

    /// Compares two texts.
    pub fn compare<'a, 'b>(
        &mut self,
        a: impl Into<Text<'a>>,
        b: impl Into<Text<'b>>,
    ) -> Comparison {
        let [tokens_a, tokens_b]: [Vec<Token>; 2] = [a.into(), b.into()].map(|text| {
            let mut tokens = Vec::new();
            self.tokenizer.tokens(text, &mut tokens);
            tokens
        });
        let a = self.signer.sign_tokens(&tokens_a).clone();
        let b = self.signer.sign_tokens(&tokens_b);
        let set_a = ShingleSet::of_tokens(&mut self.shingler, &tokens_a);
        let set_b = ShingleSet::of_tokens(&mut self.shingler, &tokens_b);
        Comparison {
            overlap: Overlap::of(self.kernel, &set_a, &set_b),
            estimate: self.similarity.estimate(&a, b),
            b_similarity: self.similarity.b(&a, b),
            c_similarity: self.similarity.c(&a, b),
            repeats_in_common: self.similarity.lists(&a, b),
            same_tokens: tokens_a == tokens_b,
            term_difference: term_difference(&tokens_a, &tokens_b),
            tokens: [tokens_a.len() as u64, tokens_b.len() as u64],
        }
    }
}

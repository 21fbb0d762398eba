//! Two documents side by side: everything that can be said of a pair.

use std::sync::Arc;

use lookalike_kernels::Kernel;

use crate::candidate::Agreement;
use crate::difference::{Bounded, BoundedDifference, EditDistance, distances};
use crate::error::Result;
use crate::recipe::{Recipe, Verify};
use crate::resemblance::Overlap;
use crate::signature::Similarity;
use crate::signer::Signer;
use crate::sketch::Sampled;
use crate::template::{LeftOut, OwnShingles, Template};
use crate::text::{DocumentTokens, KeyedTokenizer, Text};
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
    /// What both sketches sampled, if they are bottom or modular ones.
    pub sampled: Option<Sampled>,
    /// Whether the token sequences are the same: one identity set.
    pub same_tokens: bool,
    /// Tokens in the difference of the two sequences.
    pub term_difference: u64,
    /// The least share of the tokens of both that differ, without those that are left out: what the recipe judges
    /// by, if it does, unless it would take too long to find out.
    pub difference: Option<f64>,
    /// Words to remove or to add, as Pugh counts edits.
    pub edit_distance: EditDistance,
    /// Tokens of each.
    pub tokens: [u64; 2],
    /// How many of them are left out: template, or beside the content; none where the recipe looks at
    /// documents as they stand.
    pub template_tokens: [u64; 2],
}

impl Comparison {
    /// What makes the two a candidate, or not.
    pub fn agreement(&self) -> Agreement {
        Agreement {
            features: self.b_similarity,
            bits: self.c_similarity,
            repeats: self.repeats_in_common,
            sampled: self.sampled,
        }
    }
}

/// Compares documents by one recipe, under a verification key of its own.
#[doc(alias = "Jaccard")]
pub struct Comparer {
    kernel: Kernel,
    tokenizer: KeyedTokenizer,
    own: OwnShingles,
    signer: Signer,
    similarity: Similarity,
    templates: Templates,
    /// If the recipe judges by the words in their order.
    by_difference: bool,
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
        Self::with_templates(recipe, kernel, Templates::default())
    }

    /// For documents of groups with these templates, the first and the second one's, where they are
    /// known: by what is their own.
    ///
    /// # Errors
    /// As [`Signer::new`].
    pub fn with_templates(recipe: &Recipe, kernel: Kernel, templates: Templates) -> Result<Self> {
        let key = VerificationKey::random();
        // The documents are at hand: nothing is kept of them.
        let recipe = &Recipe { keep_projection: true, ..recipe.clone() };
        Ok(Self {
            kernel,
            signer: Signer::with_kernel(recipe, kernel)?,
            tokenizer: KeyedTokenizer::new(recipe.tokens, kernel, &key),
            own: OwnShingles::new(recipe, kernel, Some(&key)),
            similarity: Similarity::new(kernel, recipe),
            templates,
            by_difference: recipe.verify == Verify::Difference,
        })
    }

    /// Takes other templates for the comparisons to come.
    pub fn set_templates(&mut self, templates: Templates) {
        self.templates = templates;
    }

    /// Why each token of two texts is left out, if it is; empty if the recipe leaves out nothing.
    pub fn left_out(&mut self, texts: [Text<'_>; 2]) -> [Vec<Option<LeftOut>>; 2] {
        [0, 1].map(|side| {
            let document = self.document(texts[side]);
            self.own.left_out(self.templates[side].as_deref(), &document)
        })
    }

    fn document(&mut self, text: Text<'_>) -> DocumentTokens {
        let mut document = DocumentTokens::default();
        self.tokenizer.document(text, &mut document);
        document
    }

    /// Compares two texts.
    pub fn compare<'a, 'b>(
        &mut self,
        a: impl Into<Text<'a>>,
        b: impl Into<Text<'b>>,
    ) -> Comparison {
        let (a, b) = (self.document(a.into()), self.document(b.into()));
        let Self { signer, own, templates: [template_a, template_b], .. } = self;
        let sides = [(template_a.as_deref(), &a), (template_b.as_deref(), &b)];
        let [signature_a, signature_b] = sides
            .map(|(template, document)| signer.sign_distinctive_tokens(document, template).clone());
        let [set_a, set_b] = sides.map(|(template, document)| own.set(template, document));
        let template_tokens = sides.map(|(template, document)| {
            own.left_out(template, document).iter().flatten().count() as u64
        });
        let difference = self.by_difference.then(|| {
            let [a, b] = sides.map(|(template, document)| own.sequence(template, document));
            share_of_difference(&a, &b)
        });
        let (term_difference, edit_distance) = distances(&a.codes, &b.codes);
        Comparison {
            overlap: Overlap::of(self.kernel, &set_a, &set_b),
            estimate: self.similarity.estimate(&signature_a, &signature_b),
            b_similarity: self.similarity.b(&signature_a, &signature_b),
            c_similarity: self.similarity.c(&signature_a, &signature_b),
            repeats_in_common: self.similarity.lists(&signature_a, &signature_b),
            sampled: self.similarity.sampled(&signature_a, &signature_b),
            same_tokens: a.codes == b.codes,
            term_difference,
            difference: difference.flatten(),
            edit_distance,
            tokens: [a.tokens.len() as u64, b.tokens.len() as u64],
            template_tokens,
        }
    }
}

/// The share of the tokens of both that differ, if it can be found in the time that there is.
fn share_of_difference(a: &[Code], b: &[Code]) -> Option<f64> {
    let tokens = (a.len() + b.len()) as u64;
    match BoundedDifference::default().of_slices(a, b, tokens) {
        Bounded::Terms(terms) => Some(terms as f64 / tokens.max(1) as f64),
        Bounded::More | Bounded::Undecided => None,
    }
}

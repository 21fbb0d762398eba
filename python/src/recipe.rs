//! Recipes, with what signs and compares by one.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use lookalike_core::recipe::{Judging, Verify};
use lookalike_core::shingle::ShingleSet;
use lookalike_core::template::OwnShingles;
use lookalike_core::text::html::Extractor;
use lookalike_core::text::{DocumentTokens, KeyedTokenizer, Text, Tokenizer};
use lookalike_core::{
    Code, Comparer, Kernel, Recipe as CoreRecipe, Signer, SiteRule, VerificationKey,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::env;
use crate::error::{self, Raise};

/// Every parameter that results depend on.
#[pyclass(frozen, eq, hash, module = "lookalike")]
pub(crate) struct Recipe {
    pub(crate) core: CoreRecipe,
    kernel: Kernel,
    /// What signs and compares, for as many threads as have done so at once.
    tools: Mutex<Vec<Tools>>,
}

/// What signs and compares documents on one thread.
pub(crate) struct Tools {
    pub(crate) signer: Signer,
    tokenizer: AnyTokenizer,
    own: OwnShingles,
    document: DocumentTokens,
    pub(crate) comparer: Comparer,
    pub(crate) extractors: [Extractor; 2],
}

enum AnyTokenizer {
    Public(Tokenizer),
    Keyed(KeyedTokenizer),
}

/// Tokens that there is room for between documents.
const KEPT: usize = 1 << 20;

impl Tools {
    /// The tokens of a text, for all that follows.
    pub(crate) fn tokenize(&mut self, text: Text<'_>) {
        self.document.forget(KEPT);
        match &mut self.tokenizer {
            AnyTokenizer::Public(tokenizer) => tokenizer.document(text, &mut self.document),
            AnyTokenizer::Keyed(keyed) => keyed.document(text, &mut self.document),
        }
    }

    /// Signs the text that was tokenized last.
    pub(crate) fn sign_tokens(&mut self) -> &lookalike_core::Signature {
        self.signer.sign_distinctive_tokens(&self.document, None)
    }

    fn key(&self) -> Option<&VerificationKey> {
        match &self.tokenizer {
            AnyTokenizer::Public(_) => None,
            AnyTokenizer::Keyed(keyed) => Some(keyed.key()),
        }
    }

    /// The shingles of the text that was tokenized last.
    pub(crate) fn shingles(&mut self) -> ShingleSet {
        self.own.set(None, &self.document)
    }

    /// Its words in their order, without those that are left out.
    pub(crate) fn sequence(&mut self) -> Vec<Code> {
        self.own.sequence(None, &self.document)
    }
}

impl Recipe {
    pub(crate) fn new(recipe: CoreRecipe) -> PyResult<Self> {
        recipe.validate().raise()?;
        let kernel = env::kernel()?;
        Ok(Self { core: recipe, kernel, tools: Mutex::default() })
    }

    pub(crate) fn core(&self) -> &CoreRecipe {
        &self.core
    }

    pub(crate) fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Works with tools that nobody else uses.
    pub(crate) fn with_tools<T>(&self, work: impl FnOnce(&mut Tools) -> T) -> PyResult<T> {
        self.with_tools_under(None, work)
    }

    /// The same, under a verification key.
    pub(crate) fn with_tools_under<T>(
        &self,
        key: Option<&VerificationKey>,
        work: impl FnOnce(&mut Tools) -> T,
    ) -> PyResult<T> {
        let all = || self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        let spare = {
            let mut all = all();
            // Those of a job that is over are of no use.
            all.retain(|tools| key.is_none() || tools.key().is_none() || tools.key() == key);
            let found = all.iter().position(|tools| tools.key() == key);
            found.map(|at| all.swap_remove(at))
        };
        let mut tools = match spare {
            Some(tools) => tools,
            None => self.new_tools(key)?,
        };
        let result = work(&mut tools);
        all().push(tools);
        Ok(result)
    }

    fn new_tools(&self, key: Option<&VerificationKey>) -> PyResult<Tools> {
        let Self { core: recipe, kernel, .. } = self;
        let (signer, tokenizer) = match key {
            None => (
                Signer::with_kernel(recipe, *kernel),
                AnyTokenizer::Public(Tokenizer::with_kernel(recipe.tokens, *kernel)),
            ),
            Some(key) => (
                Signer::keyed(recipe, *kernel, key),
                AnyTokenizer::Keyed(KeyedTokenizer::new(recipe.tokens, *kernel, key)),
            ),
        };
        Ok(Tools {
            signer: signer.raise()?,
            tokenizer,
            own: OwnShingles::new(recipe, *kernel, key),
            document: DocumentTokens::default(),
            comparer: Comparer::with_kernel(recipe, self.kernel).raise()?,
            extractors: [Extractor::new(), Extractor::new()],
        })
    }
}

impl PartialEq for Recipe {
    fn eq(&self, other: &Self) -> bool {
        self.core == other.core
    }
}

impl std::hash::Hash for Recipe {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.core.digest().hash(state);
    }
}

/// Other ways to judge than a recipe's own, as Python's users give them.
#[derive(Clone, Copy, Default)]
pub(crate) struct GivenJudging<'a> {
    pub(crate) threshold: Option<f64>,
    pub(crate) recall: Option<f64>,
    pub(crate) ngram: Option<usize>,
    pub(crate) verify: Option<&'a str>,
    pub(crate) sites: Option<&'a str>,
    pub(crate) templates: Option<&'a str>,
}

/// A recipe, or the name of a preset or a file.
pub(crate) fn judged(recipe: &Bound<'_, PyAny>, given: GivenJudging<'_>) -> PyResult<CoreRecipe> {
    let judging = Judging {
        threshold: given.threshold,
        recall: given.recall,
        ngram: given.ngram,
        verify: given.verify.map(Verify::from_name).transpose().raise()?,
        sites: given.sites.map(SiteRule::from_name).transpose().raise()?,
        templates: given.templates.map(str::parse).transpose().raise()?,
    };
    if let Ok(recipe) = recipe.cast::<Recipe>() {
        return recipe.get().core.clone().judging(&judging).raise();
    }
    let Ok(path) = recipe.extract::<PathBuf>() else {
        let found = recipe.get_type().name()?;
        let message = format!("recipe must be a Recipe, a name or a path, not {found}");
        return Err(PyTypeError::new_err(message));
    };
    let name = path.display().to_string();
    let is_file = name.contains(['/', '\\', '.']) || path.exists();
    if !is_file || CoreRecipe::preset(&name).is_ok() {
        return CoreRecipe::preset_judging(&name, &judging).raise();
    }
    let text = std::fs::read_to_string(&path).map_err(|error| error::io(&path, &error))?;
    let mut recipe = CoreRecipe::from_toml_judging(&text, &judging).raise()?;
    if recipe.name.is_empty() {
        recipe.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    }
    Ok(recipe)
}

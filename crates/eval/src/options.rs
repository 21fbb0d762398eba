//! What is asked for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lookalike_core::{Recipe, SiteRule, setters};
use lookalike_corpus::{Inputs, Sources};
use lookalike_engine::{CopyRule, Observer, PairSearch, RecipePairs, Running, running_methods};

use crate::documents::{self, BYTES_PER_DOCUMENT};
use crate::error::{Error, ErrorKind, Result};
use crate::labels::{LabelFile, MAX_RECIPES, NamedDocuments, SHOWN_IDS};
use crate::projections::Projections;

/// Henzinger's evaluation of recipes on documents that people have judged: what each recipe
/// returns, how much of it is right, and how much of what is right it finds.
///
/// ```no_run
/// use lookalike_core::Recipe;
/// use lookalike_eval::{Eval, LabelFile};
///
/// let evaluation = Eval::new(["pages.jsonl"])
///     .recipes([Recipe::preset("henzinger-b")?, Recipe::preset("henzinger-c")?])
///     .run(&LabelFile::new("labels.jsonl"))?;
/// println!("{:?}", evaluation.recipes[0].rows[0].correct);
/// # Ok::<(), lookalike_eval::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Eval {
    pub(crate) inputs: Vec<String>,
    pub(crate) recipes: Vec<Recipe>,
    pub(crate) against: Option<String>,
    pub(crate) equal_recall: Option<String>,
    pub(crate) least_bits: Option<usize>,
    pub(crate) identical: CopyRule,
    pub(crate) max_candidates: u64,
    pub(crate) differences: usize,
    pub(crate) seed: u64,
    pub(crate) repeats: usize,
    pub(crate) sites: SiteRule,
    pub(crate) learned: Option<PathBuf>,
    pub(crate) running: Running,
}

/// Unless told otherwise: what sorts in a few minutes and on some ten gigabytes of disk.
const DEFAULT_MAX_CANDIDATES: u64 = 1_000_000_000;

/// Unless told otherwise: as many pairs as the paper's evaluators have looked at.
const DEFAULT_DIFFERENCES: usize = 2000;

impl Eval {
    running_methods!();

    /// The recipes that are evaluated unless others are named.
    pub const DEFAULT_RECIPES: [&str; 6] =
        ["henzinger-b", "henzinger-c", "henzinger-combined", "henzinger-sites", "pugh", "text"];

    /// Evaluates on the documents of these inputs: files, folders, globs, or `-` for standard
    /// input.
    pub fn new(inputs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let presets = Self::DEFAULT_RECIPES.iter().filter_map(|name| Recipe::preset(name).ok());
        Self {
            inputs: inputs.into_iter().map(Into::into).collect(),
            recipes: presets.collect(),
            against: None,
            equal_recall: None,
            least_bits: None,
            identical: CopyRule::Removed,
            max_candidates: DEFAULT_MAX_CANDIDATES,
            differences: DEFAULT_DIFFERENCES,
            seed: 0,
            repeats: 1,
            sites: SiteRule::default(),
            learned: None,
            running: Running::default(),
        }
    }

    setters! {
        /// The recipes to evaluate, each with a name of its own.
        recipes: impl IntoIterator<Item = Recipe> => recipes = recipes.into_iter().collect();
        /// The name of the recipe whose correct pairs are the 1 of R; the first unless told otherwise.
        against: impl Into<String> => against = Some(against.into());
        /// The name of a recipe by projections of which the bits are chosen that give as many correct
        /// pairs as the one that R is against has.
        equal_recall: impl Into<String> => equal_recall = Some(equal_recall.into());
        /// The fewest bits that are looked at for that; 20 less than the recipe's own unless told otherwise.
        least_bits: usize => least_bits = Some(least_bits);
        /// What becomes of documents with the same token sequence.
        identical: CopyRule;
        /// The most candidates that a recipe may make; a billion unless told otherwise.
        max_candidates: u64;
        /// Of how many pairs of each recipe the term difference is computed; 2,000 unless told
        /// otherwise.
        differences: usize;
        /// From which all random choices are drawn: halves and samples of pairs.
        seed: u64;
        /// Under how many seeds each recipe finds its pairs: its own and those that follow it. The
        /// tables are of the first, and one unless told otherwise.
        repeats: usize => repeats = repeats.max(1);
        /// What a site is, for the tables by site; recipes have rules of their own.
        sites: SiteRule;
        /// Leaves what recipes have learned below this folder, in one for each, by its number from 1,
        /// and as a run leaves it: a file of templates, and the recipe.
        learned_to: impl Into<PathBuf> => learned = Some(learned_to.into());
    }

    /// Fails if a folder for results is within an input: the next evaluation would read them as
    /// documents.
    ///
    /// # Errors
    /// With the two.
    pub fn check_apart(&self, folder: impl AsRef<Path>) -> Result<()> {
        Ok(PairSearch::check_apart(&self.inputs, folder.as_ref())?)
    }

    /// The number of the recipe that R is against.
    pub(crate) fn against_number(&self) -> Result<usize> {
        self.against.as_ref().map_or(Ok(0), |name| self.number_of(name))
    }

    /// The number of the recipe of this name.
    pub(crate) fn number_of(&self, name: &str) -> Result<usize> {
        self.recipes.iter().position(|recipe| recipe.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.recipes.iter().map(|recipe| &*recipe.name).collect();
            let fault = format!("no recipe is named `{name}`; there are: {}", names.join(", "));
            ErrorKind::Recipes(fault).into()
        })
    }

    /// Fails if none of the documents is one that labels name, or there are no documents: better
    /// than to find out when all have been signed. Standard input can be read only once, and is
    /// not looked at.
    pub(crate) fn check_named(
        &self,
        file: &LabelFile,
        named: &NamedDocuments,
        observer: &dyn Observer,
    ) -> Result<()> {
        if self.inputs.iter().any(|input| input == "-") {
            return Ok(());
        }
        let sources = Sources::new(&self.inputs, self.running.format)?;
        let mut ours = Vec::new();
        for document in Inputs::of(sources, self.running.read.clone()) {
            let document = match document {
                Ok(document) => document,
                Err(error) if error.is_io() => return Err(error.into()),
                // Told of when documents are signed.
                Err(_) => continue,
            };
            if named.contains(&document.id) {
                return Ok(());
            }
            if ours.len() < SHOWN_IDS {
                ours.push(document.id);
            }
            observer.check_cancelled()?;
        }
        let (path, theirs) = (file.path.clone(), named.first.clone());
        Err(ErrorKind::OtherDocuments { path, theirs, ours }.into())
    }

    /// Signs the documents, and finds the pairs of each of these recipes.
    pub(crate) fn find(&self, recipes: &[Recipe], observer: &dyn Observer) -> Result<RecipePairs> {
        let by_bits = self.loosened()?.map_or(0, |of| Projections::bytes(&of.recipe));
        let search = PairSearch {
            inputs: &self.inputs,
            recipes,
            measure: &documents::measure(self.sites)?,
            identical: self.identical,
            max_candidates: self.max_candidates,
            bytes_per_document: BYTES_PER_DOCUMENT + by_bits,
            running: &self.running,
        };
        Ok(search.run(observer)?)
    }

    /// Fails if the recipes are none that can be evaluated together.
    pub(crate) fn check_recipes(&self) -> Result<()> {
        let wrong = |fault: String| Err(Error::from(ErrorKind::Recipes(fault)));
        if self.recipes.is_empty() {
            return wrong("there is none".to_owned());
        }
        if self.recipes.len() > MAX_RECIPES {
            return wrong(format!("there are more than {MAX_RECIPES}"));
        }
        let mut names = BTreeSet::new();
        for recipe in &self.recipes {
            recipe.validate()?;
            if !names.insert(&recipe.name) {
                return wrong(format!("two are named `{}`", recipe.name));
            }
        }
        Ok(())
    }
}

//! What a job is asked for.

use lookalike_core::recipe::Verify;
use lookalike_core::text::Unit;
use lookalike_core::{OpenShelf, Recipe, setters};
use lookalike_corpus::{Format, ReadOptions, Tables};
use lookalike_files::Existing;

use super::budget::RemovalBudget;
use crate::attributes::FieldQuestions;
use crate::error::{Error, ErrorKind, Result};
use crate::keep::KeepPolicy;
use crate::learn::TemplateGroups;
use crate::manifest::Request;
use crate::matching::Clustering;
use crate::passages::PassageRule;
use crate::rank::check_lengths;
use crate::report::Page;
use crate::running::{Running, running_methods};
use crate::sets::{check_sets, check_texts};
use crate::write::{PairListing, Repeats, Unreadable, Writing, Written};

/// Which pairs are judged and listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairScope {
    /// Those that the decision needs; listed is each removed document with its keeper.
    #[default]
    Needed,
    /// All that share a key: for evaluation.
    All,
}

/// Which documents are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Removes {
    /// Near-duplicates and copies.
    Near,
    /// Copies.
    Exact,
    /// None.
    Nothing,
}

/// The batch job: which documents of a corpus are roughly the same, and the corpus without them.
///
/// ```no_run
/// use lookalike_engine::{Dedup, KeepPolicy};
///
/// let report = Dedup::new(["crawl/"]).keep(KeepPolicy::Longest).memory(4 << 30).run("out")?;
/// println!("{} of {} documents stay", report.kept, report.documents);
/// # Ok::<(), lookalike_engine::Error>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "deduplication")]
pub struct Dedup {
    pub(super) inputs: Vec<String>,
    pub(super) tables: Tables,
    pub(super) known: Vec<String>,
    pub(super) known_tables: Tables,
    pub(super) known_indexes: Option<OpenShelf>,
    pub(super) recipe: Recipe,
    pub(super) keep: Option<KeepPolicy>,
    pub(super) lost: Option<f64>,
    pub(super) keep_count: u32,
    pub(super) clustering: Clustering,
    pub(super) pairs: PairScope,
    pub(super) removes: Removes,
    pub(super) passages: Option<PassageRule>,
    pub(super) budget: RemovalBudget,
    pub(super) counted: Option<String>,
    pub(super) dated: Option<String>,
    pub(super) resume: bool,
    pub(super) existing: Existing,
    pub(super) writing: Writing,
    pub(super) unreadable: Unreadable,
    pub(super) page: Option<Page>,
    pub(super) running: Running,
}

impl Dedup {
    running_methods!();

    /// A job on these files, folders, globs, or `-` for standard input.
    pub fn new(inputs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            inputs: inputs.into_iter().map(Into::into).collect(),
            tables: Tables::default(),
            known: Vec::new(),
            known_tables: Tables::default(),
            known_indexes: None,
            recipe: Recipe::default(),
            keep: None,
            lost: None,
            keep_count: 1,
            clustering: Clustering::Anchored,
            pairs: PairScope::Needed,
            removes: Removes::Near,
            passages: None,
            budget: RemovalBudget::default(),
            counted: None,
            dated: None,
            resume: false,
            existing: Existing::Refuse,
            writing: Writing::default(),
            unreadable: Unreadable::Kept,
            page: None,
            running: Running::default(),
        }
    }

    /// A job on tables in memory, and nothing else.
    pub fn of_tables(tables: Tables) -> Self {
        Self::new(Vec::<String>::new()).tables(tables)
    }

    /// One more side of known documents: the folder of a finished run, of which it is what stayed, that of
    /// an index ([`known_indexes`](Self::known_indexes)), or a file, folder or glob of documents. They are not written and not removed; a document
    /// goes if it looks like one of them, which come before all others.
    #[must_use]
    pub fn known(mut self, side: impl Into<String>) -> Self {
        self.known.push(side.into());
        self
    }

    /// No document is removed, whatever it resembles: for those who cut passages only. They are signed by
    /// [`Recipe::of_copies`], unless another recipe is given after this.
    #[must_use]
    pub fn all_documents(self) -> Self {
        Self { removes: Removes::Nothing, recipe: Recipe::of_copies(), ..self }
    }

    setters! {
        /// Known documents in memory, which come after the other known sides.
        known_tables: Tables;
        /// What opens an index that is a known side; without it none can be.
        known_indexes: OpenShelf => known_indexes = Some(known_indexes);
        /// Tables in memory, which come after the other inputs. A job with any writes no survivors:
        /// `clusters.parquet` has the rows that go.
        tables: Tables;
        /// How documents are signed and judged; the `text` preset unless told otherwise.
        recipe: Recipe;
        /// Which of several look-alikes stays: the first unless told otherwise.
        keep: KeepPolicy => keep = Some(keep);
        /// A document goes only if at most this share of its shingles is not in the one that stays for
        /// it, and not by their resemblance: a page goes for the book that has it, and never the book for
        /// the page. The longer one stays, so that a policy has to begin with
        /// [`Longest`](KeepPolicy::Longest), which is also what it is unless told otherwise.
        lost: f64 => lost = Some(lost);
        /// How many documents of a cluster stay, the first in the order of the keep policy; 0 is taken
        /// for 1. The others go for the first of them, as they would if one stayed.
        keep_count: u32 => keep_count = keep_count.max(1);
        /// How pairs become clusters.
        clustering: Clustering;
        /// Which pairs are judged and listed.
        pairs: PairScope;
        /// Only documents with the same tokens are looked for.
        exact_only => removes = Removes::Exact;
        /// What repeats inside of the documents that stay is cut, all but the first copies.
        passages: PassageRule => passages = Some(passages);
        /// How much may be removed.
        removal_budget: RemovalBudget => budget = removal_budget;
        /// The field whose distinct values are the sources of a cluster. Unless told otherwise these are
        /// the sites of its documents, and of those without one the input files.
        count: impl Into<String> => counted = Some(count.into());
        /// The field with the date of a document, of which a cluster has the first and the last.
        date_field: impl Into<String> => dated = Some(date_field.into());
        /// Goes on with a job that stopped, if there is one.
        resume => resume = true;
        /// What becomes of an earlier run in the folder of the results.
        existing: Existing;
        /// Only the decision is written, and not the survivors.
        without_survivors => writing.documents = Written::Nothing;
        /// Which documents are written again; those that stay unless told otherwise.
        write: Written => writing.documents = write;
        /// Each record that is written says what was decided of it, in fields that are added: `lookalike`
        /// with `cluster`, `copies`, `keeper`, `kind`, `resemblance` and `kept`. Passages are not cut
        /// then, but stand in one more field, `passages`.
        annotate => writing.annotates = true;
        /// What is added to records is called this instead of `lookalike`.
        annotate_as: impl Into<String> => writing.name = annotate_as.into();
        /// Documents that stay are written as often as the number of their copies says.
        repeat: Repeats => writing.repeats = Some(repeat);
        /// How often a document would be written is in one more field, `weight`, and it is written once.
        weigh => writing.weighs = true;
        /// A page of a web archive that goes leaves a `revisit` record, which names its keeper.
        write_revisits => writing.revisits = true;
        /// What becomes of records and files that cannot be read.
        unreadable: Unreadable;
        /// What makes `report.html` of the report; there is none unless told otherwise.
        page: Page => page = Some(page);
    }

    /// Fails if the options cannot be, or not together.
    pub(super) fn check(&self) -> Result<()> {
        self.recipe.validate()?;
        self.policy().check()?;
        self.check_lost()?;
        let fields = &self.running.read.fields;
        if self.passages.is_some() {
            check_texts("cutting passages", &self.recipe, fields)?;
        }
        if self.signature_file().is_none() {
            check_sets(&self.recipe, fields)?;
        }
        if self.passages.is_some() && self.recipe.tokens != Unit::Words {
            return Err(Error::from(ErrorKind::PassagesOfWords(self.recipe.name.clone())));
        }
        if self.passages.is_some() {
            check_lengths("`--passages`", &self.recipe)?;
        }
        self.writing.check()?;
        if self.keep_count > 1 && self.writing.repeats.is_some() {
            let reason = "--repeat and --keep-count both say how often the documents of a cluster \
                          are written\nhint: leave one of them out";
            return Err(Error::from(ErrorKind::Writing(reason.to_owned())));
        }
        Ok(())
    }

    /// Fails if documents cannot go by containment, though they should.
    fn check_lost(&self) -> Result<()> {
        let Some(lost) = self.lost else { return Ok(()) };
        let refused = |reason: String| Err(Error::from(ErrorKind::Lost(reason)));
        if !(0.0..1.0).contains(&lost) {
            return refused(format!(
                "the share that may be lost is {lost}, but must be from 0 to below 1"
            ));
        }
        if self.policy().keys().first() != Some(&KeepPolicy::Longest) {
            return refused(format!(
                "`--lost` keeps the longer of two documents, so that `--keep {policy}` cannot decide\n\
                 hint: leave out `--keep`, or decide between equally long ones: \
                 `--keep 'longest then {policy}'`",
                policy = self.policy()
            ));
        }
        if self.removes != Removes::Near {
            return refused(
                "`--lost` is about documents that are not copies, of which none would go\n\
                 hint: leave out `--exact-only`"
                    .to_owned(),
            );
        }
        if self.clustering == Clustering::Components {
            return refused(
                "by `--cluster components` a document may go for one that has nothing of it, which \
                 `--lost` rules out\nhint: leave out one of them"
                    .to_owned(),
            );
        }
        if self.recipe.verify != Verify::Exact {
            return refused(format!(
                "`--lost` compares the documents themselves, but the recipe `{}` does not\n\
                 hint: `--verify exact` does",
                self.recipe.name
            ));
        }
        if self.recipe.templates.leave_out() {
            return refused(format!(
                "`--lost` counts all of a document, but the recipe `{}` leaves out templates\n\
                 hint: `--templates off` counts them",
                self.recipe.name
            ));
        }
        match self.signature_file() {
            Some(path) => {
                let option = "`--lost`".to_owned();
                Err(Error::from(ErrorKind::NeedsDocuments { path, option }))
            }
            None => Ok(()),
        }
    }

    /// Which of several look-alikes stays.
    pub(super) fn policy(&self) -> &KeepPolicy {
        static FIRST: KeepPolicy = KeepPolicy::First;
        static LONGEST: KeepPolicy = KeepPolicy::Longest;
        let unless_told = if self.lost.is_some() { &LONGEST } else { &FIRST };
        self.keep.as_ref().unwrap_or(unless_told)
    }

    /// Which of the accepted pairs are listed.
    pub(super) fn listed_pairs(&self) -> PairListing {
        match (self.pairs, self.clustering) {
            (PairScope::All, _) => PairListing::All,
            (PairScope::Needed, Clustering::Components) => PairListing::Judged,
            (PairScope::Needed, Clustering::Anchored) => PairListing::WithKeepers,
        }
    }

    /// What is cut of all documents, where each can be looked at as it is signed.
    pub(super) fn passages_of_all(&self) -> Option<&PassageRule> {
        let same_words = self.recipe.tokens == Unit::Words && !self.recipe.templates.leave_out();
        self.passages.as_ref().filter(|_| self.removes == Removes::Nothing && same_words)
    }

    /// What results depend on.
    pub(super) fn request(&self) -> Request {
        let fields = &self.running.read.fields;
        let named = |name: &str, value: String| (name.to_owned(), value);
        let passages = self.passages.map(|rule| named("passages", rule.name()));
        let all =
            (self.removes == Removes::Nothing).then(|| named("all-documents", "true".to_owned()));
        let request = [
            named("recipe", self.recipe.digest().to_string()),
            named("format", self.running.format.map_or("", Format::name).to_owned()),
            named("text-field", fields.text.clone()),
            named("html-field", fields.html.clone()),
            named("id-field", fields.id.clone()),
            named("url-field", fields.url.clone()),
            named("keep", self.policy().to_string()),
            named("cluster", self.clustering.name().to_owned()),
            named("pairs", self.pairs.name().to_owned()),
            named("exact-only", (self.removes == Removes::Exact).to_string()),
            named("no-write", (self.writing.documents == Written::Nothing).to_string()),
            named("strict", self.running.strict.to_string()),
            named("drop-unreadable", (self.unreadable == Unreadable::Dropped).to_string()),
            named("max-removed-per-source", self.budget.field().unwrap_or_default().to_owned()),
        ];
        let keep_count =
            (self.keep_count > 1).then(|| named("keep-count", self.keep_count.to_string()));
        let set = fields.set.clone().map(|set| named("set-field", set));
        let lost = self.lost.map(|lost| named("lost", lost.to_string()));
        let counts = [("count", &self.counted), ("date-field", &self.dated)];
        let counts = counts.into_iter().filter_map(|(n, field)| Some(named(n, field.clone()?)));
        let written = self.writing.request();
        request
            .into_iter()
            .chain(set)
            .chain(keep_count)
            .chain(lost)
            .chain(passages)
            .chain(all)
            .chain(counts)
            .chain(written)
            .collect()
    }

    /// What is asked of documents.
    pub(super) fn asked(&self) -> FieldQuestions<'_> {
        let (counted, dated) = (self.counted.as_deref(), self.dated.as_deref());
        let (keep, part_field) = (self.policy(), self.budget.field());
        FieldQuestions { keep, knows_tokens: true, part_field, counted, dated }
    }

    /// How records are read: with the fields that policies look at.
    pub(super) fn reading(&self) -> ReadOptions {
        let mut read = self.running.reading();
        read.fields.others.extend(self.asked().fields().map(str::to_owned));
        read.fields.others.extend(TemplateGroups::new(&self.recipe).field());
        read
    }
}

impl PairScope {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Needed => "needed",
            Self::All => "all",
        }
    }
}

//! The pairs that each recipe returns.
//!
//! A recipe runs as in a deduplication, up to its pairs, and all of its pairs
//! are wanted, not only those that a decision needs. So the work is that of all
//! candidates: a group of n documents makes n (n - 1) / 2, sorted on disk. The
//! groups say how many before any is made, and too many are refused
//! ([`Eval::max_candidates`]).

use std::fs;
use std::path::{Path, PathBuf};

use lookalike_core::{Recipe, VerificationKey};
use lookalike_corpus::{ReadOptions, Sources, UnpackedCopies};
use lookalike_files::WorkFolder;

use super::options::{Eval, Identical};
use super::pages::{self, BYTES_PER_PAGE, Pages};
use crate::attributes::Asked;
use crate::dedup::group_field;
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::files::Files;
use crate::group::{self, Copies};
use crate::keep::KeepPolicy;
use crate::learn::Learning;
use crate::matching::{Clustering, GroupReader, Pairs, Step};
use crate::memory;
use crate::observe::{Observer, Stage, Work};
use crate::order::Order;
use crate::sign::{Signed, Signing};
use crate::signature_file::SignatureLookup;
use crate::sources::SourceTable;
use crate::stages::Stages;

/// Everything that tables are made from.
pub(super) struct Returned {
    pub(super) pages: Pages,
    pub(super) signed: Signed,
    pub(super) read: ReadOptions,
    /// The file of pairs of each recipe.
    pub(super) pairs: Vec<PathBuf>,
    /// The files of the recipe that measures.
    measured: Files,
    copies: UnpackedCopies,
    pub(super) work: WorkFolder,
}

impl Returned {
    /// Where documents came from.
    pub(super) fn sources(&self) -> Result<SourceTable> {
        Ok(SourceTable::open(&self.measured.sources())?.with_copies(&self.copies))
    }

    /// Where the ids of documents are.
    pub(super) fn signatures(&self) -> Result<SignatureLookup> {
        SignatureLookup::open(&self.measured.signatures())
    }
}

/// A job under way.
struct Job<'a> {
    options: &'a Eval,
    read: ReadOptions,
    copies: UnpackedCopies,
    observer: &'a dyn Observer,
    budget: usize,
    key: VerificationKey,
}

/// Signs the documents, and finds the pairs of each recipe.
pub(super) fn find(options: &Eval, observer: &dyn Observer) -> Result<Returned> {
    options.check_recipes()?;
    // Refused before anything is made, if there is no such input.
    Sources::by_name(&options.inputs, options.running.format).map_err(Error::corpus)?;
    let work = WorkFolder::create(options.running.temp.as_deref())?;
    options.check_apart(&work.0)?;
    let copies = UnpackedCopies::new(&work.0.join("unpacked"), memory::room_for_copies(&work.0));
    let mut read = options.running.reading();
    read.fields.others.extend(options.recipes.iter().filter_map(group_field));
    let mut job = Job {
        options,
        read,
        copies: copies.clone(),
        observer,
        budget: options.running.memory as usize,
        key: VerificationKey::random(),
    };
    let measure = pages::measure(options.sites)?;
    let files = folder(&work.0, "measure")?;
    let signed = job.sign(&measure, &files)?;
    job.budget = memory::working_bytes(options.running.memory, signed.documents, BYTES_PER_PAGE)?;
    let stages = job.stages(&measure, &files);
    let identical = job.identical(&stages, signed.documents)?;
    let pages = Pages::load(&stages, signed.documents, &identical)?;

    let sources = SourceTable::open(&files.sources())?.with_copies(&copies);
    // Recipes with the same bits have one signature file.
    let mut folders = vec![(measure.signing_digest(), files.clone())];
    let mut pairs = Vec::new();
    for (number, recipe) in options.recipes.iter().enumerate() {
        let digest = recipe.signing_digest();
        let known = folders.iter().find(|(known, _)| *known == digest);
        let own = if let Some((_, files)) = known {
            files.clone()
        } else {
            let own = folder(&work.0, &format!("signed-{number}"))?;
            if recipe.templates.are_learned() {
                job.learning(recipe).run(&sources, &own)?;
            }
            job.sign_again(recipe, &sources, &own)?;
            folders.push((digest, own.clone()));
            own
        };
        let path = work.0.join(format!("pairs-{number}"));
        job.pairs(&job.stages(recipe, &own), &sources, &identical, &path)?;
        pairs.push(path);
    }
    Ok(Returned { pages, signed, read: job.read, pairs, measured: files, copies, work })
}

impl Job<'_> {
    fn stages<'a>(&'a self, recipe: &'a Recipe, files: &'a Files) -> Stages<'a> {
        Stages {
            recipe,
            kernel: self.options.running.kernel,
            read: &self.read,
            key: &self.key,
            files,
            threads: self.options.running.threads,
            budget: self.budget,
            observer: self.observer,
        }
    }

    fn signing<'a>(&'a self, recipe: &'a Recipe, observer: &'a dyn Observer) -> Signing<'a> {
        Signing {
            recipe,
            kernel: self.options.running.kernel,
            key: &self.key,
            options: &self.read,
            asked: Asked { keep: &KeepPolicy::First, part_field: None },
            threads: self.options.running.threads,
            budget: self.budget,
            strict: self.options.running.strict,
            keep_urls: false,
            observer,
            copies: &self.copies,
            tables: None,
        }
    }

    fn learning<'a>(&'a self, recipe: &'a Recipe) -> Learning<'a> {
        Learning {
            recipe,
            kernel: self.options.running.kernel,
            key: &self.key,
            options: &self.read,
            threads: self.options.running.threads,
            budget: self.budget,
            observer: self.observer,
        }
    }

    fn sign(&self, recipe: &Recipe, files: &Files) -> Result<Signed> {
        let Eval { inputs, running, .. } = self.options;
        self.signing(recipe, self.observer).run(inputs, running.format, files)
    }

    fn sign_again(&self, recipe: &Recipe, sources: &SourceTable, files: &Files) -> Result<()> {
        self.observer.begin(Stage::Sign, Some(Work::Documents(sources.documents()?)));
        // What cannot be read has been told of.
        let quiet = Quiet(self.observer);
        self.signing(recipe, &quiet).again(sources, files).map(drop)
    }

    /// The documents that are left out: copies of earlier ones, or none.
    fn identical(&self, stages: &Stages<'_>, documents: u64) -> Result<Copies> {
        match self.options.identical {
            Identical::Removed => stages.identity_sets(documents, &Order::of_input()),
            Identical::Counted => {
                let (path, folder) = (stages.files.copies(), stages.files.sorting());
                group::identity_sets(&path, &folder, self.budget / 2, documents, |_| Ok(()))
            }
        }
    }

    fn pairs(
        &self,
        stages: &Stages<'_>,
        sources: &SourceTable,
        identical: &Copies,
        path: &Path,
    ) -> Result<()> {
        let (documents, order) = (identical.documents(), Order::of_input());
        stages.groups(documents, &order, identical)?;
        let candidates = candidates(&stages.files.groups())?;
        if candidates > self.options.max_candidates {
            return Err(Error::new(ErrorKind::TooManyCandidates {
                recipe: stages.recipe.name.clone(),
                candidates,
                limit: self.options.max_candidates,
            }));
        }
        let wanted = stages.wanted(documents, &order)?;
        stages.shingle_sets(sources, &wanted)?;
        stages.decide(&order, &wanted, Clustering::Components, Pairs::All)?;
        let found = stages.files.judged_pairs();
        fs::rename(&found, path).map_err(|e| Error::io(path, Operation::Rename, e))
    }
}

/// The files of a recipe, below the folder of the job.
fn folder(work: &Path, name: &str) -> Result<Files> {
    let folder = work.join(name);
    let files = Files { out: folder.clone(), work: folder };
    let sorting = files.sorting();
    fs::create_dir_all(&sorting).map_err(|e| Error::io(&sorting, Operation::Create, e))?;
    Ok(files)
}

/// How many candidates groups make at most, each counted for every key that it shares.
fn candidates(groups: &Path) -> Result<u64> {
    let mut groups = GroupReader::open(groups)?;
    let (mut sum, mut members) = (0_u64, 0_u64);
    while let Some(step) = groups.next()? {
        match step {
            Step::Member(_) => {
                sum = sum.saturating_add(members);
                members += 1;
            }
            Step::End => members = 0,
        }
    }
    Ok(sum)
}

/// Passes on everything but faults.
struct Quiet<'a>(&'a dyn Observer);

impl Observer for Quiet<'_> {
    fn begin(&self, stage: Stage, total: Option<Work>) {
        self.0.begin(stage, total);
    }

    fn advance(&self, bytes: u64, documents: u64) {
        self.0.advance(bytes, documents);
    }

    fn read(&self, stored_bytes: u64) {
        self.0.read(stored_bytes);
    }

    fn wants_totals(&self) -> bool {
        self.0.wants_totals()
    }

    fn note(&self, message: &str) {
        self.0.note(message);
    }

    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }

    fn seconds(&self) -> f64 {
        self.0.seconds()
    }
}

//! All pairs of several recipes on the same documents.
//!
//! A recipe runs as in a deduplication, up to its pairs, and all of its pairs
//! are wanted, not only those that a decision needs. So the work is that of all
//! candidates: a group of n documents makes n (n - 1) / 2, sorted on disk. The
//! groups say how many before any is made, and too many are refused
//! ([`PairSearch::max_candidates`]).

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use lookalike_core::recipe::Candidates;
use lookalike_core::template::LeftOut;
use lookalike_core::text::{Text, TextBuf, Unit};
use lookalike_core::{Recipe, Signature, VerificationKey};
use lookalike_corpus::{ContentKind, Format, ReadOptions, Record, UnpackedCopies};
use lookalike_files::{AtomicFile, Rows, WorkFolder, write_file};

use crate::attributes::FieldQuestions;
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::files::Files;
use crate::identity_sets::{Copies, CopyOf};
use crate::inputs::Inputs;
use crate::learn::{LeavingOut, TemplateGroups};
use crate::long_text;
use crate::matching::{ALL_MEMBERS, Clustering, GroupReader, PairReader, Pairs, Step};
use crate::means::Means;
use crate::memory;
use crate::observe::{Observer, Stage, Work};
use crate::order::Order;
use crate::places::{InputOrder, Row};
use crate::report::{Difference, distinctive_difference};
use crate::running::Running;
use crate::sets::check_texts;
use crate::sign::{SITES, Signing, SigningSummary};
use crate::signature_file::{SignatureLookup, SignatureReader};
use crate::sources::SourceTable;
use crate::urls::Urls;

/// What is asked for: all pairs of some recipes on the same documents.
#[derive(Clone, Copy)]
pub struct PairSearch<'a> {
    /// Files, folders, globs, or `-` for standard input.
    pub inputs: &'a [String],
    /// Those whose pairs are wanted.
    pub recipes: &'a [Recipe],
    /// What documents are measured by, whatever the others look at: what
    /// [`RecipePairs::for_each_document`] gives are its signatures.
    pub measure: &'a Recipe,
    /// What becomes of identical documents.
    pub identical: CopyRule,
    /// The most candidates that a recipe may make.
    pub max_candidates: u64,
    /// What the caller holds of each document, out of the memory that may be used.
    pub bytes_per_document: u64,
    /// How inputs are read, and what may be used.
    pub running: &'a Running,
}

/// What becomes of documents with the same token sequence as an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CopyRule {
    /// All but the first are left out before anything is counted.
    #[default]
    Removed,
    /// They are documents as any others, and pairs of them count.
    Counted,
}

/// What a recipe took, as it was measured. No result depends on it.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct RecipeCost {
    /// Seconds of signing all documents, and of learning before it. Recipes with the same bits are
    /// signed once, and each has the time of that.
    pub signing_seconds: f64,
    /// Seconds from signatures to pairs, verification included.
    pub matching_seconds: f64,
    /// The most memory that the process has had at once by then, if the system tells: that of
    /// earlier recipes, where they took more.
    pub peak_memory_bytes: Option<u64>,
}

/// How a document begins.
#[derive(Debug)]
#[non_exhaustive]
pub struct Beginning {
    /// Its address.
    pub url: Option<String>,
    /// How its text begins.
    pub text: TextBuf,
    /// How the markup of its page begins, if it is one.
    pub page: Option<String>,
    /// Whether the page goes on.
    pub is_cut: bool,
}

/// What a record says beside its text.
#[derive(Default)]
struct Told {
    url: Option<String>,
    page: Option<String>,
    is_cut: bool,
}

/// A document to show.
#[non_exhaustive]
pub struct ShownDocument {
    /// Its address.
    pub url: Option<String>,
    /// How it begins.
    pub text: TextBuf,
    /// Why its tokens are left out by a recipe, if they are.
    pub left_out: Vec<Option<LeftOut>>,
}

impl ShownDocument {
    /// What differs from this one to another, whose id is told.
    pub fn difference(&self, unit: Unit, with: &str, other: &Self) -> Difference {
        distinctive_difference(unit, self.side(), with, other.side())
    }

    fn side(&self) -> (Text<'_>, &[Option<LeftOut>]) {
        (self.text.as_text(), &self.left_out)
    }
}

/// Bytes of a document that is shown: more than differences show.
const SHOWN_BYTES: usize = 256 << 10;

/// All pairs of some recipes, in files that go with it. Documents go by their rows.
pub struct RecipePairs {
    signed: SigningSummary,
    identical: Copies,
    pairs: Vec<PathBuf>,
    costs: Vec<RecipeCost>,
    /// The files of each recipe.
    files: Vec<Files>,
    /// Those of the recipe that measures.
    measured: Files,
    read: ReadOptions,
    copies: UnpackedCopies,
    work: WorkFolder,
}

impl RecipePairs {
    /// How many documents could be read.
    pub fn documents(&self) -> u64 {
        self.signed.documents
    }

    /// How many records and files could not.
    pub fn skipped(&self) -> u64 {
        self.signed.skips.count
    }

    /// Calls `each` with the documents that were left out, and those that they are copies of.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn for_each_identical(&self, mut each: impl FnMut(Row, Row)) -> Result<()> {
        let (order, mut list) =
            (Order::of_input(self.identical.documents()), self.identical.list()?);
        while let Some(CopyOf { copy, representative }) = list.next()? {
            each(order.row(copy), order.row(representative));
        }
        Ok(())
    }

    /// The pairs of each recipe.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn pairs(&self) -> Result<Vec<PairReader<InputOrder>>> {
        self.pairs.iter().map(|path| PairReader::open(path)).collect()
    }

    /// What each recipe took.
    pub fn costs(&self) -> &[RecipeCost] {
        &self.costs
    }

    /// A folder for working files, which goes when this goes.
    pub fn folder(&self) -> &Path {
        &self.work
    }

    /// The signatures of the recipe that measures, and the ids of documents.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn signatures(&self) -> Result<SignatureLookup> {
        SignatureLookup::open(self.measured.signatures())
    }

    /// Calls `each` with the id, the signature and the site of every document, in order. A site
    /// is a hash; 0 is none.
    ///
    /// # Errors
    /// If a file cannot be read, the job is stopped, or what `each` fails with.
    pub fn for_each_document(
        &self,
        observer: &dyn Observer,
        mut each: impl FnMut(&str, &Signature, u64) -> Result<()>,
    ) -> Result<()> {
        let mut reader = SignatureReader::open(self.measured.signatures())?;
        let (mut id, mut signature) = (String::new(), Signature::default());
        Rows::open(&self.measured.sites(), SITES, 8)?.for_each(|row, site| {
            if row.is_multiple_of(1 << 12) {
                observer.check_cancelled()?;
            }
            reader.read(&mut id, &mut signature)?;
            each(&id, &signature, u64::from_le_bytes(site.try_into().unwrap_or_default()))
        })
    }

    /// Calls `each` with the signature of every document by the recipe of this number, in order.
    ///
    /// # Errors
    /// If a file cannot be read, or the job is stopped.
    pub fn for_each_signature(
        &self,
        number: usize,
        observer: &dyn Observer,
        mut each: impl FnMut(&Signature),
    ) -> Result<()> {
        let mut reader = SignatureReader::open(self.files[number].signatures())?;
        let (mut id, mut signature) = (String::new(), Signature::default());
        for row in 0..self.documents() {
            if row.is_multiple_of(1 << 12) {
                observer.check_cancelled()?;
            }
            reader.read(&mut id, &mut signature)?;
            each(&signature);
        }
        Ok(())
    }

    /// Calls `each` with every document and its address, if it has one, in order.
    ///
    /// # Errors
    /// If a file cannot be read, or the job is stopped.
    pub fn for_each_url(
        &self,
        observer: &dyn Observer,
        mut each: impl FnMut(Row, Option<&str>),
    ) -> Result<()> {
        let Some(urls) = Urls::open(&self.measured.urls())? else { return Ok(()) };
        urls.for_each(|row, url| {
            if row.index().is_multiple_of(1 << 12) {
                observer.check_cancelled()?;
            }
            each(row, url);
            Ok(())
        })
    }

    /// The beginnings of the texts and pages of some rows, up to so many bytes of each text and of
    /// each page. What cannot be read any more is not there.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn beginnings(
        &self,
        rows: Vec<Row>,
        [text_bytes, page_bytes]: [usize; 2],
    ) -> Result<HashMap<Row, Beginning>> {
        let told = |record: &Record<'_>| {
            let is_page = record.kind == ContentKind::Html;
            let cut = &record.content[..record.content.len().min(page_bytes)];
            Told {
                url: record.url.as_deref().map(str::to_owned),
                page: is_page.then(|| String::from_utf8_lossy(cut).into_owned()),
                is_cut: is_page && cut.len() < record.content.len(),
            }
        };
        let texts = self.sources()?.beginnings_with(&self.read, rows, text_bytes, told)?;
        let beginning = |(row, (text, told)): (Row, (TextBuf, Told))| {
            let Told { url, page, is_cut } = told;
            (row, Beginning { url, text, page, is_cut })
        };
        Ok(texts.into_iter().map(beginning).collect())
    }

    /// Documents to show the differences of, by a recipe that was searched by: its number, and itself.
    /// Of long ones there is the beginning, and what cannot be read any more is not there.
    ///
    /// # Errors
    /// If the system refuses, or a file cannot be read.
    pub fn shown(
        &self,
        (number, recipe): (usize, &Recipe),
        rows: Vec<Row>,
    ) -> Result<HashMap<Row, ShownDocument>> {
        let groups = TemplateGroups::new(recipe);
        let told =
            |record: &Record<'_>| (record.url.as_deref().map(str::to_owned), groups.record(record));
        let texts = self.sources()?.beginnings_with(&self.read, rows, SHOWN_BYTES, told)?;
        let mut leaving_out = LeavingOut::open(&self.files[number], recipe)?;
        let shown = texts.into_iter().map(|(row, (text, (url, group)))| {
            let left_out = leaving_out.left_out(text.as_text(), group)?;
            Ok((row, ShownDocument { url, text, left_out }))
        });
        shown.collect()
    }

    /// Writes what a recipe has learned, and the recipe, into a folder, under the names that they
    /// have in a run. False if it learns nothing.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write_learned(&self, (number, recipe): (usize, &Recipe), folder: &Path) -> Result<bool> {
        if !recipe.templates.are_learned() {
            return Ok(false);
        }
        let (path, to) = (self.files[number].templates(), Files::new(folder, None));
        let learned = File::open(&path).map_err(|e| Error::io(&path, Operation::Read, e))?;
        let mut file = AtomicFile::create_with_folders(&to.templates())?;
        file.copy_from(learned, &path)?;
        file.commit()?;
        write_file(&to.recipe(), recipe.to_toml().as_bytes())?;
        Ok(true)
    }

    /// Calls `each` with the texts of some rows, which are in order. A long text comes in pieces,
    /// one after another, which have the same tokens of this unit as the whole.
    ///
    /// # Errors
    /// If an input has changed or cannot be read, the job is stopped, or what `each` fails with.
    pub fn for_each_text(
        &self,
        rows: &[Row],
        unit: Unit,
        observer: &dyn Observer,
        mut each: impl FnMut(Row, Text<'_>) -> Result<()>,
    ) -> Result<()> {
        for source in self.sources()?.of_rows(rows) {
            let (source, own) = source?;
            source.check_unchanged()?;
            observer.check_cancelled()?;
            let mut result = Ok(());
            let mut step = |row: Row, text: Text<'_>| {
                if result.is_ok() {
                    result = each(row, text);
                }
            };
            if source.source.format() == Format::TextFile {
                let piece = |piece: &[u8]| step(own[0], piece.into());
                long_text::for_each_piece(&source.source, &self.read, unit, piece)?;
            } else {
                source.for_each_text(&self.read, own, step)?;
            }
            result?;
            observer.advance(0, own.len() as u64);
        }
        Ok(())
    }

    fn sources(&self) -> Result<SourceTable> {
        Ok(SourceTable::open(&self.measured.sources())?.with_copies(&self.copies))
    }
}

/// A search under way.
struct Job<'a> {
    options: &'a PairSearch<'a>,
    read: ReadOptions,
    copies: UnpackedCopies,
    observer: &'a dyn Observer,
    budget: usize,
    key: VerificationKey,
}

impl PairSearch<'_> {
    fn inputs(&self) -> Inputs<'_> {
        Inputs { names: self.inputs, format: self.running.format, tables: None }
    }

    /// Fails if a folder for results is within an input: the next search would read them as
    /// documents.
    ///
    /// # Errors
    /// With the two.
    pub fn check_apart(inputs: &[String], folder: &Path) -> Result<()> {
        Files { out: folder.to_owned(), work: folder.to_owned() }.check_apart(inputs)
    }

    /// Signs the documents, and finds the pairs of each recipe.
    ///
    /// # Errors
    /// If an input cannot be read, a recipe makes too many candidates, the documents do not fit
    /// into memory, or the system refuses.
    pub fn run(&self, observer: &dyn Observer) -> Result<RecipePairs> {
        let Self { inputs, recipes, measure, running, .. } = *self;
        for recipe in recipes {
            check_texts("an evaluation", recipe, &running.read.fields)?;
        }
        // Refused before anything is made, if there is no such input.
        self.inputs().sources()?;
        let work = WorkFolder::create(running.temp.as_deref())?;
        Self::check_apart(inputs, &work)?;
        let copies = UnpackedCopies::new(&work.join("unpacked"), memory::room_for_copies(&work));
        let mut read = running.reading();
        read.fields.others.extend(recipes.iter().filter_map(|r| TemplateGroups::new(r).field()));
        let mut job = Job {
            options: self,
            read,
            copies: copies.clone(),
            observer,
            budget: running.memory as usize,
            key: VerificationKey::random(),
        };
        let files = folder(&work, "measure")?;
        let began = observer.seconds();
        let signing = Signing { keep_urls: true, ..job.signing(job.means(measure, &files)) };
        let signed = signing.run()?;
        let seconds = observer.seconds() - began;
        job.budget = memory::working_bytes(
            running.memory,
            signed.documents,
            signed.documents * self.bytes_per_document,
        )?;
        let identical = job.identical(&job.means(measure, &files), signed.documents)?;

        let sources = SourceTable::open(&files.sources())?.with_copies(&copies);
        // Recipes with the same bits have one signature file, if it has sites beside it for those
        // that ask for them.
        let mut folders = vec![SignedFiles { recipe: measure, files: files.clone(), seconds }];
        let (mut pairs, mut costs, mut of_recipes) = (Vec::new(), Vec::new(), Vec::new());
        for (number, recipe) in recipes.iter().enumerate() {
            let known = folders.iter().find(|signed| signed.serve(recipe));
            let (own, signing_seconds) = if let Some(signed) = known {
                (signed.files.clone(), signed.seconds)
            } else {
                let began = observer.seconds();
                let own = folder(&work, &format!("signed-{number}"))?;
                if recipe.templates.are_learned() {
                    job.means(recipe, &own).learn(&sources)?;
                }
                job.sign_again(recipe, &sources, &own)?;
                let seconds = observer.seconds() - began;
                folders.push(SignedFiles { recipe, files: own.clone(), seconds });
                (own, seconds)
            };
            let (path, began) = (work.join(format!("pairs-{number}")), observer.seconds());
            job.pairs(&job.means(recipe, &own), &sources, &identical, &path)?;
            pairs.push(path);
            of_recipes.push(own);
            costs.push(RecipeCost {
                signing_seconds,
                matching_seconds: observer.seconds() - began,
                peak_memory_bytes: memory::peak_bytes(),
            });
        }
        let (measured, read) = (files, job.read);
        let files = of_recipes;
        Ok(RecipePairs { signed, identical, pairs, costs, files, measured, read, copies, work })
    }
}

/// The files of documents that were signed by a recipe.
struct SignedFiles<'a> {
    recipe: &'a Recipe,
    files: Files,
    /// What signing took.
    seconds: f64,
}

impl SignedFiles<'_> {
    /// Whether another recipe can use them.
    fn serve(&self, recipe: &Recipe) -> bool {
        let by_site = |recipe: &Recipe| recipe.candidates == Candidates::BySite;
        self.recipe.signing_digest() == recipe.signing_digest()
            && (by_site(self.recipe) || !by_site(recipe))
    }
}

impl Job<'_> {
    fn means<'a>(&'a self, recipe: &'a Recipe, files: &'a Files) -> Means<'a> {
        Means {
            recipe,
            lost: None,
            kernel: self.options.running.kernel,
            read: &self.read,
            key: &self.key,
            files,
            threads: self.options.running.threads,
            budget: self.budget,
            observer: self.observer,
        }
    }

    fn signing<'a>(&'a self, means: Means<'a>) -> Signing<'a> {
        Signing {
            means,
            inputs: self.options.inputs(),
            asked: FieldQuestions::NONE,
            strict: self.options.running.strict,
            keep_urls: false,
            copies: &self.copies,
            known: None,
            anchors: None,
            resumable: None,
        }
    }

    fn sign_again(&self, recipe: &Recipe, sources: &SourceTable, files: &Files) -> Result<()> {
        self.observer.begin(Stage::Sign, Some(Work::Documents(sources.documents()?)));
        // What cannot be read has been told of.
        let quiet = WithoutFaults(self.observer);
        let means = Means { observer: &quiet, ..self.means(recipe, files) };
        self.signing(means).again(sources).map(drop)
    }

    /// The documents that are left out: copies of earlier ones, or none.
    fn identical(&self, means: &Means<'_>, documents: u64) -> Result<Copies> {
        match self.options.identical {
            CopyRule::Removed => means.identity_sets(&Order::of_input(documents), None),
            CopyRule::Counted => means.no_identity_sets(documents.into()),
        }
    }

    fn pairs(
        &self,
        means: &Means<'_>,
        sources: &SourceTable,
        identical: &Copies,
        path: &Path,
    ) -> Result<()> {
        let order = Order::of_input(identical.documents());
        means.groups(&order, ALL_MEMBERS, identical)?;
        let candidates = candidates(&means.files.groups())?;
        if candidates > self.options.max_candidates {
            return Err(Error::from(ErrorKind::TooManyCandidates {
                recipe: means.recipe.name.clone(),
                candidates,
                limit: self.options.max_candidates,
            }));
        }
        let wanted = means.wanted(&order)?;
        means.contents(sources, &wanted)?;
        means.decide(&order, &wanted, Clustering::Components, Pairs::All)?;
        let found = means.files.judged_pairs();
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
            Step::Member(_) | Step::Held(_) => {
                sum = sum.saturating_add(members);
                members += 1;
            }
            Step::End => members = 0,
        }
    }
    Ok(sum)
}

/// Passes on everything but faults.
struct WithoutFaults<'a>(&'a dyn Observer);

impl Observer for WithoutFaults<'_> {
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

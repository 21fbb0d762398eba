//! Mirrors: hosts that replicate each other, and folders that do.
//!
//! ```text
//! sign      documents -> signatures, addresses
//! match     keys, each with the name of the page -> groups
//! verify    the shingle sets of all documents in groups
//! decide    candidates judged -> pairs
//! mirrors   pairs and addresses -> mirrors
//! ```
//!
//! **Definition.** The *address* of a page is its host and path, with the query:
//!
//! - The scheme and the fragment are left out, and so is a port that is the
//!   scheme's own. Hosts are compared as they are, so `www.a.org` and `a.org` are
//!   two, and as a rule the first mirrors to be found. Paths are compared as they
//!   are written, but for `\`, which is `/`.
//! - `index.html` and `index.htm` without a query are the folder that they are in.
//! - Documents of one address are one page.
//!
//! A *root* is a host with some leading folders of a path, 32 at most:
//! `a.org/`, `a.org/docs/`. The pages *under* it are those whose address begins
//! with it, and what follows there is a page's *rest*. Two roots A and B *match*
//! in a rest if a page under A and one under B have this rest and look alike.
//! So a look-alike pair of `a.org/docs/x` and `b.org/docs/x` counts for the roots
//! `a.org/` and `b.org/` and for `a.org/docs/` and `b.org/docs/`, and one of
//! `a.org/~pugh/x` and `a.org/users/pugh/x` for `a.org/~pugh/` and
//! `a.org/users/pugh/`. A and B are *mirrors* if
//!
//! - they match in at least `min_pages` rests, and
//! - these are at least the share `min_share` of the pages under A, and of those
//!   under B. If B is below A, pages under B do not count as pages under A.
//!
//! A rest is one page under each root, so there is one number of pages that
//! match, and two shares. Mirrors that follow from others are left out: of roots
//! that end with the same folder, if the roots without it are mirrors as well.
//!
//! **Who is compared.** Only pages with the same file name can match, so
//! documents are grouped by each key together with that name, which keeps the
//! pages of a template apart. In each group the first 64 documents are compared
//! with all later ones; where that is not all, it is counted. Copies are
//! documents like any others here.

mod address;
mod find;
mod options;
#[cfg(test)]
mod tests;

use std::fs;

use lookalike_core::{GROUP_LIMIT, VerificationKey, mix};
use lookalike_corpus::UnpackedCopies;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use lookalike_files::WorkFolder;

use crate::attributes::FieldQuestions;
use crate::error::{Error, Operation, Result};
use crate::files::Files;
use crate::inputs::Inputs;
use crate::matching::{ALL_MEMBERS, Clustering, Pair, PairReader, Pairs};
use crate::means::Means;
use crate::memory;
use crate::observe::{NoObserver, Observer, Stage, Work};
use crate::order::Order;
use crate::places::Row;
use crate::running::Running;
use crate::sets::check_sets;
use crate::sign::{Signing, SigningSummary};
use crate::sources::SourceTable;
use crate::stages::Judgement;
use crate::urls::Urls;
use address::Address;

pub use find::{Mirror, MirrorKind};
pub(crate) use find::{MirrorList, Search};
pub use options::Mirrors;

/// Bytes that are held for each document: its component, and some bits.
const BYTES_PER_DOCUMENT: u64 = 5;

/// What was found.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct MirrorFindings {
    /// Documents that could be read.
    pub documents: u64,
    /// Those of them without a URL that has a host: they are part of nothing here.
    pub without_url: u64,
    /// Documents without a token: they resemble nothing.
    pub empty: u64,
    /// Records and files that were passed over.
    pub skipped: u64,
    /// Files in folders that are of an unknown kind.
    pub other_files: u64,
    /// Pairs of documents that were compared.
    pub candidates: u64,
    /// Those of them that look alike.
    pub pairs: u64,
    /// Groups of more than 64 documents with something in common and the same file name. In these,
    /// look-alikes may have been missed.
    pub limited_groups: u64,
    /// Mirrors in all.
    pub found: u64,
    /// Those of most pages, the largest first.
    pub mirrors: Vec<Mirror>,
    /// Time, by the observer's clock.
    pub seconds: f64,
    /// The most memory that was used, where the system tells.
    pub peak_memory_bytes: u64,
}

impl Mirrors {
    /// Finds mirrors.
    ///
    /// # Errors
    /// If an input is not there, or cannot be read and the job is strict, or the system refuses.
    pub fn run(&self) -> Result<MirrorFindings> {
        self.run_observed(&NoObserver)
    }

    /// As [`run`](Self::run), watched by an observer.
    ///
    /// # Errors
    /// As [`run`](Self::run), and if the observer stops it.
    pub fn run_observed(&self, observer: &dyn Observer) -> Result<MirrorFindings> {
        self.recipe.validate()?;
        self.recipe.check_signs_alone()?;
        check_sets(&self.recipe, &self.running.read.fields)?;
        // Refused before anything is made, if there is no such input.
        self.inputs().sources()?;
        let work = WorkFolder::create(self.running.temp.as_deref())?;
        let files = Files { out: work.to_owned(), work: work.to_owned() };
        files.check_apart(&self.inputs)?;
        let sorting = files.sorting();
        fs::create_dir_all(&sorting).map_err(|e| Error::io(&sorting, Operation::Create, e))?;
        Job { options: self, files, observer }.run()
    }

    fn inputs(&self) -> Inputs<'_> {
        Inputs { names: &self.inputs, format: self.running.format, tables: None }
    }
}

struct Job<'a> {
    options: &'a Mirrors,
    files: Files,
    observer: &'a dyn Observer,
}

impl Job<'_> {
    fn run(&self) -> Result<MirrorFindings> {
        let began = self.observer.seconds();
        let key = VerificationKey::random();
        let read = self.options.running.reading();
        let copies =
            UnpackedCopies::new(&self.files.unpacked(), memory::room_for_copies(&self.files.work));
        let Mirrors { recipe, running: Running { kernel, threads, memory, .. }, .. } = self.options;
        let mut means = Means {
            recipe,
            lost: None,
            kernel: *kernel,
            read: &read,
            key: &key,
            files: &self.files,
            threads: *threads,
            budget: *memory as usize,
            observer: self.observer,
        };
        let signing = Signing {
            means,
            inputs: self.options.inputs(),
            asked: FieldQuestions::NONE,
            strict: self.options.running.strict,
            keep_urls: true,
            copies: &copies,
            known: None,
            anchors: None,
            resumable: None,
        };
        let signed = signing.run()?;
        let mut findings = MirrorFindings::of(&signed);
        if let Some(mut urls) = Urls::open(&self.files.urls())? {
            means.budget = memory::working_bytes(
                *memory,
                signed.documents,
                signed.documents * BYTES_PER_DOCUMENT,
            )?;
            let sources = SourceTable::open(&self.files.sources())?.with_copies(&copies);
            findings.without_url = group(&means, signed.documents, &mut urls)?;
            findings.count(&pairs(&means, &sources, signed.documents)?);
            self.find(means.budget, &mut urls, &mut findings)?;
        }
        findings.seconds = self.observer.seconds() - began;
        findings.peak_memory_bytes = memory::peak_bytes().unwrap_or(0);
        Ok(findings)
    }

    fn find(&self, budget: usize, urls: &mut Urls, findings: &mut MirrorFindings) -> Result<()> {
        let mut pairs = PairReader::open(&self.files.judged_pairs())?;
        findings.pairs = pairs.pairs();
        self.observer.begin(Stage::Mirrors, Some(Work::Documents(findings.pairs)));
        let search = Search {
            min_pages: self.options.min_pages,
            min_share: self.options.min_share,
            limit: self.options.limit,
            folder: &self.files.sorting(),
            budget: budget / 4 * 3,
            observer: self.observer,
        };
        let found = search.run(urls, |each| {
            let (order, mut read) = (Order::of_input(pairs.documents()), 0);
            while let Some(Pair { earlier, later, evidence }) = pairs.next()? {
                self.observer.tick(read)?;
                read += 1;
                each(order.row(later), order.row(earlier), evidence.resemblance())?;
            }
            Ok(())
        })?;
        (findings.found, findings.mirrors) = (found.count, found.mirrors);
        Ok(())
    }
}

/// Groups documents by each key together with their names; how many have none.
fn group(means: &Means<'_>, documents: u64, urls: &mut Urls) -> Result<u64> {
    let (order, mut with_names) = (Order::of_input(documents), Vec::new());
    let mut nameless = 0;
    means.groups_by(&order, ALL_MEMBERS, None, |row, keys, each| {
        if row == Row::nth(0) {
            // The keys are wanted twice.
            nameless = 0;
        }
        let Some(address) = urls.get(row)?.as_deref().and_then(Address::parse) else {
            nameless += 1;
            return Ok(());
        };
        with_names.clear();
        for name in address.names().map(|name| xxh3_64(name.as_bytes())) {
            with_names.extend(keys.iter().map(|key| mix(key ^ mix(name))));
        }
        each(order.place(row), &with_names)
    })?;
    Ok(nameless)
}

/// Compares the documents of groups.
fn pairs(means: &Means<'_>, sources: &SourceTable, documents: u64) -> Result<Judgement> {
    let order = Order::of_input(documents);
    let wanted = means.wanted(&order)?;
    means.contents(sources, &wanted)?;
    let pairs = Pairs::WithFirst { limit: GROUP_LIMIT };
    means.decide(&order, &wanted, Clustering::Components, pairs)
}

impl MirrorFindings {
    fn of(signed: &SigningSummary) -> Self {
        Self {
            documents: signed.documents,
            without_url: signed.documents,
            empty: signed.empty,
            skipped: signed.skips.count,
            other_files: signed.other_files,
            ..Self::default()
        }
    }

    fn count(&mut self, judged: &Judgement) {
        (self.candidates, self.limited_groups) = (judged.candidates, judged.limited_groups);
    }
}

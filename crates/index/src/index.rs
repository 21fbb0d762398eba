//! The index and its operations.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::{fs, io};

use lookalike_core::recipe::{SketchParameters, Templates, Verify};
use lookalike_core::shingle::ShingleSet;
use lookalike_core::template::Template;
use lookalike_core::{Kernel, Recipe, Signature, Signer};
use lookalike_files::{create_folder, remove_folder, sync_folder};

use crate::document::{Content, Document, Record, SignatureLayout};
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::header::Header;
use crate::judge::{Judge, Match, Query};
use crate::options::{CreateOptions, OpenOptions};
use crate::pending::{Pending, keys};
use crate::postings::{Posting, REBUILD, Recent, Run};
use crate::rebuild::{Rebuilt, finish_switch, rebuild};
use crate::sound::Expected;
use crate::state::{Head, Runs};
use crate::store::{Acknowledged, Durability, Entries, Store, Table, lock};
use crate::templates::SiteTemplates;
use crate::tools::{Tools, Verification, prepare};
use crate::view::{Lists, View, content};
use crate::writer::{Writer, remove_orphans};

/// The names of the files and folders of an index.
pub(crate) const HEADER: &str = "index";
pub(crate) const ACKNOWLEDGED: &str = "acknowledged";
pub(crate) const STORE: &str = "store";
pub(crate) const RUNS: &str = "runs";
pub(crate) const LOCK: &str = "lock";
/// Made first and removed last when an index is made: what is beside it may be thrown away.
const CREATING: &str = "creating";

/// Documents of a load that are committed together.
const LOAD_BATCH: usize = 1000;
/// Bytes of contents that are worth a thread: about a millisecond of signing.
const THREAD_BYTES: usize = 128 << 10;

/// A persistent index of documents.
///
/// Any number of threads may use it at once; changes are made one after another.
pub struct Index {
    path: PathBuf,
    header: Header,
    /// The recipe that signs.
    recipe: Recipe,
    kernel: Kernel,
    verification: Verification,
    layout: SignatureLayout,
    judge: Judge,
    run_postings: usize,
    threads: usize,
    store: Store,
    templates: Option<SiteTemplates>,
    lists: RwLock<Lists>,
    writer: Mutex<Writer>,
    tools: Mutex<Vec<Tools>>,
    rebuilt: Option<Rebuilt>,
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The look-alikes, the best first; of equals the one that was added first.
    pub matches: Vec<Match>,
    /// Whether more documents share a key than are looked at
    /// ([`GROUP_LIMIT`](lookalike_core::GROUP_LIMIT)), so that there may be more matches.
    pub limited: bool,
}

impl Answer {
    /// Whether nothing like it is known.
    pub fn is_new(&self) -> bool {
        self.matches.is_empty()
    }

    /// The match that was added first: the one that stands for the document.
    pub fn keeper(&self) -> Option<&Match> {
        self.matches.iter().min_by_key(|found| found.number)
    }
}

/// With how much a document was compared.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Compared {
    /// Candidates.
    pub(crate) documents: u64,
    /// Bytes of the contents that were read of them.
    pub(crate) bytes: u64,
}

/// What an addition did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Added {
    /// The document's number.
    pub number: u64,
    /// Whether it stands in the place of one with the same id.
    pub replaced: bool,
}

/// When [`Index::check_and_add`] adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddIf {
    /// If there is no match.
    #[default]
    New,
    /// Always.
    Any,
}

/// What [`Index::check_and_add`] found and did.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CheckedAndAdded {
    /// What was there before.
    pub answer: Answer,
    /// `None` if it was not added.
    pub added: Option<Added>,
}

impl Index {
    /// Makes an index in a folder that is empty or does not exist, or in which the making of one was
    /// interrupted.
    ///
    /// A recipe that verifies by estimates keeps its sketches; so does one of bottom sketches if
    /// contents are not stored.
    ///
    /// # Errors
    /// If the recipe cannot be followed, the folder has something in it, or the system refuses.
    pub fn create(path: &Path, recipe: &Recipe, options: &CreateOptions) -> Result<Self> {
        recipe.check_signs_alone()?;
        Self::create_with_templates(path, recipe, options, [])
    }

    /// As [`create`](Self::create), for a recipe that compares pages without the templates of
    /// their sites. A job has learned them: the hash of each site
    /// ([`site_hash`](lookalike_core::site_hash)), and its shingles. A site that has none is
    /// compared as a whole.
    ///
    /// # Errors
    /// As [`create`](Self::create), if a template cannot be had, or if the recipe has templates of
    /// anything but sites.
    pub fn create_with_templates(
        path: &Path,
        recipe: &Recipe,
        options: &CreateOptions,
        templates: impl IntoIterator<Item = io::Result<(u64, Vec<u64>)>>,
    ) -> Result<Self> {
        if let Templates::ByField(_) = recipe.templates {
            recipe.check_signs_alone()?;
        }
        let mut recipe = recipe.clone();
        recipe.keep_sketch |= recipe.verify == Verify::Estimate;
        let bottom = matches!(recipe.sketch, SketchParameters::Bottom { .. });
        recipe.keep_sketch |= bottom && !options.stores_text();
        recipe.validate()?;
        let header = Header::new(&recipe, options.stores_text(), options.opening().secret.as_ref());
        create_folder(path)?;
        is_free(path)?;
        let lock = lock(&path.join(LOCK), path)?;
        // Again, now that nobody else is at it.
        begin_creating(path)?;
        let runs = path.join(RUNS);
        fs::create_dir(&runs).map_err(|e| Error::io(&runs, Operation::Create, e))?;
        let mut store = Store::create(&path.join(STORE), lock, options.opening().cache_bytes)?;
        begin(&store, Head::default(), &Runs::default())?;
        if recipe.templates.are_learned() {
            SiteTemplates::write(&store, templates)?;
        }
        let acknowledged = Acknowledged::create(&path.join(ACKNOWLEDGED), 0)?;
        // Without it the folder is no index.
        header.write(&path.join(HEADER))?;
        end_creating(path)?;
        store.accept();
        Self::with_store(path, header, store, acknowledged, options.opening())
    }

    /// Opens an index. Nothing is deleted, and if this fails, nothing is changed.
    ///
    /// # Errors
    /// If there is none, it is in use by another process, it is damaged, its secret is another
    /// one, or the system refuses.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<Self> {
        let header = read_header(path)?;
        header.signing_recipe(path, options.secret.as_ref())?;
        let lock = lock(&path.join(LOCK), path)?;
        finish_switch(path)?;
        if options.rebuild {
            let rebuilt = rebuild(path, &header, options)?;
            drop(lock);
            let options = options.clone().rebuild(false);
            let mut index = Self::open(path, &options)?;
            index.rebuilt = Some(rebuilt);
            return Ok(index);
        }
        let acknowledged = Acknowledged::open(&path.join(ACKNOWLEDGED))?;
        let expected = Expected {
            acknowledged: Some(acknowledged.operations()),
            templates: header.recipe.templates.are_learned(),
        };
        let store = Store::open(&path.join(STORE), lock, options.cache_bytes, expected)?;
        let mut index = Self::with_store(path, header, store, acknowledged, options)?;
        index.store.accept();
        end_creating(path)?;
        remove_orphans(&index.runs_folder(), &index.writer().runs)?;
        Ok(index)
    }

    fn with_store(
        path: &Path,
        header: Header,
        store: Store,
        acknowledged: Acknowledged,
        options: &OpenOptions,
    ) -> Result<Self> {
        let recipe = header.signing_recipe(path, options.secret.as_ref())?;
        let kernel = options.kernel;
        let layout = SignatureLayout::new(&recipe, header.store_text);
        let judge = Judge::new(&recipe, kernel, layout);
        let head = store.get(Table::State, Head::KEY)?;
        let head = Head::decode(head.as_deref(), store.path())?;
        let runs = store.get(Table::State, Runs::KEY)?;
        let runs = Runs::decode(runs.as_deref(), store.path())?;
        if head.operations < acknowledged.operations() {
            let lost = acknowledged.operations() - head.operations;
            let fault = format!("the last {lost} acknowledged operations are missing\n{REBUILD}");
            return Err(Error::corruption(store.path(), fault));
        }
        let folder = path.join(RUNS);
        let open = |&entry| Run::open(&folder, entry).map(Arc::new);
        let open_runs: Vec<Arc<Run>> = runs.entries.iter().map(open).collect::<Result<_>>()?;
        let holes = holes(&store, head)?;
        let templates = SiteTemplates::open(&store, &recipe)?;
        let writer = Writer { head, runs, acknowledged, garbage: Vec::new(), merging: None };
        let next = head.next;
        let lists = Lists { runs: open_runs, recent: Recent::default(), holes, next };
        let index = Self {
            path: path.to_owned(),
            verification: header.verification(),
            header,
            recipe,
            kernel,
            layout,
            judge,
            run_postings: options.run_postings,
            threads: options.threads,
            store,
            templates,
            lists: RwLock::new(lists),
            writer: Mutex::new(writer),
            tools: Mutex::default(),
            rebuilt: None,
        };
        index.read_recent()?;
        Ok(index)
    }

    /// What was found when it was opened with [`OpenOptions::rebuild`]; `None` if it was not.
    pub fn rebuilt(&self) -> Option<&Rebuilt> {
        self.rebuilt.as_ref()
    }

    /// Makes the postings again that were in memory when the index was closed.
    fn read_recent(&self) -> Result<()> {
        let mut lists = self.lists_mut();
        let writer = self.writer();
        let (flushed, next) = (writer.runs.flushed, writer.head.next);
        drop(writer);
        let mut expected = flushed;
        // A number without a record must be a hole.
        let check_gap = |lists: &Lists, gap: std::ops::Range<u64>| match gap
            .into_iter()
            .find(|number| !lists.holes.contains(number))
        {
            None => Ok(()),
            Some(number) => Err(self.damaged(format!("documents: record {number} is missing"))),
        };
        for entry in self.store.from(Table::Documents, &flushed.to_be_bytes())? {
            let record = self.decode_entry(entry?)?;
            check_gap(&lists, expected..record.number)?;
            expected = record.number + 1;
            if !lists.holes.contains(&record.number) {
                for key in keys(self.judge.candidate_rule(), &record.id, &record.signature) {
                    lists.recent.push(Posting { key, number: record.number });
                }
            }
        }
        if expected > next {
            return Err(self.damaged(format!("documents: record {next} is one too many")));
        }
        check_gap(&lists, expected..next)
    }

    /// An entry of the table of documents.
    pub(crate) fn decode_entry(
        &self,
        (key, value): (impl AsRef<[u8]>, impl AsRef<[u8]>),
    ) -> Result<Record> {
        let key = key.as_ref().try_into().map(u64::from_be_bytes);
        let number = key.map_err(|_| self.damaged("documents: a key is no number".to_owned()))?;
        Record::decode(self.layout, number, value.as_ref(), self.store.path())
    }

    pub(crate) fn damaged(&self, fault: String) -> Error {
        Error::corruption(self.store.path(), fault)
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The recipe that signs its documents. If the index has a secret, so has its seed.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The kernel that it works with.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// A signer whose signatures can be given to this index.
    ///
    /// # Errors
    /// As [`Signer::new`].
    pub fn signer(&self) -> Result<Signer> {
        Ok(Signer::with_kernel(&self.recipe, self.kernel)?)
    }

    /// Whether contents are stored.
    pub fn stores_text(&self) -> bool {
        self.header.store_text
    }

    /// Whether a bit of each minvalue is kept, in place of contents. Signatures without their
    /// sketches can be added all the same, but then nothing estimates their resemblance.
    pub fn keeps_bits(&self) -> bool {
        self.layout.bit_slots().is_some()
    }

    /// How many documents there are.
    pub fn len(&self) -> u64 {
        self.writer().head.documents
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Looks for documents that are known and that this one is a look-alike of. Its id is not
    /// looked at.
    ///
    /// # Errors
    /// If the document is too long or its signature not one of the recipe, or the index cannot
    /// be read or is damaged.
    pub fn check(&self, document: &Document<'_>) -> Result<Answer> {
        self.with_tools(|tools| self.check_with(document, tools))
    }

    fn check_with(&self, document: &Document<'_>, tools: &mut Tools) -> Result<Answer> {
        let query = self.query(document, tools)?;
        Ok(self.answer(&query, tools)?.0)
    }

    /// Checks documents, each by itself.
    ///
    /// # Errors
    /// As [`check`](Self::check), of the first that fails.
    pub fn check_batch(&self, documents: &[Document<'_>]) -> Result<Vec<Answer>> {
        self.of_each(documents, |document, tools| self.check_with(document, tools))
    }

    /// Adds a document, in the place of one with the same id if there is one. When this returns,
    /// it is on disk.
    ///
    /// # Errors
    /// As [`check`](Self::check), or if the index cannot be written; then nothing has changed.
    pub fn add(&self, document: &Document<'_>) -> Result<Added> {
        // One for one.
        Ok(self.add_batch(std::slice::from_ref(document))?.swap_remove(0))
    }

    /// Adds documents together: all of them or, if it fails, none.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn add_batch(&self, documents: &[Document<'_>]) -> Result<Vec<Added>> {
        self.add_all(documents, Durability::Now)
    }

    fn add_all(&self, documents: &[Document<'_>], durability: Durability) -> Result<Vec<Added>> {
        let prepared = self.of_each(documents, |document, tools| {
            self.check_document(document)?;
            let template = self.template(document.url.as_deref())?;
            let query = tools.query(document, template.as_deref(), false);
            prepare(document, query.signature, self.header.store_text)
        })?;
        self.with_tools(|tools| {
            self.change(durability, |change| {
                prepared.into_iter().map(|document| change.add(document, tools)).collect()
            })
        })
    }

    /// Checks and, if there is no match or in any case, adds, with nothing in between. When this
    /// returns, what was added is on disk.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn check_and_add(&self, document: &Document<'_>, add_if: AddIf) -> Result<CheckedAndAdded> {
        // One for one.
        Ok(self.check_and_add_batch(std::slice::from_ref(document), add_if)?.swap_remove(0))
    }

    /// Checks and adds documents one after another, so that each may match those before it; all
    /// are added together or, if it fails, none.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn check_and_add_batch(
        &self,
        documents: &[Document<'_>],
        add_if: AddIf,
    ) -> Result<Vec<CheckedAndAdded>> {
        let queries = self.of_each(documents, |document, tools| self.query(document, tools))?;
        self.with_tools(|tools| {
            self.change(Durability::Now, |change| {
                let done = documents.iter().zip(&queries).map(|(document, query)| {
                    let answer = change.answer(query, tools)?;
                    let adds = add_if == AddIf::Any || answer.is_new();
                    let added = adds.then(|| {
                        let text = self.header.store_text;
                        let prepared = prepare(document, query.signature.clone(), text)?;
                        change.add(prepared, tools)
                    });
                    Ok(CheckedAndAdded { answer, added: added.transpose()? })
                });
                done.collect()
            })
        })
    }

    /// Adds many documents in one pass, to an index that may have others already. Much faster
    /// than one by one: they are seen on disk together, when this returns. If it fails or is
    /// interrupted, the first of them may be there.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn load<'d>(&self, documents: impl IntoIterator<Item = Document<'d>>) -> Result<u64> {
        let mut documents = documents.into_iter();
        let mut count = 0;
        loop {
            let batch: Vec<Document<'_>> = documents.by_ref().take(LOAD_BATCH).collect();
            if batch.is_empty() {
                break;
            }
            self.add_all(&batch, Durability::Later)?;
            count += batch.len() as u64;
        }
        let mut writer = self.writer();
        self.store.sync()?;
        let operations = writer.head.operations;
        writer.acknowledged.set(operations);
        Ok(count)
    }

    /// Removes the document of an id. False if there is none.
    ///
    /// # Errors
    /// If the index cannot be read or written, or is damaged.
    pub fn remove(&self, id: &str) -> Result<bool> {
        Ok(self.remove_batch(&[id])? == [true])
    }

    /// Removes documents together. False for ids that there are none of.
    ///
    /// # Errors
    /// As [`remove`](Self::remove).
    pub fn remove_batch(&self, ids: &[impl AsRef<str>]) -> Result<Vec<bool>> {
        self.with_tools(|tools| {
            self.change(Durability::Now, |change| {
                ids.iter().map(|id| change.remove(id.as_ref(), tools)).collect()
            })
        })
    }

    /// The document of an id.
    ///
    /// # Errors
    /// If the index cannot be read or is damaged.
    pub fn get(&self, id: &str) -> Result<Option<Record>> {
        self.with_tools(|tools| {
            let lists = self.lists();
            self.view(&lists, None).with_id(id, &mut tools.page)
        })
    }

    /// The content of the document of an id, if there is one and its content is stored.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn content(&self, id: &str) -> Result<Option<Vec<u8>>> {
        self.with_tools(|tools| {
            let lists = self.lists();
            match self.view(&lists, None).with_id(id, &mut tools.page)? {
                Some(record) => content(&self.store, None, None, &record),
                None => Ok(None),
            }
        })
    }

    /// All documents, in the order of adding, as they are now.
    ///
    /// # Errors
    /// If the index cannot be read or is damaged; so may every document.
    pub fn documents(&self) -> Result<Documents<'_>> {
        self.documents_of(&self.writer())
    }

    /// The documents between two changes.
    pub(crate) fn documents_of(&self, writer: &Writer) -> Result<Documents<'_>> {
        let entries = self.store.from(Table::Documents, &[])?;
        let holes = self.lists().holes.clone();
        let missing = writer.head.documents;
        Ok(Documents { index: self, entries, holes, missing })
    }

    /// Whether a document can be taken.
    fn check_document(&self, document: &Document<'_>) -> Result<()> {
        document.check_lengths()?;
        match &document.content {
            Content::Signed { signature, .. } => self.check_signature(&document.id, signature),
            _ => Ok(()),
        }
    }

    fn check_signature(&self, id: &str, signature: &Signature) -> Result<()> {
        let features = self.recipe.features.map_or(0, |filter| filter.k() as usize);
        let words = self.recipe.projection.map_or(0, |p| p.bits.div_ceil(64));
        let counts = [
            ("features", signature.features.len(), Some([features; 3])),
            ("words of projection", signature.projection.len(), Some([words; 3])),
            ("words of sketch", signature.sketch.len(), self.layout.sketch_words(&self.recipe)),
        ];
        for (what, found, allowed) in counts {
            if let Some([expected, others @ ..]) = allowed
                && expected != found
                && !others.contains(&found)
            {
                let fault = format!("it has {found} {what}, not {expected}");
                let id = id.chars().take(64).collect();
                return Err(Error::new(ErrorKind::OtherSignature { id, fault }));
            }
        }
        Ok(())
    }

    pub(crate) fn query(&self, document: &Document<'_>, tools: &mut Tools) -> Result<Query> {
        self.check_document(document)?;
        let template = self.template(document.url.as_deref())?;
        Ok(tools.query(document, template.as_deref(), self.judge.needs_shingles()))
    }

    /// The template of a page's site, if the recipe leaves such out and there is one.
    ///
    /// # Errors
    /// If the index cannot be read or is damaged.
    pub fn template(&self, url: Option<&str>) -> Result<Option<Arc<Template>>> {
        match &self.templates {
            Some(templates) => templates.of_page(&self.store, url),
            None => Ok(None),
        }
    }

    pub(crate) fn templates(&self) -> Option<&SiteTemplates> {
        self.templates.as_ref()
    }

    /// The shingles that a known document is compared by, if its content is there.
    fn shingles_of(
        &self,
        known: &Record,
        content: Option<Vec<u8>>,
        tools: &mut Tools,
    ) -> Result<Option<ShingleSet>> {
        let (Some(kind), Some(content)) = (known.stored, content) else { return Ok(None) };
        let url = known.url.as_deref();
        let template = self.template(url)?;
        Ok(Some(tools.shingles(kind, &content, url, template.as_deref())))
    }

    /// What is known now of a document, and with how much it was compared.
    pub(crate) fn answer(&self, query: &Query, tools: &mut Tools) -> Result<(Answer, Compared)> {
        let lists = self.lists();
        let view = self.view(&lists, None);
        let candidates =
            view.candidates(self.judge.candidate_rule(), &query.signature, &mut tools.page)?;
        // Contents are read as they were at this moment, but the writer need not wait for it.
        let snapshot = self.store.snapshot()?;
        drop(lists);
        let mut matches = Vec::new();
        let mut compared = Compared::default();
        for known in &candidates.records {
            compared.documents += 1;
            let shingles = || {
                compared.bytes += known.bytes;
                let content = content(&self.store, None, Some(&snapshot), known)?;
                self.shingles_of(known, content, tools)
            };
            matches.extend(self.judge.judge(query, known, shingles)?);
        }
        self.judge.sort(&mut matches);
        Ok((Answer { matches, limited: candidates.limited }, compared))
    }

    /// Makes changes as one.
    fn change<T>(
        &self,
        durability: Durability,
        make: impl FnOnce(&mut Change<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut writer = self.writer();
        self.maintain(&mut writer)?;
        let lists = self.lists();
        let mut change = Change { index: self, lists: &lists, pending: Pending::new(writer.head) };
        let made = make(&mut change)?;
        let pending = change.pending;
        drop(lists);
        self.commit(&mut writer, &pending, durability)?;
        Ok(made)
    }

    pub(crate) fn view<'v>(&'v self, lists: &'v Lists, pending: Option<&'v Pending>) -> View<'v> {
        View { store: &self.store, layout: self.layout, lists, pending }
    }

    /// Works with tools that nobody else uses.
    pub(crate) fn with_tools<T>(&self, work: impl FnOnce(&mut Tools) -> Result<T>) -> Result<T> {
        let spare = self.tools.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut tools = match spare {
            Some(tools) => tools,
            None => Tools::new(&self.recipe, self.layout, self.kernel, &self.verification)?,
        };
        let result = work(&mut tools);
        self.tools.lock().unwrap_or_else(PoisonError::into_inner).push(tools);
        result
    }

    /// What comes of each document, in their order: on several threads if there is much to do.
    fn of_each<'d, 't, T: Send>(
        &self,
        documents: &'d [Document<'t>],
        work: impl Fn(&'d Document<'t>, &mut Tools) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let alone = |documents: &'d [Document<'t>]| {
            self.with_tools(|tools| documents.iter().map(|each| work(each, tools)).collect())
        };
        let parts = parts(documents, self.threads);
        if parts.len() < 2 {
            return alone(documents);
        }
        std::thread::scope(|scope| {
            let alone = &alone;
            let threads: Vec<_> =
                parts.into_iter().map(|part| scope.spawn(move || alone(part))).collect();
            let mut all = Vec::with_capacity(documents.len());
            for thread in threads {
                let part: Result<Vec<T>> =
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                all.extend(part?);
            }
            Ok(all)
        })
    }

    // A thread that panicked left nothing half done: what is in memory changes only after the
    // store has changed, and then in one go.

    pub(crate) fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lists(&self) -> RwLockReadGuard<'_, Lists> {
        self.lists.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lists_mut(&self) -> RwLockWriteGuard<'_, Lists> {
        self.lists.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    pub(crate) fn judge(&self) -> &Judge {
        &self.judge
    }

    pub(crate) fn runs_folder(&self) -> PathBuf {
        self.path.join(RUNS)
    }

    pub(crate) fn run_postings(&self) -> usize {
        self.run_postings
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        let merging = self.writer().merging.take();
        if let Some(merging) = merging {
            merging.abandon();
        }
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Changes in the making.
struct Change<'a> {
    index: &'a Index,
    lists: &'a Lists,
    pending: Pending,
}

impl Change<'_> {
    fn view(&self) -> View<'_> {
        self.index.view(self.lists, Some(&self.pending))
    }

    fn add(&mut self, document: crate::tools::Prepared<'_>, tools: &mut Tools) -> Result<Added> {
        let replaced = self.remove(document.id, tools)?;
        let number =
            self.pending.add(self.index.layout, self.index.judge.candidate_rule(), document);
        Ok(Added { number, replaced })
    }

    fn remove(&mut self, id: &str, tools: &mut Tools) -> Result<bool> {
        let known = self.view().with_id(id, &mut tools.page)?;
        if let Some(known) = &known {
            self.pending.remove(known.number);
        }
        Ok(known.is_some())
    }

    fn answer(&self, query: &Query, tools: &mut Tools) -> Result<Answer> {
        let Self { index, pending, .. } = self;
        let rule = index.judge.candidate_rule();
        let candidates = self.view().candidates(rule, &query.signature, &mut tools.page)?;
        let mut matches = Vec::new();
        for known in &candidates.records {
            let shingles = || {
                let content = content(&index.store, Some(pending), None, known)?;
                index.shingles_of(known, content, tools)
            };
            matches.extend(index.judge.judge(query, known, shingles)?);
        }
        index.judge.sort(&mut matches);
        Ok(Answer { matches, limited: candidates.limited })
    }
}

/// Documents in parts of about as many bytes of contents: as many as there are threads, or fewer if
/// there is little to do.
fn parts<'d, 't>(documents: &'d [Document<'t>], threads: usize) -> Vec<&'d [Document<'t>]> {
    let bytes = |document: &Document<'_>| match &document.content {
        Content::Text(content) | Content::Html(content) => content.len(),
        Content::Signed { .. } => 0,
    };
    let all: usize = documents.iter().map(bytes).sum();
    let share = all.div_ceil(threads.max(1)).max(THREAD_BYTES);
    let mut parts = Vec::new();
    let (mut first, mut taken) = (0, 0);
    for (at, document) in documents.iter().enumerate() {
        taken += bytes(document);
        if taken >= share {
            parts.push(&documents[first..=at]);
            (first, taken) = (at + 1, 0);
        }
    }
    if first < documents.len() {
        parts.push(&documents[first..]);
    }
    parts
}

/// Whether an index can be made here: the folder is empty but for a lock, or what is in it is an index
/// whose making was interrupted.
fn is_free(path: &Path) -> Result<bool> {
    const PARTS: [&str; 7] = [
        LOCK,
        CREATING,
        STORE,
        RUNS,
        ACKNOWLEDGED,
        "acknowledged.partial", // as `write_file` names what it has not finished
        "index.partial",
    ];
    let failed = |error| Error::io(path, Operation::Read, error);
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        names.push(entry.map_err(failed)?.file_name());
    }
    let interrupted = names.iter().any(|name| name == CREATING);
    let parts = if interrupted { &PARTS[..] } else { &PARTS[..1] };
    let is_part = |name: &std::ffi::OsString| parts.iter().any(|part| name == part);
    if names.iter().all(is_part) {
        Ok(interrupted)
    } else {
        Err(Error::new(ErrorKind::Exists(path.to_owned())))
    }
}

/// Marks a folder as an index in the making, and removes what an interrupted one left.
fn begin_creating(path: &Path) -> Result<()> {
    let interrupted = is_free(path)?;
    let marker = path.join(CREATING);
    // Nothing is in it, so that its name is all that must be on disk.
    fs::File::create(&marker).map_err(|error| Error::io(&marker, Operation::Create, error))?;
    sync_folder(path)?;
    if interrupted {
        remove_folder(&path.join(STORE))?;
        remove_folder(&path.join(RUNS))?;
    }
    Ok(())
}

/// An index that has its header is made.
fn end_creating(path: &Path) -> Result<()> {
    let marker = path.join(CREATING);
    match fs::remove_file(&marker) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::io(&marker, Operation::Remove, error))
        }
        _ => Ok(()),
    }
}

/// The header of an index, or what there is in its place.
fn read_header(path: &Path) -> Result<Header> {
    let header = path.join(HEADER);
    Header::read(&header, path).map_err(|error| match error.kind() {
        ErrorKind::NoIndex(_) if path.join(CREATING).exists() => {
            Error::new(ErrorKind::Unfinished(path.to_owned()))
        }
        ErrorKind::NoIndex(_) if path.join(STORE).exists() => {
            let fault = "it is missing, and the documents beside it cannot be read without it\n\
                         hint: nothing was changed; put the file back from a copy";
            Error::corruption(&header, fault)
        }
        _ => error,
    })
}

/// The first records of a store.
pub(crate) fn begin(store: &Store, head: Head, runs: &Runs) -> Result<()> {
    let mut changes = store.changes();
    changes.insert(Table::State, Head::KEY, &head.encode());
    changes.insert(Table::State, Runs::KEY, &runs.encode());
    store.commit(changes, Durability::Now)
}

/// The numbers in the table of holes.
pub(crate) fn numbers_of_holes(store: &Store) -> Result<HashSet<u64>> {
    let mut holes = HashSet::new();
    for entry in store.from(Table::Holes, &[])? {
        let (key, _) = entry?;
        holes.extend(<[u8; 8]>::try_from(&key[..]).map(u64::from_be_bytes));
    }
    Ok(holes)
}

/// The same, as many as there must be.
fn holes(store: &Store, head: Head) -> Result<HashSet<u64>> {
    let holes = numbers_of_holes(store)?;
    if holes.len() as u64 == head.holes {
        return Ok(holes);
    }
    let fault = format!("holes: there are {}, not {}", holes.len(), head.holes);
    Err(Error::corruption(store.path(), fault))
}

/// The documents of an index, in the order of adding.
pub struct Documents<'a> {
    index: &'a Index,
    entries: Entries<'a>,
    holes: HashSet<u64>,
    /// Documents that are still to come.
    missing: u64,
}

impl Iterator for Documents<'_> {
    type Item = Result<Record>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(entry) = self.entries.next() else {
                let missing = std::mem::take(&mut self.missing);
                let fault = || format!("documents: {missing} records are missing");
                return (missing > 0).then(|| Err(self.index.damaged(fault())));
            };
            match entry.and_then(|entry| self.index.decode_entry(entry)) {
                Ok(record) if self.holes.contains(&record.number) => {}
                Ok(record) => {
                    self.missing = self.missing.saturating_sub(1);
                    return Some(Ok(record));
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(name: &str) -> Index {
        let name = format!("lookalike-index-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Index::create(&path, &Recipe::preset("text").unwrap(), &CreateOptions::new()).unwrap()
    }

    fn removed(index: Index) {
        let path = index.path.clone();
        drop(index);
        fs::remove_dir_all(path).unwrap();
    }

    /// The store has a change before readers see it: then a document that is replaced stands there
    /// under two numbers.
    #[test]
    fn a_page_between_commit_and_update_shows_each_document_once() {
        let index = index("between");
        for n in 0..3 {
            let (id, text) = (n.to_string(), format!("text number {n}"));
            index.add(&Document::text(id, &text)).unwrap();
        }
        let before = index.page(0, 10).unwrap();
        let document = Document::text("1", "another text");
        let mut tools =
            Tools::new(&index.recipe, index.layout, index.kernel, &index.verification).unwrap();
        let signature = index.query(&document, &mut tools).unwrap().signature;
        let prepared = prepare(&document, signature, true).unwrap();
        let (writer, lists) = (index.writer(), index.lists());
        let mut change =
            Change { index: &index, lists: &lists, pending: Pending::new(writer.head) };
        change.add(prepared, &mut tools).unwrap();
        let mut changes = index.store.changes();
        change.pending.write(&mut changes);
        let head = Head { operations: writer.head.operations + 1, ..change.pending.head };
        changes.insert(Table::State, Head::KEY, &head.encode());
        drop((writer, lists));
        index.store.commit(changes, Durability::Now).unwrap();
        assert_eq!(index.page(0, 10).unwrap(), before);
        assert_eq!(index.page(2, 10).unwrap(), before[2..]);
        removed(index);
    }

    #[test]
    fn what_is_on_disk_is_said_to_be_though_it_cannot_be_acknowledged() {
        let index = index("lag");
        let text = |n: u64| format!("text number {n}");
        let added = index.add(&Document::text("0", &text(0))).unwrap();
        assert_eq!(added.number, 0);
        index.writer().acknowledged.refuse_writes();
        // It is there, and the answer says so.
        let added = index.add(&Document::text("1", &text(1))).unwrap();
        assert_eq!(added.number, 1);
        assert!(index.get("1").unwrap().is_some());
        // The next is refused, and not there.
        for _ in 0..2 {
            let error = index.add(&Document::text("2", &text(2))).unwrap_err();
            assert!(error.is_io() && error.to_string().contains("acknowledged"), "{error}");
            assert!(index.get("2").unwrap().is_none());
            assert!(index.remove("1").unwrap_err().is_io());
        }
        index.writer().acknowledged.allow_writes();
        assert_eq!(index.add(&Document::text("2", &text(2))).unwrap().number, 2);
        let path = index.path.clone();
        drop(index);
        let operations = Acknowledged::open(&path.join(ACKNOWLEDGED)).unwrap().operations();
        let index = Index::open(&path, &OpenOptions::new()).unwrap();
        assert_eq!((index.len(), index.writer().head.operations), (3, operations));
        removed(index);
    }
}

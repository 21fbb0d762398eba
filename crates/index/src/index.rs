//! The index: what it is made of, how it is made and opened, and the documents in it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use std::{fs, io};

use lookalike_core::recipe::{SketchParameters, Templates, Verify};
use lookalike_core::template::Template;
use lookalike_core::{Kernel, Recipe, Signer};
use lookalike_files::create_folder;

use crate::counts::{CountView, Counts, PendingCounts};
use crate::document::{Record, SignatureLayout};
use crate::error::{Error, Operation, Result};
use crate::folder::{
    ACKNOWLEDGED, HEADER, LOCK, SEGMENTS, STORE, begin_creating, end_creating, is_free, read_header,
};
use crate::header::Header;
use crate::judge::Judge;
use crate::options::{CreateOptions, OpenOptions};
use crate::pending::{KeyKinds, PendingChanges};
use crate::postings::{Posting, REBUILD, RecentPostings, Segment};
use crate::rebuild::{RebuildReport, finish_switch, rebuild};
use crate::segments::{MergeThread, remove_orphans};
use crate::sound::Expectation;
use crate::state::{Head, Segments};
use crate::store::{AcknowledgedOperations, Entries, Snapshot, Store, Table, lock};
use crate::templates::SiteTemplates;
use crate::tools::{Tools, Verification};
use crate::view::{Lists, View, content};

/// An index of documents, persistent or in memory.
///
/// Any number of threads may use it at once; changes are made one after another.
#[doc(alias = "LSH")]
#[doc(alias = "MinHashLSH")]
pub struct Index {
    pub(crate) path: PathBuf,
    pub(crate) header: Header,
    /// The recipe that signs.
    pub(crate) recipe: Recipe,
    pub(crate) kernel: Kernel,
    pub(crate) verification: Verification,
    pub(crate) layout: SignatureLayout,
    pub(crate) judge: Judge,
    pub(crate) segment_postings: usize,
    pub(crate) threads: usize,
    pub(crate) store: Store,
    templates: Option<SiteTemplates>,
    /// Since which document it counts; nothing until an index of an earlier version is changed.
    counts_since: OnceLock<u64>,
    lists: RwLock<Lists>,
    writer: Mutex<Writer>,
    tools: Mutex<Vec<Tools>>,
    rebuilt: Option<RebuildReport>,
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
    pub fn create(
        path: impl AsRef<Path>,
        recipe: &Recipe,
        options: &CreateOptions,
    ) -> Result<Self> {
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
        path: impl AsRef<Path>,
        recipe: &Recipe,
        options: &CreateOptions,
        templates: impl IntoIterator<Item = io::Result<(u64, Vec<u64>)>>,
    ) -> Result<Self> {
        let path = path.as_ref();
        if let Templates::ByField(_) = recipe.templates {
            recipe.check_signs_alone()?;
        }
        let header = header(recipe, options)?;
        create_folder(path)?;
        is_free(path)?;
        let lock = lock(&path.join(LOCK), path)?;
        // Again, now that nobody else is at it.
        begin_creating(path)?;
        let segments = path.join(SEGMENTS);
        fs::create_dir(&segments).map_err(|e| Error::io(&segments, Operation::Create, e))?;
        let mut store = Store::create(&path.join(STORE), lock, options.opening().cache_bytes)?;
        store.begin(Head::default(), &Segments::default())?;
        if recipe.templates.are_learned() {
            SiteTemplates::write(&store, templates)?;
        }
        let acknowledged = AcknowledgedOperations::create(&path.join(ACKNOWLEDGED), 0)?;
        // Without it the folder is not an index.
        header.write(&path.join(HEADER))?;
        end_creating(path)?;
        store.accept();
        Self::with_store(path, header, store, acknowledged, options.opening())
    }

    /// Makes an index that is gone when it is dropped, with the same answers as one in a folder, and
    /// without waiting for a disk. It takes as much memory as its documents; contents, if they are
    /// stored, are packed. [`snapshot`](Self::snapshot) saves it to a folder.
    ///
    /// ```
    /// # use lookalike_core::Recipe;
    /// # use lookalike_index::{CreateOptions, Document, Index};
    /// let index = Index::in_memory(&Recipe::preset("text")?, &CreateOptions::new())?;
    /// index.add(&Document::text("first", "It was the best of times, it was the worst of times."))?;
    /// let again = index.check(&Document::text("again", "It was the best of times; it was the WORST of times!"))?;
    /// assert_eq!(again.matches[0].id, "first");
    /// # Ok::<(), lookalike_index::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the recipe cannot be followed.
    #[doc(alias = "MinHashLSH")]
    pub fn in_memory(recipe: &Recipe, options: &CreateOptions) -> Result<Self> {
        recipe.check_signs_alone()?;
        let (header, store) = (header(recipe, options)?, Store::in_memory());
        store.begin(Head::default(), &Segments::default())?;
        let path = store.path().to_owned();
        let acknowledged = AcknowledgedOperations::in_memory();
        Self::with_store(&path, header, store, acknowledged, options.opening())
    }

    /// Opens an index. Nothing is deleted, and if this fails, nothing is changed.
    ///
    /// # Errors
    /// If there is none, it is in use by another process, it is damaged, its secret is another
    /// one, or the system refuses.
    pub fn open(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self> {
        Self::open_in(path.as_ref(), options)
    }

    fn open_in(path: &Path, options: &OpenOptions) -> Result<Self> {
        let header = read_header(path)?;
        header.signing_recipe(path, options.secret.as_ref())?;
        let lock = lock(&path.join(LOCK), path)?;
        finish_switch(path)?;
        if options.rebuild {
            let rebuilt = rebuild(path, &header, options)?;
            drop(lock);
            let options = OpenOptions { rebuild: false, ..options.clone() };
            let mut index = Self::open(path, &options)?;
            index.rebuilt = Some(rebuilt);
            return Ok(index);
        }
        let acknowledged = AcknowledgedOperations::open(&path.join(ACKNOWLEDGED))?;
        let expected = Expectation {
            acknowledged: Some(acknowledged.operations()),
            templates: header.recipe.templates.are_learned(),
            counts: header.counts_since.is_some(),
        };
        let store = Store::open(&path.join(STORE), lock, options.cache_bytes, expected)?;
        let mut index = Self::with_store(path, header, store, acknowledged, options)?;
        index.store.accept();
        end_creating(path)?;
        remove_orphans(&index.segments_folder(), &index.writer().segments)?;
        Ok(index)
    }

    fn with_store(
        path: &Path,
        header: Header,
        store: Store,
        acknowledged: AcknowledgedOperations,
        options: &OpenOptions,
    ) -> Result<Self> {
        let recipe = header.signing_recipe(path, options.secret.as_ref())?;
        let kernel = options.kernel;
        let layout = SignatureLayout::new(&recipe, header.store_text);
        let judge = Judge::new(&recipe, kernel, layout);
        let head = store.get(Table::State, Head::KEY)?;
        let head = Head::decode(head.as_deref(), store.path())?;
        let segments = store.get(Table::State, Segments::KEY)?;
        let segments = Segments::decode(segments.as_deref(), store.path())?;
        if head.operations < acknowledged.operations() {
            let lost = acknowledged.operations() - head.operations;
            let fault = format!("the last {lost} acknowledged operations are missing\n{REBUILD}");
            return Err(Error::corruption(store.path(), fault));
        }
        let folder = path.join(SEGMENTS);
        let open = |&entry| Segment::open(&folder, entry).map(Arc::new);
        let open_segments: Vec<Arc<Segment>> =
            segments.entries.iter().map(open).collect::<Result<_>>()?;
        let tombstones = tombstones(&store, head)?;
        let templates = SiteTemplates::open(&store, &recipe)?;
        let writer = Writer { head, segments, acknowledged, garbage: Vec::new(), merging: None };
        let next = head.next;
        let lists =
            Lists { segments: open_segments, recent: RecentPostings::default(), tombstones, next };
        let index = Self {
            path: path.to_owned(),
            counts_since: header.counts_since.map_or_else(OnceLock::new, OnceLock::from),
            verification: header.verification(),
            header,
            recipe,
            kernel,
            layout,
            judge,
            segment_postings: options.segment_postings,
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
    pub fn rebuilt(&self) -> Option<&RebuildReport> {
        self.rebuilt.as_ref()
    }

    /// Makes the postings again that were in memory when the index was closed.
    fn read_recent(&self) -> Result<()> {
        let mut lists = self.lists_mut();
        let writer = self.writer();
        let (flushed, next) = (writer.segments.flushed, writer.head.next);
        drop(writer);
        let mut expected = flushed;
        // A number without a record must have a tombstone.
        let check_gap = |lists: &Lists, gap: std::ops::Range<u64>| match gap
            .into_iter()
            .find(|number| !lists.tombstones.contains(number))
        {
            None => Ok(()),
            Some(number) => Err(self.damaged(format!("documents: record {number} is missing"))),
        };
        for entry in self.store.from(Table::Documents, &flushed.to_be_bytes())? {
            let record = self.decode_entry(entry?)?;
            check_gap(&lists, expected..record.number)?;
            expected = record.number + 1;
            if !lists.tombstones.contains(&record.number) {
                self.postings_of(&record).for_each(|posting| lists.recent.push(posting));
            }
        }
        if expected > next {
            return Err(self.damaged(format!("documents: record {next} should not be there")));
        }
        check_gap(&lists, expected..next)
    }

    /// What documents have postings for.
    pub(crate) fn key_kinds(&self) -> KeyKinds<'_> {
        KeyKinds { rule: self.judge.candidate_rule(), urls: self.header.has_url_keys }
    }

    /// The keys of a document's postings.
    pub(crate) fn keys_of(&self, record: &Record) -> Vec<u64> {
        self.key_kinds().keys(&record.id, record.url.as_deref(), &record.signature)
    }

    /// The postings of a document.
    pub(crate) fn postings_of(&self, record: &Record) -> impl Iterator<Item = Posting> + use<> {
        let number = record.number;
        self.keys_of(record).into_iter().map(move |key| Posting { key, number })
    }

    /// An entry of the table of documents.
    pub(crate) fn decode_entry(
        &self,
        (key, value): (impl AsRef<[u8]>, impl AsRef<[u8]>),
    ) -> Result<Record> {
        let key = key.as_ref().try_into().map(u64::from_be_bytes);
        let number =
            key.map_err(|_| self.damaged("documents: a key is not a number".to_owned()))?;
        Record::decode(self.layout, number, value.as_ref(), self.store.path())
    }

    pub(crate) fn damaged(&self, fault: String) -> Error {
        Error::corruption(self.store.path(), fault)
    }

    /// Its folder; `(in memory)` if it has none.
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

    /// One more than the largest number of a document.
    pub fn end(&self) -> u64 {
        self.lists().next
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

    /// How often a document was found, as is known now.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn counts(&self, record: &Record) -> Result<Counts> {
        self.count_view(None, None).of(record)
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
        let snapshot = self.store.snapshot()?;
        let entries = self.store.snapshot_from(&snapshot, Table::Documents, &[])?;
        let tombstones = self.lists().tombstones.clone();
        let missing = writer.head.documents;
        Ok(Documents { index: self, snapshot, entries, tombstones, missing })
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

    pub(crate) fn view<'v>(
        &'v self,
        lists: &'v Lists,
        pending: Option<&'v PendingChanges>,
    ) -> View<'v> {
        View { store: &self.store, layout: self.layout, lists, pending }
    }

    pub(crate) fn count_view<'v>(
        &'v self,
        snapshot: Option<&'v Snapshot>,
        pending: Option<&'v PendingCounts>,
    ) -> CountView<'v> {
        let (store, sites) = (&self.store, self.recipe.sites);
        // Nothing is counted yet, and so nothing is complete.
        let since = self.counts_since.get().copied().unwrap_or(u64::MAX);
        CountView { store, snapshot, pending, sites, since }
    }

    /// Has an index of an earlier version count from now on, so that no reader of then misses what is.
    pub(crate) fn begin_counting(&self, writer: &Writer) -> Result<()> {
        if self.counts_since.get().is_none() {
            let since = writer.head.next;
            self.store.sync_names()?;
            self.header.counting_since(Some(since)).write(&self.path.join(HEADER))?;
            self.counts_since.get_or_init(|| since);
        }
        Ok(())
    }

    /// The header of now.
    pub(crate) fn header_of_now(&self) -> Header {
        self.header.counting_since(self.counts_since.get().copied())
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

    pub(crate) fn segments_folder(&self) -> PathBuf {
        self.path.join(SEGMENTS)
    }
}

/// What is fixed when an index is made: the recipe, with what these options need kept of documents.
fn header(recipe: &Recipe, options: &CreateOptions) -> Result<Header> {
    let mut recipe = recipe.clone();
    recipe.keep_sketch |= recipe.verify == Verify::Estimate;
    let bottom = matches!(recipe.sketch, SketchParameters::Bottom { .. });
    recipe.keep_sketch |= bottom && !options.stores_text();
    recipe.validate()?;
    recipe.check_judged_by_signatures()?;
    if !options.stores_text() {
        recipe.check_judged_without_documents()?;
    }
    Ok(Header::new(&recipe, options.stores_text(), options.opening().secret.as_ref()))
}

/// What only the writer knows.
pub(crate) struct Writer {
    pub(crate) head: Head,
    pub(crate) segments: Segments,
    pub(crate) acknowledged: AcknowledgedOperations,
    /// Numbers whose records are still stored though nobody can see them.
    pub(crate) garbage: Vec<u64>,
    pub(crate) merging: Option<MergeThread>,
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

/// The tombstones, as many as there must be.
fn tombstones(store: &Store, head: Head) -> Result<HashSet<u64>> {
    let tombstones = store.tombstones()?;
    if tombstones.len() as u64 == head.tombstones {
        return Ok(tombstones);
    }
    let fault = format!("holes: there are {}, not {}", tombstones.len(), head.tombstones);
    Err(Error::corruption(store.path(), fault))
}

/// The documents of an index, in the order of adding.
pub struct Documents<'a> {
    index: &'a Index,
    snapshot: Snapshot,
    entries: Entries<'a>,
    tombstones: HashSet<u64>,
    /// Documents that are still to come.
    missing: u64,
}

impl Documents<'_> {
    /// How often one of them was found, at the moment as of which they are read.
    ///
    /// # Errors
    /// If the index cannot be read or is damaged.
    pub fn counts(&self, record: &Record) -> Result<Counts> {
        self.index.count_view(Some(&self.snapshot), None).of(record)
    }

    /// What one of them says, if that is stored, at that moment.
    pub(crate) fn content(&self, record: &Record) -> Result<Option<Vec<u8>>> {
        content(&self.index.store, None, Some(&self.snapshot), record)
    }
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
                Ok(record) if self.tombstones.contains(&record.number) => {}
                Ok(record) => {
                    self.missing = self.missing.saturating_sub(1);
                    return Some(Ok(record));
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

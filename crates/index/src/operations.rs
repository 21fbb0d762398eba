//! The operations of an index: documents are checked, added and removed.

use lookalike_core::{GROUP_LIMIT, Signature};
use serde::{Deserialize, Serialize};

use crate::counts::{CountView, Counts, Seen, Sighting, TurnedAway};
use crate::document::{Content, Document, Record};
use crate::error::{Error, ErrorKind, Result};
use crate::index::Index;
use crate::judge::{Contents, Judge, Match, Query};
use crate::pending::PendingChanges;
use crate::store::{Durability, Snapshot};
use crate::tools::{Tools, UnnumberedDocument, prepare};
use crate::view::{Candidates, Lists, View, content};

/// Documents of a load that are committed together.
const LOAD_BATCH: usize = 1000;
/// Bytes of contents that are worth a thread: about a millisecond of signing.
const THREAD_BYTES: usize = 128 << 10;

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

    fn keeper_mut(&mut self) -> Option<&mut Match> {
        self.matches.iter_mut().min_by_key(|found| found.number)
    }
}

/// What an addition did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Added))]
#[non_exhaustive]
pub struct Addition {
    /// The document's number: ascending, never used again.
    pub number: u64,
    /// Whether it stands in the place of one with the same id.
    pub replaced: bool,
}

/// When checking and adding adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum AddIf {
    /// If there is no look-alike.
    #[default]
    New,
    /// In any case.
    Any,
}

/// What [`Index::check_and_add`] found and did.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CheckedAddition {
    /// What was there before.
    pub answer: Answer,
    /// `None` if it was not added.
    pub added: Option<Addition>,
    /// Whether it is one more for its keeper, in whose counts it is: not if it was added, nor if its id
    /// counts already.
    pub counted: bool,
}

impl Index {
    /// Looks for documents that are known and that this one is a look-alike of. Its id is not
    /// looked at.
    ///
    /// # Errors
    /// If the document is too long or its signature not one of the recipe, or the index cannot
    /// be read or is damaged.
    pub fn check(&self, document: &Document<'_>) -> Result<Answer> {
        self.check_by(&self.judge, document)
    }

    pub(crate) fn check_by(&self, judge: &Judge, document: &Document<'_>) -> Result<Answer> {
        self.with_tools(|tools| {
            let query = self.query(document, tools)?;
            self.answer(judge, &query, tools)
        })
    }

    /// Checks documents, each by itself.
    ///
    /// # Errors
    /// As [`check`](Self::check), of the first that fails.
    pub fn check_batch(&self, documents: &[Document<'_>]) -> Result<Vec<Answer>> {
        self.check_batch_by(&self.judge, documents)
    }

    pub(crate) fn check_batch_by(
        &self,
        judge: &Judge,
        documents: &[Document<'_>],
    ) -> Result<Vec<Answer>> {
        self.of_each(documents, |document, tools| {
            let query = self.query(document, tools)?;
            self.answer(judge, &query, tools)
        })
    }

    /// Adds a document, in the place of one with the same id if there is one. When this returns,
    /// it is on disk.
    ///
    /// # Errors
    /// As [`check`](Self::check), or if the index cannot be written; then nothing has changed.
    pub fn add(&self, document: &Document<'_>) -> Result<Addition> {
        // One for one.
        Ok(self.add_batch(std::slice::from_ref(document))?.swap_remove(0))
    }

    /// Adds documents together: all of them or, if it fails, none.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn add_batch(&self, documents: &[Document<'_>]) -> Result<Vec<Addition>> {
        self.add_all(documents, Durability::Now)
    }

    fn add_all(&self, documents: &[Document<'_>], durability: Durability) -> Result<Vec<Addition>> {
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

    /// Checks and, if there is no match or in any case, adds, with nothing in between. What is not
    /// added is counted for the one that stands for it ([`Counts`](crate::Counts)). When this returns,
    /// what was added or counted is on disk.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn check_and_add(&self, document: &Document<'_>, add_if: AddIf) -> Result<CheckedAddition> {
        // One for one.
        Ok(self.check_and_add_batch(std::slice::from_ref(document), add_if)?.swap_remove(0))
    }

    /// Checks and adds documents one after another, so that each may match those before it; all
    /// are added or counted together or, if it fails, none.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn check_and_add_batch(
        &self,
        documents: &[Document<'_>],
        add_if: AddIf,
    ) -> Result<Vec<CheckedAddition>> {
        let queries = self.of_each(documents, |document, tools| self.query(document, tools))?;
        self.with_tools(|tools| {
            self.change(Durability::Now, |change| {
                let done = documents.iter().zip(&queries).map(|(document, query)| {
                    let mut answer = change.answer(query, tools)?;
                    if add_if == AddIf::New
                        && let Some(keeper) = answer.keeper_mut()
                    {
                        let known = change.view().record(keeper.number)?;
                        let seen = Sighting::of_document(self.recipe.sites, document);
                        let turned_away = TurnedAway { id: &document.id, seen, kind: keeper.kind };
                        let counts = change.count(&turned_away, &known, tools)?;
                        keeper.counts = counts.unwrap_or(keeper.counts);
                        let counted = counts.is_some();
                        return Ok(CheckedAddition { answer, added: None, counted });
                    }
                    let text = self.header.store_text;
                    let prepared = prepare(document, query.signature.clone(), text)?;
                    let added = Some(change.add(prepared, tools)?);
                    Ok(CheckedAddition { answer, added, counted: false })
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

    /// Counts documents that were turned away elsewhere for known ones, together. False for those whose
    /// ids count already, and where there is no keeper.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn count_batch(&self, seen: &[Seen<'_>]) -> Result<Vec<bool>> {
        self.with_tools(|tools| {
            self.change(Durability::Now, |change| {
                let counted = seen.iter().map(|seen| {
                    let keeper = change.view().with_id(seen.keeper(), &mut tools.page)?;
                    let Some(keeper) = keeper else { return Ok(false) };
                    let turned_away = seen.turned_away(self.recipe.sites);
                    Ok(change.count(&turned_away, &keeper, tools)?.is_some())
                });
                counted.collect()
            })
        })
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

    /// Whether a document can be taken.
    fn check_document(&self, document: &Document<'_>) -> Result<()> {
        document.check(&self.recipe)?;
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
                return Err(Error::from(ErrorKind::OtherSignature { id, fault }));
            }
        }
        Ok(())
    }

    pub(crate) fn query(&self, document: &Document<'_>, tools: &mut Tools) -> Result<Query> {
        self.check_document(document)?;
        let template = self.template(document.url.as_deref())?;
        Ok(tools.query(document, template.as_deref(), self.judge.needs_contents()))
    }

    /// What a known document is compared by, if its content is there.
    pub(crate) fn contents_of(
        &self,
        known: &Record,
        content: Option<Vec<u8>>,
        tools: &mut Tools,
    ) -> Result<Option<Contents>> {
        let (Some(kind), Some(content)) = (known.stored, content) else { return Ok(None) };
        let url = known.url.as_deref();
        let template = self.template(url)?;
        Ok(Some(tools.contents(kind, &content, url, template.as_deref())))
    }

    /// What is known now of a document.
    fn answer(&self, judge: &Judge, query: &Query, tools: &mut Tools) -> Result<Answer> {
        let (candidates, snapshot) = self.candidates(query, GROUP_LIMIT, tools)?;
        let content = |known: &Record| content(&self.store, None, Some(&snapshot), known);
        let counts = self.count_view(Some(&snapshot), None);
        self.answer_from(judge, query, &candidates, content, counts, tools)
    }

    /// The candidates of now, so many of each list, and the moment as of which their contents are to
    /// be read.
    pub(crate) fn candidates(
        &self,
        query: &Query,
        limit: usize,
        tools: &mut Tools,
    ) -> Result<(Candidates, Snapshot)> {
        let lists = self.lists();
        let view = self.view(&lists, None);
        let candidates =
            view.candidates(self.judge.candidate_rule(), &query.signature, limit, &mut tools.page)?;
        // Contents are read as they were at this moment, but the writer need not wait for it.
        Ok((candidates, self.store.snapshot()?))
    }

    /// What is known of a document by its candidates.
    fn answer_from(
        &self,
        judge: &Judge,
        query: &Query,
        candidates: &Candidates,
        content: impl Fn(&Record) -> Result<Option<Vec<u8>>>,
        counts: CountView<'_>,
        tools: &mut Tools,
    ) -> Result<Answer> {
        let mut matches = Vec::new();
        for known in &candidates.records {
            let contents = || self.contents_of(known, content(known)?, tools);
            if let Some(found) = judge.judge(query, known, contents)? {
                matches.push(Match { counts: counts.of(known)?, ..found });
            }
        }
        judge.sort(&mut matches);
        Ok(Answer { matches, limited: candidates.limited })
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
        let mut change =
            Change { index: self, lists: &lists, pending: PendingChanges::new(writer.head) };
        let made = make(&mut change)?;
        let pending = change.pending;
        drop(lists);
        self.commit(&mut writer, &pending, durability)?;
        Ok(made)
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
}

/// Changes in the making.
struct Change<'a> {
    index: &'a Index,
    lists: &'a Lists,
    pending: PendingChanges,
}

impl Change<'_> {
    fn view(&self) -> View<'_> {
        self.index.view(self.lists, Some(&self.pending))
    }

    fn add(&mut self, document: UnnumberedDocument<'_>, tools: &mut Tools) -> Result<Addition> {
        let known = self.view().with_id(document.id, &mut tools.page)?;
        let goes_on = |known: &&Record| has_same_words(&known.signature, &document.signature);
        let line = known.as_ref().filter(goes_on).map(|known| known.line);
        if let Some(known) = &known {
            self.pending.remove(known.number);
            if line.is_none() {
                self.end_line(known.line)?;
            }
        }
        let Self { index, pending, .. } = self;
        let number = pending.add(index.layout, &index.key_kinds(), document, line);
        Ok(Addition { number, replaced: known.is_some() })
    }

    fn remove(&mut self, id: &str, tools: &mut Tools) -> Result<bool> {
        let Some(known) = self.view().with_id(id, &mut tools.page)? else { return Ok(false) };
        self.pending.remove(known.number);
        self.end_line(known.line)?;
        Ok(true)
    }

    fn counts(&self) -> CountView<'_> {
        self.index.count_view(None, Some(&self.pending.counts))
    }

    /// Forgets what was counted on a line, if anything was.
    fn end_line(&mut self, line: u64) -> Result<()> {
        if self.counts().of_line(line)?.is_some() {
            self.pending.counts.end(line);
        }
        Ok(())
    }

    /// Counts a document that is turned away for its keeper, whose counts these are then. `None` if its
    /// id counts already.
    fn count(
        &mut self,
        turned_away: &TurnedAway<'_>,
        keeper: &Record,
        tools: &mut Tools,
    ) -> Result<Option<Counts>> {
        if self.view().with_id(turned_away.id, &mut tools.page)?.is_some() {
            return Ok(None);
        }
        let new = turned_away.count(self.counts(), self.index.header.secret(), keeper)?;
        Ok(new.map(|new| {
            let counts = new.counts;
            new.write(&mut self.pending.counts);
            counts
        }))
    }

    fn answer(&self, query: &Query, tools: &mut Tools) -> Result<Answer> {
        let Self { index, pending, .. } = self;
        let rule = index.judge.candidate_rule();
        let candidates =
            self.view().candidates(rule, &query.signature, GROUP_LIMIT, &mut tools.page)?;
        let content = |known: &Record| content(&index.store, Some(pending), None, known);
        index.answer_from(&index.judge, query, &candidates, content, self.counts(), tools)
    }
}

/// Whether a document says the same as one of the same id, as far as signatures tell.
fn has_same_words(a: &Signature, b: &Signature) -> bool {
    a.exact == b.exact && a.identity == b.identity && a.tokens == b.tokens
}

/// Documents in parts of about as many bytes of contents: as many as there are threads, or fewer if
/// there is little to do.
fn parts<'d, 't>(documents: &'d [Document<'t>], threads: usize) -> Vec<&'d [Document<'t>]> {
    let bytes = |document: &Document<'_>| document.content.len();
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use lookalike_core::Recipe;
    use lookalike_files::WorkFolder;

    use super::*;
    use crate::folder::ACKNOWLEDGED;
    use crate::options::{CreateOptions, OpenOptions};
    use crate::state::Head;
    use crate::store::{AcknowledgedOperations, Changes, Table};

    fn index(folder: &Path) -> Index {
        Index::create(folder, &Recipe::preset("text").unwrap(), &CreateOptions::new()).unwrap()
    }

    /// The store has a change before readers see it: then a document that is replaced stands there
    /// under two numbers.
    #[test]
    fn a_page_between_commit_and_update_shows_each_document_once() {
        let folder = WorkFolder::create(None).unwrap();
        let index = index(&folder);
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
            Change { index: &index, lists: &lists, pending: PendingChanges::new(writer.head) };
        change.add(prepared, &mut tools).unwrap();
        let mut changes = Changes::default();
        change.pending.write(&mut changes);
        let head = Head { operations: writer.head.operations + 1, ..change.pending.head };
        changes.insert(Table::State, Head::KEY, &head.encode());
        drop((writer, lists));
        index.store.commit(changes, Durability::Now).unwrap();
        assert_eq!(index.page(0, 10).unwrap(), before);
        assert_eq!(index.page(2, 10).unwrap(), before[2..]);
    }

    #[test]
    fn what_is_on_disk_is_said_to_be_though_it_cannot_be_acknowledged() {
        let folder = WorkFolder::create(None).unwrap();
        let index = index(&folder);
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
        drop(index);
        let operations =
            AcknowledgedOperations::open(&folder.join(ACKNOWLEDGED)).unwrap().operations();
        let index = Index::open(&folder, &OpenOptions::new()).unwrap();
        assert_eq!((index.len(), index.writer().head.operations), (3, operations));
    }
}

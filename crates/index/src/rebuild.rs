//! Rebuilding: an index again from the documents that can still be read.
//!
//! A new store, new segments and a new count of operations are made in a folder
//! `rebuilding` beside the old ones, from every document whose record and content
//! have their checksums; the others are named. When all of it is on disk, the
//! folder is renamed to `rebuilt`, and from then on the new parts take the places
//! of the old; whoever opens the index next ends that if it was interrupted. Until
//! then nothing of the index has changed.
//!
//! If every document was there, the old parts are removed; else they are kept as
//! `replaced-1` and so on, for those who want to look for what was lost. It all
//! takes as much room as the index again.

use std::path::Path;
use std::{fs, io};

use lookalike_files::{ErrorKind as FileErrorKind, remove_folder, sync_folder};

use crate::counts::{self, Counts};
use crate::document::{Record, SignatureLayout};
use crate::error::{Error, Operation, Result};
use crate::folder::{ACKNOWLEDGED, SEGMENTS, STORE};
use crate::header::Header;
use crate::judge::Judge;
use crate::options::OpenOptions;
use crate::pending::KeyKinds;
use crate::segments::NewSegments;
use crate::sound::Expectation;
use crate::state::{Head, Segments};
use crate::store::{
    AcknowledgedOperations, COPY_BYTES, Changes, Durability, Entries, Store, Table,
};
use crate::templates::SiteTemplates;
use crate::view::unpack;

/// What is made, what is complete, and what it replaced.
const REBUILDING: &str = "rebuilding";
const REBUILT: &str = "rebuilt";
const REPLACED: &str = "replaced";

/// Faults that are told one by one.
const TOLD: usize = 100;

/// What a rebuild found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RebuildReport {
    /// Documents that could be read, all of which are there again.
    pub documents: u64,
    /// Documents that are there but cannot be read; they were left out.
    pub damaged: u64,
    /// Documents of which nothing is left.
    pub missing: u64,
    /// Acknowledged operations whose end of a journal is lost.
    pub lost_operations: u64,
    /// Documents whose counts are damaged and begin again, and ids and sources that were counted and are
    /// not known any more, so that they may count again.
    pub uncounted: u64,
    /// What is wrong with each damaged document, for the first of them.
    pub faults: Vec<String>,
}

impl RebuildReport {
    /// Whether everything that was acknowledged is there.
    pub fn is_complete(&self) -> bool {
        let Self { damaged, missing, lost_operations, uncounted, .. } = *self;
        [damaged, missing, lost_operations, uncounted] == [0; 4]
    }

    fn tell(&mut self, fault: String) {
        if self.faults.len() < TOLD {
            self.faults.push(fault);
        }
    }
}

/// Rebuilds an index that nobody has open.
pub(crate) fn rebuild(
    path: &Path,
    header: &Header,
    options: &OpenOptions,
) -> Result<RebuildReport> {
    let acknowledged =
        AcknowledgedOperations::open(&path.join(ACKNOWLEDGED)).map(|file| file.operations());
    let acknowledged = match acknowledged {
        Err(error) if !error.is_corruption() => return Err(error),
        acknowledged => acknowledged.unwrap_or(0),
    };
    let recipe = header.signing_recipe(path, options.secret.as_ref())?;
    let expected = Expectation {
        acknowledged: None,
        templates: recipe.templates.are_learned(),
        counts: header.counts_since.is_some(),
    };
    let old = Store::open(&path.join(STORE), None, options.cache_bytes, expected)?;
    let head = Head::decode(old.get(Table::State, Head::KEY)?.as_deref(), old.path())?;

    let folder = path.join(REBUILDING);
    remove_folder(&folder)?;
    let segments_folder = folder.join(SEGMENTS);
    fs::create_dir_all(&segments_folder)
        .map_err(|e| Error::io(&segments_folder, Operation::Create, e))?;
    let new = Store::create(&folder.join(STORE), None, options.cache_bytes)?;
    if recipe.templates.are_learned() {
        SiteTemplates::copy(&old, &new)?;
    }

    let layout = SignatureLayout::new(&recipe, header.store_text);
    let judge = Judge::new(&recipe, options.kernel, layout);
    let kinds = KeyKinds { rule: judge.candidate_rule(), urls: header.has_url_keys };
    let mut rebuilt = RebuildReport {
        lost_operations: acknowledged.saturating_sub(head.operations),
        ..RebuildReport::default()
    };
    let mut segments = NewSegments::new(segments_folder.clone(), 0, options.segment_postings);
    let mut batch = Batch { store: &new, changes: Changes::default(), bytes: 0 };
    let mut numbers = Numbers::new(&old, head)?;
    while let Some(number) = numbers.next() {
        match read(&old, layout, number) {
            Ok(Some((record, bytes, content))) => {
                let keys = kinds.keys(&record.id, record.url.as_deref(), &record.signature);
                segments.push(number, keys)?;
                batch.insert(Table::Documents, number, &bytes)?;
                if let Some(content) = content {
                    batch.insert(Table::Texts, number, &content)?;
                }
                copy_counts(&old, record.line, &mut batch, &mut rebuilt)?;
                rebuilt.documents += 1;
            }
            Ok(None) => {}
            Err(error) if error.is_corruption() => {
                rebuilt.damaged += 1;
                rebuilt.tell(error.to_string());
            }
            Err(error) => return Err(error),
        }
    }
    copy_counted(&old, &mut batch, &mut rebuilt)?;
    rebuilt.missing = head.documents.saturating_sub(rebuilt.documents + rebuilt.damaged);
    let (files, next_id) = segments.finish(head.next)?;
    let entries = files.iter().map(|segment| segment.entry()).collect();
    let segments = Segments { flushed: head.next, next_id, entries };
    // More than were ever acknowledged, so that no later count is taken for an earlier one.
    let operations = head.operations.max(acknowledged) + 1;
    let head = Head { operations, documents: rebuilt.documents, tombstones: 0, ..head };
    batch.changes.insert(Table::State, Head::KEY, &head.encode());
    batch.changes.insert(Table::State, Segments::KEY, &segments.encode());
    new.commit(batch.changes, Durability::Now)?;
    AcknowledgedOperations::create(&folder.join(ACKNOWLEDGED), operations)?;
    drop((new, old, files));

    if rebuilt.is_complete() {
        fs::write(folder.join(COMPLETE), [])
            .map_err(|e| Error::io(&folder, Operation::Write, e))?;
        sync_folder(&folder)?;
    }
    let complete = path.join(REBUILT);
    rename(&folder, &complete)?;
    sync_folder(path)?;
    finish_switch(path)?;
    Ok(rebuilt)
}

/// Says that nothing was lost, so that what is replaced can go.
const COMPLETE: &str = "complete";

/// Has the parts of a complete rebuild take the places of the old ones, unless they have already.
pub(crate) fn finish_switch(path: &Path) -> Result<()> {
    let rebuilt = path.join(REBUILT);
    if !exists(&rebuilt)? {
        return Ok(());
    }
    let replaced = rebuilt.join(REPLACED);
    fs::create_dir_all(&replaced).map_err(|e| Error::io(&replaced, Operation::Create, e))?;
    for part in [STORE, SEGMENTS, ACKNOWLEDGED] {
        let (new, old) = (rebuilt.join(part), path.join(part));
        if !exists(&new)? {
            continue;
        }
        if exists(&old)? {
            rename(&old, &replaced.join(part))?;
        }
        rename(&new, &old)?;
    }
    // First here, then where they were.
    sync_folder(&replaced)?;
    if !exists(&rebuilt.join(COMPLETE))? && exists(&replaced.join(STORE))? {
        for number in 1.. {
            let kept = path.join(format!("{REPLACED}-{number}"));
            if !exists(&kept)? {
                rename(&replaced, &kept)?;
                break;
            }
        }
    }
    sync_folder(path)?;
    Ok(remove_folder(&rebuilt)?)
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(|error| Error::io(to, Operation::Rename, error))
}

fn exists(path: &Path) -> Result<bool> {
    path.try_exists().map_err(|error| Error::io(path, Operation::Read, error))
}

/// A living document, its record as it is stored, and its content as it is stored.
type StoredDocument = (Record, Vec<u8>, Option<Vec<u8>>);

/// Reads a document and checks all of it. `None` if there is none of this number.
fn read(store: &Store, layout: SignatureLayout, number: u64) -> Result<Option<StoredDocument>> {
    let key = number.to_be_bytes();
    let Some(bytes) = store.get(Table::Documents, &key).map_err(|e| of(number, None, &e))? else {
        return Ok(None);
    };
    let record = Record::decode(layout, number, &bytes, store.path())?;
    let mut content = None;
    if record.stored.is_some() {
        let named = |error: Error| of(number, Some(&record.id), &error);
        let missing = || {
            let fault = format!("texts: that of document {number} (`{}`) is missing", record.id);
            Error::corruption(store.path(), fault)
        };
        let stored = store.get(Table::Texts, &key).map_err(named)?.ok_or_else(missing)?;
        unpack(store, &record, &stored).map_err(named)?;
        content = Some(stored.to_vec());
    }
    Ok(Some((record, bytes.to_vec(), content)))
}

/// Copies the counts of a line, if there are some. Where they are damaged, one of which it is known that
/// there may have been more takes their place.
fn copy_counts(
    old: &Store,
    line: u64,
    batch: &mut Batch<'_>,
    rebuilt: &mut RebuildReport,
) -> Result<()> {
    let stored = old.get(Table::Counts, &line.to_be_bytes());
    let counts = match stored
        .and_then(|stored| stored.map(|bytes| counts::decode(old, line, &bytes)).transpose())
    {
        Ok(None) => return Ok(()),
        Ok(Some(counts)) => counts,
        Err(error) if error.is_corruption() => {
            rebuilt.uncounted += 1;
            rebuilt.tell(error.to_string());
            Counts { at_least: true, ..Counts::default() }
        }
        Err(error) => return Err(error),
    };
    batch.insert(Table::Counts, line, &counts.encode(line))
}

/// Copies what ids and sources have counted for. What does so for nobody any more is found by
/// compacting.
fn copy_counted(old: &Store, batch: &mut Batch<'_>, rebuilt: &mut RebuildReport) -> Result<()> {
    for entry in old.from(Table::Counted, &[])? {
        match entry {
            Ok((key, value)) if counts::decode_line(&key, &value).is_some() => {
                batch.insert_under(Table::Counted, &key, &value)?;
            }
            Ok(_) => rebuilt.uncounted += 1,
            // What follows cannot be found either.
            Err(error) if error.is_corruption() => {
                rebuilt.uncounted += 1;
                rebuilt.tell(error.to_string());
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Says of which document a fault is.
fn of(number: u64, id: Option<&str>, error: &Error) -> Error {
    match error.kind() {
        crate::ErrorKind::Corruption { path, fault } => {
            let id = id.map(|id| format!(" (`{id}`)")).unwrap_or_default();
            Error::corruption(path, format!("document {number}{id}: {fault}"))
        }
        crate::ErrorKind::File(fault) => {
            if let FileErrorKind::Io { path, operation, source } = fault.kind() {
                let source = io::Error::new(source.kind(), source.to_string());
                return Error::io(path, *operation, source);
            }
            Error::corruption(Path::new(""), error.to_string())
        }
        _ => Error::corruption(Path::new(""), error.to_string()),
    }
}

/// The numbers that may have a living document, ascending.
struct Numbers<'a> {
    store: &'a Store,
    head: Head,
    tombstones: std::collections::HashSet<u64>,
    /// `None` while the table cannot be read and every number is tried.
    entries: Option<Entries<'a>>,
    /// The lowest that may come.
    next: u64,
}

impl<'a> Numbers<'a> {
    fn new(store: &'a Store, head: Head) -> Result<Self> {
        let tombstones = store.tombstones()?;
        let entries = store.from(Table::Documents, &[]).ok();
        Ok(Self { store, head, tombstones, entries, next: 0 })
    }

    fn next(&mut self) -> Option<u64> {
        loop {
            let number = match &mut self.entries {
                Some(entries) => match entries.next() {
                    None => return None,
                    Some(Ok((key, _))) => match <[u8; 8]>::try_from(&key[..]) {
                        Ok(key) => u64::from_be_bytes(key),
                        Err(_) => continue,
                    },
                    Some(Err(_)) => {
                        self.entries = None;
                        continue;
                    }
                },
                None if self.next >= self.head.next => return None,
                None => {
                    let number = self.next;
                    // From the first that can be read on, the table may be read in order again.
                    if self.store.get(Table::Documents, &number.to_be_bytes()).is_ok() {
                        self.entries =
                            self.store.from(Table::Documents, &(number + 1).to_be_bytes()).ok();
                    }
                    number
                }
            };
            self.next = number + 1;
            if number < self.head.next && !self.tombstones.contains(&number) {
                return Some(number);
            }
        }
    }
}

/// Entries that are copied together.
struct Batch<'a> {
    store: &'a Store,
    changes: Changes,
    bytes: usize,
}

impl Batch<'_> {
    fn insert(&mut self, table: Table, number: u64, value: &[u8]) -> Result<()> {
        self.insert_under(table, &number.to_be_bytes(), value)
    }

    fn insert_under(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<()> {
        self.changes.insert(table, key, value);
        self.bytes += key.len() + value.len();
        if self.bytes > COPY_BYTES {
            let full = std::mem::take(&mut self.changes);
            self.store.commit(full, Durability::Later)?;
            self.bytes = 0;
        }
        Ok(())
    }
}

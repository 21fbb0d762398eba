//! The store: documents, their contents, what was removed, and how far the index is.
//!
//! A thin layer over fjall that gives its errors names, catches what it panics
//! about when its files are damaged, and knows our keyspaces:
//!
//! ```text
//! documents  number -> record        texts  number -> compressed content
//! holes      number -> nothing       state  "head", "runs", "templates"
//! templates  site -> shingles
//! ```
//!
//! Numbers are big endian and ascend, so that every table is written once and
//! none overlaps another: the store moves them, and rewrites nothing.
//!
//! fjall takes a journal that ends in the middle for one that a crash cut off,
//! and damage in its middle for such an end. So that acknowledged operations
//! cannot vanish unseen, their number stands in a file of its own as well
//! ([`AcknowledgedOperations`]), and its files are looked at before it may act on them
//! ([`sound`](crate::sound)).

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fjall::config::{BlockSizePolicy, CompressionPolicy, FilterPolicy, PinningPolicy};
use fjall::{
    AbstractTree as _, CompressionType, Database, Keyspace, KeyspaceCreateOptions, LsmError,
    OwnedWriteBatch, PersistMode, Readable as _, Slice, Snapshot,
};
use lookalike_files::{Lock, checksum, sync_folder, write_file};
use xxhash_rust::xxh3::Xxh3Default;

use crate::error::{Error, ErrorKind, Operation, Result};
use crate::postings::REBUILD;
use crate::sound::{self, Expectation, Tail};
use crate::state::{Head, Segments};

/// The keyspaces. Their names are part of the format.
const DOCUMENTS: &str = "documents";
const TEXTS: &str = "texts";
/// Tombstones.
const TOMBSTONES: &str = "holes";
const STATE: &str = "state";
const TEMPLATES: &str = "templates";

/// Bytes of a table in memory before it is written. 32 MiB: 200,000 records.
const TABLE_BYTES: u64 = 32 << 20;
/// Bytes that are read for a record: two bytes a document less than with 4 KiB, and no slower.
const BLOCK_BYTES: u32 = 16 << 10;
/// The same where there is little.
const SMALL_TABLE_BYTES: u64 = 4 << 20;
/// Journals are kept until their tables are written, and all tables are if journals have this
/// many bytes: the fewest that fjall allows.
const JOURNAL_BYTES: u64 = 64 << 20;
/// Bytes of entries that are copied together.
pub(crate) const COPY_BYTES: usize = 4 << 20;

/// A keyspace of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Documents,
    Texts,
    Tombstones,
    State,
    Templates,
}

impl Table {
    const ALL: [Self; 5] =
        [Self::Documents, Self::Texts, Self::Tombstones, Self::State, Self::Templates];

    fn name(self) -> &'static str {
        match self {
            Self::Documents => DOCUMENTS,
            Self::Texts => TEXTS,
            Self::Tombstones => TOMBSTONES,
            Self::State => STATE,
            Self::Templates => TEMPLATES,
        }
    }

    fn options(self) -> KeyspaceCreateOptions {
        let bytes = match self {
            Self::Documents | Self::Texts => TABLE_BYTES,
            Self::Tombstones | Self::State | Self::Templates => SMALL_TABLE_BYTES,
        };
        let compression = match self {
            // Contents are compressed already, each by itself.
            Self::Texts => CompressionType::None,
            _ => CompressionType::Lz4,
        };
        KeyspaceCreateOptions::default()
            .max_memtable_size(bytes)
            .data_block_size_policy(BlockSizePolicy::all(BLOCK_BYTES))
            .data_block_compression_policy(CompressionPolicy::all(compression))
            // What is looked for is there, and in one table.
            .filter_policy(FilterPolicy::disabled())
            .expect_point_read_hits(true)
            .index_block_pinning_policy(PinningPolicy::all(true))
    }
}

/// When an operation is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// When it returns.
    Now,
    /// When a later one of [`Durability::Now`] has returned.
    Later,
}

/// The open store.
pub(crate) struct Store {
    path: PathBuf,
    /// `None` only while it is dropped.
    open: Option<OpenStore>,
    /// Whether everything is in tables, so that journals can be emptied when the store is closed.
    is_in_tables: AtomicBool,
    /// Ends of journals that are put back if the index is not opened after all.
    tails: Vec<Tail>,
    /// Given back after the store is closed.
    _lock: Option<Lock>,
}

struct OpenStore {
    database: Database,
    keyspaces: [Keyspace; 5],
}

impl OpenStore {
    fn new(path: &Path, cache_bytes: u64) -> Result<Self> {
        guarded(path, "cannot be opened", || {
            let database = Database::builder(path)
                .cache_size(cache_bytes)
                .max_journaling_size(JOURNAL_BYTES)
                .journal_compression(CompressionType::None)
                .manual_journal_persist(true)
                .worker_threads(2)
                .open()?;
            let [a, b, c, d, e] =
                Table::ALL.map(|table| database.keyspace(table.name(), || table.options()));
            Ok(Self { keyspaces: [a?, b?, c?, d?, e?], database })
        })
    }

    fn keyspace(&self, table: Table) -> &Keyspace {
        &self.keyspaces[table as usize]
    }
}

/// Changes that are made together or not at all.
pub(crate) struct Changes<'a> {
    store: &'a OpenStore,
    batch: OwnedWriteBatch,
}

impl Changes<'_> {
    pub(crate) fn insert(&mut self, table: Table, key: &[u8], value: &[u8]) {
        self.batch.insert(self.store.keyspace(table), key, value);
    }

    pub(crate) fn remove(&mut self, table: Table, key: &[u8]) {
        self.batch.remove(self.store.keyspace(table), key);
    }
}

impl Store {
    /// Makes a store in a folder that does not exist. It gives the lock back when it is closed.
    pub(crate) fn create(
        path: &Path,
        lock: impl Into<Option<Lock>>,
        cache_bytes: u64,
    ) -> Result<Self> {
        let open = OpenStore::new(path, cache_bytes)?;
        // What fjall does not do itself.
        sync_folder(&path.join("keyspaces"))?;
        let mut store = Self::closed(path, Vec::new(), lock.into());
        store.open = Some(open);
        Ok(store)
    }

    /// Opens the store in a folder. If this fails, or [`accept`](Self::accept) is not called, the
    /// folder is as it was.
    pub(crate) fn open(
        path: &Path,
        lock: impl Into<Option<Lock>>,
        cache_bytes: u64,
        expected: Expectation,
    ) -> Result<Self> {
        let tails = sound::check(path, expected)?;
        // Already, so that the ends of journals are put back if it cannot be opened.
        let mut store = Self::closed(path, tails, lock.into());
        store.open = Some(OpenStore::new(path, cache_bytes)?);
        Ok(store)
    }

    fn closed(path: &Path, tails: Vec<Tail>, lock: Option<Lock>) -> Self {
        let (path, is_in_tables) = (path.to_owned(), AtomicBool::new(false));
        Self { path, open: None, is_in_tables, tails, _lock: lock }
    }

    /// Says that the index is opened.
    pub(crate) fn accept(&mut self) {
        self.tails.clear();
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn inner(&self) -> &OpenStore {
        let Some(open) = &self.open else { unreachable!("it is open until it is dropped") };
        open
    }

    /// The value of a key.
    pub(crate) fn get(&self, table: Table, key: &[u8]) -> Result<Option<Slice>> {
        guarded(&self.path, table.name(), || self.inner().keyspace(table).get(key))
    }

    /// The value of a key, now or as of a snapshot.
    pub(crate) fn get_at(
        &self,
        snapshot: Option<&Snapshot>,
        table: Table,
        key: &[u8],
    ) -> Result<Option<Slice>> {
        let Some(snapshot) = snapshot else { return self.get(table, key) };
        guarded(&self.path, table.name(), || snapshot.get(self.inner().keyspace(table), key))
    }

    /// The entries from a key on, in order, as they are now.
    pub(crate) fn from(&self, table: Table, key: &[u8]) -> Result<Entries<'_>> {
        let snapshot = self.snapshot()?;
        self.snapshot_from(&snapshot, table, key)
    }

    /// How the store is now, for [`snapshot_from`](Self::snapshot_from).
    pub(crate) fn snapshot(&self) -> Result<Snapshot> {
        guarded(&self.path, "cannot be read", || Ok(self.inner().database.snapshot()))
    }

    /// The entries from a key on, in order, as they were then.
    pub(crate) fn snapshot_from(
        &self,
        snapshot: &Snapshot,
        table: Table,
        key: &[u8],
    ) -> Result<Entries<'_>> {
        let rest = guarded(&self.path, table.name(), || {
            Ok(snapshot.range(self.inner().keyspace(table), key.to_vec()..))
        })?;
        Ok(Entries { store: self, table, rest })
    }

    /// Begins changes.
    pub(crate) fn changes(&self) -> Changes<'_> {
        let store = self.inner();
        Changes { store, batch: store.database.batch() }
    }

    /// Makes changes.
    pub(crate) fn commit(&self, changes: Changes<'_>, durability: Durability) -> Result<()> {
        self.is_in_tables.store(false, Ordering::Release);
        self.wait_for_room()?;
        let mode = match durability {
            Durability::Now => PersistMode::SyncAll,
            // Else a killed process would take them along.
            Durability::Later => PersistMode::Buffer,
        };
        guarded(&self.path, "cannot be written", || changes.batch.durability(Some(mode)).commit())
    }

    /// Writes the first records.
    pub(crate) fn begin(&self, head: Head, segments: &Segments) -> Result<()> {
        let mut changes = self.changes();
        changes.insert(Table::State, Head::KEY, &head.encode());
        changes.insert(Table::State, Segments::KEY, &segments.encode());
        self.commit(changes, Durability::Now)
    }

    /// The numbers in the table of tombstones.
    pub(crate) fn tombstones(&self) -> Result<HashSet<u64>> {
        let mut tombstones = HashSet::new();
        for entry in self.from(Table::Tombstones, &[])? {
            let (key, _) = entry?;
            tombstones.extend(<[u8; 8]>::try_from(&key[..]).map(u64::from_be_bytes));
        }
        Ok(tombstones)
    }

    /// Sees everything on disk.
    pub(crate) fn sync(&self) -> Result<()> {
        guarded(&self.path, "cannot be written", || {
            self.inner().database.persist(PersistMode::SyncAll)
        })
    }

    /// Waits while tables are written behind us, and fails if that failed: fjall itself would wait
    /// for ever.
    fn wait_for_room(&self) -> Result<()> {
        let open = self.inner();
        let full = |keyspace: &Keyspace| {
            keyspace.sealed_memtable_count() >= 3 || keyspace.tree.l0_run_count() >= 16
        };
        while open.keyspaces.iter().any(full) {
            guarded(&self.path, "cannot be written", || {
                open.database.persist(PersistMode::Buffer)
            })?;
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    /// Has the tables with little in them written. A journal is kept until all of its tables are,
    /// and these would not be full for a long time.
    pub(crate) fn write_small_tables(&self) -> Result<()> {
        for table in [Table::Tombstones, Table::State, Table::Templates] {
            guarded(&self.path, table.name(), || self.inner().keyspace(table).rotate_memtable())?;
        }
        Ok(())
    }

    /// Reads all tables and compares them with the checksums in their lists.
    pub(crate) fn verify(&self) -> Result<()> {
        let mut buffer = vec![0; 1 << 18];
        for keyspace in &self.inner().keyspaces {
            let tables =
                guarded(&self.path, keyspace.name(), || Ok(keyspace.tree.current_version()))?;
            // A table is not removed while its list is held.
            for table in tables.iter_tables() {
                let path: &Path = &table.path;
                let failed = |error| Error::io(path, Operation::Read, error);
                let mut file = File::open(path).map_err(failed)?;
                let mut hash = Xxh3Default::new();
                loop {
                    match file.read(&mut buffer) {
                        Ok(0) => break,
                        Ok(read) => hash.update(&buffer[..read]),
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(failed(error)),
                    }
                }
                if hash.digest128() != table.checksum().into_u128() {
                    return Err(Error::corruption(path, "the table has a wrong checksum"));
                }
            }
        }
        Ok(())
    }

    /// Writes all tables anew without what was removed or replaced. Nobody else may make changes.
    ///
    /// fjall leaves out only what is older than a mark, and keeps the files of lists of tables that
    /// are not; and it moves the mark when a table in memory that has something in it is closed. So
    /// that happens before, or removed documents would be written again, and after, or the old
    /// tables would stay beside the new.
    pub(crate) fn compact(&self) -> Result<()> {
        self.write_tables()?;
        self.move_mark()?;
        for keyspace in &self.inner().keyspaces {
            guarded(&self.path, keyspace.name(), || keyspace.major_compact())?;
        }
        self.move_mark()?;
        self.is_in_tables.store(true, Ordering::Release);
        Ok(())
    }

    fn write_tables(&self) -> Result<()> {
        for keyspace in &self.inner().keyspaces {
            guarded(&self.path, keyspace.name(), || keyspace.rotate_memtable_and_wait())?;
        }
        Ok(())
    }

    /// Writes what is there already.
    fn move_mark(&self) -> Result<()> {
        let head = self.get(Table::State, Head::KEY)?;
        let mut changes = self.changes();
        changes.insert(Table::State, Head::KEY, head.as_deref().unwrap_or_default());
        self.commit(changes, Durability::Now)?;
        self.write_tables()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Whoever drops an index must not be killed by a lock that a failed thread left poisoned.
        let open = self.open.take();
        let _ = catch_unwind(AssertUnwindSafe(|| {
            if let Some(open) = &open {
                let _ = open.database.persist(PersistMode::SyncAll);
            }
            drop(open);
        }));
        for tail in &self.tails {
            tail.put_back();
        }
        if *self.is_in_tables.get_mut() {
            // What cannot be emptied is read once more, and no harm done.
            let _ = sound::empty_journals(&self.path);
        }
    }
}

/// Entries of a table, in order.
pub(crate) struct Entries<'a> {
    store: &'a Store,
    table: Table,
    rest: fjall::Iter,
}

impl Iterator for Entries<'_> {
    type Item = Result<(Slice, Slice)>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = guarded(&self.store.path, self.table.name(), || {
            self.rest.next().map(fjall::Guard::into_inner).transpose()
        });
        next.transpose()
    }
}

/// Locks the file, or says that the index is in use.
pub(crate) fn lock(path: &Path, index: &Path) -> Result<Lock> {
    Lock::take(path)?.ok_or_else(|| Error::from(ErrorKind::InUse(index.to_owned())))
}

/// Calls into fjall. What it says becomes an error of ours, and so does a panic, since it panics
/// about some kinds of damage.
fn guarded<T>(path: &Path, what: &str, call: impl FnOnce() -> fjall::Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(named(path, what, error)),
        Err(panic) => {
            let message = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            Err(Error::corruption(path, format!("{what}: the store failed: {message}")))
        }
    }
}

fn named(path: &Path, what: &str, error: fjall::Error) -> Error {
    match error {
        fjall::Error::Io(error) | fjall::Error::Storage(LsmError::Io(error)) => {
            use io::ErrorKind as Kind;
            match error.kind() {
                // What it says of bytes that make no sense.
                Kind::UnexpectedEof | Kind::InvalidData | Kind::NotFound | Kind::Other => {
                    Error::corruption(path, format!("{what}: {error}"))
                }
                _ => Error::io(path, Operation::Write, error),
            }
        }
        fjall::Error::Locked => Error::from(ErrorKind::InUse(path.to_owned())),
        fjall::Error::Poisoned => Error::from(ErrorKind::Stopped(path.to_owned())),
        fjall::Error::Storage(LsmError::ChecksumMismatch { .. }) => {
            Error::corruption(path, format!("{what}: a block has a wrong checksum"))
        }
        other => Error::corruption(path, format!("{what}: {other}")),
    }
}

/// How many operations were acknowledged, in a file of its own.
///
/// It is written after each and not synced: after a loss of power it may lag behind the store, and
/// then only fewer losses are found. It is never ahead of what is on disk.
///
/// Nor is it what makes an operation durable: one that is on disk is done, whether this can be written
/// or not. If it cannot, the next change tries again first, and is not made if that fails.
pub(crate) struct AcknowledgedOperations {
    path: PathBuf,
    file: File,
    operations: u64,
    /// Whether the file has the number.
    written: bool,
}

impl AcknowledgedOperations {
    const BYTES: usize = 16;

    /// Makes the file, in the place of one that is there, and sees it on disk.
    pub(crate) fn create(path: &Path, operations: u64) -> Result<Self> {
        write_file(path, &Self::encode(operations))?;
        Self::opened(path, operations)
    }

    fn opened(path: &Path, operations: u64) -> Result<Self> {
        let file = OpenOptions::new().write(true).open(path);
        let file = file.map_err(|e| Error::io(path, Operation::Write, e))?;
        Ok(Self { path: path.to_owned(), file, operations, written: true })
    }

    /// Opens the file and reads the number.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let hint = format!("how many operations were acknowledged is not known\n{REBUILD}");
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::corruption(path, format!("it is missing: {hint}")));
            }
            Err(error) => return Err(Error::io(path, Operation::Read, error)),
        };
        let number = bytes.first_chunk().map(|number| u64::from_le_bytes(*number));
        match number.filter(|&number| bytes == Self::encode(number)) {
            Some(number) => Self::opened(path, number),
            None => Err(Error::corruption(path, hint)),
        }
    }

    fn encode(operations: u64) -> [u8; Self::BYTES] {
        let number = operations.to_le_bytes();
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&number);
        bytes[8..].copy_from_slice(&checksum(&number));
        bytes
    }

    /// The number that was read or set last.
    pub(crate) fn operations(&self) -> u64 {
        self.operations
    }

    /// Sets the number, now or, if it cannot be written, with the next change.
    pub(crate) fn set(&mut self, operations: u64) {
        self.operations = operations;
        self.written = false;
        let _ = self.catch_up();
    }

    /// Writes the number if it could not be written when it was set.
    pub(crate) fn catch_up(&mut self) -> Result<()> {
        if self.written {
            return Ok(());
        }
        let bytes = Self::encode(self.operations);
        let written = self.file.rewind().and_then(|()| self.file.write_all(&bytes));
        written.map_err(|error| Error::io(&self.path, Operation::Write, error))?;
        self.written = true;
        Ok(())
    }

    /// As on a disk that has no room for it any more.
    #[cfg(test)]
    pub(crate) fn refuse_writes(&mut self) {
        self.file = File::open(&self.path).unwrap();
    }

    /// As on a disk that has room again.
    #[cfg(test)]
    pub(crate) fn allow_writes(&mut self) {
        self.file = OpenOptions::new().write(true).open(&self.path).unwrap();
    }
}

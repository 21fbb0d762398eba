//! The store in a folder, by fjall.
//!
//! A thin layer that gives its errors names, catches what it panics about when its
//! files are damaged, and knows our keyspaces. Numbers ascend, so that every table is
//! written once and none overlaps another: fjall moves them, and rewrites nothing but what is
//! counted, a few bytes of each document that comes again.
//!
//! fjall takes a journal that ends in the middle for one that a crash cut off,
//! and damage in its middle for such an end. So that acknowledged operations
//! cannot vanish unseen, their number stands in a file of its own as well
//! ([`AcknowledgedOperations`](super::AcknowledgedOperations)), and its files are looked at before it
//! may act on them ([`sound`](crate::sound)).

use std::fs::File;
use std::io::{self, Read as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fjall::config::{BlockSizePolicy, CompressionPolicy, FilterPolicy, PinningPolicy};
use fjall::{
    AbstractTree as _, CompressionType, Database, Keyspace, KeyspaceCreateOptions, LsmError,
    PersistMode, Readable as _, Slice, Snapshot,
};
use lookalike_files::{Lock, sync_folder};
use xxhash_rust::xxh3::Xxh3Default;

use super::table::{Changes, Durability, Entry, Table};
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::sound::{self, Expectation, Tail};
use crate::state::Head;

/// The keyspaces. Their names are part of the format.
const DOCUMENTS: &str = "documents";
const TEXTS: &str = "texts";
/// Tombstones.
const TOMBSTONES: &str = "holes";
const STATE: &str = "state";
const TEMPLATES: &str = "templates";
const COUNTS: &str = "counts";
const COUNTED: &str = "counted";

/// Bytes of a table in memory before it is written. 32 MiB: 200,000 records.
const TABLE_BYTES: u64 = 32 << 20;
/// Bytes that are read for a record: two bytes a document less than with 4 KiB, and no slower.
const BLOCK_BYTES: u32 = 16 << 10;
/// The same where there is little.
const SMALL_TABLE_BYTES: u64 = 4 << 20;
/// Journals are kept until their tables are written, and all tables are if journals have this
/// many bytes: the fewest that fjall allows.
const JOURNAL_BYTES: u64 = 64 << 20;
impl Table {
    fn name(self) -> &'static str {
        match self {
            Self::Documents => DOCUMENTS,
            Self::Texts => TEXTS,
            Self::Tombstones => TOMBSTONES,
            Self::State => STATE,
            Self::Templates => TEMPLATES,
            Self::Counts => COUNTS,
            Self::Counted => COUNTED,
        }
    }

    fn options(self) -> KeyspaceCreateOptions {
        let bytes = match self {
            Self::Documents | Self::Texts | Self::Counted => TABLE_BYTES,
            Self::Tombstones | Self::State | Self::Templates | Self::Counts => SMALL_TABLE_BYTES,
        };
        let compression = match self {
            // Contents are compressed already, each by itself.
            Self::Texts => CompressionType::None,
            _ => CompressionType::Lz4,
        };
        let options = KeyspaceCreateOptions::default()
            .max_memtable_size(bytes)
            .data_block_compression_policy(CompressionPolicy::all(compression))
            .index_block_pinning_policy(PinningPolicy::all(true));
        match self {
            // What is looked for is mostly not there, or in any table: they keep their filters, and
            // blocks of 4 KiB, since neighbours are not wanted.
            Self::Counts | Self::Counted => options,
            // What is looked for is there, and in one table.
            _ => options
                .data_block_size_policy(BlockSizePolicy::all(BLOCK_BYTES))
                .filter_policy(FilterPolicy::disabled())
                .expect_point_read_hits(true),
        }
    }
}

/// The store in a folder.
pub(crate) struct DiskStore {
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
    keyspaces: [Keyspace; Table::ALL.len()],
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
            let [a, b, c, d, e, f, g] =
                Table::ALL.map(|table| database.keyspace(table.name(), || table.options()));
            Ok(Self { keyspaces: [a?, b?, c?, d?, e?, f?, g?], database })
        })
    }

    fn keyspace(&self, table: Table) -> &Keyspace {
        &self.keyspaces[table as usize]
    }
}

impl DiskStore {
    /// Makes a store in a folder that does not exist. It gives the lock back when it is closed.
    pub(super) fn create(
        path: &Path,
        lock: impl Into<Option<Lock>>,
        cache_bytes: u64,
    ) -> Result<Self> {
        let open = OpenStore::new(path, cache_bytes)?;
        let mut store = Self::closed(path, Vec::new(), lock.into());
        store.open = Some(open);
        store.sync_names()?;
        Ok(store)
    }

    /// Opens the store in a folder. If this fails, or [`accept`](Self::accept) is not called, the
    /// folder is as it was.
    pub(super) fn open(
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
    pub(super) fn accept(&mut self) {
        self.tails.clear();
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn inner(&self) -> &OpenStore {
        let Some(open) = &self.open else { unreachable!("it is open until it is dropped") };
        open
    }

    /// The value of a key.
    pub(super) fn get(&self, table: Table, key: &[u8]) -> Result<Option<Slice>> {
        guarded(&self.path, table.name(), || self.inner().keyspace(table).get(key))
    }

    /// The value of a key, as of a snapshot.
    pub(super) fn get_at(
        &self,
        snapshot: &Snapshot,
        table: Table,
        key: &[u8],
    ) -> Result<Option<Slice>> {
        guarded(&self.path, table.name(), || snapshot.get(self.inner().keyspace(table), key))
    }

    /// How the store is now, for [`snapshot_from`](Self::snapshot_from).
    pub(super) fn snapshot(&self) -> Result<Snapshot> {
        guarded(&self.path, "cannot be read", || Ok(self.inner().database.snapshot()))
    }

    /// The entries from a key on, in order, as they were then.
    pub(super) fn snapshot_from(
        &self,
        snapshot: &Snapshot,
        table: Table,
        key: &[u8],
    ) -> Result<DiskEntries<'_>> {
        let rest = guarded(&self.path, table.name(), || {
            Ok(snapshot.range(self.inner().keyspace(table), key.to_vec()..))
        })?;
        Ok(DiskEntries { store: self, table, rest })
    }

    /// Makes changes.
    pub(super) fn commit(&self, changes: Changes, durability: Durability) -> Result<()> {
        self.is_in_tables.store(false, Ordering::Release);
        self.wait_for_room()?;
        let mode = match durability {
            Durability::Now => PersistMode::SyncAll,
            // Else a killed process would take them along.
            Durability::Later => PersistMode::Buffer,
        };
        let open = self.inner();
        guarded(&self.path, "cannot be written", || {
            let mut batch = open.database.batch().durability(Some(mode));
            for (table, key, value) in changes.0 {
                match value {
                    Some(value) => batch.insert(open.keyspace(table), key, value),
                    None => batch.remove(open.keyspace(table), key),
                }
            }
            batch.commit()
        })
    }

    /// Sees everything on disk.
    pub(super) fn sync(&self) -> Result<()> {
        guarded(&self.path, "cannot be written", || {
            self.inner().database.persist(PersistMode::SyncAll)
        })
    }

    /// Sees the names of all keyspaces on disk, which fjall does not do itself.
    pub(super) fn sync_names(&self) -> Result<()> {
        Ok(sync_folder(&self.path.join("keyspaces"))?)
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
    pub(super) fn write_small_tables(&self) -> Result<()> {
        for table in Table::ALL {
            if matches!(table, Table::Documents | Table::Texts) {
                continue;
            }
            guarded(&self.path, table.name(), || self.inner().keyspace(table).rotate_memtable())?;
        }
        Ok(())
    }

    /// Reads all tables and compares them with the checksums in their lists.
    pub(super) fn verify(&self) -> Result<()> {
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
    pub(super) fn compact(&self) -> Result<()> {
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
        let mut changes = Changes::default();
        changes.insert(Table::State, Head::KEY, head.as_deref().unwrap_or_default());
        self.commit(changes, Durability::Now)?;
        self.write_tables()
    }
}

impl Drop for DiskStore {
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
pub(crate) struct DiskEntries<'a> {
    store: &'a DiskStore,
    table: Table,
    rest: fjall::Iter,
}

impl Iterator for DiskEntries<'_> {
    type Item = Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = guarded(&self.store.path, self.table.name(), || {
            self.rest.next().map(fjall::Guard::into_inner).transpose()
        });
        next.transpose()
    }
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

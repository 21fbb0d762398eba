//! The store: documents, their contents, what was removed, and how far the index is.
//!
//! ```text
//! documents  number -> record        texts  number -> compressed content
//! holes      number -> nothing       state  "head", "runs", "templates"
//! templates  site -> shingles       counts  line -> how often it was found
//! counted    hash of an id, or of a line and a source -> line
//! ```
//!
//! Numbers are big endian and ascend. A store is in a folder ([`disk`]) or in memory
//! ([`memory`]); whoever uses it need not know which.

mod acknowledged;
mod disk;
mod memory;
mod table;

use std::collections::HashSet;
use std::path::Path;

use fjall::Slice;
use lookalike_files::Lock;

pub(crate) use self::acknowledged::AcknowledgedOperations;
use self::disk::{DiskEntries, DiskStore};
use self::memory::{MemoryEntries, MemorySnapshot, MemoryStore};
use self::table::Entry;
pub(crate) use self::table::{Changes, Durability, Table};
use crate::error::{Error, ErrorKind, Result};
use crate::sound::Expectation;
use crate::state::{Head, Segments};

/// Bytes of entries that are copied together.
pub(crate) const COPY_BYTES: usize = 4 << 20;

/// The store as it was at a moment.
pub(crate) enum Snapshot {
    Disk(fjall::Snapshot),
    Memory(MemorySnapshot),
}

/// Entries of a table, in order.
pub(crate) enum Entries<'a> {
    Disk(DiskEntries<'a>),
    Memory(MemoryEntries<'a>),
}

impl Iterator for Entries<'_> {
    type Item = Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Disk(entries) => entries.next(),
            Self::Memory(entries) => entries.next().map(Ok),
        }
    }
}

/// The open store.
pub(crate) enum Store {
    Disk(DiskStore),
    Memory(MemoryStore),
}

impl Store {
    /// Makes a store in a folder that does not exist. It gives the lock back when it is closed.
    pub(crate) fn create(
        path: &Path,
        lock: impl Into<Option<Lock>>,
        cache_bytes: u64,
    ) -> Result<Self> {
        DiskStore::create(path, lock, cache_bytes).map(Self::Disk)
    }

    /// Opens the store in a folder. If this fails, or [`accept`](Self::accept) is not called, the
    /// folder is as it was.
    pub(crate) fn open(
        path: &Path,
        lock: impl Into<Option<Lock>>,
        cache_bytes: u64,
        expected: Expectation,
    ) -> Result<Self> {
        DiskStore::open(path, lock, cache_bytes, expected).map(Self::Disk)
    }

    /// Makes a store that ends with the process.
    pub(crate) fn in_memory() -> Self {
        Self::Memory(MemoryStore::default())
    }

    pub(crate) fn is_in_memory(&self) -> bool {
        matches!(self, Self::Memory(_))
    }

    /// Says that the index is opened.
    pub(crate) fn accept(&mut self) {
        if let Self::Disk(store) = self {
            store.accept();
        }
    }

    /// What errors name.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Disk(store) => store.path(),
            Self::Memory(_) => Path::new(memory::NAME),
        }
    }

    /// The value of a key.
    pub(crate) fn get(&self, table: Table, key: &[u8]) -> Result<Option<Slice>> {
        match self {
            Self::Disk(store) => store.get(table, key),
            Self::Memory(store) => Ok(store.get(table, key)),
        }
    }

    /// The value of a key, now or as of a snapshot.
    pub(crate) fn get_at(
        &self,
        snapshot: Option<&Snapshot>,
        table: Table,
        key: &[u8],
    ) -> Result<Option<Slice>> {
        match (self, snapshot) {
            (Self::Disk(store), Some(Snapshot::Disk(then))) => store.get_at(then, table, key),
            (Self::Memory(store), Some(Snapshot::Memory(then))) => {
                Ok(store.get_at(then, table, key))
            }
            _ => self.get(table, key),
        }
    }

    /// The entries from a key on, in order, as they are now.
    pub(crate) fn from(&self, table: Table, key: &[u8]) -> Result<Entries<'_>> {
        self.snapshot_from(&self.snapshot()?, table, key)
    }

    /// How the store is now, for [`snapshot_from`](Self::snapshot_from).
    pub(crate) fn snapshot(&self) -> Result<Snapshot> {
        match self {
            Self::Disk(store) => store.snapshot().map(Snapshot::Disk),
            Self::Memory(store) => Ok(Snapshot::Memory(store.snapshot())),
        }
    }

    /// The entries from a key on, in order, as they were then.
    pub(crate) fn snapshot_from(
        &self,
        snapshot: &Snapshot,
        table: Table,
        key: &[u8],
    ) -> Result<Entries<'_>> {
        match (self, snapshot) {
            (Self::Disk(store), Snapshot::Disk(then)) => {
                store.snapshot_from(then, table, key).map(Entries::Disk)
            }
            (Self::Memory(store), Snapshot::Memory(then)) => {
                Ok(Entries::Memory(store.snapshot_from(then, table, key)))
            }
            _ => unreachable!("a snapshot is asked of the store that it was taken of"),
        }
    }

    /// Makes changes.
    pub(crate) fn commit(&self, changes: Changes, durability: Durability) -> Result<()> {
        match self {
            Self::Disk(store) => store.commit(changes, durability),
            Self::Memory(store) => {
                store.commit(changes);
                Ok(())
            }
        }
    }

    /// Writes the first records.
    pub(crate) fn begin(&self, head: Head, segments: &Segments) -> Result<()> {
        let mut changes = Changes::default();
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
        match self {
            Self::Disk(store) => store.sync(),
            Self::Memory(_) => Ok(()),
        }
    }

    /// Sees the names of all tables on disk, which were made when the store of an earlier version was
    /// opened.
    pub(crate) fn sync_names(&self) -> Result<()> {
        match self {
            Self::Disk(store) => store.sync_names(),
            Self::Memory(_) => Ok(()),
        }
    }

    /// Has the tables with little in them written. A journal is kept until all of its tables are,
    /// and these would not be full for a long time.
    pub(crate) fn write_small_tables(&self) -> Result<()> {
        match self {
            Self::Disk(store) => store.write_small_tables(),
            Self::Memory(_) => Ok(()),
        }
    }

    /// Reads all files and compares them with their checksums.
    pub(crate) fn verify(&self) -> Result<()> {
        match self {
            Self::Disk(store) => store.verify(),
            Self::Memory(_) => Ok(()),
        }
    }

    /// Gives back the room of what was removed or replaced. Nobody else may make changes.
    pub(crate) fn compact(&self) -> Result<()> {
        match self {
            Self::Disk(store) => store.compact(),
            // It never keeps any.
            Self::Memory(_) => Ok(()),
        }
    }
}

/// Locks the file, or says that the index is in use.
pub(crate) fn lock(path: &Path, index: &Path) -> Result<Lock> {
    Lock::take(path)?.ok_or_else(|| Error::from(ErrorKind::InUse(index.to_owned())))
}

//! The store in memory: ordered maps, with snapshots.
//!
//! An entry knows between which commits it was there. One that was removed or replaced
//! stays until no snapshot can see it.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::vec;

use fjall::Slice;

use super::table::{Changes, Entry, Table};

/// What errors say in the place of a path.
pub(super) const NAME: &str = "(in memory)";

/// Entries that are read under one lock.
const READ_TOGETHER: usize = 256;

#[derive(Default)]
pub(crate) struct MemoryStore {
    tables: RwLock<Tables>,
    snapshots: Arc<Mutex<LiveSnapshots>>,
}

#[derive(Default)]
struct Tables {
    /// Commits so far.
    commits: u64,
    entries: [BTreeMap<Slice, Version>; Table::ALL.len()],
    /// Entries that snapshots may still see, in the order of their removal or replacement, which
    /// comes first.
    removed: Vec<(u64, Table, Slice)>,
}

/// A value, and since and until which commit it is there.
struct Version {
    value: Slice,
    since: u64,
    until: Option<u64>,
    /// The one that this replaced, if a snapshot may still see it.
    before: Option<Box<Version>>,
}

impl Version {
    fn at(&self, commit: u64) -> Option<&Slice> {
        let mut version = Some(self);
        while let Some(Self { value, since, until, before }) = version {
            if *since <= commit {
                return until.is_none_or(|until| commit < until).then_some(value);
            }
            version = before.as_deref();
        }
        None
    }

    /// Forgets what it replaced that no snapshot from this one on can see.
    fn forget(&mut self, oldest: Option<u64>) {
        let is_seen =
            |until: Option<u64>| oldest.zip(until).is_some_and(|(oldest, until)| oldest < until);
        self.before = self.before.take().filter(|before| is_seen(before.until));
        if let Some(before) = &mut self.before {
            before.forget(oldest);
        }
    }
}

/// How many snapshots there are of each commit.
type LiveSnapshots = BTreeMap<u64, usize>;

/// The store after a commit, for as long as this lives.
pub(crate) struct MemorySnapshot {
    commit: u64,
    snapshots: Arc<Mutex<LiveSnapshots>>,
}

impl Clone for MemorySnapshot {
    fn clone(&self) -> Self {
        *locked(&self.snapshots).entry(self.commit).or_default() += 1;
        Self { commit: self.commit, snapshots: Arc::clone(&self.snapshots) }
    }
}

impl Drop for MemorySnapshot {
    fn drop(&mut self) {
        let mut live = locked(&self.snapshots);
        if let Some(count) = live.get_mut(&self.commit) {
            *count -= 1;
            if *count == 0 {
                live.remove(&self.commit);
            }
        }
    }
}

impl MemoryStore {
    // A commit cannot fail halfway: whoever finds a lock poisoned finds whole tables.

    fn tables(&self) -> RwLockReadGuard<'_, Tables> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn tables_mut(&self) -> RwLockWriteGuard<'_, Tables> {
        self.tables.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, table: Table, key: &[u8]) -> Option<Slice> {
        let tables = self.tables();
        let version = tables.entries[table as usize].get(key)?;
        version.until.is_none().then(|| version.value.clone())
    }

    pub(super) fn get_at(
        &self,
        snapshot: &MemorySnapshot,
        table: Table,
        key: &[u8],
    ) -> Option<Slice> {
        let tables = self.tables();
        let version = tables.entries[table as usize].get(key)?;
        version.at(snapshot.commit).cloned()
    }

    pub(super) fn snapshot(&self) -> MemorySnapshot {
        // Taken while no commit is made, so that none purges what this one sees.
        let tables = self.tables();
        *locked(&self.snapshots).entry(tables.commits).or_default() += 1;
        MemorySnapshot { commit: tables.commits, snapshots: Arc::clone(&self.snapshots) }
    }

    pub(super) fn snapshot_from(
        &self,
        snapshot: &MemorySnapshot,
        table: Table,
        key: &[u8],
    ) -> MemoryEntries<'_> {
        MemoryEntries {
            store: self,
            table,
            snapshot: snapshot.clone(),
            next: Bound::Included(key.into()),
            read: Vec::new().into_iter(),
        }
    }

    pub(super) fn commit(&self, changes: Changes) {
        let mut tables = self.tables_mut();
        let tables = &mut *tables;
        tables.commits += 1;
        let commit = tables.commits;
        for (table, key, value) in changes.0 {
            let entries = &mut tables.entries[table as usize];
            match value {
                Some(value) => {
                    let new = Version { value, since: commit, until: None, before: None };
                    let Some(old) = entries.insert(key.clone(), new) else { continue };
                    let until = old.until.or(Some(commit));
                    let before = Box::new(Version { until, ..old });
                    entries.entry(key.clone()).and_modify(|new| new.before = Some(before));
                    tables.removed.push((commit, table, key));
                }
                None => {
                    if let Some(version) = entries.get_mut(&key)
                        && version.until.is_none()
                    {
                        version.until = Some(commit);
                        tables.removed.push((commit, table, key));
                    }
                }
            }
        }
        let oldest = locked(&self.snapshots).first_key_value().map(|(&oldest, _)| oldest);
        let is_seen = |until: u64| oldest.is_some_and(|oldest| oldest < until);
        let unseen = tables.removed.partition_point(|&(until, ..)| !is_seen(until));
        for (_, table, key) in tables.removed.drain(..unseen) {
            let entries = &mut tables.entries[table as usize];
            let Some(entry) = entries.get_mut(&key) else { continue };
            if entry.until.is_some_and(|until| !is_seen(until)) {
                entries.remove(&key);
            } else {
                entry.forget(oldest);
            }
        }
    }
}

/// Entries of a table as they were at a moment, in order.
pub(crate) struct MemoryEntries<'a> {
    store: &'a MemoryStore,
    table: Table,
    snapshot: MemorySnapshot,
    next: Bound<Slice>,
    read: vec::IntoIter<Entry>,
}

impl Iterator for MemoryEntries<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        if self.read.as_slice().is_empty() {
            let tables = self.store.tables();
            let rest = tables.entries[self.table as usize]
                .range::<Slice, _>((self.next.as_ref(), Bound::Unbounded));
            let visible = rest.filter_map(|(key, entry)| {
                let value = entry.at(self.snapshot.commit)?;
                Some((key.clone(), value.clone()))
            });
            let read: Vec<Entry> = visible.take(READ_TOGETHER).collect();
            self.next = Bound::Excluded(read.last()?.0.clone());
            self.read = read.into_iter();
        }
        self.read.next()
    }
}

fn locked(snapshots: &Mutex<LiveSnapshots>) -> MutexGuard<'_, LiveSnapshots> {
    snapshots.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(entries: MemoryEntries<'_>) -> Vec<u8> {
        entries.map(|(key, _)| key[0]).collect()
    }

    fn change(store: &MemoryStore, add: &[u8], remove: &[u8]) {
        let mut changes = Changes::default();
        for &n in add {
            changes.insert(Table::Texts, &[n], &[n, n]);
        }
        for &n in remove {
            changes.remove(Table::Texts, &[n]);
        }
        store.commit(changes);
    }

    /// A snapshot sees what was there, whatever comes and goes after it; what nobody sees is gone.
    #[test]
    fn snapshots_see_their_moment() {
        let store = MemoryStore::default();
        change(&store, &[1, 2, 3], &[]);
        let first = store.snapshot();
        change(&store, &[4], &[2]);
        let second = store.snapshot();
        change(&store, &[], &[1, 4]);
        let seen = |snapshot| numbers(store.snapshot_from(snapshot, Table::Texts, &[]));
        assert_eq!(seen(&first), [1, 2, 3]);
        assert_eq!(seen(&second), [1, 3, 4]);
        assert_eq!(seen(&store.snapshot()), [3]);
        assert_eq!(store.get_at(&first, Table::Texts, &[2]).as_deref(), Some(&[2, 2][..]));
        assert_eq!(store.get_at(&first, Table::Texts, &[4]), None);
        assert_eq!(store.get(Table::Texts, &[2]), None);

        drop(first);
        change(&store, &[5], &[]);
        // The first removal is unseen by now, the second not.
        assert_eq!(store.tables().entries[Table::Texts as usize].len(), 4);
        drop(second);
        change(&store, &[6], &[]);
        assert_eq!(store.tables().entries[Table::Texts as usize].len(), 3);
        assert!(store.tables().removed.is_empty());
        assert!(locked(&store.snapshots).is_empty());
    }

    #[test]
    fn snapshots_see_what_was_replaced_since() {
        let store = MemoryStore::default();
        let set = |value: u8| {
            let mut changes = Changes::default();
            changes.insert(Table::Counts, &[1], &[value]);
            store.commit(changes);
        };
        let at = |snapshot: &MemorySnapshot| {
            let mut entries = store.snapshot_from(snapshot, Table::Counts, &[]);
            let found = entries.next().map(|(_, value)| value[0]);
            let got = store.get_at(snapshot, Table::Counts, &[1]).map(|value| value[0]);
            assert_eq!(found, got);
            found
        };
        let empty = store.snapshot();
        set(1);
        let first = store.snapshot();
        set(2);
        set(3);
        let third = store.snapshot();
        let mut changes = Changes::default();
        changes.remove(Table::Counts, &[1]);
        store.commit(changes);
        let removed = store.snapshot();
        set(4);
        let seen = [&empty, &first, &third, &removed, &store.snapshot()].map(at);
        assert_eq!(seen, [None, Some(1), Some(3), None, Some(4)]);
        drop((empty, first, third, removed));
        set(5);
        let entries = &store.tables().entries[Table::Counts as usize];
        assert!(entries.values().all(|version| version.before.is_none()));
        assert!(store.tables().removed.is_empty());
    }

    /// More entries than are read under one lock, and changes between the reads.
    #[test]
    fn entries_are_those_of_their_moment() {
        let store = MemoryStore::default();
        let many = 3 * READ_TOGETHER as u64;
        let mut changes = Changes::default();
        (0..many).for_each(|n| changes.insert(Table::Documents, &n.to_be_bytes(), &[]));
        store.commit(changes);
        let snapshot = store.snapshot();
        let entries = store.snapshot_from(&snapshot, Table::Documents, &7_u64.to_be_bytes());
        drop(snapshot);
        let mut found = Vec::new();
        for (key, _) in entries {
            let number = u64::from_be_bytes(key.as_ref().try_into().unwrap());
            found.push(number);
            let mut changes = Changes::default();
            changes.remove(Table::Documents, &(many - number).to_be_bytes());
            changes.insert(Table::Documents, &(many + number).to_be_bytes(), &[]);
            store.commit(changes);
        }
        assert_eq!(found, (7..many).collect::<Vec<_>>());
    }
}

//! The tables of a store, and changes to them, whatever it is made of.

use fjall::Slice;

/// A table of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Documents,
    Texts,
    Tombstones,
    State,
    Templates,
    Counts,
    Counted,
}

impl Table {
    /// In the order of their making, which the format has.
    pub(crate) const ALL: [Self; 7] = [
        Self::Documents,
        Self::Texts,
        Self::Tombstones,
        Self::State,
        Self::Templates,
        Self::Counts,
        Self::Counted,
    ];
}

/// When an operation is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// When it returns.
    Now,
    /// When a later one of [`Durability::Now`] has returned.
    Later,
}

/// A key and its value.
pub(super) type Entry = (Slice, Slice);

/// Changes that are made together or not at all.
#[derive(Default)]
pub(crate) struct Changes(pub(super) Vec<(Table, Slice, Option<Slice>)>);

impl Changes {
    pub(crate) fn insert(&mut self, table: Table, key: &[u8], value: &[u8]) {
        self.0.push((table, key.into(), Some(value.into())));
    }

    pub(crate) fn remove(&mut self, table: Table, key: &[u8]) {
        self.0.push((table, key.into(), None));
    }
}

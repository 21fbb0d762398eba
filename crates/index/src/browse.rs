//! Looking through an index: documents page by page, and one with its content.

use crate::document::Record;
use crate::error::Result;
use crate::index::Index;
use crate::store::Table;
use crate::view::content;

impl Index {
    /// Up to `limit` documents whose numbers are `from` or more, in the order of adding. What it
    /// costs depends on `limit`, not on the index.
    ///
    /// # Errors
    /// If the index cannot be read or is damaged.
    pub fn page(&self, from: u64, limit: usize) -> Result<Vec<Record>> {
        // Between two changes: what was removed has its record still, and what the store has
        // beyond the lists is of a change that is being made.
        let lists = self.lists();
        let entries = self.store.from(Table::Documents, &from.to_be_bytes())?;
        let records = entries.map(|entry| self.decode_entry(entry?));
        let is_known = |record: &Result<Record>| {
            record.as_ref().map_or(true, |record| record.number < lists.next)
        };
        let is_alive = |record: &Result<Record>| {
            record.as_ref().map_or(true, |record| !lists.tombstones.contains(&record.number))
        };
        records.take_while(is_known).filter(is_alive).take(limit).collect()
    }

    /// The document of an id and its content, if that is stored, as they are at one moment.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn read(&self, id: &str) -> Result<Option<(Record, Option<Vec<u8>>)>> {
        self.with_tools(|tools| {
            let lists = self.lists();
            let Some(record) = self.view(&lists, None).with_id(id, &mut tools.page)? else {
                return Ok(None);
            };
            let content = content(&self.store, None, None, &record)?;
            Ok(Some((record, content)))
        })
    }
}

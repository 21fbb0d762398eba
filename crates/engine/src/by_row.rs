//! What a sorted table on disk has of rows, for those who go through rows in order.

use lookalike_files::{Rows, double_word};

use crate::error::Result;
use crate::places::Row;
use crate::sort::Record as _;

/// Entries that are read at once. A page of most tables.
const AT_ONCE: u64 = 1024;

/// Goes through a table of which the high half of the first number of each entry is its row.
pub(crate) struct ByRow<'a, const N: usize> {
    table: &'a Rows,
    /// The first entry that is not at hand.
    behind: u64,
    /// Those at hand, the next one last.
    at_hand: Vec<[u64; N]>,
    of_row: Vec<[u64; N]>,
}

/// The number of the first entry of a row or one after it.
pub(crate) fn first_of(table: &Rows, row: Row) -> Result<u64> {
    Ok(table.partition_point(|entry| double_word(entry, 0) >> 32 < u64::from(row))?)
}

impl<'a, const N: usize> ByRow<'a, N> {
    /// From a row on.
    pub(crate) fn from(table: &'a Rows, row: Row) -> Result<Self> {
        let behind = first_of(table, row)?;
        Ok(Self { table, behind, at_hand: Vec::new(), of_row: Vec::new() })
    }

    /// The entries of a row, which comes after all that were asked for.
    pub(crate) fn of(&mut self, row: Row) -> Result<&[[u64; N]]> {
        self.of_row.clear();
        while let Some(entry) = self.next()? {
            if entry[0] >> 32 > u64::from(row) {
                self.at_hand.push(entry);
                break;
            }
            if entry[0] >> 32 == u64::from(row) {
                self.of_row.push(entry);
            }
        }
        Ok(&self.of_row)
    }

    fn next(&mut self) -> Result<Option<[u64; N]>> {
        if self.at_hand.is_empty() {
            let count = AT_ONCE.min(self.table.len() - self.behind);
            let mut bytes = vec![0; count as usize * <[u64; N]>::BYTES];
            self.table.rows(self.behind, &mut bytes)?;
            self.behind += count;
            let entries = bytes.chunks_exact(<[u64; N]>::BYTES).rev();
            self.at_hand.extend(entries.map(<[u64; N]>::decode));
        }
        Ok(self.at_hand.pop())
    }
}

#[cfg(test)]
mod tests {
    use lookalike_files::{RowsWriter, WorkFolder};

    use super::*;

    #[test]
    fn entries_come_with_their_rows() {
        let folder = WorkFolder::create(None).unwrap();
        let path = folder.join("table");
        // Row n has n % 4 entries.
        let entries: Vec<[u64; 2]> =
            (0..3000_u64).flat_map(|row| (0..row % 4).map(move |n| [row << 32 | n, n])).collect();
        let mut writer = RowsWriter::create(&path, *b"testrows", 16).unwrap();
        let mut bytes = [0; 16];
        for entry in &entries {
            entry.encode(&mut bytes);
            writer.push(&bytes).unwrap();
        }
        writer.finish().unwrap();
        let table = Rows::open(&path, *b"testrows", 16).unwrap();
        for (from, step) in [(0, 1), (1000, 1), (3, 7), (2999, 1), (3000, 1)] {
            let mut by_row = ByRow::<2>::from(&table, Row::nth(from)).unwrap();
            for row in (from..3003).step_by(step) {
                let expected: Vec<_> =
                    entries.iter().filter(|e| e[0] >> 32 == row).copied().collect();
                assert_eq!(by_row.of(Row::nth(row)).unwrap(), expected, "{from} {row}");
            }
        }
    }
}

//! The order of the keep policy: from rows to places and back.
//!
//! Documents are sorted by their ranks, then by their id, then by their row. One rank is compared
//! after another, and ids, which have any length, sixteen bytes at a time, each time only among
//! documents that are still equal. Memory: eight bytes a document,
//! or nothing where the policy is the order of the input. Known documents come before all others, in
//! the order of their rows.

use std::path::Path;

use lookalike_files::Rows;

use crate::document_set::RowSet;
use crate::error::Result;
use crate::places::{Place, Row, Sides};
use crate::signature_file::SignatureReader;
use crate::sort::{Record, Sorter};

/// Which document stands where.
#[derive(Debug)]
pub(crate) struct Order {
    sides: Sides,
    /// Of the new documents, if they are not in the order of the input.
    ranked: Option<RankedPlace>,
}

#[derive(Debug)]
struct RankedPlace {
    /// Of each row.
    places: Vec<Place>,
    /// Of each place.
    rows: Vec<Row>,
}

/// What the order is made of.
pub(crate) struct Ranked<'a> {
    /// The ranks of rows, a table for each key: one at least, and as long as one another.
    pub(crate) ranks: &'a [Rows],
    /// The ids of rows are in the signature file.
    pub(crate) signatures: &'a Path,
    /// Whether rows that are equal in all ranks have the order of the input, whatever their ids.
    pub(crate) in_input_order: bool,
}

impl Order {
    /// That of the input.
    pub(crate) fn of_input(sides: impl Into<Sides>) -> Self {
        Self { sides: sides.into(), ranked: None }
    }

    /// By ranks and ids; what does not fit into `budget` bytes goes to the folder.
    pub(crate) fn by_rank(
        sides: impl Into<Sides>,
        ranked: &Ranked<'_>,
        folder: &Path,
        budget: usize,
    ) -> Result<Self> {
        let Ranked { ranks, signatures, in_input_order } = *ranked;
        let rows = ranks.first().map_or(0, Rows::len);
        let mut sorting = Sorting {
            places: vec![Place::nth(0); rows as usize],
            tied: RowSet::none(rows),
            ties: rows,
        };
        for (number, table) in ranks.iter().enumerate() {
            let mut sorter = Sorter::new(folder, budget);
            table.for_each(|row, rank| {
                let row = Row::nth(row);
                if number > 0 && !sorting.tied.contains(row) {
                    return Ok(());
                }
                let rank = u64::from_le_bytes(rank.try_into().unwrap_or_default());
                let (place, bytes) = (sorting.places[row.index()], u128::from(rank));
                sorter.push(Key { place, bytes, row })
            })?;
            let is_last = number + 1 == ranks.len();
            sorting
                .assign(sorter, if is_last && in_input_order { Ties::ByRow } else { Ties::Stay })?;
            if sorting.ties == 0 {
                break;
            }
        }
        let mut offset = 0;
        while sorting.ties > 0 {
            let mut sorter = Sorter::new(folder, budget);
            let mut ties = Ties::ByRow;
            let reader = SignatureReader::open(signatures)?;
            reader.for_each_of(sorting.tied.members(), |row, id, _| {
                let rest = id.as_bytes().get(offset..).unwrap_or_default();
                if !rest.is_empty() {
                    ties = Ties::Stay;
                }
                let (place, bytes) = (sorting.places[row.index()], next_bytes(rest));
                sorter.push(Key { place, bytes, row })
            })?;
            sorting.assign(sorter, ties)?;
            offset += STEP;
        }
        let mut rows = vec![Row::NONE; sorting.places.len()];
        for (row, &place) in Row::all().zip(&sorting.places) {
            rows[place.index()] = row;
        }
        let ranked = Some(RankedPlace { places: sorting.places, rows });
        Ok(Self { sides: sides.into(), ranked })
    }

    /// How many documents there are.
    pub(crate) fn sides(&self) -> Sides {
        self.sides
    }

    /// The place of a row.
    pub(crate) fn place(&self, row: Row) -> Place {
        if self.sides.knows_row(row) {
            return Place::nth(u64::from(row) - self.sides.new);
        }
        let ranked = self.ranked.as_ref();
        let place =
            ranked.map_or_else(|| Place::nth(row.into()), |ranked| ranked.places[row.index()]);
        place.after(self.sides.known)
    }

    /// The row of a place.
    pub(crate) fn row(&self, place: Place) -> Row {
        if self.sides.knows(place) {
            return Row::nth(self.sides.new + u64::from(place));
        }
        let number = u64::from(place) - self.sides.known;
        let ranked = self.ranked.as_ref();
        ranked.map_or_else(|| Row::nth(number), |ranked| ranked.rows[number as usize])
    }
}

/// Bytes of an id that are compared at a time.
const STEP: usize = 15;

/// The first bytes of what is left of an id, in the order of strings: shorter ones first.
fn next_bytes(rest: &[u8]) -> u128 {
    let length = rest.len().min(STEP);
    let mut bytes = [0; 16];
    bytes[..length].copy_from_slice(&rest[..length]);
    bytes[STEP] = length as u8;
    u128::from_be_bytes(bytes)
}

/// A row among those that have been equal so far.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// The first place of those that have been equal so far.
    place: Place,
    /// What is compared next.
    bytes: u128,
    row: Row,
}

impl Record for Key {
    const BYTES: usize = 4 + 16 + 4;

    fn encode(self, out: &mut [u8]) {
        let (place, rest) = out.split_at_mut(4);
        let (bytes, row) = rest.split_at_mut(16);
        place.copy_from_slice(&self.place.to_le_bytes());
        bytes.copy_from_slice(&self.bytes.to_le_bytes());
        row.copy_from_slice(&self.row.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        let compared = bytes[4..20].try_into().unwrap_or_default();
        Self {
            place: Place::read(bytes, 0),
            bytes: u128::from_le_bytes(compared),
            row: Row::read(bytes, 20),
        }
    }
}

/// What becomes of rows that are still equal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ties {
    /// They wait for the next bytes of their ids.
    Stay,
    /// They have the order of their rows.
    ByRow,
}

struct Sorting {
    /// Of each row; the first place of all that are equal to it, while there are any.
    places: Vec<Place>,
    tied: RowSet,
    ties: u64,
}

impl Sorting {
    /// Gives the rows their places among those that have been equal so far.
    fn assign(&mut self, sorter: Sorter<Key>, ties: Ties) -> Result<()> {
        let mut sorted = sorter.finish()?;
        self.ties = 0;
        self.tied.clear();
        // The last key, its own place, and the first place of those equal to it.
        let mut last: Option<(Key, Place, Place)> = None;
        while let Some(key) = sorted.next()? {
            let (place, first) = match last {
                Some((before, place, first)) if before.place == key.place => {
                    let equal = before.bytes == key.bytes && ties == Ties::Stay;
                    if equal {
                        self.ties += 1;
                        self.tied.insert(before.row);
                        self.tied.insert(key.row);
                    }
                    (place.after(1), if equal { first } else { place.after(1) })
                }
                _ => (key.place, key.place),
            };
            self.places[key.row.index()] = first;
            last = Some((key, place, first));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use lookalike_core::{Layout, Recipe, Signature};
    use proptest::prelude::*;

    use super::*;
    use lookalike_files::{Existing, RowsWriter, WorkFolder};

    use crate::signature_file::SignatureWriter;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn order_is_known_ones_then_by_ranks_then_id_then_row(
            known in 0..3_u64,
            documents in prop::collection::vec(
                ([0_u64..3, 0_u64..3, 0_u64..2], "(http://www\\.example\\.org/){0,2}[ab\0]{0,3}"),
                0..40,
            ),
            keys in 1..4_usize,
            in_input_order: bool,
            budget in prop::sample::select(vec![0, 1 << 20]),
        ) {
            let folder = WorkFolder::create(None).unwrap();
            let signatures = folder.join("signatures");
            let recipe = Recipe::default();
            let mut file = SignatureWriter::create(&signatures, &recipe, Existing::Replace).unwrap();
            let blank = Layout::of(&recipe).decode(&vec![0; Layout::of(&recipe).bytes()]);
            let blank: Signature = blank.unwrap();
            for (_, id) in &documents {
                file.push(id, &blank).unwrap();
            }
            for _ in 0..known {
                file.push("a known one", &blank).unwrap();
            }
            file.finish().unwrap();
            let ranks: Vec<Rows> = (0..keys)
                .map(|key| {
                    let path = folder.join(format!("ranks-{key}"));
                    let mut table = RowsWriter::create(&path, *b"keeprank", 8).unwrap();
                    for (ranks, _) in &documents {
                        table.push(&ranks[key].to_le_bytes()).unwrap();
                    }
                    table.finish().unwrap();
                    Rows::open(&path, *b"keeprank", 8).unwrap()
                })
                .collect();
            let ranked = Ranked { ranks: &ranks, signatures: &signatures, in_input_order };
            let sides = Sides { new: documents.len() as u64, known };
            let order = Order::by_rank(sides, &ranked, &folder, budget).unwrap();

            let mut expected: Vec<usize> = (0..documents.len()).collect();
            expected.sort_by_key(|&row| {
                let (ranks, id) = &documents[row];
                (ranks[..keys].to_vec(), (!in_input_order).then_some(id), row)
            });
            expected.splice(0..0, documents.len()..sides.all() as usize);
            for (place, &row) in Place::all().zip(&expected) {
                let row = Row::nth(row as u64);
                prop_assert_eq!((order.row(place), order.place(row)), (row, place));
            }
        }
    }
}

//! The shortest path of pairs between two documents.
//!
//! A first pass over the pairs joins what they connect, and so knows whether
//! there is a path at all. Then a pass for each step: what the last step
//! reached is the front, and the documents that a pair joins to it are
//! reached next. Memory: four bytes and two bits a document.

use std::collections::BTreeMap;

use super::{Run, RunDocument};
use crate::components::Components;
use crate::document_set::RowSet;
use crate::error::Result;
use crate::places::{InputOrder, Row};
use crate::report::Kind;
use crate::scores::Scores;

/// A pair on the way from one document to another.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// Where it begins.
    pub from: RunDocument,
    /// Where it ends.
    pub to: RunDocument,
    /// How the two resemble each other.
    pub kind: Kind,
    /// How much; the first is `from`.
    pub scores: Scores,
}

impl Run {
    /// The shortest path of stored pairs from one of some rows to one of others; of several, the
    /// one by the first rows. `None` if nothing joins them.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn path(&self, from: &[Row], to: &[Row]) -> Result<Option<Vec<Step>>> {
        match shortest(self.rows(), from, to, |each| self.for_each_edge(each))? {
            Some(rows) => self.steps(&rows).map(Some),
            None => Ok(None),
        }
    }

    /// The pairs between rows that follow each other.
    fn steps(&self, rows: &[Row]) -> Result<Vec<Step>> {
        let ends = || rows.array_windows::<2>().copied();
        let mut sorted: Vec<[Row; 2]> = ends().map(|[a, b]| [a.min(b), a.max(b)]).collect();
        sorted.sort_unstable();
        let mut pairs = BTreeMap::new();
        let wanted = move |a, b| sorted.binary_search(&[a, b]).is_ok();
        self.for_each_pair(Some(Box::new(wanted)), |pair| {
            pairs.insert([pair.a, pair.b], pair);
            Ok(())
        })?;
        let step = |[from, to]: [Row; 2]| {
            let Some(pair) = pairs.get(&[from.min(to), from.max(to)]) else {
                unreachable!("the path is of pairs of this table")
            };
            let scores = if from == pair.a { pair.scores } else { pair.scores.turned() };
            let (from, to) = (self.document(from)?, self.document(to)?);
            Ok(Step { from, to, kind: pair.kind, scores })
        };
        ends().map(step).collect()
    }
}

/// The rows of a shortest path. `edges` streams all pairs each time it is called.
fn shortest(
    documents: u64,
    from: &[Row],
    to: &[Row],
    mut edges: impl FnMut(&mut dyn FnMut(Row, Row)) -> Result<()>,
) -> Result<Option<Vec<Row>>> {
    let mut components: Components<InputOrder> = Components::new(documents);
    edges(&mut |a, b| {
        components.join(a, b);
    })?;
    let mut meet = |a: &Row| to.iter().any(|b| components.find(*a) == components.find(*b));
    if !from.iter().any(&mut meet) {
        return Ok(None);
    }
    drop(components);

    // From where each row was reached first.
    let mut reached_from = vec![Row::NONE; documents as usize];
    let mut front = RowSet::none(documents);
    for &row in from {
        reached_from[row.index()] = row;
        front.insert(row);
    }
    let mut next = RowSet::none(documents);
    loop {
        if let Some(&end) = to.iter().filter(|row| reached_from[row.index()] != Row::NONE).min() {
            return Ok(Some(way_to(end, &reached_from)));
        }
        let mut any = false;
        edges(&mut |a, b| {
            for (a, b) in [(a, b), (b, a)] {
                let before = &mut reached_from[b.index()];
                // Reached in this very step counts as open: by the smallest row of the front.
                if front.contains(a) && (*before == Row::NONE || next.contains(b)) {
                    *before = a.min(*before);
                    next.insert(b);
                    any = true;
                }
            }
        })?;
        if !any {
            return Ok(None);
        }
        std::mem::swap(&mut front, &mut next);
        next.clear();
    }
}

fn way_to(end: Row, reached_from: &[Row]) -> Vec<Row> {
    let mut way = vec![end];
    let mut row = end;
    while reached_from[row.index()] != row {
        row = reached_from[row.index()];
        way.push(row);
    }
    way.reverse();
    way
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All distances by Floyd and Warshall, and of all shortest paths the one whose rows are the
    /// smallest when read from its end.
    fn naive(documents: usize, from: &[u32], to: &[u32], pairs: &[(u32, u32)]) -> Option<Vec<u32>> {
        let far = usize::MAX / 4;
        let mut distance = vec![vec![far; documents]; documents];
        for (row, distances) in distance.iter_mut().enumerate() {
            distances[row] = 0;
        }
        for &(a, b) in pairs.iter().filter(|(a, b)| a != b) {
            distance[a as usize][b as usize] = 1;
            distance[b as usize][a as usize] = 1;
        }
        let adjacent = distance.clone();
        for k in 0..documents {
            for i in 0..documents {
                for j in 0..documents {
                    let over = distance[i][k] + distance[k][j];
                    distance[i][j] = distance[i][j].min(over);
                }
            }
        }
        let start = |row: usize| from.iter().map(|f| distance[*f as usize][row]).min();
        let end = to.iter().min_by_key(|row| (start(**row as usize), **row))?;
        let mut way = vec![*end];
        let mut left = start(*end as usize).filter(|steps| *steps < far)?;
        while left > 0 {
            left -= 1;
            let last = way[way.len() - 1] as usize;
            let before =
                (0..documents).find(|r| start(*r) == Some(left) && adjacent[*r][last] == 1)?;
            way.push(before as u32);
        }
        way.reverse();
        Some(way)
    }

    proptest! {
        #[test]
        fn paths_are_the_shortest_by_the_first_rows(
            pairs in prop::collection::vec((0_u32..12, 0_u32..12), 0..20),
            from in prop::collection::vec(0_u32..12, 1..3),
            to in prop::collection::vec(0_u32..12, 1..3),
        ) {
            let row = |row: u32| Row::nth(row.into());
            let edges = |each: &mut dyn FnMut(Row, Row)| {
                for (a, b) in &pairs {
                    each(row(*a), row(*b));
                }
                Ok(())
            };
            let rows = |rows: &[u32]| rows.iter().copied().map(row).collect::<Vec<_>>();
            let found = shortest(12, &rows(&from), &rows(&to), edges).unwrap();
            prop_assert_eq!(found, naive(12, &from, &to, &pairs).as_deref().map(rows));
        }
    }
}

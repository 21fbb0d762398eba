//! The shortest path of pairs between two documents.
//!
//! A first pass over the pairs joins what they connect, and so knows whether
//! there is a path at all. Then a pass for each step: what the last step
//! reached is the front, and the documents that a pair joins to it are
//! reached next. Memory: four bytes and two bits a document.

use std::path::Path;

use super::tables::{Scores, for_each_edge, for_each_pair};
use super::{Run, RunDocument};
use crate::components::Components;
use crate::error::{Error, Result};
use crate::places::Places;
use crate::report::Kind;

/// A pair on the way from one document to another.
#[derive(Clone, Debug, PartialEq)]
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
    pub fn path(&self, from: &[u64], to: &[u64]) -> Result<Option<Vec<Step>>> {
        let path = self.files.pairs();
        let documents = self.documents();
        let edges = |each: &mut dyn FnMut(u32, u32)| edges(&path, documents, each);
        let [from, to] =
            [from, to].map(|rows| rows.iter().map(|row| *row as u32).collect::<Vec<_>>());
        match shortest(documents as u32, &from, &to, edges)? {
            Some(rows) => self.steps(&rows).map(Some),
            None => Ok(None),
        }
    }

    /// The pairs between rows that follow each other.
    fn steps(&self, rows: &[u32]) -> Result<Vec<Step>> {
        let ends: Vec<[u64; 2]> =
            rows.array_windows().map(|rows: &[u32; 2]| rows.map(u64::from)).collect();
        let mut sorted: Vec<[u64; 2]> = ends.iter().map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
        sorted.sort_unstable();
        let mut pairs = std::collections::BTreeMap::new();
        let wanted = move |a, b| sorted.binary_search(&[a, b]).is_ok();
        for_each_pair(&self.files.pairs(), Some(Box::new(wanted)), |pair| {
            pairs.insert([pair.a, pair.b], pair);
            Ok(())
        })?;
        let step = |[from, to]: [u64; 2]| {
            let Some(pair) = pairs.get(&[from.min(to), from.max(to)]) else {
                unreachable!("the path is of pairs of this table")
            };
            let scores = if from == pair.a { pair.scores } else { pair.scores.turned() };
            let (from, to) = (self.document(from)?, self.document(to)?);
            Ok(Step { from, to, kind: pair.kind, scores })
        };
        ends.into_iter().map(step).collect()
    }
}

/// Streams the rows of all pairs, none of which is believed to be there.
fn edges(path: &Path, documents: u64, each: &mut dyn FnMut(u32, u32)) -> Result<()> {
    for_each_edge(path, |a, b| {
        if a.max(b) >= documents {
            return Err(Error::corruption(
                path,
                0,
                format!("rows below {documents}"),
                format!("a pair of {a} and {b}"),
            ));
        }
        each(a as u32, b as u32);
        Ok(())
    })
}

/// Not reached.
const NONE: u32 = u32::MAX;

/// The rows of a shortest path. `edges` streams all pairs each time it is called.
fn shortest(
    documents: u32,
    from: &[u32],
    to: &[u32],
    mut edges: impl FnMut(&mut dyn FnMut(u32, u32)) -> Result<()>,
) -> Result<Option<Vec<u32>>> {
    let mut components = Components::new(documents);
    edges(&mut |a, b| {
        components.join(a, b);
    })?;
    let mut meet = |a: &u32| to.iter().any(|b| components.find(*a) == components.find(*b));
    if !from.iter().any(&mut meet) {
        return Ok(None);
    }
    drop(components);

    // From where each row was reached first.
    let mut reached_from = vec![NONE; documents as usize];
    let mut front = Places::none(documents.into());
    for &row in from {
        reached_from[row as usize] = row;
        front.insert(row);
    }
    let mut next = Places::none(documents.into());
    loop {
        if let Some(&end) = to.iter().filter(|row| reached_from[**row as usize] != NONE).min() {
            return Ok(Some(way_to(end, &reached_from)));
        }
        let mut any = false;
        edges(&mut |a, b| {
            for (a, b) in [(a, b), (b, a)] {
                let before = &mut reached_from[b as usize];
                // Reached in this very step counts as open: by the smallest row of the front.
                if front.contains(a) && (*before == NONE || next.contains(b)) {
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

fn way_to(end: u32, reached_from: &[u32]) -> Vec<u32> {
    let mut way = vec![end];
    let mut row = end;
    while reached_from[row as usize] != row {
        row = reached_from[row as usize];
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
            let edges = |each: &mut dyn FnMut(u32, u32)| {
                for (a, b) in &pairs {
                    each(*a, *b);
                }
                Ok(())
            };
            let found = shortest(12, &from, &to, edges).unwrap();
            prop_assert_eq!(found, naive(12, &from, &to, &pairs));
        }
    }
}

//! Union-find against a breadth-first search.

use std::collections::VecDeque;

use lookalike_engine::Components;
use proptest::prelude::*;

/// The smallest row that can be reached from each row.
fn by_search(rows: usize, pairs: &[(usize, usize)]) -> Vec<u64> {
    let mut neighbours = vec![Vec::new(); rows];
    for &(a, b) in pairs {
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    let mut smallest = vec![u64::MAX; rows];
    for start in 0..rows {
        let mut queue = VecDeque::from([start]);
        while let Some(row) = queue.pop_front() {
            if smallest[row] == u64::MAX {
                smallest[row] = start as u64;
                queue.extend(&neighbours[row]);
            }
        }
    }
    smallest
}

proptest! {
    #[test]
    fn components_are_what_a_search_reaches(
        rows in 1usize..80,
        pairs in proptest::collection::vec((0usize..1000, 0usize..1000), 0..120),
    ) {
        let pairs: Vec<_> = pairs.iter().map(|&(a, b)| (a % rows, b % rows)).collect();
        let mut components = Components::new(rows as u64);
        let mut joined = 0;
        for &(a, b) in &pairs {
            joined += usize::from(components.join(a as u64, b as u64));
        }
        let found: Vec<u64> = (0..rows as u64).map(|row| components.find(row)).collect();
        prop_assert_eq!(&found, &by_search(rows, &pairs));
        let alone = found.iter().enumerate().filter(|(row, found)| *row as u64 == **found).count();
        prop_assert_eq!(rows - joined, alone);
    }
}

#[test]
fn a_long_chain_is_one_component() {
    let rows = 1_000_000;
    let mut components = Components::new(rows);
    for row in (1..rows).rev() {
        assert!(components.join(row, row - 1));
    }
    assert_eq!(components.find(rows - 1), 0);
}

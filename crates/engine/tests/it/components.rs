//! Union-find against a breadth-first search.

use std::collections::VecDeque;

use lookalike_engine::Components;
use proptest::prelude::*;

/// The smallest place that can be reached from each place.
fn by_search(documents: usize, pairs: &[(usize, usize)]) -> Vec<u32> {
    let mut neighbours = vec![Vec::new(); documents];
    for &(a, b) in pairs {
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    let mut smallest = vec![u32::MAX; documents];
    for start in 0..documents {
        let mut queue = VecDeque::from([start]);
        while let Some(place) = queue.pop_front() {
            if smallest[place] == u32::MAX {
                smallest[place] = start as u32;
                queue.extend(&neighbours[place]);
            }
        }
    }
    smallest
}

proptest! {
    #[test]
    fn components_are_what_a_search_reaches(
        documents in 1usize..80,
        pairs in proptest::collection::vec((0usize..1000, 0usize..1000), 0..120),
    ) {
        let pairs: Vec<_> = pairs.iter().map(|&(a, b)| (a % documents, b % documents)).collect();
        let mut components = Components::new(documents as u32);
        let mut joined = 0;
        for &(a, b) in &pairs {
            joined += usize::from(components.join(a as u32, b as u32));
        }
        let found: Vec<u32> = (0..documents as u32).map(|place| components.find(place)).collect();
        prop_assert_eq!(&found, &by_search(documents, &pairs));
        let alone = found.iter().enumerate().filter(|(place, found)| *place as u32 == **found).count();
        prop_assert_eq!(documents - joined, alone);
        prop_assert_eq!(components.into_smallest(), found);
    }
}

#[test]
fn a_long_chain_is_one_component() {
    let documents = 1_000_000;
    let mut components = Components::new(documents);
    for place in (1..documents).rev() {
        assert!(components.join(place, place - 1));
    }
    assert_eq!(components.find(documents - 1), 0);
}

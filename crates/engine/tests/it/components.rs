//! Union-find against a breadth-first search.

use std::collections::VecDeque;

use lookalike_engine::{Components, Place};
use proptest::prelude::*;

/// The smallest place that can be reached from each place.
fn by_search(documents: usize, pairs: &[(usize, usize)]) -> Vec<Place> {
    let mut neighbours = vec![Vec::new(); documents];
    for &(a, b) in pairs {
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    let mut smallest = vec![Place::NONE; documents];
    for start in 0..documents {
        let mut queue = VecDeque::from([start]);
        while let Some(place) = queue.pop_front() {
            if smallest[place] == Place::NONE {
                smallest[place] = Place::nth(start as u64);
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
        let mut components = Components::new(documents as u64);
        let mut joined = 0;
        for &(a, b) in &pairs {
            joined += usize::from(components.join(Place::nth(a as u64), Place::nth(b as u64)));
        }
        let found: Vec<_> =
            Place::all().take(documents).map(|place| components.find(place)).collect();
        prop_assert_eq!(&found, &by_search(documents, &pairs));
        let alone = Place::all().zip(&found).filter(|(place, found)| place == *found).count();
        prop_assert_eq!(documents - joined, alone);
        prop_assert_eq!(components.into_smallest(), found);
    }
}

#[test]
fn a_long_chain_is_one_component() {
    let documents = 1_000_000;
    let mut components = Components::new(documents);
    for place in (1..documents).rev() {
        assert!(components.join(Place::nth(place), Place::nth(place - 1)));
    }
    assert_eq!(components.find(Place::nth(documents - 1)), Place::nth(0));
}

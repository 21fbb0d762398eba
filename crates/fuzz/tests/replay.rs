//! Every seed of the fuzz targets, and bytes that chance makes of them: the same ones each time.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::path::Path;

use lookalike_core::mix;
use lookalike_fuzz::{html, http, index, recipe, requests, warc};

/// The seeds of a target, by the names of their files.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Numbers that look random.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(1);
        (mix(self.0) % bound.max(1) as u64) as usize
    }

    /// A few changes: bytes become others, go, come twice, or are those of another seed.
    fn change(&mut self, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        for _ in 0..=self.below(4) {
            let start = self.below(bytes.len() + 1);
            let end = bytes.len().min(start + self.below(40));
            match self.below(5) {
                0 => bytes[start..end].iter_mut().for_each(|byte| *byte ^= 1 << (start % 8)),
                1 => drop(bytes.drain(start..end)),
                2 => bytes.extend_from_within(start..end),
                3 => bytes.truncate(bytes.len() - (bytes.len() - start) / 4),
                _ => {
                    let other = &seeds[self.below(seeds.len())];
                    let from = self.below(other.len());
                    let to = other.len().min(from + 60);
                    drop(bytes.splice(start..end, other[from..to].iter().copied()));
                }
            }
        }
    }
}

fn replay(target: &str, changed: usize, check: impl Fn(&[u8])) {
    let seeds = seeds(target);
    for seed in &seeds {
        check(seed);
    }
    let mut chance = Chance(0);
    for _ in 0..changed {
        let mut bytes = seeds[chance.below(seeds.len())].clone();
        chance.change(&mut bytes, &seeds);
        check(&bytes);
    }
    lookalike_fuzz::remove_folders(target);
}

#[test]
fn pages() {
    replay("html", 2000, html::check);
}

#[test]
fn archives() {
    replay("warc", 1000, warc::check);
}

#[test]
fn recipes() {
    replay("recipe", 2000, recipe::check);
}

#[test]
fn files_of_an_index() {
    replay("index", 30, index::check);
}

#[test]
fn requests_of_any_kind() {
    replay("requests", 300, requests::check);
}

#[test]
fn bytes_on_the_wire() {
    replay("http", 200, http::check);
}

//! The search of Algorithm C at scale: all pairs within 12 bits among strings of 384.
//!
//! A real job: the strings are a signature file, `dedup` lists all pairs of it.
//! Most strings are random, so that nothing is within 12 bits by chance; some
//! are an earlier one with up to 24 bits turned, at least 12 of which must not
//! be found. What is listed has to be exactly what is there: by arithmetic on
//! what was planted, and for 20,000 strings by comparing each with each.

use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{UInt32Type, UInt64Type};
use lookalike_core::{Recipe, Signature, mix};
use lookalike_engine::signature_file::SignatureWriter;
use lookalike_engine::{Dedup, Existing, PairScope};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::measuring::{Failure, Scale, Stages, measure};

/// Words of a string.
const WORDS: usize = 6;
const BITS: u32 = 64 * WORDS as u32;

/// Bits in which a pair may differ.
const WITHIN: u32 = 12;

/// The most bits that are turned in a planted string.
const TURNED: u64 = 24;

/// Strings that are compared each with each.
const BRUTE_FORCE: u32 = 20_000;

type Bits = [u64; WORDS];

/// The strings of a seed: everything follows from a string's number.
#[derive(Clone, Copy)]
struct Strings {
    seed: u64,
    /// How many out of a thousand are like an earlier one.
    planted: u64,
}

impl Strings {
    fn random(self, purpose: u64, number: u64) -> u64 {
        mix(mix(self.seed ^ purpose) ^ number)
    }

    /// The random string that this one is made from, unless it is one itself.
    fn made_from(self, number: u32) -> Option<u32> {
        let is_planted = |n: u32| n > 0 && self.random(1, n.into()) % 1000 < self.planted;
        if !is_planted(number) {
            return None;
        }
        let mut random = self.random(2, number.into());
        loop {
            let before = (random % u64::from(number)) as u32;
            if !is_planted(before) {
                return Some(before);
            }
            random = mix(random);
        }
    }

    fn string(self, number: u32) -> Bits {
        let Some(source) = self.made_from(number) else {
            let first = u64::from(number) * WORDS as u64;
            return std::array::from_fn(|word| self.random(3, first + word as u64));
        };
        let source = self.string(source);
        let mut random = self.random(4, number.into());
        let turned = (random % (TURNED + 1)) as u32;
        let mut string = source;
        while distance(&string, &source) < turned {
            random = mix(random);
            let bit = (random % u64::from(BITS)) as usize;
            let (word, mask) = (bit / 64, 1 << (bit % 64));
            string[word] = string[word] & !mask | !source[word] & mask;
        }
        string
    }

    /// Every pair that is there but for chance, which has none: random strings differ in 192 bits
    /// give or take 10. Ascending by the later, then by the earlier.
    fn planted_pairs(self, strings: u32) -> Vec<(u32, u32, u32)> {
        let mut families: Vec<(u32, u32)> =
            (0..strings).filter_map(|number| Some((self.made_from(number)?, number))).collect();
        families.sort_unstable();
        let mut pairs = Vec::new();
        for family in families.chunk_by(|a, b| a.0 == b.0) {
            let members = std::iter::once(family[0].0).chain(family.iter().map(|member| member.1));
            let members: Vec<(u32, Bits)> = members.map(|n| (n, self.string(n))).collect();
            for (at, (later, b)) in members.iter().enumerate() {
                for (earlier, a) in &members[..at] {
                    push_if_within(&mut pairs, (*earlier, a), (*later, b));
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// Every pair that is there.
    fn all_pairs(self, strings: u32) -> Vec<(u32, u32, u32)> {
        let all: Vec<Bits> = (0..strings).map(|number| self.string(number)).collect();
        let mut pairs = Vec::new();
        for (later, b) in (0..).zip(&all) {
            for (earlier, a) in (0..later).zip(&all) {
                push_if_within(&mut pairs, (earlier, a), (later, b));
            }
        }
        pairs.sort_unstable();
        pairs
    }

    fn write(self, path: &Path, strings: u32) -> Result<(), Failure> {
        let mut writer = SignatureWriter::create(path, &recipe()?, Existing::Replace)?;
        let (mut signature, mut id) = (Signature::default(), String::new());
        for number in 0..strings {
            id.clear();
            let _ = write!(id, "{number}");
            signature.tokens = 100;
            signature.exact = u128::from(self.random(5, number.into()));
            signature.projection.clear();
            signature.projection.extend(self.string(number));
            writer.push(&id, &signature)?;
        }
        writer.finish()?;
        Ok(())
    }
}

fn distance(a: &Bits, b: &Bits) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// Adds the numbers and the equal bits of a pair, if it is one.
fn push_if_within(pairs: &mut Vec<(u32, u32, u32)>, a: (u32, &Bits), b: (u32, &Bits)) {
    let differ = distance(a.1, b.1);
    if differ <= WITHIN {
        pairs.push((a.0, b.0, BITS - differ));
    }
}

fn recipe() -> Result<Recipe, Failure> {
    Recipe::preset("henzinger-c").map_err(|error| Failure::Broken(error.to_string()))
}

/// Compares the search with the comparison of each with each, where every second string is like
/// an earlier one.
pub(crate) fn check_against_brute_force(scale: &Scale) -> Result<String, Failure> {
    let strings = Strings { seed: 2, planted: 500 };
    let scale = Scale { documents: BRUTE_FORCE, folder: scale.folder.clone(), ..*scale };
    let mut pairs = 0;
    measure(&scale, |scale, folder| {
        let stages = search(strings, scale, folder)?;
        let expected = strings.all_pairs(scale.documents);
        pairs = expected.len();
        check(&folder.join("run"), &expected)?;
        Ok((stages, String::new()))
    })?;
    Ok(format!("{BRUTE_FORCE} strings each with each: the same {pairs} pairs\n"))
}

/// Runs and checks it in this folder.
pub(crate) fn run(scale: &Scale, folder: &Path) -> Result<(Stages, String), Failure> {
    let strings = Strings { seed: 1, planted: 100 };
    let stages = search(strings, scale, folder)?;
    let expected = strings.planted_pairs(scale.documents);
    check(&folder.join("run"), &expected)?;
    let summary = format!("{} pairs within {WITHIN} of {BITS} bits\n", expected.len());
    Ok((stages, summary))
}

fn search(strings: Strings, scale: &Scale, folder: &Path) -> Result<Stages, Failure> {
    let signatures = folder.join("signatures");
    let mut stages = Stages::start();
    strings.write(&signatures, scale.documents)?;
    stages.end("signature file");
    Dedup::new([signatures.display().to_string()])
        .recipe(recipe()?)
        .pairs(PairScope::All)
        .memory(scale.memory as u64)
        .threads(scale.threads)
        .without_survivors()
        .run(folder.join("run"))?;
    stages.end("all pairs");
    Ok(stages)
}

/// The pairs of the run are the expected ones and no others.
fn check(run: &Path, expected: &[(u32, u32, u32)]) -> Result<(), Failure> {
    let broken = |error: &dyn std::fmt::Display| Failure::Broken(format!("pairs.parquet: {error}"));
    let file = File::open(run.join("pairs.parquet")).map_err(|error| broken(&error))?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| broken(&error))?;
    let mut listed = Vec::with_capacity(expected.len());
    for batch in reader.build().map_err(|error| broken(&error))? {
        let batch = batch.map_err(|error| broken(&error))?;
        let column = |name| batch.column_by_name(name).ok_or(broken(&"a column is missing"));
        let rows = |name| Ok::<_, Failure>(column(name)?.as_primitive::<UInt64Type>().values());
        let bits = column("c_similarity")?.as_primitive::<UInt32Type>().values();
        for ((&a, &b), &bits) in rows("row_a")?.iter().zip(rows("row_b")?).zip(bits) {
            listed.push((a as u32, b as u32, bits));
        }
    }
    listed.sort_unstable();
    if let Some(at) =
        (0..listed.len().max(expected.len())).find(|&n| listed.get(n) != expected.get(n))
    {
        let message = format!("{:?} is listed, {:?} expected", listed.get(at), expected.get(at));
        return Err(Failure::Wrong(message));
    }
    Ok(())
}

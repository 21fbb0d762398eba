//! What is template in a group, learned from a sample of its documents.
//!
//! # Definition
//!
//! Page counts alone cannot tell a frame from a page that is there in forty
//! versions. So *families* are counted: documents that are versions of each
//! other.
//!
//! 1. Each shingle weighs floor(log2(n / d)), where d of the n documents have
//!    it; one that more than n / 4 of them have (but at least 8 and at most 128)
//!    weighs nothing. Two documents are of one family if what they share weighs
//!    0.6 of what either of them has, or if both are of one with a third.
//! 2. A shingle is template if it stands in more than 2 sqrt(F) / 5 of the F
//!    families, and in more than 4.
//!
//! A group of four families or fewer therefore has no template, and its
//! documents are compared as they stand.

use crate::shingle::Shingle;

/// About how many documents of a group are enough to learn from.
pub const SAMPLE: u64 = 4096;

/// A shingle in at most so many families is never template.
const FEW: usize = 4;

/// Whether a document is in the sample of a group of `count` documents: all of a small group, and
/// of a large one those whose hash begins with enough zeros to leave between a half and all of
/// [`SAMPLE`]. Does not depend on any order; as a group grows, documents only leave its sample.
pub fn in_sample(hash: u64, count: u64) -> bool {
    let zeros = count.div_ceil(SAMPLE).next_power_of_two().ilog2();
    hash.leading_zeros() >= zeros
}

/// What was learned of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LearnedTemplate {
    /// The template shingles, ascending.
    pub template: Vec<Shingle>,
    /// Families among the documents.
    pub families: usize,
}

/// Learns from the sets of the frame shingles of documents, each ascending and without repeats.
pub fn learn<S: AsRef<[Shingle]>>(documents: &[S]) -> LearnedTemplate {
    let postings = Postings::of(documents);
    let mut families = Families::new(documents.len());
    postings.join(&mut families);
    let families: Vec<u32> = (0..documents.len() as u32).map(|d| families.of(d)).collect();
    let count = families.iter().zip(0..).filter(|(family, document)| **family == *document).count();
    let most = FEW.max((4 * count / 25).isqrt());
    let mut seen = Vec::new();
    let is_template = |documents: &[u32], seen: &mut Vec<u32>| {
        seen.clear();
        seen.extend(documents.iter().map(|&document| families[document as usize]));
        seen.sort_unstable();
        seen.dedup();
        seen.len() > most
    };
    let frequent = postings.lists().filter(|(_, documents)| documents.len() > most);
    let template = frequent.filter(|(_, documents)| is_template(documents, &mut seen));
    LearnedTemplate { template: template.map(|(shingle, _)| shingle).collect(), families: count }
}

/// Which documents have each shingle.
struct Postings {
    /// Ascending.
    shingles: Vec<Shingle>,
    /// Where the documents of each begin, and the end.
    starts: Vec<u32>,
    documents: Vec<u32>,
    /// The shingles of each document, by their number here, one document after another.
    numbers: Vec<u32>,
    /// Where those of each document begin, and the end.
    document_starts: Vec<u32>,
}

impl Postings {
    fn of<S: AsRef<[Shingle]>>(sets: &[S]) -> Self {
        let total = sets.iter().map(|set| set.as_ref().len()).sum();
        let mut entries = Vec::with_capacity(total);
        let mut document_starts = vec![0];
        for (document, set) in (0_u32..).zip(sets) {
            let before = entries.len() as u32;
            entries
                .extend((before..).zip(set.as_ref()).map(|(at, &shingle)| (shingle, at, document)));
            document_starts.push(entries.len() as u32);
        }
        entries.sort_unstable();
        let (mut shingles, mut starts) = (Vec::new(), Vec::new());
        let (mut documents, mut numbers) = (Vec::with_capacity(total), vec![0; total]);
        for (shingle, at, document) in entries {
            if shingles.last() != Some(&shingle) {
                shingles.push(shingle);
                starts.push(documents.len() as u32);
            }
            numbers[at as usize] = shingles.len() as u32 - 1;
            documents.push(document);
        }
        starts.push(documents.len() as u32);
        Self { shingles, starts, documents, numbers, document_starts }
    }

    /// The documents that have a shingle, ascending.
    fn list(&self, number: u32) -> &[u32] {
        let [start, end] = [number, number + 1].map(|at| self.starts[at as usize] as usize);
        &self.documents[start..end]
    }

    fn lists(&self) -> impl Iterator<Item = (Shingle, &[u32])> {
        (0..).zip(&self.shingles).map(|(number, &shingle)| (shingle, self.list(number)))
    }

    /// Joins the documents that are versions of each other.
    fn join(&self, families: &mut Families) {
        let count = self.document_starts.len() - 1;
        let most = (count / 4).clamp(8, 128);
        let weight = |number: u32| match self.list(number).len() {
            documents if documents <= most => u64::from((count / documents).max(1).ilog2()),
            _ => 0,
        };
        let of = |document: usize| {
            let [start, end] = [document, document + 1].map(|at| self.document_starts[at] as usize);
            &self.numbers[start..end]
        };
        let weights: Vec<u64> = (0..count)
            .map(|document| of(document).iter().map(|&number| weight(number)).sum())
            .collect();
        let mut shared = vec![0_u64; count];
        let mut met: Vec<u32> = Vec::new();
        for document in 0..count {
            for &number in of(document) {
                let weight = weight(number);
                if weight == 0 {
                    continue;
                }
                for &other in
                    self.list(number).iter().take_while(|other| (**other as usize) < document)
                {
                    if shared[other as usize] == 0 {
                        met.push(other);
                    }
                    shared[other as usize] += weight;
                }
            }
            for other in met.drain(..) {
                let common = std::mem::take(&mut shared[other as usize]);
                let either = weights[document] + weights[other as usize] - common;
                if 5 * common >= 3 * either {
                    families.join(other, document as u32);
                }
            }
        }
    }
}

/// Union-find; a family's name is its first document.
struct Families(Vec<u32>);

impl Families {
    fn new(documents: usize) -> Self {
        Self((0..documents as u32).collect())
    }

    fn of(&mut self, mut document: u32) -> u32 {
        while self.0[document as usize] != document {
            let above = self.0[document as usize];
            self.0[document as usize] = self.0[above as usize];
            document = above;
        }
        document
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

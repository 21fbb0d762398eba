//! What is template in a group, learned from a sample of its documents.
//!
//! # Definition
//!
//! Page counts alone cannot tell a frame from a page that is there in forty
//! versions. So *families* are counted: documents that are versions of each
//! other. Menus must not make them, so they go by what documents are without
//! what their markup says is beside the content.
//!
//! 1. Each shingle of contents weighs floor(log2(n / d)), where d of the n
//!    documents have it; one that more than n / 4 of them have (but at least 8 and
//!    at most 128) weighs nothing. Two documents are of one family if what they
//!    share weighs 0.6 of what either of them has, or if both are of one with a
//!    third.
//! 2. The *parts* of a group are all of it, and those that a site is likely to give
//!    a frame of their own: the documents below one folder, below one folder of a
//!    folder, and in one language.
//! 3. A shingle, of contents or of anything else, is template if it stands in more
//!    than a third of the families of one part, and in more than 16.
//!
//! A group of sixteen families or fewer therefore has no template.

use std::collections::HashMap;

use super::FrameShingles;
use super::layout::{Level, PageLayout};
use crate::shingle::Shingle;
use crate::text::DocumentTokens;

/// About how many documents of a group are enough to learn from.
pub const SAMPLE: u64 = 4096;

/// A shingle in at most so many families is never template: a group of so many documents or fewer has
/// none.
pub const FEW: usize = 16;

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

/// What a document leaves to learn from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampleDocument {
    /// The frame shingles of its content, ascending and without repeats.
    pub content: Vec<Shingle>,
    /// Those of it with its menus, and of all of it, that are not among them; likewise.
    pub beside: Vec<Shingle>,
    /// What stands for the parts of the group that it is in besides all of it.
    pub parts: Vec<u64>,
}

impl SampleDocument {
    /// Of the tokens of a document.
    pub fn new(frame: &mut FrameShingles, document: &DocumentTokens, parts: Vec<u64>) -> Self {
        let mut layout = PageLayout::default();
        layout.read(document, frame.width());
        let mut tokens = Vec::new();
        layout.select(Level::Content, &document.tokens, &mut tokens);
        let mut content = frame.of(&tokens).to_vec();
        content.sort_unstable();
        content.dedup();
        let (mut beside, mut looked_at) = (Vec::new(), tokens.len());
        let is_beside: Vec<bool> = layout.left_out(Level::Content).map(|r| r.is_some()).collect();
        let mut are_beside = Vec::new();
        for level in [Level::WithMenus, Level::Whole] {
            if std::mem::replace(&mut looked_at, layout.count(level)) == layout.count(level) {
                continue;
            }
            tokens.clear();
            layout.select(level, &document.tokens, &mut tokens);
            are_beside.clear();
            layout.select(level, &is_beside, &mut are_beside);
            // What has nothing beside the content in it is in the content as well.
            let width = frame.width().min(tokens.len());
            let mut count = are_beside.iter().take(width).filter(|beside| **beside).count();
            for (at, &shingle) in frame.of(&tokens).iter().enumerate() {
                if count > 0 {
                    beside.push(shingle);
                }
                count -= usize::from(are_beside[at]);
                count += usize::from(are_beside.get(at + width).is_some_and(|beside| *beside));
            }
        }
        beside.sort_unstable();
        beside.dedup();
        beside.retain(|shingle| content.binary_search(shingle).is_err());
        Self { content, beside, parts }
    }
}

/// Learns from a sample of a group.
pub fn learn(documents: &[SampleDocument]) -> LearnedTemplate {
    let contents = Postings::of(documents.iter().map(|document| &document.content[..]));
    let mut families = Families::new(documents.len());
    contents.join(&mut families);
    let families: Vec<u32> = (0..documents.len() as u32).map(|d| families.of(d)).collect();
    let parts = Parts::new(documents, &families);
    let mut template = Vec::new();
    let mut standing = Vec::new();
    for_each_list(documents, &contents, |shingle, list| {
        if parts.is_template(list, &mut standing) {
            template.push(shingle);
        }
    });
    LearnedTemplate { template, families: parts.families_in[0] }
}

/// Calls `each` with every shingle, ascending, and the documents that have it, in content or beside
/// it.
fn for_each_list(
    documents: &[SampleDocument],
    contents: &Postings,
    mut each: impl FnMut(Shingle, &[u32]),
) {
    let of_documents = (0..).zip(documents);
    let mut beside: Vec<(Shingle, u32)> = of_documents
        .flat_map(|(number, document)| document.beside.iter().map(move |&s| (s, number)))
        .collect();
    beside.sort_unstable();
    let mut beside = beside.chunk_by(|a, b| a.0 == b.0).peekable();
    let mut list = Vec::new();
    for (shingle, have) in contents.lists() {
        while let Some(other) = beside.next_if(|other| other[0].0 < shingle) {
            list.clear();
            list.extend(other.iter().map(|(_, document)| *document));
            each(other[0].0, &list);
        }
        list.clear();
        list.extend_from_slice(have);
        let also = beside.next_if(|other| other[0].0 == shingle).unwrap_or_default();
        list.extend(also.iter().map(|(_, document)| *document));
        each(shingle, &list);
    }
    for other in beside {
        list.clear();
        list.extend(other.iter().map(|(_, document)| *document));
        each(other[0].0, &list);
    }
}

/// The parts of a group, by numbers. All of it is the first.
struct Parts<'a> {
    /// The family of each document.
    families: &'a [u32],
    /// The parts of each document besides all.
    of_documents: Vec<Vec<u32>>,
    /// How many families each part has.
    families_in: Vec<usize>,
}

impl<'a> Parts<'a> {
    fn new(documents: &[SampleDocument], families: &'a [u32]) -> Self {
        let mut numbers = HashMap::new();
        let of_documents: Vec<Vec<u32>> = documents
            .iter()
            .map(|document| {
                let parts = document.parts.iter().map(|&part| {
                    let next = numbers.len() as u32 + 1;
                    *numbers.entry(part).or_insert(next)
                });
                parts.collect()
            })
            .collect();
        let mut families_in = vec![0; numbers.len() + 1];
        let mut parts = Self { families, of_documents, families_in: Vec::new() };
        let all: Vec<u32> = (0..documents.len() as u32).collect();
        for (part, _) in parts.standing(&all, &mut Vec::new()) {
            families_in[*part as usize] += 1;
        }
        parts.families_in = families_in;
        parts
    }

    /// In which families of which parts these documents are, without repeats.
    fn standing<'b>(
        &self,
        documents: &[u32],
        standing: &'b mut Vec<(u32, u32)>,
    ) -> &'b [(u32, u32)] {
        standing.clear();
        for &document in documents {
            let family = self.families[document as usize];
            standing.push((0, family));
            let parts = &self.of_documents[document as usize];
            standing.extend(parts.iter().map(|&part| (part, family)));
        }
        standing.sort_unstable();
        standing.dedup();
        standing
    }

    /// Whether what these documents have is template.
    fn is_template(&self, documents: &[u32], standing: &mut Vec<(u32, u32)>) -> bool {
        documents.len() > FEW
            && self.standing(documents, standing).chunk_by(|a, b| a.0 == b.0).any(|part| {
                let families = self.families_in[part[0].0 as usize];
                part.len() > FEW.max(families / 3)
            })
    }
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
    fn of<'a>(sets: impl Iterator<Item = &'a [Shingle]>) -> Self {
        let mut entries = Vec::new();
        let mut document_starts = vec![0];
        for (document, set) in (0_u32..).zip(sets) {
            let before = entries.len() as u32;
            entries.extend((before..).zip(set).map(|(at, &shingle)| (shingle, at, document)));
            document_starts.push(entries.len() as u32);
        }
        let total = entries.len();
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

//! Documents of the input side, searched for references.
//!
//! One pass over a document's shingles finds the keys that it has. Only if
//! enough of a set's are among them, the document's own shingles are counted,
//! in a second pass: few documents have anything to do with a reference.

use lookalike_core::resemblance::Overlap;
use lookalike_core::shingle::{Counting, Shingler};
use lookalike_core::text::KeyedTokenizer;
use lookalike_core::{Kernel, PairRule, VerificationKey};

use super::corpus::{Reader, Text};
use super::index::Index;
use super::options::{Against, RunsTold};
use super::passages::{Bounds, Locator, Passage, Told, Words};
use super::references::sort_distinct;
use crate::error::Result;
use crate::pipeline::Payload;
use crate::running::Running;

/// The matches of one document.
#[derive(Debug)]
pub(super) struct Finding {
    /// The document's number in its batch.
    pub(super) number: u64,
    pub(super) id: String,
    /// By the rows of references.
    pub(super) found: Vec<FoundReference>,
    /// Runs of words that are not told.
    pub(super) left_out: u64,
}

/// A reference that a document matches.
#[derive(Debug)]
pub(super) struct FoundReference {
    /// As a member of the index.
    pub(super) member: u32,
    /// a is the document, b the reference.
    pub(super) overlap: Overlap,
    /// Of a search by runs of words, the longest or all of them.
    pub(super) passages: Vec<Passage>,
}

impl Payload for Vec<Finding> {
    fn bytes(&self) -> usize {
        let of_found = |found: &FoundReference| {
            let passages: usize = found.passages.iter().map(Passage::bytes).sum();
            size_of::<FoundReference>() + passages
        };
        let bytes = |finding: &Finding| {
            let found: usize = finding.found.iter().map(of_found).sum();
            found + finding.id.len() + size_of::<Finding>()
        };
        self.iter().map(bytes).sum()
    }
}

/// Searches documents, on one thread.
pub(super) struct Searcher<'a> {
    options: &'a Against,
    rule: PairRule,
    index: &'a Index,
    tokenizer: KeyedTokenizer,
    /// Of the recipe's width, and of the width of each shorter reference.
    shinglers: Vec<(usize, Shingler)>,
    hits: Hits<'a>,
    /// How many posted keys of each set the document has; all 0 between documents.
    counts: Vec<u32>,
    /// The sets that are counted.
    touched: Vec<u32>,
    elements: Vec<u64>,
    locator: Locator,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(options: &'a Against, key: &VerificationKey, index: &'a Index) -> Self {
        let Against { recipe, running: Running { kernel, .. }, .. } = options;
        let width = recipe.shingles.width;
        // A shorter reference is one shingle, and only whether it occurs matters.
        let short = index.short_widths(width).into_iter().map(|width| (width, Counting::Set));
        let widths = short.chain([(width, recipe.shingles.counting)]);
        let shingler = |(width, counting)| (width, Shingler::keyed(*kernel, width, counting, key));
        Self {
            options,
            rule: PairRule::new(*kernel, recipe),
            index,
            tokenizer: KeyedTokenizer::new(recipe.tokens, *kernel, key),
            shinglers: widths.map(shingler).collect(),
            hits: Hits { index, kernel: *kernel, keys: Vec::new(), room: LEAST_ROOM },
            counts: vec![0; index.sets().len()],
            touched: Vec::new(),
            elements: Vec::new(),
            locator: Locator::new(key),
        }
    }

    /// Finds the keys of a document; its bytes and its tokens.
    fn read(&mut self, text: &Text<'_>) -> Result<(u64, u64)> {
        let Self { tokenizer, shinglers, hits, .. } = self;
        hits.keys.clear();
        let mut tokens = 0;
        let read = text.for_each_piece(|piece| {
            tokenizer.for_each_block(piece, &mut |_, block| {
                tokens += block.len() as u64;
                for (_, shingler) in &mut *shinglers {
                    shingler.push(block, |shingles| hits.take(shingles));
                }
            });
        });
        for (_, shingler) in shinglers {
            shingler.finish(|shingles| hits.take(shingles));
        }
        hits.sort();
        Ok((read?, tokens))
    }

    /// The sets that the document has enough of, with how much that is.
    fn candidates(&mut self) -> Vec<(u32, u64)> {
        let Self { index, hits, counts, touched, .. } = self;
        for &key in &hits.keys {
            for &set in index.postings(key) {
                let count = &mut counts[set as usize];
                if *count == 0 {
                    touched.push(set);
                }
                *count += 1;
            }
        }
        let mut candidates = Vec::new();
        for set in touched.drain(..) {
            let posted = std::mem::take(&mut counts[set as usize]);
            let (held, needed) = (index.held(set), index.sets()[set as usize].needed);
            if posted + (held.len() as u32) < needed {
                continue;
            }
            let hit = |key: &&u32| hits.keys.binary_search(key).is_ok();
            let common = posted + held.iter().filter(hit).count() as u32;
            if common >= needed {
                candidates.push((set, common.into()));
            }
        }
        candidates
    }

    /// How many elements the document has, for shingles of this width.
    fn size(&mut self, text: &Text<'_>, width: usize, tokens: u64) -> Result<u64> {
        let windows = (tokens + 1).saturating_sub(width as u64).max(tokens.min(1));
        let recipe = &self.options.recipe;
        if windows <= 1 || recipe.shingles.counting == Counting::Multiset {
            return Ok(windows);
        }
        // All that are equal are in one part, and a part is small enough to be sorted.
        let parts = windows.div_ceil(SORTED_ELEMENTS);
        let (tokenizer, kernel) = (&mut self.tokenizer, self.options.running.kernel);
        let shinglers = &mut self.shinglers;
        let Some((_, shingler)) = shinglers.iter_mut().find(|(own, _)| *own == width) else {
            unreachable!("the width of a set is that of a shingler");
        };
        let elements = &mut self.elements;
        let mut size = 0;
        for part in 0..parts {
            elements.clear();
            let of_part = |e: &u64| (u128::from(*e) * u128::from(parts)) >> 64 == u128::from(part);
            let mut room = 2 * SORTED_ELEMENTS as usize;
            let read = text.for_each_piece(|piece| {
                tokenizer.for_each_block(piece, &mut |_, block| {
                    shingler.push(block, |shingles| {
                        kernel.mix(0, shingles);
                        elements.extend(shingles.iter().copied().filter(of_part));
                    });
                    // Repeats may fill it.
                    if elements.len() > room {
                        sort_distinct(elements);
                        room = room.max(2 * elements.len());
                    }
                });
            });
            shingler.finish(|_| {});
            read?;
            sort_distinct(elements);
            size += elements.len() as u64;
        }
        Ok(size)
    }

    fn is_match(&self, overlap: Overlap) -> bool {
        self.options.ngram.is_some()
            || self.rule.by_overlap(overlap).is_accepted()
            || self.options.containment.is_some_and(|least| overlap.containment_b() >= least)
    }

    /// Finds the passages of references that have a shingle in common with a document. What has none
    /// but by chance, since a shingle is a fingerprint, is no match.
    fn locate(&mut self, text: &Text<'_>, found: &mut Vec<FoundReference>) -> Result<u64> {
        let Self { options, index, tokenizer, locator, .. } = self;
        let width = options.recipe.shingles.width;
        let mut words = Words::default();
        let mut bounds = Bounds::DOCUMENT;
        let mut in_block = |words: &Words| {
            let told = match options.told {
                RunsTold::Longest => Told::Longest,
                RunsTold::All => Told::All(&mut bounds),
            };
            locator.locate(
                words,
                found.iter_mut().map(|found| {
                    let member = index.member(found.member);
                    (&member.words, index.width(member), &mut found.passages)
                }),
                told,
            );
        };
        text.for_each_piece(|piece| {
            words.append(options.recipe.tokens, piece, tokenizer.key());
            while words.has_block(width) {
                in_block(&words);
                words.drop_block();
            }
        })?;
        in_block(&words);
        found.retain(|found| !found.passages.is_empty());
        Ok(bounds.left_out)
    }
}

/// Elements of one document that are sorted at once. 2 Mi: documents of about 12 MB.
const SORTED_ELEMENTS: u64 = 2 << 20;

impl Reader for Searcher<'_> {
    type Product = Vec<Finding>;

    fn document(
        &mut self,
        number: u64,
        id: &str,
        text: &Text<'_>,
        made: &mut Self::Product,
    ) -> Result<u64> {
        let (bytes, tokens) = self.read(text)?;
        let mut found = Vec::new();
        // The sizes of the document for the widths that were asked for.
        let mut sizes: Vec<(usize, u64)> = Vec::new();
        for (candidate, common) in self.candidates() {
            let set = self.index.sets()[candidate as usize];
            let width = set.width as usize;
            let known = sizes.iter().find(|(known, _)| *known == width);
            let a = if let Some((_, size)) = known {
                *size
            } else {
                let size = self.size(text, width, tokens)?;
                sizes.push((width, size));
                size
            };
            let overlap = Overlap { a, b: set.elements.into(), common };
            if self.is_match(overlap) {
                let members = self.index.members(candidate);
                found.extend(members.map(|member| FoundReference {
                    member,
                    overlap,
                    passages: Vec::new(),
                }));
            }
        }
        let mut left_out = 0;
        if self.options.ngram.is_some() && !found.is_empty() {
            left_out = self.locate(text, &mut found)?;
        }
        if !found.is_empty() {
            found.sort_unstable_by_key(|found| self.index.member(found.member).row);
            made.push(Finding { number, id: id.to_owned(), found, left_out });
        }
        Ok(bytes)
    }
}

/// The keys that a document has.
struct Hits<'a> {
    index: &'a Index,
    kernel: Kernel,
    keys: Vec<u32>,
    /// When there are so many, repeats are removed.
    room: usize,
}

const LEAST_ROOM: usize = 1 << 16;

impl Hits<'_> {
    fn take(&mut self, shingles: &mut [u64]) {
        self.kernel.mix(0, shingles);
        self.keys.extend(shingles.iter().filter_map(|element| self.index.key(*element)));
        if self.keys.len() > self.room {
            self.sort();
            self.room = LEAST_ROOM.max(2 * self.keys.len());
        }
    }

    fn sort(&mut self) {
        self.keys.sort_unstable();
        self.keys.dedup();
    }
}

//! What the documents of the reference side become: sets of elements.

use lookalike_core::VerificationKey;
use lookalike_core::shingle::Shingler;
use lookalike_core::text::KeyedTokenizer;

use super::corpus::{Reader, Text};
use super::options::Against;
use super::passages::Words;
use crate::error::{Error, ErrorKind, Result};
use crate::pipeline::Payload;
use crate::running::Running;

/// A reference as it is searched for.
#[derive(Debug)]
pub(super) struct Reference {
    pub(super) id: String,
    pub(super) tokens: u64,
    /// Tokens in a shingle: the recipe's width, or all of a shorter reference's.
    pub(super) width: usize,
    /// Its shingles, mixed, ascending, without repeats; none if it is too short.
    pub(super) elements: Vec<u64>,
    /// Its words in order, if passages are told.
    pub(super) words: Words,
}

impl Payload for Vec<Reference> {
    fn bytes(&self) -> usize {
        let bytes = |reference: &Reference| {
            let Reference { id, elements, words, .. } = reference;
            8 * elements.len() + id.len() + words.bytes() + size_of::<Reference>()
        };
        self.iter().map(bytes).sum()
    }
}

/// Reads references.
pub(super) struct Extractor<'a> {
    options: &'a Against,
    /// Elements of one reference that can be held.
    limit: usize,
    tokenizer: KeyedTokenizer,
    shingler: Shingler,
}

impl<'a> Extractor<'a> {
    pub(super) fn new(options: &'a Against, key: &VerificationKey, limit: usize) -> Self {
        let Against { recipe, running: Running { kernel, .. }, .. } = options;
        let shingles = recipe.shingles;
        Self {
            options,
            limit,
            tokenizer: KeyedTokenizer::new(recipe.tokens, *kernel, key),
            shingler: Shingler::keyed(*kernel, shingles.width, shingles.counting, key),
        }
    }
}

impl Reader for Extractor<'_> {
    type Product = Vec<Reference>;

    fn document(
        &mut self,
        _: u64,
        id: &str,
        text: &Text<'_>,
        made: &mut Self::Product,
    ) -> Result<u64> {
        let Self { options, limit, tokenizer, shingler } = self;
        let kernel = options.running.kernel;
        let (mut tokens, mut elements, mut fits) = (0, Vec::new(), true);
        let (mut words, most) = (Words::default(), options.part_bytes() as usize);
        let read = text.for_each_piece(|piece| {
            if options.ngram.is_some() && words.bytes() <= most {
                words.append(options.recipe.tokens, piece, tokenizer.key());
            }
            tokenizer.for_each_block(piece, &mut |_, block| {
                tokens += block.len() as u64;
                shingler.push(block, |shingles| {
                    kernel.mix(0, shingles);
                    if fits {
                        elements.extend_from_slice(shingles);
                    }
                });
                // Repeats may make it small enough.
                if elements.len() > 2 * *limit {
                    sort_distinct(&mut elements);
                    fits = elements.len() <= *limit;
                }
            });
        });
        shingler.finish(|shingles| {
            kernel.mix(0, shingles);
            elements.extend_from_slice(shingles);
        });
        let bytes = read?;
        sort_distinct(&mut elements);
        if elements.len() > *limit || words.bytes() > most {
            return Err(Error::from(ErrorKind::ReferenceTooLong {
                id: id.to_owned(),
                memory: options.running.memory,
            }));
        }
        if tokens < options.min_tokens {
            elements.clear();
            words.clear();
        }
        elements.shrink_to_fit();
        let width = options.recipe.shingles.width.min(tokens as usize);
        made.push(Reference { id: id.to_owned(), tokens, width, elements, words });
        Ok(bytes)
    }
}

pub(super) fn sort_distinct(elements: &mut Vec<u64>) {
    elements.sort_unstable();
    elements.dedup();
}

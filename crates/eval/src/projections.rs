//! The projections of all documents, for pairs that are looked at by their equal bits.

use lookalike_core::{Kernel, Recipe};
use lookalike_engine::{Observer, RecipePairs, Row};

use crate::error::Result;

/// The projections of all documents, in memory.
pub(crate) struct Projections {
    words: usize,
    all: Vec<u64>,
    kernel: Kernel,
    bits: usize,
}

impl Projections {
    /// Bytes of a document, of a recipe.
    pub(crate) fn bytes(recipe: &Recipe) -> u64 {
        8 * words(recipe) as u64
    }

    /// Those that a recipe was searched by with.
    pub(crate) fn load(
        found: &RecipePairs,
        (number, recipe): (usize, &Recipe),
        kernel: Kernel,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let words = words(recipe);
        let mut all = Vec::with_capacity(words * found.documents() as usize);
        found.for_each_signature(number, observer, |signature| {
            let projection = signature.projection.iter().copied();
            all.extend(projection.chain(std::iter::repeat(0)).take(words));
        })?;
        let bits = recipe.projection.map_or(0, |projection| projection.bits);
        Ok(Self { words, all, kernel, bits })
    }

    fn of(&self, row: Row) -> &[u64] {
        &self.all[row.index() * self.words..][..self.words]
    }

    /// Equal bits of two documents.
    pub(crate) fn equal(&self, a: Row, b: Row) -> usize {
        self.bits - self.kernel.hamming(self.of(a), self.of(b)) as usize
    }
}

fn words(recipe: &Recipe) -> usize {
    recipe.projection.map_or(0, |projection| projection.bits.div_ceil(64))
}
